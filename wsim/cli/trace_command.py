"""``wsim trace``: stream complete games as JSON lines or text, or write a game as a page."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.cli.console import announce_compiling, progress_bar, results, write_out
from wsim.cli.plan_options import option_of
from wsim.cli.run_command import plan_of_run
from wsim.errors import UserError, nearest, printable
from wsim.files import text_within, writing
from wsim.game import find_game
from wsim.options import Options, option

if TYPE_CHECKING:
    from wsim.cli.groups import Printing, Trust
    from wsim.cli.plan_options import PlanOptions
    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.lab.progress import Progress
    from wsim.report.game_page import Replay

FORMATS = ("json", "text", "html")
EVERY_SEAT = "every"
"""The value of ``--why`` given without a seat."""


@dataclass(frozen=True)
class TraceOptions(Options):
    """Print complete games with every decision, as JSON lines, text or a page.

    wsim trace RUN GAME prints a game of a run as it was played; wsim trace POSITION.json prints the game in a position
    file. --why 2 also explains why seat 2 won or lost.
    """

    first: int | None = option("Number of the first game.", None, metavar="N", shown="0")
    why: str | None = option(
        "Add the value of each possible move, for one seat or for all.", None, metavar="[SEAT]", alone=EVERY_SEAT
    )
    playouts: int | None = option(
        "Playouts per move for --why, or per win chance on a page (0: use the value net, without playouts).",
        None,
        metavar="N",
        shown="200",
    )
    out: str | None = option("Write to this file.", None, metavar="FILE", names=("-o", "--out"))
    format: str | None = option(
        "Output format: JSON lines, text (default on a terminal), or a page to step through one game.",
        None, metavar="json|text|html",
    )  # fmt: skip

    @property
    def form(self) -> str:
        """The output format; raises UserError if it is unknown or incompatible with the other options."""
        form = self.format
        if form is None and self.out is not None and self.out.endswith(".html"):
            form = "html"
        if form is None:
            form = "text" if self.out is None and results().isatty() else "json"
        if form not in FORMATS:
            raise UserError(f"unknown format {form!r}: it must be json, text or html{nearest(form, FORMATS)}")
        if form == "html" and self.why is not None:
            raise UserError("--why needs --format text or json: a page shows win chances, not move values")
        if self.playouts is not None and self.why is None and form != "html":
            raise UserError(f"--playouts has no effect on {form}: add --why or --format html")
        return form

    def wanted(self, plan: Plan) -> Why | None:
        """Parse the ``--why`` request, if there is one; raise UserError for an invalid seat or number of playouts."""
        if self.why is None:
            return None
        from wsim.positions.values import BY_NET
        from wsim.positions.why import PLAYOUTS

        playouts = PLAYOUTS if self.playouts is None else self.playouts
        if playouts != BY_NET and playouts < 2:
            raise UserError(f"--playouts must be at least 2, or 0 for the value net, not {playouts}")
        if self.why == EVERY_SEAT:
            return Why(None, playouts)
        try:
            seat = int(self.why)
        except ValueError:
            raise UserError(f"--why takes a seat number, not {self.why!r}: write --why last, or --why=2") from None
        if seat not in range(plan.players):
            raise UserError(f"seat {seat} does not exist: seats are numbered 0 to {plan.players - 1}")
        return Why(seat, playouts)


@dataclass(frozen=True)
class Why:
    """A ``--why`` request: the seat (None: all seats) and the playouts per move."""

    seat: int | None
    playouts: int


@dataclass(frozen=True)
class Page:
    """A page request: plan, number of the game, playouts (None: the default), and file (None: standard output)."""

    plan: Plan
    number: int
    playouts: int | None
    target: Path | None

    @classmethod
    def of(cls, plan: Plan, number: int, out: str | None, playouts: int | None) -> Page:
        """Check a page request before anything is compiled or played; on a terminal, the default is a new file."""
        from wsim.report.game_page import check_replay

        if plan.games != 1:
            raise UserError(f"a page shows one game, not {plan.games}: choose it with --first, without --games")
        target = None if out is None else Path(out)
        if target is None and results().isatty():
            target = Path(f"replay-{plan.seed}-{number}.html")
        page = cls(plan, number, playouts, target)
        check_replay(page.playouts, target)
        return page

    def write(self, make: Callable[[Progress | None], Replay], *, quiet: bool) -> None:
        """Write the page to its file and print the path, or print the page itself if there is no file."""
        from wsim.report.game_page import render, write_replay

        with progress_bar(not quiet) as progress:
            replay = make(progress)
        if self.target is None:
            results().write(render(replay))
        else:
            write_out(str(write_replay(replay, self.target)))


def trace_command(plan: PlanOptions, options: TraceOptions, trust: Trust, printing: Printing) -> None:
    """Trace the games ``first``, ``first + 1``, ... of a plan, or of the run folder in the argument."""
    from wsim.lab.plan import MAX_GAMES
    from wsim.lab.store import load_run
    from wsim.positions.run_games import refuse_other_game, refuse_other_rules

    form = options.form
    if plan.arguments and Path(plan.arguments[0]).is_file():
        _trace_position(plan, options, trusted=trust.trust, quiet=printing.quiet)
        return
    folder, first = _run_and_first_game(plan, options.first)
    played = _plan_to_trace(plan, folder, trust=trust.trust)
    if folder is not None:
        refuse_other_game(load_run(folder), first)
    if first + played.games > MAX_GAMES:
        raise UserError(f"games are numbered up to {MAX_GAMES - 1}: {played.games} games from {first} exceed that")
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
    with _progress_for_why(quiet=printing.quiet) as progress:
        texts = _trace_texts(simulator, played, range(first, first + played.games), form, why, progress)
        _write_texts(texts, options.out)


def _trace_position(given: PlanOptions, options: TraceOptions, *, trusted: bool, quiet: bool) -> None:
    """Trace the game in a position file; a page shows it up to the position, other formats need a finished game."""
    from wsim.positions.as_played import decisions_of, replaying_simulator
    from wsim.positions.game_value import Game
    from wsim.positions.players import seated
    from wsim.positions.why import why_along

    name, form = given.arguments[0], options.form
    own = {"--first": options.first, "--plan": given.file}
    named = [option for option, value in own.items() if value is not None]
    if others := [*given.arguments[1:], *named, *map(option_of, given.keys), *given.extra]:
        raise UserError(f"{name!r} is one game, shown as it was played: unexpected argument {others[0]!r}")
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
        raise UserError(f"the game in {name!r} is unfinished: only --format html can show it so far")
    with replaying_simulator(game) as simulator, _progress_for_why(quiet=quiet) as heard:
        if simulator is None:
            raise UserError(f"the game in {name!r} does not start from a deal of its plan: use --format html")
        trace, line_up = simulator.trace(game.number), seated(game.plan, game.number)
        for index, seat in enumerate(trace["seats"]):
            seat["policy"] = line_up[index % len(line_up)]
        if why is not None:
            trace["why"] = why_along(list(decisions_of(game)), why.playouts, seat=why.seat, progress=heard)
        _write_texts(iter([_trace_text(simulator, trace, form)]), options.out)


def _progress_for_why(*, quiet: bool) -> AbstractContextManager[Progress | None]:
    """Return a progress bar for ``--why`` that always forecasts, because output starts only after a whole game."""
    return progress_bar(not quiet, "", always_forecast=True)


def _write_texts(texts: Iterator[str], out: str | None) -> None:
    """Write strings to a file or standard output as they are produced."""
    if out is None:
        for text in texts:
            results().write(printable(text))
        return

    with writing(Path(out)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(texts)


def _run_and_first_game(given: PlanOptions, first: int | None) -> tuple[str | None, int]:
    """Parse the positional arguments: a run folder, if given, and the number of the first game."""
    for word in given.extra:
        if word.removeprefix("-").isdecimal():
            raise UserError(f"the first game must be at least 0, not {word}")
    folder, game, *more = (*given.arguments, None, None)[: max(2, len(given.arguments))]
    if more:
        raise UserError(f"trace takes a run and the number of a game: unexpected argument {more[0]!r}")
    if game is not None:
        if first is not None:
            raise UserError(f"the game is given twice: {game!r} and --first {first}")
        try:
            first = int(game)
        except ValueError:
            raise UserError(f"wsim trace RUN GAME: the game must be a number, not {game!r}") from None
    if first is not None and first < 0:
        raise UserError(f"the first game must be at least 0, not {first}")
    return folder, first or 0


def _plan_to_trace(given: PlanOptions, folder: str | None, *, trust: bool) -> Plan:
    """Build the plan to trace from the run or the options; it has one game unless ``--games`` is given."""
    if folder is None:
        return given.resolve(games=1)
    others = [key for key in given.keys if key not in ("games", "policies")] + list(given.extra)
    if others or given.file:
        key = given.file or others[0].lstrip("-")
        raise UserError(f"the games of a run are shown as they were played: {key!r} cannot be changed")
    return plan_of_run(given, folder, "traced", trust=trust, games=1)


def _trace_texts(
    simulator: Simulator, plan: Plan, games: range, form: str, why: Why | None, progress: Progress | None
) -> Iterator[str]:
    """Yield the formatted trace of each game, ending with a newline."""
    from wsim.positions.why import why_of

    for number in games:
        trace = simulator.trace(number)
        if why is not None:
            trace["why"] = why_of(plan, number, why.playouts, seat=why.seat, progress=progress)
        yield ("\n" if form == "text" and number > games.start else "") + _trace_text(simulator, trace, form)


def _trace_text(simulator: Simulator, trace: dict[str, Any], form: str) -> str:
    """Format a trace as text or JSON, ending with a newline."""
    from wsim.positions.why import why_text

    if form == "json":
        return json.dumps(trace, ensure_ascii=False) + "\n"
    return (
        simulator.text(trace).rstrip("\n") + "\n" + ("\n" + why_text(trace["why"], simulator) if "why" in trace else "")
    )
