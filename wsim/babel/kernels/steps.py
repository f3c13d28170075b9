"""The steps of a game, compiled once for all code that continues positions (wsim/kernels/steps.py)."""

from __future__ import annotations

from wsim.babel.kernels.playing import ENGINE
from wsim.kernels.steps import stepped

STEPS = stepped(ENGINE)
