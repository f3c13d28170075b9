"""Win chances throughout a game, by a net: kernels that value a position for every seat and follow whole games.

A value net has the form of the game's policy ``net`` (``wsim.kernels.net_layers``), fitted to outcomes. It assigns each
seat a number based on what that seat knows: the numbers and items of its state and, in place of a move, its standing.
The chances of a position are the softmax of these numbers over the seats. They depend on all hands, but not on cards
still to be dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp
from typing import Any

import numpy as np

from wsim.jit import entry_point, from_dtype, kernel, stack_room, types
from wsim.kernels.commands import EVERYTHING
from wsim.kernels.engine import Engine
from wsim.kernels.heads import NOBODY, copying
from wsim.kernels.net_layers import Net, NetHooks, valuing
from wsim.rng import mix

FOLLOW, COLLECT = range(2)
"""Modes of ``follow``: write chances and trials; or write inputs with outcomes, for training."""
TRIAL = 3  # numbers of a trial in front of the chances after its move
_STAGE_BITS = np.uint64(8)


@dataclass(frozen=True)
class ChanceHooks:
    """What only the game knows: kernels.

    Attributes
    ----------
    net: the inputs of the value net; ``fill`` and the kernels of moves are not used, ``list_items`` and
        ``describe_items`` are.
    policy: the net that ranks the moves of a trial.
    prepare: (game, rules) -> works out what ``fill`` reads, once for all seats.
    fill: (game, rules, seat, state, standing) -> fills the numbers of a seat's state and of its standing, all 0 before.
    stage: (game) -> the number of the stage of the game; chances are taken when a new one begins.
    players: (rules) -> how many seats win or lose.
    over: (game, seat) -> (score, share of the victory) of a game that is over.
    redraw, seat_players: as in ``wsim.kernels.commands.CommandHooks``.
    """

    net: NetHooks
    policy: Net
    prepare: Any
    fill: Any
    stage: Any
    players: Any
    over: Any
    redraw: Any
    seat_players: Any


@dataclass(frozen=True)
class Entries:
    """The entry points of a game, each compiled on first use.

    Parameters
    ----------
    engine: the steps of the game. row: the type of rows. state, move: dtypes of what a net learns from.

    Attributes
    ----------
    follow: (game, words, saved, rules, seating, line_up, ranking, valuing, task, first, gap, rows, stages, chances,
        trials, states, standings) -> plays ``len(rows) // seats`` games from number ``first`` on; returns the trials
        (FOLLOW) or the states (COLLECT) written, or -1 - the number of a game with a wrong index.
        ``saved``: room for two positions. ``ranking``, ``valuing``: settings with the policy's and the value net.
        ``gap``: about one stage of so many has a trial or is collected. ``stages``: (games, room), the number of each
        stage, else as it was. ``chances``: (games, room, seats). ``trials``: (room, 2, TRIAL + seats): the best and the
        second best move of a seat by the policy's net; game, stage and seat, then the chances when the stage is over,
        all else alike.
    compare: (game, words, state, rules, seating, line_up, valuing, number, seat, seed, ahead, moves, chances) -> fills
        the chances of a position so many stages after each of some moves, and the number of the stage then, shape
        (redrawings, moves, seats + 1); without moves, those of the position itself, shape (redrawings, 1, seats + 1).
        Everything that ``seat`` cannot know is redrawn with the streams of game ``number`` on (EVERYTHING: nothing),
        the same for all moves; the line-up plays on. Returns 0, or -1 after a wrong index. ``state``: the position,
        followed by room for another.
    """

    engine: Engine
    hooks: ChanceHooks
    row: Any
    state: np.dtype[Any]
    move: np.dtype[Any]

    @cached_property
    def follow(self) -> Any:
        return _follow(self)

    @cached_property
    def compare(self) -> Any:
        return _compare(self)

    def compiled(self, template: Any, inner: Any, *signature: Any) -> Any:
        """Return an entry point, stored with the game's policies."""
        package = self.engine.types.package.replace(".kernels", ".policies")
        return kernel(types.int64(*signature), package=package)(entry_point(template, inner))


inner: Any = None  # what ``entry_point`` puts there


def follow(
    game, words, saved, rules, seating, line_up, ranking, valuing, task, first, gap, rows, stages, chances, trials,
    states, standings,
):  # fmt: skip
    """Follow games."""
    return inner(
        game, words, saved, rules, seating, line_up, ranking, valuing, task, first, gap, rows, stages, chances, trials,
        states, standings,
    )  # fmt: skip


