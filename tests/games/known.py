"""The games of the tests, made known to wsim: here, or to a command line in a process of its own.

``python -m tests.games.known luck match ...`` is ``wsim match ...`` with that game as the default.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from wsim.game import GAMES

HOMES = {
    "toy": "tests.games.toy_game:GAME",
    "medal": "tests.games.medal_game:GAME",
    "luck": "tests.games.luck_game:GAME",
    "aiming": "tests.tuning.aiming_game:GAME",
}


def make_known(name: str) -> Mapping[str, str]:
    """Put a game in front of the games, where the default is; return the games as they were."""
    before = dict(GAMES)
    GAMES.clear()
    GAMES.update({name: HOMES[name], **before})
    return before


if __name__ == "__main__":
    from wsim.cli.app import main

    make_known(sys.argv.pop(1))
    main()
