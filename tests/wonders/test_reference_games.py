"""Whole games of the twin: cards and coins are conserved, games are reproducible, the trace has its documented form."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.tiers import each_third_quick, first_quick, sampled
from tests.wonders.reference.deal import age_deck, set_up
from tests.wonders.reference.facts import RULE_SETS, SWITCHES, load
from tests.wonders.reference.game import FREE_CITY_LABEL, Reference
from tests.wonders.reference.rng import GAMMA, Stream, mix

if TYPE_CHECKING:
    from tests.wonders.reference.policies import View

TABLES = [(rules.name, players) for rules in RULE_SETS.values() for players in rules.players]


def test_splitmix64_known_output() -> None:
    assert mix(0) == 0
    assert mix(GAMMA) == 0xE220A8397B1DCDAF  # the first output of SplitMix64 from state 0


def test_random_streams_are_distinct_and_reproducible() -> None:
    draws = {stream: [Stream(7, 3, stream).below(1000) for _ in range(2)] for stream in range(16)}
    assert all(first == second for first, second in draws.values())
    assert len({first for first, _ in draws.values()}) > 10


@each_third_quick(("ruleset", "players"), TABLES)
def test_r4_every_deck_is_dealt_completely(ruleset: str, players: int) -> None:
    rules, catalogue = RULE_SETS[ruleset], load(ruleset)
    cities = 3 if rules.duo else players
    for age in (1, 2, 3):
        deck = age_deck(catalogue, age, cities, Stream(1, 1, age - 1))
        colors = Counter(catalogue.cards[name].color for name in deck)
        assert len(deck) == cities * rules.hand_size
        assert colors["purple"] == (cities + 2 if age == 3 else 0)
        assert colors["black"] == (cities if rules.hand_size == 8 else 0)


@sampled(1, 6)
@each_third_quick(("ruleset", "players"), TABLES)
def test_cards_and_coins_are_conserved(ruleset: str, players: int, games: range) -> None:
    game = Reference(ruleset, players)
    for number in games:
        trace = game.play(11, number, "random")
        dealt = Counter(
            name for age in trace["ages"] for hand in [*age["hands"], age.get("free_city", [])] for name in hand
        )
        stand = Counter(name for row in game.rows for name in [*row["structures"], *row["buried"]])
        assert stand + Counter(card.name for card in game.table.discard_pile) == dealt
        assert sum(row["trade_paid"] for row in game.rows) == sum(row["trade_received"] for row in game.rows)
        for row in game.rows:
            received = 3 + 3 * row["sold"] + row["trade_received"] + row["effect_coins"]
            assert row["coins"] == received - row["trade_paid"] - row["bank_paid"] - row["lost_coins"]


def check_turn(turn: dict[str, Any], before: list[int], cities: int) -> None:
    """Check that payments fit the coins at the start of the turn, and that each seat makes one move in order (R10)."""
    assert [move["seat"] for move in turn["moves"]] == list(range(cities))
    for move in turn["moves"]:
        assert move.get("bank", 0) + move.get("left", 0) + move.get("right", 0) <= before[move["seat"]]
        fields = {"build": {"how", "bank", "left", "right"}, "sell": set()}
        fields["stage"] = fields["build"] | {"stage"}
        assert set(move) == {"seat", "card", "action"} | fields[move["action"]]
    assert all(value >= 0 for value in turn["coins"])


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_the_trace_has_the_documented_shape(ruleset: str, players: int) -> None:
    game = Reference(ruleset, players)
    for number in range(3):
        trace = game.play(5, number, "random")
        assert json.loads(json.dumps(trace)) == trace
        assert list(trace) == ["format", "game", "ruleset", "seed", "index", "seats", "ages", "scores"]
        before = [3] * game.cities
        for age in trace["ages"]:
            assert len(age["turns"]) == game.rules.turns
            assert all(hand == sorted(hand) and len(hand) == game.rules.hand_size for hand in age["hands"])
            for turn in age["turns"]:
                check_turn(turn, before, game.cities)
                assert all(turn.get(field) != [] for field in ("extra", "losses"))
                before = turn["coins"]
        assert [score["coins"] for score in trace["scores"]] == before
        assert sum(score["win_share"] for score in trace["scores"]) == pytest.approx(2 if game.rules.teams else 1)
        assert game.play(5, number, "random") == trace


@pytest.mark.slow
def test_special_plays_occur_in_random_games() -> None:
    game = Reference("2e-cities", 4)
    seen: Counter[str] = Counter()
    for number in range(60):
        trace = game.play(3, number, "random", ["Babylon", None, None, None], ["night", None, None, None])
        for age in trace["ages"]:
            seen["conflicts skipped"] += len(age["conflicts"]) < 4
            for turn in age["turns"]:
                seen["losses"] += len(turn.get("losses", []))
                seen.update(f"{move['source']} {move['action']}" for move in turn.get("extra", []))
                seen.update(move.get("how", "sell") for move in turn["moves"])
    expected = {"last_card build", "last_card stage", "last_card sell", "discard_pile build", "losses"}
    assert expected | {"conflicts skipped", "chain", "free", "paid", "sell"} <= set(seen)


def test_fixed_boards_leave_the_pool_and_fixed_sides_draw_nothing() -> None:
    catalogue = load("1e")
    for number in range(50):
        seated = set_up(catalogue, 1, number, [None, "Gizah", None], ["B", None, None])
        boards = [board for board, _ in seated]
        assert boards[1] == "Gizah"
        assert len(set(boards)) == 3
        assert seated[0][1] == "B"
    with pytest.raises(ValueError, match="differ"):
        set_up(catalogue, 1, 1, ["Gizah", "Gizah", None], [None] * 3)
    with pytest.raises(ValueError, match="no side"):
        set_up(catalogue, 1, 1, ["Gizah", None, None], ["day", None, None])


def test_the_deal_does_not_depend_on_the_line_up() -> None:
    game = Reference("1e", 3)
    random, first = game.play(9, 4, "random"), game.play(9, 4, take_first)
    assert random["ages"][0]["hands"] == first["ages"][0]["hands"]
    assert [(seat["wonder"], seat["side"]) for seat in random["seats"]] == [
        (seat["wonder"], seat["side"]) for seat in first["seats"]
    ]
    assert random["seats"][0]["policy"] == "random"
    assert first["seats"][0]["policy"] == "take_first"


def take_first(view: View) -> int:
    """Choose the first legal move."""
    assert len(view.moves) > 1  # single moves are not asked
    return 0


def take_last(view: View) -> int:
    """Choose the last legal move."""
    return len(view.moves) - 1


@pytest.mark.slow
def test_rotation_moves_the_line_up_by_one_seat_per_game() -> None:
    game = Reference("1e", 3)
    for number in range(4):
        seats = game.play(1, number, ["random", take_first, take_last], rotate=True)["seats"]
        line_up = ["random", "take_first", "take_last"]
        assert [seat["policy"] for seat in seats] == [line_up[(seat + number) % 3] for seat in range(3)]


def test_r45_the_free_city_changes_hands() -> None:
    holders: list[tuple[int, int, int]] = []

    def watch(view: View) -> int:
        if view.kind == "free_city":
            assert view.seat == 2
            holders.append((view.age, view.turn, view.decider))
        return 0

    trace = Reference("1e-duo", 2).play(2, 2, watch)
    assert trace["seats"][2]["policy"] == FREE_CITY_LABEL
    assert [len(trace["seats"]), len(trace["scores"]), len(trace["ages"][0]["free_city"])] == [3, 3, 7]
    assert len(holders) > 9
    assert all(holder == (age - 1 + turn - 1) % 2 for age, turn, holder in holders)
    assert {(age, holder) for age, turn, holder in holders if turn % 2 == 1} == {(1, 0), (2, 1), (3, 0)}


@pytest.mark.slow
def test_r32_random_pays_losses_without_a_draw() -> None:
    game = Reference("2e-cities", 7)
    without_choice = Reference("2e-cities", 7, switches={"debt_choice": False})
    seen = {"coins": 0, "debt": 0}
    for number in range(15):
        trace = game.play(6, number, "random")
        assert without_choice.play(6, number, "random") == trace
        for loss in [loss for age in trace["ages"] for turn in age["turns"] for loss in turn.get("losses", [])]:
            for part in seen:
                seen[part] += loss[part]
    assert seen["coins"] > 0
    assert seen["debt"] > 0


# Rule set, players, wonders, sides and games of seed 6 where random play shows the switch. `debt_choice` never changes
# what `random` does (see above), and so is not among them.
Where = tuple[str, int, list[str | None], list[str | None], range]
OLYMPIA_B: tuple[list[str | None], list[str | None]] = ["Olympia", None, None], ["B", None, None]
WHERE: dict[str, Where] = {
    "copied_shipowners_counts_itself": ("1e", 3, *OLYMPIA_B, range(217, 218)),
    "counting_includes_itself": ("1e", 3, [None] * 3, [None] * 3, range(20)),
    "discard_builds_boards_first": (
        "2e-cities",
        4,
        [None, None, None, "Halikarnassos"],
        [None, None, None, "night"],
        range(149, 150),
    ),
    "olympia_discount_cumulative": ("1e", 3, *OLYMPIA_B, range(40)),
    "paid_build_beside_chain": ("1e", 3, [None] * 3, [None] * 3, range(20)),
    "chain_from_any_age": ("2e", 3, [None] * 3, [None] * 3, range(20)),
    "discard_build_optional": ("1e", 3, ["Halikarnassos", None, None], ["B", None, None], range(20)),
    "free_city_chooses_payment": ("1e-duo", 2, [None] * 3, [None] * 3, range(20)),
    "last_card_on_new_state": ("1e", 3, ["Babylon", None, None], ["B", None, None], range(40)),
}


@first_quick(1, "switch", WHERE)
def test_each_switch_changes_some_game(switch: str) -> None:
    ruleset, players, wonders, sides, games = WHERE[switch]
    default = Reference(ruleset, players)
    flipped = Reference(ruleset, players, switches={switch: not SWITCHES[switch]})
    assert any(
        default.play(6, number, "random", wonders, sides) != flipped.play(6, number, "random", wonders, sides)
        for number in games
    )


def test_misuse_is_rejected() -> None:
    with pytest.raises(ValueError, match="players"):
        Reference("1e", 2)
    with pytest.raises(ValueError, match="unknown switches"):
        Reference("1e", 3, switches={"no_such_switch": True})
    assert set(WHERE) | {"debt_choice"} == set(SWITCHES)
