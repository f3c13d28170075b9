"""The kernel type of the address array that an engine receives (calls.py): the address of its first element.

Numba passes an array as seven words and counts its references in every kernel that passes it on, with atomic
operations: four for each decision of a game. The array cannot be freed while an entry point runs, because its caller
holds it.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion  # type: ignore[attr-defined]
from numba.extending import NativeValue, register_model, unbox

from wsim.jit.records import Lanes, LanesModel

ARRAY = types.Array(types.uint64, 1, "C")
_MOST = 1 << 16  # addresses; the length is not known


class Addresses(Lanes):
    """The type of an address array in kernels. Entry points accept a numpy array for it."""

    def __init__(self) -> None:
        super().__init__(types.uint64, types.uint64, 8, (_MOST,), "addresses", True)

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:  # noqa: ARG002
        """Allow Python to pass a numpy array to an entry point."""
        return Conversion.safe if other == ARRAY else None


register_model(Addresses)(LanesModel)


@unbox(Addresses)
def _unbox(_kind: Any, value: Any, c: Any) -> Any:
    """Return the address of the first element of a numpy array, which is kept alive until the entry point is done."""
    array = c.unbox(ARRAY, value)
    first = cgutils.create_struct_proxy(ARRAY)(c.context, c.builder, array.value).data

    def release() -> None:
        c.context.nrt.decref(c.builder, ARRAY, array.value)

    return NativeValue(c.builder.bitcast(first, cgutils.voidptr_t), is_error=array.is_error, cleanup=release)
