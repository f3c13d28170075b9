"""The vocabulary of Tower of Babel: names with their numbers, and limits. It imports nothing.

The order of a list is the numbering: ``KINDS[SHIP]`` is ``"ship"``. The records are in ``kernels.layout``.
"""

from __future__ import annotations

from collections.abc import Mapping

TITLE = "Tower of Babel"

# --- limits ----------------------------------------------------------------------------------------------------------

MIN_SEATS, SEATS = 3, 5  # A1
WONDERS = 8
SPACES = 3  # for discs on a wonder
SLOTS = WONDERS * SPACES  # disc spaces of the board, and discs of a game
NEEDS = 2  # maximum number of kinds on a disc
DISCS_OF_KIND = 6
TWO_COLOUR_DISCS = 4
ROWS = 7  # of the value table
SHARES = 3  # of a row: most parts, second most, all others
SET_SIZES = 10  # of the set table: 0 to 9 discs of a kind
PARAMETERS = 8  # of a policy; the last one is `explore`, which every policy has
EXPLORE = PARAMETERS - 1  # its index; the others belong to the policy

# --- building cards, discs, action cards -----------------------------------------------------------------------------

KINDS = ("camel", "crane", "ship", "stonemason")
CAMEL, CRANE, SHIP, STONEMASON = range(len(KINDS))
NO_KIND = len(KINDS)  # the second kind of a disc that shows one

ACTION_CARDS = ("card_exchange", "disc_bonus", "double_turn", "draw_three", "five_points", "joker", "triple_bonus")
EXCHANGE_CARDS, DISC_BONUS, DOUBLE_TURN, DRAW_THREE, FIVE_POINTS, JOKER, TRIPLE_BONUS = range(len(ACTION_CARDS))

POINTS_BY_FORMULA = ("disc_bonus", "five_points", "triple_bonus")
"""Action cards that earn points: a number, or a formula of the seat that plays it (A33)."""
TABLE_NAMES = ("completed", "turn", "players")
"""The names of the table in formulas: wonders completed, the turn, players. For a seat, see ``facts.SEAT_NAMES``."""

# --- decisions: CHOICE.kind, and the meaning of its moves (0 always refuses, and is first where it is legal) ----------

DECISIONS = ("turn", "play_card", "exchange", "offer", "bluff", "take", "complete", "triple_bonus", "double_turn")
OPEN_DECISIONS = ("turn", "take", "complete", "play_card", "triple_bonus", "double_turn")  # everybody sees the choice
TURN = 0  # 0 pass; 1 + slot: build with the disc of that slot
PLAY_CARD = 1  # windows W1-W3. 0 none; 1 + action card (exchange or draw three)
EXCHANGE = 2  # 0 enough; 1 + kind of the next card to set aside, kinds never descending
OFFER = 3  # 0 nothing; cards of the first kind | of the second << 8 | layout.TRADE_CARD
BLUFF = 4  # 0 none; mask of the wrong kinds: a card of each is added to the offer (A6)
TAKE = 5  # 0 none; mask of the seats whose offers are taken
COMPLETE = 6  # 0 decline; layout.COMPLETED | missing cards of the first kind for Jokers | of the second << 8
TRIPLE = 7  # 0 no; 1 play the Triple bonus on one's own refused offer
DOUBLE = 8  # 0 no; 1 play the Double turn

RUNNING, KIND_GONE, TURN_LIMIT = range(3)  # why a game is over: PUBLIC.over

# --- switches --------------------------------------------------------------------------------------------------------

SWITCHES: Mapping[str, str] = {
    "use_action_cards": "false: play without the action deck",
    "reshuffle_discards": "A2: an empty deck is refilled from the discard pile; false: it stays empty",
    "allow_empty_offer": "A4: an opponent with a fitting card may still offer nothing",
    "allow_trade_card_alone": "A5: the trade card alone is an offer",
    "allow_bluff_cards": "A6: cards of wrong kinds may be added to an offer; they are only shown",
    "may_decline_when_able": "A9: the active player may give up a build that it could pay for",
    "joker_may_split": "A13: one Joker may stand for cards of two kinds on a two-colour disc",
    "max_jokers_per_build": "A14: 99 means no limit",
    "triple_bonus_on_failed_build": "A16",
    "action_card_usable_at_once": "A18: in the turn in which the card was drawn",
    "max_double_turns": "A20: maximum number of extra actions in one turn",
    "action_card_for_last_wonder": "A22: drawn for a wonder that the game-ending disc completes",
    "public_discs": "A26: everybody remembers who took which disc",
    "limit_parts": "A28: each player can place only setup.parts units",
    "turn_limit": "A32: the game ends and is scored after this many turns",
}
"""Switches that kernels read: each is a field of RULES. Their values are in babel.toml."""
COMPILED_SWITCHES: Mapping[str, str] = {
    "use_two_colour_discs": "section 10",
    "set_table_cap": "A25: maximum number of discs of one kind that count",
    "victory_tie": 'A27: "shared", or "discs": more discs win, then shared',
}
"""Switches applied when the rules are compiled: to the discs, the set table and ``RULES.tie_by_discs``."""
TIES = ("shared", "discs")

LEVELS: Mapping[str, str] = {
    "assumed": "assumed, not printed",
    "inferred": "inferred, not printed",
    "one_source": "one source only",
}
"""Certainty of values that no available text prints."""

# --- prefixes of seats table columns: what a seat has at the end ------------------------------------------------------

DISC, WON, WON_ROW, DRAWN = "disc:", "won:", "won_row:", "drawn_"
"""``disc:ship 5``, ``won:Tower of Babel``, ``won_row:1``: yes or no; ``drawn_joker``: a count."""
