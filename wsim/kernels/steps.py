"""The steps of a game as separate entry points, for everything that continues positions.

Searches, commands and games stepped together all advance to decisions and make moves. These two steps are most of the
code of a game, so they are compiled once and called by name: two calls per move, whereas whole games
(``wsim.kernels.engine.chunk_of``) have none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wsim.jit import entry_point, kernel, linked, types
from wsim.kernels.engine import Engine, engine_of

inner: Any = None  # what ``entry_point`` puts there


def next_decision(game, rules, until):
    """Advance to the next decision."""
    return inner(game, rules, until)


def take(game, rules, move):
    """Make a move."""
    inner(game, rules, move)
    return 0


def stepped(engine: Engine, move: Any = types.int64) -> Engine:
    """Return an engine whose ``next_decision`` and ``take`` are entry points; ``move``: the type of moves."""
    own = engine.types

    def compiled(template: Any, steps: Any, *rest: Any) -> Any:
        signature = types.int64(own.game, own.rules, *rest)
        entry = kernel(signature, package=own.package)(entry_point(template, steps))
        return linked(entry, template.__name__, own.package)

    made = compiled(next_decision, engine.hooks.next_decision, types.int64), compiled(take, engine.hooks.take, move)
    return engine_of(replace(engine.hooks, next_decision=made[0], take=made[1]), own)
