"""The engine and the slow reference play the same games from the same random numbers, move by move."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.babel.reference.components import rules
from tests.babel.reference.game import Reference, choose_at_random
from tests.babel.tools import changes, log_of, table
from tests.tiers import first_checked
from wsim.jit import JIT

SEED = 11
BOTH_WAYS: list[dict[str, Any]] = [
    {"use_action_cards": actions, "use_two_colour_discs": two} for actions in (True, False) for two in (False, True)
]
SWITCHES: list[dict[str, Any]] = [
    {"reshuffle_discards": False},
    {"allow_empty_offer": False},
    {"allow_trade_card_alone": True},
    {"allow_bluff_cards": True},
    {"may_decline_when_able": False},
    {"joker_may_split": False},
    {"max_jokers_per_build": 1},
    {"triple_bonus_on_failed_build": False},
    {"action_card_usable_at_once": False},
    {"max_double_turns": 0},
    {"max_double_turns": 3},
    {"action_card_for_last_wonder": False},
    {"set_table_cap": 3},
    {"victory_tie": "discs"},
    {"limit_parts": True},
    {"turn_limit": 20},
]
INNER = ("board", "start", "hands", "turns", "end", "scores")


def compare(switches: dict[str, Any], seats: int, games: range) -> None:
    """Play the games with both implementations; compare all list lengths, choices and trace lines."""
    jitted = table(players=seats, seed=SEED, set=changes(switches))
    for number in games:
        twin = Reference(rules(**switches), seats, SEED, number)
        told = twin.play()
        assert log_of(jitted, number) == twin.picks, f"game {number}"
        trace = jitted.trace(number)
        assert list(trace)[-len(INNER) :] == list(INNER)
        assert json.dumps({key: trace[key] for key in INNER}) == json.dumps(told), f"game {number}"


@pytest.mark.jit_off
@pytest.mark.boundscheck
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("switches", BOTH_WAYS, ids=str)
def test_random_games_agree_with_the_twin(seats: int, switches: dict[str, Any]) -> None:
    compare(switches, seats, range(4 if JIT else 1))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("switches", BOTH_WAYS, ids=str)
def test_many_random_games_agree_with_the_twin(seats: int, switches: dict[str, Any]) -> None:
    compare(switches, seats, range(100, 150))


@pytest.mark.boundscheck
@first_checked("switches", SWITCHES, ids=str)
def test_games_with_a_flipped_switch_agree_with_the_twin(switches: dict[str, Any]) -> None:
    for seats, two_colour in ((3, True), (4, False), (5, True)):
        compare({**switches, "use_two_colour_discs": two_colour}, seats, range(6))


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_games_of_the_other_policies_are_legal_in_the_twin(seats: int) -> None:
    """The twin repeats the engine's choices; lists and consequences agree at every decision of stronger policies."""
    names = ("net", "builder", "supplier", "collector", "majority")[:seats]
    jitted = table(players=seats, seed=SEED, policies=tuple(f"{name}:explore=0.1" for name in names))
    for number in range(20):
        picks = log_of(jitted, number)
        choices = iter(picks)

        def follow(_game: Reference, seat: int, decision: str, moves: list[int], picks: Any = choices) -> int:
            pick = next(picks)
            assert pick[2:5] == (seat, decision, len(moves))
            return int(pick[5])

        twin = Reference(rules(), seats, SEED, number, follow)
        told = twin.play()
        assert twin.picks == picks
        trace = jitted.trace(number)
        assert json.dumps({key: trace[key] for key in INNER}) == json.dumps(told)


def test_the_twin_detects_a_different_choice() -> None:
    """The comparison detects differences: a twin that passes once where the engine built plays a different game."""

    def passes_first(game: Reference, seat: int, decision: str, moves: list[int]) -> int:
        chosen = choose_at_random(game, seat, decision, moves)
        return 0 if decision == "turn" and game.turn == 3 else chosen

    jitted = table(seed=SEED)
    twin = Reference(rules(), 4, SEED, 0, passes_first)
    assert json.dumps(twin.play()["turns"]) != json.dumps(jitted.trace(0)["turns"])
