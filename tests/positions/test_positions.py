"""Positions in every game and rule set: steps match whole games, copies are equal, resampling leaks nothing."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.games.rows import Row
from tests.games.test_conformance import LAYINGS, ready, rows_of
from tests.tiers import each_third_quick, first_quick
from wsim.game import Position, Simulator, find_game
from wsim.lab.plan import Plan

pytestmark = pytest.mark.usefixtures("toy_among_games")

each_table = each_third_quick(("row", "table"), LAYINGS)


def shown(position: Position, seat: int | None) -> dict[str, Any]:
    """Return a seat's knowledge without the seat to move, because choices not yet revealed are made again."""
    told = position.view(seat)
    return {key: value for key, value in told.items() if key not in ("to_move", "decision")}


def walk(simulator: Simulator, number: int, seed: int = 1) -> Iterator[Position]:
    """Play random moves and yield every decision of a game."""
    dice = random.Random(f"{seed} {number}")
    position = simulator.begin(number)
    while position.to_move is not None:
        yield position
        position.take(dice.randrange(len(position.moves())))


@each_table
def test_a_stepped_game_equals_the_played_game(row: Row, table: dict[str, Any]) -> None:
    _, simulator = ready(row, table)
    rows = rows_of(simulator, 2)
    for number in range(2):
        position = simulator.begin(number)
        while position.to_move is not None:
            position.follow()
        played = simulator.seats_frame(rows[number * simulator.seats : (number + 1) * simulator.seats])
        assert [score["total"] for score in position.scores()] == played["total"].to_list()
        assert [score["win_share"] for score in position.scores()] == pytest.approx(
            played["win_share"].to_list(), abs=1e-6
        )


@pytest.mark.slow
@each_table
def test_a_policy_plays_a_legal_move(row: Row, table: dict[str, Any]) -> None:
    _, simulator = ready(row, table)
    position = simulator.begin(3)
    for _ in range(12):
        followed = position.clone()
        followed.follow()
        after = []
        for index in range(len(position.moves())):
            other = position.clone()
            other.take(index)
            after.append(other.view(None))
        assert followed.view(None) in after
        position = followed
        if position.to_move is None:
            break


@each_table
def test_a_copy_is_independent(row: Row, table: dict[str, Any]) -> None:
    _, simulator = ready(row, table)
    position = simulator.begin(1)
    before = position.view(None)
    copy = position.clone()
    while copy.to_move is not None:
        copy.take(0)
    assert position.view(None) == before
    assert copy.moves() == []


@first_quick(1, ("row", "table"), LAYINGS)
def test_redrawing_keeps_and_uses_only_what_a_seat_knows(row: Row, table: dict[str, Any]) -> None:
    """Resampling depends only on what the seat knows: hidden cards drawn earlier make no difference (R49)."""
    _, simulator = ready(row, table)
    redraws_what_it_cannot_know(simulator, table["players"])


def test_redrawing_respects_house_rules_for_hands_and_last_cards() -> None:
    fewer = ("Apothecary", "Workshop", "Scriptorium")
    changes = ["rulesets.1e.seats=[3]", "settings.hand_size=[6, 7, 7]", "settings.last_card='played'"]
    changes += [f"cards.{name}.copies=[4]" for name in fewer]
    redraws_what_it_cannot_know(
        find_game("seven_wonders").prepare(Plan.make(players=3, policies="random", set=changes)), 3
    )


@pytest.mark.slow
def test_redrawing_follows_hands_of_other_sizes() -> None:
    """Cards are put aside before and after the moves of a turn (R107), and seats see hands of neighbours (R105)."""
    put = "may=true, card={from='hand', do='discard'}, gain={coins=1}"
    changes = [
        f"table.Offering.when=[{{event='turn_start', if='turn % 2 == 1', {put}}}, {{event='card_built', {put}}}]",
        "table.Spies.when=[{event='turn_start', if='turn % 3 == 2', card={from='left_hand'}, gain={coins=1}}]",
    ]
    for ruleset, players in (("1e", 5), ("2e-cities-teams", 4)):
        plan = Plan.make(ruleset=ruleset, players=players, policies="random", set=changes)
        redraws_what_it_cannot_know(find_game("seven_wonders").prepare(plan), players)


