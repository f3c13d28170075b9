"""Policies without parameters: uniformly random play and the first-buildable player."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import below
from wsim.wonders.kernels.moves import action_of, card_of
from wsim.wonders.words import BUILD, EFFECT, STAGE


@kernel
def random_policy(public, own, choice, rules, settings):
    """Pick uniformly among the legal moves (R51)."""
    return below(own, choice.count)


@kernel
def first_policy(public, own, choice, rules, settings):
    """Build the first buildable card of a shuffled hand, else a stage, else sell; use the cheapest payment.

    Clauses that ask (R72) get their first option.
    """
    if choice.kind == EFFECT:
        return 0
    builds = 0
    last = -1
    for i in range(choice.count):
        move = choice.moves[i]
        if action_of(move) == BUILD and card_of(move) != last:
            builds += 1
            last = card_of(move)
    wanted = below(own, builds) if builds else -1
    last = -1
    stage = -1
    for i in range(choice.count):
        move = choice.moves[i]
        action = action_of(move)
        if action == BUILD and card_of(move) != last:
            last = card_of(move)
            if wanted == 0:
                return i
            wanted -= 1
        elif action == STAGE and stage < 0:
            stage = i
    return stage if stage >= 0 else below(own, choice.count)
