"""Moves, effects and games in words, what clauses gave to a city, and why something cannot be built, all by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.wonders import words as w
from wsim.wonders.describe import obstacles, text, trace
from wsim.wonders.describe.by_clauses import (
    HAS,
    by_clauses,
    counters_of_city,
    counters_of_table,
    in_words,
    set_up_by_clauses,
    set_up_counters,
)
from wsim.wonders.kernels import layout

PAYING = {"how": "paid", "bank": 0, "left": 0, "right": 0}


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ({"action": "build", "card": "Altar", **PAYING}, "build Altar"),
        ({"action": "build", "card": "Altar", "how": "chain"}, "build Altar (by a chain)"),
        ({"action": "build", "card": "Altar", "how": "free"}, "build Altar (for free)"),
        ({"action": "stage", "card": "Altar", "stage": 2, **PAYING}, "stage 2 with Altar"),
        ({"action": "stage", **PAYING}, "a stage"), ({"action": "sell", "card": "Altar"}, "sell Altar"),
        ({"action": "decline"}, "build nothing"), ({"action": "pay", "coins": 2}, "pay 2 of the loss"),
        ({"action": "keep", "deck": "leaders", "card": "Plato"}, "leaders: keep Plato"),
        ({"action": "choose", "deck": "leaders", "card": "Plato", "text": "4 points"},
         "leaders: recruit Plato (4 points)"),
        ({"action": "decline", "deck": "leaders"}, "leaders: decline"),
        ({"action": "choose", "when": 1, "card": "Altar", "option": 2}, "Altar: choose option 2"),
        ({"action": "choose", "when": 1, "stage": 3, "owner": 2, "option": 1, "text": "gain a coin"},
         "stage 3 of seat 2: gain a coin"),
        ({"action": "decline", "when": 1, "table": "Rule"}, "Rule: decline"),
    ],
)  # fmt: skip
def test_a_move_is_described_in_a_few_words(move: dict[str, Any], words: str) -> None:
    assert text.phrase(move) == words


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ({"action": "choose", "card": "Altar", "option": 2}, "seat 1 chooses option 2 of Altar"),
        ({"action": "choose", "stage": 2, "option": 1, "city": 0}, "seat 1 chooses option 1 of stage 2 for seat 0"),
        ({"action": "choose", "table": "Rule", "option": 1, "city": 0, "picked": "Baths", "owner": 3},
         "seat 1 chooses option 1 of Rule of seat 3 with Baths"),
        ({"action": "choose", "card": "Altar", "option": 1, "picked": "Baths", "amount": 2},
         "seat 1 chooses option 1 of Altar with an amount of 2"),
        ({"action": "choose", "card": "Altar", "option": 1, "gives": "Baths"}, "seat 1 gives Baths by Altar"),
        ({"action": "decline", "card": "Altar", "owner": 0}, "seat 1 declines: Altar of seat 0"),
        ({"action": "choose", "deck": "leaders", "card": "Plato"}, "seat 1 recruits Plato"),
        ({"action": "decline", "deck": "leaders"}, "seat 1 of leaders recruits none"),
        ({"action": "keep", "deck": "leaders", "card": "Plato"}, "seat 1 keeps Plato"),
    ],
)  # fmt: skip
def test_a_clause_decision_is_described_in_words(decision: dict[str, Any], words: str) -> None:
    assert text.decision_text({"seat": 1, **decision}) == words
    assert text.decision_text({"seat": 1, **decision}, "Ann") == words.replace("seat 1", "Ann", 1)


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        ({"does": "gain coins", "amount": 3}, "Altar of seat 1: seat 1 gains 3 coins"),
        ({"does": "lose coins", "amount": 1, "city": 2}, "Altar of seat 1: seat 2 loses 1 coin"),
        ({"does": "take", "amount": 2, "city": 0}, "Altar of seat 1 takes 2 coins from seat 0"),
        ({"does": "give", "amount": 1, "city": 0}, "Altar of seat 1 gives 1 coin to seat 0"),
        ({"does": "gain left_raw_price", "amount": 1, "city": 0},
         "Altar of seat 1: the price of raw units from the left rises by 1 for seat 0"),
        ({"does": "lose right_manufactured_price", "amount": 1},
         "Altar of seat 1: the price of manufactured units from the right falls by 1 for seat 1"),
        ({"does": "gain counter pots", "amount": 2}, "Altar of seat 1: counter pots rises by 2"),
        ({"does": "lose counter pots", "amount": 2, "city": 0}, "Altar of seat 1: counter pots falls by 2 for seat 0"),
        ({"does": "cheaper coins", "amount": 2, "city": 0}, "Altar of seat 1: seat 0 pays 2 coins less"),
        ({"does": "dearer coins", "amount": 1}, "Altar of seat 1: seat 1 pays 1 coin more"),
        ({"does": "gain copies", "amount": 1},
         "Altar of seat 1: seat 1 has the lasting effects of a card once more"),
    ],
)  # fmt: skip
def test_a_clause_effect_is_described_in_words(effect: dict[str, Any], words: str) -> None:
    assert text.effect_text({"card": "Altar", "seat": 1, **effect}) == words
    names = ["Ann", "Bob", "Cy"]
    for seat, name in enumerate(names):
        words = words.replace(f"seat {seat}", name)
    assert text.effect_text({"card": "Altar", "seat": 1, **effect}, names) == words


def test_payments_are_named_by_recipient() -> None:
    """The left neighbour is the next seat; of two cities it is the right one, too."""
    move = {"seat": 2, "action": "build", "card": "Altar", "how": "paid", "bank": 1, "left": 2, "right": 3}
    assert text.payments(move, ("bank", "left", "right")) == [("bank", 1), ("left", 2), ("right", 3)]
    assert text.payments({**move, "left": 0}, ("bank", "left", "right")) == [("bank", 1), ("right", 3)]
    assert text.paid(move, 3) == {"bank": 1, "seat 0": 2, "seat 1": 3}
    assert text.paid({**move, "seat": 1}, 2) == {"bank": 1, "seat 0": 5}
    assert text.paid({**move, "seat": 0, "bank": 0}, 4) == {"seat 1": 2, "seat 3": 3}


def test_a_game_is_described_in_words() -> None:
    """Each line of a trace that has one of everything."""
    built = {"seat": 0, "action": "build", "card": "Altar", "how": "paid", "bank": 1, "left": 2, "right": 0}
    turn = {
        "turn": 6, "moves": [built, {"seat": 1, "action": "sell"}, {"seat": 0, "action": "take", "card": "Baths"}],
        "extra": [
            {"seat": 1, "action": "stage", "stage": 1, "how": "chain", "source": "last_card"},
            {"seat": 0, "action": "discard", "card": "Baths", "source": "discard_pile"},
        ],
        "losses": [{"seat": 1, "coins": 2, "debt": 1}], "coins": [3, 4], "counters": {"pots": 5, "jars": [1, 0]},
        "decisions": [{"seat": 0, "action": "decline", "card": "Altar"}],
        "effects": [{"card": "Altar", "seat": 1, "does": "gain coins", "amount": 3}],
    }  # fmt: skip
    end = {"losses": [{"seat": 0, "coins": 1, "debt": 0}], "decisions": turn["decisions"], "effects": turn["effects"]}
    fought = {"seats": [1, 0], "shields": [3, 0], "tokens": [5, -1]}
    scores = [{"seat": seat, **dict.fromkeys(w.CATEGORIES, seat), "total": 8 * seat, "coins": 3, "win_share": seat / 2}
              for seat in (0, 1)]  # fmt: skip
    made = text.game_text({
        "ruleset": "2e", "seed": 7, "index": 3, "scores": scores,
        "seats": [{"wonder": "Rhodos", "side": "A", "policy": "net"},
                  {"wonder": "Gizah", "side": "B", "policy": "fast"}],
        "ages": [{"age": 3, "hands": [["Altar"], ["Baths", "Arena"]], "free_city": ["Altar"], "turns": [turn],
                  "conflicts": [fought], **end}],
    })  # fmt: skip
    lines = made.splitlines()
    assert [line.split() for line in lines[-3:]] == [
        ["seat", "wonder", "military", "treasury", "stages", *w.CATEGORIES[3:], "total", "coins", "win", "share"],
        ["0", "Rhodos", "A", *"0000000003", "0"], ["1", "Gizah", "B", *"1111111183", "0.5"],
    ]  # fmt: skip
    assert len({len(line) for line in lines[-3:]}) == 1, "aligned on the right"
    assert lines[:-3] == [
        "7 Wonders 2e, seed 7, game 3", "  seat 0: Rhodos A, played by net", "  seat 1: Gizah B, played by fast", "",
        "Age III", "  seat 0 is dealt Altar", "  seat 1 is dealt Baths, Arena",
        "  the Free City's pile, top first: Altar", " Turn 6",
        "  seat 0 builds Altar, paying 1 to the bank, 2 to the left neighbour", "  seat 1 sells a card",
        "  seat 0 takes Baths", "  seat 1 builds stage 1 (by a chain) (with its last card)",
        "  seat 0 discards Baths (from the discard pile)", "  seat 1 loses 2 coins and takes 1 in debt",
        "  seat 0 declines: Altar", "  Altar of seat 1: seat 1 gains 3 coins", "  treasuries: 3, 4", "  pots: 5",
        "  jars: 1, 0", " Conflict of seats 1 and 0: 3 to 0 shields, tokens +5 and -1", " seat 0 loses 1 coins",
        " seat 0 declines: Altar", " Altar of seat 1: seat 1 gains 3 coins", "", "Scores",
    ]  # fmt: skip


# --- moves of traces


def packed(card: int = 0, action: str = "build", **fields: int) -> int:
    at = {"how": layout.HOW_AT, "bank": layout.BANK_AT, "left": layout.LEFT_AT, "right": layout.RIGHT_AT,
          "slot": layout.SLOT_AT, "city": layout.CITY_AT, "trigger": layout.TRIGGER_AT, "owner": layout.OWNER_AT,
          "gives": layout.GIVES_AT}  # fmt: skip
    return card | w.ACTIONS.index(action) << 8 | sum(value << at[name] for name, value in fields.items())


@pytest.mark.parametrize(
    ("move", "decision", "record"),
    [
        (packed(1, bank=255, left=3, right=4), w.TURN,
         {"card": "B", "action": "build", "how": "paid", "bank": 255, "left": 3, "right": 4}),
        (packed(1, how=w.CHAIN, slot=9), w.LAST_CARD,
         {"card": "B", "action": "build", "source": "last_card", "how": "chain", "bank": 0, "left": 0, "right": 0}),
        (packed(0, how=w.FREE), w.DISCARD_PILE,
         {"card": "A", "action": "build", "source": "discard_pile", "how": "free", "bank": 0, "left": 0, "right": 0}),
        (packed(1, "stage", bank=2), w.TURN,
         {"card": "B", "action": "stage", "stage": 3, "how": "paid", "bank": 2, "left": 0, "right": 0}),
        (packed(1, "sell"), w.TURN, {"card": "B", "action": "sell"}),
        (packed(0, "decline"), w.DISCARD_PILE, {"action": "decline", "source": "discard_pile"}),
        (packed(0, "pay", bank=2), w.LOSS, {"action": "pay", "coins": 2}),
        (packed(1, "discard"), w.TURN, {"card": "B", "action": "discard"}),
        (packed(1, "take"), w.EFFECT, {"card": "B", "action": "take"}),
    ],
)  # fmt: skip
def test_a_packed_move_becomes_a_record(move: int, decision: int, record: dict[str, Any]) -> None:
    """Cards 0 and 1 are A and B; two stages are built."""
    assert trace.move_record("AB", move, 5, decision, 2) == {"seat": 5, **record}


def test_a_packed_clause_decision_becomes_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first clause of entry 7; seat 3 of five decides for the city two to its left, which is seat 0."""
    monkeypatch.setattr(trace, "source_of", lambda _catalogue, entry: {"card": f"entry {entry}"})
    catalogue: Any = "catalogue"

    def record(move: int) -> dict[str, Any]:
        made = trace.move_record("AB", move, 3, w.EFFECT, 0, catalogue, 5)
        assert (made.pop("seat"), made.pop("card"), made.pop("when")) == (3, "entry 7", 1)
        return made

    assert record(packed(7, "decline", slot=1, owner=2)) == {"action": "decline", "owner": 0}
    assert record(packed(7, "choose", slot=1, how=1, city=5)) == {"action": "choose", "option": 2, "city": 4}
    assert record(packed(7, "choose", slot=1, left=2, right=9)) == {
        "action": "choose", "option": 1, "picked": "B", "amount": 9
    }  # fmt: skip
    assert record(packed(7, "choose", slot=1, left=1, gives=1)) == {"action": "choose", "option": 1, "gives": "A"}


