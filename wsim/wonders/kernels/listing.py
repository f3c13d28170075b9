"""Complete lists of the legal moves of a decision (R50): a turn, a build from the pile, a loss."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import ACTION_AT, BANK_AT, HOW_AT, SLOT_AT, SPENDS_AT
from wsim.wonders.kernels.moves import action_of, card_of, has_chain, left_of, owns, right_of
from wsim.wonders.kernels.payment import pay, prepare_payer
from wsim.wonders.kernels.prices import PRICED, pay_changed
from wsim.wonders.limits import MAX_PAID, PAYABLE

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_BANK, _SLOT = np.uint64(BANK_AT), np.uint64(SLOT_AT)
_CHAIN = np.uint64((w.BUILD << ACTION_AT) | (w.CHAIN << HOW_AT))
_FREE = np.uint64((w.BUILD << ACTION_AT) | (w.FREE << HOW_AT))
_PAID = np.uint64((w.BUILD << ACTION_AT) | (w.PAID << HOW_AT))
_STAGE = np.uint64((w.STAGE << ACTION_AT) | (w.PAID << HOW_AT))
_SELL = np.uint64(w.SELL << ACTION_AT)
_DECLINE = np.uint64(w.DECLINE << ACTION_AT)
_PAY = np.uint64(w.PAY << ACTION_AT)
_SPENDING = np.uint64(1 << SPENDS_AT)
_NO_PURSE = np.int64(-1 << 20)
_PAID_BESIDE_CHAIN = w.SWITCH_NUMBER["paid_build_beside_chain"]
_DISCARD_OPTIONAL = w.SWITCH_NUMBER["discard_build_optional"]
_CITY_CHOOSES = w.SWITCH_NUMBER["free_city_chooses_payment"]


@kernel
def free_by_board(public, rules, seat, card):
    """Return whether a free build of the second edition applies (R26)."""
    abilities = public.abilities[seat]
    if abilities & w.FREE_FIRST_COLOR and public.colors[seat, rules.color[card]] == 0:
        return True
    if abilities & w.FREE_FIRST_TURN and public.turn == 0:
        return True
    return abilities & w.FREE_LAST_TURN != 0 and public.turn == public.turns - 1


@kernel(inline=True)
def stage_payments(game, rules, seat, producer, purse):
    """Put the payments of the next stage into ``solver.stage_moves``, without a card; return their number."""
    public, solver = game.public, game.solver
    side, stage = public.side[seat], public.stages[seat]
    if stage >= rules.stage_count[side]:
        return 0
    entry = rules.stage_entry[side, stage]
    cost = _ZERO if producer.abilities[seat] & w.FREE_STAGES else rules.cost[entry]
    coins = rules.cost_coins[entry]
    count = pay(producer, solver, seat, cost, coins, purse)
    if count == 0:
        if purse >= 0:
            return count
        count, coins = pay_changed(public, rules, solver, producer, seat, entry, public.coins[seat]), 0
    base = _STAGE | (np.uint64(coins) << _BANK)
    if count:
        solver.stage_moves[0] = base | solver.pairs[0]
    if count > 1:
        _add_stages(solver, base, count)
    return count


@kernel(rare=True)
def _add_stages(solver, base, count):
    """Add the additional payments of the next stage (most stages have only one)."""
    for i in range(1, count):
        solver.stage_moves[i] = base | solver.pairs[i]


@kernel
def _keep_cheapest(solver, count):
    """Keep only the cheapest payments, in place (switch free_city_chooses_payment off); return their number."""
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
def _add_builds(game, rules, producer, card, held, at, purse):
    """Add the ways to build one card of the hand from index ``at`` on; return the new length of the list."""
    public, choice = game.public, game.choice
    seat, kind = choice.seat, choice.kind
    if owns(public, seat, card):
        return at
    if has_chain(public, rules, seat, card):
        choice.moves[at] = held | _CHAIN
        at += 1
        if rules.switch[_PAID_BESIDE_CHAIN] == 0 or rules.teams or kind == w.FREE_CITY:
            return at
        return _add_paid(game, rules, producer, card, held, at, purse)
    abilities = public.abilities[seat]
    if abilities & (w.FREE_FIRST_COLOR | w.FREE_FIRST_TURN | w.FREE_LAST_TURN) and free_by_board(
        public, rules, seat, card
    ):
        choice.moves[at] = held | _FREE
        return at + 1
    at = _add_paid(game, rules, producer, card, held, at, purse)
    if abilities & (w.FREE_ONCE_PER_AGE | w.FREE_TOKEN) and (abilities & w.FREE_TOKEN or public.free_used[seat] == 0):
        choice.moves[at] = held | _FREE | _SPENDING
        at += 1
    return at


@kernel(inline=True)
def _add_paid(game, rules, producer, card, held, at, purse):
    """Add one move for each payment of a card's own cost."""
    choice, solver = game.choice, game.solver
    coins = rules.cost_coins[card]
    count = pay(producer, solver, choice.seat, rules.cost[card], coins, purse)
    if count == 0:
        if purse >= 0:
            return at
        public = game.public
        purse, coins = public.coins[choice.seat], 0
        count = pay_changed(public, rules, solver, producer, choice.seat, np.int64(card), purse)
    base = held | _PAID | (np.uint64(coins) << _BANK)
    if count == 1:
        choice.moves[at] = base | solver.pairs[0]
        return at + 1
    return _add_payments(game, rules, base, count, at)


