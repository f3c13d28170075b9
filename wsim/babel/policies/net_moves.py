"""The inputs of the policy ``net`` for each move: its value for ``weighted``, and its results.

The inputs of a build are its results if it succeeds: parts, points of the wonder by the next row, owner of the disc.
"""

from __future__ import annotations

from wsim.babel import words as w
from wsim.babel.kernels.moves import cards_of, first_of, second_of, trades
from wsim.babel.kernels.net_layout import SIZES
from wsim.babel.policies.net_inputs import ends_game, expected_cards, lead_of, own_set_gain
from wsim.babel.policies.value import completes, pass_value, set_gain, shortage, slot_of, takes, wonder_points
from wsim.babel.policies.weighted import move_values
from wsim.jit import kernel

_BYTE = 0xFF
(
    _VALUE, _BEHIND, _BEST, _REFUSES, _BUILDS, _FAILS, _DRAWS,
    _MINE, _RIVALS, _OWNS, _OWN_GAIN, _RIVAL_GAIN, _COMPLETES, _DISCS_LEFT,
    _POINTS, _MORE_POINTS, _BEST_RIVAL, _MORE_FOR_RIVALS, _LEAD_IN_PARTS,
    _ENDS, _KIND_LEFT, _LEAD_AT_END, _WINS, _ACTION_CARD,
    _SPENT, _JOKERS, _HAND_LEFT, _SHORT, _NEED, _TWO_COLOUR, _SUPPLY, _SUPPLY_OVER,
    _UNPAID, _SUPPLIERS, _TRADE, _OFFERED, _STILL_NEEDED,
    _EXCHANGES, _DRAWS_THREE, _SETS_ASIDE, _OF_KIND, _DISCS_OF_KIND, _TRIPLES, _DOUBLES, _BLUFFS, _SEEN,
) = range(46)  # fmt: skip

assert SIZES.move_numbers > _SEEN


# --- builds: their results


@kernel
def _fill_wonder(public, own, rules, slot, parts, numbers, j):
    """Fill the effect of packed parts on a wonder; return the seat's points for it minus those of the best rival."""
    seat, wonder = own.seat, slot // w.SPACES
    mine, most, points, best, more = 0, 0, 0, 0, 0
    placed = 0
    for other in range(public.seats):
        added = (parts >> (8 * other)) & _BYTE
        after = wonder_points(public, rules, wonder, parts, other)
        before = wonder_points(public, rules, wonder, 0, other)
        if other == seat:
            mine, points = public.units[wonder, other] + added, after
            numbers[j, _MORE_POINTS] = (after - before) / 10.0
        else:
            most, best = max(most, public.units[wonder, other] + added), max(best, after)
            more += after - before
            placed += added
    numbers[j, _MINE], numbers[j, _RIVALS] = ((parts >> (8 * seat)) & _BYTE) / 4.0, placed / 4.0
    numbers[j, _POINTS], numbers[j, _BEST_RIVAL] = points / 10.0, best / 10.0
    numbers[j, _MORE_FOR_RIVALS] = more / 10.0
    numbers[j, _LEAD_IN_PARTS] = max(-1.0, min((mine - most) / 6.0, 1.0))
    return points - best


@kernel
def _fill_built(public, own, rules, lead, slot, parts, owner, numbers, j):
    """Fill the results of a successful build with packed ``parts`` whose disc goes to ``owner``.

    ``lead``: the lead of the seat if the game ended now, in points.
    """
    seat, disc, wonder = own.seat, public.board[slot], slot // w.SPACES
    numbers[j, _BUILDS] = 1.0
    points = _fill_wonder(public, own, rules, slot, parts, numbers, j)
    gain = own_set_gain(public, own, rules, disc) if owner == seat else set_gain(public, rules, owner, disc)
    if owner == seat:
        numbers[j, _OWNS], numbers[j, _OWN_GAIN] = 1.0, gain / 5.0
        lead += gain
    else:
        numbers[j, _RIVAL_GAIN] = gain / 5.0
    mask = (public.slots_left >> (wonder * w.SPACES)) & 7
    numbers[j, _DISCS_LEFT] = ((mask & 1) + ((mask >> 1) & 1) + (mask >> 2) - 1) / 2.0
    if completes(public, slot):
        numbers[j, _COMPLETES] = 1.0
        lead += points
        if public.active == seat and rules.use_action_cards:
            numbers[j, _ACTION_CARD] = 1.0
    left = public.kind_left[rules.kind[disc, 0]]
    if rules.is_two_colour[disc]:
        left = min(left, public.kind_left[rules.kind[disc, 1]])
        numbers[j, _TWO_COLOUR] = 1.0
    numbers[j, _KIND_LEFT] = (left - 1) / 5.0
    if ends_game(public, rules, disc):
        numbers[j, _ENDS] = 1.0
        numbers[j, _LEAD_AT_END] = max(-1.0, min(lead / 20.0, 1.0))
        numbers[j, _WINS] = 1.0 if lead > 0 else 0.0


