"""Goal files: their meaning, and every mistake in them as one sentence without any file written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import wsim
from tests.balance.goals import KNOBS, SEARCH, TARGET, UNBALANCED, write_goal
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import KnobRow, Target, read_goal
from wsim.balance.knobs import _matching, changes_of, cost_of, knobs_of, options_of, patch_of, values_in
from wsim.errors import UserError
from wsim.game import find_game

pytestmark = pytest.mark.usefixtures("medal")


def test_the_only_number_of_a_formula_needs_no_position() -> None:
    clause = ("cards", "Levy", "when", "1")
    values: dict[tuple[str, ...], int] = {(*clause, "take:1"): 3, (*clause, "give:1"): 1, (*clause, "give:2"): 2}
    assert _matching(KnobRow("cards.Levy.when.1.take", "-1..1"), values) == [(*clause, "take:1")]
    assert _matching(KnobRow("cards.Levy.when.1.give:2", "-1..1"), values) == [(*clause, "give:2")]
    with pytest.raises(UserError, match=r"'cards.Levy.when.1.give' matches no whole number"):
        _matching(KnobRow("cards.Levy.when.1.give", "-1..1"), values)


def test_a_goal_is_read() -> None:
    goal = read_goal(write_goal())
    (setting,) = goal.settings
    assert (setting.name, setting.plan.game, setting.report) == ("4 players, bold", "medal", False)
    assert goal.of(setting) == list(goal.targets)
    assert goal.targets[0].bounds(0.25) == (0.23, 0.27)
    assert goal.search.games == 10_000
    assert read_goal(write_goal(name="again.toml")).digest == goal.digest
    other = read_goal(write_goal(UNBALANCED + TARGET.replace("0.02", "0.03") + KNOBS + SEARCH))
    assert other.digest != goal.digest


def test_settings_share_a_plan_and_targets_select_settings() -> None:
    rows = """
