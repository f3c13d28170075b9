"""Moves and their complete lists (R50).

A move is one 64-bit word; its fields are read with the accessors below, which policies use too:

==========  =====  ==========================================================================
field       bits   meaning
==========  =====  ==========================================================================
card        0-7    the card's number (order of the rules: alphabetical by name); in a decision of a clause, its entry
action      8-11   BUILD, STAGE, SELL, DECLINE (of a build from the pile, an effect), PAY (a loss, R32), CHOOSE (R72)
how         12-15  PAID, CHAIN, FREE; for CHOOSE the option, from 0
bank        16-23  coins to the bank; for PAY the coins paid, for CHOOSE the price in coins
left        24-31  coins to the left neighbour; in a decision of a clause, 1 + the card that is chosen, 0 if none is
right       32-39  coins to the right neighbour
slot        40-47  the physical copy in the hand; in a decision of a clause, its place among those of the entry
spends      48     uses up the once-per-age free build, or a token of one
city        52-55  in a decision of a clause, 1 + the city that it is to act on; 0 if none is chosen
trigger     56-59  in a decision of a clause, the city that triggered it
==========  =====  ==========================================================================

A *deed* is what the table saw of a move (R49): the move without its slot, without its card where that went face down
(a sale, a stage), and above it what follows. DISCARD is a deed only: a structure that goes to the discard pile (R82).

==========  =====  ==========================================================================
seat        40-43  the city
age         44-45  0, 1, 2
turn        46-49  from 0
decision    50-52  CHOICE.kind
step        53-54  of a build or a discard that a clause brings: layout.STEP_AT
==========  =====  ==========================================================================
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import (
    ACTION_AT,
    BANK_AT,
    CARD_AT,
    CITY_AT,
    HOW_AT,
    LEFT_AT,
    PICKED_AT,
    RIGHT_AT,
    SLOT_AT,
    SPENDS_AT,
    TRIGGER_AT,
)
from wsim.wonders.kernels.payment import pay, prepare_payer
from wsim.wonders.limits import MAX_PAID, PAYABLE

NO_MOVE = np.uint64(0xFFFFFFFFFFFFFFFF)
_BYTE, _NIBBLE, _ONE, _ZERO = np.uint64(0xFF), np.uint64(0xF), np.uint64(1), np.uint64(0)
_ACTION, _HOW, _BANK, _LEFT, _RIGHT, _SLOT, _SPENDS = (
    np.uint64(at) for at in (ACTION_AT, HOW_AT, BANK_AT, LEFT_AT, RIGHT_AT, SLOT_AT, SPENDS_AT)
)
_DEED_SEAT, _DEED_AGE, _DEED_TURN = np.uint64(40), np.uint64(44), np.uint64(46)
_CHAIN = np.uint64((w.BUILD << ACTION_AT) | (w.CHAIN << HOW_AT))
_FREE = np.uint64((w.BUILD << ACTION_AT) | (w.FREE << HOW_AT))
_PAID = np.uint64((w.BUILD << ACTION_AT) | (w.PAID << HOW_AT))
_STAGE = np.uint64((w.STAGE << ACTION_AT) | (w.PAID << HOW_AT))
_SELL = np.uint64(w.SELL << ACTION_AT)
_DECLINE = np.uint64(w.DECLINE << ACTION_AT)
_PAY = np.uint64(w.PAY << ACTION_AT)
_SPENDING = np.uint64(1 << SPENDS_AT)
_PAID_BESIDE_CHAIN = w.SWITCH_NUMBER["paid_build_beside_chain"]
_DISCARD_OPTIONAL = w.SWITCH_NUMBER["discard_build_optional"]
_CITY_CHOOSES = w.SWITCH_NUMBER["free_city_chooses_payment"]
assert CARD_AT == 0


@kernel
def card_of(move):
    """Return the card number of a move."""
    return np.int64(move & _BYTE)


@kernel
def action_of(move):
    """Return BUILD, STAGE, SELL, DECLINE, PAY or CHOOSE."""
    return np.int64((move >> _ACTION) & _NIBBLE)


@kernel
def how_of(move):
    """Return PAID, CHAIN or FREE."""
    return np.int64((move >> _HOW) & _NIBBLE)


@kernel
def option_of(move):
    """Return the option that a decision of a clause chooses, from 0."""
    return np.int64((move >> _HOW) & _NIBBLE)


@kernel
def bank_of(move):
    """Return the coins that go to the bank."""
    return np.int64((move >> _BANK) & _BYTE)


@kernel
def left_of(move):
    """Return the coins that go to the left neighbour."""
    return np.int64((move >> _LEFT) & _BYTE)


@kernel
def right_of(move):
    """Return the coins that go to the right neighbour."""
    return np.int64((move >> _RIGHT) & _BYTE)


@kernel
def slot_of(move):
    """Return the slot (physical copy) that leaves the hand."""
    return np.int64((move >> _SLOT) & _BYTE)


@kernel
def spends_of(move):
    """Return whether the move uses up the once-per-age free build, or a token of one."""
    return (move >> _SPENDS) & _ONE != _ZERO


@kernel
def city_of(move):
    """Return the city that a clause is to act on, as the deciding city has chosen; -1 if it does not choose one."""
    return np.int64((move >> np.uint64(CITY_AT)) & _NIBBLE) - 1


@kernel
def picked_of(move):
    """Return the card that is chosen in the decision of a clause, -1 if none is."""
    return np.int64((move >> np.uint64(PICKED_AT)) & _BYTE) - 1


@kernel
def trigger_of_move(move):
    """Return the city that triggered the decision of a clause."""
    return np.int64((move >> np.uint64(TRIGGER_AT)) & _NIBBLE)


@kernel
def seat_of_deed(deed):
    """Return the city of a deed."""
    return np.int64(deed >> _DEED_SEAT & _NIBBLE)


@kernel
def is_of_turn(deed, age, turn):
    """Return whether a deed was done in a turn of an age."""
    return np.int64(deed >> _DEED_AGE & np.uint64(3)) == age and np.int64(deed >> _DEED_TURN & _NIBBLE) == turn


@kernel
def owns(public, seat, card):
    """Return whether a city has a structure of this name (R7)."""
    return (public.built[seat, card >> 6] >> np.uint64(card & 63)) & _ONE != _ZERO


@kernel
def has_chain(public, rules, seat, card):
    """Return whether a city has a predecessor of this card (R16)."""
    held = public.built[seat, 0] & rules.chain[card, 0] | public.built[seat, 1] & rules.chain[card, 1]
    return held != _ZERO


@kernel
def free_by_board(public, rules, seat, card):
    """Return whether a free build of the second edition applies (R26)."""
    abilities = public.abilities[seat]
    if abilities & w.FREE_FIRST_COLOR and public.colors[seat, rules.color[card]] == 0:
        return True
    if abilities & w.FREE_FIRST_TURN and public.turn == 0:
        return True
    return abilities & w.FREE_LAST_TURN != 0 and public.turn == public.turns - 1


@kernel
def stage_payments(game, rules, seat, producer, purse):
    """Put the payments of the next stage into ``solver.stage_moves``, without a card; return how many."""
    public, solver = game.public, game.solver
    side, stage = public.side[seat], public.stages[seat]
    if stage >= rules.stage_count[side]:
        return 0
    entry = rules.stage_entry[side, stage]
    cost = _ZERO if producer.abilities[seat] & w.FREE_STAGES else rules.cost[entry]
    coins = rules.cost_coins[entry]
    count = pay(producer, solver, seat, cost, coins, purse)
    base = _STAGE | (np.uint64(coins) << _BANK)
    for i in range(count):
        solver.stage_moves[i] = base | solver.pairs[i]
    return count


@kernel
def _cheapest_only(solver, count):
    """Keep the payments of least total (switch free_city_chooses_payment off)."""
    least = 1 << 30
    for i in range(count):
        least = min(least, left_of(solver.pairs[i]) + right_of(solver.pairs[i]))
    kept = 0
    for i in range(count):
        if left_of(solver.pairs[i]) + right_of(solver.pairs[i]) == least:
            solver.pairs[kept] = solver.pairs[i]
            kept += 1
    return kept


@kernel(inline=True)
def _add_builds(game, rules, producer, card, held, at):
    """Add the ways of building one card of the hand from place ``at`` on; return the new length."""
    public, choice = game.public, game.choice
    seat, kind = choice.seat, choice.kind
    if owns(public, seat, card):
        return at
    if has_chain(public, rules, seat, card):
        choice.moves[at] = held | _CHAIN
        at += 1
        if rules.switch[_PAID_BESIDE_CHAIN] == 0 or rules.teams or kind == w.FREE_CITY:
            return at
        return _add_paid(game, rules, producer, card, held, at)
    abilities = public.abilities[seat]
    if abilities & (w.FREE_FIRST_COLOR | w.FREE_FIRST_TURN | w.FREE_LAST_TURN) and free_by_board(
        public, rules, seat, card
    ):
        choice.moves[at] = held | _FREE
        return at + 1
    at = _add_paid(game, rules, producer, card, held, at)
    if abilities & (w.FREE_ONCE_PER_AGE | w.FREE_TOKEN) and (abilities & w.FREE_TOKEN or public.free_used[seat] == 0):
        choice.moves[at] = held | _FREE | _SPENDING
        at += 1
    return at


@kernel(inline=True)
def _add_paid(game, rules, producer, card, held, at):
    """Add one move for each payment of a card's own cost."""
    choice, solver = game.choice, game.solver
    coins = rules.cost_coins[card]
    count = pay(producer, solver, choice.seat, rules.cost[card], coins, game.public.coins[choice.seat])
    if count > 1 and choice.kind == w.FREE_CITY and rules.switch[_CITY_CHOOSES] == 0:
        count = _cheapest_only(solver, count)
    base = held | _PAID | (np.uint64(coins) << _BANK)
    for i in range(count):
        choice.moves[at + i] = base | solver.pairs[i]
    return at + count


