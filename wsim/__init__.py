"""A laboratory for the 7 Wonders family of board games.

The public names are imported on first use (PEP 562): ``import wsim`` loads neither numpy, numba nor polars. Their types
are in ``__init__.pyi``.

env: environments of PettingZoo and Gymnasium, and thousands of games stepped at once (``wsim.env``).
Game: a game in progress, to be asked, stepped, copied and played on.
simulate: play the games of a plan and return one row per game and seat.
play: the same, with one row per decision beside it.
load_run: open a run that ``wsim run`` wrote.
match: play policies against each other, every seating of common deals.
skill: what cards and boards are worth in weak and in good hands.
rest: how far figures of cards and boards move between players.
whatif: compare a changed card, rule or permission with the baseline on common deals.
experiment_worth: what each card gains the seat that wants it over the next best thing.
experiment_picks: randomise picks and return what doing something with a card causes.
tune: tune the numbers of a policy by self-play.
smallest_patch: find the smallest patch that meets a designer's targets, and prove it.
sensitivity: measure what each step of the values in a goal does to its targets.
Plan, Run: what is to be played; what has been played.
policy, value: the decorators of a user's own policy, and of what moves are worth to a search of one's own.
payments, science_score: two rules of 7 Wonders by themselves.
UserError: what every function here raises for input that it refuses.
"""

from importlib import import_module
from typing import Any

import wsim.forked  # noqa: F401 (from now on it looks at every fork)
from wsim.version import __version__ as __version__

_NAMES = [
    "Game",
    "Plan",
    "Run",
    "UserError",
    "__version__",
    "env",
    "load_run",
    "payments",
    "play",
    "policy",
    "science_score",
    "simulate",
    "value",
]

_HOMES = {  # where each name is, as module or as module:name
    "Game": "wsim.positions.game_value",
    "Plan": "wsim.lab.plan",
    "Run": "wsim.lab.store",
    "UserError": "wsim.errors",
    "load_run": "wsim.lab.store",
    "payments": "wsim.wonders.analysis.rule_functions",
    "play": "wsim.lab.run:play_games",
    "policy": "wsim.policies.declare",
    "science_score": "wsim.wonders.analysis.rule_functions",
    "simulate": "wsim.lab.run",
    "value": "wsim.policies.declare",
}


def __getattr__(name: str) -> Any:
    if name == "env":
        return import_module("wsim.env")
    if name == "__all__":
        return __dir__()
    if name not in _HOMES:
        if not name.startswith("_"):
            from wsim.questions.functions import function_called

            if (function := function_called(name)) is not None:
                globals()[name] = function
                return function
        raise AttributeError(f"module 'wsim' has no attribute {name!r}")
    from wsim.options import described

    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(import_module(module), attribute or name)
    described(value)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    from wsim.questions.registry import questions

    return sorted([*_NAMES, *(question.function for question in questions())])
