"""One pass over the wishes of some games that adds up what the worth of things follows from (``wsim.stats.worth``).

Every number that is added up is whole, so no sum depends on the order of games.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from wsim.jit import kernel, lowest_bit, types

ARM = 3  # what a wish counts in its arm: itself, parts of a win, score
FEATURES = 2 * ARM  # followed, then overruled
PRODUCTS = FEATURES * (FEATURES + 1) // 2  # of two features of a game, each once
LINE = 32  # numbers from one cell to the next: whole lines of a processor's cache
OF_ARM = ARM + ARM * (ARM + 1) // 2 + 1  # numbers of one arm: features, their products, games
BITS = 64

Whole = types.Array(types.int64, 1, "C")
Codes = types.Array(types.int64, 2, "C")
Flags = types.Array(types.uint8, 1, "C")
Words = types.Array(types.uint64, 2, "C")
Vector, Matrix = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
_NONE, _ONE = np.uint64(0), np.uint64(1)


def sums_at() -> np.ndarray:
    """Return where the features, their products (upper triangle, row by row) and the games of a cell are in its sums.

    What is of one arm is together: most cells of a game have one arm only, which then is one or two lines of a cache.
    """
    features = [arm * OF_ARM + feature for arm in range(2) for feature in range(ARM)]
    of_arm = {pair: at for at, pair in enumerate(combinations_with_replacement(range(ARM), 2), ARM)}
    products = [
        row // ARM * OF_ARM + of_arm[row % ARM, column % ARM]
        if row // ARM == column // ARM
        else 2 * OF_ARM + row * ARM + column - ARM
        for row, column in combinations_with_replacement(range(FEATURES), 2)
    ]
    return np.array([*features, *products, OF_ARM - 1, 2 * OF_ARM - 1])


@kernel
def _add_arm(own, first, sums, at):
    """Add the features of one arm in a game, their products and the game to the sums of a cell."""
    n, parts, score = own[first], own[first + 1], own[first + 2]
    sums[at] += n
    sums[at + 1] += parts
    sums[at + 2] += score
    sums[at + 3] += n * n
    sums[at + 4] += n * parts
    sums[at + 5] += n * score
    sums[at + 6] += parts * parts
    sums[at + 7] += parts * score
    sums[at + 8] += score * score
    sums[at + 9] += 1.0


@kernel
def _add_game(cells, touched, features, sums):
    """Add the features of a game in the cells that it touched; leave them 0."""
    for i in range(touched):
        own, line = features[cells[i]], sums[cells[i]]
        if own[0] > 0.0:
            _add_arm(own, 0, line, 0)
        if own[ARM] > 0.0:
            _add_arm(own, ARM, line, OF_ARM)
            if own[0] > 0.0:
                for row in range(ARM):
                    for column in range(ARM):
                        line[2 * OF_ARM + row * ARM + column] += own[row] * own[ARM + column]
        for row in range(FEATURES):
            own[row] = 0.0


@kernel(types.void(*(Whole, Codes, Flags, Words, Codes, Flags, Matrix), *(Matrix, Vector), *(Matrix, Whole)))
def add_wishes(game, things, overruled, could, groups, reached, values, sums, reach, features, cells):
    """Add the wishes of some games.

    Parameters
    ----------
    game: of each wish, never falling.
    things: what is wanted, -1 for none; shape (wishes, things at once).
    overruled: whether it was something else that was done.
    could: the things that could be had, one bit each; shape (wishes, words).
    groups: the first cell of each group that the wish is in; a cell is a group and a thing. Shape (wishes, groups).
    reached: whether ``reach`` is counted in a group; that of others follows from these.
    values: parts of a win and score of the seat; shape (wishes, 2).
    sums: by cell, ``sums_at`` says where: features, their products in a game, in how many games either arm is.
    reach: by cell: decisions at which the thing could be had.
    features, cells: room: zeros, shape (cells, FEATURES), which are zeros again afterwards; as many numbers as there
        are cells.
    """
    for group in range(groups.shape[1]):  # one after the other: the cells of most groups fit into the cache
        touched = 0
        for wish in range(len(game)):
            if wish > 0 and game[wish] != game[wish - 1]:
                _add_game(cells, touched, features, sums)
                touched = 0
            arm = ARM if overruled[wish] else 0
            first = groups[wish, group]
            for index in range(things.shape[1]):
                if things[wish, index] < 0:
                    continue
                cell = first + things[wish, index]
                own = features[cell]
                if own[0] + own[ARM] == 0.0:
                    cells[touched] = cell
                    touched += 1
                own[arm] += 1.0
                own[arm + 1] += values[wish, 0]
                own[arm + 2] += values[wish, 1]
            for word in range(could.shape[1] if reached[group] else 0):
                left = could[wish, word]
                while left:
                    reach[first + word * BITS + lowest_bit(left)] += 1.0
                    left &= left - _ONE
        _add_game(cells, touched, features, sums)
