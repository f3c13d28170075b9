"""``wsim trace``: whole games, one JSON object per line or as text, streamed; or one game as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import write_out
from wsim.cli.run import announce_compiling, plan_of_run
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.plan import MAXIMUM_GAMES

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

__all__ = ["Form", "trace_command", "trace_line"]

FORMATS = ("json", "text", "html")


@dataclass(frozen=True)
class Form:
    """How games are told, and where to: what was given of ``--format``, ``-o`` and ``--playouts``."""

    name: str | None
    out: str | None
    playouts: int | None

    def chosen(self) -> str:
        """Return the format; raise UserError for one that is not known, and for playouts without a page."""
        name = self.name
        if name is None and self.out is not None:
            name = "html" if self.out.endswith(".html") else "json"
        elif name is None:
            name = "text" if sys.stdout.isatty() else "json"
        if name not in FORMATS:
            accepted = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}{nearest(name, FORMATS)}"
            raise UserError(f"unknown format {name!r}: traces are written as {accepted}")
        if self.playouts is not None and name != "html":
            raise UserError(f"--playouts is of a page, not of {name}: add --format html")
        return name


def trace_line(trace: dict[str, Any]) -> str:
    """Return a trace as its one line of JSON, without the line's end."""
    return json.dumps(trace, ensure_ascii=False)


def trace_command(given: Given, form: Form, *, first: int, trust: bool) -> None:
    """Trace the games ``first``, ``first + 1``, ... of a plan, or of the run whose folder is the argument."""
    chosen, out = form.chosen(), form.out
    if first < 0:
        raise UserError(f"the first game must be at least 0, not {first}")
    plan = _plan(given, trust=trust)
    if first + plan.games > MAXIMUM_GAMES:
        raise UserError(f"games have numbers up to {MAXIMUM_GAMES - 1}: {plan.games} from {first} go beyond it")
    if chosen == "html":
        _check_page(plan, form, first)
    game = find_game(plan.game)
    announce_compiling(game)
    simulator: Simulator = game.prepare(plan)
    if given.arguments:
        _refuse_other_rules(given.arguments[0], plan, simulator)
    if chosen == "html":
        _write_page(plan, simulator, first, form)
        return
    texts = _texts(simulator, range(first, first + plan.games), chosen)
    if out is None:
        for text in texts:
            sys.stdout.write(text)
        return
    from wsim.lab.files import writing

    with writing(Path(out)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(texts)


def _target(form: Form, plan: Plan, number: int) -> Path | None:
    """Return the file of a page; None: standard output, which is no terminal."""
    if form.out is not None:
        return Path(form.out)
    return Path(f"replay-{plan.seed}-{number}.html") if sys.stdout.isatty() else None


def _check_page(plan: Plan, form: Form, number: int) -> None:
    """Raise UserError if no page can be made, before anything is compiled or played."""
    from wsim.report.replay import PLAYOUTS, check_replay

    if plan.games != 1:
        raise UserError(f"a page tells one game, not {plan.games}: leave --games away; --first says which game")
    check_replay(PLAYOUTS if form.playouts is None else form.playouts, _target(form, plan, number))


def _write_page(plan: Plan, simulator: Simulator, number: int, form: Form) -> None:
    """Write the page of a game to its file, and say which, or to standard output."""
    from wsim.cli.report import steps
    from wsim.report.replay import PLAYOUTS, render, replay_of, write_replay

    with steps("replay", show=True) as progress:
        replay = replay_of(plan, simulator, number, PLAYOUTS if form.playouts is None else form.playouts, progress)
    target = _target(form, plan, number)
    if target is None:
        sys.stdout.write(render(replay))
    else:
        write_out(str(write_replay(replay, target)))


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


def _refuse_other_rules(folder: str, plan: Plan, simulator: Simulator) -> None:
    """Raise UserError if the games of a run cannot be played again as they were: rules, engine or policies differ."""
    from wsim.lab.provenance import Provenance, differences
    from wsim.lab.store import load_run

    different = differences(load_run(folder).provenance.identity, Provenance.of(plan, simulator).identity)
    different.pop("plan.games", None)
    different.pop("plan.picks", None)
    for path, (there, here) in different.items():
        raise UserError(
            f"the games of {folder!r} cannot be told as they were played: {path} is {json.dumps(there)} there and "
            f"{json.dumps(here)} here"
        )


def _texts(simulator: Simulator, games: range, form: str) -> Iterator[str]:
    """Yield each game as the text that is printed, with the line's end."""
    for number in games:
        trace = simulator.trace(number)
        if form == "json":
            yield trace_line(trace) + "\n"
        else:
            yield ("\n" if number > games.start else "") + simulator.text(trace).rstrip("\n") + "\n"
