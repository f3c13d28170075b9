"""Run folders: complete or absent, resumed to the same data, never mixed with a different run."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.conftest import Command
from tests.games import toy_game
from tests.tiers import first_quick
from wsim import Plan, UserError
from wsim.files import StoreError
from wsim.lab.progress import Interrupted
from wsim.lab.run import record
from wsim.lab.store import Run, load_run, shard_games, shard_ranges

pytestmark = pytest.mark.usefixtures("toy")

PLAN: dict[str, Any] = {"games": 1000, "rotate": True, "picks": True}


def recorded(out: str = "run", **how: Any) -> Run:
    return record(Plan.make(**PLAN), out, shard=300, **how)


def content(folder: str) -> dict[str, bytes]:
    """Return the bytes of every Parquet file, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*.parquet"))}


def left_over(folder: str) -> list[str]:
    return [path.name for path in Path(folder).rglob("*") if path.name.startswith(".")]


def stop_after(games: int) -> Any:
    """Return a progress callback that raises KeyboardInterrupt after a number of games."""

    def progress(doing: str, done: int, total: int) -> None:
        assert (doing, total) == ("games", 1000)
        if done >= games:
            raise KeyboardInterrupt

    return progress


def test_a_run_contains_the_table_that_simulate_returns() -> None:
    run = recorded()
    assert_frame_equal(run.seats.collect(), wsim.simulate(games=1000, rotate=True))
    assert_frame_equal(run.picks.collect(), wsim.simulate(games=1000, rotate=True, picks=True))


def test_the_layout_of_a_folder() -> None:
    assert recorded().played == 1000
    names = [f"part-{first:014d}.parquet" for first in (0, 300, 600, 900)]
    for table in ("seats", "picks"):
        assert sorted(os.listdir(f"run/{table}")) == names
    kept = ["catalogue.json", "picks", "plan.toml", "run.json", "seats", "shards.jsonl"]
    assert sorted(os.listdir("run")) == kept
    assert Plan.from_toml("run/plan.toml") == Plan.make(**PLAN)


def test_a_loaded_run_describes_itself() -> None:
    recorded()
    run = wsim.load_run("run")
    assert (run.plan, run.games, run.complete, run.status) == (Plan.make(**PLAN), 1000, True, "complete")
    assert run.provenance.identity["rules"] == toy_game.GAME.prepare(run.plan).provenance()
    assert run.provenance.command == Plan.make(**PLAN).command()
    assert set(run.provenance.software) == {"wsim", "python", "numba", "numpy", "polars"}


def test_every_file_records_its_provenance() -> None:
    run = recorded()
    for table in ("seats", "picks"):
        entry = json.loads(pl.read_parquet_metadata(f"run/{table}/part-00000000000900.parquet")["wsim"])
        assert (entry["table"], entry["first_game"], entry["games"]) == (table, 900, 100)
        assert (entry["digest"], entry["plan"]["seed"]) == (run.provenance.digest, 1)
        assert entry["identity"]["rules"]["catalogue"]["digest"] == toy_game.GAME.prepare(run.plan).digest


def test_files_are_compressed_and_their_row_groups_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    original = pl.DataFrame.write_parquet

    def watched(self: pl.DataFrame, file: Any, **how: Any) -> None:
        seen.append(how)
        original(self, file, **how)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", watched)
    recorded()
    assert {(how["compression"], how["row_group_size"]) for how in seen} == {("zstd", 250_000)}


def test_shards_have_a_quarter_of_a_million_rows() -> None:
    table = toy_game.GAME.prepare(Plan.make())
    assert shard_games(table, Plan.make()) == 62_500
    assert shard_games(table, Plan.make(picks=True)) == 62_500
    assert shard_games(table, Plan.make(keep="summary")) == 500_000
    monkeyed = toy_game.GAME.prepare(Plan.make())
    monkeyed.picks_per_game = 100
    assert shard_games(monkeyed, Plan.make(picks=True)) == 10_000
    assert list(shard_ranges(range(150_000), 62_500))[-1] == range(125_000, 150_000)


def test_the_default_folder_of_a_run() -> None:
    folder = record(Plan.make(games=10)).path
    assert folder.parent == Path("runs")
    assert folder.name.startswith("toy-1e-4p-seed1-10-")
    assert record(Plan.make(games=10, rotate=True)).path != folder


@first_quick(2, "games", [1, 350, 999, 1000])
def test_an_interrupted_run_resumes_to_the_same_files(games: int) -> None:
    with pytest.raises(Interrupted) as interrupt:
        recorded(progress=stop_after(games), threads=2)
    assert interrupt.value.result.games == load_run("run").games
    assert load_run("run").status == "interrupted"
    assert not load_run("run").complete
    assert not left_over("run")
    assert recorded(resume=True).played == 1000 - interrupt.value.result.played
    recorded("whole")
    assert content("run") == content("whole")


