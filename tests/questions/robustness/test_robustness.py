"""Robustness: distances by hand and with random numbers, the same figures as skill, unchanged games, the command."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.questions.deals import WIN_UNITS
from wsim.questions.robustness.answer import _Table
from wsim.questions.robustness.sums import CELLS, RobustnessSums, distance
from wsim.questions.selfplay.sums import Items, SkillSums, counted

CARDS = Items(("a", "b"), grouped=False, labels={"card": ["a", "b"]})
PLAYED = ("rest", "random", "greedy", "--games", "240", "--players", "3", "--seed", "5")


def drawn(games: int, seed: int, worth: float) -> Any:
    """Return features of games in which seats may have one of two items, of which the first has a given worth."""
    random = np.random.default_rng(seed)
    has = random.random((2, games, 3)) < 0.4
    total = random.random((games, 3)) + worth * has[0]
    return counted(has, np.ones((games, 3), bool), (total == total.max(axis=1, keepdims=True)) * WIN_UNITS)


def test_sampling_noise_is_subtracted() -> None:
    """By hand: differences 0.03 and 0.01, errors 0.01 each, nothing in common: (0.0009 + 0.0001 - 0.0002) / 2.

    The squares of the variances add up to 2e-8, less what three degrees of freedom add to that:
    0.9 * (2e-8 - 4e-8 / 3) = 6e-9. So at m the variance is 4 m * 0.0001 / 2 + 2 * 6e-9 / 4, and both ends are 1.96 of
    their own errors from 0.0004.
    """
    left_out = 0.005 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    found = distance(np.array([0.03, 0.01]), left_out)
    assert found.value == pytest.approx(0.02)
    for end in (found.low**2, found.high**2):
        assert abs(end - 0.0004) == pytest.approx(1.959964 * np.sqrt(2e-4 * end + 3e-9))
    assert found.things == 2
    nearer = distance(np.array([0.01, 0.0]), left_out)
    assert (nearer.value, nearer.low) == (0, 0)
    assert nearer.high > 0.01


def test_identical_games_show_no_differences() -> None:
    games = drawn(300, 1, 0.5)
    sums = RobustnessSums([CARDS], 2).plus([games, games])
    left_out = sums.left_out(0)
    found = distance(sums.figures(0)[1] - sums.figures(0)[0], left_out[:, 1] - left_out[:, 0])
    assert (found.value, found.low, found.high, found.things) == (0, 0, 0, 2)
    assert np.isnan(distance(np.zeros(0), np.zeros((5, 0))).value)


def test_figures_and_errors_match_skill_for_any_blocks() -> None:
    """Errors are computed in two ways: by leaving out cells, and from sums of products."""
    games = [drawn(4000, seed, worth) for seed, worth in ((1, 0.0), (2, 0.7))]
    whole, parts = RobustnessSums([CARDS], 2).plus(games), RobustnessSums([CARDS], 2)
    for first, last in pairwise([0, 7, 3 * CELLS, 4000]):
        parts = parts.plus([[one[..., first:last] for one in features] for features in games])
    assert parts.games == whole.games == 4000
    assert np.array_equal(parts.left_out(0), whole.left_out(0))
    skill = SkillSums(2, 2, grouped=False).plus(games)
    for policy in (0, 1):
        one, other = whole.estimate(0, policy, 0.95), skill.figure(policy)
        assert one.value == pytest.approx(other.value)
        assert one.error == pytest.approx(other.error, rel=0.15)
    apart = whole.left_out(0)[:, 1] - whole.left_out(0)[:, 0]
    assert np.sqrt((apart**2).sum(axis=0)) == pytest.approx(skill.change(0, 1).error, rel=0.15)
    assert whole.fair() == pytest.approx(1 / 3)
    rare = RobustnessSums([CARDS], 1).plus([drawn(20, 3, 0.0)])
    assert np.isnan(rare.figures(0)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("apart", "common"), [(0.0, 0.0), (0.006, 0.7), (0.03, 0.0), (0.03, 0.7)])
def test_the_interval_has_its_nominal_coverage(apart: float, common: float) -> None:
    """Of 14 things whose differences have errors of 0.01, with a part of the noise in common: 95 % or more."""
    random, times, covered = np.random.default_rng(5), 600, 0
    true = random.standard_normal(14)
    true *= apart / np.sqrt((true**2).mean())
    for _ in range(times):
        noise = np.sqrt(1 - common**2) * random.standard_normal((CELLS, 14))
        cells = true + 0.01 * np.sqrt(CELLS) * (noise + common * random.standard_normal((CELLS, 1)))
        found = distance(cells.mean(axis=0), (cells - cells.mean(axis=0)) / np.sqrt(CELLS * (CELLS - 1)))
        covered += found.low <= apart <= found.high
    assert covered / times > 0.925  # of 0.95 with an error of 0.009


@pytest.mark.slow
def test_cards_and_wonders_of_real_games_are_compared(wsim_command: Command) -> None:
    """The command, its file and the Python function agree on the players' figures and the remaining noise."""
    told = wsim_command(*PLAYED, "-o", "rest.json", "--json")
    assert told.code == 0, told.err
    record = json.loads(told.out)
    assert record == json.loads(Path("rest.json").read_text())
    answer = wsim.robustness("random", "greedy", games=240, players=3, seed=5, threads=2)
    assert json.loads(json.dumps(answer.record()))["pairs"] == record["pairs"]
    wonders = answer.figures.filter(table="wonders")
    assert wonders["n"].sum() == 2 * 3 * 240
    assert (wonders["n"] * wonders["figure"]).sum() == pytest.approx(2 * 240)
    cards = answer.pairs.row(by_predicate=pl.col("table") == "cards", named=True)
    assert cards["rms_low"] > 0
    assert 0 < cards["clear"] <= cards["items"]
    between = answer.items.filter(pl.col("table") == "cards", pl.col("between").is_not_null())["between"]
    assert ((2 * between**2).mean()) == pytest.approx(cards["rms"] ** 2, rel=0.25)  # those below 0 are cut there
    assert "sampling noise is removed" in repr(answer)
    shown = wsim_command(*PLAYED, "--tables", "wonders", "--quiet").out
    title = "Robustness: differences between players (win share, 95% interval)"
    assert shown.startswith(f"{title}\ntable    first   second")
    assert "cards" not in shown.split("\n\n")[0]


