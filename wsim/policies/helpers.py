"""Make a game's kernels callable from user policies, both compiled and plain Python.

A plain kernel is compiled into its callers and has no entry point for Python. A helper is a Python function registered
with numba's ``overload``: compiled policies call the kernel; plain Python policies call the kernel's source or, if that
calls other kernels, an entry point that is compiled (and cached) at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from wsim.jit import JIT, kernel, overload


def helper(compiled: Any, signature: Any = None, *, home: str = "") -> Callable[..., Any]:
    """Return a function that calls a kernel from compiled and plain Python policies.

    Parameters
    ----------
    compiled: the kernel.
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
