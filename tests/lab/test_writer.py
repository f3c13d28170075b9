"""Two processes writing to one folder, and failures in a folder with an existing run."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab import journal
from wsim.lab.answer import _differences
from wsim.lab.journal import Journal, hold
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.writer import RunWriter

pytestmark = pytest.mark.usefixtures("toy")


def writer(folder: Path, *, resume: bool = False) -> RunWriter:
    plan = Plan.make(games=50)
    return RunWriter.of(plan, find_game(plan.game).prepare(plan), folder, 20, resume=resume)


def test_a_run_that_another_process_finished_meanwhile_is_not_played_again(tmp_path: Path) -> None:
    late = writer(tmp_path / "run")
    record(Plan.make(games=50), tmp_path / "run", shard=20)
    with late:
        assert late.finished
        assert list(late.missing()) == []


def test_a_folder_removed_while_locked_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"

    class Locks:
        LOCK_EX, LOCK_NB = 2, 4

        @staticmethod
        def flock(*_: Any) -> None:
            shutil.rmtree(folder)
            (tmp_path / "other").mkdir()  # may get the number of the folder that is gone
            folder.mkdir()

    monkeypatch.setattr(journal, "fcntl", Locks)
    with pytest.raises(UserError, match=r"another wsim has just removed .*: run the command again"):
        hold(folder)


def test_a_failure_before_the_first_shard_keeps_the_existing_record(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writer(tmp_path / "run"):
        raise KeyboardInterrupt
    assert (tmp_path / "run" / "run.json").exists()
    for folder, kept in (("run", True), ("new", False)):
        with pytest.raises(ZeroDivisionError), writer(tmp_path / folder, resume=kept):
            raise ZeroDivisionError
        assert (tmp_path / folder / "run.json").exists() == (tmp_path / folder).exists() == kept


def test_a_truncated_line_does_not_spoil_the_next_one(tmp_path: Path) -> None:
    kept = Journal(tmp_path / "journal")
    kept.add({"a": 1}, {"b": 2})
    kept.path.write_bytes(kept.path.read_bytes()[:-5])
    kept.add({"c": 3})
    kept.add({"d": 4})
    assert kept.entries() == [{"a": 1}, {"c": 3}, {"d": 4}]


def test_a_value_in_only_one_of_two_records_is_a_difference() -> None:
    assert list(_differences({"n": 1}, {"n": 1, "more": 2})) == ["more was None and is 2"]
    assert list(_differences({"n": 1, "more": 2}, {"n": 1})) == ["more was 2 and is None"]
