"""What a seat may know, as a row of numbers of fixed length (R49); ``wsim.wonders.describe.view`` names the columns."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders.kernels.layout import NOBODY
from wsim.wonders.words import AGES, COLOR_KINDS, PRICE_KINDS, RESOURCE_KINDS, SYMBOL_KINDS

TABLE_NUMBERS = 6
CITY_NUMBERS = 15 + COLOR_KINDS + SYMBOL_KINDS + AGES + PRICE_KINDS + 2 * RESOURCE_KINDS
CLAUSE_NUMBERS = 8 + RESOURCE_KINDS
HISTORY = 3  # numbers of a deed: action, card, coins to the bank
_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(0xFF)


@kernel
def _write_names(rules, age, slots, seen, at):
    """Count the copies of each name in a set of slots, from place ``at`` on; return the place behind them."""
    for card in range(rules.cards):
        seen[at + card] = 0
    while slots:
        seen[at + rules.slot_card[age, lowest_bit(slots)]] += 1
        slots &= slots - _ONE
    return at + rules.cards


@kernel
def _write_city(public, seat, seen, at):
    """Write the numbers of a city; return the place behind them."""
    numbers = (
        public.side[seat], public.coins[seat], public.stages[seat], public.shields[seat], public.hand_size[seat],
        public.abilities[seat] & 0x7FF, public.free_used[seat], public.defeats[seat], public.debts[seat],
        public.diplomacy[seat], public.copy_science[seat], public.flex_count[seat], public.sale_flex_count[seat],
        public.board_resource[seat], public.sold[seat],
    )  # fmt: skip
    for number in numbers:
        seen[at] = number
        at += 1
    for color in range(COLOR_KINDS):
        seen[at + color] = public.colors[seat, color]
    at += COLOR_KINDS
    for symbol in range(SYMBOL_KINDS):
        seen[at + symbol] = public.symbols[seat, symbol]
    at += SYMBOL_KINDS
    for age in range(AGES):
        seen[at + age] = public.victory[seat, age]
    at += AGES
    for kind in range(PRICE_KINDS):
        seen[at + kind] = public.price[seat, kind]
    at += PRICE_KINDS
    for resource in range(RESOURCE_KINDS):
        lane = np.uint64(8 * resource)
        seen[at + resource] = (public.reach[seat] >> lane) & _BYTE
        seen[at + RESOURCE_KINDS + resource] = (public.sale_reach[seat] >> lane) & _BYTE
    return at + 2 * RESOURCE_KINDS


@kernel
def _write_by_clauses(public, seat, seen, at):
    """Write what a city has that clauses alone bring or ask for; return the place behind it."""
    numbers = (
        public.age_shields[seat], public.free_tokens[seat], public.built_chain[seat], public.built_free[seat],
        public.built_discard[seat], public.trade_paid[seat], public.trade_received[seat], public.coins_lost[seat],
    )  # fmt: skip
    for number in numbers:
        seen[at] = number
        at += 1
    for resource in range(RESOURCE_KINDS):
        seen[at + resource] = (public.turn_units[seat] >> np.uint64(8 * resource)) & _BYTE
    return at + RESOURCE_KINDS


@kernel
def observe(game, rules, seat, seen):
    """Write what a seat may know into ``seen``: the table, its hand, every city from its own to the left.

    Behind them, as far as the row reaches: hands handed on in this age, then all deeds, turn by turn.
    """
    public, own = game.public, game.own[seat]
    choosing = game.choice.seat == seat and game.choice.count > 0
    table = (public.age, public.turn, public.turns, public.discarded, seat, game.choice.kind if choosing else NOBODY)
    at = 0
    for number in table:
        seen[at] = number
        at += 1
    at = _write_names(rules, public.age, own.hand, seen, at)
    if rules.teams:
        at = _write_names(rules, public.age, own.mate_hand, seen, at)
    for step in range(rules.seats):
        other = (seat + step) % rules.seats
        at = _write_city(public, other, seen, at)
        if rules.triggers:
            at = _write_by_clauses(public, other, seen, at)
        for card in range(rules.cards):
            seen[at + card] = (public.built[other, card >> 6] >> np.uint64(card & 63)) & _ONE
        at += rules.cards
    if at < seen.shape[0]:
        _write_history(game, rules, seat, seen, at)


@kernel
def _write_history(game, rules, seat, seen, at):
    """Write what was handed on in this age and what every city did in every turn."""
    public, own = game.public, game.own[seat]
    for turn in range(rules.turns):
        at = _write_names(rules, public.age, own.passed[public.age, turn], seen, at)
    for place in range(at, seen.shape[0]):
        seen[place] = 0
    for number in range(public.deed_count):
        deed = public.deeds[number]
        other = np.int64(deed >> np.uint64(40) & np.uint64(15))
        age, turn = np.int64(deed >> np.uint64(44) & np.uint64(3)), np.int64(deed >> np.uint64(46) & np.uint64(15))
        decision = np.int64(deed >> np.uint64(50) & np.uint64(7))
        step = (other - seat) % rules.seats
        late = decision != 0
        place = at + HISTORY * (((age * rules.turns + turn) * rules.seats + step) * 2 + late)
        if place + HISTORY > seen.shape[0]:
            continue
        seen[place] = 1 + np.int64(deed >> np.uint64(8) & np.uint64(15))
        seen[place + 1] = np.int64(deed & _BYTE)
        seen[place + 2] = np.int64(deed >> np.uint64(16) & _BYTE)
