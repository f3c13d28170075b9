"""The inputs of the policy ``net``: the sizes of its layers and inputs.

Kinds and wonders differ only in name, so the inputs of a move contain its effects on the disc, the wonder and the cards
instead of its number.
"""

from __future__ import annotations

from wsim.kernels.net_layers import Sizes

SIZES = Sizes(width=64, narrow=32, state_numbers=112, move_numbers=48)
NET = SIZES.net
STATE, MOVE = SIZES.state(), SIZES.move()
"""A decision as seen by the net, and a move of it."""
