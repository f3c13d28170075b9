"""The policies of Tower of Babel: the registry, and line-up entries made ready to play.

A policy is a function ``policy(public, own, choice, tables) -> index`` of one compiled signature (``layout.POLICY``).
It gets what everybody knows, what its seat knows, the legal moves and the rules, and returns the index of its move:
``choice.kind`` says which decision it is, ``choice.moves`` holds ``choice.count`` moves, ``layout`` says what they mean
and ``moves`` reads them. It is not asked when there is one move only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wsim.babel.layout import PARAMETERS
from wsim.babel.layout import WEIGHTS as WEIGHT_ROOM
from wsim.babel.policies.plug import load_policy
from wsim.babel.policies.random import random
from wsim.babel.policies.weighted import EXPLORE, weighted
from wsim.babel.policies.weights import SETS, WEIGHTS
from wsim.errors import UserError, nearest
from wsim.lab.lineup import Entry

__all__ = ["REGISTRY", "Player", "Policy", "make_player", "registry_rows"]


@dataclass(frozen=True)
class Policy:
    """A registered policy.

    Attributes
    ----------
    kind: baseline or weighted. idea: one line for people. source: where it comes from.
    weights: its named set of weights, if it has one. random: whether it uses its random stream by default.
    """

    name: str
    kind: str
    idea: str
    source: str
    function: Any
    weights: str | None = None
    random: bool = False


_OWN = "wsim"
REGISTRY: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("random", "baseline", "every legal move is equally likely", _OWN, random, random=True),
        Policy("greedy", "weighted", "the most points at once, no thought for later", _OWN, weighted, "greedy"),
        Policy("weighted", "weighted", "the named set of weights `set`", _OWN, weighted, "builder"),
        Policy("builder", "weighted", "leads builds and places many parts", _OWN, weighted, "builder"),
        Policy("supplier", "weighted", "gathers cards and lives on its offers", _OWN, weighted, "supplier"),
        Policy("collector", "weighted", "wants discs, for sets, with its trade card too", _OWN, weighted, "collector"),
        Policy("majority", "weighted", "wants most parts on wonders near completion", _OWN, weighted, "majority"),
    )
}


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


def registry_rows() -> Sequence[Mapping[str, Any]]:
    """Return the registry as rows: name, kind, idea, parameters, source, random."""
    return [
        {
            "name": policy.name,
            "kind": policy.kind,
            "idea": policy.idea,
            "parameters": ", ".join(_parameters_of(policy)),
            "source": policy.source,
            "random": policy.random,
        }
        for policy in REGISTRY.values()
    ]


def _parameters_of(policy: Policy) -> list[str]:
    if policy.weights is None:
        return []
    choice = [f"set={policy.weights}"] if policy.name == "weighted" else []
    weights = SETS[policy.weights]
    return [*choice, "explore=0", *(f"{name}={weights[name]:g}" for name in WEIGHTS)]


def make_player(entry: Entry) -> Player:
    """Resolve a line-up entry; raise UserError for an unknown name or parameter."""
    if entry.file is not None or entry.module is not None:
        if entry.parameters:
            raise UserError(
                f"the policy {entry.name!r} takes no parameters, {next(iter(entry.parameters))!r} was given"
            )
        return Player(str(entry), load_policy(entry))
    if entry.name not in REGISTRY:
        names = ", ".join(REGISTRY)
        raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, REGISTRY)}; Tower of Babel has {names}")
    policy = REGISTRY[entry.name]
    if policy.weights is None and entry.parameters:
        raise UserError(f"the policy {entry.name!r} takes no parameters, {next(iter(entry.parameters))!r} was given")
    return _weighted_player(entry, policy) if policy.weights else Player(str(entry), policy.function)


def _weighted_player(entry: Entry, policy: Policy) -> Player:
    given = dict(entry.parameters)
    name = str(given.pop("set", policy.weights)) if policy.name == "weighted" else str(policy.weights)
    if name not in SETS:
        raise UserError(f"unknown set of weights {name!r}{nearest(name, SETS)}; accepted: {', '.join(SETS)}")
    values: dict[str, float] = {"explore": 0.0, **SETS[name]}
    for key, value in given.items():
        if key not in values:
            guess = nearest(key, values)
            raise UserError(f"the policy {entry.name!r} has no parameter {key!r}{guess}; accepted: {', '.join(values)}")
        if isinstance(value, bool | str):
            raise UserError(f"the parameter {key} of the policy {entry.name!r} is a number, not {value!r}")
        values[key] = float(value)
    if not 0.0 <= values["explore"] <= 1.0:
        raise UserError(
            f"the parameter explore of the policy {entry.name!r} is a chance from 0 to 1, not {values['explore']:g}"
        )
    parameters = [0.0] * PARAMETERS
    parameters[EXPLORE] = values["explore"]
    weights = [values[key] for key in WEIGHTS] + [0.0] * (WEIGHT_ROOM - len(WEIGHTS))
    return Player(str(entry), policy.function, tuple(parameters), tuple(weights))
