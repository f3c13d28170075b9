"""A cache of measurements, written line by line so that an interrupted search can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.lab.journal import Journal

FORMAT = "wsim-balance-journal/3"
Arrays: TypeAlias = dict[str, NDArray[np.float64]]


def seed_of(*words: object) -> int:
    """Return a seed derived from ``words``, such as goal, seed and purpose."""
    text = json.dumps([str(word) for word in words])
    return int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)


class Memory:
    """A cache of measurements by their subject; with a file, it persists between processes.

    Attributes
    ----------
    played: the number of games played, including games in earlier processes.
    """

    def __init__(self) -> None:
        self._journal: Journal | None = None
        self._known: dict[str, Arrays] = {}
        self.played = 0

    def open_journal(self, file: Path, identity: str, *, resume: bool = False) -> None:
        """Store measurements in the journal ``file`` of the search ``identity``, and read existing ones.

        Raises UserError for an existing journal unless ``resume``, and for the journal of a different search.
        """
        self._journal = Journal(file)
        head = {"format": FORMAT, "search": identity}
        if not file.exists():
            self._journal.rewrite([head])
            return
        if not resume:
            raise UserError(
                f"{str(file)!r} is the journal of an interrupted search: continue with --resume, or remove it to start "
                "again"
            )
        first, *entries = self._journal.entries() or [{}]
        if first != head:
            raise UserError(
                f"{str(file)!r} belongs to a different goal, seed or version of wsim: remove it to start again"
            )
        for entry in entries:
            with suppress(ValueError, KeyError, TypeError, AttributeError):  # forged
                sums = {name: np.array(values, float) for name, values in entry["sums"].items()}
                sums |= {name: np.zeros(shape) for name, shape in entry.get("empty", {}).items()}
                self._known[entry["of"]] = sums
                self.played += int(entry["games"])

    def recall(self, of: Mapping[str, Any], games: int, measure: Callable[[], Arrays]) -> Arrays:
        """Return a stored measurement, or measure and store it; ``games``: the number of games that measuring takes."""
        key = json.dumps(of, sort_keys=True, default=str)
        if key not in self._known:
            measured = measure()
            self._known[key] = measured
            self.played += games
            if self._journal is not None:
                sums = {name: values.tolist() for name, values in measured.items()}
                empty = {name: values.shape for name, values in measured.items() if not values.size}
                # an empty list does not show the lengths of the other axes
                self._journal.add({"of": key, "games": games, "sums": sums, **({"empty": empty} if empty else {})})
        return self._known[key]

    def forget(self) -> None:
        """Remove the journal once the search is over and its answer is written."""
        if self._journal is not None:
            self._journal.path.unlink(missing_ok=True)
