"""The memory contract of the 7 Wonders engine: every record that kernels read or write, field by field.

Records are aligned structured dtypes passed as numba ``Record`` (one pointer, no reference count):

* ``RULES`` the rules of one rule set at one table size, compiled from the catalogue; never written while playing *
``PUBLIC`` what everybody at the table may know (R49); its facts about cities are declared in ``wonders/facts.py`` *
``PRIVATE`` what only one seat knows, its random stream and the parameters of its policy * ``CHOICE`` the legal moves of
the decision at hand (R50) * ``SETTINGS`` the weights of a built-in policy; data of the line-up, not part of the game

A searcher gets the whole game, continues it and restores it (``SEARCHER``, wsim/kernels/searching.py).

A policy receives the public record, its own private record, the choice and the rules, and a built-in policy also its
settings: hidden cards are out of its reach. A game in progress is a ``STATE``: public, private and hidden records, what
comes next (``FLOW``), the payers before the turn (``BEFORE``) and pending decisions of clauses (``ASKING``). ``GAME``
begins with it; scratch space follows: the current choice, solver, dealer, conflict, result and log.

Amounts of resources are *packed*: one 64-bit word, a byte ("lane") for each of the seven resources in the order of
``RESOURCES``, so that costs and productions are added and compared in one go.
"""

from __future__ import annotations

import numpy as np

from wsim.facts import fields, row_fields
from wsim.jit import from_dtype, record_type
from wsim.kernels.heads import ANSWER, in_lines, line_up_fields, log_of, types_of
from wsim.kernels.heads import NOBODY as NOBODY
from wsim.kernels.overruling import wish_of
from wsim.kernels.searching import POOL, lookahead_of
from wsim.rng import KEYS
from wsim.wonders import words as w
from wsim.wonders.facts import CITY_FACTS, PAYER, ROW_FACTS
from wsim.wonders.kernels.net_layout import NET

CHOICES = 1024  # legal moves of one decision: 8 cards in 2 * 62 ways each, the names of the pile, or 256 payments
EVENTS = 1200  # log entries of one game: hands, 192 moves, 912 of losses, ends of turns, conflicts
MEMORY = 8  # numbers that a policy may keep from decision to decision of a game
EFFECTS_LOGGED = 3200  # log entries of one game: what clauses did (R52), counters at the ends of turns (R70)
DEEDS = 192  # what cities did in the open in one game: 3 ages of 8 turns, 7 seats, and builds from the pile
NOT_DRAWN, DRAWN_FROM_PILE, DRAWN_FROM_STOCK = range(3)  # ASKING.is_drawn: from the pile (R100), a deck (R104)
QUEUE = 64  # builds from the discard pile that wait at once
ASKS = 64  # decisions of clauses that are pending at once
DECIDED = 512  # decisions of clauses in one game
WEIGHTS = 48  # of the weighted policy, for each age
CLAUSES = 128  # of all entries
ACTIONS = 256  # of all clauses
OPTIONS = 128  # of all decisions of clauses
CODE = 4096  # words of all formulas
CARD_SETS = 64  # that formulas count
LOOK_WORDS = w.CARDS // 16  # 16 cards a word
MOMENT_AT = 10  # of PRIVATE.looked, where the moment begins: age * (TURNS + 1) + turn
NO_PRICE = 99
GENERAL_STATES = 1024  # of the general solver: covered amounts of at most 12 missing units (words.UNITS)
VALUES = max(w.SEATS + 1, w.HAND)  # the last one of LOG_COUNTER is the number of the counter
PLAYERS = w.SEATS + POOL  # line-up entries, then the players of their pools

# --- a move: one 64-bit word (see moves.py for the accessors)
CARD_AT, ACTION_AT, HOW_AT, BANK_AT, LEFT_AT, RIGHT_AT, SLOT_AT, SPENDS_AT = 0, 8, 12, 16, 24, 32, 40, 48
CITY_AT, TRIGGER_AT = 52, 56
PICKED_AT = LEFT_AT  # in a decision of a clause: 1 + the card that is chosen
AMOUNT_AT = RIGHT_AT  # likewise: the amount that is chosen
OWNER_AT = 60  # in a decision of a clause: how many seats to the left of the deciding city the owner is, 3 bits
GIVES_AT = 63  # likewise, 1: the chosen card is the one that is given in exchange (R97)
STEP_AT = 53  # of a deed: 0 at the end of its turn, or one of
BEFORE_MOVES, AFTER_MOVES = 1, 2  # before the moves of the turn; after them, with the hands not yet put away

