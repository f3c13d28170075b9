"""Whole games: the entry point, separate from stepping, so that stepping need not wait for it."""

from __future__ import annotations

from wsim.kernels.engine import chunk_of
from wsim.wonders.kernels.layout import Pick, Row
from wsim.wonders.kernels.playing import ENGINE

play_chunk = chunk_of(ENGINE, Row, Pick)
