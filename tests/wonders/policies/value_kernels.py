"""Policies that check what ``weighted`` picks by the value of every move; compiled before the tests are collected."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.wonders.position_kernels import entry
from wsim.wonders.kernels.layout import CHOICES, POLICY
from wsim.wonders.kernels.moves import action_of
from wsim.wonders.policies.weighted import move_values, weighted_policy
from wsim.wonders.words import BUILD, TURN

_ROUNDING = 1e-9


@entry(POLICY)
def agreeing(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    """Pick what ``weighted`` picks; an index out of range unless no move has a higher value."""
    values = np.empty(CHOICES)
    move_values(public, settings, choice, rules, values)
    index = weighted_policy(public, own, choice, rules, settings)
    for i in range(choice.count):
        if not values[i] <= values[index] + _ROUNDING:
            return -1
    return index


@entry(POLICY)
def denying(public: Any, own: Any, choice: Any, rules: Any, settings: Any) -> Any:
    """Pick what ``weighted`` picks; an index out of range if another card would serve a stage or sale better."""
    values = np.empty(CHOICES)
    move_values(public, settings, choice, rules, values)
    index = weighted_policy(public, own, choice, rules, settings)
    if choice.kind == TURN and action_of(choice.moves[index]) != BUILD:
        for i in range(choice.count):
            if action_of(choice.moves[i]) == action_of(choice.moves[index]) and values[i] > values[index] + _ROUNDING:
                return -1
    return index