# --- log events (for traces and the picks table)
LOG_HANDS, LOG_PICK, LOG_LOSS, LOG_TURN_END, LOG_CONFLICT, LOG_EFFECT, LOG_COUNTER = range(7)

# --- what comes next: FLOW.phase
DEAL, BEGIN, CHOOSE, CITY, SETTLE, LAST, PILE, BUILD_PILE, FINISH, ASK, WAR, PEACE, AGE_OVER, OVER, DRAFT, OPEN = range(
    16
)

PUBLIC = np.dtype(
    [
        ("seats", "i8"),  # cities at the table, the Free City included
        ("age", "i8"),  # 0, 1, 2
        ("turn", "i8"),  # 0.. within the age
        ("turns", "i8"),  # of an age: 6, Cities 7
        ("discarded", "i8"),  # size of the discard pile
        *fields(CITY_FACTS, "public", w.SEATS),
        ("purchase", "i8"),  # coins of the purchase that sets clauses off at the moment, 0 none (R64)
        ("amount", "i8"),  # that the city chooses in the decision of a clause at the moment (R95), 0 none
        ("event_entry", "i8"),  # 1 + the structure or stage that does, 0 none (R71)
        ("event_how", "i8"),  # how it was built (words.BUILT_HOW)
        ("event_order", "i8"),  # its number among those of the city (words.BUILT_WHEN), 0: it is not built
        ("display", "u8"),  # cards of decks that lie open (R89), one bit each
        ("enlisted", "u8"),  # likewise: recruited from the stock of their deck (R104)
        # what every city did in the open, in order (R49)
        ("deed_count", "i8"),  # deeds so far
        ("deeds", "u8", (DEEDS,)),  # moves as the table saw them, see moves.py
    ],
    align=True,
)

PRIVATE = np.dtype(
    [
        ("seat", "i8"),  # number of the seat
        ("rng", "u8"),  # state of the seat's random stream
        ("hand", "u8"),  # one bit a slot of the age
        ("mate_hand", "u8"),  # the team mate's hand (R42), else 0
        ("seen", "u8"),  # slots of this age that the seat has held or seen
        ("passed", "u8", (w.AGES, w.TURNS)),  # what was left of the hand after each turn: it was handed on
        ("took", "i1", (w.AGES, w.TURNS)),  # the slot played in each turn; the Free City's in the record of its seat
        ("aside", "u1", (w.AGES, w.TURNS)),  # 1 + the slot that a clause put aside in each turn (R107), 0 none
        ("recruits", "u8"),  # cards of decks in hand (R88), one bit each
        ("draft", "u8"),  # likewise: those of which it keeps one in a draft (R101)
        ("drafted", "u8", (w.HAND,)),  # likewise: those that it saw in each turn of a draft
        (
            "watched",
            "u1",
            (w.AGES, w.TURNS),
        ),  # seats whose hands it saw before the moves of a turn (R105), one bit each
        ("looked", "i8"),  # 1 + deeds + 1024 * moment when it last saw the discard pile (R28), 0 never
        ("look", "u8", (LOOK_WORDS,)),  # that pile: copies of each name, 4 bits a card
        ("memory", "f8", (MEMORY,)),  # the policy's own, 0 at the start of a game: it may write here
        ("entrant", "i8"),  # line-up entry whose parameters are loaded, -1 none
        ("parameters", "f8", (w.PARAMETERS,)),  # of its policy, in the order declared; the last one is `explore`
    ],
    align=True,
)

SETTINGS = in_lines(
    ("weights", "f8", (w.AGES, WEIGHTS)),  # in points, of policies/features.py
    ("net", NET),  # learned values, of policies/net.py
)

