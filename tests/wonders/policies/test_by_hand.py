"""Unit tests of 7 Wonders policies in plain Python: the factor of each weight, and the inputs of nets."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import linked
from wsim.kernels.formula_words import OPERATION
from wsim.wonders import words as w
from wsim.wonders.facts import NAME_NUMBER
from wsim.wonders.kernels import counters, moves, payment, pending, scoring, turn
from wsim.wonders.kernels.layout import NOBODY
from wsim.wonders.kernels.net_layout import STAGE_ROWS, STAGES_IN_ALL
from wsim.wonders.policies import (
    clause_gains,
    clause_value,
    counter_value,
    net,
    net_inputs,
    net_items,
    points,
    price_value,
    rulebased,
    search,
    simple,
    steady_points,
    value,
    weighted,
)
from wsim.wonders.policies.clause_gains import OWN, RIVAL, STEPS_FROM
from wsim.wonders.policies.features import INDEX

pytestmark = pytest.mark.jit_off
CLAY, STONE, ORE, WOOD, GLASS, LOOM, PAPYRUS = range(w.RESOURCE_KINDS)
ITEM, STAGE = 5, w.STAGE_ENTRY + 2


def units(**amounts: int) -> np.uint64:
    """Pack resource units into a word, with one byte per resource."""
    return np.uint64(sum(amount << 8 * w.RESOURCES.index(name) for name, amount in amounts.items()))


def table(seats: int = 4, **values: Any) -> Any:
    """Return a public record of empty cities in the third turn of age I."""
    shapes: dict[str, tuple[int, ...]] = {
        "coins": (), "stages": (), "side": (), "shields": (), "defeats": (), "diplomacy": (), "debts": (),
        "abilities": (), "free_used": (), "copy_science": (), "free_tokens": (), "made_kinds": (),
        "victory": (w.AGES,), "colors": (w.COLOR_KINDS,), "symbols": (w.SYMBOL_KINDS,), "price": (w.PRICE_KINDS,),
        "counter": (2,),
    }  # fmt: skip
    public = SimpleNamespace(age=0, turn=2, turns=6, seats=seats, discarded=0, event_entry=0, event_how=0)
    for name, shape in shapes.items():
        setattr(public, name, np.zeros((seats, *shape), np.int64))
    for name in ("reach", "plain", "sale_reach"):
        setattr(public, name, np.zeros(seats, np.uint64))
    public.price[:] = 2
    for name, given in values.items():
        for seat, amount in (given if isinstance(given, dict) else {None: given}).items():
            if seat is None:
                setattr(public, name, amount)
            else:
                getattr(public, name)[seat] = amount
    return public


def rules_of(players: int = 4, **values: Any) -> Any:
    """Return rules in which no item has an effect."""
    rules = SimpleNamespace(
        players=players, seats=players, teams=0, duo=0, cities=0, victory_points=[1, 3, 5], defeat_points=-1,
        science_at=-1, to_right=[0, 1, 0], last_played=[0, 0, 0], age_turns=[6, 6, 6],
        coins_per_point=3, deck_entry=250,
        stage_count=[3] * 9, stage_entry=np.arange(128, 155).reshape(9, 3), points_complete=np.zeros(256, int),
        **{name: np.zeros(256, np.int64) for name in (
            "points", "shields", "symbol", "abilities", "eventful", "when", "one_of", "diplomacy", "copy_science",
            "victory_token", "coins", "color",
        )},
        **{name: np.zeros((256, 3), np.int64) for name in ("points_per", "coins_per", "coin_loss")},
        **{name: np.zeros((256, 2), np.int64) for name in ("debt", "coins_to_others", "turn_rebate", "board_rebate")},
        cost=np.zeros(256, np.uint64), produces=np.zeros(256, np.uint64), price=np.full((256, 4), 99),
    )  # fmt: skip
    for name, given in values.items():
        if isinstance(given, dict):
            for at, amount in given.items():
                getattr(rules, name)[at] = amount
        else:
            setattr(rules, name, given)
    return rules


def settings(age: int = 0, **weights: Any) -> Any:
    made = SimpleNamespace(weights=np.zeros((w.AGES, len(INDEX))))
    for name, weight in weights.items():
        made.weights[age, INDEX[name]] = weight
    return made


def parts(valued: Callable[[Any], float], age: int = 0) -> dict[str, Any]:
    """Return the factor of each weight of an age in a value."""
    with np.errstate(over="ignore"):
        found = {name: float(valued(settings(age, **{name: 1.0}))) for name in INDEX}
    return {name: pytest.approx(part) for name, part in found.items() if part}


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, moves, payment, turn, scoring, points, value)


# --- production and trade


def test_a_stage_needs_the_units_that_the_city_cannot_make(values: Any) -> None:
    """Of 2 clay, 1 stone, 3 wood and a loom it makes 2, 0, 2 and 4: stone and wood are missing."""
    rules = rules_of(cost={STAGE: units(clay=2, stone=1, wood=3, loom=1)})
    public = table(reach={1: units(clay=2, wood=2, loom=4, glass=1)})
    assert values.city_needs(public, rules, 1, STAGE) == units(stone=128, wood=128)
    assert values.city_needs(public, rules, 0, STAGE) == units(clay=128, stone=128, wood=128, loom=128)
    assert values.city_needs(public, rules, 0, -1) == 0


@pytest.mark.parametrize(
    ("resource", "more", "expected"),
    [(CLAY, 0, {"raw_1": 1, "next_door": 2}), (STONE, 0, {"raw_2": 1, "needed": 1}),
     (STONE, 1, {"raw_3": 1, "needed": 1}), (ORE, 0, {"raw_4": 1, "next_door": 1}),
     (ORE, 1, {"raw_4": 1, "next_door": 1}), (GLASS, 0, {"made_1": 1, "needed": 1}),
     (LOOM, 0, {"made_2": 1}), (LOOM, 4, {"made_2": 1})],
)  # fmt: skip
def test_unit_values_depend_on_supply_sellers_and_need(
    resource: int, more: int, expected: dict[str, float], values: Any
) -> None:
    public = table(
        reach={2: units(stone=1, ore=3, loom=1)},
        sale_reach={1: units(clay=3), 3: units(clay=1, ore=1), 0: units(loom=1, glass=1)},
    )
    needs = units(stone=128, glass=128)
    assert parts(lambda given: values._unit(public, given, 2, needs, resource, more)) == expected


def test_production_is_worth_its_units_and_an_either_or_symbol_a_fraction(values: Any) -> None:
    """Two clay are the first and the second; a brown card adds to the glut of two brown and one gray."""
    public = table(colors={0: [2, 1, 4, 0, 0, 0, 0, 0]})
    rules = rules_of(
        produces={ITEM: units(clay=2, glass=1), STAGE: units(ore=1)},
        one_of={6: 1 << CLAY | 1 << GLASS, 7: 1 << CLAY | 1 << ORE | 1 << GLASS}, color={7: w.YELLOW},
    )  # fmt: skip
    none = np.uint64(0)
    assert parts(lambda given: values._production(public, given, rules, 0, ITEM, none)) == {
        "raw_1": 1, "raw_2": 1, "made_1": 1, "glut": 3
    }  # fmt: skip
    assert parts(lambda given: values._production(public, given, rules, 0, STAGE, none)) == {"raw_1": 1}
    weights = settings(raw_1=2.0, made_1=8.0, either_two=0.5, either_more=0.25, glut=100.0)
    assert values._production(public, weights, rules, 0, 6, none) == 0.5 * (2 + 8) + 300
    assert values._production(public, weights, rules, 0, 7, none) == 0.25 * (2 + 2 + 8), "a yellow card"


def test_lower_prices_are_valued_by_what_neighbours_sell(values: Any) -> None:
    """The left one sells 3 raw and 1 made unit, the right one 2 raw; the left is bought from at 1 for raw already."""
    public = table(
        price={0: [1, 2, 3, 2]}, sale_reach={1: units(clay=2, wood=1, loom=1), 3: units(stone=2)},
    )  # fmt: skip
    rules = rules_of(price={ITEM: [1, 1, 2, 99], 6: [0, 99, 99, 99]}, turn_rebate={7: [1, 2]}, board_rebate={7: [0, 1]})
    assert parts(lambda given: values._trade(public, given, rules, 0, ITEM)) == {"discount": 1 * 1 + 1 * 2}
    assert parts(lambda given: values._trade(public, given, rules, 0, 6)) == {"discount": 1 * 3}
    assert parts(lambda given: values._trade(public, given, rules, 0, 7)) == {"rebate": 4}


# --- conflicts and science


@pytest.mark.parametrize(
    ("own", "other", "shields", "expected"),
    [(1, 2, 1, {"war": 1, "gap": 1}), (1, 2, 2, {"war": 4, "gap": 1, "lead": 1}), (2, 2, 1, {"war": 3, "lead": 1}),
     (3, 2, 1, {"lead": 1}), (4, 2, 2, {}), (0, 4, 2, {"gap": 2}), (0, 1, 5, {"war": 4, "gap": 1, "lead": 2})],
)  # fmt: skip
def test_the_value_of_shields_against_one_neighbour(
    own: int, other: int, shields: int, expected: dict[str, float], values: Any
) -> None:
    """In age II a victory is worth 3, a defeat -1; two shields of a lead count."""
    public = table(age=1, shields={0: own, 1: other})
    assert parts(lambda given: values._against(public, given, rules_of(), 0, 1, shields), 1) == expected
    public.diplomacy[0] = 1
    peaceful = {name: part for name, part in expected.items() if name != "war"}
    assert parts(lambda given: values._against(public, given, rules_of(), 0, 1, shields), 1) == peaceful


def test_shields_count_against_both_fighting_neighbours_or_twice_in_teams(values: Any) -> None:
    """Seat 0 has 1 shield; its neighbours 1 and 0, the seat between them 1."""
    public = table(shields={0: 1, 1: 1, 2: 1})
    rules = rules_of()
    assert parts(lambda given: values._shields(public, given, rules, 0, 1)) == {"shield": 1, "war": 1, "lead": 2}
    public.diplomacy[3] = 1
    assert parts(lambda given: values._shields(public, given, rules, 0, 1)) == {"shield": 1, "war": 2, "lead": 2}
    public.diplomacy[1] = 1
    single = {"shield": 1, "war": 1, "lead": 1}
    assert parts(lambda given: values._shields(public, given, rules, 0, 1)) == single, "one conflict, with seat 2"
    public.diplomacy[2] = 1
    assert parts(lambda given: values._shields(public, given, rules, 0, 1)) == {"shield": 1}
    public.diplomacy[:] = 0
    assert parts(lambda given: values._shields(public, given, rules_of(teams=1), 0, 1)) == {"shield": 1, "lead": 2}
    assert parts(lambda given: values._shields(public, given, rules_of(teams=1), 3, 1)) == {
        "shield": 1, "war": 2, "gap": 2
    }, "its rival is seat 0"  # fmt: skip


def test_diplomacy_is_worth_more_if_conflicts_would_be_lost(values: Any) -> None:
    public = table(shields={0: 2, 1: 3, 2: 9, 3: 2})
    assert parts(lambda given: values._truce(public, given, rules_of(), 0, 2)) == {"diplomacy": 2, "truce": 2}
    public.shields[3] = 3
    assert parts(lambda given: values._truce(public, given, rules_of(), 0, 1)) == {"diplomacy": 1, "truce": 2}
    assert parts(lambda given: values._truce(public, given, rules_of(teams=1), 0, 1)) == {"diplomacy": 1, "truce": 1}


@pytest.mark.parametrize(
    ("built", "symbol", "expected"),
    [([0, 0, 0, 0, 0], w.GEAR, {"science": 1, "rarest": 1}), ([0, 2, 1, 1, 0], w.GEAR, {"science": 3, "rarest": 1}),
     ([0, 2, 1, 2, 0], w.GEAR, {"science": 3 + 7, "rarest": 1}), ([0, 2, 1, 1, 0], w.COMPASS, {"science": 5}),
     ([0, 1, 1, 0, 0], w.TABLET, {"science": 1 + 7, "rarest": 1}),
     ([0, 2, 1, 1, 1], w.COMPASS, {"science": 7}), ([0, 2, 1, 1, 0], w.ANY, {"science": 5, "rarest": 1})],
)  # fmt: skip
def test_symbols_are_worth_their_points_and_progress_towards_sets(
    built: list[int], symbol: int, expected: dict[str, float], values: Any
) -> None:
    """With one wild symbol, 2, 1 and 1 are 9 + 1 + 1 + 7 = 18; with a third compass 16 + 1 + 1 + 7 = 25, or 9 + 4 + 1
    + 7 = 21: 25 - 18 = 7. The neighbours have 2 and 1 green cards, the other seat 5."""
    public = table(symbols={0: built}, colors={1: [0, 0, 0, 0, 0, 2, 0, 0], 2: [0, 0, 0, 0, 0, 5, 0, 0],
                   3: [0, 0, 0, 0, 0, 1, 0, 0]})  # fmt: skip
    follows = sum(built[1:4])
    always = {"symbol": 1, "contest": 3, **({"follow": follows} if follows else {})}
    assert parts(lambda given: values._symbols(public, given, rules_of(), 0, symbol)) == {**always, **expected}


# --- special effects


@pytest.mark.parametrize(
    ("abilities", "expected"),
    [(w.PLAY_LAST, {"play_last": 2}), (w.BUILD_DISCARD, {"from_discard": 1}), (w.COPY_GUILD, {"copy_guild": 4}),
     (w.FREE_FIRST_TURN, {"free_build": 9}), (w.FREE_ONCE_PER_AGE | w.FREE_LAST_TURN, {"free_build": 9}),
     (w.FREE_STAGES, {"cheap_stages": 2}), (w.DISCARD_DEFEATS, {"point": 3}), (0, {})],
)  # fmt: skip
def test_ability_values_depend_on_remaining_uses(abilities: int, expected: dict[str, float], values: Any) -> None:
    """In the fourth turn of age II of six turns each: 9 turns are left, and 2 ages to play the last card."""
    public = table(
        age=1, turn=3, discarded=1, stages={0: 1}, defeats={0: 3}, colors={1: [0] * 6 + [1, 9], 3: [0] * 6 + [2, 9]},
    )  # fmt: skip
    rules = rules_of(abilities={ITEM: abilities})
    none = np.uint64(0)
    assert parts(lambda given: values._special(public, given, rules, 0, ITEM, none), 1) == expected
    public.discarded, rules.last_played = 0, [0, 1, 0]
    gone = {name: part for name, part in expected.items() if name not in ("play_last", "from_discard")}
    assert parts(lambda given: values._special(public, given, rules, 0, ITEM, none), 1) == gone


def test_a_warehouse_doubles_production_and_a_market_makes_the_rest(values: Any) -> None:
    public = table(made_kinds={0: 1 << CLAY | 1 << GLASS})
    abilities = {ITEM: w.WAREHOUSE, 6: w.BLACK_MARKET, 7: w.TOKENS}
    rules = rules_of(abilities=abilities, diplomacy={7: 1}, copy_science={7: 1})
    weights, none = settings(raw_1=1.0, made_1=10.0, either_two=0.5, either_more=2.0), np.uint64(0)
    assert values._special(public, weights, rules, 0, ITEM, none) == 0.5 * 11
    assert values._special(public, weights, rules, 0, 6, none) == 2.0 * (3 + 20)
    values.science_change = lambda *given: {(0, 2): 9.0}[given[3:]]
    rules.copy_science[7] = 2
    assert parts(lambda given: values._special(public, given, rules, 0, 7, none)) == {
        "diplomacy": 1, "science": 9, "copied": 2
    }  # fmt: skip


def test_effects_on_rivals_and_tokens_are_valued(values: Any) -> None:
    """A token of age III is worth 5. Each of three rivals loses 2 coins, of which seat 3 has none: 4/3 paid, 2/3 owed;
    they gain 1 and take a debt each."""
    public = table(coins={0: 9, 1: 2, 2: 7})
    rules = rules_of(
        victory_token={ITEM: 3}, coin_loss={6: [2, 0, 0]}, coins_to_others={7: [1, 0]}, debt={7: [1, 0]},
        when={8: 1}, eventful={ITEM: 1},
    )  # fmt: skip
    assert parts(lambda given: values._events(public, given, rules, 0, ITEM)) == {"point": 5}
    assert parts(lambda given: values._events(public, given, rules, 0, 6)) == {
        "rivals_loss": 4 / 3, "rivals_debt": 2 / 3
    }  # fmt: skip
    assert parts(lambda given: values._events(public, given, rules, 0, 7)) == {"rivals_coin": 1, "rivals_debt": 1}
    values._clauses = lambda *_given: 77.0
    assert values._events(public, settings(), rules, 0, 8) == 77


def test_the_value_of_an_item_is_the_sum_of_its_effects(values: Any) -> None:
    public = table()
    rules = rules_of(
        points={ITEM: 4, 6: 1}, shields={ITEM: 1}, color={ITEM: w.YELLOW, 6: w.PURPLE, 7: w.BLACK, 8: w.GREEN},
        eventful={6: 1}, symbol={8: w.GEAR}, produces={9: units(clay=1)},
    )  # fmt: skip
    values._shields = lambda _public, given, *_rest: 10 * given.weights[0, INDEX["shield"]]
    values._symbols = lambda _public, given, *_rest: 20 * given.weights[0, INDEX["symbol"]]
    values._production = lambda _public, given, *_rest: 30 * given.weights[0, INDEX["raw_1"]]
    values._rare = lambda _public, given, *_rest: 40 * given.weights[0, INDEX["counted_point"]]
    none = np.uint64(0)

    def of(item: int) -> dict[str, float]:
        return parts(lambda given: values.item_value(public, given, rules, 0, item, none))

    assert of(ITEM) == {"point": 4, "shield": 10, "yellow": 1}
    assert of(6) == {"point": 1, "counted_point": 40, "purple": 1}
    assert of(7) == {"black": 1}
    assert of(8) == {"symbol": 20}
    assert of(9) == {"raw_1": 30}
    assert of(STAGE) == {}


def test_the_value_of_a_card_to_the_next_player(values: Any) -> None:
    public = table(symbols={1: [0, 2, 1, 2, 0]})
    rules = rules_of(points={ITEM: 4, 6: 1}, symbol={6: w.GEAR, 7: w.COMPASS, 8: w.ANY})

    def of(card: int) -> dict[str, float]:
        return parts(lambda given: values.card_for_next(public, given, rules, 1, card))

    assert of(ITEM) == {"deny_point": 4}
    assert of(6) == {"deny_point": 1, "deny_science": 3 + 7}
    assert of(7) == {"deny_science": 5}
    assert of(8) == {"deny_science": 1}


# --- gains of clauses


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [(OWN, "POINTS", {"point": 2}), (RIVAL, "POINTS", {"point": -2}), (OWN, "DEBTS", {"point": -2}),
     (RIVAL, "DEBTS", {"rivals_debt": 2}), (OWN, "COINS", {"coin": 2, "reserve": 2}),
     (RIVAL, "COINS", {"rivals_coin": 2}),
     (OWN, "COUNTED", {"point": 2}), (RIVAL, "COUNTED", {"point": -2}), (RIVAL, "SHIELDS", {"shield": -2}),
     (RIVAL, "AGE_SHIELDS", {"shield": -1}), (OWN, "SHIELDS", {"shield": 2, "war": 6, "lead": 4}),
     (OWN, "AGE_SHIELDS", {"shield": 1, "war": 6, "lead": 2}),
     (OWN, "DIPLOMACY", {"diplomacy": 2}), (OWN, "REBATES", {"rebate": 2, "discount": 6}),
     (OWN, "FREE_TOKENS", {"free_build": 12}), (OWN, "PILE_BUILDS", {"from_discard": 2}),
     (OWN, "COINS_AT_ONCE", {})],
)  # fmt: skip
def test_gains_are_valued_by_kind(row: int, column: str, expected: dict[str, float], values: Any) -> None:
    """In age II, two ages to come, six turns each; two of every gain."""
    public = table(age=1, discarded=1)
    gains = np.zeros((2, clause_gains.COLUMNS))
    gains[row, getattr(clause_gains, column)] = 2.0
    assert parts(lambda given: values.gains_value(public, given, rules_of(), 0, gains), 1) == expected


def test_coin_losses_of_rivals_are_valued_by_their_weight(values: Any) -> None:
    gains = np.zeros((2, clause_gains.COLUMNS))
    gains[RIVAL, clause_gains.COINS] = -3.0
    assert parts(lambda given: values.gains_value(table(), given, rules_of(), 0, gains)) == {"rivals_loss": 3}


def test_gained_units_and_symbols_are_valued(values: Any) -> None:
    """Age I, turn 3: 16 turns are left. Two clay for good, four ore for one turn, and either of two for eight turns."""
    gains = np.zeros((2, clause_gains.COLUMNS))
    gains[OWN, clause_gains.UNITS_FROM + CLAY] = 2
    gains[OWN, clause_gains.TURN_UNITS_FROM + ORE] = 4
    gains[OWN, clause_gains.TURN_UNITS_FROM + GLASS] = 4
    public = table(reach={0: units(clay=1, ore=9, glass=1)})
    assert parts(lambda given: values.gains_value(public, given, rules_of(), 0, gains)) == {
        "raw_2": 2, "raw_4": 0.25, "made_2": 0.25
    }  # fmt: skip
    gains[:] = 0
    for resource in (CLAY, LOOM):
        gains[OWN, clause_gains.EITHER_FROM + resource] = 8
    weights = settings(raw_2=2.0, made_1=4.0, either_two=0.5, either_more=0.25)
    assert values.gains_value(public, weights, rules_of(), 0, gains) == pytest.approx(0.5 * (0.5 * 2 + 0.5 * 4))
    gains[OWN, clause_gains.EITHER_FROM + STONE] = 8
    assert values.gains_value(public, weights, rules_of(), 0, gains) == pytest.approx(0.25 * (0.5 * 2 + 0.5 * 4))
    gains[:] = 0
    gains[OWN, clause_gains.SYMBOLS_FROM + w.GEAR - 1] = 2
    assert parts(lambda given: values.gains_value(public, given, rules_of(), 0, gains)) == {"symbol": 2, "science": 2}
    gains[:] = 0
    gains[RIVAL, clause_gains.SYMBOLS_FROM + w.ANY - 1] = 2
    assert parts(lambda given: values.gains_value(public, given, rules_of(), 0, gains)) == {"symbol": -2}


def test_prices_stay_between_zero_and_the_highest(values: Any) -> None:
    """Raw units cost 1 on the left, where 3 are sold, made ones 2 on the right, where 1 is: down by 2 and up by 9."""
    public = table(
        price={0: [1, 2, 2, 2]}, sale_reach={1: units(clay=2, wood=1, loom=5), 3: units(stone=2, loom=1)}
    )  # fmt: skip
    gains = np.zeros((2, clause_gains.COLUMNS))
    gains[OWN, clause_gains.PRICES_FROM] = -2
    assert parts(lambda given: values._means(public, given, 0, gains)) == {"discount": 3}
    gains[OWN, clause_gains.PRICES_FROM], gains[OWN, clause_gains.PRICES_FROM + 3] = 0, 9
    assert parts(lambda given: values._means(public, given, 0, gains)) == {"discount": -(w.MAX_PRICE - 2)}


def test_later_coins_have_the_reserve_that_coins_at_once_leave(values: Any) -> None:
    """Two coins are there, of which the first six are a reserve: five later ones fill it, or what is left of it."""
    gains = np.zeros((2, clause_gains.COLUMNS))
    gains[OWN, clause_gains.COINS] = 5
    public = table(coins=[2] * 4)
    assert parts(lambda given: values.gains_value(public, given, rules_of(), 0, gains)) == {"coin": 5, "reserve": 4}
    gains[OWN, clause_gains.COINS_AT_ONCE] = 3
    assert parts(lambda given: values.gains_value(public, given, rules_of(), 0, gains)) == {"coin": 5, "reserve": 1}


# --- what is left of the treasury


def test_the_first_six_coins_are_worth_more_and_payments_to_neighbours_cost_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = linked(monkeypatch, moves, value, weighted)
    assert parts(lambda given: module.treasury_value(given, 0, 4, 9)) == {"coin": 5, "reserve": 2}
    assert parts(lambda given: module.treasury_value(given, 0, 8, 7)) == {"coin": -1}
    paid = np.uint64(1 << 16 | 2 << 24 | 1 << 32)
    assert parts(lambda given: module._after_paying(given, 0, 7, 1, paid)) == {"coin": -3, "reserve": -2, "gift": -3}
    assert parts(lambda given: module._after_paying(given, 0, 4, 1, np.uint64(0))) == {"coin": 1, "reserve": 1}
    assert parts(lambda given: module._after_paying(given, 0, 4, 0, np.uint64(7))) == {}
    choice = SimpleNamespace(seat=1, moves=[np.uint64(coins << 16) for coins in (3, 2, 1, 0)])
    public = table(coins={1: 3})
    assert parts(lambda given: module._loss_value(public, given, choice, 1)) == {"coin": -2, "reserve": -2, "debt": 1}


def test_the_first_of_equal_payments_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ways to build card 5, then another card; the second costs least, the third as little but a free build."""
    module = linked(monkeypatch, moves, value, weighted)
    legal = [np.uint64(5 | bank << 16 | spends << 48) for bank, spends in ((2, 0), (1, 0), (1, 1), (0, 0))]
    legal[3] |= np.uint64(1)
    legal[3] += np.uint64(2)
    choice = SimpleNamespace(count=4, moves=legal)
    assert module._best_payment(settings(coin=1.0), choice, 0, 9, 0, 0) == (-1.0, 1, 3)
    assert module._best_payment(settings(coin=1.0, save_free=-1.0), choice, 0, 9, 0, 0) == (0.0, 2, 3)
    assert module._best_payment(settings(coin=0.0), choice, 0, 9, 0, 0) == (0.0, 0, 3)
    assert module._best_payment(settings(coin=1.0), choice, 0, 9, 4, 3) == (4.0, 0, 1)


