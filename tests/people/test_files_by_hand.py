"""Exports of other programs, printed sheets and conclusions about people's games, by hand."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from tests.people.test_reading_by_hand import SHEET
from wsim.errors import UserError
from wsim.people import reader, template
from wsim.people.combine.answer import CombineAnswer, combined_columns
from wsim.people.importing import Imported
from wsim.people.planning.answer import PlanningAnswer
from wsim.people.reader import _read_json, _read_workbook, _read_xml, _rows_of_board_game_stats, _text_frame

# --- exports of other programs --------------------------------------------------------------------------------------


def plays() -> dict[str, Any]:
    """Return an export with two plays of 7 Wonders and one of chess."""
    return {
        "players": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}], "locations": [{"id": 5, "name": "Home"}],
        "games": [{"id": 7, "bggId": 68448, "name": "7 Wonders"}, {"id": 8, "bggId": 171, "name": "Chess"}],
        "plays": [
            {"gameRefId": 7, "playDate": "2026-01-02", "locationRefId": 5, "playerScores": [
                {"playerRefId": 1, "score": "20+31", "role": "Rhodos", "winner": True},
                {"playerRefId": 2, "score": " 44 - 3", "team": "Gizah", "winner": False}]},
            {"gameRefId": 8, "playerScores": [{"playerRefId": 1, "score": "1"}]},
            {"gameRefId": 7, "playerScores": [{"playerRefId": 9, "score": "fifty"}, {"score": None, "winner": True}]},
        ],
    }  # fmt: skip


def test_plays_of_board_game_stats_are_read_by_seat() -> None:
    """Sums are worked out; unknown people and places have no name; plays keep their number in the file."""
    rows = [*_rows_of_board_game_stats(plays(), SHEET)]
    about = {"row": 1, "game": 1, "date": "2026-01-02", "group": "Home"}
    assert rows == [
        {**about, "player": "Ann", "wonder": "Rhodos", "winner": True, "total": 51},
        {**about, "player": "Bob", "wonder": "Gizah", "winner": False, "total": 41},
        {"row": 3, "game": 3, "date": None, "group": None, "player": None, "wonder": None, "winner": None,
         "total": "fifty"},
        {"row": 3, "game": 3, "date": None, "group": None, "player": None, "wonder": None, "winner": True, "total": ""},
    ]  # fmt: skip
    frame = _read_json(json.dumps(plays()).encode(), SHEET, None)
    assert frame.select("row", "total", "winner").rows() == [
        (1, "51", "True"), (1, "41", "False"), (3, "fifty", None), (3, None, "True")
    ]  # fmt: skip
    with pytest.raises(UserError, match="it is not an export of Board Game Stats: KeyError: 'playerScores'"):
        [*_rows_of_board_game_stats({**plays(), "plays": [{"gameRefId": 7}]}, SHEET)]
    with pytest.raises(UserError, match="it contains no plays of this game"):
        _read_json(json.dumps({**plays(), "games": []}).encode(), SHEET, None)


def test_json_may_have_one_object_in_each_line() -> None:
    text = b'{"total": 5, "built": ["Altar", "Baths"]}\n\n{"total": 6.0, "wonder": "Gizah"}\n'
    assert _read_json(text, SHEET, None).rows(named=True) == [
        {"row": 1, "total": "5", "built": "Altar;Baths", "wonder": None},
        {"row": 2, "total": "6", "built": None, "wonder": "Gizah"},
    ]
    for wrong, line in ((b'{"total": 5}\n\nfive\n', 3), (b'[\n{"total": 5},\n{"total"},\n]', 3), (b"five", 1)):
        with pytest.raises(ValueError, match=f"line {line} is not JSON"):
            _read_json(wrong, SHEET, None)


XML = """<plays><play date="2026-01-02" location="Home"><item objectid="68448" name="7 Wonders"/><players>
<player name="Ann" username="a" startposition="2" color="Rhodos" score="51" win="1"/>
<player name="" username="bob" startposition="left" color="Gizah" score="40" win="0"/></players></play>
<play><item objectid="171" name="Chess"/><players><player name="Ann" score="1"/></players></play><play/>
<play><item objectid="68448" name="x"/><players><player name="Cy"/></players></play></plays>"""


def test_plays_of_board_game_geek_are_read_by_seat() -> None:
    frame = _read_xml(XML.encode(), SHEET, None)
    assert frame.columns == ["row", "game", "date", "group", "player", "wonder", "total", "winner", "seat"]
    assert frame.rows() == [
        (1, "1", "2026-01-02", "Home", "Ann", "Rhodos", "51", "1", "2"),
        (1, "1", "2026-01-02", "Home", "bob", "Gizah", "40", "0", None),
        (4, "4", None, None, "Cy", None, None, None, None),
    ]
    for text, said in (
        ("<plays", "it is not XML"), ("<!DOCTYPE a><a/>", "XML with a document type is not read"),
        ("<!\n entity><a/>", "XML with a document type"), ("<plays/>", "no plays of this game"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=said):
            _read_xml(text.encode(), SHEET, None)


def test_parsed_files_may_not_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_PARSED", len(XML))
    assert _read_xml(XML.encode(), SHEET, None).height == 3
    assert _read_json(b"[" + b'{"total": 1}'.ljust(len(XML) - 2) + b"]", SHEET, None).height == 1
    with pytest.raises(UserError, match="XML may have at most"):
        _read_xml(XML.encode() + b" ", SHEET, None)
    with pytest.raises(UserError, match="JSON may have at most"):
        _read_json(b" " * (len(XML) + 1), SHEET, None)
    monkeypatch.setattr(reader, "MAX_ROWS", 2)
    assert _text_frame([{"row": 1, "a": 1}] * 2).height == 2
    with pytest.raises(UserError, match="it has 3 rows: at most 2 are imported"):
        _text_frame([{"row": 1, "a": 1}] * 3)


def archive(content: bytes = b"x") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("sheet", content)
    return buffer.getvalue()


class Book:
    """A workbook with two sheets, in place of python_calamine."""

    CalamineError = KeyError
    sheet_names: tuple[str, ...] = ("Notes", "Games")
    rows: tuple[list[Any], ...] = (["Our games", ""], ["wonder", "total"], ["Rhodos", 51.0], ["", None])
    width, height = 2, 4

    def load_workbook(self, _content: Any) -> Any:
        return self

    def get_sheet_by_name(self, name: str) -> Any:
        return SimpleNamespace(
            width=self.width, height=self.height,
            to_python=lambda skip_empty_area: [] if name == "Notes" or skip_empty_area else [*self.rows],
        )  # fmt: skip


def test_a_sheet_of_a_workbook_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "find_spec", lambda _name: True)
    monkeypatch.setattr(reader, "import_module", lambda _name: Book())
    assert _read_workbook(archive(), SHEET, "Games").rows(named=True) == [
        {"row": 3, "wonder": "Rhodos", "total": "51"}, {"row": 4, "wonder": None, "total": None}
    ]  # fmt: skip
    with pytest.raises(UserError, match="it has no rows"):
        _read_workbook(archive(), SHEET, None)
    with pytest.raises(UserError, match="it has no sheet 'Game': it has 'Notes', 'Games'"):
        _read_workbook(archive(), SHEET, "Game")
    with pytest.raises(UserError, match="it is not a workbook"):
        _read_workbook(b"not packed", SHEET, None)
    for name, value in (("width", reader.MAX_COLUMNS + 1), ("height", reader.MAX_ROWS + 1)):
        with monkeypatch.context() as patch:
            patch.setattr(Book, name, value)
            with pytest.raises(UserError, match=r"its sheet has .* rows and .* columns"):
                _read_workbook(archive(), SHEET, "Games")
    monkeypatch.setattr(Book, "width", reader.MAX_COLUMNS)
    assert _read_workbook(archive(), SHEET, "Games").height == 2
    monkeypatch.setattr(reader, "MAX_BYTES", 1 << 20)
    assert _read_workbook(archive(b" " * (1 << 20)), SHEET, "Games").height == 2
    with pytest.raises(UserError, match="it unpacks to 1 MiB, but at most 1 MiB are read"):
        _read_workbook(archive(b" " * ((1 << 20) + 1)), SHEET, "Games")
    monkeypatch.setattr(reader, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match="workbooks need an extra"):
        _read_workbook(archive(), SHEET, None)


# --- sheets to fill in ----------------------------------------------------------------------------------------------

SCHEMA: dict[str, Any] = {
    "game": pl.UInt64, "wonder": pl.Enum(["Gizah", "R&D"]), "side": pl.Enum(["A", "B"]), "policy": pl.Enum(["net"]),
    "points_military": pl.Int16, "points_of_gods": pl.Int16, "total": pl.Int16, "coins": pl.Int16,
}  # fmt: skip
PLAN: Any = SimpleNamespace(game="mine", players=3, ruleset="1e")


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the game be one of two boards and two kinds of points."""
    monkeypatch.setattr(template, "seats_schema", lambda _simulator: SCHEMA)
    monkeypatch.setattr(template, "find_game", lambda _name: SimpleNamespace(TITLE="Mine", prepare=lambda _plan: None))


