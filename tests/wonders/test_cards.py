"""Every card and every stage of every rule set does what the independently entered facts say (tests/data)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import pytest

from tests.wonders.positions import Position
from tests.wonders.reference.facts import RESOURCES, Card, Cost, Effect, load

_Thing = TypeVar("_Thing")

RULE_SETS = ("1e", "2e", "2e-cities")  # teams and the game for two play with the same components
SYMBOLS = ("compass", "gear", "tablet", "any")
CATEGORY = {"blue": "civilian", "green": "science", "yellow": "commerce", "purple": "guild", "black": "cities"}


def cards(ruleset: str) -> dict[str, Card]:
    """Return the cards of a rule set, keyed by their labels in failure messages."""
    return dict(load(ruleset).cards)


def stages(ruleset: str) -> dict[str, tuple[Any, str, int]]:
    """Return the wonder, side and number of every stage of a rule set, keyed by its label in failure messages."""
    return {
        f"{wonder.name} {side}, stage {number + 1}": (wonder, side, number)
        for wonder in load(ruleset).wonders.values()
        for side, built in wonder.sides.items()
        for number in range(len(built))
    }


def each_is_right(things: Mapping[str, _Thing], check: Callable[[_Thing], None]) -> None:
    """Check every item; fail with the names and errors of all wrong items."""
    wrong = {}
    for name, thing in things.items():
        try:
            check(thing)
        except AssertionError as error:
            wrong[name] = str(error)
    assert not wrong, "\n\n".join(f"{name}: {said}" for name, said in wrong.items())


def table(ruleset: str, board: str = "", side: str = "") -> Position:
    """Return three cities that sell no resources; seat 0 has the given board, if any."""
    side = side or ("A" if ruleset == "1e" else "day")
    names = [name for name in ("Gizah", "Rhodos", "Ephesos") if name != board]
    p = Position(ruleset, f"{board or 'Gizah'} {side}", *(f"{name} {side}" for name in names[-2:]))
    for seat in range(3):
        for field in ("plain", "sale", "reach", "sale_reach"):
            getattr(p.public, field)[seat] = 0
    return p


def packed(units: list[str]) -> int:
    """Return units in the engine's packed form."""
    return sum(1 << 8 * RESOURCES.index(unit) for unit in units)


def produce(p: Position, units: list[str], coins: int) -> None:
    """Let seat 0 produce exactly these units and have exactly these coins."""
    p.public.plain[0] = p.public.reach[0] = packed(units)
    p.public.coins[0] = coins


def check_cost(cost: Cost, p: Position, offered: Any) -> None:
    """Check that a cost is met by exactly its units and coins, not by less; payments are [bank, left, right]."""
    units = list(cost.units)
    produce(p, units, cost.coins)
    assert [list(payment) for payment in offered()] == [[cost.coins, 0, 0]]
    for missing in set(units):
        fewer = list(units)
        fewer.remove(missing)
        produce(p, fewer, 99)
        assert offered() == []
    if cost.coins:
        produce(p, units, cost.coins - 1)
        assert offered() == []


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_card_costs_what_is_printed_and_every_predecessor_makes_it_free(ruleset: str) -> None:
    each_is_right(cards(ruleset), partial(check_price, ruleset))


def check_price(ruleset: str, card: Card) -> None:
    p = table(ruleset)
    p.public.age = card.ages[0] - 1
    if card.name not in [p.names[number] for number in p.rules.slot_card[p.public.age]]:
        slot = p.rules.slots[p.public.age]  # not dealt to three seats: give the age one more slot
        p.rules = p.rules.copy()
        p.rules.slot_card[p.public.age, slot] = p.names.index(card.name)
        p.rules.slots[p.public.age] += 1
    check_cost(card.cost, p, lambda: [payment for _, *payment in p.builds(0, card.name)])
    produce(p, [], 0)
    free = card.cost.coins == 0 and not card.cost.units
    for number, name in enumerate(p.names):
        p.public.built[0] = [1 << number if number < 64 else 0, 1 << number - 64 if number >= 64 else 0]
        hows = [how for how, *_ in p.builds(0, card.name)]
        if name == card.name:
            assert hows == []
        else:
            assert hows == (["chain"] if name in card.free_with else ["paid"] if free else [])


