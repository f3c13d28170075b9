"""The rows of the seats table, as the engine writes them (layout.ROW)."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.wonders.words import AGES, CATEGORY_KINDS, COLOR_KINDS, SYMBOL_KINDS


@kernel
def write_rows(game, rules, rows, at, number):
    """Write one row a city of the game just scored, from row ``at`` on."""
    for seat in range(rules.seats):
        _write_row(game, rules, rows[at + seat], seat, number)


@kernel
def _write_row(game, rules, row, seat, number):
    """Write the row of one city."""
    public, result = game.public, game.result
    row.game = number
    row.seat = seat
    row.side = public.side[seat]
    row.policy = public.policy[seat]
    row.rank = result.rank[seat]
    row.win_share = result.share[seat]
    for category in range(CATEGORY_KINDS):
        row.points[category] = result.points[seat, category]
    row.total = result.total[seat]
    row.coins = public.coins[seat]
    row.shields = public.shields[seat]
    row.stages = public.stages[seat]
    victory_points = 0
    for age in range(AGES):
        victory_points += public.victory[seat, age] * rules.victory_points[age]
    row.victory_points = victory_points
    row.defeats = public.defeats[seat]
    row.debts = public.debts[seat]
    row.coins_lost = public.coins_lost[seat]
    row.trade_paid = public.trade_paid[seat]
    row.trade_received = public.trade_received[seat]
    row.bank_paid = public.bank_paid[seat]
    row.built_paid = public.built_paid[seat]
    row.built_chain = public.built_chain[seat]
    row.built_free = public.built_free[seat]
    row.built_discard = public.built_discard[seat]
    row.sold = public.sold[seat]
    for color in range(COLOR_KINDS):
        row.colors[color] = public.colors[seat, color]
    for symbol in range(SYMBOL_KINDS):
        row.symbols[symbol] = public.symbols[seat, symbol]
    row.built[0] = public.built[seat, 0]
    row.built[1] = public.built[seat, 1]
