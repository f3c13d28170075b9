"""Expected numbers of clause triggers, which policies use to value future events (``policies/clause_value``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.wonders.words import AGES, COLORS, COST_TRIGGERS, DRAWN_COLORS, MOVE_TRIGGERS

if TYPE_CHECKING:
    from wsim.wonders.catalog.clauses import Clause
    from wsim.wonders.catalog.model import Catalogue

MOVES = {"card_built": 0.86, "card_cost": 0.86, "stage_built": 0.11, "stage_cost": 0.11, "sold": 0.03}
"""Shares of moves per turn, measured in 5,000 games of ``balanced`` in both editions, each accurate to 0.01."""
PURCHASES = 0.28
"""Mean number of neighbours that a city pays per turn, measured in 300 games of ``balanced``; within 0.02 in every rule
set."""

RECRUITS = 0.9
"""Share of the chances to recruit that a city takes."""


@dataclass(frozen=True)
class Expected:
    """Expected trigger counts of clauses; ``rules`` must already contain the decks of the table."""

    rules: Any
    catalogue: Catalogue

    def times(self, clause: Clause) -> list[float]:
        """Return how often a clause triggers in each age, summed over all cities that can trigger it."""
        if clause.event not in (*MOVE_TRIGGERS, *COST_TRIGGERS):
            return [float(turns) if clause.event == "turn_start" else 1.0 for turns in self.rules.age_turns]
        others = int(self.rules.seats) - 1
        numbers = {"neighbor": min(2, others), "other": others, "anyone": others + 1}
        movers = numbers.get(clause.by, int(clause.by != "partner" or bool(self.rules.teams)))
        if clause.event in ("bought", "trade_cost"):
            return [PURCHASES / 2 * clause.sales(int(self.rules.seats)) * int(turns) for turns in self.rules.age_turns]
        if clause.event == "recruited":
            return [movers * self._recruited(age) for age in range(1, AGES + 1)]
        if clause.event == "last_card":
            sides = [stages for wonder in self.catalogue.wonders for _, stages in wonder.sides]
            share = sum(any(stage.effects.play_last_card for stage in stages) for stages in sides) / len(sides)  # R27
            return [movers * (1.0 if played else share) for played in self.rules.last_played]
        moves = [movers * int(turns) * MOVES[clause.event] for turns in self.rules.age_turns]
        return [moves[age] * (self._share(age, clause.color) if clause.color else 1.0) for age in range(AGES)]

    def _recruited(self, age: int) -> float:
        """Return how many cards of further decks a player is expected to recruit in an age, without drawn ones."""
        return RECRUITS * sum(bool(deck.supply) and deck.first_recruited <= age for deck in self.catalogue.decks)

    def _share(self, age: int, colors: tuple[str, ...]) -> float:
        """Return the fraction of the cards dealt in an age that have one of these colours."""
        rules = self.rules
        dealt = [int(rules.slot_card[age, slot]) for slot in rules.base_slots[age, : rules.base_count[age]]]
        matching = sum(COLORS[rules.color[card]] in colors for card in dealt)
        drawn = dict(zip(DRAWN_COLORS, rules.pool_drawn[age].tolist(), strict=True))
        matching += sum(number for color, number in drawn.items() if color in colors)
        return float(matching / max(1, len(dealt) + sum(drawn.values())))
