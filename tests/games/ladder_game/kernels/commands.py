"""Positions."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.commands import CommandHooks, commands_of
from wsim.rng import redrawn_seat_word, seek

from .layout import CARDS
from .playing import ENGINE
from .rules import load_entrant, outcome, redraw


@kernel
def _seat_players(game, rules, seating, seed, number):
    """Let the line-up continue with its own random streams."""
    for seat in range(rules.seats):
        load_entrant(game.own[seat], seating, seat)
        seek(game.own[seat], redrawn_seat_word(seed, number, seat), 0)


@kernel
def observe(game, rules, seat, seen):
    """Write the last card, and of each card whether the seat has it."""
    seen[0] = game.public.top
    for card in range(CARDS):
        seen[1 + card] = game.own[seat].hand >> np.uint64(card) & np.uint64(1)


run_machine = commands_of(ENGINE, CommandHooks(redraw, _seat_players, observe, outcome))
