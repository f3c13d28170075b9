"""The tables that come out of the engine: seats and picks against the trace of the same games."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.tiers import first_quick
from tests.wonders.engine_tools import RANDOM, TASTES, engine_table, played
from wsim.wonders.words import CATEGORIES

TABLES = [("1e", 4), ("1e-duo", 2), ("2e", 3), ("2e-cities", 5), ("2e-cities-teams", 4)]
GAMES = 6


@first_quick(1, ("ruleset", "players"), TABLES)
def test_the_seats_table_agrees_with_the_trace(ruleset: str, players: int) -> None:
    line_up = [(*TASTES, RANDOM)[seat % 4] for seat in range(players)]
    table = engine_table(ruleset, players, line_up, seed=41, rotate=True)
    frame = table.seats_frame(played(table, GAMES))
    assert frame.height == GAMES * table.seats
    for row in frame.iter_rows(named=True):
        trace = table.trace(row["game"])
        seat, score = trace["seats"][row["seat"]], trace["scores"][row["seat"]]
        assert (row["wonder"], row["side"], row["policy"]) == (seat["wonder"], seat["side"], seat["policy"])
        assert [row[f"points_{name}"] for name in CATEGORIES] == [score[name] for name in CATEGORIES]
        assert (row["total"], row["coins"]) == (score["total"], score["coins"])
        assert row["win_share"] == pytest.approx(score["win_share"])
        moves = [
            move
            for age in trace["ages"]
            for turn in age["turns"]
            for move in [*turn["moves"], *turn.get("extra", [])]
            if move["seat"] == row["seat"]
        ]
        assert counts(moves) == {name: row[name] for name in counts(moves)}
        built = {move["card"] for move in moves if move["action"] == "build"}
        assert {name.removeprefix("built:") for name in row if name.startswith("built:") and row[name]} == built


def counts(moves: list[dict[str, Any]]) -> dict[str, int]:
    """Compute the counts in the seats table from one seat's moves."""
    from_pile = [move for move in moves if move.get("source") == "discard_pile"]
    others = [move for move in moves if move.get("source") != "discard_pile"]
    paid = [move for move in others if move["action"] != "sell"]
    return {
        "stages": sum(move["action"] == "stage" for move in moves),
        "sold": sum(move["action"] == "sell" for move in moves),
        "built_discard": len(from_pile),
        **{
            f"built_{how}": sum(m["action"] == "build" and m["how"] == how for m in paid)
            for how in ("paid", "chain", "free")
        },
        "bank_paid": sum(move["bank"] for move in paid),
        "trade_paid": sum(move["left"] + move["right"] for move in paid),
    }


@first_quick(2, ("ruleset", "players"), TABLES)
def test_the_picks_table_agrees_with_the_trace(ruleset: str, players: int) -> None:
    table = engine_table(ruleset, players, (TASTES[0],), seed=42)
    picks = np.zeros(GAMES * table.picks_per_game, table.pick_dtype)
    written = table.play(0, np.zeros(GAMES * table.seats, table.row_dtype), picks)
    frame = table.picks_frame(picks[:written])
    assert frame.height == written
    for number in range(GAMES):
        trace = table.trace(number)
        for age in trace["ages"]:
            for turn in age["turns"]:
                rows = frame.filter(
                    (pl.col("game") == number) & (pl.col("age") == age["age"]) & (pl.col("turn") == turn["turn"])
                )
                taken = rows.filter(pl.col("action") != "decline").to_dicts()
                told = [*turn["moves"], *turn.get("extra", [])]
                assert sorted(map(brief, taken)) == sorted(map(brief, told))
    asked = frame.filter(pl.col("decision") == "turn")
    assert all(row["card"] in row["offered"] for row in asked.iter_rows(named=True))
    first = asked.filter((pl.col("game") == 0) & (pl.col("age") == 1) & (pl.col("turn") == 1)).to_dicts()
    age = table.trace(0)["ages"][0]
    hands = [{*hand} for hand in age["hands"]]
    hands[0] |= set(age.get("free_city", [])[:1])  # R45: seat 0 holds the Free City card and has drawn from the pile
    assert [row["offered"] for row in first] == [sorted(hand) for hand in hands]


def brief(move: dict[str, Any]) -> tuple[Any, ...]:
    """Return the fields shared by a row of the picks table and a move in a trace."""
    return (
        move["seat"],
        move["card"],
        move["action"],
        move.get("how") or "",
        *(move.get(key, 0) for key in ("bank", "left", "right")),
    )
