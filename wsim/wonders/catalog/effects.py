"""Define the effects of cards and stages, one row per effect.

A row of ``Effects`` gives an effect's name, type, value for "none", reader, English phrase, and how it is packed into
the RULES record. During play, kernels read the fields of that record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from wsim.spec.fields import Path, Problems, Reader, choice, described, flag, record, schema_of, whole, word, words
from wsim.wonders import words as w
from wsim.wonders.catalog.clause_text import describe_clauses
from wsim.wonders.catalog.clauses import Clause, read_when

MAX_PRODUCED = 6  # units of one entry
ANY_TURN, START_RESOURCE = w.DISCOUNTS
Pack = Callable[[Any, int, Any], None]
"""Writes a value into the fields of one entry: ``pack(rules, entry, value)`` with a record of dtype RULES."""


# --- composite values ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Count:
    """``n`` points or coins for each of ``what`` (see ``words.COUNTED``) in ``cities`` (see ``words.CITY_BITS``)."""

    what: tuple[str, ...]
    cities: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True)
class TradePrice:
    """Resources ("raw" or "manufactured") bought from ``neighbors`` ("left", "right") cost ``price`` each (R14)."""

    resources: str
    neighbors: tuple[str, ...]
    price: int


@dataclass(frozen=True, slots=True)
class TradeDiscount:
    """Units bought from ``neighbors`` cost ``n`` less: "first_unit_each_turn" or "board_resource" (R14)."""

    scope: str
    neighbors: tuple[str, ...]
    n: int


@dataclass(frozen=True, slots=True)
class Toll:
    """``n`` coins or debts for ``who`` ("others", "neighbors"), once or ``per`` "victory_token" or "wonder_stage"."""

    who: str
    n: int
    per: str = ""


# --- readers ---------------------------------------------------------------------------------------------------------

_NEIGHBORS = words("neighbor", w.NEIGHBORS)
_WORD, _SEVERAL = word("alternative", tuple(w.BY_PRODUCTION)), words("resource", w.RESOURCES, least=2)
_TOLL: Mapping[str, Reader] = {"who": word("victim or beneficiary", tuple(w.WHO)), "n": whole(0, 99)}


def _count(low: int) -> Reader:
    """Return a reader for a count of at least ``low`` points or coins each."""
    return record(
        Count,
        {
            "what": words("thing to count", tuple(w.COUNTED)),
            "cities": words("city", tuple(w.CITY_BITS)),
            "n": whole(low, 99),
        },
    )


@described({"anyOf": [schema_of(_WORD), schema_of(_SEVERAL)]})
def _one_of(problems: Problems, path: Path, value: Any) -> tuple[str, ...] | str | None:
    """Read two or more different resources, or one of the words that R18 allows."""
    read = _WORD if isinstance(value, str) else _SEVERAL
    alternatives: tuple[str, ...] | str | None = read(problems, path, value)
    return alternatives


_PARTS = record(TradeDiscount, {"scope": word("scope", w.DISCOUNTS), "neighbors": _NEIGHBORS, "n": choice(1)})


@described(schema_of(_PARTS))
def _discount(problems: Problems, path: Path, value: Any) -> TradeDiscount | None:
    """Read a discount; a discount on the boards' resources must apply to both neighbours."""
    discount: TradeDiscount | None = _PARTS(problems, path, value)
    if discount and discount.scope == START_RESOURCE and set(discount.neighbors) != set(w.NEIGHBORS):
        problems.at((*path, "neighbors"), f'a discount of scope "{START_RESOURCE}" must apply to both neighbors')
        return None
    return discount


# --- phrases ---------------------------------------------------------------------------------------------------------


def amount(n: int, item: str) -> str:
    """Return an amount with its unit: "1 coin", "3 coins"."""
    return f"{n} {item}" if n in (1, -1) else f"{n} {item}s"


def _say_amount(item: str) -> Callable[[int], str]:
    return lambda n: amount(n, item)


def _say_count(item: str) -> Callable[[Count], str]:
    """Return a function that phrases a count: "2 coins per brown or gray card (own city and both neighbours)"."""

    def say(count: Count) -> str:
        colors = [name for name in count.what if name in w.COLORS]
        things = [" or ".join(colors) + " card"] if colors else []
        things += [name.replace("token_", "token of ").replace("_", " ") for name in count.what if name not in w.COLORS]
        own = ["own city"] if "self" in count.cities else []
        neighbors = [city for city in count.cities if city != "self"]
        around = ["both neighbours" if len(neighbors) == 2 else f"{neighbors[0]} neighbour"] if neighbors else []
        return f"{amount(count.n, item)} per {' or '.join(things)} ({' and '.join([*own, *around])})"

    return say


