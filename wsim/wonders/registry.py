"""The policies of 7 Wonders, one row each (``wsim.policies.registry`` explains how to add one)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wsim.policies.registry import (
    BUDGET,
    FILE,
    LIGHT_BUDGET,
    MIX,
    NET_FILE,
    NET_SEED,
    SET,
    Policy,
    PolicySet,
    rows_by_name,
)

if TYPE_CHECKING:
    from wsim.policies.nets import NetSpec

_WEIGHTED = "weighted:weighted_policy"
_BUT_LOSSES = ("explore", "free_city")  # `weighted` weighs debts against coins
_ROBILLIARD = "Robilliard, Fonlupt, Teytaud 2014"


def _weight_set(name: str, idea: str, source: str = "balanced, changed by hand") -> Policy:
    return Policy(name, "weights", idea, source, _WEIGHTED, weights=name, settled=_BUT_LOSSES)


REGISTRY = rows_by_name(
    Policy(
        "random", "baseline", "every legal move is equally likely; pays every coin loss", "rules R51",
        "simple:random_policy", uses_random=True, settled=("loss",),
    ),
    Policy(
        "first", "baseline", "the first buildable card of a shuffled hand, else a stage, else a sale",
        "first-buildable bots of the literature", "simple:first_policy", uses_random=True, settled=("loss", "explore"),
    ),
    Policy(
        "greedy", "heuristic", "the build or stage that changes the score most at once",
        "one-ply bots of the literature", "greedy:pick_most_points",
    ),
    Policy(
        "rulebased", "heuristic", "a fixed order of rules: resources, red to lead, blue, green; age III by points",
        _ROBILLIARD, "rulebased:rulebased_policy", uses_random=True,
    ),
    Policy(
        "weighted", "weights", "the highest sum of weighted features, by age, with any weight set", "wsim",
        _WEIGHTED, (SET, FILE), settled=_BUT_LOSSES,
    ),
    _weight_set("balanced", "a little of everything, without a focus", "hill climbing in self-play"),
    _weight_set("military", "more shields than both neighbours in every age"),
    _weight_set("science", "green cards from the first age on"),
    _weight_set("civilian", "blue cards and the resources they need"),
    _weight_set("commerce", "yellow cards, coins and cheap trade"),
    _weight_set("guilds", "resources first, then guilds and cards that count other cards"),
    Policy(
        "net", "net", "the move rated highest by a small net trained in self-play", "wsim learn",
        "net:net_policy", (NET_FILE, NET_SEED), settled=("explore",),
    ),
    Policy(
        "mixed", "net", "net, with a random choice among moves that it rates nearly equal: harder to foresee",
        "mixed strategies", "mixed:mixed_policy", (MIX, NET_FILE, NET_SEED), uses_random=True, settled=("explore",),
    ),
    Policy(
        "search", "search", "playouts of the best moves with resampled hidden cards and rivals",
        "determinised Monte Carlo; sequential halving: Karnin, Koren, Somekh 2013", "search:search",
        (*BUDGET, NET_FILE, NET_SEED), uses_random=True, settled=("explore",),
    ),
    Policy(
        "endgame", "search", "net, with a few playouts in the last age: a light search, for runs of many games",
        "determinised Monte Carlo", "search:search", (*LIGHT_BUDGET, NET_FILE, NET_SEED), uses_random=True,
        settled=("explore",), light=True,
    ),
)  # fmt: skip


def _nets() -> NetSpec:
    from wsim.wonders.nets import NETS

    return NETS


def _routine() -> Mapping[str, Any]:  # imported on first use: the module loads numba
    from wsim.wonders.policies.routine import ROUTINE

    return ROUTINE


POLICIES = PolicySet(REGISTRY, "wsim.wonders", part="age", nets=_nets, routine=_routine)
