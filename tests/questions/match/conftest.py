"""The luck game, whose figures are all known."""

from __future__ import annotations

from pathlib import Path

import pytest

from wsim.game import GAMES


@pytest.fixture(autouse=True)
def luck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the luck game (``--game luck``), in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "luck", "tests.games.luck_game:GAME")
