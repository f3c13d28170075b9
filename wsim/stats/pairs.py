"""Synergies: pairs of items that are worth more together than separately, and the value of finishing chains of items.

The interaction of two items (cards, for example) is a contrast of four means: both built, only the first, only the
second, neither. Its interval comes from blocks of consecutive games: games are independent, so the spread of the
contrast's error between blocks estimates its variance, whatever the dependence within a game. With blocks, a few matrix
products handle all pairs together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.document import COUNT, NAME, RATIO, Column, estimated, names
from wsim.errors import UserError, nearest
from wsim.stats.columns import VERDICT, N, P, Q, kind_of
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, extent, require, seats_of
from wsim.stats.intervals import Estimate, benjamini_hochberg, check_level, nulls, verdicts
from wsim.stats.levels import Levels
from wsim.stats.owner_table import owned_names
from wsim.stats.parallel import in_order, inner_products
from wsim.stats.shrinkage import shrink
from wsim.stats.strata import MISSING_INTERVAL, almost_all_as_expected, groups_of, note_of, strata_of, title_of
from wsim.stats.tables import OBSERVATIONAL, Table

BLOCKS = 200
"""Number of blocks of games; intervals have one degree of freedom fewer."""


def owner_pairs(
    source: Source,
    prefix: str,
    *,
    noun: str,
    outcome: str = "total",
    only: Sequence[str] = (),
    partners_of: Sequence[str] = (),
    by: str | Sequence[str] = (),
    fewest: int = ENOUGH,
    raw: bool = False,
    level: float = 0.95,
) -> Table:
    """Return a table of synergies: how much more two items are worth together than separately, for all pairs.

    Parameters
    ----------
    source: a run or its seats table.
    prefix: the prefix of the columns of the items: ``built:`` (see ``owners``). noun: the kind of item, which is also
        the name of the first column: ``card``.
    outcome: a numeric column: total, win_share, ...
    only: the items to include (default: all).
    partners_of: only pairs with at least one of these items, which is named first (default: all pairs).
    by: columns of the seats table (policy, ...): one row per pair and level.
    fewest: a pair is omitted if fewer seats have both items, only the first, only the second, or neither; with several
        policies, only seats of policies in which all four cases occur count.
    raw: pool the policies of the table. Otherwise the lift is within policies, each weighted by its information (the
        inverse of the sum of 1/n over the four cells), and affinity also compares within policies.
    level: confidence level; clustered by game.

    Columns: ``noun``, other, the ``by`` columns, n (seats that have both), affinity (how many times as often seats have
    both as they would if the two were independent), lift (outcome with both - with the first only - with the other only
    + with neither) with _low and _high, shrunk with _low and _high (empirical Bayes), p, q (Benjamini-Hochberg over the
    list), verdict (on the lift: higher or lower than 0, or unclear). Sorted by shrunk lift.
    """
    check_level(level)
    groups = (by,) if isinstance(by, str) else tuple(by)
    seats = competitors(seats_of(source))
    things = _selected_columns(owned_names(seats, prefix), only, noun)
    wanted = _selected_columns(things, partners_of, noun) if partners_of else []
    require(seats, ["game", outcome, *groups])
    _check_owned(seats, prefix, wanted, noun)
    owned = [prefix + name for name in things]
    columns = strata_of(seats, groups, raw=raw)
    frames = []
    for group, part in list(groups_of(seats, groups)) or [({}, seats)]:
        pairs = _pairs(part, columns, owned, outcome, max(fewest, 1))
        named = {noun: np.array(things, object)[pairs.one], "other": np.array(things, object)[pairs.other]}
        keys = [pl.lit(value[0], dtype=value.dtype).alias(name) for name, value in group.items()]
        front = pl.DataFrame(named, schema={noun: pl.String, "other": pl.String}).with_columns(keys)
        counted = {"n": pairs.n.astype(np.int64), "affinity": nulls(pairs.affinity)}
        frames.append(front.hstack(pl.DataFrame({**counted, **_lifts(pairs.lift, level)})))
    frame = _partners(pl.concat(frames), noun, wanted) if wanted else pl.concat(frames)
    q = benjamini_hochberg(frame["p"].fill_null(float("nan")).to_numpy())
    frame = frame.with_columns(q=nulls(q), verdict=verdicts(frame["lift"].fill_null(float("nan")), q, level=level))
    return Table(
        frame.sort("shrunk", "lift", descending=True, nulls_last=True),
        title_of(f"Pairs of {noun}s, {outcome}", seats, groups, raw=raw),
        OBSERVATIONAL + note_of(seats, groups, raw=raw) + _lift_note(frame, outcome),
        columns=(*names((noun, "other", *groups)), N, _AFFINITY, *_lift_columns(outcome)),
        labels=(noun, "other", *groups),
    )


def _lift_note(frame: pl.DataFrame, outcome: str) -> str:
    """Return a remark for the note if win shares carry too little information about a lift, otherwise nothing."""
    known = pl.col("lift").is_not_null() & pl.col("lift_low").is_null()
    return MISSING_INTERVAL if outcome == "win_share" and frame.select(known.any()).item() else ""


def _partners(frame: pl.DataFrame, noun: str, wanted: Sequence[str]) -> pl.DataFrame:
    """Return the pairs that contain a wanted item, with that item first."""
    first, second = pl.col(noun), pl.col("other")
    swapped = second.is_in(wanted) & ~first.is_in(wanted)
    ordered = frame.with_columns(
        pl.when(swapped).then(second).otherwise(first).alias(noun),
        pl.when(swapped).then(first).otherwise(second).alias("other"),
    )
    return ordered.filter(first.is_in(wanted))


@dataclass(frozen=True)
class _Pairs:
    """Pairs with enough seats: the indices of the two items, and the estimates."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    n: Floats
    affinity: Floats
    lift: Estimate


