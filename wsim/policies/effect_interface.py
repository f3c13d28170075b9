"""What a game offers to Python effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wsim.jit import JIT, addresses_of, call, njit


@dataclass(frozen=True, eq=False)
class EffectInterface:
    """A game's interface to effect functions; built once per process.

    Attributes
    ----------
    table: dtype of the table that a function gets; all its fields are 64-bit integers.
    signature: the signature of a slot: ``int64(Public, Rules, own, other, ...)``.
    write: the entry point (public, rules, array) that writes the table.
    layout: the module from which another process imports the table's dtype, as ``TABLE``.
    """

    table: np.dtype[Any]
    signature: Any
    write: Any
    layout: str

    def entry(self, compute: Any) -> Any:
        """Build the function for a slot: it writes the table into separate memory and computes a number from it.

        ``compute``: a function of the table as 64-bit words and of six numbers; compiled, unless the JIT is off.
        """
        words = self.table.itemsize // 8
        if not JIT:

            def plain(public: Any, rules: Any, *arguments: Any) -> int:
                room = np.zeros(words, np.int64)
                self.write(public, rules, room)
                number: int = compute(room, *map(int, arguments))
                return number

            return plain
        write = np.uint64(addresses_of([self.write])[0])

        def entry(public: Any, rules: Any, own: Any, other: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
            room = np.zeros(3 * words, np.int64)  # the table between two guards of zeros
            table = room[words : 2 * words]
            call(write, public, rules, table)
            result = compute(table, own, other, a, b, c, d)
            room[0] = 0  # keeps the array alive until here
            return result

        return njit(self.signature, nogil=True, error_model="python")(entry)
