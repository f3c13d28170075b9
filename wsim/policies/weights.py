"""Weight sets: how much a feature-based policy values each feature, read from built-in and user files.

A file has one table per set: ``[military]``, then weights such as ``shield = 1.5``. A weight is one number, or a list
with a number for each part of a game. A set that ``extends`` a different set (in the same file, or built-in) inherits
the weights that it does not name; without ``extends``, they are 0.
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
Sets = Mapping[str, Mapping[str, Any]]  # the sets as written in a file


@dataclass(frozen=True, eq=False)
class WeightSets:
    """The weights that a game's policy ``weighted`` accepts, and their named sets.

    Attributes
    ----------
    file: the file of the built-in sets.
    features: name of a weight -> the unit that it values, in the order of the last axis of ``SETTINGS.weights``.
    shape: the shape of ``SETTINGS.weights``: (weights,) or (parts of a game, weights).
    part: the name of a part of a game, as in "one for each age"; empty if weights are not separate for each part.
    """

    file: Path
    features: Mapping[str, str]
    shape: tuple[int, ...]
    part: str = ""

    @cached_property
    def shipped(self) -> Mapping[str, Weights]:
        """The built-in weight sets by name, as read-only arrays of shape ``shape``."""
        return self._resolved(_parse(self.file), {}, self.file.name)

    @cached_property
    def indices(self) -> Mapping[str, int]:
        """The index of each weight on the last axis, by name."""
        return {name: index for index, name in enumerate(self.features)}

    def read(self, path: str, actual_path: str | None = None) -> Mapping[str, Weights]:
        """Return the sets in a user's file, which may extend each other and the built-in sets.

        ``actual_path``: where the file is, if not at ``path``. Raises UserError if the file cannot be read or contains
        mistakes, all of which are listed.
        """
        return self._resolved(_parse(Path(actual_path or path)), self.shipped, path)

    def in_entry(self, key: str, value: Value, policy: str) -> float | list[float]:
        """Parse a weight in a line-up entry: a number, or one for each part of a game, as in ``1/2.5/0``."""
        texts = value.split("/") if isinstance(value, str) and self.part else [value]
        numbers = [_number(text) for text in texts]
        if len(numbers) not in (1, self.shape[0] if self.part else 1) or None in numbers:
            each = f", or one for each {self.part} as in 1/2.5/0" if self.part else ""
            raise UserError(f"parameter {key} of policy {policy!r} must be a number{each}, not {value!r}")
        values = [float(number) for number in numbers if number is not None]
        return values[0] if len(values) == 1 else values

    def zeros(self) -> Weights:
        """Return an array of zero weights."""
        return np.zeros(self.shape)

    def _resolved(self, sets: Sets, known: Mapping[str, Weights], file: str) -> dict[str, Weights]:
        done: dict[str, Weights] = {}
        mistakes = Mistakes()
        for name in sets:
            with mistakes.noted():
                for key in reversed(self._extended_sets(name, sets, known, done, file)):
                    bases = ChainMap(dict(done), dict(known))  # it may extend the built-in set that it replaces
                    done[key] = self.zeros()  # a base for the sets that extend it, if it contains mistakes
                    with mistakes.noted():
                        done[key] = self._weights_of_set(key, sets[key], bases, file)
        mistakes.raise_any()
        return {name: done[name] for name in sets}

    def _extended_sets(
        self, name: str, sets: Sets, known: Mapping[str, Weights], done: Mapping[str, Weights], file: str
    ) -> list[str]:
        """Return the names of a set and of the sets that it extends, in order, up to one that is already resolved."""
        chain: dict[str, None] = {}
        current = name
        while current not in done:
            chain[current] = None
            base = sets[current].get(_EXTENDS)
            in_file = isinstance(base, str) and base in sets and base != current
            if in_file and base in chain:
                raise UserError(
                    f"the weight sets {' -> '.join((*chain, base))} in {file} extend each other in a circle"
                )
            if base is not None and not in_file and not (isinstance(base, str) and base in known):
                names = sorted({*sets, *known} - {current})
                raise UserError(
                    f"the weight set {current!r} in {file} extends {base!r}; accepted: {', '.join(names)}"
                    f"{nearest(str(base), names)}"
                )
            if not in_file:
                break
            current = str(base)
        return list(chain)

    def _weights_of_set(
        self, name: str, entries: Mapping[str, Any], known: Mapping[str, Weights], file: str
    ) -> Weights:
        """Return the weights of a set; unnamed weights are inherited from the set that it extends."""
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
        if key not in self.indices:
            raise UserError(
                f"unknown weight {key!r} in the set {name!r} of {file}{nearest(key, self.indices)}: "
                f"the weights are {', '.join(self.features)}"
            )
        return self.indices[key]

    def _values(self, key: str, value: Any, name: str, file: str) -> float | list[float]:
        """Parse a weight into one value, or one value for each part of a game."""
        parts = self.shape[0] if self.part else 1
        values = value if self.part and isinstance(value, list) else [value] * parts
        valid = len(values) == parts and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        if not valid or not all(map(finite, values)):
            accepted = "one number" + (f" or one for each {self.part}" if self.part else "")
            raise UserError(f"the weight {key!r} in the set {name!r} of {file} must be {accepted}, not {value!r}")
        return [float(v) for v in values] if self.part else float(values[0])


def _number(value: Value) -> float | None:
    """Return a finite number, given as a number or a string; None for anything else."""
    try:
        number = value if isinstance(value, int) else float(value)
    except ValueError:
        return None
    return None if isinstance(value, bool) or not finite(number) else number


def _parse(path: Path) -> Sets:
    """Return the sets in a file as written; raise UserError if it contains anything else."""
    sets = read_toml(path, "weights file")
    if not sets:
        raise UserError(f"the weights file {str(path)!r} has no set: write [name], then weights such as name = 1.0")
    for name, weights in sets.items():
        if not isinstance(weights, dict):
            raise UserError(f"{name!r} in {str(path)!r} is outside a set: write [name] above the weights")
    return sets
