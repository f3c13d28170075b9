"""Tower of Babel as an implementation of the game protocol in ``wsim.game``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wsim.babel.describe import POSITION_KEYS
from wsim.babel.registry import POLICIES
from wsim.babel.words import DISC, DRAWN, KINDS, OPEN_DECISIONS, TITLE, WON, WON_ROW
from wsim.errors import UserError, nearest
from wsim.policies.chances import EXPERIMENT
from wsim.positions.kernel_game import KernelGame

if TYPE_CHECKING:
    from wsim.babel.simulator import BabelSimulator
    from wsim.lab.plan import Plan

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class TowerOfBabel(KernelGame):
    """Tower of Babel (``wsim.game.Game``)."""

    NAME, TITLE = "tower_of_babel", TITLE
    OPTIONS: Mapping[str, str] = {
        "action_cards": "play with the action cards: true or false (babel.rules.use_action_cards)",
        "two_colour_discs": "play with the two-colour discs: true or false (babel.rules.use_two_colour_discs)",
        **EXPERIMENT,
    }
    OWNED: Mapping[str, str] = {WON: "wonder", WON_ROW: "row", DISC: "disc", DRAWN: "card"}
    COLOURS: Mapping[str, str] = dict(
        zip(
            KINDS,
            (
                "light-dark(#b8860b, #dcb04a)",
                "light-dark(#8b5e3c, #b2825b)",
                "light-dark(#3667a6, #7da9de)",
                "light-dark(#9a9a96, #a9a9a5)",
            ),
            strict=True,
        )
    )
    ANALYSES: Mapping[str, str] = {
        "policies": "wsim.stats.shared:POLICIES",
        "worth": "wsim.babel.analysis.wishes:WORTH",
        "wonders": "wsim.babel.analysis.owners:WONDERS",
        "rows": "wsim.babel.analysis.owners:ROWS",
        "discs": "wsim.babel.analysis.owners:DISCS",
        "cards": "wsim.babel.analysis.owners:CARDS",
        "matchups": "wsim.stats.shared:MATCHUPS",
        "crowding": "wsim.stats.shared:CROWDING",
        "strengths": "wsim.stats.shared:STRENGTHS",
        "synergies": "wsim.babel.analysis.owners:SYNERGIES",
        "variance": "wsim.stats.shared:VARIANCE",
    }
    WISHES = "wsim.babel.analysis.wishes:WISHES"
    LEARNER = "wsim.babel.learning:LEARNER"
    CATALOGUES = "wsim.babel.catalog.listing:CATALOGUES"
    OPEN = OPEN_DECISIONS
    POSITION_KEYS = POSITION_KEYS
    COMPILE_SECONDS = (6.0, 3.0)
    POLICIES = POLICIES

    def default_plan(self, ruleset: str | None = None) -> Mapping[str, Any]:  # noqa: ARG002 (one rule set)
        """Return the defaults of a plan: the 2005 rules and four players, each with a different set of weights."""
        return {
            "ruleset": "2005",
            "players": 4,
            "policies": ("builder", "supplier", "collector", "majority"),
            "rotate": True,
        }

    def plan_of(self, described: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:  # noqa: ARG002
        from wsim.babel.describe.setup import plan_keys

        return plan_keys(described)

    def prepare(self, plan: Plan) -> BabelSimulator:
        options = {
            f"use_{name}": self._flag(name, value) for name, value in plan.options.items() if name not in EXPERIMENT
        }
        from wsim.babel.catalog import load_catalogue

        catalogue = load_catalogue(*plan.card_files, plan.set, options)
        if plan.ruleset != catalogue.ruleset:
            guess = nearest(plan.ruleset, [catalogue.ruleset])
            raise UserError(f"unknown rule set {plan.ruleset!r}{guess}; Tower of Babel has {catalogue.ruleset}")
        line_up = self.line_up(plan)
        from wsim.babel.simulator import BabelSimulator  # which imports the engine

        return BabelSimulator(plan, catalogue, line_up)

    def _flag(self, name: str, value: Any) -> bool:
        if name not in self.OPTIONS:
            raise UserError(
                f"unknown option {name!r}{nearest(name, self.OPTIONS)}; Tower of Babel has {', '.join(self.OPTIONS)}"
            )
        word = str(value).strip().lower()
        if word not in _WORDS:
            raise UserError(f"the option {name} is true or false, not {value!r}{nearest(word, _WORDS)}")
        return _WORDS[word]


GAME = TowerOfBabel()
