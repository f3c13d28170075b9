"""The rules, policies and simulator of the toy game; it needs only numpy.

In each of three turns a seat is dealt two stones that only it sees and keeps one. A seat whose first two stones add up
to an odd number stops there. The score is the sum of the stones kept, and the pearl for a stone of the highest value.
"""

from __future__ import annotations

import hashlib
import os
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError
from wsim.game import Simulator

from .position import ToyPosition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan

TURNS, HAND = 3, 2
STREAMS = 64  # words of a seat: its stones, then what its policy draws
DRAWS = np.arange(TURNS, dtype=np.uint64) + np.uint64(TURNS * HAND)
TEXT = Path(__file__).with_name("rules.toml").read_bytes()
RULES = tomllib.loads(TEXT.decode())
WHOLE = {"game": "u8", "seat": "u1", "policy": "u1", "rank": "u1", "win_share": "f4", "total": "i4"}
OWN = {"points_stones": "i4", "points_treasures": "i4", "has:pearl": "?"}
ROW = np.dtype([*{**WHOLE, **OWN}.items()])
PICK = np.dtype([("game", "u8"), ("seat", "u1"), ("turn", "u1"), ("choice", "u1")])


@dataclass(frozen=True)
class Policy:
    """A policy: ``choose`` takes hands, shape (seats, stones), and one word per seat; it returns an index per seat."""

    choose: Callable[[NDArray[Any], NDArray[np.uint64]], NDArray[np.int64]]
    kind: str
    idea: str


POLICIES: Mapping[str, Policy] = {
    "bold": Policy(lambda hands, words: hands.argmax(axis=1), "fixed", "more is more"),
    "random": Policy(lambda hands, words: (words % np.uint64(HAND)).astype(np.int64), "baseline", "no idea"),
    "shy": Policy(lambda hands, words: hands.argmin(axis=1), "fixed", "less is more"),
}


def mixed(words: NDArray[Any]) -> NDArray[Any]:
    """Return SplitMix64's finaliser of each word."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[Any] = words ^ (words >> np.uint64(31))
    return result


class ToySimulator(Simulator):
    """A plan of the toy game, ready to play."""

    row_dtype, pick_dtype = ROW, PICK

    def __init__(self, plan: Plan) -> None:
        self.plan, self.seats = plan, plan.players
        self.picks_per_game = self.seats * TURNS
        self.highest, self.pearl = RULES["rulesets"][plan.ruleset]["highest"], RULES["treasures"]["pearl"]
        chosen = [POLICIES[entry.name] for entry in plan.line_up]
        self.chosen = chosen * (plan.players if len(chosen) == 1 else 1)
        self.digest = hashlib.sha256(TEXT).hexdigest()[:16]

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count = len(rows) // self.seats
        if "TOY_PLAYS" in os.environ:
            Path(os.environ["TOY_PLAYS"]).touch()
        if "pause" in self.plan.options:
            time.sleep(float(self.plan.options["pause"]) * count)
        self._fail(range(first, first + count))
        games = np.repeat(np.arange(first, first + count, dtype=np.uint64), self.seats)
        seats = np.tile(np.arange(self.seats, dtype=np.uint64), count)
        rows["game"], rows["seat"] = games, seats
        rows["policy"] = (seats + games) % np.uint64(self.seats) if self.plan.rotate else seats
        hands, words = self.hands(rows), self._words(rows, DRAWS)
        choices = np.zeros((len(rows), TURNS), np.int64)
        for place, policy in enumerate(self.chosen):
            mine = rows["policy"] == place
            for turn in range(TURNS):
                choices[mine, turn] = policy.choose(hands[mine, turn], words[mine, turn])
        kept = np.take_along_axis(hands, choices[:, :, None], axis=2)[:, :, 0].astype(np.int64)
        decided = np.ones(choices.shape, bool)
        decided[:, -1] = kept[:, :-1].sum(axis=1) % 2 == 0
        self.score(rows, np.where(decided, kept, 0), count)
        if picks is None:
            return 0
        row, at = np.nonzero(decided)
        for name, values in {"game": games[row], "seat": seats[row], "turn": at, "choice": choices[row, at]}.items():
            picks[name][: len(row)] = values
        return len(row)

    def _fail(self, games: range) -> None:
        if int(self.plan.options.get("fail", -1)) in games:
            raise UserError(f"game {self.plan.options['fail']} cannot be played")

    def hands(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the stones that are dealt to each row, shape (rows, turns, stones)."""
        words = self._words(rows, np.arange(TURNS * HAND, dtype=np.uint64))
        return (words % np.uint64(self.highest)).reshape(-1, TURNS, HAND) + np.uint64(1)

    def _words(self, rows: NDArray[Any], streams: NDArray[np.uint64]) -> NDArray[Any]:
        seat = (rows["game"] * np.uint64(16) + rows["seat"]) * np.uint64(STREAMS)
        return mixed(mixed(seat[:, None] + streams) + np.uint64(self.plan.seed))

    def score(self, rows: NDArray[Any], kept: NDArray[Any], games: int) -> None:
        rows["has:pearl"] = (kept == self.highest).any(axis=1)
        rows["points_stones"], rows["points_treasures"] = kept.sum(axis=1), self.pearl * rows["has:pearl"]
        rows["total"] = rows["points_stones"] + rows["points_treasures"]
        totals = rows["total"].reshape(games, self.seats)
        rows["rank"] = (1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)).reshape(-1)
        best = totals == totals.max(axis=1, keepdims=True)
        rows["win_share"] = (best / best.sum(axis=1, keepdims=True)).reshape(-1)

    def begin(self, number: int) -> ToyPosition:
        self._fail(range(number, number + 1))
        rows = np.zeros(self.seats, ROW)
        rows["game"], rows["seat"] = number, np.arange(self.seats)
        return ToyPosition(self, number, self.hands(rows).astype(np.int64), self._words(rows, DRAWS))

    def set_up(self, told: Mapping[str, Any]) -> ToyPosition:
        position = self.begin(0)
        position.hands[told["seat"], 0] = told["hand"]
        return position

    def changed(self, other: ToySimulator) -> Sequence[str]:
        return ["pearl"] if self.pearl != other.pearl else []

    def provenance(self) -> dict[str, Any]:
        return {"catalogue": {"source": "rules.toml", "digest": self.digest}, "assumptions": []}
