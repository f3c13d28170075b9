"""Legal moves by exhaustive search: a list is a dictionary code -> meaning, read in ascending order of codes."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from tests.babel.reference.components import KINDS

Disc = dict[str, int]
Offer = dict[str, Any]  # {"cards": {kind: number}, "trade": bool}


def code_of_kinds(disc: Disc, cards: dict[str, int]) -> int:
    """Return first + second * 256 for cards of the kinds that a disc shows."""
    kinds = [kind for kind in KINDS if kind in disc]
    return sum(cards.get(kind, 0) << (8 * place) for place, kind in enumerate(kinds))


def offers(rules: dict[str, Any], disc: Disc, hand: dict[str, int]) -> dict[int, Offer]:
    """Return every offer on a disc from a hand."""
    found = {}
    kinds = list(disc)
    can_offer = any(hand[kind] for kind in kinds)
    for numbers in product(*(range(disc[kind] + 1) for kind in kinds)):
        cards = dict(zip(kinds, numbers, strict=True))
        if any(cards[kind] > hand[kind] for kind in kinds):
            continue
        for trade in (False, True):
            if sum(numbers) == 0 and trade and not rules["allow_trade_card_alone"]:
                continue
            if sum(numbers) == 0 and not trade and can_offer and not rules["allow_empty_offer"]:
                continue
            shown = {kind: number for kind, number in cards.items() if number}
            found[code_of_kinds(disc, cards) + trade * 65536] = {"cards": shown, "trade": trade}
    return found


def bluffs(disc: Disc, hand: dict[str, int]) -> dict[int, list[str]]:
    """Return every set of cards of other kinds that can be added to an offer as a bluff."""
    wrong = [kind for kind in KINDS if kind not in disc and hand[kind] > 0]
    sets = [list(chosen) for size in range(len(wrong) + 1) for chosen in combinations(wrong, size)]
    return {sum(1 << KINDS.index(kind) for kind in chosen): chosen for chosen in sets}


def partners(disc: Disc, laid: dict[int, Offer]) -> dict[int, list[int]]:
    """Return every set of seats whose offers may be taken together."""
    found = {}
    real = [seat for seat, offer in laid.items() if offer["cards"] or offer["trade"]]
    for size in range(len(real) + 1):
        for chosen in combinations(sorted(real), size):
            trades = sum(laid[seat]["trade"] for seat in chosen)
            fits = all(sum(laid[seat]["cards"].get(kind, 0) for seat in chosen) <= disc[kind] for kind in disc)
            if trades <= 1 and fits:
                found[sum(1 << seat for seat in chosen)] = list(chosen)
    return found


def completions(
    rules: dict[str, Any], disc: Disc, missing: dict[str, int], hand: dict[str, int], jokers: int
) -> dict[int, dict[str, int] | None]:
    """Return every way to complete (the cards that Jokers stand for), and None for declining."""
    found: dict[int, dict[str, int] | None] = {}
    kinds = list(disc)
    usable = min(jokers, rules["max_jokers_per_build"])
    size = rules["effects"]["joker"]
    for numbers in product(*(range(missing[kind] + 1) for kind in kinds)):
        replaced = dict(zip(kinds, numbers, strict=True))
        if sum(numbers) not in [size * count for count in range(usable + 1)]:
            continue
        if not rules["joker_may_split"] and any(number % size for number in numbers):
            continue
        if any(missing[kind] - replaced[kind] > hand[kind] for kind in kinds):
            continue
        found[65536 + code_of_kinds(disc, replaced)] = replaced
    if not found or rules["may_decline_when_able"]:
        found[0] = None
    return found
