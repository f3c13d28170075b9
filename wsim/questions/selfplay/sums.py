"""Figures of items in self-play for each policy (skill level), and their changes between levels.

For an item that a seat may or may not have (a card), the figure is the difference in win share between seats with and
without it; for groups to one of which each seat belongs (a wonder), it is the win share. All levels play the same
deals, so the error of a change accounts for the covariance of the levels (``wsim.stats.moments``). Wins are whole
numbers, so that sums do not depend on chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wsim.game import analyses_of
from wsim.questions.deals import WIN_UNITS, Features, wins_of
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.moments import Moments
from wsim.stats.owner_tallies import OwnerTallies

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Game

_EACH = 4  # number of features per level: seats that have the item, their wins, all seats, all wins
_OWN, _OWN_WINS, _ALL, _ALL_WINS = range(_EACH)


@dataclass(frozen=True)
class Items:
    """The items of one table: columns of items that a seat may have, or columns that define groups of seats.

    As a ``Reading``, it returns four features of games: the number of seats with each item and their wins in
    ``WIN_UNITS``, shape (items, games), and the same two for all seats, shape (games,).

    Attributes
    ----------
    columns: the columns of the seats table. grouped: whether every seat has exactly one of the items.
    labels: the names of the items, by column.
    """

    columns: tuple[str, ...]
    grouped: bool
    labels: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(next(iter(self.labels.values())))

    def __call__(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the features of games."""
        wins = wins_of(frame, len(games))
        plays = frame["rank"].to_numpy() > 0 if "rank" in frame.columns else np.ones(frame.height, bool)
        return counted(self._has(frame, len(games)), plays.reshape(wins.shape), wins)

    def _has(self, frame: pl.DataFrame, games: int) -> NDArray[np.bool_]:
        """Return a mask of the seats that have each item, shape (items, games, seats)."""
        if not self.grouped:
            flags = [(frame[name] > 0 if frame[name].dtype.is_numeric() else frame[name]) for name in self.columns]
            return np.stack([flag.to_numpy().reshape(games, -1) for flag in flags])
        code = np.zeros(frame.height, np.int64)
        count = 1
        for name in self.columns:
            names = names_of(frame, name)
            code = code * len(names) + frame[name].to_physical().to_numpy().astype(np.int64)
            count *= len(names)
        has: NDArray[np.bool_] = np.arange(count)[:, None, None] == code.reshape(games, -1)
        return has


def names_of(frame: pl.DataFrame, column: str) -> list[str]:
    """Return the possible names in a column."""
    return cast("pl.Enum", frame.schema[column]).categories.to_list()


def items_in(game: Game, columns: pl.DataFrame) -> dict[str, Items]:
    """Return the items of a game's tables, by table name; ``columns``: a seats table."""
    tables: dict[str, Items] = {}
    for name, analysis in analyses_of(game).items():
        if isinstance(analysis.sums, OwnerTallies):
            prefix = analysis.sums.prefix
            own = tuple(column for column in columns.columns if column.startswith(prefix))
            labels = {game.OWNED[prefix]: [column.removeprefix(prefix) for column in own]}
            tables[name] = Items(own, grouped=False, labels=labels)
        elif analysis.sums is not None and analysis.by and "policy" not in analysis.by:
            groups = list(product(*(names_of(columns, column) for column in analysis.by)))
            labels = dict(zip(analysis.by, map(list, zip(*groups, strict=True)), strict=True))
            tables[name] = Items(tuple(analysis.by), grouped=True, labels=labels)
    return tables


def counted(has: NDArray[np.bool_], plays: NDArray[np.bool_], wins: NDArray[Any]) -> Features:
    """Compute the four features of games (see ``Items``).

    Parameters
    ----------
    has: whether each seat has each item, shape (items, games, seats).
    plays: whether each seat competes. wins: the wins of each seat in ``WIN_UNITS``; both of shape (games, seats).
    """
    mine = has & plays
    won = np.where(plays, wins, 0)
    own, own_wins = mine.sum(axis=2, dtype=np.int32), (mine * won).sum(axis=2, dtype=np.int32)
    return [own, own_wins, plays.sum(axis=1, dtype=np.int32), won.sum(axis=1, dtype=np.int32)]


