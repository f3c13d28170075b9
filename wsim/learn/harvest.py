"""Sample decisions from self-play, and estimate the value of each move by playouts on common random numbers.

A part is a block of games of one table. Its result depends only on (table, part, seed), so parts can be played in any
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


DRAWN = 4  # number of line-ups drawn for a table whose seats name several policies
Entry = str | tuple[str, ...]
"""The policy of a seat, or several policies from which one is drawn."""


@dataclass(frozen=True, eq=False)
class Harvest:
    """Samples decisions from a table's games; called with the games of a part, it returns the decisions of that part.

    Attributes
    ----------
    game: the name of the game.
    tables: pairs of a simulator of the games, with some exploration so that unusual positions occur, and the simulators
        of the playouts, by deciding seat. Parts use the pairs in turn.
    playouts: the number of playouts per move. gap: the mean number of decisions from one sampled decision to the next.
        seed: the seed of playouts and sampling.
    moves: the number of moves of a decision that are played out: the moves that the net of the deciding seat values
        most, and one drawn from the rest; the other moves keep the net's value differences from these. 0: all moves.
    """

    game: str
    tables: tuple[tuple[Simulator, tuple[Simulator, ...]], ...]
    playouts: int
    gap: float
    seed: int
    moves: int = 0

    def __call__(self, games: range) -> tuple[NDArray[Any], NDArray[Any]]:
        """Play a part; return its decisions and their moves as records of the game's learner."""
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
                state, listed, candidates = describe(position)
                if len(candidates) < 2:
                    continue
                first = FAR + int(random.integers(1 << 40))
                policies, seat = playing_on[position.to_move], position.to_move
                picked = self._picked(listed["worth"], random)
                tried = [candidates[index] for index in picked]
                outcomes = position.compare(policies, tried, self.playouts, seat, self.seed, first)
                worth = learner.worth(simulator, outcomes, seat).mean(axis=0)
                listed["worth"] = anchored(listed["worth"], picked, worth)
                states.append(state)
                moves.append(listed)
        if not states:
            return np.zeros(0, learner.state), np.zeros(0, learner.move)
        return np.stack(states), np.concatenate(moves)

    def _picked(self, values: NDArray[np.float32], random: np.random.Generator) -> NDArray[np.int64]:
        """Choose the moves to play out, given the net's values of all moves; return their indices."""
        if not 0 < self.moves < len(values):
            return np.arange(len(values))
        order = np.argsort(-values, kind="stable")
        return np.append(order[: self.moves], random.choice(order[self.moves :]))


def anchored(
    values: NDArray[np.float32], picked: NDArray[np.int64], measured: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Combine playout values of the picked moves with a net's values of all moves; return values with mean 0.

    The net's values are shifted so that both have the same mean over the picked moves, which keep their ``measured``
    values.
    """
    worth = values + (measured.mean() - values[picked].mean(dtype=np.float64))
    worth[picked] = measured
    return np.asarray(worth - worth.mean())


def harvest_of(
    keys: Mapping[str, Any], players: Sequence[Entry], rest: tuple[str, Entry], how: tuple[int, float, int, int]
) -> tuple[Harvest, list[tuple[Plan, Simulator]]]:
    """Prepare the harvest of a table; also return all plans and simulators in it.

    Parameters
    ----------
    keys: the plan keys (rule set, players, patch, ...) without policies.
    players: the line-up of the games.
    rest: the policies of the playouts, in the deciding seat (and its mate's) and in the other seats.
    how: playouts, gap, seed and moves of ``Harvest``.

    If several policies are named for a seat, one of them is drawn; ``DRAWN`` line-ups are drawn for the table.
    """
    own, others = rest
    draws = DRAWN if any(not isinstance(entry, str) for entry in (*players, others)) else 1
    tables, ready = [], []
    for draw in range(draws):
        random = np.random.default_rng([how[2], draw])
        (plan, simulator), *playout_tables = _table(
            keys, [_drawn(entry, random) for entry in players], own, others, random
        )
        playing_on = tuple(simulator for _, simulator in playout_tables)
        tables.append((simulator, playing_on * (len(players) // len(playing_on))))
        ready += [(plan, simulator), *playout_tables]
    return Harvest(plan.game, tuple(tables), *how), ready


def _table(
    keys: Mapping[str, Any], players: Sequence[str], own: str, others: Entry, random: np.random.Generator
) -> list[tuple[Plan, Simulator]]:
    """Return the plan of the games, then the playout plans by deciding seat (a single plan if all seats play alike)."""
    played, count = _ready(keys, players), len(players)
    line_ups = [[own] * count]
    if own != others:
        learner = learner_of(played[0].game)
        sides = [learner.mates(played[1], seat) for seat in range(count)]
        line_ups = [[own if seat in side else _drawn(others, random) for seat in range(count)] for side in sides]
    return [played, *(_ready(keys, line_up) for line_up in line_ups)]


def _drawn(entry: Entry, random: np.random.Generator) -> str:
    return entry if isinstance(entry, str) else entry[int(random.integers(len(entry)))]


def _ready(keys: Mapping[str, Any], line_up: Sequence[str]) -> tuple[Plan, Simulator]:
    plan = Plan.make(**{**keys, "policies": list(line_up)})
    return plan, find_game(plan.game).prepare(plan)


def write_records(path: Path, records: NDArray[Any]) -> None:
    """Write records atomically, one column per field, with nested arrays as fixed-size arrays."""
    columns = {
        name: pl.Series(name, np.ascontiguousarray(records[name]).reshape(len(records), -1))
        if records.dtype[name].subdtype
        else pl.Series(name, np.ascontiguousarray(records[name]))
        for name in records.dtype.names or ()
    }
    with writing(path) as unfinished:
        pl.DataFrame(columns).write_parquet(unfinished, compression="zstd", statistics=False)


def read_records(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Read records that ``write_records`` wrote; raise StoreError for any other file."""
    try:
        frame = pl.read_parquet(path)
        records = np.zeros(frame.height, dtype)
        for name in dtype.names or ():
            records[name] = frame[name].to_numpy().reshape(frame.height, *dtype[name].shape)
    except (OSError, ValueError, TypeError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{str(path)!r} is damaged ({' '.join(str(error).split())[:200]}): remove it, and it is regenerated"
        ) from error
    return records
