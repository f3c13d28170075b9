"""The effects of a turn: placing, paying, gains, losses, the discard pile (R9, R12-R14, R18, R21, R26-R37)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_acts import add_free_builds, find_cheapest
from wsim.wonders.kernels.clauses import OF_MOVES, move_made, note_watchers
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.guards import add_coins, add_debts, add_diplomacy, add_shields, check_lanes
from wsim.wonders.kernels.log import log_deed
from wsim.wonders.kernels.moves import (
    NO_MOVE,
    action_of,
    bank_of,
    card_of,
    how_of,
    left_of,
    right_of,
    slot_of,
    spends_of,
)
from wsim.wonders.kernels.payment import spread
from wsim.wonders.kernels.production import add_flex
from wsim.wonders.limits import LOSSES, MAX_COINS, MAX_PAID, PAYABLE

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BYTE, _LANE = np.uint64(0xFF), np.uint64(8)
WAREHOUSE_ROLE, MARKET_ROLE = 1, 2
_COUNT_SELF = w.SWITCH_NUMBER["counting_includes_itself"]
_CUMULATIVE = w.SWITCH_NUMBER["olympia_discount_cumulative"]
_VICTORY_1, _VICTORY_2, _VICTORY_3 = w.COUNT_VICTORY


@kernel
def neighbor_left(public, seat):
    """Return the seat on the left (R1)."""
    return seat + 1 if seat + 1 < public.seats else 0


@kernel
def neighbor_right(public, seat):
    """Return the seat on the right (R1)."""
    return seat - 1 if seat > 0 else public.seats - 1


@kernel
def add_production(public, rules, seat, entry, sold):
    """Give a city the production of an entry; ``sold`` says whether neighbours may buy it (R12, R13)."""
    produces = rules.produces[entry]
    mask = rules.one_of[entry]
    if produces:
        public.plain[seat] += produces
        public.reach[seat] += produces
        check_lanes(public.reach[seat], seat, entry)
        if sold:
            public.sale[seat] += produces
            public.sale_reach[seat] += produces
            check_lanes(public.sale_reach[seat], seat, entry)
    if mask:
        add_flex(public, seat, entry, mask, 0, sold)
    if sold and (produces or mask):
        for resource in range(w.RESOURCE_KINDS):
            if (produces >> (np.uint64(resource) * _LANE)) & np.uint64(0xFF):
                mask |= 1 << resource
        public.made_kinds[seat] |= mask
        if public.abilities[seat] & (w.WAREHOUSE | w.BLACK_MARKET):
            refresh_private_symbols(public, seat, entry)


@kernel
def private_symbol(role, kinds):
    """Return the alternatives of Secret Warehouse and Black Market in a city that makes these kinds (R18)."""
    return kinds if role == WAREHOUSE_ROLE else w.ALL_RESOURCES & ~kinds


@kernel
def refresh_private_symbols(public, seat, entry):
    """Rebuild the either/or symbols whose alternatives depend on what the city produces (R18)."""
    kinds = public.made_kinds[seat]
    public.reach[seat] = public.plain[seat]
    public.flex_lanes[seat] = _ZERO
    for symbol in range(public.flex_count[seat]):
        if public.flex_role[seat, symbol]:
            public.flex[seat, symbol] = private_symbol(public.flex_role[seat, symbol], kinds)
        word = spread(public.flex[seat, symbol])
        public.reach[seat] += word
        public.flex_lanes[seat] |= word * _BYTE
    check_lanes(public.reach[seat], seat, entry)


@kernel
def add_effects(public, rules, seat, entry):
    """Give a city the lasting effects of a structure or stage."""
    color = rules.color[entry] if entry < w.STAGE_ENTRY else -1
    if rules.produces[entry] or rules.one_of[entry]:
        add_production(public, rules, seat, entry, color == w.BROWN or color == w.GRAY)
    if rules.shields[entry]:
        add_shields(public, seat, entry, rules.shields[entry])
    symbol = rules.symbol[entry]
    if symbol:
        public.symbols[seat, symbol] += 1
        if color == w.GREEN:
            public.green_symbols[seat, symbol] += 1
    abilities = rules.abilities[entry]
    if abilities:
        public.abilities[seat] |= abilities
        if abilities & w.PRICES:
            add_prices(public, rules, seat, entry)
        if abilities & (w.WAREHOUSE | w.BLACK_MARKET):
            add_flex(public, seat, entry, 0, WAREHOUSE_ROLE if abilities & w.WAREHOUSE else MARKET_ROLE, False)
            refresh_private_symbols(public, seat, entry)
        if rules.diplomacy[entry]:
            add_diplomacy(public, seat, entry, rules.diplomacy[entry])
        public.copy_science[seat] += rules.copy_science[entry]


@kernel
def add_prices(public, rules, seat, entry):
    """Apply a discount on trade (R14); a stage and a structure together count once, unless a switch adds them up."""
    for kind in range(w.PRICE_KINDS):
        price = rules.price[entry, kind]
        if entry < w.STAGE_ENTRY:
            public.post_price[seat, kind] = min(public.post_price[seat, kind], price)
        else:
            public.board_price[seat, kind] = min(public.board_price[seat, kind], price)
    refresh_prices(public, rules, seat)
    for side in range(w.NEIGHBOR_SEATS):
        public.turn_rebate[seat, side] += rules.turn_rebate[entry, side]
        public.board_rebate[seat, side] += rules.board_rebate[entry, side]


@kernel
def refresh_prices(public, rules, seat):
    """Compute what units cost a city from its discounts and from what clauses changed (R14, R66)."""
    full = rules.trade_price
    for kind in range(w.PRICE_KINDS):
        post, board = public.post_price[seat, kind], public.board_price[seat, kind]
        price = max(post + board - full, 0) if rules.switch[_CUMULATIVE] else min(post, board)
        public.price[seat, kind] = min(max(price + public.price_change[seat, kind], 0), w.MAX_PRICE)
        public.price_change[seat, kind] = public.price[seat, kind] - price
    find_cheapest(public, seat)


@kernel
def add_structure(public, rules, seat, card):
    """Put a structure into a city."""
    public.built[seat, card >> 6] |= _ONE << np.uint64(card & 63)
    public.colors[seat, rules.color[card]] += 1
    add_effects(public, rules, seat, card)


@kernel(rare=True)
def add_recruit(public, rules, seat, entry):
    """Put a recruited card into a city (R90)."""
    public.recruited[seat] |= _ONE << np.uint64(entry - rules.deck_entry)
    add_effects(public, rules, seat, entry)


@kernel
def discard(game, card):
    """Put a card on the discard pile."""
    game.hidden.copies[card] += 1
    game.hidden.pile[card >> 6] |= _ONE << np.uint64(card & 63)
    game.public.discarded += 1


@kernel
def entry_of(public, rules, seat, move):
    """Return the entry that a move placed: the card or the stage just built; -1 for a sale."""
    action = action_of(move)
    if action == w.BUILD:
        return card_of(move)
    if action == w.SELL:
        return -1
    return rules.stage_entry[public.side[seat], public.stages[seat] - 1]


@kernel
def spend_free_build(public, seat):
    """Use up the free build of the age, else a token (R26, R67)."""
    if public.abilities[seat] & w.FREE_ONCE_PER_AGE and public.free_used[seat] == 0:
        public.free_used[seat] = 1
    else:
        add_free_builds(public, seat, -1)


@kernel(inline=True)
def place(game, rules, seat, move):
    """Place the chosen card (R9.1); return whether it has immediate effects or clauses (RULES.eventful)."""
    public, hidden = game.public, game.hidden
    action = action_of(move)
    if action == w.SELL:
        discard(game, card_of(move))
        public.sold[seat] += 1
        return 0
    if action == w.BUILD:
        entry = card_of(move)
        add_structure(public, rules, seat, entry)
        how = how_of(move)
        if how == w.PAID:
            public.built_paid[seat] += 1
        elif how == w.FREE:
            public.built_free[seat] += 1
            if spends_of(move):
                spend_free_build(public, seat)
        else:
            public.built_chain[seat] += 1
        if rules.abilities[entry] & w.BUILD_DISCARD:
            hidden.card_builds[seat] += 1
    else:
        entry = rules.stage_entry[public.side[seat], public.stages[seat]]
        public.stages[seat] += 1
        add_effects(public, rules, seat, entry)
        if rules.abilities[entry] & w.BUILD_DISCARD:
            hidden.board_builds[seat] += 1
    eventful = rules.eventful[entry]
    if eventful & w.BY_FORMULA:
        note_watchers(game, rules)
    return eventful


@kernel
def sale_coins(public, rules, seat):
    """Return the coins that a city gets for a card that it sells now (R8)."""
    if rules.sale_at >= 0:
        return evaluate(public, rules, rules.sale_at, seat, seat)
    return rules.sale_coins


@kernel
def plays_last(public, rules, seat):
    """Return whether a city plays the last card of this age (R9.5, R27)."""
    return public.abilities[seat] & w.PLAY_LAST != 0 or rules.last_played[public.age] != 0


@kernel(inline=True)
def settle(public, rules, seat, move):
    """Make the payments of a move, or take the coins of a sale (R9.2)."""
    if action_of(move) == w.SELL:
        coins = sale_coins(public, rules, seat)
        if rules.sale_at >= 0:
            add_coins(public, seat, card_of(move), coins)
        else:
            public.coins[seat] += coins
        return
    bank, to_left, to_right = bank_of(move), left_of(move), right_of(move)
    public.bank_paid[seat] += bank
    public.coins[seat] -= bank + to_left + to_right
    if to_left + to_right:
        left, right = neighbor_left(public, seat), neighbor_right(public, seat)
        public.trade_paid[seat] += to_left + to_right
        public.coins[left] += to_left
        public.trade_received[left] += to_left
        public.coins[right] += to_right
        public.trade_received[right] += to_right


@kernel
def count_in(public, seat, what):
    """Count the items that an effect counts in one city."""
    total = 0
    colors = what & w.ALL_COLORS
    while colors:
        total += public.colors[seat, lowest_bit(np.uint64(colors))]
        colors &= colors - 1
    if what & ~w.ALL_COLORS:
        if what & w.COUNT_STAGE:
            total += public.stages[seat]
        if what & w.COUNT_DEFEAT:
            total += public.defeats[seat]
        if what & w.COUNT_ANY_VICTORY:
            total += public.victory[seat, 0] if what & _VICTORY_1 else 0
            total += public.victory[seat, 1] if what & _VICTORY_2 else 0
            total += public.victory[seat, 2] if what & _VICTORY_3 else 0
    return total


@kernel
def count_around(public, seat, what, cities):
    """Count the items that an effect counts in the cities it includes: 1 own, 2 left, 4 right."""
    total = 0
    if cities & w.CITY_SELF:
        total += count_in(public, seat, what)
    if cities & w.CITY_LEFT:
        total += count_in(public, neighbor_left(public, seat), what)
    if cities & w.CITY_RIGHT:
        total += count_in(public, neighbor_right(public, seat), what)
    return total


@kernel
def gain(public, rules, seat, entry):
    """Take the immediate coins of a structure or stage, and pay its gains for others (R9.3, R34)."""
    coins = np.int64(rules.coins[entry])
    each, what, cities = rules.coins_per[entry, 0], rules.coins_per[entry, 1], rules.coins_per[entry, 2]
    if each:
        number = count_around(public, seat, what, cities)
        if (
            rules.switch[_COUNT_SELF] == 0
            and entry < w.STAGE_ENTRY
            and cities & w.CITY_SELF
            and what >> rules.color[entry] & 1
        ):
            number -= 1
        coins += each * number
    if coins:
        add_coins(public, seat, entry, coins)
    others = rules.coins_to_others[entry, 0]
    if others:
        for other in range(public.seats):
            if concerns(public, seat, other, rules.coins_to_others[entry, 1]):
                add_coins(public, other, entry, others)


@kernel
def concerns(public, owner, other, who):
    """Return whether an effect of ``owner`` on others or neighbours reaches ``other``."""
    if owner == other:
        return False
    if who == w.WHO_NEIGHBORS:
        return other == neighbor_left(public, owner) or other == neighbor_right(public, owner)
    return True


@kernel
def take_tokens(public, rules, seat, entry):
    """Discard defeat tokens, take the victory token of a raider card and hand out its debts (R21, R35, R36)."""
    if rules.abilities[entry] & w.DISCARD_DEFEATS:
        public.defeats[seat] = 0
    token = rules.victory_token[entry]
    if token:
        public.victory[seat, token - 1] += 1
    if rules.debt[entry, 0]:
        for other in range(public.seats):
            if concerns(public, seat, other, rules.debt[entry, 1]):
                add_debts(public, other, entry, rules.debt[entry, 0])


@kernel
def inflict(game, rules, seat, entry):
    """Add the coin losses of a structure or stage to the pending losses of every other seat (R32)."""
    public, hidden = game.public, game.hidden
    each, who, per = rules.coin_loss[entry, 0], rules.coin_loss[entry, 1], rules.coin_loss[entry, 2]
    for other in range(public.seats):
        if concerns(public, seat, other, who):
            number = 1
            if per == w.PER_VICTORY:
                number = public.victory[other, 0] + public.victory[other, 1] + public.victory[other, 2]
            elif per == w.PER_STAGE:
                number = public.stages[other]
            losses = hidden.losses[other] + each * number
            if losses > MAX_COINS:
                stop_game(LOSSES, other, entry, losses, MAX_COINS)
            if min(losses, public.coins[other]) > MAX_PAID:
                stop_game(PAYABLE, other, entry, min(losses, public.coins[other]), MAX_PAID)
            hidden.losses[other] = losses


@kernel
def resolve(game, rules, decision):
    """Resolve steps 1-4 of R9 for every seat with a move in ``hidden.taken``; return whether there are coin losses."""
    public, hidden = game.public, game.hidden
    seats = public.seats
    eventful = 0
    for seat in range(seats):
        if hidden.taken[seat] != NO_MOVE:
            eventful |= place(game, rules, seat, hidden.taken[seat])
            log_deed(public, seat, hidden.taken[seat], decision)
    for seat in range(seats):
        if hidden.taken[seat] != NO_MOVE:
            settle(public, rules, seat, hidden.taken[seat])
    if eventful & w.AT_ONCE:
        # payments are made before coins are counted, and tokens change after: the order of seats does not matter
        for seat in range(seats):
            entry = _entry_taken(game, rules, seat)
            if entry >= 0:
                gain(public, rules, seat, entry)
        for seat in range(seats):
            entry = _entry_taken(game, rules, seat)
            if entry >= 0:
                take_tokens(public, rules, seat, entry)
    if rules.triggers & OF_MOVES:
        _moves_made(game, rules, decision, eventful & w.BY_FORMULA)
    losing = False
    if eventful & w.AT_ONCE == 0:
        return losing
    for seat in range(seats):
        entry = _entry_taken(game, rules, seat)
        if entry >= 0 and rules.coin_loss[entry, 0]:
            inflict(game, rules, seat, entry)
            losing = True
    return losing


@kernel(rare=True)
def _moves_made(game, rules, decision, placed):
    """Apply the clauses that the moves of this turn trigger, seat by seat (R54); ``placed``: some are new."""
    hidden = game.hidden
    for seat in range(game.public.seats):
        move = hidden.taken[seat]
        if (placed or hidden.watched[seat]) and move != NO_MOVE:
            move_made(game, rules, seat, move, np.int64(entry_of(game.public, rules, seat, move)), decision)


@kernel
def _entry_taken(game, rules, seat):
    """Return the entry that a seat placed this turn if it has immediate effects, or -1."""
    move = game.hidden.taken[seat]
    if move == NO_MOVE:
        return -1
    entry = entry_of(game.public, rules, seat, move)
    return entry if entry >= 0 and rules.eventful[entry] & w.AT_ONCE else -1


@kernel
def drop_copy(hidden, card):
    """Take a copy of a card out of the pile's contents."""
    hidden.copies[card] -= 1
    if hidden.copies[card] == 0:
        hidden.pile[card >> 6] &= ~(_ONE << np.uint64(card & 63))


@kernel
def take_from_pile(game, card):
    """Take a card off the discard pile."""
    drop_copy(game.hidden, card)
    game.public.discarded -= 1


@kernel
def build_from_pile(game, rules, seat, move):
    """Build a structure from the discard pile and apply its immediate effects (R28); return whether there are coin
    losses."""
    public, card = game.public, card_of(move)
    take_from_pile(game, card)
    public.built_discard[seat] += 1
    add_structure(public, rules, seat, card)
    if rules.eventful[card]:
        gain(public, rules, seat, card)
        take_tokens(public, rules, seat, card)
    if rules.triggers:
        note_watchers(game, rules)
        move_made(game, rules, seat, move, card, w.DISCARD_PILE)
    if rules.coin_loss[card, 0] == 0:
        return False
    inflict(game, rules, seat, card)
    return True


@kernel
def leave_hand(game, seat, move):
    """Take the played copy out of a hand."""
    game.own[seat].hand &= ~(_ONE << np.uint64(slot_of(move)))
