"""Move values: playouts shared by all moves, their means, intervals and order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wsim
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.positions.value_net import AHEAD
from wsim.positions.values import FAR, SCORE, SHARE, WORLDS

GAMES: tuple[dict[str, Any], ...] = ({"ruleset": "1e", "players": 3}, {"game": "tower_of_babel", "players": 3})


@pytest.fixture(scope="module", params=GAMES, ids=("wonders", "babel"))
def game(request: pytest.FixtureRequest) -> wsim.Game:
    return wsim.Game(seed=5, policies="balanced", **request.param)


def outcomes(game: wsim.Game, moves: Iterable[int], playouts: int, rng: int = 3) -> NDArray[Any]:
    """Play out one move after the other; return an array of shape (playouts, moves, seats, 2)."""
    player = game._simulator_with(("balanced",))
    seat = game.to_move
    assert seat is not None
    each = [game._position.compare(player, [move], playouts, seat, rng, FAR) for move in moves]
    return np.concatenate(each, axis=1)


def test_moves_share_cards_and_random_streams(game: wsim.Game) -> None:
    alone = outcomes(game, [0, 1, 2], 5)
    together = game._position.compare(game._simulator_with(("balanced",)), [0, 1, 2], 5, game.to_move, 3, FAR)
    assert (alone == together).all()
    assert len(np.unique(together[:, :, :, SCORE])) > 5


def test_values_are_means_with_student_intervals_and_paired_losses(game: wsim.Game) -> None:
    rows = game.values(moves=[2, 0, 1], games=9, rng=3)
    every = outcomes(game, range(3), 9)[:, :, game.to_move]
    best = rows[0]["index"]
    for row in rows:
        share, score = every[:, row["index"], SHARE], every[:, row["index"], SCORE]
        assert row["move"] == {key: value for key, value in game.legal()[row["index"]].items() if key != "index"}
        assert row["win_share"] == pytest.approx(share.mean(), abs=1e-6)
        assert row["score"] == pytest.approx(score.mean(), abs=1e-6)
        assert row["score_high"] - row["score_low"] == pytest.approx(2 * 2.306004 * score.std(ddof=1) / 3, abs=1e-4)
        paired = every[:, best, SHARE] - share
        assert row["loss"] == pytest.approx(paired.mean(), abs=1e-6)
        if paired.std() or row["index"] == best:
            assert row["loss_high"] - row["loss_low"] == pytest.approx(2 * 2.306004 * paired.std(ddof=1) / 3, abs=1e-4)
        assert row["games"] == 9
        assert sum(row["win_shares"]) == pytest.approx(1, abs=1e-5)
    assert [row["win_share"] for row in rows] == sorted((row["win_share"] for row in rows), reverse=True)


def test_values_do_not_depend_on_rounds_and_change_nothing(game: wsim.Game) -> None:
    before = game.record()
    whole = game.comparison(None, "balanced", 1)
    whole.play(7)
    parts = game.comparison(None, "balanced", 1)
    parts.play(3)
    parts.play_on(7)
    assert parts.rows() == whole.rows()
    assert len(whole.rows()) == len(game.legal())
    assert game.record() == before
    later = game.values(moves=[0], games=3, rng=1, first=4)
    assert later != game.values(moves=[0], games=3, rng=1)


def test_values_use_no_hidden_cards(game: wsim.Game) -> None:
    later, different = game.clone(), 0
    for _ in range(8):
        assert later.to_move is not None
        other = later.determinize(later.to_move, 99)
        different += other.record() != later.record()
        assert other.values(games=3, rng=2) == later.values(games=3, rng=2)
        for _ in range(4):
            later.follow()
    assert different > 3


def test_one_playout_has_no_interval_and_a_sure_win_has_a_wilson_interval(game: wsim.Game) -> None:
    row = game.values(moves=[0], games=1)[0]
    assert row["score_low"] is None
    assert row["loss_high"] is None
    late = game.clone()
    while {*outcomes(late, [0], 6)[:, 0, late.to_move, SHARE].tolist()} not in ({0.0}, {1.0}):
        late.follow()
    row = late.values(moves=[0], games=6, rng=3)[0]
    assert row["win_share"] in (0, 1)
    assert row["high"] - row["low"] > 0.1


@first_quick(1, "game", GAMES, indirect=True, ids=("wonders", "babel"))
def test_constant_losses_get_the_width_of_the_rule_of_three(game: wsim.Game) -> None:
    late = game.clone()
    while late.to_move is not None:
        rows = late.values(games=8, rng=3)
        same = [row for row in rows[1:] if row["loss"] == 0 and row["win_share"] in (0, 1)]
        if same:
            break
        late.follow()
    for row in same:
        assert (row["loss_low"], row["loss_high"]) == (-3 / 8, 3 / 8)
    assert (rows[0]["loss_low"], rows[0]["loss_high"]) == (0, 0)


def test_by_default_the_line_up_of_the_game_plays_the_playouts() -> None:
    plan: dict[str, Any] = {"players": 3, "seed": 5, "policies": ("greedy", "random", "balanced"), "ruleset": "1e"}
    for number, table in ((0, ["greedy", "random", "balanced"]), (1, ["random", "balanced", "greedy"])):
        game = wsim.Game(number=number, **plan)
        assert game.values(moves=[0, 1], games=5) == game.values(moves=[0, 1], games=5, policies=table)
    other = game.values(moves=[0, 1], games=5, policies=["greedy", "random", "balanced"])
    assert other != game.values(moves=[0, 1], games=5)


def test_a_time_limit_ends_the_playouts(game: wsim.Game) -> None:
    found = game.comparison(None, "balanced", 0)
    found.play_on(None, seconds=0.0)
    assert 0 < found.playouts < 1000


def test_invalid_questions_are_rejected(game: wsim.Game) -> None:
    with pytest.raises(UserError, match="at least 1 playout"):
        game.values(games=-1)
    with pytest.raises(UserError, match="at least one legal move"):
        game.values(moves=[])
    with pytest.raises(UserError, match="move 4000 does not exist"):
        game.values(moves=[4000])
    with pytest.raises(UserError, match="numbered from 0"):
        game.values(games=1, first=-1)
    over = game.clone()
    while over.to_move is not None:
        over.follow()
    with pytest.raises(UserError, match="the game is over"):
        over.values()


def naive_by_net(game: wsim.Game, move: int, ahead: int) -> NDArray[np.float64]:
    """Compute all players' chances some turns after a move step by step: each resampling, then all choices."""
    simulator: Any = game._simulator_with(("balanced",))
    seat, found = game.to_move, []
    assert seat is not None
    for draw in range(WORLDS):
        position: Any = game._position.redrawn(seat, 3, FAR + draw)
        last = int(position.view(None)["turn"]) + ahead
        position.take(move)
        while position.view(None)["turn"] < last:
            position.take(position.chosen_by(simulator, 3, FAR + draw))
        found.append(simulator.follower.chances(position))
    return np.array(found)


