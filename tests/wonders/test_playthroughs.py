"""Whole games stored as readable text, as printed by ``wsim trace --format text``, and compared line by line.

After a change of the rules on purpose, ``python -m tests.wonders.test_playthroughs`` writes them anew; read the
difference before it is committed: every line of it is a decision, a payment or a score that came out otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.wonders.engine_tools import RANDOM, TABLES, TASTES, engine_table
from wsim.wonders.simulator import WondersSimulator

FOLDER = Path(__file__).parent / "playthroughs"
ANY, BUILDING, STAGING = TASTES
# Name of the kept game: rule set, players, line-up, seed and what else the plan says.
GAMES: dict[str, tuple[str, int, Any, dict[str, Any]]] = {
    "1e_3_seats_random": ("1e", 3, (RANDOM,), {"seed": 1}),
    "1e_4_seats_special_boards": (
        "1e", 4, (ANY, BUILDING, STAGING, STAGING),
        {"seed": 2, "wonders": ["Olympia", "Rhodos", "Halikarnassos", "Babylon"], "sides": ["A", "A", "B", "B"]},
    ),
    "1e_7_seats_random": ("1e", 7, (RANDOM,), {"seed": 3}),
    "1e-duo_building": ("1e-duo", 2, (BUILDING, ANY), {"seed": 4}),
    "2e_4_seats_random": ("2e", 4, (RANDOM,), {"seed": 5}),
    "2e_3_seats_night": (
        "2e", 3, (STAGING, BUILDING, STAGING),
        {"seed": 6, "wonders": ["Babylon", "Olympia", "Halikarnassos"], "sides": ["night", "night", "night"]},
    ),
    "2e-cities_4_seats": (
        "2e-cities", 4, (ANY, BUILDING, STAGING, RANDOM),
        {"seed": 7, "wonders": ["Byzantium", "Petra", "Halikarnassos", "Babylon"], "sides": ["night"] * 4},
    ),
    "2e-cities-teams_4_seats": ("2e-cities-teams", 4, (BUILDING, ANY, STAGING, RANDOM), {"seed": 10}),
}  # fmt: skip


def table_of(name: str) -> WondersSimulator:
    """Return the table of a stored game."""
    ruleset, players, line_up, plan = GAMES[name]
    return engine_table(ruleset, players, line_up, **plan)


def told(name: str) -> str:
    """Replay a stored game with the current engine and return it as text."""
    table = table_of(name)
    return table.text(table.trace(0))


@pytest.mark.jit_off
@pytest.mark.boundscheck
@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name: str) -> None:
    assert told(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_stored_game_is_compared() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)
    assert {ruleset for ruleset, *_ in GAMES.values()} == {ruleset for ruleset, _ in TABLES}


def test_the_playthroughs_show_every_part_of_the_game() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt")))
    for words in (
        "to the bank", "to the left neighbour", "to the right neighbour", "by a chain", "for free", "sells", "stage 3",
        "with its last card", "from the discard pile", "in debt", "loses", "Conflict of seats", "tokens +5 and -1",
        "tokens +10 and -2", "the Free City's pile, top first", "win share", "free_city",
    ):  # fmt: skip
        assert words in text, words


def test_a_trace_has_the_documented_sections() -> None:
    trace = table_of("2e-cities_4_seats").trace(5)
    assert list(trace) == ["format", "game", "ruleset", "seed", "index", "seats", "ages", "scores"]


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for game in GAMES:
        (FOLDER / f"{game}.txt").write_text(told(game), encoding="utf-8")
