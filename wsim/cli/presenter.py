"""Compute answers with a progress bar, print them, write them to files, and handle Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from typer import Exit

from wsim.cli.console import (
    INTERRUPTED,
    on_terminal,
    print_json,
    print_tables,
    progress_bar,
    remark,
    results,
    rows_of,
    screen_width,
    write_note,
    write_out,
)
from wsim.cli.exports import Files
from wsim.cli.groups import Printing
from wsim.lab.progress import Interrupted, Progress

if TYPE_CHECKING:
    from wsim.document import Chart, Document, Sheet
    from wsim.lab.answer import Answer

SO_FAR = "results of the games so far"
CHART = 56  # maximum width of a chart's scale, in characters
ROOM = 48  # minimum width of the output for charts, in characters
_Kind = TypeVar("_Kind", bound="Answer")


@dataclass(frozen=True)
class Output:
    """Options for printing and writing an answer.

    Attributes
    ----------
    printing: the output format. files: further files for the main table. wide: whether to show all columns.
    out: the file or run folder for the complete answer, if any.
    """

    printing: Printing
    files: Files = field(default_factory=Files)
    wide: bool = False
    out: Path | None = None

    def check(self, kind: type[Answer] | None = None) -> None:
        """Raise UserError if a target cannot be written, before any game is played; ``kind``: the answer's class."""
        if self.out is not None and kind is not None:
            kind.check_target(self.out)
        self.files.check()

    def write(self, answer: Answer) -> Path | None:
        """Write an answer to ``out``, if given, and return the path of the file."""
        return None if self.out is None else answer.write(self.out)


def answered(
    play: Callable[[Progress | None], _Kind],
    output: Output,
    *,
    display: Callable[[_Kind], Document] = lambda answer: answer.shown(),
    write: Callable[[_Kind], object] | None = None,
) -> _Kind:
    """Compute, print and return an answer; after Ctrl-C, print the answer so far and exit with code 130.

    Parameters
    ----------
    play: computes the answer and reports progress. display: returns the document of the answer.
    write: writes the answer and returns the path or paths; None: ``output.write``.
    """
    interrupted, quiet, hint = False, output.printing.quiet, ""
    try:
        with progress_bar(not quiet) as progress:
            answer = play(progress)
    except Interrupted as interrupt:
        hint = interrupt.hint
        if interrupt.result is None:
            if not hint:
                raise
            remark(f"wsim: interrupted; {hint}")
            raise Exit(INTERRUPTED) from None
        answer, interrupted = interrupt.result, True
    present(answer, output, display(answer))
    paths = (write or output.write)(answer)
    if paths is not None and not quiet:
        remark(f"written: {' and '.join(map(str, paths)) if isinstance(paths, list) else paths}")
    if interrupted:
        remark(f"wsim: interrupted; {'; '.join(filter(None, (SO_FAR, hint)))}")
        raise Exit(INTERRUPTED)
    return answer


def present(
    answer: Answer, output: Output, display: Document | None = None, more: Mapping[str, Any] | None = None
) -> None:
    """Print an answer; ``more``: additional entries for the JSON output."""
    show(answer.shown() if display is None else display, {**answer.record(), **(more or {})}, output, answer.TABLES)


def show(display: Document, record: Mapping[str, Any], output: Output, tables: Container[str] = ()) -> None:
    """Write the rows to the requested files, then print the document as text or the complete record as JSON.

    Parameters
    ----------
    record: the JSON object to print. tables: the keys of the record that are omitted from the metadata of row files.
    """
    head = {key: value for key, value in record.items() if key not in tables}
    output.files.write(display.rows, head, quiet=output.printing.quiet)
    if output.printing.as_json:
        rows = {display.named: rows_of(display.rows)} if display.named else {}
        print_json({**record, **rows})
    elif not output.files.instead:
        _print(display, wide=output.wide)
        if display.hint and not output.printing.quiet:
            remark(display.hint)


def _print(display: Document, *, wide: bool) -> None:
    """Print a document as text."""
    headline = [display.conclusion.headline] if display.conclusion is not None and on_terminal() else []
    sentences = dict.fromkeys([*headline, *display.head])
    for sentence in sentences:
        write_note(sentence)
    if sentences:
        write_out("")
    print_tables(display.tables, wide=wide)
    width = screen_width()
    for sheet, chart in ((shown, chart) for shown in display.tables for chart in shown.charts if chart.printed):
        if width is None or width >= ROOM:
            write_out(f"\n{chart.title}:")
            for line in chart_lines(chart, sheet, _characters(), width):
                write_out(line)
    if display.missing and display.rows.is_empty():
        write_note(display.missing)
    if display.notes:
        write_out("")
    for sentence in display.notes:
        write_note(sentence)


@dataclass(frozen=True)
class Characters:
    """The characters from which a chart is drawn."""

    line: str
    point: str
    zero: str


def _characters() -> Characters:
    """Return chart characters that the output can encode."""
    try:
        "─●│".encode(results().encoding or "ascii")
    except UnicodeEncodeError:
        return Characters("-", "o", "|")
    return Characters("─", "●", "│")


def chart_lines(chart: Chart, sheet: Sheet, characters: Characters, width: int | None = None) -> list[str]:
    """Draw a chart with one line per row: name, effect, and interval on a common scale that includes 0.

    ``width`` is the width of the output in characters; None: unlimited.
    """
    column = next(column for column in sheet.columns if column.name == chart.values[0])
    rows = [
        (" ".join(str(row[label]) for label in chart.labels), row[column.name], *(column.interval(row) or (None, None)))
        for row in sheet.rows
    ]
    names = max(len(name) for name, *_ in rows)
    scale = CHART if width is None else max(min(CHART, width - names - 12), 10)
    ends = [end for _, *figures in rows for end in figures if end is not None]
    low, high = float(min([0.0, *ends])), float(max([0.0, *ends]))
    span = (high - low) or 1.0

    def position(value: float) -> int:
        return round((value - low) / span * (scale - 1))

    lines = []
    for name, value, least, most in rows:
        cells = [" "] * scale
        if least is not None and most is not None:
            first, last = position(least), position(most)
            cells[first : last + 1] = characters.line * (last - first + 1)
        cells[position(0.0)] = characters.zero
        if value is not None:
            cells[position(value)] = characters.point
        effect = "" if value is None else f"{value:+.3f}"
        lines.append(f"{name:>{names}}  {effect:>8}  {''.join(cells)}".rstrip())
    return lines
