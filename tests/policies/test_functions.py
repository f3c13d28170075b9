"""Python functions passed in place of policy names."""

from __future__ import annotations

from typing import Any

import pytest

import wsim

TABLE: dict[str, Any] = {"players": 3, "games": 6, "seed": 4}


def last(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return int(choice.count) - 1


@pytest.mark.slow
def test_a_function_can_play_with_named_policies() -> None:
    frame = wsim.simulate(policies=[last, "balanced", "random"], **TABLE)
    assert frame["policy"].cast(str).unique().sort().to_list() == ["balanced", "last", "random"]
    assert min(frame.filter(frame["policy"].cast(str) == "last")["sold"].to_list()) > 10


@pytest.mark.slow
def test_one_function_plays_all_seats() -> None:
    assert min(wsim.simulate(policies=last, **TABLE)["sold"].to_list()) > 10
    assert wsim.Game(players=3, policies=last).rollout(last, 4).shape == (4, 3, 2)


@pytest.mark.slow
def test_functions_with_equal_names_are_separate_policies() -> None:
    def policy(index: int) -> Any:
        def mine(public: Any, own: Any, choice: Any, rules: Any) -> int:
            return index if index >= 0 else int(choice.count) + index

        return mine

    frame = wsim.simulate(policies=[policy(0), policy(-1), "random"], rotate=False, **TABLE)
    first, second = (frame.filter(frame["seat"] == seat)["sold"].to_list() for seat in (0, 1))
    assert sum(first) < sum(second)


@pytest.mark.slow
def test_a_function_can_keep_state_during_a_game() -> None:
    kept: dict[int, int] = {}

    def counting(public: Any, own: Any, choice: Any, rules: Any) -> int:
        own.memory[0] += 1
        kept[int(own.seat)] = max(kept.get(int(own.seat), 0), int(own.memory[0]))
        return 0

    wsim.simulate(policies=counting, **{**TABLE, "games": 1})
    assert all(15 < count < 25 for count in kept.values())


@pytest.mark.parametrize(
    ("policies", "sentence"),
    [
        ([3, "random", "random"], "policies"),
        ([lambda public: 0], "takes"),
        ([last, last], "2 policies for 3 players"),
    ],
)
def test_invalid_policies_are_reported_in_one_sentence(policies: Any, sentence: str) -> None:
    with pytest.raises(wsim.UserError, match=sentence):
        wsim.simulate(policies=policies, **TABLE)


@pytest.mark.slow
def test_a_compiled_function_can_be_passed() -> None:
    mine = wsim.policy(name="mine")(last)
    assert wsim.simulate(policies=[mine, "random", "random"], **TABLE)["policy"].cast(str).to_list()[0] == "mine"


@pytest.mark.slow
def test_a_policy_may_keep_its_own_game() -> None:
    held: dict[int, wsim.Game] = {}

    def thinker(public: Any, own: Any, choice: Any, rules: Any) -> int:
        game = held.setdefault(int(own.seat), wsim.Game(ruleset="1e", players=3, seed=9))
        outcomes = game.rollout("balanced", 3, rng=int(public.turn))
        return int(outcomes[0, 0, 0]) % int(choice.count)

    line_up: list[Any] = [thinker, "balanced", "random"]
    once, again = (wsim.simulate(policies=line_up, threads=threads, **TABLE) for threads in (1, 2))
    assert once.equals(again)
    assert set(held) == {0, 1, 2}  # the line-up moves on from game to game
