"""Catalogues at the edge of what is accepted are played right: no overflow, no write out of bounds, as the twin plays.

The bounds are checked in the kernels where CI runs the tests of the mark ``boundscheck``. More cases than these are
tried on request: ``WSIM_SLOW_TESTS=1 WSIM_FUZZ_CASES=2000 WSIM_FUZZ_FIRST=0``.
"""

from __future__ import annotations

import os

import pytest

from tests.wonders.engine_tools import opt_in
from tests.wonders.extremes import Case, compare_case, draw_case

pytestmark = pytest.mark.boundscheck


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 24))])
def test_a_drawn_catalogue_is_played_as_the_twin_plays_it(seed: int) -> None:
    compare_case(draw_case(seed), games=2)


def test_hands_pass_where_a_house_rule_says() -> None:
    compare_case(Case(0, "2e-cities", 4, ('settings.passing=["right", "right", "left"]',)), games=1)


@opt_in
@pytest.mark.slow
def test_many_drawn_catalogues_are_played_as_the_twin_plays_them() -> None:
    first, many = (int(os.environ.get(f"WSIM_FUZZ_{name}", default)) for name, default in (("FIRST", 0), ("CASES", 50)))
    for seed in range(first, first + many):
        compare_case(draw_case(seed), games=2)
