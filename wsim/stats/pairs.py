"""Synergies: pairs of things that are worth more together than apart, and chains of them worth finishing.

The interaction of two cards, say, is a contrast of four means (both built, one, the other, neither). Its interval comes
from blocks of consecutive games: games are independent, so the spread of the contrast's error between blocks tells its
variance, whatever happens inside a game. With blocks all pairs together are a few matrix products.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError, nearest
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, extent, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.owner_table import owned_names
from wsim.stats.parallel import in_order, inner_products
from wsim.stats.shrinkage import shrink
from wsim.stats.tables import OBSERVATIONAL, Table

__all__ = ["owner_chains", "owner_pairs"]

BLOCKS = 200
"""Blocks of games; the intervals have one degree of freedom less."""

_FEWEST = 30  # seats in each of the four cells: below, a mean is not normal enough


def owner_pairs(
    source: Source,
    prefix: str,
    *,
    noun: str,
    outcome: str = "total",
    only: Sequence[str] = (),
    fewest: int = _FEWEST,
    level: float = 0.95,
) -> Table:
    """Return how much more two things are worth together than apart, for all pairs.

    Parameters
    ----------
    source: a run or its seats table.
    prefix: how the columns of the things begin: ``built:`` (see ``owners``).
    noun: what such a thing is, and the name of the first column: ``card``.
    outcome: a numeric column: total, win_share, ...
    only: which of them (default: all).
    fewest: pairs with fewer seats that have both, one or neither of the two are left out.
    level: confidence level; clustered by game.

    Columns: ``noun``, other, n (seats that have both), affinity (how much more often than if they were had
    independently of each other), lift (outcome with both - with the first only - with the other only + with neither)
    with _low and _high, shrunk with _low and _high (empirical Bayes), p, q (Benjamini-Hochberg). Sorted by shrunk lift.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    names = _chosen(owned_names(seats, prefix), only, noun)
    require(seats, ["game", outcome])
    known = extent(seats)
    if not known.in_order:
        seats = seats.sort("game", maintain_order=True)
        known = extent(seats)
    count = min(BLOCKS, known.games)
    counts = np.zeros((count, len(names) + 1, len(names) + 1))
    sums = np.zeros_like(counts)
    owned = [prefix + name for name in names]
    numbered = _numbered(batches(seats, [outcome, *owned], known=known), count, max(known.games, 1))
    for products in in_order(lambda one: _products(*one, owned, outcome), numbered):
        for block, both, weighted in products:
            counts[block] += both
            sums[block] += weighted
    one, other = np.triu_indices(len(names), 1)
    estimate, cells = _interaction(counts, sums, one, other, level)
    kept = cells.min(axis=0) >= max(fewest, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        affinity = cells[0] * cells.sum(axis=0) / ((cells[0] + cells[1]) * (cells[0] + cells[2]))
    frame = pl.DataFrame(
        {
            noun: np.array(names)[one[kept]],
            "other": np.array(names)[other[kept]],
            "n": cells[0, kept].astype(np.int64),
            "affinity": nulls(affinity[kept]),
            **_lifts(_only(estimate, kept), level),
        }
    )
    return Table(
        frame.sort("shrunk", "lift", descending=True, nulls_last=True), f"Pairs of {noun}s, {outcome}", OBSERVATIONAL
    )


def _chosen(there: Sequence[str], only: Sequence[str], noun: str) -> list[str]:
    for name in only:
        if name not in there:
            raise UserError(f"the table has no {noun} {name!r}{nearest(name, there)}")
    return list(dict.fromkeys(only or there))


def _numbered(
    all_batches: Iterable[GameBatch], blocks: int, games: int
) -> Iterator[tuple[GameBatch, NDArray[np.int64]]]:
    """Yield batches with the block of each game: as many games in each block, up to one."""
    first = 0
    for batch in all_batches:
        yield batch, (first + np.arange(batch.games)) * blocks // games
        first += batch.games


def _products(
    batch: GameBatch, block: NDArray[np.int64], owned: Sequence[str], outcome: str
) -> list[tuple[int, NDArray[np.float32], NDArray[np.float32]]]:
    """Return for each block the products of the things, and those weighted with the outcome; a row of ones is last."""
    flags = np.ones((len(owned) + 1, batch.frame.height), np.float32)  # counts of a batch are exact in float32
    flags[:-1] = batch.flags(owned)
    values = batch.column(outcome).astype(np.float32)
    firsts = np.flatnonzero(np.diff(block, prepend=-1))
    edges = np.append(batch.starts[firsts], batch.frame.height)
    found = []
    for number, low, high in zip(block[firsts], edges, edges[1:], strict=False):
        part = flags[:, low:high]
        found.append((int(number), inner_products(part, part), inner_products(part * values[low:high], part)))
    return found


def _interaction(
    counts: Floats, sums: Floats, one: NDArray[np.int64], other: NDArray[np.int64], level: float
) -> tuple[Estimate, Floats]:
    """Return the contrast of each pair, and its cells (both, one, other, neither), shape (4, pairs)."""
    blocks = len(counts)
    signs = np.array([1.0, -1.0, -1.0, 1.0])
    cell_counts, cell_sums = (_cells(array, one, other) for array in (counts, sums))
    totals = cell_counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = cell_sums.sum(axis=1) / totals
        error = np.zeros((blocks, len(one)))
        for sign, number, values, mean, total in zip(signs, cell_counts, cell_sums, means, totals, strict=True):
            error += sign * (values - mean * number) / total
        spread = np.sqrt((error**2).sum(axis=0) * blocks / (blocks - 1)) if blocks > 1 else np.full(len(one), np.nan)
    return Estimate(signs @ means, spread, np.full(len(one), float(blocks)), level), totals


def _cells(array: Floats, one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    """Return sums over the seats of the four cells, shape (4, blocks, pairs), from products with a last row of ones."""
    both, first, second, rows = array[:, one, other], array[:, one, -1], array[:, other, -1], array[:, -1:, -1]
    return np.stack([both, first - both, second - both, rows - first - second + both])


def _only(estimate: Estimate, kept: NDArray[np.bool_]) -> Estimate:
    return Estimate(estimate.value[kept], estimate.error[kept], estimate.games[kept], estimate.level)


def _lifts(estimate: Estimate, level: float) -> dict[str, pl.Series]:
    shrunk = shrink(estimate.value, estimate.error, level)
    return {
        **estimate.columns("lift"),
        "shrunk": nulls(shrunk.value),
        "shrunk_low": nulls(shrunk.low),
        "shrunk_high": nulls(shrunk.high),
        "p": nulls(estimate.p_value()),
        "q": nulls(estimate.q_value()),
    }


def owner_chains(
    source: Source,
    chains: Sequence[Sequence[str]],
    prefix: str,
    *,
    noun: str,
    outcome: str = "total",
    level: float = 0.95,
) -> Table:
    """Return what finishing a chain goes with: seats that have all of it against those that have the first only.

    Parameters
    ----------
    source: a run or its seats table.
    chains: each at least two things, in order.
    prefix: how the columns of the things begin: ``built:`` (see ``owners``).
    noun: what such a thing is, for messages: ``card``.
    outcome: a numeric column: total, win_share, ...
    level: confidence level; clustered by game.

    Columns: chain (the things, joined by arrows), begun (seats that have the first), n (those that have all),
    finished (mean outcome of these), unfinished (of the other beginners), lift (their difference) with _low and _high,
    shrunk with _low and _high (empirical Bayes), p, q (Benjamini-Hochberg). Sorted by shrunk lift.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    there = owned_names(seats, prefix)
    require(seats, ["game", outcome])
    for chain in chains:
        if len(chain) < 2:
            raise UserError(f"a chain has at least two {noun}s, not {len(chain)}")
    links = [name for chain in chains for name in chain]
    names = _chosen(there, links, noun) if links else []
    owned = [prefix + name for name in names]
    places = [[names.index(name) for name in chain] for chain in chains]
    moments = Moments(len(chains), 4)
    for batch in batches(seats, [outcome, *owned]):
        moments.add(*_chain_sums(batch.flags(owned) > 0, batch, places, batch.column(outcome)))
    estimate = moments.difference((1, 0), (3, 2), level)
    frame = pl.DataFrame(
        {
            "chain": [" -> ".join(chain) for chain in chains],
            "begun": (moments.totals[:, 0] + moments.totals[:, 2]).astype(np.int64),
            "n": moments.totals[:, 0].astype(np.int64),
            "finished": nulls(moments.ratio(1, 0).value),
            "unfinished": nulls(moments.ratio(3, 2).value),
            **_lifts(estimate, level),
        },
        schema_overrides={"chain": pl.String},
    )
    return Table(
        frame.sort("shrunk", "lift", descending=True, nulls_last=True), f"Chains of {noun}s, {outcome}", OBSERVATIONAL
    )


def _chain_sums(
    owned: NDArray[np.bool_], batch: GameBatch, chains: Sequence[Sequence[int]], values: Floats
) -> list[Floats]:
    """Return per-game counts and sums of those that finished each chain, then of those that only began it.

    ``owned``: who has what, shape (things, rows); ``chains``: places of things in it.
    """
    finished, begun = np.zeros((2, len(chains), len(values)), bool)
    for number, chain in enumerate(chains):
        finished[number] = owned[list(chain)].all(axis=0)
        begun[number] = owned[chain[0]]
    arms = (finished.astype(float), (begun & ~finished).astype(float))
    return [batch.sums(arm * weight) for arm in arms for weight in (np.ones_like(values), values)]
