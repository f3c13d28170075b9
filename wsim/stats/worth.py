"""The worth of an item to the seat that wants it: a randomised comparison of followed and overruled wishes.

At every decision that can be overruled, the policy states its wish, and chance alone, with the same probability for
all, decides whether that wish is followed or the next best move is made (``wsim.kernels.overruling``). So followed and
overruled wishes differ only in what was done: the difference between their mean outcomes is the mean effect of having
the wanted item instead of making the next best move. No model and no weights are needed.

A game has many wishes, so all sums are first taken per game (``wsim.stats.moments``): in each cell (an item, or an item
in a group of wishes), the features of a game are n, units of a win and score for each arm. Sums of different games can
be added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import local
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.display import title
from wsim.document import COUNT, PROBABILITY, SHARE, Column, estimated, names
from wsim.document import POINTS as POINTS_KIND
from wsim.errors import UserError, nearest
from wsim.stats.columns import OF_WINS, VERDICT, Q
from wsim.stats.fewest import ENOUGH
from wsim.stats.intervals import benjamini_hochberg, nulls, verdicts
from wsim.stats.item_charts import item_charts
from wsim.stats.levels import columns_of
from wsim.stats.moments import Moments
from wsim.stats.summary import Piece, Summary
from wsim.stats.tables import CAUSED, OBSERVATIONAL, Table

_ROOM = local()
FOLLOWED, OVERRULED = 0, 3
"""Index of the first feature of each arm; the features are n, units of a win, score."""
TITLE = "Worth"
_BY = "worth by "
SHORT = 3
"""Largest number of rows of a kind of wish that is shown in full even where most rows are omitted."""
SHOWN_FIRST = ("worth", "verdict", "points", "wanted", "q", "overruled", "followed")
"""The last columns to be hidden, except those that name a row."""
ESTIMAND = (
    "Worth: what a seat that wants an item gains by having it instead of making its next best move (win share and "
    "points at the end of the game). Causal: chance alone decided who was overruled"
)


@dataclass(frozen=True)
class Wishes:
    """The wishes of policies at all decisions that could be overruled, in order of play.

    Attributes
    ----------
    game: the index of the game among the games played, never decreasing. seat: the seat that decided.
    things: the numbers of the wanted items, -1 for none; shape (wishes, items per wish).
    overruled: whether a different move was made.
    could: the items that were available, one bit each; shape (wishes, words).
    times: further columns by which the game splits wishes (age, turn): the code of each wish, and the name of each
        code.
    """

    game: NDArray[np.int64]
    seat: NDArray[np.int64]
    things: NDArray[np.int64]
    overruled: NDArray[np.bool_]
    could: NDArray[np.uint64]
    times: Mapping[str, tuple[NDArray[np.int64], Sequence[str]]]


@dataclass(frozen=True)
class Wanted:
    """The items that can be wanted in a game.

    Attributes
    ----------
    things: by number, the kind of wish (``build``, ``stage``, ...) and the name of each item.
    by: the splits that are summed: columns of the seats table or of ``Wishes.times``.
    """

    things: Sequence[tuple[str, str]]
    by: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class WishReader:
    """The functions that read a game's wishes.

    Attributes
    ----------
    wanted: called with a simulator; returns the items that can be wanted.
    wishes: called with a simulator, the picks that its kernels wrote, and the number of the first game; returns the
        wishes.
    seats: called with a simulator and the rows that its kernels wrote; returns the part of their seats table that worth
        needs (outcomes and the columns of splits). None: use the whole table.
    """

    wanted: Callable[[Any], Wanted]
    wishes: Callable[[Any, NDArray[Any], int], Wishes]
    seats: Callable[[Any, NDArray[Any]], pl.DataFrame] | None = None


def worth_sums(wanted: Wanted, parts: Iterable[tuple[Wishes, pl.DataFrame]]) -> Summary:
    """Add up wishes; ``parts``: pairs of the wishes of some whole games and their seats table, at least one pair."""
    from wsim.stats.kernels.wishing import FEATURES, LINE, PRODUCTS, add_wishes, sums_at

    count, added, games = len(wanted.things), None, 0
    for wishes, seats in parts:
        piece = Piece.of(seats)
        row = piece.batch.starts[wishes.game] + wishes.seat
        splits, codes = [_Split((), ("",), 0)], [np.zeros(len(row), np.int64)]
        for columns in wanted.by:
            own, names = _codes(piece, wishes, row, columns)
            splits.append(_Split(columns, names, splits[-1].last(count)))
            codes.append(splits[-1].first + own * count)
        if added is None:
            cells = splits[-1].last(count)
            added, reach, touched = np.zeros((cells, LINE)), np.zeros(cells), np.empty(cells, np.int64)
            summed = [index for index, split in enumerate(splits) if not index or len(split.names) > 1]
            reached = np.array([_finer(splits[index], splits) is None for index in summed], np.uint8)
        games += piece.batch.games
        add_wishes(
            np.ascontiguousarray(wishes.game, np.int64),
            np.ascontiguousarray(wishes.things, np.int64),
            wishes.overruled.astype(np.uint8),
            np.ascontiguousarray(wishes.could, np.uint64),
            np.stack([codes[index] for index in summed], axis=1),
            reached,
            np.ascontiguousarray(piece.values[row, :2]),
            added, reach, _zeros(cells, FEATURES), touched,
        )  # fmt: skip
    assert added is not None
    totals, products, counts = np.split(added[:, sums_at()], (FEATURES, FEATURES + PRODUCTS), axis=1)
    _fill_derived_cells(splits, count, reach, (totals, products, counts))
    sides = seats["team"].n_unique() if "team" in seats.columns else piece.seats
    return Summary(
        {
            "games": np.array([float(games)]),
            "worth/totals": totals,
            "worth/products": products,
            "worth/games": counts,
            "worth/reach": reach,
        },
        {
            "seats": (str(piece.seats),),
            "sides": (str(sides),),
            "parts": (str(piece.parts),),
            "worth what": tuple(what for what, _ in wanted.things),
            "worth name": tuple(name for _, name in wanted.things),
            **{f"{_BY}{','.join(split.columns)}": split.names for split in splits[1:]},
        },
    )


class _Split(NamedTuple):
    """A split of the wishes into groups: its columns, the names of its groups, and its first cell."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    first: int

    def last(self, count: int) -> int:
        """Return the index after its last cell; ``count``: the number of items."""
        return self.first + len(self.names) * count