def test_the_first_of_equally_good_moves_is_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards 5 and 6 of the same value, each built, put under the stage or sold; then a sale is worth more than both."""
    module = linked(monkeypatch, moves, value, weighted)
    legal = [np.uint64(card | action << 8) for card in (5, 6) for action in (w.BUILD, w.STAGE, w.SELL)]
    choice, public, rules = SimpleNamespace(seat=0, count=6, moves=legal, kind=w.TURN), table(), rules_of()
    rated, wanted = {5: 3.0, 6: 3.0, 128: 2.0}, {5: 1.0, 6: 4.0}
    module.item_value = lambda _public, _settings, _rules, _seat, item, _needs: rated[int(item)]
    module.city_needs, module.next_stage = lambda *_given: None, lambda *_given: 128
    module.sale_coins, module.next_holder = lambda *_given: 3, lambda *_given: 1
    module.card_for_next = lambda _public, _settings, _rules, _receiver, card: wanted[int(card)]

    def picked(**weights: Any) -> tuple[int, int]:
        move = int(module._pick_move(public, settings(**weights), choice, rules))
        return int(legal[move]) & 255, int(legal[move]) >> 8 & 15

    assert picked() == (5, w.BUILD)
    rated[6] = 3.5
    assert picked() == (6, w.BUILD)
    assert picked(stage=1.5) == (6, w.BUILD), "as much as the stage"
    assert picked(stage=1.6) == (6, w.STAGE), "what the next player wants most goes"
    assert picked(coin=2.0) == (6, w.SELL)
    assert picked(coin=1.0, stage=1.0) == (6, w.BUILD)
    assert picked(stage=2.0, sale=4.0) == (6, w.STAGE), "as much as the sale"
    wanted[6] = 1.0
    assert picked(sale=9.0) == (5, w.SELL)
    wanted[6], public.turn = 4.0, 5
    assert picked(sale=9.0) == (5, w.SELL), "nobody gets the last hand"


def test_denying_a_card_counts_only_if_a_rival_would_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, value, weighted)
    choice = SimpleNamespace(kind=w.TURN, seat=2)
    public = SimpleNamespace(turn=4, turns=6)
    teams = rules_of(teams=1)
    assert [module._denying(public, choice, teams, seat) for seat in (3, 1)] == [-1.0, 1.0]
    assert module._denying(public, choice, rules_of(), 3) == 1.0
    public.turn = 5
    assert module._denying(public, choice, teams, 1) == 0.0, "the last turn of an age"
    public.turn, choice.kind = 0, w.LAST_CARD
    assert module._denying(public, choice, teams, 1) == 0.0


# --- points at once


def test_conflict_points_if_the_age_ended_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Age II: 3 or -1. Seat 0 has 2 shields, seats 1 to 3 have 3, 2 and 1."""
    module = linked(monkeypatch, turn, points)
    public, rules, teams = table(age=1, shields={0: 2, 1: 3, 2: 2, 3: 1}), rules_of(), rules_of(teams=1)
    assert [module.war_points(public, rules, 0, more, 0) for more in range(3)] == [-1 + 3, 3, 6]
    assert module.war_points(public, rules, 0, 9, 1) == 0
    assert [module.war_points(public, teams, 0, more, 0) for more in (0, -2)] == [6, -2], "two conflicts with seat 3"
    assert module.war_points(public, teams, 0, 0, 1) == 3
    public.diplomacy[3] = 1
    assert module.war_points(public, teams, 0, 0, 1) == 0
    assert module.war_points(public, rules, 0, 1, 0) == 0 + 3, "seat 2 is the neighbour on the right"
    public.diplomacy[1] = 1
    assert module.war_points(public, rules, 0, 1, 0) == 3, "one conflict"
    public.diplomacy[2] = 1
    assert module.war_points(public, rules, 0, 1, 0) == 0, "nobody is left"
    assert [module.team_rival(public, seat) for seat in range(4)] == [3, 2, 1, 0]
    assert [module.next_holder(public, rules, seat) for seat in (0, 3)] == [3, 2], "age II to the right"
    public.age = 0
    assert [module.next_holder(public, rules, seat) for seat in (0, 3)] == [1, 0]
    assert module.next_holder(public, rules_of(duo=1), 1) == 0


