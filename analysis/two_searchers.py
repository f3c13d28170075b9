"""Which of two searchers is stronger? Compared in separate games, at one table, or decision by decision.

    python analysis/two_searchers.py search:playouts=100:pool=inferred search:playouts=100:pool=net --deals 100
    python analysis/two_searchers.py search:playouts=1000:pool=net search:playouts=256:pool=net --together --deals 100
    python analysis/two_searchers.py search:playouts=1000:pool=net search:playouts=256:pool=net --decisions --deals 200

In separate games, each plays against `--field` in every seat of the same deals. Together, both sit at one table with
the field; every deal is played twice, with their seats swapped, and pairs of seats take turns. Decision by decision,
the first searcher plays against the field, in one seat of each deal. If the second one would move differently, `net`
plays both moves to the end with the same cards and random numbers. Worth is utility: half a victory, and 0.03 per point
of lead. Differences are first minus second; the 95% intervals are over deals.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

import wsim
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.positions.values import FAR

BLOCK = 2  # deals of a game mode at a time


def mean(values: list[float]) -> str:
    """Return a mean with half a 95% interval."""
    found = np.array(values)
    return f"{found.mean():.4f} ±{1.96 * found.std(ddof=1) / len(found) ** 0.5:.4f}"


def shares(given: argparse.Namespace, seats: dict[int, str], first: int) -> Any:
    """Play one block of deals with searchers in some seats, the field in the others; return shares (deal, seat)."""
    line_up = [seats.get(seat, given.field) for seat in range(given.players)]
    played = wsim.simulate(
        game=given.game, players=given.players, policies=line_up, games=BLOCK, seed=given.seed + first, rotate=False,
        threads=1,
    )  # fmt: skip
    return played.sort("game", "seat")["win_share"].to_numpy().reshape(BLOCK, given.players)


def apart(given: argparse.Namespace) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the win share of each in a deal, every seat in turn."""
    seats = range(given.players)
    for first in range(0, given.deals, BLOCK):
        found = [
            np.mean([shares(given, {seat: one}, first)[:, seat] for seat in seats], axis=0)
            for one in (given.first, given.second)
        ]
        yield found[0].tolist(), found[1].tolist()


def together(given: argparse.Namespace) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the win share of each in a deal, on two seats and swapped."""
    pairs = list(combinations(range(given.players), 2))
    for first in range(0, given.deals, BLOCK):
        one, other = pairs[first // BLOCK % len(pairs)]
        a = shares(given, {one: given.first, other: given.second}, first)
        b = shares(given, {other: given.first, one: given.second}, first)
        yield ((a[:, one] + b[:, other]) / 2).tolist(), ((a[:, other] + b[:, one]) / 2).tolist()


def seated(given: argparse.Namespace, own: int, who: str) -> Any:
    """Return the line-up with one searcher in its seat and the field in the others."""
    line_up = [who if seat == own else given.field for seat in range(given.players)]
    plan = Plan.make(game=given.game, players=given.players, seed=given.seed, policies=line_up, rotate=False)
    return find_game(given.game).prepare(plan)


def decisions(given: argparse.Namespace) -> Iterator[tuple[list[float], list[float]]]:
    """Yield the gain of each decision over that of the second searcher, and how often their moves differ."""
    for deal in range(given.deals):
        own = deal % given.players

        simulator, second, playing_on = (seated(given, own, one) for one in (given.first, given.second, "net"))
        position, others = simulator.begin(deal), 0
        gains: list[float] = []
        while position.to_move is not None:
            after = position.clone()
            move, gain = after.follow(), 0.0
            if position.to_move == own and len(position.coded) > 1:
                place = position.chosen_by(second, given.seed + FAR, len(gains))
                if move != place:
                    found = position.compare(playing_on, [move, place], given.playouts, own, given.seed, FAR)
                    worth = learner_of(given.game).worth(simulator, found, own).mean(axis=0)
                    gain, others = float(worth[0] - worth[1]), others + 1
                gains.append(gain)
            position = after
        yield [float(np.mean(gains))], [others / len(gains)]


def main() -> None:
    """Play and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--together", action="store_true", help="both at one table")
    parser.add_argument("--decisions", action="store_true", help="decision by decision")
    parser.add_argument("--playouts", type=int, default=200, help="playouts of each of the two moves")
    parser.add_argument("--field", default="net", help="policy of the other seats")
    parser.add_argument("--game", default="seven_wonders")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--say", type=int, default=20, help="deals between two progress reports")
    given = parser.parse_args()
    play = decisions if given.decisions else together if given.together else apart
    one: list[float] = []
    other: list[float] = []
    started, said = time.process_time(), 0
    for a, b in play(given):
        one, other = one + a, other + b
        if len(one) < given.deals and len(one) - said < given.say:
            continue
        said = len(one)
        spent = f"{len(one)} deals, {time.process_time() - started:.0f} s"
        if given.decisions:
            print(f"worth of a decision {mean(one)}, other moves in {np.mean(other):.3f} of them; {spent}", flush=True)
        else:
            apart_by = mean([a - b for a, b in zip(one, other, strict=True)])
            print(
                f"{given.first} {mean(one)}, {given.second} {mean(other)}, difference {apart_by}; {spent}", flush=True
            )


if __name__ == "__main__":
    main()
