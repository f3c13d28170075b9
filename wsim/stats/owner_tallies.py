"""The sums behind a table of owners (``wsim.stats.owner_table.owners``), from a run or from the rows of any table.

The table needs sums centred within policies, whose means are known only at the end. But a centred sum over a game is a
linear form in raw sums: let O, Y and OY be the number of owners, the sum of the outcome and its sum over the owners,
all for policy p in a game, and let u and m be the means used for centring; then ``sum (has - u) (y - m) = sum_p OY - m
O - u Y + u m n``. Therefore the products of n, Y (the same for all items), O and OY of each policy are stored for each
item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.stats.games import Floats, GameBatch
from wsim.stats.moments import Moments
from wsim.stats.owner_sums import SQUARE as CENTRED
from wsim.stats.owner_sums import OwnerSums, StratumMeans
from wsim.stats.parallel import scratch
from wsim.stats.summary import OUTCOMES, Piece, Summary, is_of_names, measures_of

STRATUM = "policy"
OWNERS = "owners of "
EACH = 1 + len(OUTCOMES)  # number of sums per policy: rows (or owners), and the outcomes


@dataclass(frozen=True)
class OwnerTallies:
    """The recipe for a table of owners, with the items in the columns ``PREFIX...``."""

    prefix: str

    @property
    def name(self) -> str:
        """The name of the recipe."""
        return f"{OWNERS}{self.prefix}"

    def fits(self, seats: pl.DataFrame) -> bool:
        """Return whether the table has such columns and a policy column."""
        return is_of_names(seats, STRATUM) and bool(self.labels(seats)[self.name])

    def labels(self, seats: pl.DataFrame) -> dict[str, Sequence[str]]:
        """Return the names of the item columns."""
        return {self.name: [name for name in seats.columns if name.startswith(self.prefix)]}

    @classmethod
    def shapes(cls, name: str, labels: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
        """Return the array shapes of the recipe with this name; raise KeyError if labels are missing."""
        policies, things = 1 + len(labels[f"categories {STRATUM}"]), len(labels[name])
        wide, measures = policies * EACH, len(labels["measures"])
        every = {"all": (wide, wide), "all_totals": (wide,), "measures": (policies, measures)}
        own = {"own": (wide, wide), "mixed": (wide, wide), "own_totals": (wide,), "own_measures": (policies, measures)}
        own["owners"] = (1 + int(labels["seats"][0]),)
        return {**every, **{name: (things, *shape) for name, shape in own.items()}}

    def sums(self, piece: Piece) -> dict[str, NDArray[Any]]:
        """Return the sums over some games.

        ``all``: products of the sums of rows and outcomes by policy, shape (policies * 3, policies * 3); ``own``:
        products of the sums over the owners of each item, ``mixed``: products of these with the sums over all seats,
        both of shape (items, policies * 3, policies * 3); ``all_totals``, ``own_totals``: the sums themselves;
        ``measures``, ``own_measures``: sums of points, shape (..., policies, categories); ``owners``: the number of
        games by their number of owners, shape (items, seats + 1).
        """
        columns = self.labels(piece.batch.frame)[self.name]
        codes, count = piece.codes([STRATUM])
        present = np.flatnonzero(np.bincount(codes, minlength=count))
        index = np.zeros(count, np.int64)
        index[present] = np.arange(len(present))  # absent policies cost nothing
        result = _sums(piece, columns, index[codes], len(present))
        width = count * EACH
        every = _padded(result.every, present, count, (0, 2)).reshape(width, width)
        mixed, own = (_padded(part, present, count, (1, 3)) for part in (result.mixed, result.own))
        own_totals = _padded(result.own_totals, present, count, (1,))
        return {
            "all": every,
            "own": own.reshape(-1, width, width),
            "mixed": mixed.reshape(-1, width, width),
            "all_totals": _padded(result.totals, present, count, (0,)).ravel(),
            "own_totals": own_totals.reshape(-1, width),
            "measures": _padded(result.measures, present, count, (0,)),
            "own_measures": _padded(result.own_measures, present, count, (1,)),
            "owners": result.owners,
        }


@dataclass(frozen=True)
class _Sums:
    """The sums of ``OwnerTallies.sums`` over some games, for the policies that occur in them.

    Attributes
    ----------
    every: shape (policies, 3, policies, 3). totals: shape (policies, 3). measures: shape (policies, categories).
    own, mixed: shape (items, policies, 3, policies, 3). own_totals, own_measures: shape (items, policies, ...).
    owners: shape (items, seats + 1).
    """

    every: Floats
    totals: Floats
    measures: Floats
    own: Floats
    mixed: Floats
    own_totals: Floats
    own_measures: Floats
    owners: Floats


def _sums(piece: Piece, columns: Sequence[str], codes: NDArray[np.int64], count: int) -> _Sums:
    """Add up the seats of some games; ``codes``: the policy number of each seat, from 0."""
    from wsim.stats.kernels.adding import AT_ONCE, BITS, OWN, SQUARE, UNFOLDED, add_owners

    things, wide, categories = len(columns), count * EACH, piece.values.shape[1] - len(OUTCOMES)
    every, totals, measures = np.zeros((wide, wide)), np.zeros(wide), np.zeros((count, categories))
    lines = np.zeros((things, count, OWN + categories + EACH * wide))
    pairs, owners = np.zeros((things, count, count, SQUARE)), np.zeros((things, piece.seats + 1))
    flags = piece.batch.marks(columns)
    words = scratch("words", (-(-things // BITS), len(codes)), np.uint64)
    bits = np.empty(AT_ONCE, np.uint8), np.zeros(len(words), np.uint64)
    room = *bits, np.zeros(things, np.int64), np.empty(lines.shape[2]), np.empty(wide)
    add_owners(piece.bounds, codes, piece.values, flags, words, every, totals, measures, lines, pairs, owners, *room)
    alone, own_measures, mixed = np.split(lines, [OWN, OWN + categories], axis=2)
    both = pairs.reshape(things, count, count, EACH, EACH).transpose(0, 1, 3, 2, 4)
    own = both + both.transpose(0, 3, 4, 1, 2)  # for both orders of the seats
    policies = np.arange(count)
    own[:, policies, :, policies] += alone[..., UNFOLDED].transpose(1, 0, 2, 3)
    shape = (count, EACH, count, EACH)
    return _Sums(
        every.reshape(shape),
        totals.reshape(count, EACH),
        measures,
        own,
        mixed.reshape(things, *shape),
        alone[..., :EACH],
        own_measures,
        owners,
    )


def _padded(values: Floats, places: NDArray[np.int64], count: int, axes: Sequence[int]) -> Floats:
    """Pad an array with zeros for the absent policies, so that its axes ``axes`` have the length ``count``."""
    shape = [count if axis in axes else size for axis, size in enumerate(values.shape)]
    array = np.zeros(shape)
    array[np.ix_(*(places if axis in axes else np.arange(size) for axis, size in enumerate(values.shape)))] = values
    return array


def owner_sums(summary: Summary, prefix: str, *, raw: bool) -> tuple[list[str], OwnerSums]:
    """Return the item columns with a prefix and the sums for their table of owners; ``raw``: pool the policies.

    Raises UserError if the summary has no sums for this prefix.
    """
    name = OwnerTallies(prefix).name
    columns = summary.labels.get(name)
    if columns is None:
        raise UserError(f"the run keeps no sums of {prefix}NAME: play it with --keep seats")
    tallies, arrays = _Tallies.of(summary, name), summary.of(name)
    stratum_means = tallies.stratum_means(raw=raw)
    moments, measured = tallies.centred(stratum_means)
    owners = arrays["owners"]
    moments.games[:] = summary.games
    moments.games[:, 1] = summary.games - owners[:, 0]
    others = arrays["others"] if "others" in arrays else summary.games - owners[:, summary.seats]
    return list(columns), OwnerSums(summary.labels["measures"], stratum_means, moments, others, owners, measured)


def tallied(rows: pl.DataFrame, prefix: str, seats: int) -> Summary:
    """Add up the rows of a table, which must be whole games in order with at most ``seats`` seats each.

    Shares of a win count as fractions, because a filtered table does not show how many seats shared a win.
    """
    recipe, piece = OwnerTallies(prefix), Piece(GameBatch.of(rows), seats, 1)
    batch, labels = piece.batch, recipe.labels(rows)
    arrays = {f"{recipe.name}/{name}": values for name, values in recipe.sums(piece).items()}
    owners = batch.sums(batch.flags(labels[recipe.name]))
    lacking = np.count_nonzero(owners < batch.sums(np.ones(rows.height)), axis=1)
    arrays |= {"games": np.array([float(batch.games)]), f"{recipe.name}/others": lacking.astype(np.float64)}
    labels |= {"seats": (str(seats),), "parts": ("1",), "measures": measures_of(rows)}
    return Summary(arrays, {name: tuple(names) for name, names in labels.items()})


@dataclass(frozen=True)
class _Tallies:
    """The sums for a prefix by policy, with outcomes in the units of the tables.

    Attributes
    ----------
    products: the products of n, Y, O and OY, shape (items, policies * 6, policies * 6), with n and Y of all policies
        first.
    totals: shape (items, policies * 6).
    measures, own_measures: shapes (policies, categories), (items, policies, categories).
    """

    products: Floats
    totals: Floats
    measures: Floats
    own_measures: Floats

    @classmethod
    def of(cls, summary: Summary, name: str) -> _Tallies:
        arrays = summary.of(name)
        width = len(arrays["all_totals"])
        scale = np.tile([1.0, 1.0 / summary.parts, 1.0], 2 * width // EACH)
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
        """The totals over all seats and over owners, each of shape (items, policies, 3)."""
        things, width = self.totals.shape
        both = self.totals.reshape(things, 2, width // 2 // EACH, EACH)
        return both[:, 0], both[:, 1]

    def stratum_means(self, *, raw: bool) -> StratumMeans:
        """Return the means within each policy, or (``raw``) over all policies."""
        (every, own), measures = self._parts, self.measures
        if raw:
            every, own, measures = (part.sum(axis=-2, keepdims=True) for part in (every, own, measures))
        first = every[0] if len(every) else np.zeros((measures.shape[0], EACH))
        rows = first[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            outcomes = np.concatenate([first[:, 1:], measures], axis=1) / rows[:, None]
            owners = own[:, :, 0] / rows
        return StratumMeans(rows, np.nan_to_num(owners), np.nan_to_num(outcomes).T)

    def centred(self, centres: StratumMeans) -> tuple[Moments, Floats]:
        """Return the moments of ``OwnerSums``, and the sums of centred ``has`` times each measure by item."""
        things, policies = len(self.totals), len(self.measures)
        share = np.broadcast_to(centres.owners, (things, policies)) if centres.owners.shape[1] == 1 else centres.owners
        means = np.broadcast_to(centres.outcomes, (len(centres.outcomes), policies))
        form = np.zeros((things, 3 + 2 * len(OUTCOMES), 2, policies, EACH))
        form[:, 0, 0, :, 0] = form[:, 1, 1, :, 0] = 1.0
        form[:, CENTRED, 1, :, 0], form[:, CENTRED, 0, :, 0] = 1 - 2 * share, share**2
        for outcome_index in range(len(OUTCOMES)):
            product, mean = CENTRED + 1 + outcome_index, means[outcome_index]
            form[:, 2 + outcome_index, 0, :, 1 + outcome_index] = 1.0
            form[:, product, 1, :, 1 + outcome_index] = 1.0
            form[:, product, 1, :, 0] = -mean
            form[:, product, 0, :, 1 + outcome_index] = -share
            form[:, product, 0, :, 0] = share * mean
        matrix = form.reshape(things, form.shape[1], -1)
        moments = Moments(things, form.shape[1])
        moments.totals = np.einsum("tij,tj->ti", matrix, self.totals)
        moments.products = matrix @ self.products @ matrix.transpose(0, 2, 1)
        measured = self.own_measures.sum(axis=1) - share @ self.measures
        return moments, measured
