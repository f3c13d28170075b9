"""Count how often each card is offered, and what seats do with it, from the picks table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wsim.document import COUNT, NAME, SHARE, TURN, Column, estimated, names
from wsim.errors import UserError
from wsim.stats.games import Floats, Frame, GameBatch, batches, require
from wsim.stats.intervals import nulls
from wsim.stats.moments import Moments
from wsim.stats.tables import CAUSED, OBSERVATIONAL, Table
from wsim.wonders.words import AGES, TURNS, WAYS

_COUNTS = ("offered", "built_paid", "built_chain", "built_free", "staged", "sold", "from_discard", "by_free_city")
_TAKEN = _COUNTS[1:6]
_GROUP = "_group"
_BATCH = 65_536  # rows, whose lists contain about 300,000 cards


def card_picks(picks: Frame, seats: Frame | None = None, *, by: str | Sequence[str] = ()) -> Table:
    """Return how often each card was offered, taken in each way, and passed on, and when it was last seen.

    Parameters
    ----------
    picks: the picks table of a run.
    seats: the seats table of the run, needed only if ``by`` names columns of that table.
    by: columns of the picks (age, ...) or of the seats (policy, wonder, ...): one row per card and level.

    Columns: card, the ``by`` columns, offered (turns on which it was in the hand), built_paid, built_chain, built_free,
    staged, sold (the actions with it on those turns), passed (offered minus these), taken_share (with its interval),
    last_seen (mean of the last turn on which it was offered, over seats and ages that saw it), from_discard (built from
    the discard pile), by_free_city (played for the Free City).
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    frame, levels = _grouped(picks.lazy(), None if seats is None else seats.lazy(), groups)
    needed = ["seat", "age", "turn", "decision", "card", "action", "how", "offered"]
    require(frame, ["game", *needed])
    tally = _Fates(card_names(frame), levels.height)
    for batch in batches(frame, [*needed, _GROUP], rows=_BATCH):
        tally.add(batch)
    columns = (Column("card", NAME), *names(groups), *_COLUMNS)
    return Table(tally.frame(levels), "Picks", f"{OBSERVATIONAL} {CAUSED}", columns=columns, labels=("card", *groups))


_COLUMNS = (
    *(Column(name, COUNT) for name in (*_COUNTS, "passed")),
    estimated("taken_share", SHARE, unit="of hands with it"),
    Column("last_seen", TURN, about="mean of the last turn on which it was in the hand"),
)


def card_names(picks: pl.LazyFrame) -> list[str]:
    """Return the card names in the Enum of a picks table; raise UserError if it is not a valid picks table."""
    schema = picks.collect_schema()
    kind, offered = schema["card"], schema["offered"]
    if not isinstance(kind, pl.Enum):
        raise UserError(f"the column 'card' of a picks table must be an Enum of card names, not {kind}")
    if offered != pl.List(kind):
        raise UserError(f"the column 'offered' of a picks table must contain lists of names in 'card', not {offered}")
    times = pl.col("age").is_between(1, AGES) & pl.col("turn").is_between(1, TURNS)
    if "age" in schema and not picks.select(times.fill_null(False).all()).collect(engine="streaming").item():
        raise UserError("the picks table has picks on turns or in ages that do not exist in the game")
    return kind.categories.to_list()


def _grouped(
    picks: pl.LazyFrame, seats: pl.LazyFrame | None, groups: Sequence[str]
) -> tuple[pl.LazyFrame, pl.DataFrame]:
    """Add a column of group numbers to the picks; return the picks and the table of groups."""
    if not groups:
        return picks.with_columns(pl.lit(0, pl.UInt32).alias(_GROUP)), pl.DataFrame({_GROUP: [0]})
    schema = picks.collect_schema().names()
    joined = [name for name in groups if name not in schema]
    if joined:
        if seats is None:
            raise UserError(f"the picks have no column {joined[0]!r}: also pass the seats table")
        require(seats, joined)
        wanted = seats.select("game", "seat", *joined)
        picks = picks.join(wanted, on=["game", "seat"], how="left", maintain_order="left")
    levels = picks.select(*groups).unique().collect(engine="streaming").sort(groups, nulls_last=True)
    numbered = levels.with_row_index(_GROUP)
    picks = picks.join(numbered.lazy(), on=list(groups), how="left", nulls_equal=True, maintain_order="left")
    return picks, numbered