@kernel
def _fill_cost(own, spent, numbers, j):
    cards = 0
    for kind in range(len(w.KINDS)):
        cards += own.hand[kind]
    numbers[j, _SPENT], numbers[j, _HAND_LEFT] = spent / 6.0, (cards - spent) / 10.0


# --- decisions


@kernel
def _fill_turn(public, own, rules, settings, lead, move, numbers, j):
    """Fill the inputs of a pass, or of a build for which rivals supply the cards that hand and Jokers lack."""
    if move == 0:
        numbers[j, _DRAWS] = 1.0 if pass_value(public, settings) > 0.0 else 0.0
        return
    slot = slot_of(move)
    disc = public.board[slot]
    kind, second = rules.kind[disc, 0], rules.kind[disc, 1]
    need, need_second = rules.need[disc, 0], rules.need[disc, 1]
    first_cards, second_cards = min(own.hand[kind], need), min(own.hand[second], need_second)
    parts = first_cards + second_cards
    _fill_built(public, own, rules, lead, slot, parts << (8 * own.seat), own.seat, numbers, j)
    _fill_cost(own, parts, numbers, j)
    short = shortage(own, rules, kind, need, second, need_second)
    supply = min(expected_cards(public, own, rules, kind), need - first_cards)
    supply += min(expected_cards(public, own, rules, second), need_second - second_cards)
    seen = 0
    for seat in range(public.seats):
        if seat != own.seat:
            seen += public.shown[seat, kind]
    numbers[j, _SHORT], numbers[j, _NEED] = short / 4.0, (need + need_second) / 6.0
    numbers[j, _SUPPLY], numbers[j, _SUPPLY_OVER] = supply / 4.0, (supply - short) / 4.0
    numbers[j, _SEEN] = seen / 4.0


@kernel
def _fill_offer(public, own, rules, lead, move, numbers, j):
    """Fill the inputs of an offer as if it were taken and the active player had the remaining cards."""
    cards, need = cards_of(move), public.need[0] + public.need[1]
    numbers[j, _NEED] = need / 6.0
    if move == 0:
        _fill_cost(own, 0, numbers, j)
        return
    if trades(move):
        parts, owner = need << (8 * public.active), own.seat
        numbers[j, _TRADE] = 1.0
    else:
        parts, owner = (cards << (8 * own.seat)) + ((need - cards) << (8 * public.active)), public.active
    _fill_built(public, own, rules, lead, public.slot, parts, owner, numbers, j)
    _fill_cost(own, cards, numbers, j)
    numbers[j, _OFFERED], numbers[j, _STILL_NEEDED] = cards / 4.0, (need - cards) / 4.0


@kernel
def _fill_unpaid(public, rules, taken, numbers, j):
    """Fill the points that rivals get for rejected offers."""
    points = 0
    for seat in range(public.seats):
        if not takes(taken, seat):
            points += cards_of(public.offer[seat]) * rules.refused_offer
    numbers[j, _UNPAID] = points / 4.0


@kernel
def _fill_success(public, own, rules, lead, taken, jokers, numbers, j):
    """Fill the inputs of a build with these partners in which Jokers replace ``jokers`` of the seat's cards."""
    parts, rest, owner, partners = 0, public.need[0] + public.need[1], own.seat, 0
    for seat in range(public.seats):
        if takes(taken, seat):
            offer = public.offer[seat]
            rest -= cards_of(offer)
            partners += 1
            if trades(offer):
                owner = seat  # owner of the disc; the parts belong to the active player (A4)
                parts += cards_of(offer) << (8 * own.seat)
            else:
                parts += cards_of(offer) << (8 * seat)
    parts += rest << (8 * own.seat)
    _fill_built(public, own, rules, lead, public.slot, parts, owner, numbers, j)
    _fill_cost(own, rest - jokers, numbers, j)
    numbers[j, _SUPPLIERS] = partners / 3.0
    numbers[j, _JOKERS] = jokers / max(rules.effects[w.JOKER], 1)


