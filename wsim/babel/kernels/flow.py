"""A game as a machine that stops at every decision (sections 3-8).

``advance`` runs to the next decision and lists its moves; ``take`` carries one of them out. Between the two a game can
be left, copied and resumed: the position (layout.STATE) contains all of it.

In each action: window W1 clockwise from the active seat A; A's turn (pass or disc); on a build: W2 clockwise from A's
left; offers clockwise from A's left (each followed by its bluff, where allowed); W3 of A; partners; completion; then
wonder, marker and action card; Triple bonus for each unpaid offer clockwise from A's left (in the build that ends the
game, too: section 5.4 checks for the end after the payment); after the action the Double turn of A, unless the game has
ended. In a window a seat continues until it declines or cannot play; a Card exchange asks for one kind after the other.
The common draw goes clockwise from A.
"""

from __future__ import annotations

from wsim.babel import words as w
from wsim.babel.kernels import layout
from wsim.babel.kernels.build import accept, announce, clear_build, fail, may_triple, pay_offer, reveal_offers, succeed
from wsim.babel.kernels.deal import draw, spend_action_card
from wsim.babel.kernels.log import note
from wsim.babel.kernels.moves import (
    list_bluff,
    list_complete,
    list_exchange,
    list_offer,
    list_play_card,
    list_take,
    list_turn,
    list_yes_no,
    usable,
)
from wsim.babel.kernels.scoring import final_scoring
from wsim.jit import kernel

# --- the machine


@kernel
def advance(game, rules, until):
    """Advance to the next decision, list its moves and return the seat that decides; NOBODY at a phase of ``until``."""
    flow, public = game.flow, game.public
    while not until >> flow.phase & 1:
        phase = flow.phase
        if phase == layout.WINDOW:
            if _find_player_of_cards(game):
                list_play_card(game, flow.seat)
                return flow.seat
            _leave_window(game)
        elif phase == layout.CHOOSE:
            list_turn(game)
            return public.active
        elif phase == layout.LAY_OFFER:
            list_offer(game, rules, flow.seat)
            return flow.seat
        elif phase == layout.LAY_BLUFF:
            list_bluff(game, flow.seat)
            return flow.seat
        elif phase == layout.TAKE_OFFERS:
            list_take(game)
            return public.active
        elif phase == layout.FINISH_BUILD:
            list_complete(game, rules)
            return public.active
        elif phase == layout.PAY_OFFERS:
            if _pay_to_next_triple(game, rules):
                list_yes_no(game, w.TRIPLE)
                return flow.seat
            _end_build(game)
        elif phase == layout.AGAIN:
            if _may_double(game, rules):
                list_yes_no(game, w.DOUBLE)
                return public.active
            flow.phase = layout.END_TURN
        elif phase == layout.SET_ASIDE:
            list_exchange(game, flow.seat, flow.lowest)
            return flow.seat
        elif phase == layout.BEGIN:
            public.action = 1
            flow.phase = layout.ACT
        elif phase == layout.ACT:
            note(game, layout.LOG_ACTION, public.active, 0, 0)
            _open_window(game, public.active, public.seats, layout.CHOOSE)  # W1
        elif phase == layout.END_TURN:
            _end_turn(game, rules)
        elif phase == layout.SCORE:
            note(game, layout.LOG_END, 0, public.over, 0)
            final_scoring(game, rules)
            flow.phase = layout.OVER
        else:
            return layout.NOBODY
    return layout.NOBODY


@kernel
def take(game, rules, move):
    """Carry out a move of the decision at which ``advance`` stopped."""
    flow = game.flow
    phase = flow.phase
    if phase == layout.WINDOW:
        _play_card(game, rules, move)
    elif phase == layout.SET_ASIDE:
        # Cards are set aside kind by kind; the exchange follows the last one (A30).
        if move:
            own = game.own[flow.seat]
            flow.lowest = move - 1
            own.hand[flow.lowest] -= 1
            own.aside[flow.lowest] += 1
            flow.aside += 1
        if move == 0 or flow.aside == rules.effects[w.EXCHANGE_CARDS]:
            _exchange(game, rules)
    elif phase == layout.CHOOSE:
        _choose(game, rules, move)
    elif phase == layout.LAY_OFFER:
        game.hidden.offer[flow.seat] = move
        if rules.allow_bluff_cards:
            flow.phase = layout.LAY_BLUFF
        else:
            _next_offer(game)
    elif phase == layout.LAY_BLUFF:
        game.hidden.bluff[flow.seat] = move
        _next_offer(game)
    elif phase == layout.TAKE_OFFERS:
        accept(game.public, move)
        flow.phase = layout.FINISH_BUILD
    elif phase == layout.FINISH_BUILD:
        public = game.public
        flow.built, flow.ended = move != 0, 0
        if move:
            flow.ended = succeed(game, rules, move - layout.COMPLETED)
        else:
            fail(game)
        flow.seat, flow.left = (public.active + 1) % public.seats, public.seats - 1
        flow.phase = layout.PAY_OFFERS
    elif phase == layout.PAY_OFFERS:
        pay_offer(game, rules, flow.seat, move != 0)
        _next_seat(game)
    elif phase == layout.AGAIN:
        _double(game, move)


@kernel
def _next_seat(game):
    game.flow.seat = (game.flow.seat + 1) % game.public.seats
    game.flow.left -= 1


