"""Create the variants of a plan: changed values, patch files, sweeps over values, restrictions of a seat."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.questions.deals import Arm

if TYPE_CHECKING:
    from wsim.game import Restrict, Simulator
    from wsim.questions.whatif.question import Change

MAX_VARIANTS = 50
_WRITING = ("changes", "source", "catalogue")  # provenance entries that only record the origin of the rules
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:\.\.({_NUMBER}))?")
_GRAMMAR = "write PATH=5..9, PATH=5..9..2 (in steps of 2) or PATH=5,7,9"


@dataclass(frozen=True)
class Variant:
    """A variant of a plan.

    Attributes
    ----------
    name: its unique name.
    value: the value of a sweep, as written; None if there is no sweep.
    plans: its plan; for a restriction, one plan per restricted seat.
    digests: the digests of the plans, including the content of their files.
    seats: the restricted seats; None without a restriction.
    same: whether its rules are identical to the baseline's.
    """

    name: str
    value: str | None
    plans: tuple[Plan, ...]
    digests: tuple[str, ...]
    seats: tuple[int, ...] | None = None
    same: bool = False

    def record(self) -> dict[str, Any]:
        """Return the variant as JSON, so that it can be repeated."""
        seats = None if self.seats is None else list(self.seats)
        plans = [plan.as_dict() for plan in self.plans]
        made = {"seats": seats, "same": self.same, "plans": plans, "digests": list(self.digests)}
        return {"variant": self.name, "value": self.value, **made}


def variants_of(plan: Plan, change: Change, seat: int | None, baseline: Simulator) -> list[tuple[Variant, Arm]]:
    """Create the variants of a plan, each with its arm ready to play; raise UserError for an invalid change."""
    if change.ban:
        seats = tuple(range(plan.players)) if seat is None else (seat,)
        return [_restricted(plan, ban, seats, baseline) for ban in dict.fromkeys(change.ban)]
    if change.sweep is None:
        return [_changed(plan, change, ", ".join([*change.change_files, *change.change]), baseline)]
    path, values = sweep_values(change.sweep)
    return [_changed(plan, change, f"{path}={value}", baseline, value) for value in values]


def _changed(
    plan: Plan, change: Change, name: str, baseline: Simulator, value: str | None = None
) -> tuple[Variant, Arm]:
    """Create a variant with changed rules; for the value of a sweep, ``path=value`` becomes its name."""
    for file in change.change_files:
        if plan.path_of(file) != file:
            raise UserError(f"{file!r} also exists in the folder of the plan file: write ./{file}")
    values = (*plan.set, *change.change, *([] if value is None else [name]))
    changed = plan.replace(set=values, patch=(*plan.patch, *change.change_files))
    arm = Arm(name, (_prepared(changed, name, baseline),))
    same = _rules(arm.simulators[0].provenance()) == _rules(baseline.provenance())
    return Variant(name, value, (changed,), (changed.digest,), same=same), arm


def repeated(
    recorded: Mapping[str, Any], again: Callable[[Plan], Plan], paths: Mapping[str, str], baseline: Simulator
) -> tuple[Variant, Arm]:
    """Restore a recorded variant (``Variant.record``) with its arm.

    Parameters
    ----------
    again: called with a recorded plan; returns the plan to play.
    paths: the paths of the files that the plans name.

    Raises KeyError, TypeError, ValueError or UserError for an invalid record.
    """
    name = str(recorded["variant"])
    plans = tuple(again(Plan.restore(plan, paths)) for plan in recorded["plans"])
    arm = Arm(name, tuple(_prepared(plan, name, baseline) for plan in plans), _seats(recorded["seats"], len(plans)))
    same = arm.seats is None and _rules(arm.simulators[0].provenance()) == _rules(baseline.provenance())
    return Variant(name, recorded["value"], plans, tuple(plan.digest for plan in plans), arm.seats, same=same), arm


def _seats(recorded: Any, plans: int) -> tuple[int, ...] | None:
    """Return the restricted seat of each plan; raise ValueError if there are more or fewer seats than plans."""
    if len(recorded or [None]) != plans:
        raise ValueError(f"{plans} plans for the seats {recorded!r}")
    return None if recorded is None else tuple(map(int, recorded))


def _rules(provenance: Any) -> Any:
    """Return the rules in a provenance, without the entries that record their origin."""
    if isinstance(provenance, Mapping):
        rules = {key: value for key, value in provenance.items() if key not in _WRITING or isinstance(value, Mapping)}
        return {key: _rules(value) for key, value in rules.items()}
    return provenance


def _restricted(plan: Plan, ban: str, seats: tuple[int, ...], baseline: Simulator) -> tuple[Variant, Arm]:
    """Create the variant that forbids one seat some actions, for each of the seats in turn."""
    restrict: Restrict | None = find_game(plan.game).RESTRICT
    if restrict is None:
        raise UserError(f"{plan.game} cannot restrict a seat")
    name = f"no {ban.strip()}"
    plans = tuple(restrict(plan, seat, ban) for seat in seats)
    simulators = tuple(_prepared(item, name, baseline) for item in plans)
    return Variant(name, None, plans, tuple(item.digest for item in plans), seats), Arm(name, simulators, seats)


def _prepared(plan: Plan, name: str, baseline: Simulator) -> Simulator:
    """Prepare a plan; raise UserError if its games have different seats from the baseline."""
    simulator: Simulator = find_game(plan.game).prepare(plan)
    if (simulator.seats, simulator.row_dtype) != (baseline.seats, baseline.row_dtype):
        raise UserError(f"{name} changes the number of seats, so games cannot be compared seat by seat")
    return simulator


def sweep_values(sweep: str) -> tuple[str, list[str]]:
    """Parse a sweep such as ``cards.Palace.points=5..9`` into its path and values; raise UserError for anything else.

    >>> sweep_values("cards.Palace.points=5..9..2")
    ('cards.Palace.points', ['5', '7', '9'])
    """
    path, equals, text = (part.strip() for part in sweep.partition("="))
    if not (path and equals and text):
        raise UserError(f"{sweep!r} is not a sweep: {_GRAMMAR}")
    values = _range(sweep, text) if ".." in text else _split_values(sweep, text)
    if not 2 <= len(values) <= MAX_VARIANTS:
        raise UserError(f"the sweep {sweep!r} has {len(values)} values: it must have 2 to {MAX_VARIANTS}; {_GRAMMAR}")
    return path, values


def _range(sweep: str, text: str) -> list[str]:
    """Expand ``5..9`` or ``5..9..2`` to exact decimal strings; if all values are whole, to whole numbers."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise UserError(f"{text!r} in the sweep {sweep!r} is not a range of numbers: {_GRAMMAR}")
    first, last, step = (Fraction(part) for part in (match[1], match[2], match[3] or "1"))
    if step <= 0 or last < first:
        raise UserError(f"the sweep {sweep!r} must run from small to large in steps above 0: {_GRAMMAR}")
    count = int((last - first) / step) + 1
    if count > MAX_VARIANTS:
        raise UserError(f"the sweep {sweep!r} has {count} values: it must have 2 to {MAX_VARIANTS}; {_GRAMMAR}")
    numbers = [first + index * step for index in range(count)]
    whole = all(number.denominator == 1 for number in numbers)
    return [str(int(number)) if whole else repr(float(number)) for number in numbers]


def _split_values(sweep: str, text: str) -> list[str]:
    """Split at commas outside brackets and quotes: ``[1, 2],[2, 3]`` are two values."""
    values, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and not depth:
            values.append("")
            continue
        values[-1] += letter
    values = [value.strip() for value in values]
    if not all(values):
        raise UserError(f"the sweep {sweep!r} has an empty value: {_GRAMMAR}")
    return list(dict.fromkeys(values))
