"""Settings of 7 Wonders for ``wsim learn``: teams, and the inputs for cards and stages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from wsim.learn.fitting import Layers
from wsim.learn.learner import Learner
from wsim.wonders.fitting import VALUE, ItemLayers, Items
from wsim.wonders.kernels.net_layout import MOVE, STATE
from wsim.wonders.policies.net_describe import describe
from wsim.wonders.policies.net_inputs import MAX_CANDIDATES
from wsim.wonders.registry import POLICIES


class _Learner(Learner):
    layers: ClassVar[type[Layers]] = ItemLayers

    def mates(self, simulator: Any, seat: int) -> Sequence[int]:
        return (seat & ~1, seat | 1) if simulator.compiled[0].teams else (seat,)

    def known(self, simulator: Any) -> Items:
        return Items.of(simulator.compiled[0])


LEARNER = _Learner(
    policies=POLICIES,
    describe=describe,
    candidates=MAX_CANDIDATES,
    state=STATE,
    move=MOVE,
    plan=Path(__file__).with_name("learning.toml"),
    decisions_of_seat=18.0,
    inputs={"of_number": 70, "card_roles": 100, "stage_roles": 100, "of_move": 30},
    value=VALUE,
)
