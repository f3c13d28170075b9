"""Chapter 9, two players and the Free City (R43-R48)."""

# ruff: noqa: N802

from __future__ import annotations

from typing import Any

import pytest

from tests.wonders.both import Position
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table, played

pytestmark = pytest.mark.jit_off

BOARDS = ("Gizah A", "Rhodos A", "Ephesos A")
GAMES = [engine_table("1e-duo", 2, (RANDOM,)).trace(number) for number in range(6)]


def duo(**more: Any) -> Position:
    """Return a table with two players and the Free City in seat 2."""
    return Position("1e-duo", *BOARDS, **more)


@pytest.mark.engine_only
@pytest.mark.parametrize("trace", GAMES, ids=lambda trace: f"game{trace['index']}")
def test_R43_seven_cards_to_each_player_and_to_the_pile(trace: dict[str, Any]) -> None:
    for age in trace["ages"]:
        assert [len(hand) for hand in age["hands"]] == [7, 7]
        assert len(age["free_city"]) == 7
    third = trace["ages"][2]
    assert sum(name.endswith("Guild") for hand in [*third["hands"], third["free_city"]] for name in hand) == 5


def test_R44_the_free_city_is_seat_2_between_both_players() -> None:
    p = duo()
    assert p.builds(0, "Scriptorium") == [("paid", 0, 0, 2)]
    assert p.builds(1, "Scriptorium") == [("paid", 0, 2, 0)]
    p.city(2, coins=9)
    assert p.builds(2, "Baths") == [("paid", 0, 2, 0)]
    assert p.builds(2, "Barracks") == [("paid", 0, 0, 2)]


@pytest.mark.engine_only
@pytest.mark.parametrize(("age", "first"), [(1, 0), (2, 1), (3, 0)])
def test_R45_the_city_card_starts_with_seat_0_in_ages_I_and_III_and_changes_hands(age: int, first: int) -> None:
    p = duo(age=age)
    p.deal()
    for turn in range(6):
        p.public.turn = turn
        pile = [int(slot) for slot in p.hidden.free_pile[:7]]
        assert int(p.hidden.holder) == (first + turn) % 2
        assert p.play_turn()
        assert int(p.game.own[(first + turn) % 2].seen) >> pile[turn] & 1  # the holder has drawn the top card
        p.pass_hands()


@pytest.mark.engine_only
def test_R45_the_holder_chooses_for_the_free_city_after_its_own_card() -> None:
    p = duo()
    p.deal()
    p.hand(0, "Altar")
    theater = p.names.index("Theater")
    p.hidden.free_pile[0] = next(i for i in range(64) if p.rules.slot_card[0, i] == theater)
    p.script(0, turn=0, free_city=0)
    p.hand(1, "Baths")
    p.city(1, "Stone Pit")
    assert p.play_turn()
    assert (p.owned(0), p.owned(2)) == ({"Altar"}, {"Theater"})


def test_R46_it_must_build_if_any_card_allows_it() -> None:
    p = duo()
    assert {move.action for move in p.moves(2, "Altar", "Baths", kind="free_city")} == {"build"}
    assert [move.card for move in p.moves(2, "Altar", "Workshop", kind="free_city")] == ["Altar"]
    p.city(2, "Stone Pit", "Quarry", coins=0)
    assert {move.action for move in p.moves(2, "Workshop", kind="free_city")} == {"stage"}


def test_R46_it_sells_only_otherwise() -> None:
    p = duo()
    p.city(2, coins=0)
    moves = p.moves(2, "Baths", "Stockade", "Barracks", kind="free_city")
    assert [(move.action, move.card) for move in moves] == [
        ("sell", name) for name in ("Barracks", "Baths", "Stockade")
    ]


@pytest.mark.parametrize("beside", [False, True])
def test_R46_a_chain_must_be_used(beside: bool) -> None:
    p = duo(age=2, paid_build_beside_chain=beside)
    p.city(2, "Scriptorium", "Quarry", "Loom")
    builds = [move for move in p.moves(2, "Library", kind="free_city") if move.action == "build"]
    assert [move.how for move in builds] == ["chain"]


