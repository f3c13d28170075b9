"""Benchmarks run on request: ``pytest benchmarks``. A benchmark with a promised figure asserts it.

Figures depend on the machine and its load; the promised figures are for two otherwise idle cores.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.processes import environment_of

ROOT = Path(__file__).parent.parent
Process = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def python(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Run Python with these arguments in an empty folder, in a separate process; fail if it fails."""
    environment = environment_of(ROOT, tmp_path_factory.getbasetemp() / "modules")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, text=True, capture_output=True, check=True
        )

    return run
