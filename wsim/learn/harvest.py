"""Decisions of self-play and what each move of them is worth, by playouts that all moves share.

A part is a block of games of one table. It is a function of (table, part, seed) alone, so parts are played in any
order, by any number of threads, and again after an interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from wsim.files import StoreError, writing
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.positions.values import FAR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.game import Simulator


DRAWN = 4  # line-ups of a table where policies are drawn for its seats
Entry = str | tuple[str, ...]
"""Who plays a seat: a policy, or several of which one is drawn."""


@dataclass(frozen=True, eq=False)
class Harvest:
    """Takes decisions from blocks of games of a table, each block a part; called with its games.

    Attributes
    ----------
    game: its name.
    tables: what is played, with some exploring so that odd positions are seen, too, and who plays on after each move,
        by the seat that decides. Parts take turns with them.
    playouts: of each move. gap: decisions between two that are taken, on average. seed: of playouts and of the choice
        of decisions.
    moves: how many of a decision are played out: those that the net of the own seat values most, and one more that is
        drawn from the others; 0: all of them. The others stay as far from these as the net says.
    """

    game: str
    tables: tuple[tuple[Simulator, tuple[Simulator, ...]], ...]
    playouts: int
    gap: float
    seed: int
    moves: int = 0

    def __call__(self, games: range) -> tuple[NDArray[Any], NDArray[Any]]:
        """Play a part; return its decisions and their moves, as the game's learner lays them out."""
        learner, part = learner_of(self.game), games.start // len(games)
        simulator, playing_on = self.tables[part % len(self.tables)]
        describe = learner.describer(simulator, playing_on[0])
        random = np.random.default_rng([self.seed, part])
        states, moves = [], []
        for number in games:
            position: Any = simulator.begin(number)
            while True:
                position.follow(int(random.geometric(1 / self.gap)) - 1)
                if position.to_move is None:
                    break
                if len(position.coded) < 2:
                    continue
                state, listed, places = describe(position)
                if len(places) < 2:
                    continue
                first = FAR + int(random.integers(1 << 40))
                rest, seat = playing_on[position.to_move], position.to_move
                picked = self._picked(listed["worth"], random)
                tried = [places[one] for one in picked]
                outcomes = position.compare(rest, tried, self.playouts, seat, self.seed, first)
                found = learner.worth(simulator, outcomes, seat).mean(axis=0)
                listed["worth"] = anchored(listed["worth"], picked, found)
                states.append(state)
                moves.append(listed)
        if not states:
            return np.zeros(0, learner.state), np.zeros(0, learner.move)
        return np.stack(states), np.concatenate(moves)

    def _picked(self, said: NDArray[np.float32], random: np.random.Generator) -> NDArray[np.int64]:
        """Return the places of the moves that are played out, given what the net says of all."""
        if not 0 < self.moves < len(said):
            return np.arange(len(said))
        order = np.argsort(-said, kind="stable")
        return np.append(order[: self.moves], random.choice(order[self.moves :]))


def anchored(said: NDArray[np.float32], picked: NDArray[np.int64], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what the moves of a decision are worth, of mean 0: some by playouts, the others by what a net says.

    The two scales meet in the mean of the moves that were played out, so that these differ by their playouts alone.
    """
    worth = said + (found.mean() - said[picked].mean(dtype=np.float64))
    worth[picked] = found
    return np.asarray(worth - worth.mean())


def harvest_of(
    keys: Mapping[str, Any], players: Sequence[Entry], rest: tuple[str, Entry], how: tuple[int, float, int, int]
) -> tuple[Harvest, list[tuple[Plan, Simulator]]]:
    """Return the harvest of a table, and every plan and simulator in it.

    Parameters
    ----------
    keys: of the plan that is played (rule set, players, patch, ...), but for its policies.
    players: its line-up.
    rest: the policies that play on after each move, in the seat that decides (and its mate's), and in the others.
    how: playouts, gap, seed and moves of ``Harvest``.

    Where several policies are named for a seat, one of them is drawn: ``DRAWN`` times for everybody.
    """
    own, others = rest
    draws = DRAWN if any(not isinstance(one, str) for one in (*players, others)) else 1
    tables, ready = [], []
    for draw in range(draws):
        random = np.random.default_rng([how[2], draw])
        (plan, simulator), *after = _table(keys, [_drawn(one, random) for one in players], own, others, random)
        playing_on = tuple(one for _, one in after)
        tables.append((simulator, playing_on * (len(players) // len(playing_on))))
        ready += [(plan, simulator), *after]
    return Harvest(plan.game, tuple(tables), *how), ready


def _table(
    keys: Mapping[str, Any], players: Sequence[str], own: str, others: Entry, random: np.random.Generator
) -> list[tuple[Plan, Simulator]]:
    """Return what is played, then who plays on, by the seat that decides; once where it is the same for all seats."""
    played, count = _ready(keys, players), len(players)
    line_ups = [[own] * count]
    if own != others:
        learner = learner_of(played[0].game)
        sides = [learner.mates(played[1], one) for one in range(count)]
        line_ups = [[own if seat in side else _drawn(others, random) for seat in range(count)] for side in sides]
    return [played, *(_ready(keys, line_up) for line_up in line_ups)]


def _drawn(entry: Entry, random: np.random.Generator) -> str:
    """Return a policy, or one of several."""
    return entry if isinstance(entry, str) else entry[int(random.integers(len(entry)))]


def _ready(keys: Mapping[str, Any], line_up: Sequence[str]) -> tuple[Plan, Simulator]:
    """Return a plan with these players, and its simulator."""
    plan = Plan.make(**{**keys, "policies": list(line_up)})
    return plan, find_game(plan.game).prepare(plan)


def write_records(path: Path, records: NDArray[Any]) -> None:
    """Write records, a column each field, nested arrays as fixed-size arrays; a file appears whole or not at all."""
    columns = {
        name: pl.Series(name, np.ascontiguousarray(records[name]).reshape(len(records), -1))
        if records.dtype[name].subdtype
        else pl.Series(name, np.ascontiguousarray(records[name]))
        for name in records.dtype.names or ()
    }
    with writing(path) as unfinished:
        pl.DataFrame(columns).write_parquet(unfinished, compression="zstd", statistics=False)


def read_records(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the records that ``write_records`` wrote; StoreError for a file that it did not write."""
    try:
        frame = pl.read_parquet(path)
        records = np.zeros(frame.height, dtype)
        for name in dtype.names or ():
            records[name] = frame[name].to_numpy().reshape(frame.height, *dtype[name].shape)
    except (OSError, ValueError, TypeError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{str(path)!r} is damaged ({' '.join(str(error).split())[:200]}): remove it, and it is made again"
        ) from error
    return records
