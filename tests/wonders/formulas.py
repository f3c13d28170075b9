"""Draw random formulas and clauses, both plausible and implausible ones."""

from __future__ import annotations

import random
import re
from typing import Any

from wsim.kernels.formula_words import ORDERS
from wsim.spec.fields import Problems
from wsim.spec.formula import FormulaError, span
from wsim.wonders.catalog.clauses import read_when
from wsim.wonders.catalog.formula import WIDEST, parse
from wsim.wonders.facts import CITY_NAMES
from wsim.wonders.words import (
    BUILT_HOW,
    BUILT_WHEN,
    BY,
    CARD_DO_FROM,
    CARD_FACTS,
    CARD_FROM,
    CARD_MARKS,
    CARD_NUMBERS,
    CARD_TRIGGERS,
    CHEAPER,
    COLORS,
    COPIES,
    COST_ITEMS,
    COST_TRIGGERS,
    DEARER,
    DECIDERS,
    EACH,
    GAINS,
    HAND_EVENTS,
    LAST_BUILT,
    LOSSES,
    MOVE_TRIGGERS,
    TABLE_NAMES,
    TRIGGERS,
    UNIT_ITEMS,
)

COUNTERS: dict[str, dict[str, str | int]] = {
    "favour": {"most": 9},
    "heat": {"of": "city", "lasts": "turn", "least": 1, "start": 2, "most": 40},
    "charge": {"of": "card", "most": 5, "start": 3},
    "wear": {"of": "card", "lasts": "age", "most": 999},
    "strife": {"of": "table", "lasts": "age", "most": 30},
    "toll": {"of": "table", "most": 6, "least": 2},
}
"""Counters of drawn catalogues, as in a card file."""
_PLAIN = re.compile(rf"(?<![.\w\"])({'|'.join(CITY_NAMES)})(?![\w\"])")


def varied(rng: random.Random, cards: list[str], text: str, event: str) -> str:
    """Replace some names of a formula by counters and by facts of the structure that was just built, or built last."""

    def built() -> str:
        return f"{rng.choice(('', 'left.'))}{rng.choice(ORDERS)}.{rng.choice(LAST_BUILT)}"

    def title() -> str:
        return "card.name" if event in CARD_TRIGGERS and rng.random() < 0.5 else f"{built()}.name"

    def other(match: re.Match[str]) -> str:
        kind = rng.random()
        if kind < 0.06:
            same = rng.choice(("== {}", "!= {}", "in ({}, {})", "not in ({}, {})"))
            names = [title() if rng.random() < 0.3 else f'"{rng.choice(cards)}"' for _ in range(2)]
            return f"(2 if {title()} {same.format(*names)} else {rng.randint(0, 1)})"
        if kind < 0.7:
            return match[0]
        if kind < 0.8:
            return f"counter.{rng.choice(list(COUNTERS))}"
        if kind < 0.9 and event in CARD_TRIGGERS:
            return f"card.{rng.choice((*CARD_FACTS, *BUILT_HOW, BUILT_WHEN))}"
        return f"{built()}.{rng.choice((*CARD_FACTS, BUILT_WHEN))}"

    return _PLAIN.sub(other, text)


def number(rng: random.Random, cards: list[str], another: bool, depth: int = 3) -> str:
    """Draw a numeric formula; ``another``: it may refer to another city."""
    cities = ("", "", "left.", "right.", *(("other.",) * 2 if another else ()))

    def part() -> str:
        return number(rng, cards, another, depth - 1)

    kind = rng.random()
    if depth <= 0 or kind < 0.25:
        if rng.random() < 0.3:
            return str(rng.choice((0, 1, 1, 2, 3, 7, 12)))
        if rng.random() < 0.15:
            return str(rng.choice(TABLE_NAMES))
        return f"{rng.choice(cities)}{rng.choice(CITY_NAMES)}"
    if kind < 0.5:
        return f"({part()} {rng.choice('+-*')} {part()})"
    if kind < 0.58:
        return f"{part()} {rng.choice(('//', '%'))} {rng.choice(('3', '(1 + stages)', 'max(1, red)', '-2', 'players'))}"
    if kind < 0.68:
        return f"{rng.choice(('min', 'max', 'sets'))}({', '.join(part() for _ in range(rng.randint(2, 3)))})"
    if kind < 0.74:
        return f"{rng.choice(('-', 'abs', ''))}({part()})"
    if kind < 0.78:
        return f"({rng.choice(CITY_NAMES)} - 2)**{rng.randint(1, 2)}"
    if kind < 0.88:
        counted = [f'"{name}"' for name in rng.sample(cards, 2)] + [condition(rng, cards, another, depth - 1)]
        counted.append(f"card.{rng.choice(CARD_MARKS)}")
        counted.append(f"card.{rng.choice(CARD_NUMBERS)} {rng.choice(('<', '==', '>='))} {rng.randint(0, 5)}")
        counted.append('card.name in ("{}", "{}")'.format(*rng.sample(cards, 2)))
        counted.append(f"{rng.choice(('not ', ''))}({' or '.join(counted[-2:])})")
        end = rng.choice((str(rng.randint(1, 6)), rng.choice(CITY_NAMES)))
        counted.append(f"card.{rng.choice(CARD_MARKS)} and card.order {rng.choice(('<', '>=', '=='))} {end}")
        counted.append(f"{end} {rng.choice(('<=', '>'))} card.order")
        return f"{rng.choice(cities)}count({', '.join(rng.sample(counted, rng.randint(1, 3)))})"
    return f"({part()} if {condition(rng, cards, another, depth - 1)} else {part()})"


