"""Who sits at the table of a game, and who therefore plays on after a position of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wsim.game import find_game
from wsim.policies.pool import OWN_PLAYER, SEARCH

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


def seated(plan: Plan, number: int) -> tuple[str, ...]:
    """Return the line-up of a game of a plan as its players sit; one entry where all are alike."""
    return _from_seat_0(plan.policies, plan, number)


def who_plays_on(plan: Plan, number: int) -> tuple[str, ...]:
    """Return the line-up of the playouts of a game's positions: who sits there, but for those who search.

    Playouts within playouts take hours. So a searcher is played by whom it takes for itself in its own ones: by its
    net, or by ``balanced`` in a game that has none.
    """
    kinds = {str(row["name"]): row["kind"] for row in find_game(plan.game).policies()}
    net = next((name for name, kind in kinds.items() if kind == "net"), None)
    found = []
    for text, entry in zip(plan.policies, plan.line_up, strict=True):
        if kinds.get(entry.name) == SEARCH:
            own = {key: value for key, value in entry.parameters.items() if key == "file"}
            text = OWN_PLAYER if net is None else str(replace(entry, name=net, parameters=own))
        found.append(text)
    return _from_seat_0(tuple(found), plan, number)


def _from_seat_0(entries: tuple[str, ...], plan: Plan, number: int) -> tuple[str, ...]:
    shift = number % len(entries) if plan.rotate else 0
    return entries[shift:] + entries[:shift]


def names_of(policies: Sequence[str]) -> str:
    """Return a line-up as it is written, one name where all are alike."""
    return policies[0] if len(set(policies)) == 1 else ",".join(policies)
