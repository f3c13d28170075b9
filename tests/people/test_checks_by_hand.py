"""Rows of people's games by hand: grouping into games, valid values, the resulting seats table."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from wsim.errors import UserError
from wsim.people import checks
from wsim.people.checks import Problems, Sheet, arranged
from wsim.people.headings import Headings
from wsim.people.importing import CODES, _codes_of_names, _numeric_columns, _with_game_numbers, seats_table

SCHEMA: dict[str, Any] = {
    "game": pl.UInt64, "seat": pl.UInt8, "policy": pl.Enum(["net"]), "rank": pl.UInt8, "win_share": pl.Float32,
    "wonder": pl.Enum(["Gizah", "Rhodos"]), "side": pl.Enum(["A", "B"]), "total": pl.Int16, "coins": pl.Int16,
    "points_military": pl.Int16, "points_civilian": pl.Int16, "card:Altar": pl.Boolean, "card:Baths": pl.Boolean,
}  # fmt: skip
SCHEMA = {name: kind if isinstance(kind, pl.DataType) else kind() for name, kind in SCHEMA.items()}
HEADINGS = Headings("seven_wonders", tuple(SCHEMA), ("card:",))


def sheet_of(games: list[int], team_size: int = 1, **columns: list[str | None]) -> Sheet:
    """Return a sheet of game rows; columns with fewer values are repeated."""
    count = len(games)
    texts = {name: pl.Series(name, [*values] * (count // len(values)), pl.String) for name, values in columns.items()}
    rows = pl.DataFrame({"file": ["f.csv"] * count, "row": range(2, count + 2), "game": games, **texts})
    return Sheet(rows.with_columns(pl.col("game").cast(pl.UInt32)), HEADINGS, SCHEMA, team_size=team_size)


def problems_of(games: list[int], team_size: int = 1, **columns: list[str | None]) -> list[str]:
    sheet = sheet_of(games, team_size, **columns)
    sheet.check()
    return sheet.problems.sentences()


def test_numbers_are_whole_and_within_their_bounds() -> None:
    sheet = sheet_of([0] * 6, total=["52.0", "1 000", "\u221260", "400", "401", "x"])
    sheet.check()
    assert sheet.rows["total"].to_list() == [52, 1000, -60, 400, 401, None]
    assert sheet.problems.sentences() == [
        f"row {row}, total {value!r}: it must be a whole number from -60 to 400"
        for row, value in ((3, "1 000"), (6, "401"), (7, "x"))
    ]
    assert problems_of([0] * 4, total=["1"], coins=["0", "1000", "-1", "1001"]) == [
        f"row {row}, coins {value!r}: it must be a whole number from 0 to 1000"
        for row, value in ((4, "-1"), (5, "1001"))
    ]  # fmt: skip
    assert problems_of([0] * 2, total=["1"], seat=["20", "21"]) == [
        "row 3, seat '21': it must be a whole number from 0 to 20"
    ]


def test_a_row_needs_a_score_or_all_its_categories() -> None:
    """Of three rows two add up, so the categories are the whole score: the third is wrong, and a missing total is 9."""
    sheet = sheet_of([0] * 4, points_military=["5", "6", "7", None], points_civilian=["4", "4", None, "9"],
                     total=["9", "10", "8", None])  # fmt: skip
    sheet.check()
    assert sheet.complete
    assert sheet.problems.sentences() == ["row 4, total '8': the categories sum to 7"]
    assert sheet.rows["total"].to_list() == [9, 10, 8, 9]
    assert sheet.rows["points_civilian"].to_list() == [4, 4, 0, 9], "empty next to others counts 0"
    assert problems_of([0] * 2, total=["9", None]) == ["row 3, total '': there is no score"]
    assert problems_of([0] * 2, points_military=["5", "7"], total=["9", "6"]) == [
        "row 3, total '6': the categories sum to 7"
    ], "of some categories the sum is no more than the total"  # fmt: skip


def test_names_are_matched_and_a_wonder_may_include_its_side() -> None:
    sheet = sheet_of([0, 0, 1, 1, 2], wonder=["Gizah (B)", "rhodos - a", "Gizeh", "Rhodos", "Petra"], total=["9"])
    sheet.check()
    assert sheet.rows["wonder"].to_list() == ["Gizah", "Rhodos", "Gizah", "Rhodos", None]
    assert sheet.rows["side"].to_list() == ["B", "A", None, None, None]
    (problem,) = sheet.problems.sentences()
    assert problem.startswith("row 6, wonder 'Petra': ")
    assert sheet.spellings["Gizeh"] == "Gizah"
    assert "Rhodos" not in sheet.spellings
    both = sheet_of([0, 0], wonder=["Gizah (B)", "Rhodos A"], side=["A", None], total=["9"])
    both.check()
    assert both.rows["side"].to_list() == ["A", "A"], "a column of sides wins over the cell"


def test_rows_of_a_game_must_agree() -> None:
    games = [0, 0, 1, 1]
    assert problems_of(games, total=["9"], players=["2", None, "3", "3"]) == [
        f"row {row}, players '3': its game has 2 seats" for row in (4, 5)
    ]
    assert problems_of(games, total=["9"], wonder=["Gizah", "Rhodos", "Gizah", "Gizah"]) == [
        f"row {row}, wonder 'Gizah': two seats in its game have this wonder" for row in (4, 5)
    ]
    assert problems_of(games, total=["9"], player=["Ann", "Bob", "Ann", "Ann"]) == [
        f"row {row}, player 'Ann': two seats in its game have this player" for row in (4, 5)
    ]
    assert problems_of(games, total=["9"], player=["Guest", "Guest", "?", "?"]) == []
    assert problems_of(games, total=["9", "8", "7", "7"], winner=["yes", "won", "x", "y"]) == [
        "row 3, winner '8': another seat in its game has 9 points"
    ]
    assert problems_of(games, total=["9"], winner=["yes", "no", "maybe", None]) == [
        "row 4, winner 'maybe': it must be yes or no"
    ]
    assert problems_of([0] * 4, total=["9", "7", "7", "5"], rank=["1", "3", "2", "3"]) == [
        "row 5, rank '3': by score, the seat has rank 4"
    ], "of two equal scores either may be second"  # fmt: skip


def test_team_mates_must_sit_next_to_each_other() -> None:
    """Four seats, two a team; round the table the last is next to the first."""
    right: dict[str, list[str | None]] = {"total": ["9"], "team": ["x", "y", "y", "x"], "seat": ["0", "1", "2", "3"]}
    assert problems_of([0] * 4, 2, **right) == []
    right["team"] = ["x", "y", "x", "y"]
    assert problems_of([0] * 4, 2, **right) == [
        f"row {seat + 2}, seat '{seat}': partners must sit next to each other" for seat in range(4)
    ]
    right["team"] = ["x", "y", "x", "x"]
    assert problems_of([0] * 4, 2, **right) == [
        f"row {row}, team {team!r}: it has {count} seats in its game, not 2"
        for row, team, count in ((2, "x", 3), (3, "y", 1), (4, "x", 3), (5, "x", 3))
    ]
    won: dict[str, list[str | None]] = {"total": ["5", "9", "6", "9"], "winner": ["x", "x", "n", "n"]}
    assert problems_of([0] * 4, 2, team=["x", "x", "y", "y"], **won) == [
        f"row {row}, winner '14': another team in its game has 15 points" for row in (2, 3)
    ]  # fmt: skip
    with pytest.raises(UserError, match="played in teams of 2: add a column team"):
        problems_of([0] * 4, 2, total=["9"])


def test_item_lists_become_one_column_per_item() -> None:
    """Nobody recorded any in game 1, so they are unknown."""
    sheet = sheet_of([0, 0, 1, 1], total=["9"], built=["Altar; Baths", None, None, None])
    sheet.check()
    assert sheet.rows["card:Altar"].to_list() == [True, False, None, None]
    assert sheet.rows["card:Baths"].to_list() == [True, False, None, None]
    sheet = sheet_of([0, 0], total=["9"], built=["Altar|Alter,Altar", "Xyzzy"])
    sheet.check()
    assert sheet.rows["card:Altar"].to_list() == [True, False]
    assert sheet.rows["card:Baths"].to_list() == [False, False]
    (problem,) = sheet.problems.sentences()
    assert problem.startswith("row 3, built 'Xyzzy': ")


def test_problems_are_listed_in_file_order_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pl.DataFrame({"file": ["b", "a", "a"], "row": [1, 9, 2], "game": [0, 1, 2], "x": ["p", "q", "r"]})
    problems = Problems()
    problems.add(rows, pl.lit(True), "x", pl.col("x"), "no")
    problems.add(rows, pl.col("x") == "q", "x", pl.col("x"), "no")
    assert problems.sentences() == ["a row 2, x 'r': no", "a row 9, x 'q': no", "b row 1, x 'p': no"]
    monkeypatch.setattr(checks, "MAX_LISTED", 2)
    assert problems.sentences()[2:] == ["... and 1 more"]
    monkeypatch.setattr(checks, "MAX_LISTED", 3)
    assert len(problems.sentences()) == 3


# --- which rows are one game


def tables(frame: pl.DataFrame, columns: dict[str, tuple[str, int | None]], players: int | None = None) -> list[Any]:
    return arranged(frame.with_row_index("row", offset=2), columns, "f.csv", players)["table"].to_list()


def test_rows_are_grouped_by_game_number_player_count_or_empty_rows() -> None:
    seats = pl.DataFrame({"g": ["x", "x", "y"], "t": ["1", "2", "3"]})
    own: dict[str, tuple[str, int | None]] = {"t": ("total", None)}
    assert tables(seats, {"g": ("game", None), **own}) == ["x", "x", "y"]
    assert tables(seats, own, 2) == ["0", "0", "1"]
    assert tables(seats.with_columns(p=pl.lit("2")), {**own, "p": ("players", None)}) == ["0", "0", "1"]
    blank = pl.DataFrame({"t": ["1", "2", None, "3", None, None, "4"]})
    assert tables(blank, own) == ["0", "0", "1", "3"]
    with pytest.raises(UserError, match=r"'f.csv' has one row per seat, but no column identifies the game"):
        tables(seats, own)
    with pytest.raises(UserError, match=r"'f.csv' has no rows"):
        tables(blank.filter(pl.col("t").is_null()), own, 2)


def test_a_row_per_game_has_numbered_columns_per_seat() -> None:
    """The own column of a seat wins over one that all share; seats without anything are none."""
    frame = pl.DataFrame({"when": ["May", "June"], "a": ["5", "6"], "b": ["7", None], "w": ["Gizah", "Gizah"],
                          "w2": ["Rhodos", None]}).with_row_index("row", offset=2)  # fmt: skip
    columns = {"when": ("date", None), "a": ("total", 0), "b": ("total", 1), "w": ("wonder", None), "w2": ("wonder", 1)}
    made = arranged(frame, columns, "f.csv", None)
    assert made.select("row", "date", "wonder", "total", "table", "file").rows() == [
        (2, "May", "Gizah", "5", "2", "f.csv"), (2, "May", "Rhodos", "7", "2", "f.csv"),
        (3, "June", "Gizah", "6", "3", "f.csv"),
    ]  # fmt: skip


def test_games_are_numbered_in_order_and_people_are_coded() -> None:
    rows = pl.DataFrame(
        {"file": ["b", "a", "b", "a"], "table": ["1", "1", "2", "1"], "player": ["Ann", "ann", None, "Bob"]}
    )
    numbered = _with_game_numbers(rows)
    assert numbered.select("game", "file", "player").rows() == [
        (0, "b", "Ann"), (1, "a", "ann"), (1, "a", "Bob"), (2, "b", None)
    ]  # fmt: skip
    letter = CODES["player"]
    assert _codes_of_names(numbered) == {"player": {"Ann": f"{letter}1", "ann": f"{letter}1", "Bob": f"{letter}2"}}
    numbers = pl.DataFrame(
        {"a": ["1", "-2,5", None], "b": ["1", "x", "2"], "c": pl.Series([None] * 3, dtype=pl.String)}
    )
    assert _numeric_columns(numbers, ["a", "b", "c"]) == {"a"}


# --- the seats table


def test_ranks_and_shares_follow_from_what_is_known() -> None:
    """Game 0: equal totals, the winner is named; game 1: three share the victory; game 2: more coins decide."""
    sheet = sheet_of([0, 0, 0, 1, 1, 1, 2, 2, 2], total=["9", "9", "5", "7", "7", "7", "8", "8", "8"],
                     coins=["0", "0", "0", "1", "1", "1", "2", "3", "1"],
                     winner=["no", "yes", "no", None, None, None, None, None, None])  # fmt: skip
    sheet.check()
    table, left = seats_table(sheet, {})
    assert table["rank"].to_list() == [2, 1, 3, 1, 1, 1, 2, 1, 3]
    assert table["win_share"].to_list() == pytest.approx([0, 1, 0, 1 / 3, 1 / 3, 1 / 3, 0, 1, 0])
    assert (table["game"].to_list(), table["seat"].to_list(), left) == ([0] * 3 + [1] * 3 + [2] * 3, [0, 1, 2] * 3, {})
    assert table["coins"].to_list() == [0, 0, 0, 1, 1, 1, 2, 3, 1]


def test_columns_with_gaps_are_omitted_and_seats_are_sorted() -> None:
    sheet = sheet_of([0] * 2, seat=["2", "1"], total=["9", "8"], coins=["1", None], points_military=["1", "1"],
                     player=["Ann", None])  # fmt: skip
    sheet.check()
    table, left = seats_table(sheet, {"player": {"Ann": "p1", "Bob": "p2"}})
    assert left == {"coins": 1}
    assert table.select("seat", "total", "player").rows() == [(0, 8, "unknown"), (1, 9, "p1")]
    assert table["player"].dtype == pl.Enum(["p1", "unknown"])
    assert table["points_military"].to_list() == [1, 1]


def test_partners_share_rank_and_victory() -> None:
    """Totals 5 + 9 against 6 + 9; without numbers of seats partners are put together."""
    sheet = sheet_of([0] * 4, 2, team=["x", "y", "x", "y"], total=["5", "6", "9", "9"])
    sheet.schema = {**SCHEMA, "team": pl.UInt8()}
    sheet.check()
    table, _ = seats_table(sheet, {})
    assert table.select("total", "team", "rank", "win_share").rows() == [
        (5, 0, 2, 0), (9, 0, 2, 0), (6, 1, 1, 1), (9, 1, 1, 1)
    ]  # fmt: skip
    round_table = sheet_of([0] * 4, 2, team=["x", "y", "y", "x"], total=["5", "6", "9", "9"], seat=["0", "1", "2", "3"])
    round_table.schema = sheet.schema
    round_table.check()
    assert seats_table(round_table, {})[0]["total"].to_list() == [9, 5, 6, 9], "partners at both ends turn round"
