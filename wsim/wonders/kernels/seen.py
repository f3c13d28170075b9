"""The knowledge of a seat, for resampling: the hands it held, and the cards that left hands openly (R5, R49).

Hands are numbered by the seat to which they were first dealt.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders.kernels.layout import (
    AFTER_MOVES,
    ASK,
    BEFORE_MOVES,
    CHOOSE,
    CITY,
    DRAFT,
    LAST,
    NOBODY,
    SETTLE,
    STEP_AT,
)
from wsim.wonders.kernels.moves import NO_MOVE, action_of, card_of
from wsim.wonders.kernels.turn import neighbor_left
from wsim.wonders.words import AGES, BUILD, DISCARD, DISCARD_PILE, EFFECT, LAST_CARD, PUT_ASIDE, SEATS, SELL, TURNS

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_NIBBLE = np.uint64(0xF)
_FREE_CITY_SEAT = 2
SOLD, BURIED, NOTHING = -1, -2, -3  # REDRAW.event where no card was built


# --- which hand is where


@kernel
def hand_at(rules, age, turn, seat):
    """Return the hand that a seat holds in a turn (R5)."""
    players = rules.players
    return (seat + turn) % players if rules.to_right[age] else (seat - turn) % players


@kernel
def seat_of(rules, age, turn, hand):
    """Return the seat that holds a hand in a turn."""
    players = rules.players
    return (hand - turn) % players if rules.to_right[age] else (hand + turn) % players


@kernel
def holder(public, age, turn):
    """Return the seat that holds the Free City's card in a turn (R45)."""
    first = neighbor_left(public, _FREE_CITY_SEAT) if age != 1 else 1
    return first if turn % 2 == 0 else 1 - first


@kernel
def bit(slot):
    return _ONE << np.uint64(slot)


# --- what the seat knows


@kernel
def phase_after(flow):
    """Return the phase of a position, or the phase that follows once losses are settled and clauses have asked."""
    return flow.after if flow.phase == SETTLE or flow.phase == ASK else flow.phase


@kernel
def put_away(game, rules):
    """Return whether the hands of this age have already been put away (R9.5)."""
    flow = game.flow
    if game.public.turn < game.public.turns - 1 or phase_after(flow) <= CITY:
        return False
    if phase_after(flow) == DRAFT:
        return game.asking.dealt & 1 == 0  # after the conflicts, not before an age
    return flow.seat != NOBODY or phase_after(flow) != LAST


@kernel
def pile_moment(age, turn, last, step):
    """Return the moment up to which discarded cards are on the pile in a step of a turn, ``last`` of the age or not.

    age * (TURNS + 1) + turn; the last cards of an age follow those of its last turn.
    """
    moment = age * (TURNS + 1) + turn
    if step == BEFORE_MOVES:
        return moment - 1
    return moment + 1 if last and step != AFTER_MOVES else moment


@kernel
def read_events(game, rules):
    """Read the public history: what left each seat's hand in each turn, and what was built from the pile."""
    public, past = game.public, game.redraw
    past.build_count = 0
    for age in range(AGES):
        past.turns[age] = 0
        for seat in range(SEATS):
            for turn in range(TURNS + 1):
                past.event[age, seat, turn] = NOTHING
                if rules.asides:
                    past.aside[age, seat, turn] = past.aside_of[age, seat, turn] = 0
    for number in range(public.deed_count):
        deed = public.deeds[number]
        seat, age = np.int64(deed >> np.uint64(40) & _NIBBLE), np.int64(deed >> np.uint64(44) & np.uint64(3))
        turn, decision = np.int64(deed >> np.uint64(46) & _NIBBLE), np.int64(deed >> np.uint64(50) & np.uint64(7))
        if decision == EFFECT:
            continue  # a structure that went from city to city
        if decision == DISCARD_PILE:
            step = np.int64(deed >> np.uint64(STEP_AT) & np.uint64(3))
            past.builds[past.build_count] = card_of(deed)
            past.returned[past.build_count] = action_of(deed) == DISCARD or action_of(deed) == PUT_ASIDE
            if action_of(deed) == PUT_ASIDE:
                past.aside[age, seat, turn] = 1 + card_of(deed)
            past.built_at[past.build_count] = pile_moment(age, turn, turn == rules.age_turns[age] - 1, step)
            past.built_deed[past.build_count] = number
            past.build_count += 1
            continue
        what = SOLD
        if action_of(deed) == BUILD:
            what = card_of(deed)
        elif action_of(deed) != SELL:
            what = BURIED
        past.event[age, seat, TURNS if decision == LAST_CARD else turn] = what
        if decision != LAST_CARD:
            past.turns[age] = max(past.turns[age], turn + 1)


@kernel
def drawn_by(game, rules, age, turn, seat):
    """Return the Free City's card as a set, if that seat drew it in a turn (R45)."""
    if rules.duo and holder(game.public, age, turn) == seat:
        return game.own[_FREE_CITY_SEAT].passed[age, turn]
    return _ZERO


@kernel
def put_aside_by(rules, own, age, turn):
    """Return the slot that a seat put aside in a turn (R107), as a set."""
    return bit(own.aside[age, turn] - 1) if rules.asides and own.aside[age, turn] else _ZERO


@kernel
def seen_before(game, rules, witness, age, turn):
    """Return the hand that a seat received in a turn: before its move, without drawn cards."""
    public, past = game.public, game.redraw
    own = game.own[witness]
    slots = own.passed[age, turn]
    if age == public.age and turn == public.turn and not put_away(game, rules):
        slots = own.hand
    if turn < past.turns[age] or has_chosen(game, witness):
        slots |= bit(own.took[age, turn])
    slots |= put_aside_by(rules, own, age, turn)
    if rules.duo and holder(public, age, turn) == witness:
        if turn < past.turns[age] or (has_chosen(game, witness) and game.flow.phase != CITY):
            slots |= bit(game.own[_FREE_CITY_SEAT].took[age, turn])
        slots &= ~drawn_by(game, rules, age, turn, witness)
    return slots


@kernel
def has_chosen(game, seat):
    """Return whether a seat's move of this turn is chosen, but not revealed."""
    flow = game.flow
    if flow.phase == CITY and flow.seat == seat:
        return True
    return (
        (flow.phase == CHOOSE or flow.phase == CITY)
        and game.hidden.taken[seat] != NO_MOVE
        and (flow.wrap <= seat < flow.seat if flow.wrap else seat < flow.seat or seat >= flow.end)
    )


@kernel
def witness_of(game, rules, me, age, turn, hand):
    """Return the seat through whose eyes ``me`` saw a hand in a turn: its own, its mate's, or one whose hand a clause
    let it see (R105); NOBODY if it did not."""
    if turn > game.redraw.turns[age] or turn >= rules.age_turns[age]:
        return NOBODY
    if turn == game.redraw.turns[age] and (age != game.public.age or turn != game.public.turn):
        return NOBODY  # not dealt, or not yet handed on
    seat = seat_of(rules, age, turn, hand)
    if seat == me or (rules.teams and seat == me ^ 1):
        return seat
    if rules.watches and game.own[me].watched[age, turn] >> seat & 1:
        return seat
    return NOBODY


@kernel
def all_seen(game, rules, me, age):
    """Return the slots of an age that a seat has seen."""
    seen = _ZERO
    for turn in range(game.redraw.turns[age] + 1):
        for hand in range(rules.players):
            witness = witness_of(game, rules, me, age, turn, hand)
            if witness != NOBODY:
                seen |= seen_before(game, rules, witness, age, turn) | drawn_by(game, rules, age, turn, witness)
    return seen