def offered_codes(frame: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Flatten the lists in ``offered``: return the row and the card number of every card in them."""
    lengths = frame["offered"].list.len().fill_null(0).to_numpy().astype(np.int64)
    flat = frame.filter(pl.Series(lengths > 0))["offered"].explode().to_physical().to_numpy()
    return np.repeat(np.arange(frame.height), lengths), flat.astype(np.int64)


class _Fates:
    """Counts of what happened to each card, by group."""

    def __init__(self, names: Sequence[str], groups: int) -> None:
        self._names = names
        self._groups = groups
        self._counts = {name: np.zeros((groups, len(names)), np.int64) for name in _COUNTS}
        self._seen = np.zeros((groups, len(names)), np.int64)
        self._last = np.zeros((groups, len(names)), np.int64)
        self._moments = Moments(groups * len(names), 2)  # per game: turns on which a card was offered, was taken

    def add(self, batch: GameBatch) -> None:
        frame = batch.frame
        turns = (frame["decision"].cast(pl.String).is_in(["turn", "last_card"])).to_numpy()
        group = frame[_GROUP].to_numpy().astype(np.int64)
        row, card = offered_codes(frame)
        turns_of_row = turns[row]
        row, card = row[turns_of_row], card[turns_of_row]
        self._counts["offered"] += self._count(group[row], card)
        self._add_last_seen(batch, row, card, group)
        card_of_row = frame["card"].to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        fates = _fates(frame)
        for name, chosen in fates.items():
            self._counts[name] += self._count(group[chosen], card_of_row[chosen])
        taken = np.flatnonzero(np.any([fates[name] for name in _TAKEN], axis=0))
        self._moments.add(
            self._by_game(batch, group[row], card, row), self._by_game(batch, group[taken], card_of_row[taken], taken)
        )

    def _by_game(
        self, batch: GameBatch, group: NDArray[np.int64], card: NDArray[np.int64], row: NDArray[np.int64]
    ) -> Floats:
        """Count rows by group, card and game, shape (groups * cards, games)."""
        cells = self._groups * len(self._names)
        slot = (group * len(self._names) + card) * batch.games + batch.game_of_row[row]
        return np.bincount(slot, minlength=cells * batch.games).reshape(cells, batch.games).astype(np.float64)

    def _count(self, group: NDArray[np.int64], card: NDArray[np.int64]) -> NDArray[np.int64]:
        cards = len(self._names)
        return np.bincount(group * cards + card, minlength=self._groups * cards).reshape(self._groups, cards)

    def _add_last_seen(
        self, batch: GameBatch, row: NDArray[np.int64], card: NDArray[np.int64], group: NDArray[np.int64]
    ) -> None:
        """Record, for each seat, age and card, the last turn on which the card was offered."""
        frame, cards = batch.frame, len(self._names)
        seat = frame["seat"].to_numpy().astype(np.int64)
        age = frame["age"].to_numpy().astype(np.int64) - 1
        turn = frame["turn"].to_numpy()
        seats = int(seat.max(initial=0)) + 1
        slot = ((batch.game_of_row * seats + seat) * AGES + age)[row] * cards + card
        last = np.zeros(batch.games * seats * AGES * cards, np.uint8)
        group_at = np.zeros(len(last), np.int64)
        group_at[slot] = group[row]
        turn_at = turn[row]
        for number in range(1, TURNS):
            last[slot[turn_at == number]] = number
        seen = np.flatnonzero(last)
        cell = group_at[seen] * cards + seen % cards
        shape = (self._groups, cards)
        self._seen += np.bincount(cell, minlength=self._groups * cards).reshape(shape)
        turns = np.bincount(cell, last[seen], minlength=self._groups * cards)
        self._last += np.rint(turns).astype(np.int64).reshape(shape)

    def frame(self, levels: pl.DataFrame) -> pl.DataFrame:
        counts = {name: values.reshape(-1) for name, values in self._counts.items()}
        passed = counts["offered"] - sum(counts[name] for name in _TAKEN)
        with np.errstate(divide="ignore", invalid="ignore"):
            last = (self._last / self._seen).reshape(-1)
        cards = len(self._names)
        groups = levels.select(pl.exclude(_GROUP).repeat_by(cards).explode()) if levels.width > 1 else pl.DataFrame()
        return pl.DataFrame(
            {
                "card": list(self._names) * self._groups,
                **groups.to_dict(),
                **{name: counts[name] for name in _COUNTS[:6]},
                "passed": passed,
                **self._moments.ratio(1, 0, share=True).columns("taken_share"),
                "last_seen": nulls(last),
                **{name: counts[name] for name in _COUNTS[6:]},
            }
        )


def _fates(frame: pl.DataFrame) -> dict[str, NDArray[np.bool_]]:
    """Return, for each fate of a card, a mask of the decisions with that result; decisions without a card are false."""
    decision, action, how = (frame[name].cast(pl.String) for name in ("decision", "action", "how"))
    turn = decision.is_in(["turn", "last_card"])
    build = turn & (action == "build")
    fates = {f"built_{kind}": build & (how == kind).fill_null(False) for kind in WAYS}
    fates |= {
        "staged": turn & (action == "stage"),
        "sold": turn & (action == "sell"),
        "from_discard": (decision == "discard_pile") & (action == "build"),
        "by_free_city": decision == "free_city",
    }
    return {name: (chosen & frame["card"].is_not_null()).to_numpy() for name, chosen in fates.items()}
