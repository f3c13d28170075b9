"""Runs with worth games store their sums with the shards, however the shards are created."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.files import StoreError
from wsim.lab.merge import merge
from wsim.lab.parts import Part
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.run_tables import RunTable
from wsim.lab.store import Run
from wsim.lab.verify import verify
from wsim.lab.wishes import worth_games
from wsim.policies.chances import WORTH_GAMES
from wsim.stats.columns import PLAYER_HALF_WIDTH
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


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_worth_of_a_run_matches_the_experiment_on_the_same_games(tmp_path: Path, game: str) -> None:
    run = whole(tmp_path / "run", game=game)
    asked = wsim.experiment_worth(game=game, games=200, seed=38, policies="balanced")
    assert run.wishes.games == 200
    assert run.worth().frame.equals(asked.worth)
    assert run.worth("seat").frame.equals(asked.by("seat"))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_measuring_worth_does_not_change_the_games_of_a_run(tmp_path: Path, game: str) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize("how", [merged, summary, resumed, made_longer])
def test_worth_sums_do_not_depend_on_how_the_run_is_made(tmp_path: Path, how: Callable[[Path], Run]) -> None:
    assert same_sums(how(tmp_path / "other"), whole(tmp_path / "run"))


@pytest.mark.slow
def test_a_cluster_produces_the_same_run(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    there = record(Plan.make(**PLAN), tmp_path / "there", shard=150, cluster="local:1")
    assert same_sums(there, whole(tmp_path / "run"))


@pytest.mark.slow
def test_an_intact_run_verifies_and_a_damaged_one_does_not(tmp_path: Path) -> None:
    run = whole(tmp_path / "run")
    assert not list(verify(run.path))
    file = run.path / "worth" / "part-00000000000000.parquet"
    file.write_bytes(file.read_bytes()[:-9] + b"scratched")
    assert any(one.file.startswith("worth/") for one in verify(run.path))
    with pytest.raises(StoreError, match="damaged"):
        wsim.load_run(run.path).worth()


def test_a_run_too_short_to_measure_worth_still_ends(tmp_path: Path, wsim_command: Command) -> None:
    said = wsim_command("run", "--games", "2", "--worth", "0.4", "-o", str(tmp_path / "run"), "-q")
    assert said.code == 0
    with pytest.raises(UserError, match="too few games"):
        wsim.load_run(tmp_path / "run").worth()


@pytest.mark.slow
def test_the_command_shows_the_worth_of_cards_first(tmp_path: Path, wsim_command: Command) -> None:
    folder = str(tmp_path / "run")
    said = wsim_command("run", "--games", "3000", "--policies", "balanced", "-o", folder, "-q")
    assert said.out.startswith("Cards: the 10 best and 5 worst")
    heading = said.out.splitlines()[1].split()
    assert heading[:4] == ["card", "color", "age", "worth"]
    assert heading.index("overruled") < heading.index("owners")
    assert said.out.index("\nWorth") < said.out.index("\nPolicies") < said.out.index("\nWonders")
    assert {"stage", "sell"} <= {line.split(" ")[0] for line in said.out.splitlines()}
    assert "by age" in wsim_command("table", folder, "worth", "--by", "age").out
    assert "not summed by rank" in wsim_command("table", folder, "worth", "--by", "rank").err


def test_adjacent_game_ranges_have_adjacent_worth_ranges() -> None:
    cuts = [0, 1, 2, 7, 100, 101, 4096, 10_000]
    numbers = [worth_games(range(first, end), 0.37) for first, end in pairwise(cuts)]
    assert all(one.stop == after.start for one, after in pairwise(numbers))
    assert numbers[-1].stop == 3700


@pytest.mark.slow
def test_a_worth_table_without_wishes_has_no_rows(tmp_path: Path) -> None:
    assert worth_table(whole(tmp_path / "run").wishes, fewest=10**9).frame.is_empty()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"worth": "lots"}, "worth must be a probability from 0 to 1, not 'lots'"),
        ({"overrule": "0.1"}, "leave out overrule"),
    ],
)
def test_unplayable_plans_are_rejected(tmp_path: Path, keys: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        record(Plan.make(**PLAN | keys), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def plan_of(tmp_path: Path, wsim_command: Command, *words: str) -> dict[str, Any]:
    folder = tmp_path / "run"
    assert wsim_command("run", "--games", "20", "--policies", "random", "-q", "-o", str(folder), *words).code == 0
    return wsim.load_run(folder).plan.as_dict()


@first_quick(
    1,
    ("words", "share"),
    [
        ((), str(WORTH_GAMES)),
        (("--game", "tower_of_babel"), str(WORTH_GAMES)),
        (("--ruleset", "1e-duo", "--players", "2"), str(WORTH_GAMES)),
        (("--ruleset", "2e-cities-teams", "--players", "6"), str(WORTH_GAMES)),
        (("--keep", "seats,picks"), str(WORTH_GAMES)),
        (("--worth", "0"), None),
        (("--worth", "0.5"), "0.5"),
        (("--overrule", "0.1"), None),
        (("--randomise", "0.1"), None),
    ],
)
def test_wsim_run_measures_worth_unless_it_says_otherwise(
    tmp_path: Path, wsim_command: Command, words: tuple[str, ...], share: str | None
) -> None:
    assert plan_of(tmp_path, wsim_command, *words).get("worth") == share


def test_a_run_without_worth_is_continued_without_worth(tmp_path: Path, wsim_command: Command) -> None:
    record(Plan.make(games=10, policies="random", seed=1), tmp_path / "run")
    assert "worth" not in plan_of(tmp_path, wsim_command, "--resume")
    assert wsim.load_run(tmp_path / "run").games == 20


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_item_tables_start_with_worth_and_give_ownership_no_verdict(tmp_path: Path, game: str) -> None:
    keys: dict[str, Any] = {"game": game, "games": 1500, "keep": "summary"}
    run, plain = whole(tmp_path / "run", **keys, worth=1), whole(tmp_path / "plain", **keys, worth=None)
    names = {"seven_wonders": {"cards": "build"}}.get(
        game, {"wonders": "build on", "discs": "build with", "cards": "play"}
    )
    for name, what in names.items():
        table, bare = run.table(name), plain.table(name)
        noun = table.labels[0]
        worth = run.worth().frame.filter(what=what)
        shown = table.frame.filter(pl.col("worth").is_not_null())
        assert shown.height > 0
        assert shown["worth"].is_sorted(descending=True)
        both = shown.join(worth, left_on=pl.col(noun).cast(pl.String), right_on="name")
        assert both.height == shown.height
        for figure in ("worth", "worth_low", "q", "verdict", "points", "wanted", "overruled"):
            assert both[figure].equals(both[f"{figure}_right"])
        other = {*run.worth().frame.columns, "player_half_width"}  # of worth in one, of owners in the other
        owners = table.frame.select(pl.exclude(other))
        assert owners.sort(noun).equals(bare.frame.select(pl.exclude(other)).sort(noun))
        assert not {"verdict", "q", "win_q"} & set(bare.frame.columns)
        assert f"play it with --worth {WORTH_GAMES}" in bare.note
        assert "this shows who has it, not what it is worth" in bare.note
        assert "this shows who has it, not what it is worth" in table.note


@pytest.mark.slow
def test_worth_is_shown_by_seat_but_not_where_it_is_not_summed(tmp_path: Path) -> None:
    run = whole(tmp_path / "run", games=1500)
    assert run.cards("seat").frame["worth"].is_not_null().any()
    assert "not summed by rank" in run.cards("rank").note


@pytest.mark.slow
def test_two_runs_can_be_compared_by_the_worth_of_a_card(tmp_path: Path, wsim_command: Command) -> None:
    """A Palace with 30 points instead of 8 is worth more, with rows or sums, alone or with other metrics."""
    keys: dict[str, Any] = {"games": 1500, "worth": 1, "keep": "summary"}
    whole(tmp_path / "plain", **keys)
    whole(tmp_path / "dear", **keys, set=["cards.Palace.points=30"])
    folders = (str(tmp_path / "plain"), str(tmp_path / "dear"))
    answer = wsim.compare(*folders, metric=["worth:Palace", "worth_points:palace", "worth:next stage"])
    rows = {row["metric"]: row for row in answer.metrics.iter_rows(named=True)}
    tables = [{row["name"]: row for row in wsim.load_run(one).worth().frame.to_dicts()[::-1]} for one in folders]
    for name, figure in (("worth:Palace", "worth"), ("worth_points:palace", "points")):
        row, (one, other) = rows[name], [table["Palace"] for table in tables]
        assert (row["first"], row["second"]) == (one[figure], other[figure])
        assert row["difference"] == pytest.approx(other[figure] - one[figure])
        reach = np.hypot(*((end[f"{figure}_high"] - end[f"{figure}_low"]) / 2 for end in (one, other)))
        assert row["difference_high"] - row["difference"] == pytest.approx(reach)
        assert row["difference_low"] > 0
        assert row["q"] < 0.01
        assert (row["n_first"], row["n_second"]) == (one["overruled"], other["overruled"])
    assert rows["worth:next stage"]["q"] > 0.001
    said = wsim_command("compare", *folders, "--metric", "worth:Palce")
    assert said.code == 2
    assert "the worth of 'Palce' is unknown" in said.err
    assert "Palace" in said.err


@pytest.mark.slow
def test_worth_is_compared_next_to_other_metrics_of_rows(tmp_path: Path) -> None:
    for name, seed in (("one", 38), ("other", 39)):
        whole(tmp_path / name, seed=seed, worth=1)
    answer = wsim.compare(str(tmp_path / "one"), str(tmp_path / "other"), metric=["score", "worth:next stage"])
    assert answer.metrics["metric"].to_list() == ["score", "worth:next stage"]
    assert answer.metrics["q"].is_not_null().all()
    plain = whole(tmp_path / "plain", worth=None)
    with pytest.raises(UserError, match="play it with --worth"):
        wsim.compare(str(plain.path), str(tmp_path / "one"), metric="worth:Palace")


@pytest.mark.slow
@pytest.mark.parametrize("players", [(3, 4)])
def test_worth_of_several_runs_is_shown_in_one_table(tmp_path: Path, players: tuple[int, ...]) -> None:
    runs = [whole(tmp_path / str(count), players=count, worth=1) for count in players]
    table = RunTable.of("worth", runs, (), 0.95, {}).table
    stages = table.frame.filter(what="stage")
    assert stages["players"].to_list() == list(players)
    assert stages["worth"].to_list() == [run.worth().frame.filter(what="stage")["worth"].item() for run in runs]
    assert {"worth", "owners"} <= {column.heading for column in RunTable.of("cards", runs, (), 0.95, {}).table.columns}


@pytest.mark.slow
def test_a_worth_verdict_follows_from_q_or_player_differences(tmp_path: Path) -> None:
    """Owner figures give no verdict: it needs a q-value of worth, and known player differences may withhold it."""
    run = whole(tmp_path / "run", games=4000, worth=1, policies="net", keep="summary")
    frame = run.cards().frame.filter(pl.col("q").is_not_null())
    clear, said = frame["q"] < 0.05, frame["verdict"] != "unclear"
    assert said.sum() > 5
    assert not (said & ~clear).any()
    assert frame.filter(clear & ~said)[PLAYER_HALF_WIDTH].is_not_null().all()
