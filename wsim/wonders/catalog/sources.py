"""Find the card, stage or rule of the table behind an entry of compiled rules, for errors and traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wsim.wonders.words import STAGE_ENTRY

if TYPE_CHECKING:
    from wsim.wonders.catalog.model import Catalogue


def source_name(catalogue: Catalogue, rules: Any, source: int, *, of_formula: bool = False) -> str:
    """Return the name of the card, stage or rule of the table with an entry number; "" for -1.

    With ``of_formula``, ``source`` is instead the offset of a formula in the code of the rules.
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
    names = [*stages, *(card.name for card in catalogue.deck_cards), *(rule.name for rule in catalogue.table)]
    return names[source - STAGE_ENTRY]


def source_of(catalogue: Catalogue, entry: int) -> dict[str, Any]:
    """Return the card, stage number or rule of the table that has a clause, in the format of a trace."""
    if entry < STAGE_ENTRY:
        return {"card": catalogue.cards[entry].name}
    named: list[dict[str, Any]] = [
        {"stage": number}
        for wonder in catalogue.wonders
        for _, built in wonder.sides
        for number in range(1, len(built) + 1)
    ]
    named += [{"card": card.name} for card in catalogue.deck_cards]
    named += [{"table": rule.name} for rule in catalogue.table]
    return named[entry - STAGE_ENTRY]


def _entry_of_formula(rules: Any, at: int) -> int:
    """Return the entry of the first clause with the formula that begins at offset ``at``; -1 if there is none."""
    for clause, entry in enumerate(rules.clause_entry[: rules.clause_from[-1]]):
        actions = slice(rules.clause_actions[clause], rules.clause_actions[clause + 1])
        if rules.clause_if[clause] == at or at in rules.action_amount[actions]:
            return int(entry)
    return -1
