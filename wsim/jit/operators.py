"""The types of operators and fields, resolved once: numba would resolve them at every occurrence.

For ``a + b`` of two integers it tries every meaning of ``+``, including ufuncs and strings, and does so again in the
next line. This depends on names that numba may change; in the plain mode (``modes.PLAIN``) the module is not imported.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import types
from numba.core.registry import cpu_target

from wsim.jit.records import Lanes, View

_OPERATORS = frozenset(function for function in vars(operator).values() if callable(function))
_PLAIN = (types.Number, types.Boolean, types.IntegerLiteral, types.BooleanLiteral, Lanes, View)
_FOUND: dict[Any, Any] = {}


@contextmanager
def types_found_once() -> Iterator[None]:
    """Make numba resolve each operator on numbers and records, and each field, once for all code of a process."""
    context: Any = cpu_target.typing_context
    if "resolve_getattr" in vars(context):  # an entry point that is compiled while another one is
        yield
        return
    resolve_call, resolve_field = context.resolve_function_type, context.resolve_getattr

    def resolved(function: Any, args: Any, kws: Any) -> Any:
        if kws or isinstance(function, types.Type) or function not in _OPERATORS or not all(map(_is_plain, args)):
            return resolve_call(function, args, kws)
        key = function, *args
        if key not in _FOUND:
            result = resolve_call(function, args, kws)
            if result is None:
                return None
            _FOUND[key] = result
        return _FOUND[key]

    def field(kind: Any, name: str) -> Any:
        if not isinstance(kind, View):
            return resolve_field(kind, name)
        if (kind, name) not in _FOUND:
            _FOUND[kind, name] = resolve_field(kind, name)
        return _FOUND[kind, name]

    context.resolve_function_type, context.resolve_getattr = resolved, field
    try:
        yield
    finally:
        del context.resolve_function_type, context.resolve_getattr


def _is_plain(kind: Any) -> bool:
    """Return whether a type is a number, a record, a reference to one, or a tuple of these."""
    parts: Any = kind if isinstance(kind, types.BaseTuple) else (kind,)
    return all(isinstance(part, _PLAIN) for part in parts)
