"""Questions that were asked: one is played at a time, in a process that can be stopped; the others wait."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.paths import PACKAGE
from wsim.workbench.questions import TRUST, Form, Texts, code_in

if TYPE_CHECKING:
    from wsim.workbench.folder import Folder

MOST_WAITING = 16
MOST_KEPT = 200
"""Questions that are over and still listed."""
PATIENCE = 20.0  # seconds in which a worker that was stopped writes what it knows
OVER = ("answered", "stopped", "refused")


@dataclass
class QueuedQuestion:
    """A question that was asked.

    Attributes
    ----------
    state: waiting, playing, answered, stopped (the file says what was known) or refused (``sentence`` says why).
    doing, done, total: its progress. looks: deals, and the effects that decide, each with the ends of its interval.
    version: grows with every change. stopping: whether it was asked to stop.
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
    looks: list[tuple[int, list[list[float | None]]]] = field(default_factory=list)
    version: int = 0
    stopping: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in OVER

    def record(self) -> dict[str, Any]:
        """Return what a page is told of it."""
        last = self.looks[-1] if self.looks else None
        return {
            "state": self.state, "sentence": self.sentence, "doing": self.doing, "done": self.done,
            "total": self.total, "deals": last[0] if last else None, "effects": last[1] if last else [],
            "over": self.over,
        }  # fmt: skip


class Questions:
    """All questions of a server."""

    def __init__(self, folder: Folder) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._questions: dict[int, QueuedQuestion] = {}
        self._waiting: list[QueuedQuestion] = []
        self._process: subprocess.Popen[str] | None = None
        self._playing: QueuedQuestion | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def listed(self) -> list[QueuedQuestion]:
        """Return the questions, the latest first."""
        with self._lock:
            return sorted(self._questions.values(), key=lambda one: -one.number)

    def find(self, number: str) -> QueuedQuestion:
        """Return a question; raise UserError if there is none of that number."""
        found = self._questions.get(int(number)) if number.isdecimal() and len(number) < 9 else None
        if found is None:
            raise UserError(f"no question {number!r} was asked since the server began: its answer may be in the folder")
        return found

    def next_name(self, kind: Form) -> str:
        """Return a name of a file that is not there yet."""
        taken = {one.out for one in self._questions.values()}
        number = 1
        while (name := f"{kind.name}-{number}{kind.suffixes[0]}") in taken or kind.answer(
            self._folder.root / name
        ).exists():
            number += 1
        return name

    def ask(self, kind: Form, texts: Texts, out: str) -> QueuedQuestion:
        """Put a question to the others; raise UserError for one that cannot be asked, or if too many wait."""
        for name in kind.named_files(texts):
            self._folder.inside(name)
        if code := [] if texts.get(TRUST) else code_in(kind, texts):
            raise UserError(f"{', '.join(code)} is code that asking runs: say that it may")
        texts = {name: list(lines) for name, lines in texts.items() if name != TRUST}
        kind.read(texts)
        path = self._folder.inside(out)
        if path.suffix not in kind.suffixes or not path.parent.is_dir():
            files = " or ".join(f"FILE{suffix}" for suffix in kind.suffixes)
            raise UserError(f"an answer is written as {files} into the folder, not {out!r}")
        with self._lock:
            if (
                kind.answer(path).exists()
                or path.exists()
                or any(one.out == out and not one.over for one in self._questions.values())
            ):
                raise UserError(f"there is a file {out!r} already, or a question that will write it: name another one")
            if len(self._waiting) >= MOST_WAITING:
                raise UserError(f"{MOST_WAITING} questions are waiting: stop one, or ask later")
            number = max(self._questions, default=0) + 1
            queued = QueuedQuestion(number, kind, texts, out, kind.words(texts, out))
            self._questions[number] = queued
            self._waiting.append(queued)
            for old in [one.number for one in self._questions.values() if one.over][:-MOST_KEPT]:
                del self._questions[old]
            if self._thread is None:
                self._thread = threading.Thread(target=self._play_all, daemon=True, name="wsim-questions")
                self._thread.start()
        return queued

    def stop(self, queued: QueuedQuestion) -> None:
        """Stop a question: one that waits is not asked, one that is played writes what it knows; twice: at once."""
        with self._lock:
            if queued in self._waiting:
                self._waiting.remove(queued)
                self._set(queued, state="stopped", sentence="stopped before it was asked")
            elif queued is self._playing and self._process is not None:
                if queued.stopping:
                    self._process.kill()
                queued.stopping = True
                self._interrupt(self._process)

    def close(self) -> None:
        """Stop all of them, and wait until what is known is written."""
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
        """Play the questions one after the other, until none waits."""
        while True:
            with self._lock:
                if self._closed or not self._waiting:
                    self._thread = self._playing = self._process = None
                    return
                queued = self._playing = self._waiting.pop(0)
                process = self._process = self._begun()
                self._set(queued, state="playing")
            self._follow(queued, process)

    def _begun(self) -> subprocess.Popen[str]:
        """Start a worker, in a session of its own: Ctrl-C at the server's terminal is not for it."""
        paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.Popen(
            [sys.executable, "-m", "wsim.workbench.worker"],
            cwd=self._folder.root, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def _follow(self, queued: QueuedQuestion, process: subprocess.Popen[str]) -> None:
        """Tell a worker its question, and take what it says until it ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            said: list[str] = []
            complaints = threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True)
            complaints.start()
            with suppress(OSError):
                process.stdin.write(
                    json.dumps({"kind": queued.kind.name, "texts": queued.texts, "out": queued.out}) + "\n"
                )
                process.stdin.flush()
            for said_line in process.stdout:
                with suppress(ValueError):
                    self._take(queued, json.loads(said_line))
            complaints.join(1)
        if not queued.over and queued.stopping:
            self._set(queued, state="stopped", sentence="stopped before there was anything to say")
        elif not queued.over:
            last = said[-1].strip() if said else f"it ended with {process.returncode}"
            self._set(queued, state="refused", sentence=f"the worker failed: {last}")

    def _take(self, queued: QueuedQuestion, line: Mapping[str, Any]) -> None:
        """Take a line of a worker."""
        if "progress" in line:
            doing, done, total = line["progress"]
            self._set(queued, doing=doing, done=done, total=total)
        elif "look" in line:
            deals, effects = line["look"]
            queued.looks.append((deals, effects))
            self._set(queued)
        elif "written" in line:
            stopped, path = line["written"]
            self._set(queued, state="stopped" if stopped else "answered", out=path)
        elif "refused" in line:
            self._set(queued, state="refused", sentence=line["refused"])

    @staticmethod
    def _set(queued: QueuedQuestion, **values: Any) -> None:
        for name, value in values.items():
            setattr(queued, name, value)
        queued.version += 1


def lines_of(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the fields of a form with their lines."""
    found: dict[str, list[str]] = {}
    for name, text in pairs:
        found.setdefault(name, []).extend(line.strip() for line in text.splitlines() if line.strip())
    return {name: lines for name, lines in found.items() if lines}
