"""Policies that are given as Python functions of this process instead of by name.

A line-up is a string, so a function gets a name that is valid until the process ends:
``wsim.policies.functions:NAME_DIGEST``. The digest identifies the function object, so two functions with the same name
are different policies. The function is not stored: a run that it played records only its name, and can be resumed only
if the function is passed again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wsim.errors import UserError
from wsim.policies.declare import declaration_of

MODULE = "wsim.policies.functions"
_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def name_of(function: Any) -> str:
    """Register a function and return its line-up name; raise UserError if it is not callable."""
    if not callable(function):
        raise UserError(f"a policy must be a name or a function, not {function!r}")
    source = getattr(function, "py_func", function)
    plain = getattr(source, "__name__", type(function).__name__)
    plain = plain if plain.isidentifier() else "policy"
    name = f"{plain}_{_digest(function, source)}"
    _FUNCTIONS[name] = function
    return f"{MODULE}:{name}"


def plain_name(function: str) -> str:
    """Return the original name of a function, given its name in a line-up."""
    return function.rpartition("_")[0]


def _digest(function: Any, source: Any) -> str:
    """Compute a digest from a function's code, declaration and object identity."""
    code = getattr(source, "__code__", None)
    content = b"" if code is None else code.co_code + repr(code.co_consts).encode() + repr(code.co_names).encode()
    import hashlib

    return hashlib.sha256(content + f"{declaration_of(function)} {id(function)}".encode()).hexdigest()[:8]


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    raise AttributeError(
        f"module {MODULE!r} has no function {name!r}: such a function exists only in the process that passed it"
    )
