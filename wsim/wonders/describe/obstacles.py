"""Explain to a person why a card in hand, or the next stage, cannot be built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wsim.wonders.analysis.rule_functions import MAX_COINS
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.entry_points import pay_changed_entry, pay_entry
from wsim.wonders.kernels.prices import PRICED
from wsim.wonders.words import RESOURCES

NEXT_STAGE = "next stage"
"""The key for the stage, as in a city's facts."""


def obstacles(
    moves: Sequence[Mapping[str, Any]], names: Sequence[str], rules: Any, public: Any, seat: int
) -> Iterator[tuple[str, str]]:
    """Yield the cards in hand and the next stage that a seat cannot build in its turn, each with the reason.

    Only public information is used: productions, prices and coins. ``moves``: all legal moves.
    """
    built = {move["card"] for move in moves if move["action"] == "build"}
    for card in dict.fromkeys(move["card"] for move in moves):
        number = names.index(card)
        if card in built:
            continue
        if int(public.built[seat, number >> 6]) >> (number & 63) & 1:
            yield card, "Your city has it already."
        elif why := _why_unaffordable(public, rules, seat, number):
            yield card, why
    side, stages = int(public.side[seat]), int(public.stages[seat])
    unbuilt = stages < int(rules.stage_count[side]) and not any(move["action"] == "stage" for move in moves)
    if unbuilt and (why := _why_unaffordable(public, rules, seat, int(rules.stage_entry[side, stages]))):
        yield NEXT_STAGE, why


def _why_unaffordable(public: Any, rules: Any, seat: int, entry: int) -> str:
    """Explain why a city cannot pay for an entry of the cost table; empty if it can pay."""
    cost, bank, coins = int(rules.cost[entry]), int(rules.cost_coins[entry]), int(public.coins[seat])
    solver = np.zeros(1, layout.SOLVER).view(np.recarray)[0]
    if int(rules.triggers) & PRICED:
        with np.errstate(over="ignore"):
            count = int(pay_changed_entry(public, rules, solver, seat, entry, MAX_COINS))
        return _why_too_expensive(solver, count, coins)
    if bank > coins:
        return f"It costs {_coins(bank)}, and you have {coins}."
    neighbours = (seat + 1) % int(public.seats), (seat - 1) % int(public.seats)
    within_reach = int(public.reach[seat]) + sum(int(public.sale_reach[other]) for other in neighbours)
    needed, available = _lanes(cost), _lanes(within_reach)
    missing = {name: count - available[name] for name, count in needed.items() if count > available[name]}
    if missing:
        units = " and ".join(f"{count} {name}" for name, count in missing.items())
        return f"{units} missing: you and your neighbours together do not produce enough."
    with np.errstate(over="ignore"):
        count = int(pay_entry(public, solver, seat, np.uint64(cost), bank, MAX_COINS))
    return _why_too_expensive(solver, count, coins, bank)


def _why_too_expensive(solver: Any, count: int, coins: int, bank: int = 0) -> str:
    """Explain why a city cannot afford any of the payments; empty if it can afford one.

    ``bank``: coins to the bank, if the payments do not include them.
    """
    if not count:
        return "You and your neighbours cannot produce all of its resources at once."
    paid = (layout.BANK_AT, layout.LEFT_AT, layout.RIGHT_AT)
    price = bank + min(sum(int(pair) >> at & 255 for at in paid) for pair in solver.pairs[:count])
    return f"It costs at least {_coins(price)} with what you must buy, and you have {coins}." if price > coins else ""


def _lanes(packed: int) -> dict[str, int]:
    """Unpack packed amounts into a dict keyed by resource."""
    return {name: packed >> 8 * index & 255 for index, name in enumerate(RESOURCES)}


def _coins(number: int) -> str:
    return f"{number} coin{'' if number == 1 else 's'}"
