"""Data do not depend on threads and chunks; memory is bounded; errors are raised."""

from __future__ import annotations

import threading
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.games.toy_game import GAME
from tests.games.toy_game.simulator import ToySimulator
from wsim import Plan, UserError
from wsim.lab.batch import play, usable_threads

pytestmark = pytest.mark.usefixtures("toy")


def frames(table: ToySimulator, **how: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    chunks = list(play(table, [range(700), range(700, 1001)], picks=True, **how))
    assert [game for chunk in chunks for game in chunk.games] == list(range(1001))
    picks = [chunk.picks for chunk in chunks if chunk.picks is not None]
    return pl.concat([chunk.seats for chunk in chunks]), pl.concat(picks)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("chunk", [None, 1, 7, 333, 5000])
def test_data_do_not_depend_on_threads_and_chunks(threads: int, chunk: int | None) -> None:
    table = GAME.prepare(Plan.make(games=1001, rotate=True))
    rows = frames(table, threads=1, chunk=1001)
    for one, other in zip(frames(table, threads=threads, chunk=chunk), rows, strict=True):
        assert_frame_equal(one, other)


def test_simulated_games_do_not_depend_on_how_many_are_played() -> None:
    some, more = wsim.simulate(games=10), wsim.simulate(games=500, threads=3)
    assert_frame_equal(more.head(len(some)), some)
    assert more["game"].to_list() == [game for game in range(500) for _ in range(4)]


def test_simulate_takes_a_plan_and_changes() -> None:
    plan = Plan.make(games=10, seed=2)
    assert_frame_equal(wsim.simulate(plan, games=5), wsim.simulate(games=5, seed=2))


def test_simulate_returns_picks_if_requested() -> None:
    picks = wsim.simulate(games=100, picks=True)
    assert picks.columns == ["game", "seat", "turn", "choice"]
    assert 800 <= len(picks) < 1200
    assert picks["game"].is_sorted()


def test_chunks_are_not_produced_faster_than_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = threading.Semaphore(0)
    original = ToySimulator.play

    def counted(self: ToySimulator, *arguments: Any) -> int:
        made.release()
        return original(self, *arguments)

    monkeypatch.setattr(ToySimulator, "play", counted)
    chunks = play(GAME.prepare(Plan.make()), [range(1000)], threads=2, chunk=10)
    next(chunks)
    chunks.close()
    count = 0
    while made.acquire(blocking=False):
        count += 1
    assert 1 <= count <= 4


@pytest.mark.slow
def test_slow_games_get_small_chunks_and_fast_games_large_ones() -> None:
    slow = [len(chunk.games) for chunk in play(GAME.prepare(Plan.make(pause=0.01)), [range(300)], threads=2)]
    assert slow[0] == 1  # a game may take seconds
    assert max(slow) <= 128  # a chunk of games that wait takes a second, one of games that compute a fifth of it
    fast = play(GAME.prepare(Plan.make()), [range(100_000)], threads=2)
    assert max(len(chunk.games) for chunk in fast) == 8192


def test_an_error_in_a_thread_is_raised() -> None:
    with pytest.raises(UserError, match="game 77 cannot be played"):
        wsim.simulate(Plan.make(games=200, fail=77), threads=2)


@pytest.mark.parametrize("threads", [0, -1, 1025, 1.5, True, "2"])
def test_an_invalid_number_of_threads_is_rejected(threads: Any) -> None:
    with pytest.raises(UserError, match="threads must be a whole number from 1 to 1024"):
        usable_threads(threads)
