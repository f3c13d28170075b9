"""What clauses can bring at most: the spans of their formulas, times how often they can act (R52-R58, R64-R68).

The spans of names are those within which ``bounds`` proves that every count stays: an amount is computed from counts
that held before it, so that sums of such amounts within the same spans prove them for the whole game.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wsim.spec.formula import Spans, span
from wsim.wonders.catalog.clauses import Clause
from wsim.wonders.catalog.formula import parse
from wsim.wonders.catalog.holdings import Amounts, Holdings
from wsim.wonders.words import AGES, CARDS, MOVE_TRIGGERS, TURN_UNITS, WHO_OTHERS

Clauses = tuple[tuple[int, Clause], ...]
"""Clauses with the entries that they belong to."""
_THING = {"take": "coins", "give": "coins", "gain age_shields": "shields", "points": "points"}


@dataclass(frozen=True)
class Brought:
    """What the clauses of a table can bring, for the spans of what formulas may ask."""

    held: Holdings
    clauses: Clauses
    spans: Spans

    # --- how often

    def _cities(self, whom: str) -> int:
        """Return how many cities a clause names."""
        others = self.held.cities - 1
        return {"neighbor": min(2, others), "other": others, "anyone": others + 1}.get(whom, 1)

    def times(self, clause: Clause) -> int:
        """Return how often a clause of one city can act in a game."""
        held = self.held
        movers = self._cities(clause.by)
        if clause.event in ("card_built", "sold"):
            return movers * held.placed
        if clause.event == "stage_built":
            return movers * held.stages
        if clause.event == "last_card":
            return movers * AGES
        if clause.event == "bought":
            return clause.sales(held.cities) * held.plays
        if clause.event in ("built", "scored"):
            return 1
        return int(held.rules.age_turns.sum()) if clause.event == "turn_start" else AGES

    def at_once(self, clause: Clause) -> int:
        """Return how often a clause of one city can act from one turn's choices to the next (R65, R68)."""
        if clause.event not in MOVE_TRIGGERS:
            return 1
        moves = 2 + self.held.own_pile_builds  # a turn, a last card, builds from the discard pile
        movers = clause.sales(self.held.cities) if clause.event == "bought" else self._cities(clause.by)
        return min(self.times(clause), movers * moves)

    # --- how much

    def _sum(self, thing: str, own: bool) -> Amounts:
        """Return how much of a thing each entry can bring its own city, or any one other city."""
        found = np.zeros(len(self.held.rules.points), np.int64)
        for entry, clause, act, formula in self._acts.get(thing, ()):
            times = self.at_once(clause) if thing in TURN_UNITS else self.times(clause)
            amount = max(span(parse(formula), self.spans)[1], 0) * times
            if own and (act == "take" or clause.each in ("", "self", "trigger")):
                found[entry] += amount * (self._cities(clause.each) if act == "take" else 1)
            elif not own and act != "take" and clause.each not in ("", "self"):
                found[entry] += amount
        return found

    @cached_property
    def _acts(self) -> dict[str, list[tuple[int, Clause, str, str]]]:
        """By thing, what brings it: entry, clause, act and the formula of how much."""
        found: dict[str, list[tuple[int, Clause, str, str]]] = {}
        for entry, clause in self.clauses:
            for act, formula in clause.acts():
                thing = _THING.get(act, act.removeprefix("gain "))
                found.setdefault(thing, []).append((entry, clause, act, formula))
        return found

    def own(self, thing: str) -> Amounts:
        """Return how much of a thing each entry can bring its own city."""
        return self._sum(thing, own=True)

    def given(self, thing: str) -> Amounts:
        """Return how much of a thing each entry can bring any one other city."""
        return self._sum(thing, own=False)

    def parts(self, thing: str) -> Amounts:
        """Return how much of a thing each entry can bring any one city."""
        return self.own(thing) + self.given(thing)

    def from_others(self, thing: str) -> int:
        """Return how much of a thing the clauses of other cities can bring a city in a game."""
        given = self.given(thing)
        return self.held.from_others(given, np.full(len(given), WHO_OTHERS)) if given.any() else 0

    def total(self, thing: str) -> int:
        """Return how much of a thing clauses can bring a city in a game."""
        return self.held.in_city(self.own(thing)) + self.from_others(thing)

    def of_all(self, thing: str) -> int:
        """Return how much of a thing clauses can bring all cities together in a game."""
        held = self.held
        each = self.own(thing) + (held.cities - 1) * self.given(thing)
        return int((each[:CARDS] * np.minimum(held.copies, held.cities)).sum()) + held.cities * held.of_stages(each)

    def points(self, sign: int) -> Amounts:
        """Return the points of each entry at the end, or the points lost (``sign`` -1); never negative."""
        found = np.zeros(len(self.held.rules.points), np.int64)
        for entry, clause in self.clauses:
            if clause.points:
                low, high = span(parse(clause.points), self.spans)
                found[entry] += max(high if sign > 0 else -low, 0) * self._cities(clause.each)
        return found

    def logged(self) -> Amounts:
        """Return how many entries of a log each entry of the rules can fill: one a turn, city and thing."""
        held = self.held
        found = np.zeros(len(held.rules.points), np.int64)
        holders = np.append(np.minimum(held.copies, held.cities), np.ones(len(found) - CARDS, np.int64))
        turns = int(held.rules.age_turns.sum())
        for entry, clause in self.clauses:
            cities = self._cities(clause.by if clause.each == "trigger" else clause.each)
            if clause.event == "bought" and clause.each == "trigger":
                cities = min(held.cities, clause.sales(held.cities))
            found[entry] += min(self.times(clause), turns) * cities * len(clause.acts()) * (clause.event != "scored")
        logged: Amounts = found * holders
        return logged
