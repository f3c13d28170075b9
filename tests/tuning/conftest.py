"""The game whose best player is known (``--game aiming``), for tests of searches in an empty folder."""

from __future__ import annotations

import pytest

from tests.games.known import HOMES
from wsim.game import GAMES


@pytest.fixture
def aiming(elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the aiming game."""
    monkeypatch.setitem(GAMES, "aiming", HOMES["aiming"])
