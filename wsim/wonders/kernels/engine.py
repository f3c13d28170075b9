"""The game as a whole: decisions, turns, ages, and the chunk kernel that plays many games (R5-R9, R43-R47).

A game is a function of (seed, game number, seating, rules). Random numbers come from the streams of wsim/rng.py: 0-2
deal the ages, 3 sets the table, 4 + seat belongs to the policy of the seat, 12 to explored picks. A policy is asked
only where more than one move is legal, so a forced move costs no random number.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import call, kernel, lowest_bit, types
from wsim.rng import below, uniform
from wsim.wonders.kernels.layout import (
    DISCARD_PILE,
    EVENTS,
    FREE_CITY,
    HAND,
    LAST_CARD,
    LINE_UP,
    LOG_CONFLICT,
    LOG_HANDS,
    LOG_LOSS,
    LOG_PICK,
    LOG_TURN_END,
    LOSS,
    PLAY_LAST,
    SWITCHES,
    TURN,
    Game,
    Pick,
    Row,
    Rules,
    Seating,
)
from wsim.wonders.kernels.moves import (
    NO_MOVE,
    action_of,
    bank_of,
    card_of,
    keep_allowed,
    list_loss,
    list_pile,
    list_turn,
    slot_of,
)
from wsim.wonders.kernels.rows import write_rows
from wsim.wonders.kernels.scoring import conflict, conflicts_of, score_game, send_envoys, team_conflict
from wsim.wonders.kernels.setup import deal, set_table
from wsim.wonders.kernels.turn import build_from_pile, discard, leave_hand, resolve

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BUILD = 0
_DEBT_CHOICE = SWITCHES.index("debt_choice")
_LAST_ON_NEW_STATE = SWITCHES.index("last_card_on_new_state")
_BOARDS_FIRST = SWITCHES.index("discard_builds_boards_first")
_BOARD_BUILD, _CARD_BUILD = 0, 64  # marks in the queue of builds from the pile


# --- the log


@kernel
def _event(game, kind, seat):
    """Append an event to the log and return it; a full log overwrites its last entry."""
    hidden, public = game.hidden, game.public
    at = min(hidden.events, EVENTS - 1)
    hidden.events = at + 1
    event = hidden.log[at]
    event.kind = kind
    event.age = public.age
    event.turn = public.turn
    event.seat = seat
    return event


@kernel
def _count_ways(game, rules, event):
    """Count the legal ways to build each distinct card of the logged hand; experiments weigh picks by them."""
    choice, hand = game.choice, event.hand
    at, last = -1, -1
    while hand:
        card = rules.slot_card[game.public.age, lowest_bit(hand)]
        hand &= hand - _ONE
        if card == last:
            continue
        at, last = at + 1, card
        ways = 0
        for i in range(choice.count):
            if action_of(choice.moves[i]) == _BUILD and card_of(choice.moves[i]) == card:
                ways += 1
        event.ways[at] = min(ways, 255)


@kernel
def _log_pick(game, rules, decider, index, randomised, probability):
    """Log the decision at hand."""
    choice = game.choice
    event = _event(game, LOG_PICK, choice.seat)
    event.decision = choice.kind
    event.legal = choice.count
    event.index = index
    event.randomised = randomised
    event.probability = probability
    event.move = choice.moves[index]
    event.hand = game.own[decider].hand if choice.kind <= LAST_CARD or choice.kind == FREE_CITY else _ZERO
    _count_ways(game, rules, event)


@kernel
def _log_coins(game):
    """Log every treasury after a turn."""
    event = _event(game, LOG_TURN_END, 0)
    for seat in range(game.public.seats):
        event.values[seat] = game.public.coins[seat]


@kernel
def _log_hands(game, rules):
    """Log the hands as dealt, one event a player, then the Free City's pile."""
    for seat in range(rules.players):
        event = _event(game, LOG_HANDS, seat)
        event.hand = game.own[seat].hand
    if rules.duo:
        event = _event(game, LOG_HANDS, 2)
        for i in range(rules.hand_size):
            event.values[i] = game.hidden.free_pile[i]


# --- decisions


