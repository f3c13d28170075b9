"""Further unit tests of kernels in plain Python: bans, counts, options, prices, points, sampled pasts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.policies.in_python import linked, slots
from wsim.wonders import words as w
from wsim.wonders.kernels import (
    asking,
    flow,
    listing,
    moves,
    payment,
    pending,
    picked,
    redraw,
    rows,
    scoring,
    seen,
    turn,
)
from wsim.wonders.kernels.layout import ACTION_AT, GENERAL_STATES, NOBODY

pytestmark = pytest.mark.jit_off


def move(card: int, action: int) -> np.uint64:
    return np.uint64(card | action << ACTION_AT)


BUILD_5, BUILD_70, SELL_5, STAGE_5 = move(5, w.BUILD), move(70, w.BUILD), move(5, w.SELL), move(5, w.STAGE)


@pytest.mark.parametrize(
    ("flags", "banned", "denied", "kept"),
    [
        (0, (), (), [BUILD_5, SELL_5, STAGE_5, BUILD_70]), (0, (5,), (), [SELL_5, STAGE_5, BUILD_70]),
        (0, (), (70,), [BUILD_5, SELL_5, STAGE_5]), (w.BAN_STAGE | w.BAN_SELL, (), (), [BUILD_5, BUILD_70]),
        (w.BAN_STAGE | w.BAN_SELL, (5, 70), (), [SELL_5]), (w.BAN_STAGE, (5,), (70,), [SELL_5]),
    ],
)  # fmt: skip
def test_a_banned_sale_is_allowed_if_nothing_else_is_legal(
    flags: int, banned: tuple[int, ...], denied: tuple[int, ...], kept: list[np.uint64], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = linked(monkeypatch, moves, listing)

    def words(cards: tuple[int, ...]) -> list[np.uint64]:
        return [slots(*(card for card in cards if card < 64)), slots(*(card - 64 for card in cards if card >= 64))]

    ban = np.array([[*words(banned), 0, flags]], np.uint64)
    choice = SimpleNamespace(count=4, moves=[BUILD_5, SELL_5, STAGE_5, BUILD_70])
    game = SimpleNamespace(choice=choice, hidden=SimpleNamespace(denied=np.array([words(denied)], np.uint64)))
    module.keep_allowed(game, SimpleNamespace(color=[w.RED] * 99), SimpleNamespace(ban=ban), 0)
    assert choice.moves[: choice.count] == kept


def test_a_banned_colour_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, moves, listing)
    rules = SimpleNamespace(color={5: w.RED, 70: w.BLUE})
    seating = SimpleNamespace(ban=np.array([[0, 0, 1 << w.BLUE, 0]], np.uint64))
    assert [bool(module._banned(rules, seating, 0, 0, each)) for each in (BUILD_5, BUILD_70, STAGE_5)] == [
        False, True, False
    ]  # fmt: skip


def test_an_effect_counts_in_each_of_its_cities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 of four counts 10, its left neighbour 100, its right one 1."""
    module = linked(monkeypatch, turn)
    module.count_in = lambda _public, seat, what: what * {0: 100, 1: 10, 2: 1}[seat]
    module.neighbor_left, module.neighbor_right = lambda _public, _seat: 0, lambda _public, _seat: 2
    own, left, right = w.CITY_SELF, w.CITY_LEFT, w.CITY_RIGHT
    looked = (own, left, right, own | left, own | right, left | right, own | left | right)
    assert [module.count_around(None, 1, 2, cities) for cities in looked] == [20, 200, 2, 220, 22, 202, 222]


