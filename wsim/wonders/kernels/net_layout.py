"""What the policy ``net`` reads: the weights of its layers, laid out for one rule set, and the sizes of its inputs.

The first layer takes numbers of the state, and sets of items (cards and stages). Of an item the net knows only what it
does: its weights stand for effects (``policies.net_items``). The row of an item is what it adds to the first layer in
one role, so that a card costs one addition, as if the net had learned it by name.
"""

from __future__ import annotations

import numpy as np

from wsim.wonders.words import CARDS, ENTRIES

__all__ = [
    "CARD_ROLES",
    "CARD_ROWS",
    "MOVE_NUMBERS",
    "MOVE_ROWS",
    "NARROW",
    "NET",
    "STAGES_IN_ALL",
    "STAGE_ROLES",
    "STAGE_ROWS",
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

STAGES_IN_ALL = ENTRIES - CARDS
MOVE_ROWS = STATE_NUMBERS  # where the rows of the numbers of a move begin
CARD_ROWS = MOVE_ROWS + MOVE_NUMBERS  # of the cards, role by role
STAGE_ROWS = CARD_ROWS + len(CARD_ROLES) * CARDS  # of the stages, role by role
ROWS = STAGE_ROWS + len(STAGE_ROLES) * STAGES_IN_ALL

NET = np.dtype(
    [
        ("bias", "f4", (WIDTH,)),
        ("rows", "f4", (ROWS, WIDTH)),  # what one of each input adds to the first layer; the state's numbers first
        ("second", "f4", (WIDTH, NARROW)),
        ("second_bias", "f4", (NARROW,)),
        ("last", "f4", (NARROW,)),
        ("straight", "f4", (MOVE_NUMBERS,)),  # from the numbers of a move to its value
    ],
    align=True,
)
