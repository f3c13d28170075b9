"""Rules of the table (R87): in files, listings, texts, positions, observations, knobs, and every policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wsim
from tests.tiers import first_quick
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case, written
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.spec.catalogues import Source
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.listing import CATALOGUES, catalogue_dict, diff_lines
from wsim.wonders.tunable_values import TUNING

EXPANSIONS = Path(__file__).parents[2] / "analysis" / "expansion"
OFFER = {"event": "turn_start", "price": 1, "gain": {"counter": {"ships": 1}}}
POINTS = {"event": "scored", "points": "3 * counter.ships"}
FLEET = ("counters.ships={most = 5}", f"table.'Sea Lane'.when={written([OFFER, POINTS])}")


def test_a_rule_of_the_table_is_listed_compared_and_part_of_the_digest() -> None:
    catalogue = load_catalogue(changes=FLEET)
    assert catalogue.digest not in (load_catalogue().digest, load_catalogue(changes=FLEET[:1]).digest)
    assert catalogue_dict(catalogue)["table"]["Sea Lane"]["when"][1] == POINTS
    assert "table" not in catalogue_dict(load_catalogue())
    lines = diff_lines(load_catalogue(changes=FLEET[:1]), catalogue)
    assert lines[0] == "Rules of the table"
    assert "may pay 1 coin: counter ships rises by 1" in lines[1]
    dearer = load_catalogue(changes=(*FLEET, "table.Sea Lane.when.1.price=2"))
    assert [line.split(":")[0].strip() for line in diff_lines(catalogue, dearer)[1:]] == ["Sea Lane"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("table.Way.when=[{event='built', gain={coins=1}}]", "a rule of the table is not built"),
        ("table.Way.points=3", "unknown field 'points'"),
        ("table.Way.when=[{event='sold', gain={coins='count(\"Palce\")'}}]", "did you mean 'Palace'"),
        ("table.Way.when=[{event='sold', gain={counter={shps=1}}}]", "unknown counter 'shps'"),
        ("table.Altar.when=[{event='sold', gain={coins=1}}]", "a card already has this name"),
        ("tables.Way.when=[{event='sold', gain={coins=1}}]", "unknown 'tables' (did you mean 'table'?)"),
    ],
)
def test_a_mistake_in_a_rule_of_the_table_is_named(change: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        load_catalogue(changes=(change,))
    assert message in str(error.value)
    assert "table" in str(error.value)


def test_a_rule_of_the_table_can_be_removed_by_a_later_patch(tmp_path: Path) -> None:
    patch = tmp_path / "less.toml"
    patch.write_text('[table."Learned Society"]\nremove = true\n')
    files = (EXPANSIONS / "schools.toml", patch)
    assert load_catalogue(patches=files).table == ()


def test_traces_and_positions_name_the_table_rule() -> None:
    game = wsim.Game(set=FLEET, players=3, policies="random", seed=2)
    assert game.decision == "effect"
    move = game.legal()[0]
    assert move["table"] == "Sea Lane"
    assert game.phrase(move) == "Sea Lane: pays 1 coin: counter ships rises by 1"
    game = game.step(move)
    city: Any = json.loads(game.to_json(seat=0))["position"]["cities"][0]
    assert (city["coins"], city["counters"]) == (2, {"ships": 1})
    trace = engine_table("1e", 3, set=FLEET).trace(0)
    decided = trace["ages"][0]["turns"][0]["decisions"]
    assert {one["table"] for one in decided} == {"Sea Lane"}


def test_a_position_that_is_set_up_has_the_rules_of_the_table() -> None:
    """They wait for moves and ask, without being mentioned in the description."""
    changes = (f"table.Tithe.when={written([{'event': 'sold', 'by': 'anyone', 'gain': {'coins': 2}}])}",)
    game = wsim.Game(set=changes, players=3, policies="random", seed=2)
    game = wsim.Game.from_json(game.to_json(seat=0))
    for _ in range(3):
        game = game.step(game.legal()[-1])
    cities: Any = json.loads(game.to_json(seat=0))["position"]["cities"]
    assert [city["coins"] for city in cities] == [3 + 3 + 3 * 2] * 3


def test_the_numbers_of_a_rule_of_the_table_are_knobs() -> None:
    values = TUNING.values(engine_table("1e", 3, set=FLEET))
    assert values[("table", "Sea Lane", "when", "1", "price:1")] == 1
    assert values[("table", "Sea Lane", "when", "2", "points:1")] == 3


def test_environments_ask_for_decisions_of_table_rules() -> None:
    env = VectorEnv(2, set=FLEET, players=3, policies="random", seed=1)
    step = env.reset()
    assert (step.observations[:, env.columns.index("asking.entry")] > 0).all()
    assert all(step.masks[:, env.actions.index("choose:1")])


@first_quick(1, "name", ["sea_lanes", "great_works", "schools"])
def test_every_policy_plays_the_expansions_and_makes_their_decisions(name: str) -> None:
    line_up = ["random", "greedy", "balanced", "net"]
    frame = wsim.simulate(patch=[str(EXPANSIONS / f"{name}.toml")], players=4, policies=line_up, games=40, seed=5)
    assert len(frame) == 160
    game = wsim.Game(patch=[str(EXPANSIONS / f"{name}.toml")], players=3, policies="search:playouts=4", seed=4)
    asked = 0
    while game.to_move is not None:
        asked += game.decision == "effect"
        game.made()
    assert asked


def ships(changes: tuple[str, ...], policy: str) -> float:
    frame = wsim.simulate(set=changes, players=3, policies=policy, games=20, seed=3)
    return float(frame["counter:ships"].to_numpy().mean())


def test_value_based_policies_buy_points_offered_by_the_table() -> None:
    """Three points for a coin are worth it, and for fifteen coins they are not offered."""
    for policy in ("greedy", "balanced", "net"):
        assert ships(FLEET, policy) > 4
    assert ships((*FLEET, "table.Sea Lane.when.1.price=15"), "greedy") < 1


@pytest.mark.slow
@pytest.mark.boundscheck
def test_table_rules_agree_with_the_twin_in_duo_and_team_games() -> None:
    for ruleset, players in (("1e-duo", 2), ("2e-cities-teams", 4)):
        compare_case(Case(2, ruleset, players, FLEET), games=2)


@pytest.mark.slow
def test_an_expansion_with_table_rules_is_checked_with_games() -> None:
    rows: list[Any] = list(CATALOGUES.check(Source(), str(EXPANSIONS / "great_works.toml")))
    assert [row["ruleset"] for row in rows] == ["1e"]
    assert rows[0]["games"] == 10_000
