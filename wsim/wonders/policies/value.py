"""The value of a structure or stage for ``weighted``: what it brings times the weights of the age (features.py).

Every kernel here is linear in ``own.weights[age]`` and skips what an entry does not have, because a decision values
about four cards in the time of one solver call.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders.kernels.layout import (
    AGES,
    BLACK_MARKET,
    BUILD_DISCARD,
    COPY_GUILD,
    DISCARD_DEFEATS,
    FREE_FIRST_COLOR,
    FREE_FIRST_TURN,
    FREE_LAST_TURN,
    FREE_ONCE_PER_AGE,
    FREE_STAGES,
    PLAY_LAST,
    PRICES,
    STAGE_ENTRY,
    TOKENS,
    WAREHOUSE,
)
from wsim.wonders.kernels.payment import lane_sum
from wsim.wonders.kernels.turn import neighbor_left, neighbor_right
from wsim.wonders.policies.features import INDEX
from wsim.wonders.policies.points import (
    fighter_left,
    fighter_right,
    points_counted,
    rivals_toll,
    science_gain,
    team_rival,
)

__all__ = ["card_for_next", "city_needs", "entry_value"]

_ZERO, _ONE, _LANE = np.uint64(0), np.uint64(1), np.uint64(0xFF)
_S3 = np.uint64(3)
_RAW_LANES, _MADE_LANES = np.uint64(0x00000000FFFFFFFF), np.uint64(0x00FFFFFF00000000)
_BROWN, _GRAY, _YELLOW, _GREEN, _PURPLE, _BLACK = 0, 1, 3, 5, 6, 7
_RAW_KINDS = 4
_ANY = 4
_SET_POINTS = 7
_LEAD = 2  # shields of a lead that count
_FREE_BUILDS = FREE_ONCE_PER_AGE | FREE_FIRST_COLOR | FREE_FIRST_TURN | FREE_LAST_TURN
(_POINT, _COUNTED, _RIVALS_COIN, _RIVALS_LOSS, _RIVALS_DEBT) = (
    INDEX[name] for name in ("point", "counted_point", "rivals_coin", "rivals_loss", "rivals_debt")
)
_RAW, _MADE = INDEX["raw_1"], INDEX["made_1"]
_EITHER_TWO, _EITHER_MORE, _NEEDED, _NEXT_DOOR, _GLUT = (
    INDEX[name] for name in ("either_two", "either_more", "needed", "next_door", "glut")
)
_DISCOUNT, _REBATE = INDEX["discount"], INDEX["rebate"]
_WAR, _SHIELD, _GAP, _LEADING, _DIPLOMACY, _TRUCE = (
    INDEX[name] for name in ("war", "shield", "gap", "lead", "diplomacy", "truce")
)
_SCIENCE, _SYMBOL, _FOLLOW, _RAREST, _CONTEST, _COPIED = (
    INDEX[name] for name in ("science", "symbol", "follow", "rarest", "contest", "copied")
)
_PLAY_LAST, _FROM_DISCARD, _COPY_GUILD, _FREE_BUILD, _CHEAP_STAGES = (
    INDEX[name] for name in ("play_last", "from_discard", "copy_guild", "free_build", "cheap_stages")
)
_YELLOW_CARD, _PURPLE_CARD, _BLACK_CARD = INDEX["yellow"], INDEX["purple"], INDEX["black"]
_DENY_SCIENCE, _DENY_POINT = INDEX["deny_science"], INDEX["deny_point"]


# --- production and trade -------------------------------------------------------------------------------------------


@kernel
def city_needs(public, rules, seat, stage):
    """Return the resources that the next stage (an entry, -1 for none) still lacks, as 0x80 in their lanes."""
    if stage < 0:
        return _ZERO
    top = np.uint64(0x0080808080808080)
    covered = (public.reach[seat] | top) - rules.cost[stage]
    return ~covered & top


@kernel
def _unit(public, own, seat, needs, resource, more):
    """Return the value of one more unit of a resource, ``more`` units on top of what the city can reach."""
    at = np.uint64(resource) << _S3
    weights = own.weights[public.age]
    raw = resource < _RAW_KINDS
    have = np.int64((public.reach[seat] >> at) & _LANE) + more
    place = (_RAW if raw else _MADE) + min(have, 3 if raw else 1)
    sold = (public.sale_reach[neighbor_left(public, seat)] >> at) & _LANE
    sold_too = (public.sale_reach[neighbor_right(public, seat)] >> at) & _LANE
    sellers = (1 if sold else 0) + (1 if sold_too else 0)
    needed = 1 if (needs >> at) & _LANE else 0
    return weights[place] + weights[_NEEDED] * needed + weights[_NEXT_DOOR] * sellers


@kernel
def _either(public, own, seat, needs, mask):
    """Return the value of an either/or symbol."""
    value = 0.0
    left = mask
    while left:
        value += _unit(public, own, seat, needs, lowest_bit(np.uint64(left)), 0)
        left &= left - 1
    two = mask & (mask - 1)
    return value * own.weights[public.age, _EITHER_TWO if two & (two - 1) == 0 else _EITHER_MORE]


@kernel
def _production(public, own, rules, seat, entry, needs):
    """Return the value of what an entry produces."""
    value = 0.0
    units = rules.produces[entry]
    while units:
        resource = lowest_bit(units) >> 3
        amount = np.int64((units >> (np.uint64(resource) << _S3)) & _LANE)
        for more in range(amount):
            value += _unit(public, own, seat, needs, resource, more)
        units &= ~(_LANE << (np.uint64(resource) << _S3))
    mask = np.int64(rules.one_of[entry])
    if mask:
        value += _either(public, own, seat, needs, mask)
    if entry < STAGE_ENTRY and rules.color[entry] <= _GRAY:
        value += own.weights[public.age, _GLUT] * (public.colors[seat, _BROWN] + public.colors[seat, _GRAY])
    return value


@kernel
def _trade(public, own, rules, seat, entry):
    """Return the value of lower prices: what they save on every unit that the neighbours concerned sell."""
    saved = 0
    for side in range(2):
        sold = public.sale_reach[neighbor_left(public, seat) if side == 0 else neighbor_right(public, seat)]
        off = public.price[seat, 2 * side] - rules.price[entry, 2 * side]
        if off > 0:
            saved += off * lane_sum(sold & _RAW_LANES)
        off = public.price[seat, 2 * side + 1] - rules.price[entry, 2 * side + 1]
        if off > 0:
            saved += off * lane_sum(sold & _MADE_LANES)
    rebates = rules.turn_rebate[entry, 0] + rules.turn_rebate[entry, 1]
    rebates += rules.board_rebate[entry, 0] + rules.board_rebate[entry, 1]
    weights = own.weights[public.age]
    return weights[_DISCOUNT] * saved + weights[_REBATE] * rebates


# --- conflicts ------------------------------------------------------------------------------------------------------


@kernel
def _against(public, own, rules, seat, rival, shields):
    """Return the value of more shields against one rival."""
    weights = own.weights[public.age]
    margin = public.shields[seat] - public.shields[rival]
    after = margin + shields
    victory, defeat = rules.victory_points[public.age], rules.defeat_points
    change = (victory if after > 0 else 0) + (defeat if after < 0 else 0)
    change -= (victory if margin > 0 else 0) + (defeat if margin < 0 else 0)
    closed = max(min(shields, -margin), 0)
    led = min(max(after, 0), _LEAD) - min(max(margin, 0), _LEAD)
    truce = 0.0 if public.diplomacy[seat] else 1.0
    return weights[_WAR] * change * truce + weights[_GAP] * closed + weights[_LEADING] * led


@kernel
def _shields(public, own, rules, seat, shields):
    """Return the value of more shields."""
    value = own.weights[public.age, _SHIELD] * shields
    if rules.teams:
        return value + 2.0 * _against(public, own, rules, seat, team_rival(public, seat), shields)
    left, right = fighter_left(public, seat), fighter_right(public, seat)
    if left == seat:
        return value
    value += _against(public, own, rules, seat, left, shields)
    if right != left:
        value += _against(public, own, rules, seat, right, shields)
    return value


@kernel
def _truce(public, own, rules, seat, tokens):
    """Return the value of diplomacy tokens: more where conflicts are being lost."""
    weights = own.weights[public.age]
    shields = public.shields[seat]
    losing = 0
    if rules.teams:
        losing += public.shields[team_rival(public, seat)] > shields
    else:
        losing += public.shields[fighter_left(public, seat)] > shields
        losing += public.shields[fighter_right(public, seat)] > shields
    return tokens * (weights[_DIPLOMACY] + weights[_TRUCE] * losing)


# --- science --------------------------------------------------------------------------------------------------------


@kernel
def _symbols(public, own, seat, symbol):
    """Return the value of one more symbol."""
    weights = own.weights[public.age]
    compass, gear, tablet = public.symbols[seat, 1], public.symbols[seat, 2], public.symbols[seat, 3]
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    value = weights[_SYMBOL] + weights[_FOLLOW] * (compass + gear + tablet)
    value += weights[_CONTEST] * (public.colors[left, _GREEN] + public.colors[right, _GREEN])
    if symbol != _ANY and public.symbols[seat, _ANY] + public.copy_science[seat] == 0:
        had = public.symbols[seat, symbol]
        rarer = (1 if compass < had else 0) + (1 if gear < had else 0) + (1 if tablet < had else 0)
        no_more = (1 if compass <= had else 0) + (1 if gear <= had else 0) + (1 if tablet <= had else 0)
        gained = 2 * had + 1 + (_SET_POINTS if no_more == 1 else 0)
        return value + weights[_SCIENCE] * gained + (weights[_RAREST] if rarer == 0 else 0.0)
    value += weights[_SCIENCE] * science_gain(public, seat, symbol, 0)
    if symbol == _ANY or public.symbols[seat, symbol] == min(compass, min(gear, tablet)):
        value += weights[_RAREST]
    return value


# --- special effects ------------------------------------------------------------------------------------------------


@kernel
def _special(public, own, rules, seat, entry, needs):
    """Return the value of the abilities of an entry."""
    abilities = np.int64(rules.abilities[entry])
    weights = own.weights[public.age]
    value = 0.0
    if abilities & PRICES:
        value += _trade(public, own, rules, seat, entry)
    if abilities & TOKENS:
        tokens = np.int64(rules.diplomacy[entry])
        if tokens:
            value += _truce(public, own, rules, seat, tokens)
        copies = np.int64(rules.copy_science[entry])
        if copies:
            value += weights[_SCIENCE] * science_gain(public, seat, 0, copies) + weights[_COPIED] * copies
    if abilities & (WAREHOUSE | BLACK_MARKET):
        kinds = public.made_kinds[seat] & 0x7F
        value += _either(public, own, seat, needs, kinds if abilities & WAREHOUSE else 0x7F & ~kinds)
    if abilities & PLAY_LAST:
        value += weights[_PLAY_LAST] * (AGES - public.age)
    if abilities & BUILD_DISCARD and public.discarded > 0:
        value += weights[_FROM_DISCARD]
    if abilities & COPY_GUILD:
        left, right = neighbor_left(public, seat), neighbor_right(public, seat)
        value += weights[_COPY_GUILD] * (1 + public.colors[left, _PURPLE] + public.colors[right, _PURPLE])
    if abilities & _FREE_BUILDS:
        value += weights[_FREE_BUILD] * (public.turns * (AGES - public.age) - public.turn)
    if abilities & FREE_STAGES:
        value += weights[_CHEAP_STAGES] * (rules.stage_count[public.side[seat]] - public.stages[seat])
    if abilities & DISCARD_DEFEATS:
        value -= weights[_POINT] * public.defeats[seat] * rules.defeat_points
    return value


@kernel
def _events(public, own, rules, seat, entry):
    """Return the value of tokens taken and of what happens to rivals; coins are the caller's matter."""
    weights = own.weights[public.age]
    value = 0.0
    token = np.int64(rules.victory_token[entry])
    if token:
        value += weights[_POINT] * rules.victory_points[token - 1]
    if rules.coins_to_others[entry, 0] or rules.coin_loss[entry, 0] or rules.debt[entry, 0]:
        gained, lost, debts = rivals_toll(public, rules, seat, entry)
        value += weights[_RIVALS_COIN] * gained + weights[_RIVALS_LOSS] * lost + weights[_RIVALS_DEBT] * debts
    return value


