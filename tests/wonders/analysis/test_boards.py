"""Tables of boards by their neighbours."""

from __future__ import annotations

import polars as pl

from tests.stats.data import seats_table
from wsim.wonders import analysis


def test_left_neighbour_sits_in_the_next_seat_r1() -> None:
    seats = seats_table(3000, cards=())
    game = analysis.with_neighbours(seats).filter(pl.col("game") == 7).collect()
    boards = game["wonder"].to_list()
    assert game["wonder_left"].to_list() == [*boards[1:], boards[0]]
    assert game["wonder_right"].to_list() == [boards[-1], *boards[:-1]]
    assert analysis.wonders(analysis.with_neighbours(seats), by=["wonder", "wonder_left"]).frame.height == 42
