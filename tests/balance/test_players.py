"""A goal for several players: a patch must meet the targets for each player or for their mean.

The temple has four points too many for ``bold``, whereas ``lazy`` gains nothing from them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.balance.goals import SEARCH, write_goal
from tests.conftest import Command
from wsim.balance.ask import balance
from wsim.balance.cells import Cell
from wsim.balance.evaluator import Evaluator, averaged
from wsim.balance.goal import Goal, read_goal
from wsim.balance.measurements import Memory
from wsim.balance.proof import proven
from wsim.balance.transfer.answer import TransferSettings

pytestmark = pytest.mark.usefixtures("medal")
POINTS = ("wonders", "Temple", "points")
GOAL = """
players = ["bold", "lazy"]
[plan]
game = "medal"
set = ["wonders.Temple.points=4"]
[[target]]
of = "wonder"
only = "Temple"
within = 0.02
players = "each"
[[knob]]
path = "wonders.Temple.points"
range = "-4..4"
"""


def goal_for(players: str = "each", search: str = SEARCH) -> Goal:
    """Return the goal that the temple wins its share."""
    return read_goal(write_goal(GOAL.replace("each", players) + search))


def test_every_player_has_its_own_table_and_deals() -> None:
    goal = goal_for()
    assert [(one.name, one.table, one.plan.policies) for one in goal.settings] == [
        ("4 players, bold", "4 players", ("bold",)),
        ("4 players, lazy", "4 players", ("lazy",)),
    ]
    assert [one.name for one in goal.tables] == ["4 players, bold"]
    evaluator = Evaluator(goal, Memory(), 1)
    assert [cell.setting for cell in evaluator.cells] == ["4 players, bold", "4 players, lazy"]
    seeds = dict(evaluator.seeds_of("proof 1"))
    assert len(set(seeds.values())) == len(seeds) == 2


@pytest.mark.slow
def test_a_patch_works_for_one_player_and_not_for_the_other() -> None:
    """0 points are right with ``bold``, 4 with ``lazy``, and 2 in the mean of both, though with neither."""
    each, mean = (Evaluator(goal_for(players), Memory(), 1) for players in ("each", "mean"))
    found: dict[int, Any] = {}
    for points in (0, 2, 4):
        patch = ((POINTS, points),)
        level, both = (one.level(patch, "a test", 20_000) for one in (each, mean))
        found[points] = [*proven(each.cells, level, 0.025), *proven(mean.cells, both, 0.025)]
    assert found == {0: [True, False, False], 2: [False, False, True], 4: [False, True, False]}


def test_a_mean_averages_its_players_on_separate_deals() -> None:
    """By hand: a mean of two, with errors 0.3 and 0.4, has the error 0.25; what is of one player stays."""
    parts = [[Cell(who, "Temple", "win", 0.2, 0.3, over="four"), Cell(who, "Garden", "win", 0.1, 0.4)] for who in "ab"]
    cells, weights = averaged(parts)
    assert weights is not None
    assert [cell.setting for cell in cells] == ["four, mean of players", "a", "b"]
    assert (weights @ np.array([1.0, 10, 3, 30])).tolist() == [2, 10, 30]
    assert np.sqrt(np.array([0.3, 1, 0.4, 2]) ** 2 @ (weights**2).T).tolist() == pytest.approx([0.25, 1, 2])
    alone = [[Cell("a", "Temple", "win", 0.2, 0.3)]]
    assert averaged(alone) == (alone[0], None)


@pytest.mark.slow
def test_targets_that_no_patch_meets_for_every_player_are_named(wsim_command: Command) -> None:
    goal_for(search=SEARCH.replace("100_000", "20_000").replace("10_000", "4_000"))
    answer = wsim_command("balance", "goal.toml", "--out", "patch.toml", "--quiet", "--elsewhere-games", "500")
    assert answer.code == 3
    assert "Not proven: " in answer.out
    assert "4 players, lazy" in answer.out
    record = json.loads(Path("patch.json").read_text(encoding="utf-8"))
    assert [row["setting"] for row in record["targets"]] == ["4 players, bold", "4 players, lazy"]
    assert False in [row["proven"] for row in record["targets"]]
    (conflict,) = record["conflicts"]
    assert "win of Temple (4 players, bold)" in conflict
    assert "win of Temple (4 players, lazy)" in conflict
    assert [row["policies"] for row in record["carried"]] == ["bold", "lazy"]


@pytest.mark.slow
def test_the_mean_of_players_meets_the_target_and_is_shown_next_to_each() -> None:
    answer = balance(goal_for("mean"), settings=TransferSettings(players=("shy",), games=2_000))
    assert answer.proven
    assert dict(answer.patch)[POINTS] in (1, 2, 3)
    (row,) = answer.targets.to_dicts()
    assert row["setting"] == "4 players, mean of players"
    assert 0.23 < row["after_low"] < row["after_high"] < 0.27
    assert answer.carried is not None
    largest = dict(answer.carried.select("policies", "largest_after").rows())
    assert list(largest) == ["bold", "shy", "lazy"]  # another player is measured once for a table
    assert largest["bold"] > 0.02 > -0.02 > largest["lazy"]
