"""Conflicts at the end of an age (R19, R20, R39, R40)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.wonders.reference.clauses import drop_age_shields, moment

if TYPE_CHECKING:
    from tests.wonders.reference.table import City, Table

VICTORY = {1: 1, 2: 3, 3: 5}  # the printed value of a victory token by age


def end_age(table: Table) -> list[dict[str, Any]]:
    """Resolve the conflicts of an age, and the clauses before and after them (R53)."""
    moment(table, "before_conflicts")
    entries = fight_conflicts(table)
    moment(table, "after_conflicts")
    table.deal_after(table.age)
    drop_age_shields(table)
    moment(table, "age_end")
    return entries


def fight_conflicts(table: Table) -> list[dict[str, Any]]:
    """Resolve all conflicts at the end of an age and discard diplomacy tokens; return the entries of the trace."""
    fight = fight_as_teams if table.rules.teams else fight_as_cities
    entries = fight(table)
    for city in table.cities:
        city.diplomacy = max(0, city.diplomacy - 1)
    return entries


def fight_as_cities(table: Table) -> list[dict[str, Any]]:
    """Let each city without a diplomacy token fight the next such city on either side."""
    fighters = [city for city in table.cities if city.diplomacy == 0]
    if len(fighters) < 2:
        return []
    pairs = list(zip(fighters, fighters[1:] + fighters[:1], strict=True))
    if len(fighters) == 2:
        pairs = pairs[:1]
    return [one_conflict(table, city, neighbour, 1) for city, neighbour in pairs]


def fight_as_teams(table: Table) -> list[dict[str, Any]]:
    """Let each seat fight its neighbour in a different team for two tokens, minus one for each use of diplomacy."""
    entries = []
    for seat in range(1, len(table.cities), 2):
        city, neighbour = table.cities[seat], table.left(seat)
        tokens = 2 - (city.diplomacy > 0) - (neighbour.diplomacy > 0)
        entries.append(one_conflict(table, city, neighbour, tokens))
    return entries


def one_conflict(table: Table, city: City, neighbour: City, tokens: int) -> dict[str, Any]:
    """Resolve one conflict: the stronger city takes victory tokens of the age, the weaker city defeat tokens."""
    shields = [city.shields, neighbour.shields]
    gained = [0, 0]
    for place, (own, own_shields, other_shields) in enumerate(
        [(city, shields[0], shields[1]), (neighbour, shields[1], shields[0])]
    ):
        if own_shields > other_shields:
            own.victories += [VICTORY[table.age]] * tokens
            gained[place] = table.rules.token_points(VICTORY[table.age]) * tokens
        elif own_shields < other_shields:
            own.defeats += tokens
            gained[place] = table.rules.defeat_points * tokens
    return {"seats": [city.seat, neighbour.seat], "shields": shields, "tokens": gained}
