"""Draw the win share of each wonder side of a run, with 95% intervals, as an SVG file (the picture in README.md).

wsim run --games 10000 --seed 7 --out study
python analysis/win_share_chart.py study docs/images/win-share.svg
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import polars as pl

import wsim

LEFT, RIGHT, TOP, BOTTOM, ROW = 150, 110, 34, 44, 24
PLOT = 500  # width of the plotting area, in pixels
BETTER, WORSE, UNCLEAR, INK, GRID = "#1b6e5a", "#b5482f", "#8a8f98", "#24292f", "#e3e6ea"
COLOUR = {"higher": BETTER, "lower": WORSE}


def chart(rows: pl.DataFrame, fair: float, title: str) -> str:
    """Return the chart as SVG: one row per wonder side, a dashed line at the fair share."""
    low = math.floor(20 * rows["win_share_low"].min()) / 20  # type: ignore[operator]
    high = math.ceil(20 * rows["win_share_high"].max()) / 20  # type: ignore[operator]
    width, bottom = LEFT + PLOT + RIGHT, TOP + ROW * rows.height
    height = bottom + BOTTOM

    def x(share: float) -> str:
        return f"{LEFT + PLOT * (share - low) / (high - low):.1f}"

    def text(left: str | int, top: float, words: str, anchor: str = "start") -> str:
        return f'<text x="{left}" y="{top:.0f}" text-anchor="{anchor}">{words}</text>'

    def line(left: str, upper: float, right: str, lower: float, style: str) -> str:
        return f'<path d="M{left} {upper:.0f}L{right} {lower:.0f}" {style}/>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f'<g font-family="sans-serif" font-size="13" fill="{INK}">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for step in range(round(20 * low), round(20 * high) + 1):
        share = step / 20
        parts.append(line(x(share), TOP, x(share), bottom, f'stroke="{GRID}"'))
        parts.append(text(x(share), bottom + 18, f"{share:.2f}", "middle"))
    parts.append(line(x(fair), TOP - 8, x(fair), bottom, f'stroke="{INK}" stroke-dasharray="4 3"'))
    parts.append(text(x(fair), TOP - 14, f"fair share {fair:.2f}", "middle"))
    for index, row in enumerate(rows.iter_rows(named=True)):
        middle = TOP + ROW * (index + 0.5)
        colour = COLOUR.get(row["verdict"], UNCLEAR)
        share, ends = row["win_share"], (row["win_share_low"], row["win_share_high"])
        style = f'stroke="{colour}" stroke-width="3" stroke-linecap="round"'
        parts.append(text(LEFT - 12, middle + 4, f"{row['wonder']} {row['side']}", "end"))
        parts.append(line(x(ends[0]), middle, x(ends[1]), middle, style))
        parts.append(f'<circle cx="{x(share)}" cy="{middle:.0f}" r="5" fill="{colour}"/>')
        parts.append(text(LEFT + PLOT + 12, middle + 4, f"{share:.3f} ±{(ends[1] - ends[0]) / 2:.3f}"))
    parts.append(text(LEFT + PLOT // 2, bottom + 38, "win share, 95% interval", "middle"))
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="folder written by wsim run")
    parser.add_argument("file", type=Path, help="SVG file to write")
    given = parser.parse_args()
    run = wsim.load_run(given.run)
    fair = 1 / run.plan.players
    title = f"Win share of each wonder side in {run.plan.games:,} games with {run.plan.players} players"
    given.file.write_text(chart(run.wonders().frame, fair, title), encoding="utf-8")


if __name__ == "__main__":
    main()
