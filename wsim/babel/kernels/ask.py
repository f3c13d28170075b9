"""Put a decision to the policy of a seat, and keep the log."""

from __future__ import annotations

from wsim.babel.kernels.layout import EVENTS, LOG_ALL
from wsim.jit import call, kernel


@kernel
def ask(game, rules, line_up, seat):
    """Return the move that the seat chooses from ``game.choice``; its policy is asked if there are several."""
    choice, hidden = game.choice, game.hidden
    index = 0
    if choice.count > 1:
        own = game.own[seat]
        index = call(line_up[own.entrant], game.public, own, choice, rules)
        if index < 0 or index >= choice.count:
            if hidden.error[0] == 0:
                hidden.error[0] = 1
                hidden.error[1] = own.entrant
                hidden.error[2] = index
                hidden.error[3] = choice.count
            index = 0
    if hidden.logging and (choice.count > 1 or hidden.logging == LOG_ALL):
        _log(game, choice.kind, seat, choice.moves[index], 0, choice.count, index)
    return choice.moves[index]


@kernel
def note(game, what, seat, move, value):
    """Log an event that is no decision (traces only)."""
    if game.hidden.logging == LOG_ALL:
        _log(game, what, seat, move, value, 0, 0)


@kernel
def _log(game, what, seat, move, value, count, index):
    public, hidden = game.public, game.hidden
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
