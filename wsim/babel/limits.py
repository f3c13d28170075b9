"""The limits of Tower of Babel that depend on the catalogue; ``kernels.guards`` says where each is checked."""

from __future__ import annotations

from wsim.limits import OF_FORMULAS, Limit

MAX_POINTS, MIN_POINTS = 32_767, -32_768  # columns and observations of 16 bits

LIMITS = (
    OF_FORMULAS,
    Limit("points", "babel.effects, babel.value_table, babel.set_table or babel.rules.turn_limit"),
    Limit("points of action cards", "babel.effects or babel.action_cards"),
    Limit("log entries", "babel.rules.turn_limit"),
)
POINTS, ACTION_POINTS, LOGGED = range(1, len(LIMITS))
