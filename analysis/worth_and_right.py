"""The worth of cards compared with an independent estimate: the value of the right to build them.

Run: python analysis/worth_and_right.py [--policy net] [--players 4] [--ruleset 1e] [--games 12500] [--deals 4000]

Worth comes from games in which wishes are overruled at random (``wsim.experiment_worth``). The right to build comes
from games without any randomisation: on the same deals, seat 0 may not build a card; the difference of its win share,
divided by how much less often it builds the card, is what building gains it (Wald's estimate). The two estimates share
only the players and the rules. Output: the correlation over cards, raw and corrected for the noise of both; the number
of cards that are clearly positive by one and clearly negative by the other; the mean difference; median half widths.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import polars as pl

import wsim
from wsim.policies.chances import CHANCE

CLEAR = 2.576  # standard errors: p < .01


def arguments() -> argparse.Namespace:
    """Parse the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", default="net")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--ruleset", default="1e")
    parser.add_argument("--games", type=int, default=12_500, help="games with overruled wishes")
    parser.add_argument("--deals", type=int, default=4_000, help="deals, each played with and without the right")
    parser.add_argument("--overrule", type=float, default=CHANCE)
    parser.add_argument("--seed", type=int, default=3801)
    parser.add_argument("--out", help="write both estimates here, as CSV")
    return parser.parse_args()


def rights(keys: dict[str, Any], names: list[str]) -> pl.DataFrame:
    """Estimate the value to seat 0 of the right to build each card, with its standard error."""

    def seat_0(**more: Any) -> pl.DataFrame:
        return wsim.simulate(**keys, **more).filter(pl.col("seat") == 0).sort("game")

    base, rows = seat_0(), []
    for name in names:
        banned, column = seat_0(ban=f"0={name}"), f"built:{name}"
        gained = base["win_share"].cast(pl.Float64).to_numpy() - banned["win_share"].cast(pl.Float64).to_numpy()
        built = base[column].cast(pl.Float64).to_numpy() - banned[column].cast(pl.Float64).to_numpy()
        if built.mean() < 0.01:
            continue
        right = gained.mean() / built.mean()
        error = np.std(gained - right * built) / len(gained) ** 0.5 / built.mean()
        rows.append({"name": name, "right": right, "right_error": error})
    return pl.DataFrame(rows)


def main() -> None:
    """Compute both estimates and print their agreement."""
    asked = arguments()
    table = {"players": asked.players, "ruleset": asked.ruleset, "policies": asked.policy}
    start = time.perf_counter()
    found = wsim.experiment_worth(**table, games=asked.games, seed=asked.seed, overrule=asked.overrule)
    seconds = time.perf_counter() - start
    reach = (pl.col("worth_high") - pl.col("worth_low")) / 2
    worth = found.worth.filter(what="build").with_columns(reach=reach, error=reach / 1.96)
    right = rights({**table, "games": asked.deals, "seed": asked.seed + 1}, sorted(worth["name"]))
    both = worth.join(right, on="name").filter(pl.col("right_error") < 0.05)
    if asked.out:
        both.write_csv(asked.out)
    one, other, errors = (
        both["worth"].to_numpy(),
        both["right"].to_numpy(),
        both.select("error", "right_error").to_numpy(),
    )
    plain = np.corrcoef(one, other)[0, 1]
    variances = np.var([one, other], axis=1, ddof=1) - (errors**2).mean(axis=0)
    clean = np.cov(one, other)[0, 1] / np.sqrt(variances.prod()) if (variances > 0).all() else float("nan")
    clear = [
        np.sign(value) * (np.abs(value) > CLEAR * error) for value, error in zip((one, other), errors.T, strict=True)
    ]
    apart = (one - other) / np.hypot(*errors.T)
    print(
        f"{asked.policy}, {asked.players} players, {asked.ruleset}; {asked.games:,} games, {asked.deals:,} deals a card"
    )
    print(f"worth took {seconds:.0f} s; {worth.height} cards, {both.height} with both (error of the right below .05)")
    print(f"half width of worth: median {both['reach'].median():.4f}")
    print(f"clear at p < .01: worth {int((clear[0] != 0).sum())}, right {int((clear[1] != 0).sum())}")
    print(f"clear opposite signs: {int((clear[0] * clear[1] < 0).sum())}")
    print(f"correlation {plain:.3f}; with noise taken out {clean:.3f}")
    print(
        f"mean worth {one.mean():.4f}, mean right {other.mean():.4f}; apart by more than 1.96 errors: "
        f"{int((np.abs(apart) > 1.96).sum())} of {both.height}"
    )


if __name__ == "__main__":
    main()
