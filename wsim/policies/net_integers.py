"""Quantise a net to short integers for the kernels, with the finest units in which no possible sum overflows.

A value is an integer times a unit, which is a power of two. The first layer uses units of 2**-(INPUT_BITS + bits),
where ``bits`` is the number of fractional bits of its weights. Its outputs are clipped at 127.99, nearly twice the
largest value that the shipped nets reach in play. Kernels do not check for overflow: this module bounds the largest sum
that any inputs can produce.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.jit.vectors import AT_ONCE, MAX_SHORT
from wsim.kernels.net_layers import INPUT_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.kernels.net_layers import Sizes

_INT = 2**31 - 1
_ACTIVE_BITS = 8  # fractional bits of the inputs of the second layer
_MAX_BITS = 14  # fractional bits of weights: more would exceed the half precision of files
_LAST_BITS = 16


def in_integers(
    sizes: Sizes, arrays: Mapping[str, NDArray[np.float32]], items: Sequence[NDArray[np.float32]]
) -> NDArray[Any]:
    """Quantise a net's arrays and item rows (``wsim.policies.nets``) into the record of shape () used by kernels."""
    record = np.zeros((), sizes.net)
    of_number, of_move, bias = arrays["of_number"], arrays["of_move"], arrays["bias"]
    of_item = np.concatenate(items) if items else np.zeros((1, sizes.width), np.float32)
    numbers, item, second = _Weights.of(of_number, of_move), _Weights.of(of_item), _Weights.of(arrays["second"])
    last, straight = _Weights.of(arrays["last"][:, None]), _Weights.of(arrays["straight"][:, None])

    def item_bits(bits: int) -> int:
        return _finest(min(bits + INPUT_BITS, _MAX_BITS), lambda finest: item.largest(finest) <= MAX_SHORT // AT_ONCE)

    def fits(bits: int) -> bool:
        coarser = bits + INPUT_BITS - item_bits(bits)
        sums = MAX_SHORT * numbers.sums(bits) + np.ldexp(item.sums(item_bits(bits)), coarser)
        return numbers.largest(bits) <= MAX_SHORT and _is_within(sums, bias, bits + INPUT_BITS)

    def fits_second(bits: int) -> bool:
        return second.largest(bits) <= MAX_SHORT and _is_within(
            MAX_SHORT * second.sums(bits), arrays["second_bias"], active + bits
        )

    def fits_last(bits: int) -> bool:
        by_number = straight.sums(active + of_second + bits - INPUT_BITS)
        return bool(max(last.sums(bits).max(), by_number.max()) <= _INT)

    bits = _finest(_MAX_BITS, fits)
    active = min(_ACTIVE_BITS, bits + INPUT_BITS)
    of_second = _finest(_MAX_BITS, fits_second)
    of_last = _finest(_LAST_BITS, fits_last)
    record["bias"] = _rounded(bias, bits + INPUT_BITS)
    record["of_number"], record["of_move"] = _pairs(_rounded(of_number, bits)), _pairs(_rounded(of_move, bits))
    record["of_item"] = _rounded(of_item, item_bits(bits))
    record["second"] = _pairs(_rounded(arrays["second"], of_second))
    record["second_bias"] = _rounded(arrays["second_bias"], active + of_second)
    record["last"] = _rounded(arrays["last"], of_last)
    record["straight"] = _rounded(arrays["straight"], active + of_second + of_last - INPUT_BITS)
    record["item_shift"], record["first_shift"] = bits + INPUT_BITS - item_bits(bits), bits + INPUT_BITS - active
    record["unit"] = 2.0 ** -(active + of_second + of_last)
    return record


@dataclass(frozen=True)
class _Weights:
    """The magnitude of some rows of weights.

    Attributes
    ----------
    rows: the number of rows. most: the largest absolute weight. sizes: for each unit, the sum of absolute weights.
    """

    rows: int
    most: float
    sizes: NDArray[np.float64]

    @classmethod
    def of(cls, *weights: NDArray[np.float32]) -> _Weights:
        sizes = np.abs(np.concatenate(weights), dtype=np.float64)
        return cls(len(sizes), float(sizes.max()), sizes.sum(0))

    def largest(self, bits: int) -> float:
        """Return an upper bound on the largest rounded weight, in units of 2**-bits."""
        return math.ldexp(self.most, bits) + 0.5

    def sums(self, bits: int) -> NDArray[np.float64]:
        """Return an upper bound on each unit's sum of absolute rounded weights, in units of 2**-bits."""
        return np.asarray(np.ldexp(self.sizes, bits) + self.rows / 2)


def _is_within(sums: NDArray[np.float64], bias: NDArray[np.float32], bits: int) -> bool:
    """Return whether the sums plus the bias, in units of 2**-bits, fit into 32-bit integers."""
    return bool((sums + np.ldexp(np.abs(bias, dtype=np.float64), bits) + 1 <= _INT).all())


def _finest(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number of fractional bits, at most ``most``, for which ``fits`` is true."""
    return next(bits for bits in count(most, -1) if fits(bits))


def _rounded(weights: NDArray[np.float32], bits: int) -> NDArray[np.int64]:
    """Round weights to integers in units of 2**-bits."""
    return np.asarray(np.rint(weights * np.float64(2.0**bits)).astype(np.int64))


def _pairs(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Interleave rows in pairs, shape (pairs, width, 2); an odd last row is paired with zeros."""
    even = np.concatenate([rows, np.zeros((len(rows) % 2, rows.shape[1]), np.int64)])
    return even.reshape(-1, 2, rows.shape[1]).transpose(0, 2, 1)
