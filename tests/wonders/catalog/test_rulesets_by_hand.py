"""Rule sets as read from a card file: inheritance, tables of players, names and decks that do not fit, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.wonders.catalog.noted_problems import NotedProblems
from wsim.errors import UserError
from wsim.wonders import words as w
from wsim.wonders.catalog import check
from wsim.wonders.catalog.effects import Effects
from wsim.wonders.catalog.ruleset import read_rulesets, resolve
from wsim.wonders.words import SWITCHES

FIRST = list(SWITCHES)[:1]
BASE: dict[str, Any] = {"seats": [5, 3, 4], "sides": ["A", "B"]}


def test_tables_depend_on_the_kind_of_a_rule_set() -> None:
    """Two players at a table of two, four or six in teams, otherwise three to seven."""
    for fields, accepted in (
        ({}, {3, 4, 5, 6, 7}),
        ({"cities": True}, {3, 4, 5, 6, 7}),
        ({"teams": True}, {4, 6}),
        ({"duo": True}, {2}),
    ):
        for seats in range(2, 8):
            noted = NotedProblems()
            rulesets = read_rulesets(noted, {"rulesets": {"mine": {**BASE, **fields, "seats": [seats]}}})
            resolve(noted, rulesets, "mine")
            assert noted.where() == ([] if seats in accepted else ["rulesets.mine.seats"]), (fields, seats)
    for fields, where in (
        ({"duo": True, "cities": True}, ["duo"]), ({"duo": True, "teams": True}, ["duo"]), ({"duo": True}, []),
        ({"teams": True, "cities": True}, ["seats"]),
    ):  # fmt: skip
        noted = NotedProblems()
        resolve(noted, read_rulesets(noted, {"rulesets": {"mine": {**BASE, "seats": [2], **fields}}}), "mine")
        assert noted.where() == [f"rulesets.mine.{name}" for name in where]


def test_a_rule_set_inherits_what_it_does_not_say() -> None:
    entries: dict[str, Any] = {
        "base": {**BASE, "title": "Base", "layers": ["one"], "settings": {"start_coins": 5, "trade_price": 1}},
        "more": {"extends": "base", "layers": ["one", "two"], "settings": {"start_coins": 7}, "cities": True},
        "most": {"extends": "more", "seats": [7], "switches": dict.fromkeys(FIRST, True)},
    }
    noted = NotedProblems()
    rulesets = read_rulesets(noted, {"rulesets": entries, "layers": {"one": {}, "two": {}}})
    assert noted.where() == []
    base, more, most = (resolve(noted, rulesets, name) for name in entries)
    assert (base.title, base.seats, base.sides, base.layers, base.cities) == (
        "Base",
        (3, 4, 5),
        ("A", "B"),
        ("one",),
        False,
    )
    assert (more.title, more.layers, more.cities) == ("Base", ("one", "two"), True)
    assert (more.settings.start_coins, more.settings.trade_price, base.settings.start_coins) == (7, 1, 5)
    assert (most.seats, most.settings.start_coins, most.cities) == ((7,), 7, True)
    assert [name for name, value in most.switches.items() if value != more.switches[name]] in ([], FIRST)
    assert noted.where() == []


def test_mistakes_of_rule_sets_are_reported_where_they_are() -> None:
    for document, where in (
        ({}, ["rulesets"]), ({"rulesets": 3}, ["rulesets"]), ({"rulesets": {"a": {"seats": [3]}}}, ["rulesets.a"]),
        ({"rulesets": {"a": {"sides": ["A", "B"]}}}, ["rulesets.a"]),
        ({"rulesets": {"a": {"extends": "b"}}}, ["rulesets.a.extends"]),
        ({"rulesets": {"a": {**BASE, "layers": ["x"]}}}, ["rulesets.a.layers"]),
        ({"rulesets": {"a": BASE}, "layers": {"x": {}}}, ["layers.x"]),
        ({"rulesets": {"a": {**BASE, "seats": [1]}}}, ["rulesets.a.seats"]),
        ({"rulesets": {"a": {**BASE, "seats": [8]}}}, ["rulesets.a.seats"]),
        ({"rulesets": {"a": {**BASE, "sides": ["A"]}}}, ["rulesets.a.sides"]),
        ({"rulesets": {"a": {**BASE, "sides": ["A", "B", "C"]}}}, ["rulesets.a.sides"]),
    ):  # fmt: skip
        noted = NotedProblems()
        read_rulesets(noted, document)
        assert noted.where() == where, document
    noted = NotedProblems()
    circle = read_rulesets(noted, {"rulesets": {"a": {**BASE, "extends": "b"}, "b": {"extends": "a"}}})
    assert resolve(noted, circle, "a").seats == (3, 4, 5)
    assert noted.where() == ["rulesets.a.extends"]
    with pytest.raises(UserError, match="unknown rule set 'bas'"):
        resolve(NotedProblems(), read_rulesets(NotedProblems(), {"rulesets": {"base": BASE}}), "bas")
    noted = NotedProblems()
    with pytest.raises(UserError):
        resolve(noted, {"a": {"seats": (3,)}}, "a")
    assert noted.where() == ["rulesets.a.sides"]


def test_names_must_differ_in_more_than_capitals_and_spaces() -> None:
    noted = NotedProblems()
    check.check_names(noted, "cards", ["Town Hall", "Altar", "TownHall", "ALTAR", "Altars"])
    assert noted.where() == ["cards.TownHall", "cards.ALTAR"]
    noted = NotedProblems()
    rules: dict[str, Any] = {"cards": {"Altar": {}}, "table": {"Altar": {}, "Tax": {}}}
    decks = {
        "D": {"cards": {"Tax": {}, "Ann": {}, "Altar": {}}},
        "E": {"cards": {"Ann": {}, "Bob": {}}},
        "F": {},
        "G": 3,
    }
    check.check_table_rules(noted, {**rules, "decks": decks})
    assert noted.where() == ["table.Altar", "decks.D.cards.Tax", "decks.D.cards.Altar", "decks.E.cards.Ann"]


def test_predecessors_are_other_cards_r16() -> None:
    cards: Any = [
        SimpleNamespace(name="A", free_with=("B", "C")), SimpleNamespace(name="B", free_with=("B",)),
        SimpleNamespace(name="D", free_with=("Z",)),
    ]  # fmt: skip
    noted = NotedProblems()
    check.check_chains(noted, cards, {"A", "B", "C", "D"})
    assert noted.where() == ["cards.B.free_with", "cards.D.free_with"]


def test_decks_have_enough_cards_r88() -> None:
    def deck(name: str, size: int, hand: int = 0, display: int = 0) -> Any:
        return SimpleNamespace(
            name=name, cards=[SimpleNamespace(name=f"{name}{number}", effects=Effects()) for number in range(size)],
            hand=hand, display=display, supply={"x": 1} if hand or display else {},
        )  # fmt: skip

    def mistakes(*decks: Any, drawn: tuple[str, ...] = ()) -> list[str]:
        noted, catalogue = NotedProblems(), SimpleNamespace(
            decks=decks, seat_numbers=(3, 5), deck_cards=[card for each in decks for card in each.cards]
        )  # fmt: skip
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(check, "_draws", lambda _catalogue: [(name, ("table", name)) for name in drawn])
            check.check_decks(noted, catalogue)  # type: ignore[arg-type]
        return noted.where()

    assert mistakes(deck("D", 10, hand=2)) == []
    assert mistakes(deck("D", 9, hand=2)) == ["decks.D"], "two for each of five"
    assert mistakes(deck("D", 4, display=4)) == []
    assert mistakes(deck("D", 3, display=4)) == ["decks.D"]
    assert mistakes(deck("D", 3)) == ["decks.D"], "a stock from which nothing draws"
    assert mistakes(deck("D", 3), drawn=("D",)) == []
    assert mistakes(deck("D", 4, display=4), drawn=("D",)) == ["table.D"]
    assert mistakes(deck("D", 5, display=4), drawn=("D",)) == []
    assert mistakes(deck("D", w.DECK_CARDS, hand=1)) == []
    assert mistakes(deck("D", w.DECK_CARDS + 1, hand=1)) == ["decks"]
    assert mistakes(*(deck(str(number), 5, hand=1) for number in range(w.DECKS))) == []
    assert mistakes(*(deck(str(number), 5, hand=1) for number in range(w.DECKS + 1))) == ["decks"]
