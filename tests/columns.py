"""Checks on the columns of every table that wsim prints."""

from __future__ import annotations

from wsim.document import Sheet


def assert_declared(name: str, sheet: Sheet) -> None:
    """Assert that a sheet declares all its columns, each once, with both ends of every interval in its rows."""
    present = list(sheet.rows[0]) if sheet.rows else []
    declared = [column.name for column in sheet.declared]
    twice = sorted({column for column in declared if declared.count(column) > 1})
    assert not twice, f"{name}: declared twice: {twice}"
    columns = [column for column in sheet.columns if column.name in present]
    ends = {end for column in columns for end in column.ends or ()}
    assert ends <= set(present), f"{name}: ends of intervals are missing: {sorted(ends - set(present))}"
    assert set(present) - ends <= set(declared), f"{name}: not declared: {sorted(set(present) - ends - set(declared))}"
    headings = [(column.heading, column.kind) for column in columns]  # a wonder, and the points of its stages
    assert len(headings) == len(set(headings)), f"{name}: two columns have the same heading: {headings}"
    for column in columns:
        values = [row[column.name] for row in sheet.rows if row[column.name] is not None]
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        assert numbers or not column.kind.numeric, f"{name}: {column.name} contains no numbers"
    for chart in sheet.charts:
        assert {*chart.values, *chart.labels, *chart.over} <= set(present), (
            f"{name}: {chart.title} draws what is not there"
        )
