"""A card that a city chooses in the decision of a clause: the set, its fate, what the table records (R80-R82).

A player that may choose from the pile remembers it, as for builds by Halikarnassos (R28). A build or a discard is a
deed with the kind of decision DISCARD_PILE, as builds by Halikarnassos are.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders import words as w
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.city import cards, order_of
from wsim.wonders.kernels.clauses import note_watchers
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.layout import ACTION_AT, HOW_AT, STEP_AT
from wsim.wonders.kernels.log import log_deed
from wsim.wonders.kernels.moves import action_of, card_of, how_of, seat_of_deed
from wsim.wonders.kernels.removal import remove_structure
from wsim.wonders.kernels.seen import phase_after, pile_moment, put_away
from wsim.wonders.kernels.turn import build_from_pile, discard, neighbor_left, neighbor_right

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FREE = np.uint64((w.BUILD << ACTION_AT) | (w.FREE << HOW_AT))
_DISCARD = np.uint64(w.DISCARD << ACTION_AT)
_DECISION, _THREE = np.uint64(50), np.uint64(7)
_UNKNOWN = len(w.BUILT_HOW)  # PUBLIC.event_how of a card that no city has built in the open


@kernel
def source_city(public, owner, source):
    """Return the city whose structures an option is about; -1 for the discard pile."""
    if source == w.FROM_PILE:
        return -1
    if source == w.FROM_CITY:
        return owner
    return neighbor_left(public, owner) if source == w.FROM_LEFT else neighbor_right(public, owner)


@kernel(rare=True)
def how_built(public, city, card):
    """Return how a city built a structure (words.BUILT_HOW), as far as the public moves tell."""
    for back in range(1, public.deed_count + 1):
        deed = public.deeds[public.deed_count - back]
        if seat_of_deed(deed) == city and action_of(deed) == w.BUILD and card_of(deed) == card:
            if np.int64(deed >> _DECISION & _THREE) == w.DISCARD_PILE:
                return w.FROM_DISCARD
            return how_of(deed)
    return _UNKNOWN


@kernel(rare=True)
def know_card(public, rules, owner, source, card):
    """Let formulas see the card that is chosen as `card`."""
    city = source_city(public, owner, source)
    public.event_entry = card + 1
    public.event_how = how_built(public, city, card) if city >= 0 else _UNKNOWN
    public.event_order = order_of(public, rules, city, card) if city >= 0 else cards(public, rules, owner) + 1


@kernel(rare=True)
def next_card(game, rules, option, owner, trigger, card):
    """Return the next card from ``card`` on that an option lets a city choose, and let formulas see it; -1 if there is
    none."""
    public, source = game.public, rules.option_from[option]
    city = source_city(public, owner, source)
    while card < rules.cards:
        word, at = card >> 6, np.uint64(card & 63)
        names = game.hidden.pile[word] if city < 0 else public.built[city, word]
        if rules.option_do[option] == w.DO_BUILD:
            names &= ~public.built[owner, word]
        if (names >> at) & _ONE:
            know_card(public, rules, owner, source, card)
            condition = rules.option_if[option]
            if condition < 0 or evaluate(public, rules, condition, owner, trigger):
                return card
        card += 1
    return -1


@kernel(rare=True)
def _step(game, rules):
    """Return the part of the turn in which a clause asks (layout.STEP_AT)."""
    if phase_after(game.flow) <= layout.CITY:
        return layout.BEFORE_MOVES
    public = game.public
    return 0 if public.turn < public.turns - 1 or put_away(game, rules) else layout.AFTER_MOVES


@kernel
def remember_pile(game, rules, decider, step):
    """Let a player remember the discard pile from which it chooses (R28, R49)."""
    own, public = game.own[decider], game.public
    moment = pile_moment(public.age, public.turn, public.turn == public.turns - 1, step)
    own.looked = 1 + public.deed_count + (moment << layout.MOMENT_AT)
    for word in range(layout.LOOK_WORDS):
        own.look[word] = _ZERO
    for card in range(rules.cards):
        copies = np.uint64(min(game.hidden.copies[card], 15))
        own.look[card >> 4] |= copies << np.uint64(4 * (card & 15))


@kernel(rare=True)
def look_at_pile(game, rules, decider):
    """Let a player remember the discard pile from which a clause lets it choose."""
    if game.public.discarded:
        remember_pile(game, rules, decider, _step(game, rules))


@kernel(rare=True)
def _record(game, rules, seat, move):
    """Record what happens to a chosen card as a deed."""
    public, step = game.public, _step(game, rules)
    log_deed(public, seat, move, w.DISCARD_PILE)
    public.deeds[public.deed_count - 1] |= np.uint64(step) << np.uint64(STEP_AT)


@kernel(rare=True)
def do_with_card(game, rules, option, owner, card):
    """Build or discard the chosen card (R81, R82); return whether there are coin losses."""
    does = rules.option_do[option]
    if does == w.DO_BUILD:
        move = _FREE | np.uint64(card)
        _record(game, rules, owner, move)
        if rules.abilities[card] & w.BUILD_DISCARD:
            game.hidden.card_builds[owner] += 1
        return build_from_pile(game, rules, owner, move)
    if does == w.DO_DISCARD:
        _record(game, rules, owner, _DISCARD | np.uint64(card))
        remove_structure(game.public, rules, owner, card)
        discard(game, card)
        note_watchers(game, rules)
    return False
