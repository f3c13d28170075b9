"""Check win chances: compare chances from playouts at random moments with the results of the games.

    python analysis/win_chances.py
    python analysis/win_chances.py --table net --play-on balanced --games 800

One decision of every game is drawn uniformly. The chance of the deciding seat is its win share in playouts that
resample everything it cannot know, with the policies of the table or those of --play-on. Then the game continues with
its own policies. If chances are accurate, every row won the predicted share. ± is half a 95% interval.
"""

from __future__ import annotations

import argparse
import math
import random

import wsim

ENDS = (0.02, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.98)  # upper ends of the classes of predicted chances
HEAD = ("predicted", "n", "mean", "won", "±")


def one_moment(table: str, number: int, until: argparse.Namespace) -> tuple[float, float]:
    """Return the predicted win chance at a random decision of a game, and the win share of its result."""
    game = wsim.Game(
        game=until.game, players=until.players, policies=table, seed=until.seed, number=number, rotate=True
    )
    played, decisions = game.clone(), 0
    while played.to_move is not None:
        played.follow()
        decisions += 1
    for _ in range(random.Random(number).randrange(decisions)):
        game.follow()
    seat = game.to_move
    assert seat is not None
    assert played.result is not None
    predicted = game.rollout(until.play_on, until.playouts, seat=seat, rng=number)[:, seat, 1].mean()
    return float(predicted), float(played.result[seat]["win_share"])


def line(name: str, found: list[tuple[float, float]]) -> str:
    """Format a line of the table: count, mean predicted and won shares, half width of the won share's interval."""
    n = len(found)
    mean, won = (sum(one[place] for one in found) / n for place in (0, 1))
    z = 1.96
    half = z * math.sqrt(won * (1 - won) / n + z * z / (4 * n * n)) / (1 + z * z / n)  # Wilson's
    return f"{name:>11}  {n:>5}  {mean:.3f}  {won:.3f}  {half:.3f}"


def slope(found: list[tuple[float, float]]) -> str:
    """Regress won on predicted shares and return the slope: 1 if chances are accurate, less if overconfident."""
    n = len(found)
    mean, won = (sum(one[place] for one in found) / n for place in (0, 1))
    square = sum((one - mean) ** 2 for one, _ in found)
    steep = sum((one - mean) * (other - won) for one, other in found) / square
    rest = sum(((other - won) - steep * (one - mean)) ** 2 * (one - mean) ** 2 for one, other in found)
    return f"slope {steep:.2f} ±{1.96 * math.sqrt(rest) / square:.2f}"


def main() -> None:
    """Play the tables and print how accurate their chances were."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="append", help="a line-up; repeat for more tables")
    parser.add_argument(
        "--play-on", help="policies of the playouts, one for all or one per seat (default: those of the table)"
    )
    parser.add_argument("--game", default="seven_wonders")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=1000, help="games per table")
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    chosen = parser.parse_args()
    for table in chosen.table or ["balanced", "net", "search:playouts=32"]:
        found = [one_moment(table, number, chosen) for number in range(chosen.games)]
        print(f"table of {table}, playouts by {chosen.play_on or 'the policies of the table'}: {slope(found)}")
        print("{:>11}  {:>5}  {:>5}  {:>5}  {:>5}".format(*HEAD))
        for low, high in zip((-1.0, *ENDS), (*ENDS, 2.0), strict=True):
            if some := [one for one in found if low < one[0] <= high]:
                print(line(f"{max(low, 0):.2f}-{min(high, 1):.2f}", some))
        print(line("all", found), flush=True)


if __name__ == "__main__":
    main()
