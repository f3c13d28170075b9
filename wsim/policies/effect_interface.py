"""What a game offers to Python effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


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
