"""Sums behind a table of owners: how owning an item correlates with outcomes, within strata, clustered by game.

Model: outcome = mean of the stratum + effect of having the item + residual. The least-squares effect follows from
``has`` (1 for owners of the item) and the outcome, both centred within strata (Frisch and Waugh 1933): ``effect =
sum(has * outcome) / sum(has * has)``. With a single stratum, it is the mean of the owners minus the mean of the other
seats. The means with and without the item are the model's means if all seats in every stratum had it, or none did.
Errors are sums over games (``wsim.stats.moments``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from wsim.stats.columns import FAIR
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate, nulls, wilson
from wsim.stats.moments import Moments
from wsim.stats.strata import almost_all_as_expected
from wsim.stats.summary import OUTCOMES

SQUARE = 2 + len(OUTCOMES)
"""Index of the feature with the sums of squares of ``has``; its products with the outcomes follow."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class StratumMeans:
    """Means within each stratum for a group of seats.

    Attributes
    ----------
    rows: the numbers of seats, shape (strata,). owners: the share of seats that have each item, shape (items, strata).
    outcomes: the means of the outcomes, followed by those of the measures, shape (outcomes + measures, strata).
    """

    rows: Floats
    owners: Floats
    outcomes: Floats

    def rarer(self) -> Floats:
        """Return, for each item, the number of seats with or without it, whichever is smaller, summed over strata."""
        return np.asarray((np.minimum(self.owners, 1 - self.owners) * self.rows).sum(axis=1))


