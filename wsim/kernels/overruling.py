"""Overruled decisions: a policy that wants something is occasionally asked again as if it could not have it.

The seat then makes its policy's next best move: the policy is called a second time, with the legal moves except those
of the same *thing* (such as every way to build the same card). If a seat keeps a thing for good, such as a card of 7
Wonders, it may not obtain it later in the game either; so having it is compared with not having it.

Chance alone decides when this happens, so overruled seats are the control group of the others (``wsim.stats.worth``).
The draw comes from a stream of the game and does not depend on the policy, so games depend only on plan, seed and
version. When asked again, a policy has the memory that it had before the first question, and fresh random numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wsim.jit import kernel
from wsim.rng import uniform

WIDE = 0.5
"""The share of overruled decisions at which the wider thing is removed, in a game whose things form groups."""


def wish_of(choice: np.dtype[Any], memory: int) -> np.dtype[Any]:
    """Return the record of a policy's wish at the current decision, for a plan that overrules policies."""
    return np.dtype(
        [
            ("index", "i8"),  # what the policy picked, in the list of legal moves
            ("others", "i8"),  # legal moves that are not of the same thing; 0: it could not be overruled
            ("overruled", "i8"),  # 0 followed; 1 overruled; 2 overruled, and the wider thing struck
            ("drawn", "f8"),  # decides whether it is overruled
            ("again", "i8"),  # 1: the policy is asked for its next best move
            ("choice", choice),  # the legal moves, while the policy is asked again
            ("memory", "f8", (memory,)),  # of the policy, before it was asked
        ],
        align=True,
    )


class Overruling(NamedTuple):
    """Kernels (game, rules, seating, line_up, seat, ...) -> the final index, or -1.

    Attributes ---------- ask: calls the policy, and perhaps asks it again. resume: continues with the index of a policy
    that answers later, which was -1 while ``ask`` or ``resume`` ran.
    """

    ask: Any
    resume: Any


def overruling(hooks: Any, picked: Any) -> Overruling:
    """Return the kernels that call a policy, and perhaps ask it again.

    ``hooks``: of the game (``wsim.kernels.engine.EngineHooks``). ``picked``: the kernel that asks the policy.
    """
    thing_of, deny, part_overruled, memory = hooks.thing_of, hooks.deny, hooks.part_overruled, hooks.memory

    @kernel
    def strike(game, thing, wide):
        """Leave out the legal moves of a thing."""
        choice, kept = game.choice, 0
        for i in range(choice.count):
            if thing_of(game, choice.moves[i], wide) != thing:
                choice.moves[kept] = choice.moves[i]
                kept += 1
        choice.count = kept

    @kernel
    def others_than(game, thing, wide):
        """Count the legal moves that are not of a thing."""
        choice, count = game.choice, 0
        for i in range(choice.count):
            if thing_of(game, choice.moves[i], wide) != thing:
                count += 1
        return count

    @kernel
    def among_all(game, index):
        """List all legal moves again; return the index of a move that was ``index`` in the shorter list."""
        choice, wish = game.choice, game.wish
        made = choice.moves[index]
        choice.count = wish.choice.count
        for i in range(choice.count):
            choice.moves[i] = wish.choice.moves[i]
            if choice.moves[i] == made:
                index = i
        return index

    @kernel
    def next_best(game, rules, seating, line_up, seat, thing, wide):
        """Return the index that the policy picks if it cannot have the thing; -1 for an invalid one."""
        own, choice, wish = game.own[seat], game.choice, game.wish
        wish.choice.count = choice.count
        for i in range(choice.count):
            wish.choice.moves[i] = choice.moves[i]
        for i in range(memory):
            own.memory[i] = wish.memory[i]
        strike(game, thing, wide)
        index = np.int64(0)
        wish.again = 1
        if choice.count > 1:
            index = picked(game, rules, seating, line_up, seat)
            if index < 0:
                return index
        return among_all(game, index)

    @kernel
    def follow(game, rules, seating, line_up, seat, index):
        """Follow the wish of the policy or overrule it; return the final index, or -1."""
        wish, drawn = game.wish, game.wish.drawn
        wish.index = index
        chance = seating.overrule[seat] * part_overruled(game, game.choice.moves[index])
        wide = 1 if drawn < chance * WIDE else 0
        thing = thing_of(game, game.choice.moves[index], wide)
        if thing < 0:
            return index
        wish.others = others_than(game, thing, wide)
        if drawn >= chance or wish.others == 0:
            return index
        wish.overruled = 1 + wide
        deny(game, thing)
        return next_best(game, rules, seating, line_up, seat, thing, wide)

    @kernel(rare=True)
    def ask(game, rules, seating, line_up, seat):
        """Call a policy, and overrule it with the probability of its seat; return the final index, or -1."""
        own, wish = game.own[seat], game.wish
        wish.drawn = uniform(game.hidden.dice)
        for i in range(memory):
            wish.memory[i] = own.memory[i]
        wish.overruled = wish.others = wish.again = 0
        index = picked(game, rules, seating, line_up, seat)
        if index < 0:
            return index
        return follow(game, rules, seating, line_up, seat, index)

    @kernel(rare=True)
    def resume(game, rules, seating, line_up, seat, index):
        """Continue with the index that a policy answered later; return the final index, or -1."""
        if game.wish.again:
            return among_all(game, index)
        return follow(game, rules, seating, line_up, seat, index)

    return Overruling(ask, resume)
