"""The immediate effect of an item (a structure or stage): the exact change of the own score, and the cost to rivals.

It looks one ply ahead: science with the best wild and copied symbols, conflicts as if the age ended now, everything at
its current count. Used by ``greedy`` and ``rulebased``, and available to users' policies (``wsim.wonders.kit``).
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.clauses import formula_points
from wsim.wonders.kernels.layout import NOBODY
from wsim.wonders.kernels.moves import action_of, bank_of, card_of, keeps_of, left_of, picked_of, right_of, slot_of
from wsim.wonders.kernels.scoring import house_science, points_of, science_with
from wsim.wonders.kernels.turn import concerns, count_around, neighbor_left, neighbor_right
from wsim.wonders.policies.clause_gains import (
    AGE_SHIELDS,
    COINS,
    COINS_AT_ONCE,
    COUNTED,
    DEBTS,
    DIPLOMACY,
    OWN,
    POINTS,
    RIVAL,
    SHIELDS,
    SYMBOLS_FROM,
    room_for_gains,
)
from wsim.wonders.policies.clause_value import (
    add_end_of_age,
    add_points_to_come,
    fill_expected_gains,
    fill_gains_of_move,
    share_of,
    way_of_card,
)

_ONE = np.uint64(1)
_COUNT_SELF = w.SWITCH_NUMBER["counting_includes_itself"]
_VICTORY_1, _VICTORY_2, _VICTORY_3 = w.COUNT_VICTORY


# --- a move ---------------------------------------------------------------------------------------------------------


@kernel
def price_of(move):
    """Return the total coins that a move costs: to the bank and both neighbours, or the price in a clause decision."""
    return bank_of(move) + (left_of(move) + right_of(move) if action_of(move) != w.CHOOSE else 0)


# --- the table around a seat ----------------------------------------------------------------------------------------


@kernel
def next_stage(public, rules, seat):
    """Return the item of the next stage of a city, or -1 if all are built."""
    side, stage = public.side[seat], public.stages[seat]
    return np.int64(rules.stage_entry[side, stage]) if stage < rules.stage_count[side] else -1


@kernel
def next_holder(public, rules, seat):
    """Return the seat that gets this hand next (R5, R47)."""
    if rules.duo:
        return 1 - seat
    return neighbor_right(public, seat) if rules.to_right[public.age] else neighbor_left(public, seat)


@kernel
def fighter_left(public, seat):
    """Return the next seat on the left that takes part in conflicts; the seat itself if there is none (R20)."""
    other = neighbor_left(public, seat)
    while public.diplomacy[other] > 0 and other != seat:
        other = neighbor_left(public, other)
    return other


@kernel
def fighter_right(public, seat):
    """Return the next seat on the right that takes part in conflicts; the seat itself if there is none (R20)."""
    other = neighbor_right(public, seat)
    while public.diplomacy[other] > 0 and other != seat:
        other = neighbor_right(public, other)
    return other


@kernel
def team_rival(public, seat):
    """Return the only neighbour in a different team (R39)."""
    return neighbor_left(public, seat) if seat & 1 else neighbor_right(public, seat)


# --- conflicts ------------------------------------------------------------------------------------------------------


@kernel
def conflict_points(public, rules, margin):
    """Return the points of one conflict of this age for a lead of ``margin`` shields (R19)."""
    if margin > 0:
        return np.int64(rules.victory_points[public.age])
    return np.int64(rules.defeat_points) if margin < 0 else 0


@kernel
def war_points(public, rules, seat, shields, tokens):
    """Return the points of a seat's conflicts if the age ended now, with more shields and tokens (R19, R20)."""
    own = public.shields[seat] + shields
    envoy = public.diplomacy[seat] + tokens > 0
    if rules.teams:
        rival = team_rival(public, seat)
        fought = 2 - (1 if envoy else 0) - (1 if public.diplomacy[rival] > 0 else 0)
        return fought * conflict_points(public, rules, own - public.shields[rival])
    if envoy:
        return 0
    left, right = fighter_left(public, seat), fighter_right(public, seat)
    if left == seat:
        return 0
    points = conflict_points(public, rules, own - public.shields[left])
    if right != left:  # if only two cities remain, there is a single conflict
        points += conflict_points(public, rules, own - public.shields[right])
    return points