@pytest.mark.usefixtures("mine")
def test_a_sheet_to_fill_in_has_a_row_for_each_seat_of_three_games(tmp_path: Path) -> None:
    template.write_template(tmp_path / "sheet.CSV", PLAN)
    rows = [*csv.reader((tmp_path / "sheet.CSV").read_text().splitlines())]
    assert rows[0] == [
        "game", "date", "group", "player", "wonder", "side", "points_military", "points_of_gods", "total", "coins"
    ]  # fmt: skip
    assert rows[1:] == [[str(game), *[""] * 9] for game in (1, 1, 1, 2, 2, 2, 3, 3, 3)]
    with pytest.raises(UserError, match="already exists: choose another name"):
        template.write_template(tmp_path / "sheet.CSV", PLAN)
    with pytest.raises(UserError, match=r"must be a \.csv file to fill in or an \.html file to print"):
        template.write_template(tmp_path / "sheet.txt", PLAN)
    assert template._score_fields({"total": pl.Int16()}) == ["total"], "coins only where there are some"


@pytest.mark.usefixtures("mine")
def test_a_printed_sheet_has_a_line_for_each_field(tmp_path: Path) -> None:
    template.write_template(tmp_path / "sheet.html", PLAN)
    page = (tmp_path / "sheet.html").read_text()
    assert page.count("<section>") == 3
    assert page.count("<h1>Mine, 1e: game ____</h1>") == 3
    assert "<p>wonder: Gizah, R&amp;D</p><p>side: A, B</p>" in page
    first = page.split("<section>")[1]
    assert first.count("<tr>") == 1 + 7
    assert "<tr><th></th><th>seat 0</th><th>seat 1</th><th>seat 2</th></tr><tr><th>player</th>" in first
    assert "<tr><th>of gods</th><td></td><td></td><td></td></tr>" in first


