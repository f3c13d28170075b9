"""The entry point of many games at once (wsim/kernels/lockstep.py)."""

from __future__ import annotations

from wsim.babel.kernels.fixed_actions import fixed_action, move_of
from wsim.babel.kernels.observe import observe
from wsim.babel.kernels.scoring import outcome
from wsim.babel.kernels.steps import STEPS
from wsim.babel.words import OFFER
from wsim.jit import kernel
from wsim.kernels.heads import NOBODY
from wsim.kernels.lockstep import LockstepHooks, lockstep_of

_ACTIONS_A_TURN = 16  # more than there are Double turns


@kernel
def _moment(game, rules, seat):
    """Return the moment of a decision: offers are made at the same time, unless bluffs follow them."""
    public = game.public
    if game.choice.kind == OFFER and not rules.allow_bluff_cards:
        return public.turn * _ACTIONS_A_TURN + public.action
    return NOBODY


step_games = lockstep_of(
    STEPS, LockstepHooks(observe=observe, outcome=outcome, moment=_moment, fixed_action=fixed_action, move_of=move_of)
)
