"""The game whose every figure is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from wsim.game import GAMES


@pytest.fixture(autouse=True)
def luck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let wsim know the game of luck (``--game luck``); the working folder is an empty one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "luck", "tests.games.luck_game:GAME")
