"""``wsim run``: play a plan into a folder, show the tables of the run."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import Exit

from wsim.cli.console import (
    INTERRUPTED,
    announce_compiling,
    print_json,
    print_tables,
    progress_bar,
    remark,
    rows_of,
    write_note,
    write_out,
)
from wsim.errors import UserError
from wsim.game import analyses_of, find_game
from wsim.options import Options, option

if TYPE_CHECKING:
    import polars as pl

    from wsim.cli.groups import Printing, Trust, Workers
    from wsim.cli.plan_keys import PlanOptions
    from wsim.document import Sheet
    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.lab.table_options import Wide


@dataclass(frozen=True)
class RunOptions(Options):
    """Play games and write a run folder of Parquet files; print its tables.

    Without options: 25,000 games of 7 Wonders for four, all played by `net`. The same options make the same data.
    """

    out: str | None = option("Write here.", None, metavar="FOLDER", names=("-o", "--out"), shown="runs/...")
    resume: bool = option("Go on with an interrupted run: wsim run --resume FOLDER", False)
    shard_games: int | None = option("Games per file.", None, metavar="N", shown="250,000 rows")
    shard: str | None = option("Play part K of N only, into a folder of its own; then wsim merge.", None, metavar="K/N")


def run_command(
    plan: PlanOptions, options: RunOptions, workers: Workers, trust: Trust, table: Wide, printing: Printing
) -> None:
    """Play what is missing, then print the folder and the game's summary of the run."""
    played, folder = _plan(plan, options, trust)
    announce_compiling(played.game, quiet=printing.quiet)
    start = time.perf_counter()
    run = _record(played, folder, options, workers, quiet=printing.quiet)
    seconds = time.perf_counter() - start
    from wsim.stats.tables import OBSERVATIONAL

    tables = _summary(run)
    if printing.as_json:
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
    print_tables([one.shown for one in tables], wide=table.wide)
    for note in dict.fromkeys(one.note for one in tables if one.note.startswith(OBSERVATIONAL)):
        write_out("")
        write_note(note)
    if run.played:
        write_out(f"\n{run.played:,} games in {seconds:.1f} s: {run.path}")
    else:
        write_out(f"\nall {run.games:,} games are already there: {run.path}")


def _plan(given: PlanOptions, options: RunOptions, trust: Trust) -> tuple[Plan, str | None]:
    """Return the plan and the folder; ``--resume FOLDER`` begins with the plan of that folder."""
    if not options.resume or not given.arguments:
        given.no_arguments()
        return given.resolve(), options.out
    folder, *more = given.arguments
    if more or options.out not in (None, folder):
        raise UserError(f"one folder can be resumed, not {folder!r} and {(*more, options.out)[0]!r}")
    return plan_of_run(given, folder, "resumed", trust=trust.trust), folder


def plan_of_run(given: PlanOptions, folder: str, doing: str, *, trust: bool, **over: Any) -> Plan:
    """Return the plan of a run's folder under what was given.

    Raises UserError if that runs code which the folder brings and the user has not named: it may be anybody's.
    """
    from wsim.lab.store import load_run

    return trusted(given, load_run(folder, to_resume=True).plan.replace(**over), folder, doing, trust=trust)


def trusted(given: PlanOptions, base: Plan, source: str, doing: str, *, trust: bool) -> Plan:
    """Return the plan that ``source`` brings, under what was given; UserError for code of it that nobody has named."""
    plan = given.resolve(base)
    if not trust and given.code_unnamed(plan):
        places = [place for entry in plan.line_up if entry.file and (place := entry.place)]
        places += map(str, plan.effects.values())
        files = Path(source, "files")
        if any(entry.module for entry in plan.line_up) and files.is_dir():
            places.append(str(files))
        look = f"look at {' and '.join(dict.fromkeys(places))} and" if places else "if you know it,"
        raise UserError(
            f"{source!r} names {plan.code_in_words()}, that runs when it is {doing}: {look} add --trust, "
            f"or name your own with {'--patch' if plan.effects else '--policies'}"
        )
    return plan


@dataclass(frozen=True)
class _Ending:
    """A table that a run ends with: its title, as it is shown, its main columns, its note."""

    title: str
    shown: Sheet
    frame: pl.DataFrame
    note: str


def _summary(run: Run) -> list[_Ending]:
    """Return the tables that a run ends with."""
    from wsim.lab.run_tables import fair_share
    from wsim.stats.brief import ends

    found = []
    for analysis in analyses_of(find_game(run.plan.game)).values():
        if analysis.shown == "run" and analysis.possible(run.plan) and analysis.fits(run.plan):
            table = analysis.table(run)
            title, frame = ends(table)
            sheet = table.sheet(frame, f"{title}{fair_share(replace(table, frame=frame))}")
            ends_of = {column.name: column.ends or () for column in sheet.columns}
            main = [part for name in sheet.main for part in (name, *ends_of.get(name, ()))]
            found.append(_Ending(title, sheet, frame.select(main) if main else frame, table.note))
    return found


def _record(plan: Plan, folder: str | None, options: RunOptions, workers: Workers, *, quiet: bool) -> Run:
    from wsim.lab.parts import Part
    from wsim.lab.progress import Interrupted
    from wsim.lab.run import record

    how: dict[str, Any] = {"resume": options.resume, "shard": options.shard_games, **workers.record()}
    how["part"] = None if options.shard is None else Part.parse(options.shard)
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
        raise Exit(INTERRUPTED) from None
