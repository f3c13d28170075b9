"""The rules of the toy game, and a plan of it made ready to play, with numpy alone.

In each of three turns a seat is dealt two stones that only it sees and keeps one. A seat whose first two stones add up
to an odd number stops there. The score is the sum of the stones kept, and the pearl for a stone of the highest value.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.games.toy_game.players import REGISTRY, Policy
from tests.games.toy_game.position import ToyPosition
from wsim.errors import UserError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from wsim.lab.plan import Plan
    from wsim.positions.scenes import Story

__all__ = ["PICK", "ROW", "Rules", "ToySimulator", "mixed"]

TURNS, HAND = 3, 2
STREAMS = 64  # words of a seat: its stones, then what its policy draws
ROW = np.dtype(
    [
        ("game", "u8"),
        ("seat", "u1"),
        ("policy", "u1"),
        ("rank", "u1"),
        ("win_share", "f4"),
        ("total", "i4"),
        ("points_stones", "i4"),
        ("points_treasures", "i4"),
        ("pearl", "?"),
    ]
)
PICK = np.dtype([("game", "u8"), ("seat", "u1"), ("turn", "u1"), ("choice", "u1")])


@dataclass(frozen=True)
class Rules:
    """The rules in force: the digest of their file, the highest stone, and what the pearl is worth (points)."""

    digest: str
    highest: int
    pearl: int


def mixed(words: NDArray[Any]) -> NDArray[Any]:
    """Return SplitMix64's finaliser of each word."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[Any] = words ^ (words >> np.uint64(31))
    return result


