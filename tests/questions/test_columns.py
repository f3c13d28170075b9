"""Every table of every written answer declares its columns; no renderer refers to interval columns by name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.columns import assert_declared
from wsim.document import POINTS, PROBABILITY, Column
from wsim.lab.answer import Stored
from wsim.questions.registry import question_of_format

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "tests" / "data" / "reading").glob("*.json"))
OF_POSITIONS = {"analyse_page.py", "play_pages.py", "seat_page.py"}
"""Pages of moves, which are not made of table rows."""


def answers() -> list[Path]:
    """Return the files of answers that earlier versions wrote."""
    formats = {path: json.loads(path.read_text(encoding="utf-8")).get("format", "") for path in RECORDS}
    return [path for path, name in formats.items() if question_of_format(name) is not None]


@pytest.mark.parametrize("path", answers(), ids=lambda path: path.stem)
def test_every_column_of_a_written_answer_is_declared(path: Path) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))
    question = question_of_format(record["format"])
    assert question is not None
    sheets = Stored(question.answer_class, path, record).document().tables
    assert sheets
    for sheet in sheets:
        assert_declared(f"{path.stem}: {sheet.title}", sheet)


def test_renderers_do_not_refer_to_interval_columns() -> None:
    renderers = [path for room in ("report", "cli", "workbench") for path in (ROOT / "wsim" / room).glob("*.py")]
    knowing = [path.name for path in renderers if re.search(r"_(low|high)\b", path.read_text(encoding="utf-8"))]
    assert set(knowing) <= OF_POSITIONS


@pytest.mark.parametrize("kind", [POINTS, PROBABILITY])
def test_a_unit_that_contradicts_the_column_kind_is_rejected(kind: object) -> None:
    with pytest.raises(ValueError, match="because its kind is"):
        Column("shrunk", kind, unit="of wins")  # type: ignore[arg-type]
