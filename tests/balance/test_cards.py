"""Targets on the causal effect of an action with a card."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.balance.goals import write_goal
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import read_goal
from wsim.balance.measurements import Memory
from wsim.balance.proof import prove
from wsim.lab.execution import Execution

GOAL = """
[plan]
policies = "random"
[[target]]
card = "Altar"
metric = "score"
value = 0
within = 0.5
[[target]]
card = "Altar"
metric = "win"
against = "policy"
at_least = -0.02
[[knob]]
path = "cards.Altar.points"
range = "-2..3"
[[knob]]
path = "cards.Altar.cost.coins"
range = "0..2"
[search]
games = 1500
picks = 1500
replays = 300
"""


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_proof_counts_its_deals() -> None:
    """Cards are measured on fewer deals than sides, and the proof reports both numbers."""
    sides = '[[target]]\nmetric = "win"\nof = "wonder,side"\nwithin = 1\n[[knob]]'
    goal = GOAL.replace("\ngames = 1500", "\ngames = 7500").replace("[[knob]]", sides, 1)
    memory = Memory()
    evaluator = Evaluator(read_goal(write_goal(goal)), memory, 1, execution=Execution(1))
    before = memory.played
    proof = prove(evaluator, (), 1, 3000)
    told = proof.record(evaluator.cells)
    assert sorted(told["deals"].values()) == [600, 3000]
    assert told["games"] == memory.played - before == 3600


@pytest.mark.slow
def test_points_added_by_replay_match_points_played_for() -> None:
    """Random players ignore points, so the effect with 3 more points is exactly the current effect plus their gain."""
    evaluator = Evaluator(read_goal(write_goal(GOAL)), Memory(), 1, execution=Execution(1))
    assert [(cell.metric, cell.name) for cell in evaluator.cells] == [
        ("score", "build Altar against others"),
        ("win", "build Altar against policy"),
    ]
    level, effects = evaluator.linearised((), "once", 1500, 300)
    patch = ((("cards", "Altar", "points"), 5),)
    place = next(
        i for i, one in enumerate(evaluator.options) if (evaluator.knobs[one.knob].path, one.value) == patch[0]
    )
    there = evaluator.level(patch, "once", 1500)
    assert there.value == pytest.approx(level.value + effects.value[place], abs=1e-5)
    assert effects.value[place, 0] > 1  # whoever builds it has it; some of the others build it later
    assert not effects.replayed[place].any()
    assert effects.error[place, 0] < level.error[0] / 2
    coins = [
        i for i, one in enumerate(evaluator.options) if evaluator.knobs[one.knob].path[-1] == "coins" and one.value
    ]
    assert effects.replayed[coins].all()
    assert np.isfinite(effects.value).all()


MISTAKES = {
    "a card that is not there": ('card = "Altar"', 'card = "Alter"', "unknown card 'Alter' (did you mean 'Altar'?)"),
    "an action that is not there": ("value = 0", 'value = 0\naction = "bild"', "unknown action 'bild' (did you mean"),
    "no value": ("value = 0\n", "", "needs a value: only the win shares of a table have a fair share"),
    "columns and a card": ("value = 0", 'value = 0\nof = "wonder"', "is about both a card and columns"),
    "another comparison": ('"policy"', '"nothing"', "compares against others or policy, not 'nothing'"),
}


@first_quick(2, "mistake", MISTAKES)
def test_a_mistake_is_reported_in_one_sentence(mistake: str, wsim_command: Command) -> None:
    old, new, said = MISTAKES[mistake]
    answer = wsim_command("balance", write_goal(GOAL.replace(old, new, 1)), "--out", "patch.toml")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert [one.name for one in Path().iterdir()] == ["goal.toml"]