def redraws_what_it_cannot_know(simulator: Simulator, players: int) -> None:
    """Resample the hidden cards for the seats of a game, and check that their knowledge does not change."""
    changed, asked = 0, 0
    for step, position in enumerate(walk(simulator, 2)):
        if step % 5:
            continue
        for seat in range(players):
            if seat != position.to_move and step % 3:
                continue
            size = len(position.columns())
            other = position.redrawn(seat, 11, step)
            again = other.redrawn(seat, 12, step)
            straight = position.redrawn(seat, 12, step)
            assert shown(other, seat) == shown(position, seat), (step, seat)
            assert (other.observation(seat, size) == position.observation(seat, size)).all() or seat != position.to_move
            if seat == position.to_move:
                assert other.to_move == seat
                assert other.moves() == position.moves()
                assert again.view(None) == straight.view(None), (step, seat)
                asked += 1
            changed += other.view(None) != position.view(None)
    assert asked > 1
    assert changed > 3


@each_table
def test_policies_see_no_more_than_their_seat(row: Row, table: dict[str, Any]) -> None:
    """Hands, pile, hidden choices, decks, number of the game and the other streams change; the answer does not."""
    _, simulator = ready(row, table)
    for step, position in enumerate(walk(simulator, 4)):
        if step % 7 == 0:
            assert position.to_move is not None
            answers = {position.redrawn(position.to_move, 5, draw).chosen_by(simulator, 9) for draw in range(3)}
            assert answers == {position.chosen_by(simulator, 9)}, step


@each_table
def test_playouts_depend_only_on_the_seed(row: Row, table: dict[str, Any]) -> None:
    _, simulator = ready(row, table)
    position = simulator.begin(0)
    assert position.to_move is not None
    position.take(0)
    one = position.play_out(simulator, 6, None, 3)
    assert one.shape == (6, simulator.seats, 2)
    assert (position.play_out(simulator, 6, None, 3) == one).all()
    assert (position.play_out(simulator, 3, None, 3, 3) == one[3:]).all()
    assert (position.play_out(simulator, 6, None, 4) != one).any()
    assert np.allclose(one[:, :, 1].sum(axis=1), 1.0) or "teams" in str(table)
    seen = position.play_out(simulator, 6, position.to_move, 3)
    other = position.redrawn(position.to_move or 0, 77).play_out(simulator, 6, position.to_move, 3)
    assert (seen == other).all()


@each_table
def test_observations_have_the_length_of_their_columns(row: Row, table: dict[str, Any]) -> None:
    _, simulator = ready(row, table)
    position = simulator.begin(0)
    for history in (True, False):
        columns = position.columns(history)
        assert len(set(columns)) == len(columns)
    whole = position.observation(0, len(position.columns()))
    table_alone = len(position.columns(False))
    assert whole.dtype == np.int16
    assert position.columns()[:table_alone] == position.columns(False)
    assert (position.observation(0, table_alone) == whole[:table_alone]).all()


@pytest.mark.parametrize("game", ["seven_wonders", "tower_of_babel"])
def test_an_unused_simulator_is_freed_without_garbage_collection(game: str) -> None:
    """A search makes thousands of simulators, and each has a seating of a megabyte."""
    simulator = find_game(game).prepare(Plan.make(game=game, players=4, policies=("random",), games=1, seed=1))
    other = simulator.with_line_up(("random",) * 4)
    other.play(0, np.zeros(4, other.row_dtype))
    reference = weakref.ref(other)
    gc.disable()
    try:
        del other
        assert reference() is None
    finally:
        gc.enable()