[[setting]]
name = "three"
players = 3
[[setting]]
name = "five"
players = 5
[[setting]]
name = "six"
players = 6
report = true
[[target]]
of = "wonder"
only = "Temple"
relative = 0.1
settings = "five"
"""
    goal = read_goal(write_goal(UNBALANCED + TARGET + rows + KNOBS))
    assert [len(goal.of(one)) for one in goal.settings] == [1, 2, 0]
    assert goal.targets[1].bounds(0.2) == pytest.approx((0.18, 0.22))
    assert {one.plan.set for one in goal.settings} == {goal.settings[0].plan.set}


def test_knobs_expand_to_matching_values() -> None:
    goal = read_goal(write_goal())
    knobs = knobs_of(goal, find_game("medal").prepare(goal.settings[0].plan))
    found = {knob.name: (knob.base, knob.low, knob.high) for knob in knobs}
    assert found["wonders.Temple.points"] == (4, 0, 8)
    assert found["wonders.Colossus.salt"] == (0, 0, 2)  # never below 0
    assert len(options_of(knobs)) == sum(high - low + 1 for _, low, high in found.values())
    patch = patch_of(knobs, [0 if knob.name == "wonders.Temple.points" else knob.base for knob in knobs])
    assert changes_of(patch) == ("wonders.Temple.points=0",)
    assert values_in(knobs, patch)[[knob.name for knob in knobs].index("wonders.Temple.points")] == 0
    assert cost_of(knobs, patch) == pytest.approx(1 + 4 * 0.35)


ONLY_SIDE_A = """
[plan]
sides = "A"
policies = "random"
[[target]]
of = "wonder,side"
only = "Gizah B"
within = 0.1
[[knob]]
path = "wonders.Gizah.sides.B.1.points"
range = "-1..1"
"""
TABLE = UNBALANCED.replace('policies = "bold"\n', "")
MISTAKES = {
    "an unknown section": (UNBALANCED + TARGET + KNOBS + "[[targets]]\n", "unknown section 'targets' (did you mean"),
    "an unknown key": (
        UNBALANCED + TARGET + "withn = 1\n" + KNOBS,
        "unknown key of a target 'withn' (did you mean 'within'?)",
    ),
    "a plan's mistake": ("[plan]\nplayer = 4\n" + TARGET + KNOBS, "unknown plan key 'player'"),
    "a key of no setting": ("[plan]\ngames = 4\n" + TARGET + KNOBS, "'games' is not a key of a setting"),
    "no knob": (UNBALANCED + TARGET, "needs at least one [[knob]]"),
    "no target": (UNBALANCED + KNOBS, "needs at least one [[target]]"),
    "a target without a bound": (UNBALANCED + "[[target]]\nof = 'wonder'\n" + KNOBS, "needs either within"),
    "contradictory bounds": (
        UNBALANCED + "[[target]]\nof = 'wonder'\nat_least = 0.4\nat_most = 0.2\n" + KNOBS,
        "is impossible: at_least 0.4 is above at_most 0.2",
    ),
    "an impossible share": (
        UNBALANCED + "[[target]]\nof = 'wonder'\nat_least = 1.2\n" + KNOBS,
        "a share is between 0 and 1",
    ),
    "shares that cannot all be large": (
        UNBALANCED + "[[target]]\nof = 'wonder'\nat_least = 0.3\n" + KNOBS,
        "win shares at this table have the mean 0.25",
    ),
    "a name that is not there": (
        UNBALANCED + "[[target]]\nof = 'wonder'\nonly = 'Tempel'\nwithin = 0.1\n" + KNOBS,
        "selects 'Tempel', which does not exist (did you mean 'Temple'?)",
    ),
    "an event that never happens": (
        ONLY_SIDE_A,
        "Gizah B hardly ever occurs at this table",
    ),
    "a column that is not there": (
        UNBALANCED + "[[target]]\nof = 'wander'\nwithin = 0.1\n" + KNOBS,
        "is of 'wander' (did you mean 'wonder'?)",
    ),
    "a metric that is not there": (
        UNBALANCED + "[[target]]\nmetric = 'scores'\nvalue = 1\nwithin = 0.1\n" + KNOBS,
        "unknown metric 'scores'",
    ),
    "a knob of nothing": (
        UNBALANCED + TARGET + "[[knob]]\npath = 'wonders.*.pints'\nrange = '-1..1'\n",
        "matches no whole number of the game (did you mean 'wonders.Temple.points'?)",
    ),
    "a contradictory range": (
        UNBALANCED + TARGET + "[[knob]]\npath = 'wonders.*.points'\nrange = '2..-2'\n",
        "is contradictory: 2 is above -2",
    ),
    "a range without the present value": (
        UNBALANCED + TARGET + "[[knob]]\npath = 'wonders.Temple.points'\nrange = '6..9'\nabsolute = true\n",
        "the range '6..9' excludes 4, the current value of wonders.Temple.points",
    ),
    "two knobs for one value": (
        UNBALANCED + TARGET + KNOBS + "[[knob]]\npath = 'wonders.Temple.*'\nrange = '-1..1'\n",
        "two knobs change wonders.Temple.points",
    ),
    "a knob without a range": (UNBALANCED + TARGET + "[[knob]]\npath = 'wonders.*.points'\n", "a knob needs a range"),
    "a setting that is not there": (
        UNBALANCED + TARGET + "settings = 'fuor'\n" + KNOBS,
        "there is no setting 'fuor'",
    ),
    "a target for players that nobody names": (
        UNBALANCED + TARGET + "players = 'mean'\n" + KNOBS,
        "uses the mean of players, but the goal names no players",
    ),
    "a target for some of the players": (
        UNBALANCED + TARGET + "players = 'most'\n" + KNOBS,
        "must hold for each of the players or for their mean, not 'most'",
    ),
    "players and policies": (
        "players = ['bold', 'lazy']\n" + UNBALANCED + TARGET + KNOBS,
        "omit policies of its settings",
    ),
    "a number of players": ("players = 4\n" + TABLE + TARGET + KNOBS, "must be line-up entries, such as"),
    "one player": ("players = ['bold']\n" + TABLE + TARGET + KNOBS, "at least two players, not 1"),
    "a player named twice": ("players = ['bold', 'bold']\n" + TABLE + TARGET + KNOBS, "'bold' is named twice"),
    "too many players": (
        f"players = {[f'bold:a={place}' for place in range(21)]}\n" + TABLE + TARGET + KNOBS,
        "1 for each of 21 players, are too many: at most 20",
    ),
    "a text for a number": (UNBALANCED + TARGET.replace("0.02", "'2 %'") + KNOBS, "target.within must be a number"),
    "a game without knobs": (
        "[plan]\ngame = 'tower_of_babel'\n" + TARGET + KNOBS,
        "tower_of_babel has no values that wsim can tune",
    ),
    "no TOML": ("[plan", "not valid TOML"),
}


@first_quick(9, "mistake", MISTAKES)
def test_a_mistake_is_reported_in_one_sentence(mistake: str, wsim_command: Command) -> None:
    text, said = MISTAKES[mistake]
    goal = write_goal(text)
    for words in (("sensitivity", goal), ("balance", goal, "--out", "patch.toml")):
        answer = wsim_command(*words)
        assert (answer.code, answer.out) == (2, "")
        assert said in answer.err
        assert answer.err.startswith("wsim: ")
        assert answer.err.count("\n") == 1
        assert [one.name for one in Path().iterdir()] == ["goal.toml"]


def test_all_mistakes_of_the_settings_are_listed_together() -> None:
    with pytest.raises(UserError) as caught:
        wsim.sensitivity({"setting": [{"player": 3}, {"name": 2}, {"games": 4}]})
    sentences = str(caught.value).split("\nalso: ")
    known = ("unknown plan key", "name must be a string", "'games' is not a key")
    for sentence, said in zip(sentences, known, strict=True):
        assert said in sentence


def test_all_mistakes_of_one_target_are_listed_together() -> None:
    with pytest.raises(UserError) as caught:
        wsim.sensitivity({"target": [{"within": -1.0, "at_least": 0.3, "only": ["Gizah"], "randomise": 2.0}]})
    sentences = str(caught.value).split("\nalso: ")
    known = ("either within", "within = -1", "filters names but gives no column", "a chance between")
    for sentence, said in zip(sentences, known, strict=True):
        assert said in sentence


def test_a_knob_without_effect_is_rejected(wsim_command: Command) -> None:
    idle = "[[knob]]\npath = 'cards.Medal.salt'\nrange = '0..1'\n"
    text = UNBALANCED + "[[target]]\nmetric = 'built:Medal'\nvalue = 0.25\nwithin = 0.1\n" + idle
    goal = write_goal(text)
    for words in (("sensitivity", goal), ("balance", goal, "--out", "patch.toml")):
        answer = wsim_command(*words, "--games", "2000", "--replays", "500", "--quiet")
        assert (answer.code, answer.out) == (2, "")
        assert "the knob 'cards.Medal.salt' has no effect on any target" in answer.err
        assert answer.err.count("\n") == 1
        assert [one.name for one in Path().iterdir()] == ["goal.toml"]


def test_all_knobs_without_effect_are_named_together() -> None:
    rows = [SimpleNamespace(path=name) for name in ("points", "salt", "sugar")]
    knobs = [SimpleNamespace(row=row, name=str(row)) for row in range(3)]
    evaluator: Any = SimpleNamespace(
        options=[SimpleNamespace(knob=knob) for knob in range(3)], knobs=knobs, goal=SimpleNamespace(knobs=rows)
    )
    effects: Any = SimpleNamespace(value=np.array([[0.2], [0.0], [0.0]]), error=np.zeros((3, 1)))
    with pytest.raises(UserError, match="the knobs 'salt', 'sugar' have no effect on any target in these games"):
        Evaluator.check_knobs(evaluator, effects)
    effects.value[1:] = 0.1
    assert Evaluator.check_knobs(evaluator, effects) == []


def test_a_missing_goal_file_is_reported(wsim_command: Command) -> None:
    assert wsim_command("sensitivity", "no.toml").err == (
        "wsim: cannot read the goal file 'no.toml': No such file or directory\n"
    )


@pytest.mark.parametrize("goal", [5, None, [], "\0", object()])
def test_a_goal_of_a_different_type_is_reported_in_one_sentence(goal: Any) -> None:
    for ask in (wsim.smallest_patch, wsim.sensitivity):
        with pytest.raises(UserError, match=r"^goal must be a goal file or its tables, not "):
            ask(goal)


def test_a_relative_tolerance_is_a_fraction_of_the_fair_share() -> None:
    """12 % of a fair quarter is 0.03, around the fair share or any other value; ``within`` is what it says."""
    assert Target("fair", relative=0.12).bounds(0.25) == pytest.approx((0.22, 0.28))
    assert Target("half", relative=0.12, value=0.5).bounds(0.25) == pytest.approx((0.47, 0.53))
    assert Target("half", within=0.01, value=0.5).bounds(0.25) == pytest.approx((0.49, 0.51))
    assert Target("most", at_most=0.4).bounds(0.25) == (-float("inf"), 0.4)
