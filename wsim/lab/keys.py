"""The keys of a plan as keyword arguments: for type checkers, for editors, for ``help`` and notebooks.

Functions that play take ``**keys: Unpack[PlayKeys]``, which type checkers and editors read; ``with_plan_keys`` shows
the same to whoever asks the function itself.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict, TypeVar, get_type_hints

from wsim.errors import UserError
from wsim.lab.plan import Plan

__all__ = ["PlanKeys", "PlayKeys", "chosen", "texts", "with_plan_keys"]

_Path: TypeAlias = str | os.PathLike[str]
_Function = TypeVar("_Function", bound=Callable[..., Any])


class PlanKeys(TypedDict, total=False):
    """The keys of a plan (``wsim run --help``), options of the games last; but for those that comparisons have too."""

    game: str
    ruleset: str
    players: int
    games: int
    seed: int
    policies: str | Callable[..., int] | Sequence[str | Callable[..., int]]
    rotate: bool
    cards: _Path
    patch: _Path | Sequence[_Path]
    set: str | Sequence[str]
    picks: bool
    keep: str
    wonders: str | Sequence[str]
    sides: str | Sequence[str]
    action_cards: bool | str
    two_colour_discs: bool | str


class PlayKeys(PlanKeys, total=False):
    """All keys of a plan."""

    randomise: str | float | Sequence[float]
    ban: str


def chosen(plan: Plan | None, keys: Mapping[str, Any], **usual: Any) -> Plan:
    """Return the plan that a function was given: ``plan`` with other ``keys``, or one of them alone over ``usual``."""
    if plan is None:
        return Plan.make(**{**usual, **keys})
    if not isinstance(plan, Plan):
        raise UserError(f"a plan is a wsim.Plan, or keywords such as games=1000, not {plan!r}")
    return plan.replace(**keys)


def texts(name: str, value: Any) -> tuple[str, ...]:
    """Return a list of texts, of which a single text is one of one; raise UserError for anything else."""
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        raise UserError(f"{name} must be a text or a list of texts, not {value!r}")
    return tuple(values)


def with_plan_keys(keys: type[Mapping[str, Any]]) -> Callable[[_Function], _Function]:
    """Let ``inspect.signature``, and whatever completes by it, see the keys of a plan one by one."""

    def mark(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in get_type_hints(keys).items()
            if name not in signature.parameters
        ]
        function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]
        return function

    return mark
