"""Put a decision to the policy of a seat, and keep the log."""

from __future__ import annotations

from wsim.babel.kernels.layout import EVENTS, LOG_ALL
from wsim.jit import kernel


@kernel
def ask(g, t, lineup, seat):
    """Return the move that the seat chooses from ``g.choice``; its policy is asked only if there is more than one."""
    choice, hidden = g.choice, g.hidden
    index = 0
    if choice.count > 1:
        own = g.own[seat]
        index = lineup[own.entrant](g.public, own, choice, t)
        if index < 0 or index >= choice.count:
            if hidden.fault[0] == 0:
                hidden.fault[0] = 1
                hidden.fault[1] = own.entrant
                hidden.fault[2] = index
                hidden.fault[3] = choice.count
            index = 0
    if hidden.logging and (choice.count > 1 or hidden.logging == LOG_ALL):
        _log(g, choice.kind, seat, choice.moves[index], 0, choice.count, index)
    return choice.moves[index]


@kernel
def note(g, what, seat, move, value):
    """Log an event that is no decision (traces only)."""
    if g.hidden.logging == LOG_ALL:
        _log(g, what, seat, move, value, 0, 0)


@kernel
def _log(g, what, seat, move, value, count, index):
    public, hidden = g.public, g.hidden
    if hidden.events >= EVENTS:  # out of reach (layout), but a write past the end would be silent
        return
    event = hidden.log[hidden.events]
    hidden.events += 1
    event.what = what
    event.seat = seat
    event.action = public.action
    event.count = count
    event.index = index
    event.slot = public.slot
    event.turn = public.turn
    event.move = move
    event.value = value