CHOICE = np.dtype(
    [
        ("count", "i8"),  # legal moves
        ("kind", "i8"),  # TURN, LAST_CARD, DISCARD_PILE, FREE_CITY, LOSS or EFFECT
        ("seat", "i8"),  # the city that the moves are for (the Free City's differs from the decider)
        ("moves", "u8", (CHOICES,)),  # the legal moves, one word each (moves.py), in the order of R50
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("seats", "i8"),  # cities at the table, the Free City included
        ("players", "i8"),  # seats that win or lose: 2 in the game for two
        ("hand_size", "i8"),  # cards dealt to a hand, in the age of the largest hands
        ("turns", "i8"),  # of the longest age
        ("age_turns", "i8", (w.AGES,)),  # of each age: one less than cards are dealt to a hand (R5)
        ("last_played", "i8", (w.AGES,)),  # 1 in ages in which everybody plays the last card (R9.5)
        ("to_right", "i8", (w.AGES,)),  # 1 in ages in which hands pass to the right, 0 to the left (R5)
        ("start_coins", "i8"),  # coins of a city at the start (R3)
        ("sale_coins", "i8"),  # coins for a card sold (R8); 0 where a formula says it
        ("sale_at", "i8"),  # where that begins in the code, -1 none
        ("trade_price", "i8"),  # coins a unit without a discount (R14)
        ("coins_per_point", "i8"),  # coins that make a point (R22)
        ("defeat_points", "i8"),  # points of a defeat token, negative
        ("victory_points", "i8", (w.AGES,)),  # points of a victory token, by age
        ("science_at", "i8"),  # where the formula of science begins in the code, -1 as printed (R23)
        ("ties", "i8"),  # what decides between equal points (R24)
        ("tie_at", "i8", (w.TIES,)),  # where the formulas begin in the code, -1 coins
        ("cities", "i8"),  # 1: with Cities (R33-R41)
        ("teams", "i8"),  # 1: in teams (R42)
        ("duo", "i8"),  # 1: the game for two (R43-R47)
        ("boards", "i8"),  # number of boards
        ("cards", "i8"),  # number of names
        ("switch", "i8", (len(w.SWITCHES),)),  # 1: on; by words.SWITCH_NUMBER
        # the deal
        ("slots", "i8", (w.AGES,)),  # physical copies that may be dealt in the age
        ("slot_card", "u1", (w.AGES, w.SLOTS)),  # card number of each copy; copies of a name are adjacent
        ("base_count", "i8", (w.AGES,)),  # copies that are always dealt
        ("base_slots", "u1", (w.AGES, w.SLOTS)),  # slots that are always dealt
        ("pool_count", "i8", (w.AGES, w.DRAWN_KINDS)),  # guilds, black cards of the age
        ("pool", "u1", (w.AGES, w.DRAWN_KINDS, w.SLOTS)),  # slots that are drawn from
        ("pool_drawn", "i8", (w.AGES, w.DRAWN_KINDS)),  # how many are drawn
        # cards and stages
        ("cost", "u8", (w.ENTRIES,)),  # packed
        ("cost_coins", "i2", (w.ENTRIES,)),  # coins to the bank
        ("chain", "u8", (w.CARDS, w.CARD_WORDS)),  # predecessors
        ("color", "i2", (w.CARDS,)),  # words.BROWN ... BLACK
        ("age_of", "i2", (w.CARDS,)),  # first age in which the name exists
        ("category", "i2", (w.CARDS,)),  # score category of the structure's points
        ("produces", "u8", (w.ENTRIES,)),  # packed
        ("one_of", "i2", (w.ENTRIES,)),  # mask over RESOURCES
        ("shields", "i2", (w.ENTRIES,)),  # shields
        ("symbol", "i2", (w.ENTRIES,)),  # words.NO_SYMBOL ... ANY
        ("points", "i2", (w.ENTRIES,)),  # fixed points
        ("abilities", "i4", (w.ENTRIES,)),  # bits of words.PLAY_LAST ... TOKENS
        ("price", "i2", (w.ENTRIES, w.PRICE_KINDS)),  # what a unit costs from now on; NO_PRICE leaves it
        ("turn_rebate", "i2", (w.ENTRIES, w.NEIGHBOR_SEATS)),  # left, right: coins off one unit a turn
        (
            "board_rebate",
            "i2",
            (w.ENTRIES, w.NEIGHBOR_SEATS),
        ),  # left, right: coins off the neighbour's starting resource
        ("eventful", "i2", (w.ENTRIES,)),  # words.AT_ONCE: what is below, or coins, when it is placed; words.BY_FORMULA
        ("coins", "i2", (w.ENTRIES,)),  # coins at once
        ("coins_per", "i2", (w.ENTRIES, 3)),  # amount, what, cities
        ("points_per", "i2", (w.ENTRIES, 3)),  # amount, what (words.COUNTED), cities (words.CITY_BITS)
        ("points_complete", "i2", (w.ENTRIES,)),  # if every own stage is built
        ("coins_to_others", "i2", (w.ENTRIES, 2)),  # amount, who
        ("coin_loss", "i2", (w.ENTRIES, 3)),  # amount, who, per
        ("debt", "i2", (w.ENTRIES, 2)),  # amount, who
        ("victory_token", "i2", (w.ENTRIES,)),  # 1 + age, 0 none
        ("diplomacy", "i2", (w.ENTRIES,)),  # tokens
        ("copy_science", "i2", (w.ENTRIES,)),  # symbols copied from neighbours (R31)
        # what formulas do (R52-R58): clauses by trigger, then by entry, then as written; each has actions by kind
        ("triggers", "i8"),  # mask of those that some clause has (words.TRIGGERS)
        ("clause_from", "i2", (len(w.TRIGGERS) + 1,)),  # the first clause of each trigger
        (
            "clause_cards",
            "u8",
            (len(w.TRIGGERS), w.CARD_WORDS),
        ),  # by trigger: the cards with such clauses, one bit each
        ("clause_stages", "i2", (len(w.TRIGGERS),)),  # by trigger: 1 where a stage has such clauses
        ("clause_table", "i2", (len(w.TRIGGERS),)),  # by trigger: 1 where a card of a deck or a rule of the table does
        (
            "deck_entry",
            "i8",
        ),  # the first entry of the cards of decks (R88); ENTRIES if there are neither these nor rules
        ("table_entry", "i8"),  # the first entry of the rules of the table (R87), behind the cards of decks
        ("last_entry", "i8"),  # the entry after the last of these
        ("clause_entry", "i2", (CLAUSES,)),  # whose effect it is
        ("clause_number", "i2", (CLAUSES,)),  # its place among those of the entry, from 1
        ("clause_by", "i2", (CLAUSES,)),  # words.WHOM: whose moves set it off
        ("clause_seller", "i2", (CLAUSES,)),  # words.WHOM: from whom one buys
        ("clause_colors", "i2", (CLAUSES,)),  # mask: builds of these colours do
        ("clause_each", "i2", (CLAUSES,)),  # words.WHOM: on whom it acts
        ("clause_if", "i2", (CLAUSES,)),  # where the formula of its condition begins in the code, -1 none
        ("clause_actions", "i2", (CLAUSES + 1,)),  # its first action
        ("clause_times", "f8", (CLAUSES, w.AGES)),  # how often a city that has it is expected to see it act, by age
        ("action", "i2", (ACTIONS,)),  # words.ACTS, then two for each counter: gain, lose
        ("action_amount", "i2", (ACTIONS,)),  # where the formula of its amount begins in the code
        # decisions of clauses (R72): options, each with actions; the first ones of these are its price
        ("copies", "i8"),  # actions that give copies (R103)
        ("draws", "i8"),  # actions that draw from a further deck (R104)
        ("asks", "i8"),  # clauses that ask
        ("clause_options", "i2", (CLAUSES + 1,)),  # its first option; none: it does not ask
        ("most_options", "i8"),  # the largest number of options of a clause
        ("targets", "i8"),  # cities for each option among the fixed actions: 1 if no clause lets a city choose one
        ("clause_may", "i2", (CLAUSES,)),  # 1: the city may decline
        ("clause_decider", "i2", (CLAUSES,)),  # words.WHOM: who decides (R98)
        ("clause_one", "i2", (CLAUSES,)),  # 1: it acts on one city, which the deciding city chooses
        ("option_first", "i2", (OPTIONS,)),  # its first action
        ("option_paid", "i2", (OPTIONS,)),  # the action after its price
        ("option_end", "i2", (OPTIONS,)),  # the action after its last one
        # a card that the city chooses (R80)
        ("asides", "i8"),  # options that put a card of a hand aside (R107)
        ("picks", "i8"),  # options that have one
        ("watches", "i8"),  # of these, those about the hand of a neighbour (R105)
        ("option_from", "i2", (OPTIONS,)),  # words.NO_CARD ... FROM_RIGHT_HAND
        ("option_do", "i2", (OPTIONS,)),  # words.DO_NOTHING ... DO_SWAP
        ("option_if", "i2", (OPTIONS,)),  # where the formula of its condition begins in the code, -1 none
        ("option_for", "i2", (OPTIONS,)),  # where that of the card given in exchange begins (R97), -1 none
        ("option_draw", "i2", (OPTIONS,)),  # where the number of cards begins that are drawn for it (R100), -1 all
        # an amount that the city chooses (R95)
        ("option_amount", "i2", (OPTIONS,)),  # where the formula of the largest one begins in the code, -1 none
        ("most_amount", "i8"),  # the largest one of all options
        ("code", "i4", (CODE,)),  # formulas: words in postfix order, each ends with "end" (words.OPERATIONS)
        ("card_sets", "u8", (CARD_SETS, w.CARD_WORDS)),  # the cards that formulas count, one bit each
        ("when", "i2", (w.ENTRIES,)),  # clauses of the entry
        ("card_facts", "i2", (w.ENTRIES, len(w.KNOWN_OF_CARD))),  # words.KNOWN_OF_CARD of each
        ("mean_facts", "i2", (len(w.KNOWN_OF_CARD),)),  # of the cards of the rule set, rounded; 0 for marks
        # counters (R70)
        ("counters", "i8"),  # their number
        ("counter_of", "i2", (w.COUNTERS,)),  # words.COUNTER_OF
        ("counter_lasts", "i2", (w.COUNTERS,)),  # words.COUNTER_LASTS
        ("counter_start", "i2", (w.COUNTERS,)),  # value at the start
        ("counter_least", "i2", (w.COUNTERS,)),  # lower bound
        ("counter_most", "i2", (w.COUNTERS,)),  # upper bound
        # further decks (R88): a card is a bit, from 0 on, in the order of their entries
        ("decks", "i8"),  # their number
        ("deck_from", "i8", (w.DECKS + 1,)),  # the first card of each
        ("deck_dealt", "i8", (w.DECKS,)),  # cards in a hand of each
        ("deck_shown", "i8", (w.DECKS,)),  # cards that lie open
        ("deck_drafted", "i8", (w.DECKS,)),  # 1: the hands are drafted (R101)
        ("drafts", "i8"),  # decks of which they are
        ("deck_moment", "i8", (w.DECKS,)),  # when it is dealt: 2 * age before that age (from 0), 1 more after it
        ("deck_trigger", "i8", (w.DECKS,)),  # words.ON_AGE or ON_AGE_END: when cards are recruited
        # boards: side number = board * 2 + side
        ("board_resource", "i2", (w.SIDES,)),  # index into RESOURCES
        ("stage_count", "i2", (w.SIDES,)),  # stages of the side
        ("stage_entry", "i2", (w.SIDES, w.STAGES)),  # entry of each stage
        # masks over the cards, for scoring
        ("scoring_cards", "u8", (w.CARD_WORDS,)),  # cards with points_per or points_complete
        ("purple_cards", "u8", (w.CARD_WORDS,)),  # guilds
    ],
    align=True,
)

