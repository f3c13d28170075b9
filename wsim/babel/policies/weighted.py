"""``weighted``: the move with the highest value, the weighted sum of its features.

Features and units: ``features``. Ties are broken at random: the wonders differ only by name, and a rule such as "the
first one" would make them differ in play.
"""

from __future__ import annotations

from wsim.babel import words as w
from wsim.babel.kernels.moves import cards_of, first_of, second_of, trades
from wsim.babel.policies.value import (
    ACCEPTED,
    CARD,
    DOUBLE_FROM,
    EXCHANGE_FROM,
    FAIL,
    JOKER_SPENT,
    OFFERED,
    REFUSED,
    RISK,
    RIVAL_POINTS,
    RIVAL_SET_POINTS,
    TRADE,
    TRIPLE_FROM,
    board_value,
    disc_value,
    pass_value,
    set_gain,
    shortage,
    slot_of,
    takes,
)
from wsim.jit import kernel
from wsim.rng import below

FEW_CARDS = 2  # a kind with at most this many cards is worth exchanging


@kernel
def _turn_value(public, own, rules, settings, move):
    """Return the value of passing, or of building with a disc: rivals supply the cards that the seat lacks."""
    weights = settings.weights
    if move == 0:
        return pass_value(public, settings)
    slot = slot_of(move)
    disc = public.board[slot]
    kind, second = rules.kind[disc, 0], rules.kind[disc, 1]
    need, need_second = rules.need[disc, 0], rules.need[disc, 1]
    parts = min(own.hand[kind], need) + min(own.hand[second], need_second)
    chance = 1.0 - weights[RISK] * shortage(own, rules, kind, need, second, need_second)
    if chance <= 0.0:
        return weights[FAIL]
    gain = disc_value(own, rules, settings, disc) + board_value(
        public, own, rules, settings, slot, parts << (8 * own.seat)
    )
    return chance * (gain + weights[CARD] * parts) + (1.0 - chance) * weights[FAIL]


@kernel
def _offer_value(public, own, rules, settings, move):
    """Return the value of an offer: its results if it is taken, its points otherwise."""
    if move == 0:
        return 0.0
    weights, cards = settings.weights, cards_of(move)
    if trades(move):
        taken = disc_value(own, rules, settings, public.board[public.slot])
        taken += board_value(public, own, rules, settings, public.slot, cards << (8 * public.active))
    else:
        taken = board_value(public, own, rules, settings, public.slot, cards << (8 * own.seat))
    taken += weights[CARD] * cards
    value = weights[ACCEPTED] * taken + (1.0 - weights[ACCEPTED]) * weights[REFUSED] * rules.refused_offer * cards
    return value + weights[TRADE] * trades(move) + weights[OFFERED] * cards


@kernel
def _unpaid(public, rules, taken):
    """Return the points of rivals for rejected offers, divided by the number of rivals."""
    points = 0
    for seat in range(public.seats):
        if not takes(taken, seat):
            points += cards_of(public.offer[seat]) * rules.refused_offer
    return points / (public.seats - 1)


@kernel
def _fail_value(public, rules, settings):
    """Return the value of a failed build: every offer earns points."""
    return settings.weights[FAIL] + settings.weights[RIVAL_POINTS] * _unpaid(public, rules, 0)


@kernel
def _success_value(public, own, rules, settings, taken):
    """Return the value of completing the build with these partners, without the cost of cards and Jokers."""
    disc = public.board[public.slot]
    parts = 0
    rest = public.need[0] + public.need[1]
    partner = -1
    for seat in range(public.seats):
        if takes(taken, seat):
            offer = public.offer[seat]
            if trades(offer):
                partner = seat
            else:
                parts += cards_of(offer) << (8 * seat)
                rest -= cards_of(offer)
    parts += rest << (8 * own.seat)
    value = board_value(public, own, rules, settings, public.slot, parts)
    value += settings.weights[RIVAL_POINTS] * _unpaid(public, rules, taken)
    if partner < 0:
        return value + disc_value(own, rules, settings, disc)
    return value + settings.weights[RIVAL_SET_POINTS] * set_gain(public, rules, partner, disc)


