"""Notes on which tests execute which lines, recorded by ``tests.lines`` per test file and kept while it is unchanged.

A note holds for a file of tests and one way of running it, with the JIT or without. Of a module that has changed since,
every test that executes any of its lines may notice a fault.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tests.mutants.faults import ROOT, Fault

PYTEST = ("-q", "-n", "0", "-p", "no:cacheprovider")
QUICK = ("-m", "not slow and not browser")
WITHOUT_JIT = {"NUMBA_DISABLE_JIT": "1"}
LONGEST = {True: 1.0, False: 4.0}
"""Seconds of processor time that a test may take, traced, with the JIT and without; a longer one is not used."""
FIRST = 12  # tests that are tried by themselves, the quickest
WHOLE: tuple[str, ...] = (
    *("wonders/test_kernels_by_hand.py", "wonders/rulebook", "wonders/test_payment.py"),
    *("wonders/test_jit_off.py", "wonders/test_playthroughs.py", "wonders/test_effects_by_hand.py"),
    *("wonders/test_clauses_by_hand.py", "positions/test_law.py"),
)
TESTS: dict[str, tuple[str, ...]] = {
    "kernels": ("games", "policies/test_searching.py", "policies/test_rivals.py", "positions"),
    "jit": ("jit", "policies"),
    "spec": ("spec", "wonders/catalog"),
    "stats": ("stats", "cli/test_tables.py", "lab/test_rest_known.py", "report/test_charts.py"),
    "positions": ("positions", "policies/test_isolation_by_hand.py", "policies/test_isolation.py"),
    "wonders": (
        *("wonders/test_words.py", "wonders/test_frames.py", "wonders/test_seating.py", "wonders/test_properties.py"),
        *("wonders/test_guards.py", "wonders/test_table_rules.py", "wonders/test_cards.py", "learn/test_fitting.py"),
        "wonders/test_modules_by_hand.py",
    ),
    "wonders/describe": (
        *(
            "wonders/test_words.py",
            "wonders/test_playthroughs.py",
            "wonders/test_decisions.py",
            "report/test_replay.py",
        ),
        *("wonders/test_text_by_hand.py", "wonders/test_views_by_hand.py", "wonders/test_setup_by_hand.py"),
        *("positions/test_by_clauses.py", "positions/test_why.py"),
    ),
    "wonders/catalog": ("wonders/catalog",),
    "wonders/kernels": WHOLE,
    "wonders/policies": ("wonders/policies", "policies/test_rivals.py"),
    "": ("lab", "cli"),
}
"""The tests of packages whose tests are not in the folder of the same name; "" is for modules of wsim itself."""


def tests_of(package: str) -> list[str]:
    """Return the folders and files that contain the tests of a package."""
    head, _, tail = package.partition("/")
    named = (package,) if tail and (ROOT / "tests" / package).is_dir() else (head,)
    folders = TESTS.get(package) or (named if tail else TESTS.get(head, named))
    return [f"tests/{name}" for name in folders if (ROOT / "tests" / name).exists()]


def files_of(names: list[str]) -> list[str]:
    """Return the test files in folders, or the test files given."""
    found = [path for name in names for path in (sorted((ROOT / name).rglob("test_*.py")) or [ROOT / name])]
    return list(dict.fromkeys(str(path.relative_to(ROOT)) for path in found))


@cache
def digest(name: str) -> str:
    """Return the digest of a file in the checkout; "" if it does not exist."""
    path = ROOT / name
    return blake2b(path.read_bytes(), digest_size=6).hexdigest() if path.is_file() else ""


@cache
def _names(file: str, module: Path) -> bool:
    """Return whether a test file mentions a module."""
    path = ROOT / file
    return path.is_file() and re.search(rf"\b{module.stem}\b", path.read_text(encoding="utf-8")) is not None


@cache
def _lines_of_functions(module: Path) -> set[int]:
    """Return the lines in the bodies of functions, which are not executed when the module is imported."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {line for each in functions for line in range(each.body[0].lineno, (each.end_lineno or 0) + 1)}


