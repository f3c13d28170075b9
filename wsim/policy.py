"""Writing a policy of your own: the decorator ``policy``, and what a policy needs inside.

A policy is a function of four records that returns the index of one of the legal moves::

    import wsim
    from wsim.policy import BUILD, action_of, card_of

    @wsim.policy(parameters={"eagerness": 1.0})
    def bold(public, own, choice, rules):
        best, at = -1e9, 0
        for i in range(choice.count):
            move = choice.moves[i]
            value = 0.0
            if action_of(move) == BUILD:
                value = own.parameters[0] * rules.shields[card_of(move)]
            if value > best:
                best, at = value, i
        return at

It is played with ``--policies ./mine.py:bold:eagerness=2``. The function is compiled (numba, no Python objects
inside) and runs at the speed of the built-in policies; its helper functions are decorated with ``kernel``.
``@wsim.policy(python=True)``, or no decorator at all, plays it as plain Python instead: anything goes, a hundred
times slower.

The records are described field by field in wsim/wonders/layout.py:

* ``public``   what everybody at the table knows: ``public.coins[seat]``, ``public.shields[seat]``, ``public.age``, ...
* ``own``      the seat (``own.seat``), its hand as slots, the parameters (``own.parameters[i]``, in the order
  declared) and its random stream: draw with ``below(own, n)`` or ``uniform(own)``, so that games can be replayed
* ``choice``   ``choice.moves[0:choice.count]``, what the decision is about (``choice.kind``: TURN, LAST_CARD,
  DISCARD_PILE, FREE_CITY or LOSS) and the city that moves (``choice.seat``, which differs from ``own.seat`` for the
  Free City)
* ``rules``    the rules: ``rules.points[card]``, ``rules.cost[card]``, ...; a stage is an entry like a card

A policy is not asked where there is one legal move only. Only ``own.rng`` may be written. A policy may run on several
threads at once, so it must keep nothing between calls.

This module is light: the names for use inside a policy are imported with the first of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from wsim.errors import UserError
from wsim.wonders.words import PARAMETERS

if TYPE_CHECKING:
    from wsim.jit import kernel
    from wsim.wonders.policies.helpers import (
        action_of,
        bank_of,
        below,
        card_of,
        coins_of,
        entry_change,
        has_chain,
        how_of,
        left_of,
        neighbor_left,
        neighbor_right,
        next_holder,
        next_stage,
        owns,
        price_of,
        right_of,
        rivals_loss,
        science_gain,
        slot_of,
        spends_of,
        uniform,
        war_points,
    )
    from wsim.wonders.words import (
        BUILD,
        CHAIN,
        COLORS,
        DECLINE,
        DISCARD_PILE,
        FREE,
        FREE_CITY,
        LAST_CARD,
        LOSS,
        PAID,
        PAY,
        RESOURCES,
        SELL,
        STAGE,
        STAGE_ENTRY,
        SYMBOLS,
        TURN,
    )

__all__ = [
    "BUILD",
    "CHAIN",
    "COLORS",
    "DECLINE",
    "DISCARD_PILE",
    "FREE",
    "FREE_CITY",
    "LAST_CARD",
    "LOSS",
    "PAID",
    "PAY",
    "RESOURCES",
    "SELL",
    "STAGE",
    "STAGE_ENTRY",
    "SYMBOLS",
    "TURN",
    "Declaration",
    "action_of",
    "bank_of",
    "below",
    "card_of",
    "coins_of",
    "declaration_of",
    "entry_change",
    "has_chain",
    "how_of",
    "kernel",
    "left_of",
    "neighbor_left",
    "neighbor_right",
    "next_holder",
    "next_stage",
    "owns",
    "policy",
    "price_of",
    "right_of",
    "rivals_loss",
    "science_gain",
    "slot_of",
    "spends_of",
    "uniform",
    "war_points",
]

_MARK = "__wsim_policy__"
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Declaration:
    """What the decorator says of a policy.

    Attributes
    ----------
    name: its name in the tables; empty for the line-up entry as written.
    parameters: name -> default; the values arrive in ``own.parameters`` in this order, true and false as 1 and 0.
    idea: one line for ``wsim policies``.
    python: whether it is played as plain Python.
    """

    name: str = ""
    parameters: Mapping[str, bool | int | float] = field(default_factory=dict)
    idea: str = ""
    python: bool = False


@overload
def policy(function: _Function, /) -> _Function: ...


@overload
def policy(
    *,
    name: str = "",
    parameters: Mapping[str, bool | int | float] | None = None,
    idea: str = "",
    python: bool = False,
) -> Callable[[_Function], _Function]: ...


def policy(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    parameters: Mapping[str, bool | int | float] | None = None,
    idea: str = "",
    python: bool = False,
) -> Any:
    """Mark a function as a policy; it stays the function that it is. See the text of this module.

    Raises
    ------
    UserError: for more than seven parameters, one called ``explore`` (every policy has it), or one that is no number.
    """
    declared = dict(parameters or {})
    for key, value in declared.items():
        if key == "explore":
            raise UserError("a policy cannot declare the parameter 'explore': every policy has it already")
        if not key.isidentifier():
            raise UserError(f"the parameter {key!r} of a policy is not a name: letters, digits and _ are accepted")
        if not isinstance(value, bool | int | float):
            raise UserError(f"the default of the parameter {key!r} is a number, or true or false, not {value!r}")
    if len(declared) > PARAMETERS - 1:
        raise UserError(f"a policy has at most {PARAMETERS - 1} parameters, not {len(declared)}")
    declaration = Declaration(name, MappingProxyType(declared), idea, python)

    def mark(marked: _Function) -> _Function:
        setattr(getattr(marked, "py_func", marked), _MARK, declaration)
        return marked

    return mark if function is None else mark(function)


def declaration_of(function: Any) -> Declaration | None:
    """Return what the decorator said of a function, or None if there was no decorator."""
    declared = getattr(getattr(function, "py_func", function), _MARK, None)
    return declared if isinstance(declared, Declaration) else None


_WORDS = frozenset(name for name in __all__ if name.isupper())
_OWN = frozenset(("Declaration", "declaration_of", "policy"))


def __getattr__(name: str) -> Any:
    if name not in __all__ or name in _OWN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "kernel":
        home = "wsim.jit"
    else:
        home = "wsim.wonders.words" if name in _WORDS else "wsim.wonders.policies.helpers"
    value = getattr(import_module(home), name)
    globals()[name] = value  # the next access does not come here
    return value


class _Decorator(ModuleType):
    """This module, callable: ``@wsim.policy`` is the decorator even where ``wsim.policy`` was imported as a module."""

    __call__ = staticmethod(policy)


sys.modules[__name__].__class__ = _Decorator
