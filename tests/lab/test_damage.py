"""Damage is detected: real flips, cuts, swaps and losses in run folders give one sentence each, never wrong numbers."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim import Plan, UserError
from wsim.files import StoreError
from wsim.lab.ledger import digest_of_file, read_ledger, rewrite
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.lab.verify import verify

pytestmark = pytest.mark.usefixtures("toy")

SHARD = Path("run/seats/part-00000000000300.parquet")
PICKS = Path("run/picks/part-00000000000300.parquet")
LEDGER = Path("run/shards.jsonl")
RECORD = Path("run/run.json")


@pytest.fixture
def run(toy: None) -> dict[Path, bytes]:
    """Play a run of four shards into the folder ``run``; return its files."""
    record(Plan.make(games=1000, rotate=True, picks=True), "run", shard=300)
    return contents()


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(Path("run").rglob("*.parquet"))}


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def other_seed(*, games: int = 1000) -> Path:
    record(Plan.make(games=games, rotate=True, picks=True, seed=2), "other", shard=300)
    return Path("other")


def refused() -> str | None:
    """Open the run and return the error message."""
    try:
        load_run("run")
    except UserError as error:
        return str(error)
    return None


def flipped() -> None:
    flip(SHARD, 8 * 1000)


def cut() -> None:
    SHARD.write_bytes(SHARD.read_bytes()[:-100])


def emptied() -> None:
    SHARD.write_bytes(b"")


def swapped() -> None:
    first = SHARD.with_name("part-00000000000000.parquet")
    shutil.copy(first, SHARD)


def of_another_seed() -> None:
    shutil.copy(other_seed() / SHARD.relative_to("run"), SHARD)


def edited() -> None:
    metadata = pl.read_parquet_metadata(SHARD)
    frame = pl.read_parquet(SHARD).with_columns(pl.col("total") + 1)
    frame.write_parquet(SHARD, metadata={"wsim": metadata["wsim"]})


DAMAGES: list[Callable[[], None]] = [flipped, cut, emptied, swapped, of_another_seed, edited]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_shard_is_rejected_named_and_replaced(
    run: dict[Path, bytes], wsim_command: Command, damage: Callable[[], None]
) -> None:
    damage()
    for words in (("table", "run", "policies"), ("table", "run", "treasures"), ("report", "run", "-q")):
        answer = wsim_command(*words)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith("wsim: the run 'run' is damaged: seats/part-00000000000300.parquet ")
        assert answer.err.count("\n") == 1
    answer = wsim_command("verify", "run")
    assert answer.code == 1
    assert [line.partition(" ")[0] for line in answer.out.splitlines()] == ["seats/part-00000000000300.parquet"]
    answer = wsim_command("run", "--resume", "run")
    assert (answer.code, answer.err) == (0, "")
    assert "300 games in " in answer.out
    assert contents() == run
    assert wsim_command("verify", "run").out == "run is intact: all files are as written\n"


def test_running_over_a_damaged_run_does_not_report_it_as_finished(
    run: dict[Path, bytes], wsim_command: Command
) -> None:
    flipped()
    answer = wsim_command("run", "--games", "1000", "--rotate", "--picks", "--out", "run")
    assert answer.code == 1
    assert "seats/part-00000000000300.parquet was changed after it was written" in answer.err


@pytest.mark.slow
def test_every_flipped_bit_in_a_shard_is_detected(run: dict[Path, bytes]) -> None:
    draw = random.Random(7)
    for path, content in [*run.items()] * 10:
        flip(path, draw.randrange(8 * len(content)))
        opened = load_run("run")
        with pytest.raises(StoreError, match=path.name):
            _ = opened.seats if path.parent.name == "seats" else opened.picks
        path.write_bytes(content)
    assert verify("run") == []


def test_a_damaged_shard_of_one_table_does_not_affect_the_other(run: dict[Path, bytes]) -> None:
    flip(PICKS, 9999)
    assert_frame_equal(load_run("run").seats.collect(), wsim.simulate(games=1000, rotate=True))
    with pytest.raises(StoreError, match="picks/part-00000000000300"):
        _ = load_run("run").picks


@pytest.mark.slow
@pytest.mark.parametrize("path", [SHARD, PICKS])
def test_a_missing_shard_is_skipped_reported_and_replaced(
    run: dict[Path, bytes], wsim_command: Command, path: Path
) -> None:
    path.unlink()
    answer = wsim_command("table", "run", "policies")
    assert (answer.code, answer.err) == (0, "wsim: run contains 700 of 1,000 games\n")
    assert ", 700 games" in answer.out
    answer = wsim_command("verify", "run")
    assert (answer.code, answer.out) == (1, f"{path.relative_to('run').as_posix()} is missing\n")
    assert wsim_command("run", "--resume", "run").code == 0
    assert contents() == run


def test_an_extra_shard_is_ignored_and_removed(run: dict[Path, bytes], wsim_command: Command) -> None:
    extra = SHARD.with_name("part-00000000001200.parquet")
    shutil.copy(SHARD, extra)
    opened = load_run("run")
    assert (opened.games, opened.complete) == (1000, True)
    assert_frame_equal(opened.seats.collect(), wsim.simulate(games=1000, rotate=True))
    assert [finding.file for finding in verify("run")] == ["seats/part-00000000001200.parquet"]
    assert wsim_command("run", "--resume", "run").code == 0
    assert contents() == run


@pytest.mark.slow
def test_shards_of_a_different_run_are_rejected(run: dict[Path, bytes]) -> None:
    other = other_seed()
    for name in ("seats", "picks", "shards.jsonl"):
        Path("run", name).rename(f"{name}.kept")
        (other / name).rename(Path("run", name))
    with pytest.raises(StoreError, match="belongs to a different run"):
        _ = load_run("run").seats
    assert len(verify("run")) == 8
    assert record(Plan.make(games=1000, rotate=True, picks=True), "run", resume=True).played == 1000
    assert contents() == run


@pytest.mark.slow
def test_no_flipped_bit_in_the_ledger_changes_a_number(run: dict[Path, bytes]) -> None:
    draw = random.Random(8)
    content = LEDGER.read_bytes()
    whole = wsim.simulate(games=1000, rotate=True)
    for _ in range(60):
        flip(LEDGER, draw.randrange(8 * len(content)))
        opened = load_run("run")
        assert opened.games in (400, 700, 900, 1000)
        games = opened.seats.select(pl.col("game").unique()).collect()["game"]
        assert_frame_equal(opened.seats.collect(), whole.filter(pl.col("game").is_in(games.implode())))
        LEDGER.write_bytes(content)


def test_a_game_that_is_missing_in_the_middle_is_named(run: dict[Path, bytes]) -> None:
    """A picks shard lacks a game in the middle, although its file and ledger agree and its end games are there."""
    forge(PICKS, pl.read_parquet(PICKS).filter(pl.col("game") != 400))
    (found,) = verify("run")
    assert found.file == "picks/part-00000000000300.parquet"
    assert found.wrong == "does not contain exactly the games from 300 to 599"


def test_columns_in_a_different_order_are_damage(run: dict[Path, bytes]) -> None:
    rows = pl.read_parquet(SHARD)
    forge(SHARD, rows.select(reversed(rows.columns)))
    (found,) = verify("run")
    assert found.file == "seats/part-00000000000300.parquet"
    assert found.wrong == "has its columns in a different order from the first shard"
    forge(SHARD, rows.with_columns(more=1))
    (found,) = verify("run")
    assert found.wrong == "has different columns from the first shard"


def forge(shard: Path, rows: pl.DataFrame) -> None:
    """Replace the rows in the shard of games 300 to 599, with matching metadata and ledger line."""
    folder = wsim.load_run("run").path
    ledger = read_ledger(folder)
    rows.write_parquet(shard, metadata={"wsim": pl.read_parquet_metadata(shard)["wsim"]})
    key = (shard.parent.name, 300)
    size, digest = digest_of_file(shard)
    rewrite(folder, [*(one for at, one in ledger.items() if at != key),
                     replace(ledger[key], bytes=size, sha256=digest)])  # fmt: skip


@first_quick(1, "content", [b"", b"nonsense\n[]\n{}\nnull\n3\n" + b"[" * 100_000])
def test_a_lost_ledger_means_that_all_shards_are_replayed(
    run: dict[Path, bytes], wsim_command: Command, content: bytes
) -> None:
    LEDGER.write_bytes(content)
    answer = wsim_command("table", "run", "policies")
    assert answer.code == 2
    assert "the run 'run' has no finished shard: continue it with --resume" in answer.err
    assert wsim_command("verify", "run").code == 1
    assert wsim_command("run", "--resume", "run").code == 0
    assert contents() == run
    assert wsim_command("verify", "run").code == 0


def test_a_truncated_ledger_line_means_replaying_its_shard(run: dict[Path, bytes]) -> None:
    LEDGER.write_bytes(LEDGER.read_bytes()[:-40])
    assert load_run("run").games == 900
    assert record(Plan.make(games=1000, rotate=True, picks=True), "run", resume=True).played == 100
    assert contents() == run


# --- run.json ---------------------------------------------------------------------------------------------------------


def test_every_flipped_bit_in_the_record_is_detected(run: dict[Path, bytes], wsim_command: Command) -> None:
    draw = random.Random(9)
    content = RECORD.read_bytes()
    for number in range(200):
        flip(RECORD, draw.randrange(8 * len(content)))
        refusal = refused()
        if refusal is not None:
            assert "\n" not in refusal
            assert refusal.startswith(f"'{RECORD}' ")
        else:  # a space became another white space of JSON, or a letter of an escape its capital
            assert json.loads(RECORD.read_bytes()) == json.loads(content)
        if number < 5:
            assert wsim_command("verify", "run").code in (0, 1)
        RECORD.write_bytes(content)


WRONG: list[object] = [None, True, 3, -1, 2**80, 1.5, "text", [], {}, [[]], {"a": 1}]


@pytest.mark.slow
def test_a_record_with_wrong_values_is_reported_in_one_sentence(run: dict[Path, bytes]) -> None:
    """This holds even if the checksum of the record matches."""
    from wsim.lab.journal import check_of

    whole = json.loads(RECORD.read_bytes())
    paths = [(key,) for key in whole] + [(key, name) for key in ("plan", "identity", "places") for name in whole[key]]
    for path in paths:
        for wrong in WRONG:
            content = json.loads(RECORD.read_bytes())
            inner = content
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = wrong
            content["check"] = check_of({key: value for key, value in content.items() if key not in ("check",)})
            Path("forged").mkdir(exist_ok=True)
            Path("forged/run.json").write_text(json.dumps(content))
            with contextlib.suppress(UserError, StoreError):
                assert load_run("forged").games == 0
                verify("forged")


def test_an_edited_plan_is_rejected(run: dict[Path, bytes]) -> None:
    RECORD.write_text(RECORD.read_text().replace('"seed": 1', '"seed": 2'))
    with pytest.raises(UserError, match=r"run\.json' is damaged: it was changed after wsim wrote it"):
        load_run("run")


@pytest.mark.parametrize("change", ["", "games = 5\n"])
def test_the_plan_file_is_verified_too(run: dict[Path, bytes], change: str) -> None:
    Path("run/plan.toml").write_text(change)
    assert [(one.file, one.wrong) for one in verify("run")] == [("plan.toml", "is not the plan of the run")]


def test_an_unfinished_run_is_reported_as_unfinished(run: dict[Path, bytes], wsim_command: Command) -> None:
    def stop(doing: str, done: int, total: int) -> None:
        if done >= 400:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record(Plan.make(games=1000), "half", shard=300, threads=1, progress=stop)
    answer = wsim_command("verify", "half")
    assert answer.code == 1
    assert "shards.jsonl has 300 of 1,000 games in seats; the first missing game is 300" in answer.out
    assert "run.json says that the run is interrupted" in answer.out


def test_problems_as_json(run: dict[Path, bytes], wsim_command: Command) -> None:
    assert json.loads(wsim_command("verify", "run", "--json").out) == {"folder": "run", "sound": True, "findings": []}
    cut()
    told = json.loads(wsim_command("verify", "run", "--json").out)
    assert told["sound"] is False
    assert told["findings"][0]["file"] == "seats/part-00000000000300.parquet"


def test_verifying_nothing_is_a_usage_error(wsim_command: Command) -> None:
    answer = wsim_command("verify", "nothing")
    assert (answer.code, answer.err) == (2, "wsim: 'nothing' does not exist\n")