# --- all of it ------------------------------------------------------------------------------------------------------


@kernel
def _rare(public, own, rules, seat, entry, needs):
    """Return the value of what few entries have: abilities, points that count, tokens, effects on rivals."""
    weights = own.weights[public.age]
    value = 0.0
    if rules.points_per[entry, 0] or rules.points_complete[entry]:
        value += weights[_COUNTED] * points_counted(public, rules, seat, entry)
    if rules.abilities[entry]:
        value += _special(public, own, rules, seat, entry, needs)
    if rules.eventful[entry]:
        value += _events(public, own, rules, seat, entry)
    return value


@kernel(inline=True)
def entry_value(public, own, rules, seat, entry, needs):
    """Return the value of a structure or stage, its own coins and its cost apart."""
    weights = own.weights[public.age]
    value = weights[_POINT] * rules.points[entry]
    symbol = np.int64(rules.symbol[entry])
    if rules.produces[entry] | np.uint64(rules.one_of[entry]):
        value += _production(public, own, rules, seat, entry, needs)
    if symbol:
        value += _symbols(public, own, seat, symbol)
    shields = np.int64(rules.shields[entry])
    if shields:
        value += _shields(public, own, rules, seat, shields)
    if rules.points_per[entry, 0] | rules.points_complete[entry] | rules.abilities[entry] | rules.eventful[entry]:
        value += _rare(public, own, rules, seat, entry, needs)
    if entry < STAGE_ENTRY:
        color = rules.color[entry]
        if color == _YELLOW:
            value += weights[_YELLOW_CARD]
        elif color >= _PURPLE:
            value += weights[_PURPLE_CARD] if color == _PURPLE else weights[_BLACK_CARD]
    return value


@kernel
def card_for_next(public, own, rules, receiver, card):
    """Return what a card that is not built is worth to the next player; wild symbols are left out of it."""
    weights = own.weights[public.age]
    value = weights[_DENY_POINT] * rules.points[card]
    symbol = np.int64(rules.symbol[card])
    if symbol:
        compass, gear, tablet = public.symbols[receiver, 1], public.symbols[receiver, 2], public.symbols[receiver, 3]
        had = public.symbols[receiver, symbol]
        no_more = (1 if compass <= had else 0) + (1 if gear <= had else 0) + (1 if tablet <= had else 0)
        value += weights[_DENY_SCIENCE] * (2 * had + 1 + (_SET_POINTS if no_more == 1 and symbol != _ANY else 0))
    return value
