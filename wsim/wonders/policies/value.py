"""The value of a structure or stage for ``weighted``: its features times the weights of the age (features.py).

Every kernel here is linear in ``settings.weights[age]`` and skips absent effects: a decision rates about four cards in
the time of one call of the payment solver.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit
from wsim.wonders import words as w
from wsim.wonders.kernels.payment import lane_sum
from wsim.wonders.kernels.turn import neighbor_left, neighbor_right
from wsim.wonders.policies.clause_gains import (
    AGE_SHIELDS,
    COINS,
    COINS_AT_ONCE,
    COUNTED,
    DEBTS,
    DIPLOMACY,
    EITHER_FROM,
    FREE_TOKENS,
    OWN,
    PILE_BUILDS,
    POINTS,
    PRICES_FROM,
    REBATES,
    RIVAL,
    SHIELDS,
    SYMBOLS_FROM,
    TURN_UNITS_FROM,
    UNITS_FROM,
    room_for_gains,
)
from wsim.wonders.policies.clause_value import fill_expected_gains
from wsim.wonders.policies.counter_value import add_worth_of_steps
from wsim.wonders.policies.features import INDEX
from wsim.wonders.policies.points import (
    fighter_left,
    fighter_right,
    points_counted,
    rivals_toll,
    science_change,
    team_rival,
)
from wsim.wonders.policies.steady_points import fixed_points

_ZERO, _ONE, _LANE = np.uint64(0), np.uint64(1), np.uint64(0xFF)
_S3 = np.uint64(3)
_RAW_LANES, _MADE_LANES = np.uint64(0x00000000FFFFFFFF), np.uint64(0x00FFFFFF00000000)
_UNITS_SOLD = 3  # by a neighbour: a rebate on the first unit helps about as often as one on its units of a group
_LEAD = 2  # shields of a lead that have value
_RESERVED = 6  # coins of a treasury that count as the reserve
_FREE_BUILDS = w.FREE_ONCE_PER_AGE | w.FREE_FIRST_COLOR | w.FREE_FIRST_TURN | w.FREE_LAST_TURN
(_POINT, _COUNTED, _RIVALS_COIN, _RIVALS_LOSS, _RIVALS_DEBT) = (
    INDEX[name] for name in ("point", "counted_point", "rivals_coin", "rivals_loss", "rivals_debt")
)
_COIN, _RESERVE = INDEX["coin"], INDEX["reserve"]
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


@kernel
def treasury_value(settings, age, before, after):
    """Return the value of a change of the coins of a treasury, of which the first ones are a reserve."""
    reserve = min(after, _RESERVED) - min(before, _RESERVED)
    return settings.weights[age, _COIN] * (after - before) + settings.weights[age, _RESERVE] * reserve


# --- production and trade -------------------------------------------------------------------------------------------


@kernel
def city_needs(public, rules, seat, stage):
    """Return the resources missing for the next stage (an item, or -1), as 0x80 in their lanes."""
    if stage < 0:
        return _ZERO
    top = np.uint64(0x0080808080808080)
    covered = (public.reach[seat] | top) - rules.cost[stage]
    return ~covered & top


@kernel
def _unit(public, settings, seat, needs, resource, more):
    """Return the value of one more unit of a resource after ``more`` additional units."""
    at = np.uint64(resource) << _S3
    weights = settings.weights[public.age]
    raw = resource < w.RAW_KINDS
    have = np.int64((public.reach[seat] >> at) & _LANE) + more
    place = (_RAW if raw else _MADE) + min(have, 3 if raw else 1)
    sold = (public.sale_reach[neighbor_left(public, seat)] >> at) & _LANE
    sold_too = (public.sale_reach[neighbor_right(public, seat)] >> at) & _LANE
    sellers = (1 if sold else 0) + (1 if sold_too else 0)
    needed = 1 if (needs >> at) & _LANE else 0
    return weights[place] + weights[_NEEDED] * needed + weights[_NEXT_DOOR] * sellers


@kernel
def _either(public, settings, seat, needs, mask):
    value = 0.0
    left = mask
    while left:
        value += _unit(public, settings, seat, needs, lowest_bit(np.uint64(left)), 0)
        left &= left - 1
    two = mask & (mask - 1)
    return value * settings.weights[public.age, _EITHER_TWO if two & (two - 1) == 0 else _EITHER_MORE]


@kernel
def _production(public, settings, rules, seat, item, needs):
    value = 0.0
    units = rules.produces[item]
    while units:
        resource = lowest_bit(units) >> 3
        amount = np.int64((units >> (np.uint64(resource) << _S3)) & _LANE)
        for more in range(amount):
            value += _unit(public, settings, seat, needs, resource, more)
        units &= ~(_LANE << (np.uint64(resource) << _S3))
    mask = np.int64(rules.one_of[item])
    if mask:
        value += _either(public, settings, seat, needs, mask)
    if item < w.STAGE_ENTRY and rules.color[item] <= w.GRAY:
        value += settings.weights[public.age, _GLUT] * (public.colors[seat, w.BROWN] + public.colors[seat, w.GRAY])
    return value


@kernel
def _trade(public, settings, rules, seat, item):
    """Return the value of lower prices: the savings on every unit that the affected neighbours sell."""
    saved = 0
    for side in range(w.NEIGHBOR_SEATS):
        sold = public.sale_reach[neighbor_left(public, seat) if side == 0 else neighbor_right(public, seat)]
        off = public.price[seat, 2 * side] - rules.price[item, 2 * side]
        if off > 0:
            saved += off * lane_sum(sold & _RAW_LANES)
        off = public.price[seat, 2 * side + 1] - rules.price[item, 2 * side + 1]
        if off > 0:
            saved += off * lane_sum(sold & _MADE_LANES)
    rebates = rules.turn_rebate[item, 0] + rules.turn_rebate[item, 1]
    rebates += rules.board_rebate[item, 0] + rules.board_rebate[item, 1]
    weights = settings.weights[public.age]
    return weights[_DISCOUNT] * saved + weights[_REBATE] * rebates


# --- conflicts ------------------------------------------------------------------------------------------------------


@kernel
def _against(public, settings, rules, seat, rival, shields):
    weights = settings.weights[public.age]
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
def _shields(public, settings, rules, seat, shields):
    value = settings.weights[public.age, _SHIELD] * shields
    if rules.teams:
        return value + 2.0 * _against(public, settings, rules, seat, team_rival(public, seat), shields)
    left, right = fighter_left(public, seat), fighter_right(public, seat)
    if left == seat:
        return value
    value += _against(public, settings, rules, seat, left, shields)
    if right != left:
        value += _against(public, settings, rules, seat, right, shields)
    return value


@kernel
def _truce(public, settings, rules, seat, tokens):
    """Return the value of diplomacy tokens: higher if conflicts would be lost."""
    weights = settings.weights[public.age]
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
def _symbols(public, settings, rules, seat, symbol):
    weights = settings.weights[public.age]
    compass, gear, tablet = (
        public.symbols[seat, w.COMPASS],
        public.symbols[seat, w.GEAR],
        public.symbols[seat, w.TABLET],
    )
    left, right = neighbor_left(public, seat), neighbor_right(public, seat)
    value = weights[_SYMBOL] + weights[_FOLLOW] * (compass + gear + tablet)
    value += weights[_CONTEST] * (public.colors[left, w.GREEN] + public.colors[right, w.GREEN])
    if symbol != w.ANY and public.symbols[seat, w.ANY] + public.copy_science[seat] == 0 and rules.science_at < 0:
        had = public.symbols[seat, symbol]
        rarer = (1 if compass < had else 0) + (1 if gear < had else 0) + (1 if tablet < had else 0)
        no_more = (1 if compass <= had else 0) + (1 if gear <= had else 0) + (1 if tablet <= had else 0)
        gained = 2 * had + 1 + (w.SET_POINTS if no_more == 1 else 0)
        return value + weights[_SCIENCE] * gained + (weights[_RAREST] if rarer == 0 else 0.0)
    value += weights[_SCIENCE] * science_change(public, rules, seat, symbol, 0)
    if symbol == w.ANY or public.symbols[seat, symbol] == min(compass, min(gear, tablet)):
        value += weights[_RAREST]
    return value


# --- special effects ------------------------------------------------------------------------------------------------


@kernel
def _turns_left(public):
    """Return the approximate number of turns until the end, including the current one."""
    return public.turns * (w.AGES - public.age) - public.turn


@kernel
def _special(public, settings, rules, seat, item, needs):
    abilities = np.int64(rules.abilities[item])
    weights = settings.weights[public.age]
    value = 0.0
    if abilities & w.PRICES:
        value += _trade(public, settings, rules, seat, item)
    if abilities & w.TOKENS:
        tokens = np.int64(rules.diplomacy[item])
        if tokens:
            value += _truce(public, settings, rules, seat, tokens)
        copies = np.int64(rules.copy_science[item])
        if copies:
            value += weights[_SCIENCE] * science_change(public, rules, seat, 0, copies) + weights[_COPIED] * copies
    if abilities & (w.WAREHOUSE | w.BLACK_MARKET):
        kinds = public.made_kinds[seat] & w.ALL_RESOURCES
        value += _either(public, settings, seat, needs, kinds if abilities & w.WAREHOUSE else w.ALL_RESOURCES & ~kinds)
    if abilities & w.PLAY_LAST and not rules.last_played[public.age]:
        value += weights[_PLAY_LAST] * (w.AGES - public.age)
    if abilities & w.BUILD_DISCARD and public.discarded > 0:
        value += weights[_FROM_DISCARD]
    if abilities & w.COPY_GUILD:
        left, right = neighbor_left(public, seat), neighbor_right(public, seat)
        value += weights[_COPY_GUILD] * (1 + public.colors[left, w.PURPLE] + public.colors[right, w.PURPLE])
    if abilities & _FREE_BUILDS:
        value += weights[_FREE_BUILD] * _turns_left(public)
    if abilities & w.FREE_STAGES:
        value += weights[_CHEAP_STAGES] * (rules.stage_count[public.side[seat]] - public.stages[seat])
    if abilities & w.DISCARD_DEFEATS:
        value -= weights[_POINT] * public.defeats[seat] * rules.defeat_points
    return value


@kernel
def _means(public, settings, seat, gains):
    """Return the value of price changes, free builds and builds from the discard pile by clauses."""
    weights, value = settings.weights[public.age], 0.0
    for kind in range(w.PRICE_KINDS):
        price = np.float64(public.price[seat, kind])
        off = price - min(max(price + gains[OWN, PRICES_FROM + kind], 0.0), w.MAX_PRICE)
        if off:
            side, lanes = kind // 2, _MADE_LANES if kind & 1 else _RAW_LANES
            sold = public.sale_reach[neighbor_left(public, seat) if side == 0 else neighbor_right(public, seat)]
            value += weights[_DISCOUNT] * off * lane_sum(sold & lanes)
    value += (weights[_REBATE] + _UNITS_SOLD * weights[_DISCOUNT]) * gains[OWN, REBATES]
    value += weights[_FREE_BUILD] * public.turns * gains[OWN, FREE_TOKENS]
    return value + (weights[_FROM_DISCARD] * gains[OWN, PILE_BUILDS] if public.discarded > 0 else 0.0)


@kernel(rare=True)
def _clauses(public, settings, rules, seat, item):
    """Return the value of the expected gains from clauses until the end, without coins received at once."""
    gains = room_for_gains()
    fill_expected_gains(public, rules, seat, item, w.ON_SCORE, gains)
    add_worth_of_steps(public, rules, seat, item, -1, gains)
    return gains_value(public, settings, rules, seat, gains)


@kernel(rare=True)
def gains_value(public, settings, rules, seat, gains):
    """Return the value of gains from clauses, without coins received at once."""
    weights, one_war = settings.weights[public.age], 1.0 / (w.AGES - public.age)
    points = gains[OWN, POINTS] - gains[OWN, DEBTS] - gains[RIVAL, POINTS]
    value = weights[_POINT] * points
    if gains[OWN, COINS]:
        before = public.coins[seat] + gains[OWN, COINS_AT_ONCE]
        value += treasury_value(settings, public.age, before, before + gains[OWN, COINS])
    value += weights[_POINT] * (gains[OWN, COUNTED] - gains[RIVAL, COUNTED])
    shields = gains[OWN, SHIELDS] + one_war * gains[OWN, AGE_SHIELDS]
    if shields > 0.0:
        whole = np.int64(shields + 0.999)
        value += _shields(public, settings, rules, seat, whole) * shields / whole
    value -= weights[_SHIELD] * (gains[RIVAL, SHIELDS] + one_war * gains[RIVAL, AGE_SHIELDS])
    if gains[OWN, DIPLOMACY] > 0.0:
        value += _truce(public, settings, rules, seat, 1) * gains[OWN, DIPLOMACY]
    for kind in range(1, w.SYMBOL_KINDS):
        number = gains[OWN, SYMBOLS_FROM + kind - 1]
        if number:
            value += number * (weights[_SYMBOL] + weights[_SCIENCE] * science_change(public, rules, seat, kind, 0))
        value -= gains[RIVAL, SYMBOLS_FROM + kind - 1] * weights[_SYMBOL]
    kinds, either = 0, 0.0
    for resource in range(w.RESOURCE_KINDS):
        have = np.int64((public.reach[seat] >> (np.uint64(resource) << _S3)) & _LANE)
        place = _RAW + min(have, 3) if resource < w.RAW_KINDS else _MADE + min(have, 1)
        units = gains[OWN, UNITS_FROM + resource]
        units += gains[OWN, TURN_UNITS_FROM + resource] / _turns_left(public)
        value += units * weights[place]
        if gains[OWN, EITHER_FROM + resource]:
            kinds += 1
            either += gains[OWN, EITHER_FROM + resource] / _turns_left(public) * weights[place]
    if kinds:
        value += either * weights[_EITHER_TWO if kinds == 2 else _EITHER_MORE]
    value += _means(public, settings, seat, gains)
    coins = gains[RIVAL, COINS]
    value += weights[_RIVALS_COIN] * coins if coins > 0.0 else -weights[_RIVALS_LOSS] * coins
    return value + weights[_RIVALS_DEBT] * gains[RIVAL, DEBTS]


@kernel
def _events(public, settings, rules, seat, item):
    """Return the value of tokens and of effects on rivals; coins are handled by the caller."""
    weights = settings.weights[public.age]
    value = 0.0
    token = np.int64(rules.victory_token[item])
    if token:
        value += weights[_POINT] * rules.victory_points[token - 1]
    if rules.coins_to_others[item, 0] or rules.coin_loss[item, 0] or rules.debt[item, 0]:
        gained, lost, debts = rivals_toll(public, rules, seat, item)
        value += weights[_RIVALS_COIN] * gained + weights[_RIVALS_LOSS] * lost + weights[_RIVALS_DEBT] * debts
    if rules.when[item]:
        value += _clauses(public, settings, rules, seat, item)
    return value


# --- all of it ------------------------------------------------------------------------------------------------------


@kernel
def _rare(public, settings, rules, seat, item, needs):
    """Return the value of rare effects: abilities, points for counted items, tokens, effects on rivals."""
    weights = settings.weights[public.age]
    value = 0.0
    if rules.points_per[item, 0] or rules.points_complete[item] or rules.when[item]:
        value += weights[_COUNTED] * points_counted(public, rules, seat, item)
        if rules.when[item]:
            value += (weights[_POINT] - weights[_COUNTED]) * fixed_points(public, rules, seat, item)
    if rules.abilities[item]:
        value += _special(public, settings, rules, seat, item, needs)
    if rules.eventful[item]:
        value += _events(public, settings, rules, seat, item)
    return value


@kernel(inline=True)
def item_value(public, settings, rules, seat, item, needs):
    """Return the value of a structure or stage, without its own coins and its cost."""
    weights = settings.weights[public.age]
    value = weights[_POINT] * rules.points[item]
    symbol = np.int64(rules.symbol[item])
    if rules.produces[item] | np.uint64(rules.one_of[item]):
        value += _production(public, settings, rules, seat, item, needs)
    if symbol:
        value += _symbols(public, settings, rules, seat, symbol)
    shields = np.int64(rules.shields[item])
    if shields:
        value += _shields(public, settings, rules, seat, shields)
    if rules.points_per[item, 0] | rules.points_complete[item] | rules.abilities[item] | rules.eventful[item]:
        value += _rare(public, settings, rules, seat, item, needs)
    if item < w.STAGE_ENTRY:
        color = rules.color[item]
        if color == w.YELLOW:
            value += weights[_YELLOW_CARD]
        elif color >= w.PURPLE:
            value += weights[_PURPLE_CARD] if color == w.PURPLE else weights[_BLACK_CARD]
    return value


@kernel
def card_for_next(public, settings, rules, receiver, card):
    """Return the value to the next player of a card that is not built, ignoring wild symbols."""
    weights = settings.weights[public.age]
    value = weights[_DENY_POINT] * rules.points[card]
    symbol = np.int64(rules.symbol[card])
    if symbol:
        compass, gear, tablet = (
            public.symbols[receiver, w.COMPASS],
            public.symbols[receiver, w.GEAR],
            public.symbols[receiver, w.TABLET],
        )
        if rules.science_at >= 0:
            return value + weights[_DENY_SCIENCE] * science_change(public, rules, receiver, symbol, 0)
        had = public.symbols[receiver, symbol]
        no_more = (1 if compass <= had else 0) + (1 if gear <= had else 0) + (1 if tablet <= had else 0)
        value += weights[_DENY_SCIENCE] * (2 * had + 1 + (w.SET_POINTS if no_more == 1 and symbol != w.ANY else 0))
    return value
