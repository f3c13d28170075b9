"""Views, observation columns, scenes and traces of 7 Wonders on small hand-made tables: every figure by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.positions.scenes import Card, Clash, Event, Flow, Seat
from wsim.wonders import words as w
from wsim.wonders.describe import scenes, text, trace, view
from wsim.wonders.describe.setup import plan_keys
from wsim.wonders.facts import NAMED_IF_ANY, OBSERVED
from wsim.wonders.kernels import layout

NAMES = [f"c{number}" for number in range(20)]

# --- views ----------------------------------------------------------------------------------------------------------


def own(**values: Any) -> Any:
    """Return a seat's record with an empty hand that has seen nothing."""
    shape = (w.AGES, 8)
    empty = {name: np.zeros(shape, np.int64) for name in ("passed", "aside", "watched")}
    return SimpleNamespace(**empty | {"took": np.full(shape, -1), "hand": 0, "mate_hand": 0, "looked": 0} | values)


def table(**values: Any) -> Any:
    """Return rules by which slots 0, 1, 2, ... of the second age hold the cards 5, 5, 7, 2, 9."""
    slots = np.zeros((w.AGES, w.SLOTS), int)
    slots[1, :5] = [5, 5, 7, 2, 9]
    return SimpleNamespace(**{"slot_card": slots, "teams": 0, "watches": 0, "players": 3} | values)


def test_a_seat_sees_its_hand_and_what_it_handed_on() -> None:
    """In turn 1 it played the card of slot 3, handed on slots 0 and 2 and put slot 1 aside; turn 2 is on."""
    seat = own(hand=0b10010, mate_hand=0b1000)
    seat.took[1, 0], seat.passed[1, 0], seat.aside[1, 0] = 3, 0b101, 2
    seat.took[0, 0], seat.passed[0, 0] = 0, 1  # of another age
    state = SimpleNamespace(own=[own(), seat], public=SimpleNamespace(age=1, turn=1))
    handed = {"turn": 1, "took": "c2", "left": ["c5", "c7"], "put_aside": "c5"}
    assert view._own(NAMES, table(), state, 1) == {"hand": ["c5", "c9"], "handed_on": [handed]}
    assert view._own(NAMES, table(teams=1), state, 1)["mate_hand"] == ["c2"]
    seat.aside[1, 0] = 0
    del handed["put_aside"]
    assert view._own(NAMES, table(), state, 1)["handed_on"] == [handed]
    state.public.turn = 0
    assert view._own(NAMES, table(), state, 1)["handed_on"] == []


def test_a_seat_remembers_the_discard_pile_as_it_saw_it() -> None:
    """Four bits for each card, sixteen cards in a word: 3 of c2, 15 of c15, 2 of c17."""
    state = SimpleNamespace(
        own=[own(looked=1, look=[3 << 8 | 15 << 60, 2 << 4])], public=SimpleNamespace(age=1, turn=0)
    )
    assert view._own(NAMES, table(), state, 0)["pile_seen"] == {"c2": 3, "c15": 15, "c17": 2}
    state.own[0].looked = 0
    assert "pile_seen" not in view._own(NAMES, table(), state, 0)


def test_a_seat_remembers_the_hands_of_neighbours_that_it_saw_r105() -> None:
    """In turn 1 that of seat 2, which played slot 2, put slot 3 aside and handed on slot 0; in turn 2 that of seat 1,
    which has not moved yet."""
    seats = [own(), own(hand=0b11), own(hand=0b10000)]
    seats[0].watched[1, :2] = [0b100, 0b010]
    seats[0].watched[0, 0] = seats[0].watched[1, 2] = 0b110
    seats[2].passed[1, 0], seats[2].took[1, 0], seats[2].aside[1, 0] = 0b1, 2, 4
    state = SimpleNamespace(own=seats, public=SimpleNamespace(age=1, turn=1))
    seen = [{"turn": 1, "seat": 2, "hand": ["c5", "c7", "c2"]}, {"turn": 2, "seat": 1, "hand": ["c5", "c5"]}]
    assert view._hands_seen(NAMES, table(), state, 0) == seen
    assert view._own(NAMES, table(watches=1), state, 0)["hands_seen"] == seen
    assert view._hands_seen(NAMES, table(), state, 1) == []


