"""A game of Tower of Babel described: what happened (trace), what a seat may see (view), in words, scene by scene."""

from collections.abc import Sequence

POSITION_KEYS: Sequence[str] = ("seat", "turn", "row", "board", "discards", "hand", "held", "seats")
"""What a person's description of a position holds (``setup.py``)."""
