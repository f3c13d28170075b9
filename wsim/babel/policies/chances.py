"""Win chances in Tower of Babel by the value net (wsim/kernels/chances.py): its inputs and entry points.

A seat's standing is its points if the game ended now compared with those of the others, as far as the seat knows.
"""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.deal import seat_players
from wsim.babel.kernels.layout import MOVES, Row
from wsim.babel.kernels.net_layout import MOVE, SIZES, STATE
from wsim.babel.kernels.redraw import redraw
from wsim.babel.kernels.scoring import outcome
from wsim.babel.kernels.steps import STEPS
from wsim.babel.policies.net import NET
from wsim.babel.policies.net_inputs import fill_standing, fill_state, lead_of
from wsim.babel.words import SEATS
from wsim.jit import kernel, stack_room
from wsim.kernels.chances import ChanceHooks, Entries
from wsim.kernels.net_layers import NetHooks

_points_room = stack_room("value.points", np.int64, SEATS)


@kernel
def _prepare(game, rules):
    """Do nothing: no inputs are shared by all seats."""


@kernel
def _fill(game, rules, seat, x, standing):
    """Fill the numbers of a seat's state and of its standing."""
    public, own, points = game.public, game.own[seat], _points_room()
    fill_standing(public, own, rules, points)
    fill_state(public, own, game.choice, rules, points, x)
    total = 0
    for other in range(public.seats):
        total += points[other]
    lead = lead_of(public, seat, points)
    standing[0, 0], standing[0, 1] = points[seat] / 40.0, lead / 10.0
    standing[0, 2], standing[0, 3] = (points[seat] - total / public.seats) / 10.0, 1.0 if lead > 0 else 0.0


@kernel
def _stage(game):
    """Return the number of the turn."""
    return game.public.turn


@kernel
def _players(rules):
    """Return how many seats win or lose."""
    return rules.seats


ENTRIES = Entries(
    STEPS,
    ChanceHooks(
        net=NetHooks(sizes=SIZES, choices=MOVES, candidates=MOVES, fill=_fill),
        policy=NET,
        prepare=_prepare,
        fill=_fill,
        stage=_stage,
        players=_players,
        over=outcome,
        redraw=redraw,
        seat_players=seat_players,
    ),
    Row,
    STATE,
    MOVE,
)
