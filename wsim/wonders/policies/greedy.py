"""``greedy``: the move that changes the score most at once."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import below
from wsim.wonders.kernels.layout import POLICY
from wsim.wonders.kernels.moves import action_of, bank_of, card_of, left_of, right_of, spends_of
from wsim.wonders.policies.explore import explores
from wsim.wonders.policies.free_city import pick_for_free_city
from wsim.wonders.policies.points import entry_change, next_stage, rivals_loss
from wsim.wonders.words import BUILD, LOSS, SELL, STAGE

__all__ = ["greedy_policy", "pick_most_points"]

_SAVED = 0.01  # of keeping the once-per-age free build where paying costs nothing


@kernel
def pick_most_points(public, own, choice, rules):
    """Return the build or stage that changes the score most; a sale only where there is neither. First of equals."""
    seat = choice.seat
    stage = next_stage(public, rules, seat)
    staged = 0.0
    if stage >= 0:
        staged = entry_change(public, rules, seat, stage) + rivals_loss(public, rules, seat, stage)
    best, at = -1e9, 0
    last, built = -1, 0.0
    for i in range(choice.count):
        move = choice.moves[i]
        action, card = action_of(move), card_of(move)
        value = 0.0
        if action == BUILD:
            if card != last:
                last = card
                built = entry_change(public, rules, seat, card) + rivals_loss(public, rules, seat, card)
            value = built
        elif action == STAGE:
            value = staged
        elif action == SELL:
            value = -1e6
        if action <= STAGE:
            value -= (bank_of(move) + left_of(move) + right_of(move)) / rules.coins_per_point
            if spends_of(move):
                value -= _SAVED
        if value > best:
            best, at = value, i
    return at


@kernel(POLICY)
def greedy_policy(public, own, choice, rules):
    """Take the most points at once; of a loss, pay all (a coin is a third of a point, a debt a whole one)."""
    if choice.kind == LOSS:
        return 0
    if explores(own, choice):
        return below(own, choice.count)
    if choice.seat != own.seat:
        return pick_for_free_city(public, own, choice, rules)
    return pick_most_points(public, own, choice, rules)
