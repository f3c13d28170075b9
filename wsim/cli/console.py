"""Print the output of all commands (tables, JSON, remarks, progress bars, errors) and determine their exit codes.

Results go to standard output, everything else to standard error. Exit codes: 0 success, 1 failure (such as a full
disk), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from typer import Abort, TyperException

from wsim.cli.signals import INTERRUPTED as INTERRUPTED
from wsim.cli.signals import stoppable
from wsim.errors import UserError, printable

if TYPE_CHECKING:
    import polars as pl

    from wsim.document import Rows, Sheet
    from wsim.lab.progress import Progress
    from wsim.text_tables import TextTable

FAILURE, MISUSE = 1, 2
FORECAST_AFTER, LONG = 2.0, 60.0  # seconds until the pace is known, and total seconds that warrant a forecast
SLOWER = 3  # an old or busy machine may compile this many times slower than the measured machine
_PLAIN = str.maketrans({"─": "-", "│": "|", "●": "o", "±": "+-"})


_results: list[TextIO] = []
"""The result streams of the running commands, which replace ``sys.stdout``."""


class _Prints(io.TextIOBase):
    """Redirects the output of user code to standard error, because standard output is reserved for results."""

    def write(self, text: str) -> int:
        sys.stderr.write(printable(text))
        return len(text)

    def flush(self) -> None:
        sys.stderr.flush()


@contextlib.contextmanager
def results_alone() -> Iterator[None]:
    """Redirect output of policies and effects to standard error, so that JSON on standard output stays valid."""
    _results.append(sys.stdout)
    try:
        with contextlib.redirect_stdout(_Prints()):
            yield
    finally:
        _results.pop()


def results() -> TextIO:
    """Return the stream for results, standard output unless it is redirected."""
    return _results[-1] if _results else sys.stdout


def remark(text: str) -> None:
    """Print a remark for the user to standard error."""
    print(printable(text), file=sys.stderr, flush=True)


def announce_compiling(game: str, *, quiet: bool = False) -> None:
    """Announce that the kernels of a game will be compiled, unless they already are."""
    from wsim.game import find_game

    if not quiet and (seconds := find_game(game).cold()):
        remark(f"compiling (once per version of wsim, {seconds:.0f} to {SLOWER * seconds:.0f} s) ...")


def write_out(text: str, *, bold: bool = False) -> None:
    """Print a line of the result, with ASCII replacements if the output supports only ASCII."""
    text = printable(text)
    try:
        text.encode(results().encoding or "utf-8")
    except UnicodeEncodeError:
        text = text.translate(_PLAIN)
    print(f"\033[1m{text}\033[0m" if bold else text, file=results())


def guarded(command: Callable[[], int | None]) -> int:
    """Run a command and return its exit code; print user and system errors as one sentence without a traceback."""
    if sys.stderr is None:  # closed by the parent process
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stdout is None:
        remark("wsim: standard output is closed")
        return FAILURE
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8 shows ? for table lines
    try:
        with stoppable():
            code = command() or 0
            sys.stdout.flush()
    except (UserError, TyperException) as error:
        remark(f"wsim: {_error_text(error)}")
        return MISUSE
    except (KeyboardInterrupt, Abort) as error:
        notes = getattr(error.__context__ if isinstance(error, Abort) else error, "__notes__", ())
        remark(" ".join(["wsim: interrupted", *notes]))
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe (wsim trace | head); flushing the rest at exit must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except OSError as error:
        remark(f"wsim: {_system_error_text(error)}")
        return FAILURE
    except MemoryError:
        remark("wsim: not enough memory")
        return FAILURE
    except Exception as error:
        if not _is_polars_error(error):
            raise
        remark(f"wsim: the data cannot be read: {' '.join(str(error).split())[:300]}")
        return FAILURE
    return code


def _is_polars_error(error: Exception) -> bool:
    """Return whether an error is a Polars exception, without importing Polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(error, polars.exceptions.PolarsError)


def _error_text(error: UserError | TyperException) -> str:
    if isinstance(error, UserError):
        return str(error)
    return " ".join(error.format_message().split()).removesuffix(".")


def _system_error_text(error: OSError) -> str:
    if error.strerror is None or error.filename is None:
        return str(error)
    return f"cannot use {str(error.filename)!r}: {error.strerror}"


