"""Gymnasium spaces for observations and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from wsim.env.game_vector import GameVector, validate_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

OBSERVATIONS = ("counts", "scaled")
SAMPLE, SAMPLE_SEED = 64, 1  # number and seed of the games that determine the scales of observations


class LegalDiscrete(Discrete):
    """The space of actions; without a mask, ``sample`` draws from the legal actions that the environment has set."""

    legal: NDArray[np.int8] | None = None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw a random action, by default among the legal ones."""
        if mask is None and probability is None and self.legal is not None and self.legal.any():
            mask = self.legal
        return super().sample(mask, probability)


class Observations:
    """Converts observations to the requested form: ``counts`` (16-bit integers) or ``scaled`` to the range -1 to 1.

    Each value is divided by its maximum in a fixed sample of random games, and larger values are clipped. ``scales``
    depends only on the rule set and the number of players, so a net works with any line-up.
    """

    def __init__(self, kind: str, plan: Plan, columns: int) -> None:
        self.kind, self.columns = validate_choice("observations", kind, OBSERVATIONS), columns
        self.scales = largest_seen(plan) if kind == "scaled" else np.ones(columns, np.float32)

    def box(self) -> Box:
        """Return the Gymnasium space of the observations."""
        if self.kind == "scaled":
            return Box(-1.0, 1.0, (self.columns,), np.float32)
        return counts_box(self.columns)

    def of(self, seen: NDArray[np.int16]) -> Any:
        """Convert one or more observations to this form; always returns a copy."""
        if self.kind == "counts":
            return seen.copy()
        return np.clip(seen / self.scales, -1.0, 1.0).astype(np.float32)


def counts_box(columns: int) -> Box:
    """Return the Gymnasium space of observations in the form ``counts`` (16-bit integers)."""
    limits = np.iinfo(np.int16)
    return Box(limits.min, limits.max, (columns,), np.int16)


def largest_seen(plan: Plan) -> NDArray[np.float32]:
    """Play games with random moves and return the largest absolute value (at least 1) in each observation column."""
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
    """Convert a mask to int8, the dtype that ``Discrete.sample`` requires."""
    return legal.astype(np.int8)
