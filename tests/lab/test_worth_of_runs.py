"""Runs with games that say what things are worth: kept with the shards, however these are made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.conftest import Command
from wsim.errors import UserError
from wsim.files import StoreError
from wsim.lab.merge import merge
from wsim.lab.parts import Part
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.store import Run
from wsim.lab.verify import verify
from wsim.lab.wishes import worth_games
from wsim.stats.worth import worth_table

PLAN: dict[str, Any] = {"games": 500, "seed": 38, "policies": "balanced", "worth": 0.4}
GAMES = ("seven_wonders", "tower_of_babel")


def same_sums(one: Run, other: Run) -> bool:
    names = list(one.wishes.arrays)
    return names == list(other.wishes.arrays) and all(
        np.array_equal(one.wishes.arrays[name], other.wishes.arrays[name]) for name in names
    )


def whole(folder: Path, **more: Any) -> Run:
    return record(Plan.make(**PLAN | more), folder, shard=150, threads=2)


@pytest.mark.parametrize("game", GAMES)
def test_a_run_says_what_the_experiment_says_of_as_many_games(tmp_path: Path, game: str) -> None:
    run = whole(tmp_path / "run", game=game)
    asked = wsim.experiment_worth(game=game, games=200, seed=38, policies="balanced")
    assert run.wishes.games == 200
    assert run.worth().frame.equals(asked.worth)
    assert run.worth("seat").frame.equals(asked.by("seat"))


@pytest.mark.parametrize("game", GAMES)
def test_the_games_of_the_run_stay_those_of_undisturbed_play(tmp_path: Path, game: str) -> None:
    run, plain = whole(tmp_path / "run", game=game), whole(tmp_path / "plain", game=game, worth=None)
    assert run.seats.collect().equals(plain.seats.collect())
    with pytest.raises(UserError, match="play it with --worth"):
        plain.worth()


def resumed(folder: Path) -> Run:
    record(Plan.make(**PLAN), folder, shard=150, part=None)
    for table in ("worth", "seats"):
        (folder / table / "part-00000000000150.parquet").unlink()
    return record(Plan.make(**PLAN), folder, resume=True)


def made_longer(folder: Path) -> Run:
    record(Plan.make(**PLAN | {"games": 333}), folder, shard=150)
    return record(Plan.make(**PLAN), folder, resume=True)


def merged(folder: Path) -> Run:
    parts = [record(Plan.make(**PLAN), folder / str(part), shard=150, part=Part(part, 2)).path for part in (1, 2)]
    return merge(parts, folder / "whole")


def summary(folder: Path) -> Run:
    return whole(folder, keep="summary")


@pytest.mark.parametrize("how", [resumed, made_longer, merged, summary])
def test_sums_are_the_same_however_the_run_is_made(tmp_path: Path, how: Callable[[Path], Run]) -> None:
    assert same_sums(how(tmp_path / "other"), whole(tmp_path / "run"))


def test_a_cluster_makes_the_same_run(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    there = record(Plan.make(**PLAN), tmp_path / "there", shard=150, cluster="local:1")
    assert same_sums(there, whole(tmp_path / "run"))


def test_a_sound_run_is_verified_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    run = whole(tmp_path / "run")
    assert not list(verify(run.path))
    file = run.path / "worth" / "part-00000000000000.parquet"
    file.write_bytes(file.read_bytes()[:-9] + b"scratched")
    assert any(one.file.startswith("worth/") for one in verify(run.path))
    with pytest.raises(StoreError, match="damaged"):
        wsim.load_run(run.path).worth()


def test_a_run_too_short_for_them_ends_all_the_same(tmp_path: Path, wsim_command: Command) -> None:
    said = wsim_command("run", "--games", "2", "--worth", "0.4", "-o", str(tmp_path / "run"), "-q")
    assert said.code == 0
    with pytest.raises(UserError, match="too few games"):
        wsim.load_run(tmp_path / "run").worth()


def test_the_command_shows_worth_before_cards(tmp_path: Path, wsim_command: Command) -> None:
    folder = str(tmp_path / "run")
    said = wsim_command("run", "--games", "500", "--worth", "0.5", "-o", folder, "-q")
    assert -1 < said.out.index("\nWorth") < said.out.index("\nCards")
    assert "by age" in wsim_command("table", folder, "worth", "--by", "age").out
    assert "not summed by rank" in wsim_command("table", folder, "worth", "--by", "rank").err


def test_games_that_adjoin_have_numbers_that_adjoin() -> None:
    cuts = [0, 1, 2, 7, 100, 101, 4096, 10_000]
    numbers = [worth_games(range(first, end), 0.37) for first, end in pairwise(cuts)]
    assert all(one.stop == after.start for one, after in pairwise(numbers))
    assert numbers[-1].stop == 3700


def test_a_table_of_no_wishes_has_no_rows(tmp_path: Path) -> None:
    assert worth_table(whole(tmp_path / "run").wishes, fewest=10**9).frame.is_empty()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"worth": "lots"}, "worth must be a chance from 0 to 1, not 'lots'"),
        ({"overrule": "0.1"}, "leave out overrule"),
    ],
)
def test_what_cannot_be_played_is_refused(tmp_path: Path, keys: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        record(Plan.make(**PLAN | keys), tmp_path / "run")
    assert not (tmp_path / "run").exists()
