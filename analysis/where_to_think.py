"""Measure where search is worthwhile: the error of the net's values and the noise of playouts, by age and turn.

    python analysis/where_to_think.py --decisions 1500
    python analysis/where_to_think.py --game tower_of_babel --decisions 400

In games among nets, every move of the sampled decisions is played out by nets on the same cards and random numbers.
Columns, in utility squared: the noise of one playout and the error of the net's values, both without the part common to
all moves; ``explained``: the part of the differences between moves that the net explains; ``gain``: by how much the
best move of one half of the playouts beats the net's move in the other half. The error is a product of two halves of
the playouts, so it does not contain their noise. `wsim/wonders/policies/search.py` contains the noise and the error of
such a table.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import polars as pl

from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.positions.values import FAR


def centred(values: Any) -> Any:
    """Subtract the mean over moves from the values of moves."""
    return values - values.mean()


def row_of(place: tuple[int, ...], prior: Any, values: Any) -> dict[str, Any]:
    """Return the figures for a decision, given the ``values`` of its moves in each playout, shape (playouts, moves)."""
    one, two = (values[half::2].mean(axis=0) for half in (0, 1))
    best = prior.argmax()
    return {
        "age": place[0],
        "turn": place[1],
        "noise": float((values - values.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).mean()),
        "error": float((centred(one - prior) * centred(two - prior)).mean()),
        "difference": float((centred(one) * centred(two)).mean()),
        "gain": float(two[one.argmax()] - two[best] + one[two.argmax()] - one[best]) / 2,
    }


def main() -> None:
    """Play games, measure the decisions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="seven_wonders")
    parser.add_argument("--ruleset", default=None)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--decisions", type=int, default=1500)
    parser.add_argument("--playouts", type=int, default=48, help="playouts of each move")
    parser.add_argument("--every", type=int, default=20, help="mean number of decisions from one to the next")
    parser.add_argument("--turns", type=int, default=1, help="turns in one row")
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    rules = {} if given.ruleset is None else {"ruleset": given.ruleset}
    plan = Plan.make(game=given.game, players=given.players, seed=given.seed, policies="net", **rules)
    simulator, learner, random = find_game(given.game).prepare(plan), learner_of(given.game), np.random.default_rng(1)
    describe, rows, number = learner.describer(simulator, simulator), [], 0
    while len(rows) < given.decisions:
        position = simulator.begin(number)
        number += 1
        while position.to_move is not None:
            seat = position.to_move
            if len(position.coded) > 1 and random.random() < 1 / given.every:
                public = position.record.public
                place = int(getattr(public, "age", 0)), int(public.turn) // given.turns * given.turns
                _, moves, places = describe(position)
                if len(places) > 1:
                    out = position.compare(simulator, places, given.playouts, seat, given.seed, FAR + number)
                    rows.append(row_of(place, moves["worth"].astype(float), learner.worth(simulator, out, seat)))
            position.follow(0)
    table = pl.DataFrame(rows).group_by("age", "turn").agg(
        pl.len().alias("n"), pl.col("noise", "error", "difference", "gain").mean(),
        (1.96 * pl.col("gain").std() / pl.len().sqrt()).alias("±"),
    )  # fmt: skip
    shown = table.with_columns(explained=1 - pl.col("error") / pl.col("difference")).sort("age", "turn")
    shown = shown.with_columns(pl.col("age", "turn") + 1)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=4, tbl_hide_dataframe_shape=True):
        print(shown)


if __name__ == "__main__":
    main()
