"""The top and bottom rows of a long table, for the terminal."""

from __future__ import annotations

import polars as pl

from wsim.stats.tables import Table
from wsim.stats.worth import SHORT

BEST, WORST = 10, 5
LONGEST = 30


def ends(table: Table) -> tuple[str, pl.DataFrame]:
    """Return a table's title and rows; long tables of worth or win share keep only the best and worst known items."""
    frame = table.frame
    if frame.height > LONGEST and "what" in frame.columns:
        return _ends_of_worth(table)
    if frame.height <= LONGEST or table.form not in ("levels", "owners"):
        return table.title, frame
    of_worth = "worth" in frame.columns
    known = frame.filter(pl.col("worth").is_not_null() if of_worth else pl.col("n") > 0)
    if known.height <= LONGEST:
        return table.title, known
    best, worst, by = ("highest", "lowest", "win share of their owners")
    if of_worth or table.form == "levels":
        best, worst, by = "best", "worst", "worth" if of_worth else "win share"
    return f"{table.title}: the {BEST} {best} and {WORST} {worst} of {known.height} by {by}", _ends(known)


def _ends_of_worth(table: Table) -> tuple[str, pl.DataFrame]:
    """Return a worth table's title and rows: the extremes of the first kind (cards to build), all of short kinds."""
    kinds = table.frame["what"].value_counts()
    first = table.frame["what"][0]
    cards, short = table.frame.filter(what=first), kinds.filter(pl.col("count") <= SHORT)["what"].implode()
    if cards.height <= BEST + WORST:
        return table.title, table.frame
    others = table.frame.filter(pl.col("what") != first, pl.col("what").is_in(short))
    title = f"{table.title}: the {BEST} best and {WORST} worst of {cards.height} to {first}"
    return title, pl.concat([_ends(cards), others])


def _ends(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([frame.head(BEST), frame.tail(WORST)])
