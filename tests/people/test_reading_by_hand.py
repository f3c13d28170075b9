"""Files of games and their headings by hand: separators, the heading row, cells, JSON objects, names."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from wsim.errors import UserError
from wsim.people import reader
from wsim.people.headings import Headings, Names
from wsim.people.reader import _cell_text, _read_separated, _rows_of_json, _rows_of_object, _rows_of_trace, read

OWNED = ("card:", "stage:")
SHEET = Headings(
    "seven_wonders",
    ("wonder", "side", "total", "coins", "points_military", "policy", "win_share", "card:Altar", "card:Baths"),
    OWNED,
)


def rows_of(text: str) -> list[dict[str, Any]]:
    return _read_separated(text.encode(), SHEET, None).rows(named=True)


def test_the_separator_with_the_most_known_headings_is_chosen() -> None:
    """Cells may hold more of another one; without known headings the most frequent one separates."""
    lists = "wonder;total;built\nRhodos;50;Altar,Baths,Palace,Arena\n"
    assert rows_of(lists) == [{"row": 2, "wonder": "Rhodos", "total": "50", "built": "Altar,Baths,Palace,Arena"}]
    assert rows_of("x|y,z|w\n1|2|3\n")[0] == {"row": 2, "x": "1", "y,z": "2", "w": "3"}


def test_the_heading_row_is_the_one_with_the_most_known_headings() -> None:
    """Rows keep their number in the file, and rows that are wider than the headings their cells."""
    text = "Our evening,,\nwonder,,total,total\nRhodos,x,50\n\nGizah,y,40,41\n"
    assert rows_of(text) == [
        {"row": 3, "wonder": "Rhodos", "column 2": "x", "total": "50", "total (4)": None},
        {"row": 4, "wonder": None, "column 2": None, "total": None, "total (4)": None},
        {"row": 5, "wonder": "Gizah", "column 2": "y", "total": "40", "total (4)": "41"},
    ]
    assert next(iter(rows_of("row,wonder\n7,Rhodos\n"))) == {"row": 2, "row (1)": "7", "wonder": "Rhodos"}


def test_cells_are_read_as_typed() -> None:
    values: list[tuple[Any, str | None]] = [
        (None, None), ("", None), (52.0, "52"), (52.5, "52.5"), (7, "7"), (True, "True"), (1e15, "1000000000000000.0"),
        (float("nan"), "nan"), (0.0, "0"), (" x ", " x "),
    ]  # fmt: skip
    assert [_cell_text(value) for value, _ in values] == [text for _, text in values]


def test_parquet_lists_and_numbers_become_strings(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    pl.DataFrame({"row": [9, 8], "built": [["Altar", "Baths"], []], "total": [50, None]}).write_parquet(path)
    assert read(path, SHEET).rows(named=True) == [
        {"row": 1, "row (file)": "9", "built": "Altar;Baths", "total": "50"},
        {"row": 2, "row (file)": "8", "built": None, "total": None},
    ]


def test_files_that_are_too_large_or_of_a_different_kind_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.csv"
    path.write_text(f"wonder,total\n  Rhodos ,{'9' * 501}\n")
    (row,) = read(path, SHEET).rows(named=True)
    assert (row["wonder"], len(row["total"])) == ("Rhodos", 500)
    for bound, most in (("MAX_COLUMNS", 2), ("MAX_ROWS", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(reader, bound, most)
            with pytest.raises(UserError, match="has 1 rows and 3 columns"):
                read(path, SHEET)
    monkeypatch.setattr(reader, "MAX_COLUMNS", 3)
    assert read(path, SHEET).height == 1
    with pytest.raises(UserError, match="must end with one of"):
        read(tmp_path / "games.doc", SHEET)
    with pytest.raises(UserError, match="not text"):
        _read_separated(b"wonder\0", SHEET, None)
    assert rows_of("\ufeffwonder\nGiz\N{LATIN SMALL LETTER A WITH ACUTE}\n")[0]["wonder"] == "Giz\xe1"
    assert _read_separated("wonder\nGiz\xe1\n".encode("utf-16"), SHEET, None)["wonder"].to_list() == ["Giz\xe1"]
    assert _read_separated("wonder\nGiz\xe1\n".encode("cp1252"), SHEET, None)["wonder"].to_list() == ["Giz\xe1"]


def test_json_games_become_one_row_per_seat() -> None:
    seats = [{"total": 5}, {"total": 6, "date": "later"}]
    assert [*_rows_of_object({"date": "today", "players": seats}, 3, SHEET)] == [
        {"row": 3, "game": 3, "date": "today", "total": 5}, {"row": 3, "game": 3, "date": "later", "total": 6}
    ]  # fmt: skip
    assert [*_rows_of_object({"game": "g", "players": seats[:1]}, 3, SHEET)] == [{"row": 3, "game": "g", "total": 5}]
    assert [*_rows_of_object({"total": 5}, 3, SHEET)] == [{"row": 3, "total": 5}]
    with pytest.raises(UserError, match="game 3: players must be a list of objects, not 4"):
        [*_rows_of_object({"players": [4]}, 3, SHEET)]
    assert [row["row"] for row in _rows_of_json({"games": [{"total": 1}, {"total": 2}]}, SHEET)] == [1, 2]
    assert [*_rows_of_json({"total": 1}, SHEET)] == [{"row": 1, "total": 1}]
    for wrong in (4, [4], {"games": [4]}):
        with pytest.raises(UserError, match="a list of games or of rows"):
            [*_rows_of_json(wrong, SHEET)]


def test_a_trace_gives_the_scores_and_cards_of_each_seat() -> None:
    """Points by category but the total and coins; cards once each; who has a share of the victory won."""
    trace = {
        "ruleset": "1e", "seats": [{"wonder": "Rhodos", "policy": "net"}, {"wonder": "Gizah"}],
        "ages": [{"turns": [
            {"action": "build", "seat": 0, "card": "Altar"}, {"action": "sell", "seat": 1, "card": "Baths"},
            {"action": "build", "seat": 0, "card": "Altar"}, {"action": "build", "seat": 0, "card": "Baths"},
        ]}],
        "scores": [{"seat": 1, "total": 40, "military": 3, "coins": 5, "win_share": 0.0, "rank": 2, "detail": [1]},
                   {"seat": 0, "total": 50, "military": 9, "coins": 1, "win_share": 0.5, "rank": 1}],
    }  # fmt: skip
    second, first = _rows_of_trace(trace, 4)
    assert second == {
        "row": 4, "game": 4, "ruleset": "1e", "wonder": "Gizah", "seat": 1, "total": 40, "points_military": 3,
        "coins": 5, "built": "", "winner": False,
    }  # fmt: skip
    assert (first["built"], first["winner"], first["wonder"], "policy" in first) == (
        "Altar;Baths",
        True,
        "Rhodos",
        False,
    )
    bare = {"seats": [{}], "scores": [{"seat": 0, "total": 1}]}
    assert [*_rows_of_trace(bare, 1)] == [{"row": 1, "game": 1, "seat": 0, "total": 1}]
    with pytest.raises(UserError, match="game 2 is not a complete trace"):
        [*_rows_of_trace({"scores": [{"seat": 3}], "seats": []}, 2)]


def test_translated_and_misspelt_names_are_recognised() -> None:
    names = Names.with_words(("Palace", "Pantheon"), {"Palace": ["Palast", "Haus"], "Pantheon": ["Haus", "Tempel"]})
    assert [names.exact(text) for text in ("palace", "PALAST", "Haus", "x")] == ["Palace", "Palace", None, None]
    assert names.match("Palast") == ("Palace", "")
    assert names.match("Haus") == (None, "it may be Palace or Pantheon")
    assert names.match("Palasst") == ("Palace", "")
    name, said = names.match("Forum")
    assert name is None
    assert said.endswith(": Palace, Pantheon")
    many = Names.with_words([f"Card {number}" for number in range(13)], {})
    assert "Card 12" not in many.match("Forum")[1]


def test_headings_name_fields_items_and_seats() -> None:
    """A column of numbers called Military means its points; Place is a rank if it has only numbers, else a house."""
    assert SHEET.field("Total") == "total"
    assert SHEET.field("Military") == "points_military"
    assert SHEET.field("Altar") == "card:Altar"
    assert SHEET.field("stage:Altar") == "stage:Altar"
    assert SHEET.field("policy") is None
    numeric = {"Place", "Coins"}
    assert SHEET._field_of_column("Place", "Place", numeric) == "rank"
    assert SHEET._field_of_column("Place", "Place", ()) == "group"
    assert SHEET.guess(["Total", "Score", "Wonder"], ["side=Wonder"]) == {
        "Wonder": ("side", None), "Total": ("total", None)
    }  # fmt: skip
    wide = SHEET.guess(["Game", "Wonder 1", "Wonder 2", "Total 1", "Total 2"], ())
    assert wide["Wonder 2"] == ("wonder", 2)
    assert wide["Total 1"] == ("total", 1)
    given = SHEET.guess(["Brett 1", "Brett 2"], ["wonder = Brett"])
    assert given == {"Brett 1": ("wonder", 1), "Brett 2": ("wonder", 2)}
    for pair, said in (("wonder", "must be field=Heading"), ("wunder=A", "unknown field 'wunder'"),
                       ("wonder=B", "there is no column 'B'")):  # fmt: skip
        with pytest.raises(UserError, match=said):
            SHEET.guess(["A"], [pair])
    assert SHEET.is_game("68448", "?")
    assert not SHEET.is_game("1", "Chess")


def test_parquet_is_read_from_bytes() -> None:
    assert reader._read_parquet(_bytes(pl.DataFrame({"total": [1.5]})), SHEET, None).rows() == [(1, "1.5")]


def _bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
