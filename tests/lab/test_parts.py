"""Extended, split and merged runs have the same rows as a run played in one go."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import wsim
from tests.cli.test_run import SLOW, files, process, wait_for_shards
from tests.conftest import Command
from tests.tiers import first_quick
from wsim import Plan, UserError
from wsim.files import StoreError
from wsim.lab.merge import merge
from wsim.lab.parts import Part
from wsim.lab.progress import Interrupted
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.lab.verify import verify

pytestmark = pytest.mark.usefixtures("toy")

PLAN: dict[str, Any] = {"games": 1000, "rotate": True, "picks": True}


def parts(of: int, **changes: Any) -> list[str]:
    """Play all parts of a run into folders p1, p2, ... and return these."""
    names = [f"p{number}" for number in range(1, of + 1)]
    for number, name in enumerate(names, 1):
        record(Plan.make(**PLAN | changes), name, shard=90, part=Part(number, of))
    return names


# --- longer ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 89, 90, 700, 999])
def test_an_extended_run_equals_a_run_planned_with_that_length(first: int, wsim_command: Command) -> None:
    record(Plan.make(**PLAN | {"games": first}), "run", shard=90)
    assert wsim_command("run", "--resume", "run", "--games", "1000").code == 0
    run, whole = load_run("run"), record(Plan.make(**PLAN), "whole", shard=90)
    assert_frame_equal(run.seats.collect(), whole.seats.collect())
    assert_frame_equal(run.picks.collect(), whole.picks.collect())
    assert (run.plan, run.provenance, run.complete) == (whole.plan, whole.provenance, True)
    assert verify("run") == []
    assert Path("run/plan.toml").read_text() == Path("whole/plan.toml").read_text()
    assert json.loads(Path("run/run.json").read_text())["sessions"][0]["games"] == first


@pytest.mark.slow
def test_an_unfinished_run_is_extended(wsim_command: Command) -> None:
    def stop(doing: str, done: int, total: int) -> None:
        if done >= 400:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        record(Plan.make(**PLAN | {"games": 700}), "run", shard=90, progress=stop)
    assert wsim_command("run", "--resume", "run", "--games", "1000").code == 0
    assert_frame_equal(load_run("run").seats.collect(), wsim.simulate(games=1000, rotate=True))


def test_a_run_cannot_be_shortened(wsim_command: Command) -> None:
    record(Plan.make(games=100), "run")
    before = files("run")
    answer = wsim_command("run", "--resume", "run", "--games", "50")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "wsim: 'run' already has 100 games, more than 50: a run can be extended, not shortened; choose another --out\n"
    )
    assert files("run") == before
    assert verify("run") == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a process is killed by a signal")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_killed_while_growing_keeps_its_earlier_games(wsim_command: Command, number: int) -> None:
    assert wsim_command(*SLOW, "--games", "220", "--out", "run").code == 0
    growing = process("run", "--resume", "run", "--games", "1000")
    wait_for_shards("run", 7)
    growing.send_signal(number)
    growing.communicate(timeout=60)
    there = load_run("run")
    assert 250 <= there.games < 1000
    numbers = there.seats.collect()["game"].unique().sort().to_list()
    assert set(range(200)) < set(numbers)
    assert wsim_command("run", "--resume", "run").code == 0
    assert wsim_command(*SLOW, "--out", "whole").code == 0
    assert_frame_equal(load_run("run").seats.collect(), load_run("whole").seats.collect())
    assert verify("run") == []


def test_an_extended_shard_is_never_half_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger line is written before the file, so a kill in between leaves the shorter shard unchanged."""
    record(Plan.make(games=100), "run", shard=90)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("wsim.lab.writer.append", killed)
        with pytest.raises(Interrupted):
            record(Plan.make(games=150), "run", resume=True)
    assert load_run("run").seats.collect()["game"].max() == 99
    assert record(Plan.make(games=150), "run", resume=True).played == 60


# --- parts -----------------------------------------------------------------------------------------------------------


