"""Benchmarks run on request: ``pytest benchmarks``. A benchmark with a promised figure asserts it.

Figures depend on the machine and on what else it does; the promises are for two cores that have nothing else to do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
Process = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def python(tmp_path: Path) -> Process:
    """Run Python with these words in an empty folder, in a process of its own; fail if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=environment, text=True, capture_output=True, check=True
        )

    return run