def test_ctrl_c_keeps_the_games_of_the_shard_that_is_being_played() -> None:
    with pytest.raises(Interrupted) as interrupt:
        recorded(progress=stop_after(100), threads=2)
    run = interrupt.value.result
    assert 0 < run.games < 300
    assert run.seats.collect()["game"].unique().to_list() == list(range(run.games))
    rows = record(Plan.make(**{**PLAN, "games": run.games}), "short").seats.collect()
    assert run.seats.collect().equals(rows)
    assert recorded(resume=True).complete
    recorded("whole")
    assert content("run") == content("whole")


def test_resuming_plays_only_missing_or_incomplete_shards() -> None:
    before = content(str(recorded().path))
    Path("run/seats/part-00000000000300.parquet").unlink()
    Path("run/picks/part-00000000000600.parquet").write_bytes(b"half a fi")
    Path("run/seats/.part-00000000000300.parquet.77.tmp").write_bytes(b"left by a killed process")
    with pytest.raises(UserError, match="'run' contains this run, unfinished"):
        recorded()
    done: list[tuple[str, int, int]] = []
    assert recorded(resume=True, progress=lambda *counts: done.append(counts)).played == 600
    assert done[-1] == ("games", 1000, 1000)
    assert content("run") == before
    assert not left_over("run")


def test_a_finished_run_is_not_played_again() -> None:
    before = content(str(recorded().path))
    again = recorded()
    assert (again.played, again.complete) == (0, True)
    assert content("run") == before


def test_an_unfinished_run_is_resumed_only_if_requested() -> None:
    with pytest.raises(Interrupted):
        recorded(progress=stop_after(400))
    with pytest.raises(UserError, match="'run' contains this run, unfinished: add --resume"):
        recorded()


def test_a_run_can_be_extended() -> None:
    record(Plan.make(games=700), "run", shard=300)
    with pytest.raises(UserError, match="'run' contains fewer games: add --resume"):
        record(Plan.make(games=1000), "run")
    assert record(Plan.make(games=1000), "run", resume=True).played == 400  # the last shard was not full
    assert_frame_equal(load_run("run").seats.collect(), wsim.simulate(games=1000))


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"seed": 2}, "plan.seed is 1 there and 2 here"),
        ({"rotate": False}, "plan.rotate is true there and false here"),
        ({"picks": False}, "plan.picks is true there and false here"),
        ({"wonders": "Gizah"}, 'plan.wonders is "random" there and "Gizah" here'),
    ],
)
@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_with_a_different_run_is_rejected(changes: dict[str, Any], difference: str, resume: bool) -> None:
    before = content(str(recorded().path))
    with pytest.raises(UserError) as refusal:
        record(Plan.make(**{**PLAN, **changes}), "run", resume=resume)
    assert str(refusal.value) == f"'run' contains a different run: {difference}; choose another --out"
    assert content("run") == before


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_cannot_be_shortened(resume: bool) -> None:
    before = content(str(recorded().path))
    with pytest.raises(UserError) as refusal:
        record(Plan.make(**{**PLAN, "games": 500}), "run", resume=resume)
    sentence = (
        "'run' already has 1,000 games, more than 500: a run can be extended, not shortened; choose another --out"
    )
    assert str(refusal.value) == sentence
    assert content("run") == before


def test_a_run_with_different_rules_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded()
    digest = toy_game.GAME.prepare(Plan.make()).digest
    monkeypatch.setattr(toy_game.simulator.ToySimulator, "provenance", lambda self: {"catalogue": {"digest": "4567"}})
    with pytest.raises(UserError, match=rf'rules\.catalogue\.digest is "{digest}" there and "4567" here'):
        recorded()


def test_a_run_of_a_different_version_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded()
    monkeypatch.setattr("wsim.version.__version__", "9.9")
    with pytest.raises(UserError, match=r'wsim is "0\.\d+\.\d+" there and "9.9" here'):
        recorded(resume=True)


def test_a_folder_with_other_files_is_rejected() -> None:
    Path("run").mkdir()
    Path("run/letter.txt").write_text("dear")
    with pytest.raises(UserError, match="'run' contains files that are not a wsim run"):
        recorded()
    with pytest.raises(UserError, match=r"'run/letter\.txt' is not a folder"):
        recorded("run/letter.txt")
    assert os.listdir("run") == ["letter.txt"]


def test_an_empty_folder_is_used() -> None:
    Path("run").mkdir()
    assert recorded().complete


@pytest.mark.skipif(os.name != "posix", reason="the lock is a POSIX one")
def test_two_runs_cannot_write_to_one_folder() -> None:
    def meddle(doing: str, done: int, total: int) -> None:
        with pytest.raises(UserError, match="another wsim is writing in 'run'"):
            recorded(resume=True)

    assert recorded(progress=meddle).complete


