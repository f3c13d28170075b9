"""Drafts of further decks (R101, R102): beside the twin, in texts, positions, observations, redrawing, every policy."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case
from tests.wonders.test_decks import decisions, deck, several
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.listing import catalogue_dict, further_deck_rows

COMPANIONS = str(Path(__file__).parents[2] / "analysis" / "expansion" / "companions.toml")
LATER = (
    deck(several(14, points=1, cost=1), draft=2, age=2),
    deck({f"Bard{n}": {"cost": n % 3} for n in range(21)}, "Bards", draft=3, after=1, recruit="age_end"),
    deck({f"Crier{n}": {"coins": 1} for n in range(14)}, "Criers", draft=2, after=3, recruit="age_end"),
    deck({f"Duke{n}": {"points": 1} for n in range(7)}, "Dukes", deal=1, after=2),
)
TWO = (deck(several(35, points=1, cost=1), draft=5), deck({f"Bard{n}": {} for n in range(14)}, "Bards", draft=2))


@pytest.mark.boundscheck
@first_checked(
    ("ruleset", "players", "changes"),
    [
        ("1e", 3, ()),
        ("1e-duo", 2, TWO),
        ("2e-cities-teams", 4, (*TWO, "settings.passing=['right', 'left', 'left']")),
    ],
)
def test_drafts_agree_with_the_twin(ruleset: str, players: int, changes: tuple[str, ...]) -> None:
    traces = compare_case(Case(1, ruleset, players, changes, () if changes else (COMPANIONS,)), games=2)
    kept = 4 + 1 if changes else 3
    for trace in traces:
        made = [one["action"] for one in decisions(trace)]
        assert made[: kept * players] == ["keep"] * kept * players
        assert "keep" not in made[kept * players :]


@pytest.mark.boundscheck
@first_checked(("ruleset", "players"), [("1e", 3), ("2e-cities-teams", 4), ("1e-duo", 2)])
def test_drafts_before_and_after_later_ages_play_as_in_the_twin(ruleset: str, players: int) -> None:
    turned = "settings.passing=['left', 'right', 'right']"
    for trace in compare_case(Case(1, ruleset, players, (*LATER, turned)), games=2):
        kept = [
            (age["age"], one["deck"])
            for age in trace["ages"]
            for one in decisions({"ages": [age]})
            if one["action"] == "keep"
        ]
        assert kept == [
            *[(1, "Bards")] * 2 * players, *[(2, "Envoys")] * players, *[(3, "Criers")] * players,
        ]  # fmt: skip


def test_a_draft_is_listed_and_described_in_english() -> None:
    catalogue = load_catalogue(changes=(deck(several(14, cost=2), draft=2),))
    assert catalogue_dict(catalogue)["decks"]["Envoys"]["draft"] == 2
    assert further_deck_rows(catalogue)[0]["meaning"] == (
        "2 cards dealt to each player, who keeps one and passes the others on until all are kept, of 14; each player "
        "may recruit one at the start of each age"
    )
    game = wsim.Game(set=[deck(several(14, cost=2), draft=2)], players=3, policies="random", seed=1)
    assert game.phrase(game.legal()[0]).endswith(" (2 coins: none)")
    assert game.phrase(game.legal()[0]).startswith("Envoys: keep Envoy")


def test_a_seat_sees_its_current_hand_and_kept_cards() -> None:
    game = wsim.Game(patch=[COMPANIONS], players=3, policies="random", seed=2)
    first: Any = game.observe(0)
    assert (len(first["draft"]), first["recruits"], first["hand"]) == (4, [], [])
    assert [move["card"] for move in game.legal()] == first["draft"]
    for _ in range(3):
        game = game.step(game.legal()[0])
    after: Any = game.observe(0)
    assert (len(after["draft"]), len(after["recruits"])) == (3, 1)
    assert not set(after["draft"]) & set(first["draft"])
    position: Any = engine_table("1e", 3, patch=(COMPANIONS,)).begin(2)
    assert [len(hand) for hand in position.view(None)["drafts"]] == [4, 4, 4]
    assert "You keep one of these and pass the others on" in position.text(0)
    seen = game.scene(0)
    assert seen is not None
    assert {card.name for card in seen.cities[0].hand} == {*after["draft"], *after["recruits"]}
    for _ in range(6):
        game = game.step(game.legal()[0])
    last: Any = game.observe(0)
    assert ("draft" in last.record, len(last["recruits"]), len(last["hand"])) == (False, 4, 7)


def test_positions_can_be_set_up_after_but_not_during_a_draft() -> None:
    game = wsim.Game(patch=[COMPANIONS], players=3, policies="random", seed=2)
    with pytest.raises(UserError, match="accepted: a position after the draft"):
        wsim.Game.from_json(game.to_json(seat=0), trust=True)
    while game.decision == "effect":
        game = game.step(game.legal()[-1])
    again = wsim.Game.from_json(game.to_json(seat=0), trust=True)
    assert again.decision == "turn"
    assert again.observe(0)["recruits"] == game.observe(0)["recruits"]
    while again.to_move is not None:
        again.made()


# --- what a seat does not know is drawn again


def held(position: Any, seat: int) -> tuple[int, int, list[int]]:
    own = position.record.own[seat]
    return int(own.recruits), int(own.draft), [int(hand) for hand in own.drafted]


@pytest.mark.parametrize(
    ("ruleset", "players", "size", "step"), [("1e", 3, 5, 1), ("1e", 4, 3, 1), ("1e", 3, 4, -1), ("1e-duo", 2, 6, 1)]
)
def test_redrawn_drafts_are_consistent_with_what_a_seat_saw(ruleset: str, players: int, size: int, step: int) -> None:
    """Every hand that is passed on has lost one card, which its player has kept; to the right with a step of -1."""
    turned = () if step > 0 else ("settings.passing=['right', 'left', 'left']",)
    position: Any = engine_table(ruleset, players, set=(deck(several(42, points=1), draft=size), *turned)).begin(7)
    found = 0
    for number in range(players * size + 2):
        me = number % players
        before = [held(position, seat) for seat in range(players)]
        recruited = [int(cards) for cards in position.record.public.recruited[:players]]
        for drawing in range(6):
            drawn = position.redrawn(me, drawing)
            hands = [held(drawn, seat) for seat in range(players)]
            found += hands != before
            assert hands[me] == before[me]
            everything = recruited + [hand for kept, left, _ in hands for hand in (kept, left)]
            assert sum(hand.bit_count() for hand in everything) == np.bitwise_or.reduce(everything).bit_count()
            for seat in range(players):
                assert [part.bit_count() for part in hands[seat][:2]] == [part.bit_count() for part in before[seat][:2]]
                for turn in range(size - 1):
                    had, left = hands[seat][2][turn], hands[(seat + step) % players][2][turn + 1]
                    if left:
                        assert (left & ~had, (had & ~left).bit_count()) == (0, 1)
                        assert had & ~left & (hands[seat][0] | recruited[seat])
        position.take(number % 2)
    assert found > players * size


@pytest.mark.parametrize("when", [{"age": 2}, {"after": 1}, {"after": 2}, {"age": 3}])
def test_a_later_draft_hides_what_it_should(when: dict[str, Any]) -> None:
    """During the draft, search resamples hands of the age, pile and stock, but keeps its seat's knowledge."""
    change = deck(several(28, points=1), draft=3, **when)
    position: Any = engine_table("1e", 4, set=(change,)).begin(7)
    met, dice = 0, random.Random(5)
    while position.to_move is not None and met < 8:
        if position.decision() == "effect" and int(position.record.own[0].draft):
            met += 1
            age, me = int(position.record.public.age), position.to_move
            truth = position.record
            drawn = [position.redrawn(me, number).record for number in range(12)]
            for one in drawn:
                own, mine = one.own[me], truth.own[me]
                assert (int(own.draft), int(own.recruits), int(own.hand)) == (
                    int(mine.draft), int(mine.recruits), int(mine.hand),
                )  # fmt: skip
                assert [int(own.hand).bit_count() for own in one.own[:4]] == [
                    int(own.hand).bit_count() for own in truth.own[:4]
                ]
                hands = [int(own.recruits) | int(own.draft) for own in one.own[:4]]
                assert sum(map(int.bit_count, hands)) == int(np.bitwise_or.reduce(hands)).bit_count() == 12
                assert int(one.hidden.copies.sum()) == int(truth.public.discarded)
            other = (me + 1) % 4
            assert len({int(one.own[other].draft) | int(one.own[other].recruits) << 28 for one in drawn}) > 1
            if "age" in when:
                assert len({int(one.own[other].hand) for one in drawn}) > 1, "the hands of the age are dealt"
            buried = int(truth.public.stages[:4].sum()) - int(truth.public.stages[me])
            piles = {tuple(one.hidden.copies.tolist()) for one in drawn}
            assert (len(piles) > 1) == (buried > 0), "what others sold, and did not put under a stage, is not known"
            assert len({int(one.hidden.deals) for one in drawn}) == 12
            assert age == (when.get("age") or when["after"]) - 1
        position.take(dice.randrange(len(position.coded)))
    assert met == 8