def _finer(split: _Split, splits: Sequence[_Split]) -> _Split | None:
    """Return a finer split, which divides the groups of ``split`` further; None if there is none."""
    parts = (each for each in splits if len(each.names) > 1 and set(each.columns) > set(split.columns))
    return next(parts, None)


def _fill_derived_cells(
    splits: Sequence[_Split], count: int, reach: NDArray[np.float64], others: Sequence[NDArray[np.float64]]
) -> None:
    """Fill the cells that other cells determine: a single group contains all wishes, and finer groups add up.

    Finer splits come first, because a split by two columns determines the splits by each of them.
    """
    for split in sorted(splits, key=lambda each: -len(each.columns)):
        if (parts := _finer(split, splits)) is None:
            continue
        chosen = [parts.columns.index(column) for column in split.columns]
        for index, name in enumerate(parts.names):
            levels = name.split("\t")
            group = split.names.index("\t".join(levels[place] for place in chosen))
            start, part = split.first + group * count, parts.first + index * count
            reach[start : start + count] += reach[part : part + count]
    for split in splits[1:]:
        if len(split.names) == 1:
            for cells in (reach, *others):
                cells[split.first : split.first + count] = cells[:count]


def _zeros(cells: int, features: int) -> NDArray[np.float64]:
    """Return a zeroed array from a buffer that this thread reuses; the kernel resets it to zeros after use."""
    size = cells * features
    room: NDArray[np.float64] | None = getattr(_ROOM, "zeros", None)
    if room is None or len(room) < size:
        room = _ROOM.zeros = np.zeros(size)
    return room[:size].reshape(cells, features)


