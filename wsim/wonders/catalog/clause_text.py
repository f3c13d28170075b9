"""Describe clauses in English."""

from __future__ import annotations

import re

from wsim.wonders import words as w
from wsim.wonders.catalog.clauses import Clause, Option, Pick, named
from wsim.wonders.catalog.formula import parse
from wsim.wonders.catalog.formula_text import english
from wsim.wonders.facts import price_in_words

_CITIES = {
    "self": "this city",
    "left": "the left neighbour",
    "right": "the right neighbour",
    "neighbor": "each neighbour",
    "other": "each other city",
    "partner": "the partner",
    "trigger": "that city",
}
_ONE = {"neighbor": "a neighbour of its choice", "other": "a city of its choice"}
_WHO = {
    "": "this city", "self": "this city", "left": "the left neighbour", "right": "the right neighbour",
    "neighbor": "a neighbour", "other": "another city", "partner": "the partner", "anyone": "any city",
}  # fmt: skip
_DECIDERS = {
    "left": "the left neighbour",
    "right": "the right neighbour",
    "partner": "the partner",
    "trigger": "that city",
}
_PAYERS = {**_CITIES, "anyone": "every city"}
_SELLERS = {**_WHO, "neighbor": "a neighbour", "anyone": "a neighbour", "self": "this city", "other": "another city"}
_UNITS = {
    "unit": "a unit", "raw_unit": "a raw unit", "manufactured_unit": "a manufactured unit",
    "first_unit": "the first unit of a payment",
}  # fmt: skip
_ITEMS = {
    "age_shields": "shields for this age",
    **{name: f"{name} symbols" for name in (*w.SYMBOLS[1 : w.ANY], "wild")},
    **{name: f"{name} units" for name in w.RESOURCES},
    **{f"turn_{name}": f"{name} units for one turn" for name in w.RESOURCES},
    "free_build_tokens": "tokens of a free build",
    "discard_builds": "builds from the discard pile",
}


def describe_clauses(clauses: tuple[Clause, ...]) -> str:
    """Describe clauses in English, separated by semicolons."""
    return "; ".join(map(_clause_text, clauses))


def _clause_text(clause: Clause) -> str:
    """Describe a clause: "when built: takes 1 coin from each neighbour, if their shields are at most 2"."""
    if clause.event in w.COST_TRIGGERS:
        return _prices_text(clause)
    event = w.TRIGGERS[clause.event]
    if clause.event in w.MOVE_TRIGGERS:
        event = f"whenever {_WHO[clause.by]} {event}"
        if clause.event == "card_built":
            event += f" a {' or '.join(clause.color)} card" if clause.color else " a card"
        if clause.event == "bought":
            event += f" from {_WHO[clause.seller or 'neighbor']}"
    other = clause.each not in ("", "self")
    actions = decision_text(clause) if clause.options() else _acts_text(clause, clause.acts())
    if other and clause.event == "scored":
        event += f" for {_CITIES[clause.each]}"
    condition = f", if {english(parse(clause.condition))}" if clause.condition else ""
    return f"{event}: {actions}{condition}"


def _prices_text(clause: Clause) -> str:
    """Describe a price change: "blue cards cost each neighbour 1 coin less, if own coins are at most 3"."""
    changes = []
    payer = f" {_PAYERS[clause.by or 'self']}" if clause.by not in ("", "self") else ""
    for act, amount in clause.acts():
        change, _, item = act.partition(" ")
        number = english(parse(amount))
        number = number if number.isdigit() else f"({number})"
        direction = "less" if change == "cheaper" else "more"
        if clause.event == "trade_cost":
            thing = f"{_UNITS[item]} bought from {_SELLERS[clause.seller or 'neighbor']}"
            changes.append(f"{thing} costs{payer} {counted(number, 'coins')} {direction}")
            continue
        things = f"{' and '.join(clause.color)} cards" if clause.color else "cards"
        things = "stages" if clause.event == "stage_cost" else things
        changes.append(f"{things} cost{payer} {_cost_text(item, number, direction)}")
    condition = f", if {english(parse(clause.condition))}" if clause.condition else ""
    return f"{' and '.join(changes)}{condition}"


def price_change_text(does: str, amount: int) -> str:
    """Describe a price change: "1 coin less" ("cheaper coins"), "1 coin more for a raw unit" ("dearer raw_unit")."""
    change, _, item = does.partition(" ")
    direction = "less" if change == "cheaper" else "more"
    if item in w.UNIT_ITEMS:
        return f"{counted(str(amount), 'coins')} {direction} for {_UNITS[item]}"
    return _cost_text(item, str(amount), direction)


def _cost_text(item: str, number: str, direction: str) -> str:
    """Describe a change in cost: "2 coins less", "1 stone more", "1 resource less (the payer chooses which)"."""
    chosen = " (the payer chooses which)" if item == "resources" else ""
    amount = f"{number} {item}" if item in w.RESOURCES else counted(number, item)
    return f"{amount} {direction}{chosen}"


