"""A game as a machine that stops at every decision (R5-R9, R27, R28, R32, R43-R47).

``advance`` runs on to the next decision and lists its moves; ``take`` carries one of them out. Between the two a game
can be left, copied and resumed: the position (layout.STATE) contains all of it. The order of decisions:
in a turn the players by seats, each followed by the Free City's move if it holds the card; then losses by seats, last
cards by seats and their losses, and builds from the discard pile, each followed by its losses. Decisions of clauses
(R72) follow the losses of the step that triggered them, or the moment.

==========  ==================================================================================================
phase       what comes next
==========  ==================================================================================================
DEAL        the deal of an age, and of further decks
BEGIN       a turn: what is drawn and shown before anybody chooses
CHOOSE      the choice of ``flow.seat``; behind the last one the moves are resolved (R9.1-R9.4)
CITY        the choice for the Free City, by the player that holds its card
SETTLE      the first loss that is not yet settled; then ASK, or the phase ``flow.after``
LAST        the last card of ``flow.seat``; behind the last one these moves are resolved (R9.5)
PILE        the queue of builds from the discard pile (R9.6)
BUILD_PILE  the next build of the queue
FINISH      the end of the turn; of an age, the clauses that act before the conflicts
ASK         the first pending decision of a clause; then the phase ``flow.after``
WAR         the conflicts of the age, and the clauses that act after them
PEACE       the clauses that act at the end of the age
AGE_OVER    the end of the age, of the game
OVER        nothing
DRAFT       the next turn of a draft of a further deck (R101): before the first deal, after a later one, or before PEACE
OPEN        the start of an age: its clauses, and recruiting
==========  ==================================================================================================
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.asking import decide, list_next_decision
from wsim.wonders.kernels.before import freeze, thaw
from wsim.wonders.kernels.clauses import drop_age_shields, drop_turn_units, moment
from wsim.wonders.kernels.counters import reset_counters
from wsim.wonders.kernels.deal import deal
from wsim.wonders.kernels.drafting import deal_further, draft_on
from wsim.wonders.kernels.guards import add_debts
from wsim.wonders.kernels.listing import list_loss, list_pile, list_turn
from wsim.wonders.kernels.log import log_coins, log_deed, log_hands, log_loss
from wsim.wonders.kernels.military import fight_conflicts
from wsim.wonders.kernels.moves import NO_MOVE, action_of, bank_of, card_of, slot_of
from wsim.wonders.kernels.picked import remember_pile
from wsim.wonders.kernels.recruiting import ask_to_recruit
from wsim.wonders.kernels.scoring import score_game
from wsim.wonders.kernels.turn import build_from_pile, discard, leave_hand, plays_last, resolve
from wsim.wonders.limits import LOSSES, MAX_COINS, WAITING

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FREE_CITY_SEAT = 2
_DEBT_CHOICE = w.SWITCH_NUMBER["debt_choice"]
_LAST_ON_NEW_STATE = w.SWITCH_NUMBER["last_card_on_new_state"]
_BOARDS_FIRST = w.SWITCH_NUMBER["discard_builds_boards_first"]
_ASKING = (
    1 << layout.SETTLE | 1 << layout.LAST | 1 << layout.BUILD_PILE | 1 << layout.ASK
)  # phases of several decisions


# --- the machine


@kernel
def advance(game, rules, until):
    """Advance to the next decision, list its moves and return the player who decides; NOBODY at a phase of
    ``until``."""
    flow = game.flow
    while not until >> flow.phase & 1:
        phase = flow.phase
        if phase == layout.CHOOSE:
            if flow.seat < flow.end or _wrap(flow):
                return list_choice(game, rules, flow.seat, w.TURN)
            _resolve_turn(game, rules)
        elif phase == layout.BEGIN:
            _begin_turn(game, rules)
        elif phase == layout.FINISH:
            _finish_turn(game, rules)
        elif phase == layout.PILE:
            _queue_builds(game, rules)
        elif phase == layout.CITY:
            return list_choice(game, rules, _FREE_CITY_SEAT, w.FREE_CITY)
        elif phase == layout.OVER:
            return layout.NOBODY
        elif _ASKING >> phase & 1:
            seat = _list_next(game, rules, phase)
            if seat != layout.NOBODY:
                return seat
        else:
            _between_turns(game, rules, phase)
    return layout.NOBODY


@kernel
def _list_next(game, rules, phase):
    """List the next decision of a phase that may have several and return the player who decides; NOBODY if none is
    left, and the next phase is set."""
    flow = game.flow
    if phase == layout.SETTLE:
        seat = _list_next_loss(game, rules)
        if seat == layout.NOBODY:
            flow.phase = layout.ASK if game.asking.count else flow.after
    elif phase == layout.LAST:
        seat = _list_next_last_card(game, rules)
        if seat == layout.NOBODY:
            _resolve_last_cards(game, rules)
    elif phase == layout.BUILD_PILE:
        if rules.triggers:
            _enqueue_granted(game, rules)
        seat = _list_next_build(game, rules)
        if seat == layout.NOBODY:
            flow.phase = layout.FINISH
    else:
        seat = list_next_decision(game, rules)
        if seat == layout.NOBODY:
            flow.phase = flow.after
    return seat


@kernel
def _between_turns(game, rules, phase):
    """Carry out a phase before the first turn of an age or after its last one."""
    if phase == layout.DEAL:
        _deal_age(game, rules)
    elif phase == layout.OPEN:
        _open_age(game, rules)
    elif phase == layout.DRAFT:
        _ask_before(game, layout.DRAFT if draft_on(game, rules) else _after_draft(game))
    elif phase == layout.WAR:
        _fight(game, rules)
    elif phase == layout.PEACE:
        _end_age_clauses(game, rules)
    else:
        _finish_age(game, rules)


@kernel
def next_decision(game, rules, until):
    """Do the same as ``advance``, but list nine out of ten decisions without entering it (7% of the time of a game)."""
    flow = game.flow
    if flow.phase == layout.CHOOSE and flow.seat < flow.end:
        return list_choice(game, rules, flow.seat, w.TURN)
    return advance(game, rules, until)


@kernel
def list_choice(game, rules, seat, kind):
    """List the moves of a city for the hand of ``flow.seat`` and return that player."""
    flow = game.flow
    if kind == w.LAST_CARD and rules.switch[_LAST_ON_NEW_STATE] == 0:
        thaw(game)
        list_turn(game, rules, game.frozen, seat, game.own[flow.seat].hand, kind)
    else:
        list_turn(game, rules, game.public, seat, game.own[flow.seat].hand, kind)
    return flow.seat


@kernel(inline=True)
def take(game, rules, move):
    """Carry out a move of the decision at which ``advance`` stopped."""
    flow, hidden = game.flow, game.hidden
    phase = flow.phase
    if phase == layout.CHOOSE:
        hidden.taken[flow.seat] = move
        leave_hand(game, flow.seat, move)
        game.own[flow.seat].took[game.public.age, game.public.turn] = slot_of(move)
        if rules.duo and hidden.holder == flow.seat:
            flow.phase = layout.CITY
        else:
            flow.seat += 1
    elif phase == layout.CITY:
        hidden.taken[_FREE_CITY_SEAT] = move
        leave_hand(game, flow.seat, move)
        game.own[_FREE_CITY_SEAT].took[game.public.age, game.public.turn] = slot_of(move)
        flow.phase = layout.CHOOSE
        flow.seat += 1
    elif phase == layout.SETTLE:
        _pay_loss(game, move)
    elif phase == layout.LAST:
        hidden.taken[flow.seat] = move
        leave_hand(game, flow.seat, move)
        flow.played_last = 1
        flow.seat += 1
    elif phase == layout.BUILD_PILE:
        _build_next(game, rules, move)
    elif phase == layout.ASK and decide(game, rules, move):
        flow.phase = layout.SETTLE


# --- the start of an age


@kernel
def _deal_age(game, rules):
    """Deal the hands of an age, and the further decks of a later one (R4, R88)."""
    deal(game, rules)
    drafts = rules.decks != 0 and game.public.age != 0 and deal_further(game, rules, 2 * game.public.age)
    if game.log.recording:
        log_hands(game, rules)
    if drafts:
        _show_mates(game, rules)
        game.flow.phase = layout.DRAFT
    else:
        _open_age(game, rules)


@kernel
def _open_age(game, rules):
    """Let clauses act at the start of an age, and players recruit (R53, R89)."""
    if rules.counters:
        reset_counters(game.public, rules, w.FOR_AGE)
    if rules.triggers >> w.ON_AGE & 1:
        _show_mates(game, rules)
        moment(game, rules, w.ON_AGE)
    if rules.decks:
        ask_to_recruit(game, rules, w.ON_AGE)
    _ask_before(game, layout.BEGIN)


@kernel(rare=True)
def _after_draft(game):
    """Return the phase that follows the drafts of a moment (RULES.deck_moment)."""
    if game.asking.dealt == 1:
        return layout.DEAL
    return layout.OPEN if game.asking.dealt & 1 else layout.PEACE


# --- a turn


@kernel
def _show_mates(game, rules):
    """Show team mates each other's hands (R42)."""
    if rules.teams:
        for seat in range(rules.players):
            game.own[seat].mate_hand = game.own[seat ^ 1].hand