def test_a_public_move_hides_a_card_played_face_down_r49() -> None:
    def told(action: str, decision: int = w.TURN) -> dict[str, Any]:
        move = 7 | w.ACTIONS.index(action) << layout.ACTION_AT | 2 << layout.BANK_AT
        return view._deed(NAMES, move | 1 << 40 | 2 << 44 | 4 << 46 | decision << 50)

    when = {"age": 3, "turn": 5, "seat": 1}
    paid = {"how": "paid", "bank": 2, "left": 0, "right": 0}
    assert told("build") == {**when, "card": "c7", "action": "build", **paid}
    assert told("stage") == {**when, "action": "stage", **paid}
    assert told("sell") == {**when, "action": "sell"}
    assert told("sell", w.LAST_CARD) == {**when, "action": "sell", "source": "last_card"}
    for action in ("discard", "take", "put_aside"):
        assert told(action) == {**when, "card": "c7", "action": action}


def test_sets_of_cards_become_names() -> None:
    words = [1 << 0 | 1 << 63, 1 << 1 | 1 << 5]
    assert view._cards_in(words, SimpleNamespace(cards=69)) == [0, 63, 65]
    assert view._cards_in(words, SimpleNamespace(cards=70)) == [0, 63, 65, 69]
    deck: Any = SimpleNamespace(deck_cards=[SimpleNamespace(name=name) for name in ("Plato", "Xenon", "Cleo")])
    assert view._recruits(deck, 0b101) == ["Plato", "Cleo"]
    assert trace.names_of(NAMES, [3, 4, 5], 0b110) == ["c4", "c5"]


def test_columns_of_an_observation_come_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "slots_of", lambda _catalogue: [SimpleNamespace(label="pots")])
    monkeypatch.setattr(view, "observed_names", lambda facts: ["coins", "debts"] if len(facts) > len(OBSERVED) else
                        ["coins"])  # fmt: skip
    catalogue: Any = SimpleNamespace(
        cards=[SimpleNamespace(name="A"), SimpleNamespace(name="B")], deck_cards=[SimpleNamespace(name="P")]
    )
    flags = {"teams": 0, "asks": 0, "watches": 0, "drafts": 0, "triggers": 0, "copies": 0}
    rules = SimpleNamespace(seats=3, turns=2, **flags)
    table = ["age", "turn", "turns", "discarded", "seat", "decision"]
    city = ["coins", "counter:pots", "built:A", "built:B", "recruited:P"]
    cities = [f"{who}.{what}" for who in ("own", "left1", "left2") for what in city]
    assert list(view.columns(catalogue, rules, history=False)) == [
        *table, "hand:A", "hand:B", *cities, "recruit:P", "display:P"
    ]  # fmt: skip
    past = view.columns(catalogue, rules)[len(table) + 2 + 15 + 2 :]
    assert past[:4] == ("passed1:A", "passed1:B", "passed2:A", "passed2:B")
    assert len(past) == 4 + 3 * 2 * 3 * 2 * 3, "ages, turns, cities, in time or late, facts"
    assert past[4:11] == (
        "deed:1.1.own.action", "deed:1.1.own.card", "deed:1.1.own.bank", "deed:1.1.own.late.action",
        "deed:1.1.own.late.card", "deed:1.1.own.late.bank", "deed:1.1.left1.action",
    )  # fmt: skip
    assert past[-1] == "deed:3.2.left2.late.bank"
    everything = SimpleNamespace(seats=2, turns=1, **dict.fromkeys(flags, 1))
    city = ["coins", "debts", "counter:pots", "built:A", "built:B", "copied:A", "copied:B", "recruited:P"]
    assert list(view.columns(catalogue, everything, history=False)) == [
        *table, "hand:A", "hand:B", "mate:A", "mate:B", *(f"{who}.{what}" for who in ("own", "left1") for what in city),
        "asking.entry", "asking.clause", "asking.owner", "left_hand:A", "left_hand:B", "right_hand:A", "right_hand:B",
        "recruit:P", "display:P", "draft:P",
    ]  # fmt: skip


def test_cities_of_a_written_position_determine_the_table() -> None:
    cities = [{"wonder": wonder, "side": side} for wonder, side in (("Gizah", "day"), ("Rhodos", "night"), ("X", "A"))]
    assert plan_keys({"cities": cities}, "2e") == {
        "players": 3, "wonders": "Gizah,Rhodos,X", "sides": "day,night,A"
    }  # fmt: skip
    assert plan_keys({"cities": cities}, "1e-duo")["players"] == 2
    with pytest.raises(UserError, match="must have 3 cities, the Free City last, not 2"):
        plan_keys({"cities": cities[:2]}, "1e-duo")
    with pytest.raises(UserError, match="side of city 1 of the position must be text, not None"):
        plan_keys({"cities": [cities[0], {"wonder": "Gizah"}]}, "2e")
    with pytest.raises(UserError, match="cities must be a list of objects"):
        plan_keys({}, "2e")