def test_points_for_what_an_item_counts_include_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two for each brown card of the city and its neighbours, 4 if all three stages stand."""
    module = linked(monkeypatch, turn, points)
    public = table(stages={0: 2, 1: 3}, colors={0: [1] + [0] * 7, 1: [2] + [0] * 7, 2: [9] + [0] * 7})
    rules = rules_of(
        points_per={ITEM: [2, 1 << w.BROWN, 0b111], 6: [2, 1 << w.BROWN, 0b001], STAGE: [3, w.COUNT_STAGE, 0b001]},
        points_complete={ITEM: 4, 7: 4, STAGE: 4}, color={ITEM: w.BROWN, 6: w.PURPLE},
    )  # fmt: skip
    assert module.points_counted(public, rules, 0, ITEM) == 2 * (1 + 2 + 1)
    assert module.points_counted(public, rules, 0, 6) == 2
    assert module.points_counted(public, rules, 0, STAGE) == 3 * (2 + 1) + 4, "it is the last stage"
    assert [module.points_counted(public, rules, seat, 7) for seat in (0, 1)] == [0, 4]
    public.stages[0] = 1
    assert module.points_counted(public, rules, 0, STAGE) == 3 * (1 + 1)


def test_a_score_change_is_the_sum_of_the_effects_of_an_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """A victory more against each of two neighbours in age I, a first gear, 7 coins, a token of age II, two defeats
    gone, and 2 for being counted elsewhere."""
    module = linked(monkeypatch, turn, points)
    module._points_elsewhere = lambda *_given: 2
    public = table(defeats={0: 2}, coins={0: 50})
    rules = rules_of(
        points={ITEM: 4, 6: 1, 8: 1}, shields={6: 1}, symbol={7: w.GEAR}, coins={8: 7, 9: 7},
        eventful={8: 1, 10: 1, 11: 1}, victory_token={10: 2}, abilities={11: w.DISCARD_DEFEATS}, diplomacy={12: 1},
    )  # fmt: skip
    change = {item: module.score_change(public, rules, 0, item) for item in (ITEM, 6, 7, 8, 9, 10, 11, 12)}
    assert change == {ITEM: 6, 6: 3 + 2, 7: 3, 8: pytest.approx(3 + 7 / 3), 9: 2, 10: 5, 11: 4, 12: 2}
    public.shields[1] = 1
    assert module.score_change(public, rules, 0, 12) == 3, "no defeat"
    module._clause_change = lambda *_given: (10, 1, 0)
    module.formula_points = lambda *_given: 100
    rules.when[ITEM] = 1
    assert module.score_change(public, rules, 0, ITEM) == 4 + 100 + 2 + 10 + 2, "a defeat less, and a victory"


def test_an_item_adds_points_to_existing_structures_that_count_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cards 3 and 70 are built, 71 is not: 3 counts two for each brown card of the city, 70 three for its stages and
    tokens of age II; they count 4 and 1 for a complete wonder."""
    module = linked(monkeypatch, turn, points)
    public = table(stages={0: 1})
    public.built = np.zeros((4, 2), np.uint64)
    public.built[0] = [1 << 3 | 1 << 4, 1 << 6]
    rules = rules_of(
        points_per={3: [2, 1 << w.BROWN, 0b001], 70: [3, w.COUNT_STAGE | w.COUNT_VICTORY[1], 0b011],
                    71: [50, 1 << w.BROWN | w.COUNT_STAGE, 0b001], 4: [50, 1 << w.BROWN, 0b001]},
        points_complete={3: 4, 70: 1}, color={ITEM: w.BROWN, 6: w.RED}, victory_token={7: 2}, stage_count=[3, 3],
        scoring_cards=np.array([1 << 3, 1 << 6 | 1 << 7], np.uint64),
    )  # fmt: skip
    rules.color[7] = w.RED
    assert [module._points_elsewhere(public, rules, 0, item) for item in (ITEM, 6, 7, STAGE)] == [2, 0, 3, 3]
    public.stages[0] = 2
    assert module._points_elsewhere(public, rules, 0, STAGE) == 3 + 4 + 1, "it completes the wonder"
    assert module._points_elsewhere(public, rules, 0, 252) == 0, "a recruited card"
    rules.points_per[3, 2] = 0b110
    assert module._points_elsewhere(public, rules, 0, ITEM) == 0, "of the neighbours"


