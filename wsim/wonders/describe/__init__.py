"""Describe games of 7 Wonders: traces, views of a seat, text and scenes."""

from collections.abc import Sequence

POSITION_KEYS: Sequence[str] = (
    "seat", "age", "turn", "discarded", "cities", "hand", "handed_on", "counters", "recruits", "display",
    "enlisted", "draft",
)  # fmt: skip
"""The keys of a hand-written position (``setup.py``)."""
