"""``random``: every legal move is equally likely."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.rng import below


@kernel
def random(public, own, choice, rules, settings):
    """Return a legal move, uniformly drawn from the seat's random stream."""
    return below(own, choice.count)
