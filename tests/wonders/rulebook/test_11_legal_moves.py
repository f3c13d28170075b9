"""Chapter 11, the list of legal moves (R50) and the policy that draws from it (R51)."""

# ruff: noqa: N802

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.wonders.both import Position
from tests.wonders.engine_tools import RANDOM, TABLES, Player, engine_table, played
from tests.wonders.position_kernels import STOP_AT, strict
from wsim.errors import UserError

STRICT = Player("strict", strict)


def shown(moves: list[Any]) -> list[tuple[str, str, str, int, int]]:
    """Return moves as tuples (card, action, how, left, right)."""
    return [(m.card, m.action, m.how, m.left, m.right) for m in moves]


def test_R50_the_order_of_the_list() -> None:
    p = Position("1e", "Olympia A", "Rhodos A", "Gizah A", "Babylon A", "Ephesos A")
    p.city(0, "Stone Pit", stages=2, coins=9)
    p.city(4, "Ore Vein")
    assert shown(p.moves(0, "Stockade", "Barracks", "Barracks")) == [
        ("Barracks", "build", "paid", 0, 2), ("Barracks", "build", "paid", 2, 0), ("Barracks", "build", "free", 0, 0),
        ("Barracks", "stage", "paid", 2, 2), ("Barracks", "sell", "", 0, 0),
        ("Stockade", "build", "paid", 0, 0), ("Stockade", "build", "free", 0, 0),
        ("Stockade", "stage", "paid", 2, 2), ("Stockade", "sell", "", 0, 0),
    ]  # fmt: skip


def test_R50_a_name_in_the_hand_twice_is_listed_once() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A", "Babylon A", "Olympia A")
    assert shown(p.moves(0, "Altar", "Altar")) == shown(p.moves(0, "Altar"))


def test_R50_an_owned_name_can_still_be_sold_or_used_for_a_stage() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A")
    p.city(0, "Altar", "Stone Pit")
    assert [m.action for m in p.moves(0, "Altar")] == ["stage", "sell"]


def test_R50_stages_are_listed_under_every_card() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A")
    p.city(0, "Stone Pit")
    stages = [m.card for m in p.moves(0, "Altar", "Baths", "Workshop") if m.action == "stage"]
    assert stages == ["Altar", "Baths", "Workshop"]


def test_R50_a_last_card_has_the_list_of_a_turn_for_that_one_card() -> None:
    p = Position("1e", "Babylon B", "Rhodos A", "Gizah A", turn=6)
    p.city(0, stages=2, coins=9)
    assert p.moves(0, "Barracks", kind="last_card") == p.moves(0, "Barracks")


def test_R50_a_loss_lists_the_payments_from_the_largest_on() -> None:
    p = Position("2e-cities", "Gizah day", "Rhodos day", "Ephesos day")
    assert p.loss_moves(0, 2) == [2, 1, 0]
    assert p.loss_moves(0, 7) == [3, 2, 1, 0]
    p.city(0, coins=0)
    assert p.loss_moves(0, 7) == [0]


@pytest.mark.engine_only
@pytest.mark.boundscheck
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_R50_every_list_contains_each_legal_move_once_and_in_order(ruleset: str, players: int) -> None:
    """A policy that checks its list at every decision (position_kernels.py) finds no mistakes in many games."""
    table = engine_table(ruleset, players, (STRICT,), seed=50)
    assert len(played(table, 300)) == 300 * table.seats


@pytest.mark.engine_only
def test_R50_the_checking_policy_detects_mistakes() -> None:
    """A banned sale leaves lists without sales: the objection comes back as an illegal index."""
    table = engine_table("1e", 3, (STRICT,), ban="1=sell")
    with pytest.raises(UserError, match=r"'strict' returned -15 in game 0, seat 1"):
        played(table, 1)


@pytest.mark.engine_only
def test_R51_random_draws_uniformly_from_the_list() -> None:
    table = engine_table("1e", 4, (RANDOM,), seed=51)
    picks = np.zeros(400 * table.picks_per_game, table.pick_dtype)
    written = table.play(0, np.zeros(400 * table.seats, table.row_dtype), picks)
    event = picks["event"][:written]
    for legal in (3, 4, 6, 8):
        index = Counter(event["index"][event["legal"] == legal].tolist())
        total = sum(index.values())
        assert total > 300
        expected = total / legal
        chi_square = sum((index[i] - expected) ** 2 / expected for i in range(legal))
        assert chi_square < 3 * legal + 15  # far beyond the 99.9 % point


@pytest.mark.engine_only
def test_R51_random_pays_all_it_can() -> None:
    table = engine_table("2e-cities", 4, (RANDOM,))
    losses = []
    for number in range(20):
        for age in table.trace(number)["ages"]:
            for turn in age["turns"]:
                if "extra" not in turn:  # which may bring coins after the loss
                    losses += [(loss["debt"], turn["coins"][loss["seat"]]) for loss in turn.get("losses", ())]
    assert len(losses) > 20
    assert all(debt == 0 or coins == 0 for debt, coins in losses)


@pytest.mark.engine_only
def test_R51_a_forced_move_costs_no_random_number() -> None:
    p = Position("1e", "Gizah A", "Rhodos A", "Ephesos A", age=3)
    p.hand(0, "Palace")
    p.city(0, coins=0)
    p.game.own[0].parameters[STOP_AT] = 1  # would stop at any turn that is a decision
    p.hand(1, "Palace")
    p.hand(2, "Palace")
    assert p.play_turn()
    assert p.pile == ["Palace", "Palace", "Palace"]
