"""Compare the speed of this checkout with a different one: ``python -m benchmarks.against_base --base DIR``.

DIR (or the environment variable WSIM_BASE) is a checkout of wsim, such as a ``git worktree`` of the commit to compare
with; both use the Python and the packages of this environment. Two processes, one per checkout, play the same games in
turns, base first, and report the CPU seconds of the playing thread, so both experience the same noise. For every plan,
the output shows the minimum microseconds per game, the ratio base / here, and whether the scores are equal.

    --compile   compile the kernels of the default plan into an empty cache too: CPU and wall seconds, then those of
                the first command, ``wsim run --games 1000``
    --small     ``wsim run --games 1000 --policies balanced`` with all kernels compiled: CPU and wall seconds
    --rounds N  turns of each (20); --games N a turn (2000); --tolerance T ends with 1 where a ratio of PLANS is lower
                than promised by more than T (0.03)
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.processes import environment_of

HERE = Path(__file__).parents[1]
PLANS: Mapping[tuple[str, str, int, str], float] = {
    ("seven_wonders", "1e", 3, "random"): 1.15,
    ("seven_wonders", "1e", 4, "random"): 1.15,
    ("seven_wonders", "1e", 7, "random"): 1.15,
    ("seven_wonders", "1e", 4, "balanced"): 1.1,
    ("seven_wonders", "2e-cities", 4, "random"): 1.0,
    ("seven_wonders", "1e-duo", 2, "balanced"): 1.0,
    ("tower_of_babel", "2005", 4, "random"): 1.0,
    ("tower_of_babel", "2005", 4, "balanced"): 1.0,
    ("seven_wonders", "1e", 4, "net"): 1.7,  # in integers; scores differ: one decision in some 500
    ("seven_wonders", "1e", 7, "net"): 1.7,
    ("tower_of_babel", "2005", 4, "net"): 1.3,
}
"""Game, rule set, players and policy of each plan, and the minimum ratio to the first version with a benchmark."""

PLAYER = """
import sys, time
import numpy as np
from wsim.game import find_game
from wsim.lab.plan import Plan

made = {}
for line in sys.stdin:
    game, ruleset, players, policy, games = line.split()
    key = game, ruleset, players, policy
    if key not in made:
        plan = Plan.make(game=game, ruleset=ruleset, players=int(players), policies=policy)
        made[key] = find_game(game).prepare(plan)
        made[key].play(0, np.zeros(200 * made[key].seats, made[key].row_dtype))
    rows = np.zeros(int(games) * made[key].seats, made[key].row_dtype)
    rows.view(np.uint8)[:] = 0
    start = time.thread_time()
    made[key].play(0, rows)
    print((time.thread_time() - start) / int(games) * 1e6, int(rows["total"].sum()), flush=True)
"""
COMPILER = """
import sys
from wsim.game import find_game
from wsim.lab.plan import Plan
import numpy as np

plan = Plan.make()
simulator = find_game(plan.game).prepare(plan)
simulator.play(0, np.zeros(simulator.seats, simulator.row_dtype))
"""


def environment_with(checkout: Path, cache: Path) -> dict[str, str]:
    """Return the environment of a process that runs a checkout with its own cache."""
    return environment_of(checkout, cache / "modules") | {"WSIM_CACHE_DIR": str(cache)}


class Player:
    """A process that plays plans with the code of one checkout."""

    def __init__(self, checkout: Path, cache: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PLAYER],
            env=environment_with(checkout, cache),
            cwd=cache,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def play(self, plan: tuple[str, str, int, str], games: int) -> tuple[float, str]:
        """Play games of a plan; return the microseconds per game and the sum of all scores."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(" ".join(map(str, (*plan, games))) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().split()
        if not answer:
            raise SystemExit(f"{plan} cannot be played there")
        return float(answer[0]), answer[1]

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def compare(base: Path, rounds: int, games: int, folder: Path, tolerance: float) -> int:
    """Print a line for every plan; return how many ratios are lower than promised."""
    low = 0
    players = []
    for name, checkout in (("base", base), ("here", HERE)):
        (folder / name).mkdir()
        players.append(Player(checkout, folder / name))
    for plan, promised in PLANS.items():
        seconds: tuple[list[float], list[float]] = ([], [])
        scores = set()
        for _ in range(rounds):
            for times, player in zip(seconds, players, strict=True):
                taken, score = player.play(plan, games)
                times.append(taken)
                scores.add(score)
        there, here = (min(times) for times in seconds)
        low += there / here < promised - tolerance
        same = "same scores" if len(scores) == 1 else "OTHER SCORES"
        print(f"{' '.join(map(str, plan)):34} {there:7.2f} {here:7.2f} us   x {there / here:.3f}   {same}", flush=True)
    for player in players:
        player.stop()
    return low


def taken_by(checkout: Path, cache: Path, *command: str) -> tuple[float, float]:
    """Run a command of a checkout; return its CPU and wall seconds, including child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    environment = environment_with(checkout, cache)
    subprocess.run([sys.executable, "-P", *command], env=environment, cwd=cache, check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def compiling(checkout: Path, folder: Path, *command: str) -> tuple[float, float]:
    """Return the CPU and wall seconds of a command that starts with an empty cache."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        return taken_by(checkout, Path(cache), *command)


def compare_compiling(base: Path, folder: Path) -> None:
    """Print the compilation cost of both checkouts, measured alternately."""
    for title, command in (
        ("kernels of the default plan", ("-c", COMPILER)),
        ("first wsim run --games 1000", ("-m", "wsim", "run", "--games", "1000", "--quiet")),
    ):
        pairs = [[compiling(checkout, folder, *command) for checkout in (base, HERE)] for _ in range(2)]
        there, here = (min(column) for column in zip(*pairs, strict=True))
        print(f"{title:34} CPU {there[0]:6.1f} {here[0]:6.1f} s   wall {there[1]:6.1f} {here[1]:6.1f} s", flush=True)


def compare_small(base: Path, folder: Path, rounds: int) -> None:
    """Print the cost of a small run with all kernels compiled, measured alternately."""
    words = ("-m", "wsim", "run", "--games", "1000", "--policies", "balanced", "--quiet", "--out")
    caches = [(checkout, folder / f"small-{name}") for name, checkout in (("base", base), ("here", HERE))]
    for checkout, cache in caches:
        cache.mkdir()
        taken_by(checkout, cache, *words, "first")
    turns = [[taken_by(*pair, *words, f"run{turn}") for pair in caches] for turn in range(rounds)]
    for title, which in (("CPU", 0), ("wall", 1)):
        there, here = (sorted(pair[side][which] for pair in turns) for side in (0, 1))
        half = rounds // 2
        print(
            f"{'warm wsim run --games 1000':34} {title:4} least {there[0]:.2f} {here[0]:.2f} s   "
            f"median {there[half]:.2f} {here[half]:.2f} s   x {here[half] / there[half]:.2f}",
            flush=True,
        )


def main() -> int:
    """Run the comparison; return 1 if a ratio is lower than promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, default=os.environ.get("WSIM_BASE"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--tolerance", type=float, default=0.03)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    if given.base is None or not (Path(given.base) / "wsim").is_dir():
        parser.error("--base DIR (or WSIM_BASE) names a checkout of wsim")
    base = Path(given.base).resolve()
    with tempfile.TemporaryDirectory() as folder:
        low = compare(base, given.rounds, given.games, Path(folder), given.tolerance)
        if given.compile:
            compare_compiling(base, Path(folder))
        if given.small:
            compare_small(base, Path(folder), given.rounds)
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main())
