"""Move values (``move_values``) agree with the move that ``weighted`` picks, and include the value of denying."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.policies.lineups import resolve
from wsim.jit.modes import JIT
from wsim.lab.plan import Plan
from wsim.wonders.game import catalogue_of
from wsim.wonders.simulator import WondersSimulator

pytestmark = [pytest.mark.jit_off, *[pytest.mark.slow] * JIT]  # slow to compile, and seen as well without the JIT


def plays(name: str, ruleset: str, players: int, weights: str, games: int) -> int:
    """Play games with a policy of ``value_kernels`` and the weights of a line-up's entry; return the rows."""
    from tests.wonders.policies import value_kernels

    policy: Any = getattr(value_kernels, name)
    plan = Plan.make(ruleset=ruleset, players=players, policies="balanced", seed=8)
    line_up = resolve([weights] * players, players)
    table = WondersSimulator(plan, catalogue_of(plan), replace(line_up, functions=(policy,) * len(line_up.functions)))
    rows = np.zeros(games * table.seats, table.row_dtype)
    table.play(0, rows)
    return len(rows)


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 4), ("2e", 3), ("2e-cities", 5), ("2e-cities-teams", 4)])
def test_weighted_picks_a_move_of_the_highest_value(ruleset: str, players: int) -> None:
    assert plays("agreeing", ruleset, players, "balanced:deny_science=0:deny_point=0", 6)


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 4), ("2e-cities-teams", 4)])
def test_unbuilt_cards_are_denied_to_rivals_and_left_to_a_mate(ruleset: str, players: int) -> None:
    assert plays("denying", ruleset, players, "science:stage=5", 6)
