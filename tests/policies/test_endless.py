"""A policy that never returns can be stopped: the first Ctrl-C names it and explains how, the second ends at once.

A trace is played on the main thread, where the first one ends a plain-Python policy.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wsim.jit import JIT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"),
    pytest.mark.skipif(not JIT, reason="compiled policies"),
]
ROOT = Path(__file__).parents[2]
POLICIES = """
import pathlib
import wsim

@wsim.policy
def compiled(public, own, choice, rules):
    while choice.count > 0:
        own.memory[0] += 1.0
    return 0

@wsim.policy(python=True)
def plain(public, own, choice, rules):
    pathlib.Path("asked").touch()
    while True:
        pass

@wsim.policy(python=True)
def stubborn(public, own, choice, rules):
    pathlib.Path("asked").touch()
    while True:
        try:
            pass
        except BaseException:
            pass
"""
ADVICE = "wsim: waiting for the current games to finish; press Ctrl-C again to stop immediately\n"


@pytest.mark.parametrize(
    ("policy", "command"),
    [("compiled", "run"), ("plain", "run"), ("stubborn", "run"), ("plain", "trace")],
)
def test_an_endless_policy_is_stopped_by_the_second_ctrl_c(policy: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(POLICIES)
    words = [sys.executable, "-m", "wsim", command, "--games", "10", "--policies", f"mine.py:{policy},random,random"]
    words += ["--players", "3"] + ["--out", "run"] * (command == "run")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe, silent = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=silent, stderr=pipe, text=True)
    assert process.stderr is not None
    try:
        wait_for(tmp_path / ("run/run.json" if policy == "compiled" else "asked"), process)
        process.send_signal(signal.SIGINT)
        if command == "run":
            assert process.stderr.readline() == ADVICE
            assert re.fullmatch(
                rf"wsim: policy 'mine.py:{policy}' has been deciding for \d+ s, in game \d+, seat \d\n",
                process.stderr.readline(),
            )
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in error
    if command == "trace":
        trusted = "(wsim: trusted, .*\n)?"
        assert re.fullmatch(
            rf"{trusted}wsim: interrupted while policy 'mine.py:{policy}' was deciding, in game \d\n", error
        )


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a file exists, and a moment longer so that its writer can continue."""
    end = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(2.0)