def compare(game, words, state, rules, seating, line_up, valuing, number, seat, seed, ahead, moves, chances):
    """Value a position, or some moves."""
    return inner(game, words, state, rules, seating, line_up, valuing, number, seat, seed, ahead, moves, chances)


def _valuing(hooks: ChanceHooks) -> tuple[Any, Any]:
    """Return the kernels (game, rules, settings, chances) and (game, rules, seat, state, standing)."""
    sizes, fill, prepare, layers = hooks.net.sizes, hooks.fill, hooks.prepare, valuing(hooks.net)
    players = hooks.players
    describe_items = hooks.net.describe_items
    state_numbers, move_numbers = sizes.state_numbers, sizes.move_numbers
    places_room, learned_room = stack_room("value.places", np.int64, 1), stack_room("value.learned", np.float32, 1)
    state_room = stack_room("value.state", np.float32, state_numbers)
    standing_room = stack_room("value.standing", np.float32, 1, move_numbers)

    @kernel
    def numbers_of(game, rules, seat, x, standing):
        """Fill the input numbers of a seat."""
        for i in range(state_numbers):
            x[i] = np.float32(0.0)
        for i in range(move_numbers):
            standing[0, i] = np.float32(0.0)
        kind, game.choice.kind = game.choice.kind, 0
        fill(game, rules, seat, x, standing)
        game.choice.kind = kind

    @kernel
    def chances_of(game, rules, settings, chances):
        """Fill the chance of each seat."""
        x, standing, places, learned = state_room(), standing_room(), places_room(), learned_room()
        places[0] = 0
        prepare(game, rules)
        best, total = -1e9, 0.0
        for seat in range(players(rules)):
            numbers_of(game, rules, seat, x, standing)
            layers(game.public, game.own[seat], game.choice, rules, settings.net, places, 1, x, standing, learned)
            chances[seat] = learned[0]
            best = max(best, float(learned[0]))
        for seat in range(players(rules)):
            chances[seat] = exp(chances[seat] - best)
            total += chances[seat]
        for seat in range(players(rules)):
            chances[seat] /= total

    @kernel
    def describe(game, rules, seat, state, standings, index):
        """Write the inputs of a seat into the records that are learned from."""
        places, standing = places_room(), standing_room()
        numbers_of(game, rules, seat, state.numbers, standing)
        state.moves = 0  # for the items of the state alone
        describe_items(game.public, game.own[seat], game.choice, rules, state, standings, places)
        state.moves = 1
        for i in range(move_numbers):
            standings[index].numbers[i] = standing[0, i]

    return chances_of, describe


def _playing_on(entries: Entries) -> tuple[Any, Any, Any]:
    """Return kernels that make one move, continue to a decision of a seat, and continue to the next stage."""
    engine, stage_of, decide = entries.engine, entries.hooks.stage, entries.engine.decide
    next_decision, restrict, take = engine.hooks.next_decision, engine.hooks.restrict, engine.hooks.take

    @kernel
    def take_next(game, rules, seating, line_up, decider):
        """Make the move that a seat chooses; return 1, or -1 after an illegal index."""
        index = decide(game, rules, seating, line_up, decider)
        if index < 0:
            return -1
        take(game, rules, game.choice.moves[index])
        return 1

    @kernel
    def to_decision_of(game, rules, seating, line_up, stage, seat):
        """Continue to a decision of a seat in this stage; return 1, 0 if it has none, or -1 after an illegal index."""
        while True:
            decider = next_decision(game, rules, 0)
            if decider == NOBODY or stage_of(game) != stage:
                return 0
            if decider == seat:
                restrict(game, rules, seating)
                if game.choice.count > 1:
                    return 1
            if take_next(game, rules, seating, line_up, decider) < 0:
                return -1

    @kernel
    def past_stage(game, rules, seating, line_up, stage):
        """Continue to the next stage; return 1, 0 if the game ends first, or -1 after an illegal index."""
        while True:
            decider = next_decision(game, rules, 0)
            if decider == NOBODY:
                return 0
            if stage_of(game) != stage:
                return 1
            if take_next(game, rules, seating, line_up, decider) < 0:
                return -1

    return take_next, to_decision_of, past_stage