@kernel
def _begin_turn(game, rules):
    """Give the Free City's card to its holder (R45), and show team mates each other's hands (R42)."""
    hidden = game.hidden
    if rules.duo:
        slot = hidden.free_pile[hidden.free_pile_next]
        hidden.free_pile_next += 1
        own = game.own[hidden.holder]
        game.own[_FREE_CITY_SEAT].passed[game.public.age, game.public.turn] = _ONE << np.uint64(slot)
        own.hand |= _ONE << np.uint64(slot)
        own.seen |= _ONE << np.uint64(slot)
    _show_mates(game, rules)
    if rules.counters:
        reset_counters(game.public, rules, w.FOR_TURN)
    if rules.triggers >> w.ON_TURN & 1:
        moment(game, rules, w.ON_TURN)
    game.flow.seat = game.flow.wrap = 0
    game.flow.end = rules.players
    _ask_before(game, layout.CHOOSE)


@kernel
def _wrap(flow):
    """Continue with the seats that choose after the last one; return whether there are any."""
    if flow.wrap == 0:
        return False
    flow.seat, flow.end, flow.wrap = 0, flow.wrap, 0
    return True


@kernel
def _resolve_turn(game, rules):
    """Resolve the moves of all cities, chosen from the state at the start of the turn (R6, R9.1-R9.4)."""
    last_turn = game.public.turn == game.public.turns - 1
    if last_turn:
        for seat in range(rules.players):
            game.own[seat].passed[game.public.age, game.public.turn] = game.own[seat].hand
    if last_turn and rules.switch[_LAST_ON_NEW_STATE] == 0:
        freeze(game)
    if rules.triggers:
        drop_turn_units(game.public)
    losing = resolve(game, rules, w.TURN)
    if last_turn:
        _settle_before(game, losing, layout.LAST)
        game.flow.seat = layout.NOBODY  # the hands are not yet put away
    else:
        _settle_before(game, losing, layout.PILE)


