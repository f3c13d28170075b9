"""The faults that ``tests.mutants`` plants: where they are drawn, what they change, that tests notice or miss them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import mutants

SOURCE = '''"""A docstring of 1."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    SIZE = 1


def middle(low: "int | None", high: int = 2) -> int:
    """Return what lies 1 between."""
    if low is None:
        raise ValueError(f"low is {low + 1}")
    print(low, flush=True)
    return pow(low, min(low, high)) + high


async def later() -> int | None:
    """Return what comes 1 later."""
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "wsim" / "toys").mkdir(parents=True)
    (tmp_path / "wsim" / "toys" / "middle.py").write_text(SOURCE)
    return Path("wsim/toys/middle.py")


def test_every_operator_changes_its_expression_and_nothing_else(module: Path) -> None:
    changed = {(fault.line, fault.operator, fault.text) for fault in mutants.faults_of(module)}
    assert changed == {
        (8, "constant", "(3)"),
        (8, "constant", "(1)"),
        (10, "comparison", "(low is not None)"),
        (12, "call left out", "pass"),
        (13, "arithmetic", "(pow(low, min(low, high)) - high)"),
        (13, "term left out", "(pow(low, min(low, high)))"),
        (13, "term left out", "(high)"),
        (13, "arguments swapped", "(pow(min(low, high), low))"),
    }


def test_a_fault_is_planted_where_it_was_drawn_and_shown_as_a_difference(module: Path) -> None:
    fault = next(fault for fault in mutants.faults_of(module) if fault.operator == "comparison")
    planted = fault.planted(SOURCE.encode()).decode()
    assert planted == SOURCE.replace("low is None:", "(low is not None):")
    assert fault.diff() == "-    if low is None:\n+    if (low is not None):"


def test_the_same_seed_draws_the_same_faults() -> None:
    first = mutants.drawn(["stats"], 20, 5)
    assert mutants.drawn(["stats"], 20, 5) == first
    assert mutants.drawn(["stats"], 20, 6) != first
    assert {mutants.package_of(fault.module) for fault in first} <= {"stats", "stats/kernels"}
    for fault in first:
        compile(fault.planted((mutants.ROOT / fault.module).read_bytes()), str(fault.module), "exec")


def test_the_tests_of_a_package_are_those_of_its_folder() -> None:
    assert mutants.tests_of("stats")[:2] == ["tests/stats", "tests/cli/test_tables.py"]
    assert mutants.tests_of("wonders/catalog") == ["tests/wonders/catalog", "tests/wonders"]
    assert mutants.tests_of("")[0] == "tests/lab"
    assert {fault.module.name for fault in mutants.drawn(["stats/levels"], 5, 1)} == {"levels.py"}


def test_a_fault_is_tested_by_the_tests_that_execute_its_line(module: Path) -> None:
    fault = next(fault for fault in mutants.faults_of(module) if fault.operator == "comparison")
    name = str(module)

    def tried(executed: dict[str, dict[str, list[int]]]) -> list[list[str]]:
        seconds = {"a.py::slow": 2.0, "a.py::quick": 1.0, "b.py::test": 3.0}
        return mutants.Stage(["tests/toys"], executed, seconds).tests_at(fault)

    assert tried({"a.py::slow": {name: [9, 10]}, "b.py::test": {name: [9]}, "b.py": {}}) == [["a.py::slow"]]
    assert tried({"a.py::slow": {name: [10]}, "a.py::quick": {name: [10]}}) == [["a.py::quick", "a.py::slow"]]
    shared = tried({"a.py": {name: [10]}, "b.py::test": {name: [10]}})
    assert shared == [["a.py::quick", "a.py::slow", "b.py::test"]], "a fixture executes it: all tests of its file"
    imported = tried({"": {name: [10]}, "b.py::test": {name: [9]}})
    assert imported == [["b.py::test"], ["tests/toys"]], "executed on import"
    assert tried({"a.py::slow": {}}) == [["tests/toys"]], "of a module that no test executes"


@pytest.mark.slow
def test_the_lines_that_a_test_executes_are_noted(tmp_path: Path) -> None:
    report = tmp_path / "lines.json"
    words = ["-p", "tests.lines", "tests/stats/test_intervals.py::test_t_agrees_with_scipy"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *words]
    subprocess.run(command, cwd=mutants.ROOT, env={**os.environ, "WSIM_LINES": str(report)}, check=True)
    noted = json.loads(report.read_text(encoding="utf-8"))["lines"]
    assert "wsim/stats/distributions.py" in noted[words[-1] + "[1]"]
    assert "wsim/lab/plan.py" not in noted[words[-1] + "[1]"]
