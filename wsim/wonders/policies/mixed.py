"""``mixed``: ``net``, with a random choice among the moves that it rates nearly equal.

A rival that always makes its best move is predictable for anyone who knows the policy; a mixed strategy only partly.
docs/exploitability.md measures the cost and benefit of mixing.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.rng import below
from wsim.wonders.policies.net import net_policy, net_values
from wsim.wonders.policies.net_inputs import MAX_CANDIDATES
from wsim.wonders.words import EFFECT

MIX = 0  # index of the parameter
_places_room = stack_room("mixed.places", np.int64, MAX_CANDIDATES)
_learned_room = stack_room("mixed.learned", np.float32, MAX_CANDIDATES)


@kernel
def mixed_policy(public, own, choice, rules, settings):
    """Return one of the moves whose value is within ``mix`` of the highest, each with equal probability; draws from the
    seat's stream only if there are several (R51)."""
    if choice.kind == EFFECT:
        return net_policy(public, own, choice, rules, settings)
    places, learned = _places_room(), _learned_room()
    count, best = net_values(public, own, choice, rules, settings, places, learned), 0
    for j in range(1, count):
        if learned[j] > learned[best]:
            best = j
    least, equal = np.float64(learned[best]) - own.parameters[MIX], 0
    for j in range(count):
        if learned[j] >= least:
            places[equal] = places[j]
            equal += 1
    return places[below(own, equal)] if equal > 1 else places[0]
