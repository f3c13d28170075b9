"""The faces of cards and boards, with symbols for costs and effects, and words for formulas and clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from wsim.spec.faces import READ, Face, Part, Symbol
from wsim.wonders import words as w
from wsim.wonders.catalog.decks import Deck, DeckCard
from wsim.wonders.catalog.effects import Count, Effects, Toll, TradeDiscount, TradePrice
from wsim.wonders.catalog.entry_text import ROMAN, cost_text, effects_text, recruit_text
from wsim.wonders.catalog.model import Card, Catalogue, Cost, Stage, Wonder

Symbols = tuple[Symbol, ...]
_MAX_REPEATED = 4
"""A symbol is repeated up to this many times; a larger number is written on a single symbol."""
_OR, _PER = Symbol(text="/"), Symbol(text="per")


def faces(catalogue: Catalogue) -> list[Face]:
    """Return the faces of cards (sorted by age, colour and name), then of deck cards, then of boards."""
    successors: dict[str, list[str]] = {}
    for card in catalogue.cards:
        for predecessor in card.free_with:
            successors.setdefault(predecessor, []).append(card.name)
    ordered = sorted(catalogue.cards, key=lambda card: (card.ages, w.COLORS.index(card.color), card.name))
    cards = [_card(card, successors.get(card.name, [])) for card in ordered]
    recruits = [_recruit(deck, card) for deck in catalogue.decks for card in deck.cards]
    return [*cards, *recruits, *map(_board, catalogue.wonders)]


def _card(card: Card, successors: list[str]) -> Face:
    ages = " and ".join(ROMAN[age] for age in card.ages)
    notes = [f"Free with {' or '.join(card.free_with)}"] if card.free_with else []
    notes += [f"Makes {' and '.join(successors)} free"] if successors else []
    notes += [f"Uncertain: {card.uncertain}"] if card.uncertain else []
    links = {"free with": card.free_with, "makes free": tuple(successors)}
    return Face(
        card.name, "card", card.color, (f"Age {ages}", card.color), _part(card.cost, card.effects), tuple(notes),
        facets={"age": tuple(map(str, card.ages)), "color": (card.color,)},
        links={what: names for what, names in links.items() if names},
    )  # fmt: skip


def _recruit(deck: Deck, card: DeckCard) -> Face:
    """Return the face of a card from a further deck (R88), which has no colour."""
    about, facets = ("to recruit", deck.name), {"deck": (deck.name,)}
    part = replace(_part(Cost(card.cost), card.effects), does=_capital(recruit_text(card.effects)))
    return Face(card.name, "recruit", "", about, part, facets=facets)


def _board(wonder: Wonder) -> Face:
    sides = {
        side: tuple(_stage(number, stage) for number, stage in enumerate(stages, start=1))
        for side, stages in wonder.sides
    }
    produces = Part(gives=((Symbol(wonder.resource),),), does=f"Produces {wonder.resource}")
    return Face(wonder.name, "wonder", "wonder", ("board",), produces, sides=sides)


def _stage(number: int, stage: Stage) -> Part:
    return _part(stage.cost, stage.effects, f"Stage {number}")


def _part(cost: Cost, effects: Effects, name: str = "") -> Part:
    return Part(name, _cost(cost), _gives(effects), cost_text(cost), _capital(effects_text(effects)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cost(cost: Cost) -> Symbols:
    coins = (Symbol("coin", str(cost.coins)),) if cost.coins else ()
    return (*coins, *chain.from_iterable((Symbol(name),) * n for name, n in cost.resources))


def _gives(effects: Effects) -> tuple[Symbols, ...]:
    """Return one row of symbols per effect; an effect without symbols gets the mark for a description in words."""
    return tuple(
        SYMBOLS[name](value) if name in SYMBOLS else (Symbol(READ),) for name, value in effects.present().items()
    )


# --- the symbols of each effect ---------------------------------------------------------------------------------------


def _repeated(icon: str) -> Callable[[int], Symbols]:
    return lambda n: (Symbol(icon),) * n if n <= _MAX_REPEATED else (Symbol(icon, str(n)),)


def _numbered(icon: str, *more: str) -> Callable[[int], Symbols]:
    return lambda n: (Symbol(icon, _sign(n)), *map(Symbol, more))


def _fixed(*icons: str) -> Callable[[Any], Symbols]:
    symbols = tuple(map(Symbol, icons))
    return lambda _: symbols


def _sign(n: int) -> str:
    return str(n).replace("-", "\N{MINUS SIGN}")


def _any_of(symbols: Iterable[Symbol]) -> Symbols:
    """Return the symbols of alternatives, separated by slashes."""
    return tuple(chain.from_iterable((_OR, symbol) for symbol in symbols))[1:]


def _science(symbol: str) -> Symbols:
    return _any_of(map(Symbol, w.SYMBOLS[1:-1])) if symbol == "any" else (Symbol(symbol),)


def _one_of(resources: tuple[str, ...] | str) -> Symbols:
    return (Symbol("any"),) if isinstance(resources, str) else _any_of(map(Symbol, resources))


def _arrows(cities: Iterable[str]) -> tuple[Symbols, Symbols]:
    """Return the arrows to the left and to the right neighbour."""
    named = set(cities)
    return _fixed(*({"left"} & named))(None), _fixed(*({"right"} & named))(None)


def _price(price: TradePrice) -> Symbols:
    left, right = _arrows(price.neighbors)
    kind = "brown" if price.resources == "raw" else "gray"
    return (*left, Symbol("card", kind=kind), *right, Symbol("coin", str(price.price)))


def _discount(discount: TradeDiscount) -> Symbols:
    left, right = _arrows(discount.neighbors)
    return (*left, Symbol("any"), *right, Symbol("coin", f"\N{MINUS SIGN}{discount.n}"))


def _counted(name: str) -> Symbol:
    if name in w.COLORS:
        return Symbol("card", kind=name)
    icon, _, value = name.removeprefix("wonder_").partition("_token")
    return Symbol(icon, value.lstrip("_"))


def _per(icon: str) -> Callable[[Count], Symbols]:
    def symbols(count: Count) -> Symbols:
        left, right = _arrows(count.cities)
        here = (Symbol("city"),) if "self" in count.cities and (left or right) else ()
        return (Symbol(icon, _sign(count.n)), _PER, *map(_counted, count.what), *left, *here, *right)

    return symbols


def _toll(icon: str, sign: str) -> Callable[[Toll], Symbols]:
    def symbols(toll: Toll) -> Symbols:
        per = (_PER, _counted(toll.per)) if toll.per else ()
        others = ("left", "right") if toll.who == "neighbors" else ("others",)
        return (Symbol(icon, f"{sign}{toll.n}"), *per, *map(Symbol, others))

    return symbols


SYMBOLS: Mapping[str, Callable[[Any], Symbols]] = {
    "points": _numbered("laurel"),
    "shields": _repeated("shield"),
    "coins": _numbered("coin"),
    "science": _science,
    "produces": lambda resources: tuple(map(Symbol, resources)),
    "produces_one_of": _one_of,
    "trade_price": _price,
    "trade_discount": _discount,
    "points_per": _per("laurel"),
    "coins_per": _per("coin"),
    "points_if_wonder_complete": lambda n: (Symbol("laurel", _sign(n)), Symbol(text="if all"), Symbol("stage")),
    "play_last_card": _fixed("cards"),
    "build_from_discard": _fixed("pile", "free"),
    "copy_guild": lambda _: (Symbol("copy"), Symbol("card", kind="purple")),
    "free_build": _fixed("card", "free"),
    "coins_to_others": _toll("coin", "+"),
    "coin_loss": _toll("coin", "\N{MINUS SIGN}"),
    "debt": _toll("debt", ""),
    "victory_token": _numbered("victory"),
    "diplomacy": _repeated("dove"),
    "copy_science": lambda n: (Symbol("copy", str(n)), *_science("any")),
    "stages_cost_no_resources": _fixed("stage", "free"),
    "discard_defeat_tokens": _fixed("defeat", "pile"),
}
"""Functions that return the symbols for an effect's value, by effect name; clauses (``when``) have none."""
