"""Position files: a game in progress as text, made of what was done, or of what a person sees at a real table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from wsim.errors import Mistakes, UserError, nearest
from wsim.game import GAMES, find_game
from wsim.lab.plan import Plan

FORMAT = "wsim-position/1"
MOST_STEPS = 10_000
MOST_LETTERS = 1 << 22
_KEYS = ("format", "game", "plan", "number", "position", "steps", "scores")
_UNWANTED = ("games", "picks", "game")


def file_of(plan: Plan, **rest: Any) -> dict[str, Any]:
    """Return a position file of a plan: the ``number`` of a game or a ``position``, and the ``steps`` since."""
    return {"format": FORMAT, "game": plan.game, "plan": _keys_of(plan), **rest}


def _keys_of(plan: Plan) -> dict[str, Any]:
    """Return the keys of a plan that a position depends on; policies of files are not among them."""
    keys = {key: value for key, value in plan.as_dict().items() if key not in _UNWANTED}
    if keys["rotate"]:  # as it is unless somebody says otherwise
        del keys["rotate"]
    if any(entry.file or entry.module for entry in plan.line_up):
        del keys["policies"]
    return {key: list(value) if isinstance(value, tuple) else value for key, value in keys.items()}


def read(text: str, *, trust: bool = False) -> tuple[Plan, int, Mapping[str, Any] | None, list[Any]]:
    """Return plan, number, the position written by hand (or None) and the steps of a position file.

    Raises UserError for text that is no position file, and for policies of files: nothing that it names is executed.
    Without ``trust`` also for any other file that it names: whose it is, and what lies there, is not for it to say.
    """
    file, mistakes = _parsed(text), Mistakes()
    for key in file:
        if key not in _KEYS:
            mistakes.add(f"a position file has no {key!r}: it has {', '.join(_KEYS)}{nearest(key, _KEYS)}")
    if file.get("format") != FORMAT:
        mistakes.add(f"a position file begins with the format {FORMAT!r}, not {file.get('format')!r}")
    game, keys = file.get("game", next(iter(GAMES))), file.get("plan", {})
    position, steps, number = file.get("position"), file.get("steps", []), file.get("number", 0)
    for what, value, kind in (("plan", keys, dict), ("steps", steps, list), ("position", position, dict)):
        if not isinstance(value, kind) and not (what == "position" and value is None):
            mistakes.add(f"the {what} of a position file is {'a list' if kind is list else 'an object'}, not {value!r}")
    if not isinstance(game, str):
        mistakes.add(f"the game of a position file is a name, not {game!r}")
    if isinstance(steps, list) and len(steps) > MOST_STEPS:
        mistakes.add(f"a position file has at most {MOST_STEPS} steps, not {len(steps)}")
    if isinstance(number, bool) or not isinstance(number, int):
        mistakes.add(f"the number of a position file's game is a whole number, not {number!r}")
    mistakes.raise_any()
    if position is not None:
        keys = {**keys, **find_game(game).plan_of(position, str(keys.get("ruleset", "")))}
    plan = Plan.make(**{**keys, "game": game})
    for entry in plan.line_up:
        if entry.file or entry.module:
            raise UserError(f"a position file cannot bring policies of files: {entry} is not loaded")
    if not trust and (named := plan.named_files("cards", "patch", "policies")):
        raise UserError(
            f"the position file names {', '.join(map(repr, named))}, and files that a position names are not opened: "
            "if you know who wrote it, say trust=True (--trust)"
        )
    return plan, number, position, steps


def _parsed(text: str) -> dict[str, Any]:
    """Return a JSON object; raise UserError for other text, and for far more of it than a position has."""
    given: Any = text
    if isinstance(given, str) and len(given) > MOST_LETTERS:
        raise UserError(f"a position file has at most {MOST_LETTERS:,} letters, not {len(text):,}")
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(f"a position file is a JSON object: {str(error).splitlines()[0]}") from None
    if not isinstance(found, dict):
        raise UserError(f"a position file is a JSON object, not {type(found).__name__}")
    return found
