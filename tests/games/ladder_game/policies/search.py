"""Playouts of the best moves; the prior is the value by the weights."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.searching import SearchHooks, searching, utility_of

from ..kernels.layout import CHOICE, PARAMETERS, STATE
from ..kernels.rules import next_decision, outcome, redraw, take
from .simple import card_value


@kernel
def _values(game, rules, settings, seat):
    """Fill the value of each move by the weights, as utility."""
    for index in range(game.choice.count):
        value = card_value(game.public, game.own[seat], settings, game.choice.moves[index])
        game.lookahead.values[index] = 0.002 * value


@kernel
def _moment(public, choice):
    """Return the turn, which identifies a decision of the game."""
    return public.turn


search = searching(
    SearchHooks(STATE, CHOICE, _values, _moment, redraw, take, next_decision, utility_of(outcome), PARAMETERS)
)
