"""What a clause may say (R64-R80, R97-R107): every field with the events, cities and cards that it goes with.

A case is a clause and the fields at which a mistake is reported; () stands for the clause itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wsim.spec.fields import Path, Problems
from wsim.wonders import words as w
from wsim.wonders.catalog.clauses import Clause, Option, Pick, decks_drawn, named, read_when

COIN = {"gain": {"coins": 1}}
BUILD = {"from": "discarded", "do": "build"}


class Found(Problems):
    """Mistakes with the paths at which they were reported."""

    def __init__(self, **counters: tuple[int, int]) -> None:
        super().__init__("cards.toml")
        self.counters: Mapping[str, tuple[int, int]] = {f"counter.{name}": at for name, at in counters.items()}
        self.paths: list[Path] = []

    def at(self, path: Path, sentence: str) -> None:
        self.paths.append(path[1:])
        super().at(path, sentence)


def paths_of(clause: Any) -> list[str]:
    """Return where mistakes of a clause are reported."""
    found = Found(favour=(0, 5))
    read_when(found, (), [clause])
    return [".".join(path) for path in found.paths]


GOOD: list[dict[str, Any]] = [
    {"event": "built", **COIN}, {"event": "card_built", "by": "left", "color": ["red"], **COIN},
    {"event": "stage_built", "by": "anyone", **COIN}, {"event": "sold", "by": "neighbor", **COIN},
    {"event": "bought", "from": "self", "by": "left", **COIN}, {"event": "bought", "from": "left", **COIN},
    {"event": "bought", "gain": {"coins": "purchase"}}, {"event": "turn_start", **COIN},
    {"event": "built", "each": "left", "take": 1}, {"event": "built", "each": "neighbor", "give": "red"},
    {"event": "built", "each": "other", "if": "other.shields < shields", "give": 1},
    {"event": "card_built", "by": "left", "each": "trigger", "take": 1},
    {"event": "card_built", "by": "left", "if": "other.shields > 0", **COIN},
    {"event": "scored", "points": "2 * red"}, {"event": "scored", "points": "red - blue"},
    {"event": "scored", "if": "red > 1", "points": 3},
    {"event": "built", "may": True, **COIN}, {"event": "built", "price": 2, "gain": {"shields": 1}},
    {"event": "built", "price": {"coins": 1, "counter": {"favour": 1}}, **COIN},
    {"event": "built", "gain": {"counter": {"favour": 1}}}, {"event": "built", "lose": {"counter": {"favour": 1}}},
    {"event": "built", "gain": {"draw": {"Envoys": 2}}},
    {"event": "built", "one": True, "each": "neighbor", "take": 1},
    {"event": "built", "one": True, "each": "other", "give": 1},
    {"event": "built", "choose": [COIN, {"gain": {"shields": 1}}]},
    {"event": "built", "choose": [COIN, {"price": 1, "gain": {"shields": 1}}], "decider": "left"},
    {"event": "built", "card": BUILD}, {"event": "built", "card": {**BUILD, "if": "card.cost > 1", "draw": 2}},
    {"event": "built", "card": {"from": "city", "do": "discard"}},
    {"event": "built", "card": {"from": "left", "do": "take"}},
    {"event": "built", "card": {"from": "city"}, "gain": {"coins": "card.cost"}},
    {"event": "built", "amount": 3, "gain": {"coins": "amount"}, "price": {"counter": {"favour": "amount"}}},
    {"event": "turn_start", "card": {"from": "left_hand"}, **COIN}, {"event": "sold", "card": {"from": "hand"}, **COIN},
    {"event": "card_cost", "color": ["red"], "cheaper": {"coins": 1}}, {"event": "stage_cost", "dearer": {"coins": 1}},
    {"event": "trade_cost", "from": "left", "cheaper": {"unit": 1}},
    {"event": "card_cost", "by": "left", "if": "card.cost > 1", "dearer": {"wood": 1}},
    {"event": "built", "gain": {"copies": 1}}, {"event": "built", "gain": {"copies": "card.cost > 2"}},
    {"event": "turn_start", "card": {"from": "city"}, "gain": {"copies": 1}},
    {"event": "card_built", "by": "left", "decider": "trigger", "may": True, **COIN},
]  # fmt: skip


def test_a_clause_without_a_mistake_is_read() -> None:
    assert [(clause, paths) for clause in GOOD if (paths := paths_of(clause))] == []


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({**COIN}, [""]), ({"event": "build", **COIN}, ["event"]), ({"event": "built"}, [""]),
    ({"event": "built", "may": True}, [""]), ({"event": "built", "price": 1}, [""]),
    ({"event": "built", "card": {"from": "city"}}, [""]), ({"event": "built", "if": "red > 1"}, [""]),
    ({"event": "built", "by": "left", **COIN}, ["by"]), ({"event": "turn_start", "by": "self", **COIN}, ["by"]),
    ({"event": "sold", "from": "left", **COIN}, ["from"]), ({"event": "bought", "from": "self", **COIN}, ["from"]),
    ({"event": "bought", "by": "self", "from": "self", **COIN}, ["from"]),
    ({"event": "stage_built", "color": ["red"], **COIN}, ["color"]),
    ({"event": "built", "each": "trigger", "take": 1}, ["each"]),
    ({"event": "built", "take": 1}, ["take"]), ({"event": "built", "each": "self", "give": 1}, ["give"]),
    ({"event": "built", "choose": [COIN, {"take": 1}]}, ["choose.2.take"]),
    ({"event": "built", "points": 1}, ["points"]),
    *(({"event": "scored", "points": 1, field: value}, [field]) for field, value in (
        ("amount", 3), ("may", True), ("price", 1), ("decider", "left"), ("gain", {"coins": 1}), ("lose", {"coins": 1}),
    )),
    ({"event": "scored", "each": "left", "take": 1, "points": 1}, ["take"]),
    ({"event": "built", "one": True, **COIN}, ["one"]),
    ({"event": "built", "one": True, "each": "left", "take": 1}, ["one"]),
    ({"event": "built", "one": True, "each": "other", "card": BUILD}, ["one"]),
    ({"event": "built", "one": True, "each": "other", "amount": 3, "take": "amount"}, ["amount"]),
    ({"event": "built", "amount": 3, "card": BUILD}, ["amount"]),
    ({"event": "built", "choose": [COIN, {"gain": {"shields": 1}}], **COIN}, ["gain"]),
    ({"event": "built", "choose": [COIN, {"gain": {"shields": 1}}], "price": 1}, ["price"]),
    ({"event": "built", "choose": [{"card": {**BUILD, "draw": 2}}] * 2}, ["choose"]),
    ({"event": "built", "choose": [COIN, {"amount": 2}]}, ["choose.2"]),
    ({"event": "built", "choose": [COIN, {"card": {"from": "city"}}]}, ["choose.2"]),
    ({"event": "built", "choose": [{"card": BUILD}] * (w.MAX_CARD_OPTIONS + 1)}, ["choose"]),
    ({"event": "built", "decider": "left", **COIN}, ["decider"]),
    ({"event": "built", "decider": "trigger", "may": True, **COIN}, ["decider"]),
    ({"event": "turn_start", "decider": "left", "card": {"from": "hand"}, **COIN}, ["decider"]),
    ({"event": "age_end", "card": {"from": "hand"}, **COIN}, ["event"]),
    ({"event": "sold", "card": {"from": "left_hand"}, **COIN}, ["event"]),
    ({"event": "built", "card": {"do": "build"}}, ["card"]), ({"event": "built", "card": "discarded"}, ["card"]),
    ({"event": "built", "card": {"from": "city", "do": "build"}}, ["card.do"]),
    ({"event": "built", "card": {"from": "discarded", "do": "take"}}, ["card.do"]),
    ({"event": "built", "card": {**BUILD, "for": "card.brown"}}, ["card.for"]),
    ({"event": "built", "card": {"from": "city", "do": "discard", "draw": 2}}, ["card.draw"]),
    ({"event": "built", "card": {**BUILD, "draw": w.MAX_DRAWN + 1}}, ["card.draw"]),
    ({"event": "built", "card": {**BUILD, "draw": "amount"}, "amount": 3}, ["amount", "card.draw"]),
    ({"event": "built", "amount": w.MAX_AMOUNT + 1, "gain": {"coins": "amount"}}, ["amount"]),
    ({"event": "built", "amount": "amount", "gain": {"coins": 1}}, ["amount"]),
    ({"event": "built", "gain": {"coins": "amount"}}, ["gain.coins"]),
    ({"event": "built", "if": "amount > 1", "amount": 3, "gain": {"coins": "amount"}}, ["if"]),
    ({"event": "turn_start", "gain": {"coins": "card.cost"}}, ["gain.coins"]),
    ({"event": "turn_start", "if": "card.cost > 1", "card": BUILD}, ["if"]),
    ({"event": "built", "gain": {"coins": "purchase"}}, ["gain.coins"]),
    ({"event": "built", "gain": {"coins": "other.red"}}, ["gain.coins"]),
    ({"event": "built", "each": "other", "price": "other.red", "take": 1}, ["price"]),
    ({"event": "turn_start", "gain": {"copies": 1}}, ["gain.copies"]),
    ({"event": "built", "gain": {"copies": 2}}, ["gain.copies"]),
    ({"event": "built", "gain": {"draw": {"Envoys": w.MAX_DRAWN + 1}}}, ["gain.draw.Envoys"]),
    ({"event": "built", "gain": {"coins": "red - 1"}}, ["gain.coins"]),
    ({"event": "built", "each": "left", "take": "red - blue"}, ["take"]),
    ({"event": "built", "gain": {"points": "red - blue"}}, ["gain.points"]),
    ({"event": "built", "price": "1 - red", **COIN}, ["price"]),
    ({"event": "built", "gain": {"counter": {"favour": "counter.favour - 6"}}}, ["gain.counter.favour"]),
    ({"event": "built", "if": "red", **COIN}, ["if"]), ({"event": "built", "gain": {"coins": True}}, ["gain.coins"]),
    ({"event": "built", "gain": {"coins": "red +"}}, ["gain.coins"]),
    ({"event": "built", "gain": {"gold": 1}}, ["gain.gold"]),
    ({"event": "built", "gain": {"counter": 3}}, ["gain.counter"]),
    ({"event": "built", "gain": {"draw": 3}}, ["gain.draw"]),
    ({"event": "built", "lose": {"shields": 1}}, ["lose.shields"]),
    ({"event": "built", "lose": {"draw": {"Envoys": 1}}}, ["lose.draw"]),
    ({"event": "built", "cheaper": {"coins": 1}}, ["cheaper"]), ({"event": "sold", "dearer": {"coins": 1}}, ["dearer"]),
    *(({"event": "card_cost", "cheaper": {"coins": 1}, field: value}, [field]) for field, value in (
        ("gain", {"coins": 1}), ("may", True), ("price", 1), ("each", "left"), ("amount", 3), ("decider", "left"),
        ("points", 1),
    )),
    ({"event": "card_cost"}, [""]), ({"event": "trade_cost", "from": "left"}, [""]),
    ({"event": "stage_cost", "color": ["red"], "cheaper": {"coins": 1}}, ["color"]),
    ({"event": "card_cost", "cheaper": {"unit": 1}}, ["cheaper.unit"]),
    ({"event": "trade_cost", "cheaper": {"coins": 1}}, ["cheaper.coins"]),
    ({"event": "trade_cost", "dearer": {"wood": 1}}, ["dearer.wood"]),
    ({"event": "card_cost", "dearer": {"resources": 1}}, ["dearer.resources"]),
    ({"event": "card_cost", "cheaper": {"coins": "red - 1"}}, ["cheaper.coins"]),
]  # fmt: skip


def test_a_mistake_is_reported_where_it_is() -> None:
    assert [(clause, paths_of(clause)) for clause, _ in BAD] == BAD


def test_clauses_are_tables_in_a_list() -> None:
    values: tuple[Any, ...] = ("built", {}, [], 3)
    for value in values:
        found = Found()
        assert read_when(found, (), value) is None
        assert len(found.paths) == 1
    found = Found()
    assert read_when(found, (), ["built", {"event": "built", **COIN}]) == (Clause("built", gain=(("coins", "1"),)),)
    assert len(found.paths) == 1


def test_a_clause_is_written_as_it_was_read() -> None:
    written = {
        "event": "bought", "by": "left", "from": "self", "each": "trigger", "if": "red > 1", "take": "1", "give": "2",
        "gain": {"coins": "3", "draw": {"Envoys": "2"}, "counter": {"favour": "1"}}, "lose": {"debts": "1"},
        "price": {"coins": "1", "counter": {"favour": "2"}}, "decider": "right", "may": True,
    }  # fmt: skip
    found = Found(favour=(0, 5))
    clause, *_ = read_when(found, (), [written]) or [Clause("")]
    assert found.sentences == []
    assert clause.table() == written
    assert (clause.condition, clause.seller, clause.optional) == ("red > 1", "self", True)
    assert clause.price == (("coins", "1"), ("counter favour", "2"))
    assert clause.acts() == [
        ("lose coins", "1"), ("lose counter favour", "2"), ("take", "1"), ("give", "2"), ("gain coins", "3"),
        ("lose debts", "1"), ("gain draw Envoys", "2"), ("gain counter favour", "1"),
    ]  # fmt: skip
    assert list(decks_drawn([Clause("built"), clause])) == [(("2", "gain", "draw", "Envoys"), "Envoys")]
    assert [(named(act, "draw"), named(act, "counter")) for act in ("gain draw Envoys", "lose counter a", "take")] == [
        ("Envoys", ""), ("", "a"), ("", ""),
    ]  # fmt: skip
    price = {"event": "card_cost", "color": ["red", "blue"], "cheaper": {"coins": "1"}, "dearer": {"wood": "2"}}
    clause, *_ = read_when(found, (), [price]) or [Clause("")]
    assert clause.table() == price
    assert clause.acts() == [("cheaper coins", "1"), ("dearer wood", "2")]
    scored = {"event": "scored", "points": "red"}
    clause, *_ = read_when(found, (), [scored]) or [Clause("")]
    assert (clause.table(), clause.acts()) == (scored, [("points", "red")])


def test_a_choice_of_a_card_is_written_as_it_was_read() -> None:
    card = {"from": "left", "if": "card.cost > 1", "do": "swap", "for": "card.brown"}
    found = Found()
    clause, *_ = read_when(found, (), [{"event": "built", "card": card}]) or [Clause("")]
    assert clause.card == Pick("left", "card.cost > 1", "swap", "card.brown")
    assert clause.table() == {"event": "built", "card": card}
    assert [path for path, _ in clause.formulas()] == [("card", "if"), ("card", "for")]
    assert clause.options() == (Option(card=clause.card),)
    drawn = Option(card=Pick("discarded", do="build", draw="2"), amount="3", price=(("", "1"), ("counter a", "2")))
    assert drawn.table() == {"card": {"from": "discarded", "do": "build", "draw": "2"}, "amount": "3", "price": "1"}
    assert [path for path, _ in drawn.formulas()] == [
        ("card", "draw"), ("amount",), ("price",), ("price", "counter", "a"),
    ]  # fmt: skip
    assert drawn.price_acts() == [("lose coins", "1"), ("lose counter a", "2")]
