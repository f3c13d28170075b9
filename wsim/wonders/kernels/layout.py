"""The memory contract of the 7 Wonders engine: every record that kernels read or write, field by field.

Records are aligned structured dtypes passed as numba ``Record`` (one pointer, no reference count). Four kinds:

* ``RULES``   the rules of one rule set at one table size, compiled from the catalogue; never written while playing
* ``PUBLIC``   what everybody at the table may know (R49)
* ``PRIVATE``  what one seat alone knows, its random stream and the parameters of its policy
* ``CHOICE``   the legal moves of the decision at hand (R50)

A policy is handed the public record, its own private record, the choice and the rules: hidden cards are out of its
reach. ``GAME`` bundles them with what nobody sees. Amounts of resources are *packed*: one 64-bit word, a byte ("lane")
for each of the seven resources in the order of ``RESOURCES``, so that costs and productions are added and compared in
one go.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import ADDRESSES, from_dtype, record_type, types

RESOURCES = ("clay", "stone", "ore", "wood", "glass", "loom", "papyrus")
COLORS = ("brown", "gray", "blue", "yellow", "red", "green", "purple", "black")
SYMBOLS = ("", "compass", "gear", "tablet", "any")

SEATS = 7
AGES = 3
SLOTS = 64  # physical copies that may be dealt in one age
CARDS = 128  # distinct names
ENTRIES = 256  # things with effects: cards 0..127, stages of boards from STAGE_ENTRY on
STAGE_ENTRY = 128
SIDES = 48  # boards times two sides
STAGES = 6  # of one side
CHOICES = 512  # legal moves of one decision
FLEX = 24  # either/or symbols of one city
TURNS = 8
EVENTS = 512  # log entries of one game
HAND = 8  # cards of one hand at most
PARAMETERS = 8
WEIGHTS = 48  # of the weighted policy, for each age

# --- bits of a word of abilities
PLAY_LAST = 1  # R27
BUILD_DISCARD = 2  # R28
COPY_GUILD = 4  # R29
FREE_ONCE_PER_AGE = 8  # R26, 1e Olympia A
FREE_FIRST_COLOR = 16  # R26, 2e Olympia day
FREE_FIRST_TURN = 32  # R26, 2e Olympia night, stage 1
FREE_LAST_TURN = 64  # R26, 2e Olympia night, stage 2
FREE_STAGES = 128  # R17
WAREHOUSE = 256  # R18
BLACK_MARKET = 512  # R18
DISCARD_DEFEATS = 1024  # R35
PRICES = 1 << 12  # changes what the city pays its neighbours (R14)
WILD_PRICES = 1 << 13  # ... in a way that depends on the symbol or the turn (wharfs, Smuggler's Cache)

TOKENS = 1 << 14  # gives diplomacy tokens or copies science (R20, R31)
LEFT_RAW, LEFT_MADE, RIGHT_RAW, RIGHT_MADE = 0, 1, 2, 3
NO_PRICE = 99

# --- what an effect counts (bit mask; the colours come first, in the order of COLORS)
COUNT_STAGE = 1 << 8
COUNT_DEFEAT = 1 << 9
COUNT_VICTORY = (1 << 10, 1 << 11, 1 << 12)  # tokens of ages I, II, III
COUNT_ANY_VICTORY = COUNT_VICTORY[0] | COUNT_VICTORY[1] | COUNT_VICTORY[2]
CITY_SELF, CITY_LEFT, CITY_RIGHT = 1, 2, 4
WHO_OTHERS, WHO_NEIGHBORS = 1, 2
PER_ONCE, PER_VICTORY, PER_STAGE = 0, 1, 2

# --- a move: one 64-bit word (see moves.py for the accessors)
BUILD, STAGE, SELL, DECLINE, PAY = 0, 1, 2, 3, 4
PAID, CHAIN, FREE = 0, 1, 2
CARD_AT, ACTION_AT, HOW_AT, BANK_AT, LEFT_AT, RIGHT_AT, SLOT_AT, SPENDS_AT = 0, 8, 12, 16, 24, 32, 40, 48

# --- the decision at hand
TURN, LAST_CARD, DISCARD_PILE, FREE_CITY, LOSS = 0, 1, 2, 3, 4

# --- switches of a rule set
SWITCHES = (
    "copied_shipowners_counts_itself",
    "counting_includes_itself",
    "last_card_on_new_state",
    "discard_builds_boards_first",
    "olympia_discount_cumulative",
    "paid_build_beside_chain",
    "chain_from_any_age",
    "discard_build_optional",
    "free_city_chooses_payment",
    "debt_choice",
)

# --- log events (for traces and the picks table)
LOG_HANDS, LOG_PICK, LOG_LOSS, LOG_TURN_END, LOG_CONFLICT = 0, 1, 2, 3, 4

PUBLIC = np.dtype(
    [
        ("seats", "i8"),  # cities at the table, the Free City included
        ("age", "i8"),  # 0, 1, 2
        ("turn", "i8"),  # 0.. within the age
        ("turns", "i8"),  # of an age: 6, Cities 7
        ("discarded", "i8"),  # size of the discard pile
        ("side", "i8", (SEATS,)),  # row of RULES.stage_entry: the board and its side
        ("policy", "i8", (SEATS,)),  # entry of the line-up that plays the seat
        ("coins", "i8", (SEATS,)),
        ("stages", "i8", (SEATS,)),  # built
        ("shields", "i8", (SEATS,)),
        ("hand_size", "i8", (SEATS,)),
        ("abilities", "i8", (SEATS,)),  # bits above, of structures and stages
        ("free_used", "i8", (SEATS,)),  # the once-per-age free build is spent in this age
        ("built", "u8", (SEATS, 2)),  # names owned, one bit a card
        ("colors", "i8", (SEATS, len(COLORS))),  # structures by colour
        ("symbols", "i8", (SEATS, len(SYMBOLS))),  # science symbols; the last one is wild
        ("green_symbols", "i8", (SEATS, len(SYMBOLS))),  # those of green structures, which others may copy (R31)
        ("victory", "i8", (SEATS, AGES)),  # victory tokens by kind
        ("defeats", "i8", (SEATS,)),  # defeat tokens
        ("debts", "i8", (SEATS,)),
        ("diplomacy", "i8", (SEATS,)),
        ("copy_science", "i8", (SEATS,)),  # structures that copy a symbol (R31)
        ("plain", "u8", (SEATS,)),  # packed: fixed production
        ("sale", "u8", (SEATS,)),  # packed: the part of it that neighbours may buy
        ("reach", "u8", (SEATS,)),  # packed: at most so many of each resource, either/or symbols counted for all
        ("sale_reach", "u8", (SEATS,)),  # packed: the same of what neighbours may buy
        ("flex_lanes", "u8", (SEATS,)),  # packed 0xFF: resources that some either/or symbol may give
        ("sale_flex_lanes", "u8", (SEATS,)),
        ("flex_count", "i8", (SEATS,)),
        ("sale_flex_count", "i8", (SEATS,)),
        ("flex", "u8", (SEATS, FLEX)),  # packed: 1 for each alternative
        ("sale_flex", "u8", (SEATS, FLEX)),
        ("flex_role", "u1", (SEATS, FLEX)),  # 1 Secret Warehouse, 2 Black Market: alternatives follow production (R18)
        ("board_resource", "i8", (SEATS,)),  # index into RESOURCES
        ("made_kinds", "i8", (SEATS,)),  # mask of what board, brown and gray cards can give (R18)
        ("post_price", "i8", (SEATS, 4)),  # by structures: LEFT_RAW, LEFT_MADE, RIGHT_RAW, RIGHT_MADE
        ("board_price", "i8", (SEATS, 4)),  # by stages
        ("price", "i8", (SEATS, 4)),  # what a unit costs (R14), both together
        ("cheapest", "i8", (SEATS,)),  # of the four
        ("turn_rebate", "i8", (SEATS, 2)),  # left, right: off one unit each turn (wharfs)
        ("board_rebate", "i8", (SEATS, 2)),  # left, right: off the neighbour's starting resource (Smuggler's Cache)
        # what happened so far, for the seats table
        ("trade_paid", "i8", (SEATS,)),
        ("trade_received", "i8", (SEATS,)),
        ("bank_paid", "i8", (SEATS,)),
        ("built_paid", "i8", (SEATS,)),
        ("built_chain", "i8", (SEATS,)),
        ("built_free", "i8", (SEATS,)),
        ("built_discard", "i8", (SEATS,)),
        ("sold", "i8", (SEATS,)),
        ("coins_lost", "i8", (SEATS,)),
    ],
    align=True,
)

PRIVATE = np.dtype(
    [
        ("seat", "i8"),
        ("rng", "u8"),  # state of the seat's random stream
        ("hand", "u8"),  # one bit a slot of the age
        ("mate_hand", "u8"),  # the team mate's hand (R42), else 0
        ("seen", "u8"),  # slots of this age that the seat has held or seen
        ("passed", "u8", (TURNS,)),  # the hand handed on after each turn of this age
        ("entrant", "i8"),  # line-up entry whose parameters are loaded, -1 none
        ("parameters", "f8", (PARAMETERS,)),
        ("weights", "f8", (AGES, WEIGHTS)),
    ],
    align=True,
)

CHOICE = np.dtype(
    [
        ("count", "i8"),
        ("kind", "i8"),  # TURN, LAST_CARD, DISCARD_PILE, FREE_CITY or LOSS
        ("seat", "i8"),  # the city that the moves are for (the Free City's differs from the decider)
        ("moves", "u8", (CHOICES,)),
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("seats", "i8"),
        ("players", "i8"),  # seats that win or lose: 2 in the game for two
        ("hand_size", "i8"),
        ("turns", "i8"),
        ("start_coins", "i8"),
        ("sale_coins", "i8"),
        ("trade_price", "i8"),
        ("coins_per_point", "i8"),
        ("defeat_points", "i8"),
        ("victory_points", "i8", (AGES,)),
        ("cities", "i8"),
        ("teams", "i8"),
        ("duo", "i8"),
        ("boards", "i8"),
        ("cards", "i8"),
        ("switch", "i8", (len(SWITCHES),)),
        # the deal
        ("slots", "i8", (AGES,)),
        ("slot_card", "u1", (AGES, SLOTS)),
        ("base_count", "i8", (AGES,)),
        ("base_slots", "u1", (AGES, SLOTS)),  # slots that are always dealt
        ("pool_count", "i8", (AGES, 2)),  # guilds, black cards of the age
        ("pool", "u1", (AGES, 2, SLOTS)),
        ("pool_drawn", "i8", (AGES, 2)),
        # cards and stages
        ("cost", "u8", (ENTRIES,)),  # packed
        ("cost_coins", "i2", (ENTRIES,)),
        ("chain", "u8", (CARDS, 2)),  # predecessors
        ("color", "i2", (CARDS,)),
        ("age_of", "i2", (CARDS,)),  # first age in which the name exists
        ("category", "i2", (CARDS,)),  # score category of the structure's points
        ("produces", "u8", (ENTRIES,)),  # packed
        ("one_of", "i2", (ENTRIES,)),  # mask over RESOURCES
        ("shields", "i2", (ENTRIES,)),
        ("symbol", "i2", (ENTRIES,)),
        ("points", "i2", (ENTRIES,)),
        ("abilities", "i4", (ENTRIES,)),
        ("price", "i2", (ENTRIES, 4)),  # what a unit costs from now on; NO_PRICE leaves it
        ("turn_rebate", "i2", (ENTRIES, 2)),
        ("board_rebate", "i2", (ENTRIES, 2)),
        ("eventful", "i2", (ENTRIES,)),  # whether anything below, or coins, happens when it is placed
        ("coins", "i2", (ENTRIES,)),
        ("coins_per", "i2", (ENTRIES, 3)),  # amount, what, cities
        ("points_per", "i2", (ENTRIES, 3)),
        ("points_complete", "i2", (ENTRIES,)),  # if every own stage is built
        ("coins_to_others", "i2", (ENTRIES, 2)),  # amount, who
        ("coin_loss", "i2", (ENTRIES, 3)),  # amount, who, per
        ("debt", "i2", (ENTRIES, 2)),  # amount, who
        ("victory_token", "i2", (ENTRIES,)),  # 1 + age, 0 none
        ("diplomacy", "i2", (ENTRIES,)),
        ("copy_science", "i2", (ENTRIES,)),
        # boards: side number = board * 2 + side
        ("board_resource", "i2", (SIDES,)),
        ("stage_count", "i2", (SIDES,)),
        ("stage_entry", "i2", (SIDES, STAGES)),
        # masks over the cards, for scoring
        ("scoring_cards", "u8", (2,)),  # cards with points_per or points_complete
        ("purple_cards", "u8", (2,)),
    ],
    align=True,
)

SEATING = np.dtype(
    [
        ("seed", "i8"),
        ("entries", "i8"),  # of the line-up
        ("rotate_policies", "i8"),
        ("design", "i8"),  # RANDOM_BOARDS, ROTATED_BOARDS or BALANCED_BOARDS
        ("board", "i8", (SEATS,)),  # -1 random
        ("side", "i8", (SEATS,)),  # -1 random
        ("parameters", "f8", (SEATS, PARAMETERS)),  # by line-up entry
        ("weights", "f8", (SEATS, AGES, WEIGHTS)),
        ("explore", "f8", (SEATS,)),  # by seat: chance that a pick is replaced by a uniform one
        ("experiment", "i8"),  # whether any seat explores or is banned from something
        ("ban", "u8", (SEATS, 4)),  # by seat: card bits (2 words), colour mask, BAN_* bits
    ],
    align=True,
)

RANDOM_BOARDS, ROTATED_BOARDS, BALANCED_BOARDS = 0, 1, 2
BAN_TRADE, BAN_STAGE, BAN_SELL = 1, 2, 4

EVENT = np.dtype(
    [
        ("kind", "u1"),
        ("age", "u1"),
        ("turn", "u1"),
        ("seat", "u1"),  # the city concerned
        ("decision", "u1"),  # CHOICE.kind
        ("legal", "u2"),  # number of legal moves
        ("index", "u2"),  # the one picked
        ("randomised", "u1"),  # the pick was drawn by exploration
        ("move", "u8"),
        ("hand", "u8"),  # slots in hand; of a discard pile, none
        ("ways", "u1", (HAND,)),  # legal ways to build each distinct card of the hand, in its order (pick experiments)
        ("values", "i4", (SEATS,)),  # coins after a turn, or what the kind says
        ("probability", "f4"),  # of the pick, given policy and exploration
    ],
    align=True,
)

HIDDEN = np.dtype(
    [
        ("rng", "u8"),  # stream of the deals
        ("dice", [("unused", "u8"), ("rng", "u8")]),  # stream of explored picks
        ("pool", "i8", (SLOTS,)),  # scratch of draws without replacement
        ("error", "i8", (4,)),  # a policy's wrong index: 1, seat, index, number of moves
        ("deck", "i8", (SLOTS,)),
        ("pile", "u8", (2,)),  # names on the discard pile
        ("copies", "i8", (CARDS,)),  # copies of each on the pile
        ("free_pile", "i8", (8,)),  # slots of the Free City's pile, top first
        ("free_pile_next", "i8"),
        ("holder", "i8"),  # seat with the Free City card
        ("taken", "u8", (SEATS,)),  # the move chosen by each city this turn
        ("board_builds", "i8", (SEATS,)),  # builds from the pile granted by boards
        ("card_builds", "i8", (SEATS,)),  # ... by structures
        ("queue", "i8", (64,)),
        ("losses", "i8", (SEATS,)),
        ("envoy", "i8", (SEATS,)),  # a diplomacy token was discarded at this end of age
        ("fought", "i8", (6,)),  # the conflict just fought: seats, shields, token sums
        # the payer of the decision at hand, see payment.prepare_payer
        ("payer_left", "i8"),
        ("payer_right", "i8"),
        ("payer_plain", "u8"),
        ("payer_bound", "u8"),  # packed: at most so much could be had, neighbours included
        ("payer_flexible", "u8"),  # packed 0xFF: resources that some either/or symbol in reach may give
        ("payer_sale", "u8", (2,)),  # packed: what left and right sell for the cost at hand
        ("payer_choices", "i8"),  # either/or symbols that may give several of the missing resources
        ("payer_wild", "i8"),
        ("payer_cheapest", "i8"),
        ("payer_used", "i8"),  # own either/or symbols that are spoken for in the cost at hand
        ("pairs", "u8", (64,)),  # solver: the payments found, as the two fields of a move
        ("stage_moves", "u8", (64,)),  # payments of the next stage, while listing
        ("reachable", "u8", (2, 64)),  # solver: reachable states for each coin total, left and right
        ("stride", "u8", (8,)),  # solver: what one more unit of a resource adds to a state
        ("open", "u8", (8,)),  # solver: the states that lack some of a resource
        ("span", "i8", (8,)),  # solver: missing amount of a resource
        ("best_right", "i8", (64,)),  # solver: least coins to the right for each total to the left
        ("general", "i2", (1024, 64)),  # general solver: least right total by covered units and left total
        ("scores", "i8", (SEATS, 8)),
        ("total", "i8", (SEATS,)),
        ("rank", "i8", (SEATS,)),
        ("share", "f8", (SEATS,)),
        ("logging", "i8"),
        ("events", "i8"),
        ("log", EVENT, (EVENTS,)),
    ],
    align=True,
)

GAME = np.dtype(
    [("public", PUBLIC), ("own", PRIVATE, (SEATS,)), ("choice", CHOICE), ("hidden", HIDDEN), ("frozen", PUBLIC)],
    align=True,
)

CATEGORIES = ("military", "treasury", "wonder", "civilian", "science", "commerce", "guild", "cities")

ROW = np.dtype(
    [
        ("game", "u8"),
        ("seat", "u1"),
        ("side", "u1"),  # board * 2 + side
        ("policy", "u1"),  # line-up entry
        ("rank", "u1"),  # 1 = best; equal points and coins share a rank
        ("win_share", "f4"),
        ("points", "i2", (len(CATEGORIES),)),
        ("total", "i2"),
        ("coins", "i2"),
        ("shields", "u1"),
        ("stages", "u1"),
        ("victory_points", "u1"),
        ("defeats", "u1"),
        ("debts", "u2"),
        ("coins_lost", "u2"),
        ("trade_paid", "u2"),
        ("trade_received", "u2"),
        ("bank_paid", "u2"),
        ("built_paid", "u1"),
        ("built_chain", "u1"),
        ("built_free", "u1"),
        ("built_discard", "u1"),
        ("sold", "u1"),
        ("colors", "u1", (len(COLORS),)),
        ("symbols", "u1", (len(SYMBOLS),)),
        ("built", "u8", (2,)),
    ],
    align=True,
)

PICK = np.dtype([("game", "u8"), ("event", EVENT)], align=True)

Public, Private, Choice, Hidden, Game = map(record_type, (PUBLIC, PRIVATE, CHOICE, HIDDEN, GAME))
Rules, Seating = (record_type(dtype, constant=True) for dtype in (RULES, SEATING))
Row, Pick = map(from_dtype, (ROW, PICK))
POLICY = types.int64(Public, Private, Choice, Rules)
LINE_UP = ADDRESSES  # of the policies, one for each entry
