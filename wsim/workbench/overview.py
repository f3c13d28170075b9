"""The overview of a run: its games and findings in three sentences, and two charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.errors import UserError
from wsim.game import find_game
from wsim.workbench.table_view import Tables, TableView

if TYPE_CHECKING:
    from wsim.lab.run_tables import RunTable
    from wsim.lab.store import Run
    from wsim.report.conclusions import Statement
    from wsim.report.page_parts import Figure

MAX_DRAWN = 120
"""Maximum number of rows in a chart."""
CLOSE = 3
"""Number of close games that an overview lists."""


@dataclass(frozen=True)
class TableSummary:
    """The summary of a table: its name, address, main conclusion and first chart, if it has one."""

    name: str
    address: str
    statement: Statement
    figure: Figure | None


def played(run: Run) -> str:
    """Describe a run's games in one sentence: number, rules, players and policies."""
    from wsim.report.conclusions import named

    plan = run.plan
    people = run.people is not None
    policies = list(dict.fromkeys(str(entry) for entry in plan.policies))
    seats = ", seats rotating" if plan.rotate and len(policies) > 1 else ""
    players = "people" if people else f"{named(policies)}{seats}"
    games = f"{run.games:,} games" if run.complete else f"{run.games:,} of {len(run.wanted):,} games"
    return f"{games} of {find_game(plan.game).TITLE} ({plan.ruleset}) with {plan.players} players, played by {players}."


def close_games(run: Run) -> list[tuple[int, str]]:
    """Return the closest games of a run, each with its number and the points of the two best sides.

    Returns an empty list for people's games.
    """
    import numpy as np
    import polars as pl

    columns = run.seats.collect_schema()
    if run.people is not None or run.plan.keep == "summary" or "total" not in columns:
        return []
    sides = run.seats.select("game", "total")
    if "team" in columns:
        sides = run.seats.group_by("game", "team", maintain_order=True).agg(pl.col("total").sum())
    rows = sides.collect()
    if rows.is_empty():
        return []
    games = rows["game"].to_numpy()
    count = int((games == games[0]).sum())  # sides per game; the sides of a game are consecutive rows
    totals = np.sort(rows["total"].to_numpy().reshape(-1, count), axis=1)
    if count < 2:
        return []
    margins = totals[:, -1] - totals[:, -2]
    closest = np.argsort(margins, kind="stable")[:CLOSE]
    return [(int(games[count * row]), f"{totals[row, -1]} to {totals[row, -2]}") for row in closest]


def overview(tables: Tables, view: TableView) -> list[TableSummary]:
    """Summarise the two most informative tables of a run: the dealt factors, then the items that seats want.

    If one of them is missing and the run has several policies, the table of policies comes first.
    """
    from wsim.lab.run_tables import tables_of_run

    run = tables.run(view.runs[0])
    analyses = tables_of_run(run)
    run.sum_up([one.sums for one in analyses.values() if one.shown == "run" and one.sums is not None])
    chosen: dict[str, tuple[TableView, RunTable]] = {}
    for name, analysis in analyses.items():
        if analysis.shown == "asked" or len(chosen) == len(FORMS):
            continue
        of_table = TableView(view.runs, table=name)
        try:
            table = tables.table(of_table)
        except UserError:  # the run has no data for this table
            continue
        form = "policies" if table.table.labels[:1] == ("policy",) else table.table.form
        if form in FORMS and form not in chosen and len(table.table.frame) > 1:
            chosen[form] = (of_table, table)
    kept = [chosen[form] for form in ("levels", "owners") if form in chosen]
    if len(kept) < 2 and "policies" in chosen:
        kept = [chosen["policies"], *kept]
    summaries = [_summary(tables, *pair) for pair in kept]
    tables.note_overview(view.runs[0])
    return summaries


FORMS = ("policies", "levels", "owners")


def _summary(tables: Tables, view: TableView, table: RunTable) -> TableSummary:
    from wsim.report.conclusions import about_table

    statement = about_table(table.table, table.name, table.runs[0].games)[0]
    figures = figures_of(tables, table, view, most=1)
    return TableSummary(table.name, view.address(), statement, figures[0] if figures else None)


def figures_of(tables: Tables, table: RunTable, view: TableView, most: int | None = None) -> Sequence[Figure]:
    """Return the charts of the rows that a view shows, cached; ``most``: the maximum number; None: all."""
    from dataclasses import replace

    from wsim.report.page_parts import drawn_of
    from wsim.report.sections import owned
    from wsim.report.theme import Palette
    from wsim.workbench.table_view import rows_shown

    def draw() -> list[Figure]:
        rows, _ = rows_shown(table, view)
        drawn = replace(table.table, frame=owned(rows.head(MAX_DRAWN)))
        palette = Palette(find_game(table.runs[0].plan.game).COLOURS)
        return drawn_of(drawn.sheet(), palette, most) if len(drawn.frame) else []

    return tables.figures(table, view, draw, most)
