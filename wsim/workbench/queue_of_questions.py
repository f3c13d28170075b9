"""The queue of questions: one question runs at a time, in a process that can be stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.options import short_number
from wsim.paths import PACKAGE
from wsim.policies.declare import FOREIGN, ISOLATED
from wsim.workbench.questions import TRUST, Form, Texts, code_in

if TYPE_CHECKING:
    from wsim.workbench.folder import Folder

MAX_WAITING = 16
MAX_LISTED = 200
"""Maximum number of finished questions that stay listed."""
PATIENCE = 20.0  # seconds for a stopped worker to write its result
OVER = ("answered", "stopped", "refused")
TRUSTED = "--trusted"


@dataclass
class QueuedQuestion:
    """A question in the queue, with its state and progress.

    Attributes
    ----------
    state: waiting, playing, answered, stopped (the file contains the result so far) or refused (``sentence``: why).
    doing, done, total: the current task, and how much of it is done. looks: for each interim look, the number of deals
    and a sentence about each deciding effect.
    version: incremented at each change. stopping: whether a stop was requested.
    clock: time of the first progress report in seconds, and the units done by then.
    """

    number: int
    kind: Form
    texts: Texts
    out: str
    command: str
    when: datetime = field(default_factory=lambda: datetime.now().astimezone())
    state: str = "waiting"
    sentence: str = ""
    doing: str = ""
    done: int = 0
    total: int = 0
    looks: list[tuple[int, list[str]]] = field(default_factory=list)
    version: int = 0
    stopping: bool = False
    clock: tuple[float, int] | None = None

    def forecast(self, now: float) -> float | None:
        """Estimate the remaining seconds at time ``now`` from the pace so far; None while the pace is unknown."""
        if self.clock is None or self.over:
            return None
        start, before = self.clock
        return (now - start) * (self.total - self.done) / (self.done - before) if self.done > before else None

    @property
    def over(self) -> bool:
        """Whether the question has finished."""
        return self.state in OVER

    def record(self) -> dict[str, Any]:
        """Return the question as the JSON object that its page displays."""
        last, left = self.looks[-1] if self.looks else None, self.forecast(time.monotonic())
        return {
            "state": self.state, "sentence": self.sentence, "doing": self.doing, "done": self.done,
            "total": self.total, "deals": last[0] if last else None, "said": last[1] if last else [],
            "over": self.over, "left": None if left is None else round(left), "stopping": self.stopping,
        }  # fmt: skip


class Questions:
    """The queue of all questions on a server.

    After each question that wrote a file or a run, ``ended`` is called with its name, in a separate thread.
    """

    def __init__(self, folder: Folder, ended: Callable[[str], object] | None = None) -> None:
        self._ended = ended
        self._folder, self._lock, self._trusted = folder, threading.Lock(), ISOLATED.get() is False
        self._questions: dict[int, QueuedQuestion] = {}
        self._waiting: list[QueuedQuestion] = []
        self._process: subprocess.Popen[str] | None = None
        self._playing: QueuedQuestion | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def listed(self) -> list[QueuedQuestion]:
        """Return all questions, newest first."""
        with self._lock:
            return sorted(self._questions.values(), key=lambda queued: -queued.number)

    def find(self, number: str) -> QueuedQuestion:
        """Return the question with a number; raise UserError if it does not exist."""
        queued = self._questions.get(short_number(number) or 0)
        if queued is None:
            raise UserError(f"no question {number!r} since the server started: its answer may be in the folder")
        return queued

    def next_name(self, kind: Form) -> str:
        """Return an unused file name for an answer."""
        taken = {queued.out for queued in self._questions.values() if not queued.over}
        number = 1
        while (name := f"{kind.name}-{number}{kind.suffixes[0]}") in taken or kind.answer(
            self._folder.root / name
        ).exists():
            number += 1
        return name

    def ask(self, kind: Form, texts: Texts, out: str) -> QueuedQuestion:
        """Add a question to the queue; raise UserError if it is invalid or too many are waiting."""
        for name in kind.named_files(texts):
            self._folder.inside(name)
        if code := [] if texts.get(TRUST) else code_in(kind, texts):
            raise UserError(f"{', '.join(code)} is code that this question would run: tick the box to allow it")
        texts = {name: list(lines) for name, lines in texts.items() if name != TRUST}
        kind.read(texts)
        out = kind.target(self._folder, texts, out)
        with self._lock:
            if any(question.out == out and not question.over for question in self._questions.values()):
                raise UserError(f"another question writes to {out!r}: choose a different name or wait for it")
            if len(self._waiting) >= MAX_WAITING:
                raise UserError(f"{MAX_WAITING} questions are waiting: stop one or try later")
            number = max(self._questions, default=0) + 1
            queued = QueuedQuestion(number, kind, texts, out, kind.words(texts, out))
            self._questions[number] = queued
            self._waiting.append(queued)
            for old in [question.number for question in self._questions.values() if question.over][:-MAX_LISTED]:
                del self._questions[old]
            if self._thread is None:
                self._thread = threading.Thread(target=self._play_all, daemon=True, name="wsim-questions")
                self._thread.start()
        return queued

    def stop(self, queued: QueuedQuestion) -> None:
        """Stop a question: a running one writes its result so far; a second request stops it at once."""
        with self._lock:
            if queued in self._waiting:
                self._waiting.remove(queued)
                self._set(queued, state="stopped", sentence="stopped before it started")
            elif queued is self._playing and self._process is not None:
                if queued.stopping:
                    self._process.kill()
                queued.stopping = True
                queued.version += 1
                self._interrupt(self._process)

    def close(self) -> None:
        """Stop all questions, and wait until the running one has written its result so far."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            process, thread = self._process, self._thread
            if process is not None:
                self._interrupt(process)
        if thread is not None:
            thread.join(PATIENCE)
        if process is not None and process.poll() is None:
            process.kill()

    @staticmethod
    def _interrupt(process: subprocess.Popen[str]) -> None:
        with suppress(OSError):
            process.send_signal(signal.SIGINT)

    def _play_all(self) -> None:
        """Run the questions in order until none is waiting."""
        while True:
            with self._lock:
                if self._closed or not self._waiting:
                    self._thread = self._playing = self._process = None
                    return
                queued = self._playing = self._waiting.pop(0)
                process = self._process = self._worker()
                self._set(queued, state="playing")
            self._follow(queued, process)

    def _worker(self) -> subprocess.Popen[str]:
        """Start a worker process."""
        return module_process("wsim.workbench.worker", self._folder, trusted=self._trusted)

    def _follow(self, queued: QueuedQuestion, process: subprocess.Popen[str]) -> None:
        """Send a question to a worker, and handle its messages until it ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            errors: list[str] = []
            reader = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
            reader.start()
            with suppress(OSError):
                process.stdin.write(
                    json.dumps({"kind": queued.kind.name, "texts": queued.texts, "out": queued.out}) + "\n"
                )
                process.stdin.close()  # closed here, so that no error is raised at the end of the block
            for line in process.stdout:
                with suppress(ValueError):
                    self._take(queued, json.loads(line))
            reader.join(1)
        if not queued.over and queued.stopping:
            self._set(queued, state="stopped", sentence="stopped before there was a result")
        elif not queued.over:
            last = errors[-1].strip() if errors else f"exit code {process.returncode}"
            self._set(queued, state="refused", sentence=f"the worker failed: {last}")

    def _take(self, queued: QueuedQuestion, line: Mapping[str, Any]) -> None:
        """Update a question from a worker's message."""
        if "progress" in line:
            doing, done, total = line["progress"]
            if total and (queued.clock is None or doing != queued.doing):
                queued.clock = (time.monotonic(), done)
            self._set(queued, doing=doing, done=done, total=total)
        elif "look" in line:
            deals, said = line["look"]
            queued.looks.append((deals, said))
            self._set(queued)
        elif "written" in line:
            stopped, path = line["written"]
            self._set(queued, state="stopped" if stopped else "answered", out=path)
            if self._ended is not None:
                threading.Thread(target=self._ended, args=(path,), daemon=True, name="wsim-ended").start()
        elif "refused" in line:
            self._set(queued, state="refused", sentence=line["refused"])

    @staticmethod
    def _set(queued: QueuedQuestion, **values: Any) -> None:
        for name, value in values.items():
            setattr(queued, name, value)
        queued.version += 1


def module_process(
    module: str, folder: Folder, errors: int = subprocess.PIPE, *, trusted: bool
) -> subprocess.Popen[str]:
    """Start a module as a process in its own session, which Ctrl-C at the terminal of the server does not reach.

    ``errors``: where its standard error goes. ``trusted``: whether it runs the code of policies and effects itself, as
    after ``wsim --trusted open``.
    """
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *([TRUSTED] if trusted else [])],  # -P: imports nothing from the folder
        cwd=folder.root, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
    )  # fmt: skip


def begin_worker() -> None:
    """Apply the server's trust settings in a process started by ``module_process``."""
    FOREIGN.set(True)
    ISOLATED.set(False if TRUSTED in sys.argv else None)


def lines_of(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Map each form field to the non-empty lines of its content; empty fields are omitted."""
    fields: dict[str, list[str]] = {}
    for name, text in pairs:
        fields.setdefault(name, []).extend(line.strip() for line in text.splitlines() if line.strip())
    return {name: lines for name, lines in fields.items() if lines}
