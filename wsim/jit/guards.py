"""How a kernel stops a game whose numbers exceed a limit: it records a note and raises ``LimitError``."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from wsim.jit.notes import generate_note, take_note, write_note
from wsim.limits import BrokenLimit

_KIND = 1  # of a note
_WORD = ir.IntType(64)


class LimitError(Exception):
    """A number of a game exceeds its limit (``broken_limit``)."""


def broken_limit() -> BrokenLimit | None:
    """Return and clear the note of the last guard that stopped a game in this thread."""
    note = take_note(_KIND)
    return None if note is None else BrokenLimit(*note)


def stop(what: Any, seat: Any, source: Any, value: Any, bound: Any) -> Any:
    """Record a broken limit and raise LimitError."""
    write_note(_KIND, *map(int, (what, seat, source, value, bound)))
    raise LimitError


@overload(stop)
def _stop_overload(what, seat, source, value, bound):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda what, seat, source, value, bound: _stop(what, seat, source, value, bound)  # type: ignore[call-arg]


@intrinsic
def _stop(_context, what, seat, source, value, bound):  # type: ignore[no-untyped-def]  # noqa: ARG001
    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        generate_note(builder, _KIND, *args)
        with builder.if_then(ir.Constant(ir.IntType(1), 1), likely=False):  # what follows needs a block of its own
            context.call_conv.return_user_exc(builder, LimitError, ())
        return ir.Constant(_WORD, 0)

    return types.int64(*[types.int64] * 5), generate