def _trial(entries: Entries, chances_of: Any, to_decision_of: Any, past_stage: Any) -> Any:
    """Return the kernel that plays a stage twice, with the best and with the second-best move of a seat."""
    hooks, own = entries.hooks, entries.engine.types
    next_decision, restrict = entries.engine.hooks.next_decision, entries.engine.hooks.restrict
    take, over, players = entries.engine.hooks.take, hooks.over, hooks.players
    copy, words_of_state = copying(own.state), own.state.itemsize // 8
    ranked, candidates = hooks.policy.values, hooks.net.candidates
    places_room = stack_room("trial.places", np.int64, candidates)
    learned_room = stack_room("trial.learned", np.float32, candidates)
    chances_room = stack_room("chances.now", np.float64, own.seats)

    @kernel
    def best_two(learned, count):
        """Return the indices of the largest and the second largest of at least two values."""
        best, second = 0, -1
        for j in range(1, count):
            if learned[j] > learned[best]:
                best, second = j, best
            elif second < 0 or learned[j] > learned[second]:
                second = j
        return best, second

    @kernel
    def try_two(game, words, saved, rules, seating, line_up, ranking, valuing, stage, seat, trials, index):
        """Play the stage with the best and the second-best move of a seat; return 1, 0 without two moves, or -1."""
        places, learned, now = places_room(), learned_room(), chances_room()
        result = to_decision_of(game, rules, seating, line_up, stage, seat)
        if result < 1:
            return result
        count = ranked(game.public, game.own[seat], game.choice, rules, ranking, places, learned)
        if count < 2:
            return 0
        best, second = best_two(learned, count)
        decision = saved[words_of_state:]
        copy(words, decision)
        for attempt in range(2):
            copy(decision, words)
            next_decision(game, rules, 0)
            restrict(game, rules, seating)
            take(game, rules, game.choice.moves[places[best if attempt == 0 else second]])
            result = past_stage(game, rules, seating, line_up, stage)
            if result < 0:
                return result
            if result:
                chances_of(game, rules, valuing, now)
            for other in range(players(rules)):
                trials[index, attempt, TRIAL + other] = now[other] if result else over(game, other)[1]
        return 1

    return try_two


def _stage_records(entries: Entries, try_two: Any, chances_of: Any, describe: Any) -> tuple[Any, Any, Any]:
    """Return the kernels that record a stage as it begins: its chances and perhaps a trial, or the training data."""
    own, players, prepare = entries.engine.types, entries.hooks.players, entries.hooks.prepare
    copy = copying(own.state)
    chances_room = stack_room("chances.now", np.float64, own.seats)

    @kernel
    def add_chances(game, rules, valuing, chances, place, count):
        """Write the chances of a stage."""
        now = chances_room()
        chances_of(game, rules, valuing, now)
        for seat in range(players(rules)):
            chances[place, count, seat] = now[seat]

    @kernel
    def add_trial(game, words, saved, rules, seating, line_up, ranking, valuing, place, stage, seat, trials, written):
        """Write a trial and restore the position; return the new number of trials, or -1 after an illegal index."""
        copy(words, saved)
        result = try_two(game, words, saved, rules, seating, line_up, ranking, valuing, stage, seat, trials, written)
        if result < 0:
            return -1
        if result:
            for attempt in range(2):
                trials[written, attempt, 0] = place
                trials[written, attempt, 1] = stage
                trials[written, attempt, 2] = seat
            written += 1
        copy(saved, words)
        return written

    @kernel
    def add_states(game, rules, states, standings, written):
        """Write the inputs of every seat; return the new number of inputs."""
        prepare(game, rules)
        for seat in range(players(rules)):
            describe(game, rules, seat, states[written], standings, written)
            written += 1
        return written

    return add_chances, add_trial, add_states


