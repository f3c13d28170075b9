"""Tables cached by the workbench: each view has its own, and tables of a run that has grown are recomputed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.client import Caller
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.workbench.folder import Folder
from wsim.workbench.table_view import Tables, TableView

pytestmark = pytest.mark.usefixtures("toy")


def test_a_table_is_recomputed_when_its_run_has_grown(tmp_path: Path) -> None:
    record(Plan.make(games=40), tmp_path / "run", shard=20)
    tables, view = Tables(Folder.of(tmp_path)), TableView(runs=("run",), table="policies")
    before = tables.table(view)
    assert tables.table(view) is before
    record(Plan.make(games=80), tmp_path / "run", shard=20, resume=True)
    after = tables.table(view)
    assert after.table.frame["n"].sum() == 2 * before.table.frame["n"].sum()


def test_a_table_of_some_games_differs_from_the_table_of_all(tmp_path: Path) -> None:
    record(Plan.make(games=80), tmp_path / "run", shard=20)
    tables = Tables(Folder.of(tmp_path))
    clear = tables.table(TableView(runs=("run",), table="policies", won_by=4)).table.frame["n"].sum()
    assert 0 < clear < tables.table(TableView(runs=("run",), table="policies")).table.frame["n"].sum()


def test_a_link_within_the_folder_is_not_listed_twice(tmp_path: Path) -> None:
    record(Plan.make(games=20), tmp_path / "run", shard=20)
    (tmp_path / "link").symlink_to(tmp_path / "run")
    assert [entry.name for entry in Folder.of(tmp_path).found()] == ["run"]


def test_rule_sets_are_listed_with_abbreviated_player_counts(tmp_path: Path) -> None:
    text = Caller(tmp_path).get("/play").text
    assert "(3 to 7 players)" in text
    assert "(2 players)" in text
