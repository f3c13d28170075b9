"""Notes that kernels record before they fail: a ring of notes in this process, each with the thread that wrote it.

Kernels raise exceptions without arguments, and kernels of several threads may fail at the same time. So a kernel first
writes a few words here, and Python reads the last note of its own thread after catching the exception.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils

VALUES = 5  # words of a note; unused ones are 0
_NOTES = 256  # a ring: a note is read before this many others are written
_THREAD, _KIND, _VALUE = 0, 1, 2  # of a note: its thread; its kind, 0 for one that was read; its values
_SIZE = _VALUE + VALUES
_WORDS = 1 + _NOTES * _SIZE  # how many notes were written, then the notes
_SYMBOL, _THREAD_SYMBOL = "wsim_notes", "wsim_thread"
_WORD = ir.IntType(64)
_TABLE = (ctypes.c_int64 * _WORDS)()
_THREAD_NUMBER = ir.IntType(8 * ctypes.sizeof(ctypes.c_ulong))
_THREADS = (1 << _THREAD_NUMBER.width) - 1
llvm.add_symbol(_SYMBOL, ctypes.addressof(_TABLE))
llvm.add_symbol(_THREAD_SYMBOL, ctypes.cast(ctypes.pythonapi.PyThread_get_thread_ident, ctypes.c_void_p).value)


def _this_thread() -> int:
    return ctypes.c_int64(threading.get_ident() & _THREADS).value


def write_note(kind: int, *values: int) -> None:
    """Write a note from Python in the same way as kernels."""
    at = 1 + _SIZE * (_TABLE[0] % _NOTES)
    _TABLE[0] += 1
    padded = (*values, *[0] * (VALUES - len(values)))
    for place, word in enumerate((_this_thread(), kind, *padded)):
        _TABLE[at + place] = word


def take_note(kind: int) -> tuple[int, ...] | None:
    """Return the values of the last note of a kind in this thread and forget it; None if there is none."""
    written, thread, values = _TABLE[0], _this_thread(), None
    for number in range(max(0, written - _NOTES), written):
        at = 1 + _SIZE * (number % _NOTES)
        if _TABLE[at + _THREAD] == thread and _TABLE[at + _KIND] == kind:
            values = tuple(_TABLE[at + _VALUE : at + _SIZE])
            _TABLE[at + _KIND] = 0
    return values


def generate_note(builder: Any, kind: int, *values: Any) -> None:
    """Generate the code with which a kernel writes a note; values are 64-bit words."""

    def word_at(index: Any) -> Any:
        table_type = ir.ArrayType(_WORD, _WORDS)
        table = builder.module.globals.get(_SYMBOL) or ir.GlobalVariable(builder.module, table_type, _SYMBOL)
        return builder.gep(table, [ir.Constant(_WORD, 0), index])

    number = builder.atomic_rmw("add", word_at(ir.Constant(_WORD, 0)), ir.Constant(_WORD, 1), "monotonic")
    at = builder.mul(builder.urem(number, ir.Constant(_WORD, _NOTES)), ir.Constant(_WORD, _SIZE))
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_THREAD_NUMBER, ()), _THREAD_SYMBOL)
    thread = builder.zext(builder.call(function, ()), _WORD)
    padded = (*values, *[ir.Constant(_WORD, 0)] * (VALUES - len(values)))
    for place, word in enumerate((thread, ir.Constant(_WORD, kind), *padded)):
        builder.store(word, word_at(builder.add(at, ir.Constant(_WORD, 1 + place))))
