"""Spaces of observations and actions, as Gymnasium has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, Space
from numpy.typing import NDArray

__all__ = ["LegalDiscrete", "mask_of", "observation_box"]


class LegalDiscrete(Discrete):
    """Actions; without a mask it draws one that is legal now, where its environment has told it which are."""

    legal: NDArray[np.int8] | None = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action."""
        if mask is None and probability is None and self.legal is not None and self.legal.any():
            mask = self.legal
        return super().sample(mask, probability)


def observation_box(columns: int) -> Space[Any]:
    """Return the space of observations: so many short integers."""
    limits = np.iinfo(np.int16)
    return Box(limits.min, limits.max, (columns,), np.int16)


def mask_of(legal: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return a mask as ``Discrete.sample`` wants it: a copy."""
    return legal.astype(np.int8)
