"""Extend a run until the intervals in one of its tables are as narrow as requested."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.game import analyses_of, find_game
from wsim.lab.run import record
from wsim.lab.run_tables import tables_of_run
from wsim.stats.precision import stages, widest_in

if TYPE_CHECKING:
    import os

    from wsim.lab.plan import Plan
    from wsim.lab.store import Run


def record_within(
    plan: Plan,
    out: str | os.PathLike[str] | None = None,
    *,
    within: float | None,
    table: str = "",
    resume: bool = False,
    **how: Any,
) -> Run:
    """Play a plan into a run folder (``record``), then more games until a table's intervals are narrow enough.

    Parameters
    ----------
    within: the largest half width, in the unit of the first figure with intervals; None: play only the plan's games.
    table: the name of the table; empty: the first table with intervals among those printed at the end of a run.

    Raises UserError for an unknown table or a table without intervals.
    """
    check_table(plan, table)
    run: Run | None = None

    def half() -> float:
        return math.nan if run is None else half_width(run, table)

    for stage in stages(plan.games, within, half):
        folder, grown = out if run is None else Path(run.path), plan.replace(games=stage.stop)
        run = record(grown, folder, resume=resume or run is not None, **how)
    assert run is not None  # a plan has games
    return run


def check_table(plan: Plan, table: str) -> None:
    """Raise UserError unless a run of this plan has the named table."""
    known = [name for name, analysis in analyses_of(find_game(plan.game)).items() if analysis.possible(plan)]
    if table and table not in known:
        raise UserError(f"a run has no table {table!r}{nearest(table, known)}; accepted: {', '.join(known)}")


def half_width(run: Run, table: str = "") -> float:
    """Return half the width of the widest interval in a table of a run; ``table`` is as in ``record_within``."""
    tables = tables_of_run(run)
    if table:
        return widest_in(tables[table].table(run).frame)
    plan = run.plan
    shown = (
        analysis.table(run).frame for analysis in tables.values() if analysis.shown == "run" and analysis.fits(plan)
    )
    halves = (widest_in(frame) for frame in shown)
    return next((half for half in halves if not math.isnan(half)), math.nan)
