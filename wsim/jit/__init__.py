"""The one gateway to numba: the ``kernel`` decorator, record types, calls by address, bits, caches.

Nothing outside this package imports numba or llvmlite.
"""

from __future__ import annotations

from numba import from_dtype, types
from numba.core.errors import NumbaError, NumbaWarning
from numba.extending import overload

from wsim.jit.beside import compiled_beside, seconds_to_compile
from wsim.jit.bits import count_bits, lowest_bit, reverse_bits
from wsim.jit.cache import cache_directory, cache_is_cold, source_digest, usable_folder
from wsim.jit.calls import ADDRESSES, Bound, address_of, addresses_of, call, call_back, linked
from wsim.jit.clock import nanoseconds
from wsim.jit.copies import checking_indices, copied, copy_head, in_copies, taking_back, valuing_copies
from wsim.jit.guards import LimitError, broken_limit, stop
from wsim.jit.kernels import entry_point, kernel, njit
from wsim.jit.memory import words_of
from wsim.jit.modes import CHECKED, JIT, PLAIN
from wsim.jit.record_types import element_of, numpy_signature, record_type
from wsim.jit.slots import SLOTS, SlotError, call_slot, failed_slot, fill_slot
from wsim.jit.stack import stack_room
from wsim.jit.vectors import padded, products, rectified, rounding, sums_of_rows

__all__ = [
    "ADDRESSES", "CHECKED", "JIT", "PLAIN", "SLOTS", "Bound", "LimitError", "NumbaError", "NumbaWarning", "SlotError",
    "address_of", "addresses_of", "broken_limit", "cache_directory", "cache_is_cold", "call", "call_back",
    "call_slot", "checking_indices", "compiled_beside", "copied", "copy_head", "count_bits", "element_of",
    "entry_point", "failed_slot", "fill_slot", "from_dtype", "in_copies", "kernel", "linked", "lowest_bit",
    "nanoseconds", "njit", "numpy_signature", "overload", "padded", "products", "record_type", "rectified",
    "reverse_bits", "rounding", "seconds_to_compile", "source_digest", "stack_room", "stop", "sums_of_rows",
    "taking_back", "types", "usable_folder", "valuing_copies", "words_of",
]  # fmt: skip
