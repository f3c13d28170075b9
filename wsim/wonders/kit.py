"""The vocabulary and rule functions for writing a policy of 7 Wonders.

A policy is a function of four records that returns the index of one of the legal moves::

    import wsim
    from wsim.wonders.kit import BUILD, action_of, card_of

    @wsim.policy(parameters={"eagerness": 1.0})
    def bold(public, own, choice, rules):
        best, at = -1e9, 0
        for i in range(choice.count):
            move = choice.moves[i]
            value = 0.0
            if action_of(move) == BUILD:
                value = own.parameters[0] * rules.shields[card_of(move)]
            if value > best:
                best, at = value, i
        return at

Play it with ``--policies ./mine.py:bold:eagerness=2``. The function is compiled (numba, no Python objects inside) and
runs at the speed of the built-in policies; decorate its helper functions with ``kernel``. With
``@wsim.policy(python=True)``, or without a decorator, it runs as plain Python: any code works, but a hundred times
slower.

wsim/wonders/kernels/layout.py documents every field of the records, wsim/wonders/words.py their codes:

* ``public``   what everybody at the table knows: ``public.coins[seat]``, ``public.shields[seat]``, ``public.age``, ...
* ``own``      the seat (``own.seat``), its hand as slots, the parameters (``own.parameters[i]``, in the order
  declared) and its random stream: draw with ``below(own, n)`` or ``uniform(own)``, so that games can be replayed
* ``choice``   ``choice.moves[0:choice.count]``, the kind of decision (``choice.kind``: TURN, LAST_CARD,
  DISCARD_PILE, FREE_CITY, LOSS, or EFFECT where a clause asks) and the city that moves (``choice.seat``, which differs
  from ``own.seat`` for the Free City)
* ``rules``    the rules: ``rules.points[item]``, ``rules.cost[item]``, ...; an item is a card, or a stage from
  STAGE_ENTRY on

A policy is only called if there are at least two legal moves. It may write ``own.rng`` and ``own.memory``, eight
numbers that are 0 at the start of a game and persist between the decisions of a seat. It must not keep any other state,
because it may run on several threads at once.

Functions of a move: ``action_of`` (BUILD, STAGE, SELL, DECLINE, PAY, CHOOSE), ``card_of``, ``how_of`` (PAID, CHAIN,
FREE), ``bank_of``, ``left_of``, ``right_of`` and ``price_of`` (coins to the bank, to each neighbour, in total),
``slot_of``, ``spends_of``, ``option_of``, ``city_of``, ``picked_of`` and ``amount_of`` (the option of CHOOSE, from
0, the chosen city and card, each -1 if none, and the chosen amount, 0 if none), ``gives_of`` (whether that card is
given in exchange, R97), ``owner_of_move(move, choice.seat, public.seats)`` (the city that has the clause, R98).

Functions of a city: ``owns``, ``has_chain``, ``next_stage``, ``neighbor_left``, ``neighbor_right``, ``next_holder``.

Functions of the effects of an item: ``score_change``, ``coins_of``, ``rivals_loss``, ``war_points``, ``science_change``
(``science_gain`` ignores house rules). For a sale: ``sale_coins``. For a move when a clause asks: ``effect_change``.

The functions' docstrings give the details.
"""

from __future__ import annotations

from functools import partial

from wsim import rng
from wsim.jit import kernel, types
from wsim.policies.helpers import helper
from wsim.wonders.kernels import moves, turn
from wsim.wonders.kernels.layout import Choice, Private, Public, Rules
from wsim.wonders.policies import points
from wsim.wonders.words import (
    BUILD,
    CHAIN,
    CHOOSE,
    COLORS,
    DECLINE,
    DISCARD_PILE,
    EFFECT,
    FREE,
    FREE_CITY,
    LAST_CARD,
    LOSS,
    PAID,
    PAY,
    RESOURCES,
    SELL,
    STAGE,
    STAGE_ENTRY,
    SYMBOLS,
    TURN,
)

__all__ = [
    "BUILD", "CHAIN", "CHOOSE", "COLORS", "DECLINE", "DISCARD_PILE", "EFFECT", "FREE", "FREE_CITY", "LAST_CARD", "LOSS",
    "PAID", "PAY", "RESOURCES", "SELL", "STAGE", "STAGE_ENTRY", "SYMBOLS", "TURN", "action_of", "amount_of", "bank_of",
    "below", "card_of", "city_of", "coins_of", "effect_change", "gives_of", "has_chain", "how_of", "kernel", "left_of",
    "neighbor_left", "neighbor_right", "next_holder", "next_stage", "option_of", "owner_of_move", "owns", "picked_of",
    "price_of", "right_of", "rivals_loss", "sale_coins", "science_change", "science_gain", "score_change", "slot_of",
    "spends_of", "uniform", "war_points",
]  # fmt: skip

_helper = partial(helper, home="wonders.policies")
_I8, _F8 = types.int64, types.float64

amount_of = _helper(moves.amount_of)
card_of = _helper(moves.card_of)
action_of = _helper(moves.action_of)
how_of = _helper(moves.how_of)
city_of = _helper(moves.city_of)
option_of = _helper(moves.option_of)
picked_of = _helper(moves.picked_of)
gives_of = _helper(moves.gives_of)
owner_of_move = _helper(moves.owner_of_move)
bank_of = _helper(moves.bank_of)
left_of = _helper(moves.left_of)
right_of = _helper(moves.right_of)
slot_of = _helper(moves.slot_of)
spends_of = _helper(moves.spends_of)
price_of = _helper(points.price_of, _I8(types.uint64))
owns = _helper(moves.owns)
has_chain = _helper(moves.has_chain)
below = _helper(rng.below, _I8(Private, _I8))
uniform = _helper(rng.uniform, _F8(Private))
neighbor_left = _helper(turn.neighbor_left)
neighbor_right = _helper(turn.neighbor_right)
next_stage = _helper(points.next_stage)
next_holder = _helper(points.next_holder, _I8(Public, Rules, _I8))
coins_of = _helper(points.coins_of, _I8(Public, Rules, _I8, _I8))
score_change = _helper(points.score_change, _F8(Public, Rules, _I8, _I8))
effect_change = _helper(points.effect_change, _F8(Public, Rules, Choice, _I8))
rivals_loss = _helper(points.rivals_loss, _F8(Public, Rules, _I8, _I8))
science_gain = _helper(points.science_gain, _I8(Public, _I8, _I8, _I8))
science_change = _helper(points.science_change, _I8(Public, Rules, _I8, _I8, _I8))
sale_coins = _helper(turn.sale_coins, _I8(Public, Rules, _I8))
war_points = _helper(points.war_points, _I8(Public, Rules, _I8, _I8, _I8))
