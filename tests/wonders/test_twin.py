"""The engine and the slow reference twin play the same games, decision by decision.

Two sides of one policy make the comparison complete: ``tasting`` picks by a digest of every field of every legal move,
so a list that differs anywhere, even in a move that nobody takes, leads to a different game.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.tiers import each_third_quick, first_quick, sampled
from tests.wonders.engine_tools import RANDOM, TABLES, TASTES, Player, engine_table, opt_in, twin_policy
from tests.wonders.reference.facts import SWITCHES
from tests.wonders.reference.game import Reference

ANY, BUILDING, STAGING = TASTES
MIXED = (ANY, BUILDING, STAGING, RANDOM, BUILDING, ANY, STAGING)
# Boards that bring the special decisions: last cards, builds from the pile, free builds, copied guilds, diplomacy.
Boards = list[list[Any]]  # wonders, then sides; None for random
SPECIAL: dict[str, tuple[Boards, ...]] = {
    "1e": (
        [["Babylon", "Halikarnassos", "Olympia"], ["B", "B", "B"]],
        [["Olympia", "Rhodos", "Ephesos"], ["A", "B", "B"]],
    ),
    "2e": (
        [["Babylon", "Halikarnassos", "Olympia"], ["night", "night", "day"]],
        [["Olympia", None, None], ["night"] * 3],
    ),
    "2e-cities": (
        [["Byzantium", "Petra", "Halikarnassos", "Babylon"], ["night", "night", "night", "night"]],
        [["Olympia", "Petra", "Byzantium", None], ["day", "day", "day", None]],
    ),
    "2e-cities-teams": ([["Byzantium", "Babylon", "Halikarnassos", "Petra"], ["night"] * 4],),
    "1e-duo": (
        [["Babylon", "Olympia", "Halikarnassos"], ["B", "A", "B"]],
        [["Halikarnassos", "Babylon", "Olympia"], ["A", "B", "B"]],
    ),
}
PLAYERS = {"1e": 3, "1e-duo": 2, "2e": 3, "2e-cities": 4, "2e-cities-teams": 4}


def compare(
    ruleset: str, players: int, line_up: Sequence[Player], games: range, seed: int, rotate: bool = False, **more: Any
) -> None:
    """Play the games in both engines and compare the traces."""
    table = engine_table(ruleset, players, line_up, seed=seed, rotate=rotate, **more)
    twin = Reference(ruleset, players, switches=more.get("switches"))
    policies = [twin_policy(ruleset, player) for player in line_up]
    boards, sides = more.get("wonders"), more.get("sides")
    for number in games:
        told, expected = table.trace(number), twin.play(seed, number, policies, boards, sides, rotate)
        if told != expected:
            raise AssertionError(f"game {number}: {first_difference(told, expected)}")


def first_difference(told: Any, expected: Any, path: str = "") -> str:
    """Return the first difference between two traces."""
    if isinstance(told, dict) and isinstance(expected, dict) and told.keys() == expected.keys():
        pairs = [(f"{path}.{key}", told[key], expected[key]) for key in told]
    elif isinstance(told, list) and isinstance(expected, list) and len(told) == len(expected):
        pairs = [(f"{path}[{i}]", one, other) for i, (one, other) in enumerate(zip(told, expected, strict=True))]
    else:
        return f"{path}: engine {json.dumps(told)}, twin {json.dumps(expected)}"
    return next(first_difference(one, other, where) for where, one, other in pairs if one != other)


def line_up_for(players: int) -> tuple[Player, ...]:
    """Return a mixed line-up for a number of seats."""
    return MIXED[:players]


@pytest.mark.boundscheck
@sampled(1, 6)
@each_third_quick(("ruleset", "players"), TABLES)
def test_random_games_agree_with_the_twin(ruleset: str, players: int, games: range) -> None:
    compare(ruleset, players, (RANDOM,), games, 1)


@pytest.mark.slow
@pytest.mark.boundscheck
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_random_games_of_another_seed_agree_with_the_twin(ruleset: str, players: int) -> None:
    compare(ruleset, players, (RANDOM,), range(12), 2026)


@pytest.mark.boundscheck
@sampled(2, 6)
@each_third_quick(("ruleset", "players"), TABLES)
def test_every_move_list_agrees_with_the_twin(ruleset: str, players: int, games: range) -> None:
    compare(ruleset, players, (ANY,), games, 3)
    compare(ruleset, players, (BUILDING,), range(games.start // 2, games.stop // 2), 4)


@sampled(1, 2)
@first_quick(2, ("ruleset", "players"), TABLES[::-1])
def test_rotated_line_ups_agree_with_the_twin(ruleset: str, players: int, games: range) -> None:
    turned = range(2 * players + players * games.start // 2, 2 * players + players * games.stop // 2)
    compare(ruleset, players, line_up_for(players), turned, 5, rotate=True)


@pytest.mark.slow
@sampled(1, 4)
@pytest.mark.parametrize("ruleset", SPECIAL)
def test_games_with_fixed_boards_agree_with_the_twin(ruleset: str, games: range) -> None:
    for wonders, sides in SPECIAL[ruleset]:
        for line_up in ((RANDOM,), (STAGING,), line_up_for(PLAYERS[ruleset])):
            compare(ruleset, PLAYERS[ruleset], line_up, games, 6, wonders=wonders, sides=sides)


@sampled(1, 2)
@first_quick(1, "ruleset", SPECIAL)
@pytest.mark.parametrize("switch", SWITCHES)
def test_games_with_a_flipped_switch_agree_with_the_twin(switch: str, ruleset: str, games: range) -> None:
    flipped = {switch: not SWITCHES[switch]}
    wonders, sides = SPECIAL[ruleset][0]
    compare(ruleset, PLAYERS[ruleset], (STAGING,), games, 7, wonders=wonders, sides=sides, switches=flipped)
    compare(ruleset, PLAYERS[ruleset], (RANDOM,), games, 8, switches=flipped)


@pytest.mark.slow
@sampled(1, 4)
@pytest.mark.parametrize("ruleset", SPECIAL)
def test_games_with_all_switches_flipped_agree_with_the_twin(ruleset: str, games: range) -> None:
    flipped = {name: not value for name, value in SWITCHES.items()}
    for wonders, sides in SPECIAL[ruleset]:
        compare(ruleset, PLAYERS[ruleset], (BUILDING,), games, 9, wonders=wonders, sides=sides, switches=flipped)


@opt_in
@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_many_games_agree_with_the_twin(ruleset: str, players: int) -> None:
    for seed in (11, 12, 13):
        compare(ruleset, players, (RANDOM,), range(100), seed)
        compare(ruleset, players, line_up_for(players), range(100), seed, rotate=True)
        compare(ruleset, players, (STAGING,), range(60), seed)


@opt_in
@pytest.mark.slow
@pytest.mark.parametrize("ruleset", SPECIAL)
@pytest.mark.parametrize("switch", SWITCHES)
def test_many_games_with_a_flipped_switch_agree_with_the_twin(switch: str, ruleset: str) -> None:
    flipped = {switch: not SWITCHES[switch]}
    for wonders, sides in (*SPECIAL[ruleset], ([None] * 4, [None] * 4)):
        seats = 3 if ruleset == "1e-duo" else PLAYERS[ruleset]
        for line_up in ((RANDOM,), line_up_for(PLAYERS[ruleset])):
            more: dict[str, Any] = {"wonders": wonders[:seats], "sides": sides[:seats], "switches": flipped}
            compare(ruleset, PLAYERS[ruleset], line_up, range(60), 14, **more)


def test_the_comparison_covers_every_kind_of_decision() -> None:
    seen: set[str] = set()
    for ruleset, players in (("1e", 3), ("2e-cities", 4), ("1e-duo", 2)):
        wonders, sides = SPECIAL[ruleset][0]
        table = engine_table(ruleset, players, (ANY,), seed=7, wonders=wonders, sides=sides)
        for number in range(12):
            for age in table.trace(number)["ages"]:
                for turn in age["turns"]:
                    seen |= {f"{move['action']} {move.get('how', '')}".strip() for move in turn["moves"]}
                    seen |= {f"{move['source']} {move['action']}" for move in turn.get("extra", [])}
                    seen |= {
                        "debt by choice"
                        for loss in turn.get("losses", [])
                        if loss["debt"] and turn["coins"][loss["seat"]]
                    }
    expected = {"build paid", "build chain", "build free", "stage paid", "sell", "debt by choice", "discard_pile build"}
    assert expected | {"last_card build", "last_card stage", "last_card sell"} <= seen


@pytest.mark.slow
def test_the_comparison_detects_a_difference() -> None:
    table = engine_table("1e", 3, seed=1)
    expected = Reference("1e", 3, switches={"counting_includes_itself": False})
    differing = [n for n in range(20) if table.trace(n) != expected.play(1, n, "random")]
    assert differing
    n = differing[0]
    assert "engine" in first_difference(table.trace(n), expected.play(1, n, "random"))
