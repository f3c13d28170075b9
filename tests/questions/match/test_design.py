"""Seatings: every policy takes every seat, in duels and at mixed tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.questions.deals import WIN_UNITS
from wsim.questions.match.design import Cell, Design, duels, mixed

NAMES = "abcdefghijkl"


def test_a_duel_seats_each_policy_alone_in_every_seat() -> None:
    design = duels(2, 3)
    assert design.seatings == ((0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert design.cells == (Cell(0, 1), Cell(1, 0))
    one = np.zeros((6, 3), bool)
    one[[0, 1, 2], [0, 1, 2]] = True
    assert (design.reads[0] == one).all()
    assert (design.reads[1] == one[[3, 4, 5, 0, 1, 2]]).all()


def test_two_sided_games_are_played_once_and_read_twice() -> None:
    design = duels(2, 2)
    assert design.seatings == ((0, 1), (1, 0))
    assert design.reads.sum(axis=(1, 2)).tolist() == [2, 2]


@pytest.mark.parametrize(("policies", "sides"), [(2, 4), (3, 3), (3, 4), (4, 2), (5, 7)])
def test_a_round_robin_plays_every_pair_both_ways(policies: int, sides: int) -> None:
    design = duels(policies, sides)
    assert len(design.cells) == policies * (policies - 1)
    assert (design.reads.sum(axis=(1, 2)) == sides).all()
    assert (design.reads.sum(axis=1) == 1).all()  # each seat once


@pytest.mark.parametrize(
    ("policies", "sides", "seatings"),
    [(3, 3, 6), (3, 4, 36), (4, 4, 24), (5, 4, 120), (5, 5, 120), (4, 7, 4 * 14), (6, 4, 15 * 8), (7, 7, 14)],
)
def test_a_mixed_table_gives_every_policy_every_seat_equally_often(policies: int, sides: int, seatings: int) -> None:
    design = mixed(NAMES[:policies], sides)
    assert len(design.seatings) == len(set(design.seatings)) == seatings
    by_seat = np.array([np.bincount(column, minlength=policies) for column in np.array(design.seatings).T])
    assert (by_seat == by_seat[0, 0]).all()
    spread = [max(Counter(seating).values()) for seating in design.seatings]
    assert set(spread) == {-(-sides // policies)}


def test_a_ring_has_every_neighbour_on_both_sides() -> None:
    neighbours = {(seating[side - 1], seating[side]) for seating in mixed(NAMES[:7], 7).seatings for side in range(7)}
    assert neighbours == {(one, (one + step) % 7) for one in range(7) for step in (1, 6)}


def test_every_seat_order_is_equally_likely() -> None:
    """Of 24,000 deals of four each of the 24 orders has 1,000, by the 99.9 % point of chi-square; seeds draw others."""
    design = mixed(NAMES[:5], 6)
    assert design.drawn
    assert not mixed(NAMES[:5], 5).drawn
    table = Design(4, 4, (), (), drawn=True)
    places = table.places(3, range(24_000))
    _, counts = np.unique(places, axis=0, return_counts=True)
    assert counts.sum() == 24_000
    assert len(counts) == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 49.7
    assert (table.places(3, range(70, 90)) == places[70:90]).all()
    assert (table.places(4, range(24_000)) == places).all(axis=1).mean() == pytest.approx(1 / 24, abs=0.006)


def test_rings_depend_on_names_not_their_order() -> None:
    one, other = (mixed(names, 6) for names in ("fcadbe", "abcdef"))
    named = [[tuple("fcadbe"[policy] for policy in seating) for seating in one.seatings],
             [tuple("abcdef"[policy] for policy in seating) for seating in other.seatings]]  # fmt: skip
    assert named[0] == named[1]


def test_equal_policies_sit_apart_in_a_ring() -> None:
    for seating in mixed(NAMES[:4], 7).seatings[:14]:
        assert all(seating[side - 1] != seating[side] for side in range(1, 7))


@pytest.mark.parametrize("design", [duels(3, 4), *(mixed("abc", sides) for sides in (4, 3, 2))])
def test_the_lead_of_a_pair_is_its_difference_in_totals_per_table(design: Design) -> None:
    """With totals 5, 2 and 1 for the three policies and nothing else, the leads are their differences."""
    totals = np.array([5, 2, 1])[np.array(design.seatings)]
    summed = (design.leads * totals).sum(axis=(1, 2)) / WIN_UNITS
    tables = np.count_nonzero(design.leads.any(axis=2), axis=1)
    assert (summed / tables).tolist() == [3, 4, 1]


def test_too_many_line_ups_are_rejected() -> None:
    with pytest.raises(UserError, match="12 policies at a table of 4 need 3,960 line-ups per deal, more than 1,000"):
        mixed(NAMES[:12], 4)
    with pytest.raises(UserError, match="more than 1,000: name fewer policies"):
        duels(20, 7)
