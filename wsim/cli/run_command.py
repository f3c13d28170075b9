"""``wsim run``: play a plan into a folder, show the tables of the run."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wsim.cli.console import (
    INTERRUPTED,
    Shown,
    print_json,
    print_tables,
    progress_bar,
    remark,
    rows_of,
    write_note,
    write_out,
)
from wsim.cli.table_command import fair_share
from wsim.errors import UserError
from wsim.game import Game, analyses_of, find_game

if TYPE_CHECKING:
    import polars as pl

    from wsim.cli.options import Given
    from wsim.lab.plan import Plan
    from wsim.lab.store import Run

__all__ = ["Output", "announce_compiling", "plan_of_run", "run_command", "trusted"]


@dataclass(frozen=True)
class Output:
    """Where and how a run is written: the options of ``wsim run`` that do not change the data."""

    folder: str | None
    resume: bool
    shard: int | None
    threads: int | None
    trust: bool
    part: str | None = None
    cluster: str | None = None


def run_command(given: Given, output: Output, *, wide: bool, as_json: bool, quiet: bool) -> None:
    """Play what is missing, then print the folder and the game's summary of the run."""
    plan, folder = _plan(given, output)
    if not quiet:
        announce_compiling(find_game(plan.game))
    start = time.perf_counter()
    run = _record(plan, folder, output, quiet=quiet)
    seconds = time.perf_counter() - start
    from wsim.stats.tables import OBSERVATIONAL

    tables = _summary(run)
    if as_json:
        print_json(
            {
                "folder": str(run.path),
                "digest": run.provenance.digest,
                "games": run.games,
                "played": run.played,
                "seconds": round(seconds, 3),
                "level": 0.95,
                "notes": list(dict.fromkeys(one.note for one in tables if one.note)),
                "tables": {one.title: rows_of(one.frame) for one in tables},
            }
        )
        return
    print_tables([one.shown for one in tables], wide=wide)
    for note in dict.fromkeys(one.note for one in tables if one.note.startswith(OBSERVATIONAL)):
        write_out("")
        write_note(note)
    if run.played:
        write_out(f"\n{run.played:,} games in {seconds:.1f} s: {run.path}")
    else:
        write_out(f"\nall {run.games:,} games are already there: {run.path}")


def _plan(given: Given, output: Output) -> tuple[Plan, str | None]:
    """Return the plan and the folder; ``--resume FOLDER`` begins with the plan of that folder."""
    if not output.resume or not given.arguments:
        given.no_arguments()
        return given.resolve(), output.folder
    folder, *more = given.arguments
    if more or output.folder not in (None, folder):
        raise UserError(f"one folder can be resumed, not {folder!r} and {(*more, output.folder)[0]!r}")
    return plan_of_run(given, folder, "resumed", trust=output.trust), folder


def plan_of_run(given: Given, folder: str, doing: str, *, trust: bool, **over: Any) -> Plan:
    """Return the plan of a run's folder under what was given.

    Raises UserError if that runs policy code which the folder brings and the user has not named: it may be anybody's.
    """
    from wsim.lab.store import load_run

    return trusted(given, load_run(folder, to_resume=True).plan.replace(**over), folder, doing, trust=trust)


def trusted(given: Given, base: Plan, source: str, doing: str, *, trust: bool) -> Plan:
    """Return the plan that ``source`` brings, under what was given; UserError for code of it that nobody has named."""
    plan = given.resolve(base)
    if plan.code and not (trust or given.code_is_named()):
        kept = [place for entry in plan.line_up if entry.file and (place := entry.place)]
        files = Path(source, "files")
        if any(entry.module for entry in plan.line_up) and files.is_dir():
            kept.append(str(files))
        look = f"look at {' and '.join(dict.fromkeys(kept))} and" if kept else "if you know it,"
        raise UserError(
            f"{source!r} names policy code, {', '.join(plan.code)}, that runs when it is {doing}: {look} add --trust, "
            "or name your own with --policies"
        )
    return plan


@dataclass(frozen=True)
class _Ending:
    """A table that a run ends with: its title, as it is shown, its main columns, its note."""

    title: str
    shown: Shown
    frame: pl.DataFrame
    note: str


def _summary(run: Run) -> list[_Ending]:
    """Return the tables that a run ends with."""
    from wsim.stats.brief import brief, ends

    found = []
    for analysis in analyses_of(find_game(run.plan.game)).values():
        possible = run.plan.keep != "summary" or analysis.sums is not None
        if analysis.shown == "run" and possible and analysis.fits(run.plan):
            table = analysis.table(run)
            title, frame = ends(table)
            main = brief(frame, analysis.main())
            split = analysis.by or frame.columns[:1]
            shown = Shown(
                f"{title}{fair_share(frame)}",
                rows_of(frame),
                tuple(main.columns),
                (*split, *analysis.first),
                labels=max(len(split), 1),
            )
            found.append(_Ending(title, shown, main, table.note))
    return found


def announce_compiling(game: Game) -> None:
    """Say that the kernels of a game have still to be compiled, if so."""
    if seconds := game.cold():
        remark(f"compiling (once per version of wsim, about {seconds:.0f} s) ...")


def _record(plan: Plan, folder: str | None, output: Output, *, quiet: bool) -> Run:
    from wsim.lab.parts import Part
    from wsim.lab.progress import Interrupted
    from wsim.lab.run import record

    how: dict[str, Any] = {"resume": output.resume, "threads": output.threads, "shard": output.shard}
    how["cluster"] = output.cluster
    how["part"] = None if output.part is None else Part.parse(output.part)
    try:
        with progress_bar(not quiet) as progress:
            return record(plan, folder, progress=progress, **how)
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        run: Run = interrupt.result
        trust = " --trust" if run.plan.code else ""
        remark(
            f"wsim: interrupted; {run.games:,} of {len(run.wanted):,} games are kept, continue with:\n"
            f"wsim run --resume {shlex.quote(str(run.path))}{trust}"
        )
        raise typer.Exit(INTERRUPTED) from None
