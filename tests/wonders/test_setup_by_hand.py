"""Positions that are set up, recruits in traces, scores of traces: small hand-made tables, every figure by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.wonders import words as w
from wsim.wonders.describe import setup, trace
from wsim.wonders.kernels import layout

CARDS = ["Altar", "Baths", "Canal", "Dam", "Elm"]
RECRUITS = ["Ann", "Bob", "Cid", "Dot", "Eve"]
"""Cards of two further decks: the first three of one, the other two of another."""


def position(age: int = 1, turn: int = 0, **values: Any) -> Any:
    """Return a position of three seats with two further decks; slots of the second age hold Altar, Altar, Baths, Dam.

    Ages have two turns. Altar and Baths are cards of the first age, Canal of the second, Dam and Elm of the third.
    """
    slots = np.full((w.AGES, 6), -1)
    slots[1, :4] = [0, 0, 1, 3]
    rules = SimpleNamespace(
        seats=3, players=3, decks=2, deck_from=np.array([0, 3, 5]), deck_dealt=np.array([2, 1]),
        deck_moment=np.array([0, 4]), slots=np.array([0, 4, 0]), slot_card=slots, age_of=[0, 0, 1, 2, 2],
        age_turns=np.array([2, 2, 2]),
    )  # fmt: skip
    public = SimpleNamespace(
        recruited=np.array([0b00001, 0b00010, 0]), display=0b01000, enlisted=0, age=age, turn=turn, flex_count=[0] * 3
    )
    own = [SimpleNamespace(recruits=np.uint64(0)) for _ in range(3)]
    catalogue = SimpleNamespace(
        cards=[SimpleNamespace(name=name) for name in CARDS],
        deck_cards=[SimpleNamespace(name=name) for name in RECRUITS],
    )
    added: list[Any] = []
    made = SimpleNamespace(
        machine=SimpleNamespace(rules=rules), record=SimpleNamespace(public=public, own=own),
        simulator=SimpleNamespace(catalogue=catalogue), refresh=lambda *given: added.append(given), added=added,
    )  # fmt: skip
    for name, value in values.items():
        setattr(public if hasattr(public, name) else rules, name, value)
    return made


def refused(sentence: str) -> Any:
    return pytest.raises(UserError, match=sentence)


def test_recruits_are_free_cards_of_the_right_deck_r88() -> None:
    both, second = np.array([1, 1]), np.array([0, 1])
    start = position()
    assert setup._recruits(start, [], both, "recruits") == 0
    assert setup._recruits(start, ["Cid", "Eve"], both, "recruits") == 0b10100
    assert setup._recruits(start, ["Eve"], second, "recruits") == 0b10000
    for names, decks in (
        (["Ann"], both), (["Bob"], both), (["Dot"], both), (["Cid", "Cid"], both), (["Cid"], second),
    ):  # fmt: skip
        with refused(f"recruits cannot contain {names[0]}"):
            setup._recruits(start, names, decks, "recruits")
    with refused("recruits has an unknown card 'Evi' \\(did you mean 'Eve'\\?\\)"):
        setup._recruits(start, ["Evi"], both, "recruits")


def test_only_recruited_cards_were_drawn_from_the_stock() -> None:
    start = position()
    assert setup._enlisted(start, []) == 0
    assert setup._enlisted(start, ["Bob", "Ann"]) == 0b00011
    with refused("enlisted cannot contain Cid; accepted: cards that a city has recruited"):
        setup._enlisted(start, ["Ann", "Cid"])


def test_others_get_what_they_must_have_of_further_decks() -> None:
    """Of two cards dealt, seats 0 and 1 have recruited one each; Cid is all that is left for seat 2."""
    start = position()
    start.record.own[0].recruits = 0
    setup._deal_others(start, 0)
    assert [int(own.recruits) for own in start.record.own] == [0, 0b00100, 0], "seat 1 lacks one, and Cid is the last"
    start = position()
    setup._deal_others(start, 1)
    assert [int(own.recruits) for own in start.record.own] == [0b00100, 0, 0]
    start = position(recruited=np.array([0, 0, 0]), display=0)
    start.record.own[2].recruits = np.uint64(0b00001)
    setup._deal_others(start, 2)
    assert [int(own.recruits) for own in start.record.own] == [0b00110, 0, 0b00001], "what the seat holds is taken"
    start = position(age=2, recruited=np.array([0b00111, 0, 0]), display=0, enlisted=0b00001)
    setup._deal_others(start, 2)
    assert [int(own.recruits) for own in start.record.own] == [0b01000, 0b10000, 0], "the second deck, from age 3"
    start = position(recruited=np.array([0b00011, 0, 0]), display=0, enlisted=0b00001)
    setup._deal_others(start, 2)
    assert [int(own.recruits) for own in start.record.own] == [0b00100, 0, 0], "one of both was not dealt to it"


def test_structures_of_a_city_are_limited_by_age_and_turn() -> None:
    """In turn 1 of age 2 of two turns: one per turn, one last card per age, and six from the discard pile make 9."""
    start = position()
    setup._build(start, 2, ["Baths", "Canal"])
    assert [given[1:] for given in start.added] == [(1, 2), (2, 2)]
    with refused("city 2 cannot have built Dam in age 2"):
        setup._build(start, 2, ["Dam"])
    with refused(r"city 2 has built Altar more than once \(R7\)"):
        setup._build(start, 2, ["Altar", "Altar"])
    with refused("city 0 has an unknown card 'Alter'"):
        setup._build(start, 0, ["Alter"])
    many = [f"card {number}" for number in range(11)]
    for turn, most in ((0, 9), (1, 10)):
        start = position(turn=turn, age_of=[0] * 11)
        start.simulator.catalogue.cards = [SimpleNamespace(name=name) for name in many]
        setup._build(start, 0, many[:most])
        assert len(start.added) == most
        with refused(f"city 0 cannot have built {most + 1} structures by then"):
            setup._build(start, 0, many[: most + 1])
    crowded = position(flex_count=[0, w.FLEX - 1, 0])
    with refused("city 1 cannot have built 1 structures by then"):
        setup._build(crowded, 1, ["Altar"])
    setup._build(position(flex_count=[0, w.FLEX - 2, 0]), 1, ["Altar"])


def test_hands_take_free_slots_of_the_age() -> None:
    start = position()
    assert setup._slots(start, ["Altar", "Dam"], 0, "it") == 0b1001
    assert setup._slots(start, ["Altar", "Altar"], 0, "it") == 0b0011
    assert setup._slots(start, ["Altar", "Baths"], 0b0001, "it") == 0b0110
    with refused("it cannot contain 2 Altar in age 2"):
        setup._slots(start, ["Altar", "Altar"], 0b0010, "it")
    with refused("it cannot contain 1 Canal in age 2"):
        setup._slots(start, ["Canal"], 0, "it")
    assert setup._hand(start, 0, ["Dam"], 1) == 0b1000
    with refused("the hand has 1 cards, but seat 0 has 2 in this turn"):
        setup._hand(start, 0, ["Dam"], 2)


def test_decisions_to_recruit_in_a_trace_r89_r101(monkeypatch: pytest.MonkeyPatch) -> None:
    decks = [
        SimpleNamespace(name="leaders", cards=[SimpleNamespace(name="Ann")]),
        SimpleNamespace(name="towns", cards=[SimpleNamespace(name="Bob")]),
    ]
    catalogue: Any = SimpleNamespace(decks=decks)
    monkeypatch.setattr(trace, "source_of", lambda _catalogue, entry: {"card": {40: "Ann", 41: "Bob"}[entry]})

    def decided(action: str, card: int, how: int, bank: int = 0) -> dict[str, Any]:
        word = card | w.ACTIONS.index(action) << layout.ACTION_AT | how << layout.HOW_AT | bank << layout.BANK_AT
        return trace.move_record([], word, 2, w.EFFECT, 0, catalogue, 3)

    assert decided("choose", 40, w.RECRUITS, 4) == {
        "seat": 2, "deck": "leaders", "action": "choose", "card": "Ann", "bank": 4,
    }  # fmt: skip
    assert decided("choose", 41, w.KEEPS) == {"seat": 2, "deck": "towns", "action": "keep", "card": "Bob"}
    assert decided("decline", 41, w.RECRUITS) == {"seat": 2, "deck": "towns", "action": "decline"}
    assert decided("decline", 41, w.KEEPS) == {"seat": 2, "deck": "towns", "action": "decline"}


class Row(SimpleNamespace):
    """A row of results, with its fields as attributes and as items."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def test_scores_and_boards_in_a_trace() -> None:
    """Shares are stored with seven digits: a third and a sixth are exact again; side 5 is side B of board 2."""
    wonders = [SimpleNamespace(name=name) for name in ("Giza", "Rome", "Petra")]
    catalogue: Any = SimpleNamespace(wonders=wonders, sides=("A", "B"), decks=(), cards=(), counters=(), ruleset="duo")
    rules = SimpleNamespace(players=2, seats=3, duo=1)
    points = np.arange(len(w.CATEGORIES))
    rows = [
        Row(seat=seat, side=side, policy=policy, points=points + seat, total=30 + seat, coins=seat,
                        win_share=np.float32(share))
        for seat, side, policy, share in ((0, 5, 1, 1 / 3), (1, 0, 0, 1.0), (2, 2, 0, 0.0))
    ]  # fmt: skip
    game = SimpleNamespace(log=SimpleNamespace(events=[], count=0))
    made = trace.trace_of(catalogue, rules, game, rows, ["net", "random"], 7, 12)
    assert made["seats"] == [
        {"wonder": "Petra", "side": "B", "policy": "random"}, {"wonder": "Giza", "side": "A", "policy": "net"},
        {"wonder": "Rome", "side": "A", "policy": "free_city"},
    ]  # fmt: skip
    assert [score["win_share"] for score in made["scores"]] == [1 / 3, 1, 0]
    assert [(score["seat"], score["total"], score["coins"]) for score in made["scores"]] == [
        (0, 30, 0), (1, 31, 1), (2, 32, 2),
    ]  # fmt: skip
    assert [made["scores"][1][name] for name in ("military", "treasury", "guild")] == [1, 2, 7]
    assert (made["seed"], made["index"], made["ruleset"], made["ages"]) == (7, 12, "duo", [])
    assert "decks" not in made
