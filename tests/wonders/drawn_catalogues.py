"""Draw whole catalogues: changed cards and boards, further decks and reactions to them, and hands of other sizes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.wonders import formulas
from tests.wonders.engine_tools import TABLES
from tests.wonders.extremes import EFFECTS, Case, accepted, change, effect, pushed, written
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.house_rules import at_table
from wsim.wonders.words import BY, COST_TRIGGERS, DRAWN_COLORS, HAND_EVENTS, SEATS


def of_table(rng: random.Random, names: list[str]) -> dict[str, Any]:
    """Draw a clause for a rule of the table (R87), which belongs to no card or stage."""
    while True:
        if (drawn := formulas.clause(rng, names))["event"] != "built":
            return drawn


def of_deck(rng: random.Random, names: list[str], number: int) -> dict[str, Any]:
    """Draw a further deck (R88): cards with effects, clauses or both."""
    cards: dict[str, Any] = {}
    way = rng.choice(("deal", "draft", "draft", "display"))
    for place in range(rng.randint(14, 28) if way == "draft" else rng.randint(7, 16)):
        card = {name: effect(rng, name, "") for name in rng.sample(EFFECTS, rng.randint(0, 2)) if name != "coin_loss"}
        if rng.random() < 0.3:
            card["when"] = [formulas.clause(rng, names) for _ in range(rng.randint(1, 2))]
        cards[f"Recruit{number}{place}"] = {"cost": rng.choice((0, 0, 1, 3, 9)), **card}
    supply = {way: rng.randint(1, len(cards)) if way == "display" else len(cards) // 7}
    supply |= {"age": rng.randint(1, 3)} if way != "draft" and rng.random() < 0.5 else {}
    return {**supply, "recruit": rng.choice(("age_start", "age_end")), "cards": cards}


def of_stock(rng: random.Random, names: list[str], number: int) -> dict[str, Any]:
    """Draw a clause that draws cards from the stock of a further deck (R104)."""
    drawn = rng.choice(("1", "2", "min(5, red)", "1 + stages"))
    while True:
        found = of_table(rng, names)
        if found["event"] not in ("scored", *COST_TRIGGERS) and "choose" not in found:
            found.setdefault("gain", {})["draw"] = {f"Deck{number}": drawn}
            return found


def reaction(rng: random.Random, number: int) -> dict[str, Any]:
    """Draw a clause that reacts to a recruited card (R106), with what formulas know about it."""
    facts = ("cost", "shields", "points", "gear", "clay", "age", "chained", "order", "paid", "from_stock", "by_chain")
    amount = f"max(0, card.{rng.choice(facts)} + 2 * card.{rng.choice(facts)} - {rng.randint(0, 1)})"
    found: dict[str, Any] = {"event": "recruited", "by": rng.choice(BY), "gain": {"coins": amount}}
    found["each"] = rng.choice(("self", "trigger", "neighbor"))
    name = f"Recruit{number}{rng.randint(0, 13)}"
    conditions = (f"card.name == '{name}'", f"card.name != '{name}' and other.coins >= coins", "card.cost > 0", "")
    if condition := rng.choice(conditions):
        found["if"] = condition
    return found | rng.choice(({}, {"may": True}, {"price": "card.order"}, {"lose": {"points": "card.cost"}}))


def put_aside(rng: random.Random) -> dict[str, Any]:
    """Draw a clause that lets a city put a card of its hand aside (R107)."""
    card: dict[str, Any] = {"from": "hand", "do": "discard"}
    if rng.random() < 0.5:
        card["if"] = rng.choice(("card.cost < 2", "card.blue or card.red", "card.age == age", "not card.chained"))
    found: dict[str, Any] = {"event": rng.choice(HAND_EVENTS["hand"]), "card": card}
    found["gain"] = {"coins": rng.choice(("1", "1 + card.cost", "card.shields + 2"))}
    return found | ({"may": True} if rng.random() < 0.5 else {}) | ({"price": 1} if rng.random() < 0.3 else {})


def further(rng: random.Random, ruleset: str, players: int, names: list[str]) -> list[str]:
    """Draw a further deck with clauses that draw from it and react to it, and clauses about the own hand."""
    changes = [f"counters.{name}={written(counter)}" for name, counter in formulas.COUNTERS.items()]
    more = [f"decks.Deck0={written(of_deck(rng, names, 0))}"]
    more.append(f"table.Stock.when={written([of_stock(rng, names, 0)])}")
    more.append(f"table.Welcome.when={written([reaction(rng, 0) for _ in range(rng.randint(1, 3))])}")
    more.append(f"table.Offering.when={written([put_aside(rng) for _ in range(rng.randint(1, 2))])}")
    for one in more:
        if accepted(ruleset, players, [*changes, one]):
            changes.append(one)
    return changes


def smaller_hands(rng: random.Random, ruleset: str, players: int) -> list[str]:
    """Draw the sizes of the hands of each age, and take as many cards out of the decks; nothing with all seats."""
    catalogue = load_catalogue(ruleset)
    cities, printed = catalogue.cities_at_table(players), int(at_table(catalogue.settings, players).hand_size[0])
    if cities == SEATS:
        return []
    sizes, changes = [], [f"rulesets.{ruleset}.seats=[{players}]"]
    for age in (1, 2, 3):
        fewer = rng.randint(0, 3)
        cards = [card for card in catalogue.cards if card.ages == (age,) and card.color not in DRAWN_COLORS]
        left = fewer * cities
        for card in rng.sample(cards, len(cards)):
            if 0 < (copies := card.copies_dealt(age, cities)) <= left:
                left -= copies
                changes.append(f'cards."{card.name}".copies=[{SEATS}]')
        if left:
            return []
        sizes.append(printed - fewer)
    return [*changes, f"settings.hand_size={written(sizes)}"]


def draw_case(seed: int) -> Case:
    """Draw a case, keeping only changes that are accepted together."""
    rng = random.Random(seed)
    ruleset, players = rng.choice(TABLES)
    catalogue = load_catalogue(ruleset)
    changes = [change(rng, catalogue) for _ in range(rng.choice((0, 1, 4, 12, 40)))]
    if not accepted(ruleset, players, changes):
        kept: list[str] = []
        for one in changes:
            if accepted(ruleset, players, [*kept, one]):
                kept.append(one)
        changes = kept
    names = [card.name for card in catalogue.cards]
    for more in (further(rng, ruleset, players, names), smaller_hands(rng, ruleset, players)):
        if rng.random() < 0.5 and accepted(ruleset, players, [*changes, *more]):
            changes += more
    return Case(seed, ruleset, players, tuple(pushed(rng, ruleset, players, changes)))


def cases(first: int, many: int) -> Iterator[Case]:
    """Yield the cases of these seeds."""
    return map(draw_case, range(first, first + many))
