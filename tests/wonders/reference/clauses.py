"""Effects by formula (R52-R58, R64-R69), evaluated independently on Python's syntax tree with plain integers."""

from __future__ import annotations

import ast
import operator
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tests.wonders.reference.decks import ask_to_recruit
from tests.wonders.reference.facts import CATEGORY_OF_COLOR, RESOURCES, Card, Recruit, clauses_in
from tests.wonders.reference.market import MOST_PRICE, own_symbols, printed_price, unit_price
from tests.wonders.reference.table import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.wonders.reference.facts import Effect, Stage
    from tests.wonders.reference.table import City, Move, Table

COLORS = ("brown", "gray", "blue", "yellow", "red", "green", "purple", "black")
PRICES = [(side, kind) for side in ("left", "right") for kind in ("raw", "manufactured")]
OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


# --- formulas


@dataclass
class Eyes:
    """The context of a formula: its owner's city, another city, and extra purple cards that the owner counts (R29)."""

    table: Table
    owner: City
    other: City
    more_purple: int = 0
    card: Card | None = None  # a structure that may be counted
    place: int = 0  # its number in the order of building
    fixed: dict[str, int] | None = None  # the owner's symbols, while science is counted (R23)
    source: str = ""  # the card or stage whose formula it is, for its counters (R70)

    def city(self, name: str) -> City:
        """Return the city that a formula calls other, left or right."""
        if name == "other":
            return self.other
        return self.table.named(self.owner.seat, name)

    def walk(self, node: ast.AST) -> int:
        """Evaluate a part of the formula; conditions are 1 or 0."""
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return self.named(self.owner, name)
            case ast.Attribute(value=ast.Name(id="card"), attr="order") if self.card is not None:
                return self.place
            case ast.Attribute(value=ast.Name(id="card"), attr=name) if self.card is not None:
                return fact(self.card, name)
            case ast.Attribute(value=ast.Name(id="card"), attr=name):
                assert self.table.event is not None
                return fact_of_event(*self.table.event, name)
            case ast.Attribute(value=ast.Name(id="counter"), attr=name):
                return self.table.counter(name, self.owner, self.source)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=whose), attr="counter"), attr=name):
                return self.table.counter(name, self.city(whose), self.source)
            case ast.Attribute(value=ast.Attribute(), attr=name):
                card = self.remembered(node)
                if card and name == "order":
                    *around, _, _, _ = ast.unparse(node).split(".")
                    return (self.city(around[0]) if around else self.owner).structures.index(card) + 1
                return fact(card, name) if card else 0
            case ast.Attribute(value=ast.Name(id=whose), attr=name):
                return self.named(self.city(whose), name)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return -self.walk(part)
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return int(not self.walk(part))
            case ast.BinOp(left=left, op=op, right=right):
                return int(OPERATORS[type(op)](self.walk(left), self.walk(right)))
            case ast.BoolOp(op=ast.And(), values=parts):
                return int(all(map(self.walk, parts)))
            case ast.BoolOp(values=parts):
                return int(any(map(self.walk, parts)))
            case ast.Compare(left=first, ops=[op], comparators=[other]) if any(map(is_title, (first, other))):
                others = other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
                same = self.title(first) in map(self.title, others)
                return int(same is isinstance(op, ast.Eq | ast.In))
            case ast.Compare(left=first, ops=ops, comparators=more):
                sides = pairwise(map(self.walk, [first, *more]))
                return int(all(OPERATORS[type(op)](*both) for op, both in zip(ops, sides, strict=True)))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.walk(body) if self.walk(test) else self.walk(orelse)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=file), attr=name), args=parts, keywords=[_, *_]):
                function, numbers = self.table.catalogue.functions[file, name], map(self.walk, parts)
                return int(function(Sheet(self), self.owner.seat, self.other.seat, *numbers))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=whose)), args=parts):
                return sum(self.counted(self.city(whose), part) for part in parts)
            case ast.Call(func=ast.Name(id="count"), args=parts):
                return sum(self.counted(self.owner, part) for part in parts)
            case ast.Call(func=ast.Name(id="abs"), args=[part]):
                return abs(self.walk(part))
            case ast.Call(func=ast.Name(id="max"), args=parts):
                return max(map(self.walk, parts))
            case ast.Call(func=ast.Name(id="min" | "sets"), args=parts):
                return min(map(self.walk, parts))
        raise AssertionError(ast.dump(node))

    def remembered(self, node: ast.Attribute) -> Card | None:
        """Return the structure that ``last.red.cost`` or ``left.first.cards.age`` refers to."""
        *whose, order, kind, _ = ast.unparse(node).split(".")
        return built(self.city(whose[0]) if whose else self.owner, order, kind)

    def title(self, node: ast.AST) -> str:
        """Return the name of a structure, either literal or referred to; "" for a stage or if there is none."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        assert isinstance(node, ast.Attribute)
        if isinstance(node.value, ast.Attribute):
            card: Any = self.remembered(node)
        else:
            card = self.card or (self.table.event and self.table.event[0])
        return card.name if isinstance(card, Card | Recruit) else ""

    def counted(self, city: City, node: ast.AST) -> int:
        """Return how many cards of a city match a name or a condition, or the value of a condition without cards."""
        match node:
            case ast.Constant(value=str(name)):
                return int(city.owns(name))
        if any(isinstance(part, ast.Name) and part.id == "card" for part in ast.walk(node)):
            places = enumerate(city.structures, start=1)
            return sum(replace(self, card=card, place=place).walk(node) for place, card in places)
        return self.walk(node)

    def named(self, city: City, name: str) -> int:
        """Return a named fact about the table or a city."""
        of_table = {"age": self.table.age, "turn": self.table.turn}
        if name in of_table:
            return of_table[name]
        if name in ("purchase", "amount"):
            return int(getattr(self.table, name))
        if name == "players":
            return len(self.table.cities) - self.table.rules.duo
        if name == "new_stages":
            return city.new_stages
        if name.startswith("new_"):
            return sum(card.color == name[4:] or name == "new_cards" for card in city.new)
        if name in (*COLORS, "cards"):
            found = sum(card.color == name or name == "cards" for card in city.structures)
            return found + (self.more_purple if city is self.owner and name in ("purple", "cards") else 0)
        if name in ("compass", "gear", "tablet") and city is self.owner and self.fixed is not None:
            return self.fixed[name]
        if name in ("compass", "gear", "tablet", "wild"):
            wanted = "any" if name == "wild" else name
            printed: int = sum(effect["symbol"] == wanted for effect in city.effects("science"))
            return printed + city.more_symbols.count(wanted)
        if name in RESOURCES:
            return sum(name in symbol for symbol in own_symbols(city))
        if name.startswith("victory_tokens"):
            return city.count(name.replace("tokens", "token"))
        counts: dict[str, int] = {
            "stages": len(city.buried),
            "all_stages": len(city.all_stages),
            "coins": city.coins,
            "shields": city.shields,
            "defeat_tokens": city.defeats,
            "debts": city.debts,
            "diplomacy_tokens": city.diplomacy,
            "chains": city.tally["built_chain"],
            "sold": city.tally["sold"],
            "trade_paid": city.tally["trade_paid"],
            "trade_received": city.tally["trade_received"],
            "coins_lost": city.tally["lost_coins"],
            "gained_points": sum(city.gained.values()),
            "free_builds": city.tally["built_free"],
            "from_discard": city.tally["built_discard_pile"],
            "free_build_tokens": city.free_tokens,
            **{f"{side}_{kind}_price": unit_price(self.table, city, side, kind) for side, kind in PRICES},
        }
        return counts[name]


def is_title(node: ast.AST) -> bool:
    """Return whether a part of a formula is the name of a structure."""
    return isinstance(node, ast.Attribute) and node.attr == "name" and not ast.unparse(node).endswith("counter.name")


def fact(thing: Card | Stage | Recruit, name: str) -> int:
    """Return a fact about a card or stage: cost, points, shields; for cards also age, colour and predecessor."""
    units, coins = len(thing.cost.units), thing.cost.coins
    if name in ("cost", "units", "coins"):
        return {"cost": units + coins, "units": units, "coins": coins}[name]
    if name in ("points", "shields"):
        return sum(int(effect["n"]) for effect in thing.effects if effect["kind"] == name)
    if name in RESOURCES:
        made = [effect.get("units") or effect["one_of"] for effect in thing.effects if effect["kind"] == "produce"]
        return sum(list(resources).count(name) for resources in made if not isinstance(resources, str))
    symbols = [effect["symbol"] for effect in thing.effects if effect["kind"] == "science"]
    if not isinstance(thing, Card):
        return int(name in symbols)
    if name == "age":
        return thing.ages[0]
    if name == "chained":
        return int(thing.free_with != ())
    return int(thing.color == name or name in symbols)


def fact_of_event(thing: Card | Stage | Recruit, how: str, order: int, name: str) -> int:
    """Return a fact about the structure just built, how it was built, or its number in the building order (R71)."""
    if name == "order":
        return order
    return int(how == name) if name in ("paid", "by_chain", "free", "from_discard", "from_stock") else fact(thing, name)


def built(city: City, order: str, kind: str) -> Card | None:
    """Return the structure of a colour that a city built last, second to last, or first."""
    cards = [card for card in city.structures if kind in (card.color, "cards")]
    at = {"first": 0, "last": len(cards) - 1, "previous": len(cards) - 2}[order]
    return cards[at] if 0 <= at < len(cards) else None


class Sheet:
    """The data passed to an effect function: the table and, if given, a city, under the names used in formulas."""

    def __init__(self, eyes: Eyes, city: City | None = None) -> None:
        self.eyes, self.city = eyes, city

    def __getattr__(self, name: str) -> Any:
        if name == "cities":
            return [Sheet(self.eyes, city) for city in self.eyes.table.cities]
        if name == "seats":
            return len(self.eyes.table.cities)
        return self.eyes.named(self.city or self.eyes.owner, name)


def value(
    table: Table,
    owner: City,
    other: City,
    text: Any,
    more_purple: int = 0,
    fixed: dict[str, int] | None = None,
    source: str = "",
) -> int:
    """Evaluate a formula."""
    return Eyes(table, owner, other, more_purple, fixed=fixed, source=source).walk(
        ast.parse(str(text), mode="eval").body
    )


# --- who acts, and on whom


def clauses_of(city: City) -> Iterator[tuple[dict[str, Any], Effect]]:
    """Return the clauses of a city with their sources: structures by name, stages, recruits, the table (R54)."""
    for card in sorted((card for card in city.structures if card.clauses), key=lambda card: card.name):
        for clause in card.clauses:
            yield {"card": card.name, "when": clause["number"]}, clause
    for place, stage in enumerate(city.built_stages, start=1):
        for clause in stage.clauses:
            yield {"stage": place, "when": clause["number"]}, clause
    for recruit in sorted(city.recruited, key=lambda recruit: (recruit.deck, recruit.name)):
        for clause in recruit.clauses:
            yield {"card": recruit.name, "when": clause["number"]}, clause
    for name in sorted(city.laws):
        for clause in clauses_in(city.laws[name]):
            yield {"table": name, "when": clause["number"]}, clause


def related(table: Table, owner: City, whom: str) -> list[City]:
    """Return the cities that an owner's clause refers to, starting from the left."""
    if whom == "self":
        return [owner]
    if whom in ("left", "right"):
        return [table.named(owner.seat, whom)]
    around = [table.cities[(owner.seat + step) % len(table.cities)] for step in range(1, len(table.cities))]
    if whom == "anyone":
        return [owner, *around]
    if whom == "neighbor":
        beside = {table.left(owner.seat).seat, table.right(owner.seat).seat}
        return [city for city in around if city.seat in beside]
    if whom == "partner":
        return [city for city in around if table.rules.teams and city.seat // 2 == owner.seat // 2]
    assert whom == "other"
    return around


def moment(table: Table, event: str) -> None:
    """Let the clauses of a moment act, seat by seat."""
    for city in table.cities:
        for where, clause in list(clauses_of(city)):
            if clause["event"] == event:
                act(table, city, where, clause, city)
    ask_to_recruit(table, event)
    decide(table)


def moves_made(table: Table, moves: list[Move]) -> None:
    """Let the clauses of simultaneous moves act: per move, first the placed item's, then those waiting for it (R54)."""
    for move in moves:
        mover = table.cities[move["seat"]]
        new: dict[str, Any] = {}
        table.event = None
        if move["action"] == "build":
            new = {"card": move["card"]}
            how = {"paid": "paid", "chain": "by_chain", "free": "free"}[move["how"]]
            how = "from_discard" if move.get("source") == "discard_pile" else how
            table.event = (table.catalogue.cards[move["card"]], how, len(mover.structures))
        elif move["action"] == "stage":
            new = {"stage": len(mover.buried)}
            table.event = (mover.built_stages[-1], "paid", len(mover.buried))
        for where, clause in list(clauses_of(mover)):
            if clause["event"] == "built" and new and new.items() <= where.items():
                act(table, mover, where, clause, mover)
        events = [{"build": "card_built", "stage": "stage_built", "sell": "sold"}[move["action"]]]
        if move.get("source") == "last_card":
            events.append("last_card")
        for event in events:
            for city in table.cities:
                for where, clause in list(clauses_of(city)):
                    itself = city is mover and new and new.items() <= where.items()
                    if clause["event"] == event and not itself and waits_for(table, city, clause, mover, move):
                        act(table, city, where, clause, mover)
        purchases_made(table, mover, new, move)


def recruited(table: Table, mover: City, card: Recruit, how: str) -> None:
    """Let the clauses of a recruited card act, then those that react to it (R90, R106)."""
    table.event = (card, how, len(mover.recruited))
    for event in ("built", "recruited"):
        for city in table.cities:
            for where, clause in list(clauses_of(city)):
                own = city is mover and where.get("card") == card.name
                reacts = not own and mover in related(table, city, clause.get("by", "self"))
                if clause["event"] == event and (own if event == "built" else reacts):
                    act(table, city, where, clause, mover)


def purchases_made(table: Table, buyer: City, new: dict[str, Any], move: Move) -> None:
    """Let the clauses act that wait for payments to a neighbour, the left neighbour first (R64)."""
    for side, seller in (("left", table.left(buyer.seat)), ("right", table.right(buyer.seat))):
        table.purchase = int(move.get(side, 0))
        for city in table.cities if table.purchase else []:
            for where, clause in list(clauses_of(city)):
                itself = city is buyer and new and new.items() <= where.items()
                if clause["event"] != "bought" or itself or not waits_for(table, city, clause, buyer, move):
                    continue
                if seller in related(table, city, clause.get("from", "anyone")):
                    act(table, city, where, clause, seller if city is buyer else buyer)


def waits_for(table: Table, owner: City, clause: Effect, mover: City, move: Move) -> bool:
    """Return whether a clause waits for this move."""
    if mover not in related(table, owner, clause.get("by", "self")):
        return False
    return "color" not in clause or table.catalogue.cards[move["card"]].color in clause["color"]


def act(table: Table, owner: City, where: dict[str, Any], clause: Effect, trigger: City) -> None:
    """Let a clause act on the cities that it names; one that asks waits until everybody has moved (R72)."""
    if options_of(clause):
        if concerned(table, owner, where, clause, trigger):
            decider = decider_of(table, owner, clause, trigger)
            if decider:
                table.pending.append(Asked(owner, where, clause, trigger, table.event, table.purchase, decider=decider))
        return
    each, source = clause.get("each", "self"), source_of(owner, where)
    for city in [trigger] if each == "trigger" else related(table, owner, each):
        other = trigger if each == "self" else city
        if "if" not in clause or value(table, owner, other, clause["if"], source=source):
            act_on(table, owner, where, clause, city, other)


def decider_of(table: Table, owner: City, clause: Effect, trigger: City) -> City | None:
    """Return the city that decides a clause (R98); None if the owner has no partner."""
    who = clause.get("decider", "self")
    if who == "trigger":
        return trigger
    return next(iter(related(table, owner, who)), None)


def act_on(
    table: Table, owner: City, where: dict[str, Any], clause: Mapping[str, Any], city: City, other: City
) -> None:
    """Apply a clause, or one of its options, to one city."""
    for does, amount in parts(clause):
        number = value(table, owner, other, amount, source=source_of(owner, where))
        if "counter" in does:
            count(table, owner, where, does, city, number)
            continue
        if does.startswith("gain draw "):
            done = asked_to_draw(table, city, does.removeprefix("gain draw "), number)
            if done:
                note(table, {"seat": owner.seat, **where, "does": does, "city": city.seat}, done)
            continue
        if does in ("gain points", "lose points"):
            card = table.catalogue.cards.get(where.get("card", ""))
            category = CATEGORY_OF_COLOR[card.color] if card else "wonder"
            city.gained[category] += number if does == "gain points" else -number
            done = number
        elif does == "gain copies":
            done = copied(table, city, number)
        elif does == "gain discard_builds":
            table.builds += [(where.get("card") in table.catalogue.cards, city.seat)] * number
            done = number
        else:
            done = DOES[does](table, owner, city, number)
        if done:
            note(table, {"seat": owner.seat, **where, "does": does, "city": city.seat}, done)


def asked_to_draw(table: Table, city: City, deck: str, number: int) -> int:
    """Let a player recruit one of some cards from the stock of a deck, in its turn (R104)."""
    if number and not table.is_free_city(city.seat):
        table.pending.append(Asked(city, {}, {}, city, None, 0, deck, number=number))
        return number
    return 0


def copied(table: Table, city: City, number: int) -> int:
    """Give a city the lasting effects of a structure once more, unless it already has a copy of it (R103)."""
    card = table.event[0] if table.event else None
    if not number or not isinstance(card, Card) or card in city.copies:
        return 0
    city.copies.append(card)
    return 1


def concerned(table: Table, owner: City, where: dict[str, Any], clause: Effect, trigger: City) -> list[City]:
    """Return the cities that a clause acts on and for which its condition is true."""
    each, source = clause.get("each", "self"), source_of(owner, where)
    cities = [trigger] if each == "trigger" else related(table, owner, each)
    return [
        city
        for city in cities
        if "if" not in clause or value(table, owner, trigger if each == "self" else city, clause["if"], source=source)
    ]


def options_of(clause: Effect) -> list[Mapping[str, Any]]:
    """Return the city's choices (the options, or the clause itself); empty if it has nothing to decide."""
    if "choose" in clause:
        return list(clause["choose"])
    return [clause] if clause.get("may") or clause.get("one") or clause.keys() & {"price", "card", "amount"} else []


def price_of(option: Mapping[str, Any]) -> dict[str, Any]:
    """Return the price of an option, as a loss."""
    price = option.get("price", {})
    return {"lose": price if isinstance(price, dict) else {"coins": price}}


def payable(table: Table, asked: Asked, option: Mapping[str, Any]) -> bool:
    """Return whether the city can pay the whole price of an option (R73)."""
    owner, source, payer = asked.owner, source_of(asked.owner, asked.where), asked.decides
    for does, amount in parts(price_of(option)):
        number = value(table, owner, asked.trigger, amount, source=source)
        name = does.rpartition(" ")[2]
        if "counter" in does and table.counter(name, payer, source) - number < table.catalogue.counters[name]["least"]:
            return False
        if "counter" not in does and payer.coins < number:
            return False
    return True


def decide(table: Table) -> None:
    """Request the pending decisions, lowest seat first, each after the previous one has taken effect (R72-R74)."""
    while table.pending:
        asked = min(table.pending, key=lambda one: one.decides.seat)
        table.pending.remove(asked)
        before = table.event, table.purchase
        table.event, table.purchase = asked.event, asked.purchase
        if asked.deck:
            table.recruit(table, asked)
        else:
            answer(table, asked)
        table.event, table.purchase = before


def answer(table: Table, asked: Asked) -> None:
    """Request one decision and carry it out."""
    owner, where, clause = asked.owner, asked.where, asked.clause
    cities, source = concerned(table, owner, where, clause, asked.trigger), source_of(owner, where)
    decider = asked.decides
    move: dict[str, Any] = {"seat": decider.seat, **where}
    if decider is not owner:
        move["owner"] = owner.seat
    targets = [{"city": city.seat} for city in cities] if clause.get("one") else [{}]
    moves = []
    for number, option in enumerate(options_of(clause) if cities else [], start=1):
        for card in asked.chooses_from(table, option):
            with seen(table, asked, option, card):
                if card and not value(table, owner, asked.trigger, option["card"].get("if", "1 > 0"), source=source):
                    continue
                if "amount" in option:
                    for amount in range(1, value(table, owner, asked.trigger, option["amount"], source=source) + 1):
                        table.amount = amount
                        if payable(table, asked, option):
                            moves.append({**move, "action": "choose", "option": number, "amount": amount})
                    table.amount = 0
                elif payable(table, asked, option) and (not swaps(option) or givable(table, asked, option)):
                    picked = {"picked": card.name} if card else {}
                    moves += [{**move, "action": "choose", "option": number, **target, **picked} for target in targets]
    if not moves:
        return
    if clause.get("may") or "price" in clause:
        moves.append({**move, "action": "decline"})
    chosen = table.ask("effect", decider.seat, moves, [])
    table.decisions.append(chosen)
    if chosen["action"] == "decline":
        return
    option = options_of(clause)[chosen["option"] - 1]
    cities = [table.cities[chosen["city"]]] if "city" in chosen else cities
    card = table.catalogue.cards[chosen["picked"]] if "picked" in chosen else None
    given = None
    if card and swaps(option):
        gives = [{**move, "action": "choose", "option": chosen["option"], "gives": one.name} for one in
                 givable(table, asked, option)]  # fmt: skip
        told = table.ask("effect", decider.seat, gives, [])
        table.decisions.append(told)
        given = table.catalogue.cards[told["gives"]]
        cities = concerned(table, owner, where, clause, asked.trigger)
    table.amount = chosen.get("amount", 0)
    with seen(table, asked, option, card):
        act_on(table, owner, where, price_of(option), decider, asked.trigger)
        settle = do_with_card(table, owner, option["card"], card, given) if card else None
        for city in sorted(cities, key=lambda city: (city.seat - owner.seat) % len(table.cities)):
            act_on(table, owner, where, option, city, asked.trigger if clause.get("each", "self") == "self" else city)
    table.amount = 0
    if settle:
        settle()


@contextmanager
def seen(table: Table, asked: Asked, option: Mapping[str, Any], card: Card | None) -> Iterator[None]:
    """Show formulas the chosen card and how its city built it (R80), or the event itself if no card is chosen."""
    if card:
        name = {"city": "self", "left": "left", "right": "right"}.get(option["card"]["from"], "")
        table.event = (card, "", len(asked.owner.structures) + 1)
        if name:
            city = table.named(asked.owner.seat, name)
            table.event = (card, city.how.get(card.name, ""), 1 + city.structures.index(card))
    table.purchase = asked.purchase
    yield
    table.event, table.purchase = asked.event, asked.purchase


def swaps(option: Mapping[str, Any]) -> bool:
    """Return whether a card of the own city is exchanged for the chosen card (R97)."""
    return bool(option.get("card", {}).get("do") == "swap")


def givable(table: Table, asked: Asked, option: Mapping[str, Any]) -> list[Card]:
    """Return the cards that the own city can exchange for a card from elsewhere, by name (R97)."""
    owner, pick = asked.owner, option["card"]
    other = None if pick["from"] == "discarded" else table.named(owner.seat, pick["from"])
    found = []
    for card in sorted(owner.structures, key=lambda card: card.name):
        with seen(table, asked, {"card": {"from": "city"}}, card):
            text, source = pick.get("for", "1 > 0"), source_of(owner, asked.where)
            if not (other and other.owns(card.name)) and value(table, owner, asked.trigger, text, source=source):
                found.append(card)
    return found


def moved(table: Table, source: City | None, city: City | None, card: Card) -> None:
    """Move a structure from a city or the discard pile to a different city or the pile (R82, R96)."""
    if source:
        settle_prices(table, source)
        source.structures.remove(next(one for one in source.structures if one.name == card.name))
        settle_prices(table, source)
    if city:
        settle_prices(table, city)
        city.structures.append(card)
        city.how.pop(card.name, None)
        settle_prices(table, city)
    else:
        table.discard_pile.append(card)


def do_with_card(
    table: Table, owner: City, pick: Mapping[str, Any], card: Card, given: Card | None
) -> Callable[[], None] | None:
    """Build, discard, take or exchange a chosen card (R81, R82, R96, R97); what is to be done when the whole decision
    is carried out: losses."""
    does, source = pick.get("do", ""), pick["from"]
    inside = source in ("city", "left", "right")
    city = table.named(owner.seat, {"city": "self"}.get(source, source)) if inside else None
    from tests.wonders.reference.turn import act_at_once, lose_coins, place_structure

    before, purchase = table.event, table.purchase
    if source == "hand":
        if does:
            table.hands[owner.seat].remove(card.name)
            table.short[owner.seat] = True
            table.discard_pile.append(card)
        return None
    if does == "build":
        move = {"seat": owner.seat, "card": card.name, "action": "build", "source": "discard_pile", "how": "free"}
        table.discard_pile.remove(next(one for one in table.discard_pile if one.name == card.name))
        thing = place_structure(table, owner, card, move)
        act_at_once(table, [move], [thing])
        table.builds += [(True, owner.seat) for _ in thing.of_kind("build_from_discard")]
        table.event, table.purchase = before, purchase
        return lambda: lose_coins(table, [thing])
    if does == "discard":
        moved(table, city, None, card)
    if does == "take":
        moved(table, city, owner, card)
    if does == "swap":
        assert given is not None
        settle_prices(table, owner)
        owner.structures.remove(next(one for one in owner.structures if one.name == given.name))
        settle_prices(table, owner)
        if city:
            settle_prices(table, city)
            city.structures.remove(next(one for one in city.structures if one.name == card.name))
            settle_prices(table, city)
        else:
            table.discard_pile.remove(next(one for one in table.discard_pile if one.name == card.name))
        moved(table, None, owner, card)
        moved(table, None, city, given)
    return None


def settle_prices(table: Table, city: City) -> None:
    """Drop price changes that would take a price below 0 or above the maximum (R66)."""
    for side, kind in PRICES:
        change = unit_price(table, city, side, kind) - printed_price(table, city, side, kind)
        city.price_changes[f"{side} {kind}"] = change


def parts(clause: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the actions of a clause in the order in which they happen (R56)."""
    for does in DOES:
        verb, _, what = does.partition(" ")
        if verb in clause and (not what or what in clause[verb]):
            yield does, clause[verb][what] if what else clause[verb]
    for name, amount in sorted(clause.get("gain", {}).get("draw", {}).items()):
        yield f"gain draw {name}", amount
    for verb in ("gain", "lose"):
        for name, amount in sorted(clause.get(verb, {}).get("counter", {}).items()):
            yield f"{verb} counter {name}", amount


def source_of(city: City, where: dict[str, Any]) -> str:
    """Return the name under which counters refer to a card, a rule of the table, or a stage of a city's board."""
    if "table" in where:
        return str(where["table"])
    return where["card"] if "card" in where else f"{city.wonder.name} {city.side} {where['stage']}"


def count(table: Table, owner: City, where: dict[str, Any], does: str, city: City, number: int) -> None:
    """Change a counter within its limits (R70)."""
    verb, _, name = does.split()
    counter, source = table.catalogue.counters[name], source_of(owner, where)
    before = table.counter(name, city, source)
    after = min(max(before + (number if verb == "gain" else -number), counter["least"]), counter["most"])
    table.counters[table.counter_key(name, city, source)] = after
    if after != before:
        on = {} if counter["of"] == "table" else {"city": city.seat}
        note(table, {"seat": owner.seat, **where, "does": does, **on}, abs(after - before))


def note(table: Table, effect: dict[str, Any], amount: int) -> None:
    """Record an action for the trace, once per turn."""
    for known in table.effects:
        if {**known, "amount": 0} == {**effect, "amount": 0}:
            known["amount"] += amount
            return
    table.effects.append({**effect, "amount": amount})


# --- what is done


def handed(giver: City, taker: City, coins: int) -> int:
    """Transfer coins between cities, at most as many as the payer has."""
    coins = min(coins, giver.coins)
    giver.coins -= coins
    taker.coins += coins
    return coins


def more(name: str) -> Callable[[Table, City, City, int], int]:
    """Increase a count of a city."""

    def add(_table: Table, _owner: City, city: City, amount: int) -> int:
        setattr(city, name, getattr(city, name) + amount)
        return amount

    return add


def fewer(name: str) -> Callable[[Table, City, City, int], int]:
    """Decrease a count of a city, not below 0."""

    def take(_table: Table, _owner: City, city: City, amount: int) -> int:
        amount = min(amount, getattr(city, name))
        setattr(city, name, getattr(city, name) - amount)
        return amount

    return take


def listed(name: str, thing: str) -> Callable[[Table, City, City, int], int]:
    """Append items to a list of a city."""

    def add(_table: Table, _owner: City, city: City, amount: int) -> int:
        getattr(city, name).extend([thing] * amount)
        return amount

    return add


def win(table: Table, _owner: City, city: City, amount: int) -> int:
    """Give a city victory tokens of the age."""
    city.victories += [(1, 3, 5)[table.age - 1]] * amount
    return amount


def dearer(side: str, kind: str, sign: int) -> Callable[[Table, City, City, int], int]:
    """Change a price within its limits."""

    def change(table: Table, _owner: City, city: City, amount: int) -> int:
        before = unit_price(table, city, side, kind)
        after = min(max(before + sign * amount, 0), MOST_PRICE)
        if after != before:
            city.price_changes[f"{side} {kind}"] = after - printed_price(table, city, side, kind)
        return abs(after - before)

    return change


DOES: dict[str, Callable[[Table, City, City, int], int]] = {
    "take": lambda _table, owner, city, amount: handed(city, owner, amount),
    "give": lambda _table, owner, city, amount: handed(owner, city, amount),
    "gain coins": more("coins"),
    "gain shields": more("more_shields"),
    "gain age_shields": more("age_shields"),
    "gain victory_tokens": win,
    "gain defeat_tokens": more("defeats"),
    "gain debts": more("debts"),
    "gain diplomacy_tokens": more("diplomacy"),
    "gain points": more(""),
    **{f"gain {symbol}": listed("more_symbols", symbol) for symbol in ("compass", "gear", "tablet")},
    "gain wild": listed("more_symbols", "any"),
    **{f"gain {unit}": listed("more_units", unit) for unit in RESOURCES},
    **{f"gain turn_{unit}": listed("turn_units", unit) for unit in RESOURCES},
    **{f"gain {side}_{kind}_price": dearer(side, kind, 1) for side, kind in PRICES},
    "gain free_build_tokens": more("free_tokens"),
    "gain discard_builds": more(""),
    "gain copies": more(""),
    "lose coins": fewer("coins"),
    "lose defeat_tokens": fewer("defeats"),
    "lose debts": fewer("debts"),
    "lose diplomacy_tokens": fewer("diplomacy"),
    "lose points": fewer(""),
    **{f"lose {side}_{kind}_price": dearer(side, kind, -1) for side, kind in PRICES},
    "lose free_build_tokens": fewer("free_tokens"),
}


def begin(table: Table, duration: str) -> None:
    """Begin a turn, an age or the game: reset the counters that last no longer than that (R70)."""
    kinds = ("turn", "age", "game")
    for key in [*table.counters]:
        if kinds.index(table.catalogue.counters[key[0]]["lasts"]) <= kinds.index(duration):
            del table.counters[key]
    for city in table.cities if duration != "turn" or table.turn > 1 else ():  # the start of the age is of turn 1
        city.new, city.new_stages = [], 0


def counters_told(table: Table) -> dict[str, Any]:
    """Return the counters after a turn, in the format of the trace."""
    told: dict[str, Any] = {}
    entries = [(name, card.effects) for name, card in table.catalogue.cards.items()]
    for wonder in table.catalogue.wonders.values():
        for side, stages in wonder.sides.items():
            entries += [(f"{wonder.name} {side} {n}", stage.effects) for n, stage in enumerate(stages, start=1)]
    entries += [(card.name, card.effects) for deck in table.catalogue.decks.values() for card in deck.cards]
    entries += [(name, tuple(effects)) for name, effects in sorted(table.catalogue.table.items())]
    for name, counter in table.catalogue.counters.items():
        if counter["of"] == "table":
            told[name] = table.counter(name, table.cities[0], "")
        elif counter["of"] == "city":
            told[name] = [table.counter(name, city, "") for city in table.cities]
        else:
            for source, effects in entries:
                if any(names_counter(effect, name) for effect in effects if effect["kind"] == "when"):
                    told[f"{name} of {source}"] = [table.counter(name, city, source) for city in table.cities]
    return told


def names_counter(clause: Effect, name: str) -> bool:
    """Return whether a clause changes or reads a counter."""
    changed: dict[str, Any] = {}
    for part in (clause, *clause.get("choose", ())):
        for verb in ("gain", "lose", "price"):
            changed |= part[verb].get("counter", {}) if isinstance(part.get(verb), dict) else {}
    return name in changed or f"counter.{name}" in re.findall(r"counter\.\w+", str(clause))


def drop_turn_units(table: Table) -> None:
    """Remove the units that last for the turn (R65)."""
    for city in table.cities:
        city.turn_units = []


def drop_age_shields(table: Table) -> None:
    """Remove the shields that last for the age (R57)."""
    for city in table.cities:
        city.age_shields = 0


def formula_points(table: Table, owner: City, clause: Effect, more_purple: int, source: str) -> int:
    """Return the points that a clause scores at the end of the game (R58)."""
    if clause["event"] != "scored":
        return 0
    return sum(
        value(table, owner, city, clause["points"], more_purple, source=source)
        for city in related(table, owner, clause.get("each", "self"))
        if "if" not in clause or value(table, owner, city, clause["if"], more_purple, source=source)
    )
