"""``wsim compare``: the difference of two runs, metric by metric."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.cli.console import Shown, print_json, print_tables, progress_bar, rows_of, write_note, write_out
from wsim.cli.exports import Files
from wsim.cli.table_command import open_run
from wsim.options import Options, argument, option

if TYPE_CHECKING:
    import polars as pl

    from wsim.cli.groups import Printing, View
    from wsim.experiments.runs import RunComparison

FIRST = ("metric", "difference", "verdict", "q", "first", "second", "n")
LONGEST = 60  # characters of a value that is shown


@dataclass(frozen=True)
class CompareOptions(Options):
    """Compare two runs: OTHER less RUN, paired game by game where they have the same deals."""

    first: str = argument("A folder that wsim run wrote.", metavar="RUN")
    second: str = argument("Another one, of the same game and players.", metavar="OTHER")
    metric: tuple[str, ...] = option("Only this (repeatable): score, win:NAME, built:CARD, ... as of wsim whatif.", ())
    level: float = option("Confidence level of the intervals.", 0.95, metavar="LEVEL")


def compare_command(options: CompareOptions, view: View, files: Files, printing: Printing) -> None:
    """Compare two runs and print how, what made them differ, and the difference of every metric."""
    from wsim.experiments.runs import compare_runs

    files.check()
    runs = open_run(options.first), open_run(options.second)
    with progress_bar(not printing.quiet) as progress:
        found = compare_runs(*runs, options.metric, level=options.level, progress=progress)
    shown = view.of(found.metrics)
    record = found.record()
    files.write(shown, {key: one for key, one in record.items() if key != "metrics"}, quiet=printing.quiet)
    if printing.as_json:
        print_json({**record, "metrics": rows_of(shown)})
        return
    if files.instead:
        return
    tables = [Shown("What differs", _differences(found))] if found.differs else []
    for what, part in shown.partition_by("share", as_dict=True, maintain_order=True, include_key=False).items():
        title = f"{options.second} less {options.first}: {'shares' if what == (True,) else 'points and counts'}"
        tables.append(Shown(title, rows_of(_slim(part)), first=FIRST))
    print_tables(tables, wide=view.wide)
    level = f"{100 * options.level:g} %"
    write_out("")
    write_note(f"{found.how}. {_games(found)}; intervals ({level}) are clustered by game.")
    if not found.differs:
        write_note("Both runs were made by the same plan, rules and version: they hold the same games.")


def _slim(metrics: pl.DataFrame) -> pl.DataFrame:
    """Leave out for people what another column says; the JSON has it all."""
    if not (metrics["n_first"] == metrics["n_second"]).all():
        return metrics
    return metrics.drop("n_second", "differing", strict=False).rename({"n_first": "n"})


def _games(found: RunComparison) -> str:
    one, other = found.games
    return f"{one:,} games each" if one == other else f"{one:,} and {other:,} games"


def _differences(found: RunComparison) -> list[dict[str, str]]:
    """Return what differs as rows, one a path."""
    first, second = found.runs
    names = (first, second) if first != second else ("first", "second")
    return [
        {"what": path, **{name: _short(value) for name, value in zip(names, values, strict=True)}}
        for path, values in found.differs.items()
    ]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
