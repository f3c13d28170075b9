"""What every command prints: tables, JSON, remarks, a progress bar, errors; and the exit codes.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 a failure (a full disk),
2 misuse, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import typer

from wsim.cli.signals import INTERRUPTED, stoppable
from wsim.errors import UserError

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.progress import Progress

__all__ = [
    "FAILURE",
    "INTERRUPTED",
    "MISUSE",
    "Rows",
    "guarded",
    "print_json",
    "print_tables",
    "progress_bar",
    "remark",
    "rows_of",
    "write_out",
]

FAILURE, MISUSE = 1, 2
_WIDE = 10_000  # columns of a "terminal" that is a pipe or a file: nothing is cut there


def remark(text: str) -> None:
    """Print a line for the person at the terminal."""
    print(text, file=sys.stderr, flush=True)


def write_out(text: str) -> None:
    """Print a line of the result."""
    print(text)


def guarded(command: Callable[[], int | None]) -> int:
    """Run a command and return the exit code; whatever the user or the machine did wrong becomes one sentence."""
    if sys.stderr is None:  # closed by whoever started this process
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (as long as the process)
    if sys.stdout is None:
        remark("wsim: standard output is closed")
        return FAILURE
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows ? for a line of a table
    try:
        with stoppable():
            code = command() or 0
            sys.stdout.flush()
    except (UserError, typer.TyperException) as error:
        remark(f"wsim: {_sentence(error)}")
        return MISUSE
    except (KeyboardInterrupt, typer.Abort):
        remark("wsim: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (wsim trace | head). What is still in the buffer must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except OSError as error:
        remark(f"wsim: {_of_system(error)}")
        return FAILURE
    except MemoryError:
        remark("wsim: there is not enough memory for this")
        return FAILURE
    except Exception as error:
        if not _of_polars(error):
            raise
        remark(f"wsim: the data cannot be read: {' '.join(str(error).split())[:300]}")
        return FAILURE
    return code


def _of_polars(error: Exception) -> bool:
    """Say whether Polars raised an error; it is not imported for that."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(error, polars.exceptions.PolarsError)


def _sentence(error: UserError | typer.TyperException) -> str:
    if isinstance(error, UserError):
        return str(error)
    return " ".join(error.format_message().split()).removesuffix(".")


def _of_system(error: OSError) -> str:
    if error.strerror is None or error.filename is None:
        return str(error)
    return f"cannot use {str(error.filename)!r}: {error.strerror}"


def _json(value: Any) -> Any:
    """Return a value as JSON knows it: no NaN, no infinity; dates and the like as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def print_json(value: Any) -> None:
    """Print a JSON value on standard output."""
    import json

    write_out(json.dumps(_json(value), ensure_ascii=False, indent=2, allow_nan=False))


Rows = Sequence[Mapping[str, Any]]


def rows_of(table: pl.DataFrame | Rows) -> Rows:
    """Return a table as rows, as JSON wants them."""
    return table if isinstance(table, Sequence) else table.to_dicts()


def print_tables(tables: Iterable[tuple[str, pl.DataFrame | Rows]]) -> None:
    """Print tables with their titles; on a terminal they fit its width, elsewhere nothing is cut."""
    from rich.console import Console

    console = (
        Console()
        if sys.stdout.isatty()
        else Console(width=_WIDE, no_color=True, file=cast("TextIO", _Trimmed(sys.stdout)))
    )
    for position, (title, table) in enumerate(tables):
        if position:
            console.print()
        console.print(title, style="bold", markup=False, highlight=False)
        console.print(_table(rows_of(table)))


class _Trimmed(io.TextIOBase):
    """A text stream without spaces at the ends of lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))
        return len(text)


def _table(rows: Rows) -> Any:
    """Lay rows out in columns, numbers to the right."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    if not rows:
        return "(no rows)"
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    cells = []
    for name, values in columns.items():
        if name.endswith(_ENDS) and name.rpartition("_")[0] in columns:
            continue  # shown with the estimate
        low, high = columns.get(f"{name}_low"), columns.get(f"{name}_high")
        cells.append(_texts(values) if low is None or high is None else _with_intervals(values, low, high))
        heading = name.removeprefix("points_").replace("_", " ")
        table.add_column(escape(heading), justify="right" if _numeric(values) else "left", overflow="fold")
    for row in zip(*cells, strict=True):
        table.add_row(*map(escape, row))
    return table


_ENDS = ("_low", "_high")


def _with_intervals(values: Sequence[Any], low: Sequence[Any], high: Sequence[Any]) -> list[str]:
    """Return estimates with half the width of their intervals behind them."""
    halves = [None if b is None or t is None else (t - b) / 2 for b, t in zip(low, high, strict=True)]
    decimals = _decimals([value for value in values if isinstance(value, float)])
    return [
        text if half is None else f"{text} ±{half:.{decimals}f}"
        for text, half in zip(_texts(values), halves, strict=True)
    ]


def _numeric(values: Iterable[Any]) -> bool:
    return all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values)


def _texts(values: Sequence[Any]) -> list[str]:
    """Return the cells of a column; its numbers have the same number of decimals, fewer if they are large."""
    decimals = _decimals([value for value in values if isinstance(value, float)])
    return [f"{value:,.{decimals}f}" if isinstance(value, float) else _text(value) for value in values]


def _decimals(numbers: Iterable[float]) -> int:
    largest = max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)
    return 3 if largest < 10 else 2 if largest < 1000 else 0


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


@contextlib.contextmanager
def progress_bar(show: bool) -> Iterator[Progress | None]:
    """Give a callback that draws a progress bar on standard error; None if it is no terminal."""
    if not (show and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    rate = TextColumn("{task.fields[rate]}")
    doing = TextColumn("{task.description}")
    columns = (doing, BarColumn(), MofNCompleteColumn(), rate, TextColumn("left"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, rate="")

        def advance(what: str, done: int, total: int) -> None:
            speed = bar.tasks[0].speed
            shown = f"{speed:,.0f}/s" if speed else ""
            bar.update(task, description=what, completed=done, total=total, rate=shown)

        yield advance
