"""Points of action cards by formula (A33): what a formula may ask for, and what a card brings."""

from __future__ import annotations

import numpy as np

from wsim.babel.words import KINDS, SEAT_NAMES
from wsim.jit import kernel
from wsim.kernels.formula_machine import machine
from wsim.kernels.formula_words import OPERATION

_NUMBER = OPERATION["number"]
_DISCS, _HAND, _ACTION_CARDS = (SEAT_NAMES.index(name) for name in ("discs", "hand", "action_cards"))
_COMPLETED, _TURN = len(SEAT_NAMES), len(SEAT_NAMES) + 1


@kernel
def _leaf(game, rules, operation, operand, seat, other):
    """Return a number, or what a name stands for."""
    if operation == _NUMBER:
        return operand
    public, name = game.public, operand >> 2
    if name < len(KINDS):
        return np.int64(game.own[seat].discs[name])
    if name == _DISCS:
        return np.int64(public.disc_count[seat])
    if name == _HAND:
        return np.int64(public.hand_size[seat])
    if name == _ACTION_CARDS:
        return np.int64(public.action_cards[seat])
    if name == _COMPLETED:
        return np.int64(public.row)
    return np.int64(public.turn if name == _TURN else public.seats)


_evaluate = machine(_leaf)


@kernel
def points_of(game, rules, seat, card):
    """Return the figure of an action card for a seat: a number, or what its formula comes to."""
    at = rules.effect_at[card]
    return rules.effects[card] if at < 0 else _evaluate(game, rules, at, seat, seat)
