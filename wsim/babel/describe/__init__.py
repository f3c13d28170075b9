"""Describe games of Tower of Babel: traces, views of a seat, text and scenes."""

from collections.abc import Sequence

POSITION_KEYS: Sequence[str] = ("seat", "turn", "row", "board", "discards", "hand", "held", "seats")
"""Keys of a hand-written position (``setup.py``)."""
