"""Whole games: the entry point, apart from what steps games, which need not wait for it."""

from __future__ import annotations

from wsim.babel.kernels.layout import Pick, Row
from wsim.babel.kernels.playing import ENGINE
from wsim.kernels.engine import chunk_of

play_chunk = chunk_of(ENGINE, Row, Pick)
