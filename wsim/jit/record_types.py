"""The types that kernels have for records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import from_dtype
from numba.extending import intrinsic

from wsim.jit.kernels import kernel
from wsim.jit.modes import PLAIN

if TYPE_CHECKING:
    import numpy as np


def record_type(dtype: np.dtype[Any], *, constant: bool = False) -> Any:
    """Return the type that kernels have for the records of a dtype; nothing ever writes to ``constant`` ones.

    Kernels take elements of nested arrays by their place, which is never negative; they neither slice nor copy them.
    """
    if PLAIN:
        return from_dtype(dtype)
    from wsim.jit.records import view

    return view(dtype, constant)


def numpy_signature(signature: Any) -> Any:
    """Return a signature with numba's own records: users' functions slice nested arrays and count from their end."""
    return signature.return_type(*(getattr(kind, "same", kind) for kind in signature.args))


def element_of(kind: Any) -> Any:
    """Return the kernel (array, index) -> a record as kernels have it (``record_type``), in an array of numpy's."""

    @intrinsic
    def seen_as(_context, record):  # type: ignore[no-untyped-def]
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(kind))

        return kind(record), generate

    @kernel
    def element(array: Any, index: Any) -> Any:
        return seen_as(array[index])  # type: ignore[call-arg]

    return element
