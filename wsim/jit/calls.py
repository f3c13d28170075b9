"""Compiled functions called by their address: an engine calls policies that it was not compiled with.

An engine gets an array of addresses, so that neither another line-up nor another policy compiles it again. What holds
an address must hold the function, too: machine code goes with the last reference to it. Without the JIT, "addresses"
are the functions themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from wsim.jit.modes import JIT

ADDRESSES = types.Array(types.uint64, 1, "C")
"""The type of the argument that brings addresses to an entry point."""


def addresses_of(functions: Sequence[Any]) -> Any:
    """Return what ``call`` finds entry points by: an array of their addresses, without the JIT a tuple of them."""
    if not JIT:
        return tuple(functions)
    return np.array([_address(function) for function in functions], np.uint64)


def _address(function: Any) -> int:
    """Return where the machine code of an entry point lies."""
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def call(address: Any, *records: Any) -> Any:
    """Call the entry point at an address, a function of records that returns an int64; exceptions go through."""
    return address(*records)


@overload(call)
def _call_overload(address, *records):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda address, *records: _call(address, records)  # type: ignore[call-arg]


@intrinsic
def _call(_context, address, records):  # type: ignore[no-untyped-def]
    kinds = tuple(records)

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        convention = context.call_conv
        callee = builder.inttoptr(args[0], convention.get_function_type(types.int64, kinds).as_pointer())
        given = [builder.extract_value(args[1], place) for place in range(len(kinds))]
        status, result = convention.call_function(builder, callee, types.int64, kinds, given)
        with builder.if_then(status.is_error, likely=False):
            convention.return_status_propagate(builder, status)
        return result

    return types.int64(address, records), generate


def _address_of(_context: Any, record: Any) -> Any:
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.uint64(record), generate


address_of: Any = intrinsic(_address_of)
"""The address of a record; for kernels only."""
