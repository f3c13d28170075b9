"""Every number that an author writes into a card file can be tuned: in clauses that ask, prices, counters, decks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wsim.balance.goal import read_goal
from wsim.balance.knobs import knobs_of
from wsim.game import find_game
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.tunable_values import TUNING

FOLDER = Path(__file__).parents[2] / "analysis" / "expansion"
EXPANSIONS = sorted(FOLDER.glob("*.toml"))
GOALS = sorted((FOLDER / "goals").glob("*.toml"))
BALANCED = sorted((FOLDER / "balanced").glob("*.toml"))
FIXED = ("age", "copies", "effects")  # where and how often a card is dealt
ONLY_ONE = ("trade_price", "price")  # 1 is its only value
_NO_FORMULA = re.compile(r"'[^']*'|(least|most)=\d+")  # names of cards; the bounds of a Python function
_NUMBER = re.compile(r"(?<![\w.])\d+")


def numbers(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the numbers of a card file by path; those in formulas by their position, as knobs name them."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in FIXED:
                yield from numbers(part, (*path, name))
    elif isinstance(value, list):
        for place, part in enumerate(value, start=1):
            yield from numbers(part, (*path, str(place)))
    elif isinstance(value, str):
        found = _NUMBER.findall(_NO_FORMULA.sub("", value))
        yield from (((*path[:-1], f"{path[-1]}:{place}"), int(number)) for place, number in enumerate(found, start=1))
    elif not isinstance(value, bool) and path[-2:] != ONLY_ONE:
        yield path, value


@pytest.mark.parametrize("file", EXPANSIONS, ids=lambda file: str(file.stem))
def test_every_number_in_an_expansion_is_a_knob(file: Path) -> None:
    simulator: Any = SimpleNamespace(catalogue=load_catalogue("1e", patches=[file]))
    values = TUNING.values(simulator)
    written = dict(numbers(tomllib.loads(file.read_text(encoding="utf-8"))))
    assert written
    for path, number in written.items():
        alone = (*path[:-1], f"{path[-1]}:1")  # an amount that is a plain number is a formula of one number
        assert values.get(path, values.get(alone)) == number, path


@pytest.mark.slow
@pytest.mark.parametrize("file", GOALS, ids=lambda file: str(file.stem))
def test_an_expansion_goal_changes_only_its_own_values(file: Path) -> None:
    goal = read_goal(file)
    written = dict(numbers(tomllib.loads((FOLDER / file.name).read_text(encoding="utf-8"))))
    knobs = knobs_of(goal, find_game(goal.game).prepare(goal.settings[0].plan))
    assert len(knobs) >= 4
    assert {knob.path[:2] for knob in knobs} <= {path[:2] for path in written}


@pytest.mark.parametrize("file", BALANCED, ids=lambda file: str(file.stem))
def test_a_balanced_patch_is_proven_and_fits_its_expansion(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# Proven: ")
    assert f"wsim balance analysis/expansion/goals/{file.name}" in text
    simulator: Any = SimpleNamespace(catalogue=load_catalogue("1e", patches=[FOLDER / file.name, file]))
    values, changed = TUNING.values(simulator), dict(numbers(tomllib.loads(text)))
    assert changed
    assert all(values[path] == number for path, number in changed.items())
