"""The entry point of positions (wsim/kernels/commands.py)."""

from __future__ import annotations

from wsim.babel.kernels.deal import seat_players
from wsim.babel.kernels.observe import observe
from wsim.babel.kernels.redraw import redraw
from wsim.babel.kernels.scoring import outcome
from wsim.babel.kernels.steps import STEPS
from wsim.kernels.commands import CommandHooks, commands_of

run_machine = commands_of(
    STEPS, CommandHooks(redraw=redraw, seat_players=seat_players, observe=observe, outcome=outcome)
)
