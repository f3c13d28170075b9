"""Points of action cards by formula (A33): values of names, and the points of a card."""

from __future__ import annotations

import numpy as np

from wsim.babel.facts import SEAT_NAMES
from wsim.babel.kernels.seat import FACTS
from wsim.jit import kernel
from wsim.kernels.formula_machine import machine
from wsim.kernels.formula_words import OPERATION

_NUMBER = OPERATION["number"]
_SEAT_NAMES = len(SEAT_NAMES)
_COMPLETED, _TURN = _SEAT_NAMES, _SEAT_NAMES + 1
_of_seat = FACTS.answer()


@kernel
def _leaf(game, rules, operation, operand, seat, other):
    """Return a number, or the value of a name."""
    if operation == _NUMBER:
        return operand
    public, name = game.public, operand >> 2
    if name < _SEAT_NAMES:
        return _of_seat(game, rules, seat, name)
    if name == _COMPLETED:
        return np.int64(public.row)
    return np.int64(public.turn if name == _TURN else public.seats)


_evaluate = machine(_leaf)


@kernel
def points_of(game, rules, seat, card):
    """Return the value of an action card for a seat: a number, or the value of its formula."""
    at = rules.effect_at[card]
    return rules.effects[card] if at < 0 else _evaluate(game, rules, at, seat, seat)
