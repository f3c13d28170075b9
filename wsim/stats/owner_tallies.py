"""The sums behind a table of owners (``wsim.stats.owner_table.owners``), for runs that keep no rows.

What that table needs is centred within policies, whose means are known only at the end. But a centred sum over a game
is a linear form in sums that are not: with O, Y and OY the owners, the outcome and the outcome of the owners of policy
p in a game, u and m the means to centre at, ``sum (has - u) (y - m) = sum_p OY - m O - u Y + u m n``. So kept are, for
each thing, the products of n, Y (the same for all things), O and OY of each policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import Floats
from wsim.stats.moments import Moments
from wsim.stats.owner_sums import Asked, OwnerSums, Usual
from wsim.stats.parallel import inner_products
from wsim.stats.summary import OUTCOMES, Piece, Summary

__all__ = ["OwnerTallies", "owner_sums"]

STRATUM = "policy"
_EACH = 1 + len(OUTCOMES)  # sums of a policy: rows (or owners), and the outcomes


@dataclass(frozen=True)
class OwnerTallies:
    """The recipe of a table of those who have what the columns ``PREFIX...`` tell."""

    prefix: str

    @property
    def name(self) -> str:
        """Its name among recipes."""
        return f"owners of {self.prefix}"

    def fits(self, seats: pl.DataFrame) -> bool:
        """Say whether there are such columns, and policies."""
        return isinstance(seats.schema.get(STRATUM), pl.Enum) and bool(self.labels(seats)[self.name])

    def labels(self, seats: pl.DataFrame) -> dict[str, Sequence[str]]:
        """Return the columns."""
        return {self.name: [name for name in seats.columns if name.startswith(self.prefix)]}

    def sums(self, piece: Piece) -> dict[str, NDArray[Any]]:
        """Return the sums over some games.

        ``all``: sums of rows and outcomes by policy, multiplied, shape (policies * 3, policies * 3); ``own``: those of
        the owners of each thing with each other, ``mixed``: with all, shape (things, policies * 3, policies * 3);
        ``all_totals``, ``own_totals``: sums; ``measures``, ``own_measures``: sums of points, shape (..., policies,
        categories); ``owners``: games by the number of their owners, shape (things, seats + 1).
        """
        columns = self.labels(piece.batch.frame)[self.name]
        owned, (codes, count) = piece.batch.flags(columns), piece.codes([STRATUM])
        found: dict[str, NDArray[Any]] = {}
        for games, rows in piece.blocks():
            block = _Block(
                games, piece.game_of_row[rows] - games.start, codes[rows], owned[:, rows], piece.values[:, rows]
            )
            for name, values in block.sums(count, piece.seats).items():
                found[name] = found[name] + values if name in found else values
        return found


@dataclass(frozen=True)
class _Block:
    """Some games, few enough for the processor's cache.

    Attributes
    ----------
    games: which ones. game: of each row, counted from 0. codes: the policy of each row.
    owned: what each row has, shape (things, rows). values: outcomes and points of each row.
    """

    games: range
    game: NDArray[np.int64]
    codes: NDArray[np.int64]
    owned: NDArray[np.float32]
    values: Floats

    def sums(self, policies: int, seats: int) -> dict[str, NDArray[Any]]:
        """Return the sums over these games, see ``OwnerTallies.sums``."""
        games, things, points = len(self.games), len(self.owned), len(self.values) - len(OUTCOMES)
        every, own = np.zeros((policies * _EACH, games)), np.zeros((things, policies * _EACH, games))
        measures, own_measures = np.zeros((policies, points)), np.zeros((things, policies, points))
        for policy in np.flatnonzero(np.bincount(self.codes, minlength=policies)):
            rows = np.flatnonzero(self.codes == policy)
            place, mine, values = int(policy) * _EACH, self.owned[:, rows].astype(np.float64), self.values[:, rows]
            add = _adding(self.game[rows], games)
            every[place] = add(np.ones(len(rows)))
            own[:, place] = add(mine)
            for which, outcome in enumerate(values[: len(OUTCOMES)], 1):
                every[place + which] = add(outcome)
                own[:, place + which] = add(mine * outcome)
            measures[policy] = values[len(OUTCOMES) :].sum(axis=1)
            own_measures[:, policy] = inner_products(mine, values[len(OUTCOMES) :])
        owners = own[:, ::_EACH].sum(axis=1)
        counted = [np.count_nonzero(owners == number, axis=1) for number in range(seats + 1)]
        return {
            "all": every @ every.T,
            "own": np.matmul(own, own.transpose(0, 2, 1)),
            "mixed": np.matmul(own, every.T),
            "all_totals": every.sum(axis=1),
            "own_totals": own.sum(axis=2),
            "measures": measures,
            "own_measures": own_measures,
            "owners": np.stack(counted, axis=1),
        }


def _adding(game: NDArray[np.int64], games: int) -> Callable[[Floats], Floats]:
    """Return how values of rows, along the last axis, are added up by game; ``game`` is that of each row, in order."""
    each, rest = divmod(len(game), games)
    if not rest and np.array_equal(game, np.repeat(np.arange(games), each)):

        def add(values: Floats) -> Floats:
            by_game = values.reshape(*values.shape[:-1], games, each)
            result = by_game[..., 0].copy()
            for place in range(1, each):  # numpy is slow at summing an axis this short
                result += by_game[..., place]
            return result

        return add
    starts = np.flatnonzero(np.diff(game, prepend=-1))

    def scatter(values: Floats) -> Floats:
        result = np.zeros((*values.shape[:-1], games))
        result[..., game[starts]] = np.add.reduceat(values, starts, axis=-1)
        return result

    return scatter


def owner_sums(kept: Summary, prefix: str, *, raw: bool) -> tuple[list[str], OwnerSums]:
    """Return the columns of a prefix, and the sums of their table; ``raw``: policies pooled.

    Raises UserError if the summary has none.
    """
    name = OwnerTallies(prefix).name
    columns = kept.labels.get(name)
    if columns is None:
        raise UserError(f"the run keeps no sums of {prefix}NAME: play it with --keep seats")
    tallies = _Tallies.of(kept, name)
    asked = Asked(columns, OUTCOMES, kept.labels["measures"])
    usual = tallies.usual(raw=raw)
    moments, measured = tallies.centred(usual)
    owners = kept.of(name)["owners"]
    moments.games[:] = kept.games
    moments.games[:, 1] = kept.games - owners[:, 0]
    others = kept.games - owners[:, kept.seats]
    return list(columns), OwnerSums.of_totals(asked, usual, moments, others, owners, measured)


@dataclass(frozen=True)
class _Tallies:
    """The sums of a prefix by policy, outcomes as the tables have them.

    Attributes
    ----------
    products: of n, Y, O and OY, shape (things, policies * 6, policies * 6), n and Y of all policies first.
    totals: shape (things, policies * 6).
    measures, own_measures: shapes (policies, categories), (things, policies, categories).
    """

    products: Floats
    totals: Floats
    measures: Floats
    own_measures: Floats

    @classmethod
    def of(cls, kept: Summary, name: str) -> _Tallies:
        arrays = kept.of(name)
        width = len(arrays["all_totals"])
        scale = np.tile([1.0, 1.0 / kept.parts, 1.0], 2 * width // _EACH)
        things = len(arrays["own"])
        products = np.empty((things, 2 * width, 2 * width))
        products[:, :width, :width] = arrays["all"]
        products[:, width:, width:] = arrays["own"]
        products[:, width:, :width] = arrays["mixed"]
        products[:, :width, width:] = arrays["mixed"].transpose(0, 2, 1)
        totals = np.concatenate([np.tile(arrays["all_totals"], (things, 1)), arrays["own_totals"]], axis=1)
        scaled = products * scale[:, None] * scale
        return cls(scaled, totals * scale, arrays["measures"], arrays["own_measures"])

    @property
    def _parts(self) -> tuple[Floats, Floats]:
        """Totals of all and of owners, shape (things, policies, 3)."""
        things, width = self.totals.shape
        both = self.totals.reshape(things, 2, width // 2 // _EACH, _EACH)
        return both[:, 0], both[:, 1]

    def usual(self, *, raw: bool) -> Usual:
        """Return what is usual in each policy, or in all of them."""
        (every, own), measures = self._parts, self.measures
        if raw:
            every, own, measures = (one.sum(axis=-2, keepdims=True) for one in (every, own, measures))
        first = every[0] if len(every) else np.zeros((measures.shape[0], _EACH))
        rows = first[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            outcomes = np.concatenate([first[:, 1:], measures], axis=1) / rows[:, None]
            owners = own[:, :, 0] / rows
        return Usual(rows, np.nan_to_num(owners), np.nan_to_num(outcomes).T)

    def centred(self, usual: Usual) -> tuple[Moments, Floats]:
        """Return the moments that ``OwnerSums`` adds up, and the sums of (has - usual) * measure by thing."""
        things, policies = len(self.totals), len(self.measures)
        share = np.broadcast_to(usual.owners, (things, policies)) if usual.owners.shape[1] == 1 else usual.owners
        means = np.broadcast_to(usual.outcomes, (len(usual.outcomes), policies))
        form = np.zeros((things, 3 + 2 * len(OUTCOMES), 2, policies, _EACH))
        form[:, 0, 0, :, 0] = form[:, 1, 1, :, 0] = 1.0
        square = 2 + len(OUTCOMES)
        form[:, square, 1, :, 0], form[:, square, 0, :, 0] = 1 - 2 * share, share**2
        for place in range(len(OUTCOMES)):
            product, mean = square + 1 + place, means[place]
            form[:, 2 + place, 0, :, 1 + place] = 1.0
            form[:, product, 1, :, 1 + place] = 1.0
            form[:, product, 1, :, 0] = -mean
            form[:, product, 0, :, 1 + place] = -share
            form[:, product, 0, :, 0] = share * mean
        matrix = form.reshape(things, form.shape[1], -1)
        moments = Moments(things, form.shape[1])
        moments.totals = np.einsum("tij,tj->ti", matrix, self.totals)
        moments.products = matrix @ self.products @ matrix.transpose(0, 2, 1)
        measured = self.own_measures.sum(axis=1) - share @ self.measures
        return moments, measured
