"""Knobs: the values of a game that a goal allows a patch to change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from wsim.balance.goal import Goal, KnobRow
from wsim.errors import UserError, nearest
from wsim.game import Game, Simulator, Tuning, find_game
from wsim.lab.plan import Plan
from wsim.spec.fields import dotted
from wsim.spec.layers import path_of
from wsim.spec.source import read_toml

MAX_OPTIONS = 2_000
_RANGE = re.compile(r"\s*([-+]?\d+)\s*\.\.\s*([-+]?\d+)\s*")
Path = tuple[str, ...]
Patch = tuple[tuple[Path, int], ...]
"""Changed values by path, in the order of the knobs."""


@dataclass(frozen=True)
class Knob:
    """A value that may be changed.

    Attributes
    ----------
    path: the path of the value in a patch. base: its current value. low, high: its range.
    touch, step: the cost of changing it at all, and of each step. row: its row in the goal.
    """

    path: Path
    base: int
    low: int
    high: int
    touch: float
    step: float
    row: int

    @property
    def name(self) -> str:
        """The path as a user writes it."""
        return dotted(self.path)

    def cost(self, value: int) -> float:
        """Return the cost of setting the knob to a value."""
        return 0.0 if value == self.base else self.touch + self.step * abs(value - self.base)


@dataclass(frozen=True)
class Option:
    """One value of one knob; ``knob`` is the index of the knob."""

    knob: int
    value: int


def knobs_of(goal: Goal, simulator: Simulator) -> tuple[Knob, ...]:
    """Return the knobs of a goal; raise UserError for a row that matches nothing or conflicts with rows or rules."""
    tuning = tuning_of(goal.game)
    values = tuning.values(simulator)
    knob_at: dict[Path, Knob] = {}
    for number, row in enumerate(goal.knobs):
        for path in _matching(row, values):
            if row.present and not values[path]:
                continue
            if path in knob_at:
                earlier = goal.knobs[knob_at[path].row].path
                raise UserError(f"two knobs change {dotted(path)}: {earlier!r} and {row.path!r}")
            low, high = _bounds(row, path, values[path])
            if low < high:
                knob_at[path] = Knob(path, values[path], low, high, row.touch, row.step, number)
        if not any(knob.row == number for knob in knob_at.values()):
            raise UserError(f"the knob {row.path!r} with the range {row.range!r} leaves nothing to change")
    knobs = tuple(knob_at.values())
    count = sum(knob.high - knob.low for knob in knobs)
    if count > MAX_OPTIONS:
        raise UserError(f"the knobs have {count:,} steps together: at most {MAX_OPTIONS:,} can be considered")
    plan = goal.settings[0].plan
    prepare = find_game(plan.game).prepare
    tried: set[tuple[str, ...]] = set()
    for knob in knobs:
        kind = (knob.path[0], *knob.path[-2:], str(knob.low), str(knob.high))
        if kind in tried and ":" not in knob.path[-1]:  # the rules bound all values of a kind alike, but each formula
            continue
        tried.add(kind)
        for value in (knob.low, knob.high):
            try:
                prepare(patched(plan, ((knob.path, value),)))
            except UserError as error:
                raise UserError(f"the range of {knob.name} goes beyond the rules: {error}") from None
    return knobs


def tuning_of(game: str) -> Tuning:
    """Return the tuning interface of a game; raise UserError for a game without one."""
    module: Game = find_game(game)
    if module.TUNING is None:
        raise UserError(f"{game} has no values that wsim can tune")
    return module.TUNING


def _matching(row: KnobRow, values: Mapping[Path, int]) -> list[Path]:
    """Return the paths that match a row; raise UserError that suggests the nearest path if there are none."""
    pattern = path_of(row.path)

    def fits(path: Path) -> bool:
        field, colon, number = path[-1].rpartition(":")
        alone = colon and number == "1" and (*path[:-1], f"{field}:2") not in values
        names = (*path[:-1], field) if alone and ":" not in pattern[-1] else path  # the only number in its formula
        return len(path) == len(pattern) and all(
            want == "*" or want.lower() == name.lower() for want, name in zip(pattern, names, strict=True)
        )

    paths = [path for path in values if fits(path)]
    if not paths:
        similar = nearest(row.path, map(dotted, values))
        raise UserError(f"the knob {row.path!r} matches no whole number of the game{similar}")
    return paths


def _bounds(row: KnobRow, path: Path, base: int) -> tuple[int, int]:
    match = _RANGE.fullmatch(row.range)
    if match is None:
        raise UserError(f"the range of the knob {row.path!r} must look like -2..2, not {row.range!r}")
    low, high = int(match[1]), int(match[2])
    if low > high:
        raise UserError(f"the range {row.range!r} of the knob {row.path!r} is contradictory: {low} is above {high}")
    if not row.absolute:
        if not low <= 0 <= high:
            raise UserError(
                f"the range {row.range!r} of the knob {row.path!r} excludes the current value (0): write absolute = "
                "true if the values themselves are meant"
            )
        return max(base + low, min(base, 0)), base + high
    if not low <= base <= high:
        raise UserError(f"the range {row.range!r} excludes {base}, the current value of {dotted(path)}")
    return low, high


def options_of(knobs: Sequence[Knob]) -> tuple[Option, ...]:
    """Return every value of every knob, including the current value."""
    return tuple(Option(number, value) for number, knob in enumerate(knobs) for value in range(knob.low, knob.high + 1))


def changes_of(patch: Patch) -> tuple[str, ...]:
    """Convert a patch to changes of a plan (``--set``)."""
    return tuple(f"{dotted(path)}={value}" for path, value in patch)


def read_patch(file: FilePath) -> Patch:
    """Read the changes in a patch file; raise UserError for a file that changes anything but whole numbers."""
    changes: list[tuple[Path, int]] = []

    def collect(table: Mapping[str, Any], above: Path) -> None:
        for name, value in table.items():
            path = (*above, name)
            if isinstance(value, dict):
                collect(value, path)
            elif isinstance(value, int) and not isinstance(value, bool):
                changes.append((path, value))
            else:
                raise UserError(
                    f"{str(file)!r} sets {dotted(path)} to {value!r}: only changes of whole numbers can be "
                    "measured; name the file under [plan] instead"
                )

    collect(read_toml(file, "patch"), ())
    if not changes:
        raise UserError(f"{str(file)!r} changes nothing")
    return tuple(changes)


def patched(plan: Plan, patch: Patch, **keys: Any) -> Plan:
    """Return a plan with a patch applied."""
    return plan.replace(set=(*plan.set, *changes_of(patch)), **keys)


def patch_of(knobs: Sequence[Knob], values: Iterable[int]) -> Patch:
    """Return the patch that gives each knob a value."""
    return tuple((knob.path, value) for knob, value in zip(knobs, values, strict=True) if value != knob.base)


def values_in(knobs: Sequence[Knob], patch: Patch) -> list[int]:
    """Return the value of each knob in a patch."""
    changed = dict(patch)
    return [changed.get(knob.path, knob.base) for knob in knobs]


def cost_of(knobs: Sequence[Knob], patch: Patch) -> float:
    """Return the cost of a patch."""
    return sum(knob.cost(value) for knob, value in zip(knobs, values_in(knobs, patch), strict=True))
