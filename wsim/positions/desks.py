"""The records of many games stepped at once: those of every game, but for its number of seats."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ORDERS", "desk_of"]

ORDERS = np.dtype(
    [  # the same for all games of a call
        ("begin", "i8"),  # 1: every game begins at its number; 0: every caller's decision is carried out
        ("callers", "i8"),  # mask of the players that the caller decides for
        ("fixed", "i8"),  # 1: actions are fixed actions; 0: indices into the list of legal moves
        ("stride", "i8"),  # from the number of a game that is over to that of the next one; 0: none follows
    ],
    align=True,
)


def desk_of(seats: int) -> np.dtype[Any]:
    """Return the record of one game as its caller sees it, of a game with at most so many seats."""
    return np.dtype(
        [  # one game as its caller sees it
            ("number", "i8"),  # of the game that is being played
            ("action", "i8"),  # what the caller decided; the kernel reads it
            ("seat", "i8"),  # the player whose decision is next, NOBODY: the game is over
            ("kind", "i8"),  # CHOICE.kind
            ("moment", "i8"),  # decisions of one moment are made without seeing each other; NOBODY: made alone
            ("over", "i8"),  # 1: a game ended in this call, with these outcomes:
            ("score", "f8", (seats,)),  # points
            ("share", "f8", (seats,)),  # of the victory
        ],
        align=True,
    )
