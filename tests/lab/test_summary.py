"""Runs that store a summary: no rows, but the same tables, even if interrupted, extended, split or merged."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from tests.cli.test_run import files, process, wait_for_shards
from tests.conftest import Command
from tests.games import toy_game
from tests.tiers import first_checked, first_quick
from wsim import Plan, UserError, simulate
from wsim.files import StoreError
from wsim.game import analyses_of, find_game
from wsim.lab.merge import merge
from wsim.lab.parts import Part
from wsim.lab.progress import Interrupted
from wsim.lab.run import record
from wsim.lab.shards import recipes_of
from wsim.lab.store import Run, load_run
from wsim.lab.verify import verify
from wsim.stats.summary import Summary, summarise
from wsim.stats.tables import Table

SHARD = Path("run/sums/part-00000000000090.parquet")


def recorded(out: str = "run", **how: Any) -> Any:
    keys = {"games": 400, "rotate": True, "keep": "summary"} | how.pop("keys", {})
    return record(Plan.make(**keys), out, shard=90, **how)


def same(one: Table, other: Table) -> None:
    """Assert that two tables are equal except for the last digits of floats."""
    assert (one.title, one.note, one.frame.schema) == (other.title, other.note, other.frame.schema)
    names = [name for name, kind in one.frame.schema.items() if not kind.is_float()]
    left, right = (table.frame.with_columns(pl.col(pl.Enum).cast(pl.String)) for table in (one, other))
    keys = [name for name in left.columns if left.schema[name] == pl.String]
    left, right = left.sort(keys), right.sort(keys)
    assert left.select(names).equals(right.select(names))
    for name in left.columns:
        if name not in names:
            assert left[name].is_null().equals(right[name].is_null()), name
            for old, new in zip(left[name].drop_nulls(), right[name].drop_nulls(), strict=True):
                assert new == pytest.approx(old, rel=1e-7, abs=1e-9), name


PLANS: list[dict[str, Any]] = [
    {"policies": "balanced,science,military,greedy"},
    {"policies": "random"},
    {"ruleset": "2e-cities", "players": 7, "policies": "random,balanced,science,random,greedy,greedy,military"},
    {"ruleset": "1e-duo", "players": 2, "policies": "balanced,military"},
    {"ruleset": "2e-cities-teams", "players": 4, "policies": "balanced,random,random,greedy"},
    {"game": "tower_of_babel"},
    {"policies": "balanced,random,random,random", "rotate": False, "wonders": "Gizah,Rhodos,Babylon,Olympia"},
]


@pytest.mark.slow
@pytest.mark.parametrize("keys", PLANS, ids=lambda keys: str(keys.get("ruleset") or keys.get("game") or "1e"))
def test_summary_tables_match_the_tables_of_rows(keys: dict[str, Any], tmp_path: Path) -> None:
    plan = Plan.make(games=600, seed=5, **keys)
    rows = record(plan, tmp_path / "rows")
    sums = record(plan.replace(keep="summary"), tmp_path / "sums", shard=250)
    assert sums.games == 600
    made = [analysis for analysis in analyses_of(find_game(plan.game)).values() if analysis.sums is not None]
    assert {analysis.shown for analysis in made} == {"run"}
    for analysis in made:

        def plain(table: Table, worth: str = analysis.worth) -> Table:
            if not worth:  # the table of a run also says for whom its verdicts are
                return replace(table, note=table.note.partition("Verdicts are for ")[0].strip())
            # in a run, the note names the run, and owners have no q: the figure that is tested is worth
            names = set(table.frame.columns) - {"win_q", "score_q", "q", "verdict", "worth"}
            return replace(table, note="", frame=table.frame.select(sorted(names)))

        same(plain(analysis.make(rows, by=analysis.by)), plain(analysis.table(sums)))
        same(plain(analysis.table(rows)), plain(analysis.table(sums)))
        if "raw" in analysis.options:
            same(plain(analysis.make(rows, by=analysis.by, raw=True)), plain(analysis.table(sums, raw=True)))


@pytest.mark.jit_off
@pytest.mark.boundscheck
@first_checked("keys", PLANS[::2], ids=lambda keys: str(keys.get("ruleset") or keys.get("game") or "1e"))
def test_the_sums_match_a_slow_twin(keys: dict[str, Any]) -> None:
    """The twin adds up the products of each game's sums one by one."""
    plan = Plan.make(games=5, seed=5, **keys)
    seats = simulate(plan)
    kept = summarise(seats, recipes_of(plan))
    columns = [name for name in kept.labels if name.startswith("owners of ")]
    things = {name: kept.labels[name] for name in columns}
    policies = kept.labels["categories policy"]
    for name, owned in things.items():
        found = kept.of(name)
        every, own = ({key: np.zeros_like(found[key]) for key in keys} for keys in (("all",), ("own", "mixed")))
        for game in seats.filter(pl.col("rank") > 0).partition_by("game", maintain_order=True):
            around = features(game, policies, kept.parts)
            every["all"] += np.outer(around, around)
            for place, column in enumerate(owned):
                mine = features(game.filter(pl.col(column).cast(pl.Int64) > 0), policies, kept.parts)
                own["own"][place] += np.outer(mine, mine)
                own["mixed"][place] += np.outer(mine, around)
        for key, values in {**every, **own}.items():
            assert np.array_equal(found[key], values), (name, key)