@first_quick(1, "of", [1, 2, 3, 7, 12])
def test_merged_parts_equal_the_run_played_in_one_go(of: int) -> None:
    whole = record(Plan.make(**PLAN), "whole", shard=90)
    if of == 1:
        assert parts(1) == ["p1"]
        assert files("p1") == files("whole")
        return
    run = merge(parts(of)[::-1], "run")
    assert files("run") == files("whole")
    assert (run.plan, run.provenance, run.shard_games, run.complete) == (
        whole.plan, whole.provenance, whole.shard_games, True,
    )  # fmt: skip
    assert verify("run") == []
    for kept in ("catalogue.json", "plan.toml"):
        assert Path("run", kept).read_bytes() == Path("whole", kept).read_bytes()
    assert len(json.loads(Path("run/run.json").read_text())["sessions"]) == of + 1


@pytest.mark.slow
def test_a_part_is_a_separate_run(wsim_command: Command) -> None:
    words = ("run", "--games", "1000", "--shard-games", "90", "--shard", "2/3", "--out", "p2")
    assert wsim_command(*words).code == 0
    run = load_run("p2")
    assert (run.wanted, run.games, run.complete, str(run.part)) == (range(360, 720), 360, True, "2/3")
    assert verify("p2") == []
    assert wsim_command("table", "p2", "policies").err == ""
    assert "all 360 games were already played" in wsim_command(*words).out
    assert wsim_command("run", "--resume", "p2").code == 0
    assert wsim_command("verify", "p2").code == 0


@pytest.mark.slow
def test_a_part_can_be_continued_and_its_damage_repaired(wsim_command: Command) -> None:
    names = parts(3)
    before = files("p2")
    Path("p2/seats/part-00000000000450.parquet").unlink()
    Path("p2/seats/part-00000000000360.parquet").write_bytes(b"PAR1")
    damaged = {finding.file for finding in verify("p2")}
    assert {f"seats/part-{first:014d}.parquet" for first in (360, 450)} <= damaged
    with pytest.raises(
        UserError, match="'p2' contains 270 of the 360 games of part 2/3: finish it with wsim run --resume"
    ):
        merge(names, "run")
    assert wsim_command("run", "--resume", "p2").code == 0
    assert files("p2") == before
    assert merge(names, "run").complete


def test_the_default_folder_of_a_part_is_numbered() -> None:
    folder = record(Plan.make(games=10), shard=2, part=Part(2, 5)).path
    assert folder.name.endswith("-part-2-of-5")


@first_quick(
    1,
    ("words", "sentence"),
    [
        ("--shard 3", "a part must look like 3/16 (the third of sixteen), not '3'"),
        ("--shard 0/4", "part 0/4 does not exist: parts are numbered from 1/4 to 4/4"),
        ("--shard 5/4", "part 5/4 does not exist: parts are numbered from 1/4 to 4/4"),
        (
            "--shard 1/16 --out other",
            (
                "16 parts need 16 shards, but 1,000 games make 12 of 90 games: use at most 12 parts, or "
                "add --shard-games 62"
            ),
        ),
        ("--shard 1/3 --out p2", "'p2' contains part 2/3, not part 1/3: choose another --out"),
        ("--out p2", "'p2' contains part 2/3, not the whole run: choose another --out"),
        ("--shard 2/3 --out whole", "'whole' contains the whole run, not part 2/3: choose another --out"),
        (
            "--resume p2 --games 2000",
            "'p2' contains part 2/3 of a shorter run: merge the parts and extend the result, or choose another --out",
        ),
    ],
)
def test_an_invalid_part_is_rejected(wsim_command: Command, words: str, sentence: str) -> None:
    plan = Plan.make(games=1000)
    record(plan, "p2", shard=90, part=Part(2, 3))
    record(plan, "whole", shard=90)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    games = () if "--games" in words else ("--games", "1000")
    answer = wsim_command("run", *games, "--shard-games", "90", *words.split())
    assert (answer.code, answer.out, answer.err) == (2, "", f"wsim: {sentence}\n")
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def missing() -> tuple[list[str], str]:
    return ["p1", "p3"], "part 2/3 of the run is missing"


