"""Many games side by side, with policies in separate processes (wsim/kernels/side_by_side.py)."""

from __future__ import annotations

from wsim.kernels.side_by_side import side_by_side_of
from wsim.wonders.kernels.deal import load_entrant
from wsim.wonders.kernels.layout import GAME, Pick, Row
from wsim.wonders.kernels.steps import STEPS

SIDE_BY_SIDE = side_by_side_of(STEPS, load_entrant, GAME, Row, Pick)
