"""The same plan gives the same rows: digests of both tables, taken before the modules were moved into rooms.

One plan for each game, rule set and number of players, with policies of every kind, explored and recorded picks, and
the switches of Tower of Babel. A digest may change only with a rule or a policy, and then the change says why.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wsim

DIGESTS: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parents[1] / "data" / "row_digests.json").read_text(encoding="utf-8")
)
LINE_UPS = {
    "seven_wonders": ("balanced", "random", "greedy:explore=0.1", "rulebased", "military", "first", "science"),
    "tower_of_babel": ("balanced", "random", "builder", "supplier:explore=0.1", "collector"),
}
VARIANTS: dict[str, dict[str, Any]] = {
    "seats": {},
    "picks": {"picks": True},
    "explored": {"picks": True, "randomise": "0.2"},
    "two_colour": {"two_colour_discs": True, "action_cards": False},
}


def digest(frame: pl.DataFrame) -> str:
    """Return sixteen hexadecimal digits of names, types and values."""
    found = hashlib.sha256(json.dumps([(name, str(kind)) for name, kind in frame.schema.items()]).encode())
    for name in frame.columns:
        found.update(json.dumps(frame[name].to_list(), default=str).encode())
    return found.hexdigest()[:16]


@pytest.mark.parametrize("key", DIGESTS)
def test_rows_are_those_of_the_first_edition_of_wsim(key: str) -> None:
    game, ruleset, players = key.split("/")
    names = LINE_UPS[game]
    policies = ",".join(names[seat % len(names)] for seat in range(int(players)))
    plan: dict[str, Any] = {
        "game": game,
        "ruleset": ruleset,
        "players": int(players),
        "policies": policies,
        "games": 120,
        "seed": 2026,
    }
    found = {name: digest(wsim.simulate(**plan, **VARIANTS[name])) for name in DIGESTS[key]}
    assert found == DIGESTS[key]
