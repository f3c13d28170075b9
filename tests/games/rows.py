"""A row of the conformance suite: facts and checks that are specific to a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from wsim.game import Game
from wsim.lab.plan import Plan


@dataclass(frozen=True)
class Row:
    """A game in the conformance suite.

    Attributes
    ----------
    game: its module.
    tables: plan keys of every way to lay a table: rule sets, numbers of players, options.
    line_up: policies of every kind, more than any table has seats; the tables take the first of them.
    conserved: asserts what is conserved in the rows of whole games, besides what holds in every game.
    legal: asserts that the decisions of a picks table were legal moves, as far as the table tells.
    dealt: returns what a trace says was dealt before anybody decided anything.
    unseen: for a policy, pairs of choices in positions that differ in what its seat may not know.
    """

    game: Game
    tables: Sequence[Mapping[str, Any]]
    line_up: tuple[str, ...]
    conserved: Callable[[pl.DataFrame], None]
    legal: Callable[[pl.DataFrame], None]
    dealt: Callable[[Mapping[str, Any]], Any]
    unseen: Callable[[str], list[tuple[int, int]]]

    def plan(self, table: Mapping[str, Any], **more: Any) -> Plan:
        """Return a plan of a table with a different policy in every seat."""
        usual: dict[str, Any] = {"game": self.game.NAME, "policies": self.line_up[: table["players"]], "rotate": True}
        return Plan.make(**{**usual, "games": 40, "seed": 17, **table, **more})
