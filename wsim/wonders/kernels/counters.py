"""Counters: named numbers that clauses change within bounds (R70)."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.wonders import words as w

FIRST_ACT = len(w.ACTS)
"""The number of the first action on a counter; two for each: gain, lose."""


@kernel(rare=True)
def reset_counters(public, rules, duration):
    """Reset the counters that last at most a turn, an age or a game (words.COUNTER_LASTS) to their start value."""
    for counter in range(rules.counters):
        if rules.counter_lasts[counter] <= duration:
            for seat in range(public.seats):
                public.counter[seat, counter] = rules.counter_start[counter]


@kernel(rare=True)
def change_counter(public, rules, seat, action, amount):
    """Change a counter of a city or of the table within its bounds; return the change."""
    counter = (action - FIRST_ACT) >> 1
    before = np.int64(public.counter[seat, counter])
    after = before + (amount if (action - FIRST_ACT) & 1 == 0 else -amount)
    after = min(max(after, np.int64(rules.counter_least[counter])), np.int64(rules.counter_most[counter]))
    public.counter[seat, counter] = after
    if rules.counter_of[counter] == w.OF_TABLE:  # every city has a copy
        for city in range(public.seats):
            public.counter[city, counter] = after
    return abs(after - before)


@kernel
def is_of_table(rules, action):
    """Return whether an action changes a counter of the table."""
    return action >= FIRST_ACT and rules.counter_of[(action - FIRST_ACT) >> 1] == w.OF_TABLE
