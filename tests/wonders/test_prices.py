"""Prices by formula (R75-R79): in play, in texts, positions, observations, searches, knobs, and refusals."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_quick
from tests.wonders.clause_changes import check_refusal, when
from tests.wonders.engine_tools import TABLES, engine_table
from tests.wonders.extremes import Case, compare_case, playable, written
from tests.wonders.formulas import COUNTERS, prices
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.positions.machine import _GAMES
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.describe.text import effect_text
from wsim.wonders.tunable_values import TUNING
from wsim.wonders.words import COST_TRIGGERS

MERCHANTS = str(Path(__file__).parents[2] / "analysis" / "expansion" / "merchants.toml")
MANY = 20


def drawn_case(seed: int) -> Case:
    """Draw a table with clauses that change prices on some of its cards."""
    rng = random.Random(seed)
    ruleset, players = rng.choice(TABLES)
    names = [card.name for card in load_catalogue(ruleset).cards]
    counters = [f"counters.{name}={written(counter)}" for name, counter in COUNTERS.items()]
    kept = list(counters)
    for name in rng.sample(names, rng.choice((3, 8, 15))):
        change = when(name, *(prices(rng, names, rng.choice(COST_TRIGGERS)) for _ in range(rng.randint(1, 3))))
        if playable(ruleset, players, [*kept, change]):
            kept.append(change)
    assert len(kept) > len(counters)
    return Case(seed, ruleset, players, tuple(kept))


@pytest.mark.slow
@pytest.mark.boundscheck
@pytest.mark.parametrize("seed", [3])
def test_random_price_clauses_agree_with_the_twin(seed: int) -> None:
    compare_case(drawn_case(seed), games=1)


@pytest.mark.slow
def test_many_random_price_clauses_agree_with_the_twin() -> None:
    for seed in range(4, 4 + MANY):
        compare_case(drawn_case(seed), games=2)


POLICIES = ("random", "first", "greedy", "rulebased", "balanced", "net", "search:playouts=4", "endgame:playouts=4")


def test_every_policy_plays_with_price_clauses() -> None:
    frame = wsim.simulate(patch=MERCHANTS, players=4, policies=POLICIES[:4], games=30, seed=5)
    assert len(frame) == 120
    game = wsim.Game(patch=MERCHANTS, players=4, policies=list(POLICIES[4:]), seed=3)
    while game.to_move is not None:
        game.made()
    assert len(game.standing()) == 4


FREE = when("Altar", {"event": "card_cost", "cheaper": {"resources": 12, "coins": 99}})
NEVER = when("Altar", {"event": "card_cost", "by": "anyone", "dearer": {"coins": 200}})


@pytest.mark.slow
def test_price_clauses_change_payments_in_whole_games() -> None:
    """A city whose card makes all others free pays nothing more; a card that makes all too dear ends all builds."""
    frame = wsim.simulate(set=[FREE], players=3, policies="random", games=200, seed=4)
    printed = wsim.simulate(players=3, policies="random", games=200, seed=4)

    def mean(table: Any, owners: bool) -> float:
        return float(table.filter(table["built:Altar"] == owners)["bank_paid"].mean())

    assert mean(frame, True) < mean(frame, False) < 2 * mean(printed, False)
    frame = wsim.simulate(set=[NEVER], players=3, policies="random", games=200, seed=4)
    built = [frame.filter(frame["game"] == game)["built_paid"].sum() for game in range(200)]
    assert min(built) < 15 < 25 < max(built)


def test_a_position_read_from_json_has_the_same_moves_and_obstacles() -> None:
    game = wsim.Game(set=[NEVER], players=3, policies="first", seed=11)
    altar = {"card": "Altar", "action": "build"}
    while not any(altar.items() <= move.items() for move in game.legal()):
        game.made()
    game.step(altar)
    while any(move.get("how") == "paid" for move in game.legal()):
        game.made()
    assert {move["action"] for move in game.legal()} == {"sell"}
    assert any("It costs at least 20" in why for why in game.obstacles().values())
    assert wsim.Game.from_json(game.to_json()).legal() == game.legal()


def test_environments_offer_the_payments() -> None:
    env = VectorEnv(4, set=[NEVER], players=3, policies="random", seed=2)
    rng, step = np.random.default_rng(1), env.reset()
    for _ in range(30):
        step = env.step(np.array([rng.choice(np.flatnonzero(row)) for row in step.masks]))
    assert step.masks.any(axis=1).all()


def test_a_trace_explains_price_changes() -> None:
    effect = {"seat": 1, "card": "Altar", "when": 1, "city": 0, "amount": 2}
    told = [effect_text({**effect, "does": does}) for does in ("cheaper coins", "dearer stone", "cheaper first_unit")]
    assert told == [
        "Altar of seat 1: seat 0 pays 2 coins less",
        "Altar of seat 1: seat 0 pays 2 stone more",
        "Altar of seat 1: seat 0 pays 2 coins less for the first unit of a payment",
    ]


def test_prices_are_described_in_english() -> None:
    say = EFFECTS["when"].say
    clauses = [
        (
            {"event": "card_cost", "color": ["blue"], "cheaper": {"resources": 1}},
            "blue cards cost 1 resource less (the payer chooses which)",
        ),
        (
            {"event": "card_cost", "by": "other", "dearer": {"coins": "left.green"}, "if": "card.red"},
            "cards cost each other city (the left neighbour's green cards) coins more, if it is red",
        ),
        (
            {"event": "stage_cost", "cheaper": {"stone": 2, "coins": 1}},
            "stages cost 1 coin less and stages cost 2 stone less",
        ),
        (
            {"event": "trade_cost", "by": "neighbor", "from": "self", "dearer": {"unit": 1}},
            "a unit bought from this city costs each neighbour 1 coin more",
        ),
        (
            {"event": "trade_cost", "from": "left", "cheaper": {"first_unit": 1}},
            "the first unit of a payment bought from the left neighbour costs 1 coin less",
        ),
    ]
    for clause, expected in clauses:
        card = load_catalogue("1e", changes=[when("Altar", clause)]).card("Altar")
        assert say(card.effects.when) == expected


def test_amounts_of_prices_are_knobs_and_part_of_the_digest() -> None:
    change = when("Altar", {"event": "card_cost", "cheaper": {"coins": 1}, "dearer": {"clay": "2 + red"}})
    catalogue = load_catalogue("1e", changes=[change])
    knobs = {".".join(path): value for path, value in TUNING.values(engine_table("1e", 3, set=(change,))).items()}
    assert knobs["cards.Altar.when.1.cheaper.coins:1"] == 1
    assert knobs["cards.Altar.when.1.dearer.clay:1"] == 2
    again = load_catalogue("1e", changes=[change, "cards.Altar.when.1.dearer.clay:1=3"])
    assert again.card("Altar").effects.when[0].dearer == (("clay", "3 + red"),)
    assert len({load_catalogue("1e").digest, catalogue.digest, again.digest}) == 3


COST: dict[str, Any] = {"event": "card_cost"}


@first_quick(
    8,
    ("clause", "expected"),
    [
        (COST, "when.1: has no effect; accepted: cheaper or dearer, such as cheaper = { coins = 1 }"),
        ({**COST, "cheaper": {"coin": 1}}, "unknown thing that can cost less 'coin' (did you mean 'coins'?)"),
        (
            {**COST, "cheaper": {"unit": 1}},
            "unit: belongs to event = trade_cost; accepted with card_cost: coins,",
        ),
        ({"event": "trade_cost", "dearer": {"coins": 1}}, "dearer.coins: belongs to event = card_cost or stage_cost;"),
        ({**COST, "dearer": {"resources": 1}}, "unknown thing that can cost more 'resources'"),
        ({**COST, "dearer": {"coins": "coins - 9"}}, "'coins - 9' could be -9, and less than 0 is not accepted"),
        (
            {**COST, "dearer": {"coins": "0 - red"}},
            "could be -255, and less than 0 is not accepted; accepted: 255 with",
        ),
        (
            {**COST, "each": "left", "cheaper": {"coins": 1}},
            "when.1.each: 'card_cost' only changes prices, for",
        ),
        ({**COST, "may": True, "cheaper": {"coins": 1}}, "when.1.may: 'card_cost' only changes prices"),
        ({**COST, "gain": {"coins": 1}}, "when.1.gain: 'card_cost' only changes prices"),
        ({**COST, "from": "left", "cheaper": {"coins": 1}}, "has no seller; accepted with: bought, trade_cost"),
        ({"event": "stage_cost", "color": ["red"], "cheaper": {"coins": 1}}, "accepted with: card_built, card_cost"),
        (
            {"event": "built", "cheaper": {"coins": 1}},
            "cheaper: nothing is paid at 'built'; accepted with: card_cost",
        ),
        ({"event": "trade_cost", "from": "self", "cheaper": {"unit": 1}}, "a city cannot buy from itself"),
        (
            {"event": "age_end", "if": "card.blue", "gain": {"coins": 1}},
            "'age_end' is not caused by a structure",
        ),
    ],
)
def test_mistakes_about_prices_are_reported_in_one_sentence(clause: dict[str, Any], expected: str) -> None:
    check_refusal(clause, expected)


def test_all_mistakes_of_a_clause_are_listed_at_once() -> None:
    clause = {**COST, "each": "left", "cheaper": {"unit": 1}, "dearer": {"coins": "coins - 1"}}
    with pytest.raises(UserError) as refused:
        load_catalogue("1e", changes=[when("Altar", clause)])
    assert len(str(refused.value).splitlines()) == 3


@pytest.mark.slow
def test_weighted_values_lower_prices() -> None:
    """A discount is wanted, a tax on oneself is not, and one on the neighbours is."""
    wanted = {}
    for name, clause in {
        "nothing": {"event": "card_cost", "cheaper": {"coins": 0}},
        "discount": {"event": "card_cost", "cheaper": {"resources": 1}},
        "tax": {"event": "card_cost", "dearer": {"coins": 1}},
        "toll": {"event": "trade_cost", "by": "neighbor", "from": "self", "dearer": {"unit": 1}},
        "first": {"event": "trade_cost", "cheaper": {"first_unit": 1}},
    }.items():
        frame = wsim.simulate(set=[when("Theater", clause), "cards.Theater.points=false"], players=4, games=400, seed=3,
                              policies="balanced")  # fmt: skip
        wanted[name] = int(frame["built:Theater"].sum())
    assert wanted["tax"] <= wanted["nothing"] < min(wanted[name] for name in ("discount", "toll", "first"))


def test_prices_of_one_catalogue_do_not_linger_in_the_next() -> None:
    """A thread plays games of both with one record; payments without such clauses expect no changed prices in it."""
    fair = when("Altar", {"event": "trade_cost", "by": "anyone", "cheaper": {"unit": 1, "first_unit": 1}})
    table = engine_table("1e", 3, set=(fair.replace("cards.", "table.").replace("Altar", "Fair"),))
    table.trace(0)
    [game] = [record for record in _GAMES.__dict__.values() if "solver" in (record.dtype.names or ())]
    left = game["solver"]["prices"]
    assert not any(np.any(left[name]) for name in left.dtype.names)
