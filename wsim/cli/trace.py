"""``wsim trace``: whole games, one JSON object per line or as text, streamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import progress_bar
from wsim.cli.options import EVERY_SEAT
from wsim.cli.run import announce_compiling, plan_of_run
from wsim.errors import UserError, nearest
from wsim.game import find_game
from wsim.lab.files import writing
from wsim.lab.plan import MAXIMUM_GAMES
from wsim.lab.replay import refuse_other_rules
from wsim.lab.store import load_run
from wsim.positions.of_run import refuse_other_game
from wsim.positions.why import PLAYOUTS, told_why, why_text

if TYPE_CHECKING:
    from wsim.cli.options import Given
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress

__all__ = ["Why", "trace_command", "trace_line"]

FORMATS = ("json", "text")


def trace_line(trace: dict[str, Any]) -> str:
    """Return a trace as its one line of JSON, without the line's end."""
    return json.dumps(trace, ensure_ascii=False)


@dataclass(frozen=True)
class Why:
    """What ``--why`` asks for: a seat (None: every seat), and how many playouts of each move."""

    seat: int | None
    playouts: int

    @classmethod
    def read(cls, seat: str | None, playouts: int | None) -> Why | None:
        """Read ``--why`` and ``--playouts``; raise UserError for what is no seat, or no number of playouts."""
        if seat is None:
            if playouts is not None:
                raise UserError("--playouts belongs to --why: it says how many playouts each move gets")
            return None
        number = PLAYOUTS if playouts is None else playouts
        if number < 2:
            raise UserError(f"at least 2 playouts are needed, not {number}")
        if seat == EVERY_SEAT:
            return cls(None, number)
        try:
            return cls(int(seat), number)
        except ValueError:
            raise UserError(f"--why takes the number of a seat, not {seat!r}: write it last, or --why=2") from None


def trace_command(
    given: Given, *, first: int | None, out: str | None, form: str | None, trust: bool, why: Why | None, quiet: bool
) -> None:
    """Trace the games ``first``, ``first + 1``, ... of a plan, or of the run whose folder is the argument."""
    if form is None:
        form = "text" if out is None and sys.stdout.isatty() else "json"
    if form not in FORMATS:
        raise UserError(
            f"unknown format {form!r}: traces are written as {' or '.join(FORMATS)}{nearest(form, FORMATS)}"
        )
    folder, first = _arguments(given, first)
    plan = _plan(given, folder, trust=trust)
    if folder is not None:
        refuse_other_game(load_run(folder), first)
    if first + plan.games > MAXIMUM_GAMES:
        raise UserError(f"games have numbers up to {MAXIMUM_GAMES - 1}: {plan.games} from {first} go beyond it")
    if why is not None and why.seat is not None and why.seat not in range(plan.players):
        raise UserError(f"there is no seat {why.seat}: the players sit at 0 to {plan.players - 1}")
    game = find_game(plan.game)
    announce_compiling(game)
    simulator: Simulator = game.prepare(plan)
    if folder is not None:
        refuse_other_rules(load_run(folder), plan, simulator)
    with progress_bar(not quiet) as progress:
        texts = _texts(simulator, plan, range(first, first + plan.games), form, why, progress)
        if out is None:
            for text in texts:
                sys.stdout.write(text)
            return
        with writing(Path(out)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(texts)


def _arguments(given: Given, first: int | None) -> tuple[str | None, int]:
    """Return the run's folder, if one is named, and the first game."""
    folder, game, *more = (*given.arguments, None, None)[: max(2, len(given.arguments))]
    if more:
        raise UserError(f"trace takes a run and the number of a game, not {more[0]!r} too")
    if game is not None:
        if first is not None:
            raise UserError(f"the game is named twice: {game!r} and --first {first}")
        try:
            first = int(game)
        except ValueError:
            raise UserError(f"wsim trace RUN GAME: the game is a number, not {game!r}") from None
    if first is not None and first < 0:
        raise UserError(f"the first game must be at least 0, not {first}")
    return folder, first or 0


def _plan(given: Given, folder: str | None, *, trust: bool) -> Plan:
    """Return the plan that is traced: the run's, or the one that the options make; one game unless more are asked."""
    if folder is None:
        return given.resolve(games=1)
    others = [key for key in given.keys if key not in ("games", "policies")] + list(given.extra)
    if others or given.file:
        what = given.file or others[0].lstrip("-")
        raise UserError(f"the games of a run are told as they were played: {what!r} cannot be changed")
    return plan_of_run(given, folder, "traced", trust=trust, games=1)


def _texts(
    simulator: Simulator, plan: Plan, games: range, form: str, why: Why | None, progress: Progress | None
) -> Iterator[str]:
    """Yield each game as the text that is printed, with the line's end."""
    for number in games:
        trace = simulator.trace(number)
        if why is not None:
            trace["why"] = told_why(plan, number, why.playouts, seat=why.seat, progress=progress)
        if form == "json":
            yield trace_line(trace) + "\n"
        else:
            yield ("\n" if number > games.start else "") + simulator.text(trace).rstrip("\n") + "\n"
            if why is not None:
                yield "\n" + why_text(trace["why"], simulator)
