"""The numbers that a line-up entry may set: what a search over policies moves (``wsim.tuning``)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wsim.policies.registry import EXPLORE, Parameter, PolicySet, resolve

if TYPE_CHECKING:
    from wsim.policies.lineup import Entry


@dataclass(frozen=True)
class Number:
    """A number that a line-up entry may set: a parameter of its policy, or a weight.

    Attributes
    ----------
    values: what the entry sets it to: one number, or one for each part of a game (``WeightSets.part``).
    least, most: the range accepted.
    whole: whether it is a whole number.
    """

    name: str
    values: tuple[float, ...]
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False


def numbers_of(entry: Entry, policy_set: PolicySet) -> tuple[Number, ...]:
    """Return the numbers that an entry may set, its noise (``explore``) left out; UserError for what cannot be played.

    True and false are no numbers.
    """
    line_up = resolve([entry], 1, policy_set)
    policy = policy_set.policies.get(entry.name)
    if line_up.plugged:
        (plugged,) = line_up.plugged.values()
        own = [Parameter(name, type(value), value, "") for name, value in plugged.declaration.parameters.items()]
    else:
        own = [one for one in (policy.parameters if policy else ()) if one.kind is not str and one != EXPLORE]
    found = [
        Number(one.name, (float(value),), one.least, one.most, one.kind is int)
        for one, value in zip(own, line_up.parameters[0], strict=False)
        if one.kind is not bool
    ]
    if policy is not None and policy.kind == "weights":
        weights = policy_set.interface().weights
        for name, place in weights.places.items():
            found.append(Number(name, tuple(map(float, line_up.weights[0][..., place].reshape(-1)))))
    return tuple(found)