def test_three_players_have_three_pairs_and_one_row_for_all() -> None:
    keys: Any = {"game": "luck", "luck": "hash", "games": 1500, "threads": 1}
    answer = wsim.robustness("p", "p:charm=3", "p:charm=40", **keys)
    assert answer.pairs["first"].to_list() == ["p", "p", "p:charm=3", "all pairs"]
    *pairs, every = answer.pairs["rms"].to_list()
    assert every**2 == pytest.approx(np.mean(np.square(pairs)))
    assert answer.items["between"][0] ** 2 == pytest.approx(every**2 / 2)
    rerun = answer.again(threads=2)
    assert rerun.identical
    assert rerun.compared == "1,500 games of each of 3 policies"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["random"], "at least two policies, as in: wsim robustness balanced net"),
        (["random", "random"], "'random' is named twice"),
        (
            ["random", "greedy", "--tables", "wonder"],
            "no table 'wonder' to compare (did you mean 'wonders'?): wonders, cards",
        ),
    ],
)
def test_invalid_questions_are_reported_in_one_sentence(wsim_command: Command, words: list[str], sentence: str) -> None:
    answer = wsim_command("rest", *words, "--games", "10")
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


def test_displayed_player_differences_are_shrunk_by_their_noise() -> None:
    """Differences due to luck alone shrink to a common figure near 0; precisely known differences are kept."""
    keys: Any = {"players": 3, "games": 900, "seed": 6}
    alike = wsim.robustness("random", "greedy", **keys).items.filter(pl.col("between").is_not_null(), table="cards")
    one, drawn = alike["between"], alike["shrunk"]
    assert drawn.min() > one.min()  # type: ignore[operator]
    assert drawn.max() < one.max()  # type: ignore[operator]
    assert (drawn**2).mean() == pytest.approx((one**2).mean(), rel=0.35)


def test_a_figure_is_reversed_if_it_is_clear_for_both_players_with_opposite_signs() -> None:
    def reversed_by(*worth: float) -> list[bool]:
        sums = RobustnessSums([CARDS], 2).plus([drawn(900, seed, each) for seed, each in enumerate(worth)])
        return _Table(sums, 0, "cards", ("p", "q"), 0.95).items()["reversed"].to_list()

    assert reversed_by(0.5, -0.5) == [True, False]
    assert reversed_by(0.5, 0.0) == [False, False]
    assert reversed_by(0.5, 0.5) == [False, False]


def test_an_item_in_nearly_every_game_gets_no_figure() -> None:
    """The second item is in all but three games, so there are too few games to compare it with."""
    random = np.random.default_rng(1)
    has = random.random((2, 300, 3)) < 0.4
    has[1] = True
    has[1, :3] = False
    won = random.random((300, 3)).argmax(axis=1)[:, None] == np.arange(3)
    games = counted(has, np.ones((300, 3), bool), won * WIN_UNITS)
    figures = RobustnessSums([CARDS], 2).plus([games, games]).figures(0)
    assert np.isfinite(figures).tolist() == [[True, False]] * 2
