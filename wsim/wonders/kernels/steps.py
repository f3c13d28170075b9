"""The steps of a game, compiled once for all code that continues positions (wsim/kernels/steps.py)."""

from __future__ import annotations

from wsim.jit import types
from wsim.kernels.steps import stepped
from wsim.wonders.kernels.playing import ENGINE

STEPS = stepped(ENGINE, types.uint64)
