"""Pick experiments at several values, the value at which an effect crosses its target, and turns of the ages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.questions.picks.answer import _arms, play_experiment, randomised
from wsim.questions.picks.crossing import Crossing, crossing
from wsim.questions.picks.question import PickQuestion
from wsim.wonders.analysis import pick_effects

UNIFORM: dict[str, Any] = {"policies": "random", "threads": 1, "randomise": 1, "actions": ["build"]}
POINTS = "cards.Altar.points=0..40..20"


def met(effect: list[float], half: float, target: float = 0.0) -> Crossing:
    middle = np.array(effect, np.float64)
    return crossing(np.arange(len(effect), dtype=np.float64) * 10, middle, middle - half, middle + half, target)


def test_the_value_where_an_effect_crosses_the_target_by_hand() -> None:
    assert met([4, 2, -2], 1) == Crossing(15.0, 12.5, 17.5, "met")
    assert met([4, 2, -2], 1, target=3) == Crossing(5.0, None, 10.0, "perhaps below the first value")
    assert met([4, 2, -2], 2, target=-3) == Crossing(None, 17.5, None, "perhaps above the last value")
    assert met([4, 2, -2], 1, target=9) == Crossing(None, None, None, "below the target at every value")
    assert met([4, 2, -2], 1, target=-9) == Crossing(None, None, None, "above the target at every value")
    assert met([1, 2], 5) == Crossing(None, None, None, "not distinguishable from the target at any value")
    assert met([1, -1], 5) == Crossing(5.0, None, None, "the intervals reach beyond the sweep")
    assert met([2, -2, 2], 1).value == 10.0  # the middle of 5 and 15
    assert met([4, 0, -4], 1) == Crossing(10.0, 7.5, 12.5, "met")


def test_crossing_intervals_cover_as_often_as_effect_intervals() -> None:
    """The true effect falls by 1 a value and is 0 at 5: within 95% intervals of independent effects, 95 % hold it."""
    rng = np.random.default_rng(8)
    values = np.arange(0.0, 11.0, 5.0)
    held = 0
    for _ in range(2000):
        effect = (5 - values) + rng.normal(0, 1, 3)
        found = crossing(values, effect, effect - 1.96, effect + 1.96, 0.0)
        low = -np.inf if found.low is None else found.low
        high = np.inf if found.high is None else found.high
        held += low <= 5 <= high and "every" not in found.status
    assert 0.93 <= held / 2000 <= 0.97


@pytest.mark.slow
def test_a_sweep_recovers_the_planted_value() -> None:
    """Each point on a card is a point for whoever builds it: the effect rises by 20 a value, and crosses 10 between."""
    answer = wsim.experiment_picks(**UNIFORM, games=1500, sweep=POINTS, target=10.0)
    assert answer.effects["value"].to_list() == ["0", "20", "40"]
    assert set(answer.effects["card"]) == {"Altar"}  # the card that the sweep changes
    first, second, third = answer.effects["effect"]
    assert second - first == pytest.approx(20, abs=3)
    assert third - second == pytest.approx(20, abs=3)
    assert answer.targets is not None
    [row] = answer.targets.to_dicts()
    assert (row["action"], row["card"], row["status"]) == ("build", "Altar", "met")
    assert row["value_low"] < row["value"] < row["value_high"]
    assert row["value"] == pytest.approx(20 * (10 - first) / (second - first))


@pytest.mark.slow
def test_a_value_of_a_sweep_agrees_with_a_separate_experiment() -> None:
    swept = wsim.experiment_picks(**UNIFORM, games=200, sweep="cards.Altar.points=2,9", min_effective_n=5).effects
    alone = wsim.experiment_picks(
        **UNIFORM, games=200, set=["cards.Altar.points=9"], card="Altar", min_effective_n=5
    ).effects
    same = [name for name in alone.columns if name != "q"]
    assert swept.filter(pl.col("value") == "9").select(same).equals(alone.select(same))


def test_sweep_values_with_a_target_ascend_numerically() -> None:
    """Values are interpolated in the order 9, 10, 11, not in alphabetical order."""
    plan = Plan.make(policies="random")
    for sweep in ("cards.Altar.points=10,9,11", "cards.Altar.points=9..11"):
        arms = _arms(plan, PickQuestion(("build",), sweep=sweep, target=0.0))
        assert [arm.value for arm in arms] == ["9", "10", "11"]
        assert [arm.plan.set[-1] for arm in arms] == [f"cards.Altar.points={value}" for value in (9, 10, 11)]
    named = _arms(plan, PickQuestion(("build",), sweep="cards.Altar.points=10,9,11"))
    assert [arm.value for arm in named] == ["10", "9", "11"]


@pytest.mark.slow
def test_a_sweep_that_changes_no_card_shows_all_cards(tmp_path: Path) -> None:
    answer = wsim.experiment_picks(
        **UNIFORM, games=150, sweep="settings.sale_coins=3,5", min_effective_n=5, folder=tmp_path
    )
    assert answer.effects["card"].n_unique() > 20
    assert [folder.name for folder in sorted(tmp_path.iterdir())] == ["00-sale_coins_3", "01-sale_coins_5"]
    assert all(wsim.load_run(folder).complete for folder in tmp_path.iterdir())


@pytest.mark.slow
def test_turns_are_numbered_as_in_the_picks_table(tmp_path: Path) -> None:
    asked = {**UNIFORM, "games": 300, "fewest": 1}
    whole = wsim.experiment_picks(**asked, age=1, turn=1, folder=tmp_path)
    picks, seats = (table.collect() for table in (wsim.load_run(tmp_path).picks, wsim.load_run(tmp_path).seats))
    first = picks.filter(age=1, turn=1)
    assert first.height == 300 * 4
    expected = pick_effects(first, seats, "build").frame
    found = whole.effects.sort("card")
    kept = expected.with_columns(pl.col("card").cast(pl.String)).join(found, on="card", how="semi").sort("card")
    assert found["effect"].to_list() == kept["effect"].to_list()
    assert whole.estimand.startswith("Over the turns number 1 of age 1 on which a seat could build the card")


@pytest.mark.slow
def test_an_interrupted_sweep_shows_the_finished_values(tmp_path: Path) -> None:
    plan = randomised(Plan.make(policies="random", games=300), 1)
    seen: list[tuple[int, int]] = []

    def stop(doing: str, done: int, games: int) -> None:
        seen.append((done, games))
        if done > 600:
            raise KeyboardInterrupt

    question = PickQuestion(("build",), sweep=POINTS, target=10.0, min_effective_n=5)
    with pytest.raises(Interrupted) as stopped:
        play_experiment(plan, question, tmp_path, execution=Execution(progress=stop))
    assert seen[-1][1] == 900
    answer = stopped.value.result
    assert not answer.complete
    assert answer.effects["value"].to_list() == ["0", "20"]
    again = play_experiment(plan, question, tmp_path, resume=True)
    assert again.complete
    assert again.effects["value"].to_list() == ["0", "20", "40"]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"turn": 9}, "the turn must be 1, 2, 3, 4, 5, 6 or 7, not 9"),
    ({"target": 0.0}, "a target needs a sweep: add --sweep PATH=VALUES"),
    ({"sweep": POINTS, "target": float("nan")}, "the target must be a number, not nan"),
    ({"sweep": "cards.Altar.color=blue,red", "target": 0.0}, "a target needs a sweep over numbers, not over blue, red"),
    ({"sweep": "cards.Altar.points"}, "'cards.Altar.points' is not a sweep: write PATH=5..9"),
    ({"sweep": "cards.Alter.points=1,2"}, "--set cards.Alter.points=1, cards.Alter: there is no such card"),
]


@pytest.mark.parametrize(("asked", "sentence"), MISTAKES)
def test_mistakes_are_reported_in_one_sentence(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(wsim.UserError) as refused:
        wsim.experiment_picks(**{"games": 5, **asked})
    assert str(refused.value).startswith(sentence)


COMMAND = ("experiment", "picks", "--policies", "random", "--games", "150", "--randomise", "1", "--threads", "1")


@pytest.mark.slow
def test_the_command_shows_the_sweep_and_its_target(wsim_command: Command) -> None:
    words = (*COMMAND, "--action", "build", "--sweep", POINTS, "--target", "10", "--fewest", "5", "--quiet")
    answer = wsim_command(*words)
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "Effects of picks, 150 games at each value of cards.Altar.points, picks random with chance 1"
    assert [line.split()[0] for line in lines[3:6]] == ["0", "20", "40"]
    assert lines[7] == "Where the effect on score is 10"
    assert "value: where the effect is 10, interpolated linearly between the values" in answer.out
    record = json.loads(wsim_command(*words, "--json").out)
    assert record["targets"][0]["status"] == "met"
    assert record["question"]["sweep"] == POINTS


@pytest.mark.slow
def test_an_empty_result_is_reported(wsim_command: Command) -> None:
    answer = wsim_command(*COMMAND, "--card", "Palace", "--age", "1", "--quiet")
    assert answer.code == 0
    assert "No row has a large enough effective sample size" in answer.out
