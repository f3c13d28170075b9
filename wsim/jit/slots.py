"""Compiled functions by number: stored kernels call functions that are compiled later, in the playing process.

The table of a process contains the address of the machine code of each number, and the bounds of its results. Kernels
refer to it by a symbol, not by an address in a record, so writing a record cannot redirect a call. Without the JIT, it
contains the functions themselves. Entries are never removed.

Failures are recorded (``notes``).
"""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from wsim.jit.calls import addresses_of
from wsim.jit.modes import JIT
from wsim.jit.notes import generate_note, take_note, write_note

SLOTS = 1024
_ADDRESS, _LEAST, _MOST = range(3)  # the columns of the table
_KIND = 2  # of a note: the slot that failed, what it returned
_SYMBOL = "wsim_slots"
_NO_VALUE = -(2**63)
_WORD = ir.IntType(64)
_TABLE = (ctypes.c_int64 * (3 * SLOTS))()
_FUNCTIONS: dict[int, Any] = {}
llvm.add_symbol(_SYMBOL, ctypes.addressof(_TABLE))


class SlotError(Exception):
    """The function of a slot returned a value outside its bounds, or the slot is empty."""


def fill_slot(slot: int, function: Any, least: int, most: int) -> None:
    """Put an entry point that returns an int64 into a slot, or without the JIT a function."""
    _FUNCTIONS[slot] = function
    _TABLE[3 * slot + _LEAST], _TABLE[3 * slot + _MOST] = least, most
    _TABLE[3 * slot + _ADDRESS] = int(addresses_of([function])[0]) if JIT else 1


def failed_slot() -> tuple[int, int | None] | None:
    """Return and clear the slot whose function failed last in this thread, and its result, None if it raised.

    ``SlotError`` and exceptions of the functions propagate out of the calling kernel; None if this thread recorded no
    failure.
    """
    note = take_note(_KIND)
    return None if note is None else (note[0], None if note[1] == _NO_VALUE else note[1])


def call_slot(slot: Any, *given: Any) -> Any:
    """Call the function of a slot; raise SlotError for a result outside its bounds; other exceptions propagate."""
    if slot not in _FUNCTIONS:
        raise SlotError
    try:
        result = operator.index(_FUNCTIONS[slot](*given))
    except Exception:
        write_note(_KIND, slot, _NO_VALUE)
        raise
    if not _TABLE[3 * slot + _LEAST] <= result <= _TABLE[3 * slot + _MOST]:
        write_note(_KIND, slot, max(min(result, 2**63 - 1), 1 - 2**63))
        raise SlotError
    return result


@overload(call_slot)
def _call_slot_overload(slot, *given):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda slot, *given: _call_slot(slot, given)  # type: ignore[call-arg]


@intrinsic
def _call_slot(_context, slot, given):  # type: ignore[no-untyped-def]  # noqa: ARG001
    kinds = tuple(given)

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        convention = context.call_conv

        def place(at: Any) -> Any:
            kind = ir.ArrayType(_WORD, 3 * SLOTS)
            table = builder.module.globals.get(_SYMBOL) or ir.GlobalVariable(builder.module, kind, _SYMBOL)
            return builder.gep(table, [ir.Constant(_WORD, 0), at])

        def refuse(unless: Any) -> None:
            with builder.if_then(builder.not_(unless), likely=False):
                convention.return_user_exc(builder, SlotError, ())

        refuse(builder.icmp_unsigned("<", args[0], ir.Constant(_WORD, SLOTS)))
        row = builder.mul(args[0], ir.Constant(_WORD, 3))
        address, least, most = (
            builder.load(place(builder.add(row, ir.Constant(_WORD, column)))) for column in (_ADDRESS, _LEAST, _MOST)
        )
        refuse(builder.icmp_unsigned("!=", address, ir.Constant(_WORD, 0)))
        callee = builder.inttoptr(address, convention.get_function_type(types.int64, kinds).as_pointer())
        handed = [builder.extract_value(args[1], number) for number in range(len(kinds))]
        status, result = convention.call_function(builder, callee, types.int64, kinds, handed)
        with builder.if_then(status.is_error, likely=False):
            generate_note(builder, _KIND, args[0], ir.Constant(_WORD, _NO_VALUE))
            convention.return_status_propagate(builder, status)
        within = builder.and_(builder.icmp_signed("<=", least, result), builder.icmp_signed("<=", result, most))
        with builder.if_then(builder.not_(within), likely=False):
            generate_note(builder, _KIND, args[0], result)
        refuse(within)
        return result

    return types.int64(types.int64, given), generate
