"""What things are worth to weak and to strong players: the same figure at each level of skill, and its change.

At a level one policy has the table to itself. A thing that seats have or have not (a card built) is measured by the win
share of those who have it less that of those who have not; a group that each seat is in one of (a board) by its win
share. All levels play the same deals, so the errors of a change hold what two levels have in common: sums over games,
``wsim.stats.moments``. Wins are whole numbers, so that sums do not depend on the cut into chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wsim.game import analyses_of
from wsim.questions.deals import PARTS, Features, wins_of
from wsim.stats.fewest import ENOUGH
from wsim.stats.games import Floats
from wsim.stats.intervals import Estimate
from wsim.stats.moments import Moments
from wsim.stats.owner_tallies import OwnerTallies

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Game

_EACH = 4  # features of a level: seats that have it, their wins, all seats, all wins
_OWN, _OWN_WINS, _ALL, _ALL_WINS = range(_EACH)


@dataclass(frozen=True)
class Items:
    """What is measured: the columns of things that a seat has or has not, or the columns whose groups it has one of.

    Called as a reading, it gives four features of games: how many seats have each thing and their wins in ``PARTS``,
    shape (things, games), and both of all seats, shape (games,).

    Attributes
    ----------
    columns: of the seats table. grouped: whether every seat has one of the things.
    labels: what tells the rows of the answer apart, by column.
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
        """Return which seat has what, shape (things, games, seats)."""
        if not self.grouped:
            flags = [(frame[name] > 0 if frame[name].dtype.is_numeric() else frame[name]) for name in self.columns]
            return np.stack([flag.to_numpy().reshape(games, -1) for flag in flags])
        code = np.zeros(frame.height, np.int64)
        count = 1
        for name in self.columns:
            names = names_of(frame, name)
            code = code * len(names) + frame[name].to_physical().to_numpy().astype(np.int64)
            count *= len(names)
        found: NDArray[np.bool_] = np.arange(count)[:, None, None] == code.reshape(games, -1)
        return found


def names_of(frame: pl.DataFrame, column: str) -> list[str]:
    """Return the names that may stand in a column."""
    return cast("pl.Enum", frame.schema[column]).categories.to_list()


def items_in(game: Game, columns: pl.DataFrame) -> dict[str, Items]:
    """Return the tables of a game whose rows are things of seats, by name; ``columns``: a seats table."""
    found: dict[str, Items] = {}
    for name, analysis in analyses_of(game).items():
        if isinstance(analysis.sums, OwnerTallies):
            prefix = analysis.sums.prefix
            own = tuple(column for column in columns.columns if column.startswith(prefix))
            labels = {game.OWNED[prefix]: [column.removeprefix(prefix) for column in own]}
            found[name] = Items(own, grouped=False, labels=labels)
        elif analysis.sums is not None and analysis.by and "policy" not in analysis.by:
            groups = list(product(*(names_of(columns, column) for column in analysis.by)))
            labels = dict(zip(analysis.by, map(list, zip(*groups, strict=True)), strict=True))
            found[name] = Items(tuple(analysis.by), grouped=True, labels=labels)
    return found


def counted(has: NDArray[np.bool_], plays: NDArray[np.bool_], wins: NDArray[Any]) -> Features:
    """Add up the seats of games.

    Parameters
    ----------
    has: which seat has what, shape (things, games, seats).
    plays: whether anybody plays for a seat. wins: of each, in ``PARTS``; shape (games, seats).
    """
    mine = has & plays
    won = np.where(plays, wins, 0)
    own, own_wins = mine.sum(axis=2, dtype=np.int32), (mine * won).sum(axis=2, dtype=np.int32)
    return [own, own_wins, plays.sum(axis=1, dtype=np.int32), won.sum(axis=1, dtype=np.int32)]


class SkillSums:
    """Sums over games of all levels of skill.

    Attributes
    ----------
    things, levels: how many. grouped: whether every seat has one of the things.
    games: how many were added.
    """

    def __init__(self, things: int, levels: int, *, grouped: bool) -> None:
        self.things, self.levels, self.grouped = things, levels, grouped
        self.games = 0
        self._moments = Moments(things, _EACH * levels)
        self._without = np.zeros((things, levels))  # games in which some seat has it not

    def plus(self, played: Sequence[Features]) -> SkillSums:
        """Return the sums with more games, the same at every level (``counted``); these stay as they are."""
        result = SkillSums(self.things, self.levels, grouped=self.grouped)
        result.games = self.games + played[0][0].shape[-1]
        result._moments = self._moments.plus(*(part.astype(np.float64) for level in played for part in level))
        without = [np.count_nonzero(own < seats, axis=1) for own, _, seats, _ in played]
        result._without = self._without + np.stack(without, axis=1)
        return result

    def counts(self) -> Floats:
        """Return how many seats had each thing at each level, shape (things, levels)."""
        return self._totals()[:, :, _OWN]

    def shares(self) -> Floats:
        """Return which share of all seats that was; same shape."""
        totals = self._totals()
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(totals[:, :, _OWN] / totals[:, :, _ALL])

    def fair(self) -> float:
        """Return the win share of a seat."""
        totals = self._totals()[0, 0]
        return float(totals[_ALL_WINS] / totals[_ALL] / PARTS)

    def figure(self, level: int, confidence: float = 0.95) -> Estimate:
        """Return what each thing is worth at a level."""
        value, form, games = self._figure(level)
        return self._moments.linear(value, form, games, confidence)

    def change(self, weaker: int, stronger: int, confidence: float = 0.95) -> Estimate:
        """Return what each thing is worth at the stronger level less what it is at the weaker one."""
        one, one_form, one_games = self._figure(stronger)
        other, other_form, other_games = self._figure(weaker)
        return self._moments.linear(one - other, one_form - other_form, np.minimum(one_games, other_games), confidence)

    def _totals(self) -> Floats:
        return self._moments.totals.reshape(self.things, self.levels, _EACH)

    def _figure(self, level: int) -> tuple[Floats, Floats, Floats]:
        """Return the figure, the linear form of its error, and how many games speak; too few: unknown."""
        own, own_wins, every, every_wins = self._totals()[:, level].T
        form = np.zeros((self.things, _EACH * self.levels))
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
        return np.where(known, value / PARTS, np.nan), form / PARTS, np.where(known, games, 0.0)
