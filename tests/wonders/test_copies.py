"""Copies (R103): what lasts of a card, once more; beside the twin, in files, texts, positions and observations."""

from __future__ import annotations

from typing import Any

import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.clause_changes import check_refusal
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case, written
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.entry_text import effects_text
from wsim.wonders.describe.text import game_text


def when(card: str, *clauses: dict[str, Any]) -> str:
    return f'cards."{card}".when={written(list(clauses))}'


COPIES = (
    when("Baths", {"event": "card_built", "by": "anyone", "gain": {"copies": 1}}),
    when("Theater", {"event": "card_built", "by": "neighbor", "each": "neighbor", "gain": {"copies": "card.cost > 1"}}),
    when("Palace", {"event": "built", "card": {"from": "discarded"}, "gain": {"copies": 1}}),
    when("Tavern", {"event": "built", "each": "neighbor", "gain": {"copies": 1}}, {"event": "scored", "points": "red"}),
)


@pytest.mark.boundscheck
@first_checked(("ruleset", "players"), [("1e", 3), ("1e", 7)])
def test_copies_agree_with_the_twin(ruleset: str, players: int) -> None:
    traces = compare_case(Case(1, ruleset, players, COPIES), games=2)
    turns = [turn for trace in traces for age in trace["ages"] for turn in age["turns"]]
    effects = [one for turn in turns for one in turn.get("effects", ())]
    assert sum(one["amount"] for one in effects if one["does"] == "gain copies") > 100


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        (
            {"event": "age_start", "gain": {"copies": 1}},
            "'age_start' is not caused by a structure",
        ),
        ({"event": "built", "gain": {"copies": 2}}, "'2' could be 2, and a city has one copy of a structure at most"),
        ({"event": "built", "lose": {"copies": 1}}, "copies"),
    ],
)
def test_a_copy_of_zero_or_several_cards_is_rejected(clause: dict[str, Any], message: str) -> None:
    check_refusal(clause, message)


def test_copies_are_described_in_english() -> None:
    catalogue = load_catalogue(changes=COPIES)
    said = {name: effects_text(catalogue.card(name).effects) for name in ("Baths", "Theater", "Palace")}
    once_more = "has the lasting effects of that card once more"
    assert said["Baths"] == f"3 points; whenever any city builds a card: {once_more}"
    assert said["Theater"].endswith(f": each neighbour {once_more} if its cost is more than 1")
    assert said["Palace"] == f"8 points; when built: chooses a card of the discard pile: {once_more}"
    text = game_text(engine_table("1e", 3, set=COPIES).trace(0))
    assert "has the lasting effects of a card once more" in text


def test_a_position_shows_copies_and_is_set_up_with_them() -> None:
    game = wsim.Game(set=list(COPIES), players=3, policies="random", seed=3).at(age=3, turn=2)
    seen: Any = game.observe(game.to_move)
    copied = [city["copied"] for city in seen["cities"]]
    assert sum(map(len, copied)) > 9
    columns = [name for name in seen.columns if ".copied:" in name]
    shown = {name.partition(":")[2] for name in columns if seen.array[seen.columns.index(name)]}
    assert shown == {name for names in copied for name in names}
    again: Any = wsim.Game.from_json(game.to_json(seat=game.to_move), trust=True).observe(game.to_move)
    known = [name for name in seen.columns if not name.startswith(("deed", "passed"))]
    assert again.array[: len(known)].tolist() == seen.array[: len(known)].tolist()
    assert [city["copied"] for city in again["cities"]] == copied
    assert "has copies of" in game.view()
    assert "copied" not in wsim.Game(players=3).observe(0)["cities"][0]


def test_policies_value_the_gain_from_a_copy() -> None:
    """An expensive card that copies a neighbour's blue card is taken for its points, unlike one that copies no card."""
    choose = [{"gain": {"coins": 2}}, {"card": {"from": "city", "if": "card.blue"}, "gain": {"copies": 1}}]
    change = f"table.Echo.when={written([{'event': 'before_conflicts', 'if': 'blue > 0', 'choose': choose}])}"
    for policy in ("greedy", "balanced"):
        plan = Plan.make(set=(change,), players=3, policies=policy, seed=2)
        trace: Any = find_game(plan.game).prepare(plan).trace(0)
        made = [one for age in trace["ages"] for one in age.get("decisions", ())]
        made += [one for age in trace["ages"] for turn in age["turns"] for one in turn.get("decisions", ())]
        assert {one["option"] for one in made} >= {2}
        assert sum(one["option"] == 2 for one in made) > len(made) / 2
