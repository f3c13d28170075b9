"""Tower of Babel in the conformance suite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from tests.babel.tools import Scene, _take_turn, scripted
from tests.games.rows import Row
from wsim.babel.describe.trace import read_log
from wsim.babel.game import GAME
from wsim.babel.registry import POLICIES
from wsim.babel.words import SEATS
from wsim.jit import addresses_of
from wsim.policies.lineup import parse_lineup
from wsim.policies.registry import resolve

HANDS = ({"camel": 3, "ship": 2}, {"crane": 5, "stonemason": 1}, {"camel": 1, "crane": 1, "ship": 1, "stonemason": 4})
RIVALS = ({"ship": 4}, {"stonemason": 3}, {"crane": 4}), ({"camel": 4}, {"crane": 3}, {"ship": 2, "stonemason": 2})


def conserved(seats: pl.DataFrame) -> None:
    """Assert that offers are accepted or returned, each disc is taken by one seat, and each wonder has a winner."""
    assert (seats["offers_made"] == seats["offers_taken"] + seats["offers_refused"]).all()
    flags = [name for name in seats.columns if name.startswith("won_row:")]
    games = seats.group_by("game").agg(
        pl.col("builds_led").sum(),
        pl.col("builds").first(),
        pl.sum_horizontal(pl.col(flags).any()).alias("won"),
        pl.col("wonders_completed").first(),
    )
    assert (games["builds"] == games["builds_led"]).all()
    assert (games["won"] == games["wonders_completed"]).all()


def legal(picks: pl.DataFrame) -> None:
    """Assert that picks are valid indices into lists of moves, and that each is a decision with a choice."""
    assert (picks["index"] < picks["moves"]).all()
    assert (picks["moves"] > 1).all()


def board_and_hands(trace: Mapping[str, Any]) -> Any:
    return trace["board"], trace["start"], trace["hands"]


def unseen(policy: str) -> list[tuple[int, int]]:
    """Return the first move that a policy picks from a hand, for two different sets of hands of its rivals."""
    found = []
    for hand in HANDS:
        one, other = (_first_move(policy, hand, rivals) for rivals in RIVALS)
        found.append((one, other))
    return found


def _first_move(policy: str, hand: Mapping[str, int], rivals: tuple[dict[str, int], ...]) -> int:
    scene, line_up = Scene(), resolve(parse_lineup(policy), 4, POLICIES)
    scene.hand(0, **hand)
    for seat, cards in enumerate(rivals, 1):
        scene.hand(seat, **cards)
        scene.script(seat)
    own = scene.g.own[0]
    own.parameters[:], scene.seating.settings[0]["weights"][:] = line_up.parameters[0], line_up.weights[0]
    with np.errstate(over="ignore"):
        entry_points = addresses_of([line_up.functions[0], *[scripted] * (SEATS - 1)])
        _take_turn(scene.g, scene.t, scene.seating, entry_points, False)
    return int(next(event.index for event in read_log(scene.g.log) if event.seat == 0 and event.count > 1))


SWITCHES: tuple[dict[str, bool], ...] = ({}, {"two_colour_discs": True}, {"action_cards": False})

ROW = Row(
    game=GAME,
    tables=[{"ruleset": "2005", "players": players, **switches} for players in (3, 4, 5) for switches in SWITCHES],
    line_up=("balanced", "random", "builder", "supplier:explore=0.2", "collector"),
    conserved=conserved,
    legal=legal,
    dealt=board_and_hands,
    unseen=unseen,
)
