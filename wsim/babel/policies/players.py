"""Line-up entries made ready to play: the compiled function, its parameters and its weights."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from wsim.babel.layout import PARAMETERS
from wsim.babel.layout import WEIGHTS as WEIGHT_ROOM
from wsim.babel.policies.plug import load_policy
from wsim.babel.policies.random import random
from wsim.babel.policies.registry import REGISTRY, Policy
from wsim.babel.policies.weighted import EXPLORE, weighted
from wsim.babel.policies.weights import SETS, WEIGHTS
from wsim.errors import UserError, nearest
from wsim.lab.lineup import Entry

__all__ = ["Player", "make_player"]


@dataclass(frozen=True)
class Player:
    """A line-up entry made ready.

    Attributes
    ----------
    label: the entry as written, the name in every table.
    function: the compiled policy. parameters, weights: what PRIVATE gets of the same names.
    """

    label: str
    function: Any
    parameters: tuple[float, ...] = (0.0,) * PARAMETERS
    weights: tuple[float, ...] = field(default=(0.0,) * WEIGHT_ROOM)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that identify parameters and weights."""
        return hashlib.sha256(repr((self.parameters, self.weights)).encode()).hexdigest()[:16]


def make_player(entry: Entry) -> Player:
    """Resolve a line-up entry; raise UserError for an unknown name or parameter."""
    if entry.file is not None or entry.module is not None:
        _no_parameters(entry)
        return Player(str(entry), load_policy(entry))
    if entry.name not in REGISTRY:
        names = ", ".join(REGISTRY)
        raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, REGISTRY)}; Tower of Babel has {names}")
    policy = REGISTRY[entry.name]
    if policy.weights is None:
        _no_parameters(entry)
        return Player(str(entry), random)
    return _weighted_player(entry, policy)


def _no_parameters(entry: Entry) -> None:
    for key in entry.parameters:
        raise UserError(f"the policy {entry.name!r} takes no parameters, {key!r} was given")


def _weighted_player(entry: Entry, policy: Policy) -> Player:
    """Return a player of ``weighted``: the named set, single weights laid over it."""
    given = dict(entry.parameters)
    name = str(given.pop("set", policy.weights)) if policy.name == "weighted" else str(policy.weights)
    if name not in SETS:
        raise UserError(f"unknown set of weights {name!r}{nearest(name, SETS)}; accepted: {', '.join(SETS)}")
    values: dict[str, float] = {"explore": 0.0, **SETS[name]}
    for key, value in given.items():
        if key not in values:
            known = ", ".join(values)
            raise UserError(f"the policy {entry.name!r} has no parameter {key!r}{nearest(key, values)}; it has {known}")
        if isinstance(value, bool | str):
            raise UserError(f"the parameter {key} of the policy {entry.name!r} is a number, not {value!r}")
        values[key] = float(value)
    explore = values["explore"]
    if not 0.0 <= explore <= 1.0:
        raise UserError(f"the parameter explore of the policy {entry.name!r} is a chance from 0 to 1, not {explore:g}")
    parameters = [0.0] * PARAMETERS
    parameters[EXPLORE] = explore
    weights = [values[key] for key in WEIGHTS] + [0.0] * (WEIGHT_ROOM - len(WEIGHTS))
    return Player(str(entry), weighted, tuple(parameters), tuple(weights))