@kernel
def _best_turn(public, own, rules, settings):
    best = pass_value(public, settings)
    for slot in range(w.SLOTS):
        if (public.slots_left >> slot) & 1:
            best = max(best, _turn_value(public, own, rules, settings, slot + 1))
    return best


@kernel
def _worth_exchanging(own, kind):
    """Return the number of cards of a kind if they are too few to build with, else 0."""
    return own.hand[kind] if own.hand[kind] <= FEW_CARDS else 0


@kernel
def _value(public, own, choice, rules, settings, move):
    if choice.kind == w.TURN:
        return _turn_value(public, own, rules, settings, move)
    if choice.kind == w.OFFER:
        return _offer_value(public, own, rules, settings, move)
    if choice.kind == w.TAKE:
        first, second = public.need[0], public.need[1]
        for seat in range(public.seats):
            if takes(move, seat):
                first -= first_of(public.offer[seat])
                second -= second_of(public.offer[seat])
        if shortage(own, rules, public.kind[0], first, public.kind[1], second) > 0:
            return _fail_value(public, rules, settings)
        return _success_value(public, own, rules, settings, move) + settings.weights[CARD] * (first + second)
    if move == 0:
        return _fail_value(public, rules, settings)
    replaced = cards_of(move)
    weights = settings.weights
    value = _success_value(public, own, rules, settings, public.taken)
    value += weights[CARD] * (public.missing[0] + public.missing[1] - replaced)
    return value + weights[JOKER_SPENT] * replaced / rules.effects[w.JOKER]


@kernel
def _best(public, own, choice, rules, settings):
    """Return the move with the highest value; ties are broken at random."""
    best, equal = 0, 1
    highest = _value(public, own, choice, rules, settings, choice.moves[0])
    for index in range(1, choice.count):
        value = _value(public, own, choice, rules, settings, choice.moves[index])
        if value > highest:
            best, highest, equal = index, value, 1
        elif value == highest:
            equal += 1
            if below(own, equal) == 0:
                best = index
    return best


@kernel
def weighted(public, own, choice, rules, settings):
    """Return the move with the highest value, or the move of a rule."""
    if choice.kind == w.TURN or choice.kind == w.OFFER or choice.kind == w.TAKE or choice.kind == w.COMPLETE:
        return _best(public, own, choice, rules, settings)
    if choice.kind == w.PLAY_CARD:
        last = choice.moves[choice.count - 1]
        if last != 1 + w.EXCHANGE_CARDS:
            return choice.count - 1
        few = 0
        for kind in range(len(w.KINDS)):
            few += _worth_exchanging(own, kind)
        return 1 if few >= settings.weights[EXCHANGE_FROM] else 0
    if choice.kind == w.EXCHANGE:
        for index in range(1, choice.count):
            kind = choice.moves[index] - 1
            if own.aside[kind] or _worth_exchanging(own, kind):
                return index
        return 0
    if choice.kind == w.TRIPLE:
        return 1 if cards_of(public.offer[own.seat]) >= settings.weights[TRIPLE_FROM] else 0
    if choice.kind == w.DOUBLE:
        return 1 if _best_turn(public, own, rules, settings) >= settings.weights[DOUBLE_FROM] else 0
    return 0  # a bluff shows cards and gains nothing


@kernel
def move_values(public, own, choice, rules, settings, values):
    """Fill ``values`` (float64, at least one for every legal move) with the value of each move, in points.

    Where ``weighted`` follows a rule instead of values, its move has the value 1 and all others 0.
    """
    by_value = choice.kind == w.TURN or choice.kind == w.OFFER or choice.kind == w.TAKE or choice.kind == w.COMPLETE
    for index in range(choice.count):
        values[index] = _value(public, own, choice, rules, settings, choice.moves[index]) if by_value else 0.0
    if not by_value:
        values[weighted(public, own, choice, rules, settings)] = 1.0
