"""Play games that sometimes overrule the policies, and sum the policies' wishes to estimate the worth of items.

Only sums are kept (``wsim.stats.worth``). They depend on game numbers but not on machines or chunks, so sums over
different games can be added.
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

AT_ONCE = 128  # games played at a time: their decisions take some 1.4 MB and fit into the processor cache


def overruled(plan: Plan, chance: float | str) -> Plan:
    """Return a plan in which policies are overruled at random; raise UserError if its game or options forbid this."""
    if find_game(plan.game).WISHES is None:
        raise UserError(f"{plan.game} cannot overrule policies, so worth cannot be measured")
    if "randomise" in plan.options:
        raise UserError("randomise and overrule are different experiments: use only one of them")
    plain = {CHARACTER: None} if CHARACTER in plan.options else {}
    return plan.replace(overrule=str(chance), worth=None, picks=False, keep="seats", **plain)


def with_worth(plan: Plan, folder: str | None) -> Plan:
    """Return the plan for ``wsim run``, which measures worth unless the plan disables this or is itself an experiment.

    If ``folder`` contains a run, its setting is used, so that an old run is continued as it was started.
    """
    if WORTH in plan.options and worth_share(plan) == 0:
        return plan.replace(worth=None)
    if {WORTH, OVERRULE, "randomise"} & plan.options.keys() or find_game(plan.game).WISHES is None:
        return plan
    if folder is not None and (Path(folder) / RECORD).exists():
        return plan.replace(worth=read_record(Path(folder)).provenance.identity["plan"].get(WORTH))
    return plan.replace(worth=str(WORTH_GAMES))


def worth_share(plan: Plan) -> float:
    """Return how many worth-measuring games a plan adds for each of its games."""
    return float(plan.options.get(WORTH, 0))


def asks_worth(plan: Plan) -> bool:
    """Return whether a plan includes games that measure worth."""
    return len(worth_games(range(plan.games), worth_share(plan))) > 0


def worth_games(games: range, share: float) -> range:
    """Scale a range of game numbers by ``share``; adjacent ranges stay adjacent, without gaps or overlaps."""
    return range(int(games.start * share), int(games.stop * share))


def worth_of(simulator: Simulator) -> WishSums:
    """Return a function that plays worth-measuring games for a simulator's plan and sums the wishes in them."""
    plan = overruled(simulator.plan, CHANCE)
    return WishSums(find_game(plan.game).prepare(plan), plan.game)


def reader_of(game: str) -> WishReader:
    """Return the object that reads a game's wishes; raise UserError if the game does not record wishes."""
    location = find_game(game).WISHES
    if location is None:
        raise UserError(f"{game} does not record what its policies want")
    module, _, name = location.partition(":")
    reader: WishReader = vars(import_module(module))[name]
    return reader


def items_of(simulator: Simulator) -> Sequence[str]:
    """Return the names of the items that a policy can want, in numerical order.

    A name that belongs to several kinds of item (build, build by chain) occurs several times.
    """
    return [name for _, name in reader_of(simulator.plan.game).wanted(simulator).things]


def rows_and_wishes(
    simulator: Simulator, games: range, items: Sequence[str]
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Play a range of games; return their rows, and wish counts with the shape (rows, items, 3).

    The three counts are wishes followed, wishes overruled, and turns on which the item was available. A name that
    belongs to several kinds of item counts as the first kind, a card to build. Without items, no wishes are recorded.
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
            if item in known:  # a card may exist in only one arm
                number = known.index(item)
                wanted = (wishes.things == number).any(axis=1)
                np.add.at(counts[:, index], (row[wanted], wishes.overruled[wanted].astype(np.int64)), 1.0)
                could = wishes.could[:, number // 64] >> np.uint64(number % 64) & np.uint64(1)
                np.add.at(counts[:, index, 2], row, could.astype(np.float64))
        parts.append((rows, counts))
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([counts for _, counts in parts])


@dataclass(frozen=True)
class WishSums:
    """Plays games with a simulator and sums their wishes; can be sent to a cluster worker.

    ``game``: the name of the game.
    """

    simulator: Simulator
    game: str

    def __call__(self, games: range) -> Summary:
        """Play a range of games and return the sums of the wishes in them."""
        from wsim.stats.summary import Summary
        from wsim.stats.worth import worth_sums

        if not games:
            return Summary({"games": np.zeros(1)})
        return worth_sums(reader_of(self.game).wanted(self.simulator), self._wishes_in_batches(games))

    def _wishes_in_batches(self, games: range) -> Iterator[tuple[Wishes, pl.DataFrame]]:
        """Play a range of games in small batches, and yield the wishes and the seats table of each batch."""
        reader, simulator = reader_of(self.game), self.simulator
        for first in range(games.start, games.stop, AT_ONCE):
            rows, picks = rows_and_picks(simulator, range(first, min(first + AT_ONCE, games.stop)), picks=True)
            assert picks is not None
            seats = simulator.seats_frame(rows) if reader.seats is None else reader.seats(simulator, rows)
            yield reader.wishes(simulator, picks, first), seats
