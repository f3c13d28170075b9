"""Who sits where in a match: every deal is played with each of these line-ups, so that no seat and no card favours one.

Sides are what wins together: players, or teams. In a *duel* of two policies one side plays the first and all others
the second, each side in turn, and the other way round; a round-robin is every pair's duel. At a *mixed* table all
policies sit together, as evenly as sides allow, in every arrangement. Where those are too many, the table is *drawn*:
in every deal the sides are put into another random order, and along it goes every rotation of a ring of the policies
and of its mirror image. So each policy has each seat as often as another in every deal, and over the deals each
arrangement is as likely as another: who sits beside whom is no matter of how the policies were named.
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
from wsim.questions.deals import PARTS
from wsim.rng import GAMMA, STREAMS, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wsim.stats.games import Floats

EVERY_ARRANGEMENT = 120  # seatings up to which a mixed table is played in all of them: 5!
MOST_SEATINGS = 1000
Seating = tuple[int, ...]
_ORDERS = np.uint64(0x736964657320696E)  # makes of a seed that of the orders: no stream of a game begins there


@dataclass(frozen=True)
class Cell:
    """One figure of a match: how a policy does in a field.

    Attributes
    ----------
    policy: its number.
    field: the policy that all other sides play; None at mixed tables.
    """

    policy: int
    field: int | None


@dataclass(frozen=True)
class Design:
    """The line-ups that every deal is played with.

    Attributes
    ----------
    policies: how many take part. sides: players or teams at a table.
    seatings: the policy of each side, line-up by line-up, all different.
    cells: the figures that they give.
    drawn: whether the sides of the seatings are *places*, and who has which place is drawn for every deal (``places``).
    """

    policies: int
    sides: int
    seatings: tuple[Seating, ...]
    cells: tuple[Cell, ...]
    drawn: bool = False

    def places(self, seed: int, games: range) -> NDArray[np.int64]:
        """Return which place of the seatings each side has in these deals, shape (deals, sides).

        Drawn from seed and number of the deal with a stream of their own, every order as likely as another.
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
        """Which sides of which seatings each cell is about, shape (cells, seatings, sides)."""
        found = np.zeros((len(self.cells), len(self.seatings), self.sides), bool)
        for place, cell in enumerate(self.cells):
            for number, seating in enumerate(self.seatings):
                for side, policy in enumerate(seating):
                    others = seating[:side] + seating[side + 1 :]
                    alone = cell.field is None or set(others) == {cell.field}
                    found[place, number, side] = policy == cell.policy and alone
        return found

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two policies, in the order in which they were named."""
        return list(combinations(range(self.policies), 2))

    def edges(self) -> Floats:
        """Return what makes the difference in win share of each pair of the cells, shape (pairs, cells)."""
        rows = np.zeros((len(self.pairs), len(self.cells)))
        places = {cell: place for place, cell in enumerate(self.cells)}
        for row, pair in zip(rows, self.pairs, strict=True):
            one, other = self.cells_of(pair)
            row[places[one]], row[places[other]] = 1.0, -1.0
        return rows

    @cached_property
    def leads(self) -> NDArray[np.int64]:
        """How each total counts for the lead of the first of a pair over the second, shape (pairs, seatings, sides).

        At every table with both it is the mean of the sides of the one less that of the other; counted in ``PARTS``,
        so that all is whole.
        """
        seated = np.array(self.seatings)
        found = np.zeros((len(self.pairs), *seated.shape), np.int64)
        for weights, pair in zip(found, self.pairs, strict=True):
            first, second = (seated == policy for policy in pair)
            both = first.any(axis=1) & second.any(axis=1)
            for mine, sign in ((first, 1), (second, -1)):
                sides = np.maximum(mine.sum(axis=1, keepdims=True), 1)
                weights += sign * mine * both[:, None] * (PARTS // sides)
        return found

    def cells_of(self, pair: tuple[int, int]) -> tuple[Cell, Cell]:
        """Return the figures of the two policies of a pair."""
        fields = (None, None) if self.mixed else pair[::-1]
        return Cell(pair[0], fields[0]), Cell(pair[1], fields[1])


def duels(policies: int, sides: int) -> Design:
    """Return the duels of every two policies."""
    cells = tuple(Cell(one, other) for one in range(policies) for other in range(policies) if one != other)
    seatings = (
        tuple(cell.policy if side == seat else int(cell.field or 0) for side in range(sides))
        for cell in cells
        for seat in range(sides)
    )
    return _design(policies, sides, seatings, cells)


def mixed(names: Sequence[str], sides: int) -> Design:
    """Return the tables at which all policies sit together; UserError if there would be too many.

    ``names``: of the policies. The rings are made of them in alphabetical order, so that the order in which they are
    named decides nothing.
    """
    policies = len(names)
    groups = _groups(policies, sides)
    drawn = sum(_arrangements(group) for group in groups) > EVERY_ARRANGEMENT
    sorted_names = sorted(range(policies), key=lambda policy: names[policy])
    seatings = (
        tuple(sorted_names[one] for one in seating) if drawn else seating
        for group in groups
        for seating in (_ring(group) if drawn else sorted(set(permutations(group))))
    )
    return _design(policies, sides, seatings, tuple(Cell(one, None) for one in range(policies)), drawn=drawn)


def _design(
    policies: int, sides: int, seatings: Iterator[Seating], cells: tuple[Cell, ...], *, drawn: bool = False
) -> Design:
    found = tuple(dict.fromkeys(seatings))  # between two sides, one against the other is the other against the one
    if len(found) > MOST_SEATINGS:
        raise UserError(
            f"{policies} policies at a table of {sides} make {len(found):,} line-ups for every deal: name fewer, "
            f"at most {MOST_SEATINGS:,} are played"
        )
    return Design(policies, sides, found, cells, drawn)


def _groups(policies: int, sides: int) -> list[Seating]:
    """Return who sits at each table: all policies as evenly as may be, or as many of them as there are sides."""
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
    """Yield every rotation of a ring, in which equal ones sit apart, and of its mirror image."""
    seen: Counter[int] = Counter()
    order: list[tuple[int, int]] = []
    for policy in group:
        order.append((seen[policy], policy))
        seen[policy] += 1
    ring = [policy for _, policy in sorted(order)]
    for way in (ring, ring[::-1]):
        for first in range(len(way)):
            yield (*way[first:], *way[:first])
