"""The registered policies, as data: nothing here loads or compiles one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wsim.babel.weights import SETS, WEIGHTS

__all__ = ["REGISTRY", "Policy", "registry_rows"]


@dataclass(frozen=True)
class Policy:
    """A registered policy.

    Attributes
    ----------
    kind: baseline or weighted. idea: one line for people. source: where it comes from.
    weights: its named set of weights; None for a policy that has none.
    random: whether it uses its random stream by default (the weighted ones for equal moves).
    """

    name: str
    kind: str
    idea: str
    weights: str | None = None
    random: bool = True
    source: str = "wsim"

    @property
    def parameters(self) -> Mapping[str, float | str]:
        """The parameters that a line-up may set, with their defaults."""
        if self.weights is None:
            return {"explore": 0.0}
        choice = {"set": self.weights} if self.name == "weighted" else {}
        return {**choice, "explore": 0.0, **SETS[self.weights]}


REGISTRY: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("random", "baseline", "every legal move is equally likely"),
        Policy("greedy", "weighted", "the most points at once, no thought for later", "greedy"),
        Policy("weighted", "weighted", f"the best move by weights: the set `set` ({', '.join(SETS)})", "balanced"),
        Policy("balanced", "weighted", "the strongest weights found by search, without a theme", "balanced"),
        Policy("builder", "weighted", "leads builds and places many parts", "builder"),
        Policy("supplier", "weighted", "gathers cards and lives on its offers", "supplier"),
        Policy("collector", "weighted", "wants discs, for sets, with its trade card too", "collector"),
        Policy("majority", "weighted", "wants most parts on wonders near completion", "majority"),
    )
}
assert all(set(weights) == set(WEIGHTS) for weights in SETS.values())


def registry_rows() -> Sequence[Mapping[str, Any]]:
    """Return the registry as rows: name, kind, idea, parameters, source, random."""
    return [
        {
            "name": policy.name,
            "kind": policy.kind,
            "idea": policy.idea,
            "parameters": ", ".join(f"{key}={_shown(value)}" for key, value in policy.parameters.items()),
            "source": policy.source,
            "random": policy.random,
        }
        for policy in REGISTRY.values()
    ]


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
