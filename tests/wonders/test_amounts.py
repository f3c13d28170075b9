"""Amounts that a city chooses in a clause decision (R95): in play, texts, tables, environments, policies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wsim
from tests.wonders.clause_changes import check_refusal, when
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case, written
from wsim.env import VectorEnv
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.tunable_values import TUNING

Clause = dict[str, Any]


AMOUNTS = (
    "counters.blocks={of='table', lasts='age', most=9}",
    when(
        "Altar",
        {"event": "built", "amount": 3, "price": "amount", "gain": {"shields": "amount"}},
        {
            "event": "age_end",
            "choose": [
                {"amount": "min(4, coins)", "gain": {"points": "amount // 2"}, "lose": {"coins": "amount"}},
                {"gain": {"coins": 1}},
            ],
        },
        {
            "event": "card_built",
            "by": "neighbor",
            "may": True,
            "amount": "min(2, card.cost)",
            "gain": {"coins": "amount"},
        },
    ),
    "table.Dam.when="
    + written(
        [
            {
                "event": "age_start",
                "amount": 3,
                "price": {"coins": "2 * amount"},
                "gain": {"counter": {"blocks": "amount"}},
            }
        ]
    ),
)


def decisions(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for age in trace["ages"] for part in (*age["turns"], age) for one in part.get("decisions", ())]


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), [("1e", 3), ("1e-duo", 2), ("2e-cities-teams", 4)])
def test_amount_choices_agree_with_the_twin(ruleset: str, players: int) -> None:
    chosen = set()
    for trace in compare_case(Case(3, ruleset, players, AMOUNTS), games=4):
        chosen |= {(one.get("card", "Dam"), one["when"], one["amount"]) for one in decisions(trace) if "amount" in one}
    assert {amount for card, _, amount in chosen if card == "Dam"} == {1, 2, 3}
    assert {clause for card, clause, _ in chosen if card == "Altar"} == {1, 2, 3}


def test_a_person_sees_which_amounts_can_be_chosen() -> None:
    game = wsim.Game(set=AMOUNTS[:2], players=3, policies="random", seed=11)
    while game.decision != "effect":
        builds = [move for move in game.legal() if move["card"] == "Altar" and move["action"] == "build"]
        game = game.step((builds or game.legal())[0])
    legal = game.legal()
    text = "chooses an amount of at most 3: pays (the chosen amount) coins: gains (the chosen amount) shields"
    assert [game.phrase(move) for move in legal] == [*(f"Altar: {text}: {n}" for n in (1, 2, 3)), "Altar: decline"]
    assert [move.get("amount") for move in legal] == [1, 2, 3, None]
    assert wsim.Game.from_json(game.to_json()).legal() == legal
    table = engine_table("1e", 3, set=AMOUNTS)
    assert "with an amount of 2" in "".join(table.text(table.trace(number)) for number in range(5))


def test_environments_have_an_action_for_each_amount() -> None:
    env = VectorEnv(8, set=AMOUNTS, players=3, policies="random", seed=1)
    assert env.actions[-8:] == tuple(f"choose:{option}:amount{amount}" for option in (1, 2) for amount in (1, 2, 3, 4))
    rng, chosen = np.random.default_rng(1), set()
    step = env.reset()
    for _ in range(400):
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in step.masks])
        chosen |= {env.actions[action] for action in actions}
        step = env.step(actions)
    assert {f"choose:1:amount{amount}" for amount in (1, 2, 3, 4)} | {"choose:2"} <= chosen
    assert "choose:2:amount1" not in chosen  # the second option has no amount


def test_amounts_are_in_the_picks_table_and_no_coins() -> None:
    table = engine_table("1e", 3, set=AMOUNTS)
    rows, picks = np.zeros(60, table.row_dtype), np.zeros(20 * table.picks_per_game, table.pick_dtype)
    frame = table.picks_frame(picks[: table.play(0, rows, picks)])
    asked = frame.filter(frame["amount"].is_not_null())
    assert set(asked["amount"]) == {1, 2, 3, 4}
    assert set(asked["decision"].cast(str)) == {"effect"}
    assert asked["right"].sum() == asked["left"].sum() == 0
    assert (asked.filter(asked["entry"] >= 128)["bank"] == 2 * asked.filter(asked["entry"] >= 128)["amount"]).all()


def test_policies_choose_large_good_amounts_and_small_bad_ones() -> None:
    offers = when(
        "Altar",
        {"event": "built", "amount": 5, "gain": {"points": "amount"}},
        {"event": "built", "amount": 5, "gain": {"debts": "amount"}},
        {"event": "built", "amount": 5, "price": "amount", "gain": {"debts": 1}},
    )
    for policy in ("greedy", "rulebased", "balanced", "net", "search:playouts=20"):
        game = wsim.Game(set=[offers], players=3, policies=policy, seed=11)
        chosen: dict[int, set[Any]] = {}
        while game.to_move is not None:
            legal = game.legal()
            builds = [move for move in legal if move.get("card") == "Altar" and move["action"] == "build"]
            if builds:
                game.step(builds[0])
            elif "when" in (move := legal[game.made()]):
                chosen.setdefault(move["when"], set()).add(move.get("amount"))
        assert chosen == {1: {5}, 2: {1}, 3: {None}}, policy


def test_amounts_are_described_in_english_and_are_knobs() -> None:
    texts = EFFECTS["when"].say(load_catalogue("1e", changes=AMOUNTS).card("Altar").effects.when).split("; ")
    chosen = "(the chosen amount)"
    assert texts == [
        f"when built: may choose an amount of at most 3: pays {chosen} coins: gains {chosen} shields",
        (
            "at the end of each age: chooses one of: "
            "(1) chooses an amount of at most (the smaller of 4 and own coins): "
            f"gains (the chosen amount divided by 2, rounded down) points, loses {chosen} coins, (2) gains 1 coin"
        ),
        (
            "whenever a neighbour builds a card: may choose an amount of at most (the smaller of 2 and its cost): "
            f"gains {chosen} coins"
        ),
    ]
    values = {".".join(path): value for path, value in TUNING.values(engine_table("1e", 3, set=AMOUNTS)).items()}
    assert values["cards.Altar.when.1.amount:1"] == 3
    changed = load_catalogue("1e", changes=[*AMOUNTS, "cards.Altar.when.1.amount:1=5"])
    assert changed.card("Altar").effects.when[0].amount == "5"
    assert changed.digest != load_catalogue("1e", changes=AMOUNTS).digest


BUILT: Clause = {"event": "built"}
SOME: Clause = {"gain": {"coins": "amount"}}
CARD: Clause = {"card": {"from": "city"}}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (
            {**BUILT, "amount": "coins", **SOME},
            "amount: 'coins' could be 32,767, and an amount to choose is at most 20",
        ),
        ({**BUILT, "amount": "3 - red", **SOME}, "when.1.amount: '3 - red' could be -252, and less than 0 is not"),
        ({**BUILT, "amount": 21, **SOME}, "when.1.amount: '21' could be 21, and an amount to choose is at most 20"),
        ({**BUILT, **SOME}, "'amount', at character 1: no amount is chosen yet; accepted: where the city chooses one"),
        ({**BUILT, "amount": "amount", **SOME}, "when.1.amount: 'amount', at character 1: no amount is chosen yet"),
        (
            {**BUILT, "amount": 3, "if": "amount > 1", **SOME},
            "when.1.if: 'amount', at character 1: no amount is chosen",
        ),
        ({**BUILT, "amount": 3, **SOME, **CARD}, "when.1.amount: an amount and a card cannot both be chosen in one"),
        (
            {**BUILT, "each": "other", "one": True, "amount": 3, **SOME},
            "when.1.amount: an amount and a city cannot both be chosen in one decision; accepted: two clauses",
        ),
        ({**BUILT, "amount": 3}, "when.1: has no effect; accepted: at least one of take, give, gain, lose"),
        ({**BUILT, "amount": 3, "choose": [SOME, SOME]}, "when.1.amount: does not go with `choose`"),
        ({"event": "scored", "amount": 3, "points": 1}, "when.1.amount: nothing is decided when points are counted"),
        (
            {"event": "card_cost", "amount": 3, "cheaper": {"coins": 1}},
            "when.1.amount: 'card_cost' only changes prices",
        ),
        ({**BUILT, "amount": True, **SOME}, "when.1.amount: True is not accepted; accepted: a whole number, or a"),
        ({**BUILT, "amout": 3, "gain": {"coins": 1}}, "when.1.amout: unknown field 'amout' (did you mean 'amount'?)"),
    ],
)
def test_mistakes_about_amounts_are_reported_in_one_sentence(clause: Clause, expected: str) -> None:
    check_refusal(clause, expected)