class ToySimulator:
    """A plan of the toy game made ready to play (``wsim.game.Simulator``)."""

    def __init__(self, plan: Plan, rules: Rules, line_up: Sequence[str]) -> None:
        self.plan, self.rules = plan, rules
        self.seats = plan.players
        self.row_dtype, self.pick_dtype, self.own_cards = ROW, PICK, None
        self.picks_per_game = self.seats * TURNS
        self.line_up = [list(REGISTRY).index(name) for name in line_up]

    def play(self, first: int, rows: NDArray[Any], picks: NDArray[Any] | None = None) -> int:
        count = len(rows) // self.seats
        if "TOY_PLAYS" in os.environ:
            Path(os.environ["TOY_PLAYS"]).touch()
        if "pause" in self.plan.options:
            time.sleep(float(self.plan.options["pause"]) * count)
        if first <= int(self.plan.options.get("fail", -1)) < first + count:
            raise UserError(f"game {self.plan.options['fail']} cannot be played")
        games = np.repeat(np.arange(first, first + count, dtype=np.uint64), self.seats)
        seats = np.tile(np.arange(self.seats, dtype=np.uint64), count)
        turned = (seats + games) % np.uint64(self.seats) if self.plan.rotate else seats
        rows["game"], rows["seat"] = games, seats
        rows["policy"] = np.array(self.line_up)[turned.astype(np.int64)]
        hands, choices, decided = self._decisions(rows)
        self.score(rows, np.where(decided, _kept(hands, choices), 0), count)
        if picks is None:
            return 0
        seat, turn = np.nonzero(decided)
        for name, values in (("game", games[seat]), ("seat", seats[seat]), ("turn", turn)):
            picks[name][: len(seat)] = values
        picks["choice"][: len(seat)] = choices[seat, turn]
        return len(seat)

    def with_line_up(self, policies: Sequence[str]) -> ToySimulator:
        plan = self.plan.replace(policies=policies)
        return ToySimulator(plan, self.rules, [entry.name for entry in plan.line_up])

    def begin(self, number: int) -> ToyPosition:
        rows = np.zeros(self.seats, ROW)
        rows["game"], rows["seat"] = number, np.arange(self.seats)
        return ToyPosition(self, number, self.hands(rows).astype(np.int64), np.zeros((self.seats, TURNS), np.int64))

    def chosen(self, number: int, seat: int, turn: int, hand: NDArray[Any]) -> int:
        rows = np.zeros(1, ROW)
        rows["game"], rows["seat"] = number, seat
        word = self._words(rows, np.arange(TURNS, dtype=np.uint64) + np.uint64(TURNS * HAND))[0, [turn]]
        return int(self.policy((seat + number) % self.seats if self.plan.rotate else seat).choose(hand, word)[0])

    def set_up(self, told: Mapping[str, Any]) -> ToyPosition:
        position = self.begin(0)
        position.hands[told["seat"], 0] = told["hand"]
        return position

    def policy(self, seat: int) -> Policy:
        return list(REGISTRY.values())[self.line_up[seat]]

    def hands(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the stones that are dealt to each row, shape (rows, turns, stones)."""
        words = self._words(rows, np.arange(TURNS * HAND, dtype=np.uint64))
        return (words % np.uint64(self.rules.highest)).reshape(-1, TURNS, HAND) + np.uint64(1)

    def _words(self, rows: NDArray[Any], streams: NDArray[np.uint64]) -> NDArray[Any]:
        seat = (rows["game"] * np.uint64(16) + rows["seat"]) * np.uint64(STREAMS)
        return mixed(mixed(seat[:, None] + streams) + np.uint64(self.plan.seed))

    def _decisions(self, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the hands, the index chosen from each, and whether it came to that decision, shape (rows, turns)."""
        hands = self.hands(rows)
        own = self._words(rows, np.arange(TURNS, dtype=np.uint64) + np.uint64(TURNS * HAND))
        choices = np.zeros(hands.shape[:2], np.int64)
        for code, policy in enumerate(REGISTRY.values()):
            mine = rows["policy"] == code
            for turn in range(TURNS):
                choices[mine, turn] = policy.choose(hands[mine, turn], own[mine, turn])
        decided = np.ones(choices.shape, bool)
        decided[:, -1] = _kept(hands, choices)[:, :-1].sum(axis=1) % 2 == 0
        return hands, choices, decided

    def score(self, rows: NDArray[Any], kept: NDArray[Any], games: int) -> None:
        rows["pearl"] = (kept == self.rules.highest).any(axis=1)
        rows["points_stones"] = kept.sum(axis=1)
        rows["points_treasures"] = self.rules.pearl * rows["pearl"]
        rows["total"] = rows["points_stones"] + rows["points_treasures"]
        totals = rows["total"].reshape(games, self.seats)
        rows["rank"] = (1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)).reshape(-1)
        best = totals == totals.max(axis=1, keepdims=True)
        rows["win_share"] = (best / best.sum(axis=1, keepdims=True)).reshape(-1)

    def seats_frame(self, rows: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        names = pl.Series(list(REGISTRY), dtype=pl.Enum(list(REGISTRY)))
        columns = {name: np.ascontiguousarray(rows[name]) for name in ROW.names or ()}
        frame = pl.DataFrame(columns).with_columns(policy=names.gather(columns["policy"]))
        return frame.rename({"pearl": "has:pearl"})

    def picks_frame(self, picks: NDArray[Any]) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame({name: np.ascontiguousarray(picks[name]) for name in PICK.names or ()})

    def trace(self, number: int) -> dict[str, Any]:
        rows = np.zeros(self.seats, ROW)
        self.play(number, rows)
        hands, choices, decided = self._decisions(rows)
        moves = [
            {
                "seat": int(seat),
                "turn": int(turn),
                "hand": hands[seat, turn].tolist(),
                "choice": int(choices[seat, turn]),
            }
            for turn, seat in np.argwhere(decided.T)
        ]
        scores = [{"seat": int(row["seat"]), "total": int(row["total"])} for row in rows]
        labels = [{"policy": list(REGISTRY)[row["policy"]]} for row in rows]
        return {
            "format": "wsim-trace/1",
            "game": self.plan.game,
            "ruleset": self.plan.ruleset,
            "seed": self.plan.seed,
            "index": number,
            "seats": labels,
            "moves": moves,
            "scores": scores,
        }

    def text(self, trace: Mapping[str, Any]) -> str:
        return f"Game {trace['index']}: " + ", ".join(str(seat["total"]) for seat in trace["scores"])

    def story(self, number: int) -> Story:
        from tests.games.toy_game.scenes import story

        return story(self, number)

    def resolved(self) -> dict[str, Any]:
        return {"highest": self.rules.highest, "pearl": self.rules.pearl}

    def changed(self, other: ToySimulator) -> Sequence[str]:
        return ["pearl"] if self.rules.pearl != other.rules.pearl else []

    def phrase(self, move: Mapping[str, Any]) -> str:
        return f"keep {move['keep']}"

    def paid(self, move: Mapping[str, Any]) -> dict[str, int]:
        return {}

    def provenance(self) -> dict[str, Any]:
        return {"catalogue": {"source": "rules.toml", "digest": self.rules.digest}, "assumptions": []}


def _kept(hands: NDArray[Any], choices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the stone that each choice keeps, shape (rows, turns)."""
    return np.take_along_axis(hands, choices[:, :, None], axis=2)[:, :, 0].astype(np.int64)
