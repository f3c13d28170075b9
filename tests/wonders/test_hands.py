"""Cards of a hand as a set to choose from, and hands that are seen (R105): beside the twin, in views, observations and
redrawing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.engine_tools import RANDOM, engine_table
from tests.wonders.extremes import Case, compare_case, written
from tests.wonders.test_decks import decisions
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.entry_text import effects_text


def spies(event: str = "turn_start", source: str = "left_hand", name: str = "Spies", **more: Any) -> str:
    clause = {"event": event, "may": True, "card": {"from": source}, "gain": {"coins": "card.cost"}, **more}
    return f"table.{name}.when={written([clause])}"


SHOWN = spies("card_built", "hand", "Heralds", color=["blue", "brown"])
DEAR: dict[str, Any] = {"card": {"from": "right_hand", "if": "card.cost > 2 and card.age == age"}}
PUT_ASIDE: dict[str, Any] = {"card": {"from": "hand", "do": "discard", "if": "card.cost > 0"}}
CASES: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    ("1e", 3, (spies(), SHOWN)),
    ("1e", 4, (spies("age_start", **DEAR), spies("sold", "hand", "Heralds"), "settings.last_card='played'")),
    ("1e-duo", 2, (spies(), SHOWN, spies("turn_start", "hand", "Criers"))),
    ("2e-cities-teams", 4, (spies(**DEAR), SHOWN)),
    ("1e", 4, (spies("turn_start", **PUT_ASIDE), spies("card_built", name="Givers", **PUT_ASIDE))),
    ("2e-cities-teams", 4, (spies("age_start", **PUT_ASIDE), spies(name="Givers"), "settings.last_card='played'")),
)


@pytest.mark.boundscheck
@first_checked(("ruleset", "players", "changes"), CASES)
def test_cards_of_hands_are_chosen_as_in_the_twin(ruleset: str, players: int, changes: tuple[str, ...]) -> None:
    chosen = 0
    for trace in compare_case(Case(1, ruleset, players, changes), games=2):
        chosen += sum("picked" in one for one in decisions(trace))
    assert chosen > 10


def test_by_hand_the_own_hand_and_that_of_a_neighbour_are_offered_by_name() -> None:
    """Each of three seats is asked about the hand to its left, then about its own; nothing moves."""
    changes = [spies(**{"if": "turn == 1"}), spies("turn_start", "hand", "Criers", **{"if": "turn == 1"})]
    game = wsim.Game(set=changes, players=3, policies="random", seed=2)
    hands = [set(game.observe(seat)["hand"]) for seat in range(3)]
    for seat in range(3):
        for owner in (seat, (seat + 1) % 3):  # rules of the table by name: Criers, then Spies
            *offered, last = game.legal()
            assert (game.to_move, last["action"]) == (seat, "decline")
            assert {move["picked"] for move in offered} == hands[owner]
            game = game.step(offered[0])
    assert [set(game.observe(seat)["hand"]) for seat in range(3)] == hands
    seen: Any = game.observe(0)
    assert seen["hands_seen"] == [{"turn": 1, "seat": 1, "hand": game.observe(1)["hand"]}]
    position: Any = game._position
    assert "Seat 1's hand" in position.text(0)


def test_nobody_is_asked_about_the_hand_of_the_other_player_in_the_game_for_two() -> None:
    game = wsim.Game(ruleset="1e-duo", set=[spies()], players=2, policies="random", seed=2)
    assert game.decision == "turn"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (spies("age_end"), "'age_end' is not a time to choose from the left neighbour's hand; accepted: turn_start"),
        (spies("last_card", "hand"), "'last_card' is not a time to choose from its own hand; accepted: built"),
        (spies(decider="left"), "only the city itself chooses from the left neighbour's hand; accepted: no decider"),
        (spies(card={"from": "hand", "do": "take"}), "'take' is not possible with a card from its own hand"),
        (spies(card={"from": "left_hand", "do": "discard"}), "not possible with a card from the left neighbour's hand"),
        (spies(card={"from": "hand", "draw": 2}), "nothing is drawn from its own hand; accepted with: from ="),
        (spies(card={"from": "hands"}), "did you mean 'hand'"),
    ],
)
def test_mistakes_about_hands_are_refused_in_a_sentence(change: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_catalogue(changes=(change,))


def test_hands_are_read_in_english() -> None:
    rule = load_catalogue(changes=(spies(card={"from": "right_hand", "if": "card.red"}),)).table[0]
    assert effects_text(rule.effects) == (
        "at the start of each turn: may choose: chooses a card of the right neighbour's hand (it is red): gains "
        "(its cost) coins"
    )


# --- what a seat has seen, and no more


def told(game: wsim.Game, seat: int) -> str:
    return json.dumps(json.loads(game.to_json(seat=seat))["position"]) + json.dumps(game.observe(seat).record)


@pytest.mark.slow
def test_what_the_neighbour_plays_stays_secret() -> None:
    """Seat 1 has seen the hand of seat 2, as seat 2 that of seat 0, which chooses before it."""
    start = wsim.Game(set=[spies(**{"if": "turn == 1"})], players=3, policies="random", seed=2)
    for _ in range(3):
        start = start.step(start.legal()[-1])
    seen = set()
    for number in range(len(start.legal())):
        game = start.clone().step(number)
        seen.add(told(game, 2))
    assert len(start.legal()) > 7
    assert len(seen) == 1


def slots(word: Any) -> set[int]:
    return {slot for slot in range(64) if int(word) >> slot & 1}


@pytest.mark.parametrize(("direction", "step"), [("left", 1), ("right", -1)])
def test_a_hand_that_was_seen_is_kept_by_redrawing_and_followed_afterwards(direction: str, step: int) -> None:
    """Seat 0 sees the hand of a neighbour in turn 1; one card of it goes, the next seat has the others in turn 2."""
    source, beside, behind = f"{direction}_hand", step % 5, 2 * step % 5
    changes = (spies(source=source, **{"if": "turn == 1"}), f"settings.passing=['{direction}', 'left', 'left']")
    position: Any = engine_table("1e", 5, set=changes).begin(3)
    fresh = set()
    while int(position.record.public.turn) == 0:
        asked = position.decision() == "effect"
        hand, me = slots(position.record.own[beside].hand), position.to_move
        took = int(position.record.own[beside].took[0, 0])
        for number in range(5):
            if not asked or me == 0:
                drawn = position.redrawn(0, number).record.own[beside]
                assert slots(drawn.hand) | ({int(drawn.took[0, 0])} - {-1}) == hand | ({took} - {-1})
            if not asked:
                fresh.add(frozenset(slots(position.redrawn(behind, number).record.own[beside].hand)))
        position.take(0)
    own = position.record.own[beside]
    before = slots(own.passed[0, 0]) | {int(own.took[0, 0])}
    left = {frozenset(slots(position.redrawn(0, number).record.own[behind].hand)) for number in range(60)}
    assert all(hand < before and len(hand) == len(before) - 1 for hand in left)
    deed = next(one for one in position.view(0)["public_moves"] if one["seat"] == beside)
    assert (len(left) == 1) == ("card" in deed), "what is built is known; of what goes face down each is as likely"
    assert len(fresh) > 3, "who has not seen the hand draws another"
    other = {frozenset(slots(position.redrawn(3 * step % 5, number).record.own[behind].hand)) for number in range(20)}
    assert len(other) > 10


def test_observations_show_a_hand_only_to_who_saw_it_and_until_the_moves() -> None:
    env = VectorEnv(2, set=[spies(**{"if": "turn == 2"})], players=3, policies="random", seed=1)
    step = env.reset()
    columns = [place for place, name in enumerate(env.columns) if name.startswith("left_hand:")]
    right = [place for place, name in enumerate(env.columns) if name.startswith("right_hand:")]
    shown: set[tuple[int, int]] = set()
    for _ in range(30):
        turn = int(step.observations[0, env.columns.index("turn")])
        assert not step.observations[:, right].any()
        shown.add((turn, int(step.observations[0, columns].sum())))
        step = env.step(np.array([np.flatnonzero(mask)[-1] for mask in step.masks]))
    counts = {turn: {number for one, number in shown if one == turn} for turn, _ in shown}
    assert max(counts[1]) == 6, "the whole hand of turn 2"
    assert all(numbers == {0} for turn, numbers in counts.items() if turn != 1)


@pytest.mark.parametrize("policy", ["greedy", "balanced", "net"])
def test_policies_choose_the_dearest_card_of_a_hand(policy: str) -> None:
    game = wsim.Game(set=[spies(**{"if": "turn == 1"})], players=3, policies=policy, seed=4)
    cards = {card.name: card.cost for card in load_catalogue().cards}
    worth = [
        sum(dict(cards[move["picked"]].resources).values()) + cards[move["picked"]].coins if "picked" in move else 0
        for move in game.legal()
    ]
    assert worth[game.legal().index(game.ask(policy))] == max(worth) > 0


def test_search_sees_the_hand_and_chooses() -> None:
    game = wsim.Game(set=[spies(**{"if": "turn == 1"})], players=3, policies="search:playouts=3", seed=4)
    decisions = []
    for _ in range(4):
        decisions.append(game.decision)
        game.made()
    assert decisions == ["effect"] * 3 + ["turn"]


@pytest.mark.boundscheck
def test_redrawn_hands_have_their_sizes_and_no_card_twice() -> None:
    """Every seat redraws every sixth position of a game in which hands lose cards, without and with hands seen."""
    both = (spies("turn_start", **PUT_ASIDE), spies("card_built", name="Givers", **PUT_ASIDE))
    for more in ((), (spies(name="Watch", **{"if": "turn == 3"}),)):
        position: Any = engine_table("1e", 4, (RANDOM,), set=(*both, *more)).begin(2)
        sizes, steps = set(), 0
        while position.to_move is not None:
            for me in range(4) if steps % 6 == 0 else ():
                real, drawn = position.record, position.redrawn(me, steps).record
                hands = [slots(own.hand) for own in drawn.own[:4]]
                assert len(set.union(*hands)) == sum(map(len, hands))
                for seat in range(4):
                    assert held(drawn, seat) == held(real, seat), (steps, me, seat)
                assert drawn.hidden.copies.sum() == real.public.discarded
                sizes.add(len({held(real, seat) for seat in range(4)}))
            position.take(steps % len(position.moves()))
            steps += 1
        assert sizes == {1, 2}, "hands had different sizes"


def held(record: Any, seat: int) -> int:
    """Return the size of a hand, with a card that is chosen but not yet played."""
    own, public = record.own[seat], record.public
    return len(slots(own.hand)) + int(own.took[int(public.age), int(public.turn)] >= 0)


def test_a_seat_remembers_what_it_put_aside() -> None:
    """The view lists it with the hand that was handed on, and a position described by that view is the same."""
    changes = [spies("turn_start", **PUT_ASIDE, **{"if": "turn == 1"}).replace("true", "false")]
    game = wsim.Game(set=changes, players=3, policies="random", seed=7)
    put = []
    for _ in range(3):
        put.append(game.legal()[0]["picked"])
        game = game.step(0)
    game = game.at(age=1, turn=2)
    for seat in range(3):
        seen: Any = game.observe(seat)
        assert [(one["turn"], one["put_aside"]) for one in seen["handed_on"]] == [(1, put[seat])]
        assert [city["hand_size"] for city in seen["cities"]] == [5, 5, 5]
    described = json.loads(game.to_json(seat=0))
    again = wsim.Game.from_json(json.dumps(described))
    assert again.observe(0)["hand"] == game.observe(0)["hand"]
    assert [len(again.observe(seat)["hand"]) for seat in range(3)] == [5, 5, 5]
    assert again.observe(0)["handed_on"] == game.observe(0)["handed_on"]