@pytest.mark.usefixtures("mine")
def test_a_schedule_lists_games_and_fills_in_their_boards(tmp_path: Path) -> None:
    boards = [{"wonder": "Gizah", "side": "A"}, {"wonder": "R&D", "side": "B"}, {"wonder": "Gizah", "side": "B"}]
    with pytest.raises(UserError, match=r"a printable schedule must be an \.html file"):
        template.write_schedule(tmp_path / "plan.csv", PLAN, [])
    template.write_schedule(tmp_path / "plan.html", PLAN, [[boards, boards[::-1]], [boards]])
    page = (tmp_path / "plan.html").read_text().split("<section>")
    assert len(page) == 1 + 1 + 3
    assert "<th>evening</th><th>game</th><th>seat 0</th><th>seat 1</th><th>seat 2</th><th>played</th>" in page[1]
    assert "<tr><td>1</td><td>2</td><td>Gizah B</td><td>R&amp;D B</td><td>Gizah A</td>" in page[1]
    assert "<tr><td>2</td><td>1</td><td>Gizah A</td>" in page[1]
    assert "evening 1, game 2</h1>" in page[3]
    assert "<tr><th>wonder</th><td>Gizah</td><td>R&amp;D</td><td>Gizah</td></tr>" in page[3]
    assert "<tr><th>side</th><td>B</td><td>B</td><td>A</td></tr>" in page[3]
    assert "<tr><th>total</th><td></td><td></td><td></td></tr>" in page[3]


