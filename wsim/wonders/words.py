"""The vocabulary of 7 Wonders: all names with their numbers, and all limits. It imports nothing.

The order of a list is the numbering: ``COLORS[RED]`` is ``"red"``, and ``public.colors[seat, RED]`` counts red
structures. ``kernels.layout`` documents the records, ``catalog.effects`` the effects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# --- limits ----------------------------------------------------------------------------------------------------------

SEATS = 7  # cities at a table
AGES = 3
HAND = 8  # cards dealt to a hand, at most
TURNS = 8  # turns of an age, at most
CARDS = 128  # distinct cards in a rule set
CARD_WORDS = 2  # 64-bit words with one bit per card
SLOTS = 64  # physical copies that can be dealt in one age: one bit each of a 64-bit word
BOARDS = 24
SIDES_OF_BOARD = 2
SIDES = BOARDS * SIDES_OF_BOARD  # the number of a side is board * 2 + its index
STAGES = 6  # of one side
STAGE_ENTRY = CARDS  # entries are items with effects: the cards by number, then from here on the stages of all boards
ENTRIES = 256
EMPTY_CITY = ENTRIES + CARDS  # what empties a city that is set up; what is put in otherwise: an entry, ENTRIES + a copy
DECKS = 4  # besides those of the ages
DECK_CARDS = 64  # of all of these: one bit each of a word
UNITS = 12  # resources in a cost
MAX_PRICE = 5  # maximum price of a unit bought from a neighbour, in coins
TIES = 4  # formulas for tie-breaks
FLEX = 24  # either/or symbols of one city
COUNTERS = 16  # named counters of a catalogue; one of a card counts once for each card that uses it
MAX_COUNTER = 999  # highest bound of a counter
MAX_OPTIONS = 8  # of one decision of a clause
MAX_AMOUNT = 20  # that a decision of a clause can offer
MAX_CARD_OPTIONS = 4  # of them with a card: all their moves fit into one list (layout.CHOICES)
PARAMETERS = 8  # of a policy; the last one is `explore`, which every policy has
EXPLORE = PARAMETERS - 1  # its index; the others belong to the policy

# --- resources -------------------------------------------------------------------------------------------------------

RAW = ("clay", "stone", "ore", "wood")
MANUFACTURED = ("glass", "loom", "papyrus")
RESOURCES = RAW + MANUFACTURED
RAW_KINDS, RESOURCE_KINDS = len(RAW), len(RESOURCES)
ALL_RESOURCES = (1 << RESOURCE_KINDS) - 1  # as a mask
RESOURCE_GROUPS = ("raw", "manufactured")  # what a trading post is for (R14)
LEFT, RIGHT = 0, 1
NEIGHBORS = ("left", "right")
NEIGHBOR_SEATS = len(NEIGHBORS)
LEFT_RAW, LEFT_MADE, RIGHT_RAW, RIGHT_MADE = 0, 1, 2, 3  # prices: 2 * LEFT or RIGHT + index of the group
PRICE_KINDS = NEIGHBOR_SEATS * len(RESOURCE_GROUPS)
UNIT_PRICES = tuple(f"{side}_{group}_price" for side in NEIGHBORS for group in RESOURCE_GROUPS)

# --- colours ---------------------------------------------------------------------------------------------------------

COLORS = ("brown", "gray", "blue", "yellow", "red", "green", "purple", "black")
BROWN, GRAY, BLUE, YELLOW, RED, GREEN, PURPLE, BLACK = range(len(COLORS))
COLOR_KINDS = len(COLORS)
ALL_COLORS = (1 << COLOR_KINDS) - 1  # as a mask
DRAWN_COLORS = ("purple", "black")  # guilds and black cards: some are drawn in each game, so they have no copies (R4)
DRAWN_KINDS = len(DRAWN_COLORS)
TRADABLE_COLORS = ("brown", "gray")  # neighbours can buy their products (R13)

# --- science ---------------------------------------------------------------------------------------------------------

SYMBOLS = ("", "compass", "gear", "tablet", "any")
NO_SYMBOL, COMPASS, GEAR, TABLET, ANY = range(len(SYMBOLS))
SYMBOL_KINDS = len(SYMBOLS)
SET_POINTS = 7  # points of three different symbols (R23)

# --- the score -------------------------------------------------------------------------------------------------------

CATEGORIES = ("military", "treasury", "wonder", "civilian", "science", "commerce", "guild", "cities")
MILITARY, TREASURY, WONDER, CIVILIAN, SCIENCE, COMMERCE, GUILD, CITIES = range(len(CATEGORIES))
CATEGORY_KINDS = len(CATEGORIES)
CATEGORY_OF_COLOR = (COMMERCE, COMMERCE, CIVILIAN, COMMERCE, MILITARY, SCIENCE, GUILD, CITIES)
POINTS_COLUMNS = tuple(f"points_{category}" for category in CATEGORIES)
"""The columns of the seats table that add up to ``total``."""
BUILT = "built:"
"""Prefix of the columns of the seats table for owning a card at the end."""

# --- decisions and moves ---------------------------------------------------------------------------------------------

DECISIONS = ("turn", "last_card", "discard_pile", "free_city", "loss", "effect")
TURN, LAST_CARD, DISCARD_PILE, FREE_CITY, LOSS, EFFECT = range(len(DECISIONS))
ACTIONS = ("build", "stage", "sell", "decline", "pay", "choose", "discard", "take", "put_aside")
BUILD, STAGE, SELL, DECLINE, PAY, CHOOSE, DISCARD, TAKE, PUT_ASIDE = range(len(ACTIONS))
"""The last three occur only as deeds (R82, R96, R107)."""
WAYS = ("paid", "chain", "free")  # of building
PAID, CHAIN, FREE = range(len(WAYS))
RECRUITS, KEEPS = 0, 1  # in place of a way, of CHOOSE with a card of a further deck: to recruit it, or in a draft

BANS = ("trade", "stages", "sell")  # bans in addition to cards and colours
BAN_TRADE, BAN_STAGE, BAN_SELL = (1 << number for number in range(len(BANS)))
RANDOM_BOARDS, ROTATED_BOARDS, BALANCED_BOARDS = range(3)

# --- effects ---------------------------------------------------------------------------------------------------------

# abilities, one bit each of RULES.abilities and PUBLIC.abilities
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
PRICES = 1 << 12  # changes the prices paid to neighbours (R14)
WILD_PRICES = 1 << 13  # ... depending on the symbol or the turn (wharfs, Smuggler's Cache)
TOKENS = 1 << 14  # gives diplomacy tokens or copies science (R20, R31)
FREE_TOKEN = 1 << 15  # the city has a free build token from a clause (R67)


class Ability(NamedTuple):
    """A bit in a word of abilities, and its meaning."""

    bit: int
    meaning: str


FREE_BUILDS: Mapping[str, Ability] = {
    "once_per_age": Ability(FREE_ONCE_PER_AGE, "one free build each age"),
    "first_of_color": Ability(FREE_FIRST_COLOR, "the first structure of a colour is free"),
    "first_turn_of_age": Ability(FREE_FIRST_TURN, "the structure of an age's first turn is free"),
    "last_turn_of_age": Ability(FREE_LAST_TURN, "the structure of an age's last turn is free"),
}
"""When a structure is free (R26)."""
BY_PRODUCTION: Mapping[str, Ability] = {
    "own_board_brown_gray": Ability(
        WAREHOUSE, "one more resource of those that the board, brown and gray cards produce"
    ),
    "not_own_board_brown_gray": Ability(
        BLACK_MARKET, "one resource of those that the board, brown and gray cards do not produce"
    ),
}
"""Alternatives that depend on what the city produces (R18)."""

CITY_SELF, CITY_LEFT, CITY_RIGHT = 1, 2, 4
CITY_BITS: Mapping[str, int] = {"self": CITY_SELF, "left": CITY_LEFT, "right": CITY_RIGHT}
"""Whose items an effect counts, as a mask."""

COUNT_STAGE = 1 << 8
COUNT_DEFEAT = 1 << 9
COUNT_VICTORY = (1 << 10, 1 << 11, 1 << 12)  # tokens of ages I, II, III
COUNT_ANY_VICTORY = COUNT_VICTORY[0] | COUNT_VICTORY[1] | COUNT_VICTORY[2]
VICTORY_TOKENS = (1, 3, 5)  # the tokens of the ages by their printed values (R19, R21)
COUNTED: Mapping[str, int] = {
    **{color: 1 << number for number, color in enumerate(COLORS)},
    "wonder_stage": COUNT_STAGE,
    "defeat_token": COUNT_DEFEAT,
    "victory_token": COUNT_ANY_VICTORY,
    **{f"victory_token_{value}": bit for value, bit in zip(VICTORY_TOKENS, COUNT_VICTORY, strict=True)},
}
"""What an effect counts, as a mask; the colours come first, in their order."""

WHO_OTHERS, WHO_NEIGHBORS = 1, 2
WHO: Mapping[str, int] = {"others": WHO_OTHERS, "neighbors": WHO_NEIGHBORS}
"""The cities that an effect reaches in addition to its owner."""
PER_ONCE, PER_VICTORY, PER_STAGE = 0, 1, 2
MEASURES: Mapping[str, int] = {"": PER_ONCE, "victory_token": PER_VICTORY, "wonder_stage": PER_STAGE}
"""How often a loss is due (R32): once, or once per item that the loser has."""
DISCOUNTS = ("first_unit_each_turn", "board_resource")  # what a discount applies to (R14)

# --- formulas, and when they act (catalog.formula, catalog.clauses; R52-R58) ------------------------------------------

TABLE_NAMES = ("age", "turn", "players")
"""The names of the table that formulas may use; those of a city are in ``facts.CITY_FACTS``."""
EVENT_NAMES = ("purchase", "amount")
"""The names of the triggering event that formulas may use, and of the amount that a city chooses (R95)."""
CARD_NUMBERS = ("cost", "units", "coins", "age", "points", "shields", *RESOURCES)
"""The numbers of a structure that formulas may use: its total cost, resource units, coins; its age; its fixed points;
its shields; the most of each resource that it produces."""
CARD_MARKS = (*COLORS, *SYMBOLS[1:ANY], "chained")
"""The properties of a structure that formulas may use: its colour, its symbol, whether a chain leads to it (R16)."""
CARD_FACTS = (*CARD_NUMBERS, *CARD_MARKS)
CARD_NAME = "name"
"""The fact of a structure that formulas compare with names: the number of the card + 1, 0 of a stage or of none."""
KNOWN_OF_CARD = (*CARD_FACTS, CARD_NAME)
BUILT_HOW = ("paid", "by_chain", "free", "from_discard", "from_stock")
"""How the structure was built that caused an event: by paying, by a chain, for free by an ability, from the pile; how a
card of a further deck was recruited: paid, from a hand or the display, or from the stock."""
BY_PAYING, BY_CHAIN, FOR_FREE, FROM_DISCARD, FROM_STOCK = range(len(BUILT_HOW))
BUILT_WHEN = "order"
"""What number the structure that caused an event has among those of its city, in the order of building."""
LAST_BUILT = (*COLORS, "cards")
"""The kinds of which formulas know the structure built last or first: a colour, any."""
FORMULA_CITIES = ("", "other", "left", "right")  # whose: the owner of the card, the city that `each` names, neighbours

(
    ON_BUILT, ON_CARD, ON_STAGE, ON_SALE, ON_LAST_CARD, ON_PURCHASE, ON_RECRUIT, ON_TURN, ON_AGE, ON_WAR, ON_PEACE,
    ON_AGE_END, ON_SCORE, ON_CARD_COST, ON_STAGE_COST, ON_TRADE_COST,
) = range(16)  # fmt: skip
TRIGGERS: Mapping[str, str] = {
    "built": "when built",
    "card_built": "builds",
    "stage_built": "builds a stage",
    "sold": "sells a card",
    "last_card": "plays a last card",
    "bought": "buys",
    "recruited": "recruits a card",
    "turn_start": "at the start of each turn",
    "age_start": "at the start of each age",
    "before_conflicts": "before the conflicts of each age",
    "after_conflicts": "after the conflicts of each age",
    "age_end": "at the end of each age",
    "scored": "at the end of the game",
    "card_cost": "structures",
    "stage_cost": "stages",
    "trade_cost": "units",
}
"""Events that trigger a clause, in the order of their numbers, in English; for moves, the verb of a city; for prices
(the last three, R75), the things whose price is asked for."""
COST_TRIGGERS = ("card_cost", "stage_cost", "trade_cost")
CARD_TRIGGERS = ("built", "card_built", "stage_built", "bought", "recruited", *COST_TRIGGERS)
"""The events that a structure or stage caused whose facts formulas know."""
MOVE_TRIGGERS = ("card_built", "stage_built", "sold", "last_card", "bought", "recruited")
WHOM_SELF, WHOM_LEFT, WHOM_RIGHT, WHOM_NEIGHBOR, WHOM_OTHER, WHOM_PARTNER, WHOM_TRIGGER, WHOM_ANYONE = range(8)
WHOM = ("self", "left", "right", "neighbor", "other", "partner", "trigger", "anyone")
EACH = WHOM[:WHOM_ANYONE]
"""The cities on which a clause acts."""
CARD_FROM: Mapping[str, str] = {
    "discarded": "the discard pile",
    "city": "its own city",
    "left": "the left neighbour's city",
    "right": "the right neighbour's city",
    "hand": "its own hand",
    "left_hand": "the left neighbour's hand",
    "right_hand": "the right neighbour's hand",
}
"""The sets from which a decision of a clause lets a city choose a card (R80), in English."""
(
    NO_CARD, FROM_PILE, FROM_CITY, FROM_LEFT, FROM_RIGHT, FROM_HAND, FROM_LEFT_HAND, FROM_RIGHT_HAND,
) = range(1 + len(CARD_FROM))  # fmt: skip
"""RULES.option_from"""
HAND_EVENTS: Mapping[str, tuple[str, ...]] = {
    "hand": ("built", "card_built", "stage_built", "sold", "bought", "turn_start", "age_start"),
    "left_hand": ("turn_start", "age_start"),
    "right_hand": ("turn_start", "age_start"),
}
"""The events at which a city may choose from a hand (R105): while there are hands, and others before any choice."""
CARD_DO: Mapping[str, str] = {
    "build": "builds it for nothing",
    "discard": "discards it",
    "take": "takes it into its own city",
    "swap": "takes it into its own city for one of its own",
}
"""What happens to that card (R81, R82, R96, R97), in English; nothing if the file does not say."""
DO_NOTHING, DO_BUILD, DO_DISCARD, DO_TAKE, DO_SWAP = range(1 + len(CARD_DO))  # RULES.option_do
CARD_DO_FROM: Mapping[str, tuple[str, ...]] = {
    "build": ("discarded",),
    "discard": ("city", "left", "right", "hand"),
    "take": ("left", "right"),
    "swap": ("discarded", "left", "right"),
}
"""The sets of which that is possible."""
MAX_DRAWN = 20
"""The most cards that are drawn from a set for one to be chosen (R100)."""
DECIDERS = ("self", "left", "right", "partner", "trigger")
"""The cities that may decide a clause (R98): ``trigger`` is the city that triggered it."""
BY = ("self", "left", "right", "neighbor", "other", "partner", "anyone")
"""Whose moves trigger a clause; for purchases, also the seller."""
TURN_UNITS = tuple(f"turn_{resource}" for resource in RESOURCES)
GAINS = (
    "coins", "shields", "age_shields", "victory_tokens", "defeat_tokens", "debts", "diplomacy_tokens", "points",
    *SYMBOLS[1:ANY], "wild", *RESOURCES, *TURN_UNITS, *UNIT_PRICES, "free_build_tokens", "discard_builds", "copies",
)  # fmt: skip
COPIES = GAINS[-1]
"""The lasting effects of the card that formulas know as `card`, once more (R103)."""
LOSSES = ("coins", "defeat_tokens", "debts", "diplomacy_tokens", "points", *UNIT_PRICES, "free_build_tokens")
COST_ITEMS = ("coins", *RESOURCES, "resources")
"""What a structure or stage can cost less of (R76): coins, a resource, units of the payer's choice."""
UNIT_ITEMS = ("unit", "raw_unit", "manufactured_unit", "first_unit")
"""Units bought from a neighbour that can cost less: each of them, or the first one of a payment (R77)."""
CHEAPER = (*COST_ITEMS, *UNIT_ITEMS)
DEARER = ("coins", *RESOURCES, *UNIT_ITEMS[:-1])
ACTS = (
    "take", "give", *(f"gain {item}" for item in GAINS), *(f"lose {item}" for item in LOSSES), "points",
    *(f"cheaper {item}" for item in CHEAPER), *(f"dearer {item}" for item in DEARER),
    *(f"gain draw {number}" for number in range(1, DECKS + 1)),
)  # fmt: skip
"""The actions of a clause, in the order of execution; some change prices (R76, R77), and the last ones draw cards from
the decks by number (R104)."""
ACT: Mapping[str, int] = {name: number for number, name in enumerate(ACTS)}
DRAW = "draw"
"""The prefix of a further deck in gains: ``draw.Envoys``, so many cards from its stock, to recruit one of (R104)."""
COUNTER = "counter"
"""The prefix of a counter in formulas, gains and losses: ``counter.favour``."""
COUNTER_ACTS = tuple(f"{verb} {COUNTER}" for verb in ("gain", "lose"))
"""Actions on counters, carried out after all others; their numbers follow those of ``ACTS``, two for each counter."""
COUNTER_OF = ("city", "card", "table")
OF_CITY, OF_CARD, OF_TABLE = range(len(COUNTER_OF))
COUNTER_LASTS = ("turn", "age", "game")
FOR_TURN, FOR_AGE, FOR_GAME = range(len(COUNTER_LASTS))
AT_ONCE, BY_FORMULA = 1, 2  # an entry can have effects when it is placed, and clauses