@dataclass(frozen=True)
class OwnerSums:
    """Sums over the seats of a group.

    The features of a game are the numbers of its seats and of its owners of the item, and the sums of the outcomes;
    then the sums of squares of ``has`` and of its products with the outcomes, all centred within strata.

    Attributes
    ----------
    measures: the columns averaged without intervals. stratum_means: the means used for centring.
    moments: the moments of the features. others: for each item, the number of games with a seat that does not have it.
    owners: the number of games by their number of owners, shape (items, seats + 1).
    measured: sums of centred ``has`` times each measure, shape (items, measures).
    """

    measures: tuple[str, ...]
    stratum_means: StratumMeans
    moments: Moments
    others: Floats
    owners: Floats
    measured: Floats

    def frame(self, share: str, sides: int, level: float) -> pl.DataFrame:
        """Return the table; ``sides``: the number of players or teams in every game."""
        win, score = (self._outcome(index, level) for index in range(len(OUTCOMES)))
        win = self._allowing_for_unseen(win)
        if almost_all_as_expected(self.stratum_means.rows, self.stratum_means.rows * self.stratum_means.outcomes[0]):
            win = _Outcome(*(field.unknown(np.full(len(field.value), True)) for field in vars(win).values()))
        with_it, means = win.having.with_wilson().bounded(), self._means_with_it()
        return pl.DataFrame(
            {
                "n": self.moments.totals[:, 1].astype(np.int64),
                **self._share(level).bounded().columns(share),
                **with_it.columns("win_share"),
                **with_it.scaled(float(sides)).columns(FAIR),
                **win.lacking.with_wilson().bounded().columns("win_share_not"),
                **win.effect.columns("win_difference"),
                "win_p": nulls(win.effect.p_value()),
                **score.having.columns("score"),
                **score.lacking.columns("score_not"),
                **score.effect.columns("score_difference"),
                "score_p": nulls(score.effect.p_value()),
                **{name: nulls(means[:, index]) for index, name in enumerate(self.measures)},
            }
        )

    def _effect(self, products: Floats) -> Floats:
        """Return the least-squares effect; NaN if no stratum has seats both with and without the item."""
        squares = self.moments.totals[:, SQUARE]
        known = squares > _ROUNDING * np.maximum(self.moments.totals[:, 0], 1)
        return np.asarray(np.divide(products, squares, out=np.full(len(squares), np.nan), where=known))

    def _outcome(self, outcome: int, level: float) -> _Outcome:
        """Return the estimates of an outcome: the effect, and the means with and without the item."""
        totals, product = self.moments.totals, SQUARE + 1 + outcome
        rows, owners, sums = totals[:, 0], totals[:, 1], totals[:, 2 + outcome]
        effect = self._effect(totals[:, product])
        with np.errstate(divide="ignore", invalid="ignore"):
            share, mean = owners / rows, sums / rows
            form = np.zeros_like(totals)
            form[:, product] = 1 / totals[:, SQUARE]
            form[:, SQUARE] = -effect / totals[:, SQUARE]
            of_mean, of_share = np.zeros_like(totals), np.zeros_like(totals)
            of_mean[:, 2 + outcome] = of_share[:, 1] = 1 / rows
            of_mean[:, 0], of_share[:, 0] = -mean / rows, -share / rows
        games = np.minimum(self.moments.games[:, 1], self.others)
        estimates = [self.moments.linear(effect, form, np.minimum(games, self.stratum_means.rarer()), level)]
        for has, seen in ((1.0, self.moments.games[:, 1]), (0.0, self.others)):
            away = has - share
            moved = np.abs(away) > _ROUNDING  # otherwise all or no seats have it, and the mean is over all seats
            with np.errstate(invalid="ignore"):
                value = mean + np.where(moved, effect * away, 0.0)
                error = of_mean + np.where(moved[:, None], away[:, None] * form - effect[:, None] * of_share, 0.0)
            estimates.append(self.moments.linear(_without_rounding_errors(value), np.nan_to_num(error), seen, level))
        return _Outcome(*estimates)

    def _allowing_for_unseen(self, win: _Outcome) -> _Outcome:
        """Return the estimates of wins, with errors that allow for unseen results of groups that always won or lost."""
        totals, stratum_means, seen = self.moments.totals, self.stratum_means, self.moments.games[:, 1]
        rows, owners, wins = totals[:, 0], totals[:, 1], totals[:, 2]
        of_owners = totals[:, SQUARE + 1] + (stratum_means.owners * stratum_means.rows) @ stratum_means.outcomes[0]
        fields = vars(win).copy()
        for name, count, won, games in (
            ("having", owners, of_owners, seen), ("lacking", rows - owners, wins - of_owners, self.others),
        ):  # fmt: skip
            flat = np.minimum(won, count - won) <= _ROUNDING * np.maximum(rows, 1)
            fields["effect"] = fields["effect"].allowing(flat & (count > 0), games)
            fields[name] = fields[name].allowing(flat & (fields[name].error > 0), games)
        return _Outcome(**fields)

    def _means_with_it(self) -> Floats:
        """Return the mean of each measure over the seats with each item, shape (items, measures)."""
        stratum_means, rows = self.stratum_means, self.stratum_means.rows
        with np.errstate(divide="ignore", invalid="ignore"):
            means = stratum_means.outcomes[len(OUTCOMES) :] @ rows / rows.sum()
            away = 1 - self.moments.totals[:, 1] / self.moments.totals[:, 0]
        effects = [self._effect(products) for products in self.measured.T]
        with np.errstate(invalid="ignore"):
            pairs = zip(means, effects, strict=True)
            shrunk = [mean + np.where(away > _ROUNDING, rate * away, 0.0) for mean, rate in pairs]
        return np.stack(shrunk, axis=1) if shrunk else np.zeros((len(away), 0))

    def _share(self, level: float) -> Estimate:
        """Return the share of all seats that have each item.

        If almost all games agree, as when one seat has the only copy, their spread carries little information. The
        interval is then widened by the Wilson interval for the games with at least one owner, at least two, ... (Donner
        and Zou 2012 add the squares), up to one more than any game had.
        """
        estimate = self.moments.ratio(1, 0, level)
        games = int(self.owners[0].sum()) if len(self.owners) else 0
        unlike = games - self.owners.max(axis=1)
        at_least = np.cumsum(self.owners[:, ::-1], axis=1)[:, ::-1]
        before = np.concatenate([np.full((len(unlike), 1), float(games)), at_least], axis=1)[:, :-1]
        counted = (before > 0) & (np.arange(at_least.shape[1]) > 0)
        low, high = wilson(at_least, np.full(at_least.shape, float(games)), level)
        with np.errstate(divide="ignore", invalid="ignore"):
            chance = at_least / games
            seats = self.moments.totals[:, 0] / games
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


def _without_rounding_errors(values: Floats) -> Floats:
    """Return values with rounding errors around 0 and 1 removed."""
    whole = np.rint(values)
    return np.where(np.abs(values - whole) < _ROUNDING, whole, values)
