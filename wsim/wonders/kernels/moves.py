"""Moves as words; listing.py lists the legal ones.

A move is one 64-bit word; its fields are read with the accessors below, which policies use too:

==========  =====  ==========================================================================
field       bits   meaning
==========  =====  ==========================================================================
card        0-7    the card's number (order of the rules: alphabetical by name); in a decision of a clause, its entry
action      8-11   BUILD, STAGE, SELL, DECLINE (of a build from the pile, an effect), PAY (a loss, R32), CHOOSE (R72)
how         12-15  PAID, CHAIN, FREE; for CHOOSE the option, from 0; of a further deck RECRUITS, KEEPS
bank        16-23  coins to the bank; for PAY the coins paid, for CHOOSE the price in coins
left        24-31  coins to the left neighbour; in a decision of a clause, 1 + the card that is chosen, 0 if none is
right       32-39  coins to the right neighbour; in a decision of a clause, the amount that is chosen, 0 if none is
slot        40-47  the physical copy in the hand; in a decision of a clause, its place among those of the entry
spends      48     uses up the once-per-age free build, or a token of one
city        52-55  in a decision of a clause, 1 + the city that it is to act on; 0 if none is chosen
trigger     56-59  in a decision of a clause, the city that triggered it
owner       60-62  in a decision of a clause, how many seats to the left of the deciding city the city that has it is
gives       63     in a decision of a clause: the chosen card is the one given in exchange for another (R97)
==========  =====  ==========================================================================

A *deed* is the public part of a move (R49): the move without its slot, and without its card if that went face down (a
sale, a stage), with the fields below in the higher bits. DISCARD and TAKE occur only in deeds: a structure that goes to
the discard pile (R82), or comes into a city from elsewhere (R96).

==========  =====  ==========================================================================
seat        40-43  the city
age         44-45  0, 1, 2
turn        46-49  from 0
decision    50-52  CHOICE.kind
step        53-54  of a build or a discard that a clause brings: layout.STEP_AT
==========  =====  ==========================================================================
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders.kernels.layout import (
    ACTION_AT,
    AMOUNT_AT,
    BANK_AT,
    CARD_AT,
    CITY_AT,
    GIVES_AT,
    HOW_AT,
    LEFT_AT,
    OWNER_AT,
    PICKED_AT,
    RIGHT_AT,
    SLOT_AT,
    SPENDS_AT,
    TRIGGER_AT,
)
from wsim.wonders.words import CHOOSE, KEEPS

NO_MOVE = np.uint64(0xFFFFFFFFFFFFFFFF)
_BYTE, _NIBBLE, _ONE, _ZERO = np.uint64(0xFF), np.uint64(0xF), np.uint64(1), np.uint64(0)
_ACTION, _HOW, _BANK, _LEFT, _RIGHT, _SLOT, _SPENDS = (
    np.uint64(at) for at in (ACTION_AT, HOW_AT, BANK_AT, LEFT_AT, RIGHT_AT, SLOT_AT, SPENDS_AT)
)
_DEED_SEAT, _DEED_AGE, _DEED_TURN = np.uint64(40), np.uint64(44), np.uint64(46)
assert CARD_AT == 0


@kernel
def card_of(move):
    """Return the card number of a move."""
    return np.int64(move & _BYTE)


@kernel
def action_of(move):
    """Return BUILD, STAGE, SELL, DECLINE, PAY or CHOOSE."""
    return np.int64((move >> _ACTION) & _NIBBLE)


@kernel
def how_of(move):
    """Return PAID, CHAIN or FREE."""
    return np.int64((move >> _HOW) & _NIBBLE)


@kernel
def option_of(move):
    """Return the option that a decision of a clause chooses, from 0."""
    return np.int64((move >> _HOW) & _NIBBLE)


@kernel
def bank_of(move):
    """Return the coins that go to the bank."""
    return np.int64((move >> _BANK) & _BYTE)


@kernel
def left_of(move):
    """Return the coins that go to the left neighbour."""
    return np.int64((move >> _LEFT) & _BYTE)


@kernel
def right_of(move):
    """Return the coins that go to the right neighbour."""
    return np.int64((move >> _RIGHT) & _BYTE)


@kernel
def slot_of(move):
    """Return the slot (physical copy) that leaves the hand."""
    return np.int64((move >> _SLOT) & _BYTE)


@kernel
def spends_of(move):
    """Return whether the move uses up the once-per-age free build, or a free-build token."""
    return (move >> _SPENDS) & _ONE != _ZERO


@kernel
def city_of(move):
    """Return the city chosen as the target of a clause; -1 if no city is chosen."""
    return np.int64((move >> np.uint64(CITY_AT)) & _NIBBLE) - 1


@kernel
def picked_of(move):
    """Return the card that is chosen in the decision of a clause, -1 if none is."""
    return np.int64((move >> np.uint64(PICKED_AT)) & _BYTE) - 1


@kernel
def amount_of(move):
    """Return the amount that is chosen in the decision of a clause, 0 if none is."""
    return np.int64((move >> np.uint64(AMOUNT_AT)) & _BYTE)


@kernel
def trigger_of_move(move):
    """Return the city that triggered the decision of a clause."""
    return np.int64((move >> np.uint64(TRIGGER_AT)) & _NIBBLE)


@kernel
def owner_of_move(move, decider, seats):
    """Return the city that has the clause of a decision (R98)."""
    return (decider + np.int64((move >> np.uint64(OWNER_AT)) & np.uint64(7))) % seats


@kernel
def gives_of(move):
    """Return whether the card chosen in a decision is given in exchange for another (R97)."""
    return (move >> np.uint64(GIVES_AT)) & _ONE != _ZERO


@kernel
def keeps_of(move):
    """Return whether the move keeps a card of a further deck in a draft (R101), which is not a clause decision."""
    return how_of(move) == KEEPS and slot_of(move) == 0 and action_of(move) == CHOOSE


@kernel
def seat_of_deed(deed):
    """Return the city of a deed."""
    return np.int64(deed >> _DEED_SEAT & _NIBBLE)


@kernel
def is_of_turn(deed, age, turn):
    """Return whether a deed was done in a turn of an age."""
    return np.int64(deed >> _DEED_AGE & np.uint64(3)) == age and np.int64(deed >> _DEED_TURN & _NIBBLE) == turn


@kernel
def owns(public, seat, card):
    """Return whether a city has a structure of this name (R7)."""
    return (public.built[seat, card >> 6] >> np.uint64(card & 63)) & _ONE != _ZERO


@kernel
def has_chain(public, rules, seat, card):
    """Return whether a city has a predecessor of this card (R16)."""
    held = public.built[seat, 0] & rules.chain[card, 0] | public.built[seat, 1] & rules.chain[card, 1]
    return held != _ZERO
