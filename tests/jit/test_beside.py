"""Compiling in a separate process fills the cache, and a failure has no consequences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wsim.jit import JIT, beside, cache_is_cold, compiled_beside, seconds_to_compile

pytestmark = pytest.mark.skipif(not JIT, reason="what numba does")
ENTRIES = "wsim.wonders.kernels.entry_points"


@pytest.fixture(autouse=True)
def cold_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, and a module that this process has not imported."""
    monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, ENTRIES, raising=False)
    monkeypatch.setattr(beside, "usable_cpus", lambda: 2)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The started processes."""
    found: list[Any] = []
    popen = subprocess.Popen

    def start(*words: Any, **more: Any) -> Any:
        found.append(popen(*words, **more))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return found


@pytest.mark.slow
def test_the_other_process_fills_the_cache(started: list[Any]) -> None:
    assert cache_is_cold("wonders.kernels", "entry_points.")
    assert seconds_to_compile(ENTRIES, 5.0, 3.0) == 6.0
    with compiled_beside(ENTRIES):
        assert started[0].poll() is None
    assert started[0].returncode == 0
    assert not cache_is_cold("wonders.kernels", "entry_points.")
    assert seconds_to_compile(ENTRIES, 5.0, 3.0) == 0.0
    with compiled_beside(ENTRIES):
        assert len(started) == 1


def test_a_failing_process_does_not_affect_the_caller(started: list[Any]) -> None:
    with compiled_beside("wsim.wonders.kernels.no_such_module"):
        pass
    assert started[0].returncode == 1


def test_a_process_that_cannot_start_does_not_affect_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with compiled_beside(ENTRIES):
        pass
    assert cache_is_cold("wonders.kernels", "entry_points.")


def test_a_caller_that_fails_stops_the_process(started: list[Any]) -> None:
    with pytest.raises(KeyboardInterrupt), compiled_beside(ENTRIES):
        raise KeyboardInterrupt
    assert started[0].returncode != 0


@pytest.mark.parametrize("hindrance", ["one processor", "nothing can be kept", "inside"])
def test_no_second_process_starts_where_it_would_not_help(
    hindrance: str, started: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if hindrance == "one processor":
        monkeypatch.setattr(beside, "usable_cpus", lambda: 1)
    elif hindrance == "inside":
        monkeypatch.setenv("WSIM_COMPILING_BESIDE", "1")
    else:
        (tmp_path / "file").touch()
        monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path / "file"))
    assert seconds_to_compile(ENTRIES, 5.0, 3.0) == 8.0
    with compiled_beside(ENTRIES):
        pass
    assert started == []
