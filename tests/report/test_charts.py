"""Charts as drawings: what is cut off their numbers, and what is not."""

from __future__ import annotations

import re

import polars as pl

from wsim.report.charts import scores


def test_places_are_short_and_names_are_whole() -> None:
    """Two policies that differ in the third digit of a parameter are drawn with names that differ, too."""
    names = ["random:explore=0.1234", "random:explore=0.1288"]
    rows = [(name, total, 5 + total) for name in names for total in range(40, 50)]
    counts = pl.DataFrame(rows, schema={"policy": pl.String, "total": pl.Int64, "n": pl.Int64}, orient="row")
    drawing = scores(counts, "how scores are spread")
    for svg in (drawing.wide, drawing.narrow):
        for name in names:
            assert name in svg
        paths = re.findall(r' d="([^"]*)"', svg)
        assert paths
        assert not re.search(r"\.\d{3}", " ".join(paths))
