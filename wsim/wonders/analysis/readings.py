"""Draft statistics: results of seats that saw, took, sold or buried each card, and the turns on which cards are taken.

A seat saw a card if the card was in its hand on some turn, and took the card if it built, buried or sold it on such a
turn. ``wsim.stats.owners`` computes win shares, clustered by game, and within policies if a run has several. Its input,
a table of the cards that each seat saw, is built from the picks in batches on disk, because a run may be larger than
memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim import stats
from wsim.document import COUNT, SHARE, TURN, Column, estimated, names
from wsim.errors import UserError
from wsim.lab.store import Run
from wsim.stats.analysis import Analysis
from wsim.stats.columns import OF_WINS
from wsim.stats.games import Frame, GameBatch, batches, require, seats_of
from wsim.stats.moments import Moments
from wsim.stats.shared import RAW
from wsim.stats.tables import CAUSED, Table
from wsim.wonders.analysis.card_picks import card_names, offered_codes
from wsim.wonders.words import ACTIONS, BUILD, SELL, STAGE

_FATES: Mapping[str, tuple[str, ...]] = {
    "seen": (),
    "taken": (ACTIONS[BUILD], ACTIONS[STAGE], ACTIONS[SELL]),
    "sold": ("sell",),
    "buried": ("stage",),
}
"""The fates of a card in a hand, each with the actions that count towards it."""
_BATCH = 65_536
_WHEN = ("age", "turn")
_NEEDED = ("seat", "age", "turn", "decision", "card", "action", "offered")
_NOTE = (
    "seen: in the seat's hand on some turn; taken: built, buried under a stage or sold on such a turn. taken over "
    "hand: win share of hands from which the card was taken minus win share of hands with it from which another card "
    "was taken. first pick: share of hands with the card on the first turn of an age from which it was taken; average "
    "turn: the mean turn on which it was taken; last seen: the last turn of an age on which it was in the hand."
)


def card_readings(
    seats: Frame,
    picks: Frame,
    *,
    by: str | Sequence[str] = (),
    raw: bool = False,
    level: float = 0.95,
) -> Table:
    """Return the win share of seats that saw, took, sold or buried each card, and the turns on which it is taken.

    Parameters
    ----------
    seats, picks: the tables of a run.
    by: columns of the seats (policy, wonder, ...), and ``age`` and ``turn`` of the picks: one row per card and level.
    raw: pool the policies; otherwise win shares are compared within policies, as in ``wsim.stats.owners``.
    level: confidence level of the intervals, clustered by game.

    Columns: card, the ``by`` columns, n_seen, n_taken, n_sold, n_buried (seats), win_seen, win_taken, win_sold,
    win_buried (win shares), taken_difference (seats that took it minus all others), taken_over_hand (hands
    with it from which it was taken minus those from which another card was taken), taken_share
    (share of hands with it from which it was taken), first_pick, average_turn, last_seen; estimates with _low and
    _high. Sorted by win_taken; cards that were in no hand are omitted.
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    lazy = picks.lazy()
    require(lazy, ["game", *_NEEDED])
    cards = card_names(lazy)
    of_seats = [name for name in groups if name not in _WHEN]
    require(seats.lazy(), ["game", "seat", *of_seats])
    with TemporaryDirectory(prefix="wsim-readings-") as folder:
        times = _Times(cards, groups)
        for number, (batch, levels) in enumerate(_levels_of(seats.lazy(), lazy, groups)):
            flagged = _flagged(batch, levels, cards)
            times.add(batch, levels)
            flagged.write_parquet(Path(folder) / f"{number:08d}.parquet")
        table = pl.scan_parquet(Path(folder) / "*.parquet")
        tables = {
            fate: stats.owners(table, f"{fate}:", noun="card", by=groups, raw=raw, level=level) for fate in _FATES
        }
    keys = ["card", *groups]
    frame = tables["seen"].frame.select(*keys, pl.col("n").alias("n_seen"), *_renamed("win_share", "win_seen"))
    for fate in ("taken", "sold", "buried"):
        columns = [pl.col("n").alias(f"n_{fate}"), *_renamed("win_share", f"win_{fate}")]
        if fate == "taken":
            columns += _renamed("win_difference", "taken_difference")
        frame = frame.join(tables[fate].frame.select(*keys, *columns), on=keys, how="left", nulls_equal=True)
    frame = frame.join(times.frame(level, frame.schema), on=keys, how="left", nulls_equal=True)
    counts = [f"n_{fate}" for fate in _FATES]
    front = [*keys, *counts]
    frame = frame.filter(pl.col("n_seen") > 0).select(*front, pl.exclude(*front))
    order = ["win_taken", *keys]
    frame = frame.sort(order, descending=[name == "win_taken" for name in order], nulls_last=True)
    note = f"{_NOTE} {tables['seen'].note.replace(stats.OBSERVATIONAL, f'{stats.OBSERVATIONAL} {CAUSED}')}"
    title = tables["seen"].title.replace("Cards", "Cards seen and taken")
    return Table(frame, title, note, (*names(keys), *_COLUMNS), labels=tuple(keys))


