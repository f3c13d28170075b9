"""The nets of 7 Wonders (``wsim.policies.nets``).

Their weights refer to the effects of items; each rule set turns them into one row per card and stage.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.policies.nets import NetSpec
from wsim.positions.value_net import ValueNet
from wsim.wonders.kernels.layout import WEIGHTS
from wsim.wonders.kernels.net_layout import CARD_ROLES, SIZES, STAGE_ROLES
from wsim.wonders.policies.net_items import ITEM_NUMBERS, OWN_ROWS, item_numbers
from wsim.wonders.words import AGES, CARDS, STAGE_ENTRY, TURNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.policies.nets import Arrays


def _item_rows(arrays: Arrays, rules: Any) -> list[NDArray[np.float32]]:
    """Return one row for each card in each role, then for each stage."""
    numbers = item_numbers(rules)
    return [
        _rows(numbers[:CARDS], arrays["card_roles"]).reshape(-1, SIZES.width),
        _rows(numbers[STAGE_ENTRY:], arrays["stage_roles"]).reshape(-1, SIZES.width),
    ]


def _rows(numbers: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``numbers @ weights`` for each role, summed in the same order on every machine."""
    rows = np.zeros((len(weights), len(numbers), SIZES.width), np.float32)
    for i in range(numbers.shape[1]):
        rows += numbers[None, :, i, None] * weights[:, None, i, :]
    return rows


NETS = NetSpec(
    game="seven_wonders",
    sizes=SIZES,
    weights=(AGES, WEIGHTS),
    files=tuple(Path(__file__).with_name(name) for name in ("net.npz", "net-2.npz", "net-3.npz")),
    items={  # one row for each of ITEM_NUMBERS
        "card_roles": (len(CARD_ROLES), len(ITEM_NUMBERS)),
        "stage_roles": (len(STAGE_ROLES), len(ITEM_NUMBERS)),
    },
    later={"card_roles": OWN_ROWS, "stage_roles": OWN_ROWS},
    item_rows=_item_rows,
)

VALUES = ValueNet(
    file=Path(__file__).with_name("value.npz"),
    slopes=Path(__file__).with_name("value-slopes.json"),
    entries="wsim.wonders.policies.chances:ENTRIES",
    stages=AGES * TURNS,
    phases={f"age {name}": age * TURNS for age, name in enumerate(("I", "II", "III"))},
)
"""Its stages are turns."""
