"""What is settled before a policy is asked: the decisions that most policies make alike.

A row of the registry names the parts that it leaves to the routine; all of them, unless it says otherwise. Each part
returns the index of a move, or -1 where the policy is to be asked; they are compiled into the policy's entry point
(``wsim.policies.interface``).
"""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import below, uniform
from wsim.wonders.policies.free_city import pick_for_free_city
from wsim.wonders.words import EXPLORE, LOSS


@kernel
def _pay_loss(public, own, choice, rules):
    """Of a coin loss, pay all that can be paid (R32): a coin is a third of a point, a debt a whole one."""
    return 0 if choice.kind == LOSS else -1


@kernel
def _explore(public, own, choice, rules):
    """With the chance ``explore``, make a uniformly random move, but never of a loss; draw only if it is set (R51)."""
    chance = own.parameters[EXPLORE]
    if chance > 0.0 and choice.kind != LOSS and uniform(own) < chance:
        return below(own, choice.count)
    return -1


@kernel
def _play_free_city(public, own, choice, rules):
    """Play the Free City by what its moves do to holder and rival (R46)."""
    return pick_for_free_city(public, own, choice, rules) if choice.seat != own.seat else -1


ROUTINE = {"loss": _pay_loss, "explore": _explore, "free_city": _play_free_city}
"""Name -> part, in the order in which they are gone through."""
