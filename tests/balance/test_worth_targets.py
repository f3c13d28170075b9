"""Targets on the worth of a card to the seat that wants it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wsim
from tests.balance.goals import write_goal
from tests.conftest import Command
from wsim.balance.by_games import GamesEvaluator
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import read_goal
from wsim.balance.measurements import Memory
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.lab.wishes import WishSums, items_of

GOAL = """
[plan]
policies = "random"
[[target]]
metric = "worth:Altar"
value = 0.1
within = 0.02
[[target]]
metric = "win"
of = "side"
within = 0.1
[[keep]]
metric = "worth_points:Baths"
within = 0.5
[[knob]]
path = "cards.Altar.points"
range = "-2..3"
[[knob]]
path = "cards.Altar.cost.coins"
range = "0..2"
[search]
games = 1500
replays = 1500
"""
GAMES, SEED = 1500, 5
PATCH = ((("cards", "Altar", "points"), 4),)
DEARER = ((("cards", "Altar", "cost", "coins"), 2),)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(read_goal(write_goal(GOAL)), Memory(), 1, execution=Execution(1))


def part_of(evaluator: Evaluator) -> GamesEvaluator:
    """Return the part that measures worth, in separate games so that wins come from undisturbed players."""
    plain, wished = evaluator._parts
    assert isinstance(plain, GamesEvaluator)
    assert isinstance(wished, GamesEvaluator)
    assert [cell.metric for cell in plain.cells] == ["win", "win"]
    assert "overrule" not in plain.setting.plan.options
    assert [cell.metric for cell in wished.cells] == ["worth:Altar", "worth_points:Baths"]
    return wished


@pytest.mark.slow
def test_the_level_equals_the_worth_experiment_on_the_same_deals(evaluator: Evaluator) -> None:
    level = part_of(evaluator).level((), SEED, GAMES)
    answer = wsim.experiment_worth(policies="random", games=GAMES, seed=SEED)
    row = answer.worth.row(by_predicate=to_build("Altar"), named=True)
    assert level.value[0] == pytest.approx(row["worth"], abs=1e-12)
    assert level.error[0] * 1.96 == pytest.approx((row["worth_high"] - row["worth_low"]) / 2, rel=0.03)
    assert (level.value[1], level.error[1]) == (0.0, 0.0)  # a change from the games without a patch


def to_build(card: str) -> pl.Expr:
    return (pl.col("what") == "build") & (pl.col("name") == card)


@pytest.mark.slow
def test_giving_points_equals_playing_for_them_if_players_ignore_points(evaluator: Evaluator) -> None:
    part = part_of(evaluator)
    before, effects = part.linearised((), SEED, GAMES, evaluator.options)
    (index,) = (
        number for number, option in enumerate(evaluator.options)
        if evaluator.knobs[option.knob].path[-1] == "points" and option.value == 4
    )  # fmt: skip
    after = part.level(PATCH, SEED, GAMES)
    assert after.value[0] - before.value[0] > 0.01
    assert effects.value[index, 0] == pytest.approx(after.value[0] - before.value[0], abs=1e-9)
    assert 0 < effects.error[index, 0] < before.error[0]


@pytest.mark.slow
def test_prices_are_replayed_and_changes_are_differences_of_worth(evaluator: Evaluator) -> None:
    part = part_of(evaluator)
    before, after = (part.level(patch, SEED, GAMES) for patch in ((), DEARER))
    effects = part.replayed(SEED, GAMES, evaluator.options, before)
    (index,) = (
        number for number, option in enumerate(evaluator.options)
        if evaluator.knobs[option.knob].path[-1] == "coins" and option.value == 2
    )  # fmt: skip
    assert effects.replayed[index].all()
    played = after.value[0] - before.value[0]
    assert effects.value[index, 0] == pytest.approx(played, abs=0.25 * before.error[0])  # linear in the sums
    assert played == pytest.approx(0.0, abs=5 * effects.error[index, 0])
    tables = [
        wsim.experiment_worth(policies="random", games=GAMES, seed=SEED, set=changes).worth.filter(to_build("Baths"))
        for changes in ((), ("cards.Altar.cost.coins=2",))
    ]
    gained = tables[1]["points"].item() - tables[0]["points"].item()
    assert after.value[1] == pytest.approx(gained, abs=1e-9)
    assert effects.value[index, 1] == pytest.approx(gained, abs=0.25 * after.error[1] + 0.02)
    assert np.isfinite(after.error).all()


@pytest.mark.slow
def test_viability_targets_use_undisturbed_games() -> None:
    goal = GOAL.replace("worth:Altar", "wanted:Altar").replace("worth_points:Baths", "score")
    results, part = Evaluator(read_goal(write_goal(goal)), Memory(), 1, execution=Execution(1))._parts
    assert [cell.metric for cell in results.cells] == ["win", "win", "score"]
    assert [cell.metric for cell in part.cells] == ["wanted:Altar"]
    level = part.level((), SEED, 300)
    sums = WishSums(part._base, "seven_wonders")  # type: ignore[attr-defined]
    plan = sums.simulator.plan.replace(seed=SEED)
    arrays = WishSums(find_game("seven_wonders").prepare(plan), "seven_wonders")(range(300)).arrays
    number = items_of(sums.simulator).index("Altar")
    assert level.value[0] == pytest.approx(arrays["worth/totals"][number, 0] / arrays["worth/reach"][number])
    undisturbed = (
        wsim.simulate(policies="random", games=300, seed=SEED).group_by("side").agg(pl.col("win_share").mean())
    )
    wins = results.level((), SEED, 300).value[:2]
    assert wins == pytest.approx(undisturbed.sort("side")["win_share"].to_numpy())
    with pytest.raises(UserError, match="wanted and character are measured in different games: use two goals"):
        Evaluator(read_goal(write_goal(goal.replace('"score"', '"character:drama"'))), Memory(), 1)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["wanted:Altar", "built:Altar"])
def test_points_change_behaviour_only_in_played_games(metric: str) -> None:
    goal = GOAL.replace("worth:Altar", metric).replace("worth_points:Baths", "score").replace('"random"', '"greedy"')
    evaluator = Evaluator(read_goal(write_goal(goal)), Memory(), 1, execution=Execution(1))
    _, effects = evaluator.linearised((), "once", 600, 600)
    (index,) = (
        number for number, option in enumerate(evaluator.options)
        if evaluator.knobs[option.knob].path[-1] == "points" and option.value == 5
    )  # fmt: skip
    (cell,) = (number for number, cell in enumerate(evaluator.cells) if cell.metric == metric)
    assert effects.replayed[index].tolist() == [number == cell for number in range(len(evaluator.cells))]
    assert effects.value[index, cell] > 3 * effects.error[index, cell] > 0
    evaluator.check_knobs(effects)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("worth:Altr", "names no item that can be wanted (did you mean 'Altar'?)"),
        ("worth", "names no item that can be wanted"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(text: str, sentence: str, wsim_command: Command) -> None:
    write_goal(GOAL.replace("worth:Altar", text))
    answer = wsim_command("balance", "goal.toml")
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


@pytest.mark.slow
def test_an_unreachable_worth_target_is_rejected(wsim_command: Command) -> None:
    write_goal(GOAL.replace("value = 0.1", "value = -2"))
    answer = wsim_command("balance", "goal.toml")
    assert (answer.code, answer.out) == (2, "")
    assert "worth in win share is between -1 and 1, never in -2.02..-1.98" in answer.err
