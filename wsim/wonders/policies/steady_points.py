"""Points at the end that do not grow with the city: those of formulas that read only numbers and counters."""

from __future__ import annotations

import numpy as np

from wsim.jit import kernel
from wsim.kernels.formula_words import OPERATION
from wsim.wonders import words as w
from wsim.wonders.kernels.clause_owners import related
from wsim.wonders.kernels.formula import evaluate
from wsim.wonders.policies.counter_value import still_to_come

_END, _NUMBER, _COUNTER, _LAST_LEAF, _CALL = (OPERATION[name] for name in ("end", "number", "counter", "last", "call"))


@kernel
def _steady(public, rules, at, seat, item):
    """Return whether a formula reads only numbers, and counters of its city that only the item raises."""
    while rules.code[at] & 0xFF != _END:
        operation = rules.code[at] & 0xFF
        if operation >= _CALL or (_NUMBER < operation <= _LAST_LEAF and operation != _COUNTER):
            return False
        if operation == _COUNTER:
            counter, whose = rules.code[at] >> 10, rules.code[at] >> 8 & 3
            if whose or still_to_come(public, rules, counter, seat, item) > 0.0:
                return False
        at += 1
    return True


@kernel(rare=True)
def fixed_points(public, rules, seat, item):
    """Return the points of an item's clauses of `scored` that do not grow, which count like printed points."""
    points = 0
    for clause in range(rules.clause_from[w.ON_SCORE], rules.clause_from[w.ON_SCORE + 1]):
        if rules.clause_entry[clause] != item or rules.clause_if[clause] >= 0:
            continue
        at = np.int64(rules.action_amount[rules.clause_actions[clause]])
        if _steady(public, rules, at, seat, item):
            for city in range(public.seats):
                if related(public, rules, seat, city, rules.clause_each[clause]):
                    points += evaluate(public, rules, at, seat, city)
    return points