_COLUMNS = (
    *(Column(f"n_{fate}", COUNT, about=f"seats that had {fate} it") for fate in _FATES),
    *(estimated(f"win_{fate}", SHARE, unit=OF_WINS, about=f"win share of seats that had {fate} it") for fate in _FATES),
    estimated("taken_difference", SHARE, unit=OF_WINS, difference=True, about="seats that took it minus all others"),
    estimated(
        "taken_over_hand",
        SHARE,
        unit=OF_WINS,
        difference=True,
        about="hands from which it was taken minus hands with it from which another card was taken",
    ),
    estimated("taken_share", SHARE, unit="of hands with it"),
    estimated("first_pick", SHARE, unit="of first hands with it"),
    estimated("average_turn", TURN),
    estimated("last_seen", TURN),
)


def _renamed(name: str, new: str) -> list[pl.Expr]:
    return [pl.col(name + end).alias(new + end) for end in ("", "_low", "_high")]


@dataclass(frozen=True)
class _Levels:
    """The seats of a batch of games.

    Attributes
    ----------
    frame: one row per seat, repeated for each age and turn if the table is grouped by them.
    row: the row of ``frame`` that each pick belongs to.
    """

    frame: pl.DataFrame
    row: NDArray[np.int64]


def _levels_of(seats: pl.LazyFrame, picks: pl.LazyFrame, groups: Sequence[str]) -> Iterator[tuple[GameBatch, _Levels]]:
    """Yield the picks from turns and last cards in batches of whole games, each with the rows of its seats."""
    schema = seats.collect_schema().names()
    columns = [name for name in ("team", "rank", "policy", "win_share", "total", *groups) if name in schema]
    chosen = seats.select("game", "seat", *dict.fromkeys(columns))
    turns = picks.filter(pl.col("decision").cast(pl.String).is_in(["turn", "last_card"]))
    for batch in batches(turns, list(_NEEDED), rows=_BATCH):
        games = batch.frame["game"]
        rows = chosen.filter(pl.col("game").is_between(games.min(), games.max())).collect(engine="streaming")
        when = batch.frame.select(*(name for name in _WHEN if name in groups))
        if when.width:
            rows = rows.join(when.unique(maintain_order=True), how="cross", maintain_order="left")
        rows = rows.with_row_index("_row")
        picked = batch.frame.select("game", "seat", *when.columns)
        keys = ["game", "seat", *when.columns]
        row = picked.join(rows.select("_row", *keys), on=keys, how="left", maintain_order="left")["_row"]
        if row.null_count():
            raise UserError("the picks table has games or seats that are missing in the seats table")
        yield batch, _Levels(rows.drop("_row"), row.to_numpy().astype(np.int64))


def _flagged(batch: GameBatch, levels: _Levels, names: Sequence[str]) -> pl.DataFrame:
    """Add the columns ``seen:NAME``, ``taken:NAME``, ... for each card to the rows of seats."""
    frame, height = batch.frame, levels.frame.height
    flags = {fate: np.zeros((len(names), height), bool) for fate in _FATES}
    row, card = offered_codes(frame)
    flags["seen"][card, levels.row[row]] = True
    picked, actions = _picked(frame), frame["action"].cast(pl.String)
    for fate, counted in _FATES.items():
        if counted:
            done = actions.is_in(counted).fill_null(False).to_numpy() & (picked >= 0)
            flags[fate][picked[done], levels.row[done]] = True
    columns = [
        pl.Series(f"{fate}:{name}", values)
        for fate, columns in flags.items()
        for name, values in zip(names, columns, strict=True)
    ]
    return levels.frame.hstack(columns)


def _picked(frame: pl.DataFrame) -> NDArray[np.int64]:
    """Return the card number of each pick, -1 if it has no card."""
    return frame["card"].to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