def expected_lasting(effects: tuple[Effect, ...]) -> dict[str, Any]:
    """Return the expected changes of the public record by lasting effects."""
    expected: dict[str, Any] = {"shields": 0, "plain": 0, "flex": [], "symbols": [0, 0, 0, 0], "points": 0}
    expected |= {"diplomacy": 0, "copy_science": 0}
    for effect in effects:
        kind = effect["kind"]
        if kind in ("shields", "diplomacy", "copy_science", "points"):
            expected[kind] += effect["n"]
        elif kind == "science":
            expected["symbols"][SYMBOLS.index(effect["symbol"])] += 1
        elif kind == "produce" and "units" in effect:
            expected["plain"] += packed(effect["units"])
        elif kind == "produce" and not isinstance(effect["one_of"], str):
            expected["flex"].append(sum(1 << RESOURCES.index(unit) for unit in effect["one_of"]))
    return expected


def lasting(p: Position) -> dict[str, Any]:
    """Return the fields of seat 0 in the public record."""
    public = p.public
    flex = [int(mask) for mask in public.flex[0][: int(public.flex_count[0])] if mask]
    if public.flex_role[0].any():
        flex = []  # Secret Warehouse and Black Market: R18 in tests/wonders/rulebook/test_3_paying.py
    return {
        "shields": int(public.shields[0]),
        "plain": int(public.plain[0]),
        "flex": flex,
        "symbols": public.symbols[0, 1:5].tolist(),
        "diplomacy": int(public.diplomacy[0]),
        "copy_science": int(public.copy_science[0]),
    }


def immediate(effects: tuple[Effect, ...]) -> int:
    """Return the immediate coins of an entry with a fixed number of coins."""
    return sum(int(effect["n"]) for effect in effects if effect["kind"] == "coins")


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_card_has_the_printed_effects(ruleset: str) -> None:
    each_is_right(cards(ruleset), partial(check_effects, ruleset))


def check_effects(ruleset: str, card: Card) -> None:
    p = table(ruleset)
    expected = expected_lasting(card.effects)
    points = expected.pop("points")
    before = p.coins[0]
    p.play({0: card.name})
    assert lasting(p) == expected
    per_self = any(effect["kind"] == "points_per" for effect in card.effects)
    if not per_self:  # what depends on others: R25 and R37 in tests/wonders/rulebook
        science = sum(expected["symbols"])
        scored = {CATEGORY.get(card.color, "commerce"): points} if points else {"science": 1} if science else {}
        told = {name: value for name, value in p.points(0).items() if name not in ("treasury", "military")}
        assert told == scored
    if not any(effect["kind"] == "coins_per" for effect in card.effects):
        assert p.coins[0] - before == immediate(card.effects)
    sold = card.color in ("brown", "gray")
    assert int(p.public.sale[0]) == (expected["plain"] if sold else 0)
    assert bool(p.public.sale_flex_count[0]) == (sold and bool(expected["flex"]))


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_stage_has_the_printed_cost_and_effects(ruleset: str) -> None:
    each_is_right(stages(ruleset), partial(check_stage, ruleset))


def check_stage(ruleset: str, printed: tuple[Any, str, int]) -> None:
    wonder, side, number = printed
    stage = wonder.sides[side][number]
    p = table(ruleset, wonder.name, side)
    p.city(0, stages=number)
    p.public.flex_count[0] = p.public.flex_lanes[0] = 0
    for field in ("price", "post_price", "board_price"):
        getattr(p.public, field)[0] = 2
    check_cost(stage.cost, p, lambda: p.stage_payments(0))
    produce(p, [], 3)
    before = lasting(p), p.points(0).get("wonder", 0)
    p.play({0: "stage"})
    expected = expected_lasting(stage.effects)
    after = lasting(p)
    assert p.points(0).get("wonder", 0) - before[1] == expected.pop("points")
    for name, value in expected.items():
        if name == "symbols":
            assert [x - y for x, y in zip(after[name], before[0][name], strict=True)] == value
        elif name == "flex":
            assert after[name] == value
        else:
            assert after[name] - before[0][name] == value
    assert p.coins[0] - 3 == immediate(stage.effects)
    assert int(p.public.sale[0]) == int(p.public.sale_flex_count[0]) == 0


def test_a_card_with_wrong_effects_is_named() -> None:
    with pytest.raises(AssertionError, match=r"(?s)Palace: .*Loom: "):
        each_is_right({"Palace": 1, "Baths": 0, "Loom": 2}, lambda thing: check_none(thing))


def check_none(thing: int) -> None:
    assert thing == 0
