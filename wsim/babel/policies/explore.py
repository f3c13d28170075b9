"""The parameter ``explore`` of every policy: the chance that a move is a uniformly random one."""

from __future__ import annotations

from wsim.babel.words import PARAMETERS
from wsim.jit import kernel
from wsim.rng import uniform

EXPLORE = PARAMETERS - 1
"""Its place in ``PRIVATE.parameters``: the last one."""


@kernel
def explores(own, choice):
    """Say whether this move is to be random; draws from the seat's stream only if ``explore`` is set."""
    chance = own.parameters[EXPLORE]
    return chance > 0.0 and uniform(own) < chance
