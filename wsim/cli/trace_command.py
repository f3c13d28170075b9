"""``wsim trace``: whole games, one JSON object per line or as text, streamed; or one game as a page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import announce_compiling, progress_bar, results, write_out
from wsim.cli.plan_keys import option_of
from wsim.cli.run_command import plan_of_run
from wsim.errors import UserError, nearest, printable
from wsim.files import text_within, writing
from wsim.game import find_game
from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Trust
    from wsim.cli.plan_keys import PlanOptions
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress
    from wsim.report.game_page import Replay

FORMATS = ("json", "text", "html")
EVERY_SEAT = "every"
"""What ``--why`` without a seat stands for."""


def trace_line(trace: dict[str, Any]) -> str:
    """Return a trace as its one line of JSON, without the line's end."""
    return json.dumps(trace, ensure_ascii=False)


@dataclass(frozen=True)
class TraceOptions(Options):
    """Tell whole games, every decision of them: one JSON object per line, text or a page.

    wsim trace RUN GAME tells a game of a run, as it was played, wsim trace POSITION.json that of a position file.
    --why 2 adds why seat 2 won or lost.
    """

    first: int | None = option("Number of the first game.", None, metavar="N", shown="0")
    why: str | None = option(
        "Add what each move was worth, at the decisions of a seat or of all.", None, metavar="[SEAT]", alone=EVERY_SEAT
    )
    playouts: int | None = option(
        "Of each move for --why, of each win chance of a page.", None, metavar="N", shown="200"
    )
    out: str | None = option("Write here.", None, metavar="FILE", names=("-o", "--out"))
    format: str | None = option(
        "JSON lines, text for people (default on a terminal), or a page of one game to step through.",
        None, metavar="json|text|html",
    )  # fmt: skip

    @property
    def form(self) -> str:
        """The form; raise UserError for one that there is not, or that the other options do not fit."""
        form = self.format
        if form is None and self.out is not None and self.out.endswith(".html"):
            form = "html"
        if form is None:
            form = "text" if self.out is None and results().isatty() else "json"
        if form not in FORMATS:
            raise UserError(
                f"unknown format {form!r}: traces are written as json, text or html{nearest(form, FORMATS)}"
            )
        if form == "html" and self.why is not None:
            raise UserError("a page tells win chances, not what each move was worth: --why goes with text or json")
        if self.playouts is not None and self.why is None and form != "html":
            raise UserError(f"--playouts is of --why and of a page, not of {form}: add --why or --format html")
        return form

    def wanted(self, plan: Plan) -> Why | None:
        """Return what is asked of the decisions; raise UserError for what is no seat, or no number of playouts."""
        if self.why is None:
            return None
        from wsim.positions.why import PLAYOUTS

        playouts = PLAYOUTS if self.playouts is None else self.playouts
        if playouts < 2:
            raise UserError(f"at least 2 playouts are needed, not {playouts}")
        if self.why == EVERY_SEAT:
            return Why(None, playouts)
        try:
            seat = int(self.why)
        except ValueError:
            raise UserError(f"--why takes the number of a seat, not {self.why!r}: write it last, or --why=2") from None
        if seat not in range(plan.players):
            raise UserError(f"there is no seat {seat}: the players sit at 0 to {plan.players - 1}")
        return Why(seat, playouts)


@dataclass(frozen=True)
class Why:
    """What ``--why`` asks for: a seat (None: every seat), and how many playouts of each move."""

    seat: int | None
    playouts: int


@dataclass(frozen=True)
class Page:
    """The page that is asked for: which game of which plan, how many playouts, and where to (None: standard output)."""

    plan: Plan
    number: int
    playouts: int
    target: Path | None

    @classmethod
    def of(cls, plan: Plan, number: int, out: str | None, playouts: int | None) -> Page:
        """Check what was asked for, before anything is compiled or played; without a file, a terminal gets one."""
        from wsim.report.game_page import PLAYOUTS, check_replay

        if plan.games != 1:
            raise UserError(f"a page tells one game, not {plan.games}: leave --games away; --first says which game")
        target = None if out is None else Path(out)
        if target is None and results().isatty():
            target = Path(f"replay-{plan.seed}-{number}.html")
        page = cls(plan, number, PLAYOUTS if playouts is None else playouts, target)
        check_replay(page.playouts, target)
        return page

    def write(self, made: Callable[[Progress | None], Replay], *, quiet: bool) -> None:
        """Make the page, write it and say where it lies; to standard output, which is no terminal, the page itself."""
        from wsim.report.game_page import render, write_replay

        with progress_bar(not quiet) as progress:
            replay = made(progress)
        if self.target is None:
            results().write(render(replay))
        else:
            write_out(str(write_replay(replay, self.target)))


