"""The policies of Tower of Babel, one row each (``wsim.policies.registry`` explains how to add one)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wsim.policies.registry import BUDGET, FILE, NET_FILE, NET_SEED, SET, Policy, PolicySet, rows_by_name

if TYPE_CHECKING:
    from wsim.policies.nets import NetSpec

_WEIGHTED = "weighted:weighted"
_SET_BY_HAND = "wsim, tuned values adjusted by hand"


def _weight_set(name: str, idea: str, source: str = _SET_BY_HAND) -> Policy:
    return Policy(name, "weights", idea, source, _WEIGHTED, weights=name, uses_random=True)  # to break ties


REGISTRY = rows_by_name(
    Policy(
        "random", "baseline", "every legal move is equally likely", "the usual baseline of the literature",
        "random:random", uses_random=True, settled=(),
    ),
    _weight_set("greedy", "the most points at once, without looking ahead", "one-ply bots of the literature"),
    Policy(
        "weighted", "weights", "the highest sum of weighted features, with any weight set", "wsim",
        _WEIGHTED, (SET, FILE), uses_random=True,
    ),
    _weight_set("balanced", "weights without a theme", "hill climbing in self-play"),
    _weight_set("builder", "leads builds and places many parts"),
    _weight_set("supplier", "collects cards and earns points from its offers"),
    _weight_set("collector", "collects sets of discs, also with its trade card"),
    _weight_set("majority", "wants most parts on wonders near completion"),
    Policy(
        "net", "net", "the move with the highest value, learned by a small net in self-play", "wsim learn",
        "net:net_policy", (NET_FILE, NET_SEED), uses_random=True,  # to break ties
    ),
    Policy(
        "search", "search", "playouts of the best moves, with hidden cards and rivals resampled",
        "determinised Monte Carlo; sequential halving: Karnin, Koren, Somekh 2013", "search:search",
        (*BUDGET, NET_FILE, NET_SEED), uses_random=True,
    ),
)  # fmt: skip


def _nets() -> NetSpec:
    from wsim.babel.kernels.layout import WEIGHTS
    from wsim.babel.kernels.net_layout import SIZES
    from wsim.policies.nets import NetSpec

    return NetSpec("tower_of_babel", SIZES, (WEIGHTS,), (Path(__file__).with_name("net.npz"),))


POLICIES = PolicySet(REGISTRY, "wsim.babel", nets=_nets)
