"""What ``wsim.learn.fitting`` needs of 7 Wonders: the layers of ``policies/net.py`` and their derivatives, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.learn.fitting import Arrays, MovesOf, UpperLayers
from wsim.learn.fitting import fit as fitted
from wsim.learn.fitting import fresh_arrays as fresh
from wsim.wonders.kernels.net_layout import CARD_ROLES, NARROW, STAGE_ROLES, WIDTH
from wsim.wonders.nets import SHAPES
from wsim.wonders.policies.net_items import item_numbers
from wsim.wonders.words import CARDS, STAGE_ENTRY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.learn.learner import Fitting

__all__ = ["Decisions", "fit", "fresh_arrays", "values_of"]

_CITY_LEAVE = CARD_ROLES.index("city_leave")
_SETS = 3
_STAGES = STAGE_ROLES.index("stage")
_INPUTS = {  # that are not 0, about
    "of_number": 70, "card_roles": 100, "stage_roles": 100, "of_move": 30, "second": WIDTH, "last": NARROW,
}  # fmt: skip
_VALUE = 6  # of the numbers of a move: what ``weighted`` says


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of one table, all of the same rules.

    Attributes
    ----------
    rules: RULES record. states, moves: records of ``learning``; the moves of a state follow those of the one before.
    """

    rules: Any
    states: NDArray[Any]
    moves: NDArray[Any]

    @cached_property
    def _moves_of(self) -> MovesOf:
        return MovesOf(self.states["moves"])

    @cached_property
    def items(self) -> NDArray[np.float32]:
        """The numbers of all cards and stages."""
        return item_numbers(self.rules)

    @cached_property
    def stage_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """By side: the rows of its stages in the table of stages, and how many it has."""
        entries = np.asarray(self.rules.stage_entry, np.int64) - STAGE_ENTRY
        return np.maximum(entries, 0), np.asarray(self.rules.stage_count, np.int64)

    def batch(self, which: NDArray[np.int64]) -> Batch:
        """Return some decisions with their inputs spelt out."""
        states = self.states[which]
        counts, owner, places = self._moves_of.of(which)
        moves = self.moves[places]
        sets = np.unpackbits(np.ascontiguousarray(states["sets"]).view(np.uint8), axis=-1, bitorder="little")
        rows, stage_counts = self.stage_rows
        side, built = states["side"].astype(np.int64), states["stages"].astype(np.int64)
        stages = np.zeros((2, len(which), len(self.items) - STAGE_ENTRY), np.float32)
        for ahead in range(rows.shape[1]):
            place = built + ahead
            there = np.flatnonzero(place < stage_counts[side])
            stages[0 if ahead == 0 else 1, there, rows[side[there], place[there]]] = 1
        staging = moves["numbers"][:, _STAGE_FLAG] > 0
        next_row = rows[side, np.minimum(built, rows.shape[1] - 1)][owner]
        return Batch(
            states["numbers"], sets.reshape(len(which), _SETS, -1)[:, :, :CARDS].astype(np.float32), stages,
            owner, counts, moves["role"].astype(np.int64), moves["card"].astype(np.int64),
            np.where(staging & (moves["role"] != _CITY_LEAVE), next_row, -1), moves["numbers"], moves["worth"],
        )  # fmt: skip


_STAGE_FLAG = 9  # of the numbers of a move: whether it builds a stage


@dataclass(frozen=True, eq=False)
class Batch:
    """Inputs of some decisions: of states (B), and of all their moves (N)."""

    numbers: NDArray[np.float32]
    sets: NDArray[np.float32]
    stages: NDArray[np.float32]
    owner: NDArray[np.int64]
    counts: NDArray[np.int64]
    role: NDArray[np.int64]
    card: NDArray[np.int64]
    stage: NDArray[np.int64]
    move_numbers: NDArray[np.float32]
    worth: NDArray[np.float32]


def fresh_arrays(seed: int) -> Arrays:
    """Return a net that has learned nothing: it follows ``weighted``."""
    return fresh(SHAPES, _INPUTS, _VALUE, seed)


class _Forward:
    """The layers of a net for a batch, kept for the derivatives."""

    def __init__(self, arrays: Mapping[str, Any], items: NDArray[np.float32], batch: Batch) -> None:
        self.batch = batch
        self.cards, self.stages = items[:CARDS], items[STAGE_ENTRY:]
        card_rows = np.matmul(self.cards, arrays["card_roles"])  # roles, cards, width
        stage_rows = np.matmul(self.stages, arrays["stage_roles"])
        first = arrays["bias"] + batch.numbers @ arrays["of_number"]
        for role in range(_SETS):
            first += batch.sets[:, role] @ card_rows[role]
        for role in range(2):
            first += batch.stages[role] @ stage_rows[role]
        layer = first[batch.owner] + batch.move_numbers @ arrays["of_move"]
        self.has_card, self.has_stage = np.flatnonzero(batch.role >= 0), np.flatnonzero(batch.stage >= 0)
        layer[self.has_card] += card_rows[batch.role[self.has_card], batch.card[self.has_card]]
        layer[self.has_stage] += stage_rows[_STAGES][batch.stage[self.has_stage]]
        self._upper = UpperLayers(arrays, batch, layer)
        self.values = self._upper.values

    def backward(self, error: NDArray[np.float32]) -> Arrays:
        """Return the derivatives of a loss by the arrays, given those by the values."""
        batch = self.batch
        found, first, of_state = self._upper.backward(error)
        found["of_number"] = batch.numbers.T @ of_state
        cards = np.zeros((len(CARD_ROLES), CARDS, WIDTH), np.float32)
        for role in range(_SETS):
            cards[role] = batch.sets[:, role].T @ of_state
        for role in range(_SETS, len(CARD_ROLES)):
            cards[role] = _by_row(batch.card, np.flatnonzero(batch.role == role), first, CARDS)
        found["card_roles"] = np.matmul(self.cards.T, cards)
        stages = np.stack(
            [batch.stages[0].T @ of_state, batch.stages[1].T @ of_state,
             _by_row(batch.stage, self.has_stage, first, len(self.stages))]
        )  # fmt: skip
        found["stage_roles"] = np.matmul(self.stages.T, stages)
        return found


def _by_row(rows: NDArray[np.int64], which: NDArray[np.int64], of: NDArray[np.float32], count: int) -> Any:
    """Return sums of ``of[which]`` by ``rows[which]``."""
    hot = np.zeros((len(which), count), np.float32)
    hot[np.arange(len(which)), rows[which]] = 1
    return hot.T @ of[which]


def values_of(
    arrays: Mapping[str, Any], decisions: Decisions, which: NDArray[np.int64]
) -> tuple[NDArray[np.float32], Batch]:
    """Return the value of every move of some decisions, and the batch."""
    batch = decisions.batch(which)
    return _Forward(arrays, decisions.items, batch).values, batch


def fit(
    arrays: Mapping[str, Any], tables: Sequence[Decisions], how: Fitting, seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Arrays:  # fmt: skip
    """Return a net fitted to the decisions of some tables, beginning from ``arrays`` (``wsim.learn.fitting``)."""
    return fitted(arrays, tables, lambda now, table, batch: _Forward(now, table.items, batch), how, seed, progress)
