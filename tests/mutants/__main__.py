"""``python -m tests.mutants --package stats --count 30 --seed 1``: the session ``nox -s mutants``."""

from __future__ import annotations

import argparse
import fcntl
import filecmp
import json
import math
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import SimpleQueue
from typing import Any

from tests.mutants.faults import ROOT, Fault, accepted, drawn, package_of
from tests.mutants.notes import LONGEST, PYTEST, QUICK, WITHOUT_JIT, Notes, files_of, keep, kept, read, tests_of

PATIENCE = 5  # times as long as without a fault; one that loops for ever is noticed
STARTING = 20.0  # seconds until pytest has collected its tests
RECORDING = 3600.0  # seconds for all tests of some packages, followed line by line


class Serving:
    """A pytest process that has collected the tests and runs selected tests, each time with a fault."""

    def __init__(self, root: Path, words: list[str], variables: Mapping[str, str]) -> None:
        (theirs, requests), (answers, own) = os.pipe(), os.pipe()
        command = [sys.executable, "-m", "pytest", *PYTEST, "-p", "tests.mutants.serving", *words]
        environment = {**os.environ, **variables, "WSIM_SERVING": f"{theirs},{own}"}
        self._process = subprocess.Popen(
            command, cwd=root, env=environment, pass_fds=(theirs, own),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        os.close(own)
        self._requests, self._answers = os.fdopen(requests, "w", buffering=1), os.fdopen(answers)
        self.tests: list[str] = self._answer()["tests"]

    def ask(self, tests: list[str], seconds: float, **more: str) -> dict[str, Any]:
        """Run tests in the process and return its reply."""
        self._requests.write(json.dumps({"tests": tests, "seconds": seconds, **more}) + "\n")
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._answers.readline()
        return json.loads(line) if line else {"tests": [], "failed": "at once", "hung": False, "unplanted": False}

    def close(self) -> None:
        """End the process."""
        self._requests.close()
        self._answers.close()
        self._process.wait()


class Checkout:
    """A copy of the checkout in a folder, in which faults are planted; the folder keeps its compiled code."""

    def __init__(self, parent: Path) -> None:
        for number in count():
            lock = os.open(parent / f"{number}.lock", os.O_CREAT | os.O_RDWR)  # until this process ends
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            os.close(lock)
        self.root, self.folder, self._serving = parent / f"checkout{number}", parent, dict[Any, Serving]()
        self.variables = {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        self._passed: set[str] = set()
        self._copy()

    def _copy(self) -> None:
        """Copy changed files; byte code is checked against its source, so that no fault is missed or left behind."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        names = {name for name in listed.decode().rstrip("\0").split("\0") if (ROOT / name).is_file()}
        for path in [path for path in self.root.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]:
            if str(path.relative_to(self.root)) not in names:
                path.unlink()
        for name in names:
            old, new = self.root / name, ROOT / name
            if not old.exists() or not filecmp.cmp(old, new, shallow=False):
                old.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(new, old)
                if new.suffix == ".py":
                    py_compile.compile(str(old), quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)

    def notes(self, files: list[str], jit: bool) -> Notes:
        """Return the lines that test files execute; run the test files that have no stored notes."""
        paths = kept(files, self.folder, jit)
        if missing := {file: path for file, path in paths.items() if not path.exists()}:
            serving, report = self._served(files, jit), self.folder / f"{os.getpid()}.json"
            tests = [test for test in serving.tests if test.partition("::")[0] in missing]
            serving.ask(tests, RECORDING, report=str(report))
            if not report.exists():
                sys.exit(f"{' '.join(missing)} cannot be run")
            keep(json.loads(report.read_text(encoding="utf-8")), missing)
            report.unlink()
        return read(paths.values())

    def survives(self, fault: Fault, notes: Notes, files: list[str], jit: bool, fastest: int) -> tuple[str, str]:
        """Plant a fault, run the tests, remove the fault; return whether it was detected, and by which test."""
        parts = notes.tests_at(fault, fastest)
        if not parts:
            return "SURVIVED", "no test executes it"
        path = self.root / fault.module
        before = path.read_bytes()
        serving = self._served(files, jit)
        path.write_bytes(fault.planted(before))
        try:
            for tests in parts:
                while True:
                    failed = self._failed(fault, before, tests, serving, notes, jit)
                    if not failed or self._sound(failed, tests, serving, notes, path, before):
                        break
                    tests.remove(failed)
                    path.write_bytes(fault.planted(before))
                if failed:
                    return "noticed", failed
            return "SURVIVED", f"{sum(len(part) for part in parts)} tests pass"
        finally:
            path.write_bytes(before)

    def _served(self, files: list[str], jit: bool) -> Serving:
        key = (jit, *files)
        if key not in self._serving:
            environment = {**self.variables, **({} if jit else WITHOUT_JIT)}
            lines: list[str] = []
            if not all(path.exists() for path in kept(files, self.folder, jit).values()):
                lines, environment["WSIM_LINES_LIMIT"] = ["-p", "tests.lines"], str(LONGEST[jit])
            self._serving[key] = Serving(self.root, [*QUICK, *lines, *files], environment)
        return self._serving[key]

    def _failed(self, fault: Fault, before: bytes, tests: list[str], serving: Serving, notes: Notes, jit: bool) -> str:
        """Return the first test that fails with a fault; "" if all tests pass."""
        seconds = PATIENCE * notes.limit(tests) + STARTING
        source = fault.planted(before).decode()
        answer: dict[str, Any] = {"unplanted": True}
        if not notes.on_import(fault):
            module = str(self.root / fault.module)
            answer = serving.ask(tests, seconds, module=module, before=before.decode(), source=source)
        if answer["unplanted"]:
            environment = {**self.variables, **({} if jit else WITHOUT_JIT)}
            afresh = Serving(self.root, tests, environment)
            answer = afresh.ask(tests, seconds) if afresh.tests else {"failed": "on import"}
            afresh.close()
        return str(answer["failed"])

    def _sound(self, failed: str, tests: list[str], serving: Serving, notes: Notes, path: Path, before: bytes) -> bool:
        """Return whether a test that failed with a fault passes without the fault, after the same earlier tests."""
        if failed in self._passed or failed not in tests:
            return True
        path.write_bytes(before)
        first = tests[: tests.index(failed) + 1]
        passes = not serving.ask(first, PATIENCE * notes.limit(first) + STARTING)["failed"]
        if passes:
            self._passed.update(first)
        return passes

    def close(self) -> None:
        """End the processes."""
        for serving in self._serving.values():
            serving.close()


def wilson(noticed: int, count: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson 1927)."""
    z, share = 1.959964, noticed / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return middle - half, middle + half


def main() -> None:
    """Draw faults, plant them, run the tests and report undetected faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--package", action="append", default=[], help="stats, policies/isolation, wonders/. (itself)")
    parser.add_argument("--tests", action="append", help="folders and files of tests (default: those of the package)")
    parser.add_argument("--count", type=int, default=30, help="how many faults are drawn")
    parser.add_argument("--seed", type=int, default=1, help="of the drawing")
    parser.add_argument("--jobs", type=int, default=2, help="how many copies are tested at once")
    parser.add_argument("--fastest", type=int, default=0, help="run only so many of the tests that execute a line")
    parser.add_argument("--only", type=int, action="append", help="of the faults drawn, plant only these (by number)")
    parser.add_argument("--lines", type=Path, help="folder that keeps which lines tests execute, for the next draw")
    options = parser.parse_args()
    names = options.package or [""]
    faults = [(name, fault) for name in names for fault in drawn([name] if name else [], options.count, options.seed)]
    planted = [n for n in range(len(faults)) if not options.only or n + 1 in options.only]
    if len({name for name, _ in faults}) < len(names):
        sys.exit(f"wsim has no package {' or '.join({*names} - {name for name, _ in faults})} with anything to change")
    known = accepted()
    with tempfile.TemporaryDirectory() as parent, ThreadPoolExecutor(options.jobs) as workers:
        folder = (options.lines or Path(parent) / "lines").absolute()
        folder.mkdir(parents=True, exist_ok=True)
        free: SimpleQueue[Checkout] = SimpleQueue()
        checkouts = [Checkout(folder) for _ in range(options.jobs)]
        ways = sorted({(not faults[n][1].compiled, package_of(faults[n][1].module)) for n in planted})
        files = {
            jit: files_of(options.tests or [test for way, name in ways if way == jit for test in tests_of(name)])
            for jit in (True, False)
        }
        notes = {jit: checkouts[0].notes(files[jit], jit) for jit in sorted({way for way, _ in ways})}
        for checkout in checkouts:
            free.put(checkout)

        def tried(number: int) -> tuple[str, str]:
            fault, checkout = faults[number][1], free.get()
            jit = not fault.compiled
            try:
                if fault.change() in known:
                    return "nothing", known[fault.change()]
                return checkout.survives(fault, notes[jit], files[jit], jit, options.fastest)
            finally:
                free.put(checkout)

        outcomes = Counter[tuple[str, str]]()
        for number, (outcome, why) in zip(planted, workers.map(tried, planted), strict=True):
            name, fault = faults[number]
            outcomes[name, outcome] += 1
            print(f"{number + 1:4} {outcome:8} {fault.module}:{fault.line} ({fault.operator}) {why}", flush=True)
            if outcome == "SURVIVED":
                print(fault.diff(), flush=True)
        for checkout in checkouts:
            checkout.close()
    for name in names:
        noticed, survived = outcomes[name, "noticed"], outcomes[name, "SURVIVED"]
        planned = noticed + survived
        low, high = wilson(noticed, planned) if planned else (0.0, 1.0)
        rest = f", {outcomes[name, 'nothing']} change nothing" if outcomes[name, "nothing"] else ""
        share = f"{noticed / max(planned, 1):.0%} [{low:.0%}, {high:.0%}]"
        print(f"{name or 'wsim'}, seed {options.seed}: {noticed} of {planned} noticed, {share}{rest}")


if __name__ == "__main__":
    main()