@pytest.mark.parametrize(("chooses", "offered"), [(True, [(0, 2), (1, 0)]), (False, [(1, 0)])])
def test_R46_the_holder_chooses_among_minimal_payments_not_only_the_cheapest(
    chooses: bool, offered: list[tuple[int, int]]
) -> None:
    p = duo(free_city_chooses_payment=chooses)
    p.city(2, "West Trading Post")
    p.city(1, "Stone Pit")
    moves = p.moves(2, "Baths", kind="free_city")
    assert [(move.left, move.right) for move in moves if move.action == "build"] == offered


@pytest.mark.parametrize(("chooses", "offered"), [(True, [(0, 4), (1, 2), (2, 0)]), (False, [(2, 0)])])
def test_R46_the_payment_rule_also_applies_to_its_stages(chooses: bool, offered: list[tuple[int, int]]) -> None:
    p = duo(free_city_chooses_payment=chooses)  # Ephesos A: two stone
    p.city(2, "West Trading Post", coins=9)
    p.city(0, "Stone Pit")
    p.city(1, "Quarry")
    moves = p.moves(2, "Workshop", kind="free_city")
    assert [(move.action, move.left, move.right) for move in moves] == [("stage", *pair) for pair in offered]


def test_R46_a_free_build_counts_as_a_build_that_it_can_make() -> None:
    p = Position("1e-duo", "Gizah A", "Rhodos A", "Olympia A")
    p.city(2, stages=2, coins=0)
    assert [(m.action, m.how) for m in p.moves(2, "Workshop", kind="free_city")] == [("build", "free")]


@pytest.mark.engine_only
def test_R46_its_builds_from_the_pile_stay_optional_and_the_holder_decides() -> None:
    p = Position("1e-duo", "Gizah A", "Rhodos A", "Halikarnassos B")
    p.discarded("Altar")
    p.hidden.holder = 1
    p.script(1, discard_pile=-1)  # declines
    p.script(0, discard_pile=0)
    p.play({2: "stage"})
    assert (p.extra, p.owned(2)) == ([(2, "discard_pile", "decline", "")], set())
    p.hidden.holder = 0
    p.play({2: "stage"})
    assert p.owned(2) == {"Altar"}


@pytest.mark.engine_only
def test_R27_a_last_card_never_serves_the_free_city() -> None:
    p = Position("1e-duo", "Gizah A", "Rhodos A", "Babylon B", turn=6)
    p.deal()
    p.city(2, stages=2)
    for seat in range(2):
        p.hand(seat, "Altar")
    p.play({})
    assert p.extra == []
    assert p.pile.count("Altar") >= 2


@pytest.mark.engine_only
@pytest.mark.parametrize("age", [1, 2, 3])
def test_R47_players_swap_hands_in_every_age(age: int) -> None:
    p = duo(age=age)
    p.deal()
    hands = [int(p.game.own[seat].hand) for seat in range(2)]
    p.pass_hands()
    assert [int(p.game.own[seat].hand) for seat in range(2)] == hands[::-1]


@pytest.mark.engine_only
def test_R47_the_piles_last_card_is_discarded_with_the_players_last_cards() -> None:
    table = engine_table("1e-duo", 2, TASTES[1:], seed=5)
    for number in range(5):
        game, _ = table.logged(number)
        stages = int(game.public.stages[:3].sum())
        structures = sum(int(game.public.colors[seat].sum()) for seat in range(3))
        assert stages + structures + int(game.public.discarded) == 63


def test_R48_conflicts_work_as_with_three_players() -> None:
    p = duo(age=2)
    p.city(2, shields=1)
    assert p.end_age() == [([0, 1], [0, 0], [0, 0]), ([1, 2], [0, 1], [-1, 3]), ([2, 0], [1, 0], [3, -1])]


def test_R48_the_free_city_never_wins() -> None:
    p = duo()
    p.city(2, "Palace", coins=90)
    assert p.shares() == [0.5, 0.5, 0.0]
    p.city(1, coins=4)
    assert p.shares() == [0.0, 1.0, 0.0]
    p.city(0, "Altar")
    assert p.shares() == [1.0, 0.0, 0.0]


@pytest.mark.engine_only
def test_R48_results_mark_the_free_city() -> None:
    table = engine_table("1e-duo", 2)
    frame = table.seats_frame(played(table, 4))
    free_city = frame.filter(frame["seat"] == 2)
    assert free_city["policy"].unique().to_list() == ["free_city"]
    assert free_city["win_share"].sum() == 0
    assert free_city["rank"].unique().to_list() == [0]
    assert frame["win_share"].sum() == 4
