"""Effects of knobs: known by construction, and the same whether points are added by replay or games are played."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.balance.goals import KNOBS, TARGET, UNBALANCED, write_goal
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import read_goal
from wsim.balance.measurements import Memory
from wsim.balance.sensitivity.answer import ask
from wsim.balance.sensitivity.question import SensitivityQuestion
from wsim.game import find_game
from wsim.lab.plan import Plan

FEW = ("--games", "4000", "--replays", "2000")


@pytest.mark.slow
@pytest.mark.usefixtures("medal")
def test_estimated_effects_match_the_measured_effect_of_a_change() -> None:
    """A point is worth as much as a salt less costs: one is re-scored, the other played, on other deals."""
    goal = read_goal(write_goal(UNBALANCED + TARGET + KNOBS + "[search]\ngames = 40000\nreplays = 40000\n"))
    answer = ask(SensitivityQuestion(goal=goal))
    rows = {(row["knob"], row["to"], row["of"]): row for row in answer.effects.to_dicts()}
    assert {row["found"] for row in rows.values()} == {"re-scored", "replayed"}
    salted = rows["wonders.Garden.salt", 0, "Garden"]
    given = rows["wonders.Garden.points", 2, "Garden"]
    assert salted["found"] == "replayed"
    assert given["found"] == "re-scored"
    assert salted["effect"] == pytest.approx(given["effect"], abs=0.006)
    assert salted["effect_low"] < salted["effect"] < salted["effect_high"]
    assert rows["wonders.Temple.points", 0, "Temple"]["effect"] < -0.06
    assert rows["wonders.Temple.points", 0, "Temple"]["reach"] < -3


@pytest.mark.slow
@pytest.mark.usefixtures("medal")
def test_the_interval_of_replayed_points_extends_towards_zero() -> None:
    """Decisions held fixed, a re-scored effect is the upper end: a quarter may be missing; a played one has all."""
    goal = read_goal(write_goal(UNBALANCED + TARGET + KNOBS + "[search]\ngames = 4000\nreplays = 4000\n"))
    evaluator = Evaluator(goal, Memory(), 1)
    _, effects = evaluator.linearised((), "sensitivity", 4000, 4000)
    base = [evaluator.knobs[one.knob].base != one.value for one in evaluator.options]
    value, error = effects.value[base].reshape(-1), 1.959964 * effects.error[base].reshape(-1)
    held = ~effects.replayed[base].reshape(-1)
    answer = ask(SensitivityQuestion(goal=goal)).effects
    low, high = value - error, value + error
    low, high = np.where(held & (value > 0), low - value / 4, low), np.where(held & (value < 0), high - value / 4, high)
    assert answer["effect"].to_list() == pytest.approx(value)
    assert answer["effect_low"].to_list() == pytest.approx(low, abs=1e-6)
    assert answer["effect_high"].to_list() == pytest.approx(high, abs=1e-6)


@pytest.mark.usefixtures("medal")
def test_the_strongest_effect_is_chosen_by_absolute_size() -> None:
    """If a step moves one target by -2 reaches and another by 1, the first effect is shown."""
    goal = read_goal(write_goal(UNBALANCED + TARGET + KNOBS + "[search]\ngames = 200\nreplays = 100\n"))
    found = ask(SensitivityQuestion(goal=goal))
    rows = [
        {"knob": "a", "to": 1, "of": of, "reach": reach} for of, reach in (("up", 1.0), ("down", -2.0), ("no", None))
    ]
    assert replace(found, effects=pl.DataFrame(rows)).strongest()["of"].to_list() == ["down"]


@pytest.mark.slow
@pytest.mark.usefixtures("medal")
def test_an_effect_is_the_difference_of_two_levels() -> None:
    goal = read_goal(write_goal())
    evaluator = Evaluator(goal, Memory(), 1)
    level, effects = evaluator.linearised((), "once", 20_000, 20_000)
    names = [evaluator.knobs[one.knob].name for one in evaluator.options]
    place = next(i for i, one in enumerate(evaluator.options) if names[i] == "wonders.Temple.points" and one.value == 1)
    there = evaluator.level(((("wonders", "Temple", "points"), 1),), "once", 20_000)
    assert effects.value[place] == pytest.approx(there.value - level.value, abs=1e-9)  # decisions do not depend on it
    assert np.all(effects.error[place] < level.error)


@pytest.mark.slow
@pytest.mark.usefixtures("medal")
def test_the_table_of_effects(wsim_command: Command) -> None:
    goal = write_goal()
    answer = wsim_command("sensitivity", goal, *FEW, "--top", "3")
    assert (answer.code, answer.err) == (0, "")
    assert "wonders.Temple.points" in answer.out
    told = json.loads(wsim_command("sensitivity", goal, *FEW, "--json").out)
    again = json.loads(wsim_command("sensitivity", goal, *FEW, "--json", "--threads", "2").out)
    assert told["effects"] == again["effects"]
    assert told["format"] == "wsim-sensitivity/1"
    assert len(told["levels"]) == 3
    assert len({(row["knob"], row["to"]) for row in told["effects"]}) == len(told["effects"])
    every = json.loads(wsim_command("sensitivity", goal, *FEW, "--json", "--every").out)
    assert len(every["effects"]) == 3 * len(told["effects"])


BY_FORMULA = """
[plan]
policies = "random"
set = ["wonders.Gizah.A.1.when=[{event='scored', points='20 if stages > 0 else 0'}, {event='sold', gain={coins=1}}]"]

