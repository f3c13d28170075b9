"""The ``kernel`` decorator."""

from __future__ import annotations

import gc
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from types import FunctionType
from typing import Any

import numba

from wsim.jit.modes import JIT, PLAIN, STORES

njit: Any = numba.njit  # typed stubs of numba do not know all options

_NUMBER_BITS = 60
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(signature: Any = None, *, package: str | None = None, inline: bool = False, rare: bool = False) -> Any:
    """Compile a function that releases the interpreter lock.

    Plain ``@kernel`` functions are compiled into their callers, ``@kernel(inline=True)`` ones wherever they are called,
    ``@kernel(rare=True)`` ones once, as separate functions, for callers that rarely call them. With a signature,
    ``@kernel(signature)``, the function is an entry point: compiled at once, for those types only, and kept in the
    cache folder of its package: that of its module, or the one named. Entry points outside wsim that name no package
    are not stored, because no digest would cover the code that they call; a third-party game names its own package
    (``package="my_game.kernels"``).
    """
    if isinstance(signature, FunctionType):
        return _inner(signature)
    if signature is None:
        return lambda function: _inner(function, rare, forceinline=inline)

    def compile_entry(function: FunctionType) -> Any:
        if not JIT:
            return njit(**_OPTIONS)(function)
        with _collector_off(), _quick_types():
            return _compiled(function, signature, package or _package_of(function))

    return compile_entry


def entry_point(template: Any, inner: Any, name: str = "") -> FunctionType:
    """Return a copy of ``template`` to be compiled as an entry point, in which ``inner`` is the given kernel.

    It has its own name and no closure, so that it is found in the cache: numba compares what a closure
    encloses, and a kernel never equals that of a different process.
    """
    made = FunctionType(template.__code__, {"__name__": template.__module__, "inner": inner}, name or template.__name__)
    made.__qualname__ = made.__name__
    made.__doc__ = template.__doc__
    return made


def _compiled(function: FunctionType, signature: Any, package: str | None) -> Any:
    """Compile an entry point, or load it from the cache of a package; without a package it is not stored."""
    if package is None or not STORES:
        return njit(signature, no_cfunc_wrapper=True, **_OPTIONS)(function)
    from wsim.jit.kernel_files import KernelFile

    options = {}
    if not PLAIN:
        from wsim.jit.inner import ENTRY

        options = ENTRY
    entry = njit(no_cfunc_wrapper=True, **options, **_OPTIONS)(function)
    entry._cache = KernelFile(function, package)  # noqa: SLF001 (modes.STORES)
    # numba distinguishes closures of one name by a number, which every process counts from 1. The linker would merge
    # inner functions of the same name and number from entry points cached by different processes, and a policy would
    # run the inner function of a different one. So count from a random number.
    from numba.core.bytecode import FunctionIdentity  # type: ignore[attr-defined, unused-ignore]

    FunctionIdentity._unique_ids = count(secrets.randbits(_NUMBER_BITS))  # noqa: SLF001 (modes.STORES)
    entry.compile(signature)
    entry.disable_compile()
    return entry


def _package_of(function: FunctionType) -> str | None:
    """Return the package of a function below wsim; None for other functions."""
    top, _, inside = function.__module__.partition(".")
    return inside.rpartition(".")[0] if top == "wsim" else None


def _inner(function: FunctionType, rare: bool = False, **options: Any) -> Any:
    """Return a kernel that is only called by kernels."""
    own = _package_of(function) is not None
    if not own:
        options["boundscheck"] = True  # code outside wsim is not proved to stay within its records
    if PLAIN or not JIT:
        return njit(**_OPTIONS, **options)(function)
    from wsim.jit.inner import INNER, RARE, with_plain_types

    if own:  # a twelfth of the compile time; users' kernels may have array expressions
        options["no_rewrites"] = True
    return with_plain_types(njit(**_OPTIONS, **(RARE if rare else INNER), **options)(function))


def _quick_types() -> AbstractContextManager[None]:
    """Return a context that finds types quickly, if this numba has the names that it needs."""
    if PLAIN:
        return nullcontext()
    from wsim.jit.operators import types_found_once

    return types_found_once()


@contextmanager
def _collector_off() -> Iterator[None]:
    """Compile with cyclic garbage collection off: it would visit numba's millions of objects again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
