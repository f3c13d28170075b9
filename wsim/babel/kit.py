"""The vocabulary and rule functions for writing a policy of Tower of Babel.

A policy is a function of four records that returns the index of one of the legal moves::

    import wsim
    from wsim.babel.kit import OFFER, TURN, cards_of, set_gain, slot_of

    @wsim.policy(parameters={"offer": 2.0})
    def sets(public, own, choice, rules):
        best, at = 0.0, 0
        for i in range(choice.count):
            value = 0.0
            if choice.kind == TURN and slot_of(choice.moves[i]) >= 0:
                value = set_gain(public, rules, own.seat, public.board[slot_of(choice.moves[i])])
            if choice.kind == OFFER:
                value = min(cards_of(choice.moves[i]), own.parameters[0])
            if value > best:
                best, at = value, i
        return at

Play it with ``--game tower_of_babel --policies ./mine.py:sets:offer=3``; ``wsim.wonders.kit``, its counterpart for
7 Wonders, describes how policies are compiled or run as plain Python.

The records are described field by field in wsim/babel/kernels/layout.py, their codes in wsim/babel/words.py:

* ``public``   public knowledge: ``public.points[seat]``, ``public.units[wonder, seat]``, the board
  (``public.board[slot]`` is the disc laid on a slot, ``public.slots_left`` the mask of slots that still have one),
  and the current build (``public.active``, ``public.slot``, ``public.need``, ``public.offer[seat]``, ...)
* ``own``      the seat (``own.seat``), its hand (``own.hand[kind]``), action cards and discs, the parameters
  (``own.parameters[i]``, in the order declared) and its random stream: draw with ``below(own, n)`` or ``uniform(own)``
* ``choice``   ``choice.moves[0:choice.count]``, ascending, and the kind of decision (``choice.kind``)
* ``rules``    the rules: ``rules.kind[disc]``, ``rules.need[disc]``, ``rules.values[row]``, ``rules.sets[discs]``, ...

The moves of each decision; move 0 refuses, and comes first if refusing is legal:

==========  ====================================================================================
TURN        0 pass; else build with the disc of ``slot_of(move)``
PLAY_CARD   0 none; else 1 + the action card: EXCHANGE_CARDS or DRAW_THREE
EXCHANGE    0 enough; else 1 + the kind of the next card to set aside
OFFER       ``first_of``, ``second_of`` and ``cards_of`` (cards of the disc's first kind, its second,
            both), ``trades`` (1 with the trade card)
BLUFF       0 none; else the mask of the wrong kinds: a card of each is added to the offer
TAKE        the mask of the seats whose offers are taken: ``takes(move, seat)``
COMPLETE    0 decline; else ``first_of``, ``second_of``: missing cards that Jokers replace
TRIPLE      1 play the Triple bonus on one's own refused offer
DOUBLE      1 play the Double turn
==========  ====================================================================================

Kinds of discs and cards are numbered as in KINDS, action cards as in ACTION_CARDS (EXCHANGE_CARDS ... TRIPLE_BONUS). A
slot is wonder * SPACES + space. Results of a build: ``set_gain``, ``wonder_points``, ``completes``, ``shortage``; cards
that may be played: ``usable``. A policy is only called if there are at least two legal moves. It may write ``own.rng``
and ``own.memory`` (eight numbers of the seat, 0 at the start of a game). It must not keep any other state between
calls, because it may run on several threads at once.
"""

from __future__ import annotations

from functools import partial

from wsim import rng
from wsim.babel.kernels import moves
from wsim.babel.kernels.layout import Private, Public, Rules
from wsim.babel.policies import value
from wsim.babel.words import (
    ACTION_CARDS,
    BLUFF,
    COMPLETE,
    DISC_BONUS,
    DOUBLE,
    DOUBLE_TURN,
    DRAW_THREE,
    EXCHANGE,
    EXCHANGE_CARDS,
    FIVE_POINTS,
    JOKER,
    KINDS,
    OFFER,
    PLAY_CARD,
    SLOTS,
    SPACES,
    TAKE,
    TRIPLE,
    TRIPLE_BONUS,
    TURN,
    WONDERS,
)
from wsim.jit import kernel, types
from wsim.policies.helpers import helper

__all__ = [
    "ACTION_CARDS", "BLUFF", "COMPLETE", "DISC_BONUS", "DOUBLE", "DOUBLE_TURN", "DRAW_THREE", "EXCHANGE",
    "EXCHANGE_CARDS", "FIVE_POINTS", "JOKER", "KINDS", "OFFER", "PLAY_CARD", "SLOTS", "SPACES", "TAKE", "TRIPLE",
    "TRIPLE_BONUS", "TURN", "WONDERS", "below", "cards_of", "completes", "first_of", "kernel", "second_of",
    "set_gain", "shortage", "slot_of", "takes", "trades", "uniform", "usable", "wonder_points",
]  # fmt: skip

_helper = partial(helper, home="babel.policies")
_I8, _F8 = types.int64, types.float64

first_of = _helper(moves.first_of)
second_of = _helper(moves.second_of)
cards_of = _helper(moves.cards_of)
trades = _helper(moves.trades)
slot_of = _helper(value.slot_of)
takes = _helper(value.takes)
usable = _helper(moves.usable)
below = _helper(rng.below, _I8(Private, _I8))
uniform = _helper(rng.uniform, _F8(Private))
completes = _helper(value.completes)
set_gain = _helper(value.set_gain, _I8(Public, Rules, _I8, _I8))
wonder_points = _helper(value.wonder_points, _I8(Public, Rules, _I8, _I8, _I8))
shortage = _helper(value.shortage, _I8(Private, Rules, _I8, _I8, _I8, _I8))
