"""The counters that cards, stages and rules of the table use, and the slots in which they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from wsim.wonders import words as w
from wsim.wonders.catalog.clauses import named

if TYPE_CHECKING:
    from wsim.wonders.catalog.counters import Counter
    from wsim.wonders.catalog.effects import Effects
    from wsim.wonders.catalog.model import Catalogue


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot for the value of a counter; its number is its index in ``slots_of``.

    Attributes
    ----------
    entry: the card or stage that the counter belongs to, -1 for a city or the table. label: its readable name.
    """

    counter: Counter
    entry: int
    label: str


def entries_of(catalogue: Catalogue) -> list[tuple[int, str, str, Effects]]:
    """Return (number, site, readable name, effects) of every entry, by number.

    Entries are cards, stages, deck cards and rules of the table, in this order. The site is the card, board or rule.
    """
    entries = [(number, card.name, card.name, card.effects) for number, card in enumerate(catalogue.cards)]
    number = w.STAGE_ENTRY
    for board in catalogue.wonders:
        for side, stages in board.sides:
            for position, stage in enumerate(stages, start=1):
                entries.append((number, board.name, f"{board.name} {side} {position}", stage.effects))
                number += 1
    for card in catalogue.deck_cards:
        entries.append((number, card.name, card.name, card.effects))
        number += 1
    entries += [(at, rule.name, rule.name, rule.effects) for at, rule in enumerate(catalogue.table, start=number)]
    return entries


def counters_in(effects: Effects) -> set[str]:
    """Return the names of the counters that the clauses of a card or stage change or read."""
    acts = (act for clause in effects.when for act, _ in clause.acts())
    names = {name for act in acts if (name := named(act, w.COUNTER))}
    for clause in effects.when:
        for _, node in clause.formulas():
            names |= {part.name.partition(".")[2] for part in node.walk() if part.kind == w.COUNTER}
    return names


def slots_of(catalogue: Catalogue) -> tuple[Slot, ...]:
    """Return the counter slots of a catalogue, sorted by name; a card counter has one slot per card that uses it."""
    return _slots(catalogue) if catalogue.counters else ()


@lru_cache(maxsize=8)
def _slots(catalogue: Catalogue) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    users = [(number, name, counters_in(effects)) for number, _, name, effects in entries_of(catalogue) if effects.when]
    for counter in catalogue.counters:
        if counter.of != "card":
            slots.append(Slot(counter, -1, counter.name))
            continue
        for number, name, used in users:
            if counter.name in used:
                slots.append(Slot(counter, number, f"{counter.name} of {name}"))
    return tuple(slots)


def slot_number(catalogue: Catalogue, name: str, entry: int) -> int:
    """Return the number of the slot that a card or stage uses for a counter."""
    for number, slot in enumerate(slots_of(catalogue)):
        if slot.counter.name == name and slot.entry in (-1, entry):
            return number
    raise AssertionError(f"counter {name} has no slot for entry {entry}")


def counter_rows(catalogue: Catalogue) -> list[dict[str, str]]:
    """Return one row for each counter: its name and its meaning in English."""
    return [{"counter": counter.name, "meaning": counter.text()} for counter in catalogue.counters]
