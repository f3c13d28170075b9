"""Verdicts in words, tables of several runs as one, partners of a thing: small cases by hand."""

from __future__ import annotations

import numpy as np
import polars as pl

from wsim import stats
from wsim.stats.intervals import verdicts
from wsim.stats.tables import Table


def test_a_verdict_names_the_side_where_the_q_value_is_small_enough() -> None:
    values, q = [1.2, 0.8, 1.2, np.nan, 1.5], [0.01, 0.04, 0.06, 0.01, np.nan]
    assert verdicts(values, q, 1.0).to_list() == ["higher", "lower", "unclear", None, None]
    assert verdicts(values[:2], [0.02, 0.04], 1.0, level=0.99).to_list() == ["unclear", "unclear"]
    assert verdicts([0.5], [0.0]).to_list() == ["higher"]
    assert verdicts([-0.5], [0.09], level=0.9).to_list() == ["lower"]


def test_factor_verdicts_compare_with_the_fair_share() -> None:
    """Seat 0 wins every game of three: it is higher, the others lower, though no share is below 0."""
    seats = pl.DataFrame(
        {
            "game": np.repeat(np.arange(60), 3).astype(np.uint64),
            "seat": np.tile(np.arange(3), 60).astype(np.uint8),
            "win_share": np.where(np.tile(np.arange(3), 60) == np.repeat(np.arange(60) % 10 == 0, 3), 1.0, 0.0),
            "total": np.tile([3.0, 2.0, 1.0], 60),
        }
    )
    frame = stats.factor(seats, "seat").frame
    assert dict(frame.select("seat", "verdict").iter_rows()) == {0: "higher", 1: "lower", 2: "lower"}


def test_tables_of_runs_are_combined_row_by_row_in_the_order_of_the_first() -> None:
    first = Table(pl.DataFrame({"name": ["b", "a"], "x": [2.0, 1.0]}), "T", "N.")
    second = Table(pl.DataFrame({"name": ["a", "c", "b"], "x": [5.0, 7.0, 6.0]}), "T", "N.")
    found = stats.stack({3: first, 4: second}, "players").frame
    assert found.columns == ["name", "players", "x"]
    assert found.rows() == [("b", 3, 2.0), ("b", 4, 6.0), ("a", 3, 1.0), ("a", 4, 5.0), ("c", 4, 7.0)]


def test_rows_only_in_later_tables_follow_in_their_order() -> None:
    """``d`` stands before ``c`` in the second table, behind it in the third, which has a row less."""
    names = {3: "bab", 4: "xadcb", 5: "ced"}
    tables: dict[object, Table] = {
        value: Table(pl.DataFrame({"name": list(text), "x": list(range(len(text)))}), "T", "N.")
        for value, text in names.items()
    }
    found = stats.stack(tables, "run").frame
    assert ["".join(map(str, row[:2])) for row in found.rows()] == [
        *("b3", "b3", "b4", "a3", "a4"),  # a name that stands twice in a table keeps its order there
        *("x4", "d4", "d5", "c4", "c5", "e5"),
    ]
    assert found["x"].to_list() == [0, 2, 4, 1, 1, 0, 2, 2, 3, 0, 1]


def test_partners_come_second_and_pairs_without_them_are_omitted() -> None:
    rng = np.random.default_rng(3)
    seats = pl.DataFrame(
        {
            "game": np.repeat(np.arange(300), 4).astype(np.uint64),
            "seat": np.tile(np.arange(4), 300).astype(np.uint8),
            "rank": np.ones(1200, np.uint8),
            "win_share": np.tile([1.0, 0.0, 0.0, 0.0], 300),
            "total": rng.normal(50, 5, 1200),
            **{f"has:{name}": rng.random(1200) < 0.5 for name in "ABCD"},
        }
    )
    every, one, two = (
        stats.owner_pairs(seats, "has:", noun="thing", partners_of=names).frame for names in ((), ("C",), ("B", "C"))
    )
    pairs = [[(row["thing"], row["other"]) for row in frame.to_dicts()] for frame in (every, one, two)]
    assert len(pairs[0]) == 6
    assert sorted(pairs[1]) == [("C", "A"), ("C", "B"), ("C", "D")]
    assert sorted(pairs[2]) == [("B", "A"), ("B", "C"), ("B", "D"), ("C", "A"), ("C", "D")]
