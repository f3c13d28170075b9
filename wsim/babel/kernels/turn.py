"""A turn: one action, a second one with the Double turn, then the common draw (section 3)."""

from __future__ import annotations

from wsim.babel.kernels.ask import ask, note
from wsim.babel.kernels.build import build
from wsim.babel.kernels.deal import draw, spend_action_card
from wsim.babel.kernels.layout import LOG_ACTION, LOG_TURN_END
from wsim.babel.kernels.moves import list_turn, list_yes_no, usable
from wsim.babel.kernels.windows import open_window
from wsim.babel.words import ACTION_CARDS, DOUBLE, DOUBLE_TURN, RUNNING, TURN_LIMIT
from wsim.jit import kernel


@kernel
def play_turn(game, rules, line_up):
    """Play the turn of the active seat; the game may end in it."""
    public = game.public
    active = public.active
    public.action = 1
    _act(game, rules, line_up)
    while public.over == RUNNING and _plays_double_turn(game, rules, line_up):
        public.action += 1
        _act(game, rules, line_up)
    if public.over != RUNNING:
        return
    if not rules.action_card_usable_at_once:
        for card in range(len(ACTION_CARDS)):
            game.own[active].fresh[card] = 0
    seat = active
    for _ in range(public.seats):  # A3: clockwise from the active seat
        for _ in range(rules.common_draw):
            draw(game, rules, seat)
        seat = (seat + 1) % public.seats
    note(game, LOG_TURN_END, active, 0, 0)
    if public.turn >= rules.turn_limit:
        public.over = TURN_LIMIT  # A32
        return
    public.turn += 1
    public.active = (active + 1) % public.seats


@kernel
def _act(game, rules, line_up):
    """Window W1, then PASS or BUILD."""
    public = game.public
    active = public.active
    note(game, LOG_ACTION, active, 0, 0)
    open_window(game, rules, line_up, active, public.seats)
    list_turn(game)
    move = ask(game, rules, line_up, active)
    if move:
        build(game, rules, line_up, move - 1)
        return
    game.hidden.tally[active].passes += 1
    for _ in range(rules.pass_draw):
        draw(game, rules, active)


@kernel
def _plays_double_turn(game, rules, line_up):
    """Ask the active seat for a Double turn where it may play one (A18, A20, A21)."""
    public = game.public
    active = public.active
    if public.action > rules.max_double_turns or usable(game.own[active], DOUBLE_TURN) == 0:
        return False
    list_yes_no(game, DOUBLE)
    if ask(game, rules, line_up, active) == 0:
        return False
    spend_action_card(game, active, DOUBLE_TURN)
    return True