def _pairs(seats: pl.LazyFrame, columns: Sequence[str], owned: Sequence[str], outcome: str, fewest: int) -> _Pairs:
    """Estimate the interaction of every pair within the strata that ``columns`` define."""
    known = extent(seats)
    if not known.in_order:
        seats = seats.sort("game", maintain_order=True)
        known = extent(seats)
    strata = Levels.of(seats, columns) if columns else None
    count = min(BLOCKS, known.games)
    counts = np.zeros((len(strata) if strata else 1, count, len(owned) + 1, len(owned) + 1))
    sums = np.zeros_like(counts)
    numbered = _with_block_numbers(batches(seats, [outcome, *columns, *owned], known=known), count, max(known.games, 1))
    for products in in_order(lambda first: _products(*first, strata, owned, outcome), numbered):
        for stratum, block, both, weighted in products:
            counts[stratum, block] += both
            sums[stratum, block] += weighted
    first, second = np.triu_indices(len(owned), 1)
    cells = np.stack([_cells(part, first, second).sum(axis=1) for part in counts])  # (strata, 4, pairs)
    enough = np.where(cells.min(axis=1) > 0, cells.min(axis=1), 0).sum(axis=0) >= fewest
    first, second, cells = first[enough], second[enough], cells[..., enough]
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = (cells[:, 0] + cells[:, 1]) * (cells[:, 0] + cells[:, 2]) / np.maximum(cells.sum(axis=1), 1)
        affinity = cells[:, 0].sum(axis=0) / alone.sum(axis=0)
    values = (_interaction(each, weighted, first, second) for each, weighted in zip(counts, sums, strict=True))
    lift = _within(list(values), count)
    if outcome == "win_share":
        seats_won = (part[:, :, -1, -1].sum(axis=1) for part in (counts, sums))
        lift = lift.unknown(np.full(len(first), almost_all_as_expected(*seats_won)))
    return _Pairs(first, second, cells[:, 0].sum(axis=0), affinity, lift)


def _selected_columns(present: Sequence[str], only: Sequence[str], noun: str) -> list[str]:
    for name in only:
        if name not in present:
            raise UserError(f"the table has no {noun} {name!r}{nearest(name, present)}")
    return list(dict.fromkeys(only or present))


def _check_owned(seats: pl.LazyFrame, prefix: str, wanted: Sequence[str], noun: str) -> None:
    """Raise UserError for an item that no seat had, such as a card that is not used with this number of players."""
    counts = seats.select(pl.col(prefix + name).sum() for name in wanted).collect(engine="streaming")
    for name in wanted:
        if not counts[prefix + name].sum():
            raise UserError(f"no seat of these games had the {noun} {name!r}, so it has no partners")


def _with_block_numbers(
    all_batches: Iterable[GameBatch], blocks: int, games: int
) -> Iterator[tuple[GameBatch, NDArray[np.int64]]]:
    """Yield each batch with the block number of each game; the sizes of blocks differ by at most one game."""
    first = 0
    for batch in all_batches:
        yield batch, (first + np.arange(batch.games)) * blocks // games
        first += batch.games


