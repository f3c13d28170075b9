"""The table of cards: how those who built a card did, and what became of it where it was offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from wsim.errors import UserError
from wsim.stats.games import Frame, GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import benjamini_hochberg, check_level, nulls
from wsim.stats.moments import Moments
from wsim.stats.parallel import in_order, inner_products
from wsim.stats.tables import OBSERVATIONAL, Table, measures_of, outcome_names
from wsim.wonders.analysis.card_picks import card_picks

__all__ = ["BUILT", "built_cards", "cards"]

BUILT = "built:"


def built_cards(seats: pl.LazyFrame) -> list[str]:
    """Return the cards that the seats table knows; raise UserError if there are none."""
    names = [name.removeprefix(BUILT) for name in seats.collect_schema().names() if name.startswith(BUILT)]
    if not names:
        raise UserError("the table has no columns built:CARD, so it has no cards to compare")
    return names


def cards(
    source: Source,
    picks: Frame | None = None,
    *,
    by: str | Sequence[str] = (),
    about: Mapping[str, Mapping[str, object]] | None = None,
    level: float = 0.95,
) -> Table:
    """Return what each card goes with: win share and score of those who built it and of those who did not.

    Parameters
    ----------
    source: a run or its seats table; filter it first to look at one policy, wonder, ... only.
    picks: the picks table; by default that of the run if it has one.
    by: columns of the seats table (policy, wonder, ...): one row per card and level.
    about: more columns by card, in front, for instance ``{"Palace": {"age": 3, "color": "blue"}}``.
    level: confidence level of the intervals, which are clustered by game.

    Columns: card, the ``by`` ones, n (seats that own it at the end), built_share (of all seats), win_share (of the
    owners), win_points (times the number of players: 1.00 is average), win_share_not (of the others), win_difference,
    win_q, score, score_not, score_difference, score_q, the owners' mean of each category; with picks those of
    ``card_picks``. Estimates have _low and _high; q-values are Benjamini-Hochberg over the list. Sorted by win share.
    The table is observational: see its note.
    """
    check_level(level)
    groups = (by,) if isinstance(by, str) else tuple(by)
    seats = seats_of(source)
    names = built_cards(seats)
    require(seats, ["game", "seat", "win_share", "total", *groups])
    measures = measures_of(seats, groups)
    sides = parties(seats)
    tallies: dict[tuple[object, ...], _Tally] = {}
    kept = outcome_names(seats)
    columns = dict.fromkeys([*kept, *groups, *measures, *(BUILT + name for name in names)])

    def tally(batch: GameBatch) -> list[tuple[tuple[object, ...], _Tally]]:
        return [(key, _Tally.of(names, kept, measures, part)) for key, part in _parts(batch, groups)]

    for found in in_order(tally, batches(competitors(seats), columns)):
        for key, one in found:
            tallies.setdefault(key, _Tally(names, kept, measures)).merge(one)
    kinds = seats.select(*groups).collect_schema() if groups else {}
    frames = [_keyed(tallies[key].frame(sides, level), key, kinds) for key in tallies]
    frame = pl.concat(frames) if frames else _keyed(_Tally(names, kept, measures).frame(sides, level), (), {})
    frame = _with_q_values(frame)
    taken = _picks_of(source) if picks is None else picks.lazy()
    if taken is not None:
        frame = frame.join(
            card_picks(taken, seats, by=groups).frame, on=["card", *groups], how="left", nulls_equal=True
        )
    order = ["win_share", "card", *groups]
    frame = frame.sort(order, descending=[name == "win_share" for name in order], nulls_last=True)
    return Table(_described(frame, about), "Cards", OBSERVATIONAL)


def _picks_of(source: Source) -> pl.LazyFrame | None:
    """Return the picks of a run that has some."""
    plan = getattr(source, "plan", None)
    picks: pl.LazyFrame | None = getattr(source, "picks", None) if getattr(plan, "picks", False) else None
    return picks


def _parts(batch: GameBatch, groups: Sequence[str]) -> Iterator[tuple[tuple[object, ...], GameBatch]]:
    """Split a batch by the levels of some columns."""
    if not groups:
        yield (), batch
        return
    for key, rows in batch.frame.partition_by(groups, maintain_order=True, as_dict=True).items():
        yield key, GameBatch.of(rows)


class _Tally:
    """Sums over the seats that built each card and over all seats; from these follow those that did not build it.

    The features are the rows and the outcomes of those that built the card, then the same of all.
    """

    def __init__(self, names: Sequence[str], outcomes: Sequence[str], measures: Sequence[str]) -> None:
        self._names = names
        self._outcomes = ["rows", *outcomes]
        self._measures = measures
        self._moments = Moments(len(names), 2 * len(self._outcomes))
        self._others = np.zeros(len(names))  # games in which a seat did not build the card
        self._points = np.zeros((len(names), len(measures)))

    @classmethod
    def of(cls, names: Sequence[str], outcomes: Sequence[str], measures: Sequence[str], batch: GameBatch) -> _Tally:
        """Sum over a batch."""
        tally = cls(names, outcomes, measures)
        built = batch.built([BUILT + name for name in names])
        values = [batch.column(name).astype(np.float32) for name in outcomes]  # exact for scores
        owners, seats = batch.sums(built), batch.sums(np.ones(batch.frame.height))
        tally._moments.add(
            owners, *(batch.sums(built * one) for one in values), seats, *(batch.sums(one) for one in values)
        )
        tally._others += np.count_nonzero(owners < seats, axis=1)
        if measures:
            tally._points += inner_products(
                built, np.stack([batch.column(name) for name in measures], dtype=np.float32)
            )
        return tally

    def merge(self, other: _Tally) -> None:
        """Add the sums of another tally."""
        self._moments.merge(other._moments)
        self._others += other._others
        self._points += other._points

    def _contrasts(self) -> Moments:
        """Return the moments of those that built a card, then those of the others."""
        size = len(self._outcomes)
        own = self._moments.games[:, :size]
        others = np.repeat(self._others[:, None], size, axis=1)
        keep, none = np.eye(size), np.zeros((size, size))
        return self._moments.combined(np.block([[keep, none], [-keep, keep]]), np.hstack([own, others]))

    def frame(self, sides: int, level: float) -> pl.DataFrame:
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
        built_share = self._moments.ratio(0, rest, level, share=True)  # owners of all seats
        return pl.DataFrame(
            {
                "card": self._names,
                "n": owners.astype(np.int64),
                **built_share.columns("built_share"),
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


def _keyed(frame: pl.DataFrame, key: tuple[object, ...], kinds: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Put the levels of a group behind the card's name."""
    levels = [pl.lit(value, dtype=kinds[name]).alias(name) for name, value in zip(kinds, key, strict=True)]
    return frame.select("card", *levels, pl.exclude("card"))


def _with_q_values(frame: pl.DataFrame) -> pl.DataFrame:
    """Put q-values over the whole list in the place of the p-values."""
    for name in ("win", "score"):
        q = nulls(benjamini_hochberg(frame[f"{name}_p"].to_numpy())).alias(f"{name}_q")
        frame = frame.replace_column(frame.columns.index(f"{name}_p"), q)
    return frame


def _described(frame: pl.DataFrame, about: Mapping[str, Mapping[str, object]] | None) -> pl.DataFrame:
    """Add what is known about each card beside its name."""
    if not about:
        return frame
    facts = pl.DataFrame([{"card": card, **values} for card, values in about.items()], infer_schema_length=None)
    added = facts.columns[1:]
    return frame.join(facts, on="card", how="left", maintain_order="left").select(
        "card", *added, pl.exclude("card", *added)
    )