def features(rows: pl.DataFrame, policies: Sequence[str], parts: int) -> NDArray[np.float64]:
    """Return rows, parts of a win and score of each policy, one after the other; the last are of none."""
    found = np.zeros((len(policies) + 1, 3))
    for policy, share, total in rows.select("policy", "win_share", "total").iter_rows():
        found[policies.index(policy)] += (1, round(share * parts), total)
    return found.ravel()


@pytest.mark.usefixtures("toy")
def test_newly_played_games_are_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(run: Run, table: str, games: range) -> pl.LazyFrame:
        raise AssertionError(f"{table} {games} was read")

    plan = Plan.make(games=400, rotate=True)
    run = record(plan, "rows", shard=90)
    reading = Run.rows_of
    monkeypatch.setattr(Run, "rows_of", refused)
    played = run.policies()
    with pytest.raises(AssertionError, match="seats range"):
        load_run("rows").policies()
    monkeypatch.setattr(Run, "rows_of", reading)
    assert load_run("rows").policies().frame.equals(played.frame)


@pytest.mark.usefixtures("toy")
def test_a_resumed_run_reads_only_the_earlier_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables contain the games from before and after resuming, each exactly once."""
    record(Plan.make(games=180, rotate=True), "rows", shard=90)
    read = []
    reading = Run.rows_of

    def noted(run: Run, table: str, games: range) -> pl.LazyFrame:
        read.append(games)
        return reading(run, table, games)

    monkeypatch.setattr(Run, "rows_of", noted)
    run = record(Plan.make(games=400, rotate=True), "rows", resume=True)
    assert run.policies().frame.equals(record(Plan.make(games=400, rotate=True), "whole").policies().frame)
    assert read == [range(90), range(90, 180)]


@pytest.mark.usefixtures("toy")
def test_a_summary_stores_no_rows() -> None:
    run = recorded()
    assert sorted(os.listdir("run")) == ["catalogue.json", "plan.toml", "run.json", "shards.jsonl", "sums"]
    assert (run.games, run.complete, run.plan.keep) == (400, True, "summary")
    assert verify("run") == []
    assert run.summary is not None
    assert run.summary.games == 400
    with pytest.raises(UserError, match="the run 'run' keeps only a summary, but this needs rows: play it with"):
        _ = run.seats


@pytest.mark.usefixtures("toy")
def test_sums_do_not_depend_on_threads_shards_or_parts() -> None:
    """The sums are whole numbers, so they are bitwise equal."""
    once = record(Plan.make(games=400, rotate=True, keep="summary"), "once", threads=1).summary
    cut = recorded(threads=3).summary
    for number in (1, 2, 3):
        recorded(f"p{number}", part=Part(number, 3))
    joined = merge(["p3", "p1", "p2"], "joined")
    assert once is not None
    assert files("joined") == files("run")
    for other in (cut, joined.summary):
        assert other is not None
        assert other.labels == once.labels
        assert {name: values.tobytes() for name, values in other.arrays.items()} == {
            name: values.tobytes() for name, values in once.arrays.items()
        }


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_summary_can_be_resumed_and_extended() -> None:
    def stop(doing: str, done: int, total: int) -> None:
        if done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        recorded(progress=stop)
    assert 180 <= load_run("run").games < 400
    assert recorded(resume=True).complete
    before = files("run")
    assert before == files(str(recorded("whole").path))
    recorded(resume=True, keys={"games": 700})
    longer, planned = load_run("run").summary, recorded("longer", keys={"games": 700}).summary
    assert longer is not None
    assert planned is not None
    assert longer.frame().equals(planned.frame())


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@pytest.mark.skipif(os.name != "posix", reason="a process is killed by a signal")
def test_a_killed_summary_run_can_be_resumed(wsim_command: Command) -> None:
    words = ("run", "--games", "1000", "--pause", "0.002", "--shard-games", "50", "--keep", "summary")
    run = process(*words, "--out", "run")
    wait_for_shards("run", 2)
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=60)
    assert 0 < load_run("run").games < 1000
    assert wsim_command("run", "--resume", "run").code == 0
    assert wsim_command(*words, "--out", "whole").code == 0
    assert files("run") == files("whole")


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_the_command_shows_the_available_tables(wsim_command: Command) -> None:
    rows = wsim_command("run", "--games", "300", "--out", "rows")
    sums = wsim_command("run", "--games", "300", "--keep", "summary", "--out", "sums")
    assert (sums.code, sums.err) == (0, "")
    assert sums.out.splitlines()[:-1] == rows.out.splitlines()[:-1]
    assert [row["table"] for row in json.loads(wsim_command("table", "sums", "--json").out)] == [
        "policies",
        "treasures",
    ]
    assert wsim_command("table", "sums", "policies").out == wsim_command("table", "rows", "policies").out
    assert wsim_command("rerun", "sums").out.startswith("sums repeated is the same: ")
    assert wsim_command("run", "--plan", "sums/plan.toml", "--out", "again").code == 0
    assert files("again") == files("sums")


NO_ROWS = "the run 'run' keeps only a summary, but this needs rows: play it with --keep seats\n"


@pytest.mark.usefixtures("toy")
@first_quick(
    3,
    ("words", "sentence"),
    [
        (
            "table run matchups",
            "the run 'run' keeps only a summary, but this needs rows: play it with --keep seats",
        ),
        (
            "table run policies --by seat",
            "the run keeps sums by policy, not by seat: that needs rows, so play it with ",
        ),
        (
            "table run treasures --by policy",
            "the run keeps sums of each treasure, not split by policy: that needs rows",
        ),
        ("compare run run", "the run 'run' keeps only a summary, but this needs rows: play it with --keep seats"),
        ("run --keep rows", "keep must be seats, seats,picks or summary, not 'rows'"),
        ("run --keep picks", "keep must be seats, seats,picks or summary, not 'picks'"),
        ("run --keep summary --picks", "keep = summary contradicts picks = true"),
        ("run --keep seats --picks", "keep = seats contradicts picks = true"),
        (
            "run --games 400 --rotate --out run",
            "'run' contains a different run: plan.keep is \"summary\" there and null here",
        ),
        ("trace --keep seats", "trace has no option '--keep'"),
    ],
)
def test_tables_missing_from_a_summary_are_reported_in_one_sentence(
    wsim_command: Command, words: str, sentence: str
) -> None:
    recorded()
    answer = wsim_command(*words.split())
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith(f"wsim: {sentence}")


@pytest.mark.usefixtures("toy")
def test_keep_selects_seats_and_picks(wsim_command: Command) -> None:
    assert wsim_command("run", "--games", "30", "--keep", "seats,picks", "--out", "both").code == 0
    assert wsim_command("run", "--games", "30", "--picks", "--out", "picks").code == 0
    assert wsim_command("run", "--games", "30", "--keep", "seats", "--out", "seats").code == 0
    assert files("both") == files("picks")
    assert load_run("both").plan == load_run("picks").plan
    assert not load_run("seats").plan.picks
    assert "keep" not in Path("seats/plan.toml").read_text()


@pytest.mark.usefixtures("toy")
def test_damage_to_a_summary_is_detected(wsim_command: Command) -> None:
    recorded()
    before = files("run")
    content = bytearray(SHARD.read_bytes())
    content[len(content) // 2] ^= 4
    SHARD.write_bytes(content)
    assert [finding.file for finding in verify("run")] == ["sums/part-00000000000090.parquet"]
    with pytest.raises(StoreError, match=r"the run 'run' is damaged: sums/part-00000000000090\.parquet was changed"):
        _ = load_run("run").summary
    assert wsim_command("table", "run", "policies").code == 1
    assert wsim_command("run", "--resume", "run").code == 0
    assert files("run") == before
    SHARD.unlink()
    assert load_run("run").games == 310
    assert wsim_command("table", "run", "policies").err == "wsim: run contains 310 of 400 games\n"
    (Path("run/sums") / "part-00000000009999.parquet").write_bytes(b"")
    assert "sums/part-00000000009999.parquet" in {finding.file for finding in verify("run")}


def test_files_that_are_not_summaries_are_rejected() -> None:
    for frame in (pl.DataFrame({"a": [1]}), Summary().frame()):
        with pytest.raises(ValueError, match="not a table of sums"):
            Summary.of_frame(frame)


@pytest.mark.usefixtures("toy")
def test_a_game_without_summary_tables_stores_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toy_game.Toy, "ANALYSES", {"matchups": "wsim.stats.shared:MATCHUPS"})
    with pytest.raises(UserError, match="toy has no tables for a summary: play it with --keep seats"):
        recorded()
    assert not Path("run").exists()


def test_sums_computed_in_one_pass_match_separate_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(Plan.make(games=60, seed=3, players=3, policies="random,first,random"), tmp_path / "run")
    recipes = [one.sums for one in analyses_of(find_game("seven_wonders")).values() if one.sums is not None]
    assert len(recipes) > 2
    alone = load_run(tmp_path / "run")
    each = [alone.summed(recipe).summary for recipe in recipes]
    together = load_run(tmp_path / "run")
    together.sum_up(recipes)
    monkeypatch.setattr("wsim.lab.store._sums_of_rows", lambda *_: pytest.fail("rows are read again"))
    for recipe, one in zip(recipes, each, strict=True):
        found = together.summed(recipe).summary
        assert found is not None
        assert one is not None
        assert found.labels == one.labels
        assert {name: values.tolist() for name, values in found.arrays.items()} == {
            name: values.tolist() for name, values in one.arrays.items()
        }