def condition(rng: random.Random, cards: list[str], another: bool, depth: int = 2) -> str:
    """Draw a formula that is true or false."""
    compared = f"{number(rng, cards, another, depth)} {rng.choice(('<', '<=', '==', '!=', '>', '>='))} "
    compared += number(rng, cards, another, 0)
    kind = rng.random()
    if depth <= 0 or kind < 0.6:
        return compared
    if kind < 0.7:
        return f"{number(rng, cards, another, 0)} <= {compared}"
    if kind < 0.8:
        return f"not ({compared})"
    return f"({compared}) {rng.choice(('and', 'or'))} {condition(rng, cards, another, depth - 1)}"


def _amount(rng: random.Random, cards: list[str], another: bool, event: str) -> str:
    """Draw an amount that cannot be negative and is usually small."""
    while True:
        text = varied(rng, cards, number(rng, cards, another, rng.randint(0, 2)), event)
        text = f"min({rng.randint(1, 4)}, {text})" if rng.random() < 0.8 else text
        try:
            if span(parse(text), WIDEST)[0] < 0:
                text = f"max(0, {text})"
            parse(text)
        except FormulaError:
            continue
        return text


def _valid(text: str) -> bool:
    try:
        parse(text)
    except FormulaError:
        return False
    return True


def prices(rng: random.Random, cards: list[str], event: str) -> dict[str, Any]:
    """Draw a clause that changes prices."""
    found: dict[str, Any] = {"event": event}
    if rng.random() < 0.7:
        found["by"] = rng.choice(BY)
    if event == "trade_cost" and rng.random() < 0.6:
        found["from"] = rng.choice(BY if found.get("by", "self") != "self" else BY[1:])
    if event == "card_cost" and rng.random() < 0.6:
        found["color"] = rng.sample(COLORS, rng.randint(1, 4))
    if rng.random() < 0.4:
        text = varied(rng, cards, condition(rng, cards, True), event)
        while not _valid(text):
            text = varied(rng, cards, condition(rng, cards, True), event)
        found["if"] = text
    mine = UNIT_ITEMS if event == "trade_cost" else COST_ITEMS
    for _ in range(rng.randint(1, 3)):
        verb, items = rng.choice((("cheaper", CHEAPER), ("dearer", DEARER)))
        item = rng.choice([name for name in items if name in mine])
        amount = _amount(rng, cards, True, event)
        found.setdefault(verb, {})[item] = f"min(1, {amount})" if verb == "dearer" and item != "coins" else amount
    return found


def clause(rng: random.Random, cards: list[str]) -> dict[str, Any]:
    """Draw a clause of a card or stage that a card file may have."""
    while True:
        drawn = _any_clause(rng, cards)
        problems = Problems("drawn")
        read_when(problems, ("when",), [drawn])
        if not problems.sentences:
            return drawn


def copying(rng: random.Random) -> dict[str, Any]:
    """Draw a clause that usually gives copies (R103)."""
    many = rng.choice((1, "card.cost > 1", "card.red or card.green or card.brown", "coins >= 3"))
    found: dict[str, Any] = {"event": "card_built", "by": rng.choice(BY), "gain": {COPIES: many}}
    found["each"] = rng.choice(EACH)
    return found | (
        {"card": {"from": rng.choice(("left", "right", "city", "discarded"))}} if rng.random() < 0.2 else {}
    )


def _any_clause(rng: random.Random, cards: list[str]) -> dict[str, Any]:
    """Draw a clause, possibly an invalid one."""
    if rng.random() < 0.04:
        return copying(rng)
    event = rng.choice(tuple(TRIGGERS))
    if event in COST_TRIGGERS:
        return prices(rng, cards, event)
    found: dict[str, Any] = {"event": event}
    moves = event in MOVE_TRIGGERS
    if moves and rng.random() < 0.8:
        found["by"] = rng.choice(BY)
    if event == "bought" and rng.random() < 0.6:
        found["from"] = rng.choice(BY if found.get("by", "self") != "self" else BY[1:])
    if event == "card_built" and rng.random() < 0.6:
        found["color"] = rng.sample(COLORS, rng.randint(1, 4))
    if rng.random() < 0.6:
        found["each"] = rng.choice([one for one in EACH if moves or one != "trigger"])
    named = found.get("each", "self") != "self"
    if found.get("each") in ("neighbor", "other") and event != "scored" and rng.random() < 0.3:
        found["one"] = True
    another = named or moves
    if rng.random() < 0.4:
        text = varied(rng, cards, condition(rng, cards, another), event)
        while not _valid(text):
            text = varied(rng, cards, condition(rng, cards, another), event)
        found["if"] = text
    if event == "scored":
        sign = "" if rng.random() < 0.7 else "-"
        found["points"] = sign + _amount(rng, cards, another, event)
        return found
    if rng.random() < 0.75:
        return found | _effects(rng, cards, event, named, another)
    if rng.random() < 0.3:
        found["decider"] = rng.choice([one for one in DECIDERS if moves or one != "trigger"])
    sets = _sets(event, found.get("decider", "self") == "self") if not found.get("one") else []
    if rng.random() < 0.5:
        found |= _option(rng, cards, event, named, another, moves, sets)
        return found if "price" in found and rng.random() < 0.7 else found | {"may": True}
    found["may"] = rng.random() < 0.5
    found["choose"] = [_option(rng, cards, event, named, another, moves, sets) for _ in range(rng.randint(2, 4))]
    return found


