"""The time to follow games with the win chances of all seats: 10,000 games in a minute on two processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.test_laboratory import children_time

if TYPE_CHECKING:
    from benchmarks.conftest import Process

GAMES, TURNS, MOST_SECONDS = "10000", 3, 120.0


def test_ten_thousand_games_are_followed_in_a_minute(python: Process) -> None:
    """Processor seconds of the whole command on two processors, the minimum of several runs."""
    command = ("-m", "wsim", "experiment", "character", "-q", "--policies", "net", "--players", "4", "--games")
    python(*command, "50")  # compiles
    seconds = []
    for _ in range(TURNS):
        used = children_time()
        python(*command, GAMES)
        seconds.append(children_time() - used)
    print(f"\n{GAMES} games followed in {min(seconds):.1f} processor seconds")
    assert min(seconds) <= MOST_SECONDS
