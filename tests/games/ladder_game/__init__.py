"""A third-party game with kernels: the minimum that ``wsim.positions.kernel_game`` requires.

This package is all that is needed, and it can be installed by pip with the entry point ``ladder = "ladder_game:GAME"``
(``tests/games/test_installed_kernels.py``). Its rules are in ``kernels/rules.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.positions.kernel_game import KernelGame

from .registry import POLICIES

if TYPE_CHECKING:
    from wsim.lab.plan import Plan

    from .simulator import LadderSimulator


class Ladder(KernelGame):
    NAME, TITLE = "ladder", "Ladder"
    POLICIES = POLICIES
    COMPILE_SECONDS = (3.0, 1.0)
    LEARNER = f"{__name__}.learning:LEARNER"

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        return {"ruleset": "2024", "players": 3, "policies": ("balanced",), "rotate": True}

    def prepare(self, plan: Plan) -> LadderSimulator:
        if plan.ruleset != "2024" or not 2 <= plan.players <= 4:
            raise UserError(f"ladder has the rules of 2024, for 2 to 4 players, not {plan.ruleset} for {plan.players}")
        line_up = self.line_up(plan)
        from .simulator import LadderSimulator  # which imports the compiler

        return LadderSimulator(plan, line_up)


GAME = Ladder()
