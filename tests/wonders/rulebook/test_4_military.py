"""Chapter 4, military (R19-R21): conflicts at the end of an age, diplomacy, tokens taken by cards."""

# ruff: noqa: N802

from __future__ import annotations

import pytest

from tests.wonders.both import Position

pytestmark = pytest.mark.jit_off

BOARDS = ("Alexandria A", "Rhodos A", "Ephesos A")
CITIES = ("Gizah day", "Rhodos day", "Ephesos day", "Alexandria day")


def test_R19_example_alexandria_between_rhodos_and_ephesos() -> None:
    # End of age II: 3 shields, 5 on the left, 2 on the right.
    p = Position("1e", *BOARDS, age=2)
    p.city(0, "Barracks", "Walls")
    p.city(1, "Walls", "Stables", "Stockade")
    p.city(2, "Walls")
    fought = p.end_age()
    assert fought[0] == ([0, 1], [3, 5], [-1, 3])
    assert fought[2] == ([2, 0], [2, 3], [-1, 3])
    assert (p.victories(0), int(p.public.defeats[0]), p.points(0)["military"]) == ([3], 1, 2)


def test_R19_example_of_the_second_edition_4_shields_between_5_and_2() -> None:
    p = Position("2e", *CITIES[:3], age=2)
    for seat, shields in enumerate((4, 5, 2)):
        p.city(seat, shields=shields)
    p.end_age()
    assert (p.victories(0), int(p.public.defeats[0])) == ([3], 1)


@pytest.mark.parametrize(("age", "token"), [(1, 1), (2, 3), (3, 5)])
def test_R19_victory_tokens_are_worth_1_3_5_and_defeats_minus_1(age: int, token: int) -> None:
    p = Position("1e", *BOARDS, age=age)
    p.city(0, shields=1)
    assert p.end_age() == [([0, 1], [1, 0], [token, -1]), ([1, 2], [0, 0], [0, 0]), ([2, 0], [0, 1], [-1, token])]
    assert [p.points(seat).get("military", 0) for seat in range(3)] == [2 * token, -1, -1]


def test_R19_equal_shields_give_nothing() -> None:
    p = Position("1e", *BOARDS)
    for seat in range(3):
        p.city(seat, shields=7)
    assert {tuple(tokens) for _, _, tokens in p.end_age()} == {(0, 0)}


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_R19_with_n_seats_there_are_n_conflicts(seats: int) -> None:
    names = ("Gizah", "Rhodos", "Ephesos", "Alexandria", "Babylon", "Olympia", "Halikarnassos")
    p = Position("1e", *(f"{name} A" for name in names[:seats]))
    assert [pair for pair, _, _ in p.end_age()] == [[seat, (seat + 1) % seats] for seat in range(seats)]


@pytest.mark.parametrize(("board", "stages", "shields"), [
    ("Rhodos A", 1, 0), ("Rhodos A", 2, 2), ("Rhodos B", 1, 1), ("Rhodos B", 2, 2),
])  # fmt: skip
def test_R19_shields_of_stages_count(board: str, stages: int, shields: int) -> None:
    p = Position("1e", board, "Gizah A", "Ephesos A")
    p.city(0, "Stockade", stages=stages)
    assert p.end_age()[0][1] == [1 + shields, 0]


def test_R20_example_a_diplomat_between_5_and_4_shields_is_skipped() -> None:
    p = Position("2e-cities", *CITIES[:3], age=2)
    for seat, shields in enumerate((2, 5, 4)):
        p.city(seat, shields=shields)
    p.city(0, diplomacy=1)
    assert p.end_age() == [([1, 2], [5, 4], [3, -1])]
    assert (p.victories(0), int(p.public.defeats[0]), int(p.public.diplomacy[0])) == ([], 0, 0)


def test_R20_neighbours_of_a_diplomat_become_adjacent() -> None:
    p = Position("2e-cities", *CITIES, age=2)
    for seat, shields in enumerate((9, 0, 4, 4)):
        p.city(seat, shields=shields)
    p.city(0, diplomacy=2)
    assert [pair for pair, _, _ in p.end_age()] == [[1, 2], [2, 3], [3, 1]]
    assert int(p.public.diplomacy[0]) == 1  # one token an age, the other must wait


def test_R20_two_fighters_fight_one_conflict() -> None:
    p = Position("2e-cities", *CITIES, age=3)
    p.city(0, shields=1)
    p.city(1, diplomacy=1)
    p.city(3, diplomacy=1)
    assert p.end_age() == [([0, 2], [1, 0], [5, -1])]
    assert p.victories(0) == [5]


def test_R20_fewer_than_two_fighters_do_not_fight_and_tokens_are_discarded_all_the_same() -> None:
    for diplomats in ((1, 2, 3), (0, 1, 2, 3)):
        p = Position("2e-cities", *CITIES, age=1)
        p.city(0, shields=3)
        for seat in diplomats:
            p.city(seat, diplomacy=1)
        assert p.end_age() == []
        assert p.public.diplomacy[:4].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(("card", "token"), [("Raider Camp", 1), ("Raider Fort", 3), ("Raider Garrison", 5)])
def test_R21_raiders_tokens_are_victory_tokens_like_any_other(card: str, token: int) -> None:
    p = Position("2e-cities", *CITIES)
    p.city(0, "Cells", "Guardhouse", "Prison")
    p.play({0: card})
    assert p.victories(0) == [token]
    points = p.points(0)
    assert (points["military"], points["cities"]) == (token, {1: 2, 3: 3, 5: 4}[token])
