"""TOML is parsed in one place, and an unchanged file is parsed once."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.games.imports import MODULES, imports, tree_of
from wsim.babel.catalog.loading import BABEL_TOML
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.paths import default_cards_path
from wsim.spec.source import entry_of, read_toml


@pytest.mark.slow
def test_toml_is_parsed_nowhere_else() -> None:
    readers = {module for module in MODULES if "tomllib" in imports(tree_of(module), type_only=True)}
    # hand-written files, and the value of a change
    assert readers == {"spec/source", "spec/layers"}


def test_each_caller_gets_its_own_copy(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[a]\nb = [1]\n", encoding="utf-8")
    read_toml(path)["a"]["b"].append(2)
    assert read_toml(path) == {"a": {"b": [1]}}


def test_a_rewritten_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    for value in range(20):  # same size, within a moment
        path.write_text(f"a = {value:02}" if value > 9 else f"a = +{value}", encoding="utf-8")
        assert read_toml(path) == {"a": value}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a = 1\na = 2", "FILE, line 2: the name a is used twice; every name and field is written once"),
        (b"a = ", "FILE, line 1: not valid TOML (invalid value) in: a ="),
        (b"\xff", "FILE is not a text file in UTF-8"),
        (b"a = " + b"[" * 5000, "FILE is nested too deeply to be a recipe"),
        (None, "cannot read the recipe 'FILE': No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_in_one_sentence(
    tmp_path: Path, content: bytes | None, expected: str
) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    for _ in range(2):  # a mistake is not remembered as content
        with pytest.raises(UserError) as caught:
            read_toml(path, "recipe")
        assert str(caught.value) == expected.replace("FILE", str(path))


@pytest.mark.parametrize(("game", "cards"), [("seven_wonders", default_cards_path()), ("tower_of_babel", BABEL_TOML)])
def test_plans_are_prepared_with_the_card_file_parsed_once(
    game: str, cards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.toml"  # a copy that no other test has read
    own.write_text(f"# of {game}\n{cards.read_text(encoding='utf-8')}", encoding="utf-8")
    loads, parsed = tomllib.loads, []

    def counted(text: str) -> dict[str, Any]:
        parsed.append(text.strip())
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counted)
    plan = Plan.make(game=game, cards=str(own))
    for seed in (1, 2):
        find_game(game).prepare(plan.replace(seed=seed))
    assert parsed.count(own.read_text(encoding="utf-8").strip()) == 1
    assert len(parsed) == len(set(parsed))


def test_one_entry_is_read_without_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("effects = ['mine.py']\n[cards.Palace]\npoints = 8\n")
    entry_of(path, "effects").append("other.py")
    assert entry_of(path, "effects") == ["mine.py"], "a change of what was read must not reach the next reader"
    assert entry_of(path, "wonders") is None
    path.write_text("effects = [")
    with pytest.raises(UserError, match=r"a\.toml"):
        entry_of(path, "effects")
