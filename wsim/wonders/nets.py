"""The nets of 7 Wonders (``wsim.policies.nets``), and how they are laid out for a rule set.

The weights are for effects of cards; ``laid`` makes a row for each card of a rule set of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wsim.policies.nets import LearnedNet
from wsim.wonders.kernels.layout import WEIGHTS
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    MOVE_NUMBERS,
    NARROW,
    NET,
    STAGE_ROLES,
    STATE_NUMBERS,
    WIDTH,
)
from wsim.wonders.policies.net_items import ITEM_NUMBERS, item_numbers
from wsim.wonders.words import AGES, CARDS, STAGE_ENTRY

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SHAPES", "Net"]

_ITEMS = len(ITEM_NUMBERS)
SHAPES: Mapping[str, tuple[int, ...]] = {
    "bias": (WIDTH,),
    "of_number": (STATE_NUMBERS, WIDTH),
    "card_roles": (len(CARD_ROLES), _ITEMS, WIDTH),
    "stage_roles": (len(STAGE_ROLES), _ITEMS, WIDTH),
    "of_move": (MOVE_NUMBERS, WIDTH),
    "second": (WIDTH, NARROW),
    "second_bias": (NARROW,),
    "last": (NARROW,),
    "straight": (MOVE_NUMBERS,),
}
"""The arrays of a net and their shapes; ``card_roles`` and ``stage_roles`` have a row for each of ``ITEM_NUMBERS``."""


@dataclass(frozen=True, eq=False)
class Net(LearnedNet):
    """A net of 7 Wonders; ``card_roles`` and ``stage_roles`` of its arrays have a row for each of ``ITEM_NUMBERS``."""

    GAME: ClassVar[str] = "seven_wonders"
    SHAPES: ClassVar[Mapping[str, tuple[int, ...]]] = SHAPES
    WEIGHTS: ClassVar[tuple[int, ...]] = (AGES, WEIGHTS)

    def laid(self, rules: Any) -> NDArray[Any]:
        """Return the NET record (shape ()) of the net for the cards and stages of a RULES record."""
        record = np.zeros((), NET)
        self._fill(record)
        numbers = item_numbers(rules)
        record["rows"] = np.concatenate(
            [
                self.arrays["of_number"],
                self.arrays["of_move"],
                _rows(numbers[:CARDS], self.arrays["card_roles"]).reshape(-1, WIDTH),
                _rows(numbers[STAGE_ENTRY:], self.arrays["stage_roles"]).reshape(-1, WIDTH),
            ]
        )
        return record


def _rows(numbers: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``numbers @ weights`` for each role, summed in one order on every machine."""
    found = np.zeros((len(weights), len(numbers), WIDTH), np.float32)
    for place in range(numbers.shape[1]):
        found += numbers[None, :, place, None] * weights[:, None, place, :]
    return found
