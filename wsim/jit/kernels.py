"""The ``kernel`` decorator."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numba

from wsim.jit.cache import caching_in
from wsim.jit.modes import JIT, PLAIN

__all__ = ["kernel", "njit"]

njit: Any = numba.njit  # typed stubs of numba do not know all options

_OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(signature: Any = None, *, package: str | None = None, inline: bool = False) -> Any:
    """Compile a function that needs no interpreter lock.

    Plain ``@kernel`` functions are compiled into their callers, ``@kernel(inline=True)`` ones wherever they are called.
    With a signature, ``@kernel(signature)``, the function is an entry point: compiled at once, for those types only,
    and kept in the cache directory of its package: that of its module, or the one named. Entry points outside wsim that
    name none are not kept, because no digest would cover what they call.
    """
    if isinstance(signature, FunctionType):
        return _inner(signature)
    if signature is None:
        return lambda function: _inner(function, forceinline=inline)

    def compile_entry(function: FunctionType) -> Any:
        if not JIT:
            return njit(**_OPTIONS)(function)
        with caching_in(package or _package_of(function)) as cached, _collector_off():
            return njit(signature, cache=cached, no_cfunc_wrapper=True, **_OPTIONS)(function)

    return compile_entry


def _package_of(function: FunctionType) -> str | None:
    """Return the package of a function below wsim, None for one from elsewhere."""
    top, _, inside = function.__module__.partition(".")
    return inside.rpartition(".")[0] if top == "wsim" else None


def _inner(function: FunctionType, **options: Any) -> Any:
    """Return a kernel that only kernels call."""
    if PLAIN or not JIT:
        return njit(**_OPTIONS, **options)(function)
    from wsim.jit.inner import INNER, with_plain_types

    if _package_of(function) is not None:  # a twelfth of the compile time; users' kernels may have array expressions
        options["no_rewrites"] = True
    return with_plain_types(njit(**_OPTIONS, **INNER, **options)(function))


@contextmanager
def _collector_off() -> Iterator[None]:
    """Compile without the collector of cyclic garbage, which visits numba's millions of objects again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
