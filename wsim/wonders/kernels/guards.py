"""The guards of 7 Wonders: checks that appended and added numbers fit (wsim/kernels/guards.py).

Every store into a field or slot of limited width that depends on cards, formulas, clauses, house rules, positions or
functions in Python, and the guard that covers it; "bounded" says why no catalogue that can be read gets there:

===========================================  ===================================================================
stored in                                    guard
===========================================  ===================================================================
PUBLIC.coins                                 ``add_coins`` (gains, gifts, clauses, sales by formula); other
                                             sales and trade add 5,913 coins at most to 32 bits, and
                                             ``check_coins`` covers what is shown of them: rows, observations
PUBLIC.shields, age_shields                  ``add_shields``; the second is part of the first
PUBLIC.victory, defeats                      ``clause_acts`` by clause; rows check both after conflicts and cards
PUBLIC.debts                                 ``add_debts`` (cards, losses, clauses)
PUBLIC.diplomacy                             ``add_diplomacy`` (cards, clauses)
PUBLIC.gained                                ``add_points`` (clauses)
PUBLIC.symbols                               ``clause_acts`` the symbols of a city; rows check each
PUBLIC.copied                                bounded: one bit for each name; its effects by the guards of what they add
PUBLIC.green_symbols, colors, copy_science   bounded: a city builds each of 128 names once (R7)
PUBLIC.plain, sale, reach, sale_reach,       ``check_lanes`` of ``reach`` and ``sale_reach``, which are the largest, at
turn_units (7 bits each)                     each addition: a third of 7 bits, as the solver adds three cities
PUBLIC.flex, flex_role, sale_flex            ``add_flex`` before it appends
PUBLIC.price, post_price, board_price        bounded: clamped to 0..MAX_PRICE (R14, R66); price_change: a difference
PUBLIC.turn_rebate, board_rebate             bounded: 99 coins of at most 134 entries
PUBLIC.free_tokens                           ``clause_acts``
PUBLIC.counter                               bounded: clamped to the bounds of its counter (R70)
PUBLIC.trade_paid, trade_received            bounded: 27 moves of a city, 60 coins to each neighbour (UNITS, MAX_PRICE)
PUBLIC.bank_paid                             bounded: 192 moves of 99 coins
PUBLIC.coins_lost                            ``flow._pay_loss``
PUBLIC.built_*, sold, stages                 bounded: names, moves and stages of a city
PUBLIC.deeds, deed_count                     ``log.log_deed`` before it appends; REDRAW.builds has as many places
PRIVATE.look (4 bits)                        saturates by rule: a seat remembers 15 copies of a name at most
CHOICE.moves                                 bounded, once ``listing.list_loss`` has checked the coins to pay
HIDDEN.board_builds, card_builds             ``clause_acts``; ``flow._enqueue``
HIDDEN.losses                                ``turn.inflict``
HIDDEN.copies                                bounded: 192 copies are dealt
FLOW.queue                                   ``flow._enqueue`` before it appends
ASKING.pending, made                         ``pending.add_pending`` before it appends, ``count_decision``
ASKING.drawn, DEALER.pool                    bounded: 20 cards are drawn at most (R100, R104), of those that there are
ASKING.draft_turn, PRIVATE.drafted           bounded: 8 turns, as many as a hand of a draft has cards (R101)
EVENT (log)                                  ``log.log_event`` before it appends; values are coins, shields, amounts
EVENT.ways                                   bounded: 64 ways to build one card
RESULT                                       64 bits
ROW                                          ``rows``: points, total, victory_points, defeats, symbols; the others by
                                             the guards above
the stack of a formula                       ``formula_machine``: results beyond MAX_RESULT count as none
what a formula asks for                      ``formula.leaf``: the spans that its reader reckons with (division)
an observation (16 bits)                     by the guards of what it shows
a move: coins to the bank, left, right       ``listing.list_loss``, ``asking``, ``prices.pay_changed``; payments 60
===========================================  ===================================================================
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders.limits import COINS, DEBTS, DIPLOMACY, GAINED, MAX_COINS, MAX_COUNT, SHIELDS, UNITS
from wsim.wonders.words import RESOURCE_KINDS, STAGE_ENTRY, WONDER

MAX_LANE = 42  # of a packed resource: those of a city and both neighbours fit in 7 bits, as the solver needs
_TOP, _ROOM = np.uint64(0x0080808080808080), np.uint64(0x0055555555555555)  # by lane 128, and 127 less the most


@kernel
def add_coins(public, seat, source, amount):
    """Give a city coins."""
    coins = public.coins[seat] + amount
    if coins > MAX_COINS:
        stop_game(COINS, seat, source, coins, MAX_COINS)
    public.coins[seat] = coins


@kernel
def check_coins(coins, seat):
    """Stop a game in which a city has more coins than can be shown."""
    if coins > MAX_COINS:
        stop_game(COINS, seat, -1, coins, MAX_COINS)


@kernel
def add_shields(public, seat, source, amount):
    """Give a city shields."""
    shields = public.shields[seat] + amount
    if shields > MAX_COUNT:
        stop_game(SHIELDS, seat, source, shields, MAX_COUNT)
    public.shields[seat] = shields


@kernel
def add_debts(public, seat, source, amount):
    """Give a city debts."""
    debts = public.debts[seat] + amount
    if debts > MAX_COINS:
        stop_game(DEBTS, seat, source, debts, MAX_COINS)
    public.debts[seat] = debts


@kernel
def add_points(public, rules, seat, source, amount):
    """Give a city points, or take some, in the category of the structure or stage that does it (R94)."""
    category = rules.category[source] if source < STAGE_ENTRY else WONDER
    points = public.gained[seat, category] + amount
    if abs(points) > MAX_COINS:
        stop_game(GAINED, seat, source, points, MAX_COINS if points > 0 else -MAX_COINS)
    public.gained[seat, category] = points


@kernel
def add_diplomacy(public, seat, source, amount):
    """Give a city diplomacy tokens."""
    tokens = public.diplomacy[seat] + amount
    if tokens > MAX_COUNT:
        stop_game(DIPLOMACY, seat, source, tokens, MAX_COUNT)
    public.diplomacy[seat] = tokens


@kernel
def check_lanes(units, seat, source):
    """Stop a game if any lane of a packed word, to which at most 42 was added, exceeds 42."""
    if (units + _ROOM) & _TOP:
        stop_lanes(units, seat, source)


@kernel(rare=True)
def stop_lanes(units, seat, source):
    """Stop a game because of the first lane that exceeds its limit."""
    for resource in range(RESOURCE_KINDS):
        many = np.int64((units >> np.uint64(8 * resource)) & np.uint64(0xFF))
        if many > MAX_LANE:
            stop_game(UNITS, seat, source, many, MAX_LANE)
