"""Plan keys as keyword arguments of the Python functions that play games."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from wsim.errors import UserError
from wsim.lab.plan import Plan, loadable_games
from wsim.options import keywords_of


def plan_keys() -> dict[str, str]:
    """Return the type of each plan key by name; the games' own options come last."""
    types = {name: annotation for name, annotation, _, _ in keywords_of(Plan)}
    types["policies"] = "str | Callable[..., int] | Sequence[str | Callable[..., int]]"
    for _, game in loadable_games():
        types |= dict.fromkeys(game.OPTIONS, "str | float | Sequence[str | float]")
    return types


def show_plan_keys(function: Any) -> None:
    """Replace ``**keys`` in the signature of a function or class with the plan keys, for ``help`` and completion.

    This happens when the public name is first accessed, because the options are known only once the games are loaded.
    """
    target: Any = vars(function)["__init__"] if isinstance(function, type) else function
    signature = inspect.signature(target)
    *own, last = signature.parameters.values()
    assert last.kind is last.VAR_KEYWORD, function
    keys = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in plan_keys().items()
        if name not in signature.parameters
    ]
    target.__signature__ = signature.replace(parameters=[*own, *keys])


def resolve_plan(plan: Plan | None, keys: Mapping[str, Any], **defaults: Any) -> Plan:
    """Return the plan to play: ``plan`` updated with ``keys``, or a new plan built from defaults and keys."""
    if plan is None:
        return Plan.make(**{**defaults, **keys})
    if not isinstance(plan, Plan):
        raise UserError(f"plan must be a wsim.Plan, or keywords such as games=1000, not {plan!r}")
    return plan.replace(**keys)
