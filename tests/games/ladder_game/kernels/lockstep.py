"""Many games at once; a fixed action is a card."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.heads import NOBODY
from wsim.kernels.lockstep import LockstepHooks, lockstep_of

from .commands import observe
from .playing import ENGINE
from .rules import outcome


@kernel
def _moment(game, rules, seat):
    """Everybody decides alone."""
    return NOBODY


@kernel
def _card(choice, rules, move):
    """Return the card of a move, or the move of a card: they are the same."""
    return move


step_games = lockstep_of(ENGINE, LockstepHooks(observe, outcome, _moment, _card, _card))
