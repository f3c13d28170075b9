"""The keys of a plan as keyword arguments of the functions that play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wsim.errors import UserError
from wsim.lab.plan import Plan, loadable_games
from wsim.options import keywords_of


def plan_keys() -> dict[str, str]:
    """Return the keys of a plan with their types, the games' own options last (for ``keywords``)."""
    types = {name: annotation for name, annotation, _, _ in keywords_of(Plan)}
    types["policies"] = "str | Callable[..., int] | Sequence[str | Callable[..., int]]"
    for _, game in loadable_games():
        types |= dict.fromkeys(game.OPTIONS, "str | float | Sequence[str | float]")
    return types


def resolve_plan(plan: Plan | None, keys: Mapping[str, Any], **defaults: Any) -> Plan:
    """Return the plan that a function plays: ``plan`` with ``keys`` replaced, or a new one of ``defaults`` and
    ``keys``.
    """
    if plan is None:
        return Plan.make(**{**defaults, **keys})
    if not isinstance(plan, Plan):
        raise UserError(f"plan must be a wsim.Plan, or keywords such as games=1000, not {plan!r}")
    return plan.replace(**keys)
