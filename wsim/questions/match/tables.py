"""The tables of a match: each has a rule set and a number of players, and plays every deal in every seating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.provenance import Provenance
from wsim.questions.deals import MOST_SIDES, Arm, Arms, Features, sides_of, wins_of
from wsim.questions.match.design import Design, duels, mixed

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import Simulator
    from wsim.lab.plan import Plan


@dataclass(frozen=True)
class Block:
    """Some deals in every seating, as whole numbers of shape (deals, seatings, sides).

    If the seating is drawn (``Design.drawn``), the last axis is the place in the seating instead of the side.

    Attributes
    ----------
    games: the numbers of the deals.
    wins: the shares of the victory, in ``WIN_UNITS``.
    totals: the scores; for a team, the sum over its seats.
    ranks: the ranks; 1 is best, and ties share a rank.
    """

    games: range
    wins: NDArray[np.int64]
    totals: NDArray[np.int64]
    ranks: NDArray[np.int64]


@dataclass(frozen=True)
class SideReading:
    """Reads each side's share of the victory, score and rank from games, each of shape (sides, games).

    ``sides``: the seats of each side.
    """

    sides: tuple[tuple[int, ...], ...]

    def __call__(self, frame: pl.DataFrame, games: range) -> Features:
        """Return the features of games."""

        def column(name: str) -> NDArray[np.float64]:
            return frame[name].to_numpy().astype(np.float64).reshape(len(games), -1)

        first = [side[0] for side in self.sides]
        scores = column("total")
        totals = np.stack([scores[:, list(side)].sum(axis=1) for side in self.sides]).astype(np.int64)
        behind = (totals[None, :] > totals[:, None]).sum(axis=1) + 1
        ranks = column("rank")[:, first].T.astype(np.int64) if "rank" in frame.columns else behind
        return [wins_of(frame, len(games))[:, first].T, totals, ranks]


@dataclass(frozen=True)
class MatchTable:
    """A rule set and a number of players, ready to play.

    Attributes
    ----------
    plan: the plan, with the first policy in all seats. policies: the names of the policies.
    design: the seatings. sides: the seats of each side.
    simulators: one simulator per seating. alone: one per policy, for self-play.
    ready: all simulators with their plans, for a cluster.
    made: the provenance of the self-play games of each policy: rules, policy, version.
    """

    plan: Plan
    policies: tuple[str, ...]
    design: Design
    sides: tuple[tuple[int, ...], ...]
    simulators: tuple[Simulator, ...]
    alone: tuple[Simulator, ...]
    made: tuple[Provenance, ...]
    ready: tuple[tuple[Plan, Simulator], ...]

    @property
    def name(self) -> str:
        """The name of the table: ``1e, 4 players``."""
        return f"{self.plan.ruleset}, {self.plan.players} players"

    def play(self, games: range) -> Block:
        """Play deals in every seating and return them as a block."""
        read, places = SideReading(self.sides), self.design.places(self.plan.seed, games)
        if self.design.drawn:
            played = [read(self._seated(simulator, places, games), games) for simulator in self.simulators]
        else:
            played = Arms(tuple(Arm("", (simulator,)) for simulator in self.simulators), read).play(games)
        by_side = [np.stack(parts).transpose(2, 0, 1) for parts in zip(*played, strict=True)]
        return Block(games, *(np.take_along_axis(side, np.argsort(places)[:, None], axis=2) for side in by_side))

    def _seated(self, simulator: Simulator, places: NDArray[np.int64], games: range) -> pl.DataFrame:
        """Play deals with the line-up of a seating, whose sides sit at the given places."""
        first = np.array([side[0] for side in self.sides])
        orders = np.tile(np.arange(self.plan.players), (len(games), 1))
        for number, side in enumerate(self.sides):
            orders[:, list(side)] = first[places[:, number], None]
        rows = np.zeros(len(games) * simulator.seats, simulator.row_dtype)
        simulator.play_seated(games.start, rows, orders)
        return simulator.seats_frame(rows)


def prepare_seatings(plan: Plan, policies: Sequence[str], *, round_robin: bool) -> MatchTable:
    """Prepare every seating of a table; raise UserError for an invalid one."""
    game = find_game(plan.game)
    plans = [plan.replace(policies=[policy], rotate=False, picks=False, keep="seats") for policy in policies]
    alone: tuple[Simulator, ...] = tuple(map(game.prepare, plans))
    sides = sides_of(alone[0])
    if not 2 <= len(sides) <= MOST_SIDES:
        raise UserError(
            f"a match needs 2 to {MOST_SIDES} sides, but {plan.players} players of {plan.ruleset} make {len(sides)}"
        )
    paired = round_robin or len(policies) == 2
    design = duels(len(policies), len(sides)) if paired else mixed(policies, len(sides))
    line_ups = [_line_up(policies, sides, seating) for seating in design.seatings]
    seated = [plans[0].replace(policies=line_up) for line_up in line_ups]
    simulators: tuple[Simulator, ...] = tuple(map(game.prepare, seated))
    made = tuple(Provenance.of(given, simulator) for given, simulator in zip(plans, alone, strict=True))
    ready = tuple(zip([*seated, *plans], [*simulators, *alone], strict=True))
    return MatchTable(plans[0], tuple(policies), design, sides, simulators, alone, made, ready)


def _line_up(policies: Sequence[str], sides: Sequence[Sequence[int]], seating: Sequence[int]) -> list[str]:
    by_seat = {seat: policies[policy] for side, policy in zip(sides, seating, strict=True) for seat in side}
    return [by_seat[seat] for seat in sorted(by_seat)]