@kernel
def ask(game, rules, seating, line_up, decider):
    """Let the policy of a seat pick one of the legal moves; return the move, NO_MOVE after a wrong index."""
    public, choice, hidden = game.public, game.choice, game.hidden
    if seating.experiment:
        keep_allowed(game, rules, seating, choice.seat)
    index, randomised, probability = np.int64(0), False, 1.0
    if choice.count > 1:
        index = call(line_up[public.policy[decider]], public, game.own[decider], choice, rules)
        if index < 0 or index >= choice.count:
            hidden.error[0], hidden.error[1], hidden.error[2], hidden.error[3] = 1, decider, index, choice.count
            return NO_MOVE
        if seating.experiment and choice.kind <= LAST_CARD:
            index, randomised, probability = explore(game, seating.explore[decider], index)
    if hidden.logging:
        _log_pick(game, rules, decider, index, randomised, probability)
    return choice.moves[index]


@kernel
def explore(game, chance, wanted):
    """Replace a pick by a uniform one with some chance; return (index, whether it was replaced, its probability)."""
    hidden, count = game.hidden, game.choice.count
    index, randomised = wanted, False
    if chance > 0.0 and uniform(hidden.dice) < chance:
        index = below(hidden.dice, count)
        randomised = True
    return index, randomised, chance / count + (1.0 - chance if index == wanted else 0.0)


@kernel
def settle_losses(game, rules, seating, line_up):
    """Let every seat pay its coin loss, seat by seat; what is not paid becomes debts (R32)."""
    public, hidden = game.public, game.hidden
    for seat in range(public.seats):
        loss = hidden.losses[seat]
        if loss == 0:
            continue
        hidden.losses[seat] = 0
        list_loss(game, seat, loss)
        if rules.switch[_DEBT_CHOICE] == 0:
            game.choice.count = 1
        move = ask(game, rules, seating, line_up, seat)
        if move == NO_MOVE:
            return
        paid = bank_of(move)
        public.coins[seat] -= paid
        public.coins_lost[seat] += paid
        public.debts[seat] += loss - paid
        if hidden.logging:
            event = _event(game, LOG_LOSS, seat)
            event.values[0], event.values[1] = paid, loss - paid


@kernel
def _resolve_all(game, rules, seating, line_up):
    """Resolve the moves taken and settle the losses they bring."""
    if resolve(game, rules):
        settle_losses(game, rules, seating, line_up)


# --- a turn


@kernel
def _choose(game, rules, seating, line_up):
    """Let every city choose from the state at the start of the turn (R6); return whether all went well."""
    public, hidden = game.public, game.hidden
    for seat in range(rules.players):
        list_turn(game, rules, public, seat, game.own[seat].hand, TURN)
        move = ask(game, rules, seating, line_up, seat)
        if move == NO_MOVE:
            return False
        hidden.taken[seat] = move
        leave_hand(game, seat, move)
        if rules.duo and hidden.holder == seat:
            list_turn(game, rules, public, 2, game.own[seat].hand, FREE_CITY)
            move = ask(game, rules, seating, line_up, seat)
            if move == NO_MOVE:
                return False
            hidden.taken[2] = move
            leave_hand(game, seat, move)
    return True


@kernel
def _show_hands(game, rules):
    """Let team mates see each other's hands (R42)."""
    for seat in range(rules.players):
        game.own[seat].mate_hand = game.own[seat ^ 1].hand


@kernel
def _play_last_cards(game, rules, seating, line_up):
    """Discard what is left of the hands, but let the cities that may play their last card (R9.5, R27)."""
    public, hidden = game.public, game.hidden
    last = False
    for seat in range(rules.seats):
        hidden.taken[seat] = NO_MOVE
    for seat in range(rules.players):
        if public.abilities[seat] & PLAY_LAST:
            last = True
            continue
        hand = game.own[seat].hand
        while hand:
            discard(game, rules.slot_card[public.age, lowest_bit(hand)])
            hand &= hand - _ONE
        game.own[seat].hand = _ZERO
    if rules.duo:
        discard(game, rules.slot_card[public.age, hidden.free_pile[hidden.free_pile_next]])
    if not last:
        return
    for seat in range(rules.players):
        if public.abilities[seat] & PLAY_LAST and game.own[seat].hand:
            if rules.switch[_LAST_ON_NEW_STATE]:
                list_turn(game, rules, public, seat, game.own[seat].hand, LAST_CARD)
            else:
                list_turn(game, rules, game.frozen, seat, game.own[seat].hand, LAST_CARD)
            move = ask(game, rules, seating, line_up, seat)
            if move == NO_MOVE:
                return
            hidden.taken[seat] = move
            leave_hand(game, seat, move)
    _resolve_all(game, rules, seating, line_up)


