"""One pass over the seats of some games that adds up everything that a summary stores.

Every number that is added up is whole, and below 2**53, so no sum depends on the order. Games may have different
numbers of seats: ``bounds[g]`` is the first row of game g, ``bounds[g + 1]`` the first row after it. The columns of
``values`` are the outcomes (parts of a win, score), then the measures.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit, stack_room, types

OUTCOME_COUNT = 2  # parts of a win, score
EACH = 1 + OUTCOME_COUNT  # counts of a row: itself, its outcomes
SQUARE = EACH * EACH  # products of the counts of two rows
OWN = EACH * (EACH + 1) // 2  # products of the counts of a row, each once; the first EACH are the counts
UNFOLDED = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])  # index in OWN of the product of two counts
BITS = 64
_OCTET = 8
AT_ONCE = 2048  # rows

Whole = types.Array(types.int64, 1, "C")
Flags = types.Array(types.uint8, 2, "C")
Words = types.Array(types.uint64, 2, "C")
Vector, Matrix, Cube, Grid = (types.Array(types.float64, axes, "C") for axes in (1, 2, 3, 4))
Bytes = types.Array(types.uint8, 1, "C")
Held = types.Array(types.uint64, 1, "C")
_NONE, _ONE = np.uint64(0), np.uint64(1)
_one_row, _other_row = stack_room("one_row", np.float64, EACH), stack_room("other_row", np.float64, EACH)
_own_line = stack_room("own_line", np.float64, OWN)
# Loops and scratch arguments: creating or filling numba arrays in one call adds error texts, twice the compile time.


@kernel
def _pack(flags, octets, words):
    """Set bit ``thing % BITS`` of ``words[thing // BITS]`` where ``flags[thing]`` is 1; a column for each row.

    Rows are processed in blocks, so that their words stay in the first-level cache; first by bytes, many of which the
    processor sets at once.
    """
    for first in range(0, words.shape[1], AT_ONCE):
        count = min(AT_ONCE, words.shape[1] - first)
        for word in range(words.shape[0]):
            for row in range(first, first + count):
                words[word, row] = _NONE
        for eight in range(0, flags.shape[0], _OCTET):
            for row in range(count):
                octets[row] = 0
            for thing in range(eight, min(eight + _OCTET, flags.shape[0])):
                flag, bit = flags[thing, first : first + count], np.uint8(1 << (thing % _OCTET))
                for row in range(count):
                    octets[row] |= np.uint8(flag[row] * bit)
            word, place = words[eight // BITS, first : first + count], np.uint64(eight % BITS)
            for row in range(count):
                word[row] |= np.uint64(octets[row]) << place


@kernel
def _count_owners(counts, held, owners):
    """Count a game by the number of owners of each thing that has an owner; reset ``counts`` to 0."""
    for word in range(len(held)):
        left = held[word]
        held[word] = _NONE
        while left:
            thing = word * BITS + lowest_bit(left)
            left &= left - _ONE
            owners[thing, counts[thing]] += 1.0
            owners[thing, 0] -= 1.0
            counts[thing] = 0


@kernel
def _counted(values, row, one):
    """Write the counts of a row."""
    one[0] = 1.0
    for outcome in range(OUTCOME_COUNT):
        one[1 + outcome] = values[row, outcome]


@kernel
def _add_product(first, second, target):
    """Add the products of the counts of two rows."""
    for row in range(EACH):
        for column in range(EACH):
            target[row * EACH + column] += first[row] * second[column]


@kernel
def _square(one, line):
    """Write the products of the counts of a row, each once."""
    index = 0
    for first in range(EACH):
        for second in range(first, EACH):
            line[index] = one[first] * one[second]
            index += 1


@kernel
def _describe(values, row, one, around, line):
    """Write what an owner adds to the sums of a thing: its own products, its measures, products with all."""
    _square(one, line)
    index = OWN
    for measure in range(OUTCOME_COUNT, values.shape[1]):
        line[index] = values[row, measure]
        index += 1
    for own in range(EACH):
        for column in range(len(around)):
            line[index] = one[own] * around[column]
            index += 1


@kernel
def _add_all(bounds, game, codes, values, around, every, totals, measures):
    """Add the seats of a game by policy; store their sums in ``around``."""
    for one in range(len(around)):
        around[one] = 0.0
    for row in range(bounds[game], bounds[game + 1]):
        policy = codes[row]
        around[policy * EACH] += 1.0
        for outcome in range(OUTCOME_COUNT):
            around[policy * EACH + 1 + outcome] += values[row, outcome]
        for measure in range(measures.shape[1]):
            measures[policy, measure] += values[row, OUTCOME_COUNT + measure]
    for one in range(len(around)):
        totals[one] += around[one]
        for column in range(len(around)):
            every[one, column] += around[one] * around[column]


@kernel(
    types.void(
        *(Whole, Whole, Matrix, Flags, Words, Matrix, Vector, Matrix, Cube, Grid, Matrix),
        *(Bytes, Held, Whole, Vector, Vector),
    )
)
def add_owners(
    bounds, codes, values, flags, words, every, totals, measures, own, pairs, owners, octets, held, counts, line, around
):
    """Add games to the sums by policy and thing.

    Parameters
    ----------
    codes: the policy of each row. flags: 1 where a row has a thing, shape (things, rows).
    words: scratch for these bits, shape (things / BITS, rows).
    every: products of the counts of all rows of a policy in a game, shape (policies * EACH, policies * EACH).
    totals: sums of that, shape (policies * EACH,). measures: sums, shape (policies, measures).
    own: of the owners of a thing: products of the counts of a row (OWN), measures, products with the counts of all rows
        of a policy in the game (EACH by policies * EACH); shape (things, policies, number of these).
    pairs: products of the counts of two owners in a game, the lower seat first, shape (things, policies, policies,
        SQUARE).
    owners: games by the number of their owners, shape (things, seats + 1).
    octets, held, counts, line, around: scratch for AT_ONCE, a column of words, an integer for each thing (both 0), a
        line of ``own``, ``totals``.
    """
    first, second = _one_row(), _other_row()
    _pack(flags, octets, words)
    for thing in range(len(owners)):
        owners[thing, 0] += len(bounds) - 1
    for game in range(len(bounds) - 1):
        _add_all(bounds, game, codes, values, around, every, totals, measures)
        for row in range(bounds[game], bounds[game + 1]):
            _counted(values, row, first)
            _describe(values, row, first, around, line)
            for word in range(words.shape[0]):
                left = words[word, row]
                held[word] |= left
                while left:
                    thing = word * BITS + lowest_bit(left)
                    left &= left - _ONE
                    counts[thing] += 1
                    target = own[thing, codes[row]]
                    for index in range(len(line)):
                        target[index] += line[index]
                for later in range(row + 1, bounds[game + 1]):
                    both = words[word, row] & words[word, later]
                    if both:
                        _counted(values, later, second)
                    while both:
                        thing = word * BITS + lowest_bit(both)
                        both &= both - _ONE
                        _add_product(first, second, pairs[thing, codes[row], codes[later]])
        _count_owners(counts, held, owners)


@kernel(types.void(Whole, Whole, Whole, Matrix, Matrix, Cube, Vector))
def add_cells(bounds, codes, levels, values, sums, pairs, games):
    """Add games to the sums by cell.

    Parameters
    ----------
    codes: the cell of each row. levels: its level.
    sums: products of the counts of a row (OWN), measures; shape (cells, number of these).
    pairs: products of the counts of two rows of a game, the lower seat first, shape (cells, cells, SQUARE).
    games: the number of games of each level, shape (levels,).
    """
    one, second, line = _one_row(), _other_row(), _own_line()
    for game in range(len(bounds) - 1):
        for row in range(bounds[game], bounds[game + 1]):
            _counted(values, row, one)
            _square(one, line)
            target = sums[codes[row]]
            for index in range(OWN):
                target[index] += line[index]
            for measure in range(OUTCOME_COUNT, values.shape[1]):
                target[OWN - OUTCOME_COUNT + measure] += values[row, measure]
            first = 1.0
            for before in range(bounds[game], row):
                if levels[before] == levels[row]:
                    first = 0.0
            games[levels[row]] += first
            for later in range(row + 1, bounds[game + 1]):
                _counted(values, later, second)
                _add_product(one, second, pairs[codes[row], codes[later]])