def test_an_option_takes_structures_from_its_source_city(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, picked)
    module.neighbor_left, module.neighbor_right = lambda _public, seat: seat + 10, lambda _public, seat: seat + 20
    sources = (w.FROM_PILE, w.FROM_CITY, w.FROM_LEFT, w.FROM_RIGHT)
    assert [module.source_city(None, 3, source) for source in sources] == [-1, 3, 13, 23]
    hands = (w.FROM_HAND, w.FROM_LEFT_HAND, w.FROM_RIGHT_HAND)
    assert [module.source_city(None, 3, source) for source in hands] == [-1] * 3
    table, two = SimpleNamespace(players=7, duo=0), SimpleNamespace(players=2, duo=1)
    assert [module.hand_seat(None, table, 3, source) for source in (*hands, *sources)] == [
        3,
        13,
        23,
        *[NOBODY] * 4,
    ]
    assert [module.hand_seat(None, two, 1, source) for source in hands] == [1, NOBODY, NOBODY]
    assert module.hand_seat(None, two, 2, w.FROM_HAND) == NOBODY, "the Free City has none"


@pytest.mark.parametrize(("deck", "drawn", "asked"), [(-1, 0, []), (0, 0, [4]), (2, 0, [4]), (0, 1, [])])
def test_cards_are_drawn_once_for_an_option_that_draws(
    deck: int, drawn: int, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Option 4 is the only one of clause 0: it lists cards of the deck that it draws from, the first one included."""
    module = linked(monkeypatch, asking)
    calls: list[int] = []
    for name in ("clause_of", "owner_of", "trigger_of"):
        setattr(module, name, lambda _word: 0)
    module.decider_of, module.wanted_of = lambda _word: 2, lambda _word: -1
    module.cities_met = lambda *_given: 1
    module.draw_cards = lambda _game, _rules, option, *_more: calls.append(option)
    module._list_cards = lambda _game, _rules, _word, _option, _move, at: at
    rules = SimpleNamespace(
        clause_entry=[9], clause_number=[0], clause_options=[4, 5], option_draw={4: deck}, option_from={4: 1},
        clause_one=[0],
    )  # fmt: skip
    choice = SimpleNamespace(kind=-1, seat=-1, count=-1, moves=[np.uint64(0)] * 9)
    game = SimpleNamespace(public=SimpleNamespace(seats=3), choice=choice, asking=SimpleNamespace(is_drawn=drawn))
    module._list_options(game, rules, 0)
    assert calls == asked
    assert (choice.kind, choice.seat) == (w.EFFECT, 2)


def test_a_game_with_too_many_decisions_of_clauses_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, pending)
    stopped: list[tuple[int, ...]] = []
    most = module.DECIDED
    module.stop_game = lambda why, *given: stopped.append((why, *given))
    game = SimpleNamespace(asking=SimpleNamespace(made=most - 1))
    module.count_decision(game, 2, 50)
    assert (game.asking.made, stopped) == (most, [])
    module.count_decision(game, 2, 50)
    assert stopped == [(module.TOO_MANY, 2, 50, most + 1, most)]


def test_a_rebate_cannot_make_a_board_symbol_cheaper_than_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both neighbours sell the missing raw material; the left one's is from its board, two coins cheaper than one."""
    module = linked(monkeypatch, payment)
    bought: list[tuple[int, int, int]] = []
    module._general_buy = lambda _s, _m, _n, _gives, side, raw, made, *_more: bought.append((side, raw, made))
    brown = np.uint64(1)  # one of resource 0
    public = SimpleNamespace(
        flex_count=[0], price=np.array([[1, 2, 3, 3]]), board_rebate=np.array([[2, 0]]), board_resource=[9, 0, 0],
        sale=[np.uint64(0), brown, brown + brown], sale_flex_count=[0, 0, 0],
    )  # fmt: skip
    solver = SimpleNamespace(
        general=np.zeros((2 * GENERAL_STATES, 9), int), used=0, left=1, right=2,
        prices=SimpleNamespace(chosen_units=0, unit=[0, 0, -1, 1]),
    )  # fmt: skip
    module._fill_general(public, solver, 0, brown, 2, 5, 0, 0)
    assert bought == [(0, 0, 0), (1, 2, 4)], "the second one of the right is not needed"
    bought.clear()
    public.board_rebate, public.price = np.array([[1, 0]]), np.array([[3, 4, 4, 4]])
    public.sale[1] = brown + brown
    module._fill_general(public, solver, 0, brown + brown, 3, 5, 0, 0)
    assert bought == [(0, 2, 3), (0, 3, 4), (1, 3, 5), (1, 3, 5)]


@pytest.mark.parametrize(("side", "place"), [(-1, (1, 0, 0)), (0, (1, 2, 0)), (1, (1, 0, 2))])
def test_a_symbol_costs_the_price_of_its_seller(
    side: int, place: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One raw material is missing; state 1 has it. Columns are coins to the left, values the least to the right."""
    module = linked(monkeypatch, payment)
    general = np.full((4, 5), 99)
    general[0, 0] = 0
    module._general_add(SimpleNamespace(general=general), np.uint64(1), 2, np.uint64(1), side, 2, 4, 4, 0, 0)
    state, left, right = place
    expected = np.full((4, 5), 99)
    expected[0, 0], expected[state, left] = 0, right
    assert (general == expected).all()


def test_the_number_of_copied_symbols_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of each of its own, and one copy of a compass or a tablet: 4 + 1 + 1 + 7 = 13; with two copies 16; without
    one 10. A wild symbol more makes the same as a copy."""
    module = linked(monkeypatch, scoring)
    module.neighbor_left, module.neighbor_right = lambda _public, _seat: 1, lambda _public, _seat: 2
    symbols = np.zeros((1, w.ANY + 1), int)
    symbols[0, [w.COMPASS, w.GEAR, w.TABLET]] = 1
    green = np.zeros((3, w.ANY + 1), int)
    green[1, w.COMPASS], green[2, w.TABLET] = 1, 1

    def points(copies: int, wild: int = 0) -> int:
        public = SimpleNamespace(symbols=symbols, copy_science=[copies], green_symbols=green)
        return int(module.science_with(public, 0, 0, 0, 0, wild, 0))

    assert [points(copies) for copies in range(4)] == [10, 13, 16, 16]
    assert (points(0, 1), points(1, 1)) == (13, 18)


def test_recruited_cards_and_house_rules_score_with_the_wonder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stage 90 is worth 90, recruited card 101 and rule 103 of the table their numbers; 2 defeats at -1; victories 1
    and 5; 7 coins are 2 points, minus a debt."""
    module = linked(monkeypatch, scoring)
    module.points_of = lambda _public, _rules, _seat, entry, more: entry + 1000 * more
    module.has_entry = lambda _public, _rules, _seat, entry: entry in (101, 103, 104)
    module._structure_points = lambda game, _rules, seat: game.result.points.__setitem__((seat, w.CIVILIAN), 4)
    module.best_science = lambda *_given: 13
    points = np.zeros((1, w.CATEGORY_KINDS), int)
    game = SimpleNamespace(
        result=SimpleNamespace(points=points, total=[0]),
        public=SimpleNamespace(
            gained=np.zeros((1, w.CATEGORY_KINDS), int), defeats=[2], victory=np.array([[1, 0, 1]]), coins=[7],
            debts=[1], stages=[1], side=[3], abilities=[0],
        ),
    )  # fmt: skip
    game.public.gained[0, w.GUILD] = 6
    rules = SimpleNamespace(
        defeat_points=-1, victory_points=[1, 3, 5], coins_per_point=3, stage_entry={(3, 0): 90}, deck_entry=100,
        last_entry=104, copies=0,
    )  # fmt: skip
    module.score_seat(game, rules, 0)
    assert points[0, w.WONDER] == 90 + 101 + 103
    assert (points[0, w.MILITARY], points[0, w.TREASURY]) == (1 + 5 - 2, 2 - 1)
    assert (points[0, w.SCIENCE], points[0, w.CIVILIAN], points[0, w.GUILD]) == (13, 4, 6)
    assert game.result.total[0] == 90 + 101 + 103 + 4 + 1 + 13 + 4 + 6


def test_a_sampled_past_contains_the_hands_that_a_seat_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two turns of two hands: in turn 0 seat 0 took 7 of hand 0 and left 1, 2 and what hand 0 loses later, 2.

    With two players, what the Free City took of the hand later was in it, too, unless it was drawn.
    """
    module = linked(monkeypatch, moves, seen, redraw)
    module.hand_at = lambda _rules, _age, turn, seat: (seat + turn) % 2
    module.seat_of = lambda _rules, _age, turn, hand: (hand - turn) % 2
    module.holder = lambda public, age, turn: turn % 2 if (public, age) == ("public", 0) else None
    past = SimpleNamespace(
        turns=[2], left=np.array([[slots(1), slots(3)]]), gone=np.array([[[7, 2], [8, 4]]]), city=np.array([[20, 21]]),
        drawn=np.full((1, 2), NOBODY),
    )  # fmt: skip
    own = SimpleNamespace(passed=np.zeros((1, 2), np.uint64), took=np.zeros((1, 2), int))
    game = SimpleNamespace(
        redraw=past, own=[own, None, SimpleNamespace(passed=np.zeros((1, 2), np.uint64))], public="public"
    )
    module._show_seat(game, SimpleNamespace(duo=0, asides=0), 0, 0)
    assert own.took.tolist() == [[7, 4]]
    assert own.passed.tolist() == [[slots(1, 2), slots(3)]]
    module._show_seat(game, SimpleNamespace(duo=1, asides=0), 0, 0)
    assert own.passed.tolist() == [[slots(1, 2, 21), slots(3)]], "seat 1 has hand 0 and the Free City in turn 1"
    past.drawn[0, 1] = 21
    module._show_seat(game, SimpleNamespace(duo=1, asides=0), 0, 0)
    assert own.passed.tolist() == [[slots(1, 2), slots(3)]]
    past.aside_of, own.aside = np.zeros((1, 2, 3), int), np.full((1, 3), 9)
    past.aside_of[0, 0, 0], past.aside_of[0, 1, 1], past.aside_of[0, 1, 2] = 1 + 30, 1 + 31, 1 + 32
    module._show_seat(game, SimpleNamespace(duo=0, asides=1), 0, 0)
    assert own.passed.tolist() == [[slots(1, 2), slots(3, 32)]], "hand 1 loses slot 32 after turn 1 (R107)"
    assert own.aside.tolist() == [[31, 32, 0]]


def test_seat_order_wraps_around_the_last_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    module = linked(monkeypatch, flow)
    going = SimpleNamespace(seat=4, end=4, wrap=2)
    assert [bool(module._wrap(going)) for _ in range(2)] == [True, False]
    assert (going.seat, going.end, going.wrap) == (0, 2, 0)


@pytest.mark.parametrize(
    ("total", "coins", "points", "defeats", "stops"),
    [(32767, 3, 5, 255, False), (32768, 3, 5, 0, True), (-32768, 3, 5, 0, False), (-32769, 3, 5, 0, True),
     (5, 32768, 5, 0, True), (5, 3, 32768, 0, True), (5, 3, -32769, 0, True), (5, 3, 5, 256, True)],
)  # fmt: skip
def test_a_game_is_stopped_where_a_number_does_not_fit_its_column(
    total: int, coins: int, points: int, defeats: int, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points and coins have 16 bits and a sign, counts eight bits."""
    module = linked(monkeypatch, rows)
    stopped: list[int] = []
    module._stop_row = lambda _game, _rules, seat: stopped.append(seat)
    module._write_facts = lambda *_given: None
    module.victory_points = lambda *_given: 3
    result = SimpleNamespace(
        rank=[1], share=[1.0], total=[total], points=np.zeros((1, w.CATEGORY_KINDS), int),
    )  # fmt: skip
    result.points[0, w.GUILD] = points
    public = SimpleNamespace(
        side=[0], policy=[0], coins=[coins], defeats=[defeats], symbols=np.zeros((1, w.SYMBOL_KINDS), int)
    )
    row = SimpleNamespace(points=[0] * w.CATEGORY_KINDS)
    module.write_rows(SimpleNamespace(public=public, result=result), SimpleNamespace(seats=1), [row], 0, 7)
    assert (row.game, row.seat, row.total, row.points[w.GUILD]) == (7, 0, total, points)
    assert stopped == ([0] if stops else [])
