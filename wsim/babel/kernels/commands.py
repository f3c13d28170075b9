"""The entry point of positions (wsim/kernels/commands.py)."""

from __future__ import annotations

from wsim.babel.kernels.deal import CARD_STREAM, DICE_STREAM, load_entrant
from wsim.babel.kernels.observe import observe
from wsim.babel.kernels.redraw import redraw
from wsim.babel.kernels.scoring import outcome
from wsim.babel.kernels.steps import STEPS
from wsim.jit import kernel
from wsim.kernels.commands import Parts, commands_of
from wsim.rng import SEAT_STREAM, below, seek


@kernel
def seat_players(game, rules, seating, seed, number):
    """Let the line-up continue from this position with its own random streams: policies, cards to be drawn, dice."""
    hidden = game.hidden
    seek(hidden.dice, seed, number, DICE_STREAM)
    seek(hidden, seed, number, CARD_STREAM)
    for top in range(hidden.actions_drawn, hidden.actions_ready):
        other = top + below(hidden, hidden.actions_ready - top)
        card = hidden.action_deck[other]
        hidden.action_deck[other] = hidden.action_deck[top]
        hidden.action_deck[top] = card
    for seat in range(rules.seats):
        own = game.own[seat]
        load_entrant(own, seating, seat)
        seek(own, seed, number, SEAT_STREAM + seat)


run_machine = commands_of(STEPS, Parts(redraw=redraw, seat_players=seat_players, observe=observe, outcome=outcome))
