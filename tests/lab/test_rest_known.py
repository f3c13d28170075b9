"""Differences between players next to the figures of tables: shown where they are known and nowhere else."""

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
from wsim.stats.columns import FAIR, FAIR_SHARE_RATIO, PLAYER_HALF_WIDTH, WIN_SHARE
from wsim.stats.tables import Table
from wsim.wonders.game import GAME


def shown_with(**keys: Any) -> Between | None:
    """Return the built-in player differences that are shown for the wonders of a plan."""
    plan = Plan.make(**keys)
    return known_between(Provenance.of(plan, GAME.prepare(plan)).identity, None, "wonders")


@pytest.mark.slow
def test_shipped_player_differences_cover_good_players_of_the_first_edition() -> None:
    for players in range(3, 8):
        found = shown_with(players=players)
        assert found is not None
        assert len(found.figures) == 14
        assert "net" in found.players
        assert found.families == 4
        assert 0.02 < max(found.half_widths().values()) < 0.2
    assert shown_with(players=4, games=7, seed=8, rotate=False) == shown_with(players=4)
    for other in (
        {"policies": "greedy"},
        {"policies": "net,net,net,random"},
        {"ruleset": "2e"},
        {"set": ["cards.Palace.points=9"]},
        {"sides": "A"},
    ):
        assert shown_with(players=4, **other) is None


def test_the_between_player_column_follows_the_interval() -> None:
    frame = pl.DataFrame(
        {"wonder": ["Gizah", "Rhodos"], "side": ["A", "B"], "n": [5, 6], "win_share": [0.2, 0.4]}
        | {"win_share_low": [0.19, 0.39], "win_share_high": [0.21, 0.41], FAIR: [0.8, 1.6], "score": [50.0, 51.0]}
        | {"q": [0.001, 0.001], "verdict": ["lower", "higher"]}
    )
    known = Between(("net", "search"), 2, 1000, {"Gizah A": (0.19, 0.21)}, {"Gizah A": 0.0})
    half = 4.302653 * 0.02 / 2**0.5 * 1.5**0.5  # t with two degrees of freedom
    labels = ("wonder", "side")
    wonders = Table(frame, "Wonders", "A note.", columns=(WIN_SHARE, FAIR_SHARE_RATIO), labels=labels)
    found = known.with_players(wonders, "win_share")
    assert found.frame.columns[5:7] == ["win_share_high", PLAYER_HALF_WIDTH]
    assert found.frame[PLAYER_HALF_WIDTH].to_list() == [pytest.approx(half, rel=1e-5), None]
    assert found.frame["verdict"].to_list() == ["unclear", "higher"]  # .05 from the fair share, and half is .07
    assert found.note.startswith("A note. Other players ±: half width (95%)")
    assert "from 2 players of 2 families (net, search; 1,000 games each" in found.note
    assert "a verdict in a row without it is about these players only. Unclear for that" in found.note
    assert found.note.endswith("and clear (q) for the players of these games: 1 of 2 rows.")  # Gizah
    assert (
        Between(("net",), 2, 10, {"Olympia A": (0.1, 0.2)}, {"Olympia A": 0.0}).with_players(wonders, "win_share")
        is wonders
    )


@pytest.mark.slow
def test_an_answer_in_the_folder_of_a_run_is_next_to_its_figures(
    wsim_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    keys = ("--players", "3", "--games", "400")
    assert wsim_command("run", *keys, "--policies", "greedy,greedy,random", "-o", "mine", "--quiet").code == 0
    before = wsim_command("wonders", "mine", "--json").out
    assert PLAYER_HALF_WIDTH not in before
    assert wsim_command("rest", "random", "greedy", *keys, "-o", "mine", "--quiet").code == 0
    (path,) = Path("mine").glob("robustness-*.json")
    run = wsim.load_run("mine")
    for table in (run.wonders(), run.cards()):
        halves = table.frame[PLAYER_HALF_WIDTH].drop_nulls()
        assert len(halves) > 5
        assert (halves > 0).all()
    changed = {"verdict"}  # it allows for other players
    assert [{key: value for key, value in row.items() if key not in changed} for row in json.loads(before)["rows"]] == [
        {key: value for key, value in row.items() if key not in {PLAYER_HALF_WIDTH, *changed}}
        for row in json.loads(wsim_command("wonders", "mine", "--json").out)["rows"]
    ]
    said = wsim_command("wonders", "mine").out
    assert " ±" in said.splitlines()[3]
    assert "other players ±" in said
    assert PLAYER_HALF_WIDTH not in run.wonders(by="wonder").frame.columns  # another figure
    assert PLAYER_HALF_WIDTH not in RunTable.of("wonders", [run], (), 0.95, {}, won_by=2).table.frame.columns
    assert wsim_command("run", *keys, "--policies", "greedy,balanced,random", "-o", "other", "--quiet").code == 0
    (Path("other") / path.name).write_text(path.read_text())
    assert PLAYER_HALF_WIDTH not in wsim.load_run("other").wonders().frame.columns  # one of them was not compared
    path.write_text('{"format": "wsim-rest/1"}')
    damaged = wsim_command("wonders", "mine")
    assert (damaged.code, damaged.out) == (2, "")
    assert f"{str(path)!r} is not an answer of wsim robustness, or is damaged" in damaged.err
