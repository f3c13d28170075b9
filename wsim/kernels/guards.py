"""Guards: when a game appends or adds something, it checks that the result fits, and stops if it does not.

A game that breaks a limit ends with ``LimitError`` in any kernel that plays it: a chunk, a playout, a step of an
environment. Nothing is clamped or dropped, so no wrong number is ever recorded. ``wsim.limits`` turns it into a
sentence. The guards of a game are listed at the head of its ``kernels/guards.py``.
"""

from __future__ import annotations

from wsim.jit import kernel, stop


@kernel(rare=True)
def stop_game(what, seat, source, value, bound):
    """Stop the game: a number of a seat reached ``value``, and the limit is ``bound``; ``source``: the entry, or -1."""
    return stop(what, seat, source, value, bound)