def _say_toll(verb: str, item: str) -> Callable[[Toll], str]:
    """Return a function that phrases a toll: "others lose 2 coins per victory token they have"."""

    def say(toll: Toll) -> str:
        per = f" per {toll.per.replace('_', ' ')} they have" if toll.per else ""
        return f"{toll.who} {verb} {amount(toll.n, item)}{per}"

    return say


def _say_one_of(resources: tuple[str, ...] | str) -> str:
    return w.BY_PRODUCTION[resources].meaning if isinstance(resources, str) else "produces " + " or ".join(resources)


def _say_price(price: TradePrice) -> str:
    return f"{price.resources} resources from {_sellers(price.neighbors)} cost {price.price}"


def _say_discount(discount: TradeDiscount) -> str:
    if discount.scope == START_RESOURCE:
        return f"starting resources from {_sellers(discount.neighbors)} cost {discount.n} less"
    return f"one resource a turn from {_sellers(discount.neighbors)} costs {discount.n} less"


def _sellers(neighbors: tuple[str, ...]) -> str:
    return "both neighbours" if len(neighbors) == 2 else f"the {neighbors[0]} neighbour"


# --- packing into the RULES record -----------------------------------------------------------------------------------


def pack_units(units: Iterable[tuple[str, int]]) -> int:
    """Return amounts of resources packed into one word, one byte each in the order of ``words.RESOURCES``."""
    return sum(n << 8 * w.RESOURCES.index(name) for name, n in units)


def resource_mask(names: Iterable[str]) -> int:
    """Return a set of resources as a bit mask in the order of ``words.RESOURCES``."""
    return sum(1 << w.RESOURCES.index(name) for name in set(names))


def _number(name: str, ability: int = 0) -> Pack:
    """Return a function that packs a value into this field; ``ability`` is the flag that makes kernels read it."""

    def pack(rules: Any, entry: int, value: int) -> None:
        getattr(rules, name)[entry] = value
        rules.abilities[entry] |= ability

    return pack


def _ability(bit: int) -> Pack:
    def pack(rules: Any, entry: int, value: bool) -> None:  # noqa: ARG001 (a flag that is present is true)
        rules.abilities[entry] |= bit

    return pack


def _pack_count(name: str) -> Pack:
    def pack(rules: Any, entry: int, count: Count) -> None:
        what = cities = 0
        for item in count.what:
            what |= w.COUNTED[item]
        for city in count.cities:
            cities |= w.CITY_BITS[city]
        getattr(rules, name)[entry] = count.n, what, cities

    return pack


def _pack_toll(name: str) -> Pack:
    """Return a function that packs amount, affected cities and, in a field with three parts, the measure."""

    def pack(rules: Any, entry: int, toll: Toll) -> None:
        target = getattr(rules, name)[entry]
        target[:] = (toll.n, w.WHO[toll.who], w.MEASURES[toll.per])[: len(target)]

    return pack


def _pack_symbol(rules: Any, entry: int, symbol: str) -> None:
    rules.symbol[entry] = w.SYMBOLS.index(symbol)


def _pack_units(rules: Any, entry: int, resources: tuple[str, ...]) -> None:
    rules.produces[entry] = pack_units((name, 1) for name in resources)


def _pack_one_of(rules: Any, entry: int, resources: tuple[str, ...] | str) -> None:
    if isinstance(resources, str):
        rules.abilities[entry] |= w.BY_PRODUCTION[resources].bit
    else:
        rules.one_of[entry] = resource_mask(resources)


def _pack_free_build(rules: Any, entry: int, occasion: str) -> None:
    rules.abilities[entry] |= w.FREE_BUILDS[occasion].bit


def _pack_price(rules: Any, entry: int, price: TradePrice) -> None:
    rules.abilities[entry] |= w.PRICES
    group = w.RESOURCE_GROUPS.index(price.resources)
    for neighbor in price.neighbors:
        rules.price[entry, len(w.RESOURCE_GROUPS) * w.NEIGHBORS.index(neighbor) + group] = price.price


def _pack_discount(rules: Any, entry: int, discount: TradeDiscount) -> None:
    rules.abilities[entry] |= w.PRICES | w.WILD_PRICES
    rebates = rules.turn_rebate if discount.scope == ANY_TURN else rules.board_rebate
    for neighbor in discount.neighbors:
        rebates[entry, w.NEIGHBORS.index(neighbor)] = discount.n


def _pack_token(rules: Any, entry: int, value: int) -> None:
    rules.victory_token[entry] = 1 + w.VICTORY_TOKENS.index(value)


def _pack_when(rules: Any, entry: int, clauses: tuple[Clause, ...]) -> None:
    """Write the number of clauses into the record; ``compiling`` writes the table of all clauses."""
    rules.when[entry] = len(clauses)
    rules.eventful[entry] |= w.BY_FORMULA