SEATING = np.dtype(
    [
        ("keys", "u8", (KEYS,)),  # of all random streams (wsim/rng.py)
        ("entries", "i8"),  # of the line-up
        ("rotate_policies", "i8"),  # 1: the line-up moves on by one seat from game to game
        ("design", "i8"),  # RANDOM_BOARDS, ROTATED_BOARDS or BALANCED_BOARDS
        ("board", "i8", (w.SEATS,)),  # -1 random
        ("side", "i8", (w.SEATS,)),  # -1 random
        *line_up_fields(w.SEATS, w.PARAMETERS, SETTINGS, PLAYERS),
        ("randomise", "f8", (w.SEATS,)),  # by seat: chance that a pick is replaced by a uniform one
        ("overrule", "f8", (w.SEATS,)),  # by seat: chance that its policy must do the next best thing
        ("experiment", "i8"),  # whether any seat has its picks randomised, is banned from something or overruled
        ("ban", "u8", (w.SEATS, 4)),  # by seat: card bits (2 words), colour mask, BAN_* bits
    ],
    align=True,
)


EVENT = np.dtype(
    [
        ("kind", "u1"),  # LOG_HANDS ... LOG_COUNTER
        ("age", "u1"),  # 0, 1, 2
        ("turn", "u1"),  # from 0
        ("seat", "u1"),  # the city concerned
        ("decision", "u1"),  # CHOICE.kind
        ("legal", "u2"),  # number of legal moves
        ("index", "u2"),  # the one picked
        ("randomised", "u1"),  # whether the pick is a uniform one: by the plan's chance, or by its policy's `explore`
        ("move", "u8"),  # the move picked (moves.py)
        ("hand", "u8"),  # slots in hand; of a discard pile, none
        (
            "ways",
            "u1",
            (w.HAND,),
        ),  # legal ways to build each distinct card of the hand, in its order (pick experiments)
        ("values", "i4", (VALUES,)),  # coins after a turn, or what the kind says
        ("probability", "f4"),  # of the pick, given what the policy wanted; of one by `explore` that of a uniform one
        ("wanted", "u8"),  # the move that the policy picked, in a plan that overrules some, else 0
        ("others", "u2"),  # legal moves that are not of the same thing; 0: it could not be overruled
        ("overruled", "u1"),  # WISH.overruled
        ("stages", "u1"),  # whether the next stage could be built, in such a plan
        ("could", "u8", (2 * w.CARD_WORDS,)),  # the cards that could be built, one bit each; then those by a chain
    ],
    align=True,
)

