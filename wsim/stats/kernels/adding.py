"""One pass over the seats of some games that adds up all that a summary keeps of them.

Every number that is added up is whole, and below 2**53, so no sum depends on the order. Games may have different
numbers of seats: ``bounds[g]`` is the first row of game g, ``bounds[g + 1]`` the first that is not of it. The columns
of ``values`` are the outcomes (parts of a win, score), then the measures.
"""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel, lowest_bit, stack_room, types

OUTCOME_COUNT = 2  # parts of a win, score
EACH = 1 + OUTCOME_COUNT  # what a row counts: itself, its outcomes
SQUARE = EACH * EACH  # products of those of two rows
OWN = EACH * (EACH + 1) // 2  # products of those of a row, each once; the first EACH are what it counts
UNFOLDED = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])  # where in OWN the product of two of them stands
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
# Loops, and room from outside: numba's arrays made or filled at once bring texts of errors, twice the compile time.


@kernel
def _pack(flags, octets, words):
    """Set bit ``thing % BITS`` of ``words[thing // BITS]`` where ``flags[thing]`` is 1; a column for each row.

    Some rows after the other, so that their words stay in the processor's nearest cache; first by bytes, of which the
    processor sets many at once.
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
    """Count a game by the number of owners of each thing that anybody holds; leave nobody in ``counts``."""
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
    """Write what a row counts."""
    one[0] = 1.0
    for outcome in range(OUTCOME_COUNT):
        one[1 + outcome] = values[row, outcome]


@kernel
def _add_product(first, second, target):
    """Add the products of what two rows count."""
    for one in range(EACH):
        for other in range(EACH):
            target[one * EACH + other] += first[one] * second[other]


@kernel
def _square(one, line):
    """Write the products of what a row counts, each once."""
    place = 0
    for first in range(EACH):
        for second in range(first, EACH):
            line[place] = one[first] * one[second]
            place += 1


@kernel
def _describe(values, row, one, around, line):
    """Write what an owner adds to the sums of a thing: its own products, its measures, products with all."""
    _square(one, line)
    place = OWN
    for measure in range(OUTCOME_COUNT, values.shape[1]):
        line[place] = values[row, measure]
        place += 1
    for own in range(EACH):
        for other in range(len(around)):
            line[place] = one[own] * around[other]
            place += 1


@kernel
def _add_all(bounds, game, codes, values, around, every, totals, measures):
    """Add the seats of a game by policy; leave their sums in ``around``."""
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
        for other in range(len(around)):
            every[one, other] += around[one] * around[other]


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
    words: room for the bits of these, shape (things / BITS, rows).
    every: products of what all rows of a policy count in a game, shape (policies * EACH, policies * EACH).
    totals: sums of that, shape (policies * EACH,). measures: sums, shape (policies, measures).
    own: of the owners of a thing: products of what a row counts (OWN), measures, products with what all rows of a
        policy count in the game (EACH by policies * EACH); shape (things, policies, of these).
    pairs: products of what two owners in a game count, the one in the lower seat first, shape (things, policies,
        policies, SQUARE).
    owners: games by the number of their owners, shape (things, seats + 1).
    octets, held, counts, line, around: room for AT_ONCE, a column of words, an integer for each thing (both 0), a line
        of ``own``, ``totals``.
    """
    one, other = _one_row(), _other_row()
    _pack(flags, octets, words)
    for thing in range(len(owners)):
        owners[thing, 0] += len(bounds) - 1
    for game in range(len(bounds) - 1):
        _add_all(bounds, game, codes, values, around, every, totals, measures)
        for row in range(bounds[game], bounds[game + 1]):
            _counted(values, row, one)
            _describe(values, row, one, around, line)
            for word in range(words.shape[0]):
                left = words[word, row]
                held[word] |= left
                while left:
                    thing = word * BITS + lowest_bit(left)
                    left &= left - _ONE
                    counts[thing] += 1
                    target = own[thing, codes[row]]
                    for place in range(len(line)):
                        target[place] += line[place]
                for later in range(row + 1, bounds[game + 1]):
                    both = words[word, row] & words[word, later]
                    if both:
                        _counted(values, later, other)
                    while both:
                        thing = word * BITS + lowest_bit(both)
                        both &= both - _ONE
                        _add_product(one, other, pairs[thing, codes[row], codes[later]])
        _count_owners(counts, held, owners)


@kernel(types.void(Whole, Whole, Whole, Matrix, Matrix, Cube, Vector))
def add_cells(bounds, codes, levels, values, sums, pairs, games):
    """Add games to the sums by cell.

    Parameters
    ----------
    codes: the cell of each row. levels: its level.
    sums: products of what a row counts (OWN), measures; shape (cells, of these).
    pairs: products of what two rows of a game count, the one in the lower seat first, shape (cells, cells, SQUARE).
    games: in how many games each level is, shape (levels,).
    """
    one, other, line = _one_row(), _other_row(), _own_line()
    for game in range(len(bounds) - 1):
        for row in range(bounds[game], bounds[game + 1]):
            _counted(values, row, one)
            _square(one, line)
            target = sums[codes[row]]
            for place in range(OWN):
                target[place] += line[place]
            for measure in range(OUTCOME_COUNT, values.shape[1]):
                target[OWN - OUTCOME_COUNT + measure] += values[row, measure]
            first = 1.0
            for before in range(bounds[game], row):
                if levels[before] == levels[row]:
                    first = 0.0
            games[levels[row]] += first
            for later in range(row + 1, bounds[game + 1]):
                _counted(values, later, other)
                _add_product(one, other, pairs[codes[row], codes[later]])