# --- science --------------------------------------------------------------------------------------------------------


@kernel
def science_gain(public, seat, symbol, copies):
    """Return the science points that one more symbol (0: none) and ``copies`` copied symbols add (R23)."""
    if symbol > 0 and symbol < w.ANY and copies + public.symbols[seat, w.ANY] + public.copy_science[seat] == 0:
        had = public.symbols[seat, symbol]
        others = min(
            public.symbols[seat, w.COMPASS] if symbol != w.COMPASS else 99,
            min(
                public.symbols[seat, w.GEAR] if symbol != w.GEAR else 99,
                public.symbols[seat, w.TABLET] if symbol != w.TABLET else 99,
            ),
        )
        return 2 * had + 1 + (w.SET_POINTS if had < others else 0)
    more = science_with(
        public,
        seat,
        1 if symbol == w.COMPASS else 0,
        1 if symbol == w.GEAR else 0,
        1 if symbol == w.TABLET else 0,
        1 if symbol == w.ANY else 0,
        copies,
    )
    return more - science_with(public, seat, 0, 0, 0, 0, 0)


@kernel
def science_change(public, rules, seat, symbol, copies):
    """Return the science points that one more symbol (0: none) and copied symbols add, with any house rule."""
    if rules.science_at < 0:
        return science_gain(public, seat, symbol, copies)
    return _house_change(public, rules, seat, symbol, copies)


@kernel(rare=True)
def _house_change(public, rules, seat, symbol, copies):
    """Return the science points that one more symbol (0: none) and copied symbols add by the house rule."""
    compass, gear, tablet = int(symbol == w.COMPASS), int(symbol == w.GEAR), int(symbol == w.TABLET)
    more = house_science(public, rules, seat, compass, gear, tablet, int(symbol == w.ANY), copies)
    return more - house_science(public, rules, seat, 0, 0, 0, 0, 0)


# --- coins and points -----------------------------------------------------------------------------------------------


@kernel
def _counts_itself(rules, item, what, cities):
    """Return whether an effect that counts items of the own city also counts its own item."""
    if not cities & w.CITY_SELF or item >= rules.deck_entry:
        return False
    if item >= w.STAGE_ENTRY:
        return what & w.COUNT_STAGE != 0
    return what >> rules.color[item] & 1 != 0


@kernel(inline=True)
def coins_of(public, rules, seat, item):
    """Return the coins that a structure or stage gives its city from the bank at once (R9.3)."""
    coins = np.int64(rules.coins[item])
    each = np.int64(rules.coins_per[item, 0])
    if each:
        what, cities = np.int64(rules.coins_per[item, 1]), np.int64(rules.coins_per[item, 2])
        number = count_around(public, seat, what, cities)
        if _counts_itself(rules, item, what, cities) and (rules.switch[_COUNT_SELF] or item >= w.STAGE_ENTRY):
            number += 1
        coins += each * number
    if rules.when[item]:
        coins += _clause_coins(public, rules, seat, item)
    return coins


@kernel(rare=True)
def _clause_coins(public, rules, seat, item):
    """Return the coins that the clauses of an item give its city at once."""
    gains = room_for_gains()
    fill_expected_gains(public, rules, seat, item, w.ON_CARD, gains)
    return np.int64(gains[OWN, COINS_AT_ONCE])


@kernel(inline=True)
def points_counted(public, rules, seat, item):
    """Return the points that an item, once built, gives for the items it counts, without its printed points (R25)."""
    points = 0
    each = np.int64(rules.points_per[item, 0])
    if each:
        what, cities = np.int64(rules.points_per[item, 1]), np.int64(rules.points_per[item, 2])
        number = count_around(public, seat, what, cities)
        if _counts_itself(rules, item, what, cities):
            number += 1
        points += each * number
    if rules.points_complete[item]:
        stages = public.stages[seat] + (1 if w.STAGE_ENTRY <= item < rules.deck_entry else 0)
        if stages == rules.stage_count[public.side[seat]]:
            points += np.int64(rules.points_complete[item])
    if rules.when[item]:
        points += formula_points(public, rules, seat, item)
    return points