@kernel
def _settle_before(game, losing, phase):
    """Continue with a phase, after the losses and the decisions of clauses if there are any."""
    _ask_before(game, phase)
    if losing:
        game.flow.phase = layout.SETTLE


@kernel
def _ask_before(game, phase):
    """Continue with a phase, after the pending decisions of clauses if there are any (R72)."""
    game.flow.after = phase
    game.flow.phase = layout.ASK if game.asking.count else phase


@kernel
def _list_next_loss(game, rules):
    """List the payments of the next loss (R32); return the player who decides (R46), NOBODY if all are settled."""
    public, hidden = game.public, game.hidden
    for seat in range(public.seats):
        if hidden.losses[seat]:
            list_loss(game, seat, hidden.losses[seat])
            if rules.switch[_DEBT_CHOICE] == 0:
                game.choice.count = 1
            return hidden.holder if seat >= rules.players else seat
    return layout.NOBODY


@kernel(rare=True)
def _pay_loss(game, move):
    """Pay a loss; the unpaid part becomes debts (R32)."""
    public, hidden, seat = game.public, game.hidden, game.choice.seat
    loss, paid = hidden.losses[seat], bank_of(move)
    hidden.losses[seat] = 0
    public.coins[seat] -= paid
    public.coins_lost[seat] += paid
    if public.coins_lost[seat] > MAX_COINS:
        stop_game(LOSSES, seat, -1, public.coins_lost[seat], MAX_COINS)
    add_debts(public, seat, -1, loss - paid)
    if game.log.recording:
        log_loss(game, seat, paid, loss - paid)


