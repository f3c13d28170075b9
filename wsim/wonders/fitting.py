"""Net layers of 7 Wonders for ``wsim.learn.fitting``: contributions of cards and stages, and their derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.learn.fitting import Arrays, Layers
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    COUNTERS_AT,
    DECK_ROLES,
    OPTIONS_AT,
    PICKED_AT,
    PICKED_ROLES,
    SETS,
    SIZES,
    STAGE_ROLES,
)
from wsim.wonders.policies.net_items import OWN_ROWS, deck_numbers, item_numbers
from wsim.wonders.words import CARDS, DECK_CARDS, STAGE_ENTRY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.learn.fitting import Batch

_CITY_LEAVE = CARD_ROLES.index("city_leave")
_STAGES = STAGE_ROLES.index("stage")
_STAGE_FLAG = 9  # index into ``numbers`` of a move: whether the move builds a stage
VALUE = 6  # index into ``numbers`` of a move: the value of the move according to ``weighted``


@dataclass(frozen=True, eq=False)
class Items:
    """Net inputs for cards and stages, derived from the rules.

    Attributes
    ----------
    cards, stages: their numbers (``item_numbers``), without unused individual rows.
    rows, counts: for each side, the rows of its stages in ``stages``, and their number.
    decks: the numbers of deck cards. further: whether the rules use further rows (``net_layout``).
    """

    cards: NDArray[np.float32]
    stages: NDArray[np.float32]
    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    decks: NDArray[np.float32]
    further: bool

    @classmethod
    def of(cls, rules: Any) -> Items:
        """Build the inputs from a RULES record."""
        numbers, entries = item_numbers(rules), np.asarray(rules.stage_entry, np.int64) - STAGE_ENTRY
        counts = np.asarray(rules.stage_count, np.int64)
        used = numbers.shape[1] - OWN_ROWS + min(np.count_nonzero(rules.when), OWN_ROWS)
        numbers = np.ascontiguousarray(numbers[:, :used])
        decks, further = deck_numbers(rules, numbers), bool(rules.counters or rules.decks or rules.asks)
        return cls(numbers[:CARDS], numbers[STAGE_ENTRY:], np.maximum(entries, 0), counts, decks, further)


class ItemLayers(Layers):
    def __init__(self, arrays: Mapping[str, Any], batch: Batch) -> None:
        items, states, moves = batch.known, batch.states, batch.moves
        self._items, count = items, len(states)
        bits = np.unpackbits(np.ascontiguousarray(states["sets"]).view(np.uint8), axis=-1, bitorder="little")
        self._sets = bits.reshape(count, SETS, -1)[:, :, :CARDS].astype(np.float32)
        self._ahead = np.zeros((2, count, len(items.stages)), np.float32)
        side, built = states["side"].astype(np.int64), states["stages"].astype(np.int64)
        for ahead in range(items.rows.shape[1]):
            stage = built + ahead
            valid = np.flatnonzero(stage < items.counts[side])
            self._ahead[0 if ahead == 0 else 1, valid, items.rows[side[valid], stage[valid]]] = 1
        self._role, self._card = moves["role"].astype(np.int64), moves["card"].astype(np.int64)
        next_row = items.rows[side, np.minimum(built, items.rows.shape[1] - 1)][batch.owner]
        staging = (moves["numbers"][:, _STAGE_FLAG] > 0) & (self._role != _CITY_LEAVE)
        self._stage = np.where(staging, next_row, -1)
        self._has_card, self._has_stage = np.flatnonzero(self._role >= 0), np.flatnonzero(staging)
        used = items.cards.shape[1]
        of_cards, of_stages = (np.ascontiguousarray(arrays[name][:, :used]) for name in ("card_roles", "stage_roles"))
        self._card_rows, self._stage_rows = np.matmul(items.cards, of_cards), np.matmul(items.stages, of_stages)
        self._unused = arrays["card_roles"].shape[1] - used
        self._further = _Further(arrays, items, states, moves) if items.further else None
        super().__init__(arrays, batch)

    def add_to_states(self, layer: NDArray[np.float32]) -> None:
        """Add the contributions of card sets and remaining stages to the first layer of the states."""
        for role in range(SETS):
            layer += self._sets[:, role] @ self._card_rows[role]
        for role in range(2):
            layer += self._ahead[role] @ self._stage_rows[role]
        if self._further is not None:
            layer += self._further.of_states

    def add_to_moves(self, layer: NDArray[np.float32]) -> None:
        """Add the contributions of each move's card and stage to the first layer of the moves."""
        card, stage = self._has_card, self._has_stage
        layer[card] += self._card_rows[self._role[card], self._card[card]]
        layer[stage] += self._stage_rows[_STAGES][self._stage[stage]]
        if self._further is not None:
            self._further.add_to_moves(layer)

    def of_items(self, of_states: NDArray[np.float32], of_moves: NDArray[np.float32]) -> Arrays:
        """Return the derivatives with respect to the card and stage arrays."""
        items = self._items
        cards = np.zeros((len(CARD_ROLES), CARDS, SIZES.width), np.float32)
        for role in range(SETS):
            cards[role] = self._sets[:, role].T @ of_states
        for role in range(SETS, len(CARD_ROLES)):
            cards[role] = _sum_by_row(self._card, np.flatnonzero(self._role == role), of_moves, CARDS)
        stages = np.stack(
            [self._ahead[0].T @ of_states, self._ahead[1].T @ of_states,
             _sum_by_row(self._stage, self._has_stage, of_moves, len(items.stages))]
        )  # fmt: skip
        unused = ((0, 0), (0, self._unused), (0, 0))
        return {
            "card_roles": np.pad(np.matmul(items.cards.T, cards), unused),
            "stage_roles": np.pad(np.matmul(items.stages.T, stages), unused),
            **({} if self._further is None else self._further.slopes(of_states, of_moves)),
        }


