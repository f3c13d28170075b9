"""A toy game in progress: seat after seat plays all its turns, and sees only its own stones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wsim.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .simulator import ToySimulator


class ToyPosition(Position):
    def __init__(self, simulator: ToySimulator, number: int, hands: NDArray[Any], words: NDArray[Any]) -> None:
        self.simulator, self.number, self.hands, self.words = simulator, number, hands, words
        self.kept = np.zeros(hands.shape[:2], np.int64)

    def _turn(self, seat: int) -> int:
        return min(int((self.kept[seat] > 0).sum()), 2)

    @property
    def to_move(self) -> int | None:
        for seat, stones in enumerate(self.kept):
            if (stones[:2] == 0).any() or (stones[2] == 0 and stones[:2].sum() % 2 == 0):
                return seat
        return None

    def moves(self) -> Sequence[Mapping[str, Any]]:
        seat = self.to_move
        if seat is None:
            return []
        hand = self.hands[seat, self._turn(seat)].tolist()
        return [{"seat": seat, "turn": self._turn(seat), "hand": hand, "keep": stone} for stone in hand]

    def take(self, index: int) -> None:
        assert self.to_move is not None
        seat, turn = self.to_move, self._turn(self.to_move)
        self.kept[seat, turn] = self.hands[seat, turn, index]

    def _choice(self, simulator: ToySimulator, place: int, word: NDArray[Any]) -> int:
        assert self.to_move is not None
        hand = self.hands[self.to_move, [self._turn(self.to_move)]]
        return int(simulator.chosen[place % len(self.kept)].choose(hand, word)[0])

    def follow(self) -> int:
        assert self.to_move is not None
        seat, shift = self.to_move, self.number if self.simulator.plan.rotate else 0
        index = self._choice(self.simulator, seat + shift, self.words[seat, [self._turn(seat)]])
        self.take(index)
        return index

    def chosen_by(self, simulator: ToySimulator, seed: int, number: int = 0) -> int:
        assert self.to_move is not None
        word = np.random.default_rng([seed, number]).integers(0, 1 << 60, 1).astype(np.uint64)
        return self._choice(simulator, self.to_move, word)

    def standing(self) -> list[int]:
        return [int(total) for total in self.kept.sum(axis=1)]

    def scores(self) -> list[dict[str, Any]]:
        rows = np.zeros(len(self.kept), self.simulator.row_dtype)
        self.simulator.score(rows, self.kept, 1)
        return [
            {"seat": seat, "total": int(row["total"]), "win_share": float(row["win_share"])}
            for seat, row in enumerate(rows)
        ]

    def view(self, seat: int | None) -> dict[str, Any]:
        if seat is None:
            return {"hands": self.hands.tolist(), "kept": self.kept.tolist()}
        hand = self.hands[seat, self._turn(seat)].tolist()
        return {"seat": seat, "hand": hand, "kept": self.kept[seat].tolist()}

    def redrawn(self, seat: int, seed: int, number: int = 0) -> Self:
        """Resample the other seats' hidden stones, and all later stones."""
        rng, other, turn = np.random.default_rng([seed, number]), self.clone(), self._turn(seat)
        other.hands = rng.integers(1, self.simulator.highest + 1, self.hands.shape)
        other.hands[seat, : turn + 1] = self.hands[seat, : turn + 1]
        other.kept[seat + 1 :] = 0
        for one in range(seat):  # they have chosen where nobody saw it
            picks = np.array([rng.choice(hand) for hand in other.hands[one]])
            other.kept[one] = np.where([True, True, picks[:2].sum() % 2 == 0], picks, 0)
        return other
