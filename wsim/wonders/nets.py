"""The nets of 7 Wonders (``wsim.policies.nets``).

Net weights refer to effects. For each rule set, they are converted to one row per card and stage.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.policies.nets import NetSpec
from wsim.positions.value_net import ValueNet
from wsim.wonders.kernels.layout import WEIGHTS
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    COUNTERS_AT,
    DECK_ROLES,
    FURTHER_ROWS,
    OPTIONS_AT,
    PICKED_AT,
    PICKED_ROLES,
    SIZES,
    STAGE_ROLES,
)
from wsim.wonders.policies.net_items import ITEM_NUMBERS, OWN_ROWS, deck_numbers, item_numbers
from wsim.wonders.words import AGES, CARDS, STAGE_ENTRY, TURNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.policies.nets import Arrays


def _item_rows(arrays: Arrays, rules: Any) -> list[NDArray[np.float32]]:
    """Return the net's rows for each card in each role, for each stage, and the further rows (``net_layout``)."""
    numbers = item_numbers(rules)
    return [
        _rows(numbers[:CARDS], arrays["card_roles"]).reshape(-1, SIZES.width),
        _rows(numbers[STAGE_ENTRY:], arrays["stage_roles"]).reshape(-1, SIZES.width),
        _rows(deck_numbers(rules, numbers), arrays["deck_roles"]).reshape(-1, SIZES.width),
        arrays["counters"][0],
        _rows(numbers[:CARDS], arrays["picked_roles"]).reshape(-1, SIZES.width),
        arrays["options"][0],
    ]


def _rows(numbers: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``numbers @ weights`` for each role, summed in the same order on every machine; most numbers are 0."""
    rows = np.zeros((len(weights), len(numbers), SIZES.width), np.float32)
    for i in range(numbers.shape[1]) if weights.any() else ():
        has = np.flatnonzero(numbers[:, i])
        rows[:, has] += numbers[None, has, i, None] * weights[:, None, i, :]
    return rows


_NUMBERS, _COUNTERS, _OPTIONS = len(ITEM_NUMBERS), PICKED_AT - COUNTERS_AT, FURTHER_ROWS - OPTIONS_AT
NETS = NetSpec(
    game="seven_wonders",
    sizes=SIZES,
    weights=(AGES, WEIGHTS),
    files=tuple(Path(__file__).with_name(name) for name in ("net.npz", "net-2.npz", "net-3.npz")),
    items={  # one row for each of ITEM_NUMBERS
        "card_roles": (len(CARD_ROLES), _NUMBERS),
        "stage_roles": (len(STAGE_ROLES), _NUMBERS),
        "deck_roles": (len(DECK_ROLES), _NUMBERS),
        "counters": (1, _COUNTERS),
        "picked_roles": (len(PICKED_ROLES), _NUMBERS),
        "options": (1, _OPTIONS),
    },
    later={
        "card_roles": OWN_ROWS,
        "stage_roles": OWN_ROWS,
        "deck_roles": _NUMBERS,
        "counters": _COUNTERS,
        "picked_roles": _NUMBERS,
        "options": _OPTIONS,
    },
    deciding=("deck_roles", "picked_roles", "options"),
    item_rows=_item_rows,
)

VALUES = ValueNet(
    file=Path(__file__).with_name("value.npz"),
    slopes=Path(__file__).with_name("value-slopes.json"),
    entries="wsim.wonders.policies.chances:ENTRIES",
    stages=AGES * TURNS,
    phases={f"age {name}": age * TURNS for age, name in enumerate(("I", "II", "III"))},
)
"""The value net, whose stages are turns."""
