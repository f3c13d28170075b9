"""Plackett-Luce strengths from the orders in which seats finished.

In this model, each rank in turn goes to one of the remaining seats with probability proportional to its strength,
beginning with the winner. Ties are averaged over their possible orders by Efron's formula, as in the Cox model: the
likelihood is the Cox partial likelihood with one stratum per game. Intervals use the sandwich estimator with games as
units, so they are valid even if finishing orders only roughly follow the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.document import NUMBER, RATIO, Column, estimated, names
from wsim.errors import UserError
from wsim.stats.columns import VERDICT, WIN_SHARE, N, P, Q
from wsim.stats.games import Floats, Source, batches, competitors, require, seats_of
from wsim.stats.intervals import Estimate, check_level, nulls, verdicts
from wsim.stats.levels import Levels, columns_of
from wsim.stats.moments import Moments
from wsim.stats.parallel import inner_products
from wsim.stats.rankings import Rankings, rankings
from wsim.stats.tables import Table, outcomes

_CHUNK = 8_192  # number of orders whose stages are in memory at once
_STEPS = 100
_NOTE = (
    "Plackett-Luce strengths from the whole finishing order, ties by Efron's formula; 1 is the geometric mean. They "
    "are not chances of winning: the lower ranks count as much as the first. win_share is the share of games won in "
    "this run, against the opponents met. Intervals: clustered by game (of strengths: sandwich)."
)


def strengths(source: Source, by: str | Sequence[str] = "policy", *, level: float = 0.95) -> Table:
    """Return a table of the strengths of policies, or of the levels of any other columns.

    Parameters
    ----------
    source: a run or its seats table, with the column ``rank``. Team mates share a rank, which counts as a tie.
    by: the column or columns.
    level: confidence level.

    Columns: the ``by`` columns, n (seats), strength with _low and _high, log_strength, log_error, win_share with _low
    and _high, p (strength 1), q, verdict. Sorted by strength.

    Raises UserError if the games do not determine the strengths: some levels always finished ahead of the others, or
    never played against them.
    """
    check_level(level)
    seats = competitors(seats_of(source))
    require(seats, ["game", "seat", "rank", "win_share", *columns_of(by)])
    levels = Levels.of(seats, by, pl.len().alias("n"))
    model = PlackettLuce.fit(rankings(seats, levels), levels.labels)
    estimate = model.estimate(level)
    ends = {"": estimate.value, "_low": estimate.low, "_high": estimate.high}
    frame = pl.DataFrame(
        {
            **levels.frame.to_dict(),
            **{f"strength{name}": nulls(np.exp(end)) for name, end in ends.items()},
            "log_strength": nulls(estimate.value),
            "log_error": nulls(estimate.error),
            **_win_shares(seats, levels, level).columns("win_share"),
            "p": nulls(estimate.p_value()),
            "q": nulls(estimate.q_value()),
            "verdict": verdicts(estimate.value, estimate.q_value(), level=level),
        }
    ).sort("strength", *levels.columns, descending=[True, *[False] * len(levels.columns)])
    return Table(frame, "Strengths", _NOTE, (*names(levels.columns), *_COLUMNS), labels=levels.columns)


_COLUMNS = (
    N, WIN_SHARE, P, Q, VERDICT,
    estimated("strength", RATIO, unit="1 = mean", reference=1.0, about="Plackett-Luce strength"),
    Column("log_strength", NUMBER, unit="0 = mean"),
    Column("log_error", NUMBER, about="standard error of the log strength"),
)  # fmt: skip


def _win_shares(seats: pl.LazyFrame, levels: Levels, level: float) -> Estimate:
    """Return the win share of each level."""
    moments = Moments(len(levels), 2)
    for batch in batches(seats, [*levels.columns, "win_share"]):
        moments.add(*outcomes(batch, levels.codes(batch.frame), len(levels), ["win_share"]))
    return moments.ratio(1, 0, level, share=True)


@dataclass(frozen=True)
class PlackettLuce:
    """A fitted model.

    Attributes
    ----------
    log_strengths: the log-strength of each level; the mean is 0.
    information: the negative second derivatives of the log-likelihood, shape (levels, levels).
    scores: the sum over games of the products of first derivatives, same shape. games: the number of games.
    """

    log_strengths: Floats
    information: Floats
    scores: Floats
    games: float

    @classmethod
    def fit(cls, orders: Rankings, labels: Sequence[str]) -> PlackettLuce:
        """Maximise the likelihood by Newton's method; raise UserError if it has no maximum."""
        _check_connected(orders, labels)
        log_strengths = np.zeros(len(labels))
        derivatives = _derivatives(orders, log_strengths)
        for _ in range(_STEPS):
            step = _inverse(derivatives.information) @ derivatives.gradient
            size = 1.0
            after = _derivatives(orders, log_strengths + step)
            while not after.likelihood >= derivatives.likelihood - 1e-9 * abs(derivatives.likelihood):
                size /= 2
                after = _derivatives(orders, log_strengths + size * step)
            log_strengths = log_strengths + size * step
            derivatives = after
            if np.abs(step).max(initial=0) < 1e-9:
                break
        centred = log_strengths - (log_strengths.mean() if len(log_strengths) else 0.0)
        return cls(centred, derivatives.information, derivatives.scores, float(orders.counts.sum()))

    def clustered(self, orders: Rankings, clusters: Sequence[NDArray[np.int64]]) -> PlackettLuce:
        """Return the model with clusters of games, such as the games of a deal, as the units for its intervals.

        Parameters
        ----------
        orders: the orders that the model was fitted to.
        clusters: the indices of the orders of the games in each cluster; arrays of shape (clusters, games per cluster).
        """
        by_order, levels = _scores(orders, self.log_strengths), len(self.log_strengths)
        scores = np.zeros((levels, levels))
        for places in clusters:
            together = np.zeros((len(places), levels))
            for position in places.T:
                together += by_order[position]
            scores += together.T @ together
        return replace(self, scores=scores, games=float(sum(map(len, clusters))))

    def covariance(self) -> Floats:
        """Return the covariance of the log-strengths, robust to model errors and clustered by game."""
        bread = _inverse(self.information)
        correction = self.games / (self.games - 1) if self.games > 1 else np.nan
        return bread @ self.scores @ bread * correction

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the log-strengths with their intervals."""
        error = np.sqrt(np.maximum(np.diag(self.covariance()), 0))
        return Estimate(self.log_strengths, error, np.full(len(error), self.games), level)


@dataclass
class _Derivatives:
    likelihood: float
    gradient: Floats
    information: Floats
    scores: Floats


def _inverse(information: Floats) -> Floats:
    """Invert the information on vectors that sum to 0: adding a constant to all log-strengths changes nothing."""
    ones = np.full_like(information, 1 / max(len(information), 1))
    return np.linalg.inv(information + ones) - ones if len(information) else information


def _scores(orders: Rankings, log_strengths: Floats) -> Floats:
    """Return the first derivatives of the log-likelihood of each order, shape (orders, levels)."""
    parts = [np.zeros((0, len(log_strengths)))]
    for items, shares, _ in _stages(orders):
        present = items >= 0
        weights = np.where(present, np.exp(np.where(present, log_strengths[items], 0.0)), 0.0)
        stages = shares * weights[:, None, :]
        stages /= np.where(present, stages.sum(axis=2), 1.0)[:, :, None]
        parts.append(_by_level(items, present - stages.sum(axis=1), len(log_strengths)))
    return np.concatenate(parts)


def _derivatives(orders: Rankings, log_strengths: Floats) -> _Derivatives:
    """Return the log-likelihood and its derivatives, summed over games."""
    levels = len(log_strengths)
    result = _Derivatives(0.0, np.zeros(levels), np.zeros((levels, levels)), np.zeros((levels, levels)))
    for items, shares, counts in _stages(orders):
        present = items >= 0
        logs = np.where(present, log_strengths[items], 0.0)
        weights = np.where(present, np.exp(logs), 0.0)
        stages = shares * weights[:, None, :]
        sums = stages.sum(axis=2)
        safe = np.where(present, sums, 1.0)
        result.likelihood += float(counts @ (logs - np.log(safe)).sum(axis=1))
        stages /= safe[:, :, None]
        score = _by_level(items, present - stages.sum(axis=1), levels)
        result.gradient += counts @ score
        result.scores += inner_products((score * counts[:, None]).T, score.T)
        for stage in range(items.shape[1]):
            chance = _by_level(items, stages[:, stage], levels)
            weighted = chance * counts[:, None]
            result.information += np.diag(weighted.sum(axis=0)) - inner_products(weighted.T, chance.T)
    return result


def _by_level(items: NDArray[np.int64], values: Floats, levels: int) -> Floats:
    """Sum the values at each position by level, shape (orders, levels)."""
    cells = np.arange(len(items))[:, None] * (levels + 1) + np.where(items >= 0, items, levels)
    sums = np.bincount(cells.reshape(-1), values.reshape(-1), len(items) * (levels + 1))
    return sums.astype(np.float64).reshape(len(items), levels + 1)[:, :levels]


def _stages(orders: Rankings) -> Iterator[tuple[NDArray[np.int64], Floats, Floats]]:
    """Yield orders in chunks: items, counts, and the fraction of each position that is still unplaced at each stage.

    The fractions have the shape (orders, stages, places): 1 for positions after the stage's tie, 1 - r/m in the r-th
    stage of a tie of m positions (Efron), 0 for positions already placed and for stages that do not exist.
    """
    places = orders.items.shape[1]
    for first in range(0, len(orders.items), _CHUNK):
        part = slice(first, first + _CHUNK)
        items, tied = orders.items[part], orders.tied[part]
        group = np.cumsum(~tied, axis=1)
        same = (group[:, :, None] == group[:, None, :]) & (items >= 0)[:, None, :]
        earlier = np.tril(np.ones((places, places)), -1)
        placed = (same * earlier).sum(axis=2)  # members of the tie that come before this stage
        left = 1 - placed / np.maximum(same.sum(axis=2), 1)
        behind = (group[:, None, :] > group[:, :, None]) & (items >= 0)[:, None, :]
        shares = np.where(same, left[:, :, None], behind.astype(float))
        yield items, shares * (items >= 0)[:, :, None], orders.counts[part]


def _check_connected(orders: Rankings, labels: Sequence[str]) -> None:
    """Raise UserError unless each level has finished ahead of every other level, directly or indirectly."""
    levels = len(labels)
    ahead = np.zeros((levels + 1) ** 2, bool)
    group = np.cumsum(~orders.tied, axis=1)
    for position in range(orders.items.shape[1]):
        for later in range(position + 1, orders.items.shape[1]):
            ahead_of, behind = orders.items[:, position], orders.items[:, later]
            ahead[ahead_of * (levels + 1) + behind] = True
            ties = group[:, position] == group[:, later]
            ahead[(behind * (levels + 1) + ahead_of)[ties]] = True
    reach = ahead.reshape(levels + 1, levels + 1)[:levels, :levels] | np.eye(levels, dtype=bool)
    for through in range(levels):
        reach |= reach[:, through, None] & reach[None, through, :]
    if not reach.all():
        better, worse = np.argwhere(~reach)[0].tolist()
        raise UserError(
            f"these games do not determine strengths: {labels[better]!r} never finished ahead of {labels[worse]!r}, "
            "not even indirectly; play more games or omit one"
        )
