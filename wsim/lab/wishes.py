"""Sums over games in which policies are sometimes overruled, from which the worth of each item follows. Only
sums are kept (``wsim.stats.worth``). They depend only on the numbers of the games, not on machines or chunks, so sums
of different games add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.batch import rows_and_picks
from wsim.lab.record import RECORD, read_record
from wsim.policies.chances import CHANCE, CHARACTER, OVERRULE, WORTH, WORTH_GAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.lab.plan import Plan
    from wsim.stats.summary import Summary
    from wsim.stats.worth import Wishes, WishReader

AT_ONCE = 128  # games, whose decisions take some 1.4 MB: more no longer fit the cache of a processor


def overruled(plan: Plan, chance: float | str) -> Plan:
    """Return the plan with policies overruled at random; raise UserError if its game or options do not allow it."""
    if find_game(plan.game).WISHES is None:
        raise UserError(f"{plan.game} cannot overrule policies, so worth cannot be measured")
    if "randomise" in plan.options:
        raise UserError("randomise and overrule are different experiments: use only one of them")
    plain = {CHARACTER: None} if CHARACTER in plan.options else {}
    return plan.replace(overrule=str(chance), worth=None, picks=False, keep="seats", **plain)


def with_worth(plan: Plan, folder: str | None) -> Plan:
    """Return the plan of ``wsim run``: it measures worth unless it says otherwise or is itself an experiment.

    A ``folder`` with a run decides, so that an old run is continued as it was begun.
    """
    if WORTH in plan.options and worth_share(plan) == 0:
        return plan.replace(worth=None)
    if {WORTH, OVERRULE, "randomise"} & plan.options.keys() or find_game(plan.game).WISHES is None:
        return plan
    if folder is not None and (Path(folder) / RECORD).exists():
        return plan.replace(worth=read_record(Path(folder)).provenance.identity["plan"].get(WORTH))
    return plan.replace(worth=str(WORTH_GAMES))


def worth_share(plan: Plan) -> float:
    """Return the number of games that measure worth for each game of a run."""
    return float(plan.options.get(WORTH, 0))


def asks_worth(plan: Plan) -> bool:
    """Return whether a run of a plan has games that measure worth."""
    return len(worth_games(range(plan.games), worth_share(plan))) > 0


def worth_games(games: range, share: float) -> range:
    """Return the numbers of the games that measure worth for some games of a run; adjacent games have adjacent
    numbers."""
    return range(int(games.start * share), int(games.stop * share))


def worth_of(simulator: Simulator) -> WishSums:
    """Return the simulator of the games that measure worth, at the table of a simulator."""
    plan = overruled(simulator.plan, CHANCE)
    return WishSums(find_game(plan.game).prepare(plan), plan.game)


def reader_of(game: str) -> WishReader:
    """Return the reader of a game's wishes; raise UserError for a game without one."""
    location = find_game(game).WISHES
    if location is None:
        raise UserError(f"{game} does not record what its policies want")
    module, _, name = location.partition(":")
    reader: WishReader = vars(import_module(module))[name]
    return reader


def items_of(simulator: Simulator) -> Sequence[str]:
    """Return the names of the items that can be wanted, by number.

    A name of several kinds (build, build by chain) occurs several times.
    """
    return [name for _, name in reader_of(simulator.plan.game).wanted(simulator).things]


def rows_and_wishes(
    simulator: Simulator, games: range, items: Sequence[str]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Play games; return their rows, and how often each row wanted each item: shape (rows, items, 3), followed and
    overruled, and on how many turns it could have it.

    A name of several kinds counts as the first of them: a card to build. No items: no wish is recorded.
    """
    if not items:
        rows, _ = rows_and_picks(simulator, games, picks=False)
        return rows, np.zeros((len(rows), 0, 3))
    reader, known, parts = reader_of(simulator.plan.game), items_of(simulator), []
    for first in range(games.start, games.stop, AT_ONCE):
        rows, picks = rows_and_picks(simulator, range(first, min(first + AT_ONCE, games.stop)), picks=True)
        assert picks is not None
        wishes, counts = reader.wishes(simulator, picks, first), np.zeros((len(rows), len(items), 3))
        row = wishes.game * simulator.seats + wishes.seat
        for index, item in enumerate(items):
            if item in known:  # a card may be in one arm only
                number = known.index(item)
                wanted = (wishes.things == number).any(axis=1)
                np.add.at(counts[:, index], (row[wanted], wishes.overruled[wanted].astype(np.int64)), 1.0)
                could = wishes.could[:, number // 64] >> np.uint64(number % 64) & np.uint64(1)
                np.add.at(counts[:, index, 2], row, could.astype(np.float64))
        parts.append((rows, counts))
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([counts for _, counts in parts])


@dataclass(frozen=True)
class WishSums:
    """Play games of a simulator and add up their wishes; can be sent to a worker.

    ``game``: the name of the game.
    """

    simulator: Simulator
    game: str

    def __call__(self, games: range) -> Summary:
        """Play games and return their sums."""
        from wsim.stats.summary import Summary
        from wsim.stats.worth import worth_sums

        if not games:
            return Summary({"games": np.zeros(1)})
        return worth_sums(reader_of(self.game).wanted(self.simulator), self._parts(games))

    def _parts(self, games: range) -> Iterator[tuple[Wishes, pl.DataFrame]]:
        """Play games, and yield the wishes and the seats table of some at a time."""
        reader, simulator = reader_of(self.game), self.simulator
        for first in range(games.start, games.stop, AT_ONCE):
            rows, picks = rows_and_picks(simulator, range(first, min(first + AT_ONCE, games.stop)), picks=True)
            assert picks is not None
            seats = simulator.seats_frame(rows) if reader.seats is None else reader.seats(simulator, rows)
            yield reader.wishes(simulator, picks, first), seats
