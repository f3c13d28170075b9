"""docs/trace.md describes exactly the fields of traces of every game and rule set."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.tiers import first_quick

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trace.md"
CHAPTERS = {"seven_wonders": "## 7 Wonders", "tower_of_babel": "## Tower of Babel"}
PLANS = (
    ("seven_wonders", "--ruleset", "1e", "--players", "3"),
    ("seven_wonders", "--ruleset", "1e-duo", "--players", "2"),
    ("seven_wonders", "--ruleset", "2e-cities", "--players", "5"),
    ("seven_wonders", "--ruleset", "2e-cities-teams", "--players", "4"),
    ("tower_of_babel", "--players", "4"),
    ("tower_of_babel", "--two_colour_discs", "true", "--set", "babel.rules.allow_bluff_cards=true"),
    ("tower_of_babel", "--set", "babel.rules.turn_limit=9"),
)


def chapter(game: str) -> str:
    """Return the chapter of the page about a game."""
    parts = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return next(part for part in parts if part.startswith(CHAPTERS[game]))


def example(game: str) -> set[str]:
    """Return the fields of the example trace on the page."""
    return set(re.findall(r"\"(\w+)\":", chapter(game)))


def described(game: str) -> set[str]:
    """Return all fields that the chapter describes: in the example, or as words set in code style."""
    return example(game) | set(re.findall(r"`\"?(\w+)", chapter(game)))


def fields(value: Any) -> Iterator[str]:
    """Yield the names of all fields inside a trace."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner)


def traces(wsim_command: Command, game: str, *options: str) -> list[Any]:
    answer = wsim_command(
        *("trace", "--game", game, "--games", "20", "--policies", "random", "--format", "json"), *options
    )
    assert answer.code == 0, answer.err
    return [json.loads(line) for line in answer.out.splitlines()]


@first_quick(3, ("game", "options"), [(plan[0], plan[1:]) for plan in PLANS], ids=map(" ".join, PLANS))
def test_every_field_is_described(wsim_command: Command, game: str, options: tuple[str, ...]) -> None:
    found = set(fields(traces(wsim_command, game, *options)))
    assert found <= described(game), f"not described: {sorted(found - described(game))}"


@pytest.mark.slow
@pytest.mark.parametrize("game", CHAPTERS)
def test_every_field_of_the_example_exists(wsim_command: Command, game: str) -> None:
    found: set[str] = set()
    for plan in PLANS:
        if plan[0] == game:
            found |= set(fields(traces(wsim_command, *plan)))
    assert example(game) <= found, f"never written: {sorted(example(game) - found)}"
