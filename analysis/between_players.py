"""Differences between good players: writes wsim/wonders/rest.json, which widens the intervals in tables of `net`.

    python analysis/between_players.py earlier.npz
    python analysis/between_players.py --games 1000 --out mine.json --player search:playouts=16:pool=net

Families of players: `net` and `net:seed=2`, trained with the same plan on different deals; `net:seed=3`, trained from
scratch with its own plan; `balanced`, the best hand-set weights; and an earlier net, trained in other rounds (3.0
million decisions; it wins as often as `net`). `search` at an affordable size is left out: with `net` as its prior and
in its playouts it is not a separate family, and self-play costs a hundred times as much. The unmodified first edition
with 3 to 7 players. For other rules, use wsim robustness ... -o RUN, which stores the answer in a run folder.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import wsim
from wsim.files import write_text
from wsim.game import find_game
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.rest_known import SAME_PLAN, conditions_of, families_of
from wsim.questions.deals import sample
from wsim.questions.robustness.sums import ItemTables, RobustnessSums
from wsim.questions.selfplay.answer import SelfPlayTables
from wsim.questions.selfplay.sums import items_in
from wsim.wonders.game import GAME

SHIPPED = ("net", "net:seed=2", "net:seed=3", "balanced")
FORMAT, SEATS, SEED = "wsim-between/2", range(3, 8), 20_261_125
TABLES = ("wonders", "cards")
WORTH_GAMES, NORMAL = 12_500, 1.959964
_BLOCK, _DIGITS = 1000, 4


def known(players: Sequence[str], seats: int, games: int) -> dict[str, Any]:
    """Play self-play games of each policy and return the figures of their families, with the noise of each."""
    own = SelfPlayTables.of(Plan.make(players=seats, games=games, seed=SEED, policies=[players[0]]), players)
    items = items_in(find_game(GAME.NAME), sample(own.ready[0][1]))
    tables = tuple(items[name] for name in TABLES)
    sums = RobustnessSums(tables, len(players))
    sums = own.play(ItemTables(tables), sums, lambda sums, _: sums, _BLOCK, Execution())  # type: ignore[type-var, return-value]
    figures = {}
    for index, name in enumerate(TABLES):
        labels = [" ".join(texts) for texts in zip(*items[name].labels.values(), strict=True)]
        left_out = sums.left_out(index)
        covariance = np.einsum("cpi,cqi->ipq", left_out, left_out)
        figures[name] = of_families(players, labels, sums.figures(index), covariance)
    each = {name: wsim.experiment_worth(players=seats, games=WORTH_GAMES, seed=SEED, policies=[name]).worth
            for name in players if name not in SAME_PLAN}  # fmt: skip
    figures["worth of cards"] = worth_of_families(each)
    return with_players(players, seats, games, figures, own.made)


def worth_of_families(each: Mapping[str, pl.DataFrame]) -> dict[str, list[float]]:
    """Return the worth of each card to a policy of each family, followed by the mean sampling variance."""
    rows: dict[str, list[dict[str, float]]] = {}
    for table in each.values():
        for row in table.filter(what="build").to_dicts():
            rows.setdefault(row["name"], []).append(row)
    figures = {}
    for name, cards in sorted(rows.items()):
        if len(cards) == len(each):
            errors = [(row["worth_high"] - row["worth_low"]) / (2 * NORMAL) for row in cards]
            worths = [round(row["worth"], _DIGITS) for row in cards]
            figures[name] = [*worths, float(f"{np.mean(np.square(errors)):.3g}")]
    return figures


def of_families(
    players: Sequence[str], labels: Sequence[str], values: np.ndarray, covariance: np.ndarray
) -> dict[str, list[float]]:
    """Return for each item the figure of each family, and last the sampling variance of one (half that of a
    difference, in the mean over pairs); ``values``: (players, items), ``covariance``: (items, players, players)."""
    families = families_of(players)
    mean = np.zeros((len(families), len(players)))
    for row, members in zip(mean, families.values(), strict=True):
        row[members] = 1 / len(members)
    figures, errors = mean @ values, np.einsum("ap,ipq,bq->iab", mean, covariance, mean)
    count = len(families)
    noise = (np.trace(errors, axis1=1, axis2=2) - errors.sum(axis=(1, 2)) / count) / (count - 1)
    return {
        label: [*(round(float(one), _DIGITS) for one in figures[:, at]), float(f"{noise[at]:.3g}")]
        for at, label in enumerate(labels)
        if np.isfinite(figures[:, at]).all()
    }


def with_players(players: Sequence[str], seats: int, games: int, figures: Any, made: Sequence[Any]) -> dict[str, Any]:
    """Return the record for a number of players; ``made``: the provenance of each player's games."""
    identities = [one.record()["identity"] for one in made]
    return {
        "conditions": conditions_of(identities[0]),
        "players": list(players),
        "identities": [policy for identity in identities for policy in identity["plan"]["policies"]],
        "games": games,
        "games_of": {"worth of cards": WORTH_GAMES},
        "figures": figures,
    }


def write(out: Path, command: str, tables: Sequence[dict[str, Any]]) -> None:
    """Write the file with one line for each number of players."""
    rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in tables)
    head = json.dumps({"format": FORMAT, "command": command}, ensure_ascii=False)[:-1]
    write_text(out, f'{head}, "known": [\n{rows}\n]}}\n')


def main() -> None:
    """Play the games and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("nets", nargs="*", type=Path, help="additional nets, all in one folder")
    parser.add_argument("--player", action="append", default=[], help="another entry of a line-up (repeatable)")
    parser.add_argument("--games", type=int, default=20_000, help="games per policy and number of players")
    parser.add_argument("--out", type=Path, default=GAME.REST)
    given = parser.parse_args()
    out = given.out.absolute()
    if given.nets:
        os.chdir(given.nets[0].parent)  # so that players are named after their files, wherever these are
    players = [*SHIPPED, *(f"net:file={one.name}" for one in given.nets), *given.player]
    words = [*(one.name for one in given.nets), *(word for one in given.player for word in ("--player", one))]
    command = shlex.join(["python", "analysis/between_players.py", *words, "--games", str(given.games)])
    write(out, command, [known(players, seats, given.games) for seats in SEATS])


if __name__ == "__main__":
    sys.exit(main())