HIDDEN = np.dtype(
    [
        ("deals", "u8"),  # the word that the deals to come are drawn from
        ("dice", [("unused", "u8"), ("rng", "u8")]),  # stream of randomised picks and of overruled ones
        ("pile", "u8", (w.CARD_WORDS,)),  # names on the discard pile, one bit a card
        ("copies", "u1", (w.CARDS,)),  # copies of each on the pile
        ("free_pile", "i1", (w.HAND,)),  # slots of the Free City's pile, top first
        ("free_pile_next", "i8"),  # cards of it that are taken
        ("holder", "i8"),  # seat with the Free City card
        ("taken", "u8", (w.SEATS,)),  # the move chosen by each city this turn, NO_MOVE none
        ("board_builds", "i4", (w.SEATS,)),  # builds from the pile granted by boards, not yet carried out
        ("card_builds", "i4", (w.SEATS,)),  # ... by structures
        ("losses", "i4", (w.SEATS,)),  # coins still to be lost
        (
            "denied",
            "u8",
            (w.SEATS, w.CARD_WORDS),
        ),  # by seat: cards that it was overruled about, and may not build any more
        (
            "watched",
            "i4",
            (w.SEATS,),
        ),  # mask of the moves of a city that clauses wait for in any (clauses.note_watchers)
    ],
    align=True,
)

