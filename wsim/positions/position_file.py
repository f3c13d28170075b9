"""Position files: a game in progress as JSON, given by its recorded moves or by a description of the table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wsim.errors import Mistakes, UserError, nearest
from wsim.files import json_of
from wsim.game import GAMES, find_game
from wsim.lab.plan import Plan
from wsim.version import STREAMS

FORMAT = "wsim-position/1"
MAX_STEPS = 10_000
MAX_LETTERS = 1 << 22
_FORMER = "wsim-play/1"
_KEYS = ("format", "streams", "game", "plan", "number", "position", "steps", "scores", "seat", "people", "date")
_UNWANTED = ("games", "picks", "game")


def file_of(plan: Plan, **rest: Any) -> dict[str, Any]:
    """Return the contents of a position file: a plan, a game ``number`` or ``position``, and the later ``steps``."""
    keys = {key: value for key, value in plan.as_dict().items() if key not in _UNWANTED}
    if keys["rotate"]:  # the default
        del keys["rotate"]
    if any(entry.file or entry.module for entry in plan.line_up):
        del keys["policies"]
    return {
        "format": FORMAT,
        "streams": STREAMS,
        "game": plan.game,
        "plan": {key: list(value) if isinstance(value, tuple) else value for key, value in keys.items()},
        **rest,
    }


def with_people(text: str, people: Sequence[str | None], date: str) -> str:
    """Return a position file with the name of the person in each seat (None: a policy) and the date of the game."""
    return json.dumps({**_parsed(text), "people": list(people), "date": date}, indent=1, ensure_ascii=False)


def people_by_seat(text: str) -> dict[int, str]:
    """Return the people's names in a position file, by seat; empty if it has none."""
    people = _parsed(text).get("people")
    return {seat: name for seat, name in enumerate(people) if name} if isinstance(people, list) else {}


def read(text: str, *, trust: bool = False) -> tuple[Plan, int, Mapping[str, Any] | None, list[Any]]:
    """Parse a position file into its plan, game number, hand-written position (or None) and steps.

    Raises UserError for a string that is not a position file, and for policies from files, which are never executed.
    Without ``trust``, a position file that names other files is also rejected: its author may not be allowed to read
    them.
    """
    file = _parsed(text)
    if file.get("format") == _FORMER:
        raise UserError(
            "an earlier version of wsim play saved this game, which cannot be continued: this wsim deals by version "
            f"{STREAMS} of the random streams"
        )
    game, keys = file.get("game", next(iter(GAMES))), file.get("plan", {})
    position, steps, number = file.get("position"), file.get("steps", []), file.get("number", 0)
    _refuse_wrong_keys(file)
    version = file.get("streams", 1 if position is None else STREAMS)
    if steps and version != STREAMS:
        raise UserError(
            f"the game of the position file was dealt by version {version!r} of the random streams, and "
            f"this wsim deals by version {STREAMS}: its steps cannot be replayed"
        )
    if position is not None:
        keys = {**keys, **find_game(game).plan_of(position, str(keys.get("ruleset", "")))}
    plan = Plan.make(**{**keys, "game": game})
    for entry in plan.line_up:
        if entry.file or entry.module:
            raise UserError(f"a position file cannot use policies from files: {entry} is not loaded")
    if not trust and (named := plan.named_files("cards", "patch", "policies")):
        raise UserError(
            f"the position file names {', '.join(map(repr, named))}, and files that a position names are not opened: "
            "if you trust its author, add trust=True (--trust)"
        )
    return plan, number, position, steps


def _refuse_wrong_keys(file: Mapping[str, Any]) -> None:
    """Raise a UserError that lists all unknown keys and all values of the wrong type."""
    mistakes = Mistakes()
    for key, kind, noun in (
        ("seat", int, "a whole number"),
        ("plan", dict, "an object"),
        ("steps", list, "a list"),
        ("position", dict, "an object"),
        ("game", str, "a name"),
        ("number", int, "a whole number"),
        ("people", list, "a list"),
        ("date", str, "a string"),
    ):
        value = file.get(key)
        if type(value) is not kind and not (value is None and (key in ("seat", "position") or key not in file)):
            owner = "a position file's game" if key == "number" else "a position file"
            mistakes.add(f"the {key} of {owner} must be {noun}, not {value!r}")
    for key in file:
        if key not in _KEYS:
            mistakes.add(f"a position file has no {key!r}{nearest(key, _KEYS)}: it has {', '.join(_KEYS)}")
    if file.get("format") != FORMAT:
        mistakes.add(f"the format of a position file must be {FORMAT!r}, not {file.get('format')!r}")
    if not all(name is None or isinstance(name, str) for name in file.get("people") or ()):
        mistakes.add("the people of a position file must be names or null")
    steps = file.get("steps")
    if isinstance(steps, list) and len(steps) > MAX_STEPS:
        mistakes.add(f"a position file has at most {MAX_STEPS} steps, not {len(steps)}")
    mistakes.raise_any()


def _parsed(text: str) -> dict[str, Any]:
    """Return the parsed JSON object; raise UserError for anything else, and for a string that is too long."""
    given: Any = text
    if isinstance(given, str) and len(given) > MAX_LETTERS:
        raise UserError(f"a position file has at most {MAX_LETTERS:,} characters, not {len(text):,}")
    try:
        parsed = json_of(text)
    except (TypeError, ValueError) as error:
        raise UserError(f"a position file is a JSON object: {error}") from None
    if not isinstance(parsed, dict):
        raise UserError(f"a position file must be a JSON object, not {type(parsed).__name__}")
    return parsed
