"""Whole games and chunks of games.

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

A policy is asked only if there is more than one legal move; the order of decisions is that of flow.py.
"""

from __future__ import annotations

import numpy as np

from wsim.babel.kernels.deal import set_up
from wsim.babel.kernels.flow import advance, take
from wsim.babel.kernels.layout import LINE_UP, LOG_PICKS, NOBODY, OVER, Game, Pick, Row, Rules, Seating
from wsim.babel.kernels.log import log_pick
from wsim.babel.words import SLOTS, TURN
from wsim.jit import call, kernel, types

__all__ = ["ERROR", "ask", "picked", "play_chunk", "play_game", "play_until"]

ERROR = -1
"""What a chunk returns when a policy returned an index outside its list; ``GAME.error`` says which."""


@kernel
def picked(game, rules, seating, line_up, seat):
    """Return the index that a seat's entry of the line-up picks; -1 instead of a wrong one, which is noted."""
    choice, own = game.choice, game.own[seat]
    entry = own.entrant
    if seating.pool_size[entry]:
        index = call(line_up[entry], game, rules, seating, line_up, seat)
    else:
        index = call(line_up[entry], game.public, own, choice, rules, seating.settings[seating.settings_at[entry]])
    if index < 0 or index >= choice.count:
        game.error[0], game.error[1], game.error[2], game.error[3] = 1, entry, index, choice.count
        return np.int64(-1)
    return index


@kernel
def ask(game, rules, seating, line_up, seat):
    """Return the index that the policy of a seat picks, 0 where there is one move only, -1 after a wrong one."""
    index = np.int64(0)
    if game.choice.count > 1:
        index = picked(game, rules, seating, line_up, seat)
        if index < 0:
            return index
    log_pick(game, seat, index)
    return index


@kernel
def play_until(game, rules, seating, line_up, until):
    """Play on with policies up to a phase of ``until``; return whether every policy returned a legal index."""
    while True:
        seat = advance(game, rules, until)
        if seat == NOBODY:
            return True
        index = ask(game, rules, seating, line_up, seat)
        if index < 0:
            return False
        take(game, rules, game.choice.moves[index])


@kernel
def play_game(game, rules, seating, line_up, number):
    """Play game ``number`` from the set-up to the ranks; return whether every policy returned a legal index."""
    set_up(game, rules, seating, number)
    return play_until(game, rules, seating, line_up, 1 << OVER)


@kernel
def _write_rows(game, rows, start, number):
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
        kept = pick.event
        kept.what = event.what
        kept.seat = event.seat
        kept.action = event.action
        kept.count = event.count
        kept.index = event.index
        kept.slot = event.slot
        kept.turn = event.turn
        kept.move = event.move
        kept.value = event.value
    return start + log.count


@kernel(types.int64(Game, Rules, Seating, LINE_UP, types.int64, Row[::1], Pick[::1], types.int64))
def play_chunk(game, rules, seating, line_up, first, rows, picks, logging):
    """Play ``len(rows) // seats`` games numbered from ``first``; return the picks written, or ERROR.

    With LOG_PICKS the caller makes room for ``most_picks`` a game; with LOG_ALL the log of the last game is left in
    ``game.log`` and no picks are written.
    """
    game.log.keeping = logging
    game.error[0] = 0
    for seat in range(rules.seats):
        game.own[seat].entrant = -1
    written = 0
    for number in range(rows.shape[0] // rules.seats):
        if not play_game(game, rules, seating, line_up, first + number):
            return ERROR
        _write_rows(game, rows, number * rules.seats, first + number)
        if logging == LOG_PICKS:
            written = _write_picks(game, picks, written, first + number)
    return written
