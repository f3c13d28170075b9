"""Measure how strong search gets with more playouts: one searcher against a field, at several budgets.

    python analysis/skill_ladder.py
    python analysis/skill_ladder.py --field rulebased,greedy,military --most 4096 --seconds 600 --out ladder.svg

Needs altair for the chart (pip install "wsim[report]"). Each level plays the same deals until its time is over, in
whole rotations of the line-up, so the intervals differ in width. Different opponents sit around the searcher in every
order, in turn. Times are processor times, including the engine.
"""

from __future__ import annotations

import argparse
import math
import time
from itertools import permutations
from pathlib import Path

import polars as pl

import wsim

ROTATIONS = 5  # of the line-up per batch; the time is checked after each batch


def step(searcher: str, field: list[str], until: argparse.Namespace) -> dict[str, float]:
    """Play one searcher against a field; return its win share, half a 95% interval, number of games and cost."""
    players = len(field) + 1
    batch, orders = players * ROTATIONS, sorted(set(permutations(field)))
    shares: list[float] = []
    started, first = time.process_time(), 0
    while not first or (time.process_time() - started < until.seconds and first < until.games):
        line_up = (searcher, *orders[first // batch % len(orders)])
        played = wsim.simulate(
            game=until.game, players=players, policies=line_up, seed=until.seed + first, games=batch, threads=1,
        )  # fmt: skip
        shares += played.filter(pl.col("policy") == searcher)["win_share"].to_list()
        first += batch
    spent = time.process_time() - started
    mean = sum(shares) / len(shares)
    spread = math.sqrt(sum((share - mean) ** 2 for share in shares) / (len(shares) - 1) / len(shares))
    return {"win_share": mean, "half": 1.96 * spread, "games": len(shares), "ms_a_game": 1000.0 * spent / len(shares)}


def draw(table: pl.DataFrame, fair: float, out: Path) -> None:
    """Draw the chart of win shares by number of playouts."""
    import altair as alt

    base = alt.Chart(table).encode(
        x=alt.X("playouts:Q", title="playouts of a decision", scale=alt.Scale(type="log", base=2))
    )
    title = "share of the victories"
    share = alt.Y("win_share:Q", title=title, scale=alt.Scale(domain=[0, 1]))
    color = alt.Color("field:N", title="against", legend=alt.Legend(orient="bottom", labelLimit=400))
    bars = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=title), y2="high:Q", color=color)
    line = base.mark_line(point=True).encode(y=share, color=color)
    level = alt.Chart(pl.DataFrame({"fair": [fair]})).mark_rule(strokeDash=[4, 4]).encode(y="fair:Q")
    (level + bars + line).properties(width=640, height=320, background="white").save(str(out))


def main() -> None:
    """Play all levels, print the table and draw the chart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="seven_wonders")
    parser.add_argument("--field", action="append", help="comma-separated opponents; repeat for more lines")
    parser.add_argument("--least", type=int, default=16, help="playouts of the first level")
    parser.add_argument("--most", type=int, default=4096, help="playouts of the last level")
    parser.add_argument("--times", type=int, default=2, help="factor between the playouts of two levels")
    parser.add_argument("--seconds", type=float, default=60.0, help="maximum processor time per level")
    parser.add_argument("--games", type=int, default=10_000, help="maximum games per level")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--out", type=Path, help="chart file: .svg or .html")
    chosen = parser.parse_args()
    rows = []
    for field in chosen.field or ["balanced,balanced,balanced"]:
        playouts = chosen.least
        while playouts <= chosen.most:
            others = field.split(",")
            found = step(f"search:playouts={playouts}", others, chosen)
            share, half = found["win_share"], found["half"]
            print(
                f"{field}: {playouts:5} playouts  {share:.3f} ±{half:.3f}  n={found['games']:,}  "
                f"{found['ms_a_game']:.1f} ms a game",
                flush=True,
            )
            rows.append({"field": field, "playouts": playouts, "low": share - half, "high": share + half, **found})
            playouts *= chosen.times
    if chosen.out:
        draw(pl.DataFrame(rows), 1 / (len(others) + 1), chosen.out)


if __name__ == "__main__":
    main()
