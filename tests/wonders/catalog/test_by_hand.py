"""Unit tests of the catalogue: settings at the limits of their ranges, counters, expected frequency of clauses."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.spec.fields import Problems
from wsim.spec.formula import FormulaError
from wsim.wonders.catalog import sources
from wsim.wonders.catalog.clause_times import MOVES, PURCHASES, Expected
from wsim.wonders.catalog.counters import Counter, read_counters
from wsim.wonders.catalog.house_rules import (
    HOUSE_RULES,
    READERS,
    at_table,
    check_house_rules,
    house_rows,
    numbers_of,
    with_number,
)
from wsim.wonders.catalog.model import Settings
from wsim.wonders.words import COLORS, DRAWN_COLORS, MAX_COUNTER, STAGE_ENTRY

BOUNDS = {
    "hand_size": (2, 8), "start_coins": (0, 99), "sale_coins": (0, 99), "trade_price": (1, 5), "guilds": (0, 20),
    "victory_tokens": (0, 99), "defeat_points": (-99, 0), "coins_per_point": (1, 99), "guilds_extra": (0, 9),
}  # fmt: skip


def read(name: str, value: Any) -> tuple[Any, list[str]]:
    problems = Problems("mine.toml")
    result = READERS[name](problems, ("settings", name), value)
    return result, [sentence.partition(": ")[2] for sentence in problems.sentences]


@pytest.mark.parametrize("name", [*BOUNDS])
def test_a_setting_is_a_whole_number_in_its_range_or_a_formula(name: str) -> None:
    low, high = BOUNDS[name]
    by_age = name == "victory_tokens"
    for value in (low, high):
        result, said = read(name, value)
        assert (result, said) == ((value,) * 3 if by_age else value, [])
        assert read(name, str(value) if value >= 0 else f"0 - {-value}")[0] == result, "a formula that is a number"
    for value in (low - 1, high + 1):
        result, said = read(name, value)
        assert result is None
        assert f"{value} is not accepted; accepted: a whole number from {low} to {high}" in said
    assert (HOUSE_RULES[name].span or (0, 99)) == (low, high)
    for players, wrong in ((3, False), (4, True)):
        settings = replace(Settings(), **{name: f"{high} + players - 3"})  # type: ignore[arg-type]
        problems = Problems("mine.toml")
        if name != "sale_coins":
            check_house_rules(problems, ("settings",), settings, (players,))
            assert bool(problems.sentences) is wrong
            if wrong:
                assert f"is {high + 1:,} with 4 players; accepted: a whole number from {low} to {high}" in str(
                    problems.sentences
                )


def test_settings_by_age_are_three_values_or_one() -> None:
    assert read("hand_size", [7, 7, 7])[0] == 7
    assert read("hand_size", [7, 6, 7])[0] == (7, 6, 7)
    assert read("victory_tokens", [1, 3, 5])[0] == (1, 3, 5)
    assert read("victory_tokens", [1, 3])[1]
    assert read("passing", "left")[0] == ("left",) * 3
    table = at_table(replace(Settings(), hand_size="6 + age", victory_tokens=("age", "players", 9)), 5)
    assert (table.hand_size, table.victory_tokens) == ((7, 8, 9), (1, 5, 9))
    constant = at_table(replace(Settings(), sale_coins="players - 1"), 4)
    assert (constant.sale_coins, constant.sale) == (3, "")
    aged = at_table(replace(Settings(), sale_coins=(1, 2, "red")), 4)
    assert (aged.sale_coins, aged.sale) == (0, "1 if age == 1 else 2 if age == 2 else red")
    same = at_table(replace(Settings(), sale_coins="red + 1"), 4)
    assert (same.sale_coins, same.sale) == (0, "red + 1")
    less = "'red - 1' could be -1, and less than 0 is not accepted; accepted: max(0, ...)"
    assert read("sale_coins", "red - 1") == (None, [less])
    assert at_table(replace(Settings(), guilds_extra=3), 4).guilds_drawn(4) == 7
    assert at_table(replace(Settings(), guilds=2), 4).guilds_drawn(4) == 2


def test_numbers_in_settings_are_listed_and_changed_by_position() -> None:
    settings = replace(Settings(), start_coins=4, science="2 * gear + 3", victory_tokens=(1, "players - 2", 5))
    numbers = numbers_of(settings)
    assert {name: numbers[name] for name in ("start_coins", "science:1", "science:2", "victory_tokens:3")} == {
        "start_coins": 4,
        "science:1": 2,
        "science:2": 3,
        "victory_tokens:3": 5,
    }
    assert "science:3" not in numbers
    assert with_number((1, "players - 2", 5), 2, 7) == [1, "players - 7", 5]
    assert with_number((1, "players - 2", 5), 3, 7) == [1, "players - 2", "7"]
    assert with_number("2 * gear + 3", 1, 9) == "9 * gear + 3"
    for position in (0, 4):
        with pytest.raises(FormulaError, match=rf"has no number {position}; accepted: 1 to 3"):
            with_number((1, "players - 2", 5), position, 7)
    rows = {row["setting"]: row["value"] for row in house_rows(settings, expansion=False)}
    assert rows.keys() == {"start_coins", "science", "victory_tokens"}
    assert rows["start_coins"] == "4"
    assert rows["victory_tokens"].startswith("1; ")
    assert house_rows(Settings(), expansion=True) == [
        {"setting": "hand_size", "value": "7", "meaning": f"R4: {HOUSE_RULES['hand_size'].meaning}"}
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"most": 9}, Counter("favour", 9)), ({"most": 9, "least": 2}, Counter("favour", 9, least=2, start=2)),
        ({"most": 9, "least": 2, "start": 9}, Counter("favour", 9, least=2, start=9)),
        ({"most": 2, "least": 1}, Counter("favour", 2, least=1, start=1)),
        ({"most": 2, "least": 2}, "2 is not more than least, which is 2; accepted: 3 to 255"),
        ({"most": 9, "start": 10}, "10 is not accepted; accepted: 0 to 9, the bounds"),
        ({"most": 9, "least": 2, "start": 1}, "1 is not accepted; accepted: 2 to 9, the bounds"),
        ({}, "most is missing, and every counter needs a bound; accepted: 1 to 255"),
        ({"most": False}, "most is missing, and every counter needs a bound; accepted: 1 to 255"),
    ],
)  # fmt: skip
def test_counter_bounds_are_validated(entry: dict[str, Any], expected: Any) -> None:
    problems = Problems("mine.toml")
    found = read_counters(problems, {"favour": entry})
    if isinstance(expected, Counter):
        assert found == (expected,)
        again = read_counters(problems, {"favour": expected.table()})
        assert again == (expected,)
        assert not problems.sentences
    else:
        said = [sentence.partition(": ")[2] for sentence in problems.sentences]
        assert said == [expected.replace("255", str(MAX_COUNTER))]


def test_counter_names_must_be_short_words() -> None:
    names = {"a": True, "a" * 20: True, "a" * 21: False, "a_9": True, "9a": False, "A": False}
    for name, accepted in names.items():
        problems = Problems("mine.toml")
        assert bool(read_counters(problems, {name: {"most": 1}})) is accepted
        assert bool(problems.sentences) is not accepted
    both = read_counters(Problems("mine.toml"), {"b": {"most": 1}, "a": {"most": 1}})
    assert [counter.name for counter in both] == ["a", "b"]
    told = Counter("favour", 9, of="table", lasts="age", least=1, start=2)
    assert told.text() == "one for the table; 1 to 9, 2 at the start of each age"
    assert told.table() == {"of": "table", "lasts": "age", "least": 1, "start": 2, "most": 9}


def clause(event: str, by: str = "", color: tuple[str, ...] = (), sales: int = 0) -> Any:
    return SimpleNamespace(event=event, by=by, color=color, sales=lambda _seats: sales)


def test_expected_clause_counts_by_hand() -> None:
    """Four seats, of 6, 6 and 5 turns; in age I two red cards and a blue one are dealt, and a purple one is drawn."""
    colors = {0: "red", 1: "blue"}
    drawn = np.zeros((3, len(DRAWN_COLORS)), int)
    drawn[0, [*DRAWN_COLORS].index("purple")] = 1
    rules = SimpleNamespace(
        age_turns=[6, 6, 5], seats=4, teams=0, last_played=[True, False, False], pool_drawn=drawn,
        slot_card=np.array([[0, 0, 1, 9]] * 3), base_slots=np.array([[0, 1, 2, 3]] * 3), base_count=[3, 3, 3],
        color=[[*COLORS].index(colors[card]) for card in (0, 1)],
    )  # fmt: skip
    plays = SimpleNamespace(effects=SimpleNamespace(play_last_card=True))
    plain = SimpleNamespace(effects=SimpleNamespace(play_last_card=False))
    catalogue = SimpleNamespace(wonders=[SimpleNamespace(sides=[("A", [plain]), ("B", [plain, plays])]),
                                         SimpleNamespace(sides=[("A", [plain]), ("B", [plain])])])  # fmt: skip
    times = Expected(rules, catalogue).times  # type: ignore[arg-type]
    assert times(clause("built")) == [1, 1, 1]
    assert times(clause("turn_start")) == [6, 6, 5]
    assert times(clause("sold", "self")) == pytest.approx([MOVES["sold"] * turns for turns in (6, 6, 5)])
    for by, movers in (("neighbor", 2), ("other", 3), ("anyone", 4), ("self", 1), ("partner", 0)):
        assert times(clause("stage_built", by)) == pytest.approx([movers * 0.11 * turns for turns in (6, 6, 5)]), by
    rules.teams = 1
    assert times(clause("stage_built", "partner"))[0] == pytest.approx(0.66)
    assert times(clause("card_built", "self", ("red", "purple"))) == pytest.approx([0.86 * 6 * 3 / 4, 0.86 * 6 * 2 / 3,
                                                                                    0.86 * 5 * 2 / 3])  # fmt: skip
    assert times(clause("bought", sales=3)) == pytest.approx([PURCHASES / 2 * 3 * turns for turns in (6, 6, 5)])
    assert times(clause("last_card", "other")) == pytest.approx([3, 3 / 4, 3 / 4]), "a quarter of the boards play it"
    rules.seats = 2
    assert times(clause("stage_built", "neighbor"))[0] == pytest.approx(0.66)


def test_a_rule_set_without_settings_follows_the_rulebook() -> None:
    """Seven cards, 3 coins, 3 for a sale, 2 for a resource; tokens of 1, 3, 5 and -1; players + 2 guilds."""
    plain = Settings()
    assert (plain.hand_size, plain.start_coins, plain.sale_coins, plain.trade_price) == (7, 3, 3, 2)
    assert (plain.victory_tokens, plain.defeat_points, plain.coins_per_point) == ((1, 3, 5), -1, 3)
    assert (plain.guilds_extra, plain.guilds) == (2, "")
    assert (plain.passing, plain.last_card) == (("left", "right", "left"), ("discarded",) * 3)


def test_clause_sources_are_numbered_stages_then_decks_then_table() -> None:
    """Cards have their own numbers; the stages of every side are counted from 1."""
    catalogue: Any = SimpleNamespace(
        wonders=[SimpleNamespace(sides=[("A", [0, 0]), ("B", [0])]), SimpleNamespace(sides=[("A", [0])])],
        deck_cards=[SimpleNamespace(name="Guide")], table=[SimpleNamespace(name="Plague")],
        cards=[SimpleNamespace(name="Altar"), SimpleNamespace(name="Baths")],
    )  # fmt: skip
    assert [sources.source_of(catalogue, at) for at in (0, 1)] == [{"card": "Altar"}, {"card": "Baths"}]
    assert [sources.source_of(catalogue, STAGE_ENTRY + at) for at in range(6)] == [
        {"stage": 1}, {"stage": 2}, {"stage": 1}, {"stage": 1}, {"card": "Guide"}, {"table": "Plague"}
    ]  # fmt: skip
