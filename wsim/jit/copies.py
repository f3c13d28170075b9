"""Copies of records and checked indices for users' compiled functions: protection against mistakes, not against malice.

The function is called with copies in separate memory, between two guards of zeros: its writes are discarded, and there
is nothing next to the copies. Its indices, and those of every function compiled for it, are checked. Code that wants to
reach other memory still can; only a separate process protects against that (``wsim.policies.isolation``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic
from numba.np import arrayobj

from wsim.jit.kernels import kernel
from wsim.jit.modes import JIT

_WORD = ir.IntType(64)
GUARD = 4096  # bytes of zeros before and behind the copies
_LINE = 64  # every copy begins on its own cache line


def in_copies(function: Any, records: tuple[np.dtype[Any], ...], taken_back: tuple[str, ...]) -> Any:
    """Return a kernel that calls a function of four records with copies of them.

    Parameters ---------- records: dtypes of public, own, choice and rules. taken_back: fields of the own record; only
    what the function writes there is copied back.
    """
    if not JIT:
        return _with_plain_copies(function, taken_back)
    ends = np.cumsum([GUARD, *(-(-record.itemsize // _LINE) * _LINE for record in records)])
    at_public, at_own, at_choice, at_rules, end = map(int, ends)
    take_back = taking_back(taken_back)

    @kernel
    def called(public: Any, own: Any, choice: Any, rules: Any) -> Any:
        room = np.empty(end + GUARD, np.uint8)
        room[:at_public] = 0
        room[end:] = 0
        mine = copied(own, room, at_own)
        listed = copied(choice, room, at_choice)
        listed.moves[choice.count :] = 0  # of earlier decisions, perhaps of other seats
        index = function(copied(public, room, at_public), mine, listed, copied(rules, room, at_rules))
        take_back(own, mine)
        room[0] = 0  # keeps the copies alive until here
        return np.int64(index)

    return called


def valuing_copies(function: Any, records: tuple[np.dtype[Any], ...]) -> Any:
    """Return a kernel ``(public, own, choice, rules, index)`` that calls a user's value function with copies.

    It returns a float; nothing that the function writes is copied back.
    """
    if not JIT:
        return lambda *given: function(*(record.copy() for record in given[:-1]), given[-1])
    ends = np.cumsum([GUARD, *(-(-record.itemsize // _LINE) * _LINE for record in records)])
    at_public, at_own, at_choice, at_rules, end = map(int, ends)

    @kernel
    def called(public: Any, own: Any, choice: Any, rules: Any, index: Any) -> Any:
        room = np.empty(end + GUARD, np.uint8)
        room[:at_public] = 0
        room[end:] = 0
        listed = copied(choice, room, at_choice)
        listed.moves[choice.count :] = 0
        own_copy = copied(own, room, at_own)
        value = function(copied(public, room, at_public), own_copy, listed, copied(rules, room, at_rules), index)
        room[0] = 0  # the copies live until here
        return np.float64(value)

    return called


def taking_back(fields: tuple[str, ...]) -> Any:
    """Return the kernel that copies fields of one record into another."""
    name, *others = fields
    copy_first = _field_copied(name)
    if not others:
        return copy_first
    copy_others = taking_back(tuple(others))

    @kernel
    def take_back(own: Any, mine: Any) -> None:
        copy_first(own, mine)
        copy_others(own, mine)

    return take_back


def _field_copied(name: str) -> Any:
    def copy(_context: Any, own: Any, mine: Any) -> Any:
        def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
            kind, offset = mine.dtype.fields[name][:2]
            target, source = (_bytes_at(builder, record, offset) for record in args)
            cgutils.raw_memcpy(builder, target, source, ir.Constant(_WORD, kind.itemsize), 1)

        return types.void(own, mine), generate

    return intrinsic(copy)


def _bytes_at(builder: Any, pointer: Any, offset: Any) -> Any:
    """Return an address plus an offset in bytes."""
    start = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    return builder.gep(start, [offset if isinstance(offset, ir.Value) else ir.Constant(_WORD, offset)])


def _copied_to(_context: Any, record: Any, room: Any, at: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = arrayobj.make_array(signature.args[1])(context, builder, args[1])
        copy = _bytes_at(builder, array.data, args[2])
        cgutils.raw_memcpy(builder, copy, _bytes_at(builder, args[0], 0), ir.Constant(_WORD, record.size), 1)
        return builder.bitcast(copy, args[0].type)

    return record(record, room, types.int64), generate


copied: Any = intrinsic(_copied_to)
"""Return a copy of a record, stored at an offset of a buffer; for kernels only."""


def _head_copied_to(_context: Any, record: Any, room: Any, at: Any, size: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = arrayobj.make_array(signature.args[1])(context, builder, args[1])
        copy = _bytes_at(builder, array.data, args[2])
        cgutils.raw_memcpy(builder, copy, _bytes_at(builder, args[0], 0), args[3], 1)
        return context.get_dummy_value()

    return types.void(record, room, types.int64, types.int64), generate


copy_head: Any = intrinsic(_head_copied_to)
"""Copy the first bytes of a record to an offset of a buffer; for kernels only."""


def _with_plain_copies(function: Callable[..., Any], taken_back: tuple[str, ...]) -> Callable[..., Any]:
    """Return the same kernel without the JIT."""

    def called(public: Any, own: Any, choice: Any, rules: Any) -> Any:
        mine, listed = own.copy(), choice.copy()
        listed["moves"][int(choice["count"]) :] = 0
        index = function(public.copy(), mine, listed, rules.copy())
        for name in taken_back:
            own[name] = mine[name]
        return index

    return called


@contextmanager
def checking_indices(*, unchecked: bool = False) -> Iterator[None]:
    """Compile everything within this context with bounds checks, regardless of its own options; other threads compile
    afterwards."""
    if unchecked or not JIT:
        yield
        return
    with global_compiler_lock:
        before, config.BOUNDSCHECK = config.BOUNDSCHECK, 1  # type: ignore[attr-defined]
        try:
            yield
        finally:
            config.BOUNDSCHECK = before  # type: ignore[attr-defined]
