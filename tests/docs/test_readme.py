"""The README tells the truth: every command of its console blocks is run, in order, and prints what stands there.

Times and rates are masked on both sides. ``WSIM_RENEW_README=1 pytest tests/docs/test_readme.py`` writes what the
commands print now into the README instead.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MASKS = (
    (re.compile(r"\d+(\.\d+)? s\b"), "# s"),
    (re.compile(r"[\d,]+ games a second"), "# games a second"),
    (re.compile(r"compiling .*\n"), ""),
)
RENEW = bool(os.environ.get("WSIM_RENEW_README"))


@dataclass
class Step:
    """One command of a console block with the output that the README shows; ``cut`` lines of it, then an ellipsis."""

    command: str
    shown: str

    @property
    def cut(self) -> bool:
        return self.shown.rstrip().endswith("...")


def steps(block: str) -> list[Step]:
    found: list[Step] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append(Step(line[2:].rstrip("\n"), ""))
        else:
            found[-1].shown += line
    return found


def run(command: str, folder: Path) -> str:
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    return done.stdout + done.stderr


def masked(text: str) -> str:
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def renewed(step: Step, printed: str) -> str:
    if not step.cut:
        return printed
    lines = step.shown.rstrip().splitlines()[:-1]
    return "".join(line + "\n" for line in printed.splitlines()[: len(lines)]) + "...\n"


@pytest.mark.slow
def test_every_command_prints_what_the_readme_shows(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    wrong = []
    for block in BLOCK.findall(text):
        fresh = ""
        for step in steps(block):
            printed = re.sub(r"compiling .*\n", "", run(step.command, tmp_path))
            fresh += f"$ {step.command}\n" + renewed(step, printed)
            expected, got = masked(step.shown), masked(printed)
            if step.cut:
                expected = expected.removesuffix("...").rstrip()
                got = got[: len(expected)]
            if expected != got:
                wrong.append(f"$ {step.command}\nexpected:\n{expected}\ngot:\n{got}")
        if RENEW:
            text = text.replace(block, fresh)
    if RENEW:
        README.write_text(text, encoding="utf-8")
        return
    assert not wrong, "\n\n".join(wrong)


def test_the_first_screen_shows_how_to_run_and_how_to_test() -> None:
    first_screen = "\n".join(README.read_text(encoding="utf-8").splitlines()[:40])
    assert "wsim run" in first_screen
    assert "pytest" in first_screen
