"""What is kept of a game for traces and the picks table."""

from __future__ import annotations

from wsim.babel.kernels.layout import EVENTS
from wsim.jit import kernel
from wsim.kernels.heads import RECORD_ALL


@kernel
def log_pick(game, seat, index):
    """Log the decision at hand: always for a trace, else only where there was more than one move."""
    choice, recording = game.choice, game.log.recording
    if recording and (choice.count > 1 or recording == RECORD_ALL):
        _log(game, choice.kind, seat, choice.moves[index], 0, choice.count, index)


@kernel
def note(game, what, seat, move, value):
    """Log an event that is no decision (traces only)."""
    if game.log.recording == RECORD_ALL:
        _log(game, what, seat, move, value, 0, 0)


@kernel
def _log(game, what, seat, move, value, count, index):
    public, log = game.public, game.log
    if log.count >= EVENTS:  # out of reach (layout), but a write past the end would be silent
        return
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
