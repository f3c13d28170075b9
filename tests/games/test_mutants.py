"""The faults that ``tests.mutants`` plants: where they are drawn, what they change, that tests notice or miss them."""

from __future__ import annotations

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
    print(low)
    return min(low, high) + high
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
        (13, "arithmetic", "(min(low, high) - high)"),
        (13, "term left out", "(min(low, high))"),
        (13, "term left out", "(high)"),
        (13, "arguments swapped", "(min(high, low))"),
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
    assert mutants.tests_of("stats") == ["tests/stats"]
    assert mutants.tests_of("wonders/catalog") == ["tests/wonders/catalog", "tests/wonders"]
    assert mutants.tests_of("")[0] == "tests/lab"
