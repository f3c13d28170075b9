"""A clock for kernels, which cannot use Python's: the system clock, called by name."""

from __future__ import annotations

import sys
import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

_WORD = ir.IntType(64)
_UNIX = sys.platform != "win32"
_TICK = 1 if _UNIX else 100  # nanoseconds of a unit of the system's clock
_MONOTONIC = getattr(time, "CLOCK_MONOTONIC", 0)


def nanoseconds() -> int:
    """Return the time in nanoseconds since an arbitrary moment, as an int64; only differences are meaningful."""
    return time.monotonic_ns()


@overload(nanoseconds)
def _nanoseconds_overload():  # type: ignore[no-untyped-def]
    return lambda: _nanoseconds()  # type: ignore[call-arg]


def _call_unix(builder: Any) -> Any:
    """Return the code of ``clock_gettime``: seconds and nanoseconds, one word each."""
    number = ir.IntType(32)
    signature = ir.FunctionType(number, [number, _WORD.as_pointer()])
    function = _declared(builder.module, "clock_gettime", signature)
    place = builder.alloca(_WORD, 2)
    builder.call(function, [ir.Constant(number, _MONOTONIC), place])
    seconds = builder.load(place)
    rest = builder.load(builder.gep(place, [ir.Constant(ir.IntType(32), 1)]))
    return builder.add(builder.mul(seconds, ir.Constant(_WORD, 1_000_000_000)), rest)


def _call_windows(builder: Any) -> Any:
    """Return the code of ``GetSystemTimePreciseAsFileTime``: one word, in units of 100 nanoseconds."""
    signature = ir.FunctionType(ir.VoidType(), [_WORD.as_pointer()])
    function = _declared(builder.module, "GetSystemTimePreciseAsFileTime", signature)
    place = builder.alloca(_WORD)
    builder.call(function, [place])
    return builder.mul(builder.load(place), ir.Constant(_WORD, _TICK))


def _declared(module: Any, name: str, signature: Any) -> Any:
    return module.globals.get(name) or ir.Function(module, signature, name)


@intrinsic
def _nanoseconds(_context):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        return _call_unix(builder) if _UNIX else _call_windows(builder)

    return types.int64(), generate
