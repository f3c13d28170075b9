"""Scores at the end of the game (R21-R25, R29-R31, R42, R48)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

from tests.wonders.reference.clauses import formula_points, value
from tests.wonders.reference.facts import CATEGORY_OF_COLOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.wonders.reference.facts import Card, Effect
    from tests.wonders.reference.table import City, Table

CATEGORIES = ("military", "treasury", "wonder", "civilian", "science", "commerce", "guild", "cities")

SYMBOLS = ("compass", "gear", "tablet")


def science_points(compass: int, gear: int, tablet: int) -> int:
    """Return the science points: the squares of the counts, plus 7 for each set of three (R23)."""
    return compass**2 + gear**2 + tablet**2 + 7 * min(compass, gear, tablet)


def best_science(
    fixed: Counter[str],
    wild: int,
    copies: int,
    to_copy: Iterable[str],
    points: Callable[[int, int, int], int] = science_points,
) -> int:
    """Maximise science points over all choices of ``wild`` symbols and ``copies`` of the given ones (R23, R31)."""
    there = Counter(to_copy)
    found = []
    for copied in product(*(range(min(copies, there[symbol]) + 1) for symbol in SYMBOLS)):
        if sum(copied) > copies:
            continue
        for fixed_wild in combinations_with_replacement(SYMBOLS, wild):
            counts = fixed + Counter(dict(zip(SYMBOLS, copied, strict=True))) + Counter(fixed_wild)
            found.append(points(*(counts[symbol] for symbol in SYMBOLS)))
    return max(found)


def copy_options(table: Table, seat: int) -> list[Card | None]:
    """Return the guilds that the Olympia stage may copy, alphabetically; only None without the stage or guilds."""
    if not table.cities[seat].effects("copy_guild"):
        return [None]
    cities = (table.left(seat), table.right(seat))
    guilds = {card.name: card for city in cities for card in city.structures if card.color == "purple"}
    return [guilds[name] for name in sorted(guilds)] or [None]


def categories(table: Table, seat: int, copied: Card | None = None) -> dict[str, int]:
    """Return the scores of a seat by category if it copies the given guild."""
    city = table.cities[seat]
    points = {name: city.gained[name] for name in CATEGORIES}
    tokens = sum(table.rules.token_points(token) for token in city.victories)
    points["military"] += tokens + city.defeats * table.rules.defeat_points
    points["treasury"] += city.coins // table.rules.coins_per_point - city.debts
    purple = 1 if copied else 0  # R29: the copy is a purple card for the city's own Shipowners
    for number, stage in enumerate(city.built_stages, start=1):
        source = f"{city.wonder.name} {city.side} {number}"
        points["wonder"] += effect_points(table, city, stage.effects, purple, source)
    for recruit in city.recruited:
        points["wonder"] += effect_points(table, city, recruit.effects, purple, recruit.name)
    for card in city.copies:
        points[CATEGORY_OF_COLOR[card.color]] += effect_points(table, city, card.effects, 0, card.name)
    for name, effects in city.laws.items():
        points["wonder"] += effect_points(table, city, effects, purple, name)
    for card in city.structures:
        points[CATEGORY_OF_COLOR[card.color]] += effect_points(table, city, card.effects, purple, card.name)
    if copied:
        itself = 1 if table.switches["copied_shipowners_counts_itself"] else 0
        points["guild"] += effect_points(table, city, copied.effects, itself, copied.name)
    points["science"] += city_science(table, city, copied)
    return points


def effect_points(table: Table, city: City, effects: Iterable[Effect], more_purple: int, source: str = "") -> int:
    """Return the points of a stage's or structure's effects, without science (R25, R37)."""
    points = 0
    for effect in effects:
        if effect["kind"] == "points":
            points += effect["n"]
        elif effect["kind"] == "points_if_wonder_complete":
            points += effect["n"] if len(city.buried) == len(city.all_stages) else 0
        elif effect["kind"] == "points_per":
            for where, what in product(effect["cities"], effect["what"]):
                counted = table.named(city.seat, where).count(what)
                if where == "self" and what == "purple":
                    counted += more_purple
                points += counted * effect["n"]
        elif effect["kind"] == "when":
            points += formula_points(table, city, effect, more_purple, source)
    return points


def city_science(table: Table, city: City, copied: Card | None) -> int:
    """Return a city's science points: printed and wild symbols, and symbols copied from neighbours' green cards."""
    symbols = [effect["symbol"] for effect in city.effects("science")] + city.more_symbols
    if copied:
        symbols += [effect["symbol"] for effect in copied.effects if effect["kind"] == "science"]
    fixed = Counter(symbol for symbol in symbols if symbol != "any")
    copying = [*city.effects("copy_science"), *(copied.effects if copied else ())]
    copies = sum(effect["n"] for effect in copying if effect["kind"] == "copy_science")
    to_copy = [
        effect["symbol"]
        for neighbour in (table.left(city.seat), table.right(city.seat))
        for card, effect in neighbour.card_effects("science")
        if card.color == "green" and effect["symbol"] != "any"
    ]

    def by_house_rule(*counts: int) -> int:
        return value(table, city, city, table.rules.science, fixed=dict(zip(SYMBOLS, counts, strict=True)))

    points = by_house_rule if table.rules.science else science_points
    return best_science(fixed, symbols.count("any"), copies, to_copy, points)


def scores(table: Table) -> list[dict[str, Any]]:
    """Return the scores for the trace, with the best copied guild for each seat (ties: alphabetically first, R30)."""
    rows: list[dict[str, Any]] = []
    for city in table.cities:
        options = [categories(table, city.seat, copied) for copied in copy_options(table, city.seat)]
        best = max(options, key=lambda points: sum(points.values()))  # the first of equal ones
        rows.append({"seat": city.seat, **best, "total": sum(best.values()), "coins": city.coins})
    for row, share in zip(rows, win_shares(table, rows), strict=True):
        row["win_share"] = share
    return rows


def win_shares(table: Table, rows: list[dict[str, Any]]) -> list[float]:
    """Return win shares: 1/k for each seat if there are k winners, seats or teams (R24, R42, R48)."""
    seats = [row["seat"] for row in rows if not table.is_free_city(row["seat"])]
    team_of = {seat: seat // 2 if table.rules.teams else seat for seat in seats}
    results: dict[int, tuple[int, ...]] = {}
    for seat in seats:
        city = table.cities[seat]
        ties = [
            rows[seat]["coins"] if text == "coins" else value(table, city, city, text)
            for text in table.rules.tie_breaks
        ]
        own = (rows[seat]["total"], *ties)
        mate = results.get(team_of[seat], (0,) * len(own))
        results[team_of[seat]] = tuple(map(sum, zip(own, mate, strict=True)))
    winners = [team for team, result in results.items() if result == max(results.values())]
    return [1 / len(winners) if team_of.get(row["seat"]) in winners else 0.0 for row in rows]
