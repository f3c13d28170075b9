"""A turn: one action, a second one with the Double turn, then the common draw (section 3)."""

from __future__ import annotations

from wsim.babel.catalog.reading import ACTION_CARDS
from wsim.babel.kernels.ask import ask, note
from wsim.babel.kernels.build import build
from wsim.babel.kernels.deal import draw, spend_action_card
from wsim.babel.kernels.layout import DOUBLE, DOUBLE_TURN, LOG_ACTION, LOG_TURN_END, RUNNING, TURN_LIMIT
from wsim.babel.kernels.moves import list_turn, list_yes_no, usable
from wsim.babel.kernels.windows import open_window
from wsim.jit import kernel


@kernel
def play_turn(g, t, lineup):
    """Play the turn of the active seat; the game may end in it."""
    public = g.public
    active = public.active
    public.action = 1
    _act(g, t, lineup)
    while public.over == RUNNING and _plays_double_turn(g, t, lineup):
        public.action += 1
        _act(g, t, lineup)
    if public.over != RUNNING:
        return
    if not t.action_card_usable_at_once:
        for card in range(len(ACTION_CARDS)):
            g.own[active].fresh[card] = 0
    seat = active
    for _ in range(public.seats):  # A3: clockwise from the active seat
        for _ in range(t.common_draw):
            draw(g, t, seat)
        seat = (seat + 1) % public.seats
    note(g, LOG_TURN_END, active, 0, 0)
    if public.turn >= t.turn_limit:
        public.over = TURN_LIMIT  # A32
        return
    public.turn += 1
    public.active = (active + 1) % public.seats


@kernel
def _act(g, t, lineup):
    """Window W1, then PASS or BUILD."""
    public = g.public
    active = public.active
    note(g, LOG_ACTION, active, 0, 0)
    open_window(g, t, lineup, active, public.seats)
    list_turn(g)
    move = ask(g, t, lineup, active)
    if move:
        build(g, t, lineup, move - 1)
        return
    g.hidden.tally[active].passes += 1
    for _ in range(t.pass_draw):
        draw(g, t, active)


@kernel
def _plays_double_turn(g, t, lineup):
    """Ask the active seat for a Double turn where it may play one (A18, A20, A21)."""
    public = g.public
    active = public.active
    if public.action > t.max_double_turns or usable(g.own[active], DOUBLE_TURN) == 0:
        return False
    list_yes_no(g, DOUBLE)
    if ask(g, t, lineup, active) == 0:
        return False
    spend_action_card(g, active, DOUBLE_TURN)
    return True
