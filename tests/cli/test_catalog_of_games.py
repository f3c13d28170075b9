"""The catalogue of any game on the command line: rule sets, what can be set, mistakes, files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Command
from wsim.game import GAMES
from wsim.lab.plan import Plan


def test_rule_sets_of_all_games_are_listed(wsim_command: Command) -> None:
    rows = json.loads(wsim_command("catalog", "--rulesets", "--json").out)
    assert {"game": "tower_of_babel", "ruleset": "2005", "title": "Tower of Babel", "players": "3, 4, 5"} in rows
    for row in rows:
        for players in row["players"].split(", "):
            Plan.make(game=row["game"], ruleset=row["ruleset"], players=int(players))
    assert {row["game"] for row in rows} == set(GAMES)


def _babel(wsim_command: Command, *words: str) -> Iterator[tuple[str, str]]:
    for row in json.loads(wsim_command("catalog", "--game", "tower_of_babel", *words, "--json").out):
        yield row["path"], row["value"]


def test_the_babel_catalogue_lists_every_settable_value(wsim_command: Command) -> None:
    values = dict(_babel(wsim_command))
    assert values["babel.value_table.3"] == "[12, 6, 3]"
    assert values["babel.wonders.pyramids"] == "Pyramids of Giza"
    for path, value in values.items():
        if not path.startswith("babel.wonders"):
            assert dict(_babel(wsim_command, "--set", f"{path}={value}"))[path] == value
            break
    changed = dict(_babel(wsim_command, "--set", "babel.value_table.3=[13, 7, 3]"))
    assert changed["babel.value_table.3"] == "[13, 7, 3]"
    assert list(_babel(wsim_command, "pyramids of giza")) == [("babel.wonders.pyramids", "Pyramids of Giza")]
    assert {path for path, _ in _babel(wsim_command, "value_table")} >= {
        "babel.value_table.1",
        "babel.value_table.light",
    }
    shown = wsim_command("catalog", "--game", "tower_of_babel").out
    assert "assumed, not printed" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("Pyramids",), "Tower of Babel has no 'Pyramids' (did you mean 'Pyramids of Giza'?)"),
        (("--ruleset", "1e"), "unknown rule set '1e': Tower of Babel has 2005"),
        (("--diff", "a", "b"), "Tower of Babel has one rule set, 2005: there is nothing to compare"),
        (("--set", "cards.Altar.points=3"), "--set 'cards.Altar.points=3': unknown 'cards'"),
    ],
)
def test_mistakes_in_babel_catalogue_commands_are_reported(
    wsim_command: Command, words: tuple[str, ...], sentence: str
) -> None:
    answer = wsim_command("catalog", "--game", "tower_of_babel", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")


def test_a_game_without_a_catalogue_says_so(wsim_command: Command, medal: None) -> None:
    assert wsim_command("catalog", "--game", "medal").err.startswith("wsim: medal has no catalogue to show")
    assert "unknown game 'sevn_wonders'" in wsim_command("catalog", "--game", "sevn_wonders").err


@pytest.mark.slow
def test_a_babel_card_file_is_checked(wsim_command: Command, tmp_path: Path) -> None:
    patch = tmp_path / "p.toml"
    patch.write_text("[babel.value_table]\n3 = [13, 7, 3]\n")
    answer = wsim_command("catalog", "--game", "tower_of_babel", "--check", str(patch))
    assert answer.code == 0
    assert answer.out.startswith(f"{patch}: no mistakes")
    patch.write_text("[babel.value_table]\n3 = 5\n")
    assert wsim_command("catalog", "--game", "tower_of_babel", "--check", str(patch)).code == 2