@kernel
def _add_cards(game, rules, producer, hand, stages, sales):
    choice, solver = game.choice, game.solver
    age = game.public.age
    at, last = 0, -1
    while hand:
        slot = lowest_bit(hand)
        hand &= hand - _ONE
        card = rules.slot_card[age, slot]
        if card == last:
            continue
        last = card
        held = np.uint64(card) | (np.uint64(slot) << _SLOT)
        at = _add_builds(game, rules, producer, card, held, at)
        for i in range(stages):
            choice.moves[at + i] = solver.stage_moves[i] | held
        at += stages
        if sales:
            choice.moves[at] = held | _SELL
            at += 1
    choice.count = at


@kernel
def list_turn(game, rules, producer, seat, hand, kind):
    """List the moves of a city for a hand: a turn, a last card (R27) or the Free City's turn (R46).

    ``producer`` is the public record whose production and prices pay: the present one, or the one frozen at the start
    of the last turn (switch last_card_on_new_state off).
    """
    choice, solver = game.choice, game.solver
    choice.kind = kind
    choice.seat = seat
    prepare_payer(producer, solver, seat)
    stages = stage_payments(game, rules, seat, producer, game.public.coins[seat])
    if kind == w.FREE_CITY:
        if stages > 1 and rules.switch[_CITY_CHOOSES] == 0:
            for i in range(stages):
                solver.pairs[i] = solver.stage_moves[i]
            stages = _cheapest_only(solver, stages)
            for i in range(stages):
                solver.stage_moves[i] = solver.pairs[i]
        _add_cards(game, rules, producer, hand, stages, False)
        if choice.count == 0:
            at, last = 0, -1
            while hand:
                slot = lowest_bit(hand)
                hand &= hand - _ONE
                card = rules.slot_card[game.public.age, slot]
                if card != last:
                    choice.moves[at] = np.uint64(card) | (np.uint64(slot) << _SLOT) | _SELL
                    at += 1
                last = card
            choice.count = at
    else:
        _add_cards(game, rules, producer, hand, stages, True)


