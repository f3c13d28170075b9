"""The training scripts run to completion (PyTorch is not a dependency; without it these tests are skipped)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE = re.compile(r"^<!-- file: (\S+) -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "needed"), [("maskable.py", ("torch", "sb3_contrib")), ("clean_ppo.py", ("torch",))]
)
def test_documented_learners_train_and_are_evaluated(script: str, needed: tuple[str, ...], tmp_path: Path) -> None:
    """This trains for only one round of decisions; the documentation shows results after a million."""
    for package in needed:
        pytest.importorskip(package, reason=f"{package} is missing: pip install torch sb3-contrib")
    for name, text in FILE.findall((ROOT / "docs" / "training.md").read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, "2000"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    told = re.findall(r"^(before|after 2,000 decisions): win share (0\.\d+) .* n = 40$", done.stdout, re.MULTILINE)
    assert [name for name, _ in told] == ["before", "after 2,000 decisions"]
    assert any(tmp_path.glob("*.zip")) or any(tmp_path.glob("*.pt"))


@pytest.mark.slow
def test_a_net_is_trained_and_evaluated(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is missing: pip install torch")
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