class _Further:
    """The contributions of the further rows (``net_layout``) of a batch, and their derivatives.

    Attributes
    ----------
    of_states: the contributions to the first layer of the states, shape (states, width).
    """

    def __init__(self, arrays: Mapping[str, Any], items: Items, states: Any, moves: Any) -> None:
        self._items, used = items, items.cards.shape[1]
        bits = np.unpackbits(np.ascontiguousarray(states["further"]).view(np.uint8), axis=-1, bitorder="little")
        self._listed = np.flatnonzero(bits.any(0))
        self._bits = bits[:, self._listed].astype(np.float32)
        self._unused = arrays["deck_roles"].shape[1] - used
        of_decks, of_picked = (arrays[name][:, :used] for name in ("deck_roles", "picked_roles"))
        self._rows = np.concatenate([
            np.matmul(items.decks, of_decks).reshape(-1, SIZES.width), arrays["counters"][0],
            np.matmul(items.cards, of_picked).reshape(-1, SIZES.width), arrays["options"][0],
        ])  # fmt: skip
        further = moves["further"].astype(np.int64)
        self._moves, place = np.nonzero(further >= 0)
        self._of_moves = further[self._moves, place]
        self.of_states = self._bits @ self._rows[self._listed]

    def add_to_moves(self, layer: NDArray[np.float32]) -> None:
        """Add the contributions of the moves to the first layer, shape (moves, width)."""
        np.add.at(layer, self._moves, self._rows[self._of_moves])

    def slopes(self, of_states: NDArray[np.float32], of_moves: NDArray[np.float32]) -> Arrays:
        """Return the derivatives with respect to the arrays that hold the further rows."""
        slopes = np.zeros_like(self._rows)
        slopes[self._listed] = self._bits.T @ of_states
        np.add.at(slopes, self._of_moves, of_moves[self._moves])
        decks = slopes[:COUNTERS_AT].reshape(len(DECK_ROLES), DECK_CARDS, -1)
        picked = slopes[PICKED_AT:OPTIONS_AT].reshape(len(PICKED_ROLES), CARDS, -1)
        unused = ((0, 0), (0, self._unused), (0, 0))
        return {
            "deck_roles": np.pad(np.matmul(self._items.decks.T, decks), unused),
            "counters": slopes[None, COUNTERS_AT:PICKED_AT],
            "picked_roles": np.pad(np.matmul(self._items.cards.T, picked), unused),
            "options": slopes[None, OPTIONS_AT:],
        }


def _sum_by_row(rows: NDArray[np.int64], moves: NDArray[np.int64], values: NDArray[np.float32], count: int) -> Any:
    hot = np.zeros((len(moves), count), np.float32)
    hot[np.arange(len(moves)), rows[moves]] = 1
    return hot.T @ values[moves]
