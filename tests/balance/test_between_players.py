"""Targets show how much a win share differs between good players before the patch, where that is known."""

from __future__ import annotations

from wsim.balance.answer import _between
from wsim.balance.cells import Cell
from wsim.balance.goal import as_goal
from wsim.lab.plan import Plan
from wsim.lab.provenance import Provenance
from wsim.lab.rest_known import known_between
from wsim.wonders.game import GAME


def test_known_player_differences_are_shown_next_to_the_targets() -> None:
    plan = Plan.make(players=4)
    known = known_between(Provenance.of(plan, GAME.prepare(plan)).identity, None, "wonders")
    assert known is not None
    for policies, found in (("net", {("here", "Rhodos B"): known.half_widths()["Rhodos B"]}), ("greedy", {})):
        goal = as_goal(
            {
                "setting": [{"name": "here", "policies": policies}],
                "target": [{"of": "wonder,side", "only": "Rhodos B", "within": 0.03}],
                "knob": [{"path": "wonders.Rhodos.sides.B.*.points", "range": "-2..2"}],
            }
        )
        cells = [Cell("here", name, metric, 0, 1) for name, metric in (("Rhodos B", "win"), ("Rhodos A", "score"))]
        assert _between(goal, cells) == found
