"""Commands on a position, and the kernel that executes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wsim.jit import entry_point, kernel
from wsim.kernels.engine import Engine
from wsim.kernels.heads import NOBODY, copying

BEGIN, STEP, LOOK, PLAY_OUT, REDRAW, OBSERVE, FOLLOW, DECIDE, ADD, COUNT, COMPARE = range(11)
"""Set up game ``number``; make move ``number``; list the moves; play to the end once per outcome, from ``number`` on;
resample what a seat cannot know; write what a seat may know; make the move of the plan's own policy; return what a
line-up would do; add a part of a position, if the game supports that; count the points of every seat as if the game
ended here, if they are not stored in the state; play to the end after each of the moves in ``seen``, for each
redrawing.
"""
EVERYTHING = -1
"""As a seat number: nothing is resampled."""


@kernel
def nothing_added(game, rules, seat, what):
    """Add nothing: default hook for a game without ADD."""


@kernel
def nothing_counted(game, rules):
    """Count nothing: default hook for a game whose state contains the points."""


@dataclass(frozen=True)
class CommandHooks:
    """The kernels that each game provides.

    Attributes
    ----------
    redraw: (game, rules, seed, number, seat) -> resamples all that the seat cannot know.
    seat_players: (game, rules, seating, seed, number) -> lets the line-up play on, with its own random streams.
    observe: (game, rules, seat, seen) -> writes what a seat may know.
    outcome: (game, seat) -> (score, share of the victory) of a game that is over.
    add: (game, rules, seat, what) -> adds a part of a position that a person sets up (ADD).
    count: (game, rules) -> counts the points (COUNT).
    """

    redraw: Any
    seat_players: Any
    observe: Any
    outcome: Any
    add: Any = nothing_added
    count: Any = nothing_counted


inner: Any = None  # what ``entry_point`` puts there


def run_machine(game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen):
    """Carry out a command on the position in ``state``."""
    return inner(game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen)


def _playing_out(engine: Engine, hooks: CommandHooks) -> tuple[Any, Any]:
    copy, redraw, seat_players, outcome = copying(engine.types.state), hooks.redraw, hooks.seat_players, hooks.outcome
    next_decision, take, over = engine.hooks.next_decision, engine.hooks.take, engine.hooks.over
    play_until = engine.play_until
    state_words = engine.types.state.itemsize // 8

    @kernel
    def write_outcome(game, rules, outcomes, row):
        """Write (score, share of the victory) of every seat of a game that is over into a row."""
        for other_seat in range(rules.seats):
            outcomes[row, other_seat, 0], outcomes[row, other_seat, 1] = outcome(game, other_seat)

    @kernel
    def play_out(game, words, state, rules, seating, line_up, number, seat, seed, outcomes):
        """Play a position to its end once for each row of outcomes: (score, share of the victory) of every seat."""
        for playout in range(outcomes.shape[0]):
            copy(state, words)
            if seat != EVERYTHING:
                redraw(game, rules, seed, number + playout, seat)
            seat_players(game, rules, seating, seed, number + playout)
            if not play_until(game, rules, seating, line_up, over):
                return -1
            write_outcome(game, rules, outcomes, playout)
        return 0

    @kernel
    def compare(game, words, state, rules, seating, line_up, number, seat, seed, outcomes, moves):
        """Make each of some moves and play out the game, repeatedly, always from the same redrawn cards and streams.

        The rows of outcomes are those of PLAY_OUT, move by move for each redrawing, which is kept behind the state.
        """
        redrawn = state[state_words:]
        for playout in range(outcomes.shape[0] // moves.shape[0]):
            copy(state, words)
            if seat != EVERYTHING:
                redraw(game, rules, seed, number + playout, seat)
            copy(words, redrawn)
            for place in range(moves.shape[0]):
                copy(redrawn, words)
                seat_players(game, rules, seating, seed, number + playout)
                next_decision(game, rules, 0)
                take(game, rules, game.choice.moves[moves[place]])
                if not play_until(game, rules, seating, line_up, over):
                    return -1
                write_outcome(game, rules, outcomes, playout * moves.shape[0] + place)
        return 0

    return play_out, compare


def _following(engine: Engine) -> Any:
    next_decision, take, decide = engine.hooks.next_decision, engine.hooks.take, engine.decide

    @kernel
    def follow(game, rules, seating, line_up, decider, moves):
        """Make some moves of the plan's own policies; return the seat that decides next."""
        for _ in range(moves):
            if decider == NOBODY:
                break
            index = decide(game, rules, seating, line_up, decider)
            if index < 0:
                return NOBODY
            game.answer.index = index
            take(game, rules, game.choice.moves[index])
            decider = next_decision(game, rules, 0)
        return decider

    return follow


def commands_of(engine: Engine, hooks: CommandHooks) -> Any:
    """Return the entry point that carries out a command on a position; it returns the next deciding seat, or NOBODY.

    It takes (game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen). ``words`` is
    the same memory as ``game``. FOLLOW makes ``number`` moves and one more, and leaves the index of the last in
    ``game.answer``; DECIDE returns an index. What BEGIN, STEP, FOLLOW, ADD and REDRAW change is written back to
    ``state``.
    """
    copy, (play_out, compare) = copying(engine.types.state), _playing_out(engine, hooks)
    begin, picked, follow = engine.begin, engine.picked, _following(engine)
    next_decision, take = engine.hooks.next_decision, engine.hooks.take
    redraw, observe, seat_players, add, count = (
        hooks.redraw, hooks.observe, hooks.seat_players, hooks.add, hooks.count
    )  # fmt: skip

    @kernel
    def carry_out(game, words, state, rules, seating, line_up, command, number, seat, seed, outcomes, seen):
        game.answer.wrong = game.answer.searching = 0
        game.log.recording = 0
        if command == BEGIN:
            begin(game, rules, seating, number)
        elif command == PLAY_OUT:
            return play_out(game, words, state, rules, seating, line_up, number, seat, seed, outcomes)
        elif command == COMPARE:
            return compare(game, words, state, rules, seating, line_up, number, seat, seed, outcomes, seen)
        else:
            copy(state, words)
        if command == OBSERVE:
            game.choice.count = 0
            next_decision(game, rules, 0)
            observe(game, rules, seat, seen)
            return seat
        if command == COUNT:
            count(game, rules)
            return NOBODY
        if command == ADD:
            add(game, rules, seat, number)
            copy(words, state)
            return seat
        if command == REDRAW:
            redraw(game, rules, seed, number, seat)
        decider = next_decision(game, rules, 0)
        if command == DECIDE:
            seat_players(game, rules, seating, seed, number)
            return picked(game, rules, seating, line_up, decider) if game.choice.count > 1 else np.int64(0)
        if command == FOLLOW:
            decider = follow(game, rules, seating, line_up, decider, number + 1)
            if game.answer.wrong:
                return NOBODY
        elif command == STEP:
            take(game, rules, game.choice.moves[number])
            decider = next_decision(game, rules, 0)
        copy(words, state)
        return decider

    return kernel(engine.types.commands, package=engine.types.package)(entry_point(run_machine, carry_out))
