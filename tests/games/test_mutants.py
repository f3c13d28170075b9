"""The faults of ``tests.mutants``: where they are drawn, what they change, and whether tests detect them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.mutants import faults, notes, serving

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
    for module in (faults, notes):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "wsim" / "toys").mkdir(parents=True)
    (tmp_path / "wsim" / "toys" / "middle.py").write_text(SOURCE)
    return Path("wsim/toys/middle.py")


def test_every_operator_changes_its_expression_and_nothing_else(module: Path) -> None:
    changed = {(fault.line, fault.operator, fault.text) for fault in faults.faults_of(module)}
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


def test_a_fault_is_applied_where_it_was_drawn_and_shown_as_a_diff(module: Path) -> None:
    fault = next(fault for fault in faults.faults_of(module) if fault.operator == "comparison")
    planted = fault.planted(SOURCE.encode()).decode()
    assert planted == SOURCE.replace("low is None:", "(low is not None):")
    assert fault.diff() == "-    if low is None:\n+    if (low is not None):"


def test_lines_outside_functions_are_executed_on_import_although_nothing_noted_them(module: Path) -> None:
    """Line 8 has a default, line 13 is in a function: it counts only if an import was seen to execute it."""
    by_line = {fault.line: fault for fault in faults.faults_of(module)}
    assert [notes.Notes().on_import(by_line[line]) for line in (8, 10, 13)] == [True, False, False]
    assert notes.Notes({"": {str(module): [13]}}).on_import(by_line[13])


@pytest.mark.slow
def test_the_same_seed_draws_the_same_faults() -> None:
    first = faults.drawn(["stats"], 20, 5)
    assert faults.drawn(["stats"], 20, 5) == first
    assert faults.drawn(["stats"], 20, 6) != first
    assert {faults.package_of(fault.module) for fault in first} <= {"stats", "stats/kernels"}
    for fault in first:
        compile(fault.planted((faults.ROOT / fault.module).read_bytes()), str(fault.module), "exec")


@pytest.mark.slow
def test_a_package_is_tested_by_the_tests_in_its_folder() -> None:
    assert notes.tests_of("stats")[:2] == ["tests/stats", "tests/cli/test_tables.py"]
    assert notes.tests_of("wonders/catalog") == ["tests/wonders/catalog"]
    assert notes.tests_of("babel/kernels") == ["tests/babel"]
    assert notes.tests_of("")[0] == "tests/lab"
    assert {fault.module.name for fault in faults.drawn(["stats/levels"], 5, 1)} == {"levels.py"}
    own = {str(fault.module.parent) for fault in faults.drawn(["wonders/."], 50, 1)}
    assert own == {"wsim/wonders"}, "without the packages in it"
    assert {str(fault.module.parent) for fault in faults.drawn(["."], 50, 1)} == {"wsim"}
    assert notes.files_of(["tests/lab", "tests/lab/test_plan.py"])[:2] == [
        *("tests/lab/test_alone.py", "tests/lab/test_answer.py")
    ]


def test_a_fault_is_tested_by_the_tests_that_execute_its_line(module: Path) -> None:
    fault = next(fault for fault in faults.faults_of(module) if fault.operator == "comparison")
    name, known = str(module), notes.digest(str(module))

    def tried(executed: dict[str, dict[str, list[int]]], fastest: int = 0, unfit: str = "") -> list[list[str]]:
        seconds = {"a.py": 0.5, "a.py::slow": 2.0, "a.py::quick": 1.0, "b.py::test": 3.0}
        return notes.Notes(executed, seconds, {unfit}, {name: {known}}).tests_at(fault, fastest)

    assert tried({"a.py::slow": {name: [9, 10]}, "b.py::test": {name: [9]}, "b.py": {}}) == [["a.py::slow"]]
    assert tried({"a.py::slow": {name: [10]}, "a.py::quick": {name: [10]}}) == [["a.py::quick", "a.py::slow"]]
    shared = {"a.py": {name: [10]}, "b.py::test": {name: [10]}}
    assert tried(shared) == [["a.py::quick", "a.py::slow", "b.py::test"]], "a fixture executes it: all of its file"
    assert tried(shared, unfit="a.py::slow") == [["a.py::quick", "b.py::test"]]
    imported = {"": {name: [10]}, "b.py::test": {name: [9]}}
    assert tried(imported) == [["b.py::test"]], "executed on import: what executes any line of the module"
    imported = {"": {name: [10]}, "a.py::quick": {name: [9]}, "b.py::test": {name: [10]}}
    assert tried(imported) == [["b.py::test", "a.py::quick"]], "those that execute the line first"
    assert tried({"a.py::slow": {}}) == [], "of a module that no test executes"
    everything = [["a.py::quick", "a.py::slow", "b.py::test"]]
    assert tried({"": {name: [10]}}) == everything, "executed on import alone: whoever may use it"
    known = "before it was edited"
    assert tried({"a.py::slow": {name: [9]}, "b.py::test": {}}) == [["a.py::slow"]]


def test_the_fastest_dozen_is_tried_first_and_then_file_by_file(module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "FIRST", 2)
    seconds = {f"{file}.py::{test}": cost for file, test, cost in [
        ("a", 1, 0.1), ("b", 1, 0.2), ("a", 2, 3.0), ("b", 2, 1.0), ("c", 1, 1.5), ("b", 3, 1.1)]}  # fmt: skip
    fault = next(fault for fault in faults.faults_of(module) if fault.operator == "comparison")
    executed = {test: {str(module): [10]} for test in seconds}
    known = notes.Notes(executed, {**seconds, "c.py": 0.5}, set(), {str(module): {notes.digest(str(module))}})
    assert known.tests_at(fault) == [
        ["a.py::1", "b.py::1"], ["c.py::1", "b.py::2", "b.py::3", "a.py::2"]
    ]  # fmt: skip
    assert known.tests_at(fault, 4) == [["a.py::1", "b.py::1"], ["b.py::2", "b.py::3"]]
    assert known.limit(["c.py::1", "a.py::1"]) == pytest.approx(2.1), "fixtures of the file included"


RUN = """
SIZES = [n + 1 for n in range(3)]

