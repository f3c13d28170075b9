"""Runs killed at random moments lose nothing; ``WSIM_KILLS=50`` tries 50 kills with each signal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.kills import SIGNALS

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_killed_and_resumed_run_equals_an_uninterrupted_run(tmp_path: Path) -> None:
    times = os.environ.get("WSIM_KILLS", "1")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.lab.kills", str(tmp_path / "runs"), times, "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["signal"], one["runs"], one["lost"]) for one in found] == [(name, int(times), []) for name in SIGNALS]
