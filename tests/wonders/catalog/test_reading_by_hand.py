"""Cards, boards and rules of the table as read from a card file: every field with its limits, by hand.

A case is an entry and the fields at which a mistake is reported; "" stands for the entry itself.
"""

from __future__ import annotations

from typing import Any

from tests.wonders.catalog.noted_problems import NotedProblems
from wsim.wonders import words as w
from wsim.wonders.catalog.effects import Effects
from wsim.wonders.catalog.model import Card, Cost, Stage
from wsim.wonders.catalog.reading import check_name, read_card, read_table, read_wonder

RED = {"color": "red", "age": 1, "copies": [3, 5]}


def read(entry: Any, name: str = "Altar") -> tuple[Card | None, list[str]]:
    noted = NotedProblems()
    return read_card(noted, name, entry, "base", {name: entry}), noted.where(2)


def test_a_card_is_read_with_its_cost_copies_and_effects() -> None:
    card, where = read({
        "color": "yellow", "age": 2, "copies": [7, 3, 3], "cost": {"coins": 1, "glass": 2, "clay": 0, "wood": 3},
        "free_with": ["Baths", "Canal"], "uncertain": "maybe", "points": 2, "coins": 4,
    })  # fmt: skip
    assert where == []
    assert card == Card(
        "Altar", "yellow", Cost(1, (("wood", 3), ("glass", 2))), ((2, (3, 3, 7)),), (2,), ("Baths", "Canal"),
        Effects(points=2, coins=4), "maybe",
    )  # fmt: skip
    card, where = read({"color": "blue", "copies": {"3": [4], "1": [7, 5]}})
    assert card is not None
    assert (card.ages, card.copies, card.cost, card.effects) == ((1, 3), ((1, (5, 7)), (3, (4,))), Cost(), Effects())
    for color, age in (("purple", 3), ("black", 1), ("black", 3)):
        card, where = read({"color": color, "age": age})
        assert (card is not None and (card.ages, card.copies), where) == (((age,), ()), [])


def test_mistakes_of_cards_are_reported_where_they_are() -> None:
    many = {"wood": w.UNITS, "glass": 1}
    for changed, paths in (
        ({"color": "pink"}, ["color"]), ({"age": 0}, ["age"]), ({"age": 4}, ["age"]), ({"age": False}, ["age"]),
        ({"copies": False}, ["copies"]), ({"copies": [2]}, ["copies"]), ({"copies": [8]}, ["copies"]),
        ({"cost": {"coins": -1}}, ["cost.coins"]), ({"cost": {"coins": 100}}, ["cost.coins"]),
        ({"cost": {"wood": -1}}, ["cost.wood"]), ({"cost": {"wood": w.UNITS + 1}}, ["cost.wood"]),

        ({"cost": many}, ["cost"]),
        ({"cost": {"gold": 1}}, ["cost.gold"]), ({"cost": 3}, ["cost"]), ({"points": 100}, ["points"]),
        ({"points": -100}, ["points"]), ({"shield": 1}, ["shield"]), ({"color": "purple"}, ["copies", "age"]),
        ({"color": "purple", "copies": False}, ["age"]), ({"color": "black"}, ["copies"]),
        ({"copies": {"1": [3]}}, ["age"]), ({"age": False, "copies": {"4": [3]}}, ["copies.4"]),
        ({"color": "brown", "produces_one_of": "any"}, ["produces_one_of"]),
        ({"color": "purple", "age": 3, "copies": False, "copy_guild": True}, ["copy_guild"]),
    ):  # fmt: skip
        assert read({**RED, **changed})[1] == paths, changed
    for accepted in (
        {"cost": {"coins": 99}}, {"cost": {"wood": w.UNITS}}, {"points": 99}, {"points": -99}, {"copies": [7]},
        {"age": False, "copies": {"1": [3]}}, {"color": "black", "copies": False}, {"copy_guild": True},
    ):  # fmt: skip
        assert read({**RED, **accepted})[1] == [], accepted
    for symbol in ("compass", "gear", "tablet", "any"):
        assert read({**RED, "color": "green", "science": symbol})[1] == []
    assert read({**RED, "color": "green", "science": "wheel"})[1] == ["science"]
    assert read({"age": 1}) == (None, [""])
    assert read({**RED, "color": "pink"})[0] is None
    assert read(3)[0] is None


