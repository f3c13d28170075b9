"""Playing the Free City (R46): its own points do not matter, so moves are rated by their effect on holder and rival.

These effects are coins paid to the holder rather than the rival, shields against both, and denying a card to the
rival, who gets the hand next.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders.kernels.moves import action_of, card_of, left_of, right_of
from wsim.wonders.kernels.turn import neighbor_left
from wsim.wonders.policies.points import conflict_points, next_stage, score_change
from wsim.wonders.words import BUILD, DECLINE, EFFECT, FREE_CITY, STAGE

_DENIED = 0.5  # fraction of the points that the card would give the rival at once
_MISSED = 0.25  # fraction of the points for the holder, who sees the hand again in two turns


@kernel
def _war_against(public, rules, seat, city, shields):
    """Return the change in a player's conflict points if the Free City gets more shields."""
    margin = public.shields[seat] - public.shields[city]
    return conflict_points(public, rules, margin - shields) - conflict_points(public, rules, margin)


@kernel
def city_value(public, own, choice, rules, move):
    """Return the value of a move of the Free City for the player who chooses it."""
    action, city, card = action_of(move), choice.seat, card_of(move)
    me, rival = own.seat, 1 - own.seat
    if action == DECLINE or choice.kind == EFFECT:  # its own points do not matter: the first option
        return 0.0
    value = 0.0
    if choice.kind == FREE_CITY:
        value += _DENIED * score_change(public, rules, rival, card) - _MISSED * score_change(public, rules, me, card)
    if action == BUILD or action == STAGE:
        item = card if action == BUILD else next_stage(public, rules, city)
        shields = np.int64(rules.shields[item])
        if shields:
            value += _war_against(public, rules, me, city, shields) - _war_against(public, rules, rival, city, shields)
        traded = left_of(move) - right_of(move)
        value += (traded if neighbor_left(public, city) == me else -traded) / rules.coins_per_point
    return value


@kernel
def pick_for_free_city(public, own, choice, rules):
    """Return the index of the Free City move that is best for its holder; the first in case of ties."""
    best, at = -1e9, 0
    for i in range(choice.count):
        value = city_value(public, own, choice, rules, choice.moves[i])
        if value > best:
            best, at = value, i
    return at
