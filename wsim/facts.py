"""Facts about a city or seat: a game declares each one in a single row of a table, and everything else follows.

The row of a fact determines the field of its record and the initial value (``kernels/facts.py``), its field in the rows
and its columns in the seats table, its names in observations, its names and span in formulas, and its key in views and
hand-written positions (``positions/seat_facts.py``). Kernels of the game implement the rules about it.

The order of the table is the order in memory, observations, formulas and views.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

Names = bool | str | tuple[str, ...]
"""False: none; True: the name of the fact; or a name, for a fact with several numbers one each ("": none)."""

ALWAYS, WITH_EXPANSION, NONZERO, FLAG = "always", "with its expansion", "unless 0", "as true or false"
"""When views show a fact: always; always in rule sets with its expansion and otherwise unless 0; unless 0."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A number about a city or seat, or several of one kind.

    Attributes
    ----------
    name: the field. meaning: its heading and words in formulas, optionally followed by a rule in brackets.
    type: numpy type of the field; empty: there is no field, and the kernel of this name computes the fact.
    count: the number of its numbers; 0: a single one.
    record: the record with the field, and so who sees it: everyone ("public"), its seat ("private"), no one ("tally").
    called: its name in observations, formulas and views; empty: the name of the field.
    packed: whether its numbers are bytes of one 64-bit word.
    mask: whether the number is a set with one bit per item; its column counts the items.
    start: its initial value: a number, the name of a field of the rules, or None if a rule sets it.
    payer: whether it determines what a city can pay.
    observed: names in observations; by_clauses: only if the catalogue has clauses.
    row: type of its field in the rows; empty: not in the rows. columns: in the seats table.
    formula: names in formulas. span: smallest and largest value there. words: of each name, if there are several.
    view: its key in views; inside: key of the object in a view that contains it; shown: when it is shown.
    kinds: names of its numbers if a view shows them as an object of counts; otherwise it shows a list.
    least, most: limits in hand-written positions; without ``most``, positions do not set it, or by separate code.
    """

    name: str
    type: str
    meaning: str
    count: int = 0
    record: str = "public"
    called: str = ""
    packed: bool = False
    mask: bool = False
    start: int | str | None = 0
    payer: bool = False
    observed: Names = False
    by_clauses: bool = False
    row: str = ""
    columns: Names = True
    formula: Names = False
    span: tuple[int, int] = (0, 255)
    words: tuple[str, ...] = ()
    view: Names = False
    inside: str = ""
    shown: str = ALWAYS
    kinds: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    @property
    def length(self) -> int:
        """The number of elements of a seat's field; 0: a single number or packed word."""
        return 0 if self.packed else self.count

    @property
    def seen_as(self) -> tuple[str, ...]:
        """The names in observations."""
        return self._names(self.observed)

    @property
    def asked_as(self) -> tuple[str, ...]:
        """The names in formulas."""
        return self._names(self.formula)

    @property
    def view_key(self) -> str:
        """The key in views; empty: not in views."""
        return "".join(self._names(self.view))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the seats table that show its numbers."""
        return ((self.name,) if self.columns is True else self._names(self.columns)) if self.row else ()

    def _names(self, names: Names) -> tuple[str, ...]:
        if isinstance(names, bool):
            return (self.called or self.name,) * names
        return (names,) if isinstance(names, str) else names


def fields(facts: Iterable[Fact], record: str, seats: int = 0) -> list[tuple[Any, ...]]:
    """Return the fields of a record for a numpy dtype; with ``seats``, each contains the values of all seats."""
    return [_field(fact.name, fact.type, seats, fact.length) for fact in facts if fact.type and fact.record == record]


def row_fields(facts: Iterable[Fact]) -> list[tuple[Any, ...]]:
    """Return the fields of the rows for a numpy dtype."""
    return [_field(fact.name, fact.row, fact.count) for fact in facts if fact.row]


def _field(name: str, kind: str, *axes: int) -> tuple[Any, ...]:
    shape = tuple(axis for axis in axes if axis)
    return (name, kind, shape) if shape else (name, kind)


def columns(facts: Iterable[Fact], rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the columns of the seats table that show facts, each contiguous."""
    import numpy as np

    columns: dict[str, NDArray[Any]] = {}
    for fact in facts:
        if names := fact.column_names:
            numbers = np.atleast_2d(np.asarray(rows[fact.name]).T)
            numbers = np.ascontiguousarray(np.bitwise_count(numbers) if fact.mask else numbers)
            columns |= {name: numbers[index] for index, name in enumerate(names) if name}
    return columns


def in_order(facts: Iterable[Fact], order: Sequence[str]) -> list[Fact]:
    """Return the facts with these names in this order, followed by all others in their order."""
    ranks = {name: rank for rank, name in enumerate(order)}
    return sorted(facts, key=lambda fact: ranks.get(fact.name, len(ranks)))


def observed_groups(facts: Iterable[Fact], *, in_turns: bool = False) -> list[tuple[Fact, ...]]:
    """Return the facts in groups whose numbers alternate in observations: the first of each, the second of each, ...

    A group is one fact; with ``in_turns``, all adjacent facts with equally many numbers.
    """
    seen = [fact for fact in facts if fact.observed]
    if in_turns:
        return [tuple(group) for _, group in groupby(seen, key=lambda fact: len(fact.seen_as))]
    return [(fact,) for fact in seen]


def observed_names(groups: Iterable[Sequence[Fact]]) -> list[str]:
    """Return the names of the numbers in observations of groups of facts."""
    return [name for group in groups for turn in zip(*(fact.seen_as for fact in group), strict=True) for name in turn]


def formula_words(facts: Iterable[Fact]) -> dict[str, str]:
    """Return the meaning in words of each name in formulas."""
    meanings: dict[str, str] = {}
    for fact in facts:
        words = fact.words or (fact.meaning.partition(" (")[0],) * len(fact.asked_as)
        meanings |= {name: word for name, word in zip(fact.asked_as, words, strict=True) if name}
    return meanings