# --- action cards that may be played "any time": windows W1, W2 and W3 (section 7)


@kernel
def _open_window(game, first, count, after):
    """Open a window in which ``count`` seats, clockwise from ``first``, may play action cards in turn."""
    flow = game.flow
    flow.seat, flow.after = first, after
    flow.left = count if game.hidden.instant_cards else 0
    flow.phase = layout.WINDOW


@kernel
def _find_player_of_cards(game):
    """Advance to the next seat of the window that may play a card; return whether there is one."""
    flow = game.flow
    while flow.left > 0:
        own = game.own[flow.seat]
        if usable(own, w.EXCHANGE_CARDS) > 0 or usable(own, w.DRAW_THREE) > 0:
            return True
        _next_seat(game)
    return False


@kernel
def _leave_window(game):
    """Continue after the window; offers begin on the left of the active seat."""
    flow, public = game.flow, game.public
    flow.phase = flow.after
    if flow.phase == layout.LAY_OFFER:
        flow.seat, flow.left = (public.active + 1) % public.seats, public.seats - 1


@kernel
def _play_card(game, rules, move):
    """Play a Card exchange or Draw three, or stop playing cards."""
    flow = game.flow
    if move == 0:
        _next_seat(game)
        return
    spend_action_card(game, flow.seat, move - 1)
    if move - 1 == w.DRAW_THREE:
        for _ in range(rules.effects[w.DRAW_THREE]):
            draw(game, rules, flow.seat)
        return
    flow.aside = flow.lowest = 0
    flow.phase = layout.SET_ASIDE
    if rules.effects[w.EXCHANGE_CARDS] == 0:
        _exchange(game, rules)


@kernel
def _exchange(game, rules):
    """Draw as many cards as were set aside, then discard the cards set aside (A30)."""
    flow, public = game.flow, game.public
    own = game.own[flow.seat]
    for _ in range(flow.aside):
        draw(game, rules, flow.seat)
    public.hand_size[flow.seat] -= flow.aside
    for kind in range(len(w.KINDS)):
        public.discards[kind] += own.aside[kind]
        public.shown[flow.seat, kind] = max(public.shown[flow.seat, kind] - own.aside[kind], 0)
        own.aside[kind] = 0
    flow.phase = layout.WINDOW


# --- pass or build


@kernel
def _choose(game, rules, move):
    """Pass and draw, or announce a build and open window W2."""
    public, flow = game.public, game.flow
    if move:
        announce(public, rules, move - 1)
        _open_window(game, (public.active + 1) % public.seats, public.seats - 1, layout.LAY_OFFER)
        return
    game.hidden.tally[public.active].passes += 1
    for _ in range(rules.pass_draw):
        draw(game, rules, public.active)
    flow.phase = layout.AGAIN


@kernel
def _next_offer(game):
    """Ask the next opponent for its offer; after the last one, reveal all and open window W3."""
    flow = game.flow
    flow.phase = layout.LAY_OFFER
    _next_seat(game)
    if flow.left and flow.seat == game.public.active:  # only where offers are made again (redraw.py)
        flow.seat = (flow.seat + 1) % game.public.seats
    if flow.left == 0:
        reveal_offers(game)
        _open_window(game, game.public.active, 1, layout.TAKE_OFFERS)


@kernel
def _pay_to_next_triple(game, rules):
    """Pay offers up to the next one whose seat may play the Triple bonus; return whether there is one."""
    flow, public = game.flow, game.public
    while flow.left > 0:
        if public.offer[flow.seat] and not (public.taken >> flow.seat) & 1:
            if may_triple(game, rules, flow.seat, flow.built):
                return True
            pay_offer(game, rules, flow.seat, False)
        _next_seat(game)
    return False


@kernel
def _end_build(game):
    """Clear the build, which may have ended the game (section 8)."""
    clear_build(game)
    if game.flow.ended:
        game.public.over = w.KIND_GONE
        game.flow.phase = layout.SCORE
    else:
        game.flow.phase = layout.AGAIN


# --- the end of a turn


@kernel
def _may_double(game, rules):
    """Return whether the active seat may play a Double turn (A18, A20, A21)."""
    public = game.public
    return public.action <= rules.max_double_turns and usable(game.own[public.active], w.DOUBLE_TURN) != 0


@kernel
def _double(game, move):
    """Take a second action, or end the turn."""
    if move == 0:
        game.flow.phase = layout.END_TURN
        return
    spend_action_card(game, game.public.active, w.DOUBLE_TURN)
    game.public.action += 1
    game.flow.phase = layout.ACT


@kernel
def _end_turn(game, rules):
    """Do the common draw (A3), then start the next seat's turn, unless this was the last turn (A32)."""
    public, flow = game.public, game.flow
    active = public.active
    if not rules.action_card_usable_at_once:
        for card in range(len(w.ACTION_CARDS)):
            game.own[active].fresh[card] = 0
    seat = active
    for _ in range(public.seats):
        for _ in range(rules.common_draw):
            draw(game, rules, seat)
        seat = (seat + 1) % public.seats
    note(game, layout.LOG_TURN_END, active, 0, 0)
    if public.turn >= rules.turn_limit:
        public.over = w.TURN_LIMIT
        flow.phase = layout.SCORE
        return
    public.turn += 1
    public.active = (active + 1) % public.seats
    flow.phase = layout.BEGIN
