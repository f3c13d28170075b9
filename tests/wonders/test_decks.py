"""Further decks (R88-R92): in files, listings, texts, positions, observations, redrawing, knobs, and every policy."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case, written
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.spec.faces import Symbol
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.faces import faces
from wsim.wonders.catalog.listing import catalogue_dict, diff_lines, recruit_rows
from wsim.wonders.tunable_values import TUNING

COUNSELLORS = str(Path(__file__).parents[2] / "analysis" / "expansion" / "counsellors.toml")


def deck(cards: dict[str, Any], name: str = "Envoys", **more: Any) -> str:
    return f"decks.{name}={written({**more, 'cards': cards})}"


def several(number: int, **card: Any) -> dict[str, Any]:
    return {f"Envoy{place}": dict(card) for place in range(number)}


def decisions(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for age in trace["ages"] for part in (*age["turns"], age) for one in part.get("decisions", ())]


def recruits(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in decisions(trace) if "deck" in one and one["action"] == "choose"]


@pytest.mark.boundscheck
@first_checked(("ruleset", "players"), [("1e", 3), ("1e", 7), ("1e-duo", 2)])
def test_invented_decks_agree_with_the_twin(ruleset: str, players: int) -> None:
    traces = compare_case(Case(1, ruleset, players, (), (COUNSELLORS,)), games=3)
    assert {one["deck"] for trace in traces for one in recruits(trace)} == {"Charters", "Counsellors"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((deck({"A": {}}, deal=1, display=1),), "deal and display are given"),
        ((deck({"A": {}}),), "neither deal, display nor draft is given"),
        ((deck({"A": {}}, deal=1),), "1 for each of up to 7 players are 7 cards, but the deck has 1"),
        ((deck({"A": {}}, draft=1),), "1 is not accepted; accepted: a whole number from 2 to 8"),
        ((deck({"A": {}}, draft=9),), "9 is not accepted; accepted: a whole number from 2 to 8"),
        ((deck({"A": {}}, draft=2, display=1),), "display and draft are given; accepted: one of deal = 4"),
        ((deck({"A": {}}, draft=2),), "2 for each of up to 7 players are 14 cards, but the deck has 1"),
        ((deck({"A": {}}, display=2),), "2 displayed are 2 cards, but the deck has 1"),
        ((deck({}, display=1),), "cards are missing"),
        ((deck({"A": {"cost": -1}}, display=1),), "-1 is not accepted; accepted: a whole number from 0 to 99"),
        ((deck({"A": {"cots": 1}}, display=1),), "unknown field or effect 'cots' (did you mean 'cost'?)"),
        ((deck({"A": {"coin_loss": {"who": "others", "n": 1}}}, display=1),), "is not accepted on a card of a deck"),
        ((deck({"Altar": {}}, display=1),), "already has this name"),
        ((deck({"A": {}}, display=1), deck({"A": {}}, "Others", display=1)), "already has this name"),
        ((deck({"A": {}}, display=1, recruit="sold"),), "unknown event 'sold'"),
        ((deck({"A": {"when": [{"event": "built", "gain": {"coins": "rde"}}]}}, display=1),), "did you mean 'red'"),
        (tuple(deck({f"A{n}": {}}, f"Deck{n}", display=1) for n in range(5)), "5 decks are too many"),
        ((deck(several(65), deal=1),), "65 cards of decks are too many; accepted: at most 64"),
    ],
)
def test_a_mistake_in_a_deck_is_named(changes: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError) as error:
        load_catalogue(changes=changes)
    assert message in str(error.value)
    assert "decks" in str(error.value)


def test_a_deck_is_listed_compared_and_part_of_the_digest() -> None:
    gain = {"event": "built", "gain": {"coins": "1"}}
    cards: dict[str, Any] = {"Poet": {"cost": 2, "points": 3}, "Scout": {"when": [gain]}}
    catalogue = load_catalogue(changes=(deck(cards, display=2),))
    listed = catalogue_dict(catalogue)["decks"]["Envoys"]
    assert listed["cards"] == {"Poet": cards["Poet"], "Scout": {"cost": 0, **cards["Scout"]}}
    assert (listed["display"], listed["recruit"]) == (2, "age_start")
    assert [row["effects"] for row in recruit_rows(catalogue)] == ["3 points", "when recruited: gains 1 coin"]
    dearer = load_catalogue(changes=(deck(cards, display=2), "decks.Envoys.cards.Poet.cost=3"))
    assert len({catalogue.digest, dearer.digest, load_catalogue().digest}) == 3
    assert diff_lines(catalogue, dearer) == ["Decks", "  Poet: cost 2 -> 3"]
    assert "decks" not in catalogue_dict(load_catalogue())


def test_the_numbers_of_a_deck_are_knobs() -> None:
    values = TUNING.values(engine_table("1e", 3, patch=(COUNSELLORS,)))
    assert values[("decks", "Counsellors", "deal")] == 3
    assert values[("decks", "Counsellors", "cards", "General", "cost")] == 4
    assert values[("decks", "Counsellors", "cards", "General", "shields")] == 2
    assert values[("decks", "Counsellors", "cards", "Taxman", "when", "1", "gain", "coins:1")] == 3


def test_points_of_a_recruited_card_can_be_added_to_recorded_games() -> None:
    table = engine_table("1e", 3, set=(deck({"Hero": {"points": 9}, "Bard": {}}, display=2),))
    seats = wsim.simulate(set=[deck({"Hero": {"points": 9}, "Bard": {}}, display=2)], players=3, games=10, seed=1)
    path = ("decks", "Envoys", "cards", "Hero", "points")
    worth = TUNING.worth(table, path, seats)
    assert worth is not None
    assert worth.tolist() == seats["recruited:Hero"].to_list()
    assert TUNING.worth(table, (*path[:-1], "cost"), seats) is None


def test_positions_and_traces_show_recruited_cards() -> None:
    game = wsim.Game(patch=[COUNSELLORS], players=3, policies="random", seed=2)
    assert game.decision == "effect"
    hand = json.loads(game.to_json(seat=0))["position"]["recruits"]
    legal: list[Any] = list(game.legal())
    assert [move.get("card") for move in legal][:-1] == hand
    assert legal[-1]["action"] == "decline"
    assert game.phrase(legal[0]).startswith(f"Counsellors: recruit {hand[0]} (")
    after = game.step(legal[0])
    seen = json.loads(after.to_json(seat=1))["position"]
    assert seen["cities"][0]["recruited"] == [hand[0]]
    assert len(seen["display"]) == 6
    assert not set(seen["recruits"]) & set(hand)


@pytest.mark.slow
def test_effects_of_recruits_at_the_end_of_an_age_belong_to_the_age_in_traces() -> None:
    """Also where the event is one of turns: here a structure that a recruit builds from the pile sets off a clause."""
    builds = {"event": "built", "card": {"from": "discarded", "do": "build"}, "gain": {"coins": "2"}}
    watches = {"event": "card_built", "by": "anyone", "gain": {"shields": "1"}}
    changes = (
        deck(several(14, when=[builds]), display=14, recruit="age_end"),
        f"table.Watch.when={written([watches])}",
    )
    for trace in compare_case(Case(3, "1e", 3, changes), games=1):
        for age in trace["ages"]:
            chosen = [one["action"] for one in age["decisions"]]
            assert chosen.count("choose") > 1, "recruits, and what they build"
            assert {"gain coins", "gain shields"} <= {effect["does"] for effect in age["effects"]}


def test_a_position_with_decks_can_be_set_up_from_the_view_of_a_seat() -> None:
    game = wsim.Game(patch=[COUNSELLORS], players=3, policies="random", seed=2)
    while game.decision == "effect":
        game = game.step(game.legal()[0])
    described = game.to_json(seat=game.to_move)
    again = wsim.Game.from_json(described, trust=True)
    assert json.loads(again.to_json(seat=again.to_move))["position"] == json.loads(described)["position"]
    broken = described.replace('"recruits": [', '"recruits": ["Nobody", ')
    assert broken != described
    with pytest.raises(UserError, match="unknown card 'Nobody'"):
        wsim.Game.from_json(broken, trust=True)


def test_redrawing_keeps_visible_cards_and_draws_other_hands_uniformly() -> None:
    changes = (deck(several(14, points=1), deal=2),)
    table = engine_table("1e", 3, set=changes)
    position: Any = table.begin(5)
    own = int(position.record.own[0].recruits)
    counted: Counter[int] = Counter()
    for number in range(600):
        drawn = position.redrawn(0, number)
        assert int(drawn.record.own[0].recruits) == own
        hands = [int(drawn.record.own[seat].recruits) for seat in range(3)]
        assert [hand.bit_count() for hand in hands] == [2, 2, 2]
        assert hands[0] & hands[1] == hands[0] & hands[2] == hands[1] & hands[2] == 0
        counted.update(card for card in range(12) if hands[1] >> card & 1)
    unseen = [counted[card] for card in range(12) if not own >> card & 1]
    assert len(unseen) == 10
    assert np.all(np.abs(np.array(unseen) - 120) < 5 * np.sqrt(600 * 0.2 * 0.8))


def test_observations_and_actions_include_deck_cards() -> None:
    env = VectorEnv(4, patch=[COUNSELLORS], players=3, policies="random", seed=1)
    step = env.reset()
    hands = step.observations[:, [place for place, name in enumerate(env.columns) if name.startswith("recruit:")]]
    assert (hands.sum(axis=1) == 3).all()
    shown = [place for place, name in enumerate(env.columns) if name.startswith("display:")]
    assert (step.observations[:, shown].sum(axis=1) == 6).all()
    offered = [place for place, name in enumerate(env.actions) if name.startswith("recruit:")]
    assert len(offered) == 29
    chosen = [int(np.flatnonzero(row[offered])[0]) for row in step.masks]
    names = [env.actions[offered[place]].partition(":")[2] for place in chosen]
    step = env.step(np.array([offered[place] for place in chosen]))
    for game, name in enumerate(names):
        cities = [place for place, column in enumerate(env.columns) if column.endswith(f".recruited:{name}")]
        assert step.observations[game, cities].sum() == 1


def test_every_policy_plays_with_decks() -> None:
    line_up = ["random", "greedy", "balanced", "net"]
    frame = wsim.simulate(patch=[COUNSELLORS], players=4, policies=line_up, games=60, seed=5)
    recruited = frame.select([name for name in frame.columns if name.startswith("recruited:")])
    assert recruited.width == 29
    by_seat = recruited.to_numpy().sum(axis=1)
    assert by_seat.min() >= 0
    assert by_seat.max() <= 6
    game = wsim.Game(patch=[COUNSELLORS], players=3, policies="search:playouts=4", seed=4)
    asked = 0
    while game.to_move is not None:
        asked += game.decision == "effect"
        game.made()
    assert asked


def recruited(cards: dict[str, Any], policy: str) -> dict[str, float]:
    frame = wsim.simulate(set=[deck(cards, display=len(cards))], players=3, policies=policy, games=30, seed=3)
    return {name: float(frame[f"recruited:{name}"].to_numpy().mean()) for name in cards}


def test_value_based_policies_recruit_worthwhile_cards() -> None:
    cards = {"Hero": {"points": 9}, "Fool": {"cost": 3, "points": -5}, "Idler": {"cost": 3}}
    for policy in ("greedy", "balanced", "net"):
        shares = recruited(cards, policy)
        assert shares["Hero"] == pytest.approx(1 / 3)
        assert shares["Fool"] == shares["Idler"] == 0


# --- as cards on pages


def test_deck_cards_have_faces_after_those_of_the_ages() -> None:
    """Without a colour, by deck."""
    cards = {"Captain": {"cost": 2, "shields": 1}, "Reeve": {"when": [{"event": "built", "gain": {"coins": 1}}]}}
    every = faces(load_catalogue(changes=(deck(cards, display=2),)))
    captain, reeve = (face for face in every if face.noun == "recruit")
    assert [face.noun for face in every].index("recruit") == len(load_catalogue().cards)
    assert (captain.name, captain.kind, captain.about) == ("Captain", "", ("to recruit", "Envoys"))
    assert captain.facets == {"deck": ("Envoys",)}
    assert (captain.part.cost, captain.part.gives) == ((Symbol("coin", "2"),), ((Symbol("shield"),),))
    assert (captain.part.costs, captain.part.does) == ("2 coins", "1 shield")
    assert (reeve.part.costs, reeve.part.does) == ("free", "When recruited: gains 1 coin")


def test_a_replay_shows_recruited_cards_from_the_turn_they_were_recruited() -> None:
    plan = Plan.make(patch=[COUNSELLORS], policies="balanced", seed=3)
    simulator: Any = find_game(plan.game).prepare(plan)
    told, trace = simulator.story(0), simulator.trace(0)
    names = {name for decks in catalogue_dict(simulator.catalogue)["decks"].values() for name in decks["cards"]}
    recruited = [
        (decision["seat"], decision["card"])
        for age in trace["ages"]
        for part in (*age["turns"], age)
        for decision in part.get("decisions", ())
        if "deck" in decision and decision["action"] != "decline"
    ]
    new = [
        (seat, card.name)
        for scene in told.scenes
        for seat, city in enumerate(scene.cities)
        for card in city.cards
        if card.name in names and card.note
    ]
    last = [(seat, card.name) for seat, city in enumerate(told.scenes[-1].cities) for card in city.cards
            if card.name in names]  # fmt: skip
    assert sorted(last) == sorted(recruited)
    assert set(new) <= set(recruited)
    assert len(recruited) > 6


def test_a_seat_sees_deck_cards_only_in_its_own_hand() -> None:
    game = wsim.Game(patch=COUNSELLORS, policies="balanced", seed=3)
    view = game.observe(1)
    seen = game.scene(1)
    assert seen is not None
    hand = {card.name: card.note for card in seen.cities[1].hand if card.name in view["recruits"]}
    assert len(hand) == len(view["recruits"]) > 0
    assert all(": " in note for note in hand.values())
    assert not any(city.hand for seat, city in enumerate(seen.cities) if seat != 1)
