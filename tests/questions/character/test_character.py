"""wsim experiment character: its tables, differences between arms, variance shares, and invalid questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.conftest import Command
from wsim.balance.goal import read_goal
from wsim.errors import UserError
from wsim.questions.metrics import followed_for
from wsim.questions.pooled import explained

GOAL = """
[plan]
players = 3
policies = "balanced"
[[target]]
metric = "character:drama"
at_least = 0.1
at_most = 0.2
[[knob]]
path = "wonders.Rhodos.sides.B.*.points"
range = "-1..0"
"""


@pytest.mark.slow
def test_the_character_of_one_plan_is_reported() -> None:
    answer = wsim.experiment_character(players=3, ruleset="1e", policies=["net"], games=600, seed=3)
    figures = {row["figure"]: row for row in answer.figures.to_dicts()}
    assert 0.3 < figures["half_at"]["estimate"] < figures["safe_at"]["estimate"] < 1
    assert figures["drama"]["estimate"] < figures["deepest"]["estimate"]
    assert figures["targeted"]["estimate"] > 0
    assert 1 < figures["ways_to_win"]["estimate"] < 8
    assert all(row["estimate_low"] < row["estimate"] < row["estimate_high"] for row in figures.values())
    assert figures["drama"]["n"] == 600
    assert answer.settled["share"].sum() == pytest.approx(1)
    assert answer.ways["share"].sum() == pytest.approx(1)
    assert not answer.differences.height
    assert not answer.components.height
    assert any("needs a mixed table" in remark for remark in answer.remarks)
    assert answer.viability["wanted"].is_between(0, 1).all()
    assert "Viability" in str(answer) or not (answer.viability["verdict"] != "").any()


@pytest.mark.slow
def test_a_variant_plays_the_same_deals_and_skill_explains_mixed_tables() -> None:
    keys: dict[str, Any] = {
        "players": 3,
        "ruleset": "1e",
        "policies": ["net", "random", "greedy"],
        "games": 300,
        "deals": 100,
    }
    free = ["cards.Palace.points=30"]
    answer = wsim.experiment_character(**keys, variant=free)
    assert answer.figures["arm"].unique(maintain_order=True).to_list() == ["baseline", "cards.Palace.points=30"]
    differences = {row["figure"]: row for row in answer.differences.to_dicts()}
    drama = differences["drama"]
    assert drama["variant"] - drama["baseline"] == pytest.approx(drama["difference"])
    shares = answer.components.filter(arm="baseline")
    assert shares["share"].sum() == pytest.approx(1)
    skill = dict(zip(shares["source"], shares["share"], strict=True))["skill"]
    assert skill > 0.4  # net nearly always beats the others
    alone = wsim.experiment_character(**keys)
    assert alone.figures["estimate"].to_list() == answer.figures.filter(arm="baseline")["estimate"].to_list()


@pytest.mark.slow
def test_rule_sets_of_babel_can_be_compared_by_character() -> None:
    babel = wsim.experiment_character(game="tower_of_babel", players=3, policies=["net"], games=200)
    assert 0 < dict(babel.figures.select("figure", "estimate").iter_rows())["drama"] < 1
    editions = wsim.experiment_character(players=3, ruleset="1e", policies=["balanced"], games=200, against=["2e"])
    assert editions.differences["arm"].unique().to_list() == ["2e"]
    unclear = (editions.differences["verdict"] == "unclear").sum()
    assert unclear > 0
    said = editions.display().notes[0]
    assert said.startswith(f"Differences: unclear: {unclear} of {editions.differences.height} rows")
    assert " for 2e " in said or "no affordable number" in said


@pytest.mark.slow
@pytest.mark.usefixtures("toy_among_games")
def test_a_game_without_a_net_is_followed_by_playouts() -> None:
    answer = wsim.experiment_character(game="toy", games=4, playouts=4)
    assert any("Chances: 4 playouts" in remark for remark in answer.remarks)
    assert answer.settled["share"].sum() == pytest.approx(1)


@pytest.mark.slow
def test_shares_of_variance_recover_planted_ones() -> None:
    """The effects of skill, seat, deal and noise have known sizes, with 4 seats; results need not be win shares."""
    random, players, deals = np.random.default_rng(2), 4, 20_000
    skill, seat = np.array([1.5, 0.5, -0.5, -1.5]), np.array([0.6, 0.2, -0.2, -0.6])
    total = np.zeros(5 + 4 * players)
    for _ in range(deals):
        hand = random.normal(0, 0.5, players)
        share = np.empty((players, players))
        for turn in range(players):
            share[turn] = seat + hand + skill[(np.arange(players) + turn) % players] + random.normal(0, 1, players)
        share -= share.mean(axis=1, keepdims=True)
        entry = np.stack([np.roll(share[turn], turn) for turn in range(players)])
        by_seat, by_entry = share.mean(axis=0), entry.mean(axis=0)
        rest = (share**2).sum() - players * ((by_seat**2).sum() + (by_entry**2).sum())
        head = [1.0, (share**2).mean(), (by_seat**2).mean(), (by_entry**2).mean(), rest / 6]
        total += np.concatenate([head, by_seat, by_seat**2, by_entry, by_entry**2])
    shares = explained(total)
    parts = np.array([1.25, 0.2, 0.75 * 0.25, 0.0, 0.75])
    assert shares == pytest.approx(parts / parts.sum(), abs=0.01)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--variant-set", "cards.Altar.points=2"), "nothing to compare: the baseline already has"),
        (("--against", "1e"), "nothing to compare: the baseline is rule set 1e"),
        (("--against", "3e"), "unknown rule set '3e'"),
        (("--against", "2e,2e"), "the rule set 2e is named twice"),
        (("--playouts", "1"), "playouts must be"),
        (("--deals", "3"), "deals must be"),
        (("--variant-set", "cards.Altr.points=5"), "Altar"),
    ],
)
def test_invalid_questions_are_rejected(words: tuple[str, ...], message: str, wsim_command: Command) -> None:
    result = wsim_command("experiment", "character", "--ruleset", "1e", "--players", "4", *words)
    assert result.code == 2
    assert message in result.err
    with pytest.raises(UserError):
        wsim.experiment_character(players=4, ruleset="1e", playouts=0)


@pytest.mark.slow
def test_whatif_accepts_character_figures_as_metrics() -> None:
    answer = wsim.whatif(
        players=3, policies=["greedy"], set=["cards.Palace.points=30"], metric="character:drama", budget=400
    )
    assert answer.effects["baseline"][0] == pytest.approx(answer.details["baseline"][0])
    assert 0 < answer.effects["baseline"][0] < 1
    assert answer.metrics[0].name == "character:drama"
    own = wsim.experiment_character(players=3, policies=["greedy"], games=400, seed=answer.baseline.plan["seed"])
    assert dict(own.figures.select("figure", "estimate").iter_rows())["drama"] == pytest.approx(
        answer.effects["baseline"][0]
    )


@pytest.mark.usefixtures("toy_among_games")
def test_an_unknown_character_figure_is_rejected(wsim_command: Command) -> None:
    words = ("whatif", "--set", "cards.Palace.points=30", "--metric")
    result = wsim_command(*words, "character:dram")
    assert result.code == 2
    assert "unknown figure 'dram' (did you mean 'drama'?)" in result.err
    with pytest.raises(UserError, match="toy has no value net, so it has no metric character:drama"):
        followed_for(wsim.Plan.make(game="toy"), ["character:drama"])


def test_a_character_target_follows_the_games_of_its_goal(tmp_path: Path) -> None:
    goal = tmp_path / "goal.toml"
    goal.write_text(GOAL, encoding="utf-8")
    setting = read_goal(goal).settings[0]
    assert setting.plan.options["character"] == "true"
    goal.write_text(GOAL.replace("drama", "dram"), encoding="utf-8")
    with pytest.raises(UserError, match="unknown figure 'dram'"):
        read_goal(goal)
