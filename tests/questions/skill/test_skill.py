"""Items by skill: figures and changes by hand and by brute force, the error rate of changes, the command."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.questions.deals import WIN_UNITS
from wsim.questions.selfplay.sums import SkillSums, counted
from wsim.stats.fewest import ENOUGH

SKILL = ("skill", "charms", "--game", "luck", "--threads", "1", "--luck", "hash")
LADDER = "p,p:charm=3,p:charm=40"


def rung(games: int, seed: int, worth: float) -> tuple[Any, Any]:
    """Return which seats have each of two items, shape (2, games, 3), and which win; the first item has a worth."""
    random = np.random.default_rng(seed)
    has = random.random((2, games, 3)) < 0.4
    total = random.random((games, 3)) + worth * has[0]
    return has, (total == total.max(axis=1, keepdims=True)).astype(np.int32) * WIN_UNITS


def brute(has: Any, wins: Any) -> float:
    return float((wins[has].mean() - wins[~has].mean()) / WIN_UNITS)


def test_figures_and_changes_match_the_rows() -> None:
    """Figures are compared with plain means, and the error of a change with the jackknife over deals."""
    games, plays = 200, np.ones((200, 3), bool)
    rungs = [rung(games, 1, 0.0), rung(games, 2, 0.7)]
    sums = SkillSums(2, 2, grouped=False).plus([counted(has, plays, wins) for has, wins in rungs])
    for place, (has, wins) in enumerate(rungs):
        assert sums.figure(place).value == pytest.approx([brute(one, wins) for one in has])
        assert sums.shares()[:, place] == pytest.approx(has.mean(axis=(1, 2)))
    change = sums.change(0, 1)
    assert change.value == pytest.approx(sums.figure(1).value - sums.figure(0).value)
    left = np.ones((games, games), bool)
    np.fill_diagonal(left, False)
    without = [[brute(has[0][keep], wins[keep]) for has, wins in rungs] for keep in left]
    values = np.array(without)[:, 1] - np.array(without)[:, 0]
    jackknife = np.sqrt((games - 1) / games * ((values - values.mean()) ** 2).sum())
    assert change.error[0] == pytest.approx(jackknife, rel=0.02)


def test_equal_games_at_two_levels_have_no_change_and_no_error() -> None:
    has, wins = rung(100, 3, 0.5)
    games = counted(has, np.ones((100, 3), bool), wins)
    change = SkillSums(2, 2, grouped=False).plus([games, games]).change(0, 1)
    assert change.value.tolist() == [0, 0]
    assert change.error.tolist() == [0, 0]


def test_levels_are_win_shares_and_blocks_do_not_matter() -> None:
    has = np.zeros((2, 90, 3), bool)
    has[0, :, 0] = has[1, :, 1:] = True
    wins = np.zeros((90, 3), np.int32)
    wins[:30, 0] = wins[30:, 1] = WIN_UNITS
    games = counted(has, np.ones((90, 3), bool), wins)
    cut = [[one[..., part] for one in games] for part in (slice(0, 7), slice(7, 90))]
    whole = SkillSums(2, 1, grouped=True).plus([games])
    parts = SkillSums(2, 1, grouped=True).plus([cut[0]]).plus([cut[1]])
    assert whole.figure(0).value == pytest.approx([1 / 3, 1 / 3])
    assert whole.fair() == pytest.approx(1 / 3)
    assert parts.figure(0).error.tolist() == whole.figure(0).error.tolist()


def test_a_seat_without_a_player_does_not_count() -> None:
    has, wins = rung(60, 4, 0.0)
    plays = np.ones((60, 3), bool)
    plays[:, 2] = False
    sums = SkillSums(2, 1, grouped=False).plus([counted(has, plays, wins)])
    assert sums.counts()[:, 0].tolist() == has[:, :, :2].sum(axis=(1, 2)).tolist()


def test_rare_items_have_no_figure() -> None:
    has, wins = rung(60, 5, 0.0)
    has[1, ENOUGH - 1 :] = False
    figure = SkillSums(2, 1, grouped=False).plus([counted(has, np.ones((60, 3), bool), wins)]).figure(0)
    assert np.isnan(figure.value).tolist() == [False, True]


@pytest.mark.slow
def test_equal_levels_show_no_change() -> None:
    """Of 200 changes between levels that differ only in random numbers, about ten are outside their intervals."""
    outside = 0
    for seed in range(100):
        rungs = [counted(has, np.ones((150, 3), bool), wins) for has, wins in
                 (rung(150, 2 * seed, 0.3), rung(150, 2 * seed + 1, 0.3))]  # fmt: skip
        change = SkillSums(2, 2, grouped=False).plus(rungs).change(0, 1)
        outside += int(np.count_nonzero((change.low > 0) | (change.high < 0)))
    assert outside <= 20  # 21 or more have a chance of 0.1 %


def test_a_skill_ladder_finds_items_that_suit_strong_players() -> None:
    ladder = LADDER.split(",")
    keys: Any = {"game": "luck", "luck": "hash", "what": "charms", "games": 2000}
    answer = wsim.skill(**keys, ladder=ladder, between=ladder[1:], threads=1)
    figures = dict(answer.figures.select("rung", "figure").iter_rows())
    assert abs(figures["p"]) < 0.05 < figures["p:charm=3"] < figures["p:charm=40"]
    assert answer.changes.select("weaker", "stronger", "verdict", "strong_in").rows() == [
        ("p", "p:charm=40", "higher", "strong players"),
        ("p:charm=3", "p:charm=40", "higher", "all players"),
    ]
    down = wsim.skill(**keys, ladder=ladder[::-1], threads=3)
    assert down.changes["strong_in"].to_list() == ["weak players"]
    assert down.changes["change"][0] == -answer.changes["change"][0]
    assert "<table" in answer._repr_html_()
    assert "Observational" in repr(answer)


def test_wonders_of_real_games_are_compared_by_skill() -> None:
    answer = wsim.skill(what="wonders", games=400, threads=1, ladder=["random", "greedy"])
    assert answer.names == ["wonder", "side"]
    assert answer.fair == 0.25
    assert answer.figures["figure"].null_count() == 0
    won = (pl.col("n") * pl.col("figure")).sum() / pl.col("n").sum()
    shares = answer.figures.group_by("rung").agg(pl.col("n").sum().alias("seats"), won.alias("won"))
    assert shares["seats"].to_list() == [1600, 1600]
    assert shares["won"].to_list() == pytest.approx([0.25, 0.25])


def test_the_command_shows_skill_levels_side_by_side(wsim_command: Command) -> None:
    answer = wsim_command(*SKILL, "--ladder", LADDER, "--games", "1000", "-o", "skill.json", "--csv", "skill.csv")
    assert (answer.code, answer.err) == (0, "written: skill.csv\nwritten: skill.json\n")
    lines = answer.out.splitlines()
    assert lines[0] == "Charms by skill; change from p to p:charm=40"
    assert lines[1].split()[:4] == ["charm", "p", "p:charm=3", "p:charm=40"]
    assert "strong players" in lines[3]
    record = json.loads(Path("skill.json").read_text())
    assert record == json.loads(wsim_command(*SKILL, "--ladder", LADDER, "--games", "1000", "--json").out)
    assert record["format"] == "wsim-skill/1"
    assert len(record["made"]) == 3
    Path("run").mkdir()
    Path("run/run.json").write_text("{}")
    two = (*SKILL, "--ladder", "p,p:charm=3", "--between", "p,p:charm=3", "--games", "100", "--quiet")
    wsim_command(*two, "-o", "run", "--parquet", "rows.parquet", "--level", "0.9", "--top", "1", "--wide")
    assert [path.name[:6] for path in sorted(Path("run").iterdir())] == ["run.js", "skill-"]
    assert pl.read_parquet("rows.parquet").height == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("skill charms --game luck --ladder p", "a ladder needs at least two policies, the weakest first"),
        ("skill charms --game luck --ladder p,p", "'p' is on the ladder twice"),
        ("skill charms --game luck --ladder p,q", "unknown policy 'q'"),
        ("skill charms --game luck", "a ladder needs at least two policies, the weakest first: --ladder p"),
        ("skill charm --game luck --ladder p,p:skill=1", "wsim skill takes charms in luck, not 'charm' (did you mean"),
        ("skill policies --game luck --ladder p,p:skill=1", "wsim skill takes charms in luck, not 'policies'"),
        ("skill charms more --game luck", "skill takes one table: unexpected argument 'more'"),
        ("skill charms --game luck --ladder p,p:skill=1 --between p,q", "'q' is not on the ladder p,p:skill=1"),
        ("skill charms --game luck --ladder p,p:skill=1 --between p", "--between takes two levels, the weaker first"),
        (
            "skill charms --game luck --ladder p,p:skill=1 --level 2",
            "a confidence level must be between 0 and 1, not 2.0",
        ),
        ("skill charms --game luck --ladder p,p:skill=1 -o x.txt", "skill is written as FILE.json or FILE.parquet"),
        ("skill charms --game luck --policies p", "skill has no option '--policies'"),
    ],
)
def test_mistakes_exit_with_2_and_one_sentence(wsim_command: Command, words: str, sentence: str) -> None:
    answer = wsim_command(*words.split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1
    assert os.listdir() == []
