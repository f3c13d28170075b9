"""The nets of Tower of Babel (``wsim.policies.nets``), and how they are laid out for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wsim.babel.kernels.layout import WEIGHTS
from wsim.babel.kernels.net_layout import MOVE_NUMBERS, NARROW, NET, STATE_NUMBERS, WIDTH
from wsim.policies.nets import LearnedNet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SHAPES", "Net"]

SHAPES: Mapping[str, tuple[int, ...]] = {
    "bias": (WIDTH,),
    "of_number": (STATE_NUMBERS, WIDTH),
    "of_move": (MOVE_NUMBERS, WIDTH),
    "second": (WIDTH, NARROW),
    "second_bias": (NARROW,),
    "last": (NARROW,),
    "straight": (MOVE_NUMBERS,),
}
"""The arrays of a net and their shapes."""


@dataclass(frozen=True, eq=False)
class Net(LearnedNet):
    """A net of Tower of Babel."""

    GAME: ClassVar[str] = "tower_of_babel"
    SHAPES: ClassVar[Mapping[str, tuple[int, ...]]] = SHAPES
    WEIGHTS: ClassVar[tuple[int, ...]] = (WEIGHTS,)

    def laid(self) -> NDArray[Any]:
        """Return the NET record (shape ()) of the net."""
        record = np.zeros((), NET)
        self._fill(record)
        record["rows"] = np.concatenate([self.arrays["of_number"], self.arrays["of_move"]])
        return record
