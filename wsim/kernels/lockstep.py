"""Many games at once: every caller's decision is carried out, and every game advances to the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wsim.jit import entry_point, kernel
from wsim.kernels.engine import Engine
from wsim.kernels.heads import NOBODY, copying

ALL_WELL, WRONG = -1, -2


@dataclass(frozen=True)
class LockstepHooks:
    """What only the game knows: kernels.

    Attributes
    ----------
    observe: (game, rules, seat, seen) -> writes what a seat may know.
    outcome: (game, seat) -> (score, share of the victory) of a game that is over.
    moment: (game, rules, seat) -> the moment of the decision at hand: decisions of one moment are made without seeing
        each other; NOBODY: it is made alone.
    fixed_action: (choice, rules, move) -> the fixed action of a move.
    move_of: (choice, rules, action) -> the legal move of a fixed action.
    load, save: (state, words, rules) and (game, words, state, rules) -> copy a state into a game and back, as far as it
        is used; None: all of it.
    """

    observe: Any
    outcome: Any
    moment: Any
    fixed_action: Any
    move_of: Any
    load: Any = None
    save: Any = None


inner: Any = None  # what ``entry_point`` puts there


def step_games(game, words, states, rules, seating, line_up, request, timesteps, seen, masks):
    """Step every game that is not over."""
    return inner(game, words, states, rules, seating, line_up, request, timesteps, seen, masks)


def _writing(hooks: LockstepHooks) -> Any:
    """Return the kernel that writes the caller's data of a game."""
    observe, moment, fixed_action = hooks.observe, hooks.moment, hooks.fixed_action

    @kernel
    def write(game, rules, request, timestep, decider, seen, masks, place):
        """Write the deciding seat, its observation and its legal actions."""
        timestep.seat = decider
        timestep.kind = timestep.moment = NOBODY
        for action in range(masks.shape[1]):
            masks[place, action] = 0
        if decider == NOBODY:
            for number in range(seen.shape[1]):
                seen[place, number] = 0
            return
        choice = game.choice
        timestep.kind = choice.kind
        timestep.moment = moment(game, rules, decider)
        observe(game, rules, decider, seen[place])
        for index in range(choice.count):
            masks[place, fixed_action(choice, rules, choice.moves[index]) if request.fixed else index] = 1

    return write


def _copying(engine: Engine) -> tuple[Any, Any]:
    """Return the kernels that copy a whole state into a game, and back."""
    copy = copying(engine.types.state)

    @kernel
    def load(state, words, rules):
        """Copy a state into a game."""
        copy(state, words)

    @kernel
    def save(game, words, state, rules):
        """Copy a state out of a game."""
        copy(words, state)

    return load, save


def _running_on(engine: Engine) -> Any:
    """Return the kernel that plays for all seats except the callers'."""
    next_decision, take, decide = engine.hooks.next_decision, engine.hooks.take, engine.decide

    @kernel
    def run_on(game, rules, seating, line_up, callers):
        """Advance to a caller's decision with a choice; return the player, NOBODY, or WRONG for an illegal index."""
        while True:
            decider = next_decision(game, rules, 0)
            if decider == NOBODY:
                return NOBODY
            index = 0
            if callers >> decider & 1:
                if game.choice.count > 1:
                    return decider
            else:
                index = decide(game, rules, seating, line_up, decider)
                if index < 0:
                    return WRONG
            take(game, rules, game.choice.moves[index])

    return run_on


def lockstep_of(engine: Engine, hooks: LockstepHooks) -> Any:
    """Return the entry point that steps all unfinished games; it returns ALL_WELL, or the game with an illegal index.

    It takes (game, words, states, rules, seating, line_up, request, timesteps, seen, masks). ``words`` is the same
    memory as ``game``. Row i of states, seen and masks belongs to time step i.
    """
    next_decision, take, begin = engine.hooks.next_decision, engine.hooks.take, engine.begin
    run_on = _running_on(engine)
    outcome, move_of, write = hooks.outcome, hooks.move_of, _writing(hooks)
    load, save = (hooks.load, hooks.save) if hooks.load is not None else _copying(engine)

    @kernel
    def step(game, rules, seating, line_up, request, timestep):
        """Step one game and, if it ends, begin the next; return the deciding seat, NOBODY at the end, or WRONG."""
        if request.begin:
            begin(game, rules, seating, timestep.number)
        else:
            next_decision(game, rules, 0)
            choice = game.choice
            index = timestep.action
            take(game, rules, move_of(choice, rules, index) if request.fixed else choice.moves[index])
        while True:
            decider = run_on(game, rules, seating, line_up, request.callers)
            if decider != NOBODY:
                return decider
            timestep.over = 1
            for seat in range(rules.seats):
                timestep.score[seat], timestep.share[seat] = outcome(game, seat)
            if request.stride == 0:
                return NOBODY
            timestep.number += request.stride
            begin(game, rules, seating, timestep.number)

    @kernel
    def step_all(game, words, states, rules, seating, line_up, request, timesteps, seen, masks):
        game.answer.wrong = game.answer.searching = 0
        game.log.recording = 0
        for place in range(timesteps.shape[0]):
            timestep = timesteps[place]
            timestep.over = 0
            if timestep.seat == NOBODY and not request.begin:
                continue
            load(states[place], words, rules)
            decider = step(game, rules, seating, line_up, request, timestep)
            if decider == WRONG:
                return place
            save(game, words, states[place], rules)
            write(game, rules, request, timestep, decider, seen, masks, place)
        return ALL_WELL

    return kernel(engine.types.lockstep, package=engine.types.package)(entry_point(step_games, step_all))