def full_disk(monkeypatch: pytest.MonkeyPatch, after: int, error: Exception) -> None:
    """Let ``after`` Parquet files be written completely, and truncate all later files."""
    original = pl.DataFrame.write_parquet
    written: list[Any] = []

    def write(self: pl.DataFrame, file: Any, **how: Any) -> None:
        if len(written) == after:
            Path(file).write_bytes(b"PAR1 and no more")
            raise error
        written.append(file)
        original(self, file, **how)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", write)


FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    pl.exceptions.ComputeError(
        "parquet: File out of specification: underlying IO error: No space left on device (os error 28)"
    ),
]


@pytest.mark.parametrize("error", FULL)
def test_a_full_disk_keeps_finished_parts(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    with monkeypatch.context() as patch:
        full_disk(patch, 4, error)
        with pytest.raises(StoreError) as failure:
            recorded()
    shard = Path("run/picks/part-00000000000600.parquet")
    assert str(failure.value) == f"cannot write '{shard}': No space left on device"
    assert sorted(os.listdir("run/picks")) == sorted(os.listdir("run/seats"))
    assert len(os.listdir("run/seats")) == 2
    assert load_run("run").status == "interrupted"
    assert recorded(resume=True).played == 400


def test_a_full_disk_is_reported_whichever_error_polars_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "parquet: File out of specification: Invalid thrift: eof"
    full_disk(monkeypatch, 0, pl.exceptions.ComputeError(said))
    with pytest.raises(StoreError, match=f"cannot write .*: {said}"):
        recorded()
    monkeypatch.setattr("wsim.files.shutil.disk_usage", lambda _: SimpleNamespace(free=4096))
    with pytest.raises(StoreError, match=r"cannot write .*: No space left on device$"):
        recorded()


def test_a_disk_full_from_the_start_leaves_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    full_disk(monkeypatch, 0, FULL[0])
    with pytest.raises(StoreError):
        recorded("deep/run")
    assert not Path("deep/run").exists()


def test_a_folder_that_cannot_be_created_is_named() -> None:
    with pytest.raises(StoreError, match="cannot write '/dev/null/run': Not a directory"):
        recorded("/dev/null/run")


def test_an_unplayable_game_leaves_no_new_run() -> None:
    with pytest.raises(UserError, match="game 7 cannot be played"):
        record(Plan.make(games=100, fail=7), "run")
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nothing", "'nothing' does not exist"),
        ("file", "'file' is not a folder"),
        ("empty", r"'empty' contains no wsim run \(no run\.json\)"),
        ("text", "'text/run.json' is not a wsim record: "),
        ("list", "'list/run.json' has the format None; this version of wsim reads 'wsim-run/2'"),
        ("newer", "'newer/run.json' has the format 'wsim-run/9'"),
        ("damaged", "'damaged/run.json' is damaged: it was changed after wsim wrote it"),
        ("older", "'older/run.json' has the format 'wsim-run/1' of an earlier wsim; this version reads 'wsim-run/2'$"),
        ("deep", "'deep/run.json' is not a wsim record: it is nested too deeply"),
    ],
)
def test_folders_that_are_not_runs_are_rejected(path: str, sentence: str) -> None:
    Path("file").write_text("")
    records = {"empty": "", "text": "{", "list": "[]", "newer": '{"format": "wsim-run/9"}'}
    records |= {"damaged": '{"format": "wsim-run/2"}', "older": '{"format": "wsim-run/1"}', "deep": "[" * 100_000}
    for name, text in records.items():
        Path(name).mkdir()
        if text:
            Path(name, "run.json").write_text(text)
    with pytest.raises(UserError, match=sentence):
        load_run(path)


def test_a_run_without_shards_or_picks_says_so() -> None:
    with pytest.raises(Interrupted):
        record(Plan.make(games=1000), "run", shard=300, progress=stop_after(1))
    run = load_run("run")
    with pytest.raises(UserError, match="the run 'run' has no finished shard: continue it with --resume"):
        _ = run.seats
    with pytest.raises(UserError, match="the run 'run' recorded no picks: play it with --picks"):
        _ = run.picks


def test_a_folder_with_brackets_in_its_name_can_be_read() -> None:
    run = recorded("run[1]*?")
    assert run.seats.select(pl.len()).collect().item() == 4000


@pytest.mark.parametrize(
    "words",
    [
        "cards {}",
        "wonders {} {}",
        "table {} policies",
        "verify {}",
        "compare {} {}",
        "report {}",
        "trace {} 3",
        "rerun {}",
        "run --resume {}",
        "merge {} {} --out joined",
    ],
)
def test_a_run_in_a_store_must_be_fetched_first(wsim_command: Command, words: str) -> None:
    place = "s3://bucket/runs/big/"
    answer = wsim_command(*words.format(place, place).split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"wsim: {place!r} is in an object store, but wsim reads runs from folders: fetch it first, "
        f"with wsim copy {place} big\n"
    )