class SkillSums:
    """Sums over games for all skill levels.

    Attributes
    ----------
    items, levels: the numbers of items and levels. grouped: whether every seat has exactly one of the items.
    games: the number of games added.
    """

    def __init__(self, items: int, levels: int, *, grouped: bool) -> None:
        self.items, self.levels, self.grouped = items, levels, grouped
        self.games = 0
        self._moments = Moments(items, _EACH * levels)
        self._without = np.zeros((items, levels))  # games in which some seat does not have the item

    def plus(self, played: Sequence[Features]) -> SkillSums:
        """Return the sums extended by games, the same at every level (``counted``). Does not modify this object."""
        result = SkillSums(self.items, self.levels, grouped=self.grouped)
        result.games = self.games + played[0][0].shape[-1]
        result._moments = self._moments.plus(*(part.astype(np.float64) for level in played for part in level))
        without = [np.count_nonzero(own < seats, axis=1) for own, _, seats, _ in played]
        result._without = self._without + np.stack(without, axis=1)
        return result

    def counts(self) -> Floats:
        """Return the number of seats with each item at each level, shape (items, levels)."""
        return self._totals()[:, :, _OWN]

    def shares(self) -> Floats:
        """Return the share of seats that have each item at each level."""
        totals = self._totals()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(totals[:, :, _OWN] / totals[:, :, _ALL])

    def fair(self) -> float:
        """Return a seat's fair share of wins."""
        totals = self._totals()[0, 0]
        return float(totals[_ALL_WINS] / totals[_ALL] / WIN_UNITS)

    def figure(self, level: int, confidence: float = 0.95) -> Estimate:
        """Estimate the figure of each item at a level."""
        value, form, games = self._figure(level)
        return self._moments.linear(value, form, games, confidence)

    def change(self, weaker: int, stronger: int, confidence: float = 0.95) -> Estimate:
        """Estimate each item's figure at the stronger level minus its figure at the weaker level."""
        strong, strong_form, strong_games = self._figure(stronger)
        weak, weak_form, weak_games = self._figure(weaker)
        games = np.minimum(strong_games, weak_games)
        return self._moments.linear(strong - weak, strong_form - weak_form, games, confidence)

    def _totals(self) -> Floats:
        return self._moments.totals.reshape(self.items, self.levels, _EACH)

    def _figure(self, level: int) -> tuple[Floats, Floats, Floats]:
        """Return the figures, the linear forms of their errors, and the numbers of games; NaN with too few games."""
        own, own_wins, every, every_wins = self._totals()[:, level].T
        form = np.zeros((self.items, _EACH * self.levels))
        mine = form[:, _EACH * level : _EACH * (level + 1)]
        games = self._moments.games[:, _EACH * level + _OWN]
        with np.errstate(divide="ignore", invalid="ignore"):
            value = own_wins / own
            mine[:, _OWN_WINS], mine[:, _OWN] = 1 / own, -value / own
            if not self.grouped:
                others = every - own
                without = (every_wins - own_wins) / others
                mine[:, _OWN_WINS] += 1 / others
                mine[:, _ALL_WINS] -= 1 / others
                mine[:, _OWN] -= without / others
                mine[:, _ALL] += without / others
                value = value - without
                games = np.minimum(games, self._without[:, level])
        known = (games >= ENOUGH) & np.isfinite(value) & np.isfinite(mine).all(axis=1)
        mine[~known] = 0.0
        return np.where(known, value / WIN_UNITS, np.nan), form / WIN_UNITS, np.where(known, games, 0.0)