def _products(
    batch: GameBatch, block: NDArray[np.int64], strata: Levels | None, owned: Sequence[str], outcome: str
) -> list[tuple[int, int, NDArray[np.float32], NDArray[np.float32]]]:
    """Return, for each stratum and block, the products of the item flags, plain and weighted by the outcome.

    A row of ones is appended to the flags, so the products also contain plain sums.
    """
    flags = np.ones((len(owned) + 1, batch.frame.height), np.float32)  # counts of a batch are exact in float32
    flags[:-1] = batch.flags(owned)
    values = batch.column(outcome).astype(np.float32)
    stratum = strata.codes(batch.frame) if strata else np.zeros(batch.frame.height, np.int64)
    firsts = np.flatnonzero(np.diff(block, prepend=-1))
    edges = np.append(batch.starts[firsts], batch.frame.height)
    blocks = []
    for number, low, high in zip(block[firsts], edges, edges[1:], strict=False):
        for level in np.unique(stratum[low:high]):
            rows = low + np.flatnonzero(stratum[low:high] == level)
            part = flags[:, rows] if strata else flags[:, low:high]
            weighted = part * values[rows]
            blocks.append((int(level), int(number), inner_products(part, part), inner_products(weighted, part)))
    return blocks


@dataclass(frozen=True)
class _Contrast:
    """Contrasts of means in one stratum: values, errors by block, shape (blocks, contrasts), and weights."""

    value: Floats
    errors: Floats
    weight: Floats


def _interaction(counts: Floats, sums: Floats, first: NDArray[np.int64], second: NDArray[np.int64]) -> _Contrast:
    """Return the interaction of each pair in one stratum, computed from the products by block."""
    return _contrast(_cells(counts, first, second), _cells(sums, first, second), (1.0, -1.0, -1.0, 1.0))


def _contrast(counts: Floats, sums: Floats, signs: Sequence[float]) -> _Contrast:
    """Return signed sums of cell means; counts and sums by block have the shape (cells, blocks, contrasts).

    The weight of a contrast is its inverse variance if all seats have equal variances, and 0 if a cell is empty.
    """
    totals = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(totals > 0, sums.sum(axis=1) / totals, 0.0)
        weight = 1 / (1 / totals).sum(axis=0)
    errors = np.zeros(counts.shape[1:])
    for sign, number, values, mean, total in zip(signs, counts, sums, means, totals, strict=True):
        errors += sign * (values - mean * number) / np.maximum(total, 1)
    return _Contrast(np.array(signs) @ means, errors, weight)


def _within(contrasts: Sequence[_Contrast], blocks: int) -> Estimate:
    """Return the weighted mean of contrasts over strata; NaN if no stratum has all cells."""
    weights = np.stack([contrast.weight for contrast in contrasts])
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = weights / weights.sum(axis=0)
    value = np.sum([weight * contrast.value for weight, contrast in zip(weights, contrasts, strict=True)], axis=0)
    errors = np.sum([weight * contrast.errors for weight, contrast in zip(weights, contrasts, strict=True)], axis=0)
    correction = blocks / (blocks - 1) if blocks > 1 else np.nan
    spread = np.sqrt((errors**2).sum(axis=0) * correction)
    return Estimate(value, spread, np.full(len(value), float(blocks)))


