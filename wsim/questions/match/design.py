"""The seatings of a match: every deal is played in each of them, so that seats and cards favour no policy.

A side is a player or a team. In a *duel* of two policies, one side plays the first and all others the second, each side
in turn, and vice versa; a round-robin consists of the duels of all pairs. At a *mixed* table all policies sit together,
as evenly as the sides allow, in every arrangement. If there are too many arrangements, the table is *drawn*: every deal
puts the sides in a random order, on which it plays every rotation of a ring of the policies and of its mirror image. So
in every deal each policy plays each seat equally often, and over all deals every arrangement is equally likely,
regardless of the order in which the policies are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np

from wsim.errors import UserError
from wsim.questions.deals import WIN_UNITS
from wsim.rng import GAMMA, STREAMS, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.stats.games import Floats

EVERY_ARRANGEMENT = 120  # 5!: a mixed table with at most this many seatings is played in all of them
MAX_SEATINGS = 1000
Seating = tuple[int, ...]
_ORDERS = np.uint64(0x736964657320696E)  # derives the seed for the orders; no stream of a game starts there


@dataclass(frozen=True)
class Cell:
    """One figure of a match: a policy against a field of opponents.

    Attributes
    ----------
    policy: the number of the policy.
    field: the policy that all other sides play; None at mixed tables.
    """

    policy: int
    field: int | None


@dataclass(frozen=True)
class Design:
    """The line-ups with which every deal is played.

    Attributes
    ----------
    policies: the number of policies. sides: the number of players or teams at a table.
    seatings: the policy of each side in each line-up; all line-ups differ.
    cells: the figures to measure.
    drawn: whether the entries of a seating refer to *places*, which are assigned to sides at random in every deal
        (``places``).
    """

    policies: int
    sides: int
    seatings: tuple[Seating, ...]
    cells: tuple[Cell, ...]
    drawn: bool = False

    def places(self, seed: int, games: range) -> NDArray[np.int64]:
        """Return the place of each side in these deals, shape (deals, sides).

        Places are drawn from a separate stream of the seed and the deal's number; all orders are equally likely.
        """
        if not self.drawn:
            return np.broadcast_to(np.arange(self.sides), (len(games), self.sides))
        scramble = getattr(mix, "py_func", mix)
        with np.errstate(over="ignore"):  # random numbers wrap around, as they must
            numbers = np.arange(games.start, games.stop, dtype=np.uint64)[:, None] * np.uint64(STREAMS)
            begin = scramble(scramble(np.uint64(seed)) ^ _ORDERS)
            keys = scramble(begin + (numbers + np.arange(self.sides, dtype=np.uint64)) * GAMMA)
        return np.argsort(keys, axis=1)

    @property
    def mixed(self) -> bool:
        """Whether all policies sit at one table."""
        return self.cells[0].field is None

    @cached_property
    def reads(self) -> NDArray[np.bool_]:
        """Whether each cell counts a side in a seating, shape (cells, seatings, sides)."""
        reads = np.zeros((len(self.cells), len(self.seatings), self.sides), bool)
        for index, cell in enumerate(self.cells):
            for number, seating in enumerate(self.seatings):
                for side, policy in enumerate(seating):
                    others = seating[:side] + seating[side + 1 :]
                    alone = cell.field is None or set(others) == {cell.field}
                    reads[index, number, side] = policy == cell.policy and alone
        return reads

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of policies in the given order."""
        return list(combinations(range(self.policies), 2))

    def edges(self) -> Floats:
        """Return the weights of cells in the difference in win share of each pair, shape (pairs, cells)."""
        rows = np.zeros((len(self.pairs), len(self.cells)))
        indices = {cell: index for index, cell in enumerate(self.cells)}
        for row, pair in zip(rows, self.pairs, strict=True):
            first, second = self.cells_of(pair)
            row[indices[first]], row[indices[second]] = 1.0, -1.0
        return rows

    @cached_property
    def leads(self) -> NDArray[np.int64]:
        """Weights of the scores in each pair's lead (first policy over second), shape (pairs, seatings, sides).

        The lead is the mean score of the first policy's sides minus that of the second's, at tables with both; weights
        are in ``WIN_UNITS``, so that they are whole numbers.
        """
        seated = np.array(self.seatings)
        leads = np.zeros((len(self.pairs), *seated.shape), np.int64)
        for weights, pair in zip(leads, self.pairs, strict=True):
            first, second = (seated == policy for policy in pair)
            both = first.any(axis=1) & second.any(axis=1)
            for mine, sign in ((first, 1), (second, -1)):
                sides = np.maximum(mine.sum(axis=1, keepdims=True), 1)
                weights += sign * mine * both[:, None] * (WIN_UNITS // sides)
        return leads

    def cells_of(self, pair: tuple[int, int]) -> tuple[Cell, Cell]:
        """Return the cells of the two policies of a pair."""
        fields = (None, None) if self.mixed else pair[::-1]
        return Cell(pair[0], fields[0]), Cell(pair[1], fields[1])


def duels(policies: int, sides: int) -> Design:
    """Return the design with the duels of all pairs of policies."""
    cells = tuple(Cell(policy, field) for policy in range(policies) for field in range(policies) if policy != field)
    seatings = (
        tuple(cell.policy if side == seat else int(cell.field or 0) for side in range(sides))
        for cell in cells
        for seat in range(sides)
    )
    return _design(policies, sides, seatings, cells)


def mixed(names: Sequence[str], sides: int) -> Design:
    """Return the design with all policies at each table; raise UserError if there are too many.

    ``names``: the names of the policies. Rings are in alphabetical order, so the order of the arguments does not
    matter.
    """
    policies = len(names)
    groups = _groups(policies, sides)
    drawn = sum(_arrangements(group) for group in groups) > EVERY_ARRANGEMENT
    sorted_names = sorted(range(policies), key=lambda policy: names[policy])
    seatings = (
        tuple(sorted_names[policy] for policy in seating) if drawn else seating
        for group in groups
        for seating in (_ring(group) if drawn else sorted(set(permutations(group))))
    )
    return _design(policies, sides, seatings, tuple(Cell(policy, None) for policy in range(policies)), drawn=drawn)


def _design(
    policies: int, sides: int, seatings: Iterator[Seating], cells: tuple[Cell, ...], *, drawn: bool = False
) -> Design:
    unique = tuple(dict.fromkeys(seatings))  # with two sides, the duels of a pair coincide
    if len(unique) > MAX_SEATINGS:
        raise UserError(
            f"{policies} policies at a table of {sides} need {len(unique):,} line-ups per deal, more than "
            f"{MAX_SEATINGS:,}: name fewer policies"
        )
    return Design(policies, sides, unique, cells, drawn)


def _groups(policies: int, sides: int) -> list[Seating]:
    """Return the groups of policies that share a table: all policies as evenly as possible, or one per side."""
    each, more = divmod(sides, policies)
    every = range(policies)
    return (
        [tuple(sorted([*list(every) * each, *chosen])) for chosen in combinations(every, more)]
        if each
        else [tuple(chosen) for chosen in combinations(every, sides)]
    )


def _arrangements(group: Seating) -> int:
    return factorial(len(group)) // prod(map(factorial, Counter(group).values()))


def _ring(group: Seating) -> Iterator[Seating]:
    """Yield every rotation of a ring and of its mirror image, with equal policies spread out."""
    seen: Counter[int] = Counter()
    order: list[tuple[int, int]] = []
    for policy in group:
        order.append((seen[policy], policy))
        seen[policy] += 1
    ring = [policy for _, policy in sorted(order)]
    for way in (ring, ring[::-1]):
        for first in range(len(way)):
            yield (*way[first:], *way[:first])
