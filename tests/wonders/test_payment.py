"""The payment solver: recorded cases, the twin and blind enumeration on drawn inputs, the public function (R11-R15)."""

# ruff: noqa: N802 (tests carry the number of their rule as it is written)

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wonders.reference.payment import Prices, pareto_payments
from wsim.errors import UserError
from wsim.wonders.analysis.rule_functions import payments

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases.json").read_text(encoding="utf-8"))["cases"]


def ids(case: dict[str, Any]) -> str:
    return f"case{case['id']}"


def of_topics(*topics: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case["topic"] in topics]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=ids)


def twin_payments(
    own: Any = (), left: Any = (), right: Any = (), cost: str = "", discounts: Any = (), prices: Any = None,
    coins: int | None = None, bank: int = 0,
) -> list[tuple[int, int]]:  # fmt: skip
    """Call the twin with the arguments of the public function."""

    def of(side: str) -> Prices:
        if prices is not None:
            return Prices(**prices[side])
        raw = 1 if f"{side}_raw" in discounts else 2
        return Prices(raw=raw, manufactured=1 if "both_manufactured" in discounts else 2)

    return pareto_payments(
        list(cost), own, left, right, left_prices=of("left"), right_prices=of("right"), bank=bank, budget=coins
    )


both_solvers = pytest.mark.parametrize("solver", [payments, twin_payments], ids=("engine", "twin"))


@pytest.mark.jit_off
@both_solvers
@of_topics("payment", "payment_custom_prices")
def test_recorded_payments(case: dict[str, Any], solver: Callable[..., list[tuple[int, int]]]) -> None:
    pairs = solver(
        own=case["own"], left=case["left"], right=case["right"], cost=case["cost"], discounts=case.get("discounts", ()),
        prices=case.get("prices"), coins=case.get("own_coins"), bank=case["coin_cost"] if "own_coins" in case else 0,
    )  # fmt: skip
    if case["expected_min_coins"] == "impossible":
        assert pairs == []
        return
    assert min(map(sum, pairs)) == case["expected_min_coins"]
    if "expected_pareto_splits" in case:
        assert [list(pair) for pair in pairs] == case["expected_pareto_splits"]


@pytest.mark.jit_off
@both_solvers
@of_topics("coin_cost")
def test_recorded_coin_costs(case: dict[str, Any], solver: Callable[..., list[tuple[int, int]]]) -> None:
    pairs = solver(bank=case["required_coins"], coins=case["own_coins"])
    assert pairs == ([(0, 0)] if case["expected_affordable"] else [])


SYMBOLS = st.sampled_from(
    ["W", "S", "C", "O", "G", "T", "P", "WS", "CO", "WC", "SO", "WSCO", "TGP", "WG", "SCT", "WSCOGTP"]
)
PRICE = st.integers(0, 3)


@st.composite
def demands(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a city's resources, its neighbours' resources and prices, a cost of up to 12 units, and a budget."""
    units = draw(st.sampled_from([1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12]))
    kinds = draw(st.sampled_from(["WSCO", "GTP", "WSCOGTP", "WS", "OG"]))
    most = 5 if units < 8 else 7
    return {
        "cost": "".join(draw(st.lists(st.sampled_from(kinds), min_size=units, max_size=units))),
        "own": draw(st.lists(SYMBOLS, max_size=most)),
        "left": draw(st.lists(SYMBOLS, max_size=4)),
        "right": draw(st.lists(SYMBOLS, max_size=4)),
        "prices": {side: {"raw": draw(PRICE), "manufactured": draw(PRICE)} for side in ("left", "right")},
        "bank": draw(st.integers(0, 3)),
        "coins": draw(st.one_of(st.none(), st.integers(0, 24))),
    }


@settings(max_examples=100, deadline=None, derandomize=True)
@given(demands())
def test_R15_payments_agree_with_the_twin(demand: dict[str, Any]) -> None:
    check_against_the_twin(demand)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None, derandomize=True)
@given(demands())
def test_R15_many_payments_agree_with_the_twin(demand: dict[str, Any]) -> None:
    check_against_the_twin(demand)


def check_against_the_twin(demand: dict[str, Any]) -> None:
    expected = pareto_payments(
        list(demand["cost"]), demand["own"], demand["left"], demand["right"],
        left_prices=Prices(**demand["prices"]["left"]), right_prices=Prices(**demand["prices"]["right"]),
        bank=demand["bank"] if demand["coins"] is not None else 0, budget=demand["coins"],
    )  # fmt: skip
    if demand["coins"] is None:
        demand = {**demand, "bank": 0}
    assert payments(**demand) == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(demands(), st.permutations(range(4)))
def test_R15_the_order_of_symbols_and_units_does_not_matter(demand: dict[str, Any], order: list[int]) -> None:
    shuffled = {
        **demand,
        "cost": "".join(sorted(demand["cost"], reverse=True)),
        "own": demand["own"][::-1],
        "left": [demand["left"][i] for i in order if i < len(demand["left"])],
        "right": ["".join(sorted(symbol)) for symbol in demand["right"]],
    }
    assert payments(**shuffled) == payments(**demand)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(demands())
def test_R15_left_and_right_are_mirror_images(demand: dict[str, Any]) -> None:
    mirrored = {
        **demand,
        "left": demand["right"],
        "right": demand["left"],
        "prices": {"left": demand["prices"]["right"], "right": demand["prices"]["left"]},
    }
    assert sorted((right, left) for left, right in payments(**mirrored)) == payments(**demand)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(demands())
def test_R15_a_coin_limit_only_removes_unaffordable_pairs(demand: dict[str, Any]) -> None:
    every = payments(**{**demand, "coins": None})
    purse, bank = 9, demand["bank"]
    affordable = [pair for pair in every if sum(pair) + bank <= purse]
    assert payments(**{**demand, "coins": purse}) == affordable


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(demands(), SYMBOLS)
def test_R15_another_own_symbol_never_raises_the_price(demand: dict[str, Any], symbol: str) -> None:
    before = payments(**demand)
    after = payments(**{**demand, "own": [*demand["own"], symbol]})
    for left, right in before:
        assert any(x <= left and y <= right for x, y in after)


def test_the_example_of_the_documentation() -> None:
    assert payments(own=["W"], left=["S"], right=["S", "S"], cost="WSS") == [(0, 4), (2, 2)]
    assert payments(left=["O"], right=["O"], cost="O", discounts=["left_raw"]) == [(0, 2), (1, 0)]
    assert payments(cost="") == [(0, 0)]


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"cost": "WX"}, "unknown resource 'X'"), ({"own": ["Z"]}, "unknown resource 'Z'"),
    ({"own": [""]}, "empty symbol in own"),
    ({"discounts": ["left"]}, "unknown discount 'left'"), ({"cost": "W" * 13}, "13 units; at most 12"),
    ({"coins": -1}, "coins must be a whole number"), ({"bank": 1.5}, "bank must be a whole number"),
    ({"prices": {"left": {"raw": 9}}}, "0 to 5 coins, not 9"), ({"own": ["W"] * 41}, "own has 41 symbols; at most 40"),
    ({"left": ["WS"] * 25}, "left has more than 24 either/or symbols"),
])  # fmt: skip
def test_invalid_input_is_reported_in_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        payments(**wrong)
