"""The goal files and patches in the folder, recognised by their content, and new goal files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from wsim.errors import UserError
from wsim.game import find_game
from wsim.questions.words import metric_in_words
from wsim.spec.source import read_toml
from wsim.spec.values import changes_in_words, name_in_words, values_of
from wsim.workbench.printed import printed_values

if TYPE_CHECKING:
    from pathlib import Path

    from wsim.balance.goal import Goal, KnobRow, Target
    from wsim.workbench.folder import Folder

MAX_SIZE = 256 << 10  # bytes; larger files are not read
MAX_NAMED = 3
"""Maximum number of targets, numbers or changes that a note names."""


class NamedFile(NamedTuple):
    """A file in the folder: its name, and its content in words."""

    name: str
    words: str


def goals_in(folder: Folder) -> Iterator[NamedFile]:
    """Yield the goal files in the folder, each with its targets and the numbers that may change."""
    from wsim.balance.goal import read_goal

    for path, tables in _toml_files(folder):
        if {"target", "knob"} <= tables.keys():
            try:
                words = "; ".join(goal_in_words(read_goal(path)))
            except UserError as error:
                words = f"has mistakes: {error}".partition("\n")[0]
            yield NamedFile(folder.name_of(path), words)


def patches_in(folder: Folder, game: str, ruleset: str) -> Iterator[NamedFile]:
    """Yield the patches in the folder that change parts of a catalogue, each with its changes in words."""
    printed = printed_values(game, ruleset)
    parts = {path.partition(".")[0] for path in printed}
    for path, tables in _toml_files(folder):
        if tables and tables.keys() <= parts and all(isinstance(table, dict) for table in tables.values()):
            values = values_of(tables)
            words = changes_in_words({name: printed[name] for name in values if name in printed}, values)
            yield NamedFile(folder.name_of(path), shortened(words))


def shortened(words: Sequence[str]) -> str:
    """Join phrases; of a long list, name the first ones and count the others."""
    more = [f"and {len(words) - MAX_NAMED} more"] if len(words) > MAX_NAMED else []
    return "; ".join([*words[:MAX_NAMED], *more])


def _toml_files(folder: Folder) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the TOML files in the folder that can be read, with their tables."""
    for path in folder.files(".toml"):
        with suppress(UserError, OSError):
            if path.stat().st_size <= MAX_SIZE:
                yield path, read_toml(path, "file")


def goal_in_words(goal: Goal) -> list[str]:
    """Describe a goal in three phrases: what must be true, which numbers may change, and who plays."""
    plan, owned = goal.settings[0].plan, find_game(goal.game).OWNED
    players = ", ".join(dict.fromkeys(str(entry) for setting in goal.settings for entry in setting.plan.policies))
    conditions = list(dict.fromkeys(_condition(target, owned) for target in goal.targets))
    numbers = list(dict.fromkeys(_number(knob) for knob in goal.knobs))
    return [
        f"Must be true: {shortened(conditions)}",
        f"May change: {shortened(numbers)}",
        f"Players: {plan.players} at a table ({plan.ruleset}), played by {players}",
    ]


def _condition(target: Target, owned: Mapping[str, str]) -> str:
    """Describe a target, such as ``how often Rhodos B wins: 20% to 30%``."""
    named = target.metric if target.card is not None or not target.only else f"{target.metric}:{', '.join(target.only)}"
    words = metric_in_words(named, owned)
    each = f", for each {' and '.join(target.of)}" if target.of and not target.only else ""
    noun = target.name if target.card is not None else words.noun
    written = "{:.4g}%".format if words.share else "{:g}".format
    scale = 100 if words.share else 1
    if target.relative is not None:
        return f"{noun}{each}: within {target.relative:.4%} of the fair share".replace(".0000%", "%")
    if target.within is not None and target.value is None:
        return f"{noun}{each}: within {written(scale * target.within)} of the fair share"
    low, high = target.bounds(0.0)
    ends = [written(scale * end) for end in (low, high) if math.isfinite(end)]
    bound = "" if len(ends) > 1 else "at least " if math.isfinite(low) else "at most "
    return f"{noun}{each}: {bound}{' to '.join(ends)}"


def _number(knob: KnobRow) -> str:
    low, _, high = knob.range.partition("..")
    return f"{name_in_words(knob.path).replace('*', 'any')} ({'' if knob.absolute else 'by '}{low} to {high})"


def goal_text(comment: str, plan: Mapping[str, Any], target: Mapping[str, Any], knobs: Mapping[str, str]) -> str:
    """Compose a goal file with one target.

    Parameters
    ----------
    plan, target: the keys of these tables; None is omitted. knobs: path -> range.
    """
    lines = [f"# {comment}", "[plan]", *_lines(plan), "", "[[target]]", *_lines(target)]
    for path, reach in knobs.items():
        lines += ["", "[[knob]]", *_lines({"path": path, "range": reach})]
    return "\n".join(lines) + "\n"


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if value is not None]
