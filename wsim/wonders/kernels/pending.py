"""Pending clause decisions (R72): a queue of words, each of which also contains the event that triggered the decision.

==========  =====  ==================================================
field       bits   meaning
==========  =====  ==================================================
clause      0-7    the number of the clause; from RECRUIT on, that of a deck to recruit from (R89), then from KEEP on
                   and from DRAW on
owner       8-11   the city that has the card or stage
trigger     12-15  the city that triggered it
entry       16-24  PUBLIC.event_entry (R71)
how         28-31  PUBLIC.event_how
purchase    32-39  PUBLIC.purchase (R64)
order       40-47  PUBLIC.event_order
decider     48-51  the city that decides (R98)
picked      52-59  1 + the card that was chosen, for which another is now to be given (R97), 0: none; from DRAW on, how
                   many cards are drawn
option      60-63  the option that chose it
==========  =====  ==================================================
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.wonders import words as w
from wsim.wonders.kernels.layout import ASKS, CLAUSES, DECIDED, NOBODY, NOT_DRAWN
from wsim.wonders.limits import DECIDED as TOO_MANY
from wsim.wonders.limits import PENDING

RECRUIT = CLAUSES
KEEP = RECRUIT + w.DECKS  # from here on, that of a deck of whose hand a card is kept (R101)
DRAW = KEEP + w.DECKS  # likewise, of whose stock cards are drawn, of which one may be recruited (R104)
_BYTE, _NIBBLE, _ENTRY = np.uint64(0xFF), np.uint64(0xF), np.uint64(0x1FF)
_OWNER_AT, _TRIGGER_AT, _ENTRY_AT, _HOW_AT, _PURCHASE_AT, _ORDER_AT = map(np.uint64, (8, 12, 16, 28, 32, 40))
_DECIDER_AT, _PICKED_AT, _OPTION_AT = map(np.uint64, (48, 52, 60))


@kernel
def decider_for(public, rules, clause, owner, trigger):
    """Return the city that decides a clause of an owner (R98), NOBODY if there is none."""
    whom = rules.clause_decider[clause] if clause < RECRUIT else w.WHOM_SELF
    if whom == w.WHOM_LEFT or whom == w.WHOM_RIGHT:
        return (owner + (1 if whom == w.WHOM_LEFT else public.seats - 1)) % public.seats
    if whom == w.WHOM_PARTNER:
        return owner ^ 1 if rules.teams else NOBODY
    return trigger if whom == w.WHOM_TRIGGER else owner


@kernel(rare=True)
def add_pending(game, rules, clause, owner, trigger):
    """Append a decision to the queue, with the event that triggers it."""
    asking, public = game.asking, game.public
    decider = decider_for(public, rules, clause, owner, trigger)
    if decider == NOBODY:
        return
    if asking.count == ASKS:
        entry = np.int64(rules.clause_entry[clause]) if clause < RECRUIT else -1
        stop_game(PENDING, owner, entry, ASKS + 1, ASKS)
    word = np.uint64(clause) | (np.uint64(owner) << _OWNER_AT) | (np.uint64(trigger) << _TRIGGER_AT)
    word |= (np.uint64(public.event_entry) << _ENTRY_AT) | (np.uint64(public.event_how) << _HOW_AT)
    word |= (np.uint64(public.event_order) << _ORDER_AT) | (np.uint64(decider) << _DECIDER_AT)
    asking.pending[asking.count] = word | (np.uint64(public.purchase) << _PURCHASE_AT)
    asking.count += 1


@kernel(rare=True)
def ask_to_draw(game, rules, seat, deck, number):
    """Append the decision of a city about cards from the stock of a deck (R104); return the maximum number drawn."""
    if seat >= rules.players:
        return 0
    add_pending(game, rules, DRAW + deck, seat, seat)
    game.asking.pending[game.asking.count - 1] |= np.uint64(number) << _PICKED_AT
    return number


@kernel
def number_drawn(word):
    """Return how many cards are drawn from the stock of a deck for a pending decision (R104)."""
    return np.int64((word >> _PICKED_AT) & _BYTE)


@kernel
def clause_of(word):
    """Return the number of the clause of a pending decision."""
    return np.int64(word & _BYTE)


@kernel
def owner_of(word):
    """Return the city that has the card or stage."""
    return np.int64((word >> _OWNER_AT) & _NIBBLE)


@kernel
def decider_of(word):
    """Return the city that decides."""
    return np.int64((word >> _DECIDER_AT) & _NIBBLE)


@kernel
def wanted_of(word):
    """Return the card for which another must now be given in exchange (R97), or -1."""
    return np.int64((word >> _PICKED_AT) & _BYTE) - 1


@kernel
def option_wanted(word):
    """Return the option of the clause by which that card was chosen."""
    return np.int64((word >> _OPTION_AT) & _NIBBLE)


@kernel
def ask_for_another(asking, place, word, card, option):
    """Replace the decision that chose a card by the decision about what is given in exchange for it (R97)."""
    for later in range(asking.count, place, -1):
        asking.pending[later] = asking.pending[later - 1]
    asking.pending[place] = word | (np.uint64(card + 1) << _PICKED_AT) | (np.uint64(option) << _OPTION_AT)
    asking.count += 1


@kernel
def trigger_of(word):
    """Return the city that triggered the decision."""
    return np.int64((word >> _TRIGGER_AT) & _NIBBLE)


@kernel
def first_pending(asking):
    """Return the index of the next decision: the first one of the first seat that has any (R72)."""
    first = 0
    for place in range(1, asking.count):
        if decider_of(asking.pending[place]) < decider_of(asking.pending[first]):
            first = place
    return first


@kernel
def recall_event(public, word):
    """Restore the event that triggered a decision, for formulas (R64, R71)."""
    public.event_entry = np.int64((word >> _ENTRY_AT) & _ENTRY)
    public.event_how = np.int64((word >> _HOW_AT) & _NIBBLE)
    public.event_order = np.int64((word >> _ORDER_AT) & _BYTE)
    public.purchase = np.int64((word >> _PURCHASE_AT) & _BYTE)


@kernel
def forget_event(public):
    """Clear the event that formulas see."""
    public.event_entry = public.event_how = public.event_order = public.purchase = public.amount = 0


@kernel
def drop_pending(asking, place):
    """Remove a decision from the queue."""
    asking.count -= 1
    asking.is_drawn = NOT_DRAWN
    for later in range(place, asking.count):
        asking.pending[later] = asking.pending[later + 1]


@kernel
def count_decision(game, seat, entry):
    """Count a decision; stop a game with too many of them."""
    game.asking.made += 1
    if game.asking.made > DECIDED:
        stop_game(TOO_MANY, seat, entry, game.asking.made, DECIDED)
