"""Sums of products of short integers for the layers of nets, one vector of units at a time.

Integer sums do not depend on their order, so every machine gets the same sums with any vector length. The code is plain
LLVM: the backend turns products of widened short integers whose neighbours are added into the pairwise multiply-add
instruction of the processor. Overflow is not checked: the numbers are bounded when they are created
(``wsim.policies.net_integers``). Each factory returns a function for kernels; without the JIT it is the same in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from wsim.jit.modes import JIT

MAX_SHORT = 32767  # of a short integer; the one below -MAX_SHORT is never made, whose square is one too many for a pair
AT_ONCE = 4  # rows that are added before their sum is widened: each number is at most a quarter of MAX_SHORT
PADDED = 32  # inputs are read in groups of this size; their room is a multiple of it
_LANES = 128  # units of a pass: their sums stay in registers, and are enough not to wait for one another
_PAIRS = 64  # inputs that a word says of which are not 0
_OFFSET = np.float32(32768.5)  # makes the numbers positive, where cutting off the fraction is rounding
_BYTE, _SHORT, _INT, _WORD, _FLOAT = *(ir.IntType(bits) for bits in (8, 16, 32, 64)), ir.FloatType()


def padded(count: int) -> int:
    """Return the padded length of a list of inputs in memory; the padding is 0."""
    return -(-count // PADDED) * PADDED


def rounding(count: int, scale: int) -> Any:
    """Return (numbers, inputs) -> writes scaled float32 numbers as short integers within +-MAX_SHORT; then zeros."""
    bounds = np.float32(-MAX_SHORT), np.float32(MAX_SHORT)

    def in_numpy(numbers: Any, inputs: Any) -> None:
        cut = np.clip(np.asarray(numbers)[:count] * np.float32(scale), *bounds)
        inputs[:count] = (cut + _OFFSET).astype(np.int32) - 32768
        inputs[count:] = 0

    def generate(builder: Any, numbers: Any, inputs: Any) -> None:
        for at, length in _passes(count, 16):
            found = builder.fmul(_load(builder, numbers, 4 * at, _FLOAT, length), _all(_FLOAT, length, float(scale)))
            for bound, compared in zip(bounds, (">", "<"), strict=True):
                limit = _all(_FLOAT, length, float(bound))
                found = builder.select(builder.fcmp_ordered(compared, found, limit), found, limit)
            whole = builder.fptosi(
                builder.fadd(found, _all(_FLOAT, length, float(_OFFSET))), ir.VectorType(_INT, length)
            )
            whole = builder.sub(whole, _all(_INT, length, 32768))
            _store(builder, builder.trunc(whole, ir.VectorType(_SHORT, length)), inputs, 2 * at, 2)
        for at, length in _passes(padded(count) - count, 16):
            _store(builder, _all(_SHORT, length, 0), inputs, 2 * (count + at), 2)

    return _function(in_numpy, generate)


def products(count: int, units: int) -> Any:
    """Return (base, inputs, weights, sums) -> writes ``base`` and the products of inputs and weights, summed by unit.

    ``inputs``: ``count`` short integers, padded. ``weights``: short integers of shape (pairs of inputs, units, 2), an
    odd input with a 0. ``base``, ``sums``: 32-bit integers, one for each unit. Inputs that are 0 cost nothing.
    """

    def in_numpy(base: Any, inputs: Any, weights: Any, sums: Any) -> None:
        pairs = np.asarray(inputs)[: 2 * len(weights)].astype(np.int64).reshape(-1, 2)
        sums[:] = base + np.einsum("pi,pui->u", pairs, np.asarray(weights, np.int64))

    def generate(builder: Any, base: Any, inputs: Any, weights: Any, sums: Any) -> None:
        for at, length in _passes(units, _LANES):
            totals = [cgutils.alloca_once(builder, ir.VectorType(_INT, length)) for _ in range(2)]
            builder.store(_load(builder, base, 4 * at, _INT, length), totals[0])
            builder.store(_all(_INT, length, 0), totals[1])

            def add(pair: Any, total: Any, at: int = at, length: int = length) -> None:
                weight = _load_at(builder, weights, pair, 4 * units, 4 * at, _SHORT, 2 * length)
                found = builder.load(_element(builder, inputs, pair, 4, _INT), align=2)
                both = builder.bitcast(_everywhere(builder, found, length), ir.VectorType(_SHORT, 2 * length))
                builder.store(builder.add(builder.load(total), _pairwise(builder, weight, both)), total)

            for first, among in _passes(padded(count) // 2, _PAIRS):
                _each_not_zero(builder, inputs, first, among, add, totals[: 1 if length == _LANES else 2])
            _store(builder, builder.add(*map(builder.load, totals)), sums, 4 * at, 4)

    return _function(in_numpy, generate)


def sums_of_rows(units: int) -> Any:
    """Return (rows, places, count, shift, sums) -> adds ``count`` rows of short integers, times 2**shift, to the sums.

    No number of a row is larger than ``MAX_SHORT // AT_ONCE``. ``places``: which rows, int64.
    """

    def in_numpy(rows: Any, places: Any, count: int, shift: int, sums: Any) -> None:
        sums += np.asarray(rows)[places[:count]].astype(np.int32).sum(axis=0, dtype=np.int32) << np.int32(shift)

    def generate(builder: Any, rows: Any, places: Any, count: Any, shift: Any, sums: Any) -> None:
        whole = builder.and_(count, _word(-AT_ONCE))
        for at, length in _passes(units, _LANES):
            wide = ir.VectorType(_INT, length)
            total = cgutils.alloca_once(builder, wide)
            builder.store(_all(_INT, length, 0), total)
            for start, stop, together in ((_word(0), whole, AT_ONCE), (whole, count, 1)):
                with cgutils.for_range_slice(builder, start, stop, _word(together), _WORD) as (index, _):
                    found = None
                    for step in range(together):
                        place = builder.load(_element(builder, places, builder.add(index, _word(step)), 8, _WORD))
                        row = _load_at(builder, rows, place, 2 * units, 2 * at, _SHORT, length)
                        found = row if found is None else builder.add(found, row)
                    builder.store(builder.add(builder.load(total), builder.sext(found, wide)), total)
            by = _everywhere(builder, builder.trunc(shift, _INT), length)
            added = builder.add(_load(builder, sums, 4 * at, _INT, length), builder.shl(builder.load(total), by))
            _store(builder, added, sums, 4 * at, 4)

    return _function(in_numpy, generate)


def rectified(units: int) -> Any:
    """Return (sums, shift, inputs) -> writes sums divided by 2**shift, cut to 0..MAX_SHORT, as inputs; then zeros."""

    def in_numpy(sums: Any, shift: int, inputs: Any) -> None:
        inputs[:units] = np.clip(np.asarray(sums) >> np.int32(shift), 0, MAX_SHORT)
        inputs[units:] = 0

    def generate(builder: Any, sums: Any, shift: Any, inputs: Any) -> None:
        for at, length in _passes(units, _LANES):
            by = _everywhere(builder, builder.trunc(shift, _INT), length)
            found = builder.ashr(_load(builder, sums, 4 * at, _INT, length), by)
            for compared, bound in ((">", 0), ("<", MAX_SHORT)):
                limit = _all(_INT, length, bound)
                found = builder.select(builder.icmp_signed(compared, found, limit), found, limit)
            _store(builder, builder.trunc(found, ir.VectorType(_SHORT, length)), inputs, 2 * at, 2)
        for at, length in _passes(padded(units) - units, 16):
            _store(builder, _all(_SHORT, length, 0), inputs, 2 * (units + at), 2)

    return _function(in_numpy, generate)


# --- code


def _function(in_numpy: Callable[..., None], generate: Callable[..., None]) -> Any:
    """Return a function for kernels that generates code from its arguments; arrays are passed by address."""
    if not JIT:
        return in_numpy
    count = in_numpy.__code__.co_argcount

    def made(_context: Any, *kinds: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pairs = zip(signature.args, args, strict=True)
            generate(builder, *(_address(context, builder, kind, value) for kind, value in pairs))
            return context.get_dummy_value()

        return types.void(*kinds), code

    return intrinsic(_with_arguments(made, count))


def _with_arguments(made: Any, count: int) -> Any:
    """Return a function with this many named arguments, as numba requires."""
    if count == 2:
        return lambda context, a, b: made(context, a, b)
    if count == 3:
        return lambda context, a, b, c: made(context, a, b, c)
    if count == 4:
        return lambda context, a, b, c, d: made(context, a, b, c, d)
    return lambda context, a, b, c, d, e: made(context, a, b, c, d, e)


def _address(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the address of an array, or a number as a word."""
    if isinstance(kind, types.Integer):
        return value if value.type.width == 64 else builder.sext(value, _WORD)
    if isinstance(kind, types.Array):
        value = arrayobj.make_array(kind)(context, builder, value).data
    return builder.bitcast(value, _BYTE.as_pointer())


