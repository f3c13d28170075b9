"""What kind of table a table is, seen from its columns: the page knows no game, only shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import polars as pl

from wsim.report.wording import plural

Shape = Literal["levels", "owners", "matchups", "humans"]
"""levels: each seat has one of them (wonders, policies); owners: a seat has each of them or not (cards); matchups:
levels against each other; humans: figures of a run beside those of human players."""

Slices = Mapping[str, Mapping[str, pl.DataFrame]]
"""A table of parts of the seats: by what the parts are told apart by (wonder), by their names (Gizah)."""

_WANTED: Mapping[Shape, tuple[str, ...]] = {
    "owners": (
        "n",
        "win_points",
        "win_points_low",
        "win_difference",
        "win_difference_low",
        "win_q",
        "score_difference",
    ),
    "levels": ("n", "win_points", "win_points_low", "q", "score", "score_low"),
    "matchups": ("games", "ahead", "ahead_low", "ahead_high", "q"),
    "humans": (
        "group",
        "figure",
        "simulated",
        "human",
        "human_sd",
        "difference",
        "difference_sd",
        "verdict",
        "tolerance",
    ),
}


AnswerShape = Literal["effects", "pairs", "ladder", "distances", "targets"]
"""effects: of variants; pairs: differences of two; ladder: by level of the players; distances: how far figures lie
apart between players; targets: before and after."""

_OF_ANSWERS: Mapping[AnswerShape, tuple[str, ...]] = {
    "effects": ("variant", "effect", "effect_low", "effect_high", "verdict"),
    "pairs": ("policy", "other", "difference", "difference_low", "difference_high"),
    "ladder": ("rung", "figure", "figure_low", "figure_high"),
    "distances": ("table", "first", "second", "rms", "rms_low", "rms_high"),
    "targets": ("setting", "of", "metric", "before", "after"),
}


def shape_of_answer(main: pl.DataFrame) -> AnswerShape | None:
    """Return the shape of an answer, seen from its main table; None for one that the page does not draw."""
    return next((shape for shape, columns in _OF_ANSWERS.items() if set(columns) <= set(main.columns)), None)


def shape_of(table: pl.DataFrame) -> Shape | None:
    """Return the shape of a table, None for one that the page can only print."""
    for shape, columns in _WANTED.items():
        if all(name in table.columns for name in columns) and table.columns[0] != "n":
            return shape
    return None


def level_columns(table: pl.DataFrame) -> list[str]:
    """Return the columns that name a row: all before ``n`` (levels), the first (owners)."""
    before = table.columns[: table.columns.index("n")] if "n" in table.columns else table.columns[:1]
    return before[:1] if shape_of(table) == "owners" else before


def by_policy(table: pl.DataFrame) -> bool:
    """Say whether the rows of a table are policies: what was seated, not dealt or won."""
    return table.columns[:1] == ["policy"]


def label_of(table: pl.DataFrame) -> pl.Expr:
    """Return the name of each row, ``Rhodos B``: the texts of its naming columns."""
    return pl.concat_str([pl.col(name).cast(pl.String) for name in level_columns(table)], separator=" ")


def labelled(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with a column ``label`` in front; a level that nobody had (n = 0) is left out."""
    return table.filter(pl.col("n") > 0).select(label_of(table).alias("label"), pl.all())


def noun_of(name: str, table: pl.DataFrame) -> str:
    """Return what a row of the table ``name`` is: its first column, if the table's name is the plural of that."""
    first = table.columns[0].replace("_", " ")
    return first if plural(first) == name or name.endswith(f"{first}s") else f"{name.removesuffix('s')} {first}"
