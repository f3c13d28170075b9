"""What the policy ``net`` reads: the weights of its layers, laid out for one rule set, and the sizes of its inputs.

The first layer takes numbers of the state, and sets of items (cards and stages). Of an item the net knows only what it
does: its weights stand for effects (``net_items``). A row of ``of_card`` or ``of_stage`` is what an item adds to the
first layer in one role, so that a card costs one addition, as if the net had learned it by name.
"""

from __future__ import annotations

import numpy as np

from wsim.wonders.words import CARDS, ENTRIES

__all__ = [
    "CARD_ROLES",
    "HIDDEN_NUMBERS",
    "MOVE_NUMBERS",
    "NARROW",
    "NET",
    "STAGE_ROLES",
    "STATE_NUMBERS",
    "WIDTH",
]

WIDTH = 128  # of the first layer
NARROW = 32  # of the second one
STATE_NUMBERS = 256  # room for the numbers of a state
MOVE_NUMBERS = 20  # of a move
CARD_ROLES = ("hand", "coming", "built", "build", "bury", "sell", "pile", "city_build", "city_leave")
"""In which a card is looked at: three of the state, then what a move does with it."""
STAGE_ROLES = ("next", "later", "stage")
"""In which a stage is looked at: two of the state, then building it."""

NET = np.dtype(
    [
        ("bias", "f4", (WIDTH,)),
        ("of_number", "f4", (STATE_NUMBERS, WIDTH)),  # numbers of the state
        ("of_card", "f4", (len(CARD_ROLES), CARDS, WIDTH)),
        ("of_stage", "f4", (len(STAGE_ROLES), ENTRIES - CARDS, WIDTH)),
        ("of_move", "f4", (MOVE_NUMBERS, WIDTH)),  # numbers of a move
        ("second", "f4", (WIDTH, NARROW)),
        ("second_bias", "f4", (NARROW,)),
        ("last", "f4", (NARROW,)),
        ("straight", "f4", (MOVE_NUMBERS,)),  # from the numbers of a move to its value
    ],
    align=True,
)
HIDDEN_NUMBERS = WIDTH + NARROW
