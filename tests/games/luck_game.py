"""A game for the tests of matches whose scores are known, so that every figure can be computed by hand.

A seat's total is the luck of its place, ``LUCK[game][seat]``, with ``luck=hash`` a hash of (seed, game, seat); and what
its policy adds: ``skill`` points and a number below ``noise`` from a hash of (seed, game, seat, salt). So ``p:salt=1``
and ``p:salt=2`` are equally strong and unlike. Every third seat has the charm, which adds ``charm`` points. The option
``teams`` makes two seats next to each other win together.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.games.medal_game import MedalSimulator
from tests.games.toy_game.simulator import mixed
from wsim.errors import UserError
from wsim.game import Game
from wsim.stats.analysis import Analysis
from wsim.stats.owner_table import owners
from wsim.stats.owner_tallies import OwnerTallies

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

CHARMS = Analysis(partial(owners, prefix="has:", noun="charm"), "what the charm went with", sums=OwnerTallies("has:"))
LUCK = np.zeros((2, 12), np.int64)
LUCK[0, 1], LUCK[1, 0] = 1, 2
ROW = np.dtype([("game", "u8"), ("seat", "u1"), ("policy", "u1"), ("total", "i4"), ("rank", "u1"), ("win_share", "f4")])
PICK = np.dtype([("game", "u8")])


class Luck(Game):
    NAME, TITLE = "luck", "Luck"
    OPTIONS: Mapping[str, str] = {
        "luck": "table or hash", "teams": "true: two seats win together", "pause": "seconds to sleep in every game",
    }  # fmt: skip
    OWNED: Mapping[str, str] = {"has:": "charm"}
    ANALYSES: Mapping[str, str] = {
        "policies": "wsim.stats.shared:POLICIES", "charms": "tests.games.luck_game:CHARMS",
    }  # fmt: skip

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        return {"ruleset": "one", "players": 2 if ruleset == "two" else 4, "policies": ("p",)}

    def policies(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": "p"}]

    def prepare(self, plan: Plan) -> LuckSimulator:
        return LuckSimulator(plan)


GAME = Luck()


class LuckSimulator(MedalSimulator):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.row_dtype, self.pick_dtype, self.picks_per_game = ROW, PICK, 1
        entries = plan.line_up * (plan.players if len(plan.line_up) == 1 else 1)
        for entry in entries:
            if entry.name != "p":
                raise UserError(f"unknown policy {entry.name!r}: known is p")
        values = {"skill": 0, "noise": 1, "salt": 0, "charm": 0}
        of_seats = [values | {key: int(value) for key, value in entry.parameters.items()} for entry in entries]
        self.skill, self.noise, self.salts, self.charm = (np.array([one[key] for one in of_seats]) for key in values)
        self.names = [str(entry) for entry in entries]
        self.teams = plan.options.get("teams") == "true"

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count = len(rows) // self.seats
        if "pause" in self.plan.options:  # a sleep of nothing gives the processor away, too
            time.sleep(float(self.plan.options["pause"]) * count)
        games = np.arange(first, first + count, dtype=np.uint64)[:, None]
        seats = np.arange(self.seats, dtype=np.uint64)[None, :]
        deal = mixed(np.uint64(self.plan.seed) * np.uint64(2**40) + games * np.uint64(64) + seats)
        luck = LUCK[(games % np.uint64(len(LUCK))).astype(int), seats.astype(int)]
        if self.plan.options.get("luck") == "hash":
            luck = (deal % np.uint64(20)).astype(np.int64)
        own = mixed(deal + self.salts.astype(np.uint64)[None, :] * np.uint64(2**32))
        total = luck + self.skill + (own % self.noise.astype(np.uint64)).astype(np.int64)
        total = total + self.charm * ((games + seats) % np.uint64(3) == 0)
        points = total.reshape(count, -1, 2).sum(axis=2).repeat(2, axis=1) if self.teams else total
        rank = 1 + (points[:, None, :] > points[:, :, None]).sum(axis=2) // (2 if self.teams else 1)
        best = rank == 1
        share = best / best.sum(axis=1, keepdims=True) * (2 if self.teams else 1)
        whole = {"game": games + 0 * seats, "seat": seats + 0 * games, "policy": seats + 0 * games}
        for name, values in {**whole, "total": total, "rank": rank, "win_share": share}.items():
            rows[name] = values.reshape(-1)
        return count

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        columns: dict[str, Any] = {name: np.ascontiguousarray(rows[name]) for name in ROW.names or ()}
        names = pl.Enum(list(dict.fromkeys(self.names)))
        columns["policy"] = pl.Series([self.names[seat] for seat in columns["policy"].tolist()], dtype=names)
        columns["team"] = columns["seat"] // 2 if self.teams else columns["seat"]
        columns["has:Charm"] = (columns["game"] + columns["seat"]) % 3 == 0
        return pl.DataFrame(columns)  # without an expression: matches ask for very many frames of a few games