def _cells(array: Floats, one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    """Return the sums over seats with both items, only the first, only the second, and neither.

    The shape is (4, blocks, pairs). ``array``: products of item flags by block (see ``_products``).
    """
    both, first, second, rows = array[:, one, other], array[:, one, -1], array[:, other, -1], array[:, -1:, -1]
    return np.stack([both, first - both, second - both, rows - first - second + both])


_AFFINITY = Column(
    "affinity", RATIO, unit="1 = independent", about="how much more often than if the two were independent"
)


def _lift_columns(outcome: str) -> tuple[Column, ...]:
    """Declare the columns of ``_lifts``, in the unit of the outcome."""
    kind, unit = kind_of(outcome)
    lift = estimated(
        "lift", kind, unit=unit, difference=True, about="value of both minus the sum of their separate values"
    )
    about = "the lift, shrunk towards the mean according to its error (empirical Bayes)"
    return lift, estimated("shrunk", kind, unit=unit, difference=True, about=about), P, Q, VERDICT


def _chain_columns(outcome: str) -> tuple[Column, ...]:
    kind, unit = kind_of(outcome)
    return (
        Column("begun", COUNT, about="seats that have the first"), N,
        Column("finished", kind, unit=unit, about=f"mean {outcome} of seats that have all of it"),
        Column("unfinished", kind, unit=unit, about=f"mean {outcome} of the other seats that began it"),
    )  # fmt: skip


def _lifts(estimate: Estimate, level: float) -> dict[str, pl.Series]:
    estimate = replace(estimate, level=level)
    shrunk = shrink(estimate.value, estimate.error, level)
    return {
        **estimate.columns("lift"),
        "shrunk": nulls(shrunk.value),
        "shrunk_low": nulls(shrunk.low),
        "shrunk_high": nulls(shrunk.high),
        "p": nulls(estimate.p_value()),
        "q": nulls(estimate.q_value()),
        "verdict": verdicts(estimate.value, estimate.q_value(), level=level),
    }


def owner_chains(
    source: Source,
    chains: Sequence[Sequence[str]],
    prefix: str,
    *,
    noun: str,
    outcome: str = "total",
    raw: bool = False,
    level: float = 0.95,
) -> Table:
    """Return a table that compares seats that finished a chain with seats that only began it.

    Parameters
    ----------
    source: a run or its seats table.
    chains: the chains, each with at least two items, in order.
    prefix: the prefix of the columns of the items: ``built:`` (see ``owners``).
    noun: the kind of item, for messages: ``card``.
    outcome: a numeric column: total, win_share, ...
    raw: pool the policies of the table; otherwise seats are compared only with seats of the same policy, each policy
        weighted by its information, and the means are adjusted as if every policy finished equally often.
    level: confidence level; clustered by game.

    Columns: chain (the items, joined by arrows), begun (seats that have the first item), n (seats that have all items),
    finished (their mean outcome), unfinished (mean outcome of the other seats that began), lift (the difference) with
    _low and _high, shrunk with _low and _high (empirical Bayes), p, q (Benjamini-Hochberg), verdict. Sorted by shrunk
    lift.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    known = owned_names(seats, prefix)
    require(seats, ["game", outcome])
    for chain in chains:
        if len(chain) < 2:
            raise UserError(f"a chain has at least two {noun}s, not {len(chain)}")
    links = [name for chain in chains for name in chain]
    names = _selected_columns(known, links, noun) if links else []
    places = [[names.index(name) for name in chain] for chain in chains]
    columns = strata_of(seats, raw=raw)
    tallies = _chain_tallies(seats, columns, [prefix + name for name in names], places, outcome)
    frame = _chain_rows([" -> ".join(chain) for chain in chains], *tallies, level, shares=outcome == "win_share")
    return Table(
        frame.sort("shrunk", "lift", descending=True, nulls_last=True),
        title_of(f"Chains of {noun}s, {outcome}", seats, (), raw=raw),
        OBSERVATIONAL + note_of(seats, (), raw=raw) + _lift_note(frame, outcome),
        columns=(Column("chain", NAME), *_chain_columns(outcome), *_lift_columns(outcome)),
        labels=("chain",),
    )


def _chain_rows(labels: Sequence[str], counts: Floats, sums: Floats, level: float, *, shares: bool) -> pl.DataFrame:
    """Return one row per chain, from the tallies of seats that finished it and of seats that only began it."""
    estimate = _within([_contrast(*both, (1.0, -1.0)) for both in zip(counts, sums, strict=True)], counts.shape[2])
    if shares:
        estimate = estimate.unknown(almost_all_as_expected(*(tally.sum(axis=(1, 2)) for tally in (counts, sums))))
    done, begun = counts.sum(axis=(0, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums.sum(axis=(0, 1, 2)) / (done + begun)
        share = done / (done + begun)
    return pl.DataFrame(
        {
            "chain": labels,
            "begun": (done + begun).astype(np.int64),
            "n": done.astype(np.int64),
            "finished": nulls(mean + estimate.value * (1 - share)),
            "unfinished": nulls(mean - estimate.value * share),
            **_lifts(estimate, level),
        },
        schema_overrides={"chain": pl.String},
    )


def _chain_tallies(
    seats: pl.LazyFrame, columns: Sequence[str], owned: Sequence[str], chains: Sequence[Sequence[int]], outcome: str
) -> tuple[Floats, Floats]:
    """Return counts and outcome sums for seats that finished a chain and seats that only began it.

    Both have the shape (strata, 2, blocks, chains). ``chains``: indices of the items in ``owned``.
    """
    known = extent(seats)
    if not known.in_order:
        seats = seats.sort("game", maintain_order=True)
        known = extent(seats)
    strata = Levels.of(seats, columns) if columns else None
    blocks = min(BLOCKS, known.games)
    shape = (len(strata) if strata else 1, blocks)
    counts, sums = np.zeros((2, shape[0], 2, blocks, len(chains)))
    numbered = _with_block_numbers(
        batches(seats, [outcome, *columns, *owned], known=known), blocks, max(known.games, 1)
    )
    for batch, block in numbered:
        has, values = batch.flags(owned) > 0, batch.column(outcome)
        stratum = strata.codes(batch.frame) if strata else np.zeros(len(values), np.int64)
        cell = stratum * blocks + block[batch.game_of_row]
        for number, chain in enumerate(chains):
            finished = has[list(chain)].all(axis=0)
            for arm, chosen in enumerate((finished, has[chain[0]] & ~finished)):
                for tally, weights in ((counts, None), (sums, values[chosen])):
                    tallies = np.bincount(cell[chosen], weights, shape[0] * blocks)
                    tally[:, arm, :, number] += tallies.reshape(shape)
    return counts, sums
