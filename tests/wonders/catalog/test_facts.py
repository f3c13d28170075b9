"""cards.toml against the independently entered fact tables: every card, board, cost, effect and mark of uncertainty."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from wsim.wonders.catalog import Catalogue, Cost, Effects, default_cards_path, load_catalogue, ruleset_names
from wsim.wonders.catalog.house_rules import READERS, at_table
from wsim.wonders.words import SWITCHES

DATA = Path(__file__).parents[2] / "data"
ROOT = Path(__file__).parents[3]
FACTS = {
    "1e": ["1e"],
    "1e-duo": ["1e"],
    "2e": ["2e"],
    "2e-cities": ["2e", "cities_2e"],
    "2e-cities-teams": ["2e", "cities_2e"],
}
NUMBERS = ("points", "shields", "coins", "points_if_wonder_complete", "diplomacy", "copy_science")
TRADABLE = ("brown", "gray")

Fact = dict[str, Any]


def facts(ruleset: str, kind: str) -> list[Fact]:
    """The cards or wonders that a rule set should have."""
    files = [json.loads((DATA / f"seven_wonders_{name}.json").read_text(encoding="utf-8")) for name in FACTS[ruleset]]
    return [entry for file in files for entry in file[kind]]


def in_order(effects: list[Fact]) -> list[Fact]:
    return sorted(effects, key=lambda effect: json.dumps(effect, sort_keys=True))


def effect_facts(effects: Effects, tradable: bool) -> list[Fact]:
    """Effects in the form of the fact tables; whether production is tradable follows from the colour alone (R13)."""
    found: list[Fact] = []
    for kind, value in effects.present().items():
        match kind:
            case "produces":
                found.append({"kind": "produce", "units": list(value), "tradable": tradable})
            case "produces_one_of":
                one_of = value if isinstance(value, str) else list(value)
                found.append({"kind": "produce", "one_of": one_of, "tradable": tradable})
            case "science":
                found.append({"kind": kind, "symbol": value})
            case "when":
                found += [{"kind": kind, "number": n, **clause.table()} for n, clause in enumerate(value, start=1)]
            case "free_build":
                found.append({"kind": kind, "when": value})
            case "victory_token":
                found.append({"kind": kind, "token": value})
            case _ if kind in NUMBERS:
                found.append({"kind": kind, "n": value})
            case _ if value is True:
                found.append({"kind": kind})
            case _:
                fields = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(value).items() if v != ""}
                found.append({"kind": kind, **fields})
    return in_order(found)


def cost_facts(cost: Cost) -> Fact:
    return ({"coins": cost.coins} if cost.coins else {}) | dict(cost.resources)


def card_facts(catalogue: Catalogue) -> dict[tuple[str, int], Fact]:
    """The catalogue's cards in the form of the fact tables, by name and age."""
    found = {}
    for card in catalogue.cards:
        for age in card.ages:
            found[card.name, age] = {
                "name": card.name,
                "age": age,
                "color": card.color,
                "cost": cost_facts(card.cost),
                "copies_from_players": list(dict(card.copies).get(age, ())),
                "free_with": list(card.free_with),
                "effects": effect_facts(card.effects, card.color in TRADABLE),
                **({"uncertain": card.uncertain} if card.uncertain else {}),
            }
    return found


@pytest.mark.parametrize("ruleset", FACTS)
def test_cards_match_the_recorded_facts(ruleset: str) -> None:
    expected = {
        (fact["name"], fact["age"]): fact | {"effects": in_order(fact["effects"])} for fact in facts(ruleset, "cards")
    }
    assert card_facts(load_catalogue(ruleset)) == expected


@pytest.mark.parametrize("ruleset", FACTS)
def test_boards_match_the_recorded_facts(ruleset: str) -> None:
    catalogue = load_catalogue(ruleset)
    found = [
        {
            "name": wonder.name,
            "resource": wonder.resource,
            "sides": {
                side: [{"cost": cost_facts(s.cost), "effects": effect_facts(s.effects, tradable=False)} for s in stages]
                for side, stages in wonder.sides
            },
        }
        for wonder in catalogue.wonders
    ]
    expected = facts(ruleset, "wonders")
    for wonder in expected:
        for stages in wonder["sides"].values():
            for stage in stages:
                stage["effects"] = in_order(stage["effects"])
    assert found == sorted(expected, key=lambda wonder: str(wonder["name"]))
    assert all(tuple(wonder["sides"]) == catalogue.sides for wonder in found)


@pytest.mark.parametrize("ruleset", FACTS)
def test_r13_tradable_follows_the_colour_in_all_facts(ruleset: str) -> None:
    for card in facts(ruleset, "cards"):
        for effect in card["effects"]:
            assert effect.get("tradable", card["color"] in TRADABLE) == (card["color"] in TRADABLE), card["name"]
    for wonder in facts(ruleset, "wonders"):
        for stage in (stage for stages in wonder["sides"].values() for stage in stages):
            assert not any(effect.get("tradable") for effect in stage["effects"]), wonder["name"]