# --- gains from clauses


def gaining() -> tuple[Any, Any]:
    """Return rules and the state of two cities; entry 5 has two shields, a gear, and produces one wood."""
    rules = SimpleNamespace(triggers=1, shields={5: 2}, symbol={5: w.GEAR}, produces={5: 1 << 24})
    words = {name: np.zeros(2, np.int64) for name in ("plain", "reach", "turn_units", "shields", "age_shields",
                                                      "cheapest")}  # fmt: skip
    public = SimpleNamespace(
        **words, board_resource=[0, 1], symbols=np.zeros((2, 5), int), price=np.full((2, 4), 2),
        price_change=np.zeros((2, 4), int), gained=np.zeros((2, 8), int), counter=np.zeros((2, 3), int),
    )  # fmt: skip
    hidden = {"card_builds": [0, 0], "board_builds": [0, 0]}
    return rules, SimpleNamespace(public=public, hidden=hidden)


HAD = {
    "shields": 2, "age_shields": 1, "gear": 1, "wild": 2, "wood": 1, "papyrus": 3, "turn_clay": 2, "left_raw_price": -1,
    "discard_builds": 1, "stage_discard_builds": 2, "points_civilian": -4,
}  # fmt: skip


def test_clause_gains_are_what_the_entries_of_a_city_do_not_explain() -> None:
    rules, state = gaining()
    public = state.public
    public.plain[1] = (1 << 8) + (1 << 24)  # the stone of its board, the wood of entry 5
    public.shields[1], public.symbols[1, w.GEAR] = 2, 1
    assert by_clauses(rules, state, 1, [5]) == {}
    set_up_by_clauses(state, 1, {HAS: HAD})
    assert by_clauses(rules, state, 1, [5]) == {HAS: HAD}
    assert (public.shields[1], public.age_shields[1]) == (5, 1)
    assert (public.symbols[1].tolist(), public.price[1].tolist()) == ([0, 0, 2, 0, 2], [1, 2, 2, 2])
    units = (1 << 24) + (3 << 48) + 2
    assert (public.plain[1], public.reach[1], public.turn_units[1]) == (units + (1 << 8) + (1 << 24), units, 2)
    assert (public.cheapest[1], public.gained[1, w.CIVILIAN]) == (1, -4)
    assert state.hidden == {"card_builds": [0, 1], "board_builds": [0, 2]}
    rules.triggers = 0
    assert by_clauses(rules, state, 1, [5]) == {}
    for given, sentence in (
        ({"left_raw_price": 4}, "left_raw_price of city 1 would be 6: a unit costs 0 to 5 coins"),
        ({"left_raw_price": -3}, "left_raw_price of city 1 would be -1"), ({"shields": 51}, "shields in by_clauses"),
        ({"shields": -1}, "shields in by_clauses"), ({"points_civilian": -51}, "points_civilian in by_clauses"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=sentence):
            set_up_by_clauses(gaining()[1], 1, {HAS: given})
    assert in_words({HAS: HAD, "counters": {"pots": 3}, "free_build_tokens": 1}) == [
        "pots: 3", "2 shields", "1 shield for this age", "1 gear symbol", "2 wild symbols", "1 wood unit",
        "3 papyrus units", "2 clay units for one turn",
        "price of raw units from the left -1", "1 build from the discard pile", "2 builds from the discard pile",
        "civilian points -4", "1 token of a free build",
    ]  # fmt: skip


def test_a_city_shows_counters_of_its_cards_and_changed_ones() -> None:
    """pots is of the table, jars of every city from 1 on, urns of card 7."""

    def slot(label: str, of: str, start: int, entry: int) -> Any:
        return SimpleNamespace(label=label, entry=entry, counter=SimpleNamespace(of=of, start=start, least=0, most=4))

    slots = [slot("pots", "table", 0, -1), slot("jars", "city", 1, -1), slot("urns", "city", 2, 7)]
    _, state = gaining()
    state.public.counter[:] = [[3, 1, 2], [3, 1, 2]]
    assert counters_of_table(slots, state) == {"counters": {"pots": 3}}
    assert counters_of_table(slots[1:], state) == {}
    assert counters_of_city(slots, state, 1, []) == {"counters": {"jars": 1}}
    assert counters_of_city(slots, state, 1, [7]) == {"counters": {"jars": 1, "urns": 2}}
    state.public.counter[1, 2] = 0
    assert counters_of_city(slots, state, 1, []) == {"counters": {"jars": 1, "urns": 0}}
    set_up_counters(slots, state, None, {"pots": 4})
    set_up_counters(slots, state, 1, {"urns": 3})
    assert state.public.counter.tolist() == [[4, 1, 2], [4, 1, 3]]
    set_up_counters(slots, state, 1, {})
    assert state.public.counter.tolist() == [[4, 1, 2], [4, 1, 2]], "those not given are at their start"
    with pytest.raises(UserError, match=r"jars in counters of city 1(.|\n)*urns in counters of city 1"):
        set_up_counters(slots, state, 1, {"jars": 5, "urns": -1})
    with pytest.raises(UserError, match="counters of the table"):
        set_up_counters(slots, state, None, {"jars": 1})


# --- why not


def test_reasons_why_a_card_or_stage_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 of three with two coins. Cards: 0 in its city, 1 costs three coins, 2 two ore, one of which is there, 3
    wood for two coins to the left or one to the right and two to the bank, 4 two resources that one symbol makes."""
    paying: dict[int, list[int]] = {1: [0], 3: [2 << layout.LEFT_AT, 1 << layout.RIGHT_AT], 4: []}

    def pay(_public: Any, solver: Any, _seat: int, cost: Any, bank: int, _purse: int) -> int:
        pairs = paying[{2: 3, 3: 1}.get(bank, 4)]
        solver.pairs[: len(pairs)] = pairs
        return len(pairs)

    monkeypatch.setattr(obstacles, "pay_entry", pay)
    ore, wood = (1 << 8 * w.RESOURCES.index(name) for name in ("ore", "wood"))
    costs = [0, 0, 2 * ore, wood, wood + ore, 3 * wood]
    rules = SimpleNamespace(
        triggers=0, cost=costs, cost_coins=[0, 3, 0, 2, 0, 0], stage_count=[1], stage_entry=np.array([[5]])
    )
    public = SimpleNamespace(
        seats=3, coins=[2, 9, 9], built=np.array([[1, 0]]), side=[0], stages=[0], reach=[wood, 9 * wood, 0],
        sale_reach=[9 * ore, ore, wood],
    )  # fmt: skip
    names = ["Has", "Dear", "Lacks", "Trade", "Both"]
    moves = [{"card": name, "action": "sell"} for name in names for _ in range(2)]
    found = obstacles.obstacles(moves, names, rules, public, 0)
    assert dict(found) == {
        "Has": "Your city has it already.", "Dear": "It costs 3 coins, and you have 2.",
        "Lacks": "1 ore missing: you and your neighbours together do not produce enough.",
        "Trade": "It costs at least 3 coins with what you must buy, and you have 2.",
        "Both": "You and your neighbours cannot produce all of its resources at once.",
        "next stage": "1 wood missing: you and your neighbours together do not produce enough.",
    }  # fmt: skip
    public.coins[0], public.sale_reach[1] = 3, 2 * ore
    moves += [{"card": "Both", "action": "build"}, {"card": "Both", "action": "stage"}]
    assert dict(obstacles.obstacles(moves, names, rules, public, 0)) == {
        "Has": "Your city has it already.",
        "Lacks": "You and your neighbours cannot produce all of its resources at once.",
    }
    public.stages[0] = 1
    assert "next stage" not in dict(obstacles.obstacles(moves[:2], names, rules, public, 0))
    assert obstacles._why_too_expensive(SimpleNamespace(pairs=[1 << layout.BANK_AT]), 1, 0) == (
        "It costs at least 1 coin with what you must buy, and you have 0."
    )


def test_the_cities_of_a_view_are_described_in_words() -> None:
    """Seat 1 of three: its left neighbour is seat 2, its right one seat 0."""
    city = {
        "wonder": "Rhodos",
        "side": "A",
        "coins": 3,
        "stages": 1,
        "shields": 2,
        "victories": [1, 0, 0],
        "defeats": 4,
    }
    view: Any = {"seat": 1, "cities": [city, {**city, "side": "B", "coins": 10}, city]}
    assert list(text._cities(view)) == [
        "seat         wonder               coins  stages  shields   victories  defeats",
        "0 right      Rhodos A                 3       1        2       1/0/0        4",
        "1 you        Rhodos B                10       1        2       1/0/0        4",
        "2 left       Rhodos A                 3       1        2       1/0/0        4",
    ]  # fmt: skip
    assert text._built(2, {"built": []}) == ["2 has built nothing"]
    more = {"built": ["Altar", "Baths"], "recruited": ["Plato"], "copied": ["Arena"], "counters": {"pots": 3}}
    assert text._built(0, more) == [
        "0 has built Altar, Baths", "0 has recruited Plato", "0 has copies of Arena", "0 also has pots: 3"
    ]  # fmt: skip
