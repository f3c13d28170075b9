"""Cards of a set that a city chooses (R80-R82): in play, texts, positions, tables, environments, and every policy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import wsim
from tests.tiers import first_checked
from tests.wonders.clause_changes import check_refusal, when
from tests.wonders.engine_tools import engine_table
from tests.wonders.extremes import Case, compare_case
from tests.wonders.test_decisions import FAVOUR, decisions
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.tunable_values import TUNING

PILE = {"from": "discarded", "do": "build"}
OWN = {"from": "city", "do": "discard"}
OFTEN = (
    FAVOUR,
    when(
        "Altar",
        {
            "event": "turn_start",
            "if": "turn % 3 == 1",
            "may": True,
            "card": {**PILE, "if": "card.cost < 3 or card.blue"},
        },
        {
            "event": "card_built",
            "by": "neighbor",
            "choose": [
                {"card": OWN, "gain": {"coins": "1 + card.by_chain + 2 * card.from_discard + 3 * card.paid"}},
                {
                    "card": {"from": "left", "if": "card.shields > 0"},
                    "price": "card.shields",
                    "gain": {"shields": "card.shields"},
                },
                {"gain": {"counter": {"favour": 1}}},
            ],
        },
    ),
    when(
        "Baths",
        {"event": "sold", "by": "anyone", "price": "card.cost", "card": PILE, "lose": {"coins": 1}},
        {
            "event": "age_end",
            "card": {**OWN, "if": "card.brown or card.yellow or card.gray"},
            "gain": {"victory_tokens": 1, "left_raw_price": 1},
        },
        {"event": "age_start", "may": True, "card": PILE},
        {"event": "after_conflicts", "may": True, "card": {"from": "right"}, "gain": {"coins": "card.cost"}},
    ),
    when(
        "Theater",
        {
            "event": "card_built",
            "by": "self",
            "card": {**OWN, "if": "card.age < age"},
            "may": True,
            "lose": {"right_raw_price": 1},
            "gain": {"coins": "last.cards.cost + new_cards"},
        },
        {"event": "built", "card": PILE},
    ),
    when(
        "Lumber Yard",
        {"event": "built", "may": True, "card": {"from": "left"}, "gain": {"coins": "min(new_brown, card.cost)"}},
        {"event": "before_conflicts", "card": {**OWN, "if": "card.red or card.green"}},
    ),
)
TABLES = (("1e", 4), ("1e-duo", 2), ("2e-cities-teams", 4))


@pytest.mark.boundscheck
@first_checked(("ruleset", "players"), TABLES)
def test_card_choices_agree_with_the_twin(ruleset: str, players: int) -> None:
    traces = compare_case(Case(players, ruleset, players, OFTEN), games=8)
    made = Counter((one["card"], one["when"]) for trace in traces for one in decisions(trace) if "picked" in one)
    assert set(made) >= {("Altar", 1), ("Altar", 2), ("Baths", 1), ("Baths", 2), ("Theater", 1), ("Lumber Yard", 2)}


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), [("1e", 3), ("1e", 7), ("2e", 5), ("2e-cities", 6), *TABLES])
def test_card_choices_agree_with_the_twin_in_many_games(ruleset: str, players: int) -> None:
    for seed in range(3):
        compare_case(Case(seed, ruleset, players, OFTEN), games=15)


POLICIES = ("random", "first", "greedy", "rulebased", "balanced", "net", "search:playouts=4", "endgame:playouts=4")


@pytest.mark.slow
def test_every_policy_chooses_cards() -> None:
    frame = wsim.simulate(set=OFTEN, players=4, policies=POLICIES[:4], games=30, seed=5)
    assert len(frame) == 120
    game = wsim.Game(set=OFTEN, players=4, policies=["net", POLICIES[6], POLICIES[7], "balanced"], seed=5)
    asked = set()
    while game.to_move is not None:
        if any("picked" in move for move in game.legal()):
            asked.add(game.to_move)
        game.made()
    assert len(asked) > 1


@pytest.mark.slow
def test_policies_build_good_cards_and_discard_the_least_valuable() -> None:
    """Whoever weighs moves builds the best card of the pile, and parts with what it misses least."""
    pile = when("Altar", {"event": "age_end", "may": True, "card": PILE})
    own = when("Baths", {"event": "built", "card": {**OWN, "if": "card.blue"}, "gain": {"coins": 1}})
    points = {card.name: card.effects.points for card in load_catalogue("1e").cards}
    for policy in ("greedy", "rulebased", "balanced", "net"):
        seen = Counter[str]()
        for number in range(30):
            game = wsim.Game(set=[pile, own], players=3, policies=policy, seed=11, number=number)
            while game.to_move is not None:
                legal = game.legal()
                builds = [move for move in legal if move["action"] == "build" and move["card"] in ("Altar", "Baths")]
                if builds:
                    game.step(builds[0])
                    continue
                move = legal[game.made()]
                offered = [points[one["picked"]] for one in legal if one.get("picked", "Altar") != "Altar"]
                if len(offered) > 1:
                    worth = points[move["picked"]]  # nothing good is declined
                    assert move["card"] == "Altar" or worth <= min(offered), policy
                    seen[move["card"]] += 1
            if len(seen) == 2:
                break
        assert len(seen) == 2, policy


def test_a_person_sees_which_cards_can_be_chosen() -> None:
    game = wsim.Game(set=OFTEN, players=3, policies="random", seed=11)
    while not any("picked" in move and move["action"] == "choose" for move in game.legal()):
        builds = [move for move in game.legal() if move.get("card") == "Altar" and move["action"] == "build"]
        game = game.step((builds or game.legal())[0])
    legal = game.legal()
    text = game.phrase(legal[0])
    assert text.startswith("Altar: chooses a card of its own city: discards it, gains (")
    assert text.endswith(" coins: Altar")
    restored = wsim.Game.from_json(game.to_json())
    assert restored.legal() == legal
    game.step(legal[0])
    position: Any = game._position
    deeds = position.view(None)["public_moves"]
    assert deeds[-1] == {"age": 1, "turn": 1, "seat": deeds[-1]["seat"], "card": "Altar", "action": "discard"}
    table = engine_table("1e", 3, set=OFTEN)
    text = "".join(table.text(table.trace(number)) for number in range(10))
    assert "chooses option 1 of Altar with " in text


@pytest.mark.slow
def test_redrawing_keeps_the_pile_known_to_a_seat_that_saw_it() -> None:
    """Drawn again at any later decision, the position has the same public facts, and hands of the same size; the pile
    is the one that was seen, with what was put on it and built from it since."""
    seen = Counter[bool]()
    for ruleset, players in TABLES:
        game = wsim.Game(ruleset=ruleset, set=OFTEN, players=players, policies="first", seed=2, number=1)
        while game.to_move is not None:
            position: Any = game._position
            if game.decision == "effect" or position.view(game.to_move).get("pile_seen"):
                whole, own = position.view(None), position.view(game.to_move)
                for draw in range(2):
                    drawn = position.redrawn(game.to_move, 5 + draw)
                    assert list(drawn.coded) == list(position.coded)
                    assert drawn.view(game.to_move) == own
                    other = drawn.view(None)
                    chosen_anew = game.decision != "effect"  # hidden choices of the turn
                    assert chosen_anew or list(map(len, whole["hands"])) == list(map(len, other["hands"]))
                    piles = [Counter(view["discard_pile"]) for view in (whole, other)]
                    assert piles[0].total() == piles[1].total()
                    seen[piles[0] == piles[1]] += 1
            game.made()
    assert seen[True] > 20
    assert seen[False] > 3


def test_environments_have_an_action_for_each_card() -> None:
    env = VectorEnv(8, set=OFTEN, players=3, policies="random", seed=1)
    cards = [card.name for card in load_catalogue("1e").cards]
    assert env.actions[-len(cards) :] == tuple(f"choose:3:{card}" for card in cards)
    rng, chosen = np.random.default_rng(1), Counter[int]()
    step = env.reset()
    for _ in range(300):
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in step.masks])
        chosen.update(env.actions[action].count(":") for action in actions)
        step = env.step(actions)
    assert chosen[2] > 5


def test_chosen_cards_are_in_the_picks_table() -> None:
    table = engine_table("1e", 3, set=OFTEN)
    rows, picks = np.zeros(60, table.row_dtype), np.zeros(20 * table.picks_per_game, table.pick_dtype)
    frame = table.picks_frame(picks[: table.play(0, rows, picks)])
    picked = frame.filter(frame["picked"].is_not_null())
    assert set(picked["action"].cast(str)) == {"choose"}
    assert len(set(picked["picked"].cast(str))) > 5
    assert set(picked["left"]) == {0}


def test_clauses_that_choose_cards_are_described_in_english() -> None:
    texts = EFFECTS["when"].say(load_catalogue("1e", changes=OFTEN).card("Baths").effects.when).split("; ")
    assert texts[0] == (
        "whenever any city sells a card: may pay (its cost) coins: chooses a card of the discard pile: builds it for "
        "nothing, loses 1 coin"
    )
    assert texts[2] == "at the start of each age: may choose: chooses a card of the discard pile: builds it for nothing"


def test_numbers_in_conditions_of_cards_are_knobs() -> None:
    values = {".".join(path): value for path, value in TUNING.values(engine_table("1e", 3, set=OFTEN)).items()}
    assert values["cards.Altar.when.1.card.if:1"] == 3
    changed = load_catalogue("1e", changes=[*OFTEN, "cards.Altar.when.1.card.if:1=2"])
    pick = changed.card("Altar").effects.when[0].card
    assert pick is not None
    assert pick.condition == "card.cost < 2 or card.blue"
    assert changed.digest != load_catalogue("1e", changes=OFTEN).digest


BUILT: dict[str, Any] = {"event": "built"}
COIN: dict[str, Any] = {"gain": {"coins": 1}}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ({"event": "scored", "card": OWN, "points": 3}, "when.1.card: nothing is decided when points are counted"),
        ({**BUILT, "card": {"do": "build"}}, "card: from is missing; accepted: discarded, city, left, right"),
        ({**BUILT, "card": {"from": "pile"}}, "unknown set of cards 'pile'"),
        ({**BUILT, "card": {**PILE, "from": "left"}}, "card.do: 'build' is not possible with a card from the left"),
        (
            {**BUILT, "card": {"from": "city"}},
            "has no effect; accepted: at least one of take, give, gain, lose, points",
        ),
        ({**BUILT, "choose": [COIN, {"card": {"from": "city"}}]}, "choose.2: has no effect; accepted: at least one of"),
        ({**BUILT, "card": PILE, "each": "other", "one": True}, "a city and a card cannot both be chosen in one"),
        ({**BUILT, "card": {**PILE, "if": "card.cost"}}, "'card.cost' is a number where a condition is needed"),
        ({**BUILT, "card": {**PILE, "if": "crad.cost > 1"}}, "card.if: 'crad.cost', at character 1: unknown"),
        (
            {"event": "age_end", **COIN, "if": "card.blue"},
            ", or a `card` to choose; to count structures",
        ),
        ({**BUILT, "card": "discarded"}, "'discarded' is not accepted; accepted: a table, such as"),
        ({**BUILT, "choose": [{"card": PILE}] * 5}, "5 options have a card; accepted: at most 4 in one decision"),
        ({**BUILT, "choose": [COIN, COIN], "card": PILE}, "card: does not go with `choose`, where every option has"),
    ],
)
def test_mistakes_about_card_choices_are_reported_in_one_sentence(clause: dict[str, Any], expected: str) -> None:
    check_refusal(clause, expected)


def test_endless_builds_and_discards_are_reported_in_one_sentence() -> None:
    endless = (
        when("Altar", {"event": "card_built", "by": "self", "card": OWN}),
        when("Theater", {"event": "card_built", "by": "self", "card": PILE}),
        when("Baths", {"event": "card_built", "by": "anyone", "card": OWN}, {"event": "card_built", "card": PILE}),
    )
    with pytest.raises(UserError, match=r"at most (192|512|64) can be played; change"):
        wsim.simulate(set=endless, players=5, policies="first", games=300, seed=1)
