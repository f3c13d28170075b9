"""The first line that a person at a terminal reads; a pipe gets only the tables."""

from __future__ import annotations

import polars as pl
import pytest

from wsim.cli import presenter
from wsim.document import Conclusion, Document, Sheet


@pytest.mark.parametrize(("terminal", "first"), [(True, "It is so."), (False, "A table")])
def test_the_conclusion_is_the_first_line_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: bool, first: str
) -> None:
    monkeypatch.setattr(presenter, "on_terminal", lambda: terminal)
    rows = [{"a": 1}]
    found = Conclusion("It is so.", "", clear=True)
    presenter._print(Document(pl.DataFrame(rows), [Sheet("A table", rows)], conclusion=found), wide=False)
    assert capsys.readouterr().out.splitlines()[0] == first
