"""Playing with policies: the kernels that call a line-up, continue to a phase, and play whole games.

A policy is called only if more than one move is legal, so a forced move uses no random number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wsim.jit import call, entry_point, kernel
from wsim.kernels.heads import NOBODY, RECORD_PICKS, Types
from wsim.kernels.overruling import overruling


@kernel
def nothing_forbidden(game, rules, seating):
    """Default hook: leave out no legal move."""


@kernel
def nothing_denied(game, thing):
    """Default hook: a seat may later obtain a thing about which it was overruled."""


@kernel
def alike(game, move):
    """Default hook: overrule all moves with the probability of the seat."""
    return 1.0


@kernel
def as_picked(game, rules, seating, seat, index, stream):
    """Default hook: play the move that the policy chose."""
    return index


@kernel
def as_answered(game, rules, seating, line_up, seat, index):
    """Play the move that a policy picked, in a game whose plans do not overrule policies."""
    return index


@kernel
def no_picks(game, picks, filled, number):
    """Default hook: write no picks."""
    return filled


@dataclass(frozen=True)
class EngineHooks:
    """What only the game knows: kernels.

    Attributes ---------- set_up: (game, rules, seating, number) -> sets the table for a game. next_decision: (game,
    rules, until) -> runs on to a decision, lists its moves, returns the seat that decides; NOBODY in a phase of the
    mask ``until`` or at the end. take: (game, rules, move) -> makes a move. write_rows: (game, rules, rows, start,
    number) -> writes the rows of a game that is over. write_picks: (game, picks, written, number) -> copies its
    decisions to the picks; returns the new length. settle: (game, rules, seating, seat, index, stream) -> the final
    index after a policy picked ``index`` with its random stream at ``stream``: logs it, or replaces it in an
    experiment. restrict: (game, rules, seating) -> leaves out legal moves that the plan forbids. over: the mask of the
    last phase, of a game that can be stopped in one. thing_of: (game, move, wide) -> the number of what a move is
    about, -1 for nothing; of a game whose plans may overrule policies (``wsim.kernels.overruling``). Its GAME has
    ``wish`` and ``hidden.dice``, its SEATING ``overrule``. deny: (game, thing) -> takes a thing that a seat was
    overruled about from it for the rest of the game. part_overruled: (game, move) -> the part of the seat's chance with
    which a wish for this move is overruled. memory: how many numbers a policy may keep, of such a game.
    """

    set_up: Any
    next_decision: Any
    take: Any
    write_rows: Any
    write_picks: Any = no_picks
    settle: Any = as_picked
    restrict: Any = nothing_forbidden
    over: int = 0
    thing_of: Any = None
    deny: Any = nothing_denied
    part_overruled: Any = alike
    memory: int = 0


class Engine(NamedTuple):
    """Kernels.

    Attributes ---------- hooks: of the game. types: of the game. picked: (game, rules, seating, line_up, seat) -> the
    index that the seat's entry of the line-up picks; -1 instead of a wrong one, which is noted in ``game.answer``.
    decide: (game, rules, seating, line_up, seat) -> the index of the move that is made, of the moves allowed; or -1.
    settle_answer: (game, rules, seating, line_up, seat, index, stream) -> the same, of a policy that answers later:
    ``decide`` returned -1, the policy picked ``index``, and its random stream was at ``stream`` before. play_until:
    (game, rules, seating, line_up, until) -> whether every policy returned a legal index up to there. begin: (game,
    rules, seating, number) -> sets the table for a game after one of any line-up.
    """

    hooks: EngineHooks
    types: Types
    picked: Any
    decide: Any
    settle_answer: Any
    play_until: Any
    begin: Any


inner: Any = None  # what ``entry_point`` puts there


def play_chunk(game, rules, seating, line_up, first, rows, picks, recording):
    """Play ``len(rows) // seats`` games from number ``first`` on."""
    return inner(game, rules, seating, line_up, first, rows, picks, recording)


@kernel(inline=True)
def _picked(game, rules, seating, line_up, seat, searches):
    """Return the index that a seat's line-up entry picks, -1 for an invalid one, and record which entry was called."""
    own, choice = game.own[seat], game.choice
    entry, answer = own.entrant, game.answer
    answer.asked += 1
    answer.entry, answer.seat = entry, seat
    if searches:
        answer.searching = 1
        index = call(line_up[entry], game, rules, seating, line_up, seat)
        answer.searching = 0
    else:
        index = call(line_up[entry], game.public, own, choice, rules, seating.settings[seating.settings_at[entry]])
    if index < 0 or index >= choice.count:
        answer.wrong = 1
        answer.index, answer.count = index, choice.count
        return np.int64(-1)
    return index


@kernel(inline=True)
def picked(game, rules, seating, line_up, seat):
    """Return the index that a seat's line-up entry picks, -1 for an invalid one."""
    return _picked(game, rules, seating, line_up, seat, seating.pool_size[game.own[seat].entrant] != 0)


def loading(parameters: int) -> Any:
    """Return the kernel that assigns a line-up entry to a seat, for policies with this many parameters."""

    @kernel
    def load_entrant(own, seating, entrant):
        """Copy the parameters of a line-up entry to the seat that it plays."""
        own.entrant = entrant
        for i in range(parameters):
            own.parameters[i] = seating.parameters[entrant, i]

    return load_entrant


