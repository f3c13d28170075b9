"""A pytest plugin that collects the tests once and then runs selected tests in forked copies, each with a fault.

``WSIM_SERVING=READ,WRITE`` gives two file descriptors. A line of the first is a JSON object: "module", a path,
"before" and "source", its text without and with the fault (or none of them), "tests" to run in this order, "seconds"
of processor time after which they loop for ever. A line of the second answers: "failed", the test that failed ("" if
none did); "hung", whether it took too long; "unplanted", whether the fault is in code that ran when the module was
imported, so that no copy of this process can have it. With "report", a file, all of the tests are run, and
``tests.lines``, a further plugin, writes there what they execute. Most of the time of a short test is that of imports,
which happen here once.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import resource
import signal
import sys
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

DATA = 8 << 30  # bytes that a copy may have at most
WAITING = 10  # times the seconds of processor time: a test that waits for ever ends, too


class UnplantableError(Exception):
    """Raised for a fault in code that has already run, or that changes the variables captured by a closure."""


def codes(code: CodeType, ran: bool = True) -> list[tuple[CodeType, bool]]:
    """Return the code objects of a module and its definitions, in source order, each with whether it has already run.

    What runs on import is the code of the module, that of classes, and comprehensions in either.
    """
    found = [(code, ran)]
    for part in code.co_consts:
        if isinstance(part, CodeType):
            function = part.co_flags & inspect.CO_NEWLOCALS and not part.co_name.endswith(("comp>", "expr>"))
            found += codes(part, ran and not function)
    return found


def _own(code: CodeType) -> tuple[Any, ...]:
    """Return a code object's own content, without nested definitions and line numbers."""
    plain = [(type(c), c) for c in code.co_consts if not isinstance(c, CodeType)]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, plain


def replacements(before: str, after: str, name: str) -> dict[CodeType, CodeType]:
    """Return pairs of function code without and with a fault; raise if code that has already run differs."""
    old, new = (codes(compile(text, name, "exec", dont_inherit=True)) for text in (before, after))
    pairs = list(zip(old, new, strict=False))
    alike = len(old) == len(new) and all(a.co_freevars == b.co_freevars for (a, _), (b, _) in pairs)
    if not alike or any(ran and _own(a) != _own(b) for (a, ran), (b, _) in pairs):
        raise UnplantableError
    return {a: b for (a, ran), (b, _) in pairs if not ran}


def plant(module: str, before: str, after: str) -> None:
    """Give the functions of a module that has been imported their code with the fault."""
    if not any(getattr(known, "__file__", None) == module for known in [*sys.modules.values()]):
        return  # it will be read when it is imported
    changed = replacements(before, after, module)
    found = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__.co_filename == module]
    for function in found:
        if (code := changed.get(function.__code__)) is not None:
            function.__code__ = code


class Server:
    """Answers requests in place of pytest's loop over the collected tests."""

    def __init__(self, read: int, write: int) -> None:
        self._requests, self._answers = os.fdopen(read), os.fdopen(write, "w", buffering=1)
        self._failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the first test that fails."""
        if report.failed and not self._failed:
            self._failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer until there are no more requests."""
        sys.settrace(None)  # of ``tests.lines``, which noted what the imports execute
        items = {item.nodeid: item for item in session.items}
        self._answer({"tests": [] if session.testsfailed else list(items)})  # a file that cannot be imported fails
        for line in self._requests:
            request = json.loads(line)
            self._answer(self._result(request, [items[test] for test in request["tests"] if test in items]))
        return True

    def _answer(self, answer: dict[str, Any]) -> None:
        self._answers.write(json.dumps(answer) + "\n")

    def _result(self, request: dict[str, Any], items: list[pytest.Item]) -> dict[str, Any]:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            self._run(request, items, write)
        os.close(write)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
        signal.alarm(int(request["seconds"] * WAITING))
        with os.fdopen(read) as pipe:
            said = pipe.read().split("\n")
        status = os.waitpid(child, 0)[1]
        signal.alarm(0)
        if said[-1] == "unplanted":
            return {"failed": "", "hung": False, "unplanted": True}
        begun, ended = said[-2] if len(said) > 1 else "", said[-1]
        if status == 0:
            return {"failed": "", "hung": False, "unplanted": False}
        return {"failed": ended or begun or "at once", "hung": os.WIFSIGNALED(status), "unplanted": False}

    def _run(self, request: dict[str, Any], items: list[pytest.Item], write: int) -> None:
        """Run tests in this forked copy of the process until one fails, then exit."""
        os.setpgid(0, 0)
        seconds = int(request["seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (DATA, DATA))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if "tests.lines" in sys.modules and "report" not in request:
            sys.modules["tests.lines"].end()
        if "module" in request:
            try:
                plant(request["module"], request["before"], request["source"])
            except UnplantableError:
                os.write(write, b"unplanted")
                os._exit(0)
        for place, item in enumerate(items):
            os.write(write, f"{item.nodeid}\n".encode())
            after = items[place + 1] if place + 1 < len(items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self._failed and "report" not in request:
                os.write(write, self._failed.encode())
                os._exit(1)
        if "report" in request:
            sys.modules["tests.lines"].write(Path(request["report"]))
        os._exit(0)


def pytest_configure(config: pytest.Config) -> None:
    """Start serving if the parent process requests it."""
    if "WSIM_SERVING" in os.environ:
        read, write = (int(number) for number in os.environ.pop("WSIM_SERVING").split(","))
        config.pluginmanager.register(Server(read, write), "serving")
