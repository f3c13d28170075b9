"""Counters (R70) and the card that caused an event (R71): in play, in texts, positions, observations and tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

import wsim
from tests.tiers import first_quick
from tests.wonders.clause_changes import when
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case, written
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.counter_slots import counter_rows
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.catalog.listing import catalogue_dict, diff_lines
from wsim.wonders.tunable_values import TUNING

COUNTERS = {
    "favour": {"most": 5},
    "heat": {"most": 9, "lasts": "turn", "start": 2, "least": 1},
    "rent": {"most": 3, "lasts": "age", "of": "card"},
    "strife": {"most": 99, "of": "table"},
}
DECLARED = tuple(f"counters.{name}={written(counter)}" for name, counter in COUNTERS.items())


CHANGES = (
    *DECLARED,
    when(
        "Altar",
        {"event": "built", "gain": {"counter": {"favour": 3}}},
        {"event": "card_built", "by": "anyone", "each": "neighbor", "gain": {"counter": {"strife": 1, "heat": 4}}},
        {"event": "sold", "by": "anyone", "lose": {"counter": {"heat": 5}}, "gain": {"counter": {"rent": 2}}},
        {"event": "age_end", "gain": {"coins": "counter.favour + counter.rent + other.counter.heat"}, "each": "left"},
        {"event": "scored", "points": "counter.strife // 10"},
    ),
    when(
        "Baths",
        {
            "event": "stage_built",
            "by": "anyone",
            "gain": {"counter": {"rent": "max(0, 3 - counter.rent)", "favour": 4}},
        },
        {"event": "scored", "points": "counter.favour + left.counter.favour"},
    ),
)


def turns(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn for age in trace["ages"] for turn in age["turns"]]


@pytest.mark.slow
@pytest.mark.boundscheck
def test_counters_agree_with_the_twin_and_stay_within_bounds() -> None:
    traces = compare_case(Case(1, "1e", 4, CHANGES), games=8)
    seen: dict[str, set[int]] = {}
    for trace in traces:
        for turn in turns(trace):
            for name, values in turn["counters"].items():
                seen.setdefault(name, set()).update(values if isinstance(values, list) else [values])
    assert set(seen) == {"favour", "heat", "rent of Altar", "rent of Baths", "strife"}
    assert (min(seen["favour"]), max(seen["favour"])) == (0, 5)  # 3 + 4 is cut
    assert (min(seen["heat"]), max(seen["heat"])) == (1, 9)
    assert max(seen["strife"]) > 9
    assert max(seen["rent of Altar"]) == max(seen["rent of Baths"]) == 3


@pytest.mark.slow
def test_an_effect_on_a_counter_records_the_change() -> None:
    traces = compare_case(Case(1, "1e", 4, CHANGES), games=8)
    effects = [effect for trace in traces for turn in turns(trace) for effect in turn.get("effects", ())]
    of_table = [effect for effect in effects if effect["does"] == "gain counter strife"]
    assert of_table
    assert all("city" not in effect for effect in of_table)
    gains = {effect["amount"] for effect in effects if effect["does"] == "gain counter favour"}
    assert {2, 3, 4} <= gains  # 3 + 4 is 5, a change by 2


@pytest.mark.slow
def test_counters_for_a_turn_or_an_age_are_reset() -> None:
    quiet = 0
    for trace in compare_case(Case(2, "2e", 3, CHANGES), games=4):
        for age in trace["ages"]:
            first = age["turns"][0]
            altar = {effect["does"] for effect in first.get("effects", ()) if effect["card"] == "Altar"}
            if "gain counter rent" not in altar:
                assert first["counters"]["rent of Altar"] == [0, 0, 0]
        for turn in turns(trace):
            if not any("heat" in effect["does"] for effect in turn.get("effects", ())):
                assert turn["counters"]["heat"] == [2, 2, 2]
                quiet += 1
    assert quiet


OF_CARDS = (
    *DECLARED,
    when(
        "Altar",
        {"event": "built", "gain": {"coins": "max(0, card.points) + (4 if card.by_chain or card.free else 0)"}},
        {
            "event": "card_built",
            "by": "anyone",
            "if": "card.red or card.from_discard",
            "each": "trigger",
            "take": "min(3, card.cost)",
        },
        {"event": "card_built", "by": "anyone", "if": "card.by_chain", "gain": {"victory_tokens": 1}},
        {"event": "stage_built", "by": "anyone", "gain": {"coins": "card.units"}},
        {"event": "turn_start", "gain": {"coins": "last.brown.cost + left.last.cards.age"}},
        {"event": "turn_start", "if": "new_cards + left.new_red > 0", "gain": {"shields": 1}},
        {"event": "sold", "by": "anyone", "gain": {"coins": "left.new_cards + 3 * new_stages + right.new_blue"}},
        {"event": "bought", "by": "anyone", "gain": {"coins": "1 if card.gear or card.yellow else 0"}},
    ),
    when(
        "Baths",
        {"event": "card_built", "by": "anyone", "if": "card.order % 3 == 0", "gain": {"coins": 1}},
        {
            "event": "card_built",
            "by": "other",
            "if": "card.name not in (first.blue.name, last.red.name)",
            "gain": {"coins": 2},
        },
        {"event": "age_end", "if": 'left.first.cards.name in ("Altar", "Stone Pit", "Loom")', "gain": {"shields": 1}},
        {"event": "age_end", "gain": {"coins": "previous.cards.cost + right.previous.brown.age"}},
        {"event": "stage_built", "by": "anyone", "gain": {"coins": "card.order"}},
        {"event": "card_cost", "if": "card.order > 4 and card.name != last.blue.name", "cheaper": {"resources": 1}},
        {"event": "turn_start", "if": "left.last.cards.name != right.last.cards.name", "gain": {"coins": 1}},
    ),
    'wonders."Halikarnassos".sides.B.1.when=[{event="built", gain={coins="card.cost"}}]',
)


@pytest.mark.slow
def test_the_card_that_caused_an_event_agrees_with_the_twin() -> None:
    catalogue = load_catalogue("1e")
    done: dict[int, int] = {}
    of_order = set()
    for trace in compare_case(Case(3, "1e", 5, OF_CARDS), games=8):
        for turn in turns(trace):
            for effect in turn.get("effects", ()):
                of_order |= {effect["when"]} if effect.get("card") == "Baths" else set()
                if effect.get("card") != "Altar":
                    continue
                done[effect["when"]] = done.get(effect["when"], 0) + 1
                if effect["when"] == 2:  # from whoever built a red card, at most 3 coins or what it costs
                    built = [
                        move for move in (*turn["moves"], *turn.get("extra", ())) if move["seat"] == effect["city"]
                    ]
                    cards = [catalogue.card(move["card"]) for move in built if move["action"] == "build"]
                    assert effect["amount"] <= sum(min(3, card.cost.units + card.cost.coins) for card in cards)
                    assert any(card.color == "red" for card in cards) or any("source" in move for move in built)
        of_order |= {effect["when"] for age in trace["ages"] for effect in age.get("effects", ())}
    assert set(done) == {1, 2, 3, 4, 5, 7, 8}, done  # nothing was built yet when a turn starts: not 6
    assert of_order == {1, 2, 3, 4, 5, 6, 7}


def test_clauses_with_counters_and_cards_are_described_in_english() -> None:
    catalogue = load_catalogue("1e", changes=[*DECLARED, CHANGES[-1]])
    text = EFFECTS["when"].say(catalogue.card("Baths").effects.when)
    assert text == (
        "whenever any city builds a stage: counter favour rises by 4, "
        "counter rent rises by (the greater of 0 and (3 minus the counter rent)); "
        "at the end of the game: (the counter favour plus the left neighbour's counter favour) points"
    )
    assert counter_rows(catalogue)[2] == {
        "counter": "rent",
        "meaning": "one for each card and stage that uses it, in each city; 0 to 3, 0 at the start of each age",
    }
    assert catalogue_dict(catalogue)["counters"]["heat"] == {"lasts": "turn", "start": 2, "least": 1, "most": 9}
    lines = diff_lines(load_catalogue("1e", changes=DECLARED), load_catalogue("1e", changes=DECLARED[1:]))
    assert lines == ["Counters", "  - favour: meaning one for each city; 0 to 5, 0 at the start of the game"]


def test_counters_are_part_of_the_digest_only_if_declared() -> None:
    plain, declared = load_catalogue("1e"), load_catalogue("1e", changes=DECLARED)
    more = load_catalogue("1e", changes=[*DECLARED, "counters.favour.most=6"])
    assert len({plain.digest, declared.digest, more.digest}) == 3
    assert load_catalogue("1e", changes=[*DECLARED, *(f"counters.{n}.remove=true" for n in COUNTERS)]).digest == (
        plain.digest
    )


@first_quick(
    1,
    ("change", "expected"),
    [
        ("counters.favour={}", "counters.favour: most is missing, and every counter needs a bound; accepted: 1 to 999"),
        ("counters.favour={most=0}", "counters.favour.most: 0 is not more than least, which is 0; accepted: 1 to 999"),
        ("counters.favour={most=5000}", "5000 is not accepted; accepted: a whole number from 0 to 999"),
        ("counters.favour={most=5, start=7}", "counters.favour.start: 7 is not accepted; accepted: 0 to 5, the bounds"),
        ("counters.favour={most=5, of='town'}", "unknown owner 'town'; accepted: city, card, table"),
        ("counters.favour={most=5, lasts='round'}", "unknown duration 'round'; accepted: turn, age, game"),
        ("counters.Favour={most=5}", "counters.Favour: is not accepted as a name; accepted: at most 20 of a-z"),
        (when("Altar", {"event": "built", "gain": {"counter": {"favor": 1}}}), "unknown counter 'favor'"),
        (when("Altar", {"event": "built", "gain": {"counter": 2}}), "2 is not accepted; accepted: a counter and its"),
        (when("Altar", {"event": "built", "gain": {"coins": "counter.favor"}}), "unknown counter 'favor'"),
        (when("Altar", {"event": "built", "gain": {"coins": "10 // counter.x"}}), "divide by max(1, counter.x)"),
        (
            when("Altar", {"event": "built", "gain": {"counter": {"favour": "0 - red"}}}),
            "could be -255, and less than 0 is not accepted; accepted: 255 with lose",
        ),
        (
            when("Altar", {"event": "sold", "gain": {"coins": "card.cost"}}),
            "'card.cost', at character 1: 'sold' is not caused by a structure or stage; accepted: with built,",
        ),
        (when("Altar", {"event": "built", "gain": {"coins": "card.bychain"}}), "did you mean 'by_chain'?"),
        (when("Altar", {"event": "built", "gain": {"coins": "count(card.paid)"}}), "known only for the structure that"),
        (when("Altar", {"event": "built", "gain": {"coins": "last.rde.cost"}}), "did you mean 'red'?"),
        ("settings.sale_coins='card.cost'", "no structure causes this; accepted: count(card.cost > 2)"),
        ("settings.start_coins='counter.favour'", "is not known when this setting is evaluated; accepted: players"),
    ],
)
def test_mistakes_about_counters_and_cards_are_reported_in_one_sentence(change: str, expected: str) -> None:
    with pytest.raises(UserError) as refused:
        load_catalogue("1e", changes=[change])
    assert expected in str(refused.value)
    assert "\n" not in str(refused.value)


def test_unknown_counters_get_suggestions_and_card_facts_are_rejected_in_settings() -> None:
    with pytest.raises(UserError, match=r"unknown counter 'favor' \(did you mean 'favour'\?\); accepted: favour, heat"):
        load_catalogue("1e", changes=[*DECLARED, when("Altar", {"event": "built", "lose": {"counter": {"favor": 1}}})])
    with pytest.raises(UserError, match="'rent' belongs to cards, and a setting has none"):
        load_catalogue("1e", changes=[*DECLARED, "settings.sale_coins='counter.rent'"])


@pytest.mark.parametrize(
    ("counter", "formula", "message"),
    [
        ("{most=3, least=1}", "6 // counter.uses", ""),
        ("{most=3, least=1}", "3 - counter.uses", ""),
        ("{most=4, least=1}", "3 - counter.uses", "'3 - counter.uses' could be -1, and less than 0 is not accepted"),
        (
            "{most=3}",
            "6 // counter.uses",
            "'counter.uses', at character 6: could be 0, and division by 0",
        ),
        ("{most=3}", "6 if 5 % counter.uses > 1 else 0", "could be 0, and division by 0 is not allowed"),
    ],
)
def test_formulas_use_the_bounds_of_counters(counter: str, formula: str, message: str) -> None:
    changes = (f"counters.uses={counter}", when("Altar", {"event": "built", "gain": {"coins": formula}}))
    if not message:
        assert load_catalogue(changes=changes).card("Altar").effects.when
        return
    with pytest.raises(UserError) as error:
        load_catalogue(changes=changes)
    assert message in str(error.value)


def test_a_chosen_amount_may_be_as_large_as_its_counter() -> None:
    clause = {"event": "built", "amount": "2 * counter.uses", "gain": {"coins": "amount"}}
    load_catalogue(changes=("counters.uses={most=10}", when("Altar", clause)))
    with pytest.raises(UserError, match="could be 22, and an amount to choose is at most 20"):
        load_catalogue(changes=("counters.uses={most=11}", when("Altar", clause)))


def test_too_many_counters_are_rejected() -> None:
    many = [f"counters.c{n}={{most=3}}" for n in range(17)]
    with pytest.raises(UserError, match="17 counters are too many; accepted: at most 16"):
        load_catalogue("1e", changes=many)
    of_card = ["counters.rent={most=3, of='card'}"]
    cards = [card.name for card in load_catalogue("1e").cards][:17]
    using = [when(card, {"event": "built", "gain": {"counter": {"rent": 1}}}) for card in cards]
    with pytest.raises(UserError, match="17 counters are too many"):
        load_catalogue("1e", changes=[*of_card, *using])


@pytest.mark.slow
def test_a_house_rule_may_use_a_counter() -> None:
    rules = ("settings.sale_coins='1 + counter.favour'", "settings.tie_breaks=['counter.favour', 'coins']")
    compare_case(Case(4, "1e", 3, (*CHANGES, *rules)), games=3)


def middle(seed: int = 11) -> wsim.Game:
    """Return a game after a turn in which the Altar was built."""
    game = wsim.Game(set=list(CHANGES), players=3, policies="random", seed=seed)
    for _ in range(6):
        builds = [move for move in game.legal() if move.get("card") == "Altar" and move["action"] == "build"]
        game = game.step((builds or game.legal())[0])
    return game


def test_views_and_written_positions_contain_counters() -> None:
    game = middle()
    view: Any = json.loads(game.to_json(seat=game.to_move))["position"]
    assert set(view["counters"]) == {"strife"}
    [owner] = [city for city in view["cities"] if "Altar" in city["built"]]
    assert owner["counters"]["favour"] == 3
    assert "rent of Altar" in owner["counters"]
    again: Any = json.loads(wsim.Game.from_json(game.to_json(seat=game.to_move)).to_json(seat=game.to_move))["position"]
    assert again["counters"] == view["counters"]
    assert [city["counters"] for city in again["cities"]] == [city["counters"] for city in view["cities"]]
    assert wsim.Game.from_json(game.to_json()).to_json() == game.to_json()


@pytest.mark.parametrize(
    ("place", "given", "expected"),
    [
        ("city", {"favour": 9}, "favour in counters of city 0 must be a whole number from 0 to 5, not 9"),
        ("city", {"strife": 1}, "counters of city 0"),
        ("table", {"favour": 1}, "counters of the table"),
        ("table", {"strife": 1000}, "strife in counters of the table"),
    ],
)
def test_impossible_counters_in_a_position_are_rejected(place: str, given: dict[str, int], expected: str) -> None:
    game = middle()
    record: Any = json.loads(game.to_json(seat=game.to_move))
    (record["position"] if place == "table" else record["position"]["cities"][0])["counters"] = given
    with pytest.raises(UserError) as refused:
        wsim.Game.from_json(json.dumps(record))
    assert expected in str(refused.value)


def test_observations_contain_every_counter_of_every_city() -> None:
    env = VectorEnv(4, set=list(CHANGES), players=3, seed=5)
    names = list(env.columns)
    counters = [name for name in names if ".counter:" in name]
    assert counters[:5] == [
        f"own.counter:{name}" for name in ("favour", "heat", "rent of Altar", "rent of Baths", "strife")
    ]
    assert len(counters) == 15
    plain = VectorEnv(4, players=3, seed=5)
    assert not any(".counter:" in name for name in plain.columns)


def test_the_seats_table_has_the_counters_at_the_end() -> None:
    seats = wsim.simulate(set=list(CHANGES), players=3, games=40, seed=3, policies="random")
    assert seats["counter:favour"].max() == 5
    strife = seats["counter:strife"].to_numpy().reshape(40, 3)
    assert (strife == strife[:, :1]).all()
    assert strife.max() > 9
    assert not any(name.startswith("counter:") for name in wsim.simulate(players=3, games=2, seed=3).columns)


def test_bounds_of_counters_are_knobs() -> None:
    values = TUNING.values(engine_table("1e", 3, set=CHANGES))
    assert values["counters", "favour", "most"] == 5
    assert values["cards", "Altar", "when", "1", "gain", "counter", "favour:1"] == 3
