"""One entry point for many games at once: every caller's decision carried out, every game run on to the next one."""

from __future__ import annotations

from wsim.babel.kernels.deal import set_up
from wsim.babel.kernels.desks import Desk, Orders, fixed_action, move_of
from wsim.babel.kernels.engine import ask
from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.layout import LINE_UP, NOBODY, STATE, Game, Rules, Seating
from wsim.babel.kernels.observe import observe
from wsim.babel.words import OFFER
from wsim.jit import kernel, types

__all__ = ["step_games"]

ALL_WELL, WRONG = -1, -2
_STATE_WORDS = STATE.itemsize // 8
_ACTIONS_A_TURN = 16  # more than there are Double turns
Words = types.Array(types.uint64, 1, "C")
States = types.Array(types.uint64, 2, "C")
Seen = types.Array(types.int16, 2, "C")
Masks = types.Array(types.uint8, 2, "C")


@kernel
def _run_on(game, rules, seating, line_up, callers):
    """Run on to a decision of a caller with a choice; return the player, NOBODY at the end, WRONG for a wrong index."""
    while True:
        decider = advance(game, rules, 0)
        if decider == NOBODY:
            return NOBODY
        index = 0
        if callers >> decider & 1:
            if game.choice.count > 1:
                return decider
        else:
            index = ask(game, rules, seating, line_up, decider)
            if index < 0:
                return WRONG
        take(game, rules, game.choice.moves[index])


@kernel
def _begin(game, rules, seating, number):
    """Set up a game."""
    for seat in range(rules.seats):
        game.own[seat].entrant = -1
    set_up(game, rules, seating, number)


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
    public, choice = game.public, game.choice
    desk.kind = choice.kind
    if choice.kind == OFFER and not rules.allow_bluff_cards:
        desk.moment = public.turn * _ACTIONS_A_TURN + public.action
    observe(game, rules, decider, seen[place])
    for index in range(choice.count):
        masks[place, fixed_action(choice.kind, choice.moves[index]) if orders.fixed else index] = 1


@kernel
def _step(game, rules, seating, line_up, orders, desk):
    """Step one game and, where it ends, begin the next; return who decides, NOBODY at the end, WRONG."""
    if orders.begin:
        _begin(game, rules, seating, desk.number)
    else:
        advance(game, rules, 0)
        choice = game.choice
        take(game, rules, move_of(choice, desk.action) if orders.fixed else choice.moves[desk.action])
    while True:
        decider = _run_on(game, rules, seating, line_up, orders.callers)
        if decider != NOBODY:
            return decider
        desk.over = 1
        for seat in range(rules.seats):
            desk.score[seat] = game.public.points[seat]
            desk.share[seat] = game.hidden.tally[seat].share
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
        for word in range(_STATE_WORDS):
            words[word] = states[place, word]
        decider = _step(game, rules, seating, line_up, orders, desk)
        if decider == WRONG:
            return place
        for word in range(_STATE_WORDS):
            states[place, word] = words[word]
        _write(game, rules, orders, desk, decider, seen, masks, place)
    return ALL_WELL
