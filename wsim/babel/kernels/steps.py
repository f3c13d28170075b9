"""The steps of a game, compiled once for all that plays positions on (wsim/kernels/steps.py)."""

from __future__ import annotations

from wsim.babel.kernels.playing import ENGINE
from wsim.kernels.steps import stepped

STEPS = stepped(ENGINE)
