"""The weight sets of ``weighted``: data, read from weights.toml and from users' files of the same form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wsim.catalog.source import Entries, read_toml
from wsim.errors import UserError, nearest
from wsim.wonders.kernels.layout import WEIGHTS
from wsim.wonders.policies.features import FEATURES, INDEX
from wsim.wonders.words import AGES

__all__ = ["named_sets", "read_sets"]

_SHIPPED = Path(__file__).with_name("weights.toml")
_EXTENDS = "extends"
Weights = NDArray[np.float64]


@lru_cache(maxsize=1)
def named_sets() -> Mapping[str, Weights]:
    """Return the sets that come with wsim: name -> weights of shape (AGES, WEIGHTS), read-only, in points."""
    return _resolve(_parse(_SHIPPED), {}, _SHIPPED.name)


def read_sets(path: str) -> Mapping[str, Weights]:
    """Return the sets of a user's file, which may extend each other and the shipped ones; UserError for a bad file."""
    return _resolve(_parse(Path(path)), named_sets(), path)


def _parse(path: Path) -> Entries:
    """Return the sets of a file as written; raise UserError for a file that holds anything else."""
    sets = read_toml(path, "weights file")
    if not sets:
        raise UserError(f"the weights file {str(path)!r} has no set: write [name], then weights such as point = 1.0")
    for name, weights in sets.items():
        if not isinstance(weights, dict):
            raise UserError(f"{name!r} in {str(path)!r} stands outside a set: write [name] above the weights")
    return sets


def _resolve(sets: Mapping[str, Mapping[str, Any]], known: Mapping[str, Weights], file: str) -> dict[str, Weights]:
    """Return the weights of every set of a file."""
    done: dict[str, Weights] = {}

    def resolved(name: str, via: tuple[str, ...]) -> Weights:
        if name in done:
            return done[name]
        if name in via:
            raise UserError(f"the weight sets {' -> '.join((*via, name))} in {file} extend each other in a circle")
        base = sets[name].get(_EXTENDS)
        weights = np.zeros((AGES, WEIGHTS))
        if base is not None:
            if base in sets and base != name:
                weights = resolved(base, (*via, name)).copy()
            elif base in known:
                weights = known[base].copy()
            else:
                names = sorted({*sets, *known} - {name})
                raise UserError(
                    f"the weight set {name!r} in {file} extends {base!r}: known are {', '.join(names)}"
                    f"{nearest(str(base), names)}"
                )
        for key, value in sets[name].items():
            if key != _EXTENDS:
                weights[:, _place(key, name, file)] = _values(key, value, name, file)
        weights.flags.writeable = False
        done[name] = weights
        return weights

    return {name: resolved(name, ()) for name in sets}


def _place(key: str, name: str, file: str) -> int:
    if key not in INDEX:
        raise UserError(
            f"unknown weight {key!r} in the set {name!r} of {file}{nearest(key, INDEX)}: "
            f"the weights are {', '.join(FEATURES)}"
        )
    return INDEX[key]


def _values(key: str, value: Any, name: str, file: str) -> list[float]:
    """Return the weight's value for each age."""
    values = value if isinstance(value, list) else [value] * AGES
    sound = len(values) == AGES and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if not sound or not all(math.isfinite(v) for v in values):
        raise UserError(
            f"the weight {key!r} in the set {name!r} of {file} is one number or one for each age, not {value!r}"
        )
    return [float(v) for v in values]
