"""The readers of card file values at the edges of their ranges, and patches of lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wsim.errors import UserError
from wsim.spec.faces import plain_faces
from wsim.spec.fields import (
    Problems,
    Reader,
    choice,
    dotted,
    entries,
    flag,
    identifier,
    listing,
    numbers,
    record,
    schema_of,
    text,
    whole,
    word,
    words,
)
from wsim.spec.layers import Grammar, Layers, parse_change, path_of
from wsim.spec.rows import read_row, read_rows


def read(reader: Reader, value: Any, path: tuple[str, ...] = ("cards", "Altar")) -> Any:
    """Return the value that a reader returns, or its error messages."""
    problems = Problems("mine.toml")
    result = reader(problems, path, value)
    return [sentence.partition(": ")[2] for sentence in problems.sentences] if problems.sentences else result


@dataclass(frozen=True)
class Pair:
    one: int
    two: int = 2


PAIR = record(Pair, {"one": whole(0, 9)}, {"two": whole(0, 9)})
TWO = entries({"a": whole(0, 9)}, whole(0, 9), count=2)
TWELVE, TO_12 = "abcdefghijkl", "is not accepted; accepted: 1 to 12 items"
TWO_NUMBERS = "is not accepted; accepted: a list of 2 whole numbers from 0 to 9"
NUMBER_1_TO_3 = "is not accepted; accepted: a whole number from 1 to 3"


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        (whole(1, 3), 1, 1), (whole(1, 3), 3, 3), (whole(1, 3), 0, [f"0 {NUMBER_1_TO_3}"]),
        (whole(1, 3), 4, [f"4 {NUMBER_1_TO_3}"]), (whole(1, 3), True, [f"true {NUMBER_1_TO_3}"]),
        (whole(1, 3), {}, [f"a table {NUMBER_1_TO_3}"]), (whole(1, 3), [1], [f"the list [1] {NUMBER_1_TO_3}"]),
        (whole(2, 2), 3, ["3 is not accepted; accepted: 2"]),
        (choice(1, 4), 4, 4), (choice(1, 4), 2, ["2 is not accepted; accepted: 1, 4"]),
        (choice(0, 1), True, ["true is not accepted; accepted: 0, 1"]),
        (flag, False, False), (flag, 1, ["1 is not accepted; accepted: true, false"]),
        (text, "a b", "a b"), (text, " ", ["' ' is not accepted; accepted: words in quotes, on one line"]),
        (text, "a\nb", ["'a\\nb' is not accepted; accepted: words in quotes, on one line"]),
        (identifier, "a-b_9" + "x" * 35, "a-b_9" + "x" * 35),
        (identifier, "x" * 41, [f"{'x' * 41!r} is not accepted; accepted: at most 40 letters, digits, - and _"]),
        (identifier, "a b", ["'a b' is not accepted; accepted: at most 40 letters, digits, - and _"]),
        (word("age", ["I", "II"]), "II", "II"), (word("age", ["I", "II"]), 3, ["3 is not an age; accepted: I, II"]),
        (word("color", ["red"]), 3, ["3 is not a color; accepted: red"]),
        (word("color", ["red"]), "rde", ["unknown color 'rde' (did you mean 'red'?); accepted: red"]),
        (listing(whole(0, 9), least=1, most=2), 4, (4,)), (listing(whole(0, 9), least=1, most=2), [4, 5], (4, 5)),
        (listing(whole(0, 9), most=2), [1, 2, 3], ["a list of 3 is not accepted; accepted: 1 to 2 items"]),
        (listing(whole(0, 9), least=2, most=2), 1, ["a list of 1 is not accepted; accepted: 2 items"]),
        (listing(whole(0, 9)), [1, 1], ["1 is listed twice"]), (listing(whole(0, 9), distinct=False), [1, 1], (1, 1)),
        (listing(whole(0, 9)), {}, ["a table is not accepted; accepted: a list such as [...]"]),
        (listing(whole(0, 9)), [*range(10), 0, 1, 2], ["a list of 13 is not accepted; accepted: 1 to 12 items"]),
        (words("color", ["red", "blue"], least=0), [], ()),
        (words("color", TWELVE), [*TWELVE], (*TWELVE,)),
        (words("color", TWELVE + "m"), [*TWELVE, "m"], [f"a list of 13 {TO_12}"]),
        (words("color", ["red"]), [], [f"a list of 0 {TO_12}"]),
        (numbers(2, 0, 9), [0, 9], [0, 9]),
        (numbers(2, 0, 9), [0, 10], [f"the list [0, 10] {TWO_NUMBERS}"]),
        (numbers(2, 0, 9), [0], [f"the list [0] {TWO_NUMBERS}"]),
        (PAIR, {"one": 3}, Pair(3)), (PAIR, {"one": 3, "two": 4}, Pair(3, 4)),
        (PAIR, {"one": 3, "two": False}, Pair(3)),
        (PAIR, {"two": 4}, ["one is missing"]), (PAIR, {"one": False}, ["one is missing"]),
        (PAIR, 5, ["5 is not accepted; accepted: a table with one, two"]),
        (PAIR, {"one": 1, "tow": 2}, ["unknown field 'tow' (did you mean 'two'?); accepted: one, two"]),
        (TWO, {"a": 1, "x": 2, "y": 3}, {"a": 1, "x": 2, "y": 3}),
        (TWO, {"a": 1, "x": 2, "y": False}, ["1 entries (x) are not accepted; accepted: 2"]),
        (TWO, {"x": 2, "y": 3}, ["a is missing"]),
        (entries({}, whole(0, 9)), {"x": 2}, {"x": 2}),
        (entries({"a": flag, "b": flag}), {}, ["a and b are missing"]),
        (entries({"a": flag}), {"a": False}, {"a": False}),
    ],
)  # fmt: skip
def test_readers_at_the_edges_of_their_ranges(reader: Reader, value: Any, expected: Any) -> None:
    assert read(reader, value) == expected


def test_schemas_agree_with_readers() -> None:
    assert schema_of(whole(1, 3)) == {"type": "integer", "minimum": 1, "maximum": 3}
    assert schema_of(choice(1, 4)) == {"enum": [1, 4]}
    assert schema_of(listing(flag, least=2, most=5))["anyOf"][1] == {
        "type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 5, "uniqueItems": True,
    }  # fmt: skip
    assert schema_of(numbers(4, 0, 9)) == {
        "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 4, "maxItems": 4,
    }  # fmt: skip
    pair = schema_of(PAIR)
    assert pair["additionalProperties"] is False
    assert pair["properties"]["two"] == {"anyOf": [schema_of(whole(0, 9)), {"const": False}]}
    assert schema_of(entries({"a": flag}))["properties"]["a"] == {"type": "boolean"}
    assert schema_of(TWO)["additionalProperties"] == schema_of(whole(0, 9))


def test_mistakes_name_the_last_source_of_a_value() -> None:
    problems = Problems("cards.toml")
    problems.wrote(("cards", "Altar"), "first.toml")
    problems.wrote(("cards", "Altar", "cost"), "second.toml")
    problems.wrote(("cards", "Baths", "cost"), "--set")
    assert problems.origin(("cards", "Altar", "points")) == "first.toml"
    assert problems.origin(("cards", "Altar", "cost", "ore")) == "second.toml"
    assert problems.origin(("cards", "Altar")) == "second.toml", "of what is at fault in a table, the last writer"
    assert problems.origin(("cards",)) == "cards.toml"
    assert problems.origin(("boards", "Rhodos")) == "cards.toml"
    problems.wrote(("cards", "Altar"), "third.toml")
    assert problems.origin(("cards", "Altar", "cost", "ore")) == "third.toml"
    problems.at((), "nothing")
    assert problems.sentences == ["cards.toml: nothing"]
    assert dotted(("cards", "Town Hall", "a\nb", "cost-1")) == 'cards."Town Hall"."a\\nb".cost-1'


GRAMMAR = Grammar(
    ("cards", "settings"), {"cards": 3, "settings": 2}, "cards.Palace.points=6", removable=("cards",),
    numbered={("cards", "*", "when"): "clause"},
)  # fmt: skip


def patched(before: dict[str, Any], patch: dict[str, Any]) -> Any:
    problems = Problems("mine.toml")
    Layers(problems, GRAMMAR).apply(before, patch, "patch")
    return [sentence.partition(": ")[2] for sentence in problems.sentences] or before


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"1": {"x": 5}}, [{"x": 5, "y": 2}, {"x": 3}]), ({"2": 7}, [{"x": 1, "y": 2}, 7]),
        ({"3": {"z": 1}}, [{"x": 1, "y": 2}, {"x": 3}, {"z": 1}]), ({"1": {"remove": True}}, [{"x": 3}]),
        ({"1": {"remove": True}, "2": {"remove": True}, "3": {"z": 1}}, [{"z": 1}]),
        ({"4": {}}, "no such clause; accepted: 1 to 2 to change a clause, 3 to add one"),
        ({"0": {}}, "no such clause; accepted: 1 to 2 to change a clause, 3 to add one"),
        ({"01": {}}, "no such clause; accepted: 1 to 2 to change a clause, 3 to add one"),
    ],
)  # fmt: skip
def test_list_items_are_changed_added_and_removed_by_number(patch: Any, expected: Any) -> None:
    found = patched({"cards": {"A": {"when": [{"x": 1, "y": 2}, {"x": 3}]}}}, {"cards": {"A": {"when": patch}}})
    assert (found == [expected]) if isinstance(expected, str) else (found["cards"]["A"]["when"] == expected)


def test_a_table_replaces_an_item_that_is_not_a_table() -> None:
    found = patched({"cards": {"A": {"when": [7]}}}, {"cards": {"A": {"when": {"1": {"x": 5}}}}})
    assert found == {"cards": {"A": {"when": [{"x": 5}]}}}


def test_a_change_path_has_the_depth_of_its_section() -> None:
    assert parse_change("cards.Palace.points=6", GRAMMAR) == (("cards", "Palace", "points"), 6)
    assert parse_change("cards.Palace={points=6}", GRAMMAR) == (("cards", "Palace"), {"points": 6})
    assert parse_change("settings.x = true", GRAMMAR) == (("settings", "x"), True)
    for change in ("cards.Palace=6", "settings=6", "cards={Palace=1}"):
        with pytest.raises(UserError, match="names no field of"):
            parse_change(change, GRAMMAR)
    assert path_of("cards.'Town . Hall'.cost=1=2") == ("cards", "Town . Hall", "cost")
    assert path_of("cards.Smuggler's Cache.cost=1") == ("cards", "Smuggler's Cache", "cost")
    assert path_of("cards.'.x=1") == ("cards", "'.x"), "a quote alone closes nothing"


@dataclass(frozen=True)
class Row:
    number: float
    name: str = "x"
    words: tuple[str, ...] = ()
    table: Mapping[str, float] | None = None
    shares: Mapping[str, float] = None  # type: ignore[assignment]


def test_row_values_are_accepted_up_to_their_bounds(tmp_path: Path) -> None:
    assert read_row(Row, {"number": 3, "words": "a, b"}, "row", "F") == Row(3, words=("a", "b"))
    assert read_row(Row, {}, "row", "F", number=4).number == 4
    assert read_row(Row, {"number": 1, "shares": {"a": 2, "b": -0.5}}, "row", "F").shares == {"a": 2, "b": -0.5}
    biggest = 2.0**63 * (1 - 2**-53)
    assert read_row(Row, {"number": biggest, "shares": {"a": -biggest}}, "row", "F").number == biggest
    for value in (2.0**63, -(2.0**63), float("nan")):
        with pytest.raises(UserError, match=r"F: row.number must be a number, not"):
            read_row(Row, {"number": value}, "row", "F")
        with pytest.raises(UserError, match=r"F: row.shares must be a table of numbers, not one with"):
            read_row(Row, {"number": 1, "shares": {"a": value}}, "row", "F")
    with pytest.raises(UserError, match=r"F: row.shares must be a table of numbers, not one with True"):
        read_row(Row, {"number": 1, "shares": {"a": True}}, "row", "F")
    with pytest.raises(UserError, match=r"F: row.words must be a string or a list of strings, not"):
        read_row(Row, {"number": 1, "words": "a,"}, "row", "F")
    with pytest.raises(UserError, match=r"F: a file lacks number$"):
        read_row(Row, {}, "", "F")
    with pytest.raises(UserError, match=r"F: number must be a number"):
        read_row(Row, {"number": "x"}, "", "F")
    assert [row.number for row in read_rows(Row, [{"number": 1}, {"number": 2}], "row", "F")] == [1, 2]
    for rows in ({"number": 1}, [1], "x"):
        with pytest.raises(UserError, match=r"F: row must be written as rows, \[\[row\]\]"):
            read_rows(Row, rows, "row", "F")


def test_faces_without_symbols_describe_non_empty_fields() -> None:
    (face,) = plain_faces("card", [{"name": 7, "cost_of": 0, "points": None, "chain": "", "red": False, "n": 3}])
    assert (face.name, face.noun, face.part.does) == ("7", "card", "n 3")
