"""Arms on common deals: the games that each plays, and how their features are combined."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from wsim.lab.execution import Execution
from wsim.questions.deals import Arm, Arms, arm_by_arm


def test_every_arm_plays_the_requested_games() -> None:
    """Each arm returns the numbers of its games, plus 1,000 for each preceding arm."""

    def read(frame: Any, games: range) -> Any:
        return [np.array([[frame + game for game in games]])]

    def arm(number: int) -> Arm:
        return cast("Arm", SimpleNamespace(frame=lambda _games: 1000 * number))

    sets = [Arms((arm(0), arm(1)), read), Arms((arm(2),), read)]
    (base, changed), (alone,) = arm_by_arm(sets, [], range(100, 130), Execution(threads=1))
    for number, (features,) in enumerate((base, changed, alone)):
        assert features.tolist() == [[1000 * number + game for game in range(100, 130)]]
