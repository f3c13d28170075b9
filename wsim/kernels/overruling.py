"""Overruled decisions: a policy that wants something is now and then asked again as if it could not have it.

The seat then makes its policy's next best move: the policy is called a second time, with the legal moves except those
of the same *thing* (such as every way to build the same card). A thing that a seat has once for all, as a card of 7
Wonders, it may not have later in the game either: so having it is compared with not having it.

Chance alone decides when this happens, so overruled seats are the control group of the others (``wsim.stats.worth``).
The draw comes from a stream of the game and does not depend on the policy, so games depend only on plan, seed and
version. For its second question a policy has the memory that it had before the first, and fresh random numbers.
"""

from __future__ import annotations

from typing import Any

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
            ("choice", choice),  # the legal moves, while the policy is asked again
            ("memory", "f8", (memory,)),  # of the policy, before it was asked
        ],
        align=True,
    )


def overruling(parts: Any, picked: Any) -> Any:
    """Return the kernel that asks a policy, and perhaps asks again: (game, rules, seating, line_up, seat) -> index.

    ``parts``: the kernels of the game (``wsim.kernels.engine.Parts``). ``picked``: the kernel that asks the policy.
    """
    thing_of, deny, part_overruled, memory = parts.thing_of, parts.deny, parts.part_overruled, parts.memory

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
        if choice.count > 1:
            index = picked(game, rules, seating, line_up, seat)
            if index < 0:
                return index
        made = choice.moves[index]
        choice.count = wish.choice.count
        for i in range(choice.count):
            choice.moves[i] = wish.choice.moves[i]
            if choice.moves[i] == made:
                index = i
        return index

    @kernel(rare=True)
    def overruled(game, rules, seating, line_up, seat):
        """Call a policy, and overrule it with the probability of its seat; return the final index, or -1."""
        own, wish = game.own[seat], game.wish
        drawn = uniform(game.hidden.dice)
        for i in range(memory):
            wish.memory[i] = own.memory[i]
        wish.overruled = wish.others = 0
        index = picked(game, rules, seating, line_up, seat)
        if index < 0:
            return index
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

    return overruled
