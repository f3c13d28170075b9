"""Playing with policies, and the rows of finished games (wsim/kernels/engine.py).

Random numbers
--------------
Every game uses the streams of ``wsim.rng``; ``below`` below is its draw.

* Stream 1, the action deck: list the copies of every action card in the order of ``ACTION_CARDS``; for k in 0..7 (or to
the end of a smaller deck): j = k + below(copies - k), swap k and j. These are the action cards in the order in which
they are drawn. Without action cards nothing is drawn from the stream. * Stream 3, set-up: start player = below(seats).
* Stream 0, discs and building cards: the discs (single kinds in the order of ``KINDS``, numbers ascending, two-colour
ones last) are shuffled: for k in 0..22: j = k + below(24 - k), swap; slot k gets disc k. From then on each building
card is determined when it is drawn: below(cards in the deck) is its place in the sorted deck (camels first). First
seats 0, 1, ... get their starting hands, one seat after the other; then cards are drawn during play. A deck that is
empty when a card is to be drawn becomes the discard pile, without a random number; if that is empty too, nothing is
drawn. * Stream 12: which decisions are overruled, in a plan that overrules some (wsim/kernels/overruling.py). * Stream
4 + seat: the policy of the seat. ``random`` takes move below(number of moves).

The order of decisions is that of flow.py.
"""

from __future__ import annotations

import numpy as np

from wsim.babel import words as w
from wsim.babel.kernels.deal import set_up
from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.guards import check_points
from wsim.babel.kernels.layout import EVENT, MEMORY, OVER, TYPES
from wsim.babel.kernels.log import log_pick
from wsim.babel.kernels.moves import cards_of, restrict
from wsim.babel.kernels.seat import FACTS
from wsim.jit import kernel, lowest_bit
from wsim.kernels.engine import EngineHooks, engine_of
from wsim.kernels.facts import copying
from wsim.kernels.heads import NOBODY

ENDED = 1 << OVER
_write_facts, _copy_event = FACTS.write_row(), copying(EVENT)
_CARDS = w.SLOTS + 1 + w.WONDERS
_ONE = np.uint64(1)


@kernel
def _settle(game, rules, seating, seat, index, stream):
    if game.log.recording:
        log_pick(game, seat, index, game.choice.count > 1 and seating.overrule[seat] > 0.0)
    return index


@kernel
def _thing_of(game, move, wide):
    """Return the thing of a move: the space (or the wonder) of the disc, the played action card, or passing."""
    kind = game.choice.kind
    if kind == w.TURN:
        if wide and move > 0:
            return w.SLOTS + 1 + (move - 1) // w.SPACES
        return move
    if move == 0:
        return np.int64(-1)
    card = np.int64(-1)
    if kind == w.PLAY_CARD:
        card = move - 1
    elif kind == w.TRIPLE:
        card = np.int64(w.TRIPLE_BONUS)
    elif kind == w.DOUBLE:
        card = np.int64(w.DOUBLE_TURN)
    elif kind == w.COMPLETE and cards_of(move) > 0:
        card = np.int64(w.JOKER)
    return _CARDS + card if card >= 0 else card


@kernel
def _write_rows(game, rules, rows, start, number):
    """Write the rows of a finished game, one per seat, from index ``start`` on."""
    public, hidden = game.public, game.hidden
    for seat in range(public.seats):
        row, own, tally = rows[start + seat], game.own[seat], hidden.tally[seat]
        row.game = number
        row.seat = seat
        row.entry = own.entrant
        row.rank = tally.rank
        row.starter = hidden.starter
        row.win_share = tally.share
        check_points(public, tally, seat)
        row.total = public.points[seat]
        row.turns = public.turn
        row.completed = hidden.completed
        row.reshuffles = hidden.reshuffles
        row.over = public.over
        _write_facts(game, rules, seat, row)


@kernel
def _write_picks(game, picks, start, number):
    """Append the decisions of a finished game after the first ``start`` picks; return the new number of picks."""
    public, log = game.public, game.log
    for place in range(log.count):
        pick, event = picks[start + place], log.events[place]
        pick.game = number
        pick.entry = game.own[event.seat].entrant
        slot = event.slot
        if event.what == w.TURN:
            slot = event.move - 1  # the disc that this very move announces
        pick.disc = public.board[slot] if slot >= 0 else NOBODY
        wanted = event.wanted - 1 if event.what == w.TURN else -1
        pick.wanted_disc = public.board[wanted] if wanted >= 0 else NOBODY
        pick.could, pick.spaces = event.could, np.uint64(0)
        if event.what == w.TURN:
            slots = event.could
            pick.could, pick.spaces = np.uint64(0), slots
            while slots:
                pick.could |= _ONE << np.uint64(public.board[lowest_bit(slots)])
                slots &= slots - _ONE
        _copy_event(event, pick.event)
    return start + log.count


ENGINE = engine_of(
    EngineHooks(
        set_up, advance, take, _write_rows, _write_picks, _settle, restrict, ENDED, thing_of=_thing_of, memory=MEMORY
    ),
    TYPES,
)  # fmt: skip
