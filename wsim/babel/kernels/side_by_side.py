"""Many games side by side, with policies in separate processes (wsim/kernels/side_by_side.py)."""

from __future__ import annotations

from wsim.babel.kernels.deal import load_entrant
from wsim.babel.kernels.layout import GAME, Pick, Row
from wsim.babel.kernels.steps import STEPS
from wsim.kernels.side_by_side import side_by_side_of

SIDE_BY_SIDE = side_by_side_of(STEPS, load_entrant, GAME, Row, Pick)
