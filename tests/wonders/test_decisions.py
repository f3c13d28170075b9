"""Decisions of clauses (R72-R74): in play, in texts, positions, observations, tables, and every policy."""

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
from wsim.env import VectorEnv
from wsim.wonders.catalog import load_catalogue
from wsim.wonders.catalog.effects import EFFECTS
from wsim.wonders.tunable_values import TUNING

FAVOUR = "counters.favour={most = 9}"


OFTEN = (
    FAVOUR,
    when(
        "Altar",
        {
            "event": "built",
            "choose": [
                {"gain": {"coins": 3}},
                {"price": 1, "gain": {"shields": 1}},
                {"gain": {"counter": {"favour": 4}}},
            ],
        },
        {
            "event": "card_built",
            "by": "anyone",
            "price": {"coins": "1 + card.blue", "counter": {"favour": 1}},
            "gain": {"gear": 1},
        },
        {"event": "age_end", "may": True, "each": "neighbor", "if": "other.coins > 3", "take": 1},
        {"event": "turn_start", "may": True, "gain": {"turn_clay": 2}, "lose": {"coins": 1}},
    ),
    when(
        "Baths",
        {"event": "bought", "by": "anyone", "may": True, "each": "trigger", "gain": {"coins": "purchase"}},
        {"event": "sold", "by": "anyone", "choose": [{"gain": {"discard_builds": 1}}, {"lose": {"debts": 1}}]},
        {"event": "before_conflicts", "price": 2, "gain": {"age_shields": 2}},
        {"event": "after_conflicts", "each": "left", "price": "coins // 2", "give": 1, "lose": {"coins": 1}},
        {"event": "age_start", "may": True, "gain": {"coins": 1}},
    ),
    when(
        "Theater",
        {"event": "card_built", "by": "self", "each": "other", "one": True, "take": 1},
        {
            "event": "sold",
            "by": "anyone",
            "each": "neighbor",
            "one": True,
            "may": True,
            "if": "other.coins > 0",
            "choose": [{"give": 1}, {"price": {"counter": {"favour": 1}}, "gain": {"defeat_tokens": 1}}],
        },
    ),
    'wonders."Halikarnassos".sides.B.1.when=[{event="built", may=true, gain={discard_builds=1}}]',
)


def decisions(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for age in trace["ages"] for part in (*age["turns"], age) for one in part.get("decisions", ())]


@pytest.mark.boundscheck
@first_checked(("ruleset", "players"), [("1e-duo", 2), ("2e-cities-teams", 4), ("1e", 5)])
def test_decisions_agree_with_the_twin(ruleset: str, players: int) -> None:
    changes = OFTEN if ruleset == "1e" else OFTEN[:-1]
    traces = compare_case(Case(1, ruleset, players, changes), games=6)
    asked = [one for trace in traces for one in decisions(trace) if "card" in one]
    made = Counter((one["card"], one["when"], one["action"]) for one in asked)
    assert {(card, clause) for card, clause, _ in made} >= {("Altar", n) for n in range(1, 5)}
    assert {(card, clause) for card, clause, _ in made} >= {("Theater", 1), ("Theater", 2)}
    assert all("city" in one for one in asked if one["card"] == "Theater" and one["action"] == "choose")
    assert all(made["Altar", clause, action] for clause in (3, 4) for action in ("choose", "decline"))


POLICIES = ("random", "first", "greedy", "rulebased", "balanced", "net", "search:playouts=4", "endgame:playouts=4")


def test_every_policy_answers_clause_decisions() -> None:
    """All eight players of a table decide, and a search continues from such a decision."""
    frame = wsim.simulate(set=OFTEN, players=4, policies=POLICIES[:4], games=30, seed=5)
    assert len(frame) == 120
    game = wsim.Game(
        set=OFTEN, players=4, policies=["net", "search:playouts=4", "endgame:playouts=4", "balanced"], seed=3
    )
    asked = set()
    while game.to_move is not None:
        if game.decision == "effect":
            asked.add(game.to_move)
        game.made()
    assert len(asked) > 1


