"""The names of entries and formulas of compiled rules, for the error about an exceeded limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsim.wonders.words import STAGE_ENTRY

if TYPE_CHECKING:
    from wsim.wonders.catalog.model import Catalogue


def source_name(catalogue: Catalogue, rules: Any, source: int, *, of_formula: bool = False) -> str:
    """Return the name of the card or stage with an entry number; "" for -1.

    ``of_formula``: ``source`` is the offset of a formula in the code of the rules instead.
    """
    if of_formula:
        settings = {int(rules.sale_at): "settings.sale_coins", int(rules.science_at): "settings.science"}
        settings |= {int(at): "settings.tie_breaks" for at in rules.tie_at[: int(rules.ties)] if at >= 0}
        if source in settings:
            return settings[source]
        source = _entry_of_formula(rules, source)
    if source < STAGE_ENTRY:
        return catalogue.cards[source].name if source >= 0 else ""
    stages = [
        f"stage {number} of {wonder.name} {side}"
        for wonder in catalogue.wonders
        for side, built in wonder.sides
        for number in range(1, len(built) + 1)
    ]
    return stages[source - STAGE_ENTRY]


def _entry_of_formula(rules: Any, at: int) -> int:
    """Return the entry of the first clause with the formula that begins at offset ``at``; -1 if there is none."""
    for clause, entry in enumerate(rules.clause_entry[: rules.clause_from[-1]]):
        actions = slice(rules.clause_actions[clause], rules.clause_actions[clause + 1])
        if rules.clause_if[clause] == at or at in rules.action_amount[actions]:
            return int(entry)
    return -1