@pytest.mark.slow
def test_value_net_move_values_are_chances_some_turns_later() -> None:
    game = wsim.Game(seed=5, policies="balanced", ruleset="1e", players=3)
    seat, follower = game.to_move, game._simulator_with(("balanced",)).follower  # type: ignore[attr-defined]
    for ahead in (1, 3):
        found = follower.compare(game._position, [2, 0], WORLDS, seat, 3, FAR, ahead)
        for place, move in enumerate((2, 0)):
            assert found[:, place] == pytest.approx(naive_by_net(game, move, ahead), abs=1e-9)
    rows = {row["index"]: row for row in game.values(games=0, rng=3)}
    assert list(rows) == sorted(rows, key=lambda index: -rows[index]["win_share"])
    chances = follower.compare(game._position, [2], WORLDS, seat, 3, FAR, AHEAD)[:, 0]
    assert rows[2]["win_shares"] == pytest.approx(chances.mean(axis=0), abs=1e-6)
    half = 2.068658 * chances[:, seat].std(ddof=1) / WORLDS**0.5
    assert rows[2]["high"] - rows[2]["low"] == pytest.approx(2 * half, abs=1e-5)
    assert (rows[2]["games"], rows[2]["score"]) == (0, None)
    with pytest.raises(UserError, match="there is no value net for this table of seven_wonders: at least 1 playout"):
        wsim.Game(ruleset="1e-duo", players=2).values(games=0)
