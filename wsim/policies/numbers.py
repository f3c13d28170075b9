"""The numeric parameters and weights of a line-up entry, which tuning (``wsim.tuning``) may change."""

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
    values: its value in the entry: one value, or one for each part of a game (``WeightSets.part``).
    least, most: the accepted range.
    whole: whether it must be an integer.
    """

    name: str
    values: tuple[float, ...]
    least: float = -math.inf
    most: float = math.inf
    whole: bool = False


def numbers_of(entry: Entry, policy_set: PolicySet) -> tuple[Number, ...]:
    """Return the weights and numeric parameters of a line-up entry, except ``explore`` and Booleans.

    Raises UserError for an entry that cannot be played.
    """
    line_up = resolve([entry], 1, policy_set)
    policy = policy_set.policies.get(entry.name)
    if line_up.plugged:
        (plugged,) = line_up.plugged.values()
        parameters = [Parameter(name, type(value), value, "") for name, value in plugged.declaration.parameters.items()]
    else:
        parameters = [
            spec for spec in (policy.parameters if policy else ()) if spec.kind is not str and spec != EXPLORE
        ]
    numbers = [
        Number(spec.name, (float(value),), spec.least, spec.most, spec.kind is int)
        for spec, value in zip(parameters, line_up.parameters[0], strict=False)
        if spec.kind is not bool
    ]
    if policy is not None and policy.kind == "weights":
        weights = policy_set.interface().weights
        for name, index in weights.indices.items():
            numbers.append(Number(name, tuple(map(float, line_up.weights[0][..., index].reshape(-1)))))
    return tuple(numbers)
