"""Values with which games exceed a limit are never chosen by a search, and are named in tables of effects."""

from __future__ import annotations

from pathlib import Path

import pytest

import wsim
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import as_goal
from wsim.balance.measurements import Memory
from wsim.balance.patch_search import worst_of
from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.limits import GameLimitError

GOAL = """
[plan]
players = 3
policies = "random"
set = ["cards.Altar.when=[{event='turn_start', gain={shields=1}}]"]
[[target]]
of = "wonder"
within = 0.5
[[knob]]
path = "cards.Altar.when.1.gain.shields:1"
range = "1..40"
absolute = true
[search]
games = 300
replays = 300
"""


def evaluator_of(tmp_path: Path, text: str = GOAL) -> Evaluator:
    file = tmp_path / "goal.toml"
    file.write_text(text, encoding="utf-8")
    return Evaluator(as_goal(str(file)), Memory(), 1, Execution(threads=1))


@pytest.mark.slow
def test_unplayable_values_are_rejected_and_the_others_measured(tmp_path: Path) -> None:
    evaluator = evaluator_of(tmp_path)
    evaluator.options = tuple(option for option in evaluator.options if option.value in {1, 2, 10, 39, 40})
    level, effects = evaluator.linearised((), "round", 300, 300)
    refused = {patch[0][1] for patch in evaluator.sampler.refused}
    assert 40 in refused
    assert not refused & {1, 2, 10}
    assert all(said.endswith("` of `when`") for said in evaluator.sampler.refused.values())
    for place, option in enumerate(evaluator.options):
        assert effects.replayed[place].all() == (option.value not in {1, *refused})
    [patch] = [patch for patch in evaluator.sampler.refused if patch[0][1] == 40]
    cells = evaluator.cells
    assert worst_of(cells, level.value) < 10 < worst_of(cells, evaluator.level(patch, "check", 300).value)
    assert worst_of(cells, evaluator.linearised(patch, "elimination", 300, 300)[0].value) > 10


def test_a_goal_whose_games_break_a_limit_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameLimitError, match="shields with Altar"):
        evaluator_of(tmp_path, GOAL.replace("shields=1", "shields=60").replace("1..40", "60..61")).level((), "a", 300)


@pytest.mark.slow
def test_an_effects_table_names_the_unplayable_value(tmp_path: Path) -> None:
    file = tmp_path / "goal.toml"
    file.write_text(GOAL, encoding="utf-8")
    said = r'^the knob cards\.Altar\.when\.1\.gain\."shields:1"=\d+ cannot be played: in game'
    with pytest.raises(UserError, match=said):
        wsim.sensitivity(str(file), threads=1)
