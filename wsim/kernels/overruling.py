"""Overruled decisions: a policy that wants something is now and then asked again as if it could not have it.

What a seat does instead is what its own policy holds for the next best: the policy is asked a second time, over the
legal moves without those of the same *thing* (every way to build the same card, say). A thing that a seat has once for
all, as a card of 7 Wonders, it may not have later in the game either: so having it is compared with not having it.

Chance alone decides where that happens, so the seats that were overruled are the control group of those that were not
(``wsim.stats.worth``). The draw of a decision comes from a stream of the game, independent of the policy: the games
depend on plan, seed and version only. For its second question a policy has the memory that it had before the first, and
fresh random numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wsim.jit import kernel
from wsim.rng import uniform

WIDE = 0.5
"""Of the overruled decisions, the share at which the wider thing is struck, in a game where things are in groups."""


def wish_of(choice: np.dtype[Any], memory: int) -> np.dtype[Any]:
    """Return the record of what a policy wanted at the decision at hand, in a plan that overrules some."""
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


def overruling(thing_of: Any, deny: Any, picked: Any, memory: int) -> Any:
    """Return the kernel that asks a policy, and perhaps asks again: (game, rules, seating, line_up, seat) -> index.

    Parameters
    ----------
    thing_of: the kernel (game, move, wide) -> the number of what a move is about, -1 where that is nothing to overrule.
    deny: the kernel (game, thing) that takes a thing from the seat for the rest of the game, where that is lasting.
    picked: the kernel that asks the policy. memory: how many numbers it may keep.
    """

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
        """Return the index of what the policy picks where it cannot have the thing; -1 instead of a wrong one."""
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
        """Ask a policy, and with the chance of its seat overrule it; return the index that holds, or -1."""
        own, wish, chance = game.own[seat], game.wish, seating.overrule[seat]
        drawn = uniform(game.hidden.dice)
        wide = 1 if drawn < chance * WIDE else 0
        for i in range(memory):
            wish.memory[i] = own.memory[i]
        wish.overruled = wish.others = 0
        index = picked(game, rules, seating, line_up, seat)
        if index < 0:
            return index
        wish.index = index
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
