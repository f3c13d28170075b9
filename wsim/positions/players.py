"""The players at the table of a game, and the policies that play out its positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wsim.game import find_game
from wsim.policies.pool import OWN_PLAYER, SEARCH

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


def seated(plan: Plan, number: int) -> tuple[str, ...]:
    """Return the policies in one game of a plan, in seat order; a single entry if all are equal."""
    return _from_seat_0(plan.policies, plan, number)


def playout_line_up(plan: Plan, number: int) -> tuple[str, ...]:
    """Return the policies for playouts of a game's positions: the policies at the table, with searchers replaced.

    Playouts within playouts take hours, so a searcher is replaced by the player of its own playouts: its net, or
    ``balanced`` in a game without one, or the first policy of a game that does not have it.
    """
    kinds = {str(row["name"]): row["kind"] for row in find_game(plan.game).policies()}
    net = next((name for name, kind in kinds.items() if kind == "net"), None)
    policies = []
    for text, entry in zip(plan.policies, plan.line_up, strict=True):
        if kinds.get(entry.name) == SEARCH:
            kept = {key: value for key, value in entry.parameters.items() if key == "file"}
            plain = OWN_PLAYER if OWN_PLAYER in kinds else next(name for name, kind in kinds.items() if kind != SEARCH)
            text = plain if net is None else str(replace(entry, name=net, parameters=kept))
        policies.append(text)
    return _from_seat_0(tuple(policies), plan, number)


def _from_seat_0(entries: tuple[str, ...], plan: Plan, number: int) -> tuple[str, ...]:
    shift = number % len(entries) if plan.rotate else 0
    return entries[shift:] + entries[:shift]


def names_of(policies: Sequence[str]) -> str:
    """Join the names of a line-up with commas; return a single name if all are equal."""
    return policies[0] if len(set(policies)) == 1 else ",".join(policies)
