"""The share of the score's variance that comes from seat, policy, table and further factors.

Model: score = mean + seat + policy + (further factors) + table + residual, without interactions. Factors are fixed
effects; a factor's variance is the mean gain in explained variance over all orders in which the factors can enter the
model (Shapley values, LMG in Groemping 2007), so correlated factors, such as policies in fixed seats, share the
variance that they explain. A gain counts only to the extent that it exceeds the expected gain of a random coefficient.
The table component is what the seats of a game still have in common: the between-game component of a one-way analysis
of variance, below 0 if seats gain at each other's expense. The luck of a single seat is in the residual. Errors come
from a jackknife over blocks of games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import factorial

import numpy as np
import polars as pl

from wsim.document import NAME, NUMBER, SHARE, Column, estimated
from wsim.errors import UserError
from wsim.stats.columns import kind_of
from wsim.stats.games import Floats, GameBatch, Source, batches, competitors, require, seats_of
from wsim.stats.intervals import Estimate, check_level
from wsim.stats.levels import Levels
from wsim.stats.parallel import inner_products
from wsim.stats.tables import Table

FACTORS: Mapping[str, tuple[str, ...]] = {"seat": ("seat",), "policy": ("policy",)}
"""The default factors, which every game has: columns, or combinations of columns."""

_BLOCKS = 20
_NOTE = (
    "Shares of the variance of {outcome}. Factors are fixed effects without interactions and share what they explain "
    "together; table is what the seats of a game have in common beyond them, below 0 if they gain at each other's "
    "expense; the luck of a single seat (hand, deal) is in the residual. Errors: jackknife over {blocks} blocks."
)


def variance_shares(
    source: Source,
    factors: Mapping[str, Sequence[str]] | None = None,
    *,
    outcome: str = "total",
    level: float = 0.95,
) -> Table:
    """Return a table of an outcome's variance shares by source; the module docstring explains the estimator.

    Parameters
    ----------
    source: a run or its seats table.
    factors: the columns of each factor, by name (default: the factors in ``FACTORS`` that the table has).
    outcome: a numeric column.

    Columns: source (the factors, table, residual), share (they sum to 1) with _low and _high, variance.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    known = seats.collect_schema().names()
    chosen = factors or {name: columns for name, columns in FACTORS.items() if set(columns) <= set(known)}
    if not chosen:
        raise UserError(f"the table has none of the columns {', '.join(FACTORS)}: name the factors")
    require(seats, ["game", outcome, *(name for columns in chosen.values() for name in columns)])
    levels = {name: Levels.of(seats, tuple(columns)) for name, columns in chosen.items()}
    sums = [_Sums(1 + sum(map(len, levels.values()))) for _ in range(_BLOCKS)]
    columns = dict.fromkeys([outcome, *(name for part in levels.values() for name in part.columns)])
    mean = seats.select(pl.col(outcome).mean()).collect(engine="streaming").item() or 0.0
    for batch in batches(seats, list(columns)):
        _add(sums, batch, levels, batch.column(outcome) - mean)
    used = [part for part in sums if part.rows > 0]
    widths = {name: len(part) for name, part in levels.items()}
    whole = _decomposed(_total(used), widths)
    total = float(np.nansum(whole))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = whole / total
    estimate = _jackknife(shares, used, widths, level)
    frame = pl.DataFrame(
        {"source": [*chosen, "table", "residual"], **estimate.columns("share"), "variance": whole},
    )
    kind, unit = kind_of(outcome)
    squared = Column("variance", NUMBER, unit=f"{kind.unit or unit} squared" if kind.unit or unit else "")
    declared = (Column("source", NAME), estimated("share", SHARE, unit="of the variance"), squared)
    note = _NOTE.format(outcome=outcome, blocks=len(used))
    return Table(frame, f"Sources of the variance of {outcome}", note, declared, labels=("source",))


class _Sums:
    """Products of the model's columns (1, a dummy per level, and the outcome), summed over rows and over games."""

    def __init__(self, width: int) -> None:
        self.rows = 0.0
        self.games = 0.0
        self.squared_sizes = 0.0
        self.within = np.zeros((width + 1, width + 1))
        self.between = np.zeros((width + 1, width + 1))  # products of per-game sums, divided by the seats of the game

    def add(self, model: Floats, game_sums: Floats, sizes: Floats) -> None:
        self.rows += sizes.sum()
        self.games += len(sizes)
        self.squared_sizes += (sizes**2).sum()
        self.within += inner_products(model, model)
        self.between += inner_products(game_sums / sizes, game_sums)


