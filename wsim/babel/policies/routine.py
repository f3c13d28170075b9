"""What is settled before a policy is asked; see ``wsim.policies.interface``."""

from __future__ import annotations

from wsim.babel.words import EXPLORE
from wsim.jit import kernel
from wsim.rng import below, uniform

__all__ = ["ROUTINE"]


@kernel
def _explore(public, own, choice, rules):
    """With the chance ``explore``, make a uniformly random move; draw from the seat's stream only if it is set."""
    chance = own.parameters[EXPLORE]
    if chance > 0.0 and uniform(own) < chance:
        return below(own, choice.count)
    return -1


ROUTINE = {"explore": _explore}
"""Name -> part, in the order in which they are gone through."""
