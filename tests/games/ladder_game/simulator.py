"""A prepared plan of the ladder game, and its games in progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.jit import source_digest
from wsim.positions.machine import KernelSimulator, StatePosition, VectorKernels
from wsim.rng import keys_of
from wsim.version import STREAMS

from .kernels.layout import CARDS, HAND, RULES, SEATING

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.policies.registry import LineUp


class LadderPosition(StatePosition):
    def moves(self) -> Sequence[Mapping[str, Any]]:
        return [{"seat": self.to_move, "card": int(card)} for card in self.coded]

    def standing(self) -> list[int]:
        return [int(rungs) for rungs in self.record.public.rungs[: self.simulator.seats]]

    def scores(self) -> list[dict[str, Any]]:
        rungs, best = self.standing(), max(self.standing())
        share = 1 / rungs.count(best)
        return [{"seat": seat, "total": one, "win_share": share * (one == best)} for seat, one in enumerate(rungs)]

    def view(self, seat: int | None) -> dict[str, Any]:
        def cards(bits: Any) -> list[int]:
            return [card for card in range(CARDS) if int(bits) >> card & 1]

        shown, seats = self.record, range(self.simulator.seats)
        hands = {str(one): cards(shown.own[one].hand) for one in seats if seat in (None, one)}
        return {"hands": hands, "top": int(shown.public.top), "played": cards(shown.public.seen)}

    def columns(self, history: bool = True) -> tuple[str, ...]:
        return tuple(self.simulator.columns)


class LadderSimulator(KernelSimulator[LadderPosition]):
    KERNELS = f"{__package__}.kernels"
    POSITION = LadderPosition

    def __init__(self, plan: Plan, line_up: LineUp) -> None:
        rules, seating = np.zeros(1, RULES).view(np.recarray)[0], np.zeros(1, SEATING).view(np.recarray)[0]
        rules.seats, seating.keys[:], seating.rotate = plan.players, keys_of(plan.seed), plan.rotate
        line_up.fill(seating, rules)
        super().__init__(plan, line_up, rules, seating)
        self.picks_per_game = plan.players * HAND
        self.columns = ("top", *(f"card_{card}" for card in range(CARDS)))

    @cached_property
    def vector(self) -> VectorKernels:
        return self.vector_kernels(self.columns, tuple(f"play:{card}" for card in range(CARDS)), HAND)

    def provenance(self) -> dict[str, Any]:
        return {"engine": source_digest(self.KERNELS), "streams": STREAMS, "policies": dict(self.line_up.digests)}
