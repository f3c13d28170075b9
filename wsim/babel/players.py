"""Line-up entries made ready to play: the compiled function, its parameters and its weights."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wsim.babel.kernels.layout import CHOICE, POLICY, PRIVATE, PUBLIC, RULES
from wsim.babel.kernels.layout import WEIGHTS as WEIGHT_ROOM
from wsim.babel.policies.explore import EXPLORE, explores
from wsim.babel.policies.random import random
from wsim.babel.policies.weighted import weighted
from wsim.babel.registry import REGISTRY, Policy
from wsim.babel.weights import SETS, WEIGHTS
from wsim.babel.words import PARAMETERS
from wsim.errors import UserError, nearest
from wsim.policies.lineup import Entry, Value
from wsim.policies.plug import Interface, Plugged, installed, plug

__all__ = ["Player", "make_player"]

INTERFACE = Interface(POLICY, (PUBLIC, PRIVATE, CHOICE, RULES), explores)
"""How the engine calls a user's own policy."""


@dataclass(frozen=True)
class Player:
    """A line-up entry made ready.

    Attributes
    ----------
    label: its name in every table.
    function: the compiled policy. parameters, weights: what PRIVATE gets of the same names.
    plugged: a user's own policy, None for a registered one.
    """

    label: str
    function: Any
    parameters: tuple[float, ...] = (0.0,) * PARAMETERS
    weights: tuple[float, ...] = (0.0,) * WEIGHT_ROOM
    plugged: Plugged | None = None

    @property
    def digest(self) -> str:
        """What identifies the play of the entry: of a user's policy its file or module, of all their numbers."""
        source = (self.plugged.digest or self.plugged.where) if self.plugged else ""
        return hashlib.sha256(repr((source, self.parameters, self.weights)).encode()).hexdigest()[:16]


def make_player(entry: Entry) -> Player:
    """Resolve a line-up entry; raise UserError for an unknown name or parameter."""
    plain = entry.file is None and entry.module is None
    if plain and entry.name in REGISTRY:
        return _registered(entry, REGISTRY[entry.name])
    if plain and entry.name not in installed():
        names = [*REGISTRY, *installed()]
        raise UserError(
            f"unknown policy {entry.name!r}{nearest(entry.name, names)}: Tower of Babel knows {', '.join(names)}"
        )
    return _plugged(entry)


def _registered(entry: Entry, policy: Policy) -> Player:
    """Return a player of wsim's own: the named set of weights, single weights laid over it."""
    parameters = [0.0] * PARAMETERS
    defaults = dict(policy.parameters)
    name = str(entry.parameters.get("set", policy.weights)) if "set" in defaults else policy.weights
    if name is not None and name not in SETS:
        raise UserError(f"unknown set of weights {name!r}{nearest(name, SETS)}: known are {', '.join(SETS)}")
    if name is not None:
        defaults |= SETS[name]
    values = _numbers(entry, defaults)
    parameters[EXPLORE] = values["explore"]
    if name is None:
        return Player(str(entry), random, tuple(parameters))
    weights = [values[key] for key in WEIGHTS] + [0.0] * (WEIGHT_ROOM - len(WEIGHTS))
    return Player(str(entry), weighted, tuple(parameters), tuple(weights))


def _plugged(entry: Entry) -> Player:
    """Return a player of a user's own policy."""
    if entry.module in REGISTRY:
        raise UserError(
            f"{entry.function!r} is no parameter of policy {entry.module!r}: write {entry.module}:key=value"
        )
    plugged = plug(entry, INTERFACE)
    declared = plugged.declaration.parameters
    values = _numbers(entry, {**declared, "explore": 0.0})
    parameters = [float(values[key]) for key in declared]
    parameters += [0.0] * (PARAMETERS - len(parameters))
    parameters[EXPLORE] = values["explore"]
    name = plugged.declaration.name
    label = name + str(entry)[len(entry.name) :] if name and name not in REGISTRY else str(entry)
    return Player(label, plugged.call, tuple(parameters), plugged=plugged)


def _numbers(entry: Entry, defaults: Mapping[str, Value]) -> dict[str, float]:
    """Return the defaults with the entry's parameters laid over them, as numbers."""
    values = {key: float(value) for key, value in defaults.items() if key != "set"}
    for key, value in entry.parameters.items():
        if key not in defaults:
            known = ", ".join(defaults)
            raise UserError(
                f"policy {entry.name!r} has no parameter {key!r}{nearest(key, defaults)}: accepted are {known}"
            )
        if key == "set":
            continue
        number = not isinstance(value, str) and math.isfinite(value)
        if not number or (isinstance(value, bool) and not isinstance(defaults[key], bool)):
            raise UserError(f"parameter {key} of policy {entry.name!r} is a number, not {value!r}")
        values[key] = float(value)
    if not 0.0 <= values["explore"] <= 1.0:
        explore = values["explore"]
        raise UserError(f"parameter explore of policy {entry.name!r} is a chance from 0 to 1, not {explore:g}")
    return values
