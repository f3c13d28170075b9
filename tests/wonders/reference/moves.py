"""The legal moves of every decision, each once and in the order of R50."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.wonders.reference.facts import Card, Cost
from tests.wonders.reference.prices import payments as all_payments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.wonders.reference.facts import Stage
    from tests.wonders.reference.market import Market
    from tests.wonders.reference.table import City, Move, Table


def build(seat: int, card: Card, how: str, bank: int = 0, pair: tuple[int, int] = (0, 0)) -> Move:
    """Return a move that builds a structure."""
    paid = {"bank": bank, "left": pair[0], "right": pair[1]}
    return {"seat": seat, "card": card.name, "action": "build", "how": how, **paid}


def turn_moves(table: Table, seat: int, hand: Iterable[str], market: Market, source: str | None = None) -> list[Move]:
    """Return the legal moves of a turn (R50); ``source`` marks moves of a last card (R27)."""
    moves: list[Move] = []
    for name in sorted(set(hand)):
        card = table.catalogue.cards[name]
        moves += build_moves(table, seat, card, market)
        moves += stage_moves(table, seat, card, market)
        moves.append({"seat": seat, "card": name, "action": "sell"})
    if source is None:
        return moves
    return [{"seat": seat, "card": move["card"], "action": move["action"], "source": source, **move} for move in moves]


def free_city_moves(table: Table, seat: int, hand: Iterable[str], market: Market) -> list[Move]:
    """Return the Free City's moves: it builds if it can, and sells only otherwise (R46)."""
    moves = turn_moves(table, seat, hand, market)
    builds = [move for move in moves if move["action"] != "sell"]
    return builds or moves


def payments(
    table: Table, seat: int, thing: Card | Stage, cost: Cost, market: Market
) -> list[tuple[int, tuple[int, int]]]:
    """Return a seat's possible payments for an item: to the bank, and to the neighbours (R15)."""
    paid = all_payments(table, seat, thing, cost, market)
    if paid and table.is_free_city(seat) and not table.switches["free_city_chooses_payment"]:
        least = min(sum(pair) for _, pair in paid)
        return [(bank, pair) for bank, pair in paid if sum(pair) == least]
    return paid


def build_moves(table: Table, seat: int, card: Card, market: Market) -> list[Move]:
    """Return the ways to build a structure from the hand: chain, 2e free build, payments, once-per-age free build."""
    city = table.cities[seat]
    if city.owns(card.name):
        return []
    paid = [build(seat, card, "paid", *payment) for payment in payments(table, seat, card, card.cost, market)]
    if has_chain(table, city, card):
        compulsory = table.rules.teams or table.is_free_city(seat)  # R41, R46
        beside = table.switches["paid_build_beside_chain"] and not compulsory
        return [build(seat, card, "chain"), *(paid if beside else [])]
    if has_standing_free_build(table, city, card):
        return [build(seat, card, "free")]
    return paid + ([build(seat, card, "free")] if has_free_build_left(city) else [])


def has_chain(table: Table, city: City, card: Card) -> bool:
    """Return whether a predecessor of the card is in the city (R16)."""
    return any(
        city.owns(name) and (table.switches["chain_from_any_age"] or is_age_before(table, name, card))
        for name in card.free_with
    )


def is_age_before(table: Table, predecessor: str, card: Card) -> bool:
    """Return whether the predecessor is printed in the age directly before an age of the card (a switch of R16)."""
    return any(age + 1 in card.ages for age in table.catalogue.cards[predecessor].ages)


def has_standing_free_build(table: Table, city: City, card: Card) -> bool:
    """Return whether a 2e Olympia stage makes the card free in this turn (R26)."""
    when = {effect["when"] for effect in city.effects("free_build")}
    return (
        ("first_of_color" in when and city.count(card.color) == 0)
        or ("first_turn_of_age" in when and table.turn == 1)
        or ("last_turn_of_age" in when and table.is_last_turn)
    )


def has_free_build_left(city: City) -> bool:
    """Return whether a once-per-age free build (1e Olympia A) is unused in this age (R26), or a token is left (R67)."""
    return has_free_build_of_age(city) or city.free_tokens > 0


def has_free_build_of_age(city: City) -> bool:
    """Return whether a once-per-age free build is unused in this age."""
    owned = [effect for effect in city.effects("free_build") if effect["when"] == "once_per_age"]
    return bool(owned) and city.free_builds_used == 0


def stage_moves(table: Table, seat: int, card: Card, market: Market) -> list[Move]:
    """Return the ways to bury the card under the next stage (R8)."""
    city = table.cities[seat]
    number = len(city.buried) + 1
    if number > len(city.all_stages):
        return []
    stage = city.all_stages[number - 1]
    cost = stage.cost
    if market.stages_cost_no_resources:
        cost = Cost(cost.coins, ())  # R17
    return [
        {"seat": seat, "card": card.name, "action": "stage", "stage": number, "how": "paid", "bank": bank}
        | {"left": left, "right": right}
        for bank, (left, right) in payments(table, seat, stage, cost, market)
    ]


def discard_moves(table: Table, seat: int) -> list[Move]:
    """Return the legal moves of a build from the discard pile; empty if no card is eligible (R28)."""
    names = sorted({card.name for card in table.discard_pile if not table.cities[seat].owns(card.name)})
    moves: list[Move] = [
        {"seat": seat, "card": name, "action": "build", "source": "discard_pile", "how": "free"}
        | {"bank": 0, "left": 0, "right": 0}
        for name in names
    ]
    if moves and table.switches["discard_build_optional"]:
        moves.append({"seat": seat, "action": "decline"})
    return moves


def loss_moves(table: Table, seat: int, loss: int) -> list[Move]:
    """Return the possible coin payments of a loss, highest first; the rest becomes debt (R32)."""
    most = min(loss, table.cities[seat].coins)
    least = 0 if table.switches["debt_choice"] else most
    return [
        {"seat": seat, "action": "pay", "coins": coins, "debt": loss - coins} for coins in range(most, least - 1, -1)
    ]
