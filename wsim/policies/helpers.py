"""Make kernels of a game callable from user policies, in compiled code and in plain Python alike.

A plain kernel is compiled into its callers and has no entry point for Python. A helper is a Python function that numba
knows through ``overload``: compiled policies get the kernel; plain Python gets the kernel's source or, if that calls
other kernels, an entry point compiled (and cached) at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from wsim.jit import JIT, kernel, overload


def helper(compiled: Any, signature: Any = None, *, home: str = "") -> Callable[..., Any]:
    """Return a kernel as a function for compiled and plain Python policies.

    Parameters
    ----------
    signature: the signature of its entry point, if its source calls other kernels.
    home: the package whose cache stores that entry point, such as "wonders.policies".
    """
    if not JIT:
        return compiled  # type: ignore[no-any-return]
    source = compiled.py_func

    @lru_cache(maxsize=1)
    def entry_point() -> Any:
        return source if signature is None else kernel(signature, package=home)(source)

    @wraps(source)
    def both(*values: Any) -> Any:
        return entry_point()(*values)

    options: Any = {"error_model": "numpy", "boundscheck": True}
    overload(both, jit_options=options, strict=False)(lambda *_values: source)
    return both
