"""A pytest plugin that records which lines of wsim each test executes: ``pytest -p tests.lines``, WSIM_LINES=FILE.

The file is a JSON object. "lines": test, or file for its fixtures -> module -> lines; "" is what importing the modules
executes. "seconds": test -> how long it took while it was traced, file -> how long its fixtures took. "unfit": tests
that failed, or took longer than WSIM_LINES_LIMIT seconds, or whose fixtures took eight times as long. Seconds are of
the processor.
Compiled kernels execute no lines; NUMBA_DISABLE_JIT=1 shows theirs. A function that executes nothing new for a while is
not followed any more in that test. ``python -m tests.lines FILE ...`` prints the share
of lines that were executed, by package.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
_WSIM = f"{ROOT / 'wsim'}{os.sep}"
QUIET = 1000
"""Executed lines of a function without a new one, after which it is not followed any more in a test."""
_executed: dict[str, set[tuple[str, int]]] = {"": set()}
_seconds: dict[str, float] = {}
_unfit: set[str] = set()
LIMIT = float(os.environ.get("WSIM_LINES_LIMIT", "0"))
FIXTURES = 8
"""Times as long as a test fixtures may take, which many tests may share."""


class _Followed:
    """Records the lines of functions that the current test or the fixtures of a file execute."""

    def __init__(self) -> None:
        self.lines = _executed[""]
        self.quiet: dict[CodeType, int] = {}
        self.on = True

    def begin(self, name: str) -> None:
        self.lines, self.quiet = _executed.setdefault(name, set()), {}

    def call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        if (quiet := self.quiet.get(code)) is None:
            quiet = self.quiet[code] = 0 if code.co_filename.startswith(_WSIM) else QUIET
        return self.line if quiet < QUIET else None

    def line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event != "line":
            return self.line
        code, place = frame.f_code, (frame.f_code.co_filename, frame.f_lineno)
        if place in self.lines:
            self.quiet[code] = quiet = self.quiet.get(code, 0) + 1
            if quiet >= QUIET:
                frame.f_trace_lines = False
                return None
        else:
            self.lines.add(place)
            self.quiet[code] = 0
        return self.line


_followed = _Followed()


def pytest_configure() -> None:
    """Start tracing before the tests import wsim."""
    signal.signal(signal.SIGPROF, _stopped)
    threading.settrace(_followed.call)
    sys.settrace(_followed.call)


def end() -> None:
    """Stop tracing."""
    _followed.on = False
    sys.settrace(None)
    threading.settrace(None)


def _processor() -> float:
    return sum(os.times()[:4])


def _stopped(*_: object) -> None:
    signal.setitimer(signal.ITIMER_PROF, LIMIT)  # should what is interrupted go on all the same
    pytest.fail(f"takes longer than {LIMIT} seconds")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Attribute lines executed by fixtures to the test file, because its other tests may share the fixtures."""
    if not _followed.on:
        yield
        return
    file = item.nodeid.partition("::")[0]
    _followed.begin(file)
    sys.settrace(_followed.call)
    begun = _processor()
    signal.setitimer(signal.ITIMER_PROF, FIXTURES * LIMIT)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    _seconds[file] = _seconds.get(file, 0.0) + _processor() - begun


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Record the lines that the test itself executes."""
    if not _followed.on:
        yield
        return
    _followed.begin(item.nodeid)
    begun = _processor()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    _seconds[item.nodeid] = _processor() - begun


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record which tests fail."""
    if report.failed:
        _unfit.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the recorded lines at the end of the session."""
    if _followed.on and "WSIM_LINES" in os.environ:
        write(Path(os.environ["WSIM_LINES"]))


def write(file: Path) -> None:
    """Write the recorded lines and stop tracing."""
    end()
    report: dict[str, dict[str, list[int]]] = {}
    for test, lines in _executed.items():
        modules = report.setdefault(test, {})
        for name, line in sorted(lines):
            modules.setdefault(str(Path(name).relative_to(ROOT)), []).append(line)
    noted = {"lines": report, "seconds": _seconds, "unfit": sorted(_unfit)}
    file.write_text(json.dumps(noted), encoding="utf-8")


def executable(module: Path) -> set[int]:
    """Return the lines of a module that can be executed."""
    found: set[int] = set()
    waiting = [compile(module.read_bytes(), str(module), "exec")]
    while waiting:
        code = waiting.pop()
        found |= {line for _, _, line in code.co_lines() if line}
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


def main() -> None:
    """Print the share of lines executed in each package."""
    from tests.mutants.faults import package_of

    hit: dict[str, set[int]] = {}
    for file in sys.argv[1:]:
        for modules in json.loads(Path(file).read_text(encoding="utf-8"))["lines"].values():
            for module, lines in modules.items():
                hit.setdefault(module, set()).update(lines)
    executed, known = Counter[str](), Counter[str]()
    for path in sorted((ROOT / "wsim").rglob("*.py")):
        module = path.relative_to(ROOT)
        lines = executable(path)
        known[package_of(module)] += len(lines)
        executed[package_of(module)] += len(lines & hit.get(str(module), set()))
    for package, count in known.items():
        if executed[package]:
            print(f"{package or 'wsim'}: {executed[package]} of {count} lines, {executed[package] / count:.0%}")


if __name__ == "__main__":
    main()
