"""Conclusions for answers with many rows: the largest clear effects in words, and how many are clear."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wsim.document import Conclusion
from wsim.questions.words import Words

MOST_NAMED = 3
"""Maximum number of effects that a conclusion names."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Largest:
    """A description of the rows of a table in words, for a conclusion.

    Attributes
    ----------
    column: the estimate; ``_low`` and ``_high`` are the ends of its interval. level: the confidence level.
    words: returns the words for the effect of a row. clear: returns whether a row is clear.
    relative: whether rows are ordered by the estimate relative to its interval, for figures in different units.
    """

    column: str
    level: float
    words: Callable[[Row], Words]
    clear: Callable[[Row], bool]
    relative: bool = False

    def conclusion(self, rows: Sequence[Row], none: str, items: str) -> Conclusion:
        """Describe the largest effects among the rows, and how many are clear.

        Parameters
        ----------
        none: the sentence to use if no row is clear. items: the plural noun for rows.
        """
        known = [row for row in rows if row.get(self.column) is not None]
        clear = [row for row in known if self.clear(row)]
        ordered = sorted(clear or known, key=self._size, reverse=True)
        sentences = [self.sentence(row) for row in ordered[:MOST_NAMED]]
        if not clear:
            nearest = f"Largest estimate: {sentences[0]}." if sentences else "No interval can be given."
            return Conclusion(none, nearest, clear=False)
        first, others = sentences[0], sentences[1:]
        count = f"{len(clear)} of {len(known)} {items} are clear" if len(known) > 1 else ""
        after = f"The next largest: {'; '.join(others)}" if others else ""
        detail = ". ".join(filter(None, [count, after]))
        return Conclusion(f"{first[:1].upper()}{first[1:]}.", f"{detail}." if detail else "", clear=True)

    def sentence(self, row: Row) -> str:
        """Describe the effect in a row, with its interval."""
        return self.words(row).effect(row[self.column], *self._ends(row), self.level)

    def _size(self, row: Row) -> float:
        low, high = self._ends(row)
        wide = high - low if self.relative and low is not None and high is not None and high > low else 1.0
        return abs(float(row[self.column])) / wide

    def _ends(self, row: Row) -> tuple[float | None, float | None]:
        return row.get(f"{self.column}_low"), row.get(f"{self.column}_high")
