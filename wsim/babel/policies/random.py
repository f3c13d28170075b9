"""``random``: every legal move is equally likely."""

from __future__ import annotations

from wsim.babel.layout import POLICY
from wsim.jit import kernel
from wsim.rng import below


@kernel(POLICY)
def random(public, own, choice, t):  # noqa: ARG001 (the signature of every policy)
    """Pick a legal move uniformly, on the seat's own random stream."""
    return below(own, choice.count)