[[target]]
of = "wonder"
within = 0.1

[[knob]]
path = "wonders.Gizah.sides.A.1.when.*.*"
range = "-2..2"
absolute = false

[search]
games = 2000
replays = 2000
"""


@pytest.mark.slow
@pytest.mark.usefixtures("elsewhere")
def test_a_number_of_a_formula_is_a_knob_whose_effect_is_reported() -> None:
    """Random players ignore points: the points taken off are missing wherever the stage is built, and nothing else
    changes.
    """
    goal = read_goal(write_goal(BY_FORMULA))
    answer = ask(SensitivityQuestion(goal=goal)).effects
    name = 'wonders.Gizah.sides.A.1.when.1."points:1"'
    found = {row["to"]: row["effect"] for row in answer.to_dicts() if (row["knob"], row["of"]) == (name, "Gizah")}
    assert min(found) < 20 < max(found)
    assert all(effect > 0 if to > 20 else effect < 0 for to, effect in found.items())


# --- 7 Wonders --------------------------------------------------------------------------------------------------------

TABLES = [("1e", 3), ("1e", 5), ("2e-cities-teams", 4), ("1e-duo", 2)]


def played(ruleset: str, players: int, *changes: str) -> tuple[object, pl.DataFrame]:
    plan = Plan.make(ruleset=ruleset, players=players, policies="random", seed=7, set=changes)
    simulator = find_game("seven_wonders").prepare(plan)
    rows = np.zeros(300 * simulator.seats, simulator.row_dtype)
    simulator.play(0, rows)
    return simulator, simulator.seats_frame(rows)


@first_quick(1, ("ruleset", "players"), TABLES)
def test_giving_points_by_replay_equals_playing_for_them(ruleset: str, players: int) -> None:
    """Random players ignore points, so a patched game differs only in its score."""
    tuning = find_game("seven_wonders").TUNING
    assert tuning is not None
    simulator, seats = played(ruleset, players)
    values = tuning.values(simulator)
    stages = [path for path in values if path[0] == "wonders" and path[-1] == "points" and path[4] == "1"]
    path = next(path for path in stages if tuning.worth(simulator, path, seats).any())  # type: ignore[union-attr]
    card = ("cards", "Altar" if ("cards", "Altar", "points") in values else "Baths", "points")
    for one in (path, card):
        worth = tuning.worth(simulator, one, seats)
        assert worth is not None
        assert worth.any()
        changed = f"{'.'.join(one)}={values[one] + 9}"
        _, there = played(ruleset, players, changed)
        assert (there["total"] - seats["total"]).to_list() == (9 * worth).tolist()
        shares = tuning.shares(simulator, seats)
        by_game = worth.reshape(300, -1)
        everywhere = np.arange(300)
        assert shares(everywhere, 9 * by_game).reshape(-1) == pytest.approx(there["win_share"].to_numpy())
        assert shares(everywhere, 0 * by_game).reshape(-1) == pytest.approx(seats["win_share"].to_numpy())


def test_a_stage_is_replayed_only_in_games_with_its_side() -> None:
    tuning = find_game("seven_wonders").TUNING
    assert tuning is not None
    simulator, seats = played("1e", 4)
    path = ("wonders", "Gizah", "sides", "B", "2", "cost", "coins")
    focus = tuning.focus(simulator, path)
    assert focus is not None
    plan, present = focus
    focused = find_game("seven_wonders").prepare(plan)
    rows = np.zeros(200 * 4, focused.row_dtype)
    focused.play(0, rows)
    there = focused.seats_frame(rows)
    assert present(there).reshape(200, 4).any(axis=1).all()
    share = present(seats).reshape(300, 4).any(axis=1).mean()
    assert share == pytest.approx(2 / 7, abs=0.1)
    assert tuning.worth(simulator, path, seats) is None
    assert tuning.focus(simulator, ("cards", "Palace", "cost", "coins")) is None
    chosen = find_game("seven_wonders").prepare(Plan.make(players=4, policies="random", sides="A"))
    assert tuning.focus(chosen, path) is None


def test_every_value_can_be_written() -> None:
    """Each number is at its path: writing the existing value changes nothing."""
    tuning = find_game("seven_wonders").TUNING
    assert tuning is not None
    simulator = find_game("seven_wonders").prepare(Plan.make())
    values = tuning.values(simulator)
    paths: list[tuple[str, ...]] = [
        ("cards", "Scientists Guild", "cost", "ore"),
        ("cards", "Vineyard", "coins_per", "n"),
    ]
    paths += [("wonders", "Rhodos", "sides", "B", "2", "points"), ("rulesets", "1e", "settings", "trade_price")]
    changes = [f"{'.'.join(path)}={values[path]}" for path in paths]
    same = find_game("seven_wonders").prepare(Plan.make(set=changes))
    assert same.provenance()["catalogue_digest"] == simulator.provenance()["catalogue_digest"]
    assert tuning.values(same) == values
