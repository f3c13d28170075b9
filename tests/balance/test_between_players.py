"""Targets say how far a win share moves between good players, before the patch, where that is known."""

from __future__ import annotations

import json

from wsim.balance.answer import _between
from wsim.balance.cells import Cell
from wsim.balance.goal import as_goal
from wsim.wonders.game import GAME


def test_what_is_known_of_the_game_as_it_is_is_next_to_the_targets() -> None:
    assert GAME.REST is not None
    known = json.loads(GAME.REST.read_text())["known"]
    figures = next(one["figures"] for one in known if one["conditions"]["players"] == 4)
    for policies, found in (("net", {("here", "Rhodos B"): figures["wonders"]["Rhodos B"]}), ("balanced", {})):
        goal = as_goal(
            {
                "setting": [{"name": "here", "policies": policies}],
                "target": [{"of": "wonder,side", "only": "Rhodos B", "within": 0.03}],
                "knob": [{"path": "wonders.Rhodos.sides.B.*.points", "range": "-2..2"}],
            }
        )
        cells = [Cell("here", name, metric, 0, 1) for name, metric in (("Rhodos B", "win"), ("Rhodos A", "score"))]
        assert _between(goal, cells) == found
