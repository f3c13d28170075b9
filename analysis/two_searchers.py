"""Compare the strength of searchers in separate games, at one table, or decision by decision.

    python analysis/two_searchers.py search:playouts=100:pool=net search:playouts=100:pool=inferred --deals 100
    python analysis/two_searchers.py search:playouts=20:pool=all search:playouts=20 --field net,balanced,science
    python analysis/two_searchers.py search:playouts=1000:pool=net search:playouts=256:pool=net --together --deals 100
    python analysis/two_searchers.py search:playouts=1000:pool=net search:playouts=256:pool=net --decisions --deals 200

In separate games, each of two or more plays against `--field` in every seat of the same deals; if the field has several
policies, they follow the searcher in this order, and their seats turn from deal to deal. Together, two sit at one table
with the field; every deal is played twice, with their seats swapped, and pairs of seats take turns. Decision by
decision, the first searcher plays against the field, in one seat of each deal. If the second searcher would move
differently, `net` plays both moves to the end with the same cards and random numbers. Worth is utility: half a victory,
and 0.03 per point of lead. Differences are those from the first; the 95% intervals are over deals.
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


def mean(values: Any) -> str:
    """Return a mean with half a 95% interval."""
    return f"{np.mean(values):.4f} ±{1.96 * np.std(values, ddof=1) / len(values) ** 0.5:.4f}"


def shares(given: argparse.Namespace, seats: dict[int, str], first: int, turned: int = 0) -> Any:
    """Play a block of deals with searchers in some seats and the field in the others; return shares (deal, seat)."""
    start = min(seats) + 1
    others = [seat % given.players for seat in range(start, start + given.players) if seat % given.players not in seats]
    line_up = seats | {seat: given.field[(place + turned) % len(given.field)] for place, seat in enumerate(others)}
    rules = {} if given.ruleset is None else {"ruleset": given.ruleset}
    played = wsim.simulate(
        game=given.game, players=given.players, policies=[line_up[seat] for seat in range(given.players)], games=BLOCK,
        seed=given.seed + first, rotate=False, threads=1, **rules,
    )  # fmt: skip
    return played.sort("game", "seat")["win_share"].to_numpy().reshape(BLOCK, given.players)


def apart(given: argparse.Namespace) -> Iterator[list[list[float]]]:
    """Yield the win shares of each searcher alone, in every seat of each deal (in teams, both seats of a team)."""
    teams = given.ruleset is not None and given.ruleset.endswith("-teams")
    for first in range(0, given.deals, BLOCK):
        yield [
            np.mean(
                [
                    shares(given, {seat: one, seat ^ 1: one} if teams else {seat: one}, first, first // BLOCK)[:, seat]
                    for seat in range(0, given.players, 1 + teams)
                ],
                axis=0,
            ).tolist()
            for one in given.searchers
        ]


def together(given: argparse.Namespace) -> Iterator[list[list[float]]]:
    """Yield the win shares of two searchers at one table, in each deal with both assignments of their seats."""
    pairs = list(combinations(range(given.players), 2))
    a, b = given.searchers
    for first in range(0, given.deals, BLOCK):
        one, other = pairs[first // BLOCK % len(pairs)]
        as_dealt, swapped = shares(given, {one: a, other: b}, first), shares(given, {other: a, one: b}, first)
        yield [
            ((as_dealt[:, one] + swapped[:, other]) / 2).tolist(),
            ((swapped[:, one] + as_dealt[:, other]) / 2).tolist(),
        ]


def seated(given: argparse.Namespace, own: int, who: str) -> Any:
    """Return the line-up with one searcher in its seat and the field in the others."""
    line_up = [who if seat == own else given.field[0] for seat in range(given.players)]
    plan = Plan.make(game=given.game, players=given.players, seed=given.seed, policies=line_up, rotate=False)
    return find_game(given.game).prepare(plan)


def decisions(given: argparse.Namespace) -> Iterator[list[list[float]]]:
    """Yield the gain of the first searcher's decisions over the second's, and how often their moves differ."""
    for deal in range(given.deals):
        own = deal % given.players

        simulator, second, playing_on = (seated(given, own, one) for one in (*given.searchers, "net"))
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
        yield [[float(np.mean(gains))], [others / len(gains)]]


def main() -> None:
    """Play the games and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searchers", nargs="+")
    parser.add_argument("--together", action="store_true", help="both at one table")
    parser.add_argument("--decisions", action="store_true", help="decision by decision")
    parser.add_argument("--playouts", type=int, default=200, help="playouts of each of the two moves")
    parser.add_argument("--field", default="net", help="policies of the other seats")
    parser.add_argument("--game", default="seven_wonders")
    parser.add_argument("--ruleset", default=None)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--say", type=int, default=20, help="deals between two progress reports")
    given = parser.parse_args()
    given.field = given.field.split(",")
    if (given.together or given.decisions) and len(given.searchers) != 2:
        parser.error("--together and --decisions compare two searchers")
    play = decisions if given.decisions else together if given.together else apart
    found: list[list[float]] = [[] for _ in given.searchers]
    started, said = time.process_time(), 0
    for block in play(given):
        for values, new in zip(found, block, strict=True):
            values += new
        deals = len(found[0])
        if deals < given.deals and deals - said < given.say:
            continue
        said = deals
        print(f"{deals} deals, {time.process_time() - started:.0f} s")
        if given.decisions:
            gains, others = found
            print(f"  worth of a decision {mean(gains)}, other moves in {np.mean(others):.3f} of them", flush=True)
            continue
        for name, values in zip(given.searchers, found, strict=True):
            difference = np.subtract(values, found[0])
            print(f"  {name} {mean(values)}" + (f", {mean(difference)} more" if values is not found[0] else ""))
        print(end="", flush=True)


if __name__ == "__main__":
    main()
