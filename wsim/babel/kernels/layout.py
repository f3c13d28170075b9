"""The memory contract of the Tower of Babel engine: every record that kernels read or write, field by field.

Records are aligned structured dtypes passed as numba ``Record`` (one pointer, no reference count):

* ``RULES`` the components and switches of one rule set at one table size; never written while playing * ``PUBLIC`` what
everybody at the table may know (A26): board, points, sizes of hands, discard pile, revealed offers * ``PRIVATE`` what
only one seat knows, its random stream and the parameters of its policy * ``CHOICE`` the legal moves of the decision at
hand

The fields of these records about each seat are declared in ``babel/facts.py``.

A policy receives the public record, its own private record, the choice and the rules; other hands, action cards, the
decks and offers that are not yet revealed are out of its reach. ``GAME`` combines them with the fields that nobody
sees. A searcher gets the whole game, continues it and restores it (``SEARCHER``, wsim/kernels/searching.py).

Kinds, action cards and decisions are numbered as in words.py.
A *disc* is a row of the rules (0-23), a *slot* one of the 24 disc spaces of the board: wonder * 3 + space. A disc
shows one or two kinds; its *first* kind is the lower one. A disc of one kind needs 0 of
its second kind, ``NO_KIND``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wsim.babel import words as w
from wsim.babel.facts import SEAT_FACTS
from wsim.babel.kernels.net_layout import NET
from wsim.facts import fields, row_fields
from wsim.jit import JIT, from_dtype
from wsim.kernels.formula_words import MAX_WORDS
from wsim.kernels.heads import ANSWER, in_lines, line_up_fields, log_of, types_of
from wsim.kernels.heads import NOBODY as NOBODY
from wsim.kernels.overruling import wish_of
from wsim.kernels.searching import POOL, lookahead_of
from wsim.rng import KEYS

MOVES = 104  # legal moves of one decision: at most 97, the offers on a two-colour disc that needs 6 + 6
MEMORY = 8  # numbers that a policy may keep from decision to decision of a game
WEIGHTS = 24  # of the weighted policy, see policies/features.py
PLAYERS = w.SEATS + POOL  # line-up entries, then the players of their pools
ACTION_DECK = 64
ACTION_DRAWS = 8  # action cards drawn in one game: one for each completed wonder
EVENTS = 1 << 16  # log entries of one game: fewer than 50 in an action, 1000 turns at most

TRADE_CARD = 1 << 16  # bit of a move of OFFER (words.py says what moves mean)
COMPLETED = 1 << 16  # bit of a move of COMPLETE

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

# --- what comes next: FLOW.phase
BEGIN, ACT, WINDOW, SET_ASIDE, CHOOSE, LAY_OFFER, LAY_BLUFF, TAKE_OFFERS = range(8)
FINISH_BUILD, PAY_OFFERS, AGAIN, END_TURN, SCORE, OVER = range(8, 14)

CODE = 3 * MAX_WORDS + 3  # of the formulas of all action cards

PUBLIC = np.dtype(
    [
        ("seats", "i8"),  # players
        ("turn", "i8"),  # from 1
        ("action", "i8"),  # 1, or 2 for the second action of a Double turn
        ("active", "i8"),  # seat whose turn it is
        ("over", "i8"),  # RUNNING, KIND_GONE, TURN_LIMIT
        ("row", "i8"),  # wonders completed so far: the value-table row of the next one
        ("slots_left", "i8"),  # mask of slots that still have their disc
        ("board", "i8", (w.SLOTS,)),  # the disc laid on each slot at the start
        ("kind_left", "i8", (len(w.KINDS) + 1,)),  # discs on the board that show the kind; the last entry is not used
        ("units", "i8", (w.WONDERS, w.SEATS)),  # parts on each wonder
        *fields(SEAT_FACTS, "public", w.SEATS),
        ("discards", "i8", (len(w.KINDS),)),  # face-up discard pile
        ("deck", "i8"),  # cards left in the deck
        # the build that is going on
        ("slot", "i8"),  # announced, -1 none
        ("kind", "i8", (2,)),  # that the disc shows
        ("need", "i8", (2,)),  # of each
        ("taken", "i8"),  # mask of accepted partners
        ("partner", "i8"),  # the accepted partner with a trade card, -1 none
        ("missing", "i8", (2,)),  # cards that the active player still has to add
    ],
    align=True,
)

PRIVATE = np.dtype(
    [
        ("seat", "i8"),  # number of the seat
        ("rng", "u8"),  # state of the seat's random stream
        *fields(SEAT_FACTS, "private"),
        ("entrant", "i8"),  # line-up entry whose parameters are loaded, -1 none
        ("memory", "f8", (MEMORY,)),  # the policy's own, 0 at the start of a game: it may write here
        ("parameters", "f8", (w.PARAMETERS,)),  # of its policy, in the order declared; the last one is `explore`
    ],
    align=True,
)

SETTINGS = in_lines(
    ("weights", "f8", (WEIGHTS,)),  # in points, of policies/features.py
    ("net", NET),  # learned values, of policies/net.py
)

CHOICE = np.dtype(
    [
        ("kind", "i8"),  # TURN ... DOUBLE
        ("count", "i8"),  # legal moves
        ("moves", "i8", (MOVES,)),  # ascending
    ],
    align=True,
)

RULES = np.dtype(
    [
        ("seats", "i8"),  # players
        ("kind", "i8", (w.SLOTS, w.NEEDS)),  # of each disc
        ("need", "i8", (w.SLOTS, w.NEEDS)),  # cards of each kind
        ("is_two_colour", "i8", (w.SLOTS,)),  # 1: shows two kinds
        ("cards", "i8", (len(w.KINDS),)),  # building cards
        ("values", "i8", (w.ROWS, w.SHARES)),  # points for most, second and third most parts, by row
        ("light", "i8", (w.SHARES,)),  # points of an unfinished wonder, likewise
        ("sets", "i8", (w.SET_SIZES,)),  # points by number of discs of a kind, the cap (A25) applied
        ("action_cards", "i8", (len(w.ACTION_CARDS),)),  # copies of each
        (
            "effects",
            "i8",
            (len(w.ACTION_CARDS),),
        ),  # figure of each action card, 0 where it has none; the most by formula
        ("effect_at", "i8", (len(w.ACTION_CARDS),)),  # where the formula of its points begins in ``code``, -1: a number
        ("code", "i8", (CODE,)),  # words of formulas (wsim/kernels/formula_words.py)
        ("refused_offer", "i8"),  # points a card of a refused offer
        ("starting_hand", "i8"),  # cards
        ("pass_draw", "i8"),  # cards drawn for passing
        ("common_draw", "i8"),  # cards that everybody draws after a turn (A3)
        ("parts", "i8"),  # parts of a player (A28)
        *((switch, "i8") for switch in w.SWITCHES),  # 1 or 0, or the number that the switch is
        ("tie_by_discs", "i8"),  # 1: more discs win a tie (A27)
    ],
    align=True,
)

SEATING = np.dtype(
    [
        ("keys", "u8", (KEYS,)),  # of all random streams (wsim/rng.py)
        ("rotate", "i8"),  # seat p of game g is played by entry (p + g) % seats
        *line_up_fields(w.SEATS, w.PARAMETERS, SETTINGS, PLAYERS),
        ("overrule", "f8", (w.SEATS,)),  # by seat: chance that its policy must do the next best thing
    ],
    align=True,
)

EVENT = np.dtype(
    [
        ("what", "u1"),  # CHOICE.kind, or one of the LOG_ events
        ("seat", "u1"),  # the seat concerned
        ("action", "u1"),  # 1, or more for actions of a Double turn
        ("count", "u1"),  # legal moves
        ("index", "u1"),  # the one picked
        ("slot", "i1"),  # announced, -1 none
        ("turn", "u2"),  # from 1
        ("move", "i4"),  # the move picked, or what the event says
        ("value", "i2"),  # points of the seat; units with LOG_WONDER
        ("wanted", "i4"),  # the move that the policy picked, in a plan that overrules some, else 0
        ("others", "u1"),  # legal moves that are not of the same thing; 0: it could not be overruled
        ("overruled", "u1"),  # WISH.overruled
        ("could", "u8"),  # mask of the slots of the discs that it could build with; or of the cards that it could play
    ],
    align=True,
)

TALLY = np.dtype(
    [
        *fields(SEAT_FACTS, "tally"),
        ("rank", "i8"),  # 1 best
        ("share", "f8"),  # share of the victory
    ],
    align=True,
)

HIDDEN = np.dtype(
    [
        ("rng", "u8"),  # state of the stream that deals
        ("dice", [("unused", "u8"), ("rng", "u8")]),  # stream of overruled decisions
        ("deck", "i8", (len(w.KINDS),)),  # cards of each kind
        ("action_deck", "i8", (ACTION_DECK,)),  # action cards, first drawn first
        ("actions_ready", "i8"),  # cards of it that are in order
        ("actions_drawn", "i8"),  # cards drawn from it
        ("offer", "i8", (w.SEATS,)),  # laid, not yet revealed
        ("bluff", "i8", (w.SEATS,)),  # likewise (A6)
        ("instant_cards", "i8"),  # Card exchange and Draw three held by all seats together
        ("starter", "i8"),  # seat that began
        ("reshuffles", "i8"),  # times that the discard pile became the deck
        ("completed", "i8"),  # mask of completed wonders
        ("tally", TALLY, (w.SEATS,)),  # by seat, for the rows
    ],
    align=True,
)

FLOW = np.dtype(
    [
        ("phase", "i8"),  # what comes next, BEGIN ... OVER
        ("seat", "i8"),  # whose decision is next
        ("left", "i8"),  # seats that a window, the offers or the payments have still to visit, this one included
        ("after", "i8"),  # the phase that follows a window
        ("aside", "i8"),  # cards set aside by the Card exchange being played
        ("lowest", "i8"),  # kind from which it may set aside the next one
        ("built", "i8"),  # whether the build has succeeded
        ("ended", "i8"),  # whether it ends the game
    ],
    align=True,
)

LOG = log_of(EVENT, EVENTS)

POSITION = [("public", PUBLIC), ("own", PRIVATE, (w.SEATS,)), ("hidden", HIDDEN), ("flow", FLOW)]
STATE = np.dtype(POSITION, align=True)

REDRAW = np.dtype(
    [  # scratch of a redrawing
        ("rng", "u8"),  # what it is drawn from
        ("fresh", "i8", (w.SEATS,)),  # action cards of each seat that it may not use yet
    ],
    align=True,
)

LOOKAHEAD = lookahead_of(STATE, CHOICE, w.SEATS)

WISH = wish_of(CHOICE, MEMORY)

GAME = np.dtype(
    [
        *POSITION,  # a position is the first STATE.itemsize bytes of a game
        ("choice", CHOICE),  # the decision at hand, right behind the position
        ("redraw", REDRAW),  # hidden cards drawn again
        ("sums", "i8", (1 << (w.SEATS - 1),)),  # packed cards of each legal set of partners, while listing
        ("answer", ANSWER),  # of a policy, the last
        ("wish", WISH),  # what a policy wanted that may be overruled
        ("lookahead", LOOKAHEAD),  # a search
        ("log", LOG),  # events for traces and picks
    ],
    align=True,
)


ROW = np.dtype(
    [
        ("game", "u8"),  # number of the game
        ("seat", "u1"),  # number of the seat
        ("entry", "u1"),  # of the line-up
        ("rank", "u1"),  # 1 best
        ("starter", "u1"),  # seat that began
        ("win_share", "f4"),  # share of the victory
        ("total", "i2"),  # points
        ("turns", "u2"),  # of the game
        ("completed", "u1"),  # mask of wonders, the same in all rows of a game
        ("reshuffles", "u1"),  # of the game
        ("over", "u1"),  # KIND_GONE or TURN_LIMIT
        *row_fields(SEAT_FACTS),
    ],
    align=True,
)

PICK = np.dtype(
    [
        ("game", "u8"),  # number of the game
        ("entry", "u1"),  # of the line-up
        ("disc", "i1"),  # announced, -1 none
        ("wanted_disc", "i1"),  # that of the move that the policy picked, in a plan that overrules some; -1 none
        ("could", "u8"),  # mask of the discs that it could build with; where cards can be played, of these
        ("spaces", "u8"),  # mask of the spaces of those discs
        ("event", EVENT),  # the decision
    ],
    align=True,
)

TYPES = types_of(STATE, PUBLIC, PRIVATE, CHOICE, GAME, RULES, SEATING, SETTINGS, "babel.kernels")
Public, Private, Choice, Game, Rules, Seating, Settings, POLICY, SEARCHER, *_ = TYPES
Row, Pick = map(from_dtype, (ROW, PICK))
LINE_UP = TYPES.line_up


def records(count: int, dtype: np.dtype[Any]) -> Any:
    """Return zeroed records whose fields kernels can access as attributes, with or without the JIT.

    Without the JIT, nested records are plain ``numpy.void`` unless their dtype says ``numpy.record``; with it, numba
    cannot type that spelling. The bytes are the same.
    """
    return np.zeros(count, dtype if JIT else _attributed(dtype)).view(np.recarray)


def _attributed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype with every structured part as ``numpy.record``."""
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
