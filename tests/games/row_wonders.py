"""7 Wonders in the conformance suite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tests.games.rows import Row
from tests.wonders.engine_tools import TABLES
from tests.wonders.policies.test_play import asked
from tests.wonders.rulebook.test_10_hidden_information import dealt, swap_hands
from wsim.wonders.game import GAME

STRUCTURES = ("built_paid", "built_chain", "built_free", "built_discard")
COLOURS = ("brown", "gray", "blue", "yellow", "red", "green", "purple", "black")
HANDS = (("Baths", "Press", "Tavern"), ("Altar", "Loom"), ("Theater", "West Trading Post", "Stockade"))


def conserved(seats: pl.DataFrame) -> None:
    """Assert that trade only moves coins, and that every structure is a card with a colour."""
    games = seats.group_by("game").agg(pl.col("trade_paid", "trade_received").sum())
    assert games["trade_paid"].equals(games["trade_received"])
    built = seats.select(pl.sum_horizontal(STRUCTURES)).to_series()
    assert (built == seats.select(pl.sum_horizontal(pl.col(COLOURS).cast(pl.Int64))).to_series()).all()
    assert (built == seats.select(pl.sum_horizontal("^built:.*$")).to_series()).all()


def legal(picks: pl.DataFrame) -> None:
    """Assert that every card was played from the hand in which it was offered."""
    own = picks.filter(pl.col("decision").cast(pl.String).is_in(["turn", "last_card"]))
    assert own.select(pl.col("offered").list.contains(pl.col("card")).all()).item()
    assert (picks["legal"] > 0).all()


def boards_and_hands(trace: Mapping[str, Any]) -> Any:
    boards = [(seat["wonder"], seat["side"]) for seat in trace["seats"]]
    return boards, [age["hands"] for age in trace["ages"]]


def unseen(policy: str) -> list[tuple[int, int]]:
    """Return a policy's picks from some hands, before and after the other hands and the deck are changed."""
    found = []
    for hand in HANDS:
        one, other = dealt("1e", 1, 0), dealt("1e", 1, 0)
        swap_hands(other, 1, 2)
        swap_hands(other, 2, 3)
        other.game.dealer.deck[:] = 0
        choices = []
        for p in (one, other):
            assert p.moves(0, *hand)
            choices.append(asked(p, policy, 0))
        found.append((choices[0], choices[1]))
    return found


ROW = Row(
    game=GAME,
    tables=[{"ruleset": ruleset, "players": players} for ruleset, players in TABLES],
    line_up=("balanced", "random", "greedy:explore=0.2", "military", "first", "science", "rulebased"),
    conserved=conserved,
    legal=legal,
    dealt=boards_and_hands,
    unseen=unseen,
)
