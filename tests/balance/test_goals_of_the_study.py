"""The goals in analysis/balance can be read, and their knobs are values of the game."""

from __future__ import annotations

from pathlib import Path

import pytest

from wsim.balance.goal import read_goal
from wsim.balance.knobs import knobs_of
from wsim.game import find_game

GOALS = sorted((Path(__file__).parents[2] / "analysis" / "balance").glob("*.toml"))


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS, ids=lambda path: str(path.stem))
def test_each_goal_of_the_study_can_be_read(goal: Path) -> None:
    read = read_goal(goal)
    assert knobs_of(read, find_game(read.game).prepare(read.settings[0].plan))
