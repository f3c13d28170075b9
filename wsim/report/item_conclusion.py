"""What a table says about one item (a card, a wonder, a policy), in words, for the item's own page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wsim.display import number, number_range, written
from wsim.document import DECIDED
from wsim.report.conclusions import WORTH, interval_in_words, labelled, with_players
from wsim.stats.columns import FAIR

if TYPE_CHECKING:
    import polars as pl

    from wsim.stats.tables import Table

WANTED = "wanted"


def about_item(table: Table, rows: pl.DataFrame) -> list[str]:
    """Describe the rows of an item in a table of levels or owners, one sentence each; empty for other tables.

    A figure is called clear only if its verdict says so; intervals allow for other good players where these are known.
    """
    figure = {"levels": FAIR, "owners": WORTH}.get(table.form)
    if figure is None or not {figure, "verdict"} <= set(rows.columns):
        return []
    own = with_players(labelled(replace(table, frame=rows), figure), figure)
    sentences = [
        _levels(row) if figure == FAIR else _worth(table, row)
        for row in own.to_dicts()
        if row[figure] is not None and row[f"{figure} from"] is not None
    ]
    if figure == WORTH and not sentences:
        return [f"These games do not show what this {table.labels[0]} is worth: hardly any seat wanted it."]
    return sentences


def _levels(row: Mapping[str, Any]) -> str:
    word = "more" if row[FAIR] > 1 else "less"
    clear = f"clearly {word} than" if row["verdict"] in DECIDED else "not clearly different from"
    interval = interval_in_words(row, FAIR)
    return f"{row['label']} wins {number(row[FAIR])} times its fair share ({interval}): {clear} the fair share."


def _worth(table: Table, row: Mapping[str, Any]) -> str:
    """Describe the worth of an item; the ends of the interval have the sign of the effect where they agree."""
    worth, low, high = row[WORTH], row[f"{WORTH} from"], row[f"{WORTH} to"]
    word = "more" if worth >= 0 else "less"
    ends = (low, high) if worth >= 0 else (-high, -low)
    interval = number_range(100 * ends[0], 100 * ends[1], 1)
    clear = "a clear difference" if row["verdict"] in DECIDED else "not a clear difference"
    wanted = row.get(WANTED)
    often = "" if wanted is None else f" They want it on {written(table.column(WANTED), wanted)} of the turns on which "
    often += "they could have it." if often else ""
    return (
        f"Seats that want {row['label']} win {number(100 * abs(worth), 1)} percentage points {word} often with it than "
        f"with their next best move (95% interval {interval}): {clear}.{often}"
    )
