"""``wsim compare``: the difference of two runs, metric by metric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wsim.cli.console import Shown, print_json, print_tables, progress_bar, rows_of, write_note, write_out
from wsim.cli.exports import Files
from wsim.cli.table_command import open_run

if TYPE_CHECKING:
    import polars as pl

    from wsim.cli.table_command import View
    from wsim.experiments.runs import RunComparison

__all__ = ["compare_command"]

FIRST = ("metric", "difference", "verdict", "q", "first", "second", "n")
LONGEST = 60  # characters of a value that is shown


@dataclass(frozen=True)
class Asked:
    """What is asked of two runs: metrics (none: the usual ones), what is shown of them, the level, where it goes."""

    metrics: Sequence[str]
    view: View
    level: float
    files: Files


def compare_command(first: str, second: str, asked: Asked, *, as_json: bool, quiet: bool) -> None:
    """Compare two runs and print how, what made them differ, and the difference of every metric."""
    from wsim.experiments.runs import compare_runs

    asked.files.check()
    runs = open_run(first), open_run(second)
    with progress_bar(not quiet) as progress:
        found = compare_runs(*runs, asked.metrics, level=asked.level, progress=progress)
    shown = asked.view.of(found.metrics)
    record = found.record()
    asked.files.write(shown, {key: one for key, one in record.items() if key != "metrics"}, quiet=quiet)
    if as_json:
        print_json({**record, "metrics": rows_of(shown)})
        return
    if asked.files.instead:
        return
    tables = [Shown("What differs", _differences(found))] if found.differs else []
    for what, part in shown.partition_by("share", as_dict=True, maintain_order=True, include_key=False).items():
        title = f"{second} less {first}: {'shares' if what == (True,) else 'points and counts'}"
        tables.append(Shown(title, rows_of(_slim(part)), first=FIRST))
    print_tables(tables, wide=asked.view.wide)
    level = f"{100 * asked.level:g} %"
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
