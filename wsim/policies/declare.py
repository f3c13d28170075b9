"""The decorators ``wsim.policy`` and ``wsim.value``; this module imports neither numpy nor numba.

The functions that a policy may call are in its game's kit: ``wsim.wonders.kit`` or ``wsim.babel.kit``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar, overload

from wsim.errors import UserError, refuse_unprintable

MAX_PARAMETERS = 7  # PARAMETERS of a game's layout minus the slot of `explore`
_MARK = "__wsim_policy__"
_Function = TypeVar("_Function", bound=Callable[..., Any])


UNCHECKED = ContextVar("unchecked", default=False)
"""Whether user policies are currently compiled without bounds checks."""


ISOLATED: ContextVar[bool | None] = ContextVar("isolated", default=None)
"""Whether user policies are loaded into separate processes; None: only other people's policies (``FOREIGN``)."""


FOREIGN = ContextVar("foreign", default=False)
"""Whether all code counts as other people's: with ``--trust``, and in the workbench's processes. Otherwise, only code
from a run folder does."""


def runs_isolated(of_others: bool) -> bool:
    """Return whether code runs in a separate process: as the user requested or, by default, if it is other people's.

    ``of_others``: whether it came with a run folder, for example.
    """
    wanted = ISOLATED.get()
    return FOREIGN.get() or of_others if wanted is None else wanted


@contextmanager
def isolated(wanted: bool | None = True) -> Iterator[None]:
    """Load user policies into separate processes inside this context (False: into this process)."""
    token = ISOLATED.set(wanted)
    try:
        yield
    finally:
        ISOLATED.reset(token)


@contextmanager
def of_others(wanted: bool = True) -> Iterator[None]:
    """Treat all user code as written by other people inside this context."""
    token = FOREIGN.set(wanted or FOREIGN.get())
    try:
        yield
    finally:
        FOREIGN.reset(token)


@contextmanager
def isolated_by_default() -> Iterator[None]:
    """Isolate user policies inside this context unless the user asked for trusted play."""
    with isolated(ISOLATED.get() is not False):
        yield


@contextmanager
def unchecked() -> Iterator[None]:
    """Compile user policies without bounds checks inside this context; only for policies that you trust."""
    token = UNCHECKED.set(True)
    try:
        yield
    finally:
        UNCHECKED.reset(token)


@dataclass(frozen=True)
class Declaration:
    """The declaration of a user policy, created by a decorator.

    Attributes
    ----------
    name: the name shown in tables; empty for the line-up entry as written.
    parameters: name -> default; the values arrive in ``own.parameters`` in this order, true and false as 1 and 0.
    idea: one line that describes what the policy does.
    python: whether it runs as plain Python.
    values: whether the function values moves, and a search plays with its values (``value``).
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
    *, name: str = "", parameters: Mapping[str, bool | int | float] | None = None, idea: str = "", python: bool = False
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
    """Mark a function ``(public, own, choice, rules) -> index`` as a policy and return the function unchanged.

    Play it with ``--policies ./mine.py:bold:eagerness=2``. It is compiled (numba, no Python objects inside) and gets
    copies of the four records, which the kit of the game documents.

    Parameters
    ----------
    name: the name shown in tables (default: the line-up entry as written).
    parameters: name -> default, at most seven; they arrive as ``own.parameters[0]``, ``[1]``, ... in this order.
    idea: one line that describes what the policy does.
    python: run it as plain Python, like an undecorated function: no restrictions, but a hundred times slower.

    Raises
    ------
    UserError: for more than seven parameters, a parameter called ``explore`` (every policy has it), or a default that
        is not a number.
    """
    declared = dict(parameters or {})
    for key, value in declared.items():
        if key == "explore":
            raise UserError("a policy cannot declare the parameter 'explore': every policy has it already")
        if not key.isidentifier():
            raise UserError(f"a policy's parameter cannot be named {key!r}: names consist of letters, digits and _")
        if not isinstance(value, bool | int | float):
            raise UserError(f"the default of the parameter {key!r} must be a number, true or false, not {value!r}")
    if len(declared) > MAX_PARAMETERS:
        raise UserError(f"a policy can have at most {MAX_PARAMETERS} parameters, not {len(declared)}")
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
    """Mark a function ``(public, own, choice, rules, index) -> number`` that values a legal move for its seat.

    As a player, ``./mine.py:worth:playouts=100`` is the policy ``search`` with these values instead of its prior. With
    ``ahead=N``, each playout stops at the seat's N-th next decision and is scored with the value of its best move
    there. Values are in units of utility: half the win share, plus 0.03 per point of lead. A move whose value is not
    finite is not tried. The player has the parameters of ``search``; the function gets copies of the records, like a
    policy.

    Parameters
    ----------
    name, idea, python: as for ``wsim.policy``.
    """
    refuse_unprintable(name, "the name of a policy", allowed="")
    mark = _marking(Declaration(name, MappingProxyType({}), idea, python, values=True))
    return mark if function is None else mark(function)


def declaration_of(function: Any) -> Declaration | None:
    """Return the declaration of a decorated function; None for an undecorated one."""
    declared = getattr(getattr(function, "py_func", function), _MARK, None)
    return declared if isinstance(declared, Declaration) else None
