"""Train the value net of a game: python analysis/value_net.py GAME OUT [--games N] [--rounds R] [--start FILE]

Half of the games are played by ``net``, half by mixed tables, at every number of players. About one turn in eight of a
game is used. What was done is recorded in the file. A later part continues from an earlier one with a different seed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from wsim import __version__
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.learn.fitting_settings import Fitting
from wsim.learn.learner import learner_of
from wsim.learn.value import Stages, collect, fit_value

TABLES = {
    "seven_wonders": {"1e": (range(3, 8), 2), "2e": (range(3, 8), 1), "2e-cities": (range(3, 8), 1)},
    "tower_of_babel": {"2005": (range(3, 6), 1)},
}
"""Rule sets, each with its numbers of players and a factor for its number of games."""
MIXED = {
    "seven_wonders": ("net", "net:seed=2", "balanced", "greedy", "rulebased", "science", "civilian", "military"),
    "tower_of_babel": ("net", "builder", "supplier", "collector", "majority", "balanced", "greedy"),
}
LINE_UPS, GAP = 4, 8


def main() -> None:
    """Play the games, fit the net and write it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", choices=TABLES)
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--rounds", type=float, default=2.0)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--start", default="")
    args = parser.parse_args()
    random, tables, played = np.random.default_rng(args.seed), list[Stages](), []
    for ruleset, (numbers, times) in TABLES[args.game].items():
        for players in numbers:
            mixed = [list(random.permutation(MIXED[args.game])[:players]) for _ in range(LINE_UPS)]
            for policies, games in ((["net"], args.games), *((each, args.games // LINE_UPS) for each in mixed)):
                plan = Plan.make(
                    game=args.game, ruleset=ruleset, players=players, seed=args.seed + len(tables),
                    policies=[str(policy) for policy in policies], rotate=True,
                )  # fmt: skip
                tables.append(collect(find_game(plan.game).prepare(plan), 1, times * games, GAP))
                played.append([plan.ruleset, players, list(plan.policies), plan.seed, times * games])
    before = json.loads(json.dumps(dict(learner_of(args.game).load(args.start).about))) if args.start else {}
    about = {
        "plan": {"game": args.game},
        "what": "value net: chances of the seats (wsim.kernels.chances)",
        "wsim": __version__,
        "tables": "rule set, players, line-up, seed, games",
        "parts": [*before.get("parts", []), {"played": played, "rounds": args.rounds, "rate": args.rate}],
    }
    positions = sum(len(table.states) for table in tables)
    print(f"{positions:,} positions", flush=True)
    how = Fitting(rounds=args.rounds, size=256, rate=args.rate)
    fit_value(args.game, tables, how, args.seed, about, start=args.start).save(args.out)


if __name__ == "__main__":
    main()
