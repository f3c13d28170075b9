"""How policies value cards by formula: the expected number of times that clauses act, and what is built for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.wonders.extremes import written
from wsim.policies.nets import LearnedNet
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.compiling import compile_rules
from wsim.wonders.nets import NETS
from wsim.wonders.policies.net_items import OWN_ROWS
from wsim.wonders.words import UNIT_PRICES

GAIN = {"gain": {"coins": 1}}
TURNS = 6
MOMENTS = (("after_conflicts", 3), ("age_start", 1))  # in the last age; at the start of the first, which is over
SEED = 13  # whose first hand has an Altar


def expected(clause: dict[str, Any], ruleset: str = "1e", players: int = 4) -> list[float]:
    catalogue = load_catalogue(ruleset, changes=[f"cards.Altar.when={written([{**clause, **GAIN}])}"])
    times: list[float] = compile_rules(catalogue, players)[0].clause_times[0].tolist()
    return times


@pytest.mark.parametrize(
    ("clause", "times"),
    [
        ({"event": "turn_start"}, TURNS),
        ({"event": "age_end"}, 1),
        ({"event": "card_built"}, 0.86 * TURNS),
        ({"event": "card_built", "by": "anyone"}, 4 * 0.86 * TURNS),
        ({"event": "stage_built", "by": "neighbor"}, 2 * 0.11 * TURNS),
        ({"event": "sold", "by": "partner"}, 0),
        ({"event": "last_card"}, 1 / 14),
        ({"event": "bought"}, 0.28 * TURNS),
        ({"event": "bought", "by": "neighbor", "from": "self"}, 0.28 * TURNS),
        ({"event": "bought", "by": "anyone", "from": "left"}, 0.28 * TURNS),
        ({"event": "bought", "by": "anyone", "from": "other"}, 3 * 0.28 * TURNS),  # 6 of 8 pairs at 4 seats
    ],
)
def test_a_clause_has_an_expected_number_of_uses_per_age(clause: dict[str, Any], times: float) -> None:
    assert expected(clause) == pytest.approx([times] * 3)


def test_colours_are_expected_in_proportion_to_the_deal() -> None:
    by_color = [expected({"event": "card_built", "color": [color]}) for color in ("brown", "purple", "red", "black")]
    brown, purple, red, black = by_color
    assert brown[0] > brown[1] > brown[2] == 0
    assert purple == pytest.approx([0, 0, 0.86 * TURNS * 6 / 28])  # seats + 2 of 28 cards
    assert all(0.5 < times < 1.5 for times in red)
    assert black == [0, 0, 0]


def is_built(clause: dict[str, Any], policy: str, *changes: str) -> bool:
    """Return whether a policy builds a card with a clause and nothing else in a first turn."""
    change = f"cards.Altar.when={written([clause])}"
    game = wsim.Game(set=[*changes, change, "cards.Altar.points=0"], players=3, policies=policy, seed=SEED)
    assert any(move["card"] == "Altar" and move["action"] == "build" for move in game.legal())
    move = game.ask(policy)
    return bool(move["action"] == "build" and move["card"] == "Altar")


GOOD: tuple[dict[str, Any], ...] = (
    {"event": "turn_start", "gain": {"coins": 4}},
    {"event": "card_built", "by": "other", "each": "trigger", "take": 1},
    {"event": "bought", "by": "anyone", "gain": {"coins": "3 * purchase"}},
    {"event": "age_end", "gain": {"victory_tokens": 5}},
    {"event": "age_end", "each": "other", "gain": {"debts": 9}},
    {"event": "before_conflicts", "gain": {"age_shields": 5}},
    {"event": "built", "gain": {"shields": 4}},
    {"event": "built", "gain": {"gear": 5}},
    {"event": "age_start", "gain": {"wood": 3, "ore": 2}},
    {"event": "turn_start", "gain": {"turn_wood": 4, "turn_ore": 4, "turn_loom": 2}},
    {"event": "built", "gain": {"free_build_tokens": 40}},
    {"event": "scored", "points": 15},
)
BAD: tuple[dict[str, Any], ...] = (
    {"event": "turn_start", "lose": {"coins": 2}},
    {"event": "age_end", "gain": {"defeat_tokens": 3}},
    {"event": "turn_start", "each": "other", "gain": {"coins": 2}},
)


@pytest.mark.slow
def test_balanced_builds_for_later_gains_and_avoids_harmful_cards() -> None:
    assert [is_built(clause, "balanced") for clause in (*GOOD, *BAD)] == [True] * len(GOOD) + [False] * len(BAD)


def test_balanced_helps_its_mate_but_not_its_rivals() -> None:
    keys: dict[str, Any] = {"ruleset": "2e-cities-teams", "players": 4, "policies": "balanced"}

    def is_wanted(each: str) -> bool:
        clause = written([{"event": "age_end", "each": each, "gain": {"victory_tokens": 9}}])
        change = [f"cards.Altar.when={clause}", "cards.Altar.points=0"]
        for seed in range(2, 40):
            game = wsim.Game(set=change, seed=seed, **keys)
            if any(move["card"] == "Altar" and move["action"] == "build" for move in game.legal()):
                move = game.ask("balanced")
                return bool(move["action"] == "build" and move["card"] == "Altar")
        raise AssertionError("no first hand has an Altar")

    assert [is_wanted(each) for each in ("partner", "other")] == [True, False]


def test_balanced_values_low_prices() -> None:
    almost = {"event": "built", "gain": {"coins": 22}}
    lower = {**almost, "lose": dict.fromkeys(UNIT_PRICES, 2)}
    higher = {**almost, "gain": {"coins": 31, **dict.fromkeys(UNIT_PRICES, 2)}}
    enough = {"event": "built", "gain": {"coins": 31}}
    assert [is_built(one, "balanced") for one in (almost, lower, enough, higher)] == [False, True, True, False]


def test_a_clause_is_expected_to_act_until_its_own_counter_stops_it() -> None:
    gain = {"coins": 4}
    often = {"event": "turn_start", "gain": gain}
    once = {**often, "if": "counter.done < 1", "gain": {**gain, "counter": {"done": 1}}}
    anew = {**once, "if": "counter.done < 9", "gain": {"coins": 4, "counter": {"done": 1}}}
    lasting = "counters.done={of='card', most=9}"
    assert [is_built(clause, "balanced", lasting) for clause in (often, once, anew)] == [True, False, True]


def test_a_counter_price_limits_how_often_it_is_paid() -> None:
    clause = {"event": "turn_start", "price": {"counter": {"seals": 1}}, "gain": {"points": 2}}
    for start, wanted in ((0, False), (1, False), (9, True)):
        assert is_built(clause, "balanced", f"counters.seals={{most=9, start={start}}}") == wanted


def test_conditions_on_the_age_are_evaluated_age_by_age() -> None:
    last, gone = ({"event": event, "if": f"age == {age}", "gain": {"points": 15}} for event, age in MOMENTS)
    for policy in ("balanced", "greedy"):
        assert [is_built(clause, policy) for clause in (last, gone)] == [True, False]


def test_greedy_counts_points_that_clauses_will_give_like_printed_ones() -> None:
    later = {"event": "turn_start", "gain": {"points": 2}}
    assert is_built(later, "greedy")
    assert not is_built({**later, "gain": {"coins": 2}}, "greedy")


def test_greedy_counts_immediate_clause_gains() -> None:
    clauses: tuple[dict[str, Any], ...] = (
        {"event": "built", "each": "neighbor", "lose": {"coins": 3}, "gain": {"debts": 5}},
        {"event": "built", "gain": {"victory_tokens": 12}},
        {"event": "built", "gain": {"age_shields": 3}},
        {"event": "built", "gain": {"wild": 4}},
        {"event": "built", "gain": {"debts": 12}},
        {"event": "turn_start", "gain": {"coins": 9}},
    )
    assert [is_built(clause, "greedy") for clause in clauses] == [True, True, True, True, False, False]


def net_rows(net: LearnedNet, *changes: str) -> list[Any]:
    rules = compile_rules(load_catalogue("1e", changes=changes), 4)[0]
    return [rows.copy() for rows in NETS.item_rows(net.arrays, rules)]


def test_the_net_row_for_a_formula_card_is_zero_until_trained(tmp_path: Path) -> None:
    """A net trained before plays as before, regardless of clauses."""
    change = f"cards.Altar.when={written([{'event': 'sold', **GAIN}])}"
    shipped = NETS.shipped
    for printed, patched in zip(net_rows(shipped), net_rows(shipped, change), strict=True):
        assert np.array_equal(printed, patched)
    arrays = {name: array.copy() for name, array in shipped.arrays.items()}
    assert not arrays["card_roles"][:, -OWN_ROWS:].any()
    arrays["card_roles"][:, -OWN_ROWS] = 0.5
    taught = replace(shipped, arrays=arrays)
    assert taught.digest != shipped.digest
    cards, others = net_rows(taught, change)[0] - net_rows(taught)[0], net_rows(taught)[0] - net_rows(shipped)[0]
    altar = [card.name for card in load_catalogue("1e").cards].index("Altar")
    assert cards.reshape(9, -1, 128)[:, altar].min() == pytest.approx(0.5)
    assert np.abs(cards).sum() == pytest.approx(0.5 * 9 * 128)
    assert not others.any()
    taught.save(tmp_path / "net.npz")
    assert NETS.read(str(tmp_path / "net.npz")).digest == taught.digest
