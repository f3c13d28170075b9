"""What was measured, kept line by line: a search that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wsim.errors import UserError
from wsim.lab.files import explained

__all__ = ["Arrays", "Memory", "seed_of"]

FORMAT = "wsim-balance-journal/1"
Arrays: TypeAlias = dict[str, NDArray[np.float64]]


def seed_of(*words: object) -> int:
    """Return the seed that some words stand for: others for every other goal, seed and purpose."""
    text = json.dumps([str(word) for word in words])
    return int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)


class Memory:
    """Remembers measurements by what they are of; with a file, for the next process too.

    Attributes
    ----------
    played: games that were played, those of an earlier process too.
    """

    def __init__(self) -> None:
        self._file: Path | None = None
        self._known: dict[str, Arrays] = {}
        self.played = 0

    def keep_in(self, file: Path, identity: str, *, resume: bool = False) -> None:
        """Keep what is measured in the journal ``file`` of the search ``identity``, and recall what is there.

        Raises UserError for a journal that is there unless ``resume``, and for that of another search.
        """
        if file.exists():
            if not resume:
                raise UserError(
                    f"{str(file)!r} is what an interrupted search left: go on with --resume, or remove it to start anew"
                )
            self._read(file, identity)
            self._file = file
        else:
            self._file = file
            self._write(json.dumps({"format": FORMAT, "search": identity}))

    def _read(self, file: Path, identity: str) -> None:
        try:
            head, *lines = file.read_text(encoding="utf-8").split("\n")
            told = json.loads(head)
        except (OSError, ValueError) as error:
            raise UserError(f"{str(file)!r} is no journal of wsim balance: {error}") from None
        if not isinstance(told, dict) or told.get("format") != FORMAT or told.get("search") != identity:
            raise UserError(f"{str(file)!r} is of another goal, seed or version of wsim: remove it to start anew")
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):  # the last line may be cut
                entry = json.loads(line)
                found = {name: np.array(values, float) for name, values in entry["sums"].items()}
                self._known[entry["of"]] = found
                self.played += int(entry["games"])

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        try:
            with self._file.open("a", encoding="utf-8") as journal:
                journal.write(line + "\n")
                journal.flush()
                os.fsync(journal.fileno())
        except OSError as error:
            raise explained("write", self._file, error) from error

    def recall(self, of: Mapping[str, Any], games: int, measure: Callable[[], Arrays]) -> Arrays:
        """Return what was measured of something, measuring it only if it is not known; ``games``: that it takes."""
        key = json.dumps(of, sort_keys=True, default=str)
        if key not in self._known:
            found = measure()
            self._known[key] = found
            self.played += games
            if self._file is not None:
                sums = {name: values.tolist() for name, values in found.items()}
                self._write(json.dumps({"of": key, "games": games, "sums": sums}))
        return self._known[key]

    def forget(self) -> None:
        """Remove the journal: the search is over."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)
