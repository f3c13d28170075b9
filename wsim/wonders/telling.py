"""Positions and moves of 7 Wonders told to a person who sits at the table, in lines of at most 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from wsim.wonders.catalog import Catalogue
from wsim.wonders.catalog.text import cost_text, effects_text
from wsim.wonders.words import NEIGHBORS

__all__ = ["paid", "phrase", "view"]

WIDTH = 80
ROMAN = ("", "I", "II", "III")


def phrase(move: Mapping[str, Any]) -> str:
    """Return a move in a few words, without what is paid."""
    match move["action"]:
        case "decline":
            return "build nothing"
        case "pay":
            return f"pay {move['coins']} of the loss"
        case "sell":
            return f"sell {move['card']}"
        case "stage":
            text = f"stage {move['stage']} with {move['card']}" if "card" in move else "a stage"
        case _:
            text = f"build {move['card']}"
    return text if move["how"] == "paid" else f"{text} ({'by a chain' if move['how'] == 'chain' else 'for free'})"


def paid(move: Mapping[str, Any], cities: int) -> dict[str, int]:
    """Return who gets how many coins for a move; the left neighbour is the next seat."""
    found = {"bank": move.get("bank", 0)}
    for side, step in zip(NEIGHBORS, (1, -1), strict=True):
        neighbor = f"seat {(move['seat'] + step) % cities}"
        found[neighbor] = found.get(neighbor, 0) + move.get(side, 0)
    return {who: coins for who, coins in found.items() if coins}


def view(catalogue: Catalogue, told: Mapping[str, Any]) -> list[str]:
    """Return what a seat may know (``Position.told``): the cities, what they have built, the own board and hand."""
    me = told["seat"]
    return [
        f"Age {ROMAN[told['age']]}, turn {told['turn']}. You are seat {me}. Discard pile: {told['discarded']} cards.",
        "",
        *_cities(told),
        "",
        *(line for seat, city in enumerate(told["cities"]) for line in _built(seat, city)),
        "",
        *_stages(catalogue, told["cities"][me]),
        *_hand(catalogue, told["hand"], "Your hand"),
        *_hand(catalogue, told.get("mate_hand", ()), "Your mate's hand"),
    ]


def _cities(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of cities; the neighbours of the seat that looks are marked."""
    cities, me = told["cities"], told["seat"]
    yield f"{'seat':<13}{'wonder':<20}{'coins':>6}{'stages':>8}{'shields':>9}{'victories':>12}{'defeats':>9}"
    for seat, city in enumerate(cities):
        place = {me: "you", (me + 1) % len(cities): "left", (me - 1) % len(cities): "right"}.get(seat, "")
        wonder = f"{city['wonder']} {city['side']}"[:19]
        won = "/".join(map(str, city["victories"]))
        yield (
            f"{seat} {place:<11}{wonder:<20}{city['coins']:>6}{city['stages']:>8}{city['shields']:>9}"
            f"{won:>12}{city['defeats']:>9}"
        )


def _built(seat: int, city: Mapping[str, Any]) -> list[str]:
    text = f"{seat} has built {', '.join(city['built']) or 'nothing'}"
    return wrap(text, WIDTH, subsequent_indent="    ")


def _stages(catalogue: Catalogue, city: Mapping[str, Any]) -> Iterator[str]:
    """Yield the next stage of the own board with its price."""
    wonder = next(one for one in catalogue.wonders if one.name == city["wonder"])
    stages = dict(wonder.sides)[city["side"]]
    if city["stages"] < len(stages):
        stage = stages[city["stages"]]
        text = (
            f"Next stage, {city['stages'] + 1} of {len(stages)}: {cost_text(stage.cost)}: {effects_text(stage.effects)}"
        )
        yield from wrap(text, WIDTH, subsequent_indent="    ")
        yield ""


def _hand(catalogue: Catalogue, hand: Sequence[str], title: str) -> Iterator[str]:
    """Yield the cards of a hand with colour, cost and effects."""
    if not hand:
        return
    yield title
    cards = {card.name: card for card in catalogue.cards}
    for name in hand:
        card = cards[name]
        chain = f"; free with {', '.join(card.free_with)}" if card.free_with else ""
        text = f"{name:<22}{card.color:<8}{cost_text(card.cost)}: {effects_text(card.effects)}{chain}"
        yield from wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 32, break_on_hyphens=False)
