"""Owners of clauses: the entries that a city has, and the cities that a clause names (R52, R53)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders import words as w

_ONE = np.uint64(1)


@kernel
def related(public, rules, owner, city, whom):
    """Return whether a city is among the cities named by an owner's clause (words.WHOM)."""
    if whom == w.WHOM_ANYONE:
        return True
    if whom == w.WHOM_SELF or owner == city:
        return whom == w.WHOM_SELF and owner == city
    if whom == w.WHOM_OTHER:
        return True
    if whom == w.WHOM_PARTNER:
        return rules.teams != 0 and owner ^ 1 == city
    left = city == (owner + 1 if owner + 1 < public.seats else 0)
    right = owner == (city + 1 if city + 1 < public.seats else 0)
    return (left and whom != w.WHOM_RIGHT) or (right and whom != w.WHOM_LEFT)


@kernel
def has_entry(public, rules, seat, entry):
    """Return whether a city has a structure, stage or recruited card; all have the rules of the table (R87)."""
    if entry < w.STAGE_ENTRY:
        return (public.built[seat, entry >> 6] >> np.uint64(entry & 63)) & _ONE != np.uint64(0)
    if entry >= rules.deck_entry:
        recruited = entry < rules.table_entry
        return not recruited or (public.recruited[seat] >> np.uint64(entry - rules.deck_entry)) & _ONE != np.uint64(0)
    side = public.side[seat]
    for stage in range(public.stages[seat]):
        if rules.stage_entry[side, stage] == entry:
            return True
    return False


@kernel
def may_act(public, rules, seat, trigger):
    """Return whether a city has a card or rule with clauses of a trigger, or stages that may have some."""
    cards = (
        rules.clause_cards[trigger, 0] & public.built[seat, 0] | rules.clause_cards[trigger, 1] & public.built[seat, 1]
    )
    stages = rules.clause_stages[trigger] and public.stages[seat] > 0
    return cards != np.uint64(0) or stages or rules.clause_table[trigger] != 0
