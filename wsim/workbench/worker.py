"""One question, played in a process of its own: ``python -m wsim.workbench.worker``, told what by a line of JSON.

It writes lines of JSON: ``progress`` (what, done, of how many), ``look`` (deals, effects with their intervals), and at
the end ``written`` (whether it was stopped, and the file) or ``refused`` (a sentence). SIGINT stops it in order: what
the games so far say is written.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.lab.progress import Interrupted, ProgressOfLooks
from wsim.workbench.questions import form_of

PAUSE = 0.1  # seconds between two lines of progress


class _Lines(ProgressOfLooks):
    """Progress as lines of JSON."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last >= PAUSE or done >= total:
            self._last = now
            _say("progress", [what, done, total])

    def looked(self, deals: int, effects: Sequence[tuple[float, float, float]]) -> None:
        known = [[one if math.isfinite(one) else None for one in effect] for effect in effects]
        _say("look", [deals, known])


def _say(name: str, value: Any) -> None:
    assert sys.__stdout__ is not None
    sys.__stdout__.write(json.dumps({name: value}) + "\n")
    sys.__stdout__.flush()


def main() -> None:
    """Play the question of standard input."""
    question = json.loads(sys.stdin.readline())
    form, out = form_of(question["kind"]), Path(question["out"])
    try:
        plan, groups = form.read(question["texts"])
        stopped = False
        try:
            answer = form.question.answered(plan, groups, Execution(progress=_Lines()))
        except Interrupted as interrupt:
            if interrupt.result is None:
                raise
            answer, stopped = interrupt.result, True
        answer.write(out)
        _say("written", [stopped, question["out"]])
    except (UserError, OSError) as error:
        _say("refused", str(error))
    except KeyboardInterrupt:
        _say("refused", "stopped before there was anything to say")


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):  # what policies print is no line of the answer
        main()
