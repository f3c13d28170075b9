"""The same plan gives the same rows: digests of both tables, recorded before the modules were moved into packages.

One plan for each game, rule set and number of players, with policies of every kind, explored and recorded picks, and
the switches of Tower of Babel. A digest may change only with a rule or a policy, and then the change says why: where
nets play, they are those of nets in short integers, in 7 Wonders of one of seven rounds (five before), in Babel of one
of four (two before) and of a search that tries equal moves once. The labels of searches say `pool=all` since another
pool is the default.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wsim
from tests.tiers import each_third_quick

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
    """Compute a digest of names, types and values, as sixteen hexadecimal digits."""
    found = hashlib.sha256(json.dumps([(name, str(kind)) for name, kind in frame.schema.items()]).encode())
    for name in frame.columns:
        found.update(json.dumps(frame[name].to_list(), default=str).encode())
    return found.hexdigest()[:16]


@each_third_quick("key", DIGESTS)
def test_rows_match_the_first_version_of_wsim(key: str) -> None:
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


OTHERS: dict[str, tuple[dict[str, Any], str, str]] = {
    "net and search, Cities": (
        {"ruleset": "2e-cities", "players": 3, "policies": "net,search:playouts=20:pool=all,civilian", "games": 6},
        "c4046202a47af26e",
        "8470b6ea7aa6cb91",
    ),
    "net and search, teams": (
        {
            "ruleset": "2e-cities-teams",
            "players": 4,
            "policies": "net,search:playouts=20:pool=all,net,commerce",
            "games": 4,
        },
        "397511d6c6b7e675",
        "f8219d3a90c45c2a",
    ),
    "net and search, Tower of Babel": (
        {
            "game": "tower_of_babel",
            "players": 4,
            "policies": "net,search:playouts=20,majority,greedy",
            "games": 6,
        },
        "9ced6e9351aa840d",
        "3b9e0574b22c1607",
    ),
    "bans, boards, chances and a patch": (
        {
            "players": 4,
            "policies": "balanced,guilds,first,weighted",
            "games": 60,
            "ban": "1=stages;2=trade",
            "wonders": "rotate:Gizah,random,Rhodos,random",
            "sides": "A,B,random,random",
            "randomise": "0,0.5,0,0.1",
            "set": ["cards.Palace.points=5"],
        },
        "abdb8c7a1e3fd4c7",
        "7fc3025f2a189631",
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * name.endswith("teams")) for name in OTHERS]
)
def test_rows_of_other_policies_and_options_match_commit_46e67a1(name: str) -> None:
    plan, seats, picks = OTHERS[name]
    found = [digest(wsim.simulate(**plan, seed=2026, picks=recorded)) for recorded in (False, True)]
    assert found == [seats, picks]
