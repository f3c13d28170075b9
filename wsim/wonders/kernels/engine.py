"""Whole games: the machine of flow.py with policies, and the chunk kernel that plays many games.

A game is a function of (seed, game number, seating, rules). Random numbers come from the streams of wsim/rng.py: 0-2
deal the ages, 3 sets the table, 4 + seat belongs to the policy of the seat, 12 to randomised picks. A policy is asked
only where more than one move is legal, so a forced move costs no random number.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import call, kernel, types
from wsim.rng import below, uniform
from wsim.wonders.kernels.flow import advance, list_choice, take
from wsim.wonders.kernels.layout import CHOOSE, LINE_UP, LOG_PICK, NOBODY, OVER, Game, Pick, Row, Rules, Seating
from wsim.wonders.kernels.log import log_pick
from wsim.wonders.kernels.moves import NO_MOVE, keep_allowed
from wsim.wonders.kernels.rows import write_rows
from wsim.wonders.kernels.setup import set_table
from wsim.wonders.words import EXPLORE, HAND, LAST_CARD, LOSS, TURN

__all__ = ["ask", "picked", "play_chunk", "play_game", "play_until"]


@kernel
def picked(game, rules, seating, line_up, decider):
    """Return the index that a seat's entry of the line-up picks; -1 instead of a wrong one, which is noted."""
    public, choice = game.public, game.choice
    entry = public.policy[decider]
    if seating.pool_size[entry]:
        index = call(line_up[entry], game, rules, seating, line_up, decider)
    else:
        index = call(
            line_up[entry], public, game.own[decider], choice, rules, seating.settings[seating.settings_at[entry]]
        )
    if index < 0 or index >= choice.count:
        game.error[0], game.error[1], game.error[2], game.error[3] = 1, decider, index, choice.count
        return np.int64(-1)
    return index


@kernel
def ask(game, rules, seating, line_up, decider):
    """Let the policy of a seat pick one of the legal moves; return the move, NO_MOVE after a wrong index."""
    choice = game.choice
    if seating.experiment:
        keep_allowed(game, rules, seating, choice.seat)
    index, randomised, probability = np.int64(0), False, 1.0
    stream = game.own[decider].rng
    if choice.count > 1:
        index = picked(game, rules, seating, line_up, decider)
        if index < 0:
            return NO_MOVE
        if seating.experiment and choice.kind <= LAST_CARD:
            index, randomised, probability = randomise(game, seating.randomise[decider], index)
    if game.log.keeping:
        if choice.count > 1 and explored(choice, game.own[decider], stream):
            randomised, probability = True, 1.0 / choice.count
        log_pick(game, rules, decider, index, randomised, probability)
    return choice.moves[index]


@kernel
def explored(choice, own, stream):
    """Return whether the policy's own ``explore`` drew the pick: its first draw, from where the stream stood before."""
    chance, after = own.parameters[EXPLORE], own.rng
    if chance <= 0.0 or choice.kind == LOSS:
        return False
    own.rng = stream
    drawn = uniform(own) < chance
    own.rng = after
    return drawn


@kernel
def randomise(game, chance, wanted):
    """Replace a pick by a uniform one with some chance; return (index, whether it was replaced, its probability)."""
    hidden, count = game.hidden, game.choice.count
    index, randomised = wanted, False
    if chance > 0.0 and uniform(hidden.dice) < chance:
        index = below(hidden.dice, count)
        randomised = True
    return index, randomised, chance / count + (1.0 - chance if index == wanted else 0.0)


@kernel
def play_until(game, rules, seating, line_up, until):
    """Play on with policies up to a phase of the mask ``until``; return whether every policy returned a legal index."""
    flow = game.flow
    while True:
        # nine decisions of ten: listed as advance would, without entering it (7 % of the time of a game)
        if flow.phase == CHOOSE and flow.seat < flow.end:
            decider = list_choice(game, rules, flow.seat, TURN)
        else:
            decider = advance(game, rules, until)
        if decider == NOBODY:
            return True
        move = ask(game, rules, seating, line_up, decider)
        if move == NO_MOVE:
            return False
        take(game, rules, move)


@kernel
def play_game(game, rules, seating, line_up, number):
    """Play one game to its scores; return whether every policy returned a legal index."""
    set_table(game, rules, seating, number)
    return play_until(game, rules, seating, line_up, 1 << OVER)


@kernel
def _copy_picks(game, number, picks, written):
    """Copy the decisions of the game's log to the picks; return the new length."""
    log = game.log
    for i in range(log.count):
        event = log.events[i]
        if event.kind == LOG_PICK and event.decision != LOSS and written < picks.shape[0]:
            pick = picks[written]
            pick.game = number
            _copy_event(pick.event, event)
            written += 1
    return written


@kernel
def _copy_event(target, event):
    """Copy one event."""
    target.kind, target.age, target.turn, target.seat = event.kind, event.age, event.turn, event.seat
    target.decision, target.legal, target.index = event.decision, event.legal, event.index
    target.randomised, target.probability = event.randomised, event.probability
    target.move, target.hand = event.move, event.hand
    for i in range(HAND):
        target.ways[i] = event.ways[i]


@kernel(types.int64(Game, Rules, Seating, LINE_UP, types.int64, types.Array(Row, 1, "C"), types.Array(Pick, 1, "C")))
def play_chunk(game, rules, seating, line_up, first, rows, picks):
    """Play ``len(rows) // seats`` games from number ``first`` on; return the picks written, or -1 - game."""
    written = 0
    game.error[0] = 0
    game.log.keeping = 1 if picks.shape[0] > 0 else 0
    for seat in range(rules.seats):
        game.own[seat].entrant = -1
    for g in range(rows.shape[0] // rules.seats):
        number = first + g
        if not play_game(game, rules, seating, line_up, number):
            return -1 - number
        write_rows(game, rules, rows, g * rules.seats, number)
        if game.log.keeping:
            written = _copy_picks(game, number, picks, written)
    return written