def _sets(event: str, itself: bool) -> list[str]:
    """Return the sets from which a city may choose a card at an event, given whether it decides itself (R105)."""
    return [name for name in CARD_FROM if name not in HAND_EVENTS or (itself and event in HAND_EVENTS[name])]


def _option(
    rng: random.Random, cards: list[str], event: str, named: bool, another: bool, moves: bool, picks: list[str]
) -> dict[str, Any]:
    """Draw an option of a decision; ``picks``: the sets from which it may choose a card; none: nor an amount."""
    if picks and rng.random() < 0.25:
        most = rng.choice(("3", "min(4, coins)", "max(0, 3 - stages)", "1 + new_cards", "min(20, coins + red)"))
        chosen = {"gain": {rng.choice(GAINS): rng.choice(("amount", "min(2, amount)", "amount // 2"))}}
        price = rng.choice(({}, {"price": "amount"}, {"price": {"coins": "2 * amount", "counter": {"favour": 1}}}))
        return (
            {"amount": most} | price | (chosen if rng.random() < 0.8 else _effects(rng, cards, event, named, another))
        )
    if not picks or rng.random() < 0.5:
        return _effects(rng, cards, event, named, another) | _price(rng, cards, moves, event)
    source = rng.choice(picks)
    card: dict[str, Any] = {"from": source}
    possible = [do for do, sources in CARD_DO_FROM.items() if source in sources]
    if possible and rng.random() < 0.7:
        card["do"] = rng.choice(possible)
        if card["do"] == "swap" and rng.random() < 0.5:
            card["for"] = rng.choice(("card.cost > 1", "card.brown or card.gray", "card.order > age", "coins > 2"))
    if source == "discarded" and rng.random() < 0.4:
        card["draw"] = rng.choice((1, 3, "min(5, 1 + stages)"))
    if rng.random() < 0.4:
        card["if"] = rng.choice(
            ("card.cost < 3", "card.blue or card.brown", "not card.by_chain", "card.age >= age", "card.order > 2")
        )
    return {"card": card} | _effects(rng, cards, "built", named, another) | _price(rng, cards, moves, "built")


def _price(rng: random.Random, cards: list[str], another: bool, event: str) -> dict[str, Any]:
    """Draw the cost of an effect: nothing, coins, counters, or both."""
    coins, counter = _amount(rng, cards, another, event), _amount(rng, cards, another, event)
    paid = {"counter": {rng.choice(list(COUNTERS)): counter}}
    return rng.choice(({}, {"price": coins}, {"price": paid}, {"price": {"coins": coins, **paid}}))


def _effects(rng: random.Random, cards: list[str], event: str, named: bool, another: bool) -> dict[str, Any]:
    """Draw the effects of a clause or of one of its options."""
    found: dict[str, Any] = {}
    for _ in range(rng.randint(1, 2)):
        kind = rng.random()
        if named and kind < 0.5:
            found[rng.choice(("take", "give"))] = _amount(rng, cards, another, event)
        elif kind < 0.6:
            changed = found.setdefault(rng.choice(("gain", "lose")), {}).setdefault("counter", {})
            changed[rng.choice(list(COUNTERS))] = _amount(rng, cards, another, event)
        elif kind < 0.85:
            found.setdefault("gain", {}).update([_gain(rng, cards, another, event)])
        else:
            found.setdefault("lose", {})[rng.choice(LOSSES)] = _amount(rng, cards, another, event)
    return found


def _gain(rng: random.Random, cards: list[str], another: bool, event: str) -> tuple[str, Any]:
    """Draw a gain and its amount."""
    if event in ("built", "card_built", "bought") and rng.random() < 0.25:
        return COPIES, rng.choice((1, "card.cost > 1", "card.red or card.green", "coins >= 3"))
    if event == "bought" and rng.random() < 0.3:
        return rng.choice([item for item in GAINS if item != COPIES]), "purchase"
    return rng.choice([item for item in GAINS if item != COPIES]), _amount(rng, cards, another, event)