def outer(step=1):
    def inner(value):
        return value + step
    return inner

class Box:
    depth = 2

    def deeper(self):
        return [self.depth + n for n in range(2)]
"""


@pytest.mark.parametrize(
    ("old", "new"), [("n + 1", "n - 1"), ("step=1", "step=2"), ("depth = 2", "depth = 3"), ("value + step", "value")]
)
def test_executed_module_code_and_closures_cannot_get_a_fault(old: str, new: str) -> None:
    """Such faults are tested in a process that imports the faulty module."""
    with pytest.raises(serving.UnplantableError):
        serving.replacements(RUN, RUN.replace(old, new), "run.py")


@pytest.mark.slow
def test_module_functions_get_their_faulty_code(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("run")
    module.__file__ = "run.py"
    exec(compile(RUN, "run.py", "exec", dont_inherit=True), vars(module))
    add, box = module.outer(5), module.Box()
    with_fault = RUN.replace("value + step", "value - step\n").replace("self.depth + n", "self.depth * n")
    serving.plant("run.py", RUN, with_fault)
    assert (add(1), box.deeper()) == (6, [2, 3]), "not imported yet: it is read with the fault later"
    monkeypatch.setitem(sys.modules, "run", module)
    serving.plant("run.py", RUN, with_fault)
    assert (add(1), box.deeper(), module.outer(5)(1)) == (-4, [0, 2], -4)


@pytest.mark.parametrize(("failed", "collected"), [(0, ["a.py::test"]), (1, [])])
def test_a_process_that_cannot_import_its_tests_runs_none(failed: int, collected: list[str]) -> None:
    (requests, ours), (answers, theirs) = os.pipe(), os.pipe()
    os.close(ours)
    session: Any = SimpleNamespace(items=[SimpleNamespace(nodeid="a.py::test")], testsfailed=failed)
    server = serving.Server(requests, theirs)
    server.pytest_runtestloop(session)
    server._requests.close()
    server._answers.close()
    with os.fdopen(answers) as said:
        assert json.loads(said.readline())["tests"] == collected


@pytest.mark.slow
def test_equivalent_faults_can_still_be_drawn() -> None:
    accepted = faults.accepted()
    known = set()
    for module in {key[0] for key in accepted}:
        named = " ".join(old for name, old, _ in accepted if name == module)
        lines = (faults.ROOT / module).read_text(encoding="utf-8").splitlines()
        near = {number for number, line in enumerate(lines, 1) if line.strip() and line.strip() in named}
        known |= {fault.change() for fault in faults.faults_of(Path(module)) if fault.line in near}
    assert accepted.keys() <= known
    assert all(accepted.values())


@pytest.mark.slow
def test_a_draw_reports_which_test_detects_each_fault(tmp_path: Path) -> None:
    words = ["--package", "stats/intervals", "--count", "3", "--tests", "tests/stats/test_intervals.py", "--jobs", "1"]
    command = [sys.executable, "-m", "tests.mutants", *words, "--lines", str(tmp_path)]
    said = subprocess.run(command, cwd=faults.ROOT, capture_output=True, text=True, check=True).stdout
    by = re.findall(
        r"^ +\d noticed  wsim/stats/intervals\.py:\d+ \(.+?\) tests/stats/test_intervals\.py::\w+", said, re.M
    )
    assert by
    assert f"stats/intervals, seed 1: {len(by)} of 3 noticed, {round(100 * len(by) / 3)}% [" in said


@pytest.mark.slow
def test_executed_lines_of_each_test_are_recorded(tmp_path: Path) -> None:
    report = tmp_path / "lines.json"
    words = ["-p", "tests.lines", "tests/stats/test_intervals.py::test_t_agrees_with_scipy"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *words]
    subprocess.run(command, cwd=faults.ROOT, env={**os.environ, "WSIM_LINES": str(report)}, check=True)
    noted = json.loads(report.read_text(encoding="utf-8"))["lines"]
    assert "wsim/stats/distributions.py" in noted[words[-1] + "[1]"]
    assert "wsim/lab/plan.py" not in noted[words[-1] + "[1]"]
