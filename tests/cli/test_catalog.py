"""``wsim catalog``: what it prints from cards.toml, and how it rejects invalid files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wsim.wonders.catalog import default_cards_path, ruleset_names

if TYPE_CHECKING:
    from tests.conftest import Command


def test_catalog_prints_the_whole_catalogue(wsim_command: Command) -> None:
    answer = wsim_command("catalog")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("7 Wonders, first edition (2010) (1e) for 3, 4, 5, 6, 7 players; cards.toml, digest ")
    assert "\nCards\n" in answer.out
    assert "\nWonders\n" in answer.out
    assert "Lumber Yard" in answer.out
    switches = answer.out.partition("\nSwitches\n")[2]
    assert "debt_choice" in switches
    assert "R32: a player may keep coins and take debts; false: pays all it can" in switches


def test_catalog_prints_the_whole_catalogue_as_json(wsim_command: Command) -> None:
    catalogue = json.loads(wsim_command("catalog", "--ruleset", "2e", "--json").out)
    assert catalogue["ruleset"] == "2e"
    assert catalogue["cards"]["Palace"]["color"] == "blue"


@pytest.mark.parametrize("name", ["Palace", "palace"])
def test_catalog_prints_one_card(wsim_command: Command, name: str) -> None:
    [row] = json.loads(wsim_command("catalog", name, "--set", "cards.Palace.points=6", "--json").out)
    assert (row["name"], row["age"], row["effects"]) == ("Palace", 3, "6 points")


def test_catalog_prints_one_wonder(wsim_command: Command) -> None:
    rows = json.loads(wsim_command("catalog", "Gizah", "--json").out)
    assert {row["wonder"] for row in rows} == {"Gizah"}
    assert {row["side"] for row in rows} == {"A", "B"}


def test_an_unknown_name_is_reported(wsim_command: Command) -> None:
    answer = wsim_command("catalog", "Palce")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "wsim: no card or wonder is called 'Palce' (did you mean 'Palace'?)\n"


def test_catalog_prints_the_difference_between_two_rule_sets(wsim_command: Command) -> None:
    lines = wsim_command("catalog", "--diff", "1e", "2e").out.splitlines()
    assert lines[:2] == ["Rules", "  sides A, B -> day, night"]
    assert "  Altar: effects 2 points -> 3 points" in lines
    assert wsim_command("catalog", "--diff", "1e", "1e").out == "no differences\n"
    rows = json.loads(wsim_command("catalog", "--diff", "1e", "2e", "--json").out)
    assert {"part", "name", "field", "old", "new"} == set(rows[0])


@pytest.mark.slow
def test_a_valid_file_passes_the_check(wsim_command: Command) -> None:
    path = str(default_cards_path())
    rows = json.loads(wsim_command("catalog", "--check", path, "--json").out)
    assert [row["ruleset"] for row in rows] == list(ruleset_names())
    assert wsim_command("catalog", "--check", path).out.startswith(f"{path}: no mistakes\n")


@pytest.mark.slow
def test_a_valid_patch_passes_the_check(wsim_command: Command, tmp_path: Path) -> None:
    patch = tmp_path / "patch.toml"
    patch.write_text("[cards.Palace]\npoints = 6\n")
    assert "1,000 with random and 1,000 with balanced" in wsim_command("catalog", "--check", str(patch)).out


@pytest.mark.slow
def test_the_check_finds_overflows_at_every_number_of_players(wsim_command: Command, tmp_path: Path) -> None:
    patch = tmp_path / "mine.toml"
    patch.write_text('cards.Palace.when = [{ event = "card_built", by = "anyone", gain = { shields = 20 } }]')
    checked = wsim_command("catalog", "--check", str(patch))
    assert checked.code == 2
    first, *others = checked.err.splitlines()
    assert first.startswith("wsim: in game ")
    assert "shields with Palace: at most 255 can be played" in first
    assert all(line.startswith("also: in game ") for line in others)


@pytest.mark.parametrize("words", [("--check", "bad.toml"), ("--patch", "bad.toml")])
def test_an_invalid_file_fails_the_check(
    wsim_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text("[cards.Palace]\npoint = 6\n")
    answer = wsim_command("catalog", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wsim: bad.toml")
    assert "Palace" in answer.err
    assert "point" in answer.err


PATCHES = {
    "seats of a rule set": ("[rulesets.1e]\nseats = [4]\n", "1e"),
    "a rule set that extends another": ('[rulesets.mine]\nextends = "1e"\nseats = [4]\n', "mine"),
    "a rule set of its own": ('[rulesets.own]\nseats = [4]\nsides = ["A", "B"]\n[cards.Palace]\npoints = 9\n', "own"),
}


@pytest.mark.slow
@pytest.mark.parametrize("patch", PATCHES)
def test_a_patch_check_matches_applying_the_patch(wsim_command: Command, tmp_path: Path, patch: str) -> None:
    text, ruleset = PATCHES[patch]
    (tmp_path / "mine.toml").write_text(text)
    file = str(tmp_path / "mine.toml")
    shown = wsim_command("catalog", "--patch", file, "--ruleset", ruleset, "--json")
    assert shown.code == 0
    [row] = json.loads(wsim_command("catalog", "--check", file, "--json").out)
    assert (row["ruleset"], row["digest"]) == (ruleset, json.loads(shown.out)["digest"])
    [row] = json.loads(wsim_command("catalog", "--check", file, "--ruleset", ruleset, "--json").out)
    assert row["ruleset"] == ruleset


@pytest.mark.slow
def test_a_patch_is_checked_together_with_earlier_layers(wsim_command: Command, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text("[rulesets.mine]\nextends = '1e'\nseats = [5]\n")
    (tmp_path / "two.toml").write_text("[rulesets.mine.settings]\nstart_coins = 5\n")
    assert wsim_command("catalog", "--check", str(tmp_path / "two.toml")).code == 2
    assert (
        wsim_command("catalog", "--patch", str(tmp_path / "one.toml"), "--check", str(tmp_path / "two.toml")).code == 0
    )


def test_all_mistakes_of_a_file_are_reported_together(wsim_command: Command, tmp_path: Path) -> None:
    lines = [
        "[colours]",
        "[rulesets.1e.settings]",
        "pass_direction = 1",
        "[rulesets.2e.switches]",
        "no_such = true",
        "[cards.Palace]",
        "steal = 1",
        "[wonders.Gizah.sides.A.9]",
        "points = 3",
    ]
    (tmp_path / "mine.toml").write_text("\n".join(lines))
    answer = wsim_command("catalog", "--check", str(tmp_path / "mine.toml"))
    assert (answer.code, answer.out) == (2, "")
    for wrong in ("colours", "pass_direction", "no_such", "steal", "no such stage"):
        assert wrong in answer.err, wrong


@pytest.mark.slow
def test_a_patch_with_switches_is_checked_as_a_patch(wsim_command: Command, tmp_path: Path) -> None:
    patch = tmp_path / "mine.toml"
    patch.write_text("[cards.Palace]\npoints = 9\n[rulesets.1e.switches]\nolympia_discount_cumulative = true\n")
    answer = wsim_command("catalog", "--check", str(patch), "--json")
    assert answer.code == 0
    assert [row["ruleset"] for row in json.loads(answer.out)] == ["1e"]
