"""The entry point of positions (wsim/kernels/commands.py)."""

from __future__ import annotations

from wsim.babel.kernels.deal import CARD_STREAM, load_entrant
from wsim.babel.kernels.engine import ENDED, ENGINE
from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.layout import STATE, TYPES
from wsim.babel.kernels.observe import observe
from wsim.babel.kernels.redraw import redraw
from wsim.jit import kernel
from wsim.kernels.commands import Parts, commands_of, nothing_counted, nothing_laid
from wsim.rng import SEAT_STREAM, below, seek

__all__ = ["outcome", "run_machine"]


@kernel
def seat_players(game, rules, seating, seed, number):
    """Let the line-up play on from here, with random streams of its own: policies, cards still to be drawn."""
    hidden = game.hidden
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


@kernel
def outcome(game, seat):
    """Return (score, share of the victory) of a seat."""
    return float(game.public.points[seat]), game.hidden.tally[seat].share


_carry_out = commands_of(
    Parts(
        state=STATE,
        engine=ENGINE,
        over=ENDED,
        next_decision=advance,
        take=take,
        redraw=redraw,
        seat_players=seat_players,
        observe=observe,
        outcome=outcome,
        lay=nothing_laid,
        count=nothing_counted,
    )
)


@kernel(TYPES.commands)
def run_machine(game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen):
    """Carry out a command on the position in ``state`` (``wsim.kernels.commands.commands_of``)."""
    return _carry_out(game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen)
