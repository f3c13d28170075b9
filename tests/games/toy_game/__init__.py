"""A third game: what the protocol of ``wsim.game`` asks of one, at its smallest, and the default game of many tests.

The package is all that a game costs: its data (``rules.toml``), its policies with their registry, its rules and frames
(``simulator``), what it can be asked (``tables``), this module, and a row in ``tests/games/test_conformance.py``.

The option ``pause`` sleeps in every game, ``fail`` raises in one. The file that the variable TOY_PLAYS names is
made when games begin.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wsim.game
from tests.games.toy_game.players import REGISTRY
from tests.games.toy_game.simulator import Rules, ToySimulator, mixed
from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    from wsim.game import PickExperiment, Restrict, Tuning
    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry
    from wsim.policies.numbers import Number

__all__ = [
    "ANALYSES",
    "COLOURS",
    "LEARNER",
    "NAME",
    "OPTIONS",
    "OWNED",
    "PICKS",
    "POSITION_KEYS",
    "RESTRICT",
    "TITLE",
    "TUNING",
    "ToySimulator",
    "cold",
    "default_plan",
    "mixed",
    "numbers",
    "plan_of",
    "policies",
    "prepare",
    "register",
]  # fmt: skip

NAME = "toy"
TITLE = "Toy"
OPTIONS: Mapping[str, str] = {
    "pause": "seconds to sleep in every game",
    "fail": "the number of a game that cannot be played",
    "wonders": "a name that means nothing",
}
OWNED: Mapping[str, str] = {"has:": "treasure"}
COLOURS: Mapping[str, str] = {"stones": "light-dark(#8d7a66, #a8967f)"}
ANALYSES: Mapping[str, str] = {
    "policies": "wsim.stats.shared:POLICIES",
    "treasures": "tests.games.toy_game.tables:TREASURES",
    "wonders": "tests.games.toy_game.tables:MEANS",
    "strengths": "wsim.stats.shared:STRENGTHS",
    "matchups": "wsim.stats.shared:MATCHUPS",
}
RESTRICT: Restrict | None = None
PICKS: PickExperiment | None = None
TUNING: Tuning | None = None
RULES = Path(__file__).with_name("rules.toml")


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:
    return {"ruleset": "toy-1e", "players": 4, "policies": "bold,shy,random,bold", "wonders": "random"}


LEARNER: str | None = None
POSITION_KEYS: Sequence[str] = ("seat", "hand")


def plan_of(told: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:
    return {}


def cold() -> float:
    return 0.0


def policies() -> Sequence[Mapping[str, Any]]:
    return [
        {
            "name": name,
            "kind": policy.kind,
            "idea": policy.idea,
            "parameters": "",
            "source": "",
            "random": policy.random,
        }
        for name, policy in REGISTRY.items()
    ]


def numbers(entry: Entry) -> Sequence[Number]:
    return ()


def prepare(plan: Plan) -> ToySimulator:
    text = RULES.read_bytes()
    data = tomllib.loads(text.decode())
    known = data["rulesets"]
    if plan.ruleset not in known:
        raise UserError(f"unknown rule set {plan.ruleset!r}{nearest(plan.ruleset, known)}")
    chosen = known[plan.ruleset]
    if plan.players not in chosen["players"]:
        first, *_, last = chosen["players"]
        raise UserError(f"toy is for {first} to {last} players, not {plan.players}")
    names = [entry.name for entry in plan.line_up]
    for name in names:
        if name not in REGISTRY:
            raise UserError(f"unknown policy {name!r}{nearest(name, REGISTRY)}")
    rules = Rules(hashlib.sha256(text).hexdigest()[:16], chosen["highest"], data["treasures"]["pearl"])
    return ToySimulator(plan, rules, names * (1 if len(names) > 1 else plan.players))


def register() -> Mapping[str, str]:
    """Put the toy game in front of the games, where the default is; return the games as they were."""
    games = wsim.game.GAMES
    assert isinstance(games, dict)
    before = dict(games)
    games.clear()
    games.update({NAME: __name__, **before})
    return before
