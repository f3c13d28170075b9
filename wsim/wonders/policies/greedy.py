"""``greedy``: the move with the largest immediate change of the score."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.wonders.kernels.moves import action_of, card_of, spends_of
from wsim.wonders.policies.points import effect_change, next_stage, price_of, rivals_loss, score_change
from wsim.wonders.words import BUILD, EFFECT, SELL, STAGE

_SAVED = 0.01  # points for keeping the once-per-age free build if paying costs nothing


@kernel(rare=True)
def _pick_effect(public, choice, rules):
    """Return the move of a clause decision with the largest change of the score (R72)."""
    best, at = -1e9, 0
    for i in range(choice.count):
        value = effect_change(public, rules, choice, i)
        if value > best:
            best, at = value, i
    return at


@kernel
def pick_most_points(public, own, choice, rules, settings):
    """Return the build or stage with the largest change of the score, otherwise a sale; the first in case of ties."""
    if choice.kind == EFFECT:
        return _pick_effect(public, choice, rules)
    seat = choice.seat
    stage = next_stage(public, rules, seat)
    staged = 0.0
    if stage >= 0:
        staged = score_change(public, rules, seat, stage) + rivals_loss(public, rules, seat, stage)
    best, at = -1e9, 0
    last, built = -1, 0.0
    for i in range(choice.count):
        move = choice.moves[i]
        action, card = action_of(move), card_of(move)
        value = 0.0
        if action == BUILD:
            if card != last:
                last = card
                built = score_change(public, rules, seat, card) + rivals_loss(public, rules, seat, card)
            value = built
        elif action == STAGE:
            value = staged
        elif action == SELL:
            value = -1e6
        if action <= STAGE:
            value -= price_of(move) / rules.coins_per_point
            if spends_of(move):
                value -= _SAVED
        if value > best:
            best, at = value, i
    return at
