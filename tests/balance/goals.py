"""Goal files for the tests, and an unbalanced game whose effects are known by construction."""

from __future__ import annotations

from pathlib import Path

UNBALANCED = """
[plan]
game = "medal"
policies = "bold"
set = ["wonders.Temple.points=4", "wonders.Garden.salt=2"]
"""
TARGET = """
[[target]]
of = "wonder"
within = 0.02
"""
KNOBS = """
[[knob]]
path = "wonders.*.points"
range = "-4..4"
absolute = false

[[knob]]
path = "wonders.*.salt"
range = "-2..2"
"""
SEARCH = """
[search]
games = 10_000
replays = 5_000
rounds = 2
proposals = 4
proof_games = 100_000
"""


def write_goal(text: str = UNBALANCED + TARGET + KNOBS + SEARCH, name: str = "goal.toml") -> str:
    """Write a goal file into the working folder and return its name."""
    Path(name).write_text(text, encoding="utf-8")
    return name
