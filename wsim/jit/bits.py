"""Bits of 64-bit words: one machine instruction each for kernels, plain Python without the JIT."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable


def lowest_bit(word: Any) -> int:
    """Return the index of the lowest set bit of a 64-bit word (undefined for 0)."""
    value = int(word)
    return (value & -value).bit_length() - 1


def count_bits(word: Any) -> int:
    """Return the number of set bits of a 64-bit word."""
    return int(word).bit_count()


def reverse_bits(word: Any) -> Any:
    """Return the 64-bit word with bit i moved to bit 63 - i."""
    return np.uint64(int(f"{int(word):064b}"[::-1], 2))


def _compile(function: Any, result: Any, generate: Any) -> None:
    """Make numba compile a function of a word to the instruction that ``generate`` emits.

    Not by an overload that numba inlines: that also drops stores into records returned by other kernels.
    """
    type_callable(function)(lambda _context: lambda word: result(types.uint64))  # noqa: ARG005
    lower_builtin(function, types.uint64)(lambda _context, builder, _signature, args: generate(builder, args[0]))


_compile(lowest_bit, types.int64, lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), 1)))
_compile(count_bits, types.int64, lambda builder, word: builder.ctpop(word))
_compile(reverse_bits, types.uint64, lambda builder, word: builder.bitreverse(word))
