"""Tables of what a seat has or has not: cards built, discs owned, wonders won, and how those who have it did.

What a seat has stands in columns of the seats table with a common beginning (``built:``): Boolean ones, or counts, of
which more than none is having it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from wsim.errors import UserError
from wsim.stats.games import GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import benjamini_hochberg, check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.parallel import in_order, inner_products
from wsim.stats.tables import OBSERVATIONAL, Table, outcome_names, points_of

__all__ = ["owned_names", "owners"]


def owned_names(seats: pl.LazyFrame, prefix: str) -> list[str]:
    """Return the names behind the columns that begin with ``prefix``; raise UserError if there are none."""
    names = [name.removeprefix(prefix) for name in seats.collect_schema().names() if name.startswith(prefix)]
    if not names:
        raise UserError(f"the table has no columns {prefix}NAME, so it has nothing to compare")
    return names


def owners(
    source: Source,
    prefix: str,
    *,
    noun: str,
    share: str = "owned_share",
    by: str | Sequence[str] = (),
    about: Mapping[str, Mapping[str, object]] | None = None,
    beside: pl.DataFrame | None = None,
    title: str | None = None,
    level: float = 0.95,
) -> Table:
    """Return what having each thing goes with: win share and score of those who have it and of those who do not.

    Parameters
    ----------
    source: a run or its seats table; filter it first to look at one policy, ... only.
    prefix: how the columns of the things begin: ``built:``, ``disc:``.
    noun: what such a thing is, and the name of the column of their names: ``card``.
    share: the name of the column that says which share of all seats have it.
    by: columns of the seats table (policy, ...): one row per thing and level.
    about: more columns by thing, in front, for instance ``{"Palace": {"age": 3, "color": "blue"}}``.
    beside: a frame with more columns at the end, by ``noun`` and the ``by`` columns.
    title: of the table (default: the noun's plural).
    level: confidence level of the intervals, which are clustered by game.

    Columns: ``noun``, the ``by`` ones, n (seats that have it at the end), ``share`` (of all seats), win_share (of the
    owners), win_points (times the number of players: 1.00 is average), win_share_not (of the others), win_difference,
    win_q, score, score_not, score_difference, score_q, the owners' mean of each category of points; then those of
    ``beside``. Estimates have _low and _high; q-values are Benjamini-Hochberg over the list. Sorted by win share.
    The table is observational: see its note.
    """
    check_level(level)
    groups = (by,) if isinstance(by, str) else tuple(by)
    seats = seats_of(source)
    names = owned_names(seats, prefix)
    require(seats, ["game", "seat", "win_share", "total", *groups])
    sums = _Sums([prefix + name for name in names], outcome_names(seats), points_of(seats, groups))
    tallies: dict[tuple[object, ...], _Sums] = {}

    def tally(batch: GameBatch) -> list[tuple[tuple[object, ...], _Sums]]:
        found = [(key, part, sums.empty()) for key, part in _parts(batch, groups)]
        for _, part, one in found:
            one.add(part)
        return [(key, one) for key, _, one in found]

    for found in in_order(tally, batches(competitors(seats), dict.fromkeys([*groups, *sums.columns]))):
        for key, one in found:
            tallies.setdefault(key, sums.empty()).merge(one)
    kinds = seats.select(*groups).collect_schema() if groups else {}
    named, players = pl.Series(noun, names), parties(seats)
    frames = [_keyed(named, one.frame(share, players, level), key, kinds) for key, one in tallies.items()]
    frame = pl.concat(frames) if frames else _keyed(named, sums.frame(share, players, level), (), {})
    frame = _with_q_values(frame)
    if beside is not None:
        frame = frame.join(beside, on=[noun, *groups], how="left", nulls_equal=True)
    order = ["win_share", noun, *groups]
    frame = frame.sort(order, descending=[name == "win_share" for name in order], nulls_last=True)
    return Table(_described(frame, noun, about), title or f"{noun.capitalize()}s", OBSERVATIONAL)


def _parts(batch: GameBatch, groups: Sequence[str]) -> Iterator[tuple[tuple[object, ...], GameBatch]]:
    """Split a batch by the levels of some columns."""
    if not groups:
        yield (), batch
        return
    for key, rows in batch.frame.partition_by(groups, maintain_order=True, as_dict=True).items():
        yield key, GameBatch.of(rows)


class _Sums:
    """Sums over the seats that have each thing and over all seats; from these follow those that do not have it.

    The features are the rows and the outcomes of those that have the thing, then the same of all.
    """

    def __init__(self, owned: Sequence[str], outcomes: Sequence[str], measures: Sequence[str]) -> None:
        self._owned = owned
        self._outcomes = ["rows", *outcomes]
        self._measures = measures
        self._moments = Moments(len(owned), 2 * len(self._outcomes))
        self._others = np.zeros(len(owned))  # games in which a seat does not have the thing
        self._points = np.zeros((len(owned), len(measures)))

    @property
    def columns(self) -> list[str]:
        """The columns of the seats table that are summed."""
        return [*self._outcomes[1:], *self._measures, *self._owned]

    def empty(self) -> _Sums:
        """Return sums of the same columns over nothing."""
        return _Sums(self._owned, self._outcomes[1:], self._measures)

    def add(self, batch: GameBatch) -> None:
        """Add a batch."""
        owned = batch.flags(self._owned)
        values = [batch.column(name).astype(np.float32) for name in self._outcomes[1:]]  # exact for scores
        owners, seats = batch.sums(owned), batch.sums(np.ones(batch.frame.height))
        self._moments.add(
            owners, *(batch.sums(owned * one) for one in values), seats, *(batch.sums(one) for one in values)
        )
        self._others += np.count_nonzero(owners < seats, axis=1)
        if self._measures:
            measures = np.stack([batch.column(name) for name in self._measures], dtype=np.float32)
            self._points += inner_products(owned, measures)

    def merge(self, other: _Sums) -> None:
        """Add other sums of the same columns."""
        self._moments.merge(other._moments)
        self._others += other._others
        self._points += other._points

    def _contrasts(self) -> Moments:
        """Return the moments of those that have a thing, then those of the others."""
        size = len(self._outcomes)
        own = self._moments.games[:, :size]
        others = np.repeat(self._others[:, None], size, axis=1)
        keep, none = np.eye(size), np.zeros((size, size))
        return self._moments.combined(np.block([[keep, none], [-keep, keep]]), np.hstack([own, others]))

    def frame(self, share_name: str, sides: int, level: float) -> pl.DataFrame:
        """Return the table; ``sides`` is the number of players or teams, unless there are sums of win_points."""
        moments, rest = self._contrasts(), len(self._outcomes)
        win, score = (self._outcomes.index(name) for name in ("win_share", "total"))
        share = moments.ratio(win, 0, level, share=True)
        by_size = "win_points" in self._outcomes
        points = moments.ratio(self._outcomes.index("win_points"), 0, level) if by_size else share.scaled(float(sides))
        win_difference = moments.difference((win, 0), (rest + win, rest), level)
        score_difference = moments.difference((score, 0), (rest + score, rest), level)
        owners = moments.totals[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = self._points / owners[:, None]
        owned = self._moments.ratio(0, rest, level, share=True)  # owners of all seats
        return pl.DataFrame(
            {
                "n": owners.astype(np.int64),
                **owned.columns(share_name),
                **share.columns("win_share"),
                **points.columns("win_points"),
                **moments.ratio(rest + win, rest, level, share=True).columns("win_share_not"),
                **win_difference.columns("win_difference"),
                "win_p": nulls(win_difference.p_value()),
                **moments.ratio(score, 0, level).columns("score"),
                **moments.ratio(rest + score, rest, level).columns("score_not"),
                **score_difference.columns("score_difference"),
                "score_p": nulls(score_difference.p_value()),
                **{name: nulls(means[:, i]) for i, name in enumerate(self._measures)},
            }
        )


def _keyed(
    names: pl.Series, frame: pl.DataFrame, key: tuple[object, ...], kinds: Mapping[str, pl.DataType]
) -> pl.DataFrame:
    """Put the names of the things and the levels of a group in front."""
    levels = [pl.lit(value, dtype=kinds[name]).alias(name) for name, value in zip(kinds, key, strict=True)]
    return frame.select(names, *levels, pl.all())


def _with_q_values(frame: pl.DataFrame) -> pl.DataFrame:
    """Put q-values over the whole list in the place of the p-values."""
    for name in ("win", "score"):
        q = nulls(benjamini_hochberg(frame[f"{name}_p"].to_numpy())).alias(f"{name}_q")
        frame = frame.replace_column(frame.columns.index(f"{name}_p"), q)
    return frame


def _described(frame: pl.DataFrame, noun: str, about: Mapping[str, Mapping[str, object]] | None) -> pl.DataFrame:
    """Add what is known about each thing beside its name."""
    if not about:
        return frame
    facts = pl.DataFrame([{noun: name, **values} for name, values in about.items()], infer_schema_length=None)
    added = facts.columns[1:]
    joined = frame.join(facts, on=noun, how="left", maintain_order="left")
    return joined.select(noun, *added, pl.exclude(noun, *added))
