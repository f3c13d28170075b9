"""What the cities of a table can hold at most, by the compiled rules: the arithmetic under ``bounds``.

A city holds each name at most once (R7) and the stages of one side of one board; a card that another city plays hits a
city as often as there are copies and cities it may reach. Amounts are arrays over the entries (``words.ENTRIES``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wsim.wonders.words import (
    AGES,
    ALL_COLORS,
    BUILD_DISCARD,
    CARDS,
    CITY_BITS,
    COUNT_DEFEAT,
    COUNT_STAGE,
    COUNT_VICTORY,
    PLAY_LAST,
    SIDES_OF_BOARD,
    STAGE_ENTRY,
    WHO_NEIGHBORS,
)

Amounts = NDArray[np.int64]
CONFLICTS = 2  # of a city at the end of an age, or two tokens of one in teams (R19, R39)


def _greatest(amounts: Amounts, count: int) -> int:
    """Return the sum of the ``count`` greatest of these amounts, which are not negative."""
    return int(np.sort(amounts)[::-1][:count].sum())


@dataclass(frozen=True)
class Holdings:
    """The most that cities can hold, for a RULES record.

    ``more_tokens``, ``more_defeats``, ``more_builds``: victory tokens of an age, defeat tokens and builds from the
    discard pile that clauses can bring a city; ``all_more_builds``: all cities.
    """

    rules: Any
    more_tokens: int = 0
    more_defeats: int = 0
    more_builds: int = 0
    all_more_builds: int = 0

    def field(self, name: str) -> Amounts:
        """Return a field of the entries as 64-bit numbers."""
        return np.asarray(self.rules[name]).astype(np.int64)

    @cached_property
    def cities(self) -> int:
        """Cities at the table."""
        return int(self.rules.seats)

    @cached_property
    def copies(self) -> Amounts:
        """Copies of each card that can be dealt in one game."""
        rules, found = self.rules, np.zeros(CARDS, np.int64)
        for age in range(AGES):
            cards = np.asarray(rules.slot_card[age]).astype(np.int64)
            np.add.at(found, cards[rules.base_slots[age, : rules.base_count[age]]], 1)
            for kind, drawn in enumerate(rules.pool_drawn[age]):
                if drawn:
                    np.add.at(found, cards[rules.pool[age, kind, : rules.pool_count[age, kind]]], 1)
        return found

    @cached_property
    def sides(self) -> list[list[int]]:
        """The entries of the stages of each side."""
        rules = self.rules
        counts = np.asarray(rules.stage_count[: SIDES_OF_BOARD * rules.boards]).tolist()
        return [np.asarray(rules.stage_entry[side, :count]).tolist() for side, count in enumerate(counts)]

    def _best_sides(self, amounts: Amounts) -> Amounts:
        """Return for each board what its better side amounts to."""
        sums = np.array([amounts[side].sum() for side in self.sides], np.int64)
        best: Amounts = sums.reshape(-1, SIDES_OF_BOARD).max(axis=1)
        return best

    # --- how much a city does

    @cached_property
    def grants(self) -> Amounts:
        """1 for each entry that lets its city build from the discard pile (R28)."""
        found: Amounts = (self.field("abilities") & BUILD_DISCARD != 0).astype(np.int64)
        return found

    @cached_property
    def pile_builds(self) -> int:
        """Builds from the discard pile in a whole game, of all cities: one for each copy, one for each stage."""
        of_cards = np.minimum(self.copies, self.cities)[self.grants[:CARDS] != 0].sum()
        return int(of_cards) + _greatest(self._best_sides(self.grants), self.cities) + self.all_more_builds

    @cached_property
    def own_pile_builds(self) -> int:
        """Builds from the discard pile of one city."""
        printed = self.grants[:CARDS][self.copies > 0].sum() + self._best_sides(self.grants).max()
        return int(printed) + self.more_builds

    @cached_property
    def last_players(self) -> int:
        """Players that can have the ability to play their last card (R27)."""
        able = (self.field("abilities") & PLAY_LAST != 0).astype(np.int64)
        boards = int((self._best_sides(able) > 0).sum())
        return min(int(self.rules.players), boards + int(self.copies[able[:CARDS] != 0].sum()))

    @cached_property
    def plays(self) -> int:
        """Turns and last cards of a city in a game."""
        last = np.asarray(self.rules.last_played) | (self.last_players > 0)
        return int(self.rules.age_turns.sum()) + int(last.sum())

    @cached_property
    def placed(self) -> int:
        """Cards and stages that one city can place in a game, cards sold among them."""
        return self.plays + self.own_pile_builds

    @cached_property
    def deeds(self) -> int:
        """Moves of all cities in a game, losses apart."""
        rules = self.rules
        last = np.where(rules.last_played, int(rules.players), self.last_players)
        return self.cities * int(rules.age_turns.sum()) + int(last.sum()) + self.pile_builds

    # --- sums of what entries bring

    def in_city(self, amounts: Amounts) -> int:
        """Return the most that a city's own structures and stages can bring; amounts are not negative."""
        return self.of_cards(amounts) + self.of_stages(amounts)

    def of_cards(self, amounts: Amounts) -> int:
        """Return the most that a city's structures can bring."""
        return _greatest(np.where(self.copies > 0, amounts[:CARDS], 0), self.placed)

    def of_stages(self, amounts: Amounts) -> int:
        """Return the most that a city's stages can bring."""
        return int(self._best_sides(amounts).max())

    def from_others(self, amounts: Amounts, who: Amounts) -> int:
        """Return the most that entries of other cities can bring a city in a game; ``who`` they reach (words.WHO)."""
        hits = self._hits(amounts, who)
        return _greatest(hits, (self.cities - 1) * self.placed) + self._boards_of_others(amounts, who)

    def in_a_turn(self, amounts: Amounts, who: Amounts) -> int:
        """Return the most that the others' moves of one turn can bring a city."""
        stages = [np.array([amounts[side].max() for side in self.sides], np.int64).reshape(-1, SIDES_OF_BOARD)]
        at_once = np.concatenate([self._hits(amounts, who), stages[0].max(axis=1)])
        return _greatest(at_once, self.cities - 1)

    def _hits(self, amounts: Amounts, who: Amounts) -> Amounts:
        """Return the amount of each card once for each city that can play it against a given one."""
        reach = np.where(who[:CARDS] == WHO_NEIGHBORS, min(2, self.cities - 1), self.cities - 1)
        return np.repeat(amounts[:CARDS], np.minimum(self.copies, reach))

    def _boards_of_others(self, amounts: Amounts, who: Amounts) -> int:
        """Return the most that the stages of other cities can bring a city."""
        near = _greatest(self._best_sides(np.where(who == WHO_NEIGHBORS, amounts, 0)), 2)
        return near + _greatest(self._best_sides(np.where(who == WHO_NEIGHBORS, 0, amounts)), self.cities - 1)

    # --- what effects count

    @cached_property
    def stages(self) -> int:
        """Stages of a city."""
        return max(map(len, self.sides))

    @cached_property
    def tokens(self) -> Amounts:
        """Victory tokens of a city by age, those of cards included (R19, R21)."""
        taken = self.field("victory_token")
        printed = [CONFLICTS + self.in_city((taken == 1 + age).astype(np.int64)) for age in range(AGES)]
        return np.array(printed) + self.more_tokens

    @cached_property
    def defeats(self) -> int:
        """Defeat tokens of a city."""
        return CONFLICTS * AGES + self.more_defeats

    def counted(self, what: int, cities: int) -> int:
        """Return the most that an effect can count (``words.COUNTED``, ``words.CITY_BITS``)."""
        colors = np.asarray(self.rules.color).astype(np.int64)
        wanted = ((1 << colors) & what & ALL_COLORS != 0) & (self.copies > 0)
        total = min(int(wanted.sum()), self.placed)
        total += self.stages if what & COUNT_STAGE else 0
        total += self.defeats if what & COUNT_DEFEAT else 0
        total += sum(int(count) for count, bit in zip(self.tokens, COUNT_VICTORY, strict=True) if what & bit)
        return total * sum(cities & bit != 0 for bit in CITY_BITS.values())

    def per(self, name: str, more: int = 0, more_of: int = 0) -> Amounts:
        """Return what the entries' ``coins_per`` or ``points_per`` can bring; ``more`` of ``more_of`` are counted."""
        found = np.zeros(len(self.rules.points), np.int64)
        for entry, (each, what, cities) in enumerate(self.field(name).tolist()):
            if each:
                found[entry] = each * (self.counted(what, cities) + (more if what & more_of else 0))
        return found


assert STAGE_ENTRY == CARDS  # amounts[:CARDS] are those of cards
