"""Bits of 64-bit words: one machine instruction each for kernels, plain Python without the JIT."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


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


@intrinsic
def _cttz(_context, _word):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def _ctpop(_context, _word):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@intrinsic
def _bitreverse(_context, _word):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitreverse(args[0])

    return types.uint64(types.uint64), generate


@overload(lowest_bit, inline="always")
def _lowest_bit_overload(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _cttz(word)  # type: ignore[call-arg]


@overload(count_bits, inline="always")
def _count_bits_overload(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _ctpop(word)  # type: ignore[call-arg]


@overload(reverse_bits, inline="always")
def _reverse_bits_overload(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _bitreverse(word)  # type: ignore[call-arg]
