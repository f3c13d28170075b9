"""The parameter that every policy takes: ``explore``, the chance that a pick is a uniformly random one (R51)."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import uniform
from wsim.wonders.words import LOSS, PARAMETERS

__all__ = ["EXPLORE", "explores"]

EXPLORE = PARAMETERS - 1  # place among PRIVATE.parameters; the other places belong to the policy


@kernel
def explores(own, choice):
    """Say whether this pick is to be random; draws only if ``explore`` is set, and never for a coin loss."""
    chance = own.parameters[EXPLORE]
    return chance > 0.0 and choice.kind != LOSS and uniform(own) < chance