# --- scenes ---------------------------------------------------------------------------------------------------------

COLOR = {"Altar": "blue", "Mine": "brown", "Press": "gray", "Guild": "purple"}


def scene_table(players: int = 3, teams: int = 0, seats: int = 3) -> scenes._Table:
    cards = [SimpleNamespace(name=name, color=color) for name, color in COLOR.items()]
    boards = [SimpleNamespace(name=name, sides=[("A", [0] * 3), ("B", [0] * 4)]) for name in ("Gizah", "Rhodos")]
    rules = SimpleNamespace(victory_points=[1, 3, 5], teams=teams, players=players)
    played = [{"wonder": ("Gizah", "Rhodos")[n % 2], "side": "AB"[n // 2 % 2], "policy": f"p{n}"} for n in range(seats)]
    catalogue: Any = SimpleNamespace(cards=cards, wonders=boards, deck_cards=[])
    return scenes._Table(catalogue, rules, {"seats": played})


def city(**values: Any) -> dict[str, Any]:
    return {"wonder": "Gizah", "side": "B", "coins": 4, "stages": 2, "shields": 3, "victories": [0, 0, 0], "defeats": 1,
            "built": []} | values  # fmt: skip


def test_seats_of_a_story_are_boards_and_teams() -> None:
    assert scene_table().seats == [Seat("Gizah A", "p0", 0), Seat("Rhodos A", "p1", 1), Seat("Gizah B", "p2", 2)]
    assert scene_table(players=2).seats[2] == Seat("Free City", "neutral", -1)
    assert [seat.side for seat in scene_table(4, teams=1, seats=4).seats] == [0, 0, 1, 1]


def test_facts_of_a_city_in_a_scene() -> None:
    plain = scene_table().facts(city())
    assert plain == {"coins": 4, "stages": "2 of 4", "shields": 3, "victories": 0, "defeats": 1}
    won = scene_table().facts(city(side="A", victories=[1, 0, 2], counters={"pots": 2}))
    assert (won["stages"], won["victories"], won["by clauses"]) == ("2 of 3", "3 (+11)", "pots: 2")
    name = NAMED_IF_ANY[0]
    assert name not in scene_table().facts(city(**{name: 0}))
    assert scene_table().facts(city(**{name: 2}))[name] == 2


def test_structures_are_sorted_by_colour_and_new_ones_marked() -> None:
    after = city(built=["Guild", "Altar", "Press", "Mine"], recruited=["Plato", "Cleo"])
    built = scene_table().built(after, city(built=["Altar", "Mine"], recruited=["Plato"]))
    assert built == [
        Card("Mine", "brown"), Card("Press", "gray", "new"), Card("Altar", "blue"), Card("Guild", "purple", "new"),
        Card("Plato"), Card("Cleo", None, "new"),
    ]  # fmt: skip


def test_a_hand_shows_what_was_done_with_a_card() -> None:
    hand = ["Altar", "Altar", "Mine", "Press", "Guild"]
    moves = [{"card": "Altar", "action": "build"}, {"card": "Mine", "action": "stage", "source": "last_card"},
             {"card": "Press", "action": "build", "source": "discard_pile"}]  # fmt: skip
    assert [card.note for card in scene_table().hand(hand, moves)] == [
        "builds it", "", "builds a stage with it", "", ""
    ]  # fmt: skip
    assert [card.kind for card in scene_table().hand(hand, [])] == ["blue", "blue", "brown", "gray", "purple"]


PAID = {"how": "paid", "bank": 0, "left": 0, "right": 0}


def test_moves_become_events_that_hide_cards_played_face_down_r49() -> None:
    """The left neighbour of seat 2 is seat 0, the right one seat 1."""
    made = scene_table()
    build = {"seat": 2, "card": "Altar", "action": "build", **PAID}
    assert made.moved(build) == Event("builds Altar", 2)
    assert made.moved({**build, "bank": 1, "left": 2, "right": 3}) == Event(
        "builds Altar, paying 1 coin to the bank and 2 coins to Gizah A and 3 coins to Rhodos A", 2
    )
    assert made.moved({**build, "how": "chain", "source": "discard_pile"}) == Event(
        "from the discard pile builds Altar by a chain", 2
    )
    stage = {"seat": 0, "card": "Mine", "action": "stage", "stage": 2, **PAID, "source": "last_card"}
    assert made.moved(stage) == Event(
        "with its last card builds stage 2 with Mine", 0, "with its last card builds stage 2"
    )  # fmt: skip
    assert made.moved({"seat": 1, "card": "Mine", "action": "sell"}) == Event("sells Mine", 1, "sells a card")
    flows = made.flows([{**build, "left": 2, "right": 3}, {"seat": 0, "action": "sell"}, {**build, "left": 0}])
    assert flows == [Flow(2, 0, "2"), Flow(2, 1, "3")]


@pytest.mark.parametrize(
    ("shields", "tokens", "words"),
    [
        ([4, 2], [5, -1], "Rhodos A beats Gizah B, 4 to 2 shields: +5 and \N{MINUS SIGN}1"),
        ([0, 2], [-1, 3], "Rhodos A loses to Gizah B, 0 to 2 shields: \N{MINUS SIGN}1 and +3"),
        ([2, 2], [0, 0], "Rhodos A ties with Gizah B, 2 to 2 shields"),
        ([3, 2], [0, -1], "Rhodos A beats Gizah B, 3 to 2 shields: 0 and \N{MINUS SIGN}1"),
    ],
)
def test_a_conflict_becomes_an_event(shields: list[int], tokens: list[int], words: str) -> None:
    fought = {"seats": [1, 2], "shields": shields, "tokens": tokens}
    assert scene_table().fought(fought) == Event(f"Conflict: {words}")


def test_a_scene_of_the_last_turn_has_the_events_of_the_age() -> None:
    made = scene_table(2)
    build = {"seat": 0, "card": "Altar", "action": "build", **PAID, "left": 2}
    turns: Any = [{"turn": 5, "moves": []}, {
        "turn": 6, "moves": [build], "extra": [{"seat": 1, "card": "Mine", "action": "sell", "source": "last_card"}],
        "losses": [{"seat": 1, "coins": 1, "debt": 2}],
        "decisions": [{"seat": 0, "action": "decline", "card": "Altar"}],
        "effects": [{"card": "Altar", "seat": 1, "does": "gain coins", "amount": 3}],
    }]  # fmt: skip
    age = {"age": 2, "turns": turns, "conflicts": [{"seats": [0, 1], "shields": [1, 0], "tokens": [3, -1]}],
           "losses": [{"seat": 0, "coins": 2, "debt": 0}],
           "decisions": [{"seat": 1, "action": "decline", "card": "Mine"}],
           "effects": [{"card": "Mine", "seat": 0, "does": "lose coins", "amount": 1}]}  # fmt: skip
    before = {"cities": [city()] * 3, "hands": [["Altar", "Mine"], ["Press"]]}
    after = {"cities": [city(built=["Altar"]), city(), city()], "counters": {"pots": 3}}
    points = [[1, 2], [3, 4], [5, 6]]
    last = made.scene(age, turns[1], before, after, points)
    assert (last.chapter, last.label) == ("Age II", "Age II, turn 6; pots: 3")
    assert [(event.seat, event.text) for event in last.events] == [
        (0, "builds Altar, paying 2 coins to Rhodos A"), (1, "with its last card sells Mine"),
        (1, "loses 1 coin and takes 2 coins as debt"), (0, "declines: Altar"),
        (None, "Altar of Rhodos A: Rhodos A gains 3 coins"),
        (None, "Conflict: Gizah A beats Rhodos A, 1 to 0 shields: +3 and \N{MINUS SIGN}1"), (1, "declines: Mine"),
        (0, "loses 2 coins"), (None, "Mine of Gizah A: Gizah A loses 1 coin"),
    ]  # fmt: skip
    assert (last.flows, last.clashes) == ([Flow(0, 1, "2")], [Clash((0, 1), (1, 0))])
    assert [each.points for each in last.cities] == points
    assert [[card.note for card in each.hand] for each in last.cities] == [["builds it", ""], [""], []]
    assert [card.note for card in last.cities[0].cards] == ["new"]
    earlier = made.scene(age, turns[0], before, before, points)
    assert (earlier.label, earlier.events, earlier.clashes) == ("Age II, turn 5", [], [])
    deal = made.scene(age, None, before, before, points)
    assert (deal.label, deal.events) == ("The deal", [Event("The cards of the first age are dealt.")])


def test_a_story_has_a_scene_for_the_deal_and_for_each_turn() -> None:
    """Two turns; only two categories ever have points."""
    none = dict.fromkeys(w.CATEGORIES, 0)
    points = [[none, none], [none, {**none, "civilian": 3}], [{**none, "military": -1}, {**none, "civilian": 3}]]
    seats = [{"wonder": name, "side": "A", "policy": "p"} for name in ("Gizah", "Rhodos")]
    views = [
        {"cities": [city(built=["Altar"] * bool(step)), city()], "hands": [["Altar"], ["Mine"]]} for step in range(3)
    ]
    positions: Any = [SimpleNamespace(view=lambda _seat, seen=seen: seen) for seen in views]
    turns: Any = [{"turn": turn, "moves": []} for turn in (1, 2)]
    cards = [SimpleNamespace(name=name, color=color) for name, color in COLOR.items()]
    boards = [SimpleNamespace(name=name, sides=[("A", [0] * 3), ("B", [0] * 4)]) for name in ("Gizah", "Rhodos")]
    told = scenes.story(
        {"seats": seats, "ages": [{"age": 1, "turns": turns, "conflicts": []}]}, positions, points,
        cast("Any", SimpleNamespace(cards=cards, wonders=boards)),
        SimpleNamespace(victory_points=[1, 3, 5], teams=0, players=2),
    )  # fmt: skip
    assert told.categories == ["military", "civilian"]
    assert [scene.label for scene in told.scenes] == ["The deal", "Age I, turn 1", "Age I, turn 2"]
    assert [[each.points for each in scene.cities] for scene in told.scenes] == [
        [[0, 0], [0, 0]], [[0, 0], [0, 3]], [[-1, 0], [0, 3]]
    ]  # fmt: skip
    assert [scene.cities[0].cards for scene in told.scenes] == [
        [], [Card("Altar", "blue", "new")], [Card("Altar", "blue")]
    ]  # fmt: skip


def seen(**values: Any) -> dict[str, Any]:
    old = {"age": 1, "turn": 5, "seat": 0, "action": "sell"}
    new = {"age": 1, "turn": 6, "seat": 1, "card": "Altar", "action": "build", **PAID, "right": 1}
    return {
        "age": 1, "turn": 7, "seat": 1, "discarded": 1, "hand": ["Altar"], "public_moves": [old, new],
        "cities": [city(), city(wonder="Rhodos", side="A"), city()],
    } | values  # fmt: skip


def test_the_view_of_a_seat_as_a_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [SimpleNamespace(name=name, color=color) for name, color in COLOR.items()]
    boards = [SimpleNamespace(name=name, sides=[("A", [0] * 3), ("B", [0] * 4)]) for name in ("Gizah", "Rhodos")]
    deck = [SimpleNamespace(name=name, cost=cost, effects=name) for name, cost in (("Plato", 1), ("Cleo", 4), ("X", 0))]
    catalogue: Any = SimpleNamespace(cards=cards, wonders=boards, deck_cards=deck)
    rules = SimpleNamespace(victory_points=[1, 3, 5], teams=0, players=3)
    monkeypatch.setattr(scenes, "card_text", lambda card: f"text of {card.name}")
    monkeypatch.setattr(scenes, "next_stage", lambda _catalogue, city: "" if city["side"] == "A" else "more")
    monkeypatch.setattr(scenes, "recruit_text", lambda effects: f"effects of {effects}")
    made = scenes.scene(seen(counters={"pots": 1}, recruits=["Plato"], draft=[]), catalogue, rules)
    assert (made.chapter, made.label) == ("Age I", "Age I, turn 7; discard pile: 1 card; pots: 1")
    assert [each.facts.get("next stage") for each in made.cities] == ["more", None, "more"]
    assert [list(each.hand) for each in made.cities] == [
        [], [Card("Altar", "blue", "text of Altar"), Card("Plato", None, "1 coin: effects of Plato")], []
    ]  # fmt: skip
    assert made.events == [Event("builds Altar, paying 1 coin to Gizah B", 1)], "those of the last turn, all seen"
    assert made.flows == [Flow(1, 0, "1")]
    drafting = scenes.scene(seen(turn=1, discarded=2, draft=["Cleo"], mate_hand=["Mine"], public_moves=[]),
                            catalogue, rules)  # fmt: skip
    assert drafting.label == "Age I, before turn 1, a draft"
    assert [[card.name for card in each.hand] for each in drafting.cities] == [["Mine"], ["Altar", "Cleo"], []]
    spied = [{"turn": 6, "seat": 0, "hand": ["Press"]}, {"turn": 7, "seat": 2, "hand": ["Guild", "Mine"]}]
    known = scenes.scene(seen(discarded=0, hands_seen=spied), catalogue, rules)
    assert [[card.name for card in each.hand] for each in known.cities] == [[], ["Altar"], ["Guild", "Mine"]]
    assert known.label.endswith("discard pile: 0 cards")


def test_the_view_of_a_seat_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "card_text", lambda card: f"text of {card.name}")
    monkeypatch.setattr(text, "next_stage", lambda _catalogue, _city: "2 of 4: more")
    monkeypatch.setattr(text, "recruit_text", lambda effects: f"effects of {effects}")
    cards = [SimpleNamespace(name=name, color=color) for name, color in COLOR.items()]
    deck = [SimpleNamespace(name=name, cost=cost, effects=name) for name, cost in (("Plato", 1), ("Cleo", 4), ("X", 0))]
    spied = [{"turn": 6, "seat": 0, "hand": ["Press"]}, {"turn": 7, "seat": 2, "hand": ["Guild"]}]
    given = seen(counters={"pots": 1}, recruits=["Plato"], display=["Cleo"], hands_seen=spied, mate_hand=["Mine"])
    lines = text.view_lines(cast("Any", SimpleNamespace(cards=cards, deck_cards=deck)), given)
    assert lines[:3] == [
        "Age I, turn 7. You are seat 1. Discard pile: 1 cards.", "Counter pots of the table: 1.", ""
    ]  # fmt: skip
    assert [line.split()[:2] for line in lines[3:7]] == [
        ["seat", "wonder"],
        ["0", "right"],
        ["1", "you"],
        ["2", "left"],
    ]
    assert lines[8:11] == [f"{seat} has built nothing" for seat in range(3)]
    assert lines[12:] == [
        "Next stage, 2 of 4: more", "", "Your hand", f"  {'Altar':<22}{'blue':<8}text of Altar", "Your mate's hand",
        f"  {'Mine':<22}{'brown':<8}text of Mine", "Seat 2's hand", f"  {'Guild':<22}{'purple':<8}text of Guild",
        "You may recruit", f"  {'Plato':<22}{'1 coin':<8}: effects of Plato", "Displayed",
        f"  {'Cleo':<22}{'4 coins':<8}: effects of Cleo",
    ]  # fmt: skip
    assert text.view_lines(cast("Any", SimpleNamespace(cards=cards, deck_cards=deck)), seen(draft=["X"], turn=3))[
        0
    ].startswith("Age I, after the conflicts, a draft. You are seat 1.")


# --- traces ---------------------------------------------------------------------------------------------------------


def test_hidden_decks_are_read_off_the_end_of_a_game() -> None:
    """Cards 0 to 2 are dealt: seat 0 has 0 and recruited 1, seat 1 recruited 2 from the stock. 3 and 4 are displayed:
    4 was recruited by seat 0. Of 5 and 6, drafted, the first hands count."""
    names = iter("abcdefg")
    decks = [SimpleNamespace(name=name, cards=[SimpleNamespace(name=next(names)) for _ in range(size)], draft=draft,
                             display=display) for name, size, draft, display in
             (("dealt", 3, 0, False), ("shown", 2, 0, True), ("drafted", 2, 1, False))]  # fmt: skip
    public = SimpleNamespace(recruited=np.array([0b0010010, 0b0000100]), enlisted=0b0000100, display=0b0001000)
    game = SimpleNamespace(public=public, own=[SimpleNamespace(recruits=0b0000001, drafted=[0b0100000, 0]),
                                               SimpleNamespace(recruits=0, drafted=[0b1000000, 0])])  # fmt: skip
    found = trace._decks(cast("Any", SimpleNamespace(decks=decks)), SimpleNamespace(seats=2, players=2), game)
    assert found == {"dealt": [["a", "b"], []], "shown": ["d", "e"], "drafted": [["f"], ["g"]]}


def event(kind: int, **values: Any) -> Any:
    """Return an event of a log, as kernels write it."""
    made = np.zeros(1, layout.EVENT).view(np.recarray)[0]
    for name, value in values.items():
        if name == "values":
            made["values"][: len(value)] = value
        else:
            made[name] = value
    made.kind = kind
    return made


def test_a_log_becomes_the_ages_of_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """One age of one turn: hands, a stage and a sale, a last card, a loss, the end of the turn, a conflict, a loss."""
    counters = [
        SimpleNamespace(label=label, counter=SimpleNamespace(of=of))
        for label, of in (("sun", "table"), ("pots", "city"))
    ]
    monkeypatch.setattr(trace, "slots_of", lambda _catalogue: counters)
    catalogue: Any = SimpleNamespace(cards=[SimpleNamespace(name=name) for name in NAMES])
    rules = table(duo=0, seats=2, age_turns=[9, 2, 9])
    read = trace._Reader(catalogue, rules)
    for each in (
        event(layout.LOG_HANDS, age=1, seat=0, hand=0b101), event(layout.LOG_HANDS, age=1, seat=1, hand=0b1000),
        event(layout.LOG_PICK, seat=1, decision=w.TURN, move=2 | w.ACTIONS.index("stage") << layout.ACTION_AT),
        event(layout.LOG_PICK, seat=0, decision=w.TURN, move=5 | w.ACTIONS.index("sell") << layout.ACTION_AT),
        event(layout.LOG_PICK, seat=1, decision=w.LAST_CARD, move=2 | w.ACTIONS.index("stage") << layout.ACTION_AT),
        event(layout.LOG_PICK, seat=0, decision=w.LOSS, move=w.ACTIONS.index("pay") << layout.ACTION_AT),
        event(layout.LOG_LOSS, seat=1, values=[2, 1]),
        event(layout.LOG_TURN_END, age=1, turn=1, values=[3, 4]),
        event(layout.LOG_CONFLICT, values=[0, 1, 2, 0, 3, -1]), event(layout.LOG_LOSS, seat=0, values=[1, 0]),
    ):  # fmt: skip
        read.read(each)
    (age,) = read.ages
    sold = {"seat": 0, "card": "c5", "action": "sell"}
    stage = {"seat": 1, "card": "c2", "action": "stage", "stage": 1, **PAID}
    assert age == {
        "age": 2, "hands": [["c5", "c7"], ["c2"]],
        "turns": [{"turn": 2, "moves": [sold, stage],
                   "extra": [{**stage, "stage": 2, "source": "last_card"}],
                   "losses": [{"seat": 1, "coins": 2, "debt": 1}], "coins": [3, 4]}],
        "conflicts": [{"seats": [0, 1], "shields": [2, 0], "tokens": [3, -1]}],
        "losses": [{"seat": 0, "coins": 1, "debt": 0}],
    }  # fmt: skip
    read.read(event(layout.LOG_HANDS, age=2, seat=0, hand=0))
    for slot, values in ((0, [7, 7]), (1, [1, 2])):
        counted = event(layout.LOG_COUNTER, values=values)
        counted["values"][layout.VALUES - 1] = slot
        read.read(counted)
    read.read(event(layout.LOG_TURN_END, age=2, turn=0, values=[0, 0]))
    read.read(event(layout.LOG_LOSS, seat=0, values=[1, 0]))
    read.read(event(layout.LOG_TURN_END, age=2, turn=1, values=[0, 0]))
    assert read.ages[1]["turns"] == [
        {"turn": 1, "moves": [], "coins": [0, 0], "counters": {"sun": 7, "pots": [1, 2]}},
        {"turn": 2, "moves": [], "losses": [{"seat": 0, "coins": 1, "debt": 0}], "coins": [0, 0]},
    ]  # fmt: skip


def test_the_pile_of_the_free_city_is_listed_in_order() -> None:
    rules = table(duo=1, seats=3, age_turns=[9, 2, 9])
    catalogue: Any = SimpleNamespace(cards=[SimpleNamespace(name=name) for name in NAMES], counters=())
    read = trace._Reader(catalogue, rules)
    for seat in range(3):
        read.read(event(layout.LOG_HANDS, age=1, seat=seat, hand=0b10, values=[4, 3, 2, 1]))
    assert list(read.ages[0].items()) == [
        ("age", 2), ("hands", [["c5"], ["c5"]]), ("free_city", ["c9", "c2", "c7"]), ("turns", []), ("conflicts", [])
    ]  # fmt: skip