@kernel(rare=True)
def _add_payments(game, rules, base, count, at):
    """Add a move for each payment (nine in ten affordable cards have only one); return the new length of the list."""
    choice, solver = game.choice, game.solver
    if choice.kind == w.FREE_CITY and rules.switch[_CITY_CHOOSES] == 0:
        count = _keep_cheapest(solver, count)
    for i in range(count):
        choice.moves[at + i] = base | solver.pairs[i]
    return at + count


@kernel(inline=True)
def _add_cards(game, rules, producer, hand, stages, sales, purse):
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
        at = _add_builds(game, rules, producer, card, held, at, purse)
        if stages:
            choice.moves[at] = solver.stage_moves[0] | held
            if stages > 1:
                _hold_stages(choice, solver, held, stages, at)
            at += stages
        if sales:
            choice.moves[at] = held | _SELL
            at += 1
    choice.count = at


@kernel(rare=True)
def _hold_stages(choice, solver, held, stages, at):
    """Add the additional payments of the next stage with a card."""
    for i in range(1, stages):
        choice.moves[at + i] = solver.stage_moves[i] | held


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
    # an empty purse pays for nothing; if no payment is found, check whether clauses change prices
    purse = _NO_PURSE if rules.triggers & PRICED else np.int64(game.public.coins[seat])
    stages = stage_payments(game, rules, seat, producer, purse)
    if kind == w.FREE_CITY and stages > 1 and rules.switch[_CITY_CHOOSES] == 0:
        stages = _keep_cheapest_stages(solver, stages)
    _add_cards(game, rules, producer, hand, stages, kind != w.FREE_CITY, purse)
    if choice.count == 0:
        _add_sales(game, rules, hand)


@kernel(rare=True)
def _keep_cheapest_stages(solver, stages):
    """Keep only the cheapest payments of the next stage, in place; return their number."""
    for i in range(stages):
        solver.pairs[i] = solver.stage_moves[i]
    stages = _keep_cheapest(solver, stages)
    for i in range(stages):
        solver.stage_moves[i] = solver.pairs[i]
    return stages


@kernel(rare=True)
def _add_sales(game, rules, hand):
    """Let the Free City sell a card if it can do nothing else with its hand (R46)."""
    choice = game.choice
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
    """Remove the moves that are banned or denied to the city."""
    if seating.experiment:
        keep_allowed(game, rules, seating, game.choice.seat)


@kernel(rare=True)
def keep_allowed(game, rules, seating, seat):
    """Remove the moves that the experiment forbids to this seat; keep sales if nothing else is left."""
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