# --- the last cards


@kernel
def _put_hands_away(game, rules):
    """Discard the remaining cards, except in cities that may play their last card (R9.5, R27)."""
    public, hidden = game.public, game.hidden
    for seat in range(rules.seats):
        hidden.taken[seat] = NO_MOVE
    for seat in range(rules.players):
        if plays_last(public, rules, seat):
            continue
        hand = game.own[seat].hand
        while hand:
            discard(game, rules.slot_card[public.age, lowest_bit(hand)])
            hand &= hand - _ONE
        game.own[seat].hand = _ZERO
    if rules.duo:
        discard(game, rules.slot_card[public.age, hidden.free_pile[hidden.free_pile_next]])
    game.flow.seat = game.flow.wrap = game.flow.played_last = 0
    game.flow.end = rules.players


@kernel
def _list_next_last_card(game, rules):
    """List the moves of the next last card; return its seat, NOBODY if none is left."""
    flow, public = game.flow, game.public
    if flow.seat == layout.NOBODY:
        _put_hands_away(game, rules)
    while flow.seat < flow.end or _wrap(flow):
        seat = flow.seat
        if plays_last(public, rules, seat) and game.own[seat].hand:
            return list_choice(game, rules, seat, w.LAST_CARD)
        flow.seat += 1
    return layout.NOBODY


@kernel(rare=True)
def _resolve_last_cards(game, rules):
    """Resolve the last cards, if there were any."""
    losing = game.flow.played_last != 0 and resolve(game, rules, w.LAST_CARD)
    _settle_before(game, losing, layout.PILE)


# --- builds from the discard pile


@kernel
def _queue_builds(game, rules):
    """Create the queue of builds from the pile (R9.6)."""
    game.flow.queue_at = game.flow.queue_end = 0
    _enqueue_granted(game, rules)
    game.flow.phase = layout.BUILD_PILE


@kernel
def _enqueue_granted(game, rules):
    """Append the builds from the pile that were granted in their order (R9.6): all boards' first, or seat by seat."""
    public, hidden, flow = game.public, game.hidden, game.flow
    boards_first = rules.switch[_BOARDS_FIRST]
    for seat in range(public.seats):
        _enqueue(flow, seat, hidden.board_builds[seat], -1)
        if not boards_first:
            _enqueue(flow, seat, hidden.card_builds[seat], -1)
    if boards_first:
        for seat in range(public.seats):
            _enqueue(flow, seat, hidden.card_builds[seat], -1)
    for seat in range(public.seats):
        hidden.board_builds[seat] = hidden.card_builds[seat] = 0


@kernel
def _enqueue(flow, seat, builds, source):
    """Append builds of a seat to the queue; at the end of the queue, waiting builds move to its beginning."""
    for _ in range(builds):
        if flow.queue_end == layout.QUEUE:
            flow.queue_end -= flow.queue_at
            for place in range(flow.queue_end):
                flow.queue[place] = flow.queue[flow.queue_at + place]
            flow.queue_at = 0
        if flow.queue_end == layout.QUEUE:
            stop_game(WAITING, seat, source, layout.QUEUE + 1, layout.QUEUE)
        flow.queue[flow.queue_end] = seat
        flow.queue_end += 1