@pytest.mark.parametrize(
    ("ruleset", "entries", "board_sides", "black", "boards"),
    [
        ("1e", 78, 14, 0, 7),
        ("1e-duo", 78, 14, 0, 7),
        ("2e", 80, 14, 0, 7),
        ("2e-cities", 122, 18, 42, 9),
        ("2e-cities-teams", 122, 18, 42, 9),
    ],
)
def test_box_contents_match_the_printed_counts(
    ruleset: str, entries: int, board_sides: int, black: int, boards: int
) -> None:
    catalogue = load_catalogue(ruleset)
    assert sum(len(card.ages) for card in catalogue.cards) == entries
    assert sum(len(wonder.sides) for wonder in catalogue.wonders) == board_sides
    assert len(catalogue.wonders) == boards
    for age in (1, 2, 3):
        assert sum(card.color == "black" and card.ages == (age,) for card in catalogue.cards) == black // 3
    assert sum(card.color == "purple" for card in catalogue.cards) == 10


def test_a_name_in_two_ages_is_one_card() -> None:
    two = [card.name for card in load_catalogue("1e").cards if len(card.ages) > 1]
    assert two == ["Glassworks", "Loom", "Press"]
    loom = load_catalogue("1e").card("Loom")
    assert [loom.copies_dealt(age, seats) for age in (1, 2, 3) for seats in (3, 5, 6)] == [1, 1, 2, 1, 2, 2, 0, 0, 0]


@pytest.mark.parametrize("ruleset", FACTS)
def test_r4_every_deck_fills_the_hands(ruleset: str) -> None:
    catalogue = load_catalogue(ruleset)
    for players in catalogue.seat_numbers:
        seats = catalogue.cities_at_table(players)
        for age in (1, 2, 3):
            copies = sum(card.copies_dealt(age, seats) for card in catalogue.cards)
            drawn = (seats + 2 if age == 3 else 0) + (seats if catalogue.cities else 0)
            assert copies + drawn == seats * (8 if catalogue.cities else 7)


def test_uncertain_facts_stay_marked() -> None:
    marks = {card.name: card.uncertain for card in load_catalogue("2e-cities").cards if card.uncertain}
    assert sorted(marks) == ["Embassy", "Guardhouse", "Memorial", "Prison", "Raider Fort", "Raider Garrison"]
    assert marks["Embassy"] == "points: 3 (one table says 2)"


def test_the_rule_sets_are_listed() -> None:
    assert ruleset_names() == tuple(FACTS)
    found = {}
    for name in FACTS:
        c = load_catalogue(name)
        found[name] = (
            c.seat_numbers,
            c.sides,
            at_table(c.settings, c.seats[0]).hand_size,
            c.cities,
            c.teams,
            c.duo,
        )
    seats = (3, 4, 5, 6, 7)
    assert found == {
        "1e": (seats, ("A", "B"), (7, 7, 7), False, False, False),
        "1e-duo": ((2,), ("A", "B"), (7, 7, 7), False, False, True),
        "2e": (seats, ("day", "night"), (7, 7, 7), False, False, False),
        "2e-cities": (seats, ("day", "night"), (8, 8, 8), True, False, False),
        "2e-cities-teams": ((4, 6), ("day", "night"), (8, 8, 8), True, True, False),
    }
    assert load_catalogue("2e").seats == (3, 7)


@pytest.mark.parametrize("ruleset", FACTS)
def test_settings_and_switches_match_the_rules(ruleset: str) -> None:
    catalogue = load_catalogue(ruleset)
    settings = asdict(catalogue.settings) | {"hand_size": 7}
    assert settings == {
        "hand_size": 7,
        "start_coins": 3,
        "sale_coins": 3,
        "trade_price": 2,
        "victory_tokens": (1, 3, 5),
        "defeat_points": -1,
        "coins_per_point": 3,
        "guilds_extra": 2,
        "guilds": "",
        "passing": ("left", "right", "left"),
        "last_card": ("discarded", "discarded", "discarded"),
        "science": "compass ** 2 + gear ** 2 + tablet ** 2 + 7 * sets(compass, gear, tablet)",
        "tie_breaks": ("coins",),
    }
    assert catalogue.switches == {name: switch.default for name, switch in SWITCHES.items()}
    assert set(READERS) == set(settings)


def test_every_switch_is_documented_with_its_rule() -> None:
    text = default_cards_path().read_text(encoding="utf-8")
    for name, switch in SWITCHES.items():
        line = rf"^{name} = {str(switch.default).lower()} +# {re.escape(switch.meaning)}$"
        assert re.search(line, text, re.MULTILINE), name
        assert re.match(r"R\d+", switch.meaning), name


def test_everything_is_sorted_by_name() -> None:
    catalogue = load_catalogue("2e-cities")
    for entries in (catalogue.cards, catalogue.wonders):
        names = [entry.name for entry in entries]
        assert names == sorted(names)


def test_the_catalogue_needs_no_heavy_library() -> None:
    program = (
        "import sys, wsim.wonders.catalog.listing; from wsim.wonders.catalog import load_catalogue; load_catalogue();"
        "print([name for name in ('numpy', 'numba', 'polars') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "[]"
