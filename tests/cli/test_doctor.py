"""``wsim doctor``: missing packages are named with a remedy, and failures are one line each, not a traceback."""

from __future__ import annotations

import json
from importlib import metadata
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from wsim.errors import UserError


def test_doctor_passes_on_a_sound_installation(wsim_command: Command) -> None:
    answer = wsim_command("doctor")
    assert answer.code == 0, answer.out
    lines = dict(line.split(maxsplit=1) for line in answer.out.splitlines() if not line.startswith("compiled"))
    assert lines["wsim"] == wsim.__version__
    assert lines["polars"] == metadata.version("polars")
    assert "altair " in lines["wsim[report]"]
    assert lines["games"].startswith("played 200 of seven_wonders 1e, ")
    assert "FAILED" not in answer.out


def test_missing_packages_are_named_with_a_remedy(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without_altair(name: str) -> str:
        if name == "altair":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr("importlib.metadata.version", without_altair)
    monkeypatch.setattr("wsim.jit.cache.can_store", lambda _: False)
    found = json.loads(wsim_command("doctor", "--json").out)
    assert found["wsim[report]"]["found"] == "not installed: altair (pip install 'wsim[report]')"
    assert found["compiled kernels"]["found"].endswith("every process compiles again: set WSIM_CACHE_DIR")


def test_an_unplayable_game_is_reported_and_exits_with_1(
    wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise UserError("no kernel can be compiled here")

    monkeypatch.setattr("wsim.wonders.game.SevenWonders.prepare", refuse)
    answer = wsim_command("doctor")
    assert answer.code == 1
    assert answer.out.splitlines()[-1].split(maxsplit=1) == ["games", "FAILED: no kernel can be compiled here"]
