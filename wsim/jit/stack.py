"""Stack arrays: small arrays that live as long as the kernel that requests them, without an allocation."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic

from wsim.jit.kernels import kernel
from wsim.jit.modes import JIT, PLAIN


def stack_room(name: str, kind: type[np.generic], *shape: int) -> Any:
    """Return a kernel without arguments that returns an uninitialised array of this kind and shape.

    Parameters ---------- name: lets the compiler know that no other stack array and no record overlaps it. kind:
    float32, float64, int64, or a shorter integer, which is int64 as soon as it is read.
    """
    if PLAIN or not JIT:
        return _plain_room(kind, shape)
    from wsim.jit.records import Lanes, is_short

    storage = from_dtype(np.dtype(kind))
    element = types.int64 if is_short(storage) else storage
    lanes = Lanes(element, storage, np.dtype(kind).itemsize, shape, f"stack.{name}", False)

    def room(_context: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            from numba.core import cgutils

            whole = ir.ArrayType(context.get_data_type(storage), prod(shape))
            place = cgutils.alloca_once(builder, whole)
            place.align = 64
            return builder.bitcast(place, ir.IntType(8).as_pointer())

        return lanes(), generate

    return intrinsic(room)


def _plain_room(kind: type[np.generic], shape: tuple[int, ...]) -> Any:
    """Return the same kernel for numba's own arrays, and without the JIT."""
    size = shape if len(shape) > 1 else shape[0]

    @kernel
    def room() -> Any:
        return np.empty(size, kind)

    return room
