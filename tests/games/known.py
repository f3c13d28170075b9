"""Registration of the test games with wsim: in this process, or in a separate command-line process.

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
    """Register a game as the first, so that it becomes the default; return the previously registered games."""
    before = dict(GAMES)
    GAMES.clear()
    GAMES.update({name: HOMES[name], **before})
    return before


if __name__ == "__main__":
    from wsim.cli.app import main

    make_known(sys.argv.pop(1))
    main()
