"""Find the smallest patch that meets a goal, prove it, and say where else it holds."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from wsim.balance.answer import Balance, answer_of
from wsim.balance.bench import Bench
from wsim.balance.carry import Elsewhere, best_responses, carried_over
from wsim.balance.course import Course
from wsim.balance.goal import Goal
from wsim.balance.memory import Memory
from wsim.lab.progress import Interrupted, Progress

__all__ = ["balance"]


def balance(
    goal: Goal,
    *,
    seed: int = 1,
    elsewhere: Elsewhere | None = None,
    journal: Path | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Balance:
    """Search for the smallest patch that meets a goal, and prove it on deals that the search has not seen.

    Parameters
    ----------
    elsewhere: where the patch is measured besides. journal: a file that keeps what was measured until all is over.
    resume: go on with the journal that is there.

    Raises UserError for whatever cannot be balanced, Interrupted on Ctrl-C with the answer so far.
    """
    start = time.perf_counter()
    memory = Memory()
    course = Course(Bench(goal, memory, seed, threads=threads, progress=progress))
    if journal is not None:  # only now: a goal that cannot be played leaves no file
        memory.keep_in(journal, course.bench.identity, resume=resume)
    try:
        course.run()
        answer = answer_of(course, interrupted=False, seconds=time.perf_counter() - start)
        where = elsewhere if elsewhere is not None else Elsewhere()
        carried = carried_over(course.bench, answer.patch, where)
        responses = best_responses(course.bench, answer.patch, where) if where.styles else None
    except KeyboardInterrupt:
        if course.effects is None:
            raise Interrupted(None) from None
        raise Interrupted(answer_of(course, interrupted=True, seconds=time.perf_counter() - start)) from None
    memory.forget()
    seconds = time.perf_counter() - start
    return replace(answer, carried=carried, responses=responses, games=memory.played, seconds=seconds)
