"""Descriptions of a game of Tower of Babel: trace, view of a seat, text, scenes."""

from collections.abc import Sequence

POSITION_KEYS: Sequence[str] = ("seat", "turn", "row", "board", "discards", "hand", "held", "seats")
"""Keys of a hand-written position (``setup.py``)."""