def test_the_best_neighbouring_guild_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """The left one has 3, worth 5, the right one 70, worth 4 and a symbol of 2; 71 stands elsewhere, 4 is no guild."""
    module = linked(monkeypatch, turn, points)
    worth = {3: 5, 70: 4, 71: 50, 4: 50}
    module.points_of = lambda _public, _rules, seat, card, copied: (
        worth[int(card)] if (seat, copied) == (0, 1) else None
    )
    module.science_change = lambda *given: {(0, w.GEAR, 0): 2}[given[2:]]
    public = table()
    public.built = np.array([[0, 0], [1 << 3 | 1 << 4, 0], [0, 1 << 7], [0, 1 << 6]], np.uint64)
    rules = rules_of(symbol={70: w.GEAR}, purple_cards=np.array([1 << 3, 1 << 6 | 1 << 7], np.uint64))
    assert module._best_guild(public, rules, 0) == 6
    worth[3] = 7
    assert module._best_guild(public, rules, 0) == 7
    public.built[:] = 0
    assert module._best_guild(public, rules, 0) == 0


def test_a_symbol_under_a_house_rule_is_worth_what_it_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, turn, points)
    module.house_science = lambda _public, _rules, _seat, *more: sum(
        number * factor for number, factor in zip(more, (2, 3, 5, 7, 11), strict=True)
    ) + 100  # fmt: skip
    rules = rules_of(science_at=4)
    change = [module.science_change(table(), rules, 0, symbol, 0) for symbol in (w.COMPASS, w.GEAR, w.TABLET, w.ANY)]
    assert change == [2, 3, 5, 7]
    assert module.science_change(table(), rules, 0, 0, 2) == 22


def test_points_of_immediate_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    """5 points of tokens less 2 debts and 3 of a counter; a first gear adds 1; shields of both kinds."""
    module = linked(monkeypatch, turn, points)
    gains = np.zeros((2, clause_gains.COLUMNS))
    for column, amount in (("POINTS", 5), ("DEBTS", 2), ("COUNTED", 3), ("SHIELDS", 1.5), ("AGE_SHIELDS", 1.7),
                           ("DIPLOMACY", 2)):  # fmt: skip
        gains[OWN, getattr(clause_gains, column)] = amount
    gains[RIVAL] = 50
    assert module._change_of(table(), rules_of(), 0, gains) == (6, 3, 2)
    gains[OWN, clause_gains.SYMBOLS_FROM + w.GEAR - 1] = 1
    assert module._change_of(table(), rules_of(), 0, gains) == (7, 3, 2)
    rival = {"POINTS": 1, "COUNTED": 2, "COINS": 6, "DEBTS": 9}
    for column, amount in rival.items():
        gains[RIVAL, getattr(clause_gains, column)] = amount
    assert module._rivals_cost(rules_of(), gains) == 9 - (1 + 2 + 2)


def test_the_cost_to_rivals_is_their_mean_minus_the_cost_to_a_mate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each loses 1 for every stage: seats 1 to 3 have built 2, 3 and 1, and have 9, 1 and 0 coins."""
    module = linked(monkeypatch, turn, points)
    public = table(stages={0: 7, 1: 2, 2: 3, 3: 1}, coins={1: 9, 2: 1}, victory={1: [1, 1, 0], 2: [0, 0, 1]})
    rules = rules_of(coin_loss={ITEM: [1, 0, w.PER_STAGE], 6: [2, 0, w.PER_VICTORY], 7: [3, w.WHO_NEIGHBORS, 0]})
    assert module.rivals_toll(public, rules, 0, ITEM) == pytest.approx((0, (2 + 1 + 0) / 3, (0 + 2 + 1) / 3))
    assert module.rivals_toll(public, rules, 0, 6) == pytest.approx((0, (4 + 1) / 3, (0 + 1) / 3))
    assert module.rivals_toll(public, rules, 0, 7) == pytest.approx((0, 3 / 3, 3 / 3)), "of seats 1 and 3"
    rules.teams = 1
    assert module.rivals_toll(public, rules, 0, ITEM) == pytest.approx((0, -2 + 1 / 2, (2 + 1) / 2))
    rules.coins_to_others[8], rules.debt[8] = [4, 0], [1, w.WHO_NEIGHBORS]
    assert module.rivals_toll(public, rules, 0, 8) == pytest.approx((-4 + 4, 0, -1 + 1 / 2))
    rules.eventful[8] = 1
    assert module.rivals_loss(public, rules, 0, 8) == pytest.approx(-0.5)
    rules.eventful[ITEM] = 1
    assert module.rivals_loss(public, rules, 0, ITEM) == pytest.approx(-1.5 / 3 + 1.5)
    assert module.rivals_loss(public, rules, 0, 6) == 0, "not eventful"


# --- rules of thumb


def test_rulebased_builds_a_red_card_to_lead_or_share_the_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, rulebased)
    rules = rules_of(shields={ITEM: 2})
    for own, expected in ((0, False), (1, True), (2, True), (3, True), (4, False)):
        assert module._takes_lead(table(shields={0: own, 2: 3}), rules, 0, ITEM) == expected
    rules = rules_of(produces={ITEM: units(clay=1, glass=1)})
    for reach, expected in ((units(clay=1), True), (units(clay=1, glass=2), False), (units(ore=1), True)):
        assert module._lacks(table(reach={0: reach}), rules, 0, ITEM) == expected


# --- gains of clauses by what triggers them


def test_the_expected_number_of_times_that_a_clause_still_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    """6, 3 and 2 times in the ages; in age I two turns of six are over and this one is under way: 3 of 6 are left."""
    module = linked(monkeypatch, clause_gains)
    rules = SimpleNamespace(clause_times=np.array([[6.0, 3.0, 2.0]]))
    public = table()

    def times(trigger: int) -> float:
        return float(module.times_left(public, rules, 0, trigger))

    assert times(w.ON_BUILT) == 1
    assert times(w.ON_AGE) == 5, "the next ones begin"
    assert [times(trigger) for trigger in (w.ON_WAR, w.ON_PEACE, w.ON_AGE_END, w.ON_LAST_CARD)] == [11] * 4
    assert [times(trigger) for trigger in (w.ON_CARD, w.ON_CARD_COST, w.ON_TRADE_COST)] == [5 + 3] * 3
    public.age, public.turn = 2, 5
    assert [times(trigger) for trigger in (w.ON_AGE, w.ON_WAR, w.ON_CARD)] == [0, 2, 0]


def test_gains_are_divided_among_the_triggers_of_a_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clause n is of trigger n; seats 1 and 2 trigger those of moves (1 to 6), seat 2 in two ways. That of 7 is another
    item's."""
    module = linked(monkeypatch, clause_gains, clause_value)
    count = w.ON_SCORE + 4
    rules = SimpleNamespace(clause_from=list(range(count + 2)), clause_entry=[ITEM] * count, triggers=0)
    rules.clause_entry[7] = 9
    module.times_left = lambda _public, _rules, clause, trigger: 30.0 + clause + 100 * trigger
    module._ways_to_trigger = lambda _public, _rules, _clause, _trigger, _seat, city: [0, 1, 2, 0][city]
    added: list[tuple[int, int, float]] = []
    module._add_clause = lambda *given: added.append((given[4], given[6], given[8]))
    module.reads_age = lambda _rules, _clause: False
    gains = np.ones((2, clause_gains.COLUMNS))
    module.fill_expected_gains(table(), rules, 0, ITEM, w.ON_SCORE, gains)
    assert not gains.any()
    expected: list[Any] = [(0, 0, 30.0)]
    for trigger in range(1, 7):
        times = 30.0 + 101 * trigger
        expected += [(trigger, 1, pytest.approx(times / 3)), (trigger, 2, pytest.approx(2 * times / 3))]
    assert added == expected + [(trigger, 0, 30.0 + 101 * trigger) for trigger in (8, 9, 10, 11)]
    added.clear()
    module.fill_expected_gains(table(), rules, 0, ITEM, w.ON_CARD, gains)
    assert [trigger for trigger, *_ in added] == [w.ON_BUILT], "what comes at once"
    added.clear()
    module.add_end_of_age(table(), rules, 0, ITEM, gains)
    assert added == [(trigger, 0, 1.0) for trigger in (w.ON_WAR, w.ON_PEACE, w.ON_AGE_END)]


