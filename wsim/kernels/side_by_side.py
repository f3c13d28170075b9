"""Many games side by side, each played up to a decision made by another process (``wsim.policies.isolation``).

The entry point of such a policy answers ``LATER``. Its game then waits, in its own GAME record, and the next game
continues; when no game can continue, the records of all waiting decisions are handed over, and the answers are taken
back. A game that is over makes room for the next. Every game is played exactly as on its own and does not depend on the
others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wsim.jit import copied, copy_head, element_of, entry_point, from_dtype, kernel, taking_back, types
from wsim.kernels.engine import Engine
from wsim.kernels.heads import NOBODY, RECORD_PICKS, TAKEN_BACK

LATER = -2
"""Return value of the entry point of a policy in another process."""
UNUSED, OVER = -1, -2
"""Values of WAITING.place for a record that has played no game yet, and for one without further games."""


def waiting_of(seats: int) -> np.dtype[Any]:
    """Return the record of the decision for which one of the games waits, in a game with at most this many seats."""
    return np.dtype(
        [
            ("place", "i8"),  # of the game among those to be played; UNUSED, OVER
            ("entry", "i8"),  # of the line-up, whose policy decides
            ("seat", "i8"),  # that it plays
            ("count", "i8"),  # legal moves
            ("index", "i8"),  # the answer: an index into the legal moves
            ("stream", "u8"),  # of the seat's random numbers before the decision
            ("asked", "i8"),  # 1: part of the same decision was asked before (``overruling``)
            ("places", "i8", (seats,)),  # by seat: the entry before ``orders``
        ],
        align=True,
    )


PROGRESS = np.dtype(
    [
        ("begun", "i8"),  # games
        ("current", "i8"),  # index of the GAME that is being played
    ],
    align=True,
)


class SideBySide(NamedTuple):
    """Entry points.

    Attributes
    ----------
    play_on: (games, rules, seating, line_up, waiting, progress, later, orders, first, rows, picks, written, recording)
        -> plays until every game waits or is over; returns how many wait, or -1 for a wrong index in
        ``games[progress.current]``. ``later``: by entry of the line-up, the number of the policy in another process, or
        -1. ``orders``: the entry in place of each, shape (games, players), or (0, 0). ``written``: picks of each game,
        which begin at its share of ``picks``.
    hand_over: (games, waiting, later, policy, publics, owns, choices, used, handed) -> copies the records of the
        decisions that wait for a policy to bytes, one after the other; ``used``: legal moves that each place had;
        ``handed``: which games. Returns how many.
    take_answers: (games, waiting, owns, indices, handed, count) -> takes the answers, and what the policy may write.
    waiting: the dtype of what a game waits for.
    """

    play_on: Any
    hand_over: Any
    take_answers: Any
    waiting: np.dtype[Any]


inner: Any = None  # what ``entry_point`` puts there


def play_on(
    games, rules, seating, line_up, waiting, progress, later, orders, first, rows, picks, written, recording
):  # fmt: skip
    """Play until every game waits or is over."""
    return inner(
        games, rules, seating, line_up, waiting, progress, later, orders, first, rows, picks, written, recording
    )


def hand_over(games, waiting, later, policy, publics, owns, choices, used, handed):
    """Copy the records of waiting decisions."""
    return inner(games, waiting, later, policy, publics, owns, choices, used, handed)


def take_answers(games, waiting, owns, indices, handed, count):
    """Take the answers back."""
    return inner(games, waiting, owns, indices, handed, count)


def _playing_on(engine: Engine, load_entrant: Any) -> Any:
    """Return the kernel ``play_on``."""
    hooks, begin, decide, settle_answer = engine.hooks, engine.begin, engine.decide, engine.settle_answer
    next_decision, take, over = hooks.next_decision, hooks.take, hooks.over
    write_rows, write_picks = hooks.write_rows, hooks.write_picks
    game_of = element_of(engine.types.game)

    @kernel
    def seat_in_order(game, seating, wait, orders):
        """Give every seat the entry that the order of this game puts in place of its own."""
        for seat in range(orders.shape[1]):
            own = game.own[seat]
            wait.places[seat] = own.entrant
            load_entrant(own, seating, orders[wait.place, own.entrant])

    @kernel
    def begin_next(game, rules, seating, wait, progress, orders, first, games, recording):
        """Set the table for the next game; return whether there is one."""
        if progress.begun == games:
            wait.place = OVER
            return False
        wait.place, wait.asked = progress.begun, 0
        progress.begun += 1
        game.log.recording = recording
        begin(game, rules, seating, first + wait.place)
        if orders.shape[0]:
            seat_in_order(game, seating, wait, orders)
        return True

    @kernel
    def finish(game, rules, wait, orders, first, rows, picks, written, recording):
        """Write the rows and the picks of a game that is over."""
        for seat in range(orders.shape[1]):
            game.own[seat].entrant = wait.places[seat]
        write_rows(game, rules, rows, wait.place * rules.seats, first + wait.place)
        if recording == RECORD_PICKS:
            start = wait.place * (picks.shape[0] // written.shape[0])
            written[wait.place] = write_picks(game, picks, start, first + wait.place) - start

    @kernel
    def is_later(game, later):
        """Return whether a decision without an index belongs to a policy in another process."""
        answer = game.answer
        return answer.index == LATER and later[answer.entry] >= 0

    @kernel
    def await_answer(game, wait, stream):
        """Record the decision for which a game waits."""
        answer = game.answer
        wait.entry, wait.seat, wait.count = answer.entry, answer.seat, answer.count
        if wait.asked == 0:
            wait.stream = stream
        wait.asked = 1
        answer.wrong = 0

    @kernel
    def go_on(game, rules, seating, line_up, wait, later):
        """Play a game up to a waiting decision or to its end; return whether every policy returned a legal index."""
        while True:
            if wait.asked:
                seat = wait.seat
                stream = wait.stream
                index = settle_answer(game, rules, seating, line_up, seat, wait.index, stream)
            else:
                seat = next_decision(game, rules, over)
                if seat == NOBODY:
                    wait.seat = NOBODY
                    return True
                stream = game.own[seat].rng
                index = decide(game, rules, seating, line_up, seat)
            if index < 0:
                if not is_later(game, later):
                    return False
                await_answer(game, wait, stream)
                return True
            wait.asked = 0
            take(game, rules, game.choice.moves[index])

    @kernel
    def play(games, rules, seating, line_up, waiting, progress, later, orders, first, rows, picks, written, recording):
        count, state, most = 0, progress[0], written.shape[0]
        for slot in range(waiting.shape[0]):
            game, wait = game_of(games, slot), waiting[slot]
            state.current = slot
            if wait.place == UNUSED:
                game.answer.wrong = 0
                begin_next(game, rules, seating, wait, state, orders, first, most, recording)
            while wait.place >= 0:
                if not go_on(game, rules, seating, line_up, wait, later):
                    return -1
                if wait.seat != NOBODY:
                    count += 1
                    break
                finish(game, rules, wait, orders, first, rows, picks, written, recording)
                begin_next(game, rules, seating, wait, state, orders, first, most, recording)
        return count

    return play


def side_by_side_of(engine: Engine, load_entrant: Any, game: np.dtype[Any], row: Any, pick: Any) -> SideBySide:
    """Return the entry points that play many games side by side.

    Parameters
    ----------
    load_entrant: the kernel that seats an entry of the line-up. game: the dtype GAME.
    row, pick: the types of the records that are written.
    """
    own, wait = engine.types, waiting_of(engine.types.seats)
    public, private, choice = (game[name].base for name in ("public", "own", "choice"))
    size_public, size_own, size_choice = public.itemsize, private.itemsize, choice.itemsize
    parameters, head = private["parameters"].shape[0], dict(choice.fields or {})["moves"][1]
    take_back, game_of, private_of = taking_back(TAKEN_BACK), element_of(own.game), element_of(own.private)

    @kernel
    def hand(games, waiting, later, policy, publics, owns, choices, used, handed):
        count = 0
        for slot in range(waiting.shape[0]):
            wait = waiting[slot]
            if wait.place < 0 or later[wait.entry] != policy:
                continue
            game = game_of(games, slot)
            copied(game.public, publics, count * size_public)
            mine = copied(game.own[wait.seat], owns, count * size_own)
            mine.parameters[parameters - 1] = 0.0  # it has explored
            start = count * size_choice
            copy_head(game.choice, choices, start, head + 8 * wait.count)
            for octet in range(start + head + 8 * wait.count, start + head + 8 * used[count]):
                choices[octet] = 0  # of a former decision
            used[count] = wait.count
            handed[count] = slot
            count += 1
        return count

    @kernel
    def take_all(games, waiting, owns, indices, handed, count):
        for place in range(count):
            wait = waiting[handed[place]]
            wait.index = indices[place]
            take_back(game_of(games, handed[place]).own[wait.seat], private_of(owns, place))
        return 0

    def compiled(template: Any, made: Any, *kinds: Any) -> Any:
        return kernel(types.int64(*kinds), package=own.package)(entry_point(template, made))

    def of(kind: Any, dimensions: int = 1) -> Any:
        return types.Array(kind, dimensions, "C")

    games, waiting, progress = of(from_dtype(game)), of(from_dtype(wait)), of(from_dtype(PROGRESS))
    whole, octets = of(types.int64), of(types.uint8)
    play = own.rules, own.seating, own.line_up, waiting, progress, whole, of(types.int64, 2), types.int64
    written = of(row), of(pick), whole, types.int64
    return SideBySide(
        compiled(play_on, _playing_on(engine, load_entrant), games, *play, *written),
        compiled(hand_over, hand, games, waiting, whole, types.int64, octets, octets, octets, whole, whole),
        compiled(take_answers, take_all, games, waiting, of(from_dtype(private)), whole, whole, types.int64),
        wait,
    )