class _Times:
    """Sums for the turns on which cards are taken and last seen, by card and level; clustered by game."""

    def __init__(self, names: Sequence[str], groups: Sequence[str]) -> None:
        self._names, self._groups = names, groups
        self._keys: list[tuple[object, ...]] = []
        self._moments: list[Moments] = []

    def add(self, batch: GameBatch, levels: _Levels) -> None:

        frame = batch.frame
        row, card = offered_codes(frame)
        turn = frame["turn"].to_numpy().astype(np.float64)
        picked = _picked(frame)
        took = frame["action"].cast(pl.String).is_in(_FATES["taken"]).fill_null(False).to_numpy() & (picked >= 0)
        first = turn[row] == 1
        last_row, last_card, last_turn = _last_turns(frame, row, card)
        here, won = (
            took[row] & (picked[row] == card),
            levels.frame["win_share"].to_numpy()[levels.row].astype(np.float64),
        )
        entries = (  # for each feature: rows of picks, cards, weights
            (row, card, np.ones(len(row))),
            (np.flatnonzero(took), picked[took], np.ones(int(took.sum()))),
            (np.flatnonzero(took), picked[took], turn[took]),
            (row[first], card[first], np.ones(int(first.sum()))),
            (np.flatnonzero(took & (turn == 1)), picked[took & (turn == 1)], np.ones(int((took & (turn == 1)).sum()))),
            (last_row, last_card, np.ones(len(last_row))),
            (last_row, last_card, last_turn),
            *((row[of], card[of], weight[row[of]]) for of in (here, ~here) for weight in (np.ones(len(won)), won)),
        )
        for key, chosen in self._level_masks(levels):
            code = self._level_index(key)
            features = [self._by_game(batch, row, card, weight * chosen[row]) for row, card, weight in entries]
            self._moments[code].add(*features)

    def _level_masks(self, levels: _Levels) -> Iterator[tuple[tuple[object, ...], NDArray[np.bool_]]]:
        """Yield the key of each level with a mask of its picks."""
        if not self._groups:
            yield (), np.ones(len(levels.row), bool)
            return
        of_pick = levels.frame.select(self._groups)[levels.row].with_row_index("_pick")
        for key, part in of_pick.partition_by(self._groups, as_dict=True, maintain_order=True).items():
            chosen = np.zeros(len(levels.row), bool)
            chosen[part["_pick"].to_numpy()] = True
            yield key, chosen

    def _level_index(self, key: tuple[object, ...]) -> int:
        if key not in self._keys:
            self._keys.append(key)
            self._moments.append(Moments(len(self._names), 11))
        return self._keys.index(key)

    def _by_game(
        self, batch: GameBatch, row: NDArray[np.int64], card: NDArray[np.int64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Sum the weights of picks by card and game, shape (cards, games)."""
        cells = card * batch.games + batch.game_of_row[row]
        sums = np.bincount(cells, weight, len(self._names) * batch.games)
        return sums.reshape(len(self._names), batch.games).astype(np.float64)

    def frame(self, level: float, schema: pl.Schema) -> pl.DataFrame:
        """Return the estimates by card and level."""
        parts = []
        for key, moments in zip(self._keys, self._moments, strict=True):
            estimates = {
                "taken_over_hand": moments.difference((8, 7), (10, 9), level),
                "taken_share": moments.ratio(1, 0, level, share=True).bounded(),
                "first_pick": moments.ratio(4, 3, level, share=True).bounded(),
                "average_turn": moments.ratio(2, 1, level),
                "last_seen": moments.ratio(6, 5, level),
            }
            columns = {
                name: series for word, estimate in estimates.items() for name, series in estimate.columns(word).items()
            }
            levels = zip(self._groups, key, strict=True)
            named = [pl.lit(value, dtype=schema[name]).alias(name) for name, value in levels]
            parts.append(pl.DataFrame({"card": list(self._names), **columns}).with_columns(named))
        return pl.concat(parts)


def _last_turns(
    frame: pl.DataFrame, row: NDArray[np.int64], card: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return pick row, card and turn of the last time that each seat held each card, for every game and age."""
    seen = frame.select("game", "seat", "age", "turn")[row].with_columns(
        pl.Series("_card", card), pl.Series("_row", row)
    )
    last = seen.group_by("game", "seat", "age", "_card", maintain_order=True).agg(
        pl.col("turn").max(), pl.col("_row").sort_by("turn").last()
    )
    return last["_row"].to_numpy(), last["_card"].to_numpy(), last["turn"].cast(pl.Float64).to_numpy()


def _readings(run: Run, by: Sequence[str], *, raw: bool = False, level: float = 0.95) -> Table:
    if not run.plan.picks:
        raise UserError(
            f"the run {str(run.path)!r} has no picks, so it is unknown which seat saw which card: play it with --picks"
        )
    return card_readings(seats_of(run), run.picks, by=by, raw=raw, level=level)


READINGS = Analysis(
    _readings,
    "results of seats that saw, took, sold or buried each card; when it is taken (runs with --picks)",
    by=(),
    columns=(
        *("card", "n_seen", "win_seen", "win_taken", "taken_difference", "taken_over_hand", "win_sold", "win_buried"),
        *("taken_share", "first_pick", "average_turn", "last_seen"),
    ),
    first=("win_taken", "taken_over_hand", "win_seen", "taken_share", "first_pick", "average_turn", "last_seen"),
    options=RAW,
    shown="page",
    fits=lambda plan: plan.picks,
)