def _add(sums: Sequence[_Sums], batch: GameBatch, levels: Mapping[str, Levels], outcome: Floats) -> None:
    """Add a batch; consecutive games go to the same block.

    ``outcome``: each row's outcome minus the mean of the table; without centring, variances would be small differences
    between large sums.
    """
    rows = batch.frame.height
    model = [np.ones((1, rows))]
    for level in levels.values():
        dummies = np.zeros((len(level), rows))
        dummies[level.codes(batch.frame), np.arange(rows)] = 1
        model.append(dummies)
    stacked = np.vstack([*model, outcome])
    game_sums, sizes = batch.sums(stacked), batch.sums(np.ones(rows))
    edges = np.arange(len(sums) + 1) * batch.games // len(sums)
    row_edges = np.append(batch.starts, rows)[edges]
    for block, one_block in enumerate(sums):
        games, part = slice(edges[block], edges[block + 1]), slice(row_edges[block], row_edges[block + 1])
        if edges[block] < edges[block + 1]:
            one_block.add(stacked[:, part], game_sums[:, games], sizes[games])


def _total(sums: Sequence[_Sums], without: int = -1) -> _Sums:
    """Add up all blocks, except block ``without`` if given."""
    result = _Sums(len(sums[0].within) - 1 if sums else 0)
    for number, part in enumerate(sums):
        if number != without:
            result.rows += part.rows
            result.games += part.games
            result.squared_sizes += part.squared_sizes
            result.within += part.within
            result.between += part.between
    return result


def _decomposed(sums: _Sums, widths: Mapping[str, int]) -> Floats:
    """Return the variances of the factors, the table and the residual; NaN if there are too few rows."""
    result = np.full(len(widths) + 2, np.nan)
    if sums.games < 2 or sums.rows < len(sums.within) + 1:
        return result
    starts = dict(zip(widths, np.cumsum([1, *widths.values()]), strict=False))
    columns = {name: list(range(starts[name], starts[name] + width)) for name, width in widths.items()}
    names = tuple(widths)
    fits = {
        chosen: _Fit(sums, [0, *(column for name in chosen for column in columns[name])])
        for size in range(len(names) + 1)
        for chosen in combinations(names, size)
    }
    full = fits[names]
    noise = full.left / max(sums.rows - full.rank, 1)
    gained = {chosen: fits[()].left - fit.left - (fit.rank - 1) * noise for chosen, fit in fits.items()}
    for number, name in enumerate(names):
        result[number] = max(_shapley(name, names, gained) / sums.rows, 0.0)
    error = np.zeros(len(sums.within))
    error[full.columns] = -full.coefficients
    error[-1] = 1.0
    between = float(error @ sums.between @ error)
    within = (float(error @ sums.within @ error) - between) / max(sums.rows - sums.games, 1)
    size = (sums.rows - sums.squared_sizes / sums.rows) / (sums.games - 1)
    result[-2] = (between / (sums.games - 1) - within) / size
    result[-1] = noise - result[-2]
    return result


class _Fit:
    """A least-squares fit on some columns: coefficients, rank and residual sum of squares."""

    def __init__(self, sums: _Sums, columns: Sequence[int]) -> None:
        self.columns = list(columns)
        products = sums.within[np.ix_(self.columns, self.columns)]
        with_outcome = sums.within[self.columns, -1]
        inverse = np.linalg.pinv(products, rcond=1e-10, hermitian=True)
        self.coefficients = inverse @ with_outcome
        self.rank = int(np.linalg.matrix_rank(products, hermitian=True, rtol=1e-10))
        self.left = float(sums.within[-1, -1] - self.coefficients @ with_outcome)


def _shapley(name: str, names: Sequence[str], gained: Mapping[tuple[str, ...], float]) -> float:
    """Return the mean gain of a factor over all orders of entry."""
    others = [source for source in names if source != name]
    value = 0.0
    for size in range(len(others) + 1):
        weight = factorial(size) * factorial(len(others) - size) / factorial(len(names))
        for before in combinations(others, size):
            after = tuple(source for source in names if source in before or source == name)
            value += weight * (gained[after] - gained[before])
    return value


def _jackknife(shares: Floats, sums: Sequence[_Sums], widths: Mapping[str, int], level: float) -> Estimate:
    """Return the shares with jackknife errors."""
    blocks = len(sums)
    if blocks < 2:
        return Estimate(shares, np.full(len(shares), np.nan), np.full(len(shares), float(blocks)), level)
    without = np.array([_decomposed(_total(sums, block), widths) for block in range(blocks)])
    with np.errstate(divide="ignore", invalid="ignore"):
        without /= without.sum(axis=1, keepdims=True)
    error = np.sqrt((blocks - 1) / blocks * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    error[error == 0] = np.nan  # the variance is negative in every block, and so cut off at 0
    return Estimate(shares, error, np.full(len(shares), float(blocks)), level)
