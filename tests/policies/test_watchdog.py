"""A policy that hangs or raises is named with the number of its game. No test waits for a clock."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import wsim
from tests.policies.in_file import policies_in_file
from wsim import UserError
from wsim.game import find_game
from wsim.kernels.heads import ANSWER
from wsim.policies import watchdog
from wsim.policies.watchdog import Watch, watched


def playing(watching: Watch, monkeypatch: pytest.MonkeyPatch, **noted: int) -> tuple[Any, Any]:
    """Return the watcher of a game with mine.py, and the record that the kernels write."""
    answer = np.zeros(1, ANSWER)[0]
    for name, value in noted.items():
        answer[name] = value
    monkeypatch.setattr(watchdog, "_WATCH", watching)
    return watched(True, lambda answer: "mine.py:bold", answer, numbered=True), answer


def test_a_slow_decision_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    watching = Watch(patience=60, pause=1e6, say=said.append)
    asked, answer = playing(watching, monkeypatch, asked=6, number=12, seat=2)
    with asked:
        watching.look(0.0)
        assert watching.look(900.0) == ""  # nobody was asked so far
        answer["asked"] = 7
        assert watching.look(1000.0) == ""
        assert watching.look(1059.0) == "policy 'mine.py:bold' has been deciding for 59 s, in game 12, seat 2"
        assert said == []
        watching.look(1060.0)
        watching.look(2000.0)
        assert said == ["policy 'mine.py:bold' has been deciding for 60 s, in game 12, seat 2"]
        answer["asked"] = 8
        assert watching.look(2059.0) == ""
        watching.look(2120.0)
        assert len(said) == 2
    assert watching.look(9000.0) == ""


def test_games_without_user_policies_are_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    watching = Watch(pause=1e6)
    monkeypatch.setattr(watchdog, "_WATCH", watching)
    with watched(False, str, None, numbered=True):
        assert watching.look(0.0) == watching.look(1000.0) == ""


POLICIES = """
import wsim

@wsim.policy(python=True)
def raises(public, own, choice, rules):
    return [0][int(public.age)]

@wsim.policy(python=True)
def leaves(public, own, choice, rules):
    raise SystemExit(3)

def down(n):
    return down(n + 1)

@wsim.policy(python=True)
def recurses(public, own, choice, rules):
    return down(0)

@wsim.policy
def wrong(public, own, choice, rules):
    return 1 // (1 - public.age)

@wsim.policy
def fair(public, own, choice, rules):
    return 0
"""


mine = policies_in_file(POLICIES)


@pytest.mark.slow
def test_a_waiting_policy_is_named_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    said, done = [], threading.Event()

    def say(sentence: str) -> None:
        said.append(sentence)
        if "waits" in sentence:
            done.set()

    def waits(public: Any, own: Any, choice: Any, rules: Any) -> int:
        assert public.age < 1 or done.wait(300)
        return 0

    monkeypatch.setattr(watchdog, "_WATCH", Watch(patience=0.02, pause=0.001, say=say))
    wsim.simulate(players=3, games=2, rotate=False, policies=["random", waits, "random"], threads=1)
    assert any(one.endswith("in game 0, seat 1") and "waits" in one for one in said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("raises", r"mine\.py:raises' raised IndexError: list index out of range \(mine\.py, line 6\), in game 4$"),
        ("leaves", r"mine\.py:leaves' raised SystemExit: 3 \(mine\.py, line 10\), in game 4$"),
        ("recurses", r"mine\.py:recurses' raised RecursionError: maximum recursion depth exceeded.*, in game 4$"),
        ("wrong", r"mine\.py:wrong' raised ZeroDivisionError: integer division by zero, in game 4$"),
    ],
)
def test_a_policy_that_raises_is_named_with_its_game(mine: str, name: str, sentence: str) -> None:
    plan = wsim.Plan.make(players=3, policies=[f"{mine}:fair", f"{mine}:{name}", f"{mine}:fair"])
    simulator = find_game(plan.game).prepare(plan)
    with pytest.raises(UserError, match=sentence):
        simulator.play(4, np.zeros(9, simulator.row_dtype))


@pytest.mark.slow
def test_a_policy_that_raises_is_named_in_any_seat_order(mine: str) -> None:
    plan = wsim.Plan.make(players=3, policies=[f"{mine}:fair", f"{mine}:wrong", f"{mine}:fair"])
    simulator = find_game(plan.game).prepare(plan)
    with pytest.raises(UserError, match=r"mine\.py:wrong' raised ZeroDivisionError"):
        simulator.play_seated(4, np.zeros(3, simulator.row_dtype), np.array([[1, 2, 0]]))
