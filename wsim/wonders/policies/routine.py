"""Default decisions, made before a policy is called.

By default a policy uses all parts; its row in the registry can select some. Each part returns the index of a move, or
-1 to leave the decision to the policy; they are compiled into its entry point (``wsim.policies.interface``).
"""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import below, uniform
from wsim.wonders.policies.free_city import pick_for_free_city
from wsim.wonders.words import EXPLORE, LOSS


@kernel
def _pay_loss(public, own, choice, rules):
    """Pay as much of a coin loss as possible (R32): a coin is worth a third of a point, a debt costs a whole one."""
    return 0 if choice.kind == LOSS else -1


@kernel
def _explore(public, own, choice, rules):
    """With probability ``explore``, make a uniformly random move, except for losses; draws only if it is set (R51)."""
    chance = own.parameters[EXPLORE]
    if chance > 0.0 and choice.kind != LOSS and uniform(own) < chance:
        return below(own, choice.count)
    return -1


@kernel
def _play_free_city(public, own, choice, rules):
    """Play the Free City by the effect of its moves on holder and rival (R46)."""
    return pick_for_free_city(public, own, choice, rules) if choice.seat != own.seat else -1


ROUTINE = {"loss": _pay_loss, "explore": _explore, "free_city": _play_free_city}
"""Name -> part, in the order of evaluation."""