FLOW = np.dtype(
    [
        ("phase", "i8"),  # what comes next, DEAL ... OVER
        ("seat", "i8"),  # whose decision is next in the phases CHOOSE, CITY and LAST
        ("after", "i8"),  # the phase that follows when all losses are settled and no decision of a clause is pending
        ("end", "i8"),  # the seat behind the last one that chooses in the phases CHOOSE, CITY and LAST
        ("wrap", "i8"),  # seats before it that choose after it: hidden choices that are made again (redraw.py)
        ("played_last", "i8"),  # whether some city played its last card
        ("queue_at", "i8"),  # builds from the pile carried out
        ("queue_end", "i8"),  # builds from the pile in the queue
        ("queue", "i1", (QUEUE,)),  # the seats that build from the pile, in order
    ],
    align=True,
)

BEFORE = np.dtype(
    # what pays in the last turn of an age, as it was before the turn (R9.5, switch last_card_on_new_state off)
    fields(PAYER, "public", w.SEATS),
    align=True,
)

ASKING = np.dtype(
    [  # decisions of clauses (R72), see asking.py
        ("made", "i8"),  # in this game
        ("count", "i8"),  # pending ones
        ("draws", "i8"),  # in this game (R100)
        ("is_drawn", "i8"),  # whether the cards for the first pending decision are: NOT_DRAWN ... DRAWN_FROM_STOCK
        ("drawn", "u8", (w.CARD_WORDS,)),  # these cards, one bit each; of further decks those of PUBLIC.display
        ("dealt", "i8"),  # 1 + the last moment at which further decks were dealt (RULES.deck_moment)
        ("draft_deck", "i8"),  # that is drafted at the moment (R101)
        ("draft_turn", "i8"),  # turns of its draft that have begun
        ("pending", "u8", (ASKS,)),  # in the order in which they were triggered
    ],
    align=True,
)