def _passes(count: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the start and size of each pass over this many items."""
    for at in range(0, count, most):
        yield at, min(most, count - at)


def _word(number: int) -> Any:
    return ir.Constant(_WORD, number)


def _all(kind: Any, length: int, number: float) -> Any:
    return ir.Constant(ir.VectorType(kind, length), [ir.Constant(kind, number)] * length)


def _everywhere(builder: Any, value: Any, length: int) -> Any:
    """Return a vector of equal numbers."""
    nothing = ir.Constant(ir.VectorType(value.type, length), ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(_INT, 0))
    return builder.shuffle_vector(one, nothing, _all(_INT, length, 0))


def _element(builder: Any, array: Any, place: Any, size: int, kind: Any) -> Any:
    """Return the address of an element of an array, given its size in bytes."""
    at = builder.gep(array, [builder.mul(place, _word(size), flags=["nsw"])], inbounds=True)
    return builder.bitcast(at, kind.as_pointer())


def _load(builder: Any, array: Any, offset: int, kind: Any, length: int) -> Any:
    """Return a vector at an offset in bytes from an address."""
    return _load_at(builder, array, _word(0), 0, offset, kind, length)


def _load_at(builder: Any, array: Any, place: Any, size: int, offset: int, kind: Any, length: int) -> Any:
    """Return a vector at an offset in bytes from an element."""
    at = builder.gep(_element(builder, array, place, size, _BYTE), [_word(offset)], inbounds=True)
    return builder.load(builder.bitcast(at, ir.VectorType(kind, length).as_pointer()), align=2)


def _store(builder: Any, vector: Any, array: Any, offset: int, align: int) -> None:
    at = builder.gep(array, [_word(offset)], inbounds=True)
    builder.store(vector, builder.bitcast(at, vector.type.as_pointer()), align=align)


def _pairwise(builder: Any, one: Any, other: Any) -> Any:
    """Return the products of short integers, each added to the product of its neighbour."""
    length = one.type.count
    wide = ir.VectorType(_INT, length)
    product = builder.mul(builder.sext(one, wide), builder.sext(other, wide), flags=["nsw"])
    nothing = ir.Constant(wide, ir.Undefined)
    halves = [
        builder.shuffle_vector(
            product,
            nothing,
            ir.Constant(
                ir.VectorType(_INT, length // 2), [ir.Constant(_INT, place) for place in range(first, length, 2)]
            ),
        )
        for first in (0, 1)
    ]
    return builder.add(*halves, flags=["nsw"])


def _each_not_zero(
    builder: Any, inputs: Any, first: int, among: int, add: Callable[[Any, Any], None], totals: Sequence[Any]
) -> None:
    """Add each of ``among`` input pairs that is not 0 to one of the totals, in turn."""
    found = _load(builder, inputs, 4 * first, _INT, among)
    bits = builder.bitcast(builder.icmp_signed("!=", found, _all(_INT, among, 0)), ir.IntType(among))
    left = cgutils.alloca_once(builder, _WORD)
    builder.store(builder.zext(bits, _WORD) if among < _PAIRS else bits, left)

    def add_next(total: Any) -> None:
        word = builder.load(left)
        builder.store(builder.and_(word, builder.sub(word, _word(1))), left)
        add(builder.add(builder.cttz(word, ir.Constant(ir.IntType(1), 1)), _word(first)), total)

    together, pairs = len(totals), builder.ctpop(builder.load(left))
    with cgutils.for_range(builder, builder.udiv(pairs, _word(together))):
        for total in totals:
            add_next(total)
    if together > 1:
        with cgutils.for_range(builder, builder.urem(pairs, _word(together))):
            add_next(totals[0])
