"""Listings of the catalogue, and the location of its file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from wsim.paths import default_cards_path
from wsim.wonders.catalog import Cost, Count, Effects, Toll, TradeDiscount, TradePrice, load_catalogue, ruleset_names
from wsim.wonders.catalog.entry_text import cost_text, effects_text
from wsim.wonders.catalog.listing import card_rows, catalogue_dict, diff_lines, diff_rows, wonder_rows

ROOT = Path(__file__).parents[3]


def row(rows: list[dict[str, Any]], **wanted: object) -> dict[str, Any]:
    """Return the only row with these values."""
    (found,) = [r for r in rows if all(r[key] == value for key, value in wanted.items())]
    return found


def test_costs_are_described_in_words() -> None:
    assert cost_text(Cost()) == "free"
    assert cost_text(Cost(1, (("clay", 2), ("papyrus", 1)))) == "1 coin, 2 clay, 1 papyrus"


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        (Effects(), "none"),
        (Effects(points=1, shields=2, coins=4), "1 point; 2 shields; 4 coins"),
        (Effects(points=-1), "-1 point"),
        (Effects(science="gear"), "gear"),
        (Effects(science="any"), "any science symbol"),
        (Effects(produces=("ore", "ore")), "produces ore and ore"),
        (Effects(produces_one_of=("clay", "ore")), "produces clay or ore"),
        (Effects(trade_price=TradePrice("raw", ("right",), 1)), "raw resources from the right neighbour cost 1"),
        (
            Effects(trade_discount=TradeDiscount("first_unit_each_turn", ("left",), 1)),
            "one resource a turn from the left neighbour costs 1 less",
        ),
        (
            Effects(trade_discount=TradeDiscount("board_resource", ("left", "right"), 1)),
            "starting resources from both neighbours cost 1 less",
        ),
        (
            Effects(points_per=Count(("brown", "gray", "victory_token_3"), ("left", "right"), 2)),
            "2 points per brown or gray card or victory token of 3 (both neighbours)",
        ),
        (
            Effects(coins_per=Count(("wonder_stage",), ("self", "left", "right"), 1)),
            "1 coin per wonder stage (own city and both neighbours)",
        ),
        (
            Effects(points_per=Count(("red",), ("self", "right"), 1)),
            "1 point per red card (own city and right neighbour)",
        ),
        (Effects(coin_loss=Toll("others", 1, "victory_token")), "others lose 1 coin per victory token they have"),
        (Effects(coins_to_others=Toll("neighbors", 2)), "neighbors get 2 coins"),
        (Effects(debt=Toll("neighbors", 1)), "neighbors take 1 debt"),
        (Effects(free_build="once_per_age"), "one free build each age"),
    ],
)
def test_effects_are_described_in_words(effects: Effects, expected: str) -> None:
    assert effects_text(effects) == expected


def test_card_rows_have_the_documented_columns() -> None:
    rows = card_rows(load_catalogue("1e"))
    assert len(rows) == 78
    assert rows[0]["name"] == "Clay Pit"
    assert (rows[-1]["name"], rows[-1]["age"], rows[-1]["color"]) == ("Workers Guild", 3, "purple")
    assert row(rows, name="Temple") == {
        "name": "Temple",
        "age": 2,
        "color": "blue",
        "cost": "1 clay, 1 wood, 1 glass",
        "copies": [3, 6],
        "effects": "3 points",
        "free_with": ["Altar"],
        "leads_to": ["Pantheon"],
        "uncertain": "",
    }
    assert row(rows, name="Loom", age=1)["copies"] == [3, 6]
    assert row(rows, name="Loom", age=2)["copies"] == [3, 5]
    assert row(rows, name="Library")["leads_to"] == ["Senate", "University"]


def test_uncertain_entries_are_marked() -> None:
    catalogue = load_catalogue("2e-cities")
    assert row(card_rows(catalogue), name="Embassy")["uncertain"] == "points: 3 (one table says 2)"
    assert catalogue_dict(catalogue)["cards"]["Embassy"]["uncertain"] == "points: 3 (one table says 2)"


def test_wonder_rows_have_the_documented_columns() -> None:
    rows = wonder_rows(load_catalogue("2e"))
    assert len(rows) == 41
    assert row(rows, wonder="Olympia", side="night", stage=1) == {
        "wonder": "Olympia",
        "resource": "clay",
        "side": "night",
        "stage": 1,
        "cost": "2 ore",
        "effects": "2 points; the structure of an age's first turn is free",
    }


def test_the_diff_of_two_editions_is_listed() -> None:
    lines = diff_lines(load_catalogue("1e"), load_catalogue("2e"))
    assert lines[:4] == ["Rules", "  sides A, B -> day, night", "", "Cards"]
    for line in (
        "  Altar: effects 2 points -> 3 points",
        "  Fortifications: cost 1 stone, 3 ore -> 1 clay, 3 ore",
        "  Temple: free with Altar -> none",
        "  Town Hall: copies III: 3, 5, 6 -> III: 3, 6",
        "  - Pawnshop: color blue, age I, copies I: 4, 7, cost free, effects 3 points",
        "  + Castrum: color red, age III, copies III: 4, 7, cost 2 clay, 1 wood, 1 papyrus, effects 3 shields",
        "  Babylon: resource clay -> wood",
        "  Gizah, first side, stage 2: cost 3 wood -> 2 clay, 1 loom",
        "  - Babylon, second side, stage 3: cost 3 clay, 1 papyrus, effects any science symbol",
    ):
        assert lines.count(line) == 1, line
    assert sum(line.startswith("  + ") for line in lines) == 4
    assert sum(line.startswith("  - ") for line in lines) == 3


def test_diffs_of_rules_and_empty_diffs() -> None:
    first = load_catalogue("1e")
    changed = load_catalogue("1e", changes=["switches.debt_choice=false", "settings.start_coins=5"])
    assert diff_lines(first, changed) == ["Rules", "  start coins 3 -> 5", "  debt choice true -> false"]
    assert diff_lines(first, load_catalogue("1e")) == ["no differences"]
    assert diff_rows(first, changed)[0] == {"part": "rules", "name": "", "field": "start_coins", "old": 3, "new": 5}


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_the_dict_is_valid_json_and_can_be_loaded(ruleset: str, tmp_path: Path) -> None:
    """Cards and boards of the dict are in the form of cards.toml: written to a file, they are the same rule set."""
    catalogue = load_catalogue(ruleset)
    told = json.loads(json.dumps(catalogue_dict(catalogue)))
    rules = {key: told[key] for key in ("seats", "sides", "cities", "teams", "duo", "settings", "switches")}
    path = tmp_path / "told.toml"
    sections = {"cards": told["cards"], "wonders": told["wonders"], "rulesets": {ruleset: rules}}
    path.write_text("\n".join(f"{name} = {toml(value)}" for name, value in sections.items()), encoding="utf-8")
    again = load_catalogue(ruleset, cards=path)
    assert (again.cards, again.wonders, again.digest) == (catalogue.cards, catalogue.wonders, catalogue.digest)


def toml(value: object) -> str:
    """Write a value as TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def test_the_file_is_found_next_to_the_package_in_a_checkout() -> None:
    assert default_cards_path() == ROOT / "cards.toml"


def test_the_wheel_contains_the_catalogue() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert config["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"] == {"cards.toml": "wsim/cards.toml"}


def test_the_file_is_found_inside_an_installed_package(tmp_path: Path) -> None:
    package = tmp_path / "wsim"
    shutil.copytree(ROOT / "wsim", package, ignore=shutil.ignore_patterns("__pycache__"))
    program = "from wsim.wonders.catalog import load_catalogue; print(load_catalogue('2e').digest)"

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})

    assert "UserError: cards.toml is missing from this installation of wsim" in run().stderr
    shutil.copy(ROOT / "cards.toml", package / "cards.toml")
    assert run().stdout.strip() == load_catalogue("2e").digest
