"""The vocabulary of Tower of Babel: every name with its place and number, every limit. It imports nothing.

The order of a list is the numbering: ``KINDS[SHIP]`` is ``"ship"``. What a record holds where is told in
``kernels.layout``.
"""

from __future__ import annotations

from collections.abc import Mapping

TITLE = "Tower of Babel"

# --- limits ----------------------------------------------------------------------------------------------------------

FEWEST_SEATS, SEATS = 3, 5  # A1
WONDERS = 8
SPACES = 3  # for discs on a wonder
SLOTS = WONDERS * SPACES  # disc spaces of the board, and discs of a game
NEEDS = 2  # kinds that a disc shows at most
DISCS_OF_KIND = 6
TWO_COLOUR_DISCS = 4
ROWS = 7  # of the value table
SHARES = 3  # of a row: most parts, second most, everyone else
SET_SIZES = 10  # of the set table: 0 to 9 discs of a kind
PARAMETERS = 8  # of a policy; the last one is `explore`, which every policy has
EXPLORE = PARAMETERS - 1  # its place; the other places belong to the policy

# --- building cards, discs, action cards -----------------------------------------------------------------------------

KINDS = ("camel", "crane", "ship", "stonemason")
CAMEL, CRANE, SHIP, STONEMASON = range(len(KINDS))
NO_KIND = len(KINDS)  # the second kind of a disc that shows one

ACTION_CARDS = ("card_exchange", "disc_bonus", "double_turn", "draw_three", "five_points", "joker", "triple_bonus")
EXCHANGE_CARDS, DISC_BONUS, DOUBLE_TURN, DRAW_THREE, FIVE_POINTS, JOKER, TRIPLE_BONUS = range(len(ACTION_CARDS))

POINTS_BY_FORMULA = ("disc_bonus", "five_points", "triple_bonus")
"""The action cards that bring points: a number, or a formula of the seat that plays it (A33)."""
TABLE_NAMES = ("completed", "turn", "players")
"""What a formula may ask of the table: wonders completed, the turn, players; of a seat: ``facts.SEAT_NAMES``."""

# --- decisions: CHOICE.kind, and what a move of each means (0 always refuses, and stands first where it is legal) ----

DECISIONS = ("turn", "play_card", "exchange", "offer", "bluff", "take", "complete", "triple_bonus", "double_turn")
OPEN_DECISIONS = (
    "turn",
    "take",
    "complete",
    "play_card",
    "triple_bonus",
    "double_turn",
)  # everybody sees what was chosen
TURN = 0  # 0 pass; 1 + slot: build with the disc of that slot
PLAY_CARD = 1  # windows W1-W3. 0 none; 1 + action card (exchange or draw three)
EXCHANGE = 2  # 0 enough; 1 + kind of the next card to set aside, kinds never descending
OFFER = 3  # 0 nothing; cards of the first kind | of the second << 8 | layout.TRADE_CARD
BLUFF = 4  # 0 none; mask of the wrong kinds, a card of each is laid with the offer (A6)
TAKE = 5  # 0 none; mask of the seats whose offers are taken
COMPLETE = 6  # 0 decline; layout.COMPLETED | missing cards of the first kind for Jokers | of the second << 8
TRIPLE = 7  # 0 no; 1 play the Triple bonus on the own refused offer
DOUBLE = 8  # 0 no; 1 play the Double turn

RUNNING, KIND_GONE, TURN_LIMIT = range(3)  # why a game is over: PUBLIC.over

# --- switches --------------------------------------------------------------------------------------------------------

SWITCHES: Mapping[str, str] = {
    "use_action_cards": "false: the action deck stays in the box",
    "reshuffle_discards": "A2: an empty deck is made new from the discard pile; false: it stays empty",
    "allow_empty_offer": "A4: an opponent with a fitting card may still offer nothing",
    "allow_trade_card_alone": "A5: the trade card alone is an offer",
    "allow_bluff_cards": "A6: cards of wrong kinds may be laid with an offer; they only show themselves",
    "may_decline_when_able": "A9: the active player may give up a build that could be paid",
    "joker_may_split": "A13: one Joker may stand for cards of two kinds on a two-colour disc",
    "max_jokers_per_build": "A14: 99 means no limit",
    "triple_bonus_on_failed_build": "A16",
    "action_card_usable_at_once": "A18: in the turn in which it was drawn",
    "max_double_turns": "A20: second actions in one turn",
    "action_card_for_last_wonder": "A22: drawn for the wonder that the game-ending disc completes",
    "public_discs": "A26: everybody remembers who took which disc",
    "limit_parts": "A28: each player has only setup.parts units on the board",
    "turn_limit": "A32: the game is scored as it stands after so many turns",
}
"""Decisions of the rules that kernels ask for: each a field of RULES of its name. babel.toml has their values."""
PREPARED: Mapping[str, str] = {
    "use_two_colour_discs": "section 10",
    "set_table_cap": "A25: discs of one kind that count",
    "victory_tie": 'A27: "shared", or "discs": more discs win, then shared',
}
"""Decisions that are at work when the rules are compiled: in the discs, in the set table, in ``RULES.tie_by_discs``."""
TIES = ("shared", "discs")

LEVELS: Mapping[str, str] = {
    "assumed": "assumed, not printed",
    "inferred": "inferred, not printed",
    "one_source": "one source only",
}
"""How certain a value is that no text at hand prints."""

# --- columns of the seats table: how those begin that say what a seat has at the end ----------------------------------

DISC, WON, WON_ROW, DRAWN = "disc:", "won:", "won_row:", "drawn_"
"""``disc:ship 5``, ``won:Tower of Babel``, ``won_row:1``: whether; ``drawn_joker``: how many."""
