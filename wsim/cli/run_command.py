"""``wsim run``: play a plan into a run folder, and print its main tables."""

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
from wsim.options import Options, option, within_option

if TYPE_CHECKING:
    import polars as pl

    from wsim.cli.groups import Printing, Trust, Workers
    from wsim.cli.plan_options import PlanOptions
    from wsim.document import Sheet
    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.lab.table_options import Wide


@dataclass(frozen=True)
class RunOptions(Options):
    """Play games, store them in a run folder, and show how strong wonders and cards are.

    The default is 25,000 games of 7 Wonders with four players, all played by `net`. The same options always produce the
    same data.
    """

    out: str | None = option(
        "Run folder to write.", None, metavar="FOLDER", names=("-o", "--out"), shown="a new folder in runs/"
    )
    resume: bool = option("Continue an interrupted run: wsim run --resume FOLDER", False)
    within: float | None = within_option("every figure of --within-table")
    within_table: str = option(
        "Table for --within, such as wonders or cards.", "", metavar="TABLE", shown="the first table shown"
    )
    shard_games: int | None = option("Games per data file.", None, metavar="N", shown="250,000 rows")
    shard: str | None = option(
        "Play only part K of N, in its own folder; join the parts with wsim runs merge.", None, metavar="K/N"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.within is not None and self.shard is not None:
            raise UserError("--within needs all games of a run: it cannot be combined with --shard")
        if self.within_table and self.within is None:
            raise UserError("--within-table selects the table for --within: add --within WIDTH")


def run_command(
    plan: PlanOptions, options: RunOptions, workers: Workers, trust: Trust, table: Wide, printing: Printing
) -> None:
    """Play the missing games, then print the main tables and the folder."""
    played, folder = _plan_and_folder(plan, options, trust)
    announce_compiling(played.game, quiet=printing.quiet)
    start = time.perf_counter()
    run = _play_and_record(played, folder, options, workers, quiet=printing.quiet)
    seconds = time.perf_counter() - start
    endings = _ending_tables(run)
    if printing.as_json:
        print_json(
            {
                "folder": str(run.path),
                "digest": run.provenance.digest,
                "games": run.games,
                "played": run.played,
                "seconds": round(seconds, 3),
                "level": 0.95,
                "notes": list(dict.fromkeys(table.note for table in endings if table.note)),
                "tables": {table.title: rows_of(table.frame) for table in endings},
            }
        )
        return
    print_tables([ending.shown for ending in endings], wide=table.wide)
    for note in _precision_notes(run, endings, options):
        write_note(note)
    for note in dict.fromkeys(ending.note for ending in endings if ending.explained):
        write_out("")
        write_note(note)
    if run.played:
        write_out(f"\n{run.played:,} games in {seconds:.1f} s: {run.path}")
    else:
        write_out(f"\nall {run.games:,} games were already played: {run.path}")


def _plan_and_folder(given: PlanOptions, options: RunOptions, trust: Trust) -> tuple[Plan, str | None]:
    """Return the plan to play and the run folder; ``--resume FOLDER`` starts from the plan in that folder."""
    if not options.resume or not given.arguments:
        given.no_arguments()
        from wsim.lab.wishes import with_worth

        return with_worth(given.resolve(), options.out), options.out
    folder, *more = given.arguments
    if more or options.out not in (None, folder):
        raise UserError(f"only one folder can be resumed, not both {folder!r} and {(*more, options.out)[0]!r}")
    return plan_of_run(given, folder, "resumed", trust=trust.trust), folder


def plan_of_run(given: PlanOptions, folder: str, action: str, *, trust: bool, **over: Any) -> Plan:
    """Return the plan in a run folder, overridden by the given options.

    Raises UserError if the plan would run code from the folder, which the user has not named and anyone may have
    written.
    """
    from wsim.lab.store import load_run

    return trusted(given, load_run(folder, to_resume=True).plan.replace(**over), folder, action, trust=trust)


def trusted(given: PlanOptions, base: Plan, source: str, action: str, *, trust: bool) -> Plan:
    """Apply the given options to the plan from ``source``; raise UserError for code that the user has not named."""
    plan = given.resolve(base)
    if not given.code_needing_trust(plan):
        return plan
    if not trust:
        paths = [path for entry in plan.line_up if entry.file and (path := entry.path)]
        paths += map(str, plan.effects.values())
        files = Path(source, "files")
        if any(entry.module for entry in plan.line_up) and files.is_dir():
            paths.append(str(files))
        where = f" in {' and '.join(dict.fromkeys(paths))}" if paths else ""
        own = "--patch" if plan.effects else "--policies"
        raise UserError(
            f"{source!r} cannot be {action} without running its {plan.code_in_words()}: if you trust the code{where}, "
            f"add --trust, or name your own with {own}"
        )
    from wsim.policies.declare import FOREIGN

    FOREIGN.set(True)  # for the rest of the command, this code is isolated unless everything is trusted
    return plan


def _precision_notes(run: Run, endings: list[_Ending], options: RunOptions) -> list[str]:
    """Compose notes on the requested precision and on how many more games it would take to settle unclear rows."""
    from wsim.lab.growth import half_width
    from wsim.stats.precision import reached

    notes = [ending.telling for ending in endings if ending.telling]
    if options.within is not None:
        table = options.within_table or "the first table"
        notes.insert(0, reached(run.games, options.within, half_width(run, options.within_table), table))
    return ["", *notes] if notes else []


@dataclass(frozen=True)
class _Ending:
    """A table that is printed at the end of a run.

    Attributes
    ----------
    explained: whether the note is printed. telling: how many more games it would take to settle unclear rows.
    """

    title: str
    shown: Sheet
    frame: pl.DataFrame
    note: str
    explained: bool
    telling: str


def _ending_tables(run: Run) -> list[_Ending]:
    """Build the tables to print at the end of a run; tables of worth come first."""
    from wsim.lab.run_tables import fair_share
    from wsim.stats.brief import ends
    from wsim.stats.worth import without

    every = [candidate for candidate in analyses_of(find_game(run.plan.game)).values() if candidate.shown == "run"]
    every = [candidate for candidate in every if candidate.possible(run.plan) and candidate.fits(run.plan)]
    endings, shown = [], [candidate.worth for candidate in every if candidate.worth]
    for analysis in sorted(every, key=lambda candidate: (not candidate.worth, not candidate.wishes)):
        table = analysis.table(run)
        table = without(table, shown) if analysis.wishes else table
        if table.frame.is_empty():
            continue
        title, frame = ends(table)
        sheet = table.sheet(frame, f"{title}{fair_share(replace(table, frame=frame))}")
        ends_of = {column.name: column.ends or () for column in sheet.columns}
        main = [part for name in sheet.main for part in (name, *ends_of.get(name, ()))]
        rows = frame.select(main) if main else frame
        endings.append(_Ending(title, sheet, rows, table.note, bool(analysis.worth), table.telling(run.games)))
    return endings


def _play_and_record(plan: Plan, folder: str | None, options: RunOptions, workers: Workers, *, quiet: bool) -> Run:
    from wsim.lab.growth import record_within
    from wsim.lab.parts import Part
    from wsim.lab.progress import Interrupted

    how: dict[str, Any] = {"resume": options.resume, "shard": options.shard_games, **workers.record()}
    how["part"] = None if options.shard is None else Part.parse(options.shard)
    how |= {"within": options.within, "table": options.within_table}
    try:
        with progress_bar(not quiet) as progress:
            return record_within(plan, folder, progress=progress, **how)
    except Interrupted as interrupt:
        if interrupt.result is None:
            raise
        run: Run = interrupt.result
        trust = " --trust" if run.plan.code else ""
        remark(
            f"wsim: interrupted; {run.games:,} of {len(run.wanted):,} games are stored; continue with:\n"
            f"wsim run --resume {shlex.quote(str(run.path))}{trust}"
        )
        raise Exit(INTERRUPTED) from None
