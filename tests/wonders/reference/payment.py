"""Every way to pay for a set of resource units, by exhaustion (R11-R15)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

# Resources by name, and by the letters of cases.json (wood, stone, clay, ore).
RAW = frozenset({"clay", "stone", "ore", "wood", "W", "S", "C", "O"})

Symbol = Iterable[str]  # the units of which a symbol gives one; a plain symbol has one alternative


@dataclass(frozen=True)
class Prices:
    """The prices in coins of one neighbour's units (R14)."""

    raw: int = 2
    manufactured: int = 2
    wharf: int = 0  # Clandestine Wharf: one bought unit costs so much less
    cache: int = 0  # Smuggler's Cache: a unit of the board's starting resource costs so much less, every time
    first: int = 0  # one bought unit costs so much less by clauses (R77)

    def of(self, unit: str, from_board: bool) -> int:
        """Return the price of one unit, before the Clandestine Wharf."""
        price = self.raw if unit in RAW else self.manufactured
        return max(0, price - self.cache) if from_board else price

    def total(self, bought: Sequence[int]) -> int:
        """Return the total for units with the given prices; the buyer's rebate applies to the dearest (floor 0)."""
        totals = []
        for first in range(len(bought)) if self.first else [-1]:
            paid = [max(0, price - self.first) if at == first else price for at, price in enumerate(bought)]
            totals.append(sum(paid) - min(self.wharf, max(paid, default=0)))
        return min(totals, default=0)


@dataclass(frozen=True)
class Source:
    """A symbol that can cover one unit: its owner, its resources, and whether it is a starting resource."""

    owner: str
    symbol: frozenset[str]
    from_board: bool = False


def pareto(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the Pareto-minimal pairs, in ascending order of the first part."""
    distinct = set(pairs)
    return sorted(
        pair
        for pair in distinct
        if not any(other != pair and other[0] <= pair[0] and other[1] <= pair[1] for other in distinct)
    )


def pareto_payments(
    cost: Sequence[str],
    own: Iterable[Symbol],
    left: Iterable[Symbol],
    right: Iterable[Symbol],
    *,
    left_prices: Prices = Prices(),
    right_prices: Prices = Prices(),
    left_board: Iterable[Symbol] = (),
    right_board: Iterable[Symbol] = (),
    bank: int = 0,
    budget: int | None = None,
) -> list[tuple[int, int]]:
    """Return the Pareto-minimal affordable pairs (coins to left, coins to right) that cover ``cost``, by left coins.

    ``own``, ``left`` and ``right`` are symbols, each a string of letters or a collection of resource names of which it
    gives one; ``left_board`` and ``right_board`` are the neighbours' starting resources, sold beside ``left`` and
    ``right``. ``bank`` is the coin cost and ``budget`` the coins at the start of the turn (None: no limit).
    """
    if budget is not None and bank > budget:
        return []
    sources = [Source("own", frozenset(symbol)) for symbol in own]
    for owner, sold, board in (("left", left, left_board), ("right", right, right_board)):
        sources += [Source(owner, frozenset(symbol)) for symbol in sold]
        sources += [Source(owner, frozenset(symbol), from_board=True) for symbol in board]
    pairs = minimal_pairs(tuple(sorted(cost)), tuple(sources), left_prices, right_prices)
    return [pair for pair in pairs if budget is None or bank + sum(pair) <= budget]


@lru_cache(maxsize=4096)  # the same purchase is asked for again and again: by each card that costs the same
def minimal_pairs(
    needed: tuple[str, ...], sources: tuple[Source, ...], left_prices: Prices, right_prices: Prices
) -> list[tuple[int, int]]:
    """Return the Pareto-minimal pairs of coins, regardless of the buyer's budget."""
    helpful = [source for source in sources if not source.symbol.isdisjoint(needed)]
    ways: Ways = {needed: {((), ())}}
    for source in helpful:
        if source.owner == "own":
            ways = use(ways, source, left_prices, right_prices)
    if () not in ways:  # the own city is not enough; otherwise (0, 0) undercuts everything
        for source in helpful:
            if source.owner != "own":
                ways = use(ways, source, left_prices, right_prices)
    return pareto((left_prices.total(bought[0]), right_prices.total(bought[1])) for bought in ways.get((), set()))


# What is still to be covered -> all the ways to have got there, each the prices of what was bought left and right.
Bought = tuple[tuple[int, ...], tuple[int, ...]]
Ways = dict[tuple[str, ...], set[Bought]]


def use(ways: Ways, source: Source, left_prices: Prices, right_prices: Prices) -> Ways:
    """Extend all ways to pay by one source, which covers one of the missing units or is not used."""
    after: Ways = {missing: set(bought) for missing, bought in ways.items()}
    for missing, all_bought in ways.items():
        for unit in source.symbol.intersection(missing):
            where = missing.index(unit)
            rest = missing[:where] + missing[where + 1 :]
            reached = after.setdefault(rest, set())
            for left, right in all_bought:
                if source.owner == "own":
                    reached.add((left, right))
                elif source.owner == "left":
                    reached.add((tuple(sorted((*left, left_prices.of(unit, source.from_board)))), right))
                else:
                    reached.add((left, tuple(sorted((*right, right_prices.of(unit, source.from_board))))))
    return after
