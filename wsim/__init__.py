"""A laboratory for the 7 Wonders family of board games.

The public names are imported on first use (PEP 562): ``import wsim`` loads neither numpy, numba nor polars. Their types
are in ``__init__.pyi``.

env: environments for PettingZoo and Gymnasium, and for stepping thousands of games at once (``wsim.env``). Game: a game
in progress, to inspect, step, copy and play out. simulate: play the games of a plan and return one row per game and
seat. play: the same, and also one row per decision. load_run: open a run folder written by ``wsim run``. import_games:
import games between people as run folders. match: play policies against each other in every seating of common deals.
skill: compare the figures of cards and wonders across skill levels. robustness: measure how much the figures of cards
and wonders differ between players. whatif: compare a changed card, rule or permission with the baseline on common
deals. experiment_worth: estimate what each card is worth to the seat that wants it. experiment_picks: randomise picks
and estimate the causal effect of taking a card. tune: optimise the parameters of a policy by self-play. smallest_patch:
find the smallest patch that meets a designer's targets, and prove it. sensitivity: measure how much one step of each
value in a goal changes its targets. Plan, Run: the games to play; a run folder. policy, value: decorators for user
policies, and for the move values of a search policy. payments, science_score: two rules of 7 Wonders as functions.
UserError: raised by every function here for invalid input.
"""

import sys
from importlib import import_module
from typing import Any

import wsim.forked  # noqa: F401 (starts to watch for forks)
from wsim.version import __version__ as __version__

_NAMES = [
    "Game",
    "Plan",
    "Run",
    "UserError",
    "__version__",
    "env",
    "import_games",
    "load_run",
    "payments",
    "play",
    "policy",
    "science_score",
    "simulate",
    "value",
]

_HOMES = {  # the location of each name, as module or module:name
    "Game": "wsim.positions.game_value",
    "Plan": "wsim.lab.plan",
    "Run": "wsim.lab.store",
    "UserError": "wsim.errors",
    "import_games": "wsim.people.function",
    "load_run": "wsim.lab.store",
    "payments": "wsim.wonders.analysis.rule_functions",
    "play": "wsim.lab.run:play_games",
    "policy": "wsim.policies.declare",
    "science_score": "wsim.wonders.analysis.rule_functions",
    "simulate": "wsim.lab.run",
    "value": "wsim.policies.declare",
}

_TAKE_PLAN_KEYS = ("Game", "play", "simulate")


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
        raise AttributeError(f"module 'wsim' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(import_module(module), attribute or name)
    if name in _TAKE_PLAN_KEYS:
        from wsim.lab.keys import show_plan_keys

        show_plan_keys(value)
    globals()[name] = value  # later accesses bypass this function
    return value


def __dir__() -> list[str]:
    from wsim.questions.registry import questions

    return sorted([*_NAMES, *(question.function for question in questions())])
