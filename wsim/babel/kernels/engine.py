"""Whole games: the entry point, separate from stepping, so that stepping need not wait for it."""

from __future__ import annotations

from wsim.babel.kernels.layout import Pick, Row
from wsim.babel.kernels.playing import ENGINE
from wsim.kernels.engine import chunk_of

play_chunk = chunk_of(ENGINE, Row, Pick)
