"""Tables of the items that seats own (cards built, discs, wonders won), with the results of the owners.

The seats table has a column for each item, with a common prefix (``built:``): Boolean, or a count, where any number
above 0 means that the seat has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from wsim.document import CATEGORY, NAME, POINTS, SHARE, Column, estimated, names
from wsim.errors import UserError
from wsim.stats.columns import FAIR_SHARE_RATIO, OF_WINS, POINTS_OF, SCORE, WIN_SHARE, N, Q, means
from wsim.stats.games import GameBatch, Source, batches, competitors, parties, require, seats_of
from wsim.stats.intervals import benjamini_hochberg, check_level, nulls
from wsim.stats.item_charts import item_charts
from wsim.stats.owner_tallies import STRATUM, owner_sums, tallied
from wsim.stats.parallel import in_order
from wsim.stats.strata import missing_interval_note, note_of, strata_of, title_of
from wsim.stats.summary import Summary, summary_of
from wsim.stats.tables import OBSERVATIONAL, Table, points_of


def owned_names(seats: pl.LazyFrame, prefix: str) -> list[str]:
    """Return the item names in the columns with this prefix; raise UserError if there are none."""
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
    beside: Table | None = None,
    title: str | None = None,
    raw: bool = False,
    level: float = 0.95,
) -> Table:
    """Return win share and score of the seats that have each item, and of the seats that do not.

    Parameters
    ----------
    source: a run or its seats table; filter it first to look at one policy, ... only.
    prefix: the prefix of the columns of the items: ``built:``, ``disc:``.
    noun: the kind of item, which is also the name of the column with the item names: ``card``.
    share: the name of the column with the share of all seats that have the item.
    by: columns of the seats table (policy, ...): one row per item and level.
    about: additional leading columns by item, such as ``{"Palace": {"age": 3, "color": "blue"}}``.
    beside: a table with additional columns at the end, by ``noun`` and the ``by`` columns.
    title: the title of the table (default: the noun's plural).
    raw: pool the policies of the table. Otherwise seats are compared only with seats of the same policy: the
        differences are least-squares estimates with a fixed effect for each policy, and the means are the model's means
        for all seats, with and without the item (``wsim.stats.owner_sums``). With one policy there is no difference.
    level: confidence level of the intervals, which are clustered by game.

    Columns: ``noun``, the ``by`` columns, n (seats that have the item at the end), ``share`` (of all seats), win_share
    (of the owners), fair_share_ratio (win share times the number of players: 1.00 is average), win_share_not (of the
    others), win_difference, win_q, score, score_not, score_difference, score_q, the owners' mean points in each
    category; then the columns of ``beside``. Estimates have _low and _high; q-values are Benjamini-Hochberg over the
    list. Sorted by win share. The table is observational, so it has no verdict: see its note.
    """
    check_level(level)
    groups = (by,) if isinstance(by, str) else tuple(by)
    summary = summary_of(source)
    shown = _Shown(noun, share, groups, title, raw, level)
    if summary is not None:
        return _table(_of_sums(summary, prefix, shown, level), summary, shown, about, beside)
    seats = seats_of(source)
    players = competitors(seats)
    return _table(_of_rows(seats, players, prefix, shown), players, shown, about, beside)


def _of_rows(seats: pl.LazyFrame, players: pl.LazyFrame, prefix: str, shown: _Shown) -> pl.DataFrame:
    """Return the estimates for every item (and level) from a seats table; ``players``: its competing seats.

    Each group is summed like a run without rows.
    """
    groups, names, kinds = shown.groups, owned_names(seats, prefix), seats.collect_schema()
    require(seats, ["game", "seat", "win_share", "total", *groups])
    within = bool(strata_of(players, groups, raw=shown.raw))
    stratum = pl.col(STRATUM).cast(pl.Enum(_names_of(players))) if within else pl.lit("", pl.Enum([""])).alias(STRATUM)
    in_game, largest = players.group_by("game", *groups).len(), pl.col("len").max().fill_null(0)
    most = in_game.group_by(*groups).agg(largest) if groups else in_game.select(largest)
    seats_by_group = {row[:-1]: row[-1] for row in most.collect(engine="streaming").iter_rows()}
    measures = points_of(seats, groups)
    columns = ["game", "win_share", "total", *measures, *(prefix + name for name in names)]

    def tally(rows: pl.DataFrame, key: tuple[object, ...]) -> Summary:
        return tallied(rows.select(*columns, stratum), prefix, seats_by_group.get(key, 0))

    def in_groups(batch: GameBatch) -> list[tuple[tuple[object, ...], Summary]]:
        parts = batch.frame.partition_by(groups, maintain_order=True, as_dict=True) if groups else {(): batch.frame}
        return [(key, tally(rows, key)) for key, rows in parts.items()]

    tallies: dict[tuple[object, ...], Summary] = {}
    wanted = dict.fromkeys([*columns, *groups, *([STRATUM] if within else [])])
    for part in in_order(in_groups, batches(players, wanted)):
        for key, piece in part:
            tallies.setdefault(key, Summary()).add(piece)
    nobody = (None,) * len(groups)
    shown_groups = tallies or {nobody: tally(players.head(0).collect(), nobody)}
    named, sides, parted = pl.Series(shown.noun, names), parties(seats), {name: kinds[name] for name in groups}
    frames = [
        _with_key_columns(
            named, owner_sums(piece, prefix, raw=not within)[1].frame(shown.share, sides, shown.level), key, parted
        )
        for key, piece in shown_groups.items()
    ]
    return pl.concat(frames) if tallies or not groups else frames[0].clear()


def _names_of(players: pl.LazyFrame) -> pl.Series:
    """Return the sorted names of the policies."""
    names = players.select(pl.col(STRATUM).cast(pl.String).unique().sort().drop_nulls())
    return names.collect(engine="streaming")[STRATUM]


@dataclass(frozen=True)
class _Shown:
    """How a table of owners is presented; see ``owners``."""

    noun: str
    share: str
    groups: tuple[str, ...]
    title: str | None
    raw: bool
    level: float


def _table(
    frame: pl.DataFrame,
    seats: pl.LazyFrame | Summary,
    shown: _Shown,
    about: Mapping[str, Mapping[str, object]] | None,
    beside: Table | None,
) -> Table:
    """Build the table from the estimates that ``seats`` returned for every item (and level)."""
    noun, groups = shown.noun, shown.groups
    for name in ("win", "score"):  # q-values over the whole list instead of p-values
        q = nulls(benjamini_hochberg(frame[f"{name}_p"].to_numpy())).alias(f"{name}_q")
        frame = frame.replace_column(frame.columns.index(f"{name}_p"), q)
    if beside is not None:
        frame = frame.join(beside.frame, on=[noun, *groups], how="left", nulls_equal=True)
    order = ["win_share", noun, *groups]
    frame = frame.sort(order, descending=[name == "win_share" for name in order], nulls_last=True)
    note = OBSERVATIONAL + note_of(seats, groups, raw=shown.raw)
    note += missing_interval_note(frame, "win_difference_low", "score_difference_low")
    heading = title_of(shown.title or f"{noun.capitalize()}s", seats, groups, raw=shown.raw)
    frame = _with_properties(frame, noun, about)
    facts = [Column(name, CATEGORY) for name in frame.columns[1 : frame.columns.index("n")] if name not in groups]
    measures = means(name for name in frame.columns if name.startswith(POINTS_OF))
    columns: tuple[Column, ...] = (
        Column(noun, NAME),
        *facts,
        *names(groups),
        *_COLUMNS,
        estimated(shown.share, SHARE, unit="of seats"),
        *measures,
    )
    if beside is not None:
        columns += tuple(column for column in beside.columns if column.name not in (noun, *groups))
    charts = item_charts("win_difference", shown.share, noun, groups, [fact.name for fact in facts])
    return Table(frame, heading, note, columns=columns, form="owners", labels=(noun, *groups), charts=charts)


_WITHOUT = "minus that of seats (of the same policy) without it"
_COLUMNS = (
    N, WIN_SHARE, FAIR_SHARE_RATIO, SCORE,
    estimated("win_share_not", SHARE, about="win share of seats without it"),
    estimated(
        "win_difference", SHARE, unit=OF_WINS, heading="owners", difference=True,
        about=f"win share of seats with it {_WITHOUT}: who has it, not what it is worth",
    ),
    Q.called("win_q"),
    estimated("score_not", POINTS, about="score of seats without it"),
    estimated("score_difference", POINTS, difference=True, about=f"score of seats with it {_WITHOUT}"),
    Q.called("score_q"),
)  # fmt: skip
"""Columns of a table of owners: results of the seats with and without each item."""


def _of_sums(summary: Summary, prefix: str, shown: _Shown, level: float) -> pl.DataFrame:
    """Return the estimates for every item from the sums of a run without rows."""
    if shown.groups:
        raise UserError(
            f"the run keeps sums of each {shown.noun}, not split by {','.join(shown.groups)}: that needs rows, so play "
            "it with --keep seats"
        )
    columns, sums = owner_sums(summary, prefix, raw=shown.raw)
    names = pl.Series(shown.noun, [name.removeprefix(prefix) for name in columns])
    return _with_key_columns(names, sums.frame(shown.share, summary.sides, level), (), {})


def _with_key_columns(
    names: pl.Series, frame: pl.DataFrame, key: tuple[object, ...], kinds: Mapping[str, pl.DataType]
) -> pl.DataFrame:
    """Add leading columns with the item names and the levels of the group."""
    levels = [pl.lit(value, dtype=kinds[name]).alias(name) for name, value in zip(kinds, key, strict=True)]
    return frame.select(names, *levels, pl.all())


def _with_properties(frame: pl.DataFrame, noun: str, about: Mapping[str, Mapping[str, object]] | None) -> pl.DataFrame:
    """Add the properties of each item after its name."""
    if not about:
        return frame
    facts = pl.DataFrame([{noun: name, **values} for name, values in about.items()], infer_schema_length=None)
    added = facts.columns[1:]
    joined = frame.join(facts, on=noun, how="left", maintain_order="left")
    return joined.select(noun, *added, pl.exclude(noun, *added))