def shapes(labels: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of sums with these labels; raise KeyError or ValueError if they are invalid."""
    if not all(int(*labels[name]) >= 1 for name in ("seats", "sides", "parts")):
        raise ValueError("the games have no seats")
    groups = 1 + sum(len(names) for name, names in labels.items() if name.startswith(_BY))
    cells = groups * len(labels["worth what"])
    if len(labels["worth name"]) != len(labels["worth what"]):
        raise ValueError("some items have no names")
    return {
        "worth/totals": (cells, 6),
        "worth/products": (cells, 21),
        "worth/games": (cells, 2),
        "worth/reach": (cells,),
    }


def _codes(
    piece: Piece, wishes: Wishes, row: NDArray[np.int64], columns: Sequence[str]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the group number of each wish in a split, and the names of the groups, with columns separated by tabs."""
    codes, names = np.zeros(len(row), np.int64), [""]
    for name in columns:
        if name in wishes.times:
            own, levels = wishes.times[name]
        else:
            own, levels = _seat_codes(piece, name)
            own = own[row]
        codes = codes * len(levels) + own
        names = [f"{before}\t{level}" if before else level for before in names for level in levels]
    return codes, tuple(names)


def _seat_codes(piece: Piece, name: str) -> tuple[NDArray[np.int64], list[str]]:
    """Return the codes of a seats table column that contains names or numbers from 0, and the name of each code."""
    column = piece.batch.frame[name]
    if isinstance(column.dtype, pl.Enum):
        return column.to_physical().to_numpy().astype(np.int64), column.dtype.categories.to_list()
    return column.to_numpy().astype(np.int64), [str(number) for number in range(piece.seats)]


def worth_columns(by: Sequence[str] = ()) -> tuple[Column, ...]:
    """Declare the columns of a worth table, split by some columns."""
    return (
        *names(("what", "name", *by)),
        estimated(
            "worth", SHARE, unit=OF_WINS, difference=True, drawn=True,
            about="win share of the seats that were followed minus that of the seats that were overruled",
        ),
        Q,
        VERDICT,
        estimated("points", POINTS_KIND, difference=True, about="the same difference in final points"),
        Column("points_q", PROBABILITY, heading="points q", about="q-value of the difference in points"),
        Column("wanted", SHARE, unit="of turns", about="of the turns on which it could be had, those that wanted it"),
        Column("followed", COUNT, about="wishes that were followed"),
        Column("overruled", COUNT, about="wishes that were overruled"),
        Column("win_followed", SHARE, heading="followed win share", unit=OF_WINS),
        Column("win_overruled", SHARE, heading="overruled win share", unit=OF_WINS),
    )  # fmt: skip


@dataclass(frozen=True, repr=False)
class WorthTable(Table):
    """The worth of items. ``remarks``: sentences, without full stops, that must accompany the figures."""

    remarks: tuple[str, ...] = ()


def worth_table(
    sums: Summary, by: str | Sequence[str] = (), *, level: float = 0.95, fewest: int = ENOUGH
) -> WorthTable:
    """Return the worth of each item to the seat that wants it.

    Parameters
    ----------
    sums: the result of ``worth_sums``. by: one of the summed splits; empty: all wishes together.
    level: the level of the intervals. fewest: items whose wishes were followed or overruled fewer times are omitted.

    Columns: what, name, the ``by`` columns, worth (win share of seats that were followed minus that of seats that were
    overruled) with worth_low and worth_high, q (Benjamini-Hochberg over the rows), verdict (higher or lower than 0, or
    unclear), points with points_low and points_high, points_q, wanted (the share of decisions that wanted the item,
    among those at which it was available; null if not recorded), followed and overruled (numbers of wishes),
    win_followed, win_overruled (win shares). Intervals are clustered by game. Sorted by what (cards to build first),
    then by worth.
    """
    columns = columns_of(by) if by else ()
    groups, start = _groups(sums, columns)
    what, name = sums.labels["worth what"], sums.labels["worth name"]
    count = len(what)
    cells = slice(start * count, (start + len(groups)) * count)
    moments = _moments(sums, cells)
    enough = np.flatnonzero((moments.totals[:, FOLLOWED] >= fewest) & (moments.totals[:, OVERRULED] >= fewest))
    left_out = int((moments.totals[:, [FOLLOWED, OVERRULED]].sum(axis=1) > 0).sum()) - len(enough)
    kept = Moments(len(enough), 6)
    kept.totals, kept.products, kept.games = (
        item[enough] for item in (moments.totals, moments.products, moments.games)
    )
    score = kept.difference((FOLLOWED + 2, FOLLOWED), (OVERRULED + 2, OVERRULED), level)
    item_number, group = enough % count, enough // count
    keys = [groups[int(item)].split("\t") for item in group]
    totals = kept.totals
    followed, overruled = totals[:, FOLLOWED], totals[:, OVERRULED]
    win_followed, win_overruled = totals[:, FOLLOWED + 1] / followed, totals[:, OVERRULED + 1] / overruled
    win = kept.difference((FOLLOWED + 1, FOLLOWED), (OVERRULED + 1, OVERRULED), level)
    win = win.between_shares((win_followed, followed), (win_overruled, overruled))
    of_all = (totals[:, FOLLOWED + 1] + totals[:, OVERRULED + 1]) / (followed + overruled)
    q = benjamini_hochberg(win.p_of_groups(followed, overruled, of_all))
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = sums.arrays["worth/reach"][cells][enough]
        wanted = np.where(reach > 0, (followed + overruled) / reach, np.nan)
    frame = pl.DataFrame(
        {
            "what": pl.Series([what[item] for item in item_number], dtype=pl.String),
            "name": pl.Series([name[item] for item in item_number], dtype=pl.String),
            **{
                column: pl.Series([key[index] for key in keys], dtype=pl.String) for index, column in enumerate(columns)
            },
            **win.columns("worth"),
            "q": nulls(q),
            "verdict": verdicts(win.value, q, level=level),
            **score.columns("points"),
            "points_q": nulls(benjamini_hochberg(score.p_of_groups(followed, overruled))),
            "wanted": nulls(wanted),
            "followed": followed.astype(np.int64),
            "overruled": overruled.astype(np.int64),
            "win_followed": nulls(win_followed),
            "win_overruled": nulls(win_overruled),
        }
    )
    kinds = {item: index for index, item in enumerate(dict.fromkeys(what))}
    rank = pl.col("what").replace_strict(kinds, return_dtype=pl.Int64, default=len(kinds))
    frame = frame.sort(rank, -pl.col("worth"), "name", *columns)
    remarks = (
        f"Intervals: {100 * level:g}%, clustered by game; q: Benjamini-Hochberg over {frame.height} rows",
        "wanted: share of the turns on which it could be had that wanted it; followed, overruled: how many of them",
        f"Left out: {left_out} things that were followed or overruled fewer than {fewest} times",
    )
    heading = f"{TITLE} by {' and '.join(columns)}" if columns else TITLE
    return WorthTable(
        frame,
        heading,
        " ".join(f"{item}." for item in (ESTIMAND, *remarks)),
        worth_columns(columns),
        labels=("what", "name", *columns),
        remarks=remarks,
    )


def worth(run: Any, by: str | Sequence[str] = (), *, level: float = 0.95, fewest: int = ENOUGH) -> WorthTable:
    """Return the worth of each item to the seat that wants it, from the extra games of a run (see ``worth_table``).

    Raises UserError for a run without such games.
    """
    sums = getattr(run, "wishes", None)
    if not isinstance(sums, Summary):
        raise UserError("the worth of cards needs a run with --worth, or wsim experiment worth")
    return worth_table(sums, by, level=level, fewest=fewest)


WHO_OWNS = (
    "owners: win share of the seats that had it at the end minus that of the others; this shows who has it, not what "
    "it is worth"
)
_OF_OWNERS = ("win_q", "score_q")


def with_worth(table: Table, run: Any, what: str, by: Sequence[str], level: float) -> Table:
    """Add worth in front of the figures in a table of owned items, or a note that explains why worth is unknown.

    ``what``: the kind of wish for these items. The q-values of owners are omitted, because they would be mistaken for
    q-values of worth.
    """
    noun, frame = table.labels[0], table.frame.drop(*_OF_OWNERS)
    try:
        known = worth(run, by, level=level)
        if known.frame.filter(what=what).is_empty():
            raise UserError(f"too few games: nothing was both followed and overruled {ENOUGH} times")
    except UserError as error:
        why = f"Worth is unknown here: {error}. {title(WHO_OWNS)}."
        return replace(table, frame=frame, note=f"{why} {table.note}")
    columns = known.frame.columns[2 + len(by) :]
    keys = [pl.col(name).cast(pl.String).alias(f"_{name}") for name in (noun, *by)]
    rows = known.frame.filter(what=what).select(*(pl.col(name).alias(f"_{name}") for name in by),
        pl.col("name").alias(f"_{noun}"), *columns)  # fmt: skip
    on = [f"_{name}" for name in (noun, *by)]
    joined = frame.with_columns(keys).join(rows, on=on, how="left", maintain_order="left").drop(on)
    further = table.note.replace(OBSERVATIONAL, "").replace(CAUSED, "")
    front = frame.columns[: frame.columns.index("n")]
    joined = joined.select(*front, *columns, pl.exclude(*front, *columns))
    joined = joined.sort("worth", descending=True, nulls_last=True, maintain_order=True)
    return replace(
        table,
        frame=joined,
        note=" ".join(f"{known.note} {title(WHO_OWNS)}. {further}".split()),
        columns=(*table.columns, *known.columns[2 + len(by) :]),
        charts=item_charts("worth", "wanted", noun, by, [name for name in front if name not in (noun, *by)]),
    )


def without(table: Table, kinds: Sequence[str]) -> Table:
    """Return a worth table without the kinds of wishes that other tables show; a long kind keeps only its broadest row.

    The broadest row (build any card by a chain) is the one with the most followed wishes.
    """
    short = (pl.len().over("what") <= SHORT) | (pl.col("followed") == pl.col("followed").max().over("what"))
    return replace(table, frame=table.frame.filter(~pl.col("what").is_in(kinds) & short))


def _groups(sums: Summary, columns: Sequence[str]) -> tuple[Sequence[str], int]:
    """Return the groups of a split, and how many groups precede them; raise UserError for an unsummed split."""
    if not columns:
        return [""], 0
    start, wanted = 1, ",".join(columns)
    known = [name.removeprefix(_BY) for name in sums.labels if name.startswith(_BY)]
    for split in known:
        names = sums.labels[f"{_BY}{split}"]
        if split == wanted:
            return names, start
        start += len(names)
    raise UserError(f"worth is not summed by {wanted}; accepted: {', '.join(known)}{nearest(wanted, known)}")


def _moments(sums: Summary, cells: slice) -> Moments:
    """Return the moments of some cells, with wins as shares."""
    totals, lines = sums.arrays["worth/totals"][cells], sums.arrays["worth/products"][cells]
    games = sums.arrays["worth/games"][cells]
    scale = np.array([1.0, 1.0 / sums.parts, 1.0] * 2)
    result, upper = Moments(len(totals), 6), np.triu_indices(6)
    result.totals = totals * scale
    result.products[:, upper[0], upper[1]] = lines
    result.products[:, upper[1], upper[0]] = lines
    result.products *= np.outer(scale, scale)
    result.games = np.repeat(games, 3, axis=1)
    return result
