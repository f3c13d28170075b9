"""The entry point of positions (wsim/kernels/commands.py)."""

from __future__ import annotations

from wsim.babel.kernels.deal import CARD_STREAM, DICE_STREAM, load_entrant
from wsim.babel.kernels.observe import observe
from wsim.babel.kernels.redraw import redraw
from wsim.babel.kernels.scoring import outcome
from wsim.babel.kernels.steps import STEPS
from wsim.jit import kernel
from wsim.kernels.commands import CommandHooks, commands_of
from wsim.rng import below, redrawn_deal_word, redrawn_seat_word, seek


@kernel
def seat_players(game, rules, seating, seed, number):
    """Let the line-up continue the game with separate random streams for policies, cards to be drawn, and dice."""
    hidden = game.hidden
    word = redrawn_deal_word(seed, number)
    seek(hidden.dice, word, DICE_STREAM)
    seek(hidden, word, CARD_STREAM)
    for top in range(hidden.actions_drawn, hidden.actions_ready):
        other = top + below(hidden, hidden.actions_ready - top)
        card = hidden.action_deck[other]
        hidden.action_deck[other] = hidden.action_deck[top]
        hidden.action_deck[top] = card
    for seat in range(rules.seats):
        own = game.own[seat]
        load_entrant(own, seating, seat)
        seek(own, redrawn_seat_word(seed, number, seat), 0)


run_machine = commands_of(
    STEPS, CommandHooks(redraw=redraw, seat_players=seat_players, observe=observe, outcome=outcome)
)