def more_missing() -> tuple[list[str], str]:
    return ["p3"], "parts 1/3, 2/3 of the run are missing"


def twice() -> tuple[list[str], str]:
    shutil.copytree("p1", "copy")
    return ["p1", "p2", "copy", "p3"], "part 1/3 is given twice: 'p1' and 'copy'"


def whole() -> tuple[list[str], str]:
    record(Plan.make(**PLAN), "whole", shard=90)
    return ["p1", "whole"], "'whole' is a whole run, not a part of one (wsim run --shard)"


def other_seed() -> tuple[list[str], str]:
    record(Plan.make(**PLAN | {"seed": 2}), "other", shard=90, part=Part(2, 3))
    return ["p1", "other", "p3"], "'p1' and 'other' are parts of different runs: plan.seed is 1 and 2"


def other_cut() -> tuple[list[str], str]:
    record(Plan.make(**PLAN), "other", shard=90, part=Part(2, 4))
    return ["p1", "other", "p3"], "'p1' and 'other' are parts of different runs: parts is 3 and 4"


def other_size() -> tuple[list[str], str]:
    record(Plan.make(**PLAN), "other", shard=80, part=Part(2, 3))
    return ["p1", "other"], "'p1' and 'other' are parts of different runs: shard_games is 90 and 80"


def nothing() -> tuple[list[str], str]:
    return ["p1", "none"], "'none' does not exist"


def foreign_target() -> tuple[list[str], str]:
    Path("run").mkdir()
    Path("run/letter.txt").write_text("dear")
    return ["p1", "p2", "p3"], "'run' contains files that are not a wsim run: choose another --out"


WRONG = [missing, twice, whole, other_cut, other_size, more_missing, other_seed, nothing, foreign_target]


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_invalid_merges_are_rejected(wsim_command: Command, case: Any) -> None:
    parts(3)
    folders, sentence = case()
    answer = wsim_command("merge", *folders, "--out", "run")
    assert (answer.code, answer.out, answer.err) == (2, "", f"wsim: {sentence}\n")
    assert not Path("run/run.json").exists()


@pytest.mark.slow
def test_a_damaged_part_is_not_merged(wsim_command: Command) -> None:
    names = parts(3)
    shard = Path("p2/seats/part-00000000000360.parquet")
    content = bytearray(shard.read_bytes())
    content[1000] ^= 1
    shard.write_bytes(content)
    answer = wsim_command("merge", *names, "-o", "run")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("wsim: the run 'p2' is damaged: seats/part-00000000000360.parquet was changed after")
    assert not Path("run").exists()


@pytest.mark.slow
def test_an_interrupted_merge_can_be_continued(wsim_command: Command) -> None:
    def stop(doing: str, done: int, total: int) -> None:
        assert (doing, total) == ("shards", 12)
        if done == 5:
            raise KeyboardInterrupt

    names = parts(3)
    with pytest.raises(KeyboardInterrupt):
        merge(names, "run", progress=stop)
    assert load_run("run").status == "interrupted"
    assert load_run("run").games == 450
    answer = wsim_command("merge", *names, "-o", "run")
    assert (answer.code, answer.out, answer.err) == (0, "1,000 games of 3 parts: run\n", "")
    record(Plan.make(**PLAN), "whole", shard=90)
    assert files("run") == files("whole")


def test_a_part_that_changes_during_copying_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    names = parts(2)
    original = shutil.copyfile

    def torn(source: Any, target: Any) -> Any:
        original(source, target)
        Path(target).write_bytes(Path(target).read_bytes()[:-1])

    monkeypatch.setattr(shutil, "copyfile", torn)
    with pytest.raises(
        StoreError, match=r"p1/picks/part-00000000000000\.parquet was changed while it was being copied"
    ):
        merge(names, "run")
    assert not Path("run").exists()


@pytest.mark.slow
def test_a_merged_run_can_be_extended() -> None:
    merge(parts(3), "run")
    record(Plan.make(**PLAN | {"games": 1500}), "run", resume=True)
    assert_frame_equal(load_run("run").seats.collect(), wsim.simulate(games=1500, rotate=True))
    assert verify("run") == []
