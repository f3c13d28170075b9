"""Compare the worth of cards to several players with their worth to the first player.

    python analysis/worth_by_player.py net mixed endgame --games 12500
    python analysis/worth_by_player.py net.json mixed.json endgame.json

Each player plays all seats (`wsim experiment worth`), on deals of its own, so that the errors of two players are
independent: the seed counts up. Names that end in `.json` are answers of that command; on the same deals their errors
are alike, so more noise is removed than there is, and clear differences are rarer. Columns: cards known to both; the
root mean square of their differences in worth, sampling noise removed, with a 95% interval; the correlation of the
worths, as it is and without noise; and the cards that differ clearly (q < 0.05, Benjamini-Hochberg over the cards).
"""

from __future__ import annotations

import argparse
import json
from math import erfc
from pathlib import Path

import numpy as np
import polars as pl

import wsim
from wsim.stats import benjamini_hochberg

NORMAL = 1.959964


def worth_of(player: str, place: int, given: argparse.Namespace) -> pl.DataFrame:
    """Return the worth of each card to a player, with its sampling variance."""
    if player.endswith(".json"):
        rows = pl.DataFrame(json.loads(Path(player).read_text())["worth"])
    else:
        rows = wsim.experiment_worth(
            players=given.players, ruleset=given.ruleset, games=given.games, seed=given.seed + place, policies=[player]
        ).worth
    rows = rows.filter(what="build")
    error = (pl.col("worth_high") - pl.col("worth_low")) / (2 * NORMAL)
    return rows.select("name", "worth", (error**2).alias("variance")).drop_nulls()


def compared(first: pl.DataFrame, second: pl.DataFrame) -> tuple[str, list[str]]:
    """Compare the worth of cards to two players; return a row of figures, and the cards that differ clearly."""
    both = first.join(second, on="name", suffix="_second")
    difference = both["worth_second"].to_numpy() - both["worth"].to_numpy()
    variance = both["variance"].to_numpy() + both["variance_second"].to_numpy()
    squares = difference**2 - variance
    half = NORMAL * squares.std(ddof=1) / len(squares) ** 0.5
    rms, low, high = (max(float(value), 0.0) ** 0.5 for value in squares.mean() + np.array([0.0, -half, half]))
    worths = both["worth"].to_numpy(), both["worth_second"].to_numpy()
    covariance = np.cov(*worths)
    noise = [both["variance"].mean(), both["variance_second"].mean()]
    plain = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    clean = covariance[0, 1] / np.sqrt((covariance[0, 0] - noise[0]) * (covariance[1, 1] - noise[1]))
    apart = benjamini_hochberg([erfc(abs(one) / 2**0.5) for one in difference / np.sqrt(variance)])
    clear = [
        f"{name} {before:.3f} -> {after:.3f} (q {q:.3f})"
        for name, before, after, q in zip(both["name"], *worths, apart, strict=True)
        if q < 0.05
    ]
    row = (
        f"{len(both)} cards, rms {rms:.3f} [{low:.3f}, {high:.3f}], correlation {plain:.3f}, without noise {clean:.3f}"
    )
    return row, clear


def main() -> None:
    """Measure the worth of cards to each player, and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players_compared", nargs="+", metavar="PLAYER")
    parser.add_argument("--games", type=int, default=12_500)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--ruleset", default="1e")
    parser.add_argument("--seed", type=int, default=77)
    given = parser.parse_args()
    first, *others = given.players_compared
    worth = worth_of(first, 0, given)
    for place, player in enumerate(others, 1):
        row, clear = compared(worth, worth_of(player, place, given))
        print(f"{first} and {player}: {row}; {len(clear)} clear differences", *clear, sep="\n  ")


if __name__ == "__main__":
    main()
