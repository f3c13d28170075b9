"""Figures of all games together: their derivatives, metrics of what-if, targets of balance, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.balance.goals import write_goal
from tests.conftest import Command
from wsim.balance.by_pooled import PooledEvaluator
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import read_goal
from wsim.balance.measurements import Memory
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.questions.contrasts import Contrasts
from wsim.questions.deals import Arm
from wsim.questions.pooled import (
    POOLED_FIGURES,
    components_of,
    diversity,
    explained,
    in_seatings,
    orders_of,
    plan_of,
    slopes,
)

MIXED: dict[str, Any] = {"players": 3, "policies": ["greedy", "science", "random"]}
GOAL = """
[plan]
players = 3
policies = "random"
[[target]]
metric = "character:ways_to_win"
at_least = 3.0
[[target]]
metric = "built:Altar"
at_least = 0.1
[[keep]]
metric = "character:ways_to_win"
within = 1.0
[[knob]]
path = "cards.Palace.points"
range = "0..1"
[search]
games = 400
replays = 400
"""
PATCH = ((("cards", "Palace", "points"), 9),)
WAYS = POOLED_FIGURES["ways_to_win"]


def test_derivatives_match_finite_differences() -> None:
    sums = np.array([5.0, 3.0, 0.0, 2.0])
    random = np.random.default_rng(3)
    deals = random.normal(0.1, 0.2, (17, 200))
    deals[0], deals[1:5] = 1.0, deals[1:5] ** 2 + 0.1
    for function, at in ((diversity, sums), (explained, deals.sum(axis=1))):
        for index, value in enumerate(at):
            if value:
                step = np.eye(len(at))[index] * 1e-5
                apart = (function(at + step) - function(at - step)) / 2e-5
                assert slopes(function, at)[..., index] == pytest.approx(apart, rel=1e-4, abs=1e-8)
    assert diversity(np.array([7.0, 7.0, 0.0])) == pytest.approx(2)


def arms_of(random: Any, deals: int, chances: Any) -> list[np.ndarray]:
    """Return the features of an arm with one metric, three per deal."""
    one = np.ones((1, deals))
    chosen = np.eye(3)[random.choice(3, deals, p=chances)].T
    return [np.zeros((1, deals)), one, 0 * one, *chosen[:, None]]


@pytest.mark.slow
def test_intervals_of_diversity_differences_cover_the_truth() -> None:
    """With independent arms and known shares, the stated error equals the standard deviation of the answers."""
    random, values, errors = np.random.default_rng(5), [], []
    first, second = (0.5, 0.3, 0.2), (0.6, 0.3, 0.1)
    for _ in range(300):
        known = Contrasts(1, 1, pooled=WAYS).plus([arms_of(random, 500, first), arms_of(random, 500, second)])
        effect = known.effects()
        values.append(effect.value[0])
        errors.append(effect.error[0])
        assert known.base().value[0] + effect.value[0] == pytest.approx(known.changed().value[0])
    truth = diversity(np.array(second)) - diversity(np.array(first))
    assert np.mean(values) == pytest.approx(truth, abs=0.02)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.12)
    assert 0.91 <= np.mean(np.abs(values - truth) <= 1.96 * np.array(errors)) <= 0.99


def test_identical_arms_have_no_difference() -> None:
    arm = arms_of(np.random.default_rng(6), 300, (0.5, 0.3, 0.2))
    known = Contrasts(2, 1, pooled=WAYS).plus([arm, arm, arm]).plus([arm, arm, arm])
    assert known.identical(0)
    assert known.effects().value == pytest.approx(np.zeros(2))
    assert known.effects().error == pytest.approx(np.zeros(2))
    assert known.counts().tolist() == [[600, 600]] * 2
    assert known.base().value[0] == pytest.approx(diversity(np.stack(arm[3:]).sum(axis=(1, 2))))


def test_every_deal_is_played_in_every_seating() -> None:
    plan = in_seatings(Plan.make(**MIXED, games=1, seed=4))
    simulator = find_game(plan.game).prepare(plan)
    arm = Arm("", (simulator,), seatings=True)
    frame = arm.frame(range(3, 5))
    assert arm.games_of_deal == 3
    assert frame.height == 2 * 3 * 3
    policies = frame["policy"].cast(pl.String).to_numpy().reshape(2, 3, 3)
    for order, there in zip(orders_of(3), policies[1], strict=True):
        assert there.tolist() == [MIXED["policies"][entry] for entry in order]
    # boards belong to seats and deals, so they are the same in all seatings of a deal
    wonders = frame["wonder"].cast(pl.String).to_numpy().reshape(2, 3, 3)
    assert (wonders == wonders[:, :1]).all()
    # the last seating alone, as the plan itself plays it
    turned = plan.replace(policies=list(np.roll(MIXED["policies"], -2)))
    alone = Arm("", (find_game(plan.game).prepare(turned),)).frame(range(3, 5))
    assert frame["total"].to_numpy().reshape(2, 3, 3)[:, 2].ravel().tolist() == alone["total"].to_list()
    assert components_of(frame, 2, 3).shape == (17, 2)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["skill", "deal", "seat", "skill_by_deal"])
def test_variance_shares_match_the_experiment(metric: str) -> None:
    answer = wsim.whatif(**MIXED, set=["cards.Palace.points=30"], metric=f"character:{metric}", budget=200, seed=8)
    own = wsim.experiment_character(**MIXED, games=200, deals=200, seed=8)
    row = own.components.row(by_predicate=pl.col("source") == metric.replace("_", " "), named=True)
    assert answer.details["baseline"][0] == pytest.approx(row["share"], abs=1e-12)
    assert answer.deals == 200
    assert answer.games == 200 * 3 * 2
    wins = dict(answer.details.select("metric", "baseline").iter_rows())
    assert wins["win:random"] < 0.02 < wins["win:greedy"] < wins["win:science"]  # rows say who plays, in every seating


@pytest.mark.slow
def test_ways_to_win_match_the_experiment() -> None:
    keys: dict[str, Any] = {"players": 3, "policies": ["greedy"], "seed": 9}
    answer = wsim.whatif(**keys, set=["cards.Palace.points=30"], metric="character:ways_to_win", budget=300)
    own = wsim.experiment_character(**keys, games=300, variant=["cards.Palace.points=30"])
    there = own.differences.row(by_predicate=pl.col("figure") == "ways_to_win", named=True)
    assert answer.details["baseline"][0] == pytest.approx(there["baseline"])
    assert answer.details["effect"][0] == pytest.approx(there["difference"])
    assert answer.details["effect"][0] < 0  # 30 points for a blue card: one way remains


@pytest.fixture
def evaluator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluator:
    monkeypatch.chdir(tmp_path)
    return Evaluator(read_goal(write_goal(GOAL)), Memory(), 1, execution=Execution(1))


@pytest.mark.slow
def test_pooled_targets_are_measured_and_points_replayed(evaluator: Evaluator) -> None:
    level, effects = evaluator.linearised((), "once", 400, 400)
    assert [cell.name for cell in evaluator.cells] == [
        "built:Altar", "character:ways_to_win", "change of character:ways_to_win"
    ]  # fmt: skip
    assert 1 < level.value[1] < 8
    assert (level.value[2], level.error[2]) == (0.0, 0.0)
    (index,) = (number for number, option in enumerate(evaluator.options) if option.value == 9)
    assert effects.replayed[index].all()
    part = evaluator._parts[-1]
    assert isinstance(part, PooledEvaluator)
    there = part.level(PATCH, evaluator._seed("replays", part), 400)
    here = part.level((), evaluator._seed("replays", part), 400)
    assert effects.value[index, 1:] == pytest.approx([there.value[0] - here.value[0], there.value[1]])
    assert effects.error[index, 1] == pytest.approx(there.error[1])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--metric", "character:skill"), "What skill explains needs a mixed table"),
        (("--metric", "character:deal", "--players", "2"), "deal needs at least 3 players"),
        (("--metric", "character:ways_to_win", "--seat", "0"), "omit seat and ban"),
        (("--metric", "character:skil"), "unknown figure 'skil' (did you mean 'skill'?)"),
    ],
)
def test_invalid_questions_are_rejected(words: tuple[str, ...], message: str, wsim_command: Command) -> None:
    result = wsim_command("whatif", "--set", "cards.Palace.points=30", *words)
    assert result.code == 2
    assert message in result.err


def test_a_target_over_all_seats_names_no_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    goal = GOAL.replace('ways_to_win"\nat_least', 'ways_to_win"\nof = "wonder"\nat_least')
    with pytest.raises(UserError, match="is a figure of all seats together: omit of"):
        Evaluator(read_goal(write_goal(goal)), Memory(), 1)
    with pytest.raises(UserError, match="needs a mixed table"):
        plan_of(Plan.make(players=3, games=1), POOLED_FIGURES["skill"])