@kernel
def _fill_take(public, own, rules, lead, move, numbers, j):
    """Fill the inputs of a set of partners: the build with them, or its failure."""
    first, second = public.need[0], public.need[1]
    for seat in range(public.seats):
        if takes(move, seat):
            first -= first_of(public.offer[seat])
            second -= second_of(public.offer[seat])
    if shortage(own, rules, public.kind[0], first, public.kind[1], second) > 0:
        numbers[j, _FAILS] = 1.0
        _fill_unpaid(public, rules, 0, numbers, j)
        _fill_cost(own, 0, numbers, j)
        return
    _fill_unpaid(public, rules, move, numbers, j)
    jokers = max(first - own.hand[public.kind[0]], 0) + max(second - own.hand[public.kind[1]], 0)
    _fill_success(public, own, rules, lead, move, jokers, numbers, j)


@kernel
def _fill_complete(public, own, rules, lead, move, numbers, j):
    if move == 0:
        numbers[j, _FAILS] = 1.0
        _fill_unpaid(public, rules, 0, numbers, j)
        _fill_cost(own, 0, numbers, j)
        return
    _fill_unpaid(public, rules, public.taken, numbers, j)
    _fill_success(public, own, rules, lead, public.taken, cards_of(move), numbers, j)


@kernel
def _fill_card(public, own, choice, move, numbers, j):
    """Fill the inputs of an action card, a card set aside or a bluff."""
    if choice.kind == w.PLAY_CARD:
        numbers[j, _EXCHANGES] = 1.0 if move == 1 + w.EXCHANGE_CARDS else 0.0
        numbers[j, _DRAWS_THREE] = 1.0 if move == 1 + w.DRAW_THREE else 0.0
    elif choice.kind == w.EXCHANGE and move > 0:
        numbers[j, _SETS_ASIDE] = 1.0
        numbers[j, _OF_KIND], numbers[j, _DISCS_OF_KIND] = own.hand[move - 1] / 5.0, public.kind_left[move - 1] / 5.0
    elif choice.kind == w.TRIPLE:
        numbers[j, _TRIPLES], numbers[j, _OFFERED] = move, move * cards_of(public.offer[own.seat]) / 4.0
    elif choice.kind == w.DOUBLE:
        numbers[j, _DOUBLES] = move
    elif choice.kind == w.BLUFF:
        for kind in range(len(w.KINDS)):
            numbers[j, _BLUFFS] += ((move >> kind) & 1) / 4.0
    _fill_cost(own, 0, numbers, j)


@kernel
def fill_moves(public, own, choice, rules, settings, standing, values, numbers):
    """Fill the value for ``weighted`` and the inputs of each legal move; ``standing``: see ``fill_standing``."""
    move_values(public, own, choice, rules, settings, values)
    best = values[0]
    for j in range(1, choice.count):
        best = max(best, values[j])
    lead = lead_of(public, own.seat, standing)
    kind = choice.kind
    for j in range(choice.count):
        move = choice.moves[j]
        numbers[j, _VALUE], numbers[j, _BEHIND] = values[j] / 5.0, (values[j] - best) / 5.0
        numbers[j, _BEST], numbers[j, _REFUSES] = 1.0 if values[j] == best else 0.0, 1.0 if move == 0 else 0.0
        if kind == w.TURN:
            _fill_turn(public, own, rules, settings, lead, move, numbers, j)
        elif kind == w.OFFER:
            _fill_offer(public, own, rules, lead, move, numbers, j)
        elif kind == w.TAKE:
            _fill_take(public, own, rules, lead, move, numbers, j)
        elif kind == w.COMPLETE:
            _fill_complete(public, own, rules, lead, move, numbers, j)
        else:
            _fill_card(public, own, choice, move, numbers, j)
