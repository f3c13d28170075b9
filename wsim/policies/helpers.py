"""Kernels of a game as functions that users' policies may call, from compiled code and from plain Python alike.

A plain kernel is compiled into its callers and has no entrance for Python. A helper is a Python function that numba
knows by ``overload``: compiled policies get the kernel, plain Python gets the kernel's own source or, where that calls
other kernels, an entrance compiled (and cached) at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from wsim.jit import JIT, kernel, overload


def helper(compiled: Any, signature: Any = None, *, home: str = "") -> Callable[..., Any]:
    """Return a kernel as a function for both worlds.

    Parameters
    ----------
    signature: of its entrance, where its source calls other kernels.
    home: the package whose cache keeps that entrance, such as "wonders.policies".
    """
    if not JIT:
        return compiled  # type: ignore[no-any-return]
    source = compiled.py_func

    @lru_cache(maxsize=1)
    def entrance() -> Any:
        return source if signature is None else kernel(signature, package=home)(source)

    @wraps(source)
    def both(*values: Any) -> Any:
        return entrance()(*values)

    options: Any = {"error_model": "numpy", "boundscheck": True}
    overload(both, jit_options=options, strict=False)(lambda *_values: source)
    return both
