"""The kernel types of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import from_dtype
from numba.extending import intrinsic

from wsim.jit.kernels import kernel
from wsim.jit.modes import PLAIN

if TYPE_CHECKING:
    import numpy as np


def record_type(dtype: np.dtype[Any], *, constant: bool = False) -> Any:
    """Return the kernel type for records of a dtype; ``constant`` records are never written.

    Kernels access elements of nested arrays by an index that is never negative; they neither slice nor copy the arrays.
    """
    if PLAIN:
        return from_dtype(dtype)
    from wsim.jit.records import view

    return view(dtype, constant)


def numpy_signature(signature: Any) -> Any:
    """Return a signature with numba's own records: user functions may slice nested arrays and use negative indices."""
    return signature.return_type(*(getattr(kind, "same", kind) for kind in signature.args))


def element_of(kind: Any) -> Any:
    """Return the kernel (array, index) -> the record in a numpy array, as a kernel record (``record_type``)."""

    @intrinsic
    def seen_as(_context, record):  # type: ignore[no-untyped-def]
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(kind))

        return kind(record), generate

    @kernel
    def element(array: Any, index: Any) -> Any:
        return seen_as(array[index])  # type: ignore[call-arg]

    return element
