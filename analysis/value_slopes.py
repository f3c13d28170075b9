"""Calibrate the value net of a game for tables of ``net``: python analysis/value_slopes.py GAME [--games N] [--seed S]

Writes the slopes of each rule set, number of players and phase next to the net. With ``--check``, writes nothing:
prints the slope of a logistic regression of winning on the log odds of the calibrated chances, in fresh games, with its
95% interval clustered by game; 1 if the chances are calibrated. ``--policies`` checks other tables (comma-separated,
repeated to fill the seats), ``--ruleset`` and ``--players`` one table only.
"""

from __future__ import annotations

import argparse
import json
from itertools import cycle, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.positions.value_net import fit_calibration

TABLES = {
    "seven_wonders": {"1e": range(3, 8), "2e": range(3, 8), "2e-cities": range(3, 8)},
    "tower_of_babel": {"2005": range(3, 6)},
}
DIGITS, STEPS = 3, 12


def simulator_of(game: str, ruleset: str, players: int, seed: int, policies: str) -> Any:
    """Return the simulator for a table."""
    names = policies.split(",")
    line_up = names if len(names) == 1 else list(islice(cycle(names), players))
    plan = Plan.make(game=game, ruleset=ruleset, players=players, seed=seed, policies=line_up, rotate=True)
    return find_game(game).prepare(plan)


def slopes_of(simulator: Any, games: int) -> list[float]:
    """Return the slopes that best fit the games of a table."""
    follower = simulator.follower
    raw = follower.follow_raw(0, games, gap=1 << 40)
    begins = list(follower.phases.values())
    fitted = fit_calibration(raw, *follower.results(raw.rows), begins, [1.0] * len(begins))
    return [round(float(slope), DIGITS) for slope in fitted.slopes[:, 0]]


def checked(simulator: Any, games: int) -> list[tuple[float, float]]:
    """Return the slope of each phase with the half width of its interval."""
    follower = simulator.follower
    followed = follower.follow(0, games, gap=1 << 40)
    shares, begins = follower.results(followed.rows)[0], [*follower.phases.values(), np.iinfo(np.int16).max]
    found = []
    for first, last in pairwise(begins):
        game, stage = np.nonzero((followed.stages >= first) & (followed.stages < last))
        chance = np.clip(followed.chances[game, stage], 1e-9, 1 - 1e-9)
        odds, won = np.log(chance / (1 - chance)).ravel(), shares[game].ravel()
        found.append(slope(odds, won, np.repeat(game, shares.shape[1])))
    return found


def slope(odds: NDArray[np.float64], won: NDArray[np.float64], game: NDArray[np.int64]) -> tuple[float, float]:
    """Return the slope of a logistic regression with the half width of its interval, clustered by game."""
    inputs, best = np.stack([np.ones_like(odds), odds], axis=1), np.array([0.0, 1.0])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-inputs @ best))
        curve = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        best = best + np.linalg.solve(curve, inputs.T @ (won - chance))
    scores = np.zeros((int(game.max()) + 1, 2))
    np.add.at(scores, game, inputs * (won - chance)[:, None])
    errors = np.linalg.solve(curve, np.linalg.solve(curve, scores.T @ scores).T)
    return float(best[1]), float(1.96 * errors[1, 1] ** 0.5)


def main() -> None:
    """Calibrate the value net, or check its calibration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=TABLES)
    parser.add_argument("--games", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=20_261_126)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--policies", default="net")
    parser.add_argument("--ruleset")
    parser.add_argument("--players", type=int)
    asked = parser.parse_args()
    known: dict[str, dict[str, list[float]]] = {}
    for ruleset, numbers in TABLES[asked.game].items():
        for players in numbers:
            if asked.ruleset not in (None, ruleset) or asked.players not in (None, players):
                continue
            simulator = simulator_of(asked.game, ruleset, players, asked.seed, asked.policies)
            if asked.check:
                found = ", ".join(f"{each:.3f} ±{half:.3f}" for each, half in checked(simulator, asked.games))
                print(f"{ruleset}, {players} players, {asked.policies}: {found}", flush=True)
                continue
            known.setdefault(ruleset, {})[str(players)] = slopes_of(simulator, asked.games)
            print(ruleset, players, known[ruleset][str(players)], flush=True)
    if not asked.check:
        about = {"policies": "net", "games": asked.games, "seed": asked.seed, "slopes": known}
        simulator.value_net.slopes.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
