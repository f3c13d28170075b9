"""Catalogues at the limit of what is accepted are played correctly: no overflow, no write out of bounds.

The bounds are checked in the kernels where CI runs the tests of the mark ``boundscheck``. More cases than these are
tried on request: ``WSIM_SLOW_TESTS=1 WSIM_FUZZ_CASES=2000 WSIM_FUZZ_FIRST=0``.
"""

from __future__ import annotations

import os

import pytest

from tests.tiers import first_checked, slow_unless_checked
from tests.wonders.drawn_catalogues import draw_case
from tests.wonders.engine_tools import opt_in
from tests.wonders.extremes import Case, compare_case

pytestmark = pytest.mark.boundscheck


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 24))])
def test_a_random_catalogue_agrees_with_the_twin(seed: int) -> None:
    compare_case(draw_case(seed), games=2)


@slow_unless_checked
def test_hands_pass_as_a_house_rule_says() -> None:
    compare_case(Case(0, "2e-cities", 4, ('settings.passing=["right", "right", "left"]',)), games=1)


_FEWER = (
    "rulesets.1e.seats=[3]",
    "settings.hand_size=[6, 7, 5]",
    *(f'cards."{name}".copies=[4]' for name in ("Apothecary", "Workshop", "Scriptorium")),
    *(f'cards."{name}".copies=[4]' for name in ("Academy", "Arena", "Arsenal", "Gardens", "Haven", "Lodge")),
)
HOUSES = {
    "sales and science": Case(
        1,
        "2e-cities",
        4,
        (
            "settings.sale_coins=[1, 'min(6, sold + left.red)', '2 if coins < 5 else 0']",
            "settings.science='3 * max(compass, gear, tablet) + (compass - gear) ** 2 - green'",
            "settings.tie_breaks=['stages', '-debts']",
            "settings.start_coins='2 * players - 1'",
        ),
    ),
    "last cards": Case(2, "2e-cities", 7, ("settings.last_card=['played', 'discarded', 'played']",)),
    "for two": Case(
        3, "1e-duo", 2, ("settings.last_card='played'", "settings.sale_coins='age'", "settings.science='5 * gear'")
    ),
    "in teams": Case(4, "2e-cities-teams", 4, ("settings.tie_breaks=['red', 'coins']", "settings.last_card='played'")),
    "hands by age": Case(5, "1e", 3, _FEWER),
    "worth and guilds": Case(
        6,
        "1e",
        7,
        (
            "rulesets.1e.seats=[7]",
            "settings.guilds='players - 1'",
            'cards."Town Hall".copies=[3, 5, 6, 7, 7, 7]',
            "settings.victory_tokens=[2, 'players', '3 * age']",
            "settings.coins_per_point='players // 2 - 1'",
            "settings.defeat_points=-3",
            "settings.trade_price=3",
        ),
    ),
}


@first_checked("name", HOUSES)
def test_house_rules_agree_with_the_twin(name: str) -> None:
    compare_case(HOUSES[name], games=2)


@opt_in
@pytest.mark.slow
def test_many_random_catalogues_agree_with_the_twin() -> None:
    first, many = (int(os.environ.get(f"WSIM_FUZZ_{name}", default)) for name, default in (("FIRST", 0), ("CASES", 50)))
    for seed in range(first, first + many):
        compare_case(draw_case(seed), games=2)