POSITION = [
    ("public", PUBLIC),  # what everybody sees
    ("own", PRIVATE, (w.SEATS,)),  # what each seat sees besides
    ("hidden", HIDDEN),  # what nobody sees, or not everybody
    ("flow", FLOW),  # what comes next
    ("before", BEFORE),  # what pays in the last turn of an age
    ("asking", ASKING),  # pending decisions of clauses
]
STATE = np.dtype(POSITION, align=True)

REDRAW = np.dtype(
    [  # what happened to each hand of each age as one redrawing has it; hands are numbered by the seat first dealt to
        ("rng", "u8"),  # what it is drawn from
        ("turns", "i8", (w.AGES,)),  # turns resolved
        ("event", "i2", (w.AGES, w.SEATS, w.TURNS + 1)),  # by seat: the card built in the open, SOLD, BURIED or NOTHING
        (
            "gone",
            "i1",
            (w.AGES, w.SEATS, w.TURNS + 1),
        ),  # by hand: the slot that left it; the last place is of the last card
        ("aside", "i2", (w.AGES, w.SEATS, w.TURNS + 1)),  # by seat: 1 + the card that it put aside (R107), 0 none
        ("aside_of", "u1", (w.AGES, w.SEATS, w.TURNS + 1)),  # by hand: 1 + its slot
        ("city", "i1", (w.AGES, w.TURNS)),  # the slot that the Free City took
        ("city_left", "i1", (w.AGES,)),  # the last slot of its pile
        ("drawn", "i1", (w.AGES, w.TURNS)),  # the slot of the pile that the rival drew, where that matters
        ("left", "u8", (w.AGES, w.SEATS)),  # by hand: what is in it
        ("pool", "i8", (w.SLOTS,)),  # slots whose place is unknown
        ("pool_size", "i8"),  # of them
        ("pile", "i2", (w.CARDS,)),  # copies of each name on the discard pile
        ("wanted", "i2", (w.CARDS,)),  # copies that the seat saw there, still to be accounted for by sales of this age
        ("strict", "i8"),  # 1: what was seen on the pile must agree
        ("weight", "f8"),  # by how much fewer ways there were to account for them than there might have been
        ("builds", "i2", (DEEDS,)),  # names built from the pile, in order
        ("built_at", "i2", (DEEDS,)),  # age * (TURNS + 1) + turn of each
        ("built_deed", "i2", (DEEDS,)),  # number of its deed
        ("returned", "i2", (DEEDS,)),  # 1: it was no build, but a structure that went to the pile (R82)
        ("build_count", "i8"),  # of them
        # of a draft (R102)
        ("kept", "i8", (w.SEATS,)),  # cards that a seat has kept
        ("recruited", "u8", (w.SEATS,)),  # cards that a seat recruited and the other never saw
        ("kept_of", "u8", (w.SEATS, w.HAND)),  # by hand: the card that left it in each turn, one bit each
        ("in_draft", "u8", (w.SEATS,)),  # by hand: what is in it
    ],
    align=True,
)

PRICES = np.dtype(
    [
        ("cost", "i8", (1 + w.RESOURCE_KINDS,)),  # more coins, more of each resource; negative: less (R76)
        ("chosen_units", "i8"),  # units of the payer's choice that need not be paid
        ("unit", "i8", (w.PRICE_KINDS,)),  # more coins for each unit, as in PUBLIC.price (R77)
        ("first", "i8", (w.NEIGHBOR_SEATS,)),  # coins less for the first unit from a neighbour
        ("first_of_both", "i8", (w.NEIGHBOR_SEATS,)),  # coins less for the first unit of all, if it comes from there
    ],
    align=True,
)

