"""Fixtures for all tests: the toy game, and the command line called as a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.games import toy_game
from wsim.game import GAMES

os.environ.pop("COLUMNS", None)  # commands of the tests print as into a pipe, whatever terminal the tests run in


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Answer]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the toy game the default game; the working folder is an empty one."""
    import wsim.game

    monkeypatch.chdir(tmp_path)
    before = toy_game.register()
    yield
    games = wsim.game.GAMES
    games.clear()
    games.update(before)


@pytest.fixture
def medal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let wsim know the game with the medal (``--game medal``); the working folder is an empty one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "medal", "tests.games.medal_game:GAME")


@pytest.fixture
def wsim_command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Call the command line as a function: ``wsim_command("run", "--games", "10")``."""
    from wsim.cli.app import main

    def call(*words: str) -> Answer:
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main(list(words))
        out, err = capfd.readouterr()
        assert isinstance(left.value.code, int)
        return Answer(left.value.code, out, err)

    return call
