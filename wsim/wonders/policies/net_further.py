"""The inputs of ``net`` for counters, cards of further decks and decisions of clauses (``net_layout``).

They contain only what a seat may know (R49): its own deck cards and the displayed ones, counters of its city and its
neighbours. Catalogues without these features have no such items.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import OPTIONS
from wsim.wonders.kernels.moves import action_of, card_of, city_of, gives_of, picked_of, slot_of
from wsim.wonders.kernels.net_layout import (
    CARD_ROLES,
    CHOSEN_CITIES,
    CITIES_AT,
    COUNTER_CITIES,
    COUNTER_STEPS,
    COUNTERS_AT,
    DECIDED_OPTIONS,
    DECK_ROLES,
    DECKS_AT,
    FURTHER_AT,
    OPTIONS_AT,
    PICKED_AT,
    PICKED_ROLES,
)
from wsim.wonders.kernels.turn import neighbor_left, neighbor_right
from wsim.wonders.policies.clause_value import clause_of_move

_HAND, _OPEN, _OWN, _RECRUIT = range(len(DECK_ROLES))
_LOST, _LOOKED_AT = range(len(PICKED_ROLES))
_LEFT, _RIGHT, _FARTHER = range(len(CHOSEN_CITIES))
_CITIES, _STEPS, _PILE = len(COUNTER_CITIES), len(COUNTER_STEPS), CARD_ROLES.index("pile")
_STEP = np.array(COUNTER_STEPS)
_ONE = np.uint64(1)
MOST_FURTHER = (len(DECK_ROLES) - 1) * w.DECK_CARDS + _CITIES * w.COUNTERS * _STEPS
"""Maximum number of rows of a state."""
assert DECIDED_OPTIONS == OPTIONS


@kernel
def _list_deck(role, cards, rows, count):
    """Add cards of decks in a role; return the new length."""
    while cards:
        rows[count] = FURTHER_AT + DECKS_AT + role * w.DECK_CARDS + lowest_bit(cards)
        cards &= cards - _ONE
        count += 1
    return count


@kernel
def has_further(rules):
    """Return whether states may have further rows."""
    return rules.counters != 0 or rules.decks != 0


@kernel(rare=True)
def list_further(public, own, rules, rows):
    """List the further rows of a state; return how many."""
    count = 0
    if rules.decks:
        count = _list_deck(_HAND, own.recruits, rows, count)
        count = _list_deck(_OPEN, public.display | own.draft, rows, count)
        count = _list_deck(_OWN, public.recruited[own.seat], rows, count)
    for counter in range(rules.counters):
        for place in range(1 if rules.counter_of[counter] == w.OF_TABLE else _CITIES):
            seat = own.seat
            if place:
                seat = neighbor_left(public, seat) if place == 1 else neighbor_right(public, seat)
            value = np.int64(public.counter[seat, counter]) - np.int64(rules.counter_least[counter])
            for step in range(_STEPS):
                if value >= _STEP[step]:
                    rows[count] = FURTHER_AT + COUNTERS_AT + (place * w.COUNTERS + counter) * _STEPS + step
                    count += 1
    return count


@kernel(rare=True)
def list_decision(public, own, rules, move, rows):
    """List the rows of a move in a clause decision: its option, chosen card and city, or the recruited card; none for
    declining. Return their number."""
    if action_of(move) != w.CHOOSE:
        return 0
    if slot_of(move) == 0:
        rows[0] = FURTHER_AT + DECKS_AT + _RECRUIT * w.DECK_CARDS + card_of(move) - rules.deck_entry
        return 1
    _, option = clause_of_move(rules, move)
    rows[0], count = FURTHER_AT + OPTIONS_AT + option, 1
    card, city = picked_of(move), city_of(move)
    if card >= 0:
        does = rules.option_do[option]
        if does == w.DO_BUILD or (does >= w.DO_TAKE and not gives_of(move)):
            rows[1] = _PILE * w.CARDS + card  # as a build from the discard pile by a wonder
        else:
            role = _LOOKED_AT if does == w.DO_NOTHING else _LOST
            rows[1] = FURTHER_AT + PICKED_AT + role * w.CARDS + card
        count = 2
    elif city >= 0:
        left, right = city == neighbor_left(public, own.seat), city == neighbor_right(public, own.seat)
        rows[1] = FURTHER_AT + CITIES_AT + (_LEFT if left else (_RIGHT if right else _FARTHER))
        count = 2
    return count