@kernel
def _list_next_build(game, rules):
    """List the moves of the next build from the pile that has legal moves; return the player who decides, or NOBODY."""
    flow = game.flow
    while flow.queue_at < flow.queue_end:
        seat = np.int64(flow.queue[flow.queue_at])
        list_pile(game, rules, seat)
        if game.choice.count:
            decider = game.hidden.holder if seat >= rules.players else seat
            remember_pile(game, rules, decider, 0)
            return decider
        flow.queue_at += 1
    return layout.NOBODY


@kernel(rare=True)
def _build_next(game, rules, move):
    """Carry out the next build of the queue, or skip it."""
    flow, seat = game.flow, game.choice.seat
    flow.queue_at += 1
    if action_of(move) != w.BUILD:
        return
    card = card_of(move)
    log_deed(game.public, seat, move, w.DISCARD_PILE)
    losing = build_from_pile(game, rules, seat, move)
    if rules.abilities[card] & w.BUILD_DISCARD:  # a Forging Agency from the pile
        _enqueue(flow, seat, 1, card)
    _settle_before(game, losing, layout.BUILD_PILE)


# --- the end of a turn


@kernel
def _finish_turn(game, rules):
    """End a turn, and with the last one the age."""
    public = game.public
    _close_turn(game, rules)
    if public.turn < public.turns - 1:
        _pass_hands(game, rules)
        public.turn += 1
        game.flow.phase = layout.BEGIN
        return
    end_age(game, rules)


@kernel
def end_age(game, rules):
    """Start the end of an age: clauses act before the conflicts, after them, and when the age is over (R53)."""
    if rules.triggers:
        moment(game, rules, w.ON_WAR)
    _ask_before(game, layout.WAR)


@kernel
def _fight(game, rules):
    """Fight the conflicts of an age."""
    fight_conflicts(game, rules)
    if rules.triggers:
        moment(game, rules, w.ON_PEACE)
    _ask_before(game, layout.PEACE)


@kernel
def _end_age_clauses(game, rules):
    """Deal the further decks of the age's end; take back the shields of an age; clauses act at its end."""
    if rules.decks and deal_further(game, rules, 2 * game.public.age + 1):
        game.flow.phase = layout.DRAFT
        return
    if rules.triggers:
        drop_age_shields(game.public)
        moment(game, rules, w.ON_AGE_END)
    if rules.decks:
        ask_to_recruit(game, rules, w.ON_AGE_END)
    _ask_before(game, layout.AGE_OVER)


@kernel
def _finish_age(game, rules):
    """Begin the next age, or score the game after the last one."""
    public = game.public
    if public.age < w.AGES - 1:
        public.age += 1
        public.turn = 0
        game.flow.phase = layout.DEAL
        return
    score_game(game, rules)
    game.flow.phase = layout.OVER


@kernel
def _close_turn(game, rules):
    """Log the treasuries and hand the Free City's card to the other player (R45)."""
    if game.log.recording:
        log_coins(game, rules)
    if rules.duo and game.public.turn < game.public.turns - 1:  # the deal of the next age says who begins
        game.hidden.holder = 1 - game.hidden.holder


@kernel
def _pass_hands(game, rules):
    """Pass the hands on, to the left or right depending on the age; two players swap them (R5)."""
    public, players = game.public, rules.players
    for seat in range(players):
        own = game.own[seat]
        own.passed[public.age, public.turn] = own.hand
        public.hand_size[seat] -= 1
    for seat in range(players):
        if rules.to_right[public.age] == 0:
            giver = seat - 1 if seat > 0 else players - 1
        else:
            giver = seat + 1 if seat + 1 < players else 0
        own = game.own[seat]
        own.hand = game.own[giver].passed[public.age, public.turn]
        own.seen |= own.hand
        if rules.asides:
            public.hand_size[seat] = count_bits(own.hand)