def test_names_are_short_words() -> None:
    for name, good in (
        ("A", True), ("Town-Hall 2", True), ("Queen's", True), ("É", True), ("x" * 40, True), ("x" * 41, False),
        ("", False), (" A", False), ("A ", False), ("A  B", False), ("-A", False), ("A_B", True), ("_A", False),
        ("A:B", False), ("A,B", False), ("1", True),
    ):  # fmt: skip
        noted = NotedProblems()
        check_name(noted, ("cards", name))
        assert (noted.paths == []) == good, name


def test_boards_have_the_sides_of_the_rule_set() -> None:
    stages = [{"cost": {"stone": 2}, "points": 3}, {"coins": 5}]
    noted = NotedProblems()
    board = read_wonder(
        noted, "Giza", {"resource": "stone", "sides": {"B": stages[:1], "A": stages}}, "base", ("A", "B"), {}
    )
    assert noted.where(2) == []
    assert board is not None
    first, second = Stage(Cost(0, (("stone", 2),)), Effects(points=3)), Stage(Cost(), Effects(coins=5))
    assert (board.resource, board.sides) == ("stone", (("A", (first, second)), ("B", (first,))))
    for entry, paths in (
        ({"sides": {"A": stages, "B": stages}}, [""]),
        ({"resource": "gold", "sides": {"A": stages, "B": stages}}, ["resource"]),
        ({"resource": "wood", "sides": {"A": stages}}, ["sides"]), ({"resource": "wood"}, ["sides", "sides"]),
        ({"resource": "wood", "sides": {"A": stages, "B": []}}, ["sides.B"]),
        ({"resource": "wood", "sides": {"A": [{}] * (w.STAGES + 1), "B": [{}] * w.STAGES}}, ["sides.A"]),
        ({"resource": "wood", "sides": {"A": 3, "B": stages}}, ["sides.A"]),
        ({"resource": "wood", "sides": {"A": [{"cost": {"wood": -1}}], "B": stages}}, ["sides.A.1.cost.wood"]),
        ({"resource": "wood", "sides": {"A": [{}, {"color": "red"}], "B": stages}}, ["sides.A.2.color"]),
        ({"resource": "wood", "sides": {"A": stages, "B": False}}, ["sides"]),
    ):  # fmt: skip
        noted = NotedProblems()
        read_wonder(noted, "Giza", entry, "base", ("A", "B"), {})
        assert noted.where(2) == paths, entry


def test_rules_of_the_table_are_clauses_that_are_not_built_r87() -> None:
    clause: dict[str, Any] = {"event": "age_start", "gain": {"coins": 1}}
    noted = NotedProblems()
    rules = read_table(noted, {"Tax": {"when": [clause]}, "Aid": {"when": [clause, clause]}})
    assert [(rule.name, len(rule.effects.when)) for rule in rules] == [("Aid", 2), ("Tax", 1)]
    assert noted.where(2) == []
    built: dict[str, Any] = {"when": [clause, {**clause, "event": "built"}]}
    entries: list[tuple[Any, list[str]]] = [
        (built, ["when.2.event"]), ({}, [""]), ({"when": False}, [""]), ({"points": 3, "when": [clause]}, ["points"]),
    ]  # fmt: skip
    for entry, paths in entries:
        noted = NotedProblems()
        read_table(noted, {"Tax": entry})
        assert noted.where(2) == paths, entry


def test_effects_have_no_value_unless_given() -> None:
    """An effect that a card does not have changes nothing."""
    assert not any(getattr(Effects(), name) for name in ("points", "coins", "shields", "produces", "science", "when"))
