"""Unit tests of clause and formula kernels in plain Python: when and on whom they act, and what formulas read."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.policies.in_python import in_python, linked
from wsim.kernels.formula_words import FACT_BITS, KIND_BITS, OPERATION
from wsim.kernels.heads import NOBODY
from wsim.wonders import limits
from wsim.wonders import words as w
from wsim.wonders.facts import CITY_FACTS, CITY_NAMES, NAME_NUMBER
from wsim.wonders.kernels import clause_owners, clauses, formula, layout, lockstep, log, moves

pytestmark = pytest.mark.jit_off
STAGE = w.STAGE_ENTRY


def move(
    card: int, action: int, how: int = 0, bank: int = 0, left: int = 0, right: int = 0, slot: int = 0
) -> np.uint64:
    """Return a packed move in the format described at the top of ``kernels/moves.py``."""
    return np.uint64(card | action << 8 | how << 12 | bank << 16 | left << 24 | right << 32 | slot << 40)


# --- on whom a clause acts


class Acting:
    """A game of four with a clause for each trigger and entry; it records actions instead of performing them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, given: list[dict[str, Any]]) -> None:
        """``given``: of each clause its trigger, entry, by, each, seller, colors, condition, options, actions."""
        self.module = linked(monkeypatch, moves, clause_owners, clauses)
        self.done: list[Any] = []
        given = sorted(given, key=lambda clause: clause["trigger"])
        triggers = [clause["trigger"] for clause in given]

        def each(name: str, default: int) -> list[int]:
            return [clause.get(name, default) for clause in given]

        self.rules = SimpleNamespace(
            teams=0, deck_entry=STAGE + 50, table_entry=STAGE + 60, stage_entry=np.array([[STAGE, STAGE + 1]] * 4),
            clause_from=[sum(trigger < number for trigger in triggers) for number in range(17)],
            clause_entry=each("entry", 1), clause_by=each("by", w.WHOM_SELF), clause_each=each("each", w.WHOM_SELF),
            clause_seller=each("seller", w.WHOM_ANYONE), clause_colors=each("colors", 255), clause_if=each("when", -1),
            clause_options=np.cumsum([0, *each("options", 0)]).tolist(), color=[w.BLUE, w.RED, w.GREEN, w.BROWN],
            clause_actions=np.cumsum([0, *each("actions", 1)]).tolist(), when=np.ones(STAGE + 9, int),
            action=[7] * 9, action_amount=[70 + number for number in range(9)],
            clause_cards=np.full((16, 2), ~np.uint64(0)), clause_stages=[1] * 16, clause_table=[0] * 16,
        )  # fmt: skip
        public = SimpleNamespace(
            seats=4, built=np.zeros((4, 2), np.uint64), stages=[0] * 4, side=[0] * 4, recruited=[0] * 4,
            event_entry=0, event_how=0, event_order=0, purchase=0,
        )  # fmt: skip
        hidden, log = SimpleNamespace(watched=[0] * 4), SimpleNamespace(recording=True)
        self.game = SimpleNamespace(public=public, hidden=hidden, log=log)
        self.pending: list[Any] = []
        monkeypatch.setattr(self.module, "cards", lambda public, rules, seat: 10 + seat)
        monkeypatch.setattr(self.module, "add_pending", lambda _game, _rules, *given: self.pending.append(given))
        monkeypatch.setattr(self.module, "evaluate", self.evaluate)
        self.true = {(-1, -1, -1)}
        self.amount: Any = lambda formula, owner, other: formula

    def evaluate(self, _public: Any, _rules: Any, formula: int, owner: int, other: int) -> int:
        return int(self.amount(formula, owner, other))

    def noted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Record the cities on which clauses act, and the event at that time."""
        public = self.game.public

        def act_in(game: Any, rules: Any, clause: int, owner: int, city: int, other: int, first: int, end: int) -> None:
            event = (public.event_entry, public.event_how, public.event_order, public.purchase)
            self.done.append((clause, owner, city, other, (first, end), event))

        monkeypatch.setattr(self.module, "act_in", act_in)

    def built(self, seat: int, *cards: int) -> None:
        for card in cards:
            self.game.public.built[seat, card >> 6] |= np.uint64(1 << (card & 63))


@pytest.mark.parametrize(
    ("each", "acted"),
    [
        (w.WHOM_SELF, [(1, 3)]),  # city, other: the one that triggered it
        (w.WHOM_TRIGGER, [(3, 3)]),
        (w.WHOM_LEFT, [(2, 2)]),
        (w.WHOM_RIGHT, [(0, 0)]),
        (w.WHOM_NEIGHBOR, [(2, 2), (0, 0)]),
        (w.WHOM_OTHER, [(2, 2), (3, 3), (0, 0)]),  # from the left on
    ],
)
def test_a_clause_acts_on_its_city_the_trigger_or_each_city_that_it_names(
    each: int, acted: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four, the owner is 1 and the city that triggered it 3; each has a true condition (R54)."""
    acting = Acting(monkeypatch, [{"trigger": w.ON_CARD, "each": each, "when": 5, "actions": 2}])
    acting.noted(monkeypatch)
    acting.module._act(acting.game, acting.rules, 0, 1, 3)
    assert [(city, other) for _, _, city, other, *_ in acting.done] == acted
    assert {(clause, owner, actions) for clause, owner, _, _, actions, _ in acting.done} == {(0, 1, (0, 2))}
    assert acting.module.cities_met(acting.game.public, acting.rules, 0, 1, 3) == sum(1 << city for city, _ in acted)
    acting.done.clear()
    acting.amount = lambda _formula, _owner, other: other in (0, 3)
    acting.module._act(acting.game, acting.rules, 0, 1, 3)
    met = [(city, other) for city, other in acted if other in (0, 3)]
    assert [(city, other) for _, _, city, other, *_ in acting.done] == met
    assert acting.module.cities_met(acting.game.public, acting.rules, 0, 1, 3) == sum(1 << city for city, _ in met)
    acting.rules.clause_if[0], acting.amount = -1, lambda *_given: 0
    acting.done.clear()
    acting.module._act(acting.game, acting.rules, 0, 1, 3)
    assert [(city, other) for _, _, city, other, *_ in acting.done] == acted, "without a condition"
    assert acting.module.cities_met(acting.game.public, acting.rules, 0, 1, 3) == sum(1 << city for city, _ in acted)


