"""Win chances in 7 Wonders by the value net (wsim/kernels/chances.py): its inputs and entry points.

A seat's standing is its points if the game ended now, by category, next to those of the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wsim.jit import kernel
from wsim.kernels.chances import ChanceHooks, Entries
from wsim.kernels.net_layers import no_items_of_move
from wsim.wonders.kernels.deal import seat_players
from wsim.wonders.kernels.layout import CHOOSE, Row
from wsim.wonders.kernels.net_layout import MOVE, STATE
from wsim.wonders.kernels.redraw import redraw
from wsim.wonders.kernels.scoring import outcome, score_seat
from wsim.wonders.kernels.steps import STEPS
from wsim.wonders.kernels.turn import neighbor_left, neighbor_right
from wsim.wonders.policies.net import NET, NET_HOOKS
from wsim.wonders.policies.net_inputs import fill_state
from wsim.wonders.words import CATEGORY_KINDS, TURNS

_ONE = np.uint64(1)
_CATEGORIES_AT = 10  # leading inputs of a standing, about the total; input 9 of a move is its stage flag
assert MOVE["numbers"].shape[0] >= _CATEGORIES_AT + CATEGORY_KINDS + 2


@kernel
def _prepare(game, rules):
    """Count every seat's points as if the game ended now, and put back cards that are chosen but not yet revealed."""
    flow, public = game.flow, game.public
    for seat in range(rules.players):
        score_seat(game, rules, seat)
        if flow.phase == CHOOSE and not rules.duo and seat < flow.seat:
            own = game.own[seat]
            own.hand |= _ONE << np.uint64(own.took[public.age, public.turn])


@kernel
def _fill(game, rules, seat, x, standing):
    """Fill the numbers of a seat's state and of its standing."""
    public, result = game.public, game.result
    fill_state(public, game.own[seat], game.choice, rules, x)
    best, total, ahead = -1e9, 0.0, 0
    for other in range(rules.players):
        if other != seat:
            points = float(result.total[other])
            best = max(best, points)
            total += points
            ahead += points > result.total[seat]
    mean = total / (rules.players - 1)
    own = float(result.total[seat])
    left, right = result.total[neighbor_left(public, seat)], result.total[neighbor_right(public, seat)]
    standing[0, 0], standing[0, 1], standing[0, 2] = own / 20.0, best / 20.0, mean / 20.0
    standing[0, 3], standing[0, 4] = (own - best) / 10.0, (own - mean) / 10.0
    standing[0, 5], standing[0, 6] = (own - left) / 10.0, (own - right) / 10.0
    standing[0, 7], standing[0, 8] = ahead / 2.0, 1.0 if own > best else 0.0
    for category in range(CATEGORY_KINDS):
        standing[0, _CATEGORIES_AT + category] = result.points[seat, category] / 10.0


@kernel
def _stage(game):
    """Return the number of the turn, counted through all ages."""
    return game.public.age * TURNS + game.public.turn


@kernel
def _players(rules):
    """Return how many seats win or lose."""
    return rules.players


ENTRIES = Entries(
    STEPS,
    ChanceHooks(
        net=replace(NET_HOOKS, list_items_of_move=no_items_of_move),
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
