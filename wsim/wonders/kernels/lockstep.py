"""The entry point of many games at once (wsim/kernels/lockstep.py)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.heads import NOBODY
from wsim.kernels.lockstep import LockstepHooks, lockstep_of
from wsim.wonders.kernels.fixed_actions import fixed_action, move_of
from wsim.wonders.kernels.layout import PRIVATE, PUBLIC, STATE
from wsim.wonders.kernels.observe import observe
from wsim.wonders.kernels.scoring import outcome
from wsim.wonders.kernels.steps import STEPS
from wsim.wonders.words import FREE_CITY, LAST_CARD, SWITCH_NUMBER, TURN, TURNS

# places in a state, in words, without a sign: an index that may be negative is looked at word for word
_DEED_COUNT, _DEEDS = (np.uint64(dict(PUBLIC.fields or {})[field][1] // 8) for field in ("deed_count", "deeds"))
_OWN, _HIDDEN, _BEFORE = (np.uint64(dict(STATE.fields or {})[part][1] // 8) for part in ("own", "hidden", "before"))
_SEAT_WORDS, _STATE_WORDS = (np.uint64(dtype.itemsize // 8) for dtype in (PRIVATE, STATE))
_NONE = np.uint64(0)
_LAST_ON_NEW_STATE = SWITCH_NUMBER["last_card_on_new_state"]
assert STATE.names == ("public", "own", "hidden", "flow", "before", "asking"), "what _copy_state leaves out"
assert tuple(PUBLIC.names or ())[-1] == "deeds"


@kernel
def _copy(source, target, first, end):
    for word in range(first, end):
        target[word] = source[word]


@kernel
def _copy_state(source, target, rules, deeds):
    """Copy the used part of a state: half of it is room for future moves, more seats, a switch (R9.5), clauses."""
    _copy(source, target, _NONE, _DEEDS + np.uint64(deeds))
    _copy(source, target, _OWN, _OWN + np.uint64(rules.seats) * _SEAT_WORDS)
    whole = rules.asks > 0 or rules.switch[_LAST_ON_NEW_STATE] == 0
    _copy(source, target, _HIDDEN, _STATE_WORDS if whole else _BEFORE)


@kernel
def _load(state, words, rules):
    _copy_state(state, words, rules, np.int64(state[_DEED_COUNT]))


@kernel
def _save(game, words, state, rules):
    _copy_state(words, state, rules, game.public.deed_count)


@kernel
def _moment(game, rules, decider):
    """Return the moment of a decision: players choose at the same time, except the holder of a Free City (R45)."""
    public, kind = game.public, game.choice.kind
    if (kind != TURN and kind != LAST_CARD) or (rules.duo and game.hidden.holder == decider):
        return NOBODY
    return ((public.age * (TURNS + 1) + public.turn) * (FREE_CITY + 1)) + kind


step_games = lockstep_of(
    STEPS,
    LockstepHooks(
        load=_load,
        save=_save,
        observe=observe,
        outcome=outcome,
        moment=_moment,
        fixed_action=fixed_action,
        move_of=move_of,
    ),
)
