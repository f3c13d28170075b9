"""Decisions of clauses that are pending (R72): a queue in which each is one word, with what triggered it.

==========  =====  ==================================================
field       bits   meaning
==========  =====  ==================================================
clause      0-7    the number of the clause; from RECRUIT on, that of a deck to recruit from (R89)
owner       8-11   the city that has the card or stage, and decides
trigger     12-15  the city that triggered it
entry       16-24  PUBLIC.event_entry (R71)
how         28-31  PUBLIC.event_how
purchase    32-39  PUBLIC.purchase (R64)
order       40-47  PUBLIC.event_order
==========  =====  ==================================================
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders.kernels.layout import ASKS, CLAUSES, DECIDED
from wsim.wonders.limits import DECIDED as TOO_MANY
from wsim.wonders.limits import PENDING

RECRUIT = CLAUSES
_BYTE, _NIBBLE, _ENTRY = np.uint64(0xFF), np.uint64(0xF), np.uint64(0x1FF)
_OWNER_AT, _TRIGGER_AT, _ENTRY_AT, _HOW_AT, _PURCHASE_AT, _ORDER_AT = map(np.uint64, (8, 12, 16, 28, 32, 40))


@kernel(rare=True)
def add_pending(game, rules, clause, owner, trigger):
    """Append a decision to the queue, with the event that triggers it."""
    asking, public = game.asking, game.public
    if asking.count == ASKS:
        entry = np.int64(rules.clause_entry[clause]) if clause < RECRUIT else -1
        stop_game(PENDING, owner, entry, ASKS + 1, ASKS)
    word = np.uint64(clause) | (np.uint64(owner) << _OWNER_AT) | (np.uint64(trigger) << _TRIGGER_AT)
    word |= (np.uint64(public.event_entry) << _ENTRY_AT) | (np.uint64(public.event_how) << _HOW_AT)
    word |= np.uint64(public.event_order) << _ORDER_AT
    asking.pending[asking.count] = word | (np.uint64(public.purchase) << _PURCHASE_AT)
    asking.count += 1


@kernel
def clause_of(word):
    """Return the number of the clause of a pending decision."""
    return np.int64(word & _BYTE)


@kernel
def owner_of(word):
    """Return the city that decides."""
    return np.int64((word >> _OWNER_AT) & _NIBBLE)


@kernel
def trigger_of(word):
    """Return the city that triggered the decision."""
    return np.int64((word >> _TRIGGER_AT) & _NIBBLE)


@kernel
def first_pending(asking):
    """Return the place of the next decision: the first one of the first seat that has any (R72)."""
    first = 0
    for place in range(1, asking.count):
        if owner_of(asking.pending[place]) < owner_of(asking.pending[first]):
            first = place
    return first


@kernel
def recall_event(public, word):
    """Let formulas see the event that triggered a decision (R64, R71)."""
    public.event_entry = np.int64((word >> _ENTRY_AT) & _ENTRY)
    public.event_how = np.int64((word >> _HOW_AT) & _NIBBLE)
    public.event_order = np.int64((word >> _ORDER_AT) & _BYTE)
    public.purchase = np.int64((word >> _PURCHASE_AT) & _BYTE)


@kernel
def forget_event(public):
    """Let formulas see no event."""
    public.event_entry = public.event_how = public.event_order = public.purchase = public.amount = 0


@kernel
def drop_pending(asking, place):
    """Remove a decision from the queue."""
    asking.count -= 1
    for later in range(place, asking.count):
        asking.pending[later] = asking.pending[later + 1]


@kernel
def count_decision(game, seat, entry):
    """Count a decision that was made; stop a game that has too many."""
    game.asking.made += 1
    if game.asking.made > DECIDED:
        stop_game(TOO_MANY, seat, entry, game.asking.made, DECIDED)
