"""A card that a city chooses in a clause decision: its set, its fate, and its record (R80-R82, R96, R97).

A player that may choose from the pile remembers it, as for builds by Halikarnassos (R28). A build or a discard is a
deed with the kind of decision DISCARD_PILE, as builds by Halikarnassos are.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel, lowest_bit
from wsim.rng import below, seek
from wsim.wonders import words as w
from wsim.wonders.kernels import layout
from wsim.wonders.kernels.city import cards, order_of
from wsim.wonders.kernels.clauses import note_watchers
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.layout import ACTION_AT, HOW_AT, STEP_AT
from wsim.wonders.kernels.log import log_deed
from wsim.wonders.kernels.moves import action_of, card_of, how_of, seat_of_deed
from wsim.wonders.kernels.recruiting import DRAW_STREAM
from wsim.wonders.kernels.removal import remove_structure
from wsim.wonders.kernels.seen import phase_after, pile_moment, put_away
from wsim.wonders.kernels.turn import (
    add_structure,
    build_from_pile,
    discard,
    neighbor_left,
    neighbor_right,
    take_from_pile,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_FREE = np.uint64((w.BUILD << ACTION_AT) | (w.FREE << HOW_AT))
_DISCARD, _TAKE, _ASIDE = (np.uint64(action << ACTION_AT) for action in (w.DISCARD, w.TAKE, w.PUT_ASIDE))
_DECISION, _THREE = np.uint64(50), np.uint64(7)
_UNKNOWN = len(w.BUILT_HOW)  # PUBLIC.event_how of a card that no city has built in the open


@kernel
def source_city(public, owner, source):
    """Return the city whose structures an option is about; -1 for the discard pile and for hands."""
    if source == w.FROM_PILE or source >= w.FROM_HAND:
        return -1
    if source == w.FROM_CITY:
        return owner
    return neighbor_left(public, owner) if source == w.FROM_LEFT else neighbor_right(public, owner)


@kernel(rare=True)
def hand_seat(public, rules, owner, source):
    """Return the seat whose hand an option is about (R105), NOBODY if it has none or it is not to be seen."""
    if owner >= rules.players or source < w.FROM_HAND:
        return layout.NOBODY
    if source == w.FROM_HAND:
        return owner
    if rules.duo:
        return layout.NOBODY
    return neighbor_left(public, owner) if source == w.FROM_LEFT_HAND else neighbor_right(public, owner)


@kernel(rare=True)
def _names_in(game, rules, source, owner, word):
    """Return one word of the names in the set of an option, one bit each."""
    public, city = game.public, source_city(game.public, owner, source)
    if city >= 0:
        return public.built[city, word]
    if source == w.FROM_PILE:
        return game.hidden.pile[word]
    names, seat = _ZERO, hand_seat(public, rules, owner, source)
    slots = game.own[seat].hand if seat != layout.NOBODY else _ZERO
    while slots:
        card = np.int64(rules.slot_card[public.age, lowest_bit(slots)])
        slots &= slots - _ONE
        if card >> 6 == word:
            names |= _ONE << np.uint64(card & 63)
    return names


@kernel(rare=True)
def _has_spare(game, rules, seat):
    """Return whether a hand has a card that no seat will play in this age (R107); none has beside the Free City."""
    if rules.duo or seat >= rules.players:
        return False
    public = game.public
    played = public.turns - public.turn - (0 if phase_after(game.flow) <= layout.CITY else 1)
    return count_bits(game.own[seat].hand) > played and not put_away(game, rules)


@kernel(rare=True)
def _put_aside(game, rules, seat, card):
    """Move a card from a hand to the discard pile, visible to everybody (R107)."""
    own, public, slots = game.own[seat], game.public, game.own[seat].hand
    while rules.slot_card[public.age, lowest_bit(slots)] != card:
        slots &= slots - _ONE
    slot = lowest_bit(slots)
    own.hand &= ~(_ONE << np.uint64(slot))
    own.aside[public.age, public.turn] = slot + 1
    if rules.teams:
        game.own[seat ^ 1].mate_hand &= ~(_ONE << np.uint64(slot))
    public.hand_size[seat] -= 1
    _record(game, rules, seat, _ASIDE | np.uint64(card), w.DISCARD_PILE)
    discard(game, card)


@kernel(rare=True)
def watch_hands(game, rules, seat, clause):
    """Let a player remember the hands of neighbours from which a clause lets it choose (R105)."""
    public = game.public
    for option in range(rules.clause_options[clause], rules.clause_options[clause + 1]):
        other = hand_seat(public, rules, seat, rules.option_from[option])
        if other != layout.NOBODY and other != seat:
            game.own[seat].watched[public.age, public.turn] |= 1 << other


@kernel(rare=True)
def how_built(public, city, card):
    """Return how a city built a structure (words.BUILT_HOW), if the public moves show it."""
    for back in range(1, public.deed_count + 1):
        deed = public.deeds[public.deed_count - back]
        if seat_of_deed(deed) == city and action_of(deed) == w.TAKE and card_of(deed) == card:
            return _UNKNOWN
        if seat_of_deed(deed) == city and action_of(deed) == w.BUILD and card_of(deed) == card:
            if np.int64(deed >> _DECISION & _THREE) == w.DISCARD_PILE:
                return w.FROM_DISCARD
            return how_of(deed)
    return _UNKNOWN


@kernel(rare=True)
def know_card(public, rules, owner, source, card):
    """Make the chosen card available to formulas as `card`."""
    city = source_city(public, owner, source)
    public.event_entry = card + 1
    public.event_how = how_built(public, city, card) if city >= 0 else _UNKNOWN
    public.event_order = order_of(public, rules, city, card) if city >= 0 else cards(public, rules, owner) + 1


@kernel(rare=True)
def draw_cards(game, rules, option, owner, trigger):
    """Draw the cards of the pile from which an option lets a city choose one (R100)."""
    asking, hidden, dealer = game.asking, game.hidden, game.dealer
    number = evaluate(game.public, rules, np.int64(rules.option_draw[option]), owner, trigger)
    number = min(number, np.int64(game.public.discarded))
    seek(dealer, hidden.deals, DRAW_STREAM + asking.draws)
    asking.draws += 1
    asking.is_drawn = layout.DRAWN_FROM_PILE
    for word in range(w.CARD_WORDS):
        asking.drawn[word] = _ZERO
    for place in range(number):
        card, skipped = 0, below(dealer, game.public.discarded - place) - np.int64(hidden.copies[0])
        while skipped >= 0:
            card += 1
            skipped -= np.int64(hidden.copies[card])
        hidden.copies[card] -= 1
        dealer.pool[place] = card
        asking.drawn[card >> 6] |= _ONE << np.uint64(card & 63)
    for place in range(number):
        hidden.copies[dealer.pool[place]] += 1


@kernel(rare=True)
def next_card(game, rules, option, owner, trigger, card):
    """Return the next card from ``card`` on that an option lets a city choose, and show it to formulas; -1 if there is
    none."""
    public, source = game.public, rules.option_from[option]
    if source == w.FROM_HAND and rules.option_do[option] == w.DO_DISCARD and not _has_spare(game, rules, owner):
        return -1
    while card < rules.cards:
        word, at = card >> 6, np.uint64(card & 63)
        names = _names_in(game, rules, source, owner, word)
        if rules.option_draw[option] >= 0:
            names &= game.asking.drawn[word]
        if rules.option_do[option] != w.DO_NOTHING and rules.option_do[option] != w.DO_DISCARD:
            names &= ~public.built[owner, word]
        if (names >> at) & _ONE:
            know_card(public, rules, owner, source, card)
            condition = rules.option_if[option]
            if condition < 0 or evaluate(public, rules, condition, owner, trigger):
                return card
        card += 1
    return -1


@kernel(rare=True)
def next_given(game, rules, option, owner, trigger, card):
    """Return the next structure from ``card`` on that a city can give in exchange for one from elsewhere, and show it
    to formulas; -1 if there is none (R97)."""
    public, condition = game.public, rules.option_for[option]
    city = source_city(public, owner, rules.option_from[option])
    while card < rules.cards:
        word, at = card >> 6, np.uint64(card & 63)
        names = public.built[owner, word]
        if city >= 0:
            names &= ~public.built[city, word]
        if (names >> at) & _ONE:
            know_card(public, rules, owner, w.FROM_CITY, card)
            if condition < 0 or evaluate(public, rules, condition, owner, trigger):
                return card
        card += 1
    return -1


@kernel(rare=True)
def _step(game, rules):
    """Return the step of the turn in which a clause asks (layout.STEP_AT)."""
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
def _record(game, rules, seat, move, decision):
    """Record the fate of a chosen card as a deed."""
    public, step = game.public, _step(game, rules)
    log_deed(public, seat, move, decision)
    public.deeds[public.deed_count - 1] |= np.uint64(step) << np.uint64(STEP_AT)


@kernel(rare=True)
def _discard_structure(game, rules, city, card):
    """Move a structure from a city to the discard pile, visible to everybody (R82)."""
    _record(game, rules, city, _DISCARD | np.uint64(card), w.DISCARD_PILE)
    remove_structure(game.public, rules, city, card)
    discard(game, card)


@kernel(rare=True)
def _move_in(game, rules, city, card, decision):
    """Put a structure from elsewhere into a city, without its immediate effects (R96)."""
    _record(game, rules, city, _TAKE | np.uint64(card), decision)
    add_structure(game.public, rules, city, card)
    game.public.diplomacy[city] -= rules.diplomacy[card]


@kernel(rare=True)
def exchange(game, rules, option, owner, card, given):
    """Exchange a structure of a city for one of a neighbour, or for a card of the discard pile (R97)."""
    public, city = game.public, source_city(game.public, owner, rules.option_from[option])
    if city < 0:
        take_from_pile(game, card)
        remove_structure(public, rules, owner, given)
        _move_in(game, rules, owner, card, w.DISCARD_PILE)
        _record(game, rules, owner, _DISCARD | np.uint64(given), w.DISCARD_PILE)
        discard(game, given)
    else:
        remove_structure(public, rules, owner, given)
        remove_structure(public, rules, city, card)
        _move_in(game, rules, owner, card, w.EFFECT)
        _move_in(game, rules, city, given, w.EFFECT)
    note_watchers(game, rules)


@kernel(rare=True)
def do_with_card(game, rules, option, owner, card):
    """Build, discard or take the chosen card (R81, R82, R96); return whether there are coin losses."""
    does, city = rules.option_do[option], source_city(game.public, owner, rules.option_from[option])
    if does == w.DO_BUILD:
        move = _FREE | np.uint64(card)
        _record(game, rules, owner, move, w.DISCARD_PILE)
        if rules.abilities[card] & w.BUILD_DISCARD:
            game.hidden.card_builds[owner] += 1
        return build_from_pile(game, rules, owner, move)
    if does == w.DO_DISCARD and rules.option_from[option] == w.FROM_HAND:
        _put_aside(game, rules, owner, card)
    elif does == w.DO_DISCARD:
        _discard_structure(game, rules, city, card)
        note_watchers(game, rules)
    elif does == w.DO_TAKE:
        remove_structure(game.public, rules, city, card)
        _move_in(game, rules, owner, card, w.EFFECT)
        note_watchers(game, rules)
    return False
