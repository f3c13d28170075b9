"""Several runs side by side: each run's figures, and differences from the first run with their intervals."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from wsim.document import CATEGORY, SHARE, Column, estimated, names
from wsim.stats.combined import side_by_side
from wsim.stats.tables import Table


def table(values: dict[str, float], half: float, figure: str = "win_difference") -> Table:
    rows = [
        {"card": card, "color": "red", "verdict": "unclear", figure: value, f"{figure}_low": value - half,
         f"{figure}_high": value + half}
        for card, value in values.items()
    ]  # fmt: skip
    declared = (
        *names(("card",)), Column("color", CATEGORY), Column("verdict", CATEGORY),
        estimated(figure, SHARE, heading="owners", difference=True),
    )  # fmt: skip
    return Table(pl.DataFrame(rows), "Cards", columns=declared, form="owners", labels=("card",))


def beside_of(*tables: Table) -> Any:
    made = side_by_side({f"run {number}": one for number, one in enumerate(tables)})
    assert made is not None
    return made


def test_rows_match_by_name_and_independent_errors_add_in_quadrature() -> None:
    made = beside_of(table({"A": 0.10, "B": 0.20, "C": 0.0}, 0.03), table({"B": 0.10, "A": 0.15}, 0.04))
    rows = {row["card"]: row for row in made.frame.to_dicts()}
    assert list(rows) == ["B", "A"]  # the largest difference first; C is not in both
    assert rows["B"]["win_difference_0"] == 0.20
    assert rows["B"]["win_difference_1"] == 0.10
    assert rows["B"]["win_difference_1_low"] == pytest.approx(0.06)
    assert rows["A"]["win_difference_difference_1"] == pytest.approx(0.05)
    low, high = (rows["A"][f"win_difference_difference_1_{end}"] for end in ("low", "high"))
    assert (low, high) == (pytest.approx(0.0), pytest.approx(0.10))  # 0.03 and 0.04 are 0.05
    assert made.frame.columns[:2] == ["card", "color"]  # categories stay, verdicts of single runs do not


def test_three_runs_are_compared_with_the_first() -> None:
    made = beside_of(*(table({"A": value}, 0.03) for value in (0.1, 0.3, 0.0)))
    headings = {column.name: column.heading for column in made.columns}
    assert headings["win_difference_2"] == "owners, run 2"
    assert headings["win_difference_difference_2"] == "run 2 minus run 0"
    assert made.frame["win_difference_difference_2"].item() == pytest.approx(-0.1)
    assert [chart.values for chart in made.charts] == [
        ("win_difference_difference_1",), ("win_difference_difference_2",),
    ]  # fmt: skip


def test_tables_without_common_figures_or_rows_are_not_compared() -> None:
    one = table({"A": 0.1}, 0.03)
    assert side_by_side({1: one, 2: table({"A": 0.1}, 0.03, "score")}) is None
    assert side_by_side({1: one, 2: table({"B": 0.1}, 0.03)}) is None
