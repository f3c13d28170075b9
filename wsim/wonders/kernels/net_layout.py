"""The inputs of the policy ``net``: the sizes of its layers and inputs, and the layout of its items for one rule set.

The first layer takes numbers of the state, and sets of items (cards and stages). The net knows an item only by its
effects, which have the weights (``policies.net_items``). The row of an item is its contribution to the first layer in
one role, so a card costs one addition, as if the net had learned it by name.

Catalogues with counters, decisions or further decks have *further rows*. Nets have zeros there until ``wsim learn``
fits them, and catalogues without these features list no further rows.
"""

from __future__ import annotations

from wsim.kernels.net_layers import Sizes
from wsim.wonders.words import CARD_WORDS, CARDS, COUNTERS, DECK_CARDS, ENTRIES

CARD_ROLES = ("hand", "coming", "built", "build", "bury", "sell", "pile", "city_build", "city_leave")
"""The roles of a card: three in the state, then its use by a move."""
STAGE_ROLES = ("next", "later", "stage")
"""The roles of a stage: two in the state, then building it."""
SETS = 3  # hand, coming, built: the first roles of cards
STAGES_IN_ALL = ENTRIES - CARDS
STAGE_ROWS = len(CARD_ROLES) * CARDS  # where the rows of the stages begin, behind those of the cards, role by role

DECK_ROLES = ("hand", "open", "own", "recruit")
"""The roles of a card of a further deck (R88): three in the state, then the move that recruits it."""
PICKED_ROLES = ("lost", "looked_at")
"""The roles of a card that a decision chooses (R80) and does not build: its city loses it, or nothing happens to it."""
COUNTER_CITIES = ("own", "left", "right")
"""The cities whose counters (R70) are inputs; of a counter of the table, only the first."""
COUNTER_STEPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20, 40)
"""A counter has a row for each of these steps above its lower bound, active once it is reached."""
DECIDED_OPTIONS = 128  # options of all decisions of clauses (layout.OPTIONS)
CHOSEN_CITIES = ("left", "right", "farther")
"""The city that a decision chooses."""
FURTHER_AT = STAGE_ROWS + len(STAGE_ROLES) * STAGES_IN_ALL  # where the further rows begin
DECKS_AT = 0  # counted from there: cards of decks, role by role
COUNTERS_AT = DECKS_AT + len(DECK_ROLES) * DECK_CARDS  # counters: by city, by counter, by step
PICKED_AT = COUNTERS_AT + len(COUNTER_CITIES) * COUNTERS * len(COUNTER_STEPS)  # chosen cards, role by role
OPTIONS_AT = PICKED_AT + len(PICKED_ROLES) * CARDS
CITIES_AT = OPTIONS_AT + DECIDED_OPTIONS
FURTHER_ROWS = CITIES_AT + len(CHOSEN_CITIES)
FURTHER_WORDS = -(-PICKED_AT // 64)  # with one bit for each row of the state
FURTHER_OF_MOVE = 2  # at most

SIZES = Sizes(
    width=128,
    narrow=32,
    state_numbers=256,
    move_numbers=20,
    item_rows=FURTHER_AT + FURTHER_ROWS,
)
NET = SIZES.net

STATE = SIZES.state(
    ("sets", "u8", (SETS, CARD_WORDS)),  # bits of cards
    ("further", "u8", (FURTHER_WORDS,)),  # bits of further rows
    ("side", "i2"),  # the own board
    ("stages", "i2"),  # that it has
)
"""A decision as seen by the net."""
MOVE = SIZES.move(
    ("role", "i2"),  # a place in CARD_ROLES, -1 where it has no card
    ("card", "i2"),
    ("further", "i2", (FURTHER_OF_MOVE,)),  # further rows, -1 none
)
"""A move of such a decision."""
