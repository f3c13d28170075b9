"""Tower of Babel as the laboratory sees it (the protocol of ``wsim.game.Game``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.babel.catalog import load_catalog
from wsim.errors import UserError, nearest

if TYPE_CHECKING:
    import polars as pl

    from wsim.babel.simulator import BabelSimulator
    from wsim.lab.plan import Plan
    from wsim.lab.store import Run
    from wsim.stats.tables import Table

__all__ = ["NAME", "OPTIONS", "cold", "default_plan", "policies", "prepare", "summary", "tables"]

NAME = "tower_of_babel"
_OWNERS = ("n", "won_share", "owned_share", "drawn_share", "win_share", "win_difference", "win_q", "score_difference")
_POINTS = ("points_wonders", "points_unfinished_wonders", "points_refused_offers", "points_disc_sets")
BRIEF: Mapping[str, tuple[str, ...]] = {
    "policies": ("policy", "n", "win_share", "score", *_POINTS, "points_action_cards"),
    "wonders": ("wonder", *_OWNERS),
    "rows": ("row", *_OWNERS),
    "discs": ("disc", *_OWNERS),
    "cards": ("card", *_OWNERS),
}
"""Main columns of the tables: what is shown unless all are asked for."""
OPTIONS: Mapping[str, str] = {
    "action_cards": "play with the action cards: true or false (babel.rules.use_action_cards)",
    "two_colour_discs": "play with the two-colour discs: true or false (babel.rules.use_two_colour_discs)",
}
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


def policies() -> Sequence[Mapping[str, Any]]:
    """Return the registry of policies as rows (``wsim policies``)."""
    from wsim.babel.registry import registry_rows

    return registry_rows()


def prepare(plan: Plan) -> BabelSimulator:
    """Check a plan against the rules and make it ready; raise UserError for whatever cannot be played."""
    options = {f"use_{name}": _flag(name, value) for name, value in plan.options.items()}
    cards = None if plan.cards is None else Path(plan.cards)
    catalog = load_catalog(cards, tuple(Path(patch) for patch in plan.patch), plan.set, options)
    if plan.ruleset != catalog.ruleset:
        guess = nearest(plan.ruleset, [catalog.ruleset])
        raise UserError(f"unknown rule set {plan.ruleset!r}{guess}; Tower of Babel has {catalog.ruleset}")
    entries = tuple(plan.policies)
    if len(entries) not in (1, plan.players):
        raise UserError(f"{len(entries)} policies for {plan.players} players: give one for all seats or one per seat")

    from wsim.babel.catalog.compiling import compile_rules
    from wsim.babel.players import make_player
    from wsim.jit import compiled_beside
    from wsim.policies.lineup import parse_entry

    compiled = compile_rules(catalog, plan.players)
    with compiled_beside(ENGINE):
        players = [make_player(parse_entry(entry)) for entry in entries]
    from wsim.babel.simulator import BabelSimulator

    if len(players) == 1:
        players *= plan.players
    return BabelSimulator(catalog, compiled, players, seed=plan.seed, rotate=plan.rotate)


def _flag(name: str, value: Any) -> bool:
    """Read an option that is on or off."""
    if name not in OPTIONS:
        raise UserError(f"unknown option {name!r}{nearest(name, OPTIONS)}; Tower of Babel has {', '.join(OPTIONS)}")
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise UserError(f"the option {name} is true or false, not {value!r}{nearest(word, _WORDS)}")
    return _WORDS[word]


def tables() -> Mapping[str, Callable[[Run, Sequence[str]], Table]]:
    """Return the tables of a run by name: policies, wonders, rows, discs, and cards (the action cards)."""
    from wsim.babel.analysis.owners import MAKERS

    return {name: partial(_table, name) for name in MAKERS}


def _table(name: str, run: Run, by: Sequence[str] = ()) -> Table:
    """Make one table; only that of the policies can be split by other columns."""
    from wsim import stats
    from wsim.babel.analysis.owners import MAKERS

    if not by:
        return MAKERS[name](run.seats)
    if name != "policies":
        raise UserError(f"the table of {name} of Tower of Babel cannot be split by {', '.join(by)}")
    return stats.policies(run, by)


def summary(run: Run) -> list[tuple[str, pl.DataFrame]]:
    """Return the titled tables that ``wsim run`` ends with."""
    from wsim.babel.analysis.owners import MAKERS
    from wsim.stats.brief import brief

    made = {name: make(run.seats) for name, make in MAKERS.items()}
    return [(table.title, brief(table.frame, BRIEF[name])) for name, table in made.items()]
