"""A sandbox for users' compiled functions: copies of its records, checked indices, and no access to other memory.

The function never sees the game. It is called with copies in separate memory, between two guards of zeros: its writes
are discarded, and there is nothing next to the copies. Its indices, and those of every function compiled for it, are
checked. That leaves code which reaches memory by an address: it is refused wherever the typed code shows it
(``ways_out``), and cannot be told where it is hidden in what numba does not show.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.extending import _Intrinsic
from numba.extending import intrinsic
from numba.np import arrayobj

from wsim.jit.kernels import kernel
from wsim.jit.modes import JIT

_WORD = ir.IntType(64)
GUARD = 4096  # bytes of zeros before and behind the copies
_LINE = 64  # every copy begins on its own cache line
_OURS = Path(__file__).parents[1]
_LIBRARIES = ("builtins", "cmath", "math", "numba", "numpy", "operator", "_operator")
_BY_ADDRESS = ("as_strided", "carray", "farray", "get_ctypes", "unsafe", "extending", "jitclass")
_RANDOM = "uses random numbers that the plan's seed does not control: draw with below(own, n) or uniform(own)"
_STREAMS = (random.Random, np.random.RandomState)
_CATCHING = "numba.core.unsafe.eh"
_MACHINE = ("get_num_threads", "set_num_threads", "get_thread_id")
_THREADS = "has loops that run on several threads: compile it without parallel=True"
_ADDRESS = "reaches memory by its address"
_UNKNOWN = "which wsim cannot look into: make it a function of its own, decorated with kernel"
_ADDRESSES = (types.ArrayCTypes, types.CPointer, types.RawPointer, types.MemInfoPointer, types.PyObject)
_FUNCTIONS = (types.BoundFunction, types.ExceptionClass, types.NamedTupleClass, types.NumberClass)


def in_copies(function: Any, records: tuple[np.dtype[Any], ...], taken_back: tuple[str, ...]) -> Any:
    """Return a kernel that calls a function of four records with copies of them.

    Parameters
    ----------
    records: dtypes of public, own, choice and rules.
    taken_back: fields of the second; what the function writes there is copied back. Nothing else is.
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
        listed.moves[choice.count :] = 0  # of former decisions, perhaps of others
        index = function(copied(public, room, at_public), mine, listed, copied(rules, room, at_rules))
        take_back(own, mine)
        room[0] = 0  # keeps the copies alive until here
        return np.int64(index)

    return called


def valuing_copies(function: Any, records: tuple[np.dtype[Any], ...]) -> Any:
    """Return a kernel ``(public, own, choice, rules, index)`` that calls such a function of a user's with copies.

    It returns a float; nothing that the function writes is taken back.
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
    """Return the address some bytes behind another."""
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
"""Return a copy of a record, stored at an offset of a room; for kernels only."""


def _head_copied_to(_context: Any, record: Any, room: Any, at: Any, size: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = arrayobj.make_array(signature.args[1])(context, builder, args[1])
        copy = _bytes_at(builder, array.data, args[2])
        cgutils.raw_memcpy(builder, copy, _bytes_at(builder, args[0], 0), args[3], 1)
        return context.get_dummy_value()

    return types.void(record, room, types.int64, types.int64), generate


copy_head: Any = intrinsic(_head_copied_to)
"""Copy the first bytes of a record to an offset of a room; for kernels only."""


def _with_plain_copies(function: Callable[..., Any], taken_back: tuple[str, ...]) -> Callable[..., Any]:
    """Return the same without the JIT."""

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
    """Compile everything with bounds checks within this context, whatever its own options; other threads compile
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


def ways_out(function: Any, arguments: tuple[Any, ...]) -> list[str]:
    """Return what a compiled function does that leaves the sandbox, in words; empty if the typed code shows nothing.

    ``function`` is numba's dispatcher, compiled for ``arguments``; the functions that it calls are looked into.
    """
    found: list[str] = []
    waiting, seen = [(function, arguments)], set()
    while waiting:
        one, kinds = waiting.pop()
        compiled = one.overloads.get(tuple(kinds))
        if compiled is None or (id(one), kinds) in seen:
            continue
        seen.add((id(one), kinds))
        code = compiled.type_annotation
        if any(isinstance(kind, _ADDRESSES) for kind in code.typemap.values()):
            found.append(f"{one.py_func.__name__} {_ADDRESS}")
        for call, signature in code.calltypes.items():
            if getattr(call, "op", None) != "call":
                continue
            called: Any = code.typemap.get(call.func.name)
            if called is None:  # made by numba, for loops that it spreads over threads
                found.append(f"{one.py_func.__name__} {_THREADS}")
                continue
            if isinstance(called, types.Dispatcher) and not isinstance(called, types.ObjModeDispatcher):
                if not _is_ours(called.dispatcher.py_func):
                    waiting.append((called.dispatcher, tuple(signature.args)))
            elif (why := _why_refused(called, signature.args)) is not None:
                found.append(why)
    return list(dict.fromkeys(found))


def _why_refused(called: Any, arguments: tuple[Any, ...]) -> str | None:
    """Return why a function of this type may not be called with arguments of these types; None if it may."""
    if isinstance(called, _FUNCTIONS):
        return None
    if isinstance(called, types.RecursiveCall):
        name = called.dispatcher_type.dispatcher.py_func.__name__
        return f"calls itself ({name}), and nothing bounds how deep: write a loop"
    key = getattr(called, "typing_key", None)
    name = getattr(key, "__name__", None) or str(key or called)
    module = str(getattr(key, "__module__", None) or "builtins")
    if module == _CATCHING:
        return "has a try, and nothing can be caught here: ask beforehand whether it can be done"
    if name in _MACHINE or (key is hash and not isinstance(arguments[0], types.Number | types.Boolean)):
        return f"calls {name}, which is different in another process or on another machine"
    if isinstance(called, types.ObjModeDispatcher | types.ContextManager):
        return "calls Python from compiled code (objmode)"
    if isinstance(called, types.ExternalFunction | types.ExternalFunctionPointer | types.FunctionType):
        return f"calls {name}, which {_ADDRESS}"
    if isinstance(key, _Intrinsic) or any(part in (name, *module.split(".")) for part in _BY_ADDRESS):
        return f"calls {name}, which {_ADDRESS}"
    if module.startswith(("numpy.random", "random")) or isinstance(getattr(key, "__self__", None), _STREAMS):
        return f"calls {name}, which {_RANDOM}"
    if isinstance(called, types.Function) and (_is_ours(key) or module.split(".")[0] in _LIBRARIES):
        return None
    return f"calls {name}, {_UNKNOWN}"


def _is_ours(function: Any) -> bool:
    """Return whether a function belongs to wsim."""
    code = getattr(function, "__code__", None)
    return code is not None and Path(code.co_filename).is_relative_to(_OURS)
