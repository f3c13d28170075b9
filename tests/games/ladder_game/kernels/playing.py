"""Continuing games with policies."""

from __future__ import annotations

from wsim.jit import kernel
from wsim.kernels.engine import EngineHooks, engine_of

from .layout import TYPES
from .rules import next_decision, outcome, set_up, take


@kernel
def _settle(game, rules, seating, seat, index, stream):
    """Log a pick."""
    log = game.log
    if log.recording:
        log.events[log.count].seat, log.events[log.count].card = seat, game.choice.moves[index]
        log.count += 1
    return index


@kernel
def _write_rows(game, rules, rows, start, number):
    """Write a row for each seat."""
    public = game.public
    for seat in range(rules.seats):
        row = rows[start + seat]
        row.game, row.seat, row.policy, row.rank = number, seat, game.own[seat].entrant, 1
        row.total, row.win_share = outcome(game, seat)
        for other in range(rules.seats):
            row.rank += public.rungs[other] > public.rungs[seat]


@kernel
def _write_picks(game, picks, written, number):
    """Copy the log to the picks."""
    for place in range(game.log.count):
        pick, event = picks[written + place], game.log.events[place]
        pick.game, pick.seat, pick.card = number, event.seat, event.card
    return written + game.log.count


ENGINE = engine_of(
    EngineHooks(set_up, next_decision, take, write_rows=_write_rows, write_picks=_write_picks, settle=_settle),
    TYPES,
)  # fmt: skip
