"""Answer one question in a separate process: ``python -m wsim.workbench.worker`` reads it as a line of JSON.

It writes lines of JSON: ``progress`` (task, done, total), ``look`` (deals, a sentence about each effect), and finally
``written`` (whether it was stopped, and the file) or ``refused`` (an error message). On SIGINT it writes the result so
far.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from collections.abc import Sequence
from typing import Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.lab.progress import ProgressOfLooks
from wsim.workbench.forms import form_of
from wsim.workbench.queue_of_questions import begin_worker

PAUSE = 0.1  # seconds between two lines of progress


class _Lines(ProgressOfLooks):
    """Writes progress reports as lines of JSON."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= PAUSE or done >= total:
            self._last = now
            _send("progress", [what, done, total])

    def looked(self, deals: int, said: Sequence[str]) -> None:
        _send("look", [deals, list(said)])


def _send(name: str, value: Any) -> None:
    assert sys.__stdout__ is not None
    sys.__stdout__.write(json.dumps({name: value}) + "\n")
    sys.__stdout__.flush()


def main() -> None:
    """Read a question from standard input, answer it and report progress on standard output."""
    question = json.loads(sys.stdin.readline())
    form, texts = form_of(question["kind"]), question["texts"]
    try:
        begin_worker()
        plan, _ = form.read(texts)
        if plan is not None and (seconds := find_game(plan.game).cold()):
            _send("progress", [f"compiling the rules, about {math.ceil(seconds)} seconds", 0, 0])
        stopped = form.perform(texts, question["out"], Execution(progress=_Lines()))
        _send("written", [stopped, question["out"]])
    except (UserError, OSError) as error:
        _send("refused", str(error))
    except KeyboardInterrupt:
        _send("refused", "stopped before there was a result")


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):  # policies may print
        main()