@pytest.mark.slow
def test_the_view_of_a_later_draft_is_the_same_whatever_others_keep() -> None:
    change = deck(several(28, points=1), draft=3, after=1)
    start = wsim.Game(set=[change], players=4, policies="random", seed=3)
    while start.decision != "effect":
        start.made()
    seen = set()
    for first in range(3):
        game = start.clone().step(first)
        seen.add(json.dumps(json.loads(game.to_json(seat=2))["position"]) + json.dumps(game.observe(2).record))
    assert len(seen) == 1
    position: Any = start._position
    assert "after the conflicts, a draft" in position.text(0)[0]
    earlier = wsim.Game.from_json(start.to_json(seat=0), trust=True)
    assert earlier.decision == "turn", "the latest moment that a position file can express"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (deck(several(21), draft=3, age=2, after=1), "age and after are given; accepted: one of age = 2"),
        (
            deck(several(21), deal=3, after=3),
            "no age starts after age 3, so nobody could recruit; accepted: 1 or 2, or",
        ),
        (deck(several(21), deal=3, after=4), "after: 4 is not accepted"),
    ],
)
def test_mistakes_about_moments_are_refused_in_a_sentence(change: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_catalogue(changes=(change,))


def test_cards_drafted_at_the_end_are_recruited_at_the_end() -> None:
    change = deck(several(21, points=9), draft=3, after=3, recruit="age_end")
    frame = wsim.simulate(set=[change], players=3, policies="balanced", games=5, seed=3)
    recruited = frame.select([name for name in frame.columns if name.startswith("recruited:")]).to_numpy().sum(axis=1)
    assert recruited.tolist() == [1] * 15
    meaning = further_deck_rows(load_catalogue(changes=(change,)))[0]["meaning"]
    assert meaning.startswith("3 cards dealt to each player after the conflicts of age 3, who keeps one and passes")


def test_redrawing_makes_all_unseen_cards_equally_likely() -> None:
    position: Any = engine_table("1e", 3, set=(deck(several(14, points=1), draft=2),)).begin(5)
    own = int(position.record.own[0].draft)
    counted: Counter[int] = Counter()
    for number in range(600):
        hand = int(position.redrawn(0, number).record.own[1].draft)
        counted.update(card for card in range(14) if hand >> card & 1)
    unseen = [counted[card] for card in range(14) if not own >> card & 1]
    assert sum(unseen) == 1200
    assert np.all(np.abs(np.array(unseen) - 100) < 5 * np.sqrt(600 / 6 * 5 / 6))


# --- policies and environments


def test_observations_and_actions_include_draft_cards() -> None:
    env = VectorEnv(4, patch=[COMPANIONS], players=3, policies="random", seed=1)
    step = env.reset()
    shown = [place for place, name in enumerate(env.columns) if name.startswith("draft:")]
    kept = [place for place, name in enumerate(env.columns) if name.startswith("recruit:")]
    names = [name for name in env.actions if name.startswith("recruit:")]
    offered = [env.actions.index(name) for name in names]
    for turn in (0, 0, 0, 1, 1, 1, 2, 2, 2):
        assert (step.observations[:, shown].sum(axis=1) == 4 - turn).all()
        assert (step.observations[:, kept].sum(axis=1) == turn).all()
        assert (step.masks[:, offered] == (step.observations[:, shown] > 0)).all()
        assert (step.masks.sum(axis=1) == 4 - turn).all()
        step = env.step(step.masks.argmax(axis=1))
    assert (step.observations[:, kept].sum(axis=1) == 4).all()


def test_policies_keep_worthwhile_cards() -> None:
    """In each hand of four, one card is clearly worth the most."""
    cards = {f"Hero{number}": {"points": 9} for number in range(7)} | several(21, cost=3)
    for policy in ("greedy", "balanced", "net"):
        frame = wsim.simulate(set=[deck(cards, draft=4)], players=7, policies=policy, games=10, seed=3)
        heroes = frame.select([name for name in frame.columns if name.startswith("recruited:Hero")])
        others = frame.select([name for name in frame.columns if name.startswith("recruited:Envoy")])
        assert heroes.to_numpy().sum() == 70, "every hero is kept, then recruited"
        assert others.to_numpy().sum() == 0


def test_every_policy_drafts_and_picks_record_the_decisions() -> None:
    line_up = ["random", "greedy", "balanced", "net", "rulebased"]
    plan: dict[str, Any] = {"patch": [COMPANIONS], "players": 5, "policies": line_up, "games": 10, "seed": 5}
    frame = wsim.simulate(**plan)
    recruited = frame.select([name for name in frame.columns if name.startswith("recruited:")]).to_numpy().sum(axis=1)
    assert (recruited.min() >= 0, recruited.max()) == (True, 3)
    game = wsim.Game(patch=[COMPANIONS], players=3, policies="search:playouts=4", seed=4)
    for _ in range(9):
        assert game.decision == "effect"
        game.made()
    assert len(json.loads(game.to_json(seat=0))["position"]["recruits"]) == 4
