"""The effect of one part of a clause on a city (R56, R57, R65-R68)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.copying import copy_structure
from wsim.wonders.kernels.guards import MAX_LANE, add_coins, add_debts, add_diplomacy, add_points, add_shields
from wsim.wonders.kernels.layout import QUEUE
from wsim.wonders.kernels.pending import ask_to_draw
from wsim.wonders.limits import DEFEATS, FREE_TOKENS, MAX_COUNT, MAX_SYMBOLS, SYMBOLS, UNITS, VICTORY, WAITING

_TAKE, _GIVE, _GAIN_COINS, _GAIN_SHIELDS = w.ACT["take"], w.ACT["give"], w.ACT["gain coins"], w.ACT["gain shields"]
_GAIN_AGE_SHIELDS, _GAIN_VICTORY = w.ACT["gain age_shields"], w.ACT["gain victory_tokens"]
_GAIN_DEFEATS, _GAIN_DEBTS, _GAIN_DIPLOMACY = (
    w.ACT["gain defeat_tokens"], w.ACT["gain debts"], w.ACT["gain diplomacy_tokens"],
)  # fmt: skip
_GAIN_POINTS, _LOSE_POINTS = w.ACT["gain points"], w.ACT["lose points"]
_GAIN_SYMBOL, _GAIN_RESOURCE = w.ACT["gain compass"], w.ACT[f"gain {w.RESOURCES[0]}"]
_GAIN_TURN_UNIT, _GAIN_PRICE = w.ACT[f"gain {w.TURN_UNITS[0]}"], w.ACT[f"gain {w.UNIT_PRICES[0]}"]
_GAIN_FREE, _GAIN_PILE = w.ACT["gain free_build_tokens"], w.ACT["gain discard_builds"]
_GAIN_COPIES, _GAIN_DRAW = w.ACT["gain copies"], w.ACT["gain draw 1"]
_LOSE_COINS, _LOSE_DEFEATS, _LOSE_DEBTS = w.ACT["lose coins"], w.ACT["lose defeat_tokens"], w.ACT["lose debts"]
_LOSE_DIPLOMACY, _LOSE_PRICE = w.ACT["lose diplomacy_tokens"], w.ACT[f"lose {w.UNIT_PRICES[0]}"]
_LOSE_FREE = w.ACT["lose free_build_tokens"]


@kernel
def find_cheapest(public, seat):
    """Store the lowest price that a city pays to either neighbour."""
    public.cheapest[seat] = min(
        min(public.price[seat, 0], public.price[seat, 1]), min(public.price[seat, 2], public.price[seat, 3])
    )


@kernel
def add_free_builds(public, seat, amount):
    """Give a city free-build tokens, or take some; moves check the ability (R67)."""
    public.free_tokens[seat] += amount
    public.abilities[seat] &= ~w.FREE_TOKEN
    if public.free_tokens[seat] > 0:
        public.abilities[seat] |= w.FREE_TOKEN


@kernel
def _change_price(public, seat, kind, amount):
    """Change the price of a unit for a city, within the limits; return the change (R66)."""
    price = np.int64(public.price[seat, kind])
    change = min(max(price + amount, 0), w.MAX_PRICE) - price
    public.price[seat, kind] += change
    public.price_change[seat, kind] += change
    find_cheapest(public, seat)
    return abs(change)


@kernel
def _move_coins(public, entry, giver, taker, coins):
    """Transfer coins, at most as many as there are; return how many."""
    coins = min(coins, np.int64(public.coins[giver]))
    public.coins[giver] -= coins
    add_coins(public, taker, entry, coins)
    return coins


@kernel
def _within(what, city, entry, value, bound):
    """Return the new amount of a city; stop the game if it exceeds the limit."""
    if value > bound:
        stop_game(what, city, entry, value, bound)
    return value


@kernel
def _add_units(public, entry, city, resource, amount):
    """Give a city units of a resource; return them as a packed word."""
    at = np.uint64(8 * resource)
    held = np.int64((public.reach[city] >> at) & np.uint64(0xFF))
    _within(UNITS, city, entry, held + amount, MAX_LANE)
    units = np.uint64(amount) << at
    public.plain[city] += units
    public.reach[city] += units
    return units


@kernel(rare=True)
def do(game, rules, action, entry, owner, city, amount):
    """Carry out one action of a clause of an entry; return the amount done (R56)."""
    public = game.public
    if action == _TAKE:
        return _move_coins(public, entry, city, owner, amount)
    if action == _GIVE:
        return _move_coins(public, entry, owner, city, amount)
    if action == _GAIN_POINTS or action == _LOSE_POINTS:
        add_points(public, rules, city, entry, amount if action == _GAIN_POINTS else -amount)
        return amount
    if action == _GAIN_COPIES:
        return copy_structure(public, rules, city, np.int64(public.event_entry) - 1, entry) if amount else 0
    if action >= _GAIN_DRAW:
        return ask_to_draw(game, rules, city, action - _GAIN_DRAW, amount) if amount else 0
    if action < _LOSE_COINS:
        return _gain(game, action, entry, city, amount)
    return _lose(public, action, city, amount)


@kernel
def _gain(game, action, entry, city, amount):
    public = game.public
    if action == _GAIN_COINS:
        add_coins(public, city, entry, amount)
    elif action == _GAIN_SHIELDS:
        add_shields(public, city, entry, amount)
    elif action == _GAIN_AGE_SHIELDS:
        add_shields(public, city, entry, amount)
        public.age_shields[city] += amount
    elif action == _GAIN_VICTORY:
        tokens = public.victory[city, public.age] + amount
        public.victory[city, public.age] = _within(VICTORY, city, entry, tokens, MAX_COUNT)
    elif action == _GAIN_DEFEATS:
        public.defeats[city] = _within(DEFEATS, city, entry, public.defeats[city] + amount, MAX_COUNT)
    elif action == _GAIN_DEBTS:
        add_debts(public, city, entry, amount)
    elif action == _GAIN_DIPLOMACY:
        add_diplomacy(public, city, entry, amount)
    elif action < _GAIN_RESOURCE:
        symbols = amount
        for kind in range(1, w.SYMBOL_KINDS):
            symbols += public.symbols[city, kind]
        _within(SYMBOLS, city, entry, symbols, MAX_SYMBOLS)
        public.symbols[city, 1 + action - _GAIN_SYMBOL] += amount
    elif action < _GAIN_TURN_UNIT:
        _add_units(public, entry, city, action - _GAIN_RESOURCE, amount)
    elif action < _GAIN_PRICE:
        public.turn_units[city] += _add_units(public, entry, city, action - _GAIN_TURN_UNIT, amount)
    elif action < _GAIN_FREE:
        return _change_price(public, city, action - _GAIN_PRICE, amount)
    elif action == _GAIN_FREE:
        _within(FREE_TOKENS, city, entry, public.free_tokens[city] + amount, MAX_COUNT)
        add_free_builds(public, city, amount)
    elif entry >= w.STAGE_ENTRY:
        builds = game.hidden.board_builds[city] + amount
        game.hidden.board_builds[city] = _within(WAITING, city, entry, builds, QUEUE)
    else:
        builds = game.hidden.card_builds[city] + amount
        game.hidden.card_builds[city] = _within(WAITING, city, entry, builds, QUEUE)
    return amount


@kernel
def _lose(public, action, city, amount):
    """Take at most an amount of an item from a city; return the amount taken."""
    if _LOSE_PRICE <= action < _LOSE_FREE:
        return _change_price(public, city, action - _LOSE_PRICE, -amount)
    if action == _LOSE_COINS:
        amount = min(amount, np.int64(public.coins[city]))
        public.coins[city] -= amount
    elif action == _LOSE_DEFEATS:
        amount = min(amount, np.int64(public.defeats[city]))
        public.defeats[city] -= amount
    elif action == _LOSE_DEBTS:
        amount = min(amount, np.int64(public.debts[city]))
        public.debts[city] -= amount
    elif action == _LOSE_DIPLOMACY:
        amount = min(amount, np.int64(public.diplomacy[city]))
        public.diplomacy[city] -= amount
    else:
        amount = min(amount, np.int64(public.free_tokens[city]))
        add_free_builds(public, city, -amount)
    return amount


assert _GAIN_PILE == _GAIN_COPIES - 1 == _LOSE_COINS - 2
