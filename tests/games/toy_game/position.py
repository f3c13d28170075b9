"""A game of the toy in progress, with numpy alone (``wsim.game.Position``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.games.toy_game.simulator import ToySimulator

TURNS, HAND = 3, 2
COLUMNS = ("turn", "first", "second", "kept", "pearl")


class ToyPosition:
    """Seat after seat plays its turns; each sees its own stones only."""

    def __init__(self, simulator: ToySimulator, number: int, hands: NDArray[Any], kept: NDArray[Any]) -> None:
        self.simulator, self.number, self.hands, self.kept = simulator, number, hands, kept

    @property
    def to_move(self) -> int | None:
        for seat, stones in enumerate(self.kept):
            if (stones[:2] == 0).any() or (stones[2] == 0 and stones[:2].sum() % 2 == 0):
                return seat
        return None

    @property
    def turn(self) -> int:
        assert self.to_move is not None
        return int((self.kept[self.to_move] > 0).sum())

    def decision(self) -> str:
        return "keep"

    def moves(self) -> Sequence[Mapping[str, Any]]:
        seat = self.to_move
        return [] if seat is None else [{"seat": seat, "keep": int(s)} for s in self.hands[seat, self.turn]]

    def take(self, index: int) -> None:
        seat, turn = self.to_move, self.turn
        self.kept[seat, turn] = self.hands[seat, turn, index]

    def follow(self) -> int:
        assert self.to_move is not None
        hands = self.hands[self.to_move, [self.turn]]
        index = int(self.simulator.chosen(self.number, self.to_move, self.turn, hands))
        self.take(index)
        return index

    def standing(self) -> list[int]:
        return [int(total) for total in self.kept.sum(axis=1)]

    def text(self, seat: int) -> list[str]:
        return [f"{name}: {value}" for name, value in self.view(seat).items()]

    def asked(self, simulator: ToySimulator, seed: int, number: int = 0) -> int:
        assert self.to_move is not None
        words = np.random.default_rng([seed, number]).integers(0, 1 << 60, 1).astype(np.uint64)
        return int(simulator.policy(self.to_move).choose(self.hands[self.to_move, [self.turn]], words)[0])

    def clone(self) -> ToyPosition:
        return ToyPosition(self.simulator, self.number, self.hands, self.kept.copy())

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
        turn = min(int((self.kept[seat] > 0).sum()), TURNS - 1)
        return {"seat": seat, "hand": self.hands[seat, turn].tolist(), "kept": self.kept[seat].tolist()}

    def columns(self, history: bool = True) -> tuple[str, ...]:
        return COLUMNS

    def observation(self, seat: int, size: int) -> NDArray[np.int16]:
        told = self.view(seat)
        turn = int((self.kept[seat] > 0).sum())
        numbers = [turn, *told["hand"], sum(told["kept"]), self.simulator.rules.pearl]
        return np.array(numbers[:size], np.int16)

    def redrawn(self, seat: int, seed: int, number: int = 0) -> ToyPosition:
        """Draw the other seats' stones that are not yet seen, and all that come later."""
        rng = np.random.default_rng([seed, number])
        other = self.clone()
        other.hands = rng.integers(1, self.simulator.rules.highest + 1, self.hands.shape).astype(self.hands.dtype)
        turn = min(int((self.kept[seat] > 0).sum()), TURNS - 1)
        other.hands[seat, : turn + 1] = self.hands[seat, : turn + 1]
        for one in range(len(self.kept)):
            if one > seat:
                other.kept[one] = 0
            elif one < seat:  # they have chosen where nobody saw it
                picks = np.array([rng.choice(hand) for hand in other.hands[one]])
                other.kept[one] = np.where([True, True, picks[:2].sum() % 2 == 0], picks, 0)
        return other

    def play_out(
        self, simulator: ToySimulator, playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[np.float64]:
        outcomes = np.zeros((playouts, len(self.kept), 2))
        for playout in range(playouts):
            rng = np.random.default_rng([seed, first + playout])
            game = self.clone() if seat is None else self.redrawn(seat, seed, first + playout)
            while game.to_move is not None:
                words = rng.integers(0, 1 << 60, 1).astype(np.uint64)
                game.take(int(simulator.policy(game.to_move).choose(game.hands[game.to_move, [game.turn]], words)[0]))
            for one, score in enumerate(game.scores()):
                outcomes[playout, one] = score["total"], score["win_share"]
        return outcomes

    def compare(
        self, simulator: ToySimulator, moves: Sequence[int], playouts: int, seat: int | None, seed: int, first: int = 0
    ) -> NDArray[np.float64]:
        outcomes = np.zeros((playouts, len(moves), len(self.kept), 2))
        for playout in range(playouts):
            drawn = self.clone() if seat is None else self.redrawn(seat, seed, first + playout)
            for place, move in enumerate(moves):
                game = drawn.clone()
                game.take(move)
                outcomes[playout, place] = game.play_out(simulator, 1, None, seed, first + playout)[0]
        return outcomes
