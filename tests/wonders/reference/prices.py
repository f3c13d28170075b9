"""Price changes by clauses (R75-R77): the changed cost, and a market with changed unit prices."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.wonders.reference.clauses import clauses_of, note, related, source_of, value
from tests.wonders.reference.facts import RESOURCES, Card, Cost
from tests.wonders.reference.market import MOST_PRICE, Market
from tests.wonders.reference.payment import Prices, pareto

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.wonders.reference.facts import Effect, Stage
    from tests.wonders.reference.table import City, Move, Table

SIDES = ("left", "right")


@dataclass
class Changes:
    """The total of all price changes by clauses, for a payer and an item."""

    cost: Counter[str] = field(default_factory=Counter)  # coins, resources: more; "resources": of choice, fewer
    raw: Counter[str] = field(default_factory=Counter)  # by side: what a unit costs more
    manufactured: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)  # by side: what the first unit from there costs less
    first_of_all: list[Counter[str]] = field(default_factory=list)  # of both neighbours: by side


def acting(table: Table, payer: City, thing: Card | Stage) -> Iterator[tuple[City, dict[str, Any], Effect, str, City]]:
    """Yield the clauses that act on a price: owner, source, clause, side of the units ("": the cost), and `other`."""
    event = "card_cost" if isinstance(thing, Card) else "stage_cost"
    for wanted in (event, "trade_cost"):
        for owner in table.cities:
            for where, clause in [(where, clause) for where, clause in clauses_of(owner) if clause["event"] == wanted]:
                if payer not in related(table, owner, clause.get("by", "self")):
                    continue
                if isinstance(thing, Card) and "color" in clause and thing.color not in clause["color"]:
                    continue
                for side in SIDES if wanted == "trade_cost" else ("",):
                    other = payer
                    if side:
                        seller = table.named(payer.seat, side)
                        if seller not in related(table, owner, clause.get("from", "anyone")):
                            continue
                        other = seller if payer is owner else payer
                    if "if" not in clause or value(table, owner, other, clause["if"], source=source_of(owner, where)):
                        yield owner, where, clause, side, other


def amounts(table: Table, owner: City, where: dict[str, Any], clause: Effect, other: City) -> Iterator[tuple[str, int]]:
    """Yield the price changes of a clause, each as a key such as "cheaper coins" and an amount."""
    for verb in ("cheaper", "dearer"):
        for item in ("coins", *RESOURCES, "resources", "unit", "raw_unit", "manufactured_unit", "first_unit"):
            if item in clause.get(verb, {}):
                text = clause[verb][item]
                yield f"{verb} {item}", value(table, owner, other, text, source=source_of(owner, where))


def next_one(payer: City, thing: Card | Stage) -> tuple[Card | Stage, str, int]:
    """Return an item to be paid for as formulas see it, with the number that it would have in its city (R75)."""
    return thing, "paid", 1 + len(payer.structures if isinstance(thing, Card) else payer.buried)


def changes(table: Table, payer: City, thing: Card | Stage) -> Changes:
    """Add up what the clauses of all cities change."""
    found, before = Changes(), table.event
    of_both: dict[int, Counter[str]] = {}
    table.event = next_one(payer, thing)
    for owner, where, clause, side, other in acting(table, payer, thing):
        both = all(table.named(payer.seat, one) in related(table, owner, clause.get("from", "anyone")) for one in SIDES)
        for does, amount in amounts(table, owner, where, clause, other):
            verb, item = does.split()
            more = amount if verb == "dearer" else -amount
            if item == "first_unit" and both:
                of_both.setdefault(id(clause), Counter())[side] += amount
            elif item == "first_unit":
                found.first[side] += amount
            elif side:
                found.raw[side] += more if item != "manufactured_unit" else 0
                found.manufactured[side] += more if item != "raw_unit" else 0
            else:
                found.cost[item] += more
    found.first_of_all = list(of_both.values())
    table.event = before
    return found


def payments(
    table: Table, seat: int, thing: Card | Stage, cost: Cost, market: Market
) -> list[tuple[int, tuple[int, int]]]:
    """Return all payments for an item: coins to the bank, and to both neighbours."""
    change, coins = changes(table, table.cities[seat], thing), table.cities[seat].coins
    units = [unit for unit in RESOURCES for _ in range(cost.units.count(unit) + change.cost[unit])]
    if market.stages_cost_no_resources and not isinstance(thing, Card):
        units = []  # R17
    bank = max(0, cost.coins + change.cost["coins"])
    free = [tuple(RESOURCES)] * min(-change.cost["resources"], len(units))
    pairs: set[tuple[int, int]] = set()
    for first_from in SIDES:
        saved = change.first.copy()
        for by_side in change.first_of_all:
            saved[first_from] += by_side[first_from]
        there = replace(
            market,
            own=(*market.own, *free),
            left_prices=repriced(market.left_prices, change, saved, "left"),
            right_prices=repriced(market.right_prices, change, saved, "right"),
        )
        pairs.update(there.payments(Cost(bank, tuple(units)), coins))
    return [(bank, pair) for pair in pareto(pairs)]


def repriced(prices: Prices, change: Changes, saved: Counter[str], side: str) -> Prices:
    """Return a neighbour's prices after changes by clauses."""
    raw, manufactured = prices.raw + change.raw[side], prices.manufactured + change.manufactured[side]
    return replace(
        prices,
        raw=min(max(raw, 0), MOST_PRICE),
        manufactured=min(max(manufactured, 0), MOST_PRICE),
        first=saved[side],
    )


def note_prices(table: Table, move: Move) -> None:
    """Record how clauses changed the price of the chosen move."""
    if move.get("how") != "paid" or move["action"] not in ("build", "stage"):
        return
    payer = table.cities[move["seat"]]
    thing = table.catalogue.cards[move["card"]] if move["action"] == "build" else payer.all_stages[len(payer.buried)]
    before, table.event = table.event, next_one(payer, thing)
    for owner, where, clause, side, other in list(acting(table, payer, thing)):
        if not side or move[side]:
            for does, amount in amounts(table, owner, where, clause, other):
                if amount:
                    note(table, {"seat": owner.seat, **where, "does": does, "city": payer.seat}, amount)
    table.event = before