def test_purchase_triggers_count_buyers_and_sellers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four seats. A clause of seat 0 for purchases of the others from it: seats 1 and 3 in one way each; of anybody
    from anybody else: seat 2 in two ways, each neighbour in two, and the own city is sold to by both."""
    module = linked(monkeypatch, clause_value)
    public, rules = (
        table(),
        SimpleNamespace(clause_by=[w.WHOM_OTHER, w.WHOM_ANYONE], clause_seller=[w.WHOM_SELF, w.WHOM_OTHER]),
    )

    def related(given: Any, known: Any, seat: int, other: int, whom: int) -> bool:
        assert (given is public, known is rules, seat) == (True, True, 0)
        return whom == w.WHOM_ANYONE or (other == seat) == (whom == w.WHOM_SELF)

    module.related = related
    ways = [
        [module._ways_to_trigger(public, rules, clause, w.ON_PURCHASE, 0, city) for city in range(4)]
        for clause in (0, 1)
    ]
    assert ways == [[0, 1, 0, 1], [0, 1 + 1, 2, 1 + 1]]
    assert [module._ways_to_trigger(public, rules, 0, w.ON_CARD, 0, city) for city in range(4)] == [0, 1, 1, 1]


def test_an_option_is_worth_its_gains_and_its_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two coins at once and gains of 3; a card worth 5 that gives four coins when built."""
    module = linked(monkeypatch, moves, value, weighted)

    def fill(*given: Any) -> None:
        given[-1][:] = 0
        given[-1][OWN, clause_gains.COINS_AT_ONCE] = 2

    ways = {1: (NOBODY, NOBODY), 2: (1, NOBODY), 3: (NOBODY, 1), 4: (1, 2), 5: (2, 1)}
    module.fill_gains_of_move, module.gains_value = fill, lambda *_given: 3.0
    module.room_for_gains = lambda: np.ones((2, clause_gains.COLUMNS))
    module.way_of_card = lambda _public, _rules, _choice, move: ways[int(move) & 255]
    module.share_of = lambda _public, _rules, seat, city: 1.0 if seat == city else -0.5
    module.item_value, module.coins_of = lambda *_given: 5.0, lambda *_given: 4
    module.city_needs = module.next_stage = lambda *_given: None
    public, rules = table(coins={1: 3}), SimpleNamespace(eventful=[1] * 9)
    legal = [np.uint64(entry | w.CHOOSE << 8 | 1 << 40 | 1 + 6 << 24) for entry in range(1, 6)]
    choice = SimpleNamespace(seat=1, moves=[*legal, np.uint64(w.DECLINE << 8)])
    worth = [module.effect_value(public, settings(coin=1.0), choice, rules, index) for index in range(6)]
    assert worth[:3] == [3 + 2, 3 + 5 + 2 + 4, 3 - 5 + 2]
    assert worth[3:] == [3 + 5 + 2.5 + 2, 3 - 2.5 - 5 + 2, 0], "from seat 2, to seat 2, declined"
    choice.moves = [np.uint64(4 | w.CHOOSE << 8 | 1 << 16)]
    assert module.effect_value(public, settings(coin=1.0), choice, rules, 0) == 5 + 4 - 1, "a recruit for a coin"


def test_only_unconditional_points_that_do_not_grow_count_as_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the clauses of `scored`: 3 for itself, a name, one with a condition, 2 for each other city, and 1 more than a
    counter that is 4; further structures raise the name, and other cards may raise the counter."""
    module = linked(monkeypatch, steady_points)
    first, end, coming = 6, OPERATION["end"], {0: 0.0}
    number, name, counter = OPERATION["number"], OPERATION["name"] | 7 << 10, OPERATION["counter"]
    clauses = {
        "clause_entry": [ITEM] * 5 + [9], "clause_actions": [0, 1, 2, 3, 4, 5], "clause_if": [-1, -1, 7, -1, -1, -1],
        "clause_each": [w.WHOM_SELF, w.WHOM_SELF, w.WHOM_SELF, w.WHOM_OTHER, w.WHOM_SELF, w.WHOM_SELF],
    }  # fmt: skip
    rules = SimpleNamespace(
        clause_from=[first] * (w.ON_SCORE + 1) + [first + 6], action_amount=[0, 2, 4, 6, 8, 12],
        code=[
            number | 3 << 8, end, name, end, number | 4 << 8, end, number | 2 << 8, end,
            number | 1 << 8, counter, OPERATION["+"], end, counter | 1 << 8, end,
        ],
        **{name: [None] * first + given for name, given in clauses.items()},
    )  # fmt: skip
    module.still_to_come = lambda _public, _rules, number, _seat, _item: coming[number]
    module.related = lambda _public, given, seat, city, each: given is rules and (city == seat) == (each == w.WHOM_SELF)
    module.evaluate = lambda _public, given, at, _seat, _city: {0: 3, 6: 2, 8: 5}[at]
    assert module.fixed_points(table(), rules, 0, ITEM) == 3 + 3 * 2 + 5
    coming[0] = 0.1
    assert module.fixed_points(table(), rules, 0, ITEM) == 3 + 3 * 2, "other clauses raise the counter"
    assert module.fixed_points(table(), rules, 0, 9) == 0, "a counter of another city"


def test_the_best_amount_of_an_option_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the second option with amounts 1 to 3 the second is the best, whatever the first option is worth (R95)."""
    module = linked(monkeypatch, moves, value, weighted)
    option, chosen = 1 << 12, w.CHOOSE << 8 | 1 << 40
    words = [chosen | 1 << 32, *(chosen | option | amount << 32 for amount in (1, 2, 3)), chosen | option | 1 << 24]
    choice = SimpleNamespace(moves=[np.uint64(word) for word in words], count=len(words))
    module.effect_value = lambda _public, _settings, _choice, _rules, index: (9.0, 1.0, 3.0, 2.0, 8.0)[index]
    assert [module.best_amount(None, None, choice, None, index) for index in range(4)] == [0, 2, 2, 2]


def test_the_best_option_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three options for two cities each: what the own city gains, less half of what the mean rival does. The second
    gives 3 points if it acts on seat 2; what declining brings is nothing."""
    module = linked(monkeypatch, pending, clause_gains, clause_value)
    gained = {(4, 0): (1.0, 0.0), (4, 1): (2.0, 1.0), (5, 0): (0.0, 0.0), (5, 1): (4.0, 2.0), (6, 0): (3.0, 2.0),
              (6, 1): (2.5, 0.0)}  # fmt: skip
    module._room_for_option = lambda: np.zeros((2, clause_gains.COLUMNS))

    def fill(*given: Any) -> None:
        option_gains, option, target = given[2], given[4], given[9]
        assert (given[0] is public, given[1] is rules) == (True, True)
        option_gains[:] = 0
        if target < 0:  # for units of one turn
            option_gains[OWN, clause_gains.TURN_UNITS_FROM + CLAY] = units_of[option]
            return
        own, rival = gained[option, target]
        option_gains[OWN, clause_gains.POINTS], option_gains[RIVAL, clause_gains.POINTS] = own, rival

    module._fill_option, module.add_worth_of_steps = fill, lambda *_given: None
    module.uses_of = lambda _public, _rules, option, _seat, _payer, times: min(times, uses.get(option, times))
    module.times_until_stopped = lambda _public, _rules, _clause, first, _end, _seat, _other, times: min(
        times, stops.get(first, times)
    )
    uses: dict[int, float] = {}
    stops: dict[int, float] = {}
    units_of = {4: 0.0, 5: 0.0, 6: 0.0}
    rules = SimpleNamespace(
        clause_options=[1, 4, 7], clause_may=[0, 0], clause_one=[0, 1], option_do=[w.DO_NOTHING] * 9,
        option_amount=[-1] * 9, option_from=[w.FROM_CITY] * 9, clause_decider=[w.WHOM_SELF] * 2, teams=0, players=2,
        counters=0, option_first=range(9), option_end=range(1, 10),
    )  # fmt: skip
    public = table(seats=2)
    gains = np.zeros((2, clause_gains.COLUMNS))
    module._add_decision(public, rules, gains, 1, w.ON_CARD, 0, 0, ITEM, 10.0)
    assert (gains[OWN, clause_gains.POINTS], gains[RIVAL, clause_gains.POINTS]) == (40, 20), "the first of 4 - 1, 3"
    gained[5, 1] = (3.0, 1.5)
    rules.option_do[6] = w.DO_BUILD
    gains[:] = 0
    module._add_decision(public, rules, gains, 1, w.ON_CARD, 0, 0, ITEM, 10.0)
    assert (gains[OWN, clause_gains.POINTS], gains[OWN, clause_gains.PILE_BUILDS]) == (25, 10)
    uses[6] = 2.0  # as often as the counters of the city can pay its price
    gains[:] = 0
    module._add_decision(public, rules, gains, 1, w.ON_CARD, 0, 0, ITEM, 10.0)
    assert (gains[OWN, clause_gains.POINTS], gains[OWN, clause_gains.PILE_BUILDS]) == (5, 2)
    uses, stops[6] = {}, 1.0  # then its counters make the condition of the clause false
    gains[:] = 0
    module._add_decision(public, rules, gains, 1, w.ON_CARD, 0, 0, ITEM, 10.0)
    assert (gains[OWN, clause_gains.POINTS], gains[OWN, clause_gains.PILE_BUILDS]) == (2.5, 1)
    rules.option_do = [w.DO_DISCARD] * 9
    gains[:] = 0
    module._add_decision(public, rules, gains, 1, w.ON_CARD, 0, 0, ITEM, 1.0)
    assert (gains[OWN, clause_gains.POINTS], gains[RIVAL, clause_gains.POINTS]) == (1.5, 0), "2.5 less the least card"
    gained = dict.fromkeys(gained, (0.5, 0.0))
    gains[:] = 0
    rules.clause_may = [0, 1]
    module._add_decision(public, rules, gains, 1, w.ON_CARD, 0, 0, ITEM, 1.0)
    assert not gains.any(), "it declines"


def test_spent_counters_are_valued_once_for_all_uses_of_a_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, clause_value)
    gains, settled = np.zeros((2, clause_gains.COLUMNS)), []
    module.add_worth_of_steps = lambda *given: settled.append((*given[3:5], given[5][OWN, STEPS_FROM:].tolist()))
    for steps in ([3.0, 0.0], [3.0, -6.0]):
        gains[OWN, STEPS_FROM : STEPS_FROM + 2] = steps
        module._settle_spent(None, SimpleNamespace(counters=2), 0, ITEM, 5, gains)
        left = gains[OWN, STEPS_FROM : STEPS_FROM + 2].tolist()
        assert left == (steps if min(steps) == 0 else [0, 0]), "steps that earn are valued with those of other clauses"
    assert [(item, clause, steps[:2]) for item, clause, steps in settled] == [(ITEM, 5, [3, -6])]


def test_units_from_options_are_valued_like_an_either_or_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, clause_value)
    given_units = {4: CLAY, 5: GLASS, 6: None}

    def fill(*given: Any) -> None:
        given[2][:] = 0
        if (resource := given_units[given[4]]) is not None:
            given[2][OWN, clause_gains.TURN_UNITS_FROM + resource] = 2.0

    module._fill_option = fill
    rules = SimpleNamespace(clause_options=[1, 4, 7])
    gains, room = (np.zeros((2, clause_gains.COLUMNS)) for _ in range(2))
    assert module._add_either(table(), rules, gains, room, 1, w.ON_CARD, 0, 0, ITEM, 3.0)
    columns = {int(at) - clause_gains.EITHER_FROM: gains[OWN, at] for at in np.flatnonzero(gains[OWN])}
    assert columns == {CLAY: 6, GLASS: 6}
    given_units[5] = None
    gains[:] = 0
    assert not module._add_either(table(), rules, gains, room, 1, w.ON_CARD, 0, 0, ITEM, 3.0), "one option alone"
    assert not gains.any()


@pytest.mark.parametrize(
    ("act", "trigger", "city", "amount", "expected"),
    [("gain coins", w.ON_BUILT, 0, 2, {(OWN, "COINS_AT_ONCE"): 6}),
     ("gain coins", w.ON_CARD, 0, 2, {(OWN, "COINS"): 6}),
     ("gain coins", w.ON_BUILT, 2, 2, {(RIVAL, "COINS"): 2}), ("lose coins", w.ON_CARD, 2, 9, {(RIVAL, "COINS"): -4}),
     ("lose coins", w.ON_CARD, 0, 9, {(OWN, "COINS"): -15}),
     ("take", w.ON_BUILT, 2, 9, {(RIVAL, "COINS"): -4, (OWN, "COINS_AT_ONCE"): 12}),
     ("give", w.ON_CARD, 2, 9, {(RIVAL, "COINS"): 5, (OWN, "COINS"): -15}),
     ("gain shields", w.ON_BUILT, 0, 2, {(OWN, "SHIELDS"): 6}),
     ("gain shields", w.ON_PEACE, 0, 2, {(OWN, "SHIELDS"): 4}),
     ("gain age_shields", w.ON_AGE_END, 2, 2, {(RIVAL, "AGE_SHIELDS"): 4 / 3}),
     ("gain victory_tokens", w.ON_CARD, 0, 2, {(OWN, "POINTS"): 6}),
     ("gain defeat_tokens", w.ON_CARD, 2, 2, {(RIVAL, "POINTS"): -2}),
     ("lose defeat_tokens", w.ON_CARD, 0, 5, {(OWN, "POINTS"): 9}),
     ("gain debts", w.ON_CARD, 2, 1, {(RIVAL, "DEBTS"): 1}), ("lose debts", w.ON_CARD, 0, 9, {(OWN, "DEBTS"): -6}),
     ("gain diplomacy_tokens", w.ON_CARD, 0, 1, {(OWN, "DIPLOMACY"): 3}),
     ("lose diplomacy_tokens", w.ON_CARD, 0, 9, {(OWN, "DIPLOMACY"): -3}),
     ("lose free_build_tokens", w.ON_CARD, 0, 9, {(OWN, "FREE_TOKENS"): -12})],
)  # fmt: skip
def test_each_action_has_its_own_gains_column(
    act: str, trigger: int, city: int, amount: int, expected: dict[tuple[int, str], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Three times, at a table of four with a mean of three rivals. The own city has 5 coins, 3 defeats, 2 debts, a
    diplomacy token and 4 free builds; seat 2 has 4 coins. What a city does not have it cannot lose."""
    module = linked(monkeypatch, clause_gains)
    public = table(coins={0: 5, 2: 4}, defeats={0: 3}, debts={0: 2}, diplomacy={0: 1}, free_tokens={0: 4})
    gains = np.zeros((2, clause_gains.COLUMNS))
    module.add_gain(public, rules_of(), gains, trigger, w.ACT[act], 0, city, amount, 3.0)
    wanted = np.zeros_like(gains)
    for (row, column), value_of in expected.items():
        wanted[row, getattr(clause_gains, column)] = value_of
    assert np.allclose(gains, wanted)


