"""The script that trains a net runs to its end (PyTorch is no dependency: without it there is nothing to run)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_net_is_trained_and_judged(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is missing: pip install torch==2.13.0")
    command = [sys.executable, str(ROOT / "analysis" / "train_a_net.py"), "--seconds", "1", "--games", "50"]
    done = subprocess.run(
        [*command, "--out", "net.pt"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "win share against 3 x greedy" in done.stdout
    assert "n = 50 games" in done.stdout
    assert (tmp_path / "net.pt").is_file()
