"""A game for the tests of comparisons, whose effects are known by construction.

A seat draws a score from a hash of (seed, game, seat), and in a quarter of the games it owns the medal, which is worth
``cards.Medal.points`` (5). ``cards.Medal.salt`` changes part of every score and no distribution: a change without an
effect. A wonder has ``wonders.NAME.points`` (0) more, and ``wonders.NAME.salt`` (0) fewer. The option ``ban``
(``seat=medal``) takes a seat's medals away; ``pause`` sleeps in every game.
"""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.games.toy_game.simulator import mixed
from wsim.errors import UserError
from wsim.game import Game, Simulator, Tuning

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

POLICIES = ("bold", "shy")
WASTED = 4  # points of the temple that a table of `lazy` alone makes nothing of
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


def restricted(plan: Plan, seat: int, things: str) -> Plan:
    if things != "medal":
        raise UserError(f"a seat can be denied the medal, not {things!r}")
    return plan.replace(ban=f"{seat}={things}")


def values(simulator: MedalSimulator) -> Mapping[tuple[str, ...], int]:
    return {("cards" if key[0] == "Medal" else "wonders", *key): value for key, value in simulator.values.items()}


def worth(simulator: MedalSimulator, path: tuple[str, ...], seats: pl.DataFrame) -> NDArray[np.int64] | None:
    """Return how often points count in a score; for salt, of which more is worse, games must be played again."""
    if path[-1] != "points":
        return None
    if path == MEDAL:
        return seats["built:Medal"].to_numpy().astype(int)
    return (seats["wonder"].cast(str) == path[1]).to_numpy().astype(int)


def shares(simulator: MedalSimulator, seats: pl.DataFrame) -> Callable[..., NDArray[np.float64]]:
    by_game = seats["total"].to_numpy().reshape(-1, simulator.seats)

    def found(games: NDArray[Any], extra: NDArray[Any]) -> NDArray[np.float64]:
        totals = by_game[games] + extra
        best = totals == totals.max(axis=1, keepdims=True)
        result: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
        return result

    return found


def focus(simulator: MedalSimulator, path: tuple[str, ...]) -> None:
    return None


MEDAL = ("cards", "Medal", "points")


MARK, UNDER_WAY = "MEDAL_MARK", 200_000
"""Environment variable with the name of a file that is created after this many games: a test waits for it."""


class Medal(Game):
    NAME, TITLE = "medal", "Medal"
    OPTIONS: Mapping[str, str] = {"ban": "seat=medal", "pause": "seconds to sleep in every game"}
    OWNED: Mapping[str, str] = {"built:": "card"}
    ANALYSES: Mapping[str, str] = {"policies": "wsim.stats.shared:POLICIES"}
    RESTRICT = staticmethod(restricted)
    TUNING = Tuning(values, worth, shares, focus)

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        return {"ruleset": "medal-1e", "players": 4, "policies": ("bold", "shy", "bold", "shy")}

    def policies(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": name} for name in POLICIES]

    def prepare(self, plan: Plan) -> MedalSimulator:
        return MedalSimulator(plan)


GAME = Medal()


class MedalSimulator(Simulator):
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.seats = plan.players
        self.row_dtype, self.pick_dtype, self.picks_per_game = ROW, PICK, 0
        values = {path[1:]: 0 if path[-1] == "salt" else 5 for path in (MEDAL, (*MEDAL[:2], "salt"))}
        values |= {(name, what): 0 for name in WONDERS for what in ("points", "salt")}
        for file in plan.card_files[1]:
            try:
                tables = tomllib.loads(Path(file).read_text(encoding="utf-8"))
            except OSError as error:
                raise UserError(f"cannot read {str(file)!r}: {error.strerror}") from error
            values |= {
                (name, what): one for part in tables.values() for name, of in part.items() for what, one in of.items()
            }
        for change in plan.set:
            path, _, value = change.partition("=")
            key = tuple(path.split(".")[1:])
            if key not in values:
                raise UserError(f"the medal has no {'.'.join(key[-1:])!r}")
            values[key] = int(value)
        self.values = values
        self.points, self.salt = values[("Medal", "points")], values[("Medal", "salt")]
        self.banned = {int(part.partition("=")[0]) for part in plan.options.get("ban", "").split(";") if part}

    def with_line_up(self, policies: Sequence[str]) -> MedalSimulator:
        return type(self)(self.plan.replace(policies=policies))

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count = len(rows) // self.seats
        if first >= UNDER_WAY and MARK in os.environ:
            Path(os.environ[MARK]).touch()
        time.sleep(float(self.plan.options.get("pause", 0)) * count)
        games = np.repeat(np.arange(first, first + count, dtype=np.uint64), self.seats)
        seats = np.tile(np.arange(self.seats, dtype=np.uint64), count)
        rows["game"], rows["seat"] = games, seats
        deal = mixed(np.array([self.plan.seed], np.uint64) * np.uint64(2**40) + games * np.uint64(64) + seats)
        rows["wonder"] = (games + seats) % np.uint64(len(WONDERS))
        rows["policy"] = seats % np.uint64(2)
        rows["medal"] = deal % np.uint64(4) == 0
        for seat in self.banned:
            rows["medal"][seats == seat] = False
        salted = mixed(deal + np.uint64(self.salt))
        rows["total"] = (deal >> np.uint64(8)) % np.uint64(40) + salted % np.uint64(10) + self.points * rows["medal"]
        rows["total"] += np.array([self.values[name, "points"] for name in WONDERS], "i4")[rows["wonder"]]
        rows["total"] -= np.array([self.values[name, "salt"] for name in WONDERS], "i4")[rows["wonder"]]  # a cost
        if self.plan.policies == ("lazy",):
            rows["total"] -= WASTED * (rows["wonder"] == WONDERS.index("Temple"))
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

    def resolved(self) -> dict[str, Any]:
        return {"wonders": list(WONDERS)}

    def changed(self, other: MedalSimulator) -> Sequence[str]:
        return ["Medal"] if (self.points, self.salt) != (other.points, other.salt) else []

    def provenance(self) -> dict[str, Any]:
        values = {".".join(key): value for key, value in self.values.items()}
        return {"catalogue": {"source": "medal_game.py", **values}, "changes": list(self.plan.set)}
