"""The notebooks of analysis/ run headless, on their own small runs and on user runs, and remain valid notebooks."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wsim.lab.plan import Plan
from wsim.lab.run import record

ROOT = Path(__file__).parents[2]
# plain programs beside the notebooks
SCRIPTS = (
    "train_a_net",
    "how_strong",
    "skill_ladder",
    "win_chances",
    "between_players",
    "two_searchers",
    "win_share_chart",
    "worth_and_right",
    "worth_by_player",
    "made_playtests",
    "value_net",
    "value_slopes",
    "where_to_think",
)
NOTEBOOKS = sorted(path for path in (ROOT / "analysis").glob("*.py") if path.stem not in SCRIPTS)
PUBLIC = {"wsim", "wsim.stats", "wsim.wonders.analysis"}

pytestmark = pytest.mark.slow


def python(*words: str, cwd: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error::UserWarning"}
    process = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, text=True, capture_output=True, check=False, timeout=300
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_all_notebooks_exist() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "babel_study",
        "balance_study",
        "card_study",
        "edition_comparison",
        "wonder_study",
    ]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_on_its_own_games(notebook: Path, tmp_path: Path) -> None:
    told = python(str(notebook), "--games", "300", cwd=tmp_path)
    assert "shape:" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("notebook", ["card_study", "wonder_study"])
def test_a_notebook_reads_a_run(notebook: str, tmp_path: Path) -> None:
    record(Plan.make(games=600, players=3, seed=2), tmp_path / "run")
    told = python(str(ROOT / "analysis" / f"{notebook}.py"), "--run", "run", cwd=tmp_path)
    assert "shape:" in told


def test_a_notebook_exports_to_a_page(tmp_path: Path) -> None:
    notebook = shutil.copy(ROOT / "analysis" / "card_study.py", tmp_path)  # marimo keeps a session beside it
    python("-m", "marimo", "export", "html", str(notebook), "-o", "page.html", "--", "--games", "400", cwd=tmp_path)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Cards and winning" in text
    assert "400 games played for this page" in text


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_uses_only_the_public_interface(notebook: Path) -> None:
    tree = ast.parse(notebook.read_text(encoding="utf-8"))
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    taken = {f"{node.module}.{alias.name}" for node in parts for alias in node.names}
    used = {name for name in plain | taken if name.split(".")[0] == "wsim"}
    assert "wsim" in used
    assert used <= PUBLIC


def test_the_tables_of_strength_have_intervals_and_people_next_to_them(tmp_path: Path) -> None:
    lines = python(str(ROOT / "analysis" / "how_strong.py"), "random", "20", cwd=tmp_path).splitlines()
    assert sum("±" in line for line in lines) == 16 + 5
    assert sum("| people |" in line for line in lines) == 5


def test_where_to_think_measures_noise_and_error_by_age_and_turn(tmp_path: Path) -> None:
    words = ("--decisions", "4", "--playouts", "8")
    printed = python(str(ROOT / "analysis" / "where_to_think.py"), *words, cwd=tmp_path)
    rows = [line[1:].split("┆") for line in printed.splitlines() if line.startswith("│ ") and "." in line]
    assert sum(int(row[2]) for row in rows) >= 4
    assert all(1 <= int(row[0]) <= 3 and 1 <= int(row[1]) <= 6 for row in rows)
    assert max(float(row[3]) for row in rows) > 0.01  # playouts vary


def test_value_net_chances_are_calibrated(tmp_path: Path) -> None:
    words = ("seven_wonders", "--check", "--ruleset", "1e", "--players", "7", "--games", "1500")
    (line,) = python(str(ROOT / "analysis" / "value_slopes.py"), *words, cwd=tmp_path).splitlines()
    slopes = [part.split(" ±") for part in line.removeprefix("1e, 7 players, net: ").split(", ")]
    assert len(slopes) == 3
    assert all(abs(float(slope) - 1) < 2 * float(half) for slope, half in slopes)


def test_the_readme_chart_shows_its_run(tmp_path: Path) -> None:
    record(Plan.make(games=10_000, seed=7), tmp_path / "study")
    python(str(ROOT / "analysis" / "win_share_chart.py"), "study", "chart.svg", cwd=tmp_path)
    drawn = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs" / "images" / "win-share.svg").read_text(encoding="utf-8")
