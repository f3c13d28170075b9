"""Runs written by earlier versions can be opened, or are rejected with the command that plays them again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Command
from wsim import UserError, stats
from wsim.lab.provenance import FORMAT
from wsim.lab.store import load_run
from wsim.lab.verify import verify

KEPT = Path(__file__).parents[1] / "data" / "run_2"


def test_the_stored_run_has_the_current_format() -> None:
    assert json.loads((KEPT / "run.json").read_text(encoding="utf-8"))["format"] == FORMAT == "wsim-run/2"


def test_a_run_of_version_2_opens(wsim_command: Command) -> None:
    run = load_run(KEPT)
    assert (run.games, run.complete, run.plan.patch) == (4, True, ("patch.toml",))
    assert verify(KEPT) == []
    assert run.seats.collect().shape[0] == 12
    assert run.picks.collect()["game"].n_unique() == 4
    assert stats.policies(run.seats).frame["policy"].to_list()
    answer = wsim_command("cards", str(KEPT))
    assert (answer.code, answer.err) == (0, "")


def test_a_run_of_version_1_is_rejected_with_the_command_to_replay_it(tmp_path: Path) -> None:
    shutil.copytree(KEPT, tmp_path / "old")
    record = json.loads((tmp_path / "old" / "run.json").read_text(encoding="utf-8"))
    old = {key: value for key, value in record.items() if key not in ("check", "files", "places", "sessions")}
    (tmp_path / "old" / "run.json").write_text(json.dumps(old | {"format": "wsim-run/1"}), encoding="utf-8")
    with pytest.raises(
        UserError, match=r"of an earlier wsim; this version reads 'wsim-run/2'; play it again with: wsim run "
    ):
        load_run(tmp_path / "old")
