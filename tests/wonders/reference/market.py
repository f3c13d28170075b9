"""A seat's means of payment: own symbols, the neighbours' symbols, prices (R12-R14, R17, R18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.wonders.reference.facts import RESOURCES, Cost, Effect
from tests.wonders.reference.payment import Prices, pareto_payments

if TYPE_CHECKING:
    from tests.wonders.reference.table import City, Table

Symbol = tuple[str, ...]
MOST_PRICE = 5  # R66


@dataclass(frozen=True)
class Market:
    """A seat's means of payment at one moment, without coins."""

    own: tuple[Symbol, ...]
    left: tuple[Symbol, ...]
    right: tuple[Symbol, ...]
    left_board: Symbol
    right_board: Symbol
    left_prices: Prices
    right_prices: Prices
    stages_cost_no_resources: bool

    def payments(self, cost: Cost, coins: int) -> list[tuple[int, int]]:
        """Return the possible payments of a cost, given the city's coins (R15)."""
        return pareto_payments(
            cost.units,
            self.own,
            self.left,
            self.right,
            left_prices=self.left_prices,
            right_prices=self.right_prices,
            left_board=[self.left_board],
            right_board=[self.right_board],
            bank=cost.coins,
            budget=coins,
        )


def market(table: Table, seat: int) -> Market:
    """Return the market of a seat for the current cities."""
    city, left, right = table.cities[seat], table.left(seat), table.right(seat)
    return Market(
        own=tuple(own_symbols(city)),
        left=tuple(sold_symbols(left)),
        right=tuple(sold_symbols(right)),
        left_board=(left.wonder.resource,),
        right_board=(right.wonder.resource,),
        left_prices=prices(table, city, "left"),
        right_prices=prices(table, city, "right"),
        stages_cost_no_resources=bool(city.effects("stages_cost_no_resources")),  # R17
    )


def symbols(effect: Effect) -> list[Symbol]:
    """Return the symbols of a plain production effect: one per unit, or one either/or symbol."""
    if "units" in effect:
        return [(unit,) for unit in effect["units"]]
    return [tuple(effect["one_of"])]


def own_symbols(city: City) -> list[Symbol]:
    """Return every symbol that the city itself may use (R12), with special black cards (R18) last."""
    found: list[Symbol] = [(city.wonder.resource,), *((unit,) for unit in (*city.more_units, *city.turn_units))]
    specials: list[str] = []
    for effect in city.effects("produce"):
        if isinstance(effect.get("one_of"), str):
            specials.append(effect["one_of"])
        else:
            found += symbols(effect)
    native = native_resources(city)
    for special in specials:
        if special == "own_board_brown_gray":  # Secret Warehouse
            found.append(tuple(unit for unit in RESOURCES if unit in native))
        elif special == "not_own_board_brown_gray":  # Black Market; gives nothing to a city that has everything
            found.append(tuple(unit for unit in RESOURCES if unit not in native))
        else:
            raise ValueError(f"unknown production {special}")
    return found


def native_resources(city: City) -> set[str]:
    """Return the resources produced by the city's board, brown and gray cards, including all alternatives (R18)."""
    native = {city.wonder.resource}
    for card, effect in city.card_effects("produce"):
        if card.color in ("brown", "gray"):
            native.update(unit for symbol in symbols(effect) for unit in symbol)
    return native


def sold_symbols(city: City) -> list[Symbol]:
    """Return every symbol that neighbours may buy, except the starting resource (R13)."""
    return [symbol for effect in city.effects("produce") if effect["tradable"] for symbol in symbols(effect)]


def prices(table: Table, city: City, side: str) -> Prices:
    """Return the prices that the city pays for units of the neighbour on one side (R14)."""
    rebates = [effect for effect in city.effects("trade_discount") if side in effect["neighbors"]]
    return Prices(
        raw=unit_price(table, city, side, "raw"),
        manufactured=unit_price(table, city, side, "manufactured"),
        wharf=sum(effect["n"] for effect in rebates if effect["scope"] == "first_unit_each_turn"),
        cache=sum(effect["n"] for effect in rebates if effect["scope"] == "board_resource"),
    )


def unit_price(table: Table, city: City, side: str, resources: str) -> int:
    """Return the price of a unit: the printed price changed by clauses, between 0 and the maximum (R66)."""
    price = printed_price(table, city, side, resources) + city.price_changes[f"{side} {resources}"]
    return min(max(price, 0), MOST_PRICE)


def printed_price(table: Table, city: City, side: str, resources: str) -> int:
    """Return the full price, or the price after a trading post or the Olympia B stage; both only with the switch."""

    full = table.rules.trade_price

    def saving(effects: list[Effect]) -> int:
        fitting = [effect for effect in effects if effect["resources"] == resources and side in effect["neighbors"]]
        return max((full - int(effect["price"]) for effect in fitting), default=0)

    by_stage = saving(list(city.stage_effects("trade_price")))
    by_card = saving([effect for _, effect in city.card_effects("trade_price")])
    printed = full - max(by_stage, by_card)
    if table.switches["olympia_discount_cumulative"]:
        printed = max(0, full - by_stage - by_card)
    return printed