@kernel
def _enqueue(game, at, seat, mark, pending):
    """Append a seat's builds from the pile to the queue."""
    for _ in range(pending):
        game.hidden.queue[at] = seat + mark
        at += 1
    return at


@kernel
def _build_from_pile(game, rules, seating, line_up, holder):
    """Carry out the builds from the discard pile (R9.6, R28)."""
    public, hidden = game.public, game.hidden
    end = 0
    if rules.switch[_BOARDS_FIRST]:
        for seat in range(public.seats):
            end = _enqueue(game, end, seat, _BOARD_BUILD, hidden.board_builds[seat])
        for seat in range(public.seats):
            end = _enqueue(game, end, seat, _CARD_BUILD, hidden.card_builds[seat])
    else:
        for seat in range(public.seats):
            end = _enqueue(game, end, seat, _BOARD_BUILD, hidden.board_builds[seat])
            end = _enqueue(game, end, seat, _CARD_BUILD, hidden.card_builds[seat])
    for seat in range(public.seats):
        hidden.board_builds[seat] = hidden.card_builds[seat] = 0
    at = 0
    while at < end:
        seat = hidden.queue[at] & 63
        at += 1
        list_pile(game, rules, seat)
        if game.choice.count == 0:
            continue
        move = ask(game, rules, seating, line_up, holder if seat >= rules.players else seat)
        if move == NO_MOVE:
            return
        if action_of(move) != _BUILD:
            continue
        card = card_of(move)
        losing = build_from_pile(game, rules, seat, card)
        if rules.abilities[card] & 2:  # BUILD_DISCARD: a Forging Agency from the pile
            end = _enqueue(game, end, seat, _CARD_BUILD, 1)
        if losing:
            settle_losses(game, rules, seating, line_up)


@kernel
def _pending_builds(game):
    """Say whether some city may build from the discard pile."""
    for seat in range(game.public.seats):
        if game.hidden.board_builds[seat] | game.hidden.card_builds[seat]:
            return True
    return False


@kernel
def freeze(game):
    """Keep what pays in this turn, for a last card that is paid from the old state (R9.5, switched off)."""
    public, frozen = game.public, game.frozen
    frozen.seats = public.seats
    for seat in range(public.seats):
        frozen.plain[seat], frozen.sale[seat] = public.plain[seat], public.sale[seat]
        frozen.reach[seat], frozen.sale_reach[seat] = public.reach[seat], public.sale_reach[seat]
        frozen.flex_lanes[seat], frozen.sale_flex_lanes[seat] = public.flex_lanes[seat], public.sale_flex_lanes[seat]
        frozen.flex_count[seat], frozen.sale_flex_count[seat] = public.flex_count[seat], public.sale_flex_count[seat]
        frozen.abilities[seat], frozen.cheapest[seat] = public.abilities[seat], public.cheapest[seat]
        frozen.board_resource[seat] = public.board_resource[seat]
        for symbol in range(public.flex_count[seat]):
            frozen.flex[seat, symbol] = public.flex[seat, symbol]
        for symbol in range(public.sale_flex_count[seat]):
            frozen.sale_flex[seat, symbol] = public.sale_flex[seat, symbol]
        for kind in range(4):
            frozen.price[seat, kind] = public.price[seat, kind]
        for side in range(2):
            frozen.turn_rebate[seat, side] = public.turn_rebate[seat, side]
            frozen.board_rebate[seat, side] = public.board_rebate[seat, side]