@pytest.mark.slow
def test_good_options_are_accepted_and_bad_ones_declined() -> None:
    """Policies that value moves accept worthwhile options: coins rather than a debt, and no payment without a gain."""
    offers = when(
        "Altar",
        {"event": "built", "choose": [{"gain": {"debts": 2}}, {"gain": {"coins": 9}}, {"lose": {"coins": 2}}]},
        {"event": "built", "price": 3, "gain": {"debts": 1}},
        {"event": "age_end", "may": True, "gain": {"victory_tokens": 2}},
        {"event": "built", "choose": [{"gain": {"counter": {"favour": 1}}}, {"gain": {"counter": {"favour": 3}}}]},
        {"event": "scored", "points": "3 * counter.favour"},
        {"event": "built", "choose": [{"gain": {"points": 1}}, {"gain": {"points": 4}}, {"lose": {"points": 4}}]},
        {"event": "built", "each": "other", "choose": [{"gain": {"points": 2}}, {"lose": {"points": 2}}]},
    )
    for policy in ("greedy", "rulebased", "balanced", "net", "search:playouts=20"):
        game = wsim.Game(set=[FAVOUR, offers], players=3, policies=policy, seed=11)
        chosen: dict[int, list[Any]] = {}
        while game.to_move is not None:
            legal = game.legal()
            builds = [move for move in legal if move.get("card") == "Altar" and move["action"] == "build"]
            if builds:
                game.step(builds[0])
            elif "when" in (move := legal[game.made()]):
                chosen.setdefault(move["when"], []).append(move.get("option"))
        assert {clause: set(options) for clause, options in chosen.items()} == {
            1: {2},
            2: {None},
            3: {1},
            4: {2},
            6: {2},
            7: {2},
        }, policy


def test_a_person_sees_the_options() -> None:
    game = wsim.Game(set=OFTEN, players=3, policies="random", seed=11)
    while game.decision != "effect":
        builds = [move for move in game.legal() if move["card"] == "Altar" and move["action"] == "build"]
        game = game.step((builds or game.legal())[0])
    legal = game.legal()
    assert [game.phrase(move) for move in legal] == [
        "Altar: gains 3 coins",
        "Altar: pays 1 coin: gains 1 shield",
        "Altar: counter favour rises by 4",
    ]
    assert [(move["when"], move["option"], move["action"]) for move in legal] == [(1, n, "choose") for n in (1, 2, 3)]
    restored = wsim.Game.from_json(game.to_json())
    assert restored.legal() == legal
    game.step(legal[1])
    table = engine_table("1e", 3, set=OFTEN)
    text = "".join(table.text(table.trace(number)) for number in range(10))
    assert "chooses option" in text
    assert " declines: Altar" in text


@pytest.mark.slow
def test_redrawing_reveals_nothing_hidden_to_a_deciding_seat() -> None:
    """A position resampled at a decision has the same decision, the same public facts and the same own hand."""
    seen = set()
    tables = {"1e": 3, "1e-duo": 2, "2e-cities-teams": 4}
    for ruleset, players in tables.items():
        rules = {"ruleset": ruleset, "set": OFTEN[:-1], "players": players, "policies": "first", "seed": 2}
        game = wsim.Game(number=0, **rules)
        while game.to_move is not None:
            if game.decision == "effect":
                position: Any = game._position
                drawn = position.redrawn(game.to_move, 5)
                assert list(drawn.coded) == list(position.coded)
                assert drawn.view(game.to_move) == position.view(game.to_move)
                hands, others = (p.view(None)["hands"] for p in (position, drawn))
                assert list(map(len, hands)) == list(map(len, others))
                seen.add((ruleset, hands != others))
            game.made()
    assert {(ruleset, True) for ruleset in tables} <= seen


@pytest.mark.slow
def test_environments_have_an_action_for_each_option() -> None:
    env = VectorEnv(8, set=OFTEN, players=3, policies="random", seed=1)
    assert env.actions[-9::4] == ("choose:1", "choose:2:left1", "choose:3:left2")
    assert VectorEnv(1, players=3).actions[-1] == "pay:31+"
    rng, chosen = np.random.default_rng(1), Counter[str]()
    step = env.reset()
    entry = env.columns.index("asking.entry")
    for _ in range(400):
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in step.masks])
        names = [env.actions[action].partition(":")[0] for action in actions]
        assert [name == "choose" for name in names if name != "decline"] == [
            asked > 0 for asked, name in zip(step.observations[:, entry], names, strict=True) if name != "decline"
        ]
        chosen.update(names)
        step = env.step(actions)
    assert chosen["choose"] > 5


def test_decisions_are_rows_of_the_picks_table() -> None:
    table = engine_table("1e", 3, set=OFTEN)
    rows, picks = np.zeros(60, table.row_dtype), np.zeros(20 * table.picks_per_game, table.pick_dtype)
    written_rows = table.play(0, rows, picks)
    frame = table.picks_frame(picks[:written_rows])
    asked = frame.filter(frame["decision"] == "effect")
    assert set(asked["action"].cast(str)) == {"choose", "decline"}
    assert asked["card"].null_count() == len(asked)
    assert asked["entry"].null_count() == asked["clause"].null_count() == 0
    assert set(asked.filter(asked["action"] == "choose")["option"]) == {1, 2, 3}
    assert frame.filter(frame["decision"] != "effect")["clause"].null_count() == len(frame) - len(asked)
    printed = engine_table("1e", 3)
    assert "clause" not in printed.picks_frame(picks[:0]).columns


