"""How strong is a player, and does it play like people? The tables of docs/learning.md.

    python analysis/how_strong.py                    # the net that ships with wsim
    python analysis/how_strong.py balanced           # or any entry of a line-up

First, one such policy against others, in games that were not used for training. Then self-play with 3 to 7 players,
compared with published results of strong human players (never used for fitting).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import polars as pl

import wsim
from wsim.lab.execution import Execution
from wsim.learn.judge import judge
from wsim.wonders.analysis import human_figures

FIELDS = (
    *(("1e", players, ("balanced",)) for players in range(3, 8)),
    ("1e", 4, ("rulebased",)),
    ("1e", 4, ("rulebased", "greedy", "military")),
    *(("2e", players, ("balanced",)) for players in (3, 4, 7)),
    *(("2e-cities", players, ("balanced",)) for players in (3, 4, 7)),
    ("2e-cities-teams", 4, ("balanced",)),
    ("2e-cities-teams", 6, ("balanced",)),
    ("1e-duo", 2, ("balanced",)),
)
GAMES, SEED = 20_000, 20_261_121
CATEGORIES = {
    "military": "mil_vp", "treasury": "coins_vp", "wonder": "wonder_vp", "civilian": "civ_vp", "science": "sci_vp",
    "commerce": "com_vp", "guild": "guild_vp",
}  # fmt: skip
"""The categories of points, with their names in the file of human results."""


def fields(player: str, games: int) -> Iterator[str]:
    """Yield the lines of the table that compares one policy with others."""
    yield "| rule set | seats | against | fair share | win share | games |"
    yield "|---|---|---|---|---|---|"
    for ruleset, players, against in FIELDS:
        keys = {"game": "seven_wonders", "ruleset": ruleset, "players": players, "seed": SEED}
        found = judge(keys, player, against, games, Execution())
        half = (found.high - found.low) / 2
        yield (
            f"| {ruleset} | {players} | {', '.join(against)} | {found.fair:.3f} "
            f"| {found.share:.3f} ±{half:.3f} | {found.games:,} |"
        )


def tables(player: str, games: int) -> Iterator[str]:
    """Yield the lines of the table that compares self-play with people."""
    yield f"| seats | who | score | {' | '.join(CATEGORIES)} | stages |"
    yield f"|{'---|' * (len(CATEGORIES) + 4)}"
    columns = ["total", *(f"points_{name}" for name in CATEGORIES), "stages"]
    for players in range(3, 8):
        plan = {"players": players, "policies": player, "games": games, "seed": SEED}
        seats = wsim.simulate(**plan)  # type: ignore[arg-type]
        by_game = seats.group_by("game").agg(pl.col(columns).mean())
        mean = by_game.select(pl.col(columns).mean()).row(0)
        error = by_game.select(pl.col("total").std()).item() / games**0.5
        human = human_figures().filter(players=players, group="all")
        people = [human.filter(stat=stat)["mean"].item() for stat in ("vp", *CATEGORIES.values(), "stages")]
        yield f"| {players} | {player} | {mean[0]:.2f} ±{1.96 * error:.2f} | {_row(mean[1:])} |"
        yield f"| | people | {people[0]:.2f} | {_row(people[1:])} |"


def _row(numbers: Sequence[float]) -> str:
    return " | ".join(f"{number:.1f}" for number in numbers)


if __name__ == "__main__":
    who = sys.argv[1] if len(sys.argv) > 1 else "net"
    many = int(sys.argv[2]) if len(sys.argv) > 2 else GAMES
    for lines in (fields(who, many), tables(who, many)):
        for line in lines:
            print(line, flush=True)
        print()
