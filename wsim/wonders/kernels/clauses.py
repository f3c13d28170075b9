"""Clauses: effects of cards and stages by formula, and their events (R52-R58, R64, R65).

An event is a move or a moment of the game; the actions of clauses are not events, so no clause can trigger another.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import count_bits, kernel
from wsim.wonders import words as w
from wsim.wonders.kernels.city import cards
from wsim.wonders.kernels.clause_acts import do
from wsim.wonders.kernels.clause_owners import has_entry, may_act, related
from wsim.wonders.kernels.counters import FIRST_ACT, change_counter, is_of_table
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.kernels.log import log_effect
from wsim.wonders.kernels.moves import action_of, how_of, left_of, right_of
from wsim.wonders.kernels.pending import add_pending

OF_MOVES = (1 << w.ON_TURN) - 1  # mask of the triggers of moves


@kernel
def act_in(game, rules, clause, owner, city, other, first, end):
    """Carry out some actions of a clause in one city."""
    public = game.public
    for at in range(first, end):
        amount = evaluate(public, rules, np.int64(rules.action_amount[at]), owner, other)
        action, entry = np.int64(rules.action[at]), np.int64(rules.clause_entry[clause])
        if action >= FIRST_ACT:
            done = change_counter(public, rules, city, action, amount)
        else:
            done = do(game, rules, action, entry, owner, city, amount)
        if done and game.log.recording:
            log_effect(game, owner, at, owner if is_of_table(rules, action) else city, done)


@kernel
def _act_on(game, rules, clause, owner, city, other):
    """Apply a clause to one city, if its condition is true."""
    condition = rules.clause_if[clause]
    if condition < 0 or evaluate(game.public, rules, condition, owner, other):
        act_in(game, rules, clause, owner, city, other, rules.clause_actions[clause], rules.clause_actions[clause + 1])


@kernel(rare=True)
def cities_met(public, rules, clause, owner, trigger):
    """Return a mask of the cities on which a clause acts and for which its condition is true."""
    each, condition, cities = rules.clause_each[clause], rules.clause_if[clause], 0
    for city in range(public.seats):
        if each == w.WHOM_SELF or each == w.WHOM_TRIGGER:
            concerned, other = city == (owner if each == w.WHOM_SELF else trigger), trigger
        else:
            concerned, other = city != owner and related(public, rules, owner, city, each), city
        if concerned and (condition < 0 or evaluate(public, rules, condition, owner, other)):
            cities |= 1 << city
    return cities


@kernel(rare=True)
def _act(game, rules, clause, owner, trigger):
    """Apply a clause to its own city, the city that triggered it, or each city that it names, starting from the left; a
    clause that asks waits for its decision (R72)."""
    if rules.clause_options[clause + 1] > rules.clause_options[clause]:
        if cities_met(game.public, rules, clause, owner, trigger):
            add_pending(game, rules, clause, owner, trigger)
        return
    seats, each = game.public.seats, rules.clause_each[clause]
    if each == w.WHOM_SELF:
        _act_on(game, rules, clause, owner, owner, trigger)
    elif each == w.WHOM_TRIGGER:
        _act_on(game, rules, clause, owner, trigger, trigger)
    else:
        for step in range(1, seats):
            city = (owner + step) % seats
            if related(game.public, rules, owner, city, each):
                _act_on(game, rules, clause, owner, city, city)


@kernel(rare=True)
def moment(game, rules, trigger):
    """Apply the clauses of an event, seat by seat, in the order of the catalogue (R54)."""
    public = game.public
    first, end = rules.clause_from[trigger], rules.clause_from[trigger + 1]
    for owner in range(public.seats if first < end else 0):
        if not may_act(public, rules, owner, trigger):
            continue
        for clause in range(first, end):
            if has_entry(public, rules, owner, rules.clause_entry[clause]):
                _act(game, rules, clause, owner, owner)


@kernel
def _bit_of(trigger):
    """Return the bit of HIDDEN.watched for a trigger; for builds, each colour has a bit, and the lowest is returned."""
    return 1 << (w.COLOR_KINDS + trigger - w.ON_STAGE)


@kernel(rare=True)
def note_watchers(game, rules):
    """Update the moves that clauses of all cities wait for, after new clauses were placed (HIDDEN.watched)."""
    public, watched = game.public, game.hidden.watched
    for mover in range(public.seats):
        watched[mover] = 0
    for trigger in range(w.ON_CARD, w.ON_PURCHASE + 1):
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            moves = rules.clause_colors[clause] if trigger == w.ON_CARD else _bit_of(trigger)
            for owner in range(public.seats):
                if has_entry(public, rules, owner, rules.clause_entry[clause]):
                    for mover in range(public.seats):
                        if related(public, rules, owner, mover, rules.clause_by[clause]):
                            watched[mover] |= moves


@kernel(rare=True)
def _watchers(game, rules, trigger, mover, entry, color, seller):
    """Apply the clauses triggered by a move in every city, except those of the card or stage that it has just placed.

    ``color``: of the structure built; ``seller``: the selling city; -1 if there is none.
    """
    public = game.public
    for owner in range(public.seats):
        if not may_act(public, rules, owner, trigger):
            continue
        for clause in range(rules.clause_from[trigger], rules.clause_from[trigger + 1]):
            card = rules.clause_entry[clause]
            if (
                related(public, rules, owner, mover, rules.clause_by[clause])
                and (color < 0 or rules.clause_colors[clause] >> color & 1)
                and (seller < 0 or related(public, rules, owner, seller, rules.clause_seller[clause]))
                and not (owner == mover and card == entry)
                and has_entry(public, rules, owner, card)
            ):
                _act(game, rules, clause, owner, seller if seller >= 0 and owner == mover else mover)


@kernel(rare=True)
def act_when_built(game, rules, owner, entry):
    """Apply the clauses of what a city has just built or recruited."""
    for clause in range(rules.clause_from[w.ON_BUILT], rules.clause_from[w.ON_BUILT + 1]):
        if rules.clause_entry[clause] == entry:
            _act(game, rules, clause, owner, owner)


@kernel(rare=True)
def card_recruited(game, rules, mover, entry, from_stock):
    """Apply the clauses of a recruited card: its own, then those of other cards that react to it (R90, R106)."""
    public = game.public
    public.event_entry, public.event_how = entry + 1, w.FROM_STOCK if from_stock else w.BY_PAYING
    public.event_order = count_bits(public.recruited[mover])
    if rules.when[entry]:
        note_watchers(game, rules)
        act_when_built(game, rules, mover, entry)
    if rules.triggers >> w.ON_RECRUIT & 1:
        _watchers(game, rules, w.ON_RECRUIT, mover, entry, -1, -1)


@kernel(rare=True)
def move_made(game, rules, mover, move, entry, decision):
    """Apply the clauses of a move: those of the placed card or stage, then those that the move triggers (R54)."""
    public = game.public
    public.event_entry = entry + 1
    public.event_how = how_of(move) if decision != w.DISCARD_PILE else w.FROM_DISCARD
    action, watched = action_of(move), game.hidden.watched[mover]
    public.event_order = public.stages[mover] if action == w.STAGE else cards(public, rules, mover)
    if entry >= 0 and rules.when[entry]:
        act_when_built(game, rules, mover, entry)
    color = np.int64(rules.color[entry]) if action == w.BUILD else -1
    trigger = w.ON_CARD if action == w.BUILD else (w.ON_SALE if action == w.SELL else w.ON_STAGE)
    if watched & (1 << color if action == w.BUILD else _bit_of(trigger)):
        _watchers(game, rules, trigger, mover, entry, color, -1)
    if decision == w.LAST_CARD and watched & _bit_of(w.ON_LAST_CARD):
        _watchers(game, rules, w.ON_LAST_CARD, mover, entry, -1, -1)
    if watched & _bit_of(w.ON_PURCHASE):
        # Clauses triggered by coins paid to a neighbour act, the left neighbour first (R64).
        seats = public.seats
        for side in range(w.NEIGHBOR_SEATS):
            public.purchase = right_of(move) if side else left_of(move)
            if public.purchase:
                seller = (mover + (seats - 1 if side else 1)) % seats
                _watchers(game, rules, w.ON_PURCHASE, mover, entry, -1, seller)
        public.purchase = 0
    public.event_entry = public.event_how = public.event_order = 0


@kernel
def drop_age_shields(public):
    """Remove the shields that were for this age only (R57)."""
    for seat in range(public.seats):
        public.shields[seat] -= public.age_shields[seat]
        public.age_shields[seat] = 0


@kernel(rare=True)
def drop_turn_units(public):
    """Remove the units that were for this turn only (R65)."""
    for seat in range(public.seats):
        if public.turn_units[seat]:
            public.plain[seat] -= public.turn_units[seat]
            public.reach[seat] -= public.turn_units[seat]
            public.turn_units[seat] = np.uint64(0)


@kernel(rare=True)
def formula_points(public, rules, seat, entry):
    """Return the points from the clauses of a structure or stage at the end (R58)."""
    points = 0
    for clause in range(rules.clause_from[w.ON_SCORE], rules.clause_from[w.ON_SCORE + 1]):
        if rules.clause_entry[clause] == entry:
            each, condition = rules.clause_each[clause], rules.clause_if[clause]
            amount = np.int64(rules.action_amount[rules.clause_actions[clause]])
            for step in range(public.seats):
                city = (seat + step) % public.seats
                if related(public, rules, seat, city, each) and (
                    condition < 0 or evaluate(public, rules, condition, seat, city)
                ):
                    points += evaluate(public, rules, amount, seat, city)
    return points
