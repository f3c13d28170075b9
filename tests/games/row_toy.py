"""The toy game in the conformance suite: the row that a third game adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from tests.games import toy_game
from tests.games.rows import Row
from tests.games.toy_game.simulator import POLICIES


def conserved(seats: pl.DataFrame) -> None:
    """Assert that the pearl scores as many points as the rules give it."""
    assert (seats["points_treasures"] == 5 * seats["has:pearl"].cast(pl.Int64)).all()


def legal(picks: pl.DataFrame) -> None:
    assert picks["choice"].is_between(0, 1).all()
    assert picks["turn"].is_between(0, 2).all()


def first_hands(trace: Mapping[str, Any]) -> Any:
    return [move["hand"] for move in trace["moves"] if move["turn"] < 2]  # whether a third follows, the choices decide


def unseen(policy: str) -> list[tuple[int, int]]:
    """Return a policy's choices alone, and with other seats that have different hands."""
    rng = np.random.default_rng(1)
    hands, words = rng.integers(1, 21, (50, 2)), rng.integers(0, 2**63, 50, np.uint64)
    together = POLICIES[policy].choose(hands, words)
    alone = [POLICIES[policy].choose(hands[seat : seat + 1], words[seat : seat + 1])[0] for seat in range(50)]
    return [(int(one), int(other)) for one, other in zip(alone, together, strict=True)]


ROW = Row(
    game=toy_game.GAME,
    tables=[{"ruleset": ruleset, "players": players} for ruleset in ("toy-1e", "toy-2e") for players in (3, 7)],
    line_up=("bold", "random", "shy", "bold", "shy", "random", "bold"),
    conserved=conserved,
    legal=legal,
    dealt=first_hands,
    unseen=unseen,
)
