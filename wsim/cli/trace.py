"""``wsim trace``: whole games, one JSON object per line or as text, streamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.run import announce_compiling, plan_of_run
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import MAXIMUM_GAMES

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

__all__ = ["trace_command", "trace_line"]

FORMATS = ("json", "text")


def trace_line(trace: dict[str, Any]) -> str:
    """Return a trace as its one line of JSON, without the line's end."""
    return json.dumps(trace, ensure_ascii=False)


def trace_command(given: Given, *, first: int, out: str | None, form: str | None, trust: bool) -> None:
    """Trace the games ``first``, ``first + 1``, ... of a plan, or of the run whose folder is the argument."""
    if form is None:
        form = "text" if out is None and sys.stdout.isatty() else "json"
    if form not in FORMATS:
        raise UserError(
            f"unknown format {form!r}: traces are written as {' or '.join(FORMATS)}{nearest(form, FORMATS)}"
        )
    if first < 0:
        raise UserError(f"the first game must be at least 0, not {first}")
    plan = _plan(given, trust=trust)
    if first + plan.games > MAXIMUM_GAMES:
        raise UserError(f"games have numbers up to {MAXIMUM_GAMES - 1}: {plan.games} from {first} go beyond it")
    game = find_game(plan.game)
    announce_compiling(game)
    simulator: Simulator = game.prepare(plan)
    if given.arguments:
        _refuse_other_rules(given.arguments[0], plan, simulator)
    texts = _texts(simulator, range(first, first + plan.games), form)
    if out is None:
        for text in texts:
            sys.stdout.write(text)
        return
    from wsim.lab.files import writing

    with writing(Path(out)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(texts)


def _plan(given: Given, *, trust: bool) -> Plan:
    """Return the plan that is traced: the run's, or the one that the options make; one game unless more are asked."""
    if not given.arguments:
        return given.resolve(games=1)
    folder, *more = given.arguments
    if more:
        raise UserError(f"one run can be traced, not {folder!r} and {more[0]!r}")
    others = [key for key in given.keys if key not in ("games", "policies")] + list(given.extra)
    if others or given.file:
        what = given.file or others[0].lstrip("-")
        raise UserError(f"the games of a run are told as they were played: {what!r} cannot be changed")
    return plan_of_run(given, folder, "traced", trust=trust, games=1)


def _texts(simulator: Simulator, games: range, form: str) -> Iterator[str]:
    """Yield each game as the text that is printed, with the line's end."""
    for number in games:
        trace = simulator.trace(number)
        if form == "json":
            yield trace_line(trace) + "\n"
        else:
            yield ("\n" if number > games.start else "") + simulator.text(trace).rstrip("\n") + "\n"
