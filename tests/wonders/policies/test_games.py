"""Whole games of every policy in every rule set: legal, sensible, deterministic, and as strong as said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tiers import first_quick
from wsim.jit import JIT
from wsim.lab.plan import Plan
from wsim.wonders.game import GAME
from wsim.wonders.registry import REGISTRY
from wsim.wonders.words import COLORS

TABLES = [("1e", 3), ("1e", 7), ("2e", 5), ("2e-cities", 3), ("2e-cities", 4), ("2e-cities-teams", 6), ("1e-duo", 2)]
SETS = [name for name, policy in REGISTRY.items() if policy.weights]
PLANS = {"military": "red", "science": "green", "civilian": "blue", "commerce": "yellow", "guilds": "purple"}
GAMES = 300 if JIT else 1


def played(
    *policies: str, ruleset: str = "1e", players: int = 4, games: int = GAMES, first: int = 0, **fields: Any
) -> Any:
    """Return the players' rows of some games."""
    plan = Plan.make(ruleset=ruleset, players=players, policies=policies, **fields)
    table = GAME.prepare(plan)
    rows = np.zeros(games * table.seats, table.row_dtype)
    table.play(first, rows)
    return rows[rows["seat"] < players]


SEARCHERS = ("search", "endgame")


def quick(name: str) -> str:
    """Return a line-up entry for a policy, with parameters that make it fast."""
    return f"{name}:playouts=2:candidates=2" if name in SEARCHERS else name


def share(rows: Any, entry: int) -> float:
    """Return the mean win share of a line-up entry."""
    return float(rows["win_share"][rows["policy"] == entry].mean())


@pytest.mark.jit_off
@pytest.mark.boundscheck
@first_quick(
    13,
    ("name", "ruleset", "players"),
    [(name, *table) for name in (*map(quick, REGISTRY), "balanced:explore=0.3") for table in TABLES],
)
def test_every_policy_plays_every_rule_set(name: str, ruleset: str, players: int) -> None:
    if not JIT and name.startswith(("net", *SEARCHERS)) and ruleset != "1e-duo":
        pytest.skip("a game in plain Python takes long: the smallest table shows it")
    if not JIT and name.startswith(SEARCHERS):
        pytest.skip("every playout is a game of nets, 15 s in plain Python: tests/policies/test_search.py searches so")
    rows = played(
        name, ruleset=ruleset, players=players, games=(10 if name.startswith(SEARCHERS) else 50) if JIT else 1
    )
    shares = rows["win_share"].reshape(-1, players).sum(axis=1)
    assert np.allclose(shares, 1 if "teams" not in ruleset else 2)
    if JIT and name not in ("random", "balanced:explore=0.3"):
        assert rows["total"].mean() > 33
        assert rows["sold"].mean() < 6


@pytest.mark.jit_off
def test_games_do_not_depend_on_earlier_games() -> None:
    line_up = ("first", "greedy", "rulebased", "balanced:explore=0.2")
    games = 20 if JIT else 2
    whole = played(*line_up, games=games, rotate=True)
    parts = [played(*line_up, games=1, first=game, rotate=True) for game in range(games)]
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.skipif(not JIT, reason="needs many games")
class TestStrength:
    """Results agree with published figures of simple bots and human play, within sampling error."""

    def test_greedy_and_first_score_as_published(self) -> None:
        assert 46 < played("greedy", players=3, games=2000)["total"].mean() < 48  # 47.0
        assert 37 < played("first", players=3, games=2000)["total"].mean() < 40.5  # 37-40

    def test_heuristic_policies_rank_as_expected(self) -> None:
        rows = played("balanced", "greedy", "rulebased", "random", games=1000, rotate=True)
        assert share(rows, 0) > 0.7
        assert share(rows, 2) > share(rows, 1) > share(rows, 3)

    @pytest.mark.parametrize("name", SETS)
    def test_every_set_beats_greedy_rulebased_and_random(self, name: str) -> None:
        rows = played(name, "greedy", "rulebased", "random", games=1000, rotate=True)
        assert share(rows, 0) > 0.4

    @pytest.mark.parametrize(("ruleset", "players"), TABLES)
    def test_balanced_beats_greedy_in_every_rule_set(self, ruleset: str, players: int) -> None:
        ours = 2 if "teams" in ruleset else 1
        rows = played(*["balanced"] * ours, *["greedy"] * (players - ours), ruleset=ruleset, players=players)
        fair = 1 / players * (2 if "teams" in ruleset else 1)
        assert share(rows, 0) > 1.3 * fair

    @pytest.mark.parametrize("name", list(PLANS))
    def test_every_set_follows_its_plan(self, name: str) -> None:
        others = [other for other in PLANS if other != name][:2]
        rows = played(name, *others, "balanced", games=1000, rotate=True)
        color = COLORS.index(PLANS[name])
        built = [rows["colors"][rows["policy"] == entry, color].mean() for entry in range(4)]
        assert built[0] > 1.25 * max(built[1:])
        if name == "military":
            shields = [rows["shields"][rows["policy"] == entry].mean() for entry in range(4)]
            assert shields[0] > 1.25 * max(shields[1:])

    def test_exploring_costs_points(self) -> None:
        rows = played("balanced", "balanced:explore=0.2", "balanced:explore=0.6", "balanced:explore=1", rotate=True)
        means = [rows["total"][rows["policy"] == entry].mean() for entry in range(4)]
        assert means == sorted(means, reverse=True)
