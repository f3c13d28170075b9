"""Findings of runs and answers (a sentence and a thumbnail each), and the first figures of a run in progress."""

from __future__ import annotations

import re
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING

from wsim.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from wsim.document import Chart, Sheet
    from wsim.lab.store import Run
    from wsim.report.conclusions import Statement
    from wsim.report.page_parts import Figure
    from wsim.stats.tables import Table
    from wsim.workbench.folder import Folder, FolderEntry

MAX_STORED = 500
MAX_DETAIL = 110
"""Maximum number of characters of the detail of a finding in a list."""
MAX_MARKS = 40
"""Maximum number of rows in a thumbnail; of longer tables, it shows the first and last rows."""
WIDTH, HEIGHT, EDGE = 160, 48, 4
"""Size of a thumbnail and of its margin, in pixels."""


@dataclass(frozen=True)
class Finding:
    """The finding of a run or an answer.

    Attributes
    ----------
    sentence: its conclusion; empty if it has none. detail: the figures behind it. picture: its thumbnail as SVG; may be
    empty.
    """

    sentence: str
    detail: str = ""
    picture: str = ""

    @property
    def short(self) -> str:
        """The first clauses of the detail, as many as a line or two of a list can show; empty if none is so short."""
        clauses = re.split(r"(?<=[.;]) ", self.detail)
        lengths = accumulate(len(clause) + 1 for clause in clauses)
        few = " ".join(clause for clause, length in zip(clauses, lengths, strict=True) if length <= MAX_DETAIL + 1)
        return f"{few.rstrip('.;')}." if few else ""


@dataclass(frozen=True)
class TableSoFar:
    """A table of a run that is still being played.

    Attributes
    ----------
    name: its name. about: what it shows. statements: its conclusions so far. figure: its chart, if it has one.
    """

    name: str
    about: str
    statements: Sequence[Statement]
    figure: Figure | None


class Findings:
    """A cache of the findings of a folder's runs and answers; a finding is recomputed when its file changes.

    ``run_of``: returns the run with a given name in the folder; its computed sums are shared with the run's tables.
    """

    def __init__(self, folder: Folder, run_of: Callable[[str], Run]) -> None:
        self._folder, self._run_of, self._lock = folder, run_of, Lock()
        self._stored: OrderedDict[tuple[str, float, int], Finding] = OrderedDict()

    def known(self, entry: FolderEntry) -> Finding | None:
        """Return a finding if it has been computed, else None."""
        with self._lock:
            return self._stored.get(_key(entry))

    def of(self, entry: FolderEntry) -> Finding:
        """Return the finding of a run or an answer, computed if necessary; unreadable files have an empty sentence."""
        known = self.known(entry)
        if known is not None:
            return known
        try:
            run = self._run_of(entry.name) if entry.kind == "run" else None
            finding = _finding(self._folder.inside(entry.name), run)
        except (UserError, OSError, KeyError, TypeError, ValueError, IndexError):  # a damaged file
            finding = Finding("")
        with self._lock:
            self._stored[_key(entry)] = finding
            while len(self._stored) > MAX_STORED:
                self._stored.popitem(last=False)
        return finding


def _key(entry: FolderEntry) -> tuple[str, float, int]:
    return entry.name, entry.when.timestamp(), entry.size


def _finding(path: Path, run: Run | None) -> Finding:
    """Return the finding of a run, or of the answer in a file."""
    from wsim.questions.answer_files import stored_in

    if run is None:
        stored = stored_in(path)
        document = None if stored is None else stored.document()
        conclusion = None if document is None else document.conclusion
        if document is None or conclusion is None:
            return Finding("")
        pictures = (small_picture(chart, sheet) for sheet in document.tables for chart in sheet.charts)
        return Finding(conclusion.headline, conclusion.detail, next(filter(None, pictures), ""))
    for name, _, table in main_tables(run):
        statements = about(name, table, run.games)
        if statements:
            sheet = table.sheet()
            pictures = (small_picture(chart, sheet) for chart in sheet.charts)
            return Finding(statements[0].headline, statements[0].detail, next(filter(None, pictures), ""))
    return Finding("")


