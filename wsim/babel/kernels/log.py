"""The log of a game for traces and the picks table."""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.layout import EVENTS
from wsim.babel.kernels.moves import cards_of
from wsim.babel.limits import LOGGED
from wsim.babel.words import COMPLETE, DOUBLE, DOUBLE_TURN, JOKER, PLAY_CARD, TRIPLE, TRIPLE_BONUS, TURN
from wsim.jit import kernel
from wsim.kernels.guards import stop_game
from wsim.kernels.heads import RECORD_ALL

_ONE = np.uint64(1)


@kernel
def log_pick(game, seat, index, wishing):
    """Log the current decision: always for a trace, otherwise only if there was more than one move.

    ``wishing``: whether the policy could have been overruled.
    """
    choice, recording = game.choice, game.log.recording
    if choice.count > 1 or recording == RECORD_ALL:
        event = _log(game, choice.kind, seat, choice.moves[index], 0, choice.count, index)
        if wishing:
            wish = game.wish
            event.wanted = choice.moves[wish.index]
            event.others = wish.others
            event.overruled = wish.overruled
            mask = np.uint64(0)
            for i in range(choice.count):
                move = choice.moves[i]
                if move == 0:
                    continue
                if choice.kind == TURN or choice.kind == PLAY_CARD:
                    mask |= _ONE << np.uint64(move - 1)
                elif choice.kind == TRIPLE:
                    mask |= _ONE << np.uint64(TRIPLE_BONUS)
                elif choice.kind == DOUBLE:
                    mask |= _ONE << np.uint64(DOUBLE_TURN)
                elif choice.kind == COMPLETE and cards_of(move) > 0:
                    mask |= _ONE << np.uint64(JOKER)
            event.could = mask


@kernel
def note(game, what, seat, move, value):
    """Log an event that is not a decision (traces only)."""
    if game.log.recording == RECORD_ALL:
        _log(game, what, seat, move, value, 0, 0)


@kernel
def _log(game, what, seat, move, value, count, index):
    public, log = game.public, game.log
    if log.count == EVENTS:
        stop_game(LOGGED, -1, -1, EVENTS + 1, EVENTS)
    event = log.events[log.count]
    log.count += 1
    event.what = what
    event.seat = seat
    event.action = public.action
    event.count = count
    event.index = index
    event.slot = public.slot
    event.turn = public.turn
    event.move = move
    event.value = value
    event.wanted = event.others = event.overruled = 0
    event.could = np.uint64(0)
    return event
