"""Facts about a seat (``wsim.facts``) as JSON, in views of a position and in hand-written positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wsim.errors import Mistakes, UserError
from wsim.facts import ALWAYS, FLAG, WITH_EXPANSION, Fact
from wsim.positions.setup_fields import counts, listed, object_in, parse_int_in_range, refuse_unknown


def facts_shown(facts: Iterable[Fact], record: Any, seat: int | None, *, expansion: bool = False) -> dict[str, Any]:
    """Return a seat's facts in the format of a view.

    ``seat``: the index of the seat in the fields of the record; None: the record describes one seat only.
    ``expansion``: whether the rule set has an expansion.
    """
    view: dict[str, Any] = {}
    for fact in facts:
        if not (key := fact.view_key):
            continue
        value: Any = record[fact.name] if seat is None else record[fact.name][seat]
        if fact.kinds:
            value = {kind: int(number) for kind, number in zip(fact.kinds, value, strict=False) if number}
        else:
            value = [int(number) for number in value] if fact.count else int(value)
        always = fact.shown == ALWAYS or (expansion and fact.shown == WITH_EXPANSION)
        if fact.inside and value:
            view.setdefault(fact.inside, {})[key] = value
        elif not fact.inside and (always or value):
            view[key] = bool(value) if fact.shown == FLAG else value
    return view


def settable(facts: Iterable[Fact], inside: str = "") -> dict[str, Fact]:
    """Return the facts that a hand-written position can set for a seat, or for the object ``inside`` it, by key."""
    return {fact.view_key: fact for fact in facts if fact.most and fact.inside == inside}


def set_facts(
    facts: Sequence[Fact], described: Mapping[str, Any], owner: str, record: Any, seat: int, rules: Any
) -> None:
    """Write the facts from a description of a seat into a record; set all other facts to their initial values.

    Messages call the seat ``owner``. Raises a UserError that lists all mistakes.
    """
    mistakes = Mistakes()
    for inside in dict.fromkeys(fact.inside for fact in facts if fact.most):
        known, claims, where = settable(facts, inside), described, f"of {owner}"
        if inside:
            with mistakes.noted():
                claims = object_in(f"{inside} of {owner}", described.get(inside, {}))
                refuse_unknown(f"{inside} of {owner}", claims, list(known))
            where = f"in {inside} of {owner}"
        for key, fact in known.items():
            start = getattr(rules, fact.start) if isinstance(fact.start, str) else fact.start
            with mistakes.noted():
                record[fact.name][seat] = _claimed(fact, f"{key} {where}", claims[key]) if key in claims else start
    mistakes.raise_any()


def _claimed(fact: Fact, what: str, value: Any) -> Any:
    if fact.kinds:
        return counts(what, value, fact.kinds)
    if fact.shown == FLAG:
        return bool(value)
    if not fact.count:
        return parse_int_in_range(what, value, fact.least, fact.most)
    numbers = listed(what, value, int)
    if len(numbers) != fact.count:
        raise UserError(f"{what} must be {fact.count} numbers ({fact.meaning}), not {value!r}")
    return [parse_int_in_range(what, number, fact.least, fact.most) for number in numbers]
