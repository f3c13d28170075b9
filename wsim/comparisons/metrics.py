"""What a comparison compares: a metric of the seats table, as a ratio of two sums over games.

A metric is written

    score, win                the mean total, the mean win share of the seats concerned
    stages, points_science    the mean of any other number of the seats table
    built:Palace              the share of the seats that own the card at the end
    score:Gizah, win:science  the same over the seats with this wonder, side or policy
    owner:Palace              the win share of the seats that own the card at the end
    winner:Palace             the share of games won by an owner of the card

Each is ``sum(numerator) / sum(denominator)`` over games; both sums are taken per game, because a game is what is
independent. Nothing here knows which game is played: wonders, sides and policies are columns of names (Enum), cards are
Boolean columns ``built:NAME``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["BUILT", "Metric", "card_metrics", "group_metrics", "levels_of", "parse_metric", "sums_of"]

BUILT = "built:"
SHORT: Mapping[str, str] = {"score": "total", "win": "win_share"}
_WORDS: Mapping[str, str] = {"total": "score", "win_share": "win share"}
_NO_MEASURE = ("game", "seat", "team", "rank")
MOST_LEVELS = 24  # a column of more names is no group that anybody would compare one by one


@dataclass(frozen=True)
class Metric:
    """One quantity that is compared.

    Attributes
    ----------
    name: as it is written.
    column: the column of the seats table that is averaged.
    group: the column and its value that a seat must have to count; None for every seat concerned.
    card: the Boolean column that a seat must have to count (for ``per_game``: to add); None for every seat.
    per_game: the sum is divided by the number of games, not of seats.
    """

    name: str
    column: str
    group: tuple[str, str] | None = None
    card: str | None = None
    per_game: bool = False

    def estimand(self, whose: str = "of all seats") -> str:
        """Say in a few words what is estimated; ``whose`` names the seats concerned."""
        if self.per_game and self.card:
            return f"share of games won by an owner of {self.card.removeprefix(BUILT)}"
        if self.card:
            return f"win share of the seats that own {self.card.removeprefix(BUILT)} at the end"
        if self.column.startswith(BUILT):
            return f"share {whose} that own {self.column.removeprefix(BUILT)} at the end"
        if self.group is None:
            seats = whose
        else:
            these = "of the seats" if whose == "of all seats" else whose
            seats = f"{these} with {self.group[0]} {self.group[1]}"
        return f"mean {_WORDS.get(self.column, self.column)} {seats}"


def parse_metric(text: str, seats: pl.DataFrame) -> Metric:
    """Read a metric for a seats table (its rows do not matter); raise UserError for one that the table cannot give."""
    name = text.strip()
    head, colon, rest = name.partition(":")
    if head in ("owner", "winner") and colon:
        return Metric(name, "win_share", card=_card(rest, seats), per_game=head == "winner")
    measures = measures_of(seats)
    column = SHORT.get(name, name)
    if column in measures:
        return Metric(name, column)
    column = SHORT.get(head, head)
    if not colon or column not in measures:
        known = [*SHORT, *(measure for measure in measures if measure not in SHORT.values()), "owner", "winner"]
        shown = ", ".join([*SHORT, "owner:CARD", "winner:CARD", *(one for one in known[2:-2] if ":" not in one)])
        raise UserError(f"unknown metric {name!r}: known are {shown}{nearest(head, known)}")
    return Metric(name, column, group=_group(rest, seats))


def measures_of(seats: pl.DataFrame) -> list[str]:
    """Return the columns of a seats table that have a mean worth comparing."""
    kinds = seats.schema.items()
    return [name for name, kind in kinds if (kind.is_numeric() or _is_flag(kind)) and name not in _NO_MEASURE]


def _is_flag(kind: pl.DataType) -> bool:
    import polars as pl

    return kind == pl.Boolean


def levels_of(seats: pl.DataFrame) -> dict[str, list[str]]:
    """Return the columns of names (wonder, side, policy) with their names, those of one name only left out."""
    import polars as pl

    found = {name: kind.categories.to_list() for name, kind in seats.schema.items() if isinstance(kind, pl.Enum)}
    return {name: levels for name, levels in found.items() if 1 < len(levels) <= MOST_LEVELS}


def _card(name: str, seats: pl.DataFrame) -> str:
    cards = [column.removeprefix(BUILT) for column in seats.columns if column.startswith(BUILT)]
    by_lower = {card.lower(): card for card in cards}
    if name.lower() not in by_lower:
        what = "the seats table of this game says nothing of cards" if not cards else f"unknown card {name!r}"
        raise UserError(f"{what}{nearest(name, cards)}")
    return BUILT + by_lower[name.lower()]


def _group(name: str, seats: pl.DataFrame) -> tuple[str, str]:
    levels = levels_of(seats)
    for column, names in levels.items():
        for known in names:
            if known.lower() == name.lower():
                return column, known
    every = [known for names in levels.values() for known in names]
    groups = " or ".join(levels) or "group"
    raise UserError(f"no {groups} is called {name!r}: known are {', '.join(every)}{nearest(name, every)}")


def group_metrics(measures: Sequence[str], seats: pl.DataFrame) -> list[Metric]:
    """Return each of the measures (``score``, ``win``) for every wonder, side and policy of a seats table."""
    return [
        Metric(f"{measure}:{level}", SHORT.get(measure, measure), group=(column, level))
        for column, levels in levels_of(seats).items()
        for level in levels
        for measure in measures
    ]


def card_metrics(cards: Sequence[str], seats: pl.DataFrame) -> list[Metric]:
    """Return what a change of these cards is judged by: how often they are built, and how their owners fare."""
    known = [card for card in cards if BUILT + card in seats.columns]
    return [parse_metric(f"{kind}{card}", seats) for card in known for kind in (BUILT, "owner:", "winner:")]


def sums_of(
    frame: pl.DataFrame, per_game: int, metrics: Sequence[Metric], concerned: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return numerator and denominator of each metric for each game.

    Parameters
    ----------
    frame: a seats table of whole games in order, ``per_game`` rows each.
    concerned: for each seat, whether it counts.

    Returns an array of shape (games, metrics, 2).
    """
    reader = _Reader(frame, np.tile(concerned, frame.height // per_game))
    result = np.empty((frame.height // per_game, len(metrics), 2))
    for place, metric in enumerate(metrics):
        counted = reader.counted(metric)
        result[:, place, 0] = (reader.column(metric.column) * counted).reshape(-1, per_game).sum(axis=1)
        result[:, place, 1] = 1.0 if metric.per_game else counted.reshape(-1, per_game).sum(axis=1)
    return result


class _Reader:
    """Columns of a frame as floats, each converted once."""

    def __init__(self, frame: pl.DataFrame, concerned: NDArray[np.bool_]) -> None:
        self._frame = frame
        self._columns: dict[str, NDArray[np.float64]] = {}
        self._codes: dict[str, tuple[list[str], NDArray[Any]]] = {}
        # the Free City of two players is nobody's: rank 0, as in wsim.stats
        plays = concerned & (frame["rank"].to_numpy() > 0) if "rank" in frame.columns else concerned
        self._plays = plays.astype(np.float64)

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column; zeros where the table lacks it (a card that only the other arm has)."""
        if name not in self._columns:
            there = name in self._frame.columns
            values = self._frame[name].to_numpy() if there else np.zeros(self._frame.height)
            self._columns[name] = values.astype(np.float64)
        return self._columns[name]

    def counted(self, metric: Metric) -> NDArray[np.float64]:
        """Return 1 for the rows that a metric counts, 0 for the others."""
        counted = self._plays
        if metric.card is not None:
            counted = counted * self.column(metric.card)
        if metric.group is not None:
            counted = counted * self._has(*metric.group)
        return counted

    def _has(self, column: str, level: str) -> NDArray[np.bool_]:
        if column not in self._codes:
            series = self._frame[column]
            levels = cast("pl.Enum", series.dtype).categories.to_list()
            self._codes[column] = (levels, series.to_physical().to_numpy())
        levels, codes = self._codes[column]
        result: NDArray[np.bool_] = codes == (levels.index(level) if level in levels else -1)
        return result
