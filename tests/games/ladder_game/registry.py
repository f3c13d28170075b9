"""The policies of the ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wsim.policies.registry import BUDGET, NET_FILE, Policy, PolicySet, rows_by_name

if TYPE_CHECKING:
    from wsim.policies.nets import NetSpec


def _nets() -> NetSpec:
    from wsim.policies.nets import NetSpec

    from .kernels.layout import SIZES, WEIGHTS

    return NetSpec("ladder", SIZES, (WEIGHTS,))


REGISTRY = rows_by_name(
    Policy("random", "baseline", "any card", "none", "simple:random", uses_random=True),
    Policy("balanced", "weights", "the smallest step up", "none", "simple:weighted", weights="balanced"),
    Policy("search", "search", "playouts", "none", "search:search", BUDGET, uses_random=True),
    Policy("net", "net", "the highest learned value", "wsim learn", "net:net_policy", (NET_FILE,)),
)
POLICIES = PolicySet(REGISTRY, __package__ or "", nets=_nets)
