"""How far figures move between players, beside them in tables: where it is known and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wsim
from tests.conftest import Command
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.rest_known import known_between
from wsim.lab.run_tables import RunTable
from wsim.stats.between import Between
from wsim.stats.columns import PLAYER_SD, WIN_SHARE
from wsim.stats.tables import Table
from wsim.wonders.game import GAME


def shown_with(**keys: Any) -> Between | None:
    """Return what the wonders of a plan are shown with, of what comes with wsim."""
    plan = Plan.make(**keys)
    return known_between(Provenance.of(plan, GAME.prepare(plan)).identity, None, "wonders")


def test_what_ships_with_wsim_is_of_good_players_of_the_first_edition_as_it_is() -> None:
    for players in range(3, 8):
        found = shown_with(players=players)
        assert found is not None
        assert len(found.figures) == 14
        assert "net" in found.players
        assert 0 < max(found.figures.values()) < 0.1
    assert shown_with(players=4, games=7, seed=8, rotate=False) == shown_with(players=4)
    for other in (
        {"policies": "balanced"},
        {"policies": "net,net,net,random"},
        {"ruleset": "2e"},
        {"set": ["cards.Palace.points=9"]},
        {"sides": "A"},
    ):
        assert shown_with(players=4, **other) is None


def test_a_column_stands_behind_the_interval_of_its_figure() -> None:
    frame = pl.DataFrame(
        {"wonder": ["Gizah", "Rhodos"], "side": ["A", "B"], "n": [5, 6], "win_share": [0.2, 0.3]}
        | {"win_share_low": [0.1, 0.2], "win_share_high": [0.3, 0.4], "score": [50.0, 51.0]}
    )
    known = Between(("net", "search"), 1000, {"Gizah A": 0.012})
    labels = ("wonder", "side")
    wonders = Table(frame, "Wonders", "A note.", columns=(WIN_SHARE,), labels=labels)
    found = known.with_player_sd(wonders, "win_share")
    assert found.frame.columns[5:7] == ["win_share_high", PLAYER_SD]
    assert found.frame[PLAYER_SD].to_list() == [0.012, None]
    assert found.note.startswith("A note. Player SD: one standard deviation")
    assert "net, search (1,000 games each" in found.note
    assert Between(("net",), 10, {"Olympia A": 0.1}).with_player_sd(wonders, "win_share") is wonders


def test_an_answer_in_the_folder_of_a_run_is_next_to_its_figures(
    wsim_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    keys = ("--players", "3", "--games", "400")
    assert wsim_command("run", *keys, "--policies", "greedy,greedy,random", "-o", "mine", "--quiet").code == 0
    before = wsim_command("wonders", "mine", "--json").out
    assert PLAYER_SD not in before
    assert wsim_command("rest", "random", "greedy", *keys, "-o", "mine", "--quiet").code == 0
    (path,) = Path("mine").glob("robustness-*.json")
    rows = {row["item"]: row for row in json.loads(path.read_text())["items"]}
    run = wsim.load_run("mine")
    for table, thing in (
        (run.wonders(), pl.concat_str(pl.col("wonder", "side").cast(pl.String), separator=" ")),
        (run.cards(), pl.col("card")),
    ):
        found = dict(zip(table.frame.select(thing).to_series(), table.frame[PLAYER_SD], strict=True))
        assert found == {thing: rows[thing]["shrunk"] if thing in rows else None for thing in found}
    assert json.loads(before)["rows"] == [
        {key: value for key, value in row.items() if key != PLAYER_SD}
        for row in json.loads(wsim_command("wonders", "mine", "--json").out)["rows"]
    ]
    said = wsim_command("wonders", "mine").out
    assert " ±" in said.splitlines()[3]
    assert "player SD" in said
    assert PLAYER_SD not in run.wonders(by="wonder").frame.columns  # another figure
    assert PLAYER_SD not in RunTable.of("wonders", [run], (), 0.95, {}, won_by=2).table.frame.columns
    assert wsim_command("run", *keys, "--policies", "greedy,balanced,random", "-o", "other", "--quiet").code == 0
    (Path("other") / path.name).write_text(path.read_text())
    assert PLAYER_SD not in wsim.load_run("other").wonders().frame.columns  # one of them was not compared
    path.write_text('{"format": "wsim-rest/1"}')
    damaged = wsim_command("wonders", "mine")
    assert (damaged.code, damaged.out) == (2, "")
    assert f"{str(path)!r} is not an answer of wsim robustness, or a damaged one" in damaged.err