# --- what is said about them ----------------------------------------------------------------------------------------


def stored(rows: pl.DataFrame, **record: Any) -> Any:
    return SimpleNamespace(table=lambda _name: rows, record=record)


def test_clear_rows_and_the_weight_of_peoples_games() -> None:
    """Shares of 0.5, 0.1 and 0.2 for 1, 3 and 1 seats: 1 of 5."""
    rows = pl.DataFrame({"wonder": ["Gizah", "Rhodos", "Olympia"], "side": ["A", "B", "A"], "n": [1, 3, 1],
                         "share": [0.5, 0.1, 0.2], "verdict": ["higher", "unclear", "lower"]})  # fmt: skip
    said = CombineAnswer.conclusion(stored(rows))
    assert said is not None
    assert said.headline == "2 of 3 rows are clear; people's games count for 20% of estimates."
    assert (said.detail, said.clear) == ("Gizah A is higher; Olympia A is lower.", True)
    none = CombineAnswer.conclusion(stored(rows[1:2].with_columns(n=0)))
    assert none is not None
    assert (none.headline[:14], none.detail, none.clear) == ("0 of 1 rows ar", "", False)


def test_columns_of_combined_estimates() -> None:
    named = [column.name for column in combined_columns("win", difference=False)]
    assert named == ["wonder", "side", "n", "combined", "share", "verdict", "simulated", "people"]
    cards = combined_columns("score", difference=True, noun="card")
    assert (cards[0].name, cards[1].about) == ("card", "seats of people that built the card")
    assert [column.difference for column in cards if column.name in ("combined", "simulated", "people")] == [True] * 3


def test_unclear_rows_and_the_nearest_of_them() -> None:
    rows = pl.DataFrame({"wonder": ["Gizah", "Rhodos", "Olympia", "Babylon"], "n": [1, 3, 1, 2],
                         "games": [40, 0, None, 1200]})  # fmt: skip
    said = PlanningAnswer.conclusion(stored(rows, stop_after=3))
    assert said is not None
    assert said.headline == "3 of 4 rows are unclear; stop after 3 evenings."
    assert (said.detail, said.clear) == ("Gizah is the nearest to being clear: 40 games of it.", False)
    done = PlanningAnswer.conclusion(stored(rows[1:3], stop_after=0))
    assert done is not None
    assert (done.headline, done.detail) == (
        "1 of 2 rows are unclear, and another evening would hardly help.", ""
    )  # fmt: skip


def test_notes_say_how_files_were_read() -> None:
    problems = pl.DataFrame({"game": [1, 1, 2]})
    spellings = {f"Haus {number}": "Palace" for number in range(21)}
    notes = Imported(
        [], {"a.csv": {"Brett": "wonder", "Punkte": "total"}}, {"a.csv": ["x", "y"], "b.csv": []}, spellings, problems,
        2,
    ).notes  # fmt: skip
    assert notes[:2] == ["a.csv: wonder = 'Brett', total = 'Punkte'", "a.csv: not read: 'x', 'y'"]
    assert notes[2].startswith("Read by spelling or language: 'Haus 0' as Palace, ")
    assert notes[2].count("Palace") == 20
    assert notes[2].endswith(", ...")
    assert notes[3] == "Left out: 2 games with 3 mistakes"
    plain = Imported(cast("Any", []), {}, {}, {"Haus": "Palace"}, problems, 0).notes
    assert plain == ["Read by spelling or language: 'Haus' as Palace"]
