"""The page of a group's games: games by player code, figures from the simulation, and what to play next."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import wsim
from tests.conftest import Command

ANN = "<img src=x onerror=alert(1)>"


def words_of(page: str) -> str:
    return re.sub(
        r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.S)))
    )


@pytest.mark.slow
def test_a_group_page_shows_its_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command) -> None:
    pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)
    sheet = wsim.simulate(policies="greedy", games=30, seed=5)
    text = "game,player,date,wonder,side,score\n"
    for row in sheet.iter_rows(named=True):
        player = ANN if row["seat"] == 0 else f"Friend {row['seat']}"
        text += (
            f"{row['game']},{player},2024-03-{row['game'] % 28 + 1:02},{row['wonder']},{row['side']},{row['total']}\n"
        )
    Path("games.csv").write_text(text, encoding="utf-8")
    asked = (
        ("import", "games.csv", "-o", "people", "--source", "our club", "--licence", "CC0"),
        ("run", "--games", "400", "--policies", "random", "-o", "study", "-q"),
        ("report", "people", "-o", "before.html"),
        ("people", "combine", "study", "people", "-o", "people"),
        ("people", "plan", "study", "people", "-o", "people"),
        ("report", "people", "-o", "after.html"),
    )
    for words in asked:
        done = wsim_command(*words)
        assert done.code == 0, (words, done.err)
    before, after = (words_of(Path(name).read_text(encoding="utf-8")) for name in ("before.html", "after.html"))
    played = (
        "30 games of 1e with 4 players; by 4 players; from 2024-03-01 to 2024-03-28; source: our club; licence: CC0"
    )
    assert played in after
    assert "wsim people combine STUDY people -o people" in before
    assert "wsim people combine STUDY people -o people" not in after
    assert "What the simulation adds" in after
    assert "What to play next" in after
    assert "People chose their boards." in after
    for name in ("before.html", "after.html"):
        page = Path(name).read_text(encoding="utf-8")
        assert "Friend" not in page
        assert "onerror" not in page
