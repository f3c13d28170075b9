"""Playing on with policies, and the rows of what was played (wsim/kernels/engine.py).

Random numbers
--------------
Every game uses the streams of ``wsim.rng``; ``below`` below is its draw.

* Stream 1, the action deck: list the copies of every action card in the order of ``ACTION_CARDS``; for k in 0..7 (or to
  the end of a smaller deck): j = k + below(copies - k), swap k and j. These are the action cards in the order in which
  they are drawn. Without action cards nothing is drawn from the stream.
* Stream 3, set-up: start player = below(seats).
* Stream 0, discs and building cards: the discs (single kinds in the order of ``KINDS``, numbers ascending, two-colour
  ones last) are shuffled: for k in 0..22: j = k + below(24 - k), swap; slot k gets disc k. From then on each building
  card is drawn when somebody draws it: below(cards in the deck) is its place in the sorted deck (camels first). First
  seats 0, 1, ... get their starting hands one seat after the other, then whatever play draws. A deck that is empty when
  a card is to be drawn becomes the discard pile, without a random number; if that is empty too, nothing is drawn.
* Stream 4 + seat: the policy of the seat. ``random`` takes move below(number of moves).

The order of decisions is that of flow.py.
"""

from __future__ import annotations

from wsim.babel.kernels.deal import set_up
from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.layout import OVER, TYPES
from wsim.babel.kernels.log import log_pick
from wsim.babel.kernels.moves import restrict
from wsim.babel.words import SLOTS, TURN
from wsim.jit import kernel
from wsim.kernels.engine import Parts, engine_of
from wsim.kernels.heads import NOBODY

ENDED = 1 << OVER


@kernel
def _settle(game, rules, seating, seat, index, stream):
    """Log a pick; no plan replaces it."""
    log_pick(game, seat, index)
    return index


@kernel
def _write_rows(game, rules, rows, start, number):
    """Write the rows of a finished game, one per seat, from place ``start``."""
    public, hidden = game.public, game.hidden
    for seat in range(public.seats):
        row, own, tally = rows[start + seat], game.own[seat], hidden.tally[seat]
        row.game = number
        row.seat = seat
        row.entry = own.entrant
        row.rank = tally.rank
        row.starter = hidden.starter
        row.win_share = tally.share
        row.total = public.points[seat]
        row.wonder_points = tally.wonder_points
        row.light_points = tally.light_points
        row.refused_points = tally.refused_points
        row.set_points = tally.set_points
        row.action_points = tally.action_points
        row.parts_placed = tally.parts_placed
        row.turns = public.turn
        row.passes = tally.passes
        row.builds_led = tally.builds_led
        row.builds_failed = tally.builds_failed
        row.offers_made = tally.offers_made
        row.offers_taken = tally.offers_taken
        row.offers_refused = tally.offers_refused
        row.trades_taken = tally.trades_taken
        row.wonders_won = tally.wonders_won
        row.rows_won = tally.rows_won
        row.completed = hidden.completed
        row.reshuffles = hidden.reshuffles
        row.over = public.over
        row.discs_owned = tally.discs_owned
        for kind in range(row.discs.shape[0]):
            row.discs[kind] = own.discs[kind]
        row.two_colour = 0
        for disc in range(SLOTS):
            row.two_colour += (own.two_colour >> disc) & 1
        for card in range(row.cards_drawn.shape[0]):
            row.cards_drawn[card] = tally.cards_drawn[card]
            row.cards_played[card] = tally.cards_played[card]


@kernel
def _write_picks(game, picks, start, number):
    """Copy the decisions of a finished game behind the first ``start`` picks; return how many there are now."""
    public, log = game.public, game.log
    for place in range(log.count):
        pick, event = picks[start + place], log.events[place]
        pick.game = number
        pick.entry = game.own[event.seat].entrant
        slot = event.slot
        if event.what == TURN:
            slot = event.move - 1  # the disc that this very move announces
        pick.disc = public.board[slot] if slot >= 0 else NOBODY
        copy = pick.event
        copy.what = event.what
        copy.seat = event.seat
        copy.action = event.action
        copy.count = event.count
        copy.index = event.index
        copy.slot = event.slot
        copy.turn = event.turn
        copy.move = event.move
        copy.value = event.value
    return start + log.count


ENGINE = engine_of(
    Parts(set_up, advance, take, _write_rows, _write_picks, _settle, restrict, ENDED), TYPES
)  # fmt: skip
