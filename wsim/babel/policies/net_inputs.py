"""The inputs of the policy ``net`` for the state, limited to what its seat may know (A26).

They are the same for every number of players. Values, sets and effects come from the rules, so changes to them take
effect.
"""

from __future__ import annotations

from wsim.babel.kernels.moves import cards_of, usable
from wsim.babel.kernels.scoring import award, count_wonder, set_points
from wsim.babel.policies.value import completes, shortage, wonder_points
from wsim.babel.words import ACTION_CARDS, DECISIONS, JOKER, KINDS, MIN_SEATS, ROWS, SEATS, SHARES, SPACES, WONDERS
from wsim.jit import kernel

_FAR = 20.0  # points at which a lead saturates
_RIVAL = 8  # inputs of a rival


# --- shared by several inputs


@kernel
def fill_standing(public, own, rules, standing):
    """Fill the points of every seat if the game ended now, as far as the seat knows (section 9, A26)."""
    for seat in range(public.seats):
        discs = public.discs[seat]
        standing[seat] = public.points[seat]
        if seat == own.seat:
            mine = own.discs
            standing[seat] += set_points(rules, mine[0], mine[1], mine[2], mine[3], own.two_colour)
        else:
            standing[seat] += set_points(rules, discs[0], discs[1], discs[2], discs[3], public.two_colour[seat])
    for wonder in range(WONDERS):
        if public.slots_left >> (wonder * SPACES) & 7:
            most, leaders, second, seconds = count_wonder(public, wonder, 0)
            for seat in range(public.seats):
                units = public.units[wonder, seat]
                standing[seat] += award(
                    units, most, leaders, second, seconds, rules.light[0], rules.light[1], rules.light[2]
                )


@kernel
def lead_of(public, seat, standing):
    """Return the lead of a seat over the best other seat, in points."""
    best = -1_000_000
    for other in range(public.seats):
        if other != seat:
            best = max(best, standing[other])
    return standing[seat] - best


@kernel
def _share(points, limit):
    """Return points as a share of a limit, clipped to -1 and 1."""
    return max(-1.0, min(points / limit, 1.0))


@kernel
def expected_cards(public, own, rules, kind):
    """Return the expected number of cards of a kind in the other hands: seen cards and a share of the unseen ones."""
    if kind >= len(KINDS):
        return 0.0
    hands, seen = 0, 0
    for seat in range(public.seats):
        if seat != own.seat:
            hands += public.hand_size[seat]
            for other in range(len(KINDS)):
                hands -= public.shown[seat, other]
            seen += public.shown[seat, kind]
    unseen_all = public.deck + hands
    unseen = rules.cards[kind] - public.discards[kind] - own.hand[kind] - own.aside[kind] - seen
    if unseen_all <= 0:
        return float(seen)
    return seen + unseen * hands / unseen_all


@kernel
def ends_game(public, rules, disc):
    """Return whether a disc is the last one on the board of any kind that it shows (section 8)."""
    if public.kind_left[rules.kind[disc, 0]] == 1:
        return True
    return rules.is_two_colour[disc] == 1 and public.kind_left[rules.kind[disc, 1]] == 1


@kernel
def own_set_gain(public, own, rules, disc):
    """Return the points that a disc adds to the sets of the seat."""
    kind, second = rules.kind[disc, 0], rules.kind[disc, 1] % len(KINDS)
    gain = rules.sets[own.discs[kind] + 1] - rules.sets[own.discs[kind]]
    if rules.is_two_colour[disc]:
        gain = max(gain, rules.sets[own.discs[second] + 1] - rules.sets[own.discs[second]])
    return gain


# --- inputs of the state


