"""Spaces of observations and actions, as Gymnasium has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from wsim.env.game_vector import GameVector, checked_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

OBSERVATIONS = ("counts", "scaled")
SAMPLE, SAMPLE_SEED = 64, 1  # games whose largest numbers scale observations


class LegalDiscrete(Discrete):
    """Actions; without a mask it draws one that is legal now, where its environment has told it which are."""

    legal: NDArray[np.int8] | None = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw an action."""
        if mask is None and probability is None and self.legal is not None and self.legal.any():
            mask = self.legal
        return super().sample(mask, probability)


class Observations:
    """How observations are given: ``counts``, the short integers that they are, or ``scaled`` to about -1..1.

    A number is scaled by the largest that it reached in some games of random moves, always the same ones of a rule set
    and number of players: ``scales`` depends on nothing else, so that a net fits whatever the line-up. What goes beyond
    is cut off.
    """

    def __init__(self, kind: str, plan: Plan, columns: int) -> None:
        self.kind, self.columns = checked_word("observations", kind, OBSERVATIONS), columns
        self.scales = largest_seen(plan) if kind == "scaled" else np.ones(columns, np.float32)

    def box(self) -> Box:
        """Return their space."""
        if self.kind == "scaled":
            return Box(-1.0, 1.0, (self.columns,), np.float32)
        return counts_box(self.columns)

    def of(self, seen: NDArray[np.int16]) -> Any:
        """Return a copy of one or more of them in this form."""
        if self.kind == "counts":
            return seen.copy()
        return np.clip(seen / self.scales, -1.0, 1.0).astype(np.float32)


def counts_box(columns: int) -> Box:
    """Return the space of observations as counts: so many short integers."""
    limits = np.iinfo(np.int16)
    return Box(limits.min, limits.max, (columns,), np.int16)


def largest_seen(plan: Plan) -> NDArray[np.float32]:
    """Return the largest size of each number of an observation in some games of random moves, at least 1."""
    games = GameVector(plan.replace(seed=SAMPLE_SEED), SAMPLE, tuple(range(plan.players)), "moves", again=True)
    games.begin(None)
    rng = np.random.default_rng(SAMPLE_SEED)
    largest, ended = np.ones(len(games.columns), np.float32), np.zeros(SAMPLE, np.bool_)
    while not ended.all():
        ended |= games.timesteps.over == 1
        largest = np.maximum(largest, np.abs(games.seen.astype(np.float32)).max(axis=0))
        games.step((games.masks * rng.random(games.masks.shape)).argmax(axis=1))
    return largest


def mask_of(legal: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return a mask as ``Discrete.sample`` wants it: a copy."""
    return legal.astype(np.int8)
