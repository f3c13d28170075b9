"""Tower of Babel as the laboratory sees it (the protocol of ``wsim.game.Game``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog import load_catalogue
from wsim.babel.describe import POSITION_KEYS
from wsim.babel.words import DISC, DRAWN, WON, WON_ROW
from wsim.errors import UserError, nearest
from wsim.game import PickExperiment, Restrict, Tuning

if TYPE_CHECKING:
    from wsim.babel.simulator import BabelSimulator
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
    "cold",
    "default_plan",
    "numbers",
    "plan_of",
    "policies",
    "prepare",
]

NAME = "tower_of_babel"
TITLE = "Tower of Babel"
OPTIONS: Mapping[str, str] = {
    "action_cards": "play with the action cards: true or false (babel.rules.use_action_cards)",
    "two_colour_discs": "play with the two-colour discs: true or false (babel.rules.use_two_colour_discs)",
}
OWNED: Mapping[str, str] = {WON: "wonder", WON_ROW: "row", DISC: "disc", DRAWN: "card"}
COLOURS: Mapping[str, str] = {}
ANALYSES: Mapping[str, str] = {
    "policies": "wsim.stats.shared:POLICIES",
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
LEARNER: str | None = "wsim.babel.learning:LEARNER"
RESTRICT: Restrict | None = None
PICKS: PickExperiment | None = None
TUNING: Tuning | None = None
ENGINE = "wsim.babel.kernels.engine"
COMPILE_SECONDS = (6.0, 3.0)  # the engine, the policies of the default plan
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def default_plan(ruleset: str | None = None) -> Mapping[str, Any]:  # noqa: ARG001 (one rule set, one table size)
    """Return the defaults of a plan: the 2005 rules, four players, one of each named set of weights."""
    return {
        "ruleset": "2005",
        "players": 4,
        "policies": ("builder", "supplier", "collector", "majority"),
        "rotate": True,
    }


def cold() -> float:
    """Return about how many seconds the kernels take to compile, 0 where they are compiled already."""
    from wsim.jit import seconds_to_compile

    return seconds_to_compile(ENGINE, *COMPILE_SECONDS)


def plan_of(described: Mapping[str, Any], ruleset: str) -> Mapping[str, Any]:  # noqa: ARG001
    """Return the keys of a plan that a position written by hand decides: the number of players."""
    from wsim.babel.describe.setup import plan_keys

    return plan_keys(described)


def policies() -> Sequence[Mapping[str, Any]]:
    """Return the registry of policies as rows (``wsim policies``)."""
    from wsim.babel.registry import TRADE
    from wsim.policies.registry import policy_rows

    return policy_rows(TRADE)


def numbers(entry: Entry) -> Sequence[Number]:
    """Return the numbers that a line-up entry may set: weights, parameters."""
    from wsim.babel.registry import TRADE
    from wsim.policies.numbers import numbers_of

    return numbers_of(entry, TRADE)


def prepare(plan: Plan) -> BabelSimulator:
    """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
    options = {f"use_{name}": _flag(name, value) for name, value in plan.options.items()}
    catalogue = load_catalogue(*plan.card_files, plan.set, options)
    if plan.ruleset != catalogue.ruleset:
        guess = nearest(plan.ruleset, [catalogue.ruleset])
        raise UserError(f"unknown rule set {plan.ruleset!r}{guess}; Tower of Babel has {catalogue.ruleset}")

    from wsim.babel.catalog.compiling import compile_rules
    from wsim.babel.registry import TRADE
    from wsim.jit import compiled_beside
    from wsim.policies.registry import resolve

    compiled = compile_rules(catalogue, plan.players)
    with compiled_beside(ENGINE):
        line_up = resolve(plan.line_up, plan.players, TRADE)
    from wsim.babel.simulator import BabelSimulator  # which imports the engine

    return BabelSimulator(catalogue, compiled, line_up, seed=plan.seed, rotate=plan.rotate)


def _flag(name: str, value: Any) -> bool:
    """Read an option that is on or off."""
    if name not in OPTIONS:
        raise UserError(f"unknown option {name!r}{nearest(name, OPTIONS)}; Tower of Babel has {', '.join(OPTIONS)}")
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise UserError(f"the option {name} is true or false, not {value!r}{nearest(word, _WORDS)}")
    return _WORDS[word]
