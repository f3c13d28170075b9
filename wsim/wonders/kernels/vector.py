"""One entry point for many games at once: every caller's decision carried out, every game run on to the next one."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, types
from wsim.wonders.kernels.desks import Desk, Orders, cheapest, fixed_action
from wsim.wonders.kernels.engine import ask
from wsim.wonders.kernels.flow import advance, list_choice, take
from wsim.wonders.kernels.layout import CHOOSE, LINE_UP, NOBODY, PRIVATE, PUBLIC, STATE, Game, Rules, Seating
from wsim.wonders.kernels.moves import NO_MOVE
from wsim.wonders.kernels.observe import observe
from wsim.wonders.kernels.setup import set_table
from wsim.wonders.words import FREE_CITY, LAST_CARD, SWITCH_NUMBER, TURN, TURNS

__all__ = ["step_games"]

ALL_WELL, WRONG = -1, -2
Words = types.Array(types.uint64, 1, "C")
States = types.Array(types.uint64, 2, "C")
Seen = types.Array(types.int16, 2, "C")
Masks = types.Array(types.uint8, 2, "C")
# places in a state, in words, without a sign: an index that may be negative is looked at word for word
_DEED_COUNT, _DEEDS = (np.uint64(dict(PUBLIC.fields or {})[field][1] // 8) for field in ("deed_count", "deeds"))
_OWN, _HIDDEN, _BEFORE = (np.uint64(dict(STATE.fields or {})[part][1] // 8) for part in ("own", "hidden", "before"))
_SEAT_WORDS, _STATE_WORDS = (np.uint64(dtype.itemsize // 8) for dtype in (PRIVATE, STATE))
_NONE = np.uint64(0)
_LAST_ON_NEW_STATE = SWITCH_NUMBER["last_card_on_new_state"]
assert STATE.names == ("public", "own", "hidden", "flow", "before"), "what _copy_state leaves out"
assert tuple(PUBLIC.names or ())[-1] == "deeds"


@kernel
def _copy(source, target, first, end):
    """Copy some words."""
    for word in range(first, end):
        target[word] = source[word]


@kernel
def _copy_state(source, target, rules, deeds):
    """Copy what a state holds so far: half of it is room for deeds to come, for more seats, for one switch (R9.5)."""
    _copy(source, target, _NONE, _DEEDS + np.uint64(deeds))
    _copy(source, target, _OWN, _OWN + np.uint64(rules.seats) * _SEAT_WORDS)
    _copy(source, target, _HIDDEN, _STATE_WORDS if rules.switch[_LAST_ON_NEW_STATE] == 0 else _BEFORE)


@kernel
def _next_decision(game, rules):
    """List the next decision as ``advance`` would; return the player who decides."""
    flow = game.flow
    if flow.phase == CHOOSE and flow.seat < flow.end:
        return list_choice(game, rules, flow.seat, TURN)
    return advance(game, rules, 0)


@kernel
def _run_on(game, rules, seating, line_up, callers):
    """Run on to a decision of a caller with a choice; return the player, NOBODY at the end, WRONG for a wrong index."""
    while True:
        decider = _next_decision(game, rules)
        if decider == NOBODY:
            return NOBODY
        if callers >> decider & 1:
            if game.choice.count > 1:
                return decider
            move = game.choice.moves[0]
        else:
            move = ask(game, rules, seating, line_up, decider)
            if move == NO_MOVE:
                return WRONG
        take(game, rules, move)


@kernel
def _begin(game, rules, seating, number):
    """Set the table for a game."""
    for seat in range(rules.seats):
        game.own[seat].entrant = -1
    set_table(game, rules, seating, number)


@kernel
def _decided(game, rules, orders, action):
    """Return the move of an action."""
    if orders.fixed:
        return cheapest(game.choice, rules.cards, action)
    return game.choice.moves[action]


@kernel
def _moment(game, rules, decider):
    """Return the moment of a decision: players choose at the same time, but for the holder of a Free City (R45)."""
    public, kind = game.public, game.choice.kind
    if (kind != TURN and kind != LAST_CARD) or (rules.duo and game.hidden.holder == decider):
        return NOBODY
    return ((public.age * (TURNS + 1) + public.turn) * (FREE_CITY + 1)) + kind


@kernel
def _write(game, rules, orders, desk, decider, seen, masks, place):
    """Write what the caller gets of a game: who decides, what that seat sees, which actions it has."""
    desk.seat = decider
    desk.kind = desk.moment = NOBODY
    for action in range(masks.shape[1]):
        masks[place, action] = 0
    if decider == NOBODY:
        for number in range(seen.shape[1]):
            seen[place, number] = 0
        return
    choice = game.choice
    desk.kind = choice.kind
    desk.moment = _moment(game, rules, decider)
    observe(game, rules, decider, seen[place])
    for index in range(choice.count):
        masks[place, fixed_action(choice.moves[index], rules.cards) if orders.fixed else index] = 1


@kernel
def _step(game, rules, seating, line_up, orders, desk):
    """Step one game and, where it ends, begin the next; return who decides, NOBODY at the end, WRONG."""
    if orders.begin:
        _begin(game, rules, seating, desk.number)
    else:
        _next_decision(game, rules)
        take(game, rules, _decided(game, rules, orders, desk.action))
    while True:
        decider = _run_on(game, rules, seating, line_up, orders.callers)
        if decider != NOBODY:
            return decider
        desk.over = 1
        for seat in range(rules.seats):
            desk.score[seat] = game.result.total[seat]
            desk.share[seat] = game.result.share[seat]
        if orders.stride == 0:
            return NOBODY
        desk.number += orders.stride
        _begin(game, rules, seating, desk.number)


@kernel(types.int64(Game, Words, States, Rules, Seating, LINE_UP, Orders, types.Array(Desk, 1, "C"), Seen, Masks))
def step_games(game, words, states, rules, seating, line_up, orders, desks, seen, masks):
    """Step every game that is not over; return ALL_WELL, or the place of the game in which a policy was wrong.

    ``words`` is the same memory as ``game``. Row i of states, seen and masks belongs to desk i.
    """
    game.error[0] = 0
    game.log.keeping = 0
    for place in range(desks.shape[0]):
        desk = desks[place]
        desk.over = 0
        if desk.seat == NOBODY and not orders.begin:
            continue
        state = states[place]
        _copy_state(state, words, rules, np.int64(state[_DEED_COUNT]))
        decider = _step(game, rules, seating, line_up, orders, desk)
        if decider == WRONG:
            return place
        _copy_state(words, state, rules, game.public.deed_count)
        _write(game, rules, orders, desk, decider, seen, masks, place)
    return ALL_WELL