LAST_CARDS = ("discarded", "played")
"""What happens to the last card of a hand (R9.5): discarded as printed, or played by everybody (R27)."""

# --- switches --------------------------------------------------------------------------------------------------------


class Switch(NamedTuple):
    """A choice where the rulebooks are silent or disagree; ``meaning`` describes the value true."""

    default: bool
    meaning: str


SWITCHES: Mapping[str, Switch] = {
    "copied_shipowners_counts_itself": Switch(True, "R29: a copied Shipowners Guild counts the copy as a purple card"),
    "counting_includes_itself": Switch(
        True, "R9.3: coins per something count the cards placed in the same turn, itself included"
    ),
    "last_card_on_new_state": Switch(
        True, "R9.5: a last card (R27) is played on the state after the turn, its income included"
    ),
    "discard_builds_boards_first": Switch(True, "R9.6: boards build from the discard pile before Forging Agency does"),
    "olympia_discount_cumulative": Switch(
        False, "R14: Olympia B and a trading post together make raw units cost nothing"
    ),
    "paid_build_beside_chain": Switch(False, "R16: paying is offered beside a chain"),
    "chain_from_any_age": Switch(True, "R16: a predecessor counts whatever the age in which it was built"),
    "discard_build_optional": Switch(True, "R28: a build from the discard pile may be declined"),
    "free_city_chooses_payment": Switch(
        True, "R46: the holder chooses among all minimal payments; false: only the cheapest"
    ),
    "debt_choice": Switch(True, "R32: a player may keep coins and take debts; false: pays all it can"),
}
SWITCH_NUMBER: Mapping[str, int] = {name: number for number, name in enumerate(SWITCHES)}
"""The index of a switch in ``RULES.switch``."""
