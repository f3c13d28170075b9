"""The value of a build in terms of ``features``, shared by the decisions of the policy ``weighted``.

The parts that a build places are *packed*: one byte for each seat, ``parts << (8 * seat)``.
"""

from __future__ import annotations

from wsim.babel.kernels.moves import usable
from wsim.babel.kernels.scoring import award, count_wonder
from wsim.babel.policies.features import FEATURES
from wsim.babel.words import JOKER, KINDS, ROWS, SPACES
from wsim.jit import kernel

(
    SET_POINTS, DISC, WONDER_POINTS, STANDING, PART, CARD, JOKER_SPENT, ACTION_CARD, RIVAL_POINTS, RIVAL_SET_POINTS,
    RIVAL_PART, FAIL, RISK, PASS, ACCEPTED, REFUSED, TRADE, OFFERED, TRIPLE_FROM, DOUBLE_FROM, EXCHANGE_FROM,
) = range(len(FEATURES))  # fmt: skip


@kernel
def slot_of(move):
    """Return the slot of the disc that a TURN move builds with; -1 for passing."""
    return move - 1


@kernel
def pass_value(public, settings):
    """Return the value of passing: a card, or nothing once deck and discards are empty (A2).

    Otherwise seats that all wait for cards would wait forever.
    """
    left = public.deck
    for kind in range(len(KINDS)):
        left += public.discards[kind]
    return settings.weights[PASS] if left > 0 else min(settings.weights[PASS], 0.0)


@kernel
def takes(move, seat):
    """Return 1 if a TAKE move takes the offer of a seat, else 0."""
    return (move >> seat) & 1


@kernel
def _gain(rules, disc, owned, owned_second):
    """Return the points that a disc adds to ``owned`` discs of its first and ``owned_second`` of its second kind."""
    gain = rules.sets[owned + 1] - rules.sets[owned]
    if rules.is_two_colour[disc]:
        gain = max(gain, rules.sets[owned_second + 1] - rules.sets[owned_second])
    return gain


@kernel
def set_gain(public, rules, seat, disc):
    """Return the points that a disc adds to the sets of a rival, according to public information."""
    kind, second = rules.kind[disc, 0], rules.kind[disc, 1]
    return _gain(rules, disc, public.discs[seat, kind], public.discs[seat, second % len(KINDS)])


@kernel
def completes(public, slot):
    """Return whether the disc of a slot is the last one of its wonder."""
    wonder = slot // SPACES
    return (public.slots_left >> (wonder * SPACES)) & 7 == 1 << (slot - wonder * SPACES)


@kernel
def wonder_points(public, rules, wonder, parts, seat):
    """Return a seat's points if the wonder were scored by the next row with the packed ``parts`` added."""
    most, leaders, second, seconds = count_wonder(public, wonder, parts)
    units = public.units[wonder, seat] + ((parts >> (8 * seat)) & 0xFF)
    row = min(public.row, ROWS - 1)
    return award(
        units, most, leaders, second, seconds, rules.values[row, 0], rules.values[row, 1], rules.values[row, 2]
    )


@kernel
def board_value(public, own, rules, settings, slot, parts):
    """Return the value of placing the packed ``parts`` on the wonder of a slot, without its disc."""
    w, seat, wonder = settings.weights, own.seat, slot // SPACES
    value = w[PART] * ((parts >> (8 * seat)) & 0xFF)
    rivals_gain = 0
    last = completes(public, slot)
    for other in range(public.seats):
        if other != seat:
            value += w[RIVAL_PART] * ((parts >> (8 * other)) & 0xFF)
            if last:
                rivals_gain += wonder_points(public, rules, wonder, parts, other)
    gain = wonder_points(public, rules, wonder, parts, seat)
    if last:
        value += w[WONDER_POINTS] * gain + w[RIVAL_POINTS] * rivals_gain / (public.seats - 1)
        if public.active == seat and rules.use_action_cards:
            value += w[ACTION_CARD]
        return value
    left = (public.slots_left >> (wonder * SPACES)) & 7
    built = SPACES + 1 - (left & 1) - ((left >> 1) & 1) - (left >> 2)  # this disc included
    gain -= wonder_points(public, rules, wonder, 0, seat)
    return value + w[STANDING] * gain * built / SPACES


@kernel
def disc_value(own, rules, settings, disc):
    """Return the value of a disc to the seat."""
    kind, second = rules.kind[disc, 0], rules.kind[disc, 1]
    gain = _gain(rules, disc, own.discs[kind], own.discs[second % len(KINDS)])
    return settings.weights[DISC] + settings.weights[SET_POINTS] * gain


@kernel
def shortage(own, rules, kind, need, kind_second, need_second):
    """Return the number of cards of two kinds that hand and Jokers cannot supply."""
    short = max(need - own.hand[kind], 0) + max(need_second - own.hand[kind_second], 0)
    jokers = min(usable(own, JOKER), rules.max_jokers_per_build)
    while jokers > 0 and short > 0:
        short = max(short - rules.effects[JOKER], 0)
        jokers -= 1
    return short
