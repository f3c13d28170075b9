"""What the policy ``net`` reads: the weights of its layers and the sizes of its inputs.

Kinds and wonders differ by name only, so nothing of a move is told by its number: a move's inputs say what it does to
the disc, the wonder and the cards that it is about.
"""

from __future__ import annotations

import numpy as np

__all__ = ["MOVE_NUMBERS", "NARROW", "NET", "STATE_NUMBERS", "WIDTH"]

WIDTH = 64  # of the first layer
NARROW = 32  # of the second one
STATE_NUMBERS = 112  # room for the numbers of a state
MOVE_NUMBERS = 48  # of a move

NET = np.dtype(
    [
        ("bias", "f4", (WIDTH,)),
        ("rows", "f4", (STATE_NUMBERS + MOVE_NUMBERS, WIDTH)),  # what one of each input adds; the state's first
        ("second", "f4", (WIDTH, NARROW)),
        ("second_bias", "f4", (NARROW,)),
        ("last", "f4", (NARROW,)),
        ("straight", "f4", (MOVE_NUMBERS,)),  # from the numbers of a move to its value
    ],
    align=True,
)