def _follow(entries: Entries) -> Any:
    engine, hooks = entries.engine, entries.hooks
    own, stage_of, over, players = engine.types, hooks.stage, hooks.over, hooks.players
    next_decision, begin, write_rows = engine.hooks.next_decision, engine.begin, engine.hooks.write_rows
    chances_of, describe = _valuing(hooks)
    take_next, to_decision_of, past_stage = _playing_on(entries)
    try_two = _trial(entries, chances_of, to_decision_of, past_stage)
    add_chances, add_trial, add_states = _stage_records(entries, try_two, chances_of, describe)

    @kernel
    def follow_games(
        game, words, saved, rules, seating, line_up, ranking, valuing, task, first, gap, rows, stages, chances, trials,
        states, standings,
    ):  # fmt: skip
        """Follow games from number ``first`` on."""
        written = 0
        game.answer.wrong = 0
        game.log.recording = 0
        for place in range(rows.shape[0] // rules.seats):
            number = first + place
            begin(game, rules, seating, number)
            last, count, began = -1, 0, written
            while True:
                decider = next_decision(game, rules, 0)
                if decider == NOBODY:
                    break
                stage = stage_of(game)
                if stage != last and count < stages.shape[1]:
                    last = stage
                    stages[place, count] = stage
                    drawn = np.int64(mix(np.uint64(number) << _STAGE_BITS | np.uint64(stage)) >> np.uint64(16))
                    chosen = drawn % gap == 0
                    if task == FOLLOW:
                        add_chances(game, rules, valuing, chances, place, count)
                        if chosen and written < trials.shape[0]:
                            written = add_trial(
                                game, words, saved, rules, seating, line_up, ranking, valuing, place, stage,
                                drawn // gap % players(rules), trials, written,
                            )  # fmt: skip
                            if written < 0:
                                return -1 - number
                    elif chosen and written + players(rules) <= states.shape[0]:
                        written = add_states(game, rules, states, standings, written)
                    count += 1
                    decider = next_decision(game, rules, 0)
                if take_next(game, rules, seating, line_up, decider) < 0:
                    return -1 - number
            write_rows(game, rules, rows, place * rules.seats, number)
            if task == COLLECT:
                for index in range(began, written):
                    standings[index].worth = over(game, (index - began) % players(rules))[1]
        return written

    settings, floats = own.settings, types.Array(types.float32, 3, "C")
    return entries.compiled(
        *(follow, follow_games),
        *(own.game, own.words, own.words, own.rules, own.seating, own.line_up, settings, settings),
        *(types.int64, types.int64, types.int64, types.Array(entries.row, 1, "C"), types.Array(types.int16, 2, "C")),
        *(floats, floats, *(types.Array(from_dtype(each), 1, "C") for each in (entries.state, entries.move))),
    )


def _compare(entries: Entries) -> Any:
    engine, own, hooks = entries.engine, entries.engine.types, entries.hooks
    next_decision, take, stage_of = engine.hooks.next_decision, engine.hooks.take, hooks.stage
    redraw, seat_players, over, players = hooks.redraw, hooks.seat_players, hooks.over, hooks.players
    chances_of, past_stage = _valuing(hooks)[0], _playing_on(entries)[2]
    copy, words_of_state = copying(own.state), own.state.itemsize // 8
    chances_room = stack_room("chances.now", np.float64, own.seats)

    @kernel
    def after(game, rules, seating, line_up, valuing, ahead, move, now):
        """Make a move and continue; fill the chances some stages later, or the result; return -1 on failure."""
        stage = stage_of(game)
        next_decision(game, rules, 0)
        take(game, rules, game.choice.moves[move])
        result = past_stage(game, rules, seating, line_up, stage)
        for _ in range(1, ahead):
            if result > 0:
                result = past_stage(game, rules, seating, line_up, stage_of(game))
        if result > 0:
            chances_of(game, rules, valuing, now)
        elif result == 0:
            for seat in range(players(rules)):
                now[seat] = over(game, seat)[1]
        return result

    @kernel
    def compare_moves(
        game, words, state, rules, seating, line_up, valuing, number, seat, seed, ahead, moves, chances
    ):  # fmt: skip
        """Fill the chances of a position, or the chances after each of some moves."""
        now, redrawn = chances_room(), state[words_of_state:]
        game.answer.wrong = game.answer.searching = 0
        game.log.recording = 0
        for draw in range(chances.shape[0]):
            copy(state, words)
            if seat != EVERYTHING:
                redraw(game, rules, seed, number + draw, seat)
            copy(words, redrawn)
            for place in range(chances.shape[1]):
                copy(redrawn, words)
                if moves.shape[0]:
                    seat_players(game, rules, seating, seed, number + draw)
                    if after(game, rules, seating, line_up, valuing, ahead, moves[place], now) < 0:
                        return -1
                else:
                    chances_of(game, rules, valuing, now)
                for other in range(players(rules)):
                    chances[draw, place, other] = now[other]
                chances[draw, place, players(rules)] = stage_of(game)
        return 0

    return entries.compiled(
        *(compare, compare_moves, own.game, own.words, own.words, own.rules, own.seating, own.line_up, own.settings),
        *(types.int64, types.int64, types.int64, types.int64),
        *(types.Array(types.int16, 1, "C"), types.Array(types.float64, 3, "C")),
    )