def print_json(value: Any) -> None:
    """Print a value as JSON to standard output."""
    import json

    from wsim.display import json_of

    write_out(json.dumps(json_of(value), ensure_ascii=False, indent=2, allow_nan=False))


def rows_of(table: pl.DataFrame | Rows) -> Rows:
    """Convert a table to a list of rows, ready for JSON."""
    return table if isinstance(table, Sequence) else table.to_dicts()


def screen_width() -> int | None:
    """Return the width of the output in characters: COLUMNS if set, else the terminal width; None if unlimited."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given) > 0:
        return int(given)
    return os.get_terminal_size(results().fileno()).columns or None if on_terminal() else None


def on_terminal() -> bool:
    """Return whether results are printed to a terminal, for people to read."""
    try:
        return results().isatty() and results().fileno() >= 0
    except (OSError, ValueError):
        return False


def print_tables(tables: Iterable[Sheet], *, wide: bool = False) -> None:
    """Print tables with titles, fitted to the width; ``wide``: print all columns, in several parts if necessary."""
    from wsim.text_tables import all_as_text, as_text, text_columns

    width, bold = screen_width(), on_terminal() and "NO_COLOR" not in os.environ
    for position, table in enumerate(tables):
        if position:
            write_out("")
        for line in _wrapped(table.title, width):
            write_out(line, bold=bold)
        if not table.rows:
            write_out("(no rows)")
            continue
        columns, main = table.columns, table.shown
        if wide:
            _print_parts(all_as_text(text_columns(columns, table.rows), width, table.labels))
            continue
        text = as_text(text_columns(main, table.rows), width, table.first)
        _print_parts([text])
        if left := len(text.hidden) + len(columns) - len(main):
            write_note(f"{left} more column{'s' if left > 1 else ''}: {table.more}")


def _print_parts(parts: Iterable[TextTable]) -> None:
    for number, part in enumerate(parts):
        if number:
            write_out("")
        for line in part.lines:
            write_out(line)


def write_note(text: str) -> None:
    """Print text, wrapped to the width of the output."""
    width = screen_width()
    for line in text.split("\n"):
        for part in _wrapped(line, width):
            write_out(part)


def _wrapped(text: str, width: int | None) -> list[str]:
    if width is None:
        return [text]
    import textwrap

    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


SO_FAR = " with the results so far"


def forecast(work: str, done: int, total: int, seconds: float, kept: str = SO_FAR) -> str:
    """Forecast in one sentence how long work will take at its pace so far; empty for short work.

    ``kept`` states what is kept of the work if Ctrl-C stops it.
    """
    whole = seconds * total / done
    if whole < LONG:
        return ""
    minutes = whole / 60
    time_left = f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
    return f"This will take at most about {time_left} ({total:,} {work}); Ctrl-C stops it{kept}."


@contextlib.contextmanager
def progress_bar(show: bool, kept: str = SO_FAR, *, always_forecast: bool = False) -> Iterator[Progress | None]:
    """Yield a callback that draws a progress bar on standard error; None if standard error is not a terminal.

    Parameters
    ----------
    kept: what is kept of the work if Ctrl-C stops it, for the forecast of long work.
    always_forecast: print the forecast even if standard error is not a terminal.
    """
    start, warned = time.monotonic(), False

    def sentence(work: str, done: int, total: int) -> str:
        """Return the forecast as soon as it is available, but only once; otherwise an empty string."""
        nonlocal warned
        seconds = time.monotonic() - start
        if warned or seconds <= FORECAST_AFTER or not done:
            return ""
        warned = True
        return forecast(work, done, total, seconds, kept)

    def forecast_only(work: str, done: int, total: int) -> None:
        if note := sentence(work, done, total):
            remark(note)

    if not (show and sys.stderr.isatty()):
        yield forecast_only if show and always_forecast else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    rate = TextColumn("{task.fields[rate]}")
    doing = TextColumn("{task.description}")
    columns = (doing, BarColumn(), MofNCompleteColumn(), rate, TextColumn("left"), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, rate="")

        def advance(task_name: str, done: int, total: int) -> None:
            speed = bar.tasks[0].speed
            shown = f"{speed:,.0f}/s" if speed else ""
            bar.update(task, description=task_name, completed=done, total=total, rate=shown)
            if note := sentence(task_name, done, total):
                bar.console.print(note, highlight=False)

        yield advance
