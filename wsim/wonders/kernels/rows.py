"""The rows of the seats table, as written by the engine (layout.ROW); points must fit (``guards``)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.kernels.guards import stop_game
from wsim.wonders.kernels.city import FACTS, victory_points
from wsim.wonders.kernels.clause_owners import has_entry
from wsim.wonders.kernels.guards import check_coins
from wsim.wonders.kernels.scoring import points_of
from wsim.wonders.limits import CATEGORY, DEFEATS, MAX_COUNT, SYMBOLS, TOKEN_POINTS, TOTAL
from wsim.wonders.words import CARD_WORDS, CATEGORY_KINDS, SYMBOL_KINDS

_ONE = np.uint64(1)
MAX_POINTS, MIN_POINTS = 32_767, -32_768
_write_facts = FACTS.write_row()


@kernel
def write_rows(game, rules, rows, at, number):
    """Write one row per city of the game just scored, from row ``at`` on."""
    public, result = game.public, game.result
    for seat in range(rules.seats):
        row = rows[at + seat]
        row.game = number
        row.seat = seat
        row.side = public.side[seat]
        row.policy = public.policy[seat]
        row.rank = result.rank[seat]
        row.win_share = result.share[seat]
        for category in range(CATEGORY_KINDS):
            row.points[category] = result.points[seat, category]
        row.total = result.total[seat]
        _write_facts(public, rules, seat, row)
        # A number that does not fit in its column has bits beyond it; such a game is stopped.
        points = (result.total[seat] - MIN_POINTS) | (public.coins[seat] - MIN_POINTS)
        for category in range(CATEGORY_KINDS):
            points |= result.points[seat, category] - MIN_POINTS
        counts = victory_points(public, rules, seat) | public.defeats[seat]
        for symbol in range(SYMBOL_KINDS):
            counts |= public.symbols[seat, symbol]
        if (points >> 16) | (counts >> 8):
            _stop_row(game, rules, seat)


@kernel(rare=True)
def _stop_row(game, rules, seat):
    """Stop a game in which a number of a city does not fit in its column."""
    public, result = game.public, game.result
    check_coins(public.coins[seat], seat)
    _check_count(TOKEN_POINTS, seat, victory_points(public, rules, seat))
    _check_count(DEFEATS, seat, public.defeats[seat])
    for symbol in range(SYMBOL_KINDS):
        _check_count(SYMBOLS, seat, public.symbols[seat, symbol])
    for category in range(CATEGORY_KINDS):
        _check_points(game, rules, seat, CATEGORY, result.points[seat, category])
    _check_points(game, rules, seat, TOTAL, result.total[seat])


@kernel
def _check_count(what, seat, value):
    """Stop a game in which a number does not fit in a column of 8 bits."""
    if value > MAX_COUNT:
        stop_game(what, seat, -1, value, MAX_COUNT)


@kernel
def _check_points(game, rules, seat, what, points):
    """Stop a game in which points do not fit in a column of 16 bits."""
    if points > MAX_POINTS or points < MIN_POINTS:
        bound = MAX_POINTS if points > 0 else MIN_POINTS
        stop_game(what, seat, _largest_source(game.public, rules, seat, points), points, bound)


@kernel(rare=True)
def _largest_source(public, rules, seat, points):
    """Return the entry of a city with the most points of the sign of ``points``; -1 if there is none."""
    sign = 1 if points > 0 else -1
    most, largest = 0, -1
    for word in range(CARD_WORDS):
        names = public.built[seat, word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            worth = sign * points_of(public, rules, seat, card, 0)
            if worth > most:
                most, largest = worth, card
    for stage in range(public.stages[seat]):
        entry = np.int64(rules.stage_entry[public.side[seat], stage])
        worth = sign * points_of(public, rules, seat, entry, 0)
        if worth > most:
            most, largest = worth, entry
    for entry in range(rules.deck_entry, rules.last_entry):
        worth = sign * points_of(public, rules, seat, entry, 0) if has_entry(public, rules, seat, entry) else 0
        if worth > most:
            most, largest = worth, entry
    return largest