@kernel
def _points_elsewhere(public, rules, seat, item):
    """Return the points that the item adds to existing structures that count it."""
    if item >= rules.deck_entry:
        counted = 0
    else:
        counted = w.COUNT_STAGE if item >= w.STAGE_ENTRY else 1 << np.int64(rules.color[item])
    token = np.int64(rules.victory_token[item])
    if token:
        counted |= _VICTORY_1 << (token - 1)
    completes = (
        w.STAGE_ENTRY <= item < rules.deck_entry and public.stages[seat] + 1 == rules.stage_count[public.side[seat]]
    )
    points = 0
    for word in range(w.CARD_WORDS):
        names = public.built[seat, word] & rules.scoring_cards[word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            if rules.points_per[card, 2] & w.CITY_SELF:
                both = np.int64(rules.points_per[card, 1]) & counted
                while both:
                    points += np.int64(rules.points_per[card, 0])
                    both &= both - 1
            if completes:
                points += np.int64(rules.points_complete[card])
    return points


@kernel
def _best_guild(public, rules, seat):
    """Return the points of the best guild of the neighbours to copy, at current counts (R29)."""
    best = 0
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    for word in range(w.CARD_WORDS):
        names = (public.built[left, word] | public.built[right, word]) & rules.purple_cards[word]
        while names:
            card = 64 * word + lowest_bit(names)
            names &= names - _ONE
            points = points_of(public, rules, seat, card, 1)
            if rules.symbol[card]:
                points += science_change(public, rules, seat, np.int64(rules.symbol[card]), 0)
            best = max(best, points)
    return best


@kernel
def score_change(public, rules, seat, item):
    """Return the immediate change of the city's score by a structure or stage; coins count as thirds of a point."""
    points = 0.0 + rules.points[item] + points_counted(public, rules, seat, item)
    points += _points_elsewhere(public, rules, seat, item)
    symbol, copies = np.int64(rules.symbol[item]), np.int64(rules.copy_science[item])
    if symbol or copies:
        points += science_change(public, rules, seat, symbol, copies)
    shields, tokens = np.int64(rules.shields[item]), np.int64(rules.diplomacy[item])
    if rules.when[item]:
        more_points, more_shields, more_tokens = _clause_change(public, rules, seat, item)
        points, shields, tokens = points + more_points, shields + more_shields, tokens + more_tokens
    if shields or tokens:
        points += war_points(public, rules, seat, shields, tokens) - war_points(public, rules, seat, 0, 0)
    if rules.abilities[item] & w.COPY_GUILD:
        points += _best_guild(public, rules, seat)
    if rules.eventful[item]:
        points += coins_of(public, rules, seat, item) / rules.coins_per_point
        token = np.int64(rules.victory_token[item])
        if token:
            points += rules.victory_points[token - 1]
        if rules.abilities[item] & w.DISCARD_DEFEATS:
            points -= public.defeats[seat] * rules.defeat_points
    return points


@kernel(rare=True)
def _clause_change(public, rules, seat, item):
    """Return (points of tokens, debts, symbols and later coins; shields; diplomacy tokens) from the clauses of an item
    that act at once, or would if the age ended now; points, until the end of the game."""
    gains = room_for_gains()
    fill_expected_gains(public, rules, seat, item, w.ON_CARD, gains)
    add_end_of_age(public, rules, seat, item, gains)
    add_points_to_come(public, rules, seat, item, gains)
    points, shields, tokens = _change_of(public, rules, seat, gains)
    return points + gains[OWN, COINS] / rules.coins_per_point, shields, tokens


@kernel(rare=True)
def _change_of(public, rules, seat, gains):
    """Return (points of tokens, debts, counters and symbols; shields; diplomacy tokens) of some gains."""
    points = gains[OWN, POINTS] - gains[OWN, DEBTS] + gains[OWN, COUNTED]
    for kind in range(1, w.SYMBOL_KINDS):
        number = np.int64(gains[OWN, SYMBOLS_FROM + kind - 1])
        if number:
            points += number * science_change(public, rules, seat, kind, 0)
    shields = np.int64(gains[OWN, SHIELDS] + gains[OWN, AGE_SHIELDS])
    return points, shields, np.int64(gains[OWN, DIPLOMACY])


@kernel
def _loss_of(public, rules, other, item):
    """Return the coins that an item makes one city lose (R32)."""
    each, per = np.int64(rules.coin_loss[item, 0]), rules.coin_loss[item, 2]
    if per == w.PER_VICTORY:
        return each * (public.victory[other, 0] + public.victory[other, 1] + public.victory[other, 2])
    return each * public.stages[other] if per == w.PER_STAGE else each


@kernel
def rivals_toll(public, rules, seat, item):
    """Return the coins gained, coins lost and debts of the mean rival.

    Losses that cannot be paid count as debts. Effects on a team mate are subtracted.
    """
    gained, lost, debts = 0.0, 0.0, 0.0
    rivals = max(rules.players - (2 if rules.teams else 1), 1)
    for other in range(rules.players):
        if other == seat:
            continue
        share = -1.0 if rules.teams and other == seat ^ 1 else 1.0 / rivals
        if rules.coins_to_others[item, 0] and concerns(public, seat, other, rules.coins_to_others[item, 1]):
            gained += share * rules.coins_to_others[item, 0]
        if rules.coin_loss[item, 0] and concerns(public, seat, other, rules.coin_loss[item, 1]):
            loss = _loss_of(public, rules, other, item)
            paid = min(loss, public.coins[other])
            lost += share * paid
            debts += share * (loss - paid)
        if rules.debt[item, 0] and concerns(public, seat, other, rules.debt[item, 1]):
            debts += share * rules.debt[item, 0]
    return gained, lost, debts


@kernel
def rivals_loss(public, rules, seat, item):
    """Return the points that an item's effects cost the mean rival; coins count as thirds of a point."""
    if rules.eventful[item] == 0:
        return 0.0
    gained, lost, debts = rivals_toll(public, rules, seat, item)
    points = (lost - gained) / rules.coins_per_point + debts
    if rules.when[item]:
        points += _clause_rivals(public, rules, seat, item)
    return points


@kernel(rare=True)
def _clause_rivals(public, rules, seat, item):
    """Return the points that the clauses of an item cost the mean rival."""
    gains = room_for_gains()
    fill_expected_gains(public, rules, seat, item, w.ON_CARD, gains)
    add_end_of_age(public, rules, seat, item, gains)
    return _rivals_cost(rules, gains)


@kernel(rare=True)
def _rivals_cost(rules, gains):
    """Return the points that some gains cost the mean rival."""
    points = gains[RIVAL, POINTS] + gains[RIVAL, COUNTED] + gains[RIVAL, COINS] / rules.coins_per_point
    return gains[RIVAL, DEBTS] - points


@kernel(rare=True)
def effect_change(public, rules, choice, index):
    """Return the immediate change of the score by a move in a clause decision, and its cost to the mean rival (R72); 0
    for declining."""
    if action_of(choice.moves[index]) != w.CHOOSE:
        return 0.0
    seat, gains, move = choice.seat, room_for_gains(), choice.moves[index]
    if slot_of(move) == 0:  # a card is recruited (R89)
        change = score_change(public, rules, seat, card_of(move)) + rivals_loss(public, rules, seat, card_of(move))
        price = rules.cost_coins[card_of(move)] if keeps_of(move) else price_of(move)
        return change - price / rules.coins_per_point
    fill_gains_of_move(public, rules, choice, index, gains)
    points, shields, tokens = _change_of(public, rules, seat, gains)
    points += gains[OWN, COINS_AT_ONCE] / rules.coins_per_point + _rivals_cost(rules, gains)
    if shields or tokens:
        points += war_points(public, rules, seat, shields, tokens) - war_points(public, rules, seat, 0, 0)
    card = picked_of(choice.moves[index])
    gainer, loser = way_of_card(public, rules, choice, choice.moves[index])
    if gainer != NOBODY:
        points += share_of(public, rules, seat, gainer) * score_change(public, rules, gainer, card)
        points += rivals_loss(public, rules, seat, card) if gainer == seat and loser == NOBODY else 0.0
    if loser != NOBODY:
        points -= share_of(public, rules, seat, loser) * score_change(public, rules, loser, card)
    return points