def test_optional_clauses_are_described_in_english() -> None:
    texts = EFFECTS["when"].say(load_catalogue("1e", changes=OFTEN).card("Altar").effects.when).split("; ")
    assert texts[0] == (
        "when built: chooses one of: (1) gains 3 coins, (2) pays 1 coin: gains 1 shield, (3) counter favour rises by 4"
    )
    assert texts[1] == (
        "whenever any city builds a card: may pay (1 plus it is blue) coins and 1 of the counter favour: "
        "gains 1 gear symbol"
    )
    assert texts[3] == "at the start of each turn: may choose: gains 2 clay units for one turn, loses 1 coin"


def test_numbers_of_options_and_prices_are_knobs() -> None:
    catalogue = load_catalogue("1e", changes=OFTEN)
    values = {".".join(path): value for path, value in TUNING.values(engine_table("1e", 3, set=OFTEN)).items()}
    assert values["cards.Altar.when.1.choose.2.price:1"] == 1
    assert values["cards.Altar.when.1.choose.3.gain.counter.favour:1"] == 4
    changed = load_catalogue("1e", changes=[*OFTEN, "cards.Altar.when.1.choose.2.price:1=2"])
    assert changed.card("Altar").effects.when[0].choose[1].price == (("", "2"),)
    assert changed.digest != catalogue.digest


BUILT: dict[str, Any] = {"event": "built"}
COIN: dict[str, Any] = {"gain": {"coins": 1}}


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ({"event": "scored", "may": True, "points": 3}, "when.1.may: nothing is decided when points are counted"),
        ({**BUILT, "choose": [COIN]}, "1 of them are not accepted; accepted: a list of 2 to 8 tables, such as choose"),
        (
            {**BUILT, "choose": [COIN, {}]},
            "choose.2: has no effect; accepted: at least one of take, give, gain, lose and",
        ),
        ({**BUILT, "choose": [COIN, COIN], **COIN}, "gain: does not go with `choose`, where every option has its own"),
        ({**BUILT, "price": "coins - 3", **COIN}, "'coins - 3' could be -3, and a price cannot be less than 0"),
        ({**BUILT, "price": {"coin": 3}, **COIN}, "unknown thing to pay with 'coin' (did you mean 'coins'?)"),
        ({**BUILT, "price": {"counter": {"favor": 3}}, **COIN}, "unknown counter 'favor'"),
        ({**BUILT, "each": "left", "price": "other.coins", "take": 1}, "there is no other city"),
        (
            {**BUILT, "each": "left", "one": True, "take": 1},
            "when.1.one: there is no city to choose; accepted with:",
        ),
        (
            {**BUILT, "price": 2},
            "when.1: has no effect; accepted: at least one of take, give, gain, lose, points, choose",
        ),
        ({**BUILT, "may": 1, **COIN}, "when.1.may: 1 is not accepted; accepted: true, false"),
        (
            {**BUILT, "choose": [COIN, {"take": 1}]},
            "choose.2.take: coins are taken from other cities; accepted: each =",
        ),
    ],
)
def test_mistakes_about_decisions_are_reported_in_one_sentence(clause: dict[str, Any], expected: str) -> None:
    check_refusal(clause, expected)


def test_a_game_read_from_json_continues_where_it_was_left() -> None:
    game = wsim.Game(set=OFTEN, players=3, policies="random", seed=4)
    for _ in range(25):
        game.made()
    again = wsim.Game.from_json(game.to_json())
    assert again.legal() == game.legal()


@pytest.mark.slow
def test_a_price_and_a_loss_of_one_clause_are_one_trace_effect() -> None:
    both = {"event": "built", "price": 1, "lose": {"coins": 1}, "gain": {"shields": 1}}
    traces = compare_case(Case(1, "1e", 3, (when("Lumber Yard", both),)), games=4)
    amounts = set()
    for turn in (turn for trace in traces for age in trace["ages"] for turn in age["turns"]):
        lost = [effect for effect in turn.get("effects", ()) if effect["does"] == "lose coins"]
        assert len({effect["seat"] for effect in lost}) == len(lost)
        amounts |= {effect["amount"] for effect in lost}
    assert amounts == {1, 2}  # one coin where the price left none
