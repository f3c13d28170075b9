"""What the policy ``net`` reads: the sizes of its layers and inputs.

Kinds and wonders differ by name only, so nothing of a move is told by its number: a move's inputs say what it does to
the disc, the wonder and the cards that it is about.
"""

from __future__ import annotations

from wsim.kernels.net_layers import Sizes

SIZES = Sizes(width=64, narrow=32, state_numbers=112, move_numbers=48)
NET = SIZES.net
STATE, MOVE = SIZES.state(), SIZES.move()
"""A decision as the net sees it, and a move of it."""
