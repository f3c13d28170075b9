"""Distinct finishing orders with counts: a million games have far fewer distinct orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import GameBatch, batches
from wsim.stats.levels import Levels

_BATCH = 262_144
_COMPACT = 1_000_000  # number of collected orders at which equal ones are merged
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Rankings:
    """Distinct finishing orders, with counts.

    Attributes
    ----------
    items: the level at each position, best first, -1 after the last; shape (orders, places).
    tied: whether a position is tied with the preceding one; same shape. counts: the number of games with each order.
    """

    items: NDArray[np.int64]
    tied: NDArray[np.bool_]
    counts: NDArray[np.float64]


def rankings(seats: pl.LazyFrame, levels: Levels) -> Rankings:
    """Count the finishing orders of a seats table (column ``rank``), with seats replaced by the levels of a factor.

    Raises UserError if there are too many levels and positions to encode an order in 64 bits.
    """
    places = int(seats.select(pl.col("seat").max()).collect(engine="streaming").item() or 0) + 1
    pending: list[NDArray[np.int64]] = []
    counts: list[NDArray[np.int64]] = []
    for batch in batches(seats, [*levels.columns, "rank"], rows=_BATCH):
        orders, number = np.unique(_numbers(batch, levels, places), return_counts=True)
        pending.append(orders)
        counts.append(number)
        if sum(map(len, pending)) > _COMPACT:
            pending, counts = _merged(pending, counts)
    pending, counts = _merged(pending, counts)
    return orders_of(pending[0], counts[0], places, len(levels))


def _merged(
    orders: list[NDArray[np.int64]], counts: list[NDArray[np.int64]]
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    empty = np.zeros(0, np.int64)
    unique, index = np.unique(np.concatenate([empty, *orders]), return_inverse=True)
    number = np.bincount(index, np.concatenate([empty, *counts]), len(unique))
    return [unique], [np.rint(number).astype(np.int64)]


def _numbers(batch: GameBatch, levels: Levels, places: int) -> NDArray[np.int64]:
    """Encode each game's finishing order as one integer."""
    game = batch.game_of_row
    column = np.arange(batch.frame.height) - batch.starts[game]
    rank, codes = np.full((2, batch.games, places), -1)
    rank[game, column] = batch.frame["rank"].to_numpy().astype(np.int64)
    codes[game, column] = levels.codes(batch.frame)
    return order_numbers(rank, codes, len(levels))


def order_numbers(rank: NDArray[np.int64], codes: NDArray[np.int64], levels: int) -> NDArray[np.int64]:
    """Encode each game's finishing order as one integer, which is equal for equal orders.

    Parameters
    ----------
    rank: the rank of each seat, shape (games, places); 1 is best, and tied seats share a rank.
    codes: the level of each seat, from 0, or -1 for none; same shape.
    levels: the number of levels. Raises UserError if an order does not fit into 64 bits.
    """
    games, places = rank.shape
    base = levels + 1
    if base**places * 2**places > _LARGEST:
        raise UserError(f"{levels} levels are too many to rank at a table of {places}")
    key = np.where(codes >= 0, rank * base + codes, _LARGEST)
    key.sort(axis=1)  # by rank; ties by level
    present = key != _LARGEST
    item = np.where(present, key % base + 1, 0)
    rank_at = np.where(present, key // base, -1)
    tied = np.zeros_like(present)
    tied[:, 1:] = present[:, 1:] & (rank_at[:, 1:] == rank_at[:, :-1])
    number = np.zeros(games, np.int64)
    for position in range(places):
        number = (number * base + item[:, position]) * 2 + tied[:, position]
    return number


def orders_of(numbers: NDArray[np.int64], counts: NDArray[np.int64], places: int, levels: int) -> Rankings:
    """Decode the numbers of ``order_numbers``; ``counts``: the number of games with each order."""
    base, orders = levels + 1, numbers
    items = np.empty((len(orders), places), np.int64)
    tied = np.empty((len(orders), places), bool)
    for position in reversed(range(places)):
        tied[:, position] = orders % 2 == 1
        orders = orders // 2
        items[:, position] = orders % base - 1
        orders = orders // base
    return Rankings(items, tied, counts.astype(float))
