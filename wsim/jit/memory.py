"""The memory of a record as 64-bit words, for kernels that leave a game, play on, and come back."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numba.np import arrayobj

_WORDS = types.Array(types.uint64, 1, "C")


def words_of(record: Any, count: int) -> Any:
    """Return the first ``count`` words of a record as an array of uint64 that shares its memory.

    Without the JIT, the record must be an element of an array, like every record passed to kernels.
    """
    return np.asarray(record.base).view(np.uint64).reshape(-1)[:count]


@overload(words_of)
def _words_of_overload(record, count):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda record, count: _words_of(record, count)  # type: ignore[call-arg]


@intrinsic
def _words_of(_context, record, count):  # type: ignore[no-untyped-def]  # noqa: ARG001
    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        array = arrayobj.make_array(_WORDS)(context, builder)
        arrayobj.populate_array(
            array,
            data=builder.bitcast(args[0], ir.IntType(64).as_pointer()),
            shape=(args[1],),
            strides=(ir.Constant(ir.IntType(64), 8),),
            itemsize=ir.Constant(ir.IntType(64), 8),
            meminfo=None,
        )
        return array._getvalue()  # noqa: SLF001

    return _WORDS(record, types.int64), generate