@kernel
def _moment(public, own, choice, rules, x):
    """Fill the inputs of the table and the decision; return their number."""
    x[choice.kind] = 1.0
    at = len(DECISIONS)
    x[at + public.seats - MIN_SEATS] = 1.0
    at += SEATS - MIN_SEATS + 1
    row = min(public.row, ROWS - 1)
    x[at], x[at + 1], x[at + 2] = public.action - 1, public.turn / 30.0, public.row / 7.0
    at += 3
    for share in range(SHARES):
        x[at + share] = rules.values[row, share] / 20.0
    at += SHARES
    left, least, nearly = 0, 6, 0
    for kind in range(len(KINDS)):
        x[at + kind] = public.kind_left[kind] / 6.0
        least = min(least, public.kind_left[kind])
    at += len(KINDS)
    for wonder in range(WONDERS):
        mask = (public.slots_left >> (wonder * SPACES)) & 7
        discs = (mask & 1) + ((mask >> 1) & 1) + (mask >> 2)
        left += discs
        nearly += discs == 1
    x[at], x[at + 1], x[at + 2] = public.deck / 30.0, 1.0 if least == 1 else 0.0, 1.0 if least == 2 else 0.0
    x[at + 3], x[at + 4], x[at + 5] = left / 24.0, nearly / 4.0, rules.use_action_cards
    at += 6
    x[at + (public.active - own.seat) % public.seats] = 1.0
    return at + SEATS


@kernel
def _build(public, own, rules, x, at):
    """Fill the inputs of the current build, if any; return the next index."""
    if public.slot < 0:
        return at + 13
    slot, seat = public.slot, own.seat
    disc, wonder = public.board[slot], slot // SPACES
    kind, second = public.kind[0], public.kind[1]
    best = 0
    for other in range(public.seats):
        if other != seat and other != public.active:
            best = max(best, public.units[wonder, other])
    x[at], x[at + 1] = (public.need[0] + public.need[1]) / 6.0, rules.is_two_colour[disc]
    x[at + 2] = (min(own.hand[kind], public.need[0]) + min(own.hand[second], public.need[1])) / 6.0
    x[at + 3] = shortage(own, rules, kind, public.need[0], second, public.need[1]) / 4.0
    x[at + 4] = own_set_gain(public, own, rules, disc) / 5.0
    x[at + 5], x[at + 6] = completes(public, slot), ends_game(public, rules, disc)
    x[at + 7], x[at + 8] = public.units[wonder, seat] / 8.0, public.units[wonder, public.active] / 8.0
    x[at + 9] = best / 8.0
    x[at + 10] = wonder_points(public, rules, wonder, 0, seat) / 10.0
    x[at + 11] = (public.missing[0] + public.missing[1]) / 6.0
    x[at + 12] = expected_cards(public, own, rules, kind) / 5.0
    return at + 13


@kernel
def fill_state(public, own, choice, rules, standing, x):
    """Fill the inputs of the state for the seat that decides; return their number."""
    at = _moment(public, own, choice, rules, x)
    cards, discs = 0, 0
    for kind in range(len(KINDS)):
        x[at + kind] = own.hand[kind] / 5.0
        x[at + len(KINDS) + kind] = own.discs[kind] / 3.0
        cards += own.hand[kind]
        discs += own.discs[kind]
    at += 2 * len(KINDS)
    x[at], x[at + 1], x[at + 2] = cards / 10.0, (public.disc_count[own.seat] - discs) / 2.0, usable(own, JOKER)
    at += 3
    for card in range(len(ACTION_CARDS)):
        x[at + card] = own.cards[card]
    at += len(ACTION_CARDS)
    lead = lead_of(public, own.seat, standing)
    x[at], x[at + 1] = public.points[own.seat] / 40.0, (standing[own.seat] - public.points[own.seat]) / 20.0
    x[at + 2], x[at + 3] = _share(lead, _FAR), 1.0 if lead > 0 else 0.0
    at += 4
    for step in range(1, public.seats):
        seat = (own.seat + step) % public.seats
        offer = public.offer[seat]
        x[at], x[at + 1] = 1.0, _share(standing[seat] - standing[own.seat], _FAR)
        x[at + 2], x[at + 3] = public.points[seat] / 40.0, public.hand_size[seat] / 10.0
        x[at + 4], x[at + 5] = public.action_cards[seat] / 3.0, public.disc_count[seat] / 6.0
        x[at + 6], x[at + 7] = cards_of(offer) / 4.0, offer >> 16
        at += _RIVAL
    at += _RIVAL * (SEATS - public.seats)
    for kind in range(len(KINDS)):
        x[at + kind] = expected_cards(public, own, rules, kind) / 5.0
    at += len(KINDS)
    return _build(public, own, rules, x, at)
