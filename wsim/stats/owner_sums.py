"""Sums behind a table of owners: what having a thing goes with, compared within strata, clustered by game.

Model: outcome = what is usual in the stratum + effect of having the thing + rest. The least-squares effect is that of
having it more often than the stratum on doing better than the stratum (Frisch and Waugh 1933): both are centred first,
then ``effect = sum(has * outcome) / sum(has * has)``. With a single stratum that is the difference between the mean of
the owners and that of the others. The means with and without the thing are those of the model for all seats: every
stratum has it, or has it not. Errors are sums over games (``wsim.stats.moments``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats, GameBatch
from wsim.stats.intervals import Estimate, nulls, wilson
from wsim.stats.levels import Levels
from wsim.stats.moments import Moments
from wsim.stats.parallel import inner_products

__all__ = ["Asked", "OwnerSums", "Usual"]

_ROWS = "_rows"
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Asked:
    """What is asked of the seats.

    Attributes
    ----------
    owned: the columns that tell what a seat has.
    outcomes: the columns whose means are estimated: win_share, total, and win_points if there is one.
    measures: further columns whose means are wanted, without intervals.
    """

    owned: tuple[str, ...]
    outcomes: tuple[str, ...]
    measures: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """All of them."""
        return [*self.outcomes, *self.measures, *self.owned]


@dataclass(frozen=True)
class Usual:
    """What is usual in each stratum of a group of seats.

    Attributes
    ----------
    rows: seats, shape (strata,). owners: share of them that has each thing, shape (things, strata).
    outcomes: means of the outcomes, then of the measures, shape (outcomes + measures, strata).
    """

    rows: Floats
    owners: Floats
    outcomes: Floats

    @classmethod
    def of(
        cls, seats: pl.LazyFrame, groups: Sequence[str], strata: Levels | None, asked: Asked
    ) -> dict[tuple[object, ...], Usual]:
        """Return what is usual in each group of seats, by the values of its columns."""
        kinds = seats.collect_schema()
        flags = [pl.col(name) if kinds[name] == pl.Boolean else pl.col(name) > 0 for name in asked.owned]
        means = [flag.fill_null(False).cast(pl.Float64).mean() for flag in flags]
        means += [pl.col(name).cast(pl.Float64).mean() for name in (*asked.outcomes, *asked.measures)]
        wanted = [pl.len().alias(_ROWS), *(one.alias(f"_{place}") for place, one in enumerate(means))]
        keys = [*groups, *(strata.columns if strata else ())]
        lazy = seats.group_by(*keys).agg(*wanted) if keys else seats.select(*wanted)
        frame = lazy.collect(engine="streaming")
        codes = strata.codes(frame) if strata else np.zeros(frame.height, np.int64)
        values = frame.select(pl.exclude(*keys, _ROWS) if keys else pl.exclude(_ROWS)).fill_null(0.0).to_numpy()
        names = list(frame.select(groups).iter_rows()) if groups else [()] * frame.height
        found: dict[tuple[object, ...], Usual] = {}
        for key, code, rows, row in zip(names, codes, frame[_ROWS], values, strict=True):
            if key not in found:
                width = len(strata) if strata else 1
                shapes = (len(asked.owned), width), (len(means) - len(asked.owned), width)
                found[key] = cls(np.zeros(width), *map(np.zeros, shapes))
            found[key].rows[code] = rows
            found[key].owners[:, code], found[key].outcomes[:, code] = np.split(row, [len(asked.owned)])
        return found

    @classmethod
    def nothing(cls, asked: Asked) -> Usual:
        """Return what is usual where there are no seats."""
        outcomes = len(asked.outcomes) + len(asked.measures)
        return cls(np.zeros(1), np.zeros((len(asked.owned), 1)), np.zeros((outcomes, 1)))

    def told(self) -> Floats:
        """Return for each thing how many seats have it, or have it not, whichever are fewer, summed over strata."""
        return np.asarray((np.minimum(self.owners, 1 - self.owners) * self.rows).sum(axis=1))


class OwnerSums:
    """Sums over the seats of a group.

    The features of a game are its seats, those that have the thing, and the sums of the outcomes; then the sums of
    squares of having it, and of its products with the outcomes, all centred within strata.
    """

    def __init__(self, asked: Asked, usual: Usual) -> None:
        self._asked, self._usual = asked, usual
        things, outcomes = len(asked.owned), len(asked.outcomes)
        self._moments = Moments(things, 3 + 2 * outcomes)
        self._others = np.zeros(things)  # games in which a seat does not have the thing
        self._games = 0
        self._owners = np.zeros((things, 1))  # games by the number of their seats that have it
        self._measures = np.zeros((things, len(asked.measures)))

    @classmethod
    def of_totals(
        cls, asked: Asked, usual: Usual, moments: Moments, others: Floats, owners: Floats, measures: Floats
    ) -> OwnerSums:
        """Return sums that were taken elsewhere (``wsim.stats.owner_tallies``).

        Parameters
        ----------
        moments: of the features. others: games in which a seat does not have each thing.
        owners: games by the number of their seats that have it, shape (things, seats + 1).
        measures: sums of having it, less what is usual, times each measure, shape (things, measures).
        """
        result = cls(asked, usual)
        result._moments, result._others, result._owners, result._measures = moments, others, owners, measures
        result._games = int(owners[0].sum()) if len(owners) else 0
        return result

    def add(self, batch: GameBatch, stratum: NDArray[np.int64]) -> None:
        """Add a batch; ``stratum`` is the number of that of each row."""
        asked, usual = self._asked, self._usual
        owned = batch.flags(asked.owned)
        has = owned - usual.owners[:, stratum]
        values = [batch.column(name) for name in asked.outcomes]
        owners, seats = batch.sums(owned), batch.sums(np.ones(batch.frame.height))
        better = (value - mean[stratum] for value, mean in zip(values, usual.outcomes, strict=False))
        products = [batch.sums(has * one) for one in better]
        self._moments.add(seats, owners, *map(batch.sums, values), batch.sums(has * has), *products)
        self._others += np.count_nonzero(owners < seats, axis=1)
        self._games += batch.games
        self._count(owners, int(seats.max(initial=0)))
        if asked.measures:
            self._measures += inner_products(has, np.stack([batch.column(name) for name in asked.measures]))

    def _count(self, owners: Floats, most: int) -> None:
        counted = np.stack([np.count_nonzero(owners == number, axis=1) for number in range(most + 1)], axis=1)
        self._owners = _padded(self._owners, most + 1) + _padded(counted, self._owners.shape[1])

    def merge(self, other: OwnerSums) -> None:
        """Add other sums of the same group."""
        self._moments.merge(other._moments)
        self._others += other._others
        self._games += other._games
        width = other._owners.shape[1]
        self._owners = _padded(self._owners, width) + _padded(other._owners, self._owners.shape[1])
        self._measures += other._measures

    def frame(self, share: str, sides: int, level: float) -> pl.DataFrame:
        """Return the table; ``sides`` is the number of players or teams, unless there are sums of win_points."""
        outcomes = {name: self._outcome(place, level) for place, name in enumerate(self._asked.outcomes)}
        win, score = outcomes["win_share"], outcomes["total"]
        with_it = win.having.with_wilson()
        points = outcomes["win_points"].having if "win_points" in outcomes else with_it.scaled(float(sides))
        means = self._measured()
        return pl.DataFrame(
            {
                "n": self._moments.totals[:, 1].astype(np.int64),
                **self._share(level).columns(share),
                **with_it.columns("win_share"),
                **points.columns("win_points"),
                **win.lacking.with_wilson().columns("win_share_not"),
                **win.effect.columns("win_difference"),
                "win_p": nulls(win.effect.p_value()),
                **score.having.columns("score"),
                **score.lacking.columns("score_not"),
                **score.effect.columns("score_difference"),
                "score_p": nulls(score.effect.p_value()),
                **{name: nulls(means[:, place]) for place, name in enumerate(self._asked.measures)},
            }
        )

    @property
    def _square(self) -> int:
        """The feature of the sums of squares of having the thing."""
        return 2 + len(self._asked.outcomes)

    def _effect(self, products: Floats) -> Floats:
        """Return the least-squares effect; NaN where in no stratum some have the thing and some have it not."""
        squares = self._moments.totals[:, self._square]
        known = squares > _ROUNDING * np.maximum(self._moments.totals[:, 0], 1)
        return np.asarray(np.divide(products, squares, out=np.full(len(squares), np.nan), where=known))

    def _outcome(self, place: int, level: float) -> _Outcome:
        """Return the estimates of an outcome: the effect, and the means with and without the thing."""
        totals, square = self._moments.totals, self._square
        product = square + 1 + place
        rows, owners, sums = totals[:, 0], totals[:, 1], totals[:, 2 + place]
        effect = self._effect(totals[:, product])
        with np.errstate(divide="ignore", invalid="ignore"):
            share, mean = owners / rows, sums / rows
            form = np.zeros_like(totals)
            form[:, product] = 1 / totals[:, square]
            form[:, square] = -effect / totals[:, square]
            of_mean, of_share = np.zeros_like(totals), np.zeros_like(totals)
            of_mean[:, 2 + place] = of_share[:, 1] = 1 / rows
            of_mean[:, 0], of_share[:, 0] = -mean / rows, -share / rows
        games = np.minimum(self._moments.games[:, 1], self._others)
        told = np.minimum(games, self._usual.told())
        found = [self._moments.linear(effect, form, told, level)]
        for has, seen in ((1.0, self._moments.games[:, 1]), (0.0, self._others)):
            away = has - share
            moved = np.abs(away) > _ROUNDING  # else all have it, or nobody, and the mean is that of all
            with np.errstate(invalid="ignore"):
                value = mean + np.where(moved, effect * away, 0.0)
                error = of_mean + np.where(moved[:, None], away[:, None] * form - effect[:, None] * of_share, 0.0)
            found.append(self._moments.linear(_settled(value), np.nan_to_num(error), seen, level))
        return _Outcome(*found)

    def _measured(self) -> Floats:
        """Return the means of the measures with the thing, shape (things, measures)."""
        usual, rows = self._usual, self._usual.rows
        with np.errstate(divide="ignore", invalid="ignore"):
            means = usual.outcomes[len(self._asked.outcomes) :] @ rows / rows.sum()
            away = 1 - self._moments.totals[:, 1] / self._moments.totals[:, 0]
        effects = [self._effect(products) for products in self._measures.T]
        with np.errstate(invalid="ignore"):
            pairs = zip(means, effects, strict=True)
            found = [mean + np.where(away > _ROUNDING, one * away, 0.0) for mean, one in pairs]
        return np.stack(found, axis=1) if found else np.zeros((len(away), 0))

    def _share(self, level: float) -> Estimate:
        """Return the share of all seats that has each thing.

        Where almost all games agree, as where one seat has the only copy, their spread says little. There the interval
        is widened by Wilson's for the games with one owner or more, two or more, ... (Donner and Zou 2012 add the
        squares), up to one more than any game had.
        """
        estimate = self._moments.ratio(1, 0, level)
        games = self._games
        unlike = games - self._owners.max(axis=1)
        at_least = np.cumsum(self._owners[:, ::-1], axis=1)[:, ::-1]
        before = np.concatenate([np.full((len(unlike), 1), float(games)), at_least], axis=1)[:, :-1]
        counted = (before > 0) & (np.arange(at_least.shape[1]) > 0)
        low, high = wilson(at_least, np.full(at_least.shape, float(games)), level)
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = at_least / games
            seats = self._moments.totals[:, 0] / games
            down, up = (np.sqrt(np.where(counted, (end - chance) ** 2, 0.0).sum(axis=1)) / seats for end in (low, high))
        low = np.minimum(estimate.low, estimate.value - down)
        high = np.maximum(estimate.high, estimate.value + up)
        few = (unlike < ENOUGH) & np.isfinite(estimate.error)
        return replace(estimate, ends=np.where(few, np.clip([low, high], 0.0, 1.0), np.nan))


@dataclass(frozen=True)
class _Outcome:
    effect: Estimate
    having: Estimate
    lacking: Estimate


def _padded(counts: NDArray[np.generic], width: int) -> Floats:
    return np.pad(counts.astype(float), [(0, 0), (0, max(width - counts.shape[1], 0))])


def _settled(values: Floats) -> Floats:
    """Return values without what rounding adds to 0 and to 1."""
    whole = np.rint(values)
    return np.where(np.abs(values - whole) < _ROUNDING, whole, values)
