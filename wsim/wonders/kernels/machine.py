"""One entry point for positions: begin, step, redraw what is hidden, play out, compare moves, observe."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, types
from wsim.positions.commands import ASK, BEGIN, COMPARE, COUNT, EVERYTHING, FOLLOW, LAY, OBSERVE, PLAY_OUT, REDRAW, STEP
from wsim.rng import SEAT_STREAM, seek
from wsim.wonders.kernels.engine import ask, picked, play_until
from wsim.wonders.kernels.flow import advance, take
from wsim.wonders.kernels.layout import LINE_UP, NOBODY, OVER, STATE, Game, Rules, Seating
from wsim.wonders.kernels.moves import NO_MOVE
from wsim.wonders.kernels.observe import observe
from wsim.wonders.kernels.redraw import redraw
from wsim.wonders.kernels.scoring import score_game
from wsim.wonders.kernels.setup import DICE_STREAM, load_entrant, set_table
from wsim.wonders.kernels.turn import add_effects, add_structure
from wsim.wonders.words import STAGE_ENTRY

__all__ = ["run_machine"]

_STATE_WORDS = STATE.itemsize // 8
Words = types.Array(types.uint64, 1, "C")
Outcomes = types.Array(types.float64, 3, "C")
Seen = types.Array(types.int16, 1, "C")


@kernel
def copy_words(source, target):
    """Copy the words of a position."""
    for word in range(_STATE_WORDS):
        target[word] = source[word]


@kernel
def seat_players(game, rules, seating, seed, number):
    """Let the line-up play on from here, with random streams of its own: policies, randomised picks, deals to come."""
    public, hidden = game.public, game.hidden
    hidden.seed, hidden.number = seed, number
    seek(hidden.dice, seed, number, DICE_STREAM)
    for seat in range(rules.players):
        own = game.own[seat]
        public.policy[seat] = seat % seating.entries
        load_entrant(own, seating, public.policy[seat])
        seek(own, seed, number, SEAT_STREAM + seat)


@kernel
def _write_outcome(game, rules, outcomes, row):
    """Write (score, share of the victory) of every seat of a game that is over into a row."""
    for one in range(rules.seats):
        outcomes[row, one, 0] = game.result.total[one]
        outcomes[row, one, 1] = game.result.share[one]


@kernel
def _play_out(game, words, state, rules, seating, line_up, number, seat, seed, outcomes):
    """Play a position to its end once for each row of outcomes: (score, share of the victory) of every seat."""
    for playout in range(outcomes.shape[0]):
        copy_words(state, words)
        if seat != EVERYTHING:
            redraw(game, rules, seed, number + playout, seat)
        seat_players(game, rules, seating, seed, number + playout)
        if not play_until(game, rules, seating, line_up, 1 << OVER):
            return -1
        _write_outcome(game, rules, outcomes, playout)
    return 0


@kernel
def _compare(game, words, state, rules, seating, line_up, number, seat, seed, outcomes, moves):
    """Make each of some moves and play on, again and again, all of them from the same redrawn cards and streams.

    The rows of outcomes are those of ``_play_out``, move by move for each redrawing, which is kept behind the state.
    """
    redrawn = state[_STATE_WORDS:]
    for playout in range(outcomes.shape[0] // moves.shape[0]):
        copy_words(state, words)
        if seat != EVERYTHING:
            redraw(game, rules, seed, number + playout, seat)
        copy_words(words, redrawn)
        for place in range(moves.shape[0]):
            copy_words(redrawn, words)
            seat_players(game, rules, seating, seed, number + playout)
            advance(game, rules, 0)
            take(game, rules, game.choice.moves[moves[place]])
            if not play_until(game, rules, seating, line_up, 1 << OVER):
                return -1
            _write_outcome(game, rules, outcomes, playout * moves.shape[0] + place)
    return 0


@kernel
def lay_entry(public, rules, seat, entry):
    """Put a structure or the next stage into a city; nothing else happens."""
    if entry < STAGE_ENTRY:
        add_structure(public, rules, seat, entry)
    else:
        public.stages[seat] += 1
        add_effects(public, rules, seat, entry)


@kernel(types.int64(Game, Words, Words, Rules, Seating, LINE_UP, *[types.int64] * 4, Outcomes, Seen))
def run_machine(game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen):
    """Carry out a command on the position in ``state`` and return the player who decides next, NOBODY at the end.

    ``words`` is the same memory as ``game``. FOLLOW makes ``number`` moves and one more, and leaves the index of the
    last in ``error``. What BEGIN, STEP, FOLLOW and REDRAW change is written back to ``state``.
    """
    game.error[0] = 0
    game.log.keeping = 0
    if command == BEGIN:
        for one in range(rules.seats):
            game.own[one].entrant = -1
        set_table(game, rules, seating, number)
    elif command == PLAY_OUT:
        return _play_out(game, words, state, rules, seating, line_up, number, seat, seed, outcomes)
    elif command == COMPARE:
        return _compare(game, words, state, rules, seating, line_up, number, seat, seed, outcomes, seen)
    else:
        copy_words(state, words)
    if command == OBSERVE:
        game.choice.count = 0
        advance(game, rules, 0)
        observe(game, rules, seat, seen)
        return seat
    if command == COUNT:
        score_game(game, rules)
        return NOBODY
    if command == LAY:
        lay_entry(game.public, rules, seat, number)
        copy_words(words, state)
        return seat
    if command == REDRAW:
        redraw(game, rules, seed, number, seat)
    decider = advance(game, rules, 0)
    if command == ASK:
        seat_players(game, rules, seating, seed, number)
        return picked(game, rules, seating, line_up, decider) if game.choice.count > 1 else np.int64(0)
    for _ in range(number + 1 if command == FOLLOW and decider != NOBODY else 0):
        move = ask(game, rules, seating, line_up, decider)
        if move == NO_MOVE:
            return NOBODY
        for index in range(game.choice.count):
            if game.choice.moves[index] == move:
                game.error[2] = index
        take(game, rules, move)
        decider = advance(game, rules, 0)
        if decider == NOBODY:
            break
    if command == STEP:
        take(game, rules, game.choice.moves[number])
        decider = advance(game, rules, 0)
    copy_words(words, state)
    return decider
