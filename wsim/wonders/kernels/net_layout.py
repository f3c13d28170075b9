"""The inputs of the policy ``net``: the sizes of its layers and inputs, and the layout of its items for one rule set.

The first layer takes numbers of the state, and sets of items (cards and stages). The net knows an item only by its
effects, which have the weights (``policies.net_items``). The row of an item is its contribution to the first layer in
one role, so a card costs one addition, as if the net had learned it by name.
"""

from __future__ import annotations

from wsim.kernels.net_layers import Sizes
from wsim.wonders.words import CARD_WORDS, CARDS, ENTRIES

CARD_ROLES = ("hand", "coming", "built", "build", "bury", "sell", "pile", "city_build", "city_leave")
"""The roles of a card: three in the state, then its use by a move."""
STAGE_ROLES = ("next", "later", "stage")
"""In which a stage is looked at: two of the state, then building it."""
SETS = 3  # hand, coming, built: the first roles of cards
STAGES_IN_ALL = ENTRIES - CARDS

SIZES = Sizes(
    width=128,
    narrow=32,
    state_numbers=256,
    move_numbers=20,
    item_rows=len(CARD_ROLES) * CARDS + len(STAGE_ROLES) * STAGES_IN_ALL,
)
NET = SIZES.net
STAGE_ROWS = len(CARD_ROLES) * CARDS  # where the rows of the stages begin, behind those of the cards, role by role

STATE = SIZES.state(
    ("sets", "u8", (SETS, CARD_WORDS)),  # bits of cards
    ("side", "i2"),  # the own board
    ("stages", "i2"),  # that it has
)
"""A decision as the net sees it."""
MOVE = SIZES.move(
    ("role", "i2"),  # a place in CARD_ROLES, -1 where it has no card
    ("card", "i2"),
)
"""A move of it."""