def trace_command(plan: PlanOptions, options: TraceOptions, trust: Trust, printing: Printing) -> None:
    """Trace the games ``first``, ``first + 1``, ... of a plan, or of the run whose folder is the argument."""
    from wsim.lab.plan import MAX_GAMES
    from wsim.lab.store import load_run
    from wsim.positions.run_games import refuse_other_game, refuse_other_rules

    form = options.form
    if plan.arguments and Path(plan.arguments[0]).is_file():
        _trace_position(plan, options, trusted=trust.trust, quiet=printing.quiet)
        return
    folder, first = _arguments(plan, options.first)
    played = _plan(plan, folder, trust=trust.trust)
    if folder is not None:
        refuse_other_game(load_run(folder), first)
    if first + played.games > MAX_GAMES:
        raise UserError(f"games have numbers up to {MAX_GAMES - 1}: {played.games} from {first} go beyond it")
    why = options.wanted(played)
    page = None if form != "html" else Page.of(played, first, options.out, options.playouts)
    game = find_game(played.game)
    announce_compiling(played.game)
    simulator: Simulator = game.prepare(played)
    if folder is not None:
        refuse_other_rules(load_run(folder), played, simulator)
    if page is not None:
        from wsim.report.game_page import replay_of

        page.write(lambda heard: replay_of(played, simulator, first, page.playouts, heard), quiet=printing.quiet)
        return
    with progress_bar(not printing.quiet) as progress:
        texts = _texts(simulator, played, range(first, first + played.games), form, why, progress)
        _write(texts, options.out)


def _trace_position(given: PlanOptions, options: TraceOptions, *, trusted: bool, quiet: bool) -> None:
    """Trace the game of a position file: as a page as far as it was played, else from its deal to its end."""
    from wsim.positions.as_played import decisions_of, played_again
    from wsim.positions.game_value import Game
    from wsim.positions.players import seated
    from wsim.positions.why import why_along

    name, form = given.arguments[0], options.form
    own = {"--first": options.first, "--plan": given.file}
    named = [option for option, value in own.items() if value is not None]
    if others := [*given.arguments[1:], *named, *map(option_of, given.keys), *given.extra]:
        raise UserError(f"{name!r} is one game, told as it was played: {others[0]!r} has no place beside it")
    game = Game.from_json(text_within(Path(name)), trust=trusted)
    why = options.wanted(game.plan)
    if form == "html":
        from wsim.report.game_page import replay_of_game

        page = Page.of(game.plan.replace(games=1), game.number, options.out, options.playouts)
        playouts = [] if options.playouts is None else ["--playouts", str(options.playouts)]
        again = shlex.join(["wsim", "trace", name, "--format", "html", *playouts])
        page.write(lambda heard: replay_of_game(game, (), page.playouts, heard, again), quiet=quiet)
        return
    if game.to_move is not None:
        raise UserError(f"the game in {name!r} is going on: a trace tells whole games, --format html this one so far")
    with played_again(game) as simulator, progress_bar(not quiet) as heard:
        if simulator is None:
            raise UserError(f"the game in {name!r} does not begin with a deal of its plan: --format html tells it")
        trace, line_up = simulator.trace(game.number), seated(game.plan, game.number)
        for place, seat in enumerate(trace["seats"]):
            seat["policy"] = line_up[place % len(line_up)]
        if why is not None:
            trace["why"] = why_along(list(decisions_of(game)), why.playouts, seat=why.seat, progress=heard)
        _write(iter([_text(simulator, trace, form)]), options.out)


def _write(texts: Iterator[str], out: str | None) -> None:
    """Write texts as they come, to a file or to standard output."""
    if out is None:
        for text in texts:
            results().write(printable(text))
        return

    with writing(Path(out)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(texts)


def _arguments(given: PlanOptions, first: int | None) -> tuple[str | None, int]:
    """Return the run's folder, if one is named, and the first game."""
    for word in given.extra:
        if word.removeprefix("-").isdecimal():
            raise UserError(f"the first game must be at least 0, not {word}")
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


def _plan(given: PlanOptions, folder: str | None, *, trust: bool) -> Plan:
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
    from wsim.positions.why import why_of

    for number in games:
        trace = simulator.trace(number)
        if why is not None:
            trace["why"] = why_of(plan, number, why.playouts, seat=why.seat, progress=progress)
        yield ("\n" if form == "text" and number > games.start else "") + _text(simulator, trace, form)


def _text(simulator: Simulator, trace: dict[str, Any], form: str) -> str:
    """Return a trace as it is printed, with the line's end."""
    from wsim.positions.why import why_text

    if form == "json":
        return trace_line(trace) + "\n"
    return (
        simulator.text(trace).rstrip("\n") + "\n" + ("\n" + why_text(trace["why"], simulator) if "why" in trace else "")
    )
