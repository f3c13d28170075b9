"""Fixtures of the workbench: servers that serve test folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

Serve = Callable[..., tuple["subprocess.Popen[str]", str]]
"""Starts ``wsim open`` with some words in a folder; returns the process and the address with the token."""


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Return a function that starts servers, which are stopped after the tests of the file."""
    running: list[subprocess.Popen[str]] = []

    def start(folder: Path, *words: str) -> tuple[subprocess.Popen[str], str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            [sys.executable, "-m", "wsim", "open", "--no-browser", "-q", *words],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        running.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def address(folder: Path, serve: Serve) -> str:
    """Return the address of a workbench that serves the ``folder`` of the test module."""
    return serve(folder)[1]
