"""A game for the tests of comparisons: its effects are known by construction.

A seat draws a score from a hash of (seed, game, seat), and in a quarter of the games it owns the medal, which is worth
``cards.Medal.points`` (5). ``cards.Medal.salt`` changes part of every score and no distribution: a change without an
effect. The option ``ban`` (``seat=medal``) takes a seat's medals away; ``pause`` sleeps in every game.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.games.toy_game import mixed
from wsim.errors import UserError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.game import PickExperiment, Position, Restrict
    from wsim.lab.plan import Plan
    from wsim.positions.scenes import Retelling

NAME = "medal"
TITLE = "Medal"
OPTIONS: Mapping[str, str] = {"ban": "seat=medal", "pause": "seconds to sleep in every game"}
OWNED: Mapping[str, str] = {"built:": "card"}
COLOURS: Mapping[str, str] = {}
ANALYSES: Mapping[str, str] = {"policies": "wsim.stats.shared:POLICIES"}
PICKS: PickExperiment | None = None
LEARNER: str | None = None
POSITION_KEYS: Sequence[str] = ()
POLICIES = ("bold", "shy")
WONDERS = ("Colossus", "Garden", "Temple")
ROW = np.dtype(
    [
        ("game", "u8"),
        ("seat", "u1"),
        ("wonder", "u1"),
        ("policy", "u1"),
        ("total", "i4"),
        ("win_share", "f4"),
        ("medal", "?"),
    ]
)
PICK = np.dtype([("game", "u8")])


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:
    return {"ruleset": "medal-1e", "players": 4, "policies": ("bold", "shy", "bold", "shy")}


def restricted(plan: Plan, seat: int, things: str) -> Plan:
    if things != "medal":
        raise UserError(f"a seat can be denied the medal, not {things!r}")
    return plan.replace(ban=f"{seat}={things}")


def plan_of(told: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:
    return {}


RESTRICT: Restrict | None = restricted


def cold() -> float:
    return 0.0


def policies() -> Sequence[Mapping[str, Any]]:
    return [{"name": name} for name in POLICIES]


def prepare(plan: Plan) -> MedalSimulator:
    return MedalSimulator(plan)


class MedalSimulator:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seats = plan.players
        self.row_dtype, self.pick_dtype, self.picks_per_game = ROW, PICK, 0
        self.own_cards = None
        values = {"points": 5, "salt": 0}
        for change in plan.set:
            path, _, value = change.partition("=")
            name = path.removeprefix("cards.Medal.")
            if name not in values:
                raise UserError(f"the medal has no {name!r}")
            values[name] = int(value)
        self.points, self.salt = values["points"], values["salt"]
        self.banned = {int(part.partition("=")[0]) for part in plan.options.get("ban", "").split(";") if part}

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count = len(rows) // self.seats
        time.sleep(float(self.plan.options.get("pause", 0)) * count)
        games = np.repeat(np.arange(first, first + count, dtype=np.uint64), self.seats)
        seats = np.tile(np.arange(self.seats, dtype=np.uint64), count)
        rows["game"], rows["seat"] = games, seats
        deal = mixed(np.uint64(self.plan.seed) * np.uint64(2**40) + games * np.uint64(64) + seats)
        rows["wonder"] = (games + seats) % np.uint64(len(WONDERS))
        rows["policy"] = seats % np.uint64(2)
        rows["medal"] = deal % np.uint64(4) == 0
        for seat in self.banned:
            rows["medal"][seats == seat] = False
        salted = mixed(deal + np.uint64(self.salt))
        rows["total"] = (deal >> np.uint64(8)) % np.uint64(40) + salted % np.uint64(10) + self.points * rows["medal"]
        totals = rows["total"].reshape(count, self.seats)
        best = totals == totals.max(axis=1, keepdims=True)
        rows["win_share"] = (best / best.sum(axis=1, keepdims=True)).reshape(-1)
        return 0

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        frame = pl.DataFrame({name: np.ascontiguousarray(rows[name]) for name in ROW.names or ()})
        wonder = pl.Series(WONDERS, dtype=pl.Enum(WONDERS)).gather(rows["wonder"])
        policy = pl.Series(POLICIES, dtype=pl.Enum(POLICIES)).gather(rows["policy"])
        return frame.with_columns(wonder=wonder, policy=policy).rename({"medal": "built:Medal"})

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame({"game": np.ascontiguousarray(picks["game"])})

    def begin(self, number: int) -> Position:
        raise UserError("the medal game has no decisions")

    def retell(self, number: int) -> Retelling:
        raise UserError("the medal game has no decisions")

    def lay_out(self, told: Mapping[str, Any]) -> Position:
        raise UserError("the medal game has no decisions")

    def trace(self, number: int) -> dict[str, Any]:
        return {"index": number}

    def text(self, trace: Mapping[str, Any]) -> str:
        return str(trace)

    def phrase(self, move: Mapping[str, Any]) -> str:
        raise NotImplementedError

    def paid(self, move: Mapping[str, Any]) -> dict[str, int]:
        raise NotImplementedError

    def resolved(self) -> dict[str, Any]:
        return {"wonders": list(WONDERS)}

    def changed(self, other: MedalSimulator) -> Sequence[str]:
        return ["Medal"] if (self.points, self.salt) != (other.points, other.salt) else []

    def provenance(self) -> dict[str, Any]:
        return {"points": self.points, "salt": self.salt, "changes": list(self.plan.set)}


def register() -> None:
    """Add the game to those that wsim knows."""
    import wsim.game

    games = wsim.game.GAMES
    assert isinstance(games, dict)
    games[NAME] = __name__


if __name__ == "__main__":  # the command line with this game, for tests that need a process
    from tests.games import medal_game
    from wsim.cli.app import main

    medal_game.register()
    main()
