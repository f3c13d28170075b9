"""Compiled functions called by address or by name: an engine calls policies that it was not compiled with.

An engine gets an array of addresses, so a different line-up or policy does not require compiling it again. Keep the
function as long as its address is used: machine code is freed with the last reference to it. Without the JIT,
"addresses" are the functions themselves.

Code that several entry points share is compiled once, as a separate entry point, and called by name (``linked``). The
name contains the digest of its package, so machine code on disk is only linked with the sources that it was compiled
from.

The code that calls Python functions is also compiled only once for all of them: it takes the address of the C callback
as its last argument (``call_back``), and ``Bound`` puts a few instructions in front of it that supply the address.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic, overload

from wsim.jit.cache import source_digest
from wsim.jit.kernels import kernel
from wsim.jit.modes import JIT, PLAIN

_WORD = ir.IntType(64)


def _type_of_addresses() -> Any:
    if PLAIN:
        return types.Array(types.uint64, 1, "C")
    from wsim.jit.addresses import Addresses

    return Addresses()


ADDRESSES = _type_of_addresses()
"""The type of the argument with which an entry point receives addresses."""


def addresses_of(functions: Sequence[Any]) -> Any:
    """Return the entry points for ``call``: an array of their addresses, or a tuple of functions without the JIT."""
    if not JIT:
        return tuple(functions)
    return np.array([_address(function) for function in functions], np.uint64)


def _address(function: Any) -> int:
    """Return the address of the machine code of an entry point."""
    if isinstance(function, Bound):
        return function.address
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def call(address: Any, *records: Any) -> Any:
    """Call the entry point at an address, a function of records that returns an int64; exceptions propagate."""
    return address(*records)


_NUMBERS = count()


class Bound:
    """An entry point whose last argument is bound to the address of a C callback.

    Attributes ---------- address: of the machine code. kept: objects that must live as long as it: code, the entry
    point, the callback.
    """

    def __init__(self, entry: Any, address: int, callback: Any) -> None:
        (compiled,) = entry.overloads.values()
        context, signature, name = compiled.target_context, compiled.signature, f"wsim_bound_{next(_NUMBERS)}"
        convention = context.call_conv
        inner = convention.get_function_type(signature.return_type, signature.args)
        outer = convention.get_function_type(signature.return_type, signature.args[:-1])
        with global_compiler_lock:
            library = context.codegen().create_library(name)
            module = library.create_ir_module(name)
            function = ir.Function(module, outer, name)
            builder = ir.IRBuilder(function.append_basic_block())
            callee = builder.inttoptr(ir.Constant(_WORD, _address(entry)), inner.as_pointer())
            builder.ret(builder.call(callee, [*function.args, ir.Constant(_WORD, address)]))
            library.add_ir_module(module)
            library.finalize()
            self.address = int(library.get_pointer_to_function(name))
        self.kept = library, entry, callback


def linked(entry: Any, name: str, package: str) -> Any:
    """Return a kernel that calls an entry point, which is not compiled again in the callers of that kernel.

    The entry point returns an int64. It is identified by ``name`` and by the package in whose folder it is stored, and
    must be kept alive as long as its callers.
    """
    if not JIT:
        return entry
    (compiled,) = entry.overloads.values()
    wanted, symbol = compiled.signature.args, f"wsim.{package}.{source_digest(package)}.{name}"
    binding.add_symbol(symbol, _address(entry))

    @intrinsic
    def by_name(_context, records):  # type: ignore[no-untyped-def]
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            convention = context.call_conv
            made = convention.get_function_type(types.int64, wanted)
            callee = cgutils.get_or_insert_function(builder.module, made, symbol)
            return _called(context, builder, callee, wanted, records, args[0])

        return types.int64(records), generate

    @kernel
    def linked(*records):  # type: ignore[no-untyped-def]
        return by_name(records)  # type: ignore[call-arg]

    return linked


def _called(context: Any, builder: Any, callee: Any, wanted: Any, kinds: Any, records: Any) -> Any:
    """Return the code of a call with a tuple of arguments of the given kinds, converted to the required kinds."""
    given = [
        context.cast(builder, builder.extract_value(records, index), kind, other)
        for index, (kind, other) in enumerate(zip(kinds, wanted, strict=True))
    ]
    status, result = context.call_conv.call_function(builder, callee, types.int64, wanted, given)
    with builder.if_then(status.is_error, likely=False):
        context.call_conv.return_status_propagate(builder, status)
    return result


@overload(call)
def _call_overload(address, *records):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda address, *records: _call(address, records)  # type: ignore[call-arg]


@intrinsic
def _call(_context, address, records):  # type: ignore[no-untyped-def]
    kinds = tuple(records)

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        made = context.call_conv.get_function_type(types.int64, kinds)
        return _called(context, builder, builder.inttoptr(args[0], made.as_pointer()), kinds, kinds, args[1])

    return types.int64(address, records), generate


def _call_back(_context: Any, kind: Any, address: Any, words: Any) -> Any:
    made = {types.int64: _WORD, types.float64: ir.DoubleType()}[kind.dtype]

    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        given = [builder.extract_value(args[2], index) for index in range(len(words))]
        function = ir.FunctionType(made, [_WORD] * len(given))
        return builder.call(builder.inttoptr(args[1], function.as_pointer()), given)

    return kind.dtype(kind, address, words), generate


call_back: Any = intrinsic(_call_back)
"""Calls the C function of 64-bit words at an address, which returns a value of type ``kind``; for kernels only."""


def _address_of(_context: Any, record: Any) -> Any:
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], _WORD)

    return types.uint64(record), generate


address_of: Any = intrinsic(_address_of)
"""The address of a record; for kernels only."""