@kernel
def _play_turn(game, rules, seating, line_up):
    """Play one turn of all cities; return whether all went well."""
    public, hidden = game.public, game.hidden
    holder = hidden.holder
    if rules.duo:
        slot = hidden.free_pile[hidden.free_pile_next]
        hidden.free_pile_next += 1
        game.own[holder].hand |= _ONE << np.uint64(slot)
        game.own[holder].seen |= _ONE << np.uint64(slot)
    if rules.teams:
        _show_hands(game, rules)
    if not _choose(game, rules, seating, line_up):
        return False
    last_turn = public.turn == rules.turns - 1
    if last_turn and rules.switch[_LAST_ON_NEW_STATE] == 0:
        freeze(game)
    _resolve_all(game, rules, seating, line_up)
    if last_turn:
        _play_last_cards(game, rules, seating, line_up)
    if _pending_builds(game):
        _build_from_pile(game, rules, seating, line_up, holder)
    if hidden.logging:
        _log_coins(game)
    if rules.duo:
        hidden.holder = 1 - holder
    return hidden.error[0] == 0


@kernel
def _pass_hands(game, rules):
    """Hand the rest of the hands on: to the left in ages I and III, to the right in age II, swapped by two (R5)."""
    public, players = game.public, rules.players
    for seat in range(players):
        own = game.own[seat]
        own.passed[public.turn] = own.hand
        public.hand_size[seat] -= 1
    for seat in range(players):
        if public.age != 1:
            giver = seat - 1 if seat > 0 else players - 1
        else:
            giver = seat + 1 if seat + 1 < players else 0
        own = game.own[seat]
        own.hand = game.own[giver].passed[public.turn]
        own.seen |= own.hand


@kernel
def _end_age(game, rules):
    """Settle the conflicts of the age (R19, R20, R39, R40)."""
    hidden = game.hidden
    fighters = send_envoys(game)
    for place in range(conflicts_of(rules, fighters)):
        if rules.teams:
            team_conflict(game, rules, 2 * place + 1)
        else:
            conflict(game, rules, fighters, place)
        if hidden.logging:
            event = _event(game, LOG_CONFLICT, hidden.fought[0])
            for i in range(6):
                event.values[i] = hidden.fought[i]


@kernel
def play_game(game, rules, seating, line_up, number):
    """Play one game to its scores; return whether every policy returned a legal index."""
    public = game.public
    set_table(game, rules, seating, number)
    for age in range(3):
        public.age = age
        public.turn = 0
        deal(game, rules, seating, number, age)
        if game.hidden.logging:
            _log_hands(game, rules)
        for turn in range(rules.turns):
            public.turn = turn
            if not _play_turn(game, rules, seating, line_up):
                return False
            if turn < rules.turns - 1:
                _pass_hands(game, rules)
        _end_age(game, rules)
    score_game(game, rules)
    return True


@kernel
def _copy_picks(game, number, picks, written):
    """Copy the decisions of the game's log to the picks; return the new length."""
    hidden = game.hidden
    for i in range(hidden.events):
        event = hidden.log[i]
        if event.kind == LOG_PICK and event.decision != LOSS and written < picks.shape[0]:
            pick = picks[written]
            pick.game = number
            _copy_event(pick.event, event)
            written += 1
    return written


@kernel
def _copy_event(target, event):
    """Copy one event."""
    target.kind, target.age, target.turn, target.seat = event.kind, event.age, event.turn, event.seat
    target.decision, target.legal, target.index = event.decision, event.legal, event.index
    target.randomised, target.probability = event.randomised, event.probability
    target.move, target.hand = event.move, event.hand
    for i in range(HAND):
        target.ways[i] = event.ways[i]


@kernel(types.int64(Game, Rules, Seating, LINE_UP, types.int64, types.Array(Row, 1, "C"), types.Array(Pick, 1, "C")))
def play_chunk(game, rules, seating, line_up, first, rows, picks):
    """Play ``len(rows) // seats`` games from number ``first`` on; return the picks written, or -1 - game."""
    written = 0
    game.hidden.error[0] = 0
    game.hidden.logging = 1 if picks.shape[0] > 0 else 0
    for seat in range(rules.seats):
        game.own[seat].entrant = -1
    for g in range(rows.shape[0] // rules.seats):
        number = first + g
        if not play_game(game, rules, seating, line_up, number):
            return -1 - number
        write_rows(game, rules, rows, g * rules.seats, number)
        if game.hidden.logging:
            written = _copy_picks(game, number, picks, written)
    return written


__all__ = ["DISCARD_PILE", "play_chunk", "play_game", "slot_of"]