@dataclass
class Notes:
    """Notes on some test files: the lines that each test executes, its time in seconds, and which tests are unfit."""

    executed: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    unfit: set[str] = field(default_factory=set)
    modules: dict[str, set[str]] = field(default_factory=dict)

    def add(self, noted: Mapping[str, Any]) -> None:
        """Add the notes on one test file."""
        for test, modules in noted["lines"].items():
            self.executed.setdefault(test, {}).update(modules)
        self.seconds.update(noted["seconds"])
        self.unfit.update(noted["unfit"])
        for module, known in noted["modules"].items():
            self.modules.setdefault(module, set()).add(known)

    def tests_at(self, fault: Fault, fastest: int = 0) -> list[list[str]]:
        """Return the tests that may detect a fault: the fastest dozen first, then the rest by file.

        These are the tests that execute its line; if a fixture executes it, the tests of that file. Of a line that is
        executed on import, and of a module that has changed since the notes, all that execute any line of the
        module follow, and those of files that name it, as they may use its constants. With ``fastest``, only so many:
        what they notice is a lower bound.
        """
        name = str(fault.module)
        by_line = {test for test, lines in self.executed.items() if test and fault.line in lines.get(name, ())}
        known = self.modules.get(name, set()) == {digest(name)} and not self.on_import(fault)
        near = by_line
        if not known:
            files = {test.partition("::")[0] for test in self.seconds}
            near = {test for test, lines in self.executed.items() if test and lines.get(name)}
            near |= {file for file in files if _names(file, fault.module)}
            near = near or (files if self.on_import(fault) else near)
        tests = [t for t in self.seconds if "::" in t and (t in near or t.partition("::")[0] in near)]
        apart = {test for test in tests if test not in by_line and test.partition("::")[0] not in by_line}
        fit = sorted(
            (test for test in tests if test not in self.unfit), key=lambda test: (test in apart, self.seconds[test])
        )
        first = fit[:FIRST]
        rest = fit[FIRST:fastest] if fastest else fit[FIRST:]
        whole: dict[str, float] = {}
        for test in rest:
            file = test.partition("::")[0]
            whole[file] = whole.get(file, self.seconds.get(file, 0.0)) + self.seconds[test]
        rest.sort(key=lambda test: whole[test.partition("::")[0]])
        return [part for part in (first, rest) if part]

    def on_import(self, fault: Fault) -> bool:
        """Return whether the faulty line is executed on import, when tests are collected.

        The notes miss modules that are imported before the tests, such as those that ``conftest.py`` imports.
        """
        noted = self.executed.get("", {}).get(str(fault.module), ())
        return fault.line in noted or fault.line not in _lines_of_functions(fault.module)

    def limit(self, tests: list[str]) -> float:
        """Return the time limit for tests in seconds, based on their recorded durations, including fixtures."""
        return sum(
            self.seconds[name]
            for name in {*tests, *(test.partition("::")[0] for test in tests)}
            if name in self.seconds
        )


def kept(files: list[str], folder: Path, jit: bool) -> dict[str, Path]:
    """Return the path of the stored notes for each test file in its current version."""
    way = "jit" if jit else "plain"
    return {file: folder / f"{file.replace('/', '.')}-{way}-{digest(file)}.json" for file in files}


def read(paths: Iterable[Path]) -> Notes:
    """Load notes from files."""
    notes = Notes()
    for path in paths:
        notes.add(json.loads(path.read_text(encoding="utf-8")))
    return notes


def keep(report: dict[str, Any], kept: Mapping[str, Path]) -> None:
    """Write the notes on each test file to a separate file."""
    for file, path in kept.items():
        lines = {test: found for test, found in report["lines"].items() if test.partition("::")[0] in ("", file)}
        modules = {module: digest(module) for found in lines.values() for module in found}
        seconds = {test: taken for test, taken in report["seconds"].items() if test.partition("::")[0] == file}
        unfit = [test for test in report["unfit"] if test.partition("::")[0] == file]
        part = {"lines": lines, "seconds": seconds, "unfit": unfit, "modules": modules}
        path.write_text(json.dumps(part), encoding="utf-8")
