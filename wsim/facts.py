"""Facts about a city or seat: a game declares each once, in one row of a table, and everything else follows from it.

From the row of a fact follow the field of its record and its value at the start (``kernels/facts.py``), its field in
the rows and its columns in the seats table, its numbers and their names in observations, its names and span in
formulas, and its key in views of a position and in positions that people write (``positions/seat_facts.py``). What a
rule does with the fact is a kernel of the game.

The order of the table is the order in memory, in observations, in formulas and in views.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

Names = bool | str | tuple[str, ...]
"""False: none; True: what the fact is called; or a name, of a fact with several numbers the name of each ("": none)."""

ALWAYS, WITH_EXPANSION, NONZERO, FLAG = "always", "with its expansion", "unless 0", "as true or false"
"""When views show a fact: always; always in rule sets with its expansion, else unless it is 0; unless it is 0."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One number about a city or seat, or several of a kind.

    Attributes
    ----------
    name: of its field. meaning: heading and words in formulas, behind them perhaps a rule in brackets.
    type: of the field as numpy names it; empty: the fact has none and is computed by the kernel of its name.
    count: how many numbers it has, 0: a single one.
    record: that has the field, and so who sees it: everybody ("public"), its seat ("private"), nobody ("tally").
    called: what people call it in observations, formulas and views, empty: as its field.
    packed: whether its numbers are bytes of one 64-bit word.
    mask: whether the number is a set, one bit each: its column counts them.
    start: at the start of a game: a number, the name of a field of the rules, or None where a rule sets it.
    payer: whether it says what a city can pay.
    observed: names in observations; by_clauses: only where the catalogue has clauses.
    row: type of the field in the rows, empty: not in them. columns: in the seats table, as the field.
    formula: names in formulas. span: least and most there. words: of each name, where it has several.
    view: its key in views; inside: key of the object in a view that has it; shown: when it is there.
    kinds: names of its numbers where a view shows them as an object of counts; else it shows a list.
    least, most: that a written position may claim; without ``most`` it does not set the fact, or by code of its own.
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
        """How many elements the field of one seat has, 0: it is a single number, or a word of packed ones."""
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
    def shown_as(self) -> str:
        """The key in views, empty: it is not in them."""
        return "".join(self._names(self.view))

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns of the seats table that show its numbers, empty where none does."""
        return ((self.name,) if self.columns is True else self._names(self.columns)) if self.row else ()

    def _names(self, names: Names) -> tuple[str, ...]:
        if isinstance(names, bool):
            return (self.called or self.name,) * names
        return (names,) if isinstance(names, str) else names


def fields(facts: Iterable[Fact], record: str, seats: int = 0) -> list[tuple[Any, ...]]:
    """Return the fields of a record for a numpy dtype; with ``seats``, each has the facts of so many seats."""
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

    found: dict[str, NDArray[Any]] = {}
    for fact in facts:
        if names := fact.column_names:
            numbers = np.atleast_2d(np.asarray(rows[fact.name]).T)
            numbers = np.ascontiguousarray(np.bitwise_count(numbers) if fact.mask else numbers)
            found |= {name: numbers[place] for place, name in enumerate(names) if name}
    return found


def in_order(facts: Iterable[Fact], order: Sequence[str]) -> list[Fact]:
    """Return the facts with these names in this order, then all others in theirs."""
    places = {name: place for place, name in enumerate(order)}
    return sorted(facts, key=lambda fact: places.get(fact.name, len(places)))


def observed_groups(facts: Iterable[Fact], *, in_turns: bool = False) -> list[tuple[Fact, ...]]:
    """Return the facts in groups whose numbers take turns in observations: the first of each, the second of each, ...

    A group is one fact; with ``in_turns``, all neighbours in the table with as many numbers.
    """
    seen = [fact for fact in facts if fact.observed]
    if in_turns:
        return [tuple(group) for _, group in groupby(seen, key=lambda fact: len(fact.seen_as))]
    return [(fact,) for fact in seen]


def observed_names(groups: Iterable[Sequence[Fact]]) -> list[str]:
    """Return the names of the numbers in observations of groups of facts."""
    return [name for group in groups for turn in zip(*(fact.seen_as for fact in group), strict=True) for name in turn]


def formula_words(facts: Iterable[Fact]) -> dict[str, str]:
    """Return what each name of formulas is called in words."""
    found: dict[str, str] = {}
    for fact in facts:
        words = fact.words or (fact.meaning.partition(" (")[0],) * len(fact.asked_as)
        found |= {name: said for name, said in zip(fact.asked_as, words, strict=True) if name}
    return found
