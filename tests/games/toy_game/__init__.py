"""A third game with the minimum that ``wsim.game`` requires; it is the default game in many tests.

This package is a complete game: its rules and policies (``simulator``), a game in progress (``position``), a table
of its own (``tables``), this module, and the entry point ``toy = "toy_game:GAME"`` where it is installed
(``tests/games/test_installed.py``).

The option ``pause`` sleeps in every game, ``fail`` raises in one. The file that the variable TOY_PLAYS names is
created when games begin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError, nearest
from wsim.game import Game

from .simulator import POLICIES, RULES, ToySimulator

if TYPE_CHECKING:
    from wsim.lab.plan import Plan


class Toy(Game):
    NAME, TITLE = "toy", "Toy"
    OPTIONS: Mapping[str, str] = {
        "pause": "seconds to sleep in every game",
        "fail": "the number of a game that cannot be played",
        "wonders": "a name that means nothing",
    }
    OWNED: Mapping[str, str] = {"has:": "treasure"}
    COLOURS: Mapping[str, str] = {"stones": "light-dark(#8d7a66, #a8967f)"}
    ANALYSES: Mapping[str, str] = {
        "policies": "wsim.stats.shared:POLICIES",
        "treasures": f"{__name__}.tables:TREASURES",
        "wonders": f"{__name__}.tables:MEANS",
        "strengths": "wsim.stats.shared:STRENGTHS",
        "matchups": "wsim.stats.shared:MATCHUPS",
    }
    POSITION_KEYS = ("seat", "hand")

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:
        return {"ruleset": "toy-1e", "players": 4, "policies": "bold,shy,random,bold", "wonders": "random"}

    def policies(self) -> Sequence[Mapping[str, Any]]:
        keys = ("name", "kind", "idea", "parameters", "source", "random")
        rows = [(name, one.kind, one.idea, "", "", name == "random") for name, one in POLICIES.items()]
        return [dict(zip(keys, row, strict=True)) for row in rows]

    def prepare(self, plan: Plan) -> ToySimulator:
        if plan.ruleset not in RULES["rulesets"]:
            raise UserError(f"unknown rule set {plan.ruleset!r}{nearest(plan.ruleset, RULES['rulesets'])}")
        first, *_, last = RULES["rulesets"][plan.ruleset]["players"]
        if not first <= plan.players <= last:
            raise UserError(f"toy is for {first} to {last} players, not {plan.players}")
        for entry in plan.line_up:
            if entry.name not in POLICIES:
                raise UserError(f"unknown policy {entry.name!r}{nearest(entry.name, POLICIES)}")
        return ToySimulator(plan)


GAME = Toy()
