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
    lowest_bit,
    record_type,
    reverse_bits,
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

State, Part = record_type(STATE), record_type(PART)
Fixed = record_type(FIXED, constant=True)


@kernel
def _twice(number):  # type: ignore[no-untyped-def]
    return 2 * number


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
        part = state.parts[at]
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
    """Read an element that may not exist."""
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


def state() -> Any:
    """Return an empty state."""
    return np.zeros(1, STATE).view(np.recarray)[0]


def answers() -> dict[str, Any]:
    """Return what the kernels do, as plain values."""
    one = state()
    fixed = np.zeros(1, FIXED).view(np.recarray)[0]
    fixed.values[:], fixed.factor = (5, 6, 7, -8), 1.5
    with np.errstate(over="ignore"):
        first = int(work(one, fixed))
    functions = addresses_of([counted, failing])
    called = [int(caller(functions, 0, one)) for _ in range(2)]
    try:
        caller(functions, 1, one)
        raised = ""
    except ValueError as error:
        raised = str(error)
    return {"first": first, "bytes": one.tobytes().hex(), "called": called, "raised": raised}


if __name__ == "__main__":
    print(json.dumps({"jit": JIT, "plain": PLAIN, "checked": CHECKED, **answers()}))
