"""Weight sets: what a policy of features finds worth how much. Data, from files of wsim's own and of users.

A file has a table a set: ``[military]``, then weights such as ``shield = 1.5``. A weight is one number, or a list where
the game has one for each part of a game. A set that ``extends`` another, of the file or of wsim's own, takes over the
weights that it does not name; without it they are 0.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wsim.errors import Mistakes, UserError, nearest
from wsim.policies.lineup import Value, finite
from wsim.spec.source import read_toml

_EXTENDS = "extends"
Weights = NDArray[np.float64]
Sets = Mapping[str, Mapping[str, Any]]  # as written


@dataclass(frozen=True, eq=False)
class WeightSets:
    """The weights that a game's policy ``weighted`` knows, and their named sets.

    Attributes
    ----------
    file: the sets that come with wsim.
    features: name of a weight -> what a unit of it is, in the order of the last axis of ``SETTINGS.weights``.
    shape: of ``SETTINGS.weights``: places for weights, or before them the parts of a game that each have a value.
    part: what such a part is, as in "one for each age"; empty where there are none.
    """

    file: Path
    features: Mapping[str, str]
    shape: tuple[int, ...]
    part: str = ""

    @cached_property
    def shipped(self) -> Mapping[str, Weights]:
        """The sets that come with wsim: name -> weights of ``shape``, read-only."""
        return self._resolved(_parse(self.file), {}, self.file.name)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Name of a weight -> its place on the last axis."""
        return {name: place for place, name in enumerate(self.features)}

    def read(self, path: str, place: str | None = None) -> Mapping[str, Weights]:
        """Return the sets of a user's file, which may extend each other and the shipped ones.

        ``place`` is where the file lies, if not where its name says. Raises UserError for a file that cannot be read,
        and that lists every mistake in it.
        """
        return self._resolved(_parse(Path(place or path)), self.shipped, path)

    def in_entry(self, key: str, value: Value, policy: str) -> float | list[float]:
        """Return a weight that a line-up entry sets: a number, or one for each part of a game, as in ``1/2.5/0``."""
        texts = value.split("/") if isinstance(value, str) and self.part else [value]
        numbers = [_number(text) for text in texts]
        if len(numbers) not in (1, self.shape[0] if self.part else 1) or None in numbers:
            each = f", or one for each {self.part} as in 1/2.5/0" if self.part else ""
            raise UserError(f"parameter {key} of policy {policy!r} is a number{each}, not {value!r}")
        found = [float(number) for number in numbers if number is not None]
        return found[0] if len(found) == 1 else found

    def zeros(self) -> Weights:
        """Return weights that are all 0."""
        return np.zeros(self.shape)

    def _resolved(self, sets: Sets, known: Mapping[str, Weights], file: str) -> dict[str, Weights]:
        """Return the weights of every set of a file."""
        done: dict[str, Weights] = {}
        mistakes = Mistakes()
        for name in sets:
            with mistakes.noted():
                for one in reversed(self._chain(name, sets, known, done, file)):
                    done[one] = self.zeros()  # if it is mistaken, for those that extend it
                    with mistakes.noted():
                        done[one] = self._filled(one, sets[one], ChainMap(done, dict(known)), file)
        mistakes.raise_any()
        return {name: done[name] for name in sets}

    def _chain(
        self, name: str, sets: Sets, known: Mapping[str, Weights], done: Mapping[str, Weights], file: str
    ) -> list[str]:
        """Return a set, the set of the file that it extends, the one that this extends, ...: those not yet done."""
        chain: dict[str, None] = {}
        at = name
        while at not in done:
            chain[at] = None
            base = sets[at].get(_EXTENDS)
            own = isinstance(base, str) and base in sets and base != at
            if own and base in chain:
                raise UserError(
                    f"the weight sets {' -> '.join((*chain, base))} in {file} extend each other in a circle"
                )
            if base is not None and not own and not (isinstance(base, str) and base in known):
                names = sorted({*sets, *known} - {at})
                raise UserError(
                    f"the weight set {at!r} in {file} extends {base!r}: known are {', '.join(names)}"
                    f"{nearest(str(base), names)}"
                )
            if not own:
                break
            at = str(base)
        return list(chain)

    def _filled(self, name: str, entries: Mapping[str, Any], known: Mapping[str, Weights], file: str) -> Weights:
        """Return the weights of a set, laid over those that it extends."""
        base = entries.get(_EXTENDS)
        weights = self.zeros() if base is None else known[base].copy()
        mistakes = Mistakes()
        for key, value in entries.items():
            if key != _EXTENDS:
                with mistakes.noted():
                    weights[..., self._place(key, name, file)] = self._values(key, value, name, file)
        mistakes.raise_any()
        weights.flags.writeable = False
        return weights

    def _place(self, key: str, name: str, file: str) -> int:
        if key not in self.places:
            raise UserError(
                f"unknown weight {key!r} in the set {name!r} of {file}{nearest(key, self.places)}: "
                f"the weights are {', '.join(self.features)}"
            )
        return self.places[key]

    def _values(self, key: str, value: Any, name: str, file: str) -> float | list[float]:
        """Return the weight's value, or its values for each part of a game."""
        parts = self.shape[0] if self.part else 1
        values = value if self.part and isinstance(value, list) else [value] * parts
        sound = len(values) == parts and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        if not sound or not all(map(finite, values)):
            accepted = "one number" + (f" or one for each {self.part}" if self.part else "")
            raise UserError(f"the weight {key!r} in the set {name!r} of {file} is {accepted}, not {value!r}")
        return [float(v) for v in values] if self.part else float(values[0])


def _number(value: Value) -> float | None:
    """Return a finite number, written or not; None for anything else."""
    try:
        number = value if isinstance(value, int) else float(value)
    except ValueError:
        return None
    return None if isinstance(value, bool) or not finite(number) else number


def _parse(path: Path) -> Sets:
    """Return the sets of a file as written; raise UserError for a file that holds anything else."""
    sets = read_toml(path, "weights file")
    if not sets:
        raise UserError(f"the weights file {str(path)!r} has no set: write [name], then weights such as name = 1.0")
    for name, weights in sets.items():
        if not isinstance(weights, dict):
            raise UserError(f"{name!r} in {str(path)!r} stands outside a set: write [name] above the weights")
    return sets
