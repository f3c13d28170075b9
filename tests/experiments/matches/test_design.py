"""Who sits where: every policy has every seat, as one among the others or at tables with all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from wsim.errors import UserError
from wsim.experiments.deals import PARTS
from wsim.experiments.match_design import Cell, Design, duels, mixed


def test_a_duel_has_each_as_one_among_the_others_on_every_seat() -> None:
    design = duels(2, 3)
    assert design.seatings == ((0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert design.cells == (Cell(0, 1), Cell(1, 0))
    one = np.zeros((6, 3), bool)
    one[[0, 1, 2], [0, 1, 2]] = True
    assert (design.reads[0] == one).all()
    assert (design.reads[1] == one[[3, 4, 5, 0, 1, 2]]).all()


def test_between_two_sides_a_game_is_played_once_and_read_twice() -> None:
    design = duels(2, 2)
    assert design.seatings == ((0, 1), (1, 0))
    assert design.reads.sum(axis=(1, 2)).tolist() == [2, 2]


@pytest.mark.parametrize(("policies", "sides"), [(2, 4), (3, 3), (3, 4), (4, 2), (5, 7)])
def test_a_round_robin_has_every_pair_in_both_ways(policies: int, sides: int) -> None:
    design = duels(policies, sides)
    assert len(design.cells) == policies * (policies - 1)
    assert (design.reads.sum(axis=(1, 2)) == sides).all()
    assert (design.reads.sum(axis=1) == 1).all()  # each seat once


@pytest.mark.parametrize(
    ("policies", "sides", "seatings"),
    [(3, 3, 6), (3, 4, 36), (4, 4, 24), (5, 4, 120), (5, 5, 120), (4, 7, 4 * 14), (6, 4, 15 * 8), (7, 7, 14)],
)
def test_a_mixed_table_gives_every_policy_every_seat_as_often(policies: int, sides: int, seatings: int) -> None:
    design = mixed(policies, sides)
    assert len(design.seatings) == len(set(design.seatings)) == seatings
    by_seat = np.array([np.bincount(column, minlength=policies) for column in np.array(design.seatings).T])
    assert (by_seat == by_seat[0, 0]).all()
    spread = [max(Counter(seating).values()) for seating in design.seatings]
    assert set(spread) == {-(-sides // policies)}


def test_a_ring_has_either_neighbour_on_either_hand() -> None:
    neighbours = {(seating[side - 1], seating[side]) for seating in mixed(7, 7).seatings for side in range(7)}
    assert neighbours == {(one, (one + step) % 7) for one in range(7) for step in (1, 6)}


def test_equal_ones_sit_apart_in_a_ring() -> None:
    for seating in mixed(4, 7).seatings[:14]:
        assert all(seating[side - 1] != seating[side] for side in range(1, 7))


@pytest.mark.parametrize("design", [duels(3, 4), mixed(3, 4), mixed(3, 3), mixed(3, 2)])
def test_the_lead_of_a_pair_is_that_of_their_totals_at_one_table(design: Design) -> None:
    """With totals 5, 2 and 1 for the three policies and nothing else, the leads are their differences."""
    totals = np.array([5, 2, 1])[np.array(design.seatings)]
    summed = (design.leads * totals).sum(axis=(1, 2)) / PARTS
    tables = np.count_nonzero(design.leads.any(axis=2), axis=1)
    assert (summed / tables).tolist() == [3, 4, 1]


def test_too_many_line_ups_are_refused() -> None:
    with pytest.raises(UserError, match="12 policies at a table of 4 make 3,960 line-ups for every deal: name fewer"):
        mixed(12, 4)
    with pytest.raises(UserError, match="at most 1,000 are played"):
        duels(20, 7)
