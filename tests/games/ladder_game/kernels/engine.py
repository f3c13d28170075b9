"""The entry point of whole games, separate from stepping kernels, which need not wait for it."""

from __future__ import annotations

from wsim.kernels.engine import chunk_of

from .layout import Pick, Row
from .playing import ENGINE

play_chunk = chunk_of(ENGINE, Row, Pick)
