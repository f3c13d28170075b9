"""The entry point of many games at once (wsim/kernels/lockstep.py)."""

from __future__ import annotations

from wsim.babel.kernels.commands import outcome
from wsim.babel.kernels.engine import ENGINE
from wsim.babel.kernels.fixed_actions import fixed_action, move_of
from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.layout import STATE, TIMESTEP, TYPES
from wsim.babel.kernels.observe import observe
from wsim.babel.words import OFFER
from wsim.jit import kernel
from wsim.kernels.commands import copying
from wsim.kernels.heads import NOBODY
from wsim.kernels.lockstep import Parts, lockstep_of

__all__ = ["step_games"]

_ACTIONS_A_TURN = 16  # more than there are Double turns
_copy = copying(STATE)


@kernel
def _load(state, words, rules):
    """Copy a state into a game."""
    _copy(state, words)


@kernel
def _save(game, words, state, rules):
    """Copy a state out of a game."""
    _copy(words, state)


@kernel
def _moment(game, rules, seat):
    """Return the moment of a decision: offers are made at the same time, but where bluffs answer them."""
    public = game.public
    if game.choice.kind == OFFER and not rules.allow_bluff_cards:
        return public.turn * _ACTIONS_A_TURN + public.action
    return NOBODY


@kernel
def _fixed_action(choice, rules, move):
    """Return the fixed action of a move."""
    return fixed_action(choice.kind, move)


@kernel
def _move_of(choice, rules, action):
    """Return the legal move of a fixed action."""
    return move_of(choice, action)


_step_games = lockstep_of(
    Parts(
        engine=ENGINE,
        next_decision=advance,
        take=take,
        load=_load,
        save=_save,
        observe=observe,
        outcome=outcome,
        moment=_moment,
        fixed_action=_fixed_action,
        move_of=_move_of,
    )
)


@kernel(TYPES.lockstep(TIMESTEP))
def step_games(game, words, states, rules, seating, line_up, request, timesteps, seen, masks):
    """Step every game that is not over (``wsim.kernels.lockstep.lockstep_of``)."""
    return _step_games(game, words, states, rules, seating, line_up, request, timesteps, seen, masks)
