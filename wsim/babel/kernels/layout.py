"""The memory contract of the Tower of Babel engine: every record that kernels read or write, field by field.

Records are aligned structured dtypes passed as numba ``Record`` (one pointer, no reference count):

* ``RULES``   the components and switches of one rule set at one table size; never written while playing
* ``PUBLIC``   what everybody at the table may know (A26): board, points, sizes of hands, discard pile, revealed offers
* ``PRIVATE``  what one seat alone knows, its random stream and the parameters of its policy
* ``CHOICE``   the legal moves of the decision at hand

A policy is handed the public record, its own private record, the choice and the rules; other hands, action cards, the
decks and offers that are not yet revealed are out of its reach. ``GAME`` bundles them with what nobody sees.

Kinds are numbered alphabetically: 0 camel, 1 crane, 2 ship, 3 stonemason; action cards likewise (``ACTION_CARDS``).
A *disc* is a row of the rules (0-23), a *slot* one of the 24 disc spaces of the board: wonder * 3 + space. A disc
shows one or two kinds; its *first* kind is the lower one. A disc of one kind needs 0 of
its second kind, ``NO_KIND``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wsim.babel.catalog.reading import ACTION_CARDS, KINDS
from wsim.jit import ADDRESSES, JIT, from_dtype, record_type, types

SEATS = 5
WONDERS = 8
SPACES = 3  # for discs on a wonder
SLOTS = WONDERS * SPACES
ROWS = 7  # of the value table
SET_SIZES = 10  # of the set table: 0 to 9 discs of a kind
MOVES = 104  # legal moves of one decision: at most 97, the offers on a two-colour disc that needs 6 + 6
PARAMETERS = 8
WEIGHTS = 24  # of the weighted policy, see policies/features.py
ACTION_DECK = 64
ACTION_DRAWS = 8  # action cards drawn in one game: one for each completed wonder
EVENTS = 1 << 16  # log entries of one game: fewer than 50 in an action, 1000 turns at most
NO_KIND = 4
NOBODY = -1

# --- action cards ---------------------------------------------------------------------------------------------------
EXCHANGE_CARDS, DISC_BONUS, DOUBLE_TURN, DRAW_THREE, FIVE_POINTS, JOKER, TRIPLE_BONUS = range(len(ACTION_CARDS))

# --- decisions: CHOICE.kind, and what a move of each means (0 always refuses, and stands first where it is legal) ---
TURN = 0  # 0 pass; 1 + slot: build with the disc of that slot
PLAY_CARD = 1  # windows W1-W3. 0 none; 1 + action card (exchange or draw three)
EXCHANGE = 2  # 0 enough; 1 + kind of the next card to set aside, kinds never descending
OFFER = 3  # 0 nothing; cards of the first kind | of the second << 8 | TRADE_CARD
BLUFF = 4  # 0 none; mask of the wrong kinds, a card of each is laid with the offer (A6)
TAKE = 5  # 0 none; mask of the seats whose offers are taken
COMPLETE = 6  # 0 decline; COMPLETED | missing cards of the first kind that Jokers stand for | of the second << 8
TRIPLE = 7  # 0 no; 1 play the Triple bonus on the own refused offer
DOUBLE = 8  # 0 no; 1 play the Double turn
DECISIONS = ("turn", "play_card", "exchange", "offer", "bluff", "take", "complete", "triple_bonus", "double_turn")
TRADE_CARD = 1 << 16
COMPLETED = 1 << 16

# --- further log events, for traces only ----------------------------------------------------------------------------
LOG_DRAW = 16  # seat, move: kind drawn
LOG_RESHUFFLE = 17  # move: cards in the new deck
LOG_ACTION = 18  # seat takes an action
LOG_BUILT = 19  # seat, move: the disc's new owner
LOG_FAILED = 20  # seat
LOG_PARTS = 21  # seat, move: units placed
LOG_WONDER = 22  # seat, move: points for a wonder, slot: first slot of the wonder; value: units
LOG_ACTION_CARD = 23  # seat, move: action card drawn
LOG_PAID = 24  # seat, move: points of a refused offer
LOG_TURN_END = 25
LOG_END = 26  # move: why the game ended

LOG_PICKS, LOG_ALL = 1, 2  # HIDDEN.logging: decisions with more than one move; everything
RUNNING, KIND_GONE, TURN_LIMIT = 0, 1, 2  # PUBLIC.over

PUBLIC = np.dtype(
    [
        ("seats", "i8"),
        ("turn", "i8"),  # from 1
        ("action", "i8"),  # 1, or 2 for the second action of a Double turn
        ("active", "i8"),  # seat whose turn it is
        ("over", "i8"),  # RUNNING, KIND_GONE, TURN_LIMIT
        ("row", "i8"),  # wonders completed so far: the value-table row of the next one
        ("slots_left", "i8"),  # mask of slots that still have their disc
        ("board", "i8", (SLOTS,)),  # the disc laid on each slot at the start
        ("kind_left", "i8", (len(KINDS) + 1,)),  # discs on the board that show the kind; the last entry is not used
        ("units", "i8", (WONDERS, SEATS)),  # parts on each wonder
        ("points", "i8", (SEATS,)),
        ("hand_size", "i8", (SEATS,)),  # without the trade card
        ("action_cards", "i8", (SEATS,)),  # held
        ("disc_count", "i8", (SEATS,)),  # discs owned
        ("discs", "i8", (SEATS, len(KINDS))),  # owned discs of one kind, 0 without public_discs (A26)
        ("two_colour", "i8", (SEATS,)),  # mask of owned discs of two kinds (bit: disc), likewise
        ("discards", "i8", (len(KINDS),)),  # face-up discard pile
        ("deck", "i8"),  # cards left in the deck
        # the build that is going on
        ("slot", "i8"),  # announced, -1 none
        ("kind", "i8", (2,)),  # that the disc shows
        ("need", "i8", (2,)),  # of each
        ("offer", "i8", (SEATS,)),  # revealed offers as moves of OFFER, 0 before the reveal
        ("bluff", "i8", (SEATS,)),  # revealed cards of wrong kinds as moves of BLUFF
        ("taken", "i8"),  # mask of accepted partners
        ("partner", "i8"),  # the accepted partner with a trade card, -1 none
        ("missing", "i8", (2,)),  # cards that the active player still has to add
    ],
    align=True,
)

PRIVATE = np.dtype(
    [
        ("seat", "i8"),
        ("rng", "u8"),  # state of the seat's random stream
        ("hand", "i8", (len(KINDS) + 1,)),  # cards of each kind; the last entry stays 0
        ("aside", "i8", (len(KINDS),)),  # set aside by the Card exchange being played
        ("cards", "i8", (len(ACTION_CARDS),)),  # action cards held
        ("fresh", "i8", (len(ACTION_CARDS),)),  # of these, drawn this turn and not yet usable (A18)
        ("discs", "i8", (len(KINDS),)),  # owned discs of one kind
        ("two_colour", "i8"),  # mask of owned discs of two kinds
        ("entrant", "i8"),  # line-up entry whose parameters are loaded, -1 none
        ("parameters", "f8", (PARAMETERS,)),
        ("weights", "f8", (WEIGHTS,)),
    ],
    align=True,
)

CHOICE = np.dtype(
    [
        ("kind", "i8"),  # TURN ... DOUBLE
        ("count", "i8"),
        ("moves", "i8", (MOVES,)),  # ascending
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("seats", "i8"),
        ("kind", "i8", (SLOTS, 2)),  # of each disc
        ("need", "i8", (SLOTS, 2)),
        ("is_two_colour", "i8", (SLOTS,)),
        ("cards", "i8", (len(KINDS),)),  # building cards
        ("values", "i8", (ROWS, 3)),
        ("light", "i8", (3,)),
        ("sets", "i8", (SET_SIZES,)),  # points by number of discs of a kind, the cap (A25) applied
        ("action_cards", "i8", (len(ACTION_CARDS),)),
        ("effects", "i8", (len(ACTION_CARDS),)),  # figure of each action card, 0 where it has none
        ("refused_offer", "i8"),
        ("starting_hand", "i8"),
        ("pass_draw", "i8"),
        ("common_draw", "i8"),
        ("parts", "i8"),
        # switches
        ("use_action_cards", "i8"),
        ("reshuffle_discards", "i8"),
        ("allow_empty_offer", "i8"),
        ("allow_trade_card_alone", "i8"),
        ("allow_bluff_cards", "i8"),
        ("may_decline_when_able", "i8"),
        ("joker_may_split", "i8"),
        ("max_jokers_per_build", "i8"),
        ("triple_bonus_on_failed_build", "i8"),
        ("action_card_usable_at_once", "i8"),
        ("max_double_turns", "i8"),
        ("action_card_for_last_wonder", "i8"),
        ("public_discs", "i8"),
        ("tie_by_discs", "i8"),
        ("limit_parts", "i8"),
        ("turn_limit", "i8"),
    ],
    align=True,
)

SEATING = np.dtype(
    [
        ("seed", "i8"),
        ("rotate", "i8"),  # seat p of game g is played by entry (p + g) % seats
        ("parameters", "f8", (SEATS, PARAMETERS)),  # by line-up entry
        ("weights", "f8", (SEATS, WEIGHTS)),
    ],
    align=True,
)

EVENT = np.dtype(
    [
        ("what", "u1"),  # CHOICE.kind, or one of the LOG_ events
        ("seat", "u1"),
        ("action", "u1"),
        ("count", "u1"),  # legal moves
        ("index", "u1"),  # the one picked
        ("slot", "i1"),  # announced, -1 none
        ("turn", "u2"),
        ("move", "i4"),
        ("value", "i2"),  # points of the seat; units with LOG_WONDER
    ],
    align=True,
)

TALLY = np.dtype(
    [
        ("passes", "i8"),
        ("builds_led", "i8"),  # successful builds as the active player
        ("builds_failed", "i8"),
        ("offers_made", "i8"),
        ("offers_taken", "i8"),
        ("offers_refused", "i8"),  # failed builds included
        ("trades_taken", "i8"),
        ("parts_placed", "i8"),
        ("wonders_won", "i8"),  # mask of completed wonders in which the seat had most parts, alone or tied
        ("rows_won", "i8"),  # mask of value-table rows of these wonders
        ("discs_owned", "i8"),  # mask of discs
        ("cards_drawn", "i8", (len(ACTION_CARDS),)),
        ("cards_played", "i8", (len(ACTION_CARDS),)),
        ("wonder_points", "i8"),
        ("light_points", "i8"),  # of unfinished wonders
        ("refused_points", "i8"),  # without what a Triple bonus adds
        ("set_points", "i8"),
        ("action_points", "i8"),  # Triple bonus, Disc bonus, 5 bonus points
        ("rank", "i8"),
        ("share", "f8"),
    ],
    align=True,
)

HIDDEN = np.dtype(
    [
        ("rng", "u8"),  # state of the stream that deals
        ("deck", "i8", (len(KINDS),)),
        ("action_deck", "i8", (ACTION_DECK,)),  # first drawn first
        ("actions_ready", "i8"),  # cards of it that are in order
        ("actions_drawn", "i8"),
        ("offer", "i8", (SEATS,)),  # laid, not yet revealed
        ("bluff", "i8", (SEATS,)),
        ("sums", "i8", (1 << (SEATS - 1),)),  # scratch: packed cards of each legal set of partners
        ("instant_cards", "i8"),  # Card exchange and Draw three held by all seats together
        ("starter", "i8"),
        ("reshuffles", "i8"),
        ("completed", "i8"),  # mask of completed wonders
        ("tally", TALLY, (SEATS,)),
        ("error", "i8", (4,)),  # a policy's wrong index: 1, line-up entry, index, number of moves
        ("logging", "i8"),  # 0, LOG_PICKS, LOG_ALL
        ("events", "i8"),
        ("log", EVENT, (EVENTS,)),
    ],
    align=True,
)

GAME = np.dtype([("public", PUBLIC), ("own", PRIVATE, (SEATS,)), ("choice", CHOICE), ("hidden", HIDDEN)], align=True)

ROW = np.dtype(
    [
        ("game", "u8"),
        ("seat", "u1"),
        ("entry", "u1"),  # of the line-up
        ("rank", "u1"),
        ("starter", "u1"),  # seat that began
        ("win_share", "f4"),
        ("total", "i2"),
        ("wonder_points", "i2"),
        ("light_points", "i2"),
        ("refused_points", "i2"),
        ("set_points", "i2"),
        ("action_points", "i2"),
        ("parts_placed", "u2"),
        ("turns", "u2"),
        ("discs", "u1", (len(KINDS),)),  # of one kind
        ("two_colour", "u1"),
        ("passes", "u2"),
        ("builds_led", "u1"),
        ("builds_failed", "u2"),
        ("offers_made", "u2"),
        ("offers_taken", "u1"),
        ("offers_refused", "u2"),
        ("trades_taken", "u1"),
        ("wonders_won", "u1"),  # mask
        ("rows_won", "u1"),  # mask
        ("completed", "u1"),  # mask of wonders, the same in all rows of a game
        ("reshuffles", "u1"),
        ("over", "u1"),  # KIND_GONE or TURN_LIMIT
        ("cards_drawn", "u1", (len(ACTION_CARDS),)),
        ("cards_played", "u1", (len(ACTION_CARDS),)),
        ("discs_owned", "u4"),  # mask
    ],
    align=True,
)

PICK = np.dtype([("game", "u8"), ("entry", "u1"), ("disc", "i1"), ("event", EVENT)], align=True)

Public, Private, Choice, Game = map(record_type, (PUBLIC, PRIVATE, CHOICE, GAME))
Rules, Seating = (record_type(dtype, constant=True) for dtype in (RULES, SEATING))
Row, Pick = map(from_dtype, (ROW, PICK))
POLICY = types.int64(Public, Private, Choice, Rules)
LINE_UP = ADDRESSES  # of the policies, one for each entry


def records(count: int, dtype: np.dtype[Any]) -> Any:
    """Return zeroed records whose fields can be reached as attributes by kernels, jitted or not.

    Without the JIT, nested records are plain ``numpy.void`` unless their dtype says ``numpy.record``; with it, numba
    cannot type that spelling. The bytes are the same.
    """
    return np.zeros(count, dtype if JIT else _attributed(dtype)).view(np.recarray)


def _attributed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype with every structured part spelt ``numpy.record``."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((_attributed(base), shape))
    if dtype.fields is None:
        return dtype
    names = list(dtype.names or ())
    spec = {
        "names": names,
        "formats": [_attributed(dtype.fields[name][0]) for name in names],
        "offsets": [dtype.fields[name][1] for name in names],
        "itemsize": dtype.itemsize,
    }
    return np.dtype((np.record, spec))  # type: ignore[call-overload, no-any-return, unused-ignore]