@kernel
def forget_entrants(game, rules):
    """Record that no seat has the parameters of a line-up entry."""
    for seat in range(rules.seats):
        game.own[seat].entrant = -1


def _asking(overruled: Any) -> Any:
    """Return the kernel that calls a policy in a game whose plans may overrule it."""

    @kernel(rare=True)
    def ask_apart(game, rules, seating, line_up, seat):
        """Return the final index of a policy that searches or may be overruled."""
        if seating.overrule[seat] > 0.0:
            return overruled(game, rules, seating, line_up, seat)
        return picked(game, rules, seating, line_up, seat)

    @kernel(inline=True)
    def ask(game, rules, seating, line_up, seat):
        """Return the final index after a policy's pick; -1 for an invalid one.

        All rare cases share one branch: a second one made random games of Tower of Babel a sixth slower.
        """
        if seating.pool_size[game.own[seat].entrant] | np.int64(seating.overrule[seat] > 0.0):
            return ask_apart(game, rules, seating, line_up, seat)
        return _picked(game, rules, seating, line_up, seat, False)

    return ask


def _resuming(resume_overruled: Any) -> Any:
    """Return the kernel that continues with a policy's answer in a game whose plans may overrule it."""

    @kernel
    def resume(game, rules, seating, line_up, seat, index):
        """Return the final index of a policy that answered later; -1 if it is asked again."""
        if seating.overrule[seat] > 0.0:
            return resume_overruled(game, rules, seating, line_up, seat, index)
        return index

    return resume


def engine_of(hooks: EngineHooks, types: Types) -> Engine:
    """Return the kernels that continue a game."""
    set_up, next_decision, take = hooks.set_up, hooks.next_decision, hooks.take
    restrict, settle = hooks.restrict, hooks.settle
    overruled = None if hooks.thing_of is None else overruling(hooks, picked)
    ask = picked if overruled is None else _asking(overruled.ask)
    resume = as_answered if overruled is None else _resuming(overruled.resume)

    @kernel(inline=True)
    def decide(game, rules, seating, line_up, seat):
        """Let the policy of a seat pick a legal move; return its index, -1 for an invalid one."""
        restrict(game, rules, seating)
        index, stream = np.int64(0), game.own[seat].rng
        if game.choice.count > 1:
            index = ask(game, rules, seating, line_up, seat)
            if index < 0:
                return index
        return settle(game, rules, seating, seat, index, stream)

    @kernel
    def play_until(game, rules, seating, line_up, until):
        """Continue with policies up to a phase; return whether every policy returned a legal index."""
        while True:
            seat = next_decision(game, rules, until)
            if seat == NOBODY:
                return True
            index = decide(game, rules, seating, line_up, seat)
            if index < 0:
                return False
            take(game, rules, game.choice.moves[index])

    @kernel
    def begin(game, rules, seating, number):
        """Set the table for a game; forget the parameters of the previous line-up."""
        forget_entrants(game, rules)
        game.answer.number, game.answer.searching = number, 0
        set_up(game, rules, seating, number)

    @kernel
    def settle_answer(game, rules, seating, line_up, seat, index, stream):
        """Return the final index for a policy that answers later; -1 if it is asked again."""
        index = resume(game, rules, seating, line_up, seat, index)
        if index < 0:
            return index
        return settle(game, rules, seating, seat, index, stream)

    return Engine(hooks, types, picked, decide, settle_answer, play_until, begin)


def chunk_of(engine: Engine, row: Any, pick: Any) -> Any:
    """Return the entry point that plays whole games; ``row``, ``pick``: the types of the records that are written.

    (game, rules, seating, line_up, first, rows, picks, recording) -> plays ``len(rows) // seats`` games from number
    ``first`` on; returns the picks written, or -1 - the number of a game with a wrong index. With RECORD_PICKS there is
    room for all picks; with RECORD_ALL the log of the last game is left in the game. It is compiled where it is
    created, in a module that is not imported for stepping games.
    """
    hooks, play_until = engine.hooks, engine.play_until
    set_up, over, write_rows, write_picks = hooks.set_up, hooks.over, hooks.write_rows, hooks.write_picks

    @kernel
    def play_games(game, rules, seating, line_up, first, rows, picks, recording):
        """Play games from number ``first`` on; return the picks written, or -1 - the number of a game that failed."""
        filled = 0
        game.answer.wrong = 0
        game.log.recording = recording
        forget_entrants(game, rules)
        for place in range(rows.shape[0] // rules.seats):
            number = first + place
            game.answer.number, game.answer.searching = number, 0
            set_up(game, rules, seating, number)
            if not play_until(game, rules, seating, line_up, over):
                return -1 - number
            write_rows(game, rules, rows, place * rules.seats, number)
            if recording == RECORD_PICKS:
                filled = write_picks(game, picks, filled, number)
        return filled

    made = entry_point(play_chunk, play_games)
    return kernel(engine.types.chunk(row, pick), package=engine.types.package)(made)