@kernel
def list_pile(game, rules, seat):
    """List the builds from the discard pile, then declining (R28); list nothing if no card is eligible."""
    public, choice, hidden = game.public, game.choice, game.hidden
    choice.kind = w.DISCARD_PILE
    choice.seat = seat
    at = 0
    for word in range(w.CARD_WORDS):
        names = hidden.pile[word] & ~public.built[seat, word]
        while names:
            choice.moves[at] = _FREE | np.uint64(64 * word + lowest_bit(names))
            names &= names - _ONE
            at += 1
    if at > 0 and rules.switch[_DISCARD_OPTIONAL]:
        choice.moves[at] = _DECLINE
        at += 1
    choice.count = at


@kernel
def list_loss(game, seat, loss):
    """List the numbers of coins that can be paid for a loss, the largest first (R32)."""
    choice = game.choice
    choice.kind = w.LOSS
    choice.seat = seat
    most = min(loss, game.public.coins[seat])
    if most > MAX_PAID:
        stop_game(PAYABLE, seat, -1, most, MAX_PAID)
    for i in range(most + 1):
        choice.moves[i] = _PAY | (np.uint64(most - i) << _BANK)
    choice.count = most + 1


@kernel
def restrict(game, rules, seating):
    """Remove the moves that the city is banned from, or denied."""
    if seating.experiment:
        keep_allowed(game, rules, seating, game.choice.seat)


@kernel(rare=True)
def keep_allowed(game, rules, seating, seat):
    """Remove the moves that the experiment takes from this seat; keep sales if nothing else is left."""
    choice = game.choice
    flags = np.int64(seating.ban[seat, 3])
    count = 0
    for i in range(choice.count):
        move = choice.moves[i]
        if not _banned(rules, seating, seat, flags, move) and not _denied(game.hidden, seat, move):
            choice.moves[count] = move
            count += 1
    if count == 0:
        for i in range(choice.count):
            if action_of(choice.moves[i]) == w.SELL:
                choice.moves[count] = choice.moves[i]
                count += 1
    choice.count = count


@kernel
def _denied(hidden, seat, move):
    """Return whether a move builds a card that the seat wanted and was overruled about."""
    card = card_of(move)
    return action_of(move) == w.BUILD and (hidden.denied[seat, card >> 6] >> np.uint64(card & 63)) & _ONE != _ZERO


@kernel
def _banned(rules, seating, seat, flags, move):
    """Return whether a move is banned: building a card or colour, trading, building stages, selling."""
    action = action_of(move)
    if action == w.BUILD:
        card = card_of(move)
        if (seating.ban[seat, card >> 6] >> np.uint64(card & 63)) & _ONE:
            return True
        if (seating.ban[seat, 2] >> np.uint64(rules.color[card])) & _ONE:
            return True
    if flags & w.BAN_TRADE and action <= w.STAGE and left_of(move) + right_of(move) > 0:
        return True
    if flags & w.BAN_STAGE and action == w.STAGE:
        return True
    return flags & w.BAN_SELL != 0 and action == w.SELL