def test_symbols_units_and_prices_have_separate_gains_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = linked(monkeypatch, clause_gains)
    columns = {
        "gain compass": clause_gains.SYMBOLS_FROM, "gain wild": clause_gains.SYMBOLS_FROM + 3,
        f"lose {w.UNIT_PRICES[0]}": clause_gains.PRICES_FROM, f"lose {w.UNIT_PRICES[3]}": clause_gains.PRICES_FROM + 3,
    }  # fmt: skip
    for act, column in columns.items():
        gains = np.zeros((2, clause_gains.COLUMNS))
        module.add_gain(table(), rules_of(), gains, w.ON_CARD, w.ACT[act], 0, 0, 2, 1.0)
        assert np.flatnonzero(gains[OWN]).tolist() == [column]
        assert gains[OWN, column] == (-2 if act.startswith("lose") else 2)
    gains = np.zeros((2, clause_gains.COLUMNS))
    teams = rules_of(teams=1)
    for city in (1, 2):
        module.add_gain(table(), teams, gains, w.ON_CARD, w.ACT["gain debts"], 0, city, 2, 1.0)
    assert gains[RIVAL, clause_gains.DEBTS] == -2 + 2 / 2
    module = linked(monkeypatch, price_value)
    assert [module._rivals_share(teams, 0, payer) for payer in (1, 2)] == [-1, 1 / 2]
    assert module._rivals_share(rules_of(), 0, 1) == 1 / 3


# --- what counters are worth

SPENDER = 7  # a clause


def counted(
    monkeypatch: pytest.MonkeyPatch, worth: Any, of: int = w.OF_CITY, coming: float = 0.0, raisers: int = 3
) -> Any:
    """Return the worth of steps of the first of two counters (0 to 9, now 1), given the worth of its
    values and the number of other cities that can raise it."""
    module = linked(monkeypatch, clause_gains, counter_value)
    rules = rules_of(
        counters=2, counter_of=[of, w.OF_CITY], counter_lasts=[w.FOR_GAME] * 2, counter_least=[0] * 2,
        counter_most=[9] * 2,
    )  # fmt: skip
    public = table(counter={seat: [1, 5] for seat in range(4)})
    module._worth_of_clauses = lambda given, _rules, _steps, seat, _item, without, this_age, _coins: (
        0.0 if this_age or without == SPENDER else float(worth(int(given.counter[seat][0])))
    )
    module.still_to_come = lambda *_given: coming
    module._other_raisers = lambda *_given: raisers

    def of_steps(steps: float, spender: int = -1) -> float:
        gains = np.zeros((2, clause_gains.COLUMNS))
        gains[OWN, clause_gains.STEPS_FROM] = steps
        module.add_worth_of_steps(public, rules, 0, -1, spender, gains)
        assert [list(public.counter[seat]) for seat in range(4)] == [[1, 5]] * 4, "the counters are put back"
        return float(gains[OWN, clause_gains.COUNTED])

    return of_steps


def test_a_step_is_worth_its_share_of_a_reachable_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """6 points for three more steps: a step is worth 2 if two more may come, and nothing if only one may."""
    assert counted(monkeypatch, lambda value: 6 * (value >= 4), coming=2)(1) == 2
    assert counted(monkeypatch, lambda value: 6 * (value >= 4), coming=1)(1) == 0
    assert counted(monkeypatch, lambda value: 6 * (value >= 4))(3) == 6
    assert counted(monkeypatch, lambda value: 5 * (value >= 2) + 5 * (value >= 4), coming=2)(1) == 5, "the next one"
    assert counted(monkeypatch, lambda value: 3 * value)(0.5) == pytest.approx(1.5), "a step in half of the cases"


def test_steps_beyond_the_bounds_are_worthless_and_steps_down_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted(monkeypatch, lambda value: 3 * value)(20) == 3 * 8
    assert counted(monkeypatch, lambda value: 3 * value, coming=5)(-1) == -3
    assert counted(monkeypatch, lambda value: 3 * value, coming=5)(0) == 0


def test_shields_that_steps_bring_count_as_shields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two shields for an age in each conflict to come for every step, and a point: no rough points for the shields."""
    module = linked(monkeypatch, clause_gains, counter_value)
    rules = rules_of(
        counters=1, counter_of=[w.OF_CITY], counter_lasts=[w.FOR_GAME], counter_least=[0], counter_most=[9]
    )
    public = table(age=1, counter={seat: [0] for seat in range(4)})

    def bring(
        given: Any, _rules: Any, _steps: Any, seat: int, _item: int, _without: int, now: bool, apart: Any
    ) -> float:
        shields = 2.0 * given.counter[seat][0]
        apart[2] += shields
        return float(shields * clause_gains._ROUGHLY[clause_gains.AGE_SHIELDS] + given.counter[seat][0] * now)

    module._worth_of_clauses, module.still_to_come = bring, lambda *_given: 0.0
    gains = np.zeros((2, clause_gains.COLUMNS))
    gains[OWN, clause_gains.STEPS_FROM] = 1
    module.add_worth_of_steps(public, rules, 0, -1, -1, gains)
    assert (gains[OWN, clause_gains.AGE_SHIELDS], gains[OWN, clause_gains.COUNTED]) == (4, pytest.approx(1))


def test_counters_spent_by_a_clause_cost_only_other_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    of_steps = counted(monkeypatch, lambda value: 3 * value)
    assert [of_steps(-1, SPENDER), of_steps(-1, SPENDER + 1)] == [0, -3]
    assert of_steps(1, SPENDER) == 3, "what it earns, it may use"


def test_a_common_goal_counts_half_if_others_must_contribute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished at 5 with 1 laid and three other cities: the last block counts half. Each block alone counts in full."""
    assert counted(monkeypatch, lambda value: 8 * (value >= 5), w.OF_TABLE)(1) == 4
    assert counted(monkeypatch, lambda value: 2 * value, w.OF_TABLE)(1) == 2
    assert counted(monkeypatch, lambda value: 8 * (value >= 2), w.OF_TABLE)(1) == 4, "they would do it without the city"
    assert counted(monkeypatch, lambda value: 8 * (value >= 2), w.OF_TABLE, raisers=0)(1) == 8, "nobody else can"


