"""What the tests of Tower of Babel share: plans, tables, and policies that follow a script."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from wsim.babel.game import BabelTable, prepare
from wsim.babel.layout import DECISIONS, LOG_ALL, POLICY, WEIGHTS
from wsim.babel.policies import Player
from wsim.babel.trace import read_log
from wsim.jit import kernel

Pick = tuple[int, int, int, str, int, int, int]


def plan(**changes: Any) -> Any:
    """Return something shaped like a plan."""
    fields = {
        "ruleset": "2005",
        "players": 4,
        "seed": 7,
        "policies": ("random",),
        "rotate": False,
        "cards": None,
        "patch": (),
        "set": (),
        "options": {},
    }
    assert set(changes) <= set(fields)
    return SimpleNamespace(**{**fields, **changes})


def table(**changes: Any) -> BabelTable:
    """Return a table for a plan."""
    return prepare(plan(**changes))


def changes(rules: dict[str, Any]) -> tuple[str, ...]:
    """Return switches as changes of the card file."""
    written = {key: str(value).lower() if isinstance(value, bool) else repr(value) for key, value in rules.items()}
    return tuple(f"babel.rules.{key}={value}" for key, value in written.items())


def played(of: BabelTable, games: int, first: int = 0) -> Any:
    """Return the rows of some games."""
    rows = np.zeros(games * of.seats, of.row_dtype)
    of.play(first, rows)
    return rows


def log_of(of: BabelTable, number: int) -> list[Pick]:
    """Return the decisions of a game as the reference lists them."""
    rows = np.zeros(of.seats, of.row_dtype)
    of._run(number, rows, None, LOG_ALL)
    return [
        (event.turn, event.action, event.seat, DECISIONS[event.what], event.count, event.index, event.move)
        for event in read_log(of._game().hidden)
        if event.what < len(DECISIONS) and event.count > 1
    ]


@kernel(POLICY)
def scripted(public, own, choice, tables):  # type: ignore[no-untyped-def]
    """Take the move whose code is written in the weight of the decision, else the first move."""
    wanted = own.weights[choice.kind]
    for index in range(choice.count):
        if choice.moves[index] == wanted:
            return index
    return 0


def follows(**codes: int) -> Player:
    """Return a player that takes the moves of these codes, by the names of the decisions, wherever they are legal."""
    weights = [0.0] * WEIGHTS
    for decision, code in codes.items():
        weights[DECISIONS.index(decision)] = code
    return Player("scripted", scripted, weights=tuple(weights))