def test_an_optional_clause_waits_if_it_can_act_on_some_city(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [{"trigger": w.ON_CARD}, {"trigger": w.ON_CARD, "options": 2, "when": 5}]
    acting = Acting(monkeypatch, given)
    acting.noted(monkeypatch)
    for clause in (0, 1):
        acting.module._act(acting.game, acting.rules, clause, 1, 3)
    assert acting.pending == [(1, 1, 3)]
    assert [clause for clause, *_ in acting.done] == [0]
    acting.amount = lambda *_given: 0
    acting.module._act(acting.game, acting.rules, 1, 1, 3)
    assert len(acting.pending) == 1, "its condition is true of no city"


def test_actions_change_amounts_and_are_logged_if_they_had_an_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Actions 2 to 4 of a clause: coins, a counter of the table, and one of which nothing was done."""
    acting = Acting(monkeypatch, [{"trigger": w.ON_CARD, "entry": 9}])
    table = len(w.ACTS) + 3
    acting.rules.action[2:5] = [6, table, 8]
    called: list[Any] = []

    def do(_game: Any, _rules: Any, action: int, entry: int, owner: int, city: int, amount: int) -> int:
        called.append(("do", action, entry, owner, city, amount))
        return 0 if action == 8 else amount - 1

    def change_counter(_public: Any, _rules: Any, city: int, action: int, amount: int) -> int:
        called.append(("counter", action, city, amount))
        return 2

    monkeypatch.setattr(acting.module, "do", do)
    monkeypatch.setattr(acting.module, "change_counter", change_counter)
    monkeypatch.setattr(acting.module, "is_of_table", lambda _rules, action: action == table)
    monkeypatch.setattr(acting.module, "log_effect", lambda _game, *given: called.append(("log", *given)))
    acting.amount = lambda formula, owner, other: formula + 10 * owner + 100 * other
    acting.module.act_in(acting.game, acting.rules, 0, 1, 2, 3, 2, 5)
    assert called == [
        ("do", 6, 9, 1, 2, 382), ("log", 1, 2, 2, 381), ("counter", table, 2, 383), ("log", 1, 3, 1, 2),
        ("do", 8, 9, 1, 2, 384),
    ]  # fmt: skip
    acting.game.log.recording = False
    called.clear()
    acting.module.act_in(acting.game, acting.rules, 0, 1, 2, 3, 2, 3)
    assert called == [("do", 6, 9, 1, 2, 382)]


# --- when clauses act


def test_clauses_of_a_moment_act_in_seat_then_catalogue_order(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [{"trigger": w.ON_AGE, "entry": entry} for entry in (1, 2, 3)] + [{"trigger": w.ON_WAR, "entry": 1}]
    acting = Acting(monkeypatch, given)
    acting.noted(monkeypatch)
    acting.built(0, 3)
    acting.built(2, 1, 3)
    acting.module.moment(acting.game, acting.rules, w.ON_AGE)
    assert [(clause, owner, other) for clause, owner, _, other, *_ in acting.done] == [(2, 0, 0), (0, 2, 2), (2, 2, 2)]
    acting.done.clear()
    acting.rules.clause_cards[w.ON_AGE] = [0b10, 0]  # card 3 has none
    acting.rules.clause_stages[w.ON_AGE] = 0
    acting.module.moment(acting.game, acting.rules, w.ON_AGE)
    assert {owner for _, owner, *_ in acting.done} == {2}
    acting.done.clear()
    acting.module.moment(acting.game, acting.rules, w.ON_TURN)
    assert acting.done == []


def test_the_moves_that_each_clause_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The eight colours have bits 0 to 7; a stage 8, a sale 9, a last card 10, a purchase 11."""
    acting = Acting(monkeypatch, [
        {"trigger": w.ON_CARD, "entry": 1, "by": w.WHOM_LEFT, "colors": 0b101},
        {"trigger": w.ON_CARD, "entry": 2, "by": w.WHOM_SELF, "colors": 0b10},
        {"trigger": w.ON_STAGE, "entry": 3, "by": w.WHOM_OTHER},
        {"trigger": w.ON_SALE, "entry": 4, "by": w.WHOM_RIGHT},
        {"trigger": w.ON_LAST_CARD, "entry": STAGE + 1, "by": w.WHOM_SELF},
        {"trigger": w.ON_PURCHASE, "entry": 5, "by": w.WHOM_ANYONE},
        {"trigger": w.ON_TURN, "entry": 1, "by": w.WHOM_ANYONE},
        {"trigger": w.ON_BUILT, "entry": 1, "by": w.WHOM_ANYONE},
    ])  # fmt: skip
    acting.built(0, 1, 2)
    acting.built(1, 3, 4)
    acting.game.public.stages[3] = 2
    acting.game.hidden.watched[:] = [9999] * 4
    acting.module.note_watchers(acting.game, acting.rules)
    assert acting.game.hidden.watched == [0b10 | 1 << 8 | 1 << 9, 0b101, 1 << 8, 1 << 8 | 1 << 10]
    acting.built(2, 5)
    acting.module.note_watchers(acting.game, acting.rules)
    assert [watched >> 11 for watched in acting.game.hidden.watched] == [1, 1, 1, 1]


def test_built_structures_act_before_clauses_waiting_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 builds card 1 (red), which has a clause of its own and one for red cards; that does not see itself."""
    acting = Acting(monkeypatch, [
        {"trigger": w.ON_BUILT, "entry": 1},
        {"trigger": w.ON_BUILT, "entry": 2},
        {"trigger": w.ON_CARD, "entry": 1, "by": w.WHOM_ANYONE, "colors": 1 << w.RED},
        {"trigger": w.ON_CARD, "entry": 2, "by": w.WHOM_ANYONE, "colors": 1 << w.RED, "each": w.WHOM_TRIGGER},
        {"trigger": w.ON_CARD, "entry": 2, "by": w.WHOM_ANYONE, "colors": 1 << w.BLUE},
        {"trigger": w.ON_CARD, "entry": 2, "by": w.WHOM_LEFT, "colors": 1 << w.RED},
    ])  # fmt: skip
    acting.noted(monkeypatch)
    for seat, built in ((0, (1,)), (1, (1, 2)), (2, (2,))):
        acting.built(seat, *built)
    acting.module.note_watchers(acting.game, acting.rules)
    acting.module.move_made(acting.game, acting.rules, 1, move(1, w.BUILD, w.BY_CHAIN), 1, w.TURN)
    event = (2, w.BY_CHAIN, 11, 0)  # the entry + 1, how, the number of cards
    assert acting.done == [
        (0, 1, 1, 1, (0, 1), event),
        (2, 0, 0, 1, (2, 3), event), (3, 1, 1, 1, (3, 4), event), (3, 2, 1, 1, (3, 4), event),
    ]  # fmt: skip
    public = acting.game.public
    assert (public.event_entry, public.event_how, public.event_order) == (0, 0, 0)
    acting.done.clear()
    acting.module.move_made(acting.game, acting.rules, 1, move(0, w.BUILD), 0, w.DISCARD_PILE)
    assert {(clause, city, event) for clause, _, city, _, _, event in acting.done} == {
        (4, 1, (1, w.FROM_DISCARD, 11, 0)), (4, 2, (1, w.FROM_DISCARD, 11, 0))
    }  # fmt: skip
    acting.done.clear()
    acting.rules.when[1] = 0
    acting.module.move_made(acting.game, acting.rules, 1, move(1, w.BUILD), 1, w.TURN)
    assert [clause for clause, *_ in acting.done] == [2, 3, 3], "nothing of its own to do"


def test_a_stage_a_sale_and_a_last_card_trigger_their_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    acting = Acting(monkeypatch, [
        {"trigger": w.ON_STAGE, "entry": 1, "by": w.WHOM_LEFT},
        {"trigger": w.ON_SALE, "entry": 1, "by": w.WHOM_LEFT},
        {"trigger": w.ON_LAST_CARD, "entry": 1, "by": w.WHOM_LEFT},
    ])  # fmt: skip
    acting.noted(monkeypatch)
    acting.built(0, 1)
    acting.game.public.stages[1] = 3
    acting.rules.stage_entry = np.array([[STAGE, STAGE + 1, STAGE + 2]] * 4)
    acting.module.note_watchers(acting.game, acting.rules)

    def acted(*given: Any) -> list[tuple[int, Any]]:
        acting.done.clear()
        acting.module.move_made(acting.game, acting.rules, *given)
        return [(clause, event[:3]) for clause, *_, event in acting.done]

    assert acted(1, move(7, w.STAGE), STAGE + 2, w.TURN) == [(0, (STAGE + 3, w.BY_PAYING, 3))]
    assert acted(1, move(7, w.SELL), -1, w.TURN) == [(1, (0, w.BY_PAYING, 11))]
    assert acted(1, move(7, w.SELL), -1, w.LAST_CARD) == [(1, (0, 0, 11)), (2, (0, 0, 11))]
    assert acted(1, move(2, w.BUILD), 2, w.LAST_CARD) == [(2, (3, 0, 11))]
    assert acted(2, move(7, w.SELL), -1, w.LAST_CARD) == [], "nobody waits for seat 2"


def test_purchases_trigger_clauses_the_left_seller_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 pays 3 to its left neighbour 1 and 2 to its right one, 3 (R64)."""
    acting = Acting(monkeypatch, [
        {"trigger": w.ON_PURCHASE, "entry": 1, "by": w.WHOM_ANYONE, "seller": w.WHOM_SELF, "each": w.WHOM_TRIGGER},
        {"trigger": w.ON_PURCHASE, "entry": 2, "by": w.WHOM_SELF, "seller": w.WHOM_RIGHT, "each": w.WHOM_TRIGGER},
        {"trigger": w.ON_PURCHASE, "entry": 3, "by": w.WHOM_OTHER, "each": w.WHOM_TRIGGER},
    ])  # fmt: skip
    acting.noted(monkeypatch)
    for seat, card in ((1, 1), (3, 1), (0, 2), (2, 3)):
        acting.built(seat, card)
    acting.module.note_watchers(acting.game, acting.rules)
    acting.module.move_made(acting.game, acting.rules, 0, move(7, w.STAGE, left=3, right=2), 9, w.TURN)
    shown = [(clause, owner, city, event[3]) for clause, owner, city, _, _, event in acting.done]
    assert shown == [(0, 1, 0, 3), (2, 2, 0, 3), (1, 0, 3, 2), (2, 2, 0, 2), (0, 3, 0, 2)], (
        "the buyer's clauses act on the seller, those of others on the buyer"
    )
    assert acting.game.public.purchase == 0
    acting.done.clear()
    acting.module.move_made(acting.game, acting.rules, 0, move(7, w.STAGE, right=4), 9, w.TURN)
    assert [(clause, event[3]) for clause, *_, event in acting.done] == [(1, 4), (2, 4), (0, 4)]


def test_shields_for_an_age_and_units_for_a_turn_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    module = in_python(clauses, monkeypatch)
    public = SimpleNamespace(seats=2, shields=[5, 3], age_shields=[2, 0])
    for name, units in {"plain": (0x0302, 9), "reach": (0x0504, 9), "turn_units": (0x0101, 0)}.items():
        setattr(public, name, [np.uint64(number) for number in units])
    module.drop_age_shields(public)
    assert (public.shields, public.age_shields) == ([3, 3], [0, 0])
    module.drop_turn_units(public)
    assert (public.plain, public.reach, public.turn_units) == ([0x0201, 9], [0x0403, 9], [0, 0])


def test_formula_points_are_added_for_each_city_named_by_a_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worth 100 by itself, and the number of each neighbour that has one; seat 1 has the neighbours 2 and 0."""
    acting = Acting(monkeypatch, [
        {"trigger": w.ON_SCORE, "entry": 1, "each": w.WHOM_SELF},
        {"trigger": w.ON_SCORE, "entry": 2, "each": w.WHOM_SELF},
        {"trigger": w.ON_SCORE, "entry": 1, "each": w.WHOM_NEIGHBOR, "when": 5},
    ])  # fmt: skip
    acting.amount = lambda formula, owner, other: {5: other == 2, 70: 100 + owner, 71: 9000, 72: 10 * other}[formula]
    assert acting.module.formula_points(acting.game.public, acting.rules, 1, 1) == 101 + 20
    acting.rules.clause_if[2] = -1
    assert acting.module.formula_points(acting.game.public, acting.rules, 3, 1) == 103 + 20 + 0
    assert acting.module.formula_points(acting.game.public, acting.rules, 1, 4) == 0


# --- what a formula reads


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = in_python(formula, monkeypatch)
    monkeypatch.setattr(module, "of_city", lambda public, rules, city, name: 60 * city + name)
    monkeypatch.setattr(module, "cards", lambda public, rules, seat: 20 + seat)
    monkeypatch.setattr(module, "count_bits", lambda word: int(word).bit_count())
    return module


def read(module: Any, public: Any, rules: Any, operation: str, name: int, whose: int = 0, owner: int = 0) -> int:
    """Evaluate a name in an owner's formula for its own city, the other city (2), the left or the right neighbour."""
    return int(module.leaf(public, rules, OPERATION[operation], whose | name << 2, owner, 2))


def test_a_formula_reads_its_own_city_the_other_and_the_neighbours(reading: Any) -> None:
    public, rules = SimpleNamespace(seats=4), None
    assert reading.leaf(public, rules, OPERATION["number"], -7, 0, 2) == -7
    assert [read(reading, public, rules, "name", 5, whose) for whose in range(4)] == [5, 125, 65, 185]
    assert [read(reading, public, rules, "name", 5, whose, owner=3) for whose in range(4)] == [185, 125, 5, 125]
    public.counter = np.arange(12).reshape(4, 3)
    assert [read(reading, public, rules, "counter", 2, whose) for whose in range(4)] == [2, 8, 5, 11]


def test_a_formula_reads_structures_and_sets_of_them(reading: Any) -> None:
    built = np.array([[0b1010, 0b1], [0, 0], [0b0010, 0b100], [0, 0]], np.uint64)
    public = SimpleNamespace(seats=4, built=built)
    assert [read(reading, public, None, "card", card) for card in (0, 1, 2, 3, 64, 65)] == [0, 1, 0, 1, 1, 0]
    assert [read(reading, public, None, "card", card, 1) for card in (1, 3, 64, 66)] == [1, 0, 0, 1]
    rules = SimpleNamespace(card_sets=np.array([[0, 0], [0b1110, 0b111]], np.uint64))
    assert [read(reading, public, rules, "cards", 1, whose) for whose in range(4)] == [3, 2, 0, 0]
    assert read(reading, public, rules, "cards", 0) == 0


def test_a_formula_reads_the_table_and_the_purchase(reading: Any) -> None:
    public = SimpleNamespace(seats=4, age=1, turn=3, amount=6, purchase=0)
    rules = SimpleNamespace(players=5, trade_price=2)
    names = ("age", "turn", "players", "amount", "purchase")
    assert [read(reading, public, rules, "name", NAME_NUMBER[name]) for name in names] == [2, 4, 5, 6, 2]
    public.purchase = 4
    assert read(reading, public, rules, "name", NAME_NUMBER["purchase"]) == 4
    assert min(NAME_NUMBER[name] for name in names) >= len(CITY_NAMES)


def test_a_formula_reads_the_structure_of_the_event(reading: Any) -> None:
    known, order = len(w.KNOWN_OF_CARD), len(w.KNOWN_OF_CARD) + len(w.BUILT_HOW)
    rules = SimpleNamespace(mean_facts=[50 + fact for fact in range(known)], card_facts=np.arange(900).reshape(9, 100))
    public = SimpleNamespace(seats=4, event_entry=4, event_how=w.FOR_FREE, event_order=7)
    assert [read(reading, public, rules, "event", fact) for fact in (0, 2, known - 1)] == [300, 302, 299 + known]
    assert [read(reading, public, rules, "event", known + how) for how in range(len(w.BUILT_HOW))] == [0, 0, 1, 0, 0]
    assert read(reading, public, rules, "event", order) == 7
    public.event_entry = public.event_order = 0  # one that may be built later
    assert [read(reading, public, rules, "event", fact) for fact in (0, 2)] == [50, 52]
    assert read(reading, public, rules, "event", order, owner=3) == 24


def test_a_formula_reads_the_last_structure_of_a_city(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    def built_as(_public: Any, _rules: Any, seat: int, kind: int, place: int) -> int:
        asked.append((seat, kind, place))
        return 3 if seat == 1 else -1

    monkeypatch.setattr(reading, "built_as", built_as)
    rules = SimpleNamespace(card_facts=np.arange(900).reshape(9, 100))
    operand = 4 | 5 << FACT_BITS | 2 << FACT_BITS + KIND_BITS
    assert read(reading, SimpleNamespace(seats=4), rules, "last", operand, whose=2) == 304
    assert read(reading, SimpleNamespace(seats=4), rules, "last", operand) == 0
    assert asked == [(1, 5, 2), (0, 5, 2)]


def test_a_formula_overflow_stops_the_game(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """255 at most, and 32,767 of what may be more than that, such as coins."""
    stopped: list[tuple[int, ...]] = []
    values: dict[int, int] = {}
    monkeypatch.setattr(reading, "stop_game", lambda *given: stopped.append(tuple(map(int, given))))
    monkeypatch.setattr(reading, "of_city", lambda _public, _rules, _city, name: values[name])
    wide = {NAME_NUMBER[name]: fact.span[1] > 255 for fact in CITY_FACTS for name in fact.asked_as if name}
    assert set(wide.values()) == {False, True}
    for name, many in wide.items():
        bound = 32_767 if many else 255
        for value in (255, bound, bound + 1):
            stopped.clear()
            values[name] = value
            assert read(reading, SimpleNamespace(seats=4), None, "name", name, whose=2) == value
            assert stopped == ([(limits.ASKED, 1, -1, value, bound)] if value > bound else [])


def test_an_effect_function_gets_the_arguments_of_the_formula(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []

    def call_slot(*given: Any) -> int:
        called.append(given)
        return 42

    monkeypatch.setattr(reading, "call_slot", call_slot)
    stack = [1, 2, 3, 4, 5, 6, 7]
    assert reading.called("public", "rules", stack, 1, 9 << 3 | 2, 5, 6) == 42
    assert called == [(9, "public", "rules", 5, 6, 2, 3, 0, 0)]
    assert stack == [1, 2, 3, 0, 0, 6, 7]


# --- the log at its limits, and games side by side


def test_a_game_stops_when_its_log_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, log)
    stopped: list[tuple[int, ...]] = []

    class StoppedError(Exception):
        pass

    def stop_game(*given: int) -> None:
        stopped.append(tuple(map(int, given)))
        raise StoppedError

    monkeypatch.setattr(sys.modules["log_in_python"], "stop_game", stop_game)
    public = SimpleNamespace(deed_count=layout.DEEDS - 1, age=0, turn=0, deeds=[0] * layout.DEEDS)
    module.log_deed(public, 1, move(7, w.SELL), w.TURN)
    for action, card in ((w.BUILD, 7), (w.SELL, -1)):
        with pytest.raises(StoppedError):
            module.log_deed(public, 1, move(7, action), w.TURN)
        assert stopped.pop() == (limits.MOVES, -1, card, layout.DEEDS + 1, layout.DEEDS)
    room = layout.EVENTS + layout.EFFECTS_LOGGED
    events = [SimpleNamespace() for _ in range(2)]
    game = SimpleNamespace(public=public, log=SimpleNamespace(count=room - 1, events={room - 1: events[0]}))
    assert vars(module.log_event(game, 3, 1)) == {"kind": 3, "age": 0, "turn": 0, "seat": 1}
    with pytest.raises(StoppedError):
        module.log_event(game, 3, 1)
    assert stopped == [(limits.LOGGED, -1, -1, room + 1, room)]


def test_decisions_of_one_turn_belong_to_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players choose at the same time; who decides about the pile, or holds the Free City, decides alone."""
    module = in_python(lockstep, monkeypatch)
    rules = SimpleNamespace(duo=0)

    def moment(age: int, turn: int, kind: int, decider: int = 1, holder: int = 1) -> int:
        game = SimpleNamespace(public=SimpleNamespace(age=age, turn=turn), choice=SimpleNamespace(kind=kind),
                               hidden=SimpleNamespace(holder=holder))  # fmt: skip
        return int(module._moment(game, rules, decider))

    kinds = (w.TURN, w.LAST_CARD)
    made = [moment(age, turn, kind) for age in range(3) for turn in range(9) for kind in kinds]
    assert len(set(made)) == len(made), "no two moments are one"
    assert moment(1, 3, w.TURN, 0) == moment(1, 3, w.TURN, 2)
    assert moment(1, 3, w.DISCARD_PILE) == NOBODY
    rules.duo = 1
    assert (moment(1, 3, w.TURN, 1, 1), moment(1, 3, w.TURN, 0, 1)) == (NOBODY, made[2 * (9 + 3)])


@pytest.mark.parametrize(("asks", "on_new_state", "whole"), [(0, 1, False), (1, 1, True), (0, 0, True)])
def test_only_the_used_part_of_the_old_state_is_copied(
    asks: int, on_new_state: int, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moves that were made, the seats of the table, and what only clauses or the old state (R9.5) need."""
    module = in_python(lockstep, monkeypatch)
    size = layout.STATE.itemsize // 8
    switch = np.ones(len(w.SWITCHES), int)
    switch[w.SWITCH_NUMBER["last_card_on_new_state"]] = on_new_state
    rules = SimpleNamespace(seats=3, asks=asks, switch=switch)
    source = np.arange(1, size + 1, dtype=np.int64)
    game, target = SimpleNamespace(public=SimpleNamespace(deed_count=2)), np.zeros(size, np.int64)
    module._save(game, source, target, rules)
    fields: Any = layout.STATE.fields
    public: Any = layout.PUBLIC.fields
    seats, deeds = layout.PRIVATE.itemsize // 8, public["deeds"][1] // 8 + 2
    own, hidden, before = (fields[part][1] // 8 for part in ("own", "hidden", "before"))
    used = np.zeros(size, bool)
    used[:deeds] = used[own : own + 3 * seats] = used[hidden : size if whole else before] = True
    assert np.array_equal(target, np.where(used, source, 0))
    again = np.zeros(size, np.int64)
    target[public["deed_count"][1] // 8] = 2
    module._load(target, again, rules)
    assert np.array_equal(again, target)
