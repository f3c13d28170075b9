"""A process may end at any write, or the disk may be full at any byte: the existing run opens and can be continued."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.lab.ends import every_byte, every_write
from wsim import Plan
from wsim.lab.ledger import LEDGER, read_ledger
from wsim.lab.merge import merge
from wsim.lab.parts import Part
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.lab.verify import verify

PLAN: dict[str, Any] = {"rotate": True, "picks": True}
NEEDS_PROC = pytest.mark.skipif(sys.platform != "linux", reason="the name of an open file")


def some(step: int, *, quick: str = "writes bytes") -> pytest.MarkDecorator:
    """Return the writes at which a test ends the process: some in the quick tier, all in the slow tier.

    In the slow tier, three of four writes are also truncated, at the first, a middle or a late byte in turn.
    """
    cases = [
        *([pytest.param(every_write, step, id="writes")] if "writes" in quick else []),
        *([pytest.param(every_byte, 4 * step, id="bytes", marks=NEEDS_PROC)] if "bytes" in quick else []),
        pytest.param(every_write, 1, id="every write", marks=pytest.mark.slow),
        pytest.param(every_byte, 4, id="cut short", marks=[pytest.mark.slow, NEEDS_PROC]),
    ]
    return pytest.mark.parametrize(("end", "step"), cases)


def anew(folder: str, made: str | None = None) -> Callable[[], None]:
    """Return a function that empties a folder or replaces it by a copy of a different folder."""

    def make() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        if made is not None:
            shutil.copytree(made, folder)

    return make


def data(folder: str) -> dict[str, bytes]:
    """Return the reproducible content of a run: all except ``run.json`` and outdated ledger lines."""
    files = (path for path in sorted(Path(folder).rglob("*")) if path.is_file() and path.name != "run.json")
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {**found, LEDGER: repr(sorted(map(str, read_ledger(Path(folder)).values()))).encode()}


def opens(folder: str, least: int = 0) -> None:
    """Check that an interrupted run can be opened, has at least a number of games, and contains only correct rows."""
    if Path(folder, "run.json").exists():
        run = load_run(folder)
        assert run.games >= least
        if run.games and run.plan.keep == "summary":
            assert run.summary is not None
            assert run.summary.games == run.games
        elif run.games:
            assert run.seats.collect()["game"].n_unique() == run.games
    else:
        assert not least


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@some(9)
def test_a_run_interrupted_at_any_write_is_restarted_or_resumed(end: Any, step: int) -> None:
    plan = Plan.make(games=30, **PLAN)
    record(plan, "whole", shard=10)
    expected = data("whole")

    def after(at: int) -> None:
        opens("run")
        assert record(plan, "run", shard=10, resume=Path("run", "run.json").exists()).complete, at
        assert data("run") == expected, at
        assert verify("run") == [], at

    assert end(Path("run"), anew("run"), lambda: record(plan, "run", shard=10), after, step) > 8


@pytest.mark.usefixtures("toy")
@some(9, quick="bytes")
@pytest.mark.parametrize("keep", ["seats,picks", "seats", pytest.param("summary", marks=pytest.mark.slow)])
def test_extending_a_complete_run_never_breaks_it(end: Any, step: int, keep: str) -> None:
    short, long = (Plan.make(games=games, rotate=True, keep=keep) for games in (25, 40))
    record(short, "short", shard=10)
    shutil.copytree("short", "whole")
    record(long, "whole", resume=True)
    expected = data("whole")

    def after(at: int) -> None:
        opens("run", least=25 if keep == "seats" else 20)
        assert record(long, "run", resume=True).complete, at
        assert data("run") == expected, at
        assert verify("run") == [], at

    assert end(Path("run"), anew("run", "short"), lambda: record(long, "run", resume=True), after, step) > 4


@pytest.mark.usefixtures("toy")
@some(9, quick="")
def test_resuming_a_run_never_breaks_it(end: Any, step: int) -> None:
    plan = Plan.make(games=40, **PLAN)
    record(plan, "whole", shard=10)

    def interrupt(doing: str, done: int, total: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record(plan, "half", shard=10, progress=interrupt)
    expected = data("whole")

    def after(at: int) -> None:
        opens("run", least=10)
        assert record(plan, "run", resume=True).complete, at
        assert data("run") == expected, at
        assert verify("run") == [], at

    assert end(Path("run"), anew("run", "half"), lambda: record(plan, "run", resume=True), after, step) > 4


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("damage", ["catalogue.json", "seats/part-00000000000010.parquet", "shards.jsonl"])
def test_repairing_a_damaged_run_never_damages_it_further(damage: str, wsim_command: Command) -> None:
    plan = Plan.make(games=30, **PLAN)
    record(plan, "whole", shard=10)
    shutil.copytree("whole", "damaged")
    Path("damaged", damage).write_bytes(b"")

    def after(at: int) -> None:
        assert wsim_command("run", "--resume", "run").code == 0, at
        assert data("run") == data("whole"), at
        assert verify("run") == [], at

    def work() -> None:
        record(load_run("run", to_resume=True).plan, "run", resume=True)

    assert every_write(Path("run"), anew("run", "damaged"), work, after, step=5) > 3


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
@some(12, quick="")
def test_an_interrupted_merge_of_parts_can_be_repeated(end: Any, step: int) -> None:
    plan = Plan.make(games=40, **PLAN)
    record(plan, "whole", shard=10)
    for number in (1, 2):
        record(plan, f"part-{number}", shard=10, part=Part(number, 2))
    before = {f"part-{number}": data(f"part-{number}") for number in (1, 2)}

    def after(at: int) -> None:
        opens("run")
        assert merge(["part-1", "part-2"], "run").complete, at
        assert data("run") == data("whole"), at
        assert verify("run") == [], at

    assert end(Path("run"), anew("run"), lambda: merge(["part-1", "part-2"], "run"), after, step) > 8
    assert {name: data(name) for name in before} == before


@pytest.mark.usefixtures("toy")
def test_a_replaced_shard_gets_its_ledger_line_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the process ends between the writes, the run keeps its earlier games; the longer shard 20-29 is unnamed."""
    record(Plan.make(games=25, **PLAN), "run", shard=10)

    def ended(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("wsim.lab.writer.append", ended)
        with pytest.raises(KeyboardInterrupt):
            record(Plan.make(games=30, **PLAN), "run", shard=10, resume=True)
    opens("run", least=25)
    assert record(Plan.make(games=30, **PLAN), "run", shard=10, resume=True).games == 30