def test_cities_with_a_clause_for_the_counter_can_raise_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two clauses of entry 5, which seats 1 and 2 have, raise the counter; one of entry 6 lowers it."""
    module = linked(monkeypatch, counter_value)
    rules = rules_of(
        clause_from=[3] * (w.ON_SCORE + 1), clause_actions=[0, 1, 2, 3], clause_entry=[5, 5, 6],
        action=[counters.FIRST_ACT, counters.FIRST_ACT, counters.FIRST_ACT + 1],
    )  # fmt: skip
    module.has_entry = lambda _public, _rules, city, entry: city in ((0, 1, 2) if entry == 5 else (3,))
    module.count_bits = lambda bits: int(bits).bit_count()
    assert module._other_raisers(table(), rules, 0, 0) == 2
    assert module._other_raisers(table(), rules, 0, 1) == 0


@pytest.mark.parametrize(
    ("lasts", "age", "times", "acts"),
    [
        *((w.FOR_GAME, 0, 30.0, 2), (w.FOR_GAME, 2, 30.0, 2), (w.FOR_GAME, 0, 1.5, 1.5)),
        *((w.FOR_AGE, 0, 30.0, 6), (w.FOR_AGE, 2, 30.0, 2), (w.FOR_TURN, 0, 30.0, 30)),
    ],
)
def test_a_clause_acts_until_its_counters_stop_it(
    monkeypatch: pytest.MonkeyPatch, lasts: int, age: int, times: float, acts: float
) -> None:
    """The counter is 1, and the clause raises it by 1 while it is less than 3."""
    module = linked(monkeypatch, counters, clause_gains, counter_value)
    rules = rules_of(
        counters=1, counter_of=[w.OF_CARD], counter_lasts=[lasts], counter_least=[0], counter_most=[9], clause_if=[7],
        clause_each=[w.WHOM_SELF], clause_actions=[0, 1], action=[counters.FIRST_ACT], action_amount=[8],
    )  # fmt: skip
    public = table(age=age, counter={seat: [1] for seat in range(4)})
    module.evaluate = lambda given, _rules, at, _seat, _other: int(given.counter[0][0] < 3) if at == 7 else 1
    assert module.times_until_stopped(public, rules, 0, 0, 1, 0, 0, times) == acts
    assert public.counter[0][0] == 1, "it is put back"
    rules.clause_if[0] = -1
    assert module.times_until_stopped(public, rules, 0, 0, 1, 0, 0, times) == times


def test_a_clause_that_reads_the_age_is_expected_age_by_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """In age II, a third of the turns over: of a clause that acts six times an age, four of this one and six of the
    last; at once, whatever it reads."""
    module = linked(monkeypatch, clause_gains, clause_value)
    rules = SimpleNamespace(
        clause_from=[0, 1, *[1] * (w.ON_TURN - 1), *[2] * 9], clause_entry=[ITEM] * 2, triggers=0,
        clause_times=np.full((2, w.AGES), 6.0), clause_if=[-1, -1], clause_actions=[0, 1, 2], action_amount=[0, 2],
        code=[OPERATION["name"] + 256 * 4 * NAME_NUMBER["age"], OPERATION["end"], 0, 0],
    )  # fmt: skip
    added: list[tuple[int, int, float]] = []
    module._add_clause = lambda public, *given: added.append((given[3], public.age, given[7]))
    public = table(age=1, turn=1, turns=6)
    rules.code[2:] = rules.code[:2]
    module.fill_expected_gains(public, rules, 0, ITEM, w.ON_SCORE, np.ones((2, clause_gains.COLUMNS)))
    assert added == [(w.ON_BUILT, 1, 1.0), (w.ON_TURN, 1, 4.0), (w.ON_TURN, 2, 6.0)]
    assert public.age == 1, "it is put back"
    rules.code[2] = OPERATION["name"] + 256 * 4 * NAME_NUMBER["turn"]
    assert not module.reads_age(rules, 1)


# --- inputs of the net


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, moves, turn, points, net_inputs)


def test_net_inputs_of_the_moment(inputs: Any) -> None:
    """The last of six turns of age II, four players, the third kind of decision, no duo, Cities, teams."""
    public = table(age=1, turn=5, discarded=10)
    x = np.zeros(60)
    assert inputs._moment(public, SimpleNamespace(kind=2), rules_of(cities=1, teams=1), x) == 24 + 6 + 5 + 6
    assert {int(at): x[at] for at in np.flatnonzero(x)} == {
        8 + 5: 1, 24 + 2: 1, 30 + 2: 1, 36: 1, 37: 1, 38: 0.25, 39: 0.5, 40: 1
    }  # fmt: skip
    public.turn = 4
    x[:] = 0
    inputs._moment(public, SimpleNamespace(kind=0), rules_of(duo=1), x)
    assert (x[35], x[36], x[38], x[40]) == (1, 0, 0.5, 0)


def test_net_inputs_of_a_city(inputs: Any) -> None:
    """Two victories of age II, one of III and a defeat are 6 + 5 - 1 = 10 points."""
    public = table(
        coins={1: 4}, stages={1: 1}, shields={1: 5}, victory={1: [0, 2, 1]}, defeats={1: 1}, diplomacy={1: 2},
        debts={1: 3}, colors={1: range(8)}, symbols={1: [9, 1, 2, 3, 4]},
    )  # fmt: skip
    x = np.zeros(30)
    assert inputs._city(public, rules_of(), 1, x, 2) == 2 + 9 + 8 + 4
    assert x[2:11].tolist() == pytest.approx([0.4, 4 / 6, 1, 1 / 3, 1, 1, 10 / 6, 2, 1])
    assert x[11:19].tolist() == pytest.approx([color / 3 for color in range(8)])
    assert x[19:23].tolist() == [0.5, 1, 1.5, 2]
    assert not x[[0, 1, *range(23, 30)]].any()
    public.coins[1] = 1
    inputs._city(public, rules_of(), 1, x, 2)
    assert x[2:5].tolist() == pytest.approx([0.1, 1 / 6, 0.5])


def test_net_inputs_of_an_economy(inputs: Any) -> None:
    """It makes 5 clay, 1 of it for sure, and 1 glass; the second stage lacks 2 of 2 stone and nothing of 1 clay."""
    public = table(
        reach={1: units(clay=5, glass=1)}, plain={1: units(clay=1)}, price={1: [1, 2, 2, 0]}, stages={1: 1},
        abilities={1: 0b100_0000_0011}, free_used={1: 1}, copy_science={1: 2},
    )  # fmt: skip
    rules = rules_of(cost={129: units(clay=1, stone=2)})
    x = np.full(60, 9.0)
    assert inputs._economy(public, rules, 1, x, 1) == 1 + 21 + 4 + 8 + 11 + 2
    assert x[1:8].tolist() == [2, 0, 0, 0, 0.5, 0, 0]
    assert x[8:15].tolist() == [1, 0, 0, 0, 1, 0, 0]
    assert x[15:22].tolist() == [0.5, 0, 0, 0, 0, 0, 0]
    assert x[22:26].tolist() == [1, 0, 0, 2]
    assert x[26:34].tolist() == [0, 2, 0, 0, 0, 0, 0, 0]
    assert x[34:45].tolist() == [1, 1, *[0] * 8, 1]
    assert x[45:48].tolist() == [1, 2, 9]
    public.reach[1] = units(clay=1, stone=2)
    inputs._economy(public, rules, 1, x, 1)
    assert x[26:34].tolist() == [0] * 7 + [1]
    public.stages[1] = 3
    inputs._economy(public, rules, 1, x, 1)
    assert x[26:34].tolist() == [0] * 8, "all stages are built"


def test_net_inputs_of_a_neighbour(inputs: Any) -> None:
    """Two shields ahead; it sells 1 clay and 4 stone, and makes clay and glass."""
    public = table(
        shields={1: 3, 2: 5}, sale_reach={2: units(clay=1, stone=4)}, reach={2: units(clay=2, glass=1)}, coins={2: 10}
    )
    x = np.zeros(80)
    assert inputs._neighbor(public, rules_of(), 1, 2, x, 3) == 3 + 21 + 8 + 14 + 1
    assert x[3] == 1, "its city first"
    assert x[24:31].tolist() == [0, 0, 0, 0, 0, 1, 0]
    assert x[31] == 0.5
    assert x[32:39].tolist() == [0.5, 1.5, 0, 0, 0, 0, 0]
    assert x[39:46].tolist() == [1, 0, 0, 0, 1, 0, 0]
    assert x[46] == 0
    public.shields[1] = 9
    x[:] = 0
    inputs._neighbor(public, rules_of(teams=1), 3, 2, x, 3)
    assert (x[24:31].tolist(), x[31], x[46]) == ([0, 0, 0, 0, 0, 0, 1], 1.25, 1), "a mate, five shields ahead"
    x[:] = 0
    inputs._neighbor(public, rules_of(teams=1), 1, 2, x, 3)
    assert (x[24:31].tolist(), x[31], x[46]) == ([1, 0, 0, 0, 0, 0, 0], -1, 0)


def test_net_candidates_are_the_best_payments_per_use_of_a_card(inputs: Any) -> None:
    words = (5, 5 | 1 << 16, 5 | 2 << 16, 5 | 1 << 8, 6, 6 | 1 << 12, 6 | 1 << 12 | 1 << 24)
    legal = [np.uint64(word) for word in words]
    choice, places = SimpleNamespace(count=7, moves=legal, kind=w.TURN), [99] * 70
    rating = [1.0, 3.0, 3.0, 0.0, 2.0, 1.0, 5.0]
    inputs._value_moves = lambda *given: given[-1].__setitem__(slice(0, 7), rating)
    assert inputs.list_candidates(None, None, choice, None, None, [0.0] * 9, places) == 4
    assert places[:5] == [1, 3, 4, 6, 99]
    choice.kind = w.EFFECT
    assert inputs.list_candidates(None, None, choice, None, None, [0.0] * 9, places) == 7, "every option"
    assert places[:8] == [0, 1, 2, 3, 4, 5, 6, 99]
    choice = SimpleNamespace(count=90, moves=[np.uint64(card) for card in range(90)], kind=w.EFFECT)
    inputs._value_moves = lambda *_given: None
    assert inputs.list_candidates(None, None, choice, None, None, [0.0] * 90, places) == 64


def test_net_inputs_of_candidates(inputs: Any) -> None:
    """Card 5 by a chain, or paid 1 + 2 + 1; sold; a stage with 6 under it; declining. The next player wants 5 at 10
    and 6 at 20. The seat has 7 coins."""
    legal = [np.uint64(word) for word in (
        5 | w.CHAIN << 12, 5 | 1 << 16 | 2 << 24 | 1 << 32 | 1 << 48, 5 | w.SELL << 8, 6 | w.STAGE << 8, w.DECLINE << 8,
        6 | w.FREE << 12,
    )]  # fmt: skip
    inputs.score_change = lambda _public, _rules, _seat, item: {5: 15, 6: 5, STAGE - 2: 25}[int(item)]
    inputs.card_for_next = lambda *given: {5: 10, 6: 20}[int(given[-1])]
    rules, own, public = rules_of(), SimpleNamespace(seat=1), table(coins={1: 7})
    choice = SimpleNamespace(seat=1, kind=w.TURN, moves=legal)
    rating = [10.0, 5.0, 0.0, 10.0, -5.0, 1.0]
    numbers = np.full((6, 16), 9.0)
    inputs.fill_moves(public, own, choice, rules, None, rating, [0, 1, 2, 3, 4, 5], 6, numbers)
    #          bank  left right chain free spends value behind best stage sale points decline denied coins city
    assert numbers[0].tolist() == [0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 3, 0, 2, 1, 0]
    assert numbers[1].tolist() == [0.25, 0.5, 0.25, 0, 0, 1, 1, -1, 0, 0, 0, 3, 0, 2, 0.5, 0]
    assert numbers[2].tolist() == [0, 0, 0, 0, 0, 0, 0, -2, 0, 0, 1, 0, 0, 2, 1, 0]
    assert numbers[3].tolist() == [0, 0, 0, 0, 0, 0, 2, 0, 1, 1, 0, 5, 0, 4, 1, 0]
    assert numbers[4].tolist() == [0, 0, 0, 0, 0, 0, -1, -3, 0, 0, 0, 0, 1, 4, 1, 0]
    assert numbers[5].tolist() == pytest.approx([0, 0, 0, 0, 1, 0, 0.2, -1.8, 0, 0, 0, 1, 0, 4, 1, 0])
    choice.kind, choice.seat = w.FREE_CITY, 2
    inputs.fill_moves(public, own, choice, rules, None, rating, [0], 1, numbers)
    assert (numbers[0, 13], numbers[0, 14], numbers[0, 15]) == (0, 0, 1)


def test_net_inputs_of_clause_options(inputs: Any) -> None:
    """An option for 2 coins of 5, and declining."""
    inputs.effect_change = lambda _public, _rules, _choice, at: [20.0, 0.0][at]
    inputs.next_stage, inputs.next_holder = lambda *_given: -1, lambda *_given: 0
    legal = [np.uint64(w.CHOOSE << 8 | 2 << 16), np.uint64(w.DECLINE << 8)]
    choice, numbers = SimpleNamespace(seat=1, kind=w.EFFECT, moves=legal), np.zeros((2, 16))
    given = table(coins={1: 5}), SimpleNamespace(seat=1), choice, rules_of(), None, [5.0, 10.0], [0, 1], 2, numbers
    inputs.fill_moves(*given)
    assert numbers.tolist() == [
        [0.5, 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 4, 0, 0, 0.5, 0],
        [0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0, pytest.approx(5 / 6), 0],
    ]


def test_hand_names_are_stored_by_64_bit_word(inputs: Any) -> None:
    rules = SimpleNamespace(slot_card=np.array([[3, 70, 64, 63, 3]]))
    assert [inputs._names(rules, 0, np.uint64(0b11111), word) for word in (0, 1)] == [1 << 3 | 1 << 63, 1 << 6 | 1]
    assert inputs._names(rules, 0, np.uint64(0b00100), 0) == 0


def test_net_rows_for_cards_and_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hand holds cards 3 and 70, 4 comes back, 65 is built; the second of three stages comes next."""
    module = linked(monkeypatch, moves, net)
    sets = {"hand_names": (1 << 3, 1 << 6), "coming_names": (1 << 4, 0)}
    for name, words in sets.items():
        setattr(module, name, lambda *given, words=words: np.uint64(words[given[-1]]))
    public = SimpleNamespace(built=np.array([[0, 0], [0, 2]], np.uint64), side=[0, 1], stages=[0, 1])
    rules, own, rows = rules_of(counters=0, decks=0), SimpleNamespace(seat=1), [-1] * 12
    count = module._list_items(public, own, None, rules, rows)
    stages = STAGE_ROWS
    wanted = {3, 128 + 4, 70, 2 * 128 + 65, stages + (132 - 128), stages + STAGES_IN_ALL + (133 - 128)}
    assert (set(rows[:count]), count) == (wanted, 6)
    module.next_stage = lambda *_given: 132
    legal = [np.uint64(70 | action << 8) for action in (w.BUILD, w.STAGE, w.SELL, w.DECLINE)]

    def of(index: int, kind: int = w.TURN, seat: int = 1) -> list[int]:
        choice = SimpleNamespace(moves=legal, kind=kind, seat=seat)
        return rows[: module._list_items_of_move(public, own, choice, rules, index, rows)]

    assert of(0) == [3 * 128 + 70]
    assert of(1) == [4 * 128 + 70, stages + 2 * STAGES_IN_ALL + 132 - 128]
    assert of(2) == [5 * 128 + 70]
    assert of(3) == []
    assert of(0, w.DISCARD_PILE) == [6 * 128 + 70]
    assert of(0, w.FREE_CITY, 2) == [7 * 128 + 70]
    assert of(1, w.FREE_CITY, 2) == [8 * 128 + 70]


