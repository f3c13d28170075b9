"""The guards of Tower of Babel: checks that numbers fit (wsim/kernels/guards.py).

=============================================  =================================================================
stored in                                      guard
=============================================  =================================================================
PUBLIC.points, TALLY                           64 bits
ROW.total and the points by source             ``check_points`` in the row writer; all but ``action_points``, which
                                               a Triple bonus can make negative, are parts of the total
the points in an observation (16 bits)         ``check_total``
LOG.events                                     ``log._log`` before it appends; its values are units of a wonder
LOG.events: move of LOG_WONDER, LOG_PAID       bounded: 32 bits for the points of one wonder or offer
the points of a formula                        ``formula_machine``; its reader holds them to those of a number
CHOICE.moves, SUMS                             bounded: 97 offers on a disc of 6 + 6, 16 sets of partners
all others: builds, offers, discs, parts,      bounded: 24 builds of at most 12 cards, 8 action cards drawn, at
cards, turns, reshuffles                       most 1,008 actions (babel.rules.turn_limit)
=============================================  =================================================================
"""

from __future__ import annotations

from wsim.babel.limits import ACTION_POINTS, MAX_POINTS, MIN_POINTS, POINTS
from wsim.jit import kernel
from wsim.kernels.guards import stop_game


@kernel
def check_total(public, seat):
    """Stop a game in which a seat has more points than an observation can show."""
    if public.points[seat] > MAX_POINTS:
        stop_game(POINTS, seat, -1, public.points[seat], MAX_POINTS)


@kernel
def check_points(public, tally, seat):
    """Stop a game in which the total points of a seat, or the points of its action cards alone, do not fit in a row."""
    check_total(public, seat)
    points = tally.action_points
    if points > MAX_POINTS or points < MIN_POINTS:
        stop_game(ACTION_POINTS, seat, -1, points, MAX_POINTS if points > 0 else MIN_POINTS)
