"""The inputs of ``net`` for a card or stage: its effects, cost and chains as numbers, compiled from the rules.

They contain no names, so patched and new cards are played by their effects. Clauses have no such numbers. Instead, the
first entries with clauses have individual rows, which ``wsim learn --patch`` fits; without them, a net rates a clause
only by its immediate effect and the value from ``weighted``. Cards of decks are items like stages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.wonders import words as w
from wsim.wonders.kernels.layout import NO_PRICE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ABILITIES = 11  # low bits of words of abilities, without internal flags
OWN_ROWS = 16  # individual rows, for entries with clauses
_COUNTED = (*w.COLORS, "stages", "defeats", "victories")

_NAMES = (
    "constant", "stage", *w.COLORS, *(f"age_{age + 1}" for age in range(w.AGES)),
    *(f"cost_{name}" for name in w.RESOURCES), "cost_units", "cost_kinds", "cost_coins", "no_cost",
    *(f"makes_{name}" for name in w.RESOURCES), *(f"may_make_{name}" for name in w.RESOURCES), "makes", "alternatives",
    "points", "shields", *(f"symbol_{name}" for name in w.SYMBOLS[1:]),
    "coins", *(f"coins_per_{what}" for what in _COUNTED), "coins_of_neighbours",
    *(f"points_per_{what}" for what in _COUNTED), "points_of_neighbours", "points_complete",
    *(f"ability_{bit}" for bit in range(_ABILITIES)),
    *(f"discount_{kind}" for kind in range(w.PRICE_KINDS)), "turn_rebate", "board_rebate",
    "coins_to_others", "loses_others", "loses_others_per_victory", "loses_others_per_stage", "debts_of_others",
    "only_neighbours", "victory_token", "diplomacy", "copies_science",
    "leads_to_points", "leads_to_science", "leads_to_shields", "leads_to_cards", "follows",
    *(f"own_{number + 1}" for number in range(OWN_ROWS)),
)  # fmt: skip
ITEM_NUMBERS = _NAMES
"""The names of the numbers of an item."""


def _units(packed: Any) -> NDArray[np.float32]:
    lanes = np.ascontiguousarray(packed).view(np.uint8).reshape(-1, 8)
    return lanes[:, : w.RESOURCE_KINDS].astype(np.float32)


def _bits(masks: Any, count: int) -> NDArray[np.float32]:
    return (np.asarray(masks, np.int64)[:, None] >> np.arange(count) & 1).astype(np.float32)


def _counting(effects: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the amount per counted item of an effect, and whether it counts items of the neighbours."""
    amount, what, cities = (np.asarray(effects[:, place], np.int64) for place in range(3))
    masks = [1 << color for color in range(w.COLOR_KINDS)] + [w.COUNT_STAGE, w.COUNT_DEFEAT, w.COUNT_ANY_VICTORY]
    counted = np.stack([(what & mask != 0) * amount for mask in masks], 1)
    around = (amount != 0) * _bits(cities, 3)[:, 1:].sum(1) / 2
    return counted.astype(np.float32), around.astype(np.float32)


def item_numbers(rules: Any) -> NDArray[np.float32]:
    """Return the numbers of all entries of a RULES record, shape (ENTRIES, len(ITEM_NUMBERS)), about -1 to 2."""
    columns: list[Any] = []
    entries = np.arange(w.ENTRIES)
    is_card, is_stage = entries < int(rules.cards), entries >= w.STAGE_ENTRY
    exists = (is_card | is_stage).astype(np.float32)
    card_of = np.minimum(entries, w.CARDS - 1)
    columns += [exists, is_stage]
    color = np.asarray(rules.color)[card_of]
    columns += [(color == one) & is_card for one in range(w.COLOR_KINDS)]
    columns += [(np.asarray(rules.age_of)[card_of] == age) & is_card for age in range(w.AGES)]
    cost, coins = _units(rules.cost), np.asarray(rules.cost_coins, np.float32)
    columns += [*cost.T / 2, cost.sum(1) / 3, (cost > 0).sum(1) / 3, coins / 3]
    columns += [(cost.sum(1) + coins == 0) & (exists > 0)]
    makes, may = _units(rules.produces), _bits(rules.one_of, w.RESOURCE_KINDS)
    columns += [*makes.T, *may.T, makes.sum(1), may.sum(1) / 2]
    columns += [np.asarray(rules.points) / 5, np.asarray(rules.shields) / 2]
    columns += [np.asarray(rules.symbol) == symbol for symbol in range(1, len(w.SYMBOLS))]
    counted, around = _counting(rules.coins_per)
    columns += [np.asarray(rules.coins) / 5, *counted.T, around]
    counted, around = _counting(rules.points_per)
    columns += [*counted.T, around, np.asarray(rules.points_complete) / 5]
    columns += list(_bits(rules.abilities, _ABILITIES).T)
    price = np.asarray(rules.price, np.float32)
    columns += list(np.where(price < NO_PRICE, 2 - price, 0).T)
    columns += [np.asarray(rules.turn_rebate).sum(1) / 2, np.asarray(rules.board_rebate).sum(1) / 2]
    loss, per, who = (np.asarray(rules.coin_loss[:, place]) for place in (0, 2, 1))
    columns += [np.asarray(rules.coins_to_others[:, 0]) / 3, loss / 3]
    columns += [loss * (per == w.PER_VICTORY) / 2, loss * (per == w.PER_STAGE) / 2, np.asarray(rules.debt[:, 0])]
    columns += [(who == w.WHO_NEIGHBORS) | (np.asarray(rules.debt[:, 1]) == w.WHO_NEIGHBORS)]
    columns += [np.asarray(rules.victory_token) / 3, np.asarray(rules.diplomacy), np.asarray(rules.copy_science)]
    chains = np.zeros((w.ENTRIES, 5), np.float32)
    leads = np.stack([rules.points / 5, rules.symbol > 0, rules.shields / 2, np.full(w.ENTRIES, 0.5)], 1)
    for card, word in zip(*np.nonzero(rules.chain[: int(rules.cards)]), strict=True):
        predecessors = int(rules.chain[card, word])
        chains[card, 4] += 1
        for bit in range(64):
            if predecessors >> bit & 1:
                chains[64 * word + bit, :4] += leads[card]
    columns += list(chains.T)
    by_formula = np.resize(np.append(np.flatnonzero(rules.when), [-1] * OWN_ROWS), OWN_ROWS)
    columns += [entries == entry for entry in by_formula]
    table = np.stack([np.asarray(column, np.float32) for column in columns], 1)
    assert table.shape == (w.ENTRIES, len(ITEM_NUMBERS))
    return table * exists[:, None]


def deck_numbers(rules: Any, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the numbers of the deck cards (R88), shape (DECK_CARDS, len(ITEM_NUMBERS)); 0 where there are none."""
    of_decks = numbers[int(rules.deck_entry) : int(rules.table_entry)]
    return np.pad(of_decks, ((0, w.DECK_CARDS - len(of_decks)), (0, 0)))
