"""Unit tests of the figures for a game's character, and of the win chances on which they are based."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.positions.character import FIGURES, Followed, figures_of, settled, settling_of
from wsim.positions.value_net import fit_calibration

NAMES = [figure.name for figure in FIGURES]
MIXED = ["net", "balanced", "rulebased", "greedy"]
PHASES = {"first": 0, "last": 2}


def simulator_of(**keys: Any) -> Any:
    usual = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "seed": 7, "policies": ["net"]}
    plan = Plan.make(**{**usual, **keys})
    return find_game(plan.game).prepare(plan)


def by_hand() -> tuple[Followed, Any]:
    """Return two games of three seats: one of four stages that seat 0 wins, one of two stages shared by 1 and 2."""
    chances = np.zeros((2, 4, 3))
    chances[0] = [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.4, 0.5, 0.1], [0.9, 0.1, 0.0]]
    chances[1, :2] = [[0.2, 0.4, 0.4], [0.1, 0.6, 0.3]]
    stages = np.array([[0, 1, 2, 3], [0, 3, -1, -1]], np.int16)
    trials = np.array([[0, 1, 0], [0, 2, 1]])
    tried = np.array([[[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]], [[0.3, 0.6, 0.1], [0.3, 0.6, 0.1]]])
    shares = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    return Followed(np.zeros(0), stages, chances, trials, tried), shares


def test_character_figures_of_two_games_by_hand() -> None:
    followed, shares = by_hand()
    first, second = (dict(zip(NAMES, row, strict=True)) for row in figures_of(followed, shares))
    assert first["half_at"] == pytest.approx(3 / 4)  # below one half on the third of four turns for the last time
    assert first["safe_at"] == pytest.approx(3 / 4)
    assert first["drama"] == pytest.approx((0.3 + 0.0 + 0.1 + 0.0) / 4)
    assert first["deepest"] == pytest.approx(0.3)
    assert first["below_fair"] == pytest.approx((1 / 3 - 0.2) / 4)
    assert first["behind"] == pytest.approx(2 / 4)
    assert first["lead_changes"] == 3
    assert first["stakes"] == pytest.approx((0.1 + 0.0) / 2)
    assert first["two_good"] == pytest.approx(1 / 2)
    assert first["interaction"] == pytest.approx((0.1 + 0.0) / 2 / 2)
    assert first["targeted"] == pytest.approx((0.05 + 0.05) / 2 / 2)  # seats 1 and 2 would each lose .05
    assert second["half_at"] == pytest.approx((1 / 2 + 1) / 2)  # seat 1 after the first of two turns, seat 2 never
    assert second["safe_at"] == 1
    assert second["drama"] == pytest.approx((0.0 + 0.3 / 2) / 2)
    assert second["lead_changes"] == 0
    assert np.isnan(second["stakes"])  # nothing was tried


def test_variance_parts_by_phase_add_up_to_the_total() -> None:
    followed, shares = by_hand()
    parts = settled(followed, shares, PHASES)
    assert settling_of(list(PHASES)) == ("the deal and the first hands", "first", "last")
    assert parts.sum(axis=1) == pytest.approx(((shares - 1 / 3) ** 2).mean(axis=1))
    before, last = ((followed.chances[0, stage] - shares[0]) ** 2 for stage in (0, 2))
    assert parts[0] == pytest.approx([2 / 9 - before.mean(), before.mean() - last.mean(), last.mean()])


def test_a_calibration_recovers_slopes_and_offsets() -> None:
    random, games = np.random.default_rng(1), 20_000
    odds = random.normal(0, 1, (games, 2, 3))
    chances = np.exp(odds) / np.exp(odds).sum(axis=2, keepdims=True)
    policies = np.array([random.permutation(3) % 2 for _ in range(games)])
    slopes, offsets = np.array([0.6, 1.2]), np.array([0.0, 0.8])
    true = np.exp(slopes[policies] * (odds[:, 1] - odds[:, 1].mean(axis=1, keepdims=True)) + offsets[policies])
    true /= true.sum(axis=1, keepdims=True)
    shares = np.eye(3)[(true.cumsum(axis=1) < random.random((games, 1))).sum(axis=1)]
    followed = Followed(
        np.zeros(0), np.tile(np.array([0, 2], np.int16), (games, 1)), chances, np.zeros((0, 3), np.int64), odds[:0]
    )
    made = fit_calibration(followed, shares, policies, [0, 2], [1.0, 1.0])
    assert made.slopes[1] == pytest.approx(slopes, abs=0.06)
    assert made.offsets[1, 1] - made.offsets[1, 0] == pytest.approx(0.8, abs=0.06)
    corrected = made(chances[:, 1], np.full(games, 2), policies)
    assert np.abs(corrected - true).mean() < 0.01
    assert made.slopes[0] == pytest.approx([0, 0], abs=0.1)  # chances of the first stage say nothing here


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "policies"),
    [
        ("seven_wonders", ["net"]),
        ("seven_wonders", MIXED),
        ("tower_of_babel", ["net"]),
    ],
)
def test_followed_games_match_the_plan_and_chances_match_their_positions(game: str, policies: list[str]) -> None:
    simulator = simulator_of(game=game, ruleset={"seven_wonders": "1e"}.get(game, "2005"), policies=policies)
    rows = np.zeros(12 * simulator.seats, simulator.row_dtype)
    simulator.play(5, rows)
    raw = simulator.follower.follow_raw(5, 12, 2)
    assert (raw.rows == rows).all()  # also where stages are tried both ways
    there = raw.stages >= 0
    assert raw.chances[there].sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert (raw.chances[there] > 0).all()
    assert len(raw.trials) > 12
    assert raw.tried.sum(axis=2) == pytest.approx(1, abs=1e-5)
    again = simulator.follower.follow_raw(9, 2, 2)
    assert (again.chances == raw.chances[4:6]).all()
    number = 2 * simulator.plan.players  # the line-up sits as it is written
    position, begun = simulator.begin(number), simulator.follower.follow(number, 1).chances[0, 0]
    assert simulator.follower.chances(position) == pytest.approx(begun, abs=1e-5)
    if game == "seven_wonders":  # the choices of a turn are not yet on the table
        position.follow(2)
        assert simulator.follower.chances(position) == pytest.approx(begun, abs=1e-5)


@pytest.mark.slow
def test_chances_agree_with_playouts() -> None:
    simulator = simulator_of()
    nets, playouts = [], []
    for number in range(40):
        position = simulator.begin(number)
        position.follow(4 * (number % 17) + 3)
        nets.append(simulator.follower.chances(position))
        playouts.append(position.play_out(simulator, 200, None, 3)[:, :, 1].mean(axis=0))
    assert np.corrcoef(np.ravel(nets), np.ravel(playouts))[0, 1] > 0.5
    assert np.mean(np.ravel(nets) - np.ravel(playouts)) == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("policies", [["net"], MIXED])
def test_chances_are_calibrated(policies: list[str]) -> None:
    simulator, games = simulator_of(policies=policies, rotate=True, seed=4711), 6000
    followed = simulator.follower.follow(1, games, 1 << 40)
    shares = simulator.follower.results(followed.rows)[0][:, None, :]
    for first in simulator.value_net.phases.values():
        there = (followed.stages >= first) & (followed.stages < first + 8)
        chance, won = followed.chances[there], np.broadcast_to(shares, followed.chances.shape)[there]
        assert slope_of(chance.ravel(), won.ravel()) == pytest.approx(1, abs=0.1)


def slope_of(chances: Any, won: Any) -> float:
    """Return the slope of a logistic regression of winning on the log odds of the chances."""
    chances = np.clip(chances, 1e-6, 1 - 1e-6)
    inputs, best = np.stack([np.ones_like(chances), np.log(chances / (1 - chances))], axis=1), np.array([0.0, 1.0])
    for _ in range(10):
        expected = 1 / (1 + np.exp(-inputs @ best))
        curve = (inputs * (expected * (1 - expected))[:, None]).T @ inputs
        best = best + np.linalg.solve(curve, inputs.T @ (won - expected))
    return float(best[1])


def test_the_character_option_is_rejected_where_it_makes_no_sense() -> None:
    with pytest.raises(UserError, match=r"option character must be true or false, not 'ture' .did you mean 'true'"):
        simulator_of(character="ture")
    with pytest.raises(UserError, match=r"character needs a value net: there is none for 1e-duo with 2 players"):
        simulator_of(ruleset="1e-duo", players=2, character="true")
    with pytest.raises(UserError, match=r"character cannot be combined with picks"):
        simulator_of(character="true", picks=True)


def test_games_with_several_seatings_are_not_followed() -> None:
    simulator = simulator_of(character="true")
    with pytest.raises(UserError, match="cannot be combined with several seatings"):
        simulator.play_seated(0, np.zeros(4, simulator.row_dtype), np.arange(4)[None])
