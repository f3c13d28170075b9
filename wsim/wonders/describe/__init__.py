"""A game of 7 Wonders described: what happened (trace), what a seat may see (view), both in words, scene by scene."""

from collections.abc import Sequence

POSITION_KEYS: Sequence[str] = ("seat", "age", "turn", "discarded", "cities", "hand", "handed_on")
"""What a person's description of a position holds (``setup.py``)."""
