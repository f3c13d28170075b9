"""``search``: playouts of the moves that ``net`` rates highest (wsim/kernels/searching.py).

``endgame`` is the same in the last age, and ``net`` before.

kernels/redraw.py resamples what a seat does not know. The utility of the end is half the win share plus a small amount
per point of lead over the best rival (over the best rival team in team games).
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, stack_room
from wsim.kernels.searching import LEAD, NEVER, WINNING, SearchHooks, searching
from wsim.wonders.kernels.layout import CHOICE, HOW_AT, STATE
from wsim.wonders.kernels.listing import restrict
from wsim.wonders.kernels.moves import action_of, card_of
from wsim.wonders.kernels.redraw import redraw_within
from wsim.wonders.kernels.steps import STEPS
from wsim.wonders.policies.net import net_values
from wsim.wonders.policies.net_inputs import MAX_CANDIDATES
from wsim.wonders.policies.weighted import move_values
from wsim.wonders.words import AGES, BUILD, CARDS, EFFECT, LOSS, PARAMETERS, SELL, TURN, TURNS

_POINT = 0.05  # utility of a point of value according to the weights
_PASTS = 100  # tries to sample a past that matches the discard pile that was seen; later ones need not match it
_SEAT_AT, _AGE_AT, _TURN_AT, _KIND_AT = np.uint64(40), np.uint64(44), np.uint64(46), np.uint64(50)  # in a deed
_THREE, _NIBBLE = np.uint64(3), np.uint64(0xF)
_SAME = np.uint64((1 << HOW_AT) - 1)  # the fields of a move for card and action

# By age and turn, measured with four players who are all `net`, first edition, in utility squared: the variance of a
# playout, that of the errors of the net's values, and the limit of playouts as a multiple of the parameter. Its mean is
# 2, because about half of the playouts are spared by dropping moves (docs/search.md#how-it-thinks).
_NOISE = np.array(
    [
        [0.092, 0.089, 0.077, 0.066, 0.064, 0.048],
        [0.053, 0.047, 0.041, 0.042, 0.026, 0.023],
        [0.020, 0.018, 0.0086, 0.0013, 0.0015, 0.0007],
    ]
)
_ERROR = np.array(
    [
        [0.0014, 0.0024, 0.0056, 0.0035, 0.0022, 0.0008],
        [0.0025, 0.0029, 0.0059, 0.0060, 0.0028, 0.0023],
        [0.0031, 0.0046, 0.0142, 0.0153, 0.0148, 0.0091],
    ]
)
_SHARE = np.array(
    [
        [0.2, 1.2, 5.2, 3.8, 1.2, 0.2],
        [0.6, 1.2, 5.2, 5.2, 3.8, 1.6],
        [1.4, 1.4, 1.4, 1.2, 1.2, 0.8],
    ]
)
_MEASURED = _SHARE.shape[1]  # turns of an age


_places_room = stack_room("search.places", np.int64, MAX_CANDIDATES)
_learned_room = stack_room("search.learned", np.float32, MAX_CANDIDATES)


@kernel
def _values(game, rules, settings, seat):
    """Fill the value of each legal move: that of the net, or of the weights for losses and decisions of clauses."""
    choice, values = game.choice, game.lookahead.values
    if choice.kind == LOSS or choice.kind == EFFECT:
        move_values(game.public, settings, choice, rules, values)
        for index in range(choice.count):
            values[index] = _POINT * values[index] if choice.seat == seat else -float(index)
        return
    places, learned = _places_room(), _learned_room()
    count = net_values(game.public, game.own[seat], choice, rules, settings, places, learned)
    for index in range(choice.count):
        values[index] = NEVER
    for place in range(count):
        values[places[place]] = learned[place]


@kernel
def _share(public, choice, rules, light):
    """Return the share of the playouts, the noise of one and the error of the prior at a decision.

    Turns are counted from the end of an age, where most hands are known. Decisions outside turns, such as a build from
    the discard pile, get the mean. A light search thinks only in the last age, where playouts are short and most
    informative.
    """
    turn = min(max(public.turn + _MEASURED - rules.age_turns[public.age], 0), _MEASURED - 1)
    part = _SHARE[public.age, turn] if choice.kind == TURN else 1.0
    if light and public.age < AGES - 1:
        part = 0.0
    return part, _NOISE[public.age, turn], _ERROR[public.age, turn]


@kernel
def _alike(choice, first, second):
    """Return whether two moves use the same card in the same way; payments of a loss and options are different."""
    return choice.kind != LOSS and choice.kind != EFFECT and choice.moves[first] & _SAME == choice.moves[second] & _SAME


@kernel
def _moment(public, choice):
    """Return a number that identifies what the table has seen and the current decision."""
    turn = public.age * (TURNS + 1) + public.turn
    return (((turn << 10 | public.deed_count) << 4 | choice.seat) << 4 | choice.kind) << 12 | choice.count


@kernel
def _redraw(game, rules, seed, number, seat):
    """Resample what the seat does not know; a pile that it saw long ago need not match exactly."""
    redraw_within(game, rules, seed, number, seat, _PASTS)


@kernel
def _points(game, rules, seat):
    """Return the points of a player, or of the mean member of its team."""
    total = game.result.total
    return (total[seat] + total[seat ^ 1]) / 2.0 if rules.teams else float(total[seat])


@kernel
def _utility(game, rules, seat):
    best = -1e9
    for other in range(rules.players):
        if other != seat and not (rules.teams and other == seat ^ 1):
            best = max(best, _points(game, rules, other))
    return WINNING * game.result.share[seat] + LEAD * (_points(game, rules, seat) - best)


@kernel
def _at_once(game, rules):
    """Return a number of the turn if the current decision is a turn; 0 otherwise and in the two-player game."""
    if rules.duo or game.choice.kind != TURN:
        return 0
    return 1 + game.public.age * (TURNS + 1) + game.public.turn


@kernel
def _shown(move):
    """Return the public part of a move: the card that is built, a stage, a sale."""
    action = action_of(move)
    return card_of(move) if action == BUILD else CARDS + (action == SELL)


@kernel
def _foretold(game, rules, move):
    """Return the future public part of a move of a turn."""
    return _shown(move) if _at_once(game, rules) == game.lookahead.when else -1


@kernel
def _seen(game, rules, seat, when):
    """Return the public part of a seat's move in a turn."""
    public = game.public
    for back in range(public.deed_count):
        deed = public.deeds[public.deed_count - 1 - back]
        age, turn = np.int64(deed >> _AGE_AT & _THREE), np.int64(deed >> _TURN_AT & _NIBBLE)
        at = 1 + age * (TURNS + 1) + turn
        if at < when:
            break
        if at == when and np.int64(deed >> _SEAT_AT & _NIBBLE) == seat and np.int64(deed >> _KIND_AT) == TURN:
            return _shown(deed)
    return -1


search = searching(
    SearchHooks(
        state=STATE,
        choice=CHOICE,
        values=_values,
        share=_share,
        alike=_alike,
        at_once=_at_once,
        foretold=_foretold,
        seen=_seen,
        moment=_moment,
        redraw=_redraw,
        take=STEPS.hooks.take,
        next_decision=STEPS.hooks.next_decision,
        restrict=restrict,
        utility=_utility,
        parameters=PARAMETERS,
    )
)
