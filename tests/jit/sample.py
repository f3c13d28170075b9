"""Small kernels with one of everything that kernels do; ``python -m tests.jit.sample`` prints what they return."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from wsim.jit import (
    ADDRESSES,
    CHECKED,
    JIT,
    PLAIN,
    addresses_of,
    call,
    count_bits,
    kernel,
    linked,
    lowest_bit,
    padded,
    products,
    record_type,
    rectified,
    reverse_bits,
    rounding,
    sums_of_rows,
    types,
)

PART = np.dtype([("level", "i2"), ("share", "f4"), ("marks", "u1", (3,))], align=True)
STATE = np.dtype(
    [
        ("count", "i8"),
        ("bits", "u8"),
        ("small", "i1"),
        ("grid", "i4", (2, 3)),
        ("part", PART),
        ("parts", PART, (2,)),
        ("words", "u8", (4,)),
    ],
    align=True,
)
FIXED = np.dtype([("values", "i2", (4,)), ("factor", "f8")], align=True)

INPUTS, UNITS, NARROW, SCALE = 22, 130, 6, 1024  # of layers: no whole number of passes
LAYERS = np.dtype(
    [
        ("numbers", "f4", (2, INPUTS)),
        ("inputs", "i2", (padded(INPUTS),)),
        ("weights", "i2", (INPUTS // 2, UNITS, 2)),
        ("bias", "i4", (UNITS,)),
        ("rows", "i2", (9, UNITS)),
        ("places", "i8", (7,)),
        ("sums", "i4", (UNITS,)),
        ("active", "i2", (padded(UNITS),)),
        ("second", "i2", (UNITS // 2, NARROW, 2)),
        ("second_bias", "i4", (NARROW,)),
        ("found", "i4", (NARROW,)),
    ],
    align=True,
)

State, Part, Layers = record_type(STATE), record_type(PART), record_type(LAYERS)
round_inputs, multiply, add_rows = rounding(INPUTS, SCALE), products(INPUTS, UNITS), sums_of_rows(UNITS)
rectify, multiply_second = rectified(UNITS), products(UNITS, NARROW)
Fixed = record_type(FIXED, constant=True)


@kernel(rare=True)
def _twice(number):  # type: ignore[no-untyped-def]
    return 2 * number


@kernel
def _part(state, at):  # type: ignore[no-untyped-def]
    return state.parts[at]


@kernel(inline=True)
def _row_sum(grid, row):  # type: ignore[no-untyped-def]
    line = grid[row]
    return line[0] + line[1] + line[2]


@kernel(types.int64(State, Fixed))
def work(state, fixed):  # type: ignore[no-untyped-def]
    """Read and write every kind of field."""
    for row in range(2):
        for column in range(3):
            state.grid[row, column] += 10 * row + fixed.values[column]
    state.small = fixed.values[3]
    state.part.level = state.small + 1
    state.part.share = 0.5
    for at in range(2):
        part = _part(state, at)  # stores into a record that another kernel returns are kept
        part.level = _twice(3) + _twice(at) + _twice(state.small)
        part.share = fixed.factor * at
        part.marks[2] = 255
    state.parts[1].marks[0] = state.parts[0].marks[2]
    state.words[1] = np.uint64(1) << np.uint64(40)
    state.bits = reverse_bits(state.words[1])
    state.count += lowest_bit(state.words[1]) + count_bits(state.bits)
    return _row_sum(state.grid, 0) + 1000 * _row_sum(state.grid, 1)


@kernel(types.int64(State, types.int64))
def element(state, at):  # type: ignore[no-untyped-def]
    """Read an element that may be out of range."""
    return state.grid[1, at]


@kernel(types.int64(State))
def counted(state):  # type: ignore[no-untyped-def]
    """Be called by address."""
    state.count += 1
    return state.count


@kernel(types.int64(State))
def failing(state):  # type: ignore[no-untyped-def]
    """Fail when called by address."""
    if state.count >= 0:
        raise ValueError("on purpose")
    return 0


@kernel(types.int64(ADDRESSES, types.int64, State))
def caller(functions, which, state):  # type: ignore[no-untyped-def]
    """Call one of several functions."""
    return 10 * call(functions[which], state)


_counted, _failing = (linked(entry, entry.__name__, "tests.jit") for entry in (counted, failing))


@kernel(types.int64(types.int64, State))
def caller_by_name(fails, state):  # type: ignore[no-untyped-def]
    """Call one of two functions."""
    return 10 * (_failing(state) if fails else _counted(state))


@kernel(types.void(Layers, types.int64, types.int64))
def sum_layers(layers, count, shift):  # type: ignore[no-untyped-def]
    """Sum two layers of short integers, with ``count`` rows in the first one."""
    round_inputs(layers.numbers[1], layers.inputs)
    multiply(layers.bias, layers.inputs, layers.weights, layers.sums)
    add_rows(layers.rows, layers.places, count, shift, layers.sums)
    rectify(layers.sums, shift, layers.active)
    multiply_second(layers.second_bias, layers.active, layers.second, layers.found)


def layers(seed: int) -> Any:
    """Return layers of random numbers, some as large as they may be."""
    random, made = np.random.default_rng(seed), np.zeros(1, LAYERS).view(np.recarray)[0]
    made.numbers[1] = random.normal(0, 2, INPUTS) * (random.random(INPUTS) < 0.6)
    made.numbers[1, :4] = 1e9, -1e9, 1.5 / SCALE, -2.5 / SCALE
    for name, most in {"weights": 2000, "rows": 8191, "second": 300, "bias": 2**20, "second_bias": 2**25}.items():
        made[name][:] = random.integers(-most, most, made[name].shape, endpoint=True)
    made.weights[0, :2] = (20000, -20000), (-20000, 20000)
    made.places[:] = 8, 1, 0, 8, 5, 4, 7
    return made


def state() -> Any:
    """Return an empty state."""
    return np.zeros(1, STATE).view(np.recarray)[0]


def answers() -> dict[str, Any]:
    """Return what the kernels do, as plain values."""
    one = state()
    fixed = np.zeros(1, FIXED).view(np.recarray)[0]
    fixed.values[:], fixed.factor = (5, 6, 7, -8), 1.5
    with np.errstate(over="ignore"):
        worked = int(work(one, fixed))
    functions = addresses_of([counted, failing])
    called = [int(caller(functions, 0, one)) for _ in range(2)] + [int(caller_by_name(0, one))]
    raised = []
    ways: tuple[Any, ...] = caller, caller_by_name
    for way, first in zip(ways, ((functions, 1), (1,)), strict=True):
        try:
            way(*first, one)
        except ValueError as error:
            raised.append(str(error))
    summed = layers(1)
    sum_layers(summed, 7, 6)
    found = {"bytes": one.tobytes().hex(), "layers": summed.tobytes().hex()}
    return {"first": worked, **found, "called": called, "raised": raised}


if __name__ == "__main__":
    print(json.dumps({"jit": JIT, "plain": PLAIN, "checked": CHECKED, **answers()}))
