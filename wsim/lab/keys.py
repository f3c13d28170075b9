"""The keys of a plan as keyword arguments of the functions that play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wsim.errors import UserError
from wsim.lab.plan import Plan, sound_games
from wsim.options import keywords_of


def plan_keys() -> dict[str, str]:
    """Return the keys of a plan with their types, options of the games last: for ``keywords``."""
    found = {name: annotation for name, annotation, _, _ in keywords_of(Plan)}
    found["policies"] = "str | Callable[..., int] | Sequence[str | Callable[..., int]]"
    for _, game in sound_games():
        found |= dict.fromkeys(game.OPTIONS, "str | float | Sequence[str | float]")
    return found


def chosen(plan: Plan | None, keys: Mapping[str, Any], **usual: Any) -> Plan:
    """Return the plan that a function was given: ``plan`` with other ``keys``, or one of them alone over ``usual``."""
    if plan is None:
        return Plan.make(**{**usual, **keys})
    if not isinstance(plan, Plan):
        raise UserError(f"a plan is a wsim.Plan, or keywords such as games=1000, not {plan!r}")
    return plan.replace(**keys)