# --- the rows --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect: its reader for card files, its description in English, and how it is written into the RULES record.

    ``triggers``: whether something happens immediately when the entry is placed.
    """

    read: Reader
    say: Callable[[Any], str]
    pack: Pack
    triggers: bool = False


def _row(none: Any, read: Reader, say: Callable[[Any], str] | str, pack: Pack, *, triggers: bool = False) -> Any:
    """Define the dataclass field of an effect; ``say`` is a phrase for a flag, a function for any other value."""
    phrase = (lambda _: say) if isinstance(say, str) else say
    return field(default=none, metadata={"effect": Effect(read, phrase, pack, triggers)})


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a card or stage, named as in cards.toml; a default value means that the effect is absent."""

    points: int = _row(0, whole(-99, 99), _say_amount("point"), _number("points"))
    shields: int = _row(0, whole(0, 99), _say_amount("shield"), _number("shields"))
    coins: int = _row(0, whole(0, 99), _say_amount("coin"), _number("coins"), triggers=True)
    science: str = _row(
        "",
        word("symbol", w.SYMBOLS[1:]),
        lambda symbol: "any science symbol" if symbol == "any" else symbol,
        _pack_symbol,
    )
    produces: tuple[str, ...] = _row(
        (),
        words("resource", w.RESOURCES, most=MAX_PRODUCED, distinct=False),
        lambda resources: "produces " + " and ".join(resources),
        _pack_units,
    )
    produces_one_of: tuple[str, ...] | str = _row((), _one_of, _say_one_of, _pack_one_of)
    """Resources, or one of ``words.BY_PRODUCTION`` (R18)."""
    # the price and the discount are 1 in every edition; the payment solver relies on this
    trade_price: TradePrice | None = _row(
        None,
        record(
            TradePrice,
            {"resources": word("kind of resource", w.RESOURCE_GROUPS), "neighbors": _NEIGHBORS, "price": choice(1)},
        ),
        _say_price,
        _pack_price,
    )
    trade_discount: TradeDiscount | None = _row(None, _discount, _say_discount, _pack_discount)
    points_per: Count | None = _row(None, _count(-99), _say_count("point"), _pack_count("points_per"))
    coins_per: Count | None = _row(None, _count(0), _say_count("coin"), _pack_count("coins_per"), triggers=True)
    points_if_wonder_complete: int = _row(
        0, whole(-99, 99), lambda n: f"{amount(n, 'point')} if every own stage is built", _number("points_complete")
    )
    play_last_card: bool = _row(False, flag, "plays the last card of each age", _ability(w.PLAY_LAST))
    build_from_discard: bool = _row(
        False, flag, "builds one card from the discard pile for nothing", _ability(w.BUILD_DISCARD)
    )
    copy_guild: bool = _row(False, flag, "copies a neighbour's guild at the end", _ability(w.COPY_GUILD))
    free_build: str = _row(
        "", word("occasion", tuple(w.FREE_BUILDS)), lambda when: w.FREE_BUILDS[when].meaning, _pack_free_build
    )
    """One of ``words.FREE_BUILDS`` (R26)."""
    coins_to_others: Toll | None = _row(
        None, record(Toll, _TOLL), _say_toll("get", "coin"), _pack_toll("coins_to_others"), triggers=True
    )
    coin_loss: Toll | None = _row(
        None,
        record(Toll, _TOLL, {"per": word("measure", tuple(filter(None, w.MEASURES)))}),
        _say_toll("lose", "coin"),
        _pack_toll("coin_loss"),
        triggers=True,
    )
    debt: Toll | None = _row(None, record(Toll, _TOLL), _say_toll("take", "debt"), _pack_toll("debt"), triggers=True)
    victory_token: int = _row(
        0, choice(0, *w.VICTORY_TOKENS), lambda token: f"a victory token of {token}", _pack_token, triggers=True
    )
    """The token of an age, identified by its printed value even if settings change its points."""
    diplomacy: int = _row(0, whole(0, 9), _say_amount("diplomacy token"), _number("diplomacy", w.TOKENS))
    copy_science: int = _row(
        0,
        whole(0, 3),
        lambda n: f"copies {amount(n, 'science symbol')} of the neighbours at the end",
        _number("copy_science", w.TOKENS),
    )
    stages_cost_no_resources: bool = _row(False, flag, "own stages cost no resources", _ability(w.FREE_STAGES))
    discard_defeat_tokens: bool = _row(
        False, flag, "discards own defeat tokens", _ability(w.DISCARD_DEFEATS), triggers=True
    )
    when: tuple[Clause, ...] = _row((), read_when, describe_clauses, _pack_when)
    """Effects given by formulas (R52)."""

    def present(self) -> dict[str, Any]:
        """Return the effects that are present, by name, in the order of the rows."""
        return {row.name: getattr(self, row.name) for row in fields(self) if getattr(self, row.name) != row.default}


EFFECTS: Mapping[str, Effect] = MappingProxyType({row.name: row.metadata["effect"] for row in fields(Effects)})
"""All effects, by name."""