def test_net_inputs_of_counted_effects() -> None:
    """Two coins for each brown card and stage of the neighbours; one for any victory token of all cities."""
    effects = np.array([[2, 1 << w.BROWN | w.COUNT_STAGE, 0b110], [1, w.COUNT_ANY_VICTORY, 0b011], [0, 0, 0b110]])
    counted, around = net_items._counting(effects)
    assert counted[:, [0, 1, 8, 9, 10]].tolist() == [[2, 0, 2, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert around.tolist() == [1, 0.5, 0]


# --- random builds, search


@pytest.mark.parametrize(("drawn", "picked"), [(0, 0), (1, 3), (2, 5)])
def test_first_builds_random_cards_regardless_of_the_number_of_ways(
    drawn: int, picked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Card 5 in two ways, 6 in one, 7 in three; the first way of the card is taken."""
    module = linked(monkeypatch, moves, simple)
    counts: list[int] = []

    def below(_own: Any, count: int) -> int:
        counts.append(count)
        return drawn

    module.below = below
    words = (5, 5 | 1 << 16, 5 | w.STAGE << 8, 6, 6 | w.SELL << 8, 7, 7 | 1 << 16, 7 | 2 << 16)
    choice = SimpleNamespace(kind=w.TURN, count=8, moves=[np.uint64(word) for word in words])
    assert module.first_policy(None, None, choice, None, None) == picked
    assert counts == [3]
    choice.moves = [np.uint64(5 | action << 8) for action in (w.SELL, w.STAGE, w.STAGE)]
    choice.count = 3
    assert module.first_policy(None, None, choice, None, None) == 1, "the first stage"
    choice.count = 1
    assert module.first_policy(None, None, choice, None, None) == drawn
    assert counts == [3, 1]
    choice.kind = w.EFFECT
    assert module.first_policy(None, None, choice, None, None) == 0


@pytest.fixture
def searching(monkeypatch: pytest.MonkeyPatch) -> Any:
    return linked(monkeypatch, moves, search)


def test_search_spends_most_playouts_where_the_net_errs() -> None:
    """The net errs less than a playout varies until age III, where its standard error stays below an eighth."""
    assert round(float(search._SHARE.mean()), 1) == 2.0
    assert (search._ERROR[:2] < search._NOISE[:2]).all()
    assert np.sqrt(search._ERROR).max() < 1 / 8
    assert (np.diff(search._NOISE.reshape(-1)) <= 0.007).all(), "the nearer the end, the less is open"


def test_turns_are_counted_from_the_end_of_the_age(searching: Any) -> None:
    searching._SHARE, searching._NOISE, searching._ERROR = (
        place + np.arange(18.0).reshape(3, 6) for place in (0, 100, 200)
    )
    choice = SimpleNamespace(kind=w.TURN)

    def of(age: int, turn_of_age: int, turns: int, light: bool = False) -> tuple[float, float, float]:
        public, rules = SimpleNamespace(age=age, turn=turn_of_age), SimpleNamespace(age_turns=[turns] * 3)
        return tuple(map(float, searching._share(public, choice, rules, light)))  # type: ignore[return-value]

    assert of(1, 2, 6) == (8, 108, 208)
    assert of(1, 2, 7) == (7, 107, 207)
    assert of(1, 0, 7) == (6, 106, 206), "as the first of six"
    assert of(1, 0, 4) == (8, 108, 208)
    assert [of(age, 5, 6, light=True)[0] for age in range(3)] == [0, 0, 17]
    choice.kind = w.DISCARD_PILE
    assert of(2, 5, 6) == (1, 117, 217)


def test_moves_using_a_card_in_the_same_way_are_alike(searching: Any) -> None:
    legal = [np.uint64(word) for word in (5, 5 | 1 << 16, 5 | w.CHAIN << 12, 5 | w.SELL << 8, 6)]
    choice = SimpleNamespace(kind=w.TURN, moves=legal)
    assert [bool(searching._alike(choice, 0, other)) for other in range(5)] == [True, True, True, False, False]
    for kind in (w.LOSS, w.EFFECT):
        choice.kind = kind
        assert not searching._alike(choice, 0, 1)


def test_search_moments_differ_by_public_events(searching: Any) -> None:
    seen = {
        searching._moment(
            SimpleNamespace(age=age, turn=at, deed_count=deeds), SimpleNamespace(seat=seat, kind=kind, count=count)
        )
        for age in range(3) for at in range(9) for deeds in (0, 191, 1023) for seat in (0, 6) for kind in (0, 5)
        for count in (1, 4095)
    }  # fmt: skip
    assert len(seen) == 3 * 9 * 3 * 2 * 2 * 2


def test_the_move_of_a_rival_is_read_from_the_history(searching: Any) -> None:
    """Deeds of age I, turns 0 and 1; in turn 1 seat 2 builds 7, and 9 from the pile; seat 1 puts a card under a stage,
    seat 0 sells one."""

    def deed(card: int, action: int, seat: int, at: int, kind: int = w.TURN) -> np.uint64:
        return np.uint64(card | action << 8 | seat << 40 | at << 46 | kind << 50)

    deeds = [deed(5, w.BUILD, 2, 0), deed(7, w.BUILD, 2, 1), deed(0, w.STAGE, 1, 1), deed(0, w.SELL, 0, 1),
             deed(9, w.BUILD, 2, 1, w.DISCARD_PILE)]  # fmt: skip
    public = SimpleNamespace(age=0, turn=1, deeds=deeds, deed_count=5)
    game = SimpleNamespace(public=public, choice=SimpleNamespace(kind=w.TURN), lookahead=SimpleNamespace(when=2))
    rules = SimpleNamespace(duo=0)
    assert [searching._seen(game, rules, seat, 2) for seat in range(4)] == [w.CARDS + 1, w.CARDS, 7, -1]
    assert [searching._seen(game, rules, seat, 1) for seat in (1, 2)] == [-1, 5]
    assert searching._seen(game, rules, 2, 3) == -1
    assert searching._at_once(game, rules) == 2
    assert (searching._foretold(game, rules, deeds[1]), searching._foretold(game, rules, deeds[3])) == (7, w.CARDS + 1)
    public.age = 2
    assert searching._at_once(game, rules) == 1 + 2 * 9 + 1
    assert searching._foretold(game, rules, deeds[1]) == -1, "another turn"
    game.choice.kind = w.LAST_CARD
    assert searching._at_once(game, rules) == 0
    game.choice.kind = w.TURN
    assert searching._at_once(game, SimpleNamespace(duo=1)) == 0


def test_game_utility_combines_win_share_and_lead(searching: Any) -> None:
    """In teams the mean of both mates counts."""
    searching.WINNING, searching.LEAD = 1.0, 0.01
    game = SimpleNamespace(result=SimpleNamespace(total=[50, 40, 60, 30], share=[0.0, 0.5, 1.0, 0.0]))
    rules = SimpleNamespace(players=4, teams=0)
    assert [searching._utility(game, rules, seat) for seat in (0, 1, 2)] == pytest.approx([-0.1, 0.5 - 0.2, 1.1])
    rules.teams = 1
    assert [searching._utility(game, rules, seat) for seat in (0, 1)] == pytest.approx([0.0, 0.5])
    assert [searching._points(game, rules, seat) for seat in (1, 3)] == [45, 45]


def test_search_ignores_moves_that_the_net_does_not_rate(searching: Any) -> None:
    """Of four moves it rates two; losses and clauses go by the weights, those of others by their order."""
    searching._places_room, searching._learned_room = lambda: [0, 2], lambda: [0.25, -0.5]
    searching.net_values = lambda *_given: 2
    own, room = [None, None], SimpleNamespace(values=[9.0] * 4)
    game = SimpleNamespace(choice=SimpleNamespace(kind=w.TURN, count=4, seat=1), lookahead=room, own=own, public=None)
    searching._values(game, None, None, 1)
    assert room.values == [0.25, searching.NEVER, -0.5, searching.NEVER]

    def weigh(*given: Any) -> None:
        given[-1][:] = [1.0, 2.0, 3.0, 4.0]

    searching.move_values, game.choice.kind = weigh, w.LOSS
    searching._values(game, None, None, 1)
    assert room.values == pytest.approx([0.05, 0.1, 0.15, 0.2])
    game.choice.kind = w.EFFECT
    searching._values(game, None, None, 0)
    assert room.values == [0.0, -1.0, -2.0, -3.0]