SOLVER = np.dtype(
    [
        # the payer of the decision at hand, see payment.prepare_payer
        ("left", "i8"),  # seats of the neighbours
        ("right", "i8"),  # likewise
        ("plain", "u8"),  # packed: own fixed production
        ("bound", "u8"),  # packed: at most so much could be had, neighbours included
        ("flexible", "u8"),  # packed 0xFF: resources that some either/or symbol in reach may give
        ("for_sale", "u8", (2,)),  # packed: what left and right sell for the cost at hand
        ("choices", "i8"),  # either/or symbols that may give several of the missing resources
        ("wild", "i8"),  # whether a price depends on the symbol or the turn
        ("cheapest", "i8"),  # coins
        ("used", "i8"),  # mask of own either/or symbols that are spoken for in the cost at hand
        ("pairs", "u8", (64,)),  # the payments found, as the two fields of a move
        ("stage_moves", "u8", (64,)),  # payments of the next stage, while listing
        ("reachable", "u8", (2, 64)),  # reachable states for each coin total, left and right
        ("stride", "u8", (8,)),  # what one more unit of a resource adds to a state
        ("open", "u8", (8,)),  # the states that lack some of a resource
        ("span", "i8", (8,)),  # missing amount of a resource
        ("best_right", "i8", (64,)),  # least coins to the right for each total to the left
        ("prices", PRICES),  # what clauses change of them for the cost at hand (prices.py); zeros without such clauses
        # least right total by covered units and left total; then where the first unit was bought
        ("general", "i2", (2 * GENERAL_STATES, 64)),  # of the general solver
    ],
    align=True,
)

DEALER = np.dtype(
    [
        ("rng", "u8"),  # stream of the deal
        ("pool", "i8", (w.SLOTS,)),  # what is drawn from without replacement
        ("deck", "i8", (w.SLOTS,)),  # slots of the age, shuffled as they are dealt
    ],
    align=True,
)

CONFLICT = np.dtype(
    [
        ("envoy", "i8", (w.SEATS,)),  # 1: a diplomacy token was discarded at this end of age
        ("ring", "i8", (w.SEATS,)),  # the seats that fight, in order
        ("fought", "i8", (6,)),  # the conflict just fought: seats, shields, points of the tokens
    ],
    align=True,
)

RESULT = np.dtype(
    [
        ("points", "i8", (w.SEATS, w.CATEGORY_KINDS)),  # points by category
        ("total", "i8", (w.SEATS,)),  # points
        ("ties", "i8", (w.SEATS, w.TIES)),  # what decides between equal points, one after the other
        ("rank", "i8", (w.SEATS,)),  # 1 best, 0 of the Free City
        ("share", "f8", (w.SEATS,)),  # of the victory
    ],
    align=True,
)

LOG = log_of(EVENT, EVENTS + EFFECTS_LOGGED)
LOOKAHEAD = lookahead_of(STATE, CHOICE, w.SEATS)

WISH = wish_of(CHOICE, MEMORY)

GAME = np.dtype(
    [
        *POSITION,  # a position is the first STATE.itemsize bytes of a game
        ("choice", CHOICE),  # the decision at hand, right behind the position
        ("redraw", REDRAW),  # hidden cards drawn again
        ("frozen", PUBLIC),  # the payer of BEFORE, spelt out for the solver
        ("solver", SOLVER),  # payments
        ("dealer", DEALER),  # the deal of an age
        ("conflict", CONFLICT),  # the end of an age
        ("result", RESULT),  # the score
        ("log", LOG),  # events for traces and picks
        ("answer", ANSWER),  # of a policy, the last
        ("wish", WISH),  # what a policy wanted that may be overruled
        ("lookahead", LOOKAHEAD),  # a search
    ],
    align=True,
)


ROW = np.dtype(
    [
        ("game", "u8"),  # number of the game
        ("seat", "u1"),  # number of the seat
        ("side", "u1"),  # board * 2 + side
        ("policy", "u1"),  # line-up entry
        ("rank", "u1"),  # 1 = best; equal points and coins share a rank
        ("win_share", "f4"),  # share of the victory
        ("points", "i2", (w.CATEGORY_KINDS,)),  # points by category
        ("total", "i2"),  # points
        *row_fields(ROW_FACTS),
    ],
    align=True,
)

PICK = np.dtype([("game", "u8"), ("event", EVENT)], align=True)

TYPES = types_of(STATE, PUBLIC, PRIVATE, CHOICE, GAME, RULES, SEATING, SETTINGS, "wonders.kernels")
Public, Private, Choice, Game, Rules, Seating, Settings, POLICY, SEARCHER, *_ = TYPES
Solver = record_type(SOLVER)
Row, Pick = map(from_dtype, (ROW, PICK))
LINE_UP = TYPES.line_up