def decision_text(clause: Clause) -> str:
    """Describe a decision: "may pay 2 coins: gains 1 shield", "chooses one of: (1) gains 3 coins, (2) ..."."""
    if _is_decided_by_another(clause):
        return f"{_DECIDERS[clause.decider]} {_decided(clause)}"
    return _decided(clause)


def _is_decided_by_another(clause: Clause) -> bool:
    """Return whether a different city decides, so that the description must name the owner of the clause."""
    return clause.decider not in ("", "self")


def _decided(clause: Clause) -> str:
    """Describe the decision of a clause, without the city that decides."""
    options = clause.options()
    if not clause.choose:
        text = option_text(clause, options[0])
        if not clause.optional:
            return text
        if options[0].amount:
            return f"may {text.replace('chooses', 'choose', 1)}"
        return f"may {text.replace('pays', 'pay', 1)}" if options[0].price else f"may choose: {text}"
    listed = ", ".join(f"({number}) {option_text(clause, option)}" for number, option in enumerate(options, start=1))
    return f"{'may choose' if clause.may else 'chooses'} one of: {listed}"


def option_text(clause: Clause, option: Option) -> str:
    """Describe an option in English, such as "pays 1 coin: gains 1 shield"."""
    done = _acts_text(clause, option.acts())
    if option.card:
        done = _card_text(option.card, done)
    price = [_price_text(act.partition(" ")[2], amount) for act, amount in option.price_acts()]
    done = f"pays {' and '.join(price)}: {done}" if price else done
    if _is_decided_by_another(clause):
        done = done.replace("its own city", "this city")
    if option.amount:
        most = english(parse(option.amount))
        done = f"chooses an amount of at most {most if most.isdigit() else f'({most})'}: {done}"
    return done


def _card_text(card: Pick, fate: str) -> str:
    """Describe a card choice: "chooses a card of the discard pile (its cost is more than 2): builds it for nothing"."""
    condition = f" ({english(parse(card.condition))})" if card.condition else ""
    does = w.CARD_DO.get(card.do, "")
    if card.given:
        does += f" ({english(parse(card.given))})"
    parts = [part for part in (does, fate) if part]
    source = w.CARD_FROM[card.source]
    if card.draw:
        number = english(parse(card.draw))
        source = f"{number if number.isdigit() else f'({number})'} drawn from {source}"
    return f"chooses a card of {source}{condition}: {', '.join(parts)}"


def _price_text(item: str, amount: str) -> str:
    """Describe an amount to pay: "2 coins", "1 of the counter favour"."""
    text = english(parse(amount))
    number = text if text.isdigit() else f"({text})"
    return f"{number} of the {item}" if item.startswith(f"{w.COUNTER} ") else counted(number, item)


def _acts_text(clause: Clause, acts: list[tuple[str, str]]) -> str:
    """Describe a clause's actions in English."""
    other = clause.each not in ("", "self")
    return ", ".join(_act_text(clause, act, amount, other) for act, amount in acts)


def _act_text(clause: Clause, act: str, amount: str, other: bool) -> str:
    verb, _, item = act.partition(" ")
    text = english(parse(amount))
    number = text if text.isdigit() else f"({text})"
    by_another = _is_decided_by_another(clause)
    if verb == "points":
        return counted(number, "points")
    if verb in ("take", "give"):
        towards = "takes {} from" if verb == "take" else "gives {} to"
        return f"{'this city ' if by_another else ''}{towards.format(counted(number, 'coins'))} {_city_of(clause)}"
    named_city = other or by_another
    change = f"{'rises' if verb == 'gain' else 'falls'} by {number}{f' for {_city_of(clause)}' if named_city else ''}"
    if item in w.UNIT_PRICES:
        return f"the {price_in_words(item)} {change}"
    if named(act, w.COUNTER):
        return f"{item} {change}"
    return f"{f'{_city_of(clause)} ' if named_city else ''}{_change_of_city(act, amount, number, text)}"


def _city_of(clause: Clause) -> str:
    """Return an English phrase for the city that a clause acts on."""
    if clause.event == "bought" and clause.each == "trigger":
        return "the seller" if clause.by in ("", "self") else "the buyer"
    return (_ONE if clause.one else _CITIES)[clause.each or "self"]


def _change_of_city(act: str, amount: str, number: str, text: str) -> str:
    """Return an English phrase for what a city draws, copies, gains or loses.

    ``text``: the amount in words. ``number``: the same, in brackets unless it is a plain number.
    """
    verb, _, item = act.partition(" ")
    if deck := named(act, w.DRAW):
        which = "it" if number == "1" else "one of them"
        return f"draws {counted(number, 'cards')} from the stock of {deck} and may recruit {which}"
    if item == w.COPIES:
        only = "" if text == "1" else f" if {text}" if parse(amount).is_condition else f" ({text} times)"
        return f"has the lasting effects of that card once more{only}"
    return f"{'gains' if verb == 'gain' else 'loses'} {counted(number, item)}"


def counted(number: str, item: str) -> str:
    """Describe an amount to gain or lose: "1 coin", "3 coins", "(own red cards) coins"."""
    items = _ITEMS.get(item, item.replace("_", " "))
    return f"{number} {re.sub(r's(?=$| for | of | from )', '', items, count=1) if number == '1' else items}"
