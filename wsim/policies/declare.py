"""The decorator ``wsim.policy``: what a user says of a policy of his own. Light: imports neither numpy nor numba.

What a policy needs inside comes from the kit of its game: ``wsim.wonders.kit``, ``wsim.babel.kit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar, overload

from wsim.errors import UserError, refuse_unprintable

MOST_PARAMETERS = 7  # PARAMETERS of a game's layout less the place of `explore`
_MARK = "__wsim_policy__"
_Function = TypeVar("_Function", bound=Callable[..., Any])


UNCHECKED = ContextVar("unchecked", default=False)
"""Whether users' policies that are made ready now are compiled without bounds checks."""


@contextmanager
def unchecked() -> Iterator[None]:
    """Compile the users' policies that are made ready meanwhile without bounds checks: for those that one trusts."""
    before = UNCHECKED.set(True)
    try:
        yield
    finally:
        UNCHECKED.reset(before)


@dataclass(frozen=True)
class Declaration:
    """What the decorator says of a policy.

    Attributes
    ----------
    name: its name in the tables; empty for the line-up entry as written.
    parameters: name -> default; the values arrive in ``own.parameters`` in this order, true and false as 1 and 0.
    idea: one line that says what it does.
    python: whether it is played as plain Python.
    values: whether it says what a move is worth, and is played by searching (``value``).
    """

    name: str = ""
    parameters: Mapping[str, bool | int | float] = field(default_factory=dict)
    idea: str = ""
    python: bool = False
    values: bool = False


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
    """Mark a function ``(public, own, choice, rules) -> index`` as a policy; it stays the function that it is.

    It is played with ``--policies ./mine.py:bold:eagerness=2``, compiled (numba, no Python objects inside), on
    copies of the four records; the kit of the game says what they hold.

    Parameters
    ----------
    name: its name in the tables, for the line-up entry as written.
    parameters: name -> default, at most seven; they arrive as ``own.parameters[0]``, ``[1]``, ... in this order.
    idea: one line that says what it does.
    python: play it as plain Python, as a function without the decorator is: anything goes, a hundred times slower.

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
    if len(declared) > MOST_PARAMETERS:
        raise UserError(f"a policy has at most {MOST_PARAMETERS} parameters, not {len(declared)}")
    refuse_unprintable(name, "the name of a policy", allowed="")
    mark = _marking(Declaration(name, MappingProxyType(declared), idea, python))
    return mark if function is None else mark(function)


def _marking(declaration: Declaration) -> Callable[[_Function], _Function]:
    def mark(marked: _Function) -> _Function:
        setattr(getattr(marked, "py_func", marked), _MARK, declaration)
        return marked

    return mark


@overload
def value(function: _Function, /) -> _Function: ...


@overload
def value(*, name: str = "", idea: str = "", python: bool = False) -> Callable[[_Function], _Function]: ...


def value(
    function: Callable[..., Any] | None = None, /, *, name: str = "", idea: str = "", python: bool = False
) -> Any:
    """Mark a function ``(public, own, choice, rules, index) -> number`` as what a legal move is worth to its seat.

    As a player, ``./mine.py:worth:playouts=100``, it is the policy ``search`` with these values in place of its prior;
    with ``ahead=N``, playouts are cut at the N-th next decision of the seat, and worth its best move there. Values
    count in utility: half the share of the victory, and 0.03 for a point of lead. One that is not finite is of a move
    that is not tried. It takes what ``search`` takes, and gets copies of the records, as a policy does.

    Parameters
    ----------
    name, idea, python: as for ``wsim.policy``.
    """
    refuse_unprintable(name, "the name of a policy", allowed="")
    mark = _marking(Declaration(name, MappingProxyType({}), idea, python, values=True))
    return mark if function is None else mark(function)


def declaration_of(function: Any) -> Declaration | None:
    """Return what the decorator said of a function, or None if there was no decorator."""
    declared = getattr(getattr(function, "py_func", function), _MARK, None)
    return declared if isinstance(declared, Declaration) else None