def main_tables(run: Run) -> Iterator[tuple[str, str, Table]]:
    """Yield the tables that ``wsim run`` prints, as name, description and table; tables of dealt factors are first."""
    from wsim.lab.run_tables import tables_of_run

    shown = [
        (name, analysis)
        for name, analysis in tables_of_run(run).items()
        if analysis.shown == "run" and analysis.fits(run.plan)
    ]
    made = []
    for name, analysis in shown:
        with suppress(UserError):  # people may not have recorded what a table needs
            made.append((name, analysis.about, analysis.table(run)))
    order = {"levels": 0, "owners": 1}
    made = [each for each in made if each[2].form in order]
    made = [each for each in made if len(each[2].frame) > 1]  # omit the table of a single policy that plays all seats
    yield from sorted(made, key=lambda each: (each[2].labels[:1] == ("policy",), order[each[2].form]))


def about(name: str, table: Table, games: int) -> list[Statement]:
    """Return a table's conclusions, clear conclusions first; cautions are omitted."""
    from wsim.report.conclusions import WORTH, about_levels, about_worth

    if table.form == "levels":
        statements = about_levels(table, name, games)
    else:
        statements = about_worth(table, name, games) if WORTH in table.frame.columns else []
    return sorted(
        (statement for statement in statements if statement.kind != "caution"),
        key=lambda statement: statement.kind != "clear",
    )


def so_far(run: Run) -> list[TableSoFar]:
    """Compute the tables of a run in progress, each with its chart and conclusions."""
    from wsim.game import find_game
    from wsim.report.page_parts import drawn_of
    from wsim.report.theme import Palette

    palette = Palette(find_game(run.plan.game).COLOURS)
    tables = []
    for name, what, table in main_tables(run):
        figures = drawn_of(table.sheet(), palette, most=1)
        tables.append(TableSoFar(name, what, about(name, table, run.games), figures[0] if figures else None))
    return [table for table in tables if table.figure is not None or table.statements]


def small_picture(chart: Chart, sheet: Sheet) -> str:
    """Return a thumbnail of a chart as SVG: estimates with intervals, lowest first; "" if there are no estimates."""
    column = next((candidate for candidate in sheet.columns if candidate.name == chart.values[0]), None)
    if column is None:
        return ""
    reference = chart.reference if chart.reference is not None else column.reference
    rows = [
        (float(row[column.name]), *ends, chart.marks_clear(row, ends, reference))
        for row in sheet.rows
        if row.get(column.name) is not None and (ends := column.interval(row)) is not None
    ]
    if not rows:
        return ""
    rows.sort()
    rows = rows if len(rows) <= MAX_MARKS else rows[: MAX_MARKS // 2] + rows[-MAX_MARKS // 2 :]
    numbers = [number for row in rows for number in row[:3]] + ([] if reference is None else [reference])
    low, high = min(numbers), max(numbers)

    def height(value: float) -> float:
        inner = HEIGHT - 2 * EDGE
        return round(HEIGHT - EDGE - inner * (value - low) / ((high - low) or 1), 1)

    marks = [] if reference is None else [f'<path class="ref" d="M0 {height(reference)}H{WIDTH}"/>']
    for index, (value, below, above, clear) in enumerate(rows):
        x = round(EDGE + (index + 0.5) * (WIDTH - 2 * EDGE) / len(rows), 1)
        kind = ' class="clear"' if clear and reference is not None else ""
        line, dot = f"M{x} {height(below)}V{height(above)}", f'cx="{x}" cy="{height(value)}"'
        marks.append(f'<g{kind}><path d="{line}"/><circle {dot} r="2"/></g>')
    return f'<svg class="small" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{"".join(marks)}</svg>'
