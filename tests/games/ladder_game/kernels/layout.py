"""The records of the ladder, and the sizes of its net."""

from __future__ import annotations

import numpy as np

from wsim.jit import from_dtype
from wsim.kernels.heads import ANSWER, in_lines, line_up_fields, log_of, types_of
from wsim.kernels.net_layers import Sizes
from wsim.kernels.searching import POOL, lookahead_of
from wsim.rng import KEYS

SEATS, CARDS, HAND = 4, 40, 6
PARAMETERS, MEMORY, WEIGHTS = 6, 1, 2

RULES = np.dtype([("seats", "i8")], align=True)
PUBLIC = np.dtype(
    [
        ("seats", "i8"),
        ("turn", "i8"),  # of all seats together, from 0
        ("seen", "u8"),  # cards that were played, a bit each
        ("top", "i8"),  # the last card, -1 none
        ("rungs", "i8", (SEATS,)),  # points
    ],
    align=True,
)
PRIVATE = np.dtype(
    [
        ("seat", "i8"),
        ("rng", "u8"),
        ("hand", "u8"),  # a bit each card
        ("entrant", "i8"),  # line-up entry
        ("memory", "f8", (MEMORY,)),
        ("parameters", "f8", (PARAMETERS,)),
    ],
    align=True,
)
HIDDEN = np.dtype([("number", "i8"), ("rng", "u8")], align=True)
CHOICE = np.dtype([("kind", "i8"), ("count", "i8"), ("moves", "i8", (HAND,))], align=True)  # cards, ascending
SIZES = Sizes(width=8, narrow=4, state_numbers=4, move_numbers=4)
SETTINGS = in_lines(("weights", "f8", (WEIGHTS,)), ("net", SIZES.net))
SEATING = np.dtype(
    [("keys", "u8", (KEYS,)), ("rotate", "i8"), *line_up_fields(SEATS, PARAMETERS, SETTINGS, SEATS + POOL)], align=True
)
EVENT = np.dtype([("seat", "i8"), ("card", "i8")], align=True)
_POSITION = [("public", PUBLIC), ("own", PRIVATE, (SEATS,)), ("hidden", HIDDEN)]
STATE = np.dtype(_POSITION, align=True)
GAME = np.dtype(
    [
        *_POSITION,
        ("choice", CHOICE),
        ("answer", ANSWER),
        ("lookahead", lookahead_of(STATE, CHOICE, SEATS)),
        ("log", log_of(EVENT, SEATS * HAND)),
    ],
    align=True,
)
ROW = np.dtype(
    [("game", "u8"), ("seat", "u1"), ("policy", "u1"), ("rank", "u1"), ("total", "i2"), ("win_share", "f4")],
    align=True,
)
PICK = np.dtype([("game", "u8"), ("seat", "u1"), ("card", "u1")], align=True)

TYPES = types_of(STATE, PUBLIC, PRIVATE, CHOICE, GAME, RULES, SEATING, SETTINGS, str(__package__))
Row, Pick = from_dtype(ROW), from_dtype(PICK)
