"""From a change to the variants of a plan: changed values, patch files, sweeps over values, restrictions of a seat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from wsim.catalog.layers import path_of
from wsim.catalog.source import read_toml
from wsim.comparisons.paired import Arm
from wsim.errors import UserError
from wsim.game import find_game

if TYPE_CHECKING:
    from wsim.game import Simulator
    from wsim.lab.plan import Plan

__all__ = ["Change", "Variant", "arms_of", "changed_cards", "sweep_values", "variants_of"]

BAN = "ban"  # the option of a game that restricts seats: seat=thing,thing;seat=thing
MOST_VARIANTS = 50
_WRITING = ("changes", "source", "catalogue")  # of a provenance: where the rules were written, not what they are
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:\.\.({_NUMBER}))?")
_GRAMMAR = "write PATH=5..9, PATH=5..9..2 (in steps of 2) or PATH=5,7,9"


@dataclass(frozen=True)
class Change:
    """What the variants have and the baseline has not.

    Attributes
    ----------
    values: ``path=value``, as for ``--set``.
    files: patch files.
    sweep: ``path=values``: one variant for each value.
    ban: what one seat may not do, things separated by commas: one variant for each entry.
    """

    values: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    sweep: str | None = None
    ban: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        changed = bool(self.values or self.files or self.sweep)
        if not (changed or self.ban):
            raise UserError("nothing to compare: give a change (--set, --patch), a --sweep, or a --ban")
        if changed and self.ban:
            raise UserError("a ban is compared by itself: give changes that hold in both arms with --base-set")


@dataclass(frozen=True)
class Variant:
    """One variant.

    Attributes
    ----------
    name: what it is called, unique among the variants.
    value: of a sweep, as written; None otherwise.
    plans: its plan; for a restriction one plan for each seat restricted.
    seats: these seats; None if no seat is treated apart.
    same: its rules are those of the baseline.
    """

    name: str
    value: str | None
    plans: tuple[Plan, ...]
    seats: tuple[int, ...] | None = None
    same: bool = False

    def record(self) -> dict[str, Any]:
        """Return what makes the variant again, as JSON."""
        seats = None if self.seats is None else list(self.seats)
        plans = [plan.as_dict() for plan in self.plans]
        return {"variant": self.name, "value": self.value, "seats": seats, "same": self.same, "plans": plans}


def variants_of(plan: Plan, change: Change, seat: int | None, baseline: Simulator) -> list[Variant]:
    """Return the variants of a plan; raise UserError for a change that cannot be made."""
    if change.ban:
        return [_restricted(plan, ban, seat) for ban in dict.fromkeys(change.ban)]
    named = ", ".join([*change.files, *change.values])
    if change.sweep is None:
        return [_changed(plan, change, (), named, None, baseline)]
    path, values = sweep_values(change.sweep)
    return [_changed(plan, change, (f"{path}={value}",), f"{path}={value}", value, baseline) for value in values]


def _changed(
    plan: Plan, change: Change, more: Sequence[str], name: str, value: str | None, baseline: Simulator
) -> Variant:
    values = (*plan.set, *change.values, *more)
    variant = plan.replace(set=values, patch=(*plan.patch, *change.files))
    simulator = find_game(plan.game).prepare(variant)
    return Variant(name, value, (variant,), same=_rules(simulator.provenance()) == _rules(baseline.provenance()))


def _rules(provenance: Any) -> Any:
    """Return what a simulator plays by, without how it was written down."""
    if isinstance(provenance, Mapping):
        return {key: _rules(value) for key, value in provenance.items() if key not in _WRITING}
    return provenance


def _restricted(plan: Plan, ban: str, seat: int | None) -> Variant:
    options = find_game(plan.game).OPTIONS
    if BAN not in options:
        raise UserError(f"{plan.game} cannot restrict a seat: it has no option {BAN}")
    if not ban.strip() or set(ban) & set("=;"):
        raise UserError(f"a ban is a list of things such as green,trade, not {ban!r}; choose the seat with --seat")
    seats = tuple(range(plan.players)) if seat is None else (seat,)
    before = [plan.options[BAN]] if BAN in plan.options else []
    plans = tuple(plan.replace(**{BAN: ";".join([*before, f"{one}={ban}"])}) for one in seats)
    return Variant(f"no {ban.strip()}", None, plans, seats)


def arms_of(plan: Plan, baseline: Simulator, variants: Sequence[Variant]) -> list[Arm]:
    """Return the arms: the baseline, then each variant, ready to play."""
    prepare = find_game(plan.game).prepare
    arms = [Arm("baseline", (baseline,))]
    for variant in variants:
        simulators = tuple(prepare(one) for one in variant.plans)
        if any(
            (simulator.seats, simulator.row_dtype) != (baseline.seats, baseline.row_dtype) for simulator in simulators
        ):
            raise UserError(
                f"{variant.name} changes the number of seats, so that games cannot be compared seat by seat"
            )
        arms.append(Arm(variant.name, simulators, variant.seats))
    return arms


def sweep_values(sweep: str) -> tuple[str, list[str]]:
    """Return path and values of a sweep such as ``cards.Palace.points=5..9``; raise UserError for anything else.

    >>> sweep_values("cards.Palace.points=5..9..2")
    ('cards.Palace.points', ['5', '7', '9'])
    """
    path, equals, text = (part.strip() for part in sweep.partition("="))
    if not (path and equals and text):
        raise UserError(f"{sweep!r} is not a sweep: {_GRAMMAR}")
    values = _range(sweep, text) if ".." in text else _listed(sweep, text)
    if not 2 <= len(values) <= MOST_VARIANTS:
        raise UserError(f"the sweep {sweep!r} has {len(values)} values: it needs from 2 to {MOST_VARIANTS}; {_GRAMMAR}")
    return path, values


def _range(sweep: str, text: str) -> list[str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise UserError(f"{text!r} in the sweep {sweep!r} is no range of numbers: {_GRAMMAR}")
    first, last, step = (Fraction(part) for part in (match[1], match[2], match[3] or "1"))
    if step <= 0 or last < first:
        raise UserError(f"the sweep {sweep!r} runs from small to large in steps above 0: {_GRAMMAR}")
    count = int((last - first) / step) + 1
    if count > MOST_VARIANTS:
        raise UserError(f"the sweep {sweep!r} has {count} values: it needs from 2 to {MOST_VARIANTS}; {_GRAMMAR}")
    numbers = [first + place * step for place in range(count)]
    whole = all(number.denominator == 1 for number in numbers)
    return [str(int(number)) if whole else repr(float(number)) for number in numbers]


def _listed(sweep: str, text: str) -> list[str]:
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


def changed_cards(change: Change) -> list[str]:
    """Return the names of the cards that a change names (``cards.NAME...`` in values and files), each once."""
    names: list[str] = []
    for text in (*change.values, *([change.sweep] if change.sweep else [])):
        section, *names_below = path_of(text)
        if section == "cards" and names_below:
            names.append(names_below[0])
    for path in change.files:
        names += read_toml(path).get("cards", {})
    return list(dict.fromkeys(names))
