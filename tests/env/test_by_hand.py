"""Environments over a game in plain Python, in which two seats say 0, 1 or 2 in turn, twice each, by hand.

``fixed`` says 1. The score is the sum of what a seat has said; the larger one wins.
"""

from __future__ import annotations

import json
from typing import Any, cast

import numpy as np
import pytest

from tests.positions import test_by_hand
from wsim import env
from wsim.env.game_vector import checked_seat, validate_choice
from wsim.env.position_vector import MOST_MOVES
from wsim.errors import UserError
from wsim.game import GAMES

KEYS: dict[str, Any] = {"game": "counting", "players": 2, "policies": ("highest", "fixed"), "actions": "moves"}


@pytest.fixture(autouse=True)
def _counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "counting", f"{test_by_hand.__name__}:GAME")


def refused(sentence: str) -> Any:
    return pytest.raises(UserError, match=sentence)


def test_many_games_are_stepped_together() -> None:
    """Two tables, seat 0: it says 0 and 1 at the first, 2 and 2 at the second, against two ones."""
    with env.VectorEnv(2, seats=[0], **KEYS) as games:
        step = games.reset()
        assert step.seats.tolist() == [0, 0]
        assert step.masks.shape == (2, MOST_MOVES)
        assert [np.flatnonzero(mask).tolist() for mask in step.masks] == [[0, 1, 2]] * 2
        assert games.actions == tuple(map(str, range(MOST_MOVES)))
        step = games.step([0, 2])
        assert (step.done.tolist(), step.rewards.tolist()) == ([False, False], [[0, 0], [0, 0]])
        seen = dict(zip(games.columns, step.observations[1].tolist(), strict=True))
        assert (seen["own.0"], seen["all.0"], seen["all.1"]) == (2, 2, 1)
        step = games.step(np.array([1, 2]))
        assert (step.done.tolist(), step.rewards.tolist()) == ([True, True], [[0, 1], [1, 0]])
        assert games.scores.tolist() == [[1, 2], [4, 2]]
        assert step.observations[0][list(games.columns).index("all.1")] == 0, "the next game has begun"
        step = games.step([2, 2])
        assert not step.done.any()
    with refused("the environment is closed"):
        games.step([0, 0])
    with refused("the environment is closed"):
        games.reset()


def test_scores_can_be_the_reward_and_all_seats_the_callers() -> None:
    games = env.VectorEnv(1, reward="score", **KEYS)
    step = games.reset(seed=3)
    turns = []
    while not step.done.any():
        turns.append(int(step.seats[0]))
        step = games.step([turns[-1] * 2])
    assert turns == [0, 1, 0, 1]
    assert step.rewards.tolist() == [[0, 4]]
    assert (games.plan.seed, games.seats, games.players) == (3, (0, 1), 2)


def test_impossible_actions_change_nothing() -> None:
    games = env.VectorEnv(2, seats=cast("Any", 1), **KEYS)
    with refused(r"no game has begun: call reset\(\) first"):
        games.step([0, 0])
    games.reset()
    for actions, sentence in (
        ([-1, 0], "game 0: action -1 does not exist: actions are numbered 0 to 255"),
        ([0, 256], "game 1: action 256 does not exist"),
        ([2, 3], r"game 1: action 3 \(3\) is not legal here; 3 actions are, such as 0, 1, 2; see the mask"),
        ([0], r"actions must be 2 whole numbers, one per game, not int64 of shape \(1,\)"),
        ([0.0, 1.0], "not float64"), ([True, True], "not bool"),
    ):  # fmt: skip
        with refused(sentence):
            games.step(actions)
    assert games.step([0, 0]).seats.tolist() == [1, 1]
    for keys, sentence in (
        ({"seats": []}, "seats must name at least one seat"), ({"seats": [2]}, "seat 2 does not exist"),
        ({"reward": "points"}, "reward must be win or score, not 'points'"),
        ({"actions": "fixed"}, "does not name its actions"),
        ({"actions": "move"}, r"actions must be fixed or moves, not 'move' \(did you mean 'moves'\?\)"),
    ):  # fmt: skip
        with refused(sentence):
            env.VectorEnv(1, **(KEYS | keys))
    for count in (0, 100_001):
        with refused(f"games must be from 1 to 100000, not {count}"):
            env.VectorEnv(count, **KEYS)
    with refused("games must be a whole number, not 'x'"):
        env.VectorEnv("x", **KEYS)  # type: ignore[arg-type]
    assert env.VectorEnv(1, seats=[1, 0, 1], **KEYS).seats == (0, 1)
    assert [checked_seat(seat, 2) for seat in (0, 1, np.int64(1))] == [0, 1, 1]
    for seat in (-1, 2, True):
        with refused("does not exist: seats are numbered 0 to 1"):
            checked_seat(seat, 2)
    assert validate_choice("x", "a", ("a", "b")) == "a"


def test_one_seat_is_an_agent_of_gymnasium() -> None:
    single: Any = env.single(seat=0, reward="score", **KEYS)
    with refused(r"no game has begun: call reset\(\) to begin a game"):
        single.step(0)
    seen, info = single.reset(seed=5)
    assert (seen.dtype, info["decision"], info["action_mask"].sum()) == (np.int16, 0, 3)
    seen, reward, over, cut, info = single.step(2)
    assert (reward, over, cut) == (0.0, False, False)
    seen, reward, over, cut, info = single.step(1)
    assert (reward, over, cut, info["scores"]) == (3.0, True, False, [3.0, 2.0])
    assert dict(zip(single.columns, seen.tolist(), strict=True))["all.0"] == 3, "its last view"
    with refused(r"the game is over: call reset\(\) to begin a game"):
        single.step(0)
    single.reset()
    _, reward, over, _, info = single.step(7)
    assert (reward, over) == (-1.0, True)
    assert info["illegal"].startswith("action 7 (7) is not legal here")
    strict: Any = env.single(seat=1, illegal="raise", **KEYS)
    strict.reset()
    with refused("is not legal here"):
        strict.step(7)
    for action, sentence in ((True, "an action must be a whole number, not True"), (1.0, "not 1.0"),
                             (-1, "action -1 does not exist"), (256, "action 256 does not exist")):  # fmt: skip
        with refused(sentence):
            strict.step(action)
    assert strict.step(2)[1] == 0.0
    assert strict.step(2)[1] == 0.5, "4 to 4"
    strict.close()
    with refused("the environment is closed"):
        strict.reset()


def test_agents_of_pettingzoo_act_one_after_another() -> None:
    pytest.importorskip("pettingzoo")
    table: Any = env.aec(**KEYS)
    with refused("no game has begun"):
        table.step(0)
    table.reset()
    assert (table.agents, table.agent_selection) == (["player_0", "player_1"], "player_0")
    assert table.observe("player_0")["action_mask"].sum() == 3
    assert table.observe("player_1")["action_mask"].sum() == 0
    with refused(r"player_0: action 5 \(5\) is not legal here"):
        table.step(5)
    for action in (2, 1, 0):
        table.step(action)
    assert (table.agent_selection, table.rewards) == ("player_1", {"player_0": 0.0, "player_1": 0.0})
    table.step(2)
    assert table.rewards == {"player_0": 0.0, "player_1": 1.0}
    assert set(table.terminations.values()) == {True}
    assert set(table.truncations.values()) == {False}
    with refused("the game is over: the action of player_1 must be None"):
        table.step(0)
    table.step(None)
    table.step(None)
    assert table.agents == []
    with refused("the game is over"):
        table.step(None)
    with refused(r"there is no agent 'player_2'.*: the agents are player_0, player_1"):
        table.observe("player_2")
    assert table.action_space("player_1") is table.action_spaces["player_1"]
    table.close()
    with refused("the environment is closed"):
        table.reset()


def test_agents_of_pettingzoo_act_together_where_a_game_lets_them() -> None:
    """In this game nobody chooses at the same time as others."""
    pytest.importorskip("pettingzoo")
    table: Any = env.parallel(reward="score", **KEYS)
    seen, infos = table.reset(seed=2)
    assert infos == {"player_0": {}, "player_1": {}}
    assert [int(seen[agent]["action_mask"].sum()) for agent in table.agents] == [3, 0]
    for actions, sentence in (({"player_1": 0}, "player_0 must act, but no action was given"),
                              ({"player_0": 9}, "player_0: action 9"),
                              ({"player_7": 0}, "there is no agent 'player_7'"),
                              ([0, 1], "actions must be a mapping of agents to actions")):  # fmt: skip
        with refused(sentence):
            table.step(actions)
    seen, rewards, ended, cut, _ = table.step({"player_0": 2, "player_1": 1})
    assert [int(seen[agent]["action_mask"].sum()) for agent in table.agents] == [0, 3]
    assert (rewards, set(ended.values())) == ({"player_0": 0.0, "player_1": 0.0}, {False})
    assert dict(zip(table.columns, seen["player_0"]["observation"].tolist(), strict=True))["own.0"] == 2
    for agent, action in (("player_1", 1), ("player_0", 1)):
        table.step({agent: action})
    seen, rewards, ended, cut, _ = table.step({"player_1": 0})
    assert (rewards, set(ended.values()), set(cut.values())) == ({"player_0": 3.0, "player_1": 1.0}, {True}, {False})
    assert table.agents == []
    with refused("the game is over"):
        table.step({})


def test_states_of_openspiel() -> None:
    """Three deals; the second is dealt, then 2, 0, 1, 1: two points and a victory more for player 0."""
    game: Any = env.spiel(deals=3, **KEYS)
    state = game.new_initial_state()
    assert (state.is_chance_node(), state.current_player(), state.is_terminal()) == (True, -1, False)
    assert state.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
    assert (state.legal_actions(), state.legal_actions(0), sum(state.legal_actions_mask())) == ([0, 1, 2], [], 0)
    with refused("chance outcome 3 does not exist: outcomes are numbered 0 to 2"):
        state.apply_action(3)
    state.apply_action(1)
    assert (state.current_player(), state.is_player_node(), state.move_number()) == (0, True, 1)
    with refused("chance does not decide here"):
        state.chance_outcomes()
    assert (state.legal_actions(), state.legal_actions(1)) == ([0, 1, 2], [])
    assert state.action_to_string(2) == "2"
    child = state.child(2)
    assert (child.current_player(), state.current_player(), child.history()) == (1, 0, [1, 2])
    other = child.clone()
    for action in (0, 1, 1):
        other.apply_action(action)
    assert other.is_terminal()
    assert other.returns() == [1.0, 0.0]
    assert child.returns() == [0.0, 0.0]
    assert other.full_history() == [(-1, 1), (0, 2), (1, 0), (0, 1), (1, 1)]
    assert other.serialize() == "1\n2\n0\n1\n1"
    again = game.deserialize_state(other.serialize())
    assert (again.history(), again.returns()) == (other.history(), other.returns())
    with refused("the game is over: no action can be applied"):
        other.apply_action(0)
    with refused("'x' is not a state: it must be the number of the deal, then the actions"):
        game.deserialize_state("x")
    assert (game.utility_sum(), game.min_utility(), game.max_utility(), game.max_chance_outcomes()) == (1.0, 0, 1, 3)
    with refused("action 5"):
        child.apply_action(5)
    assert child.history() == [1, 2], "an illegal action changes nothing"
    sampled: Any = env.spiel(reward="score", **KEYS)
    assert (sampled.max_chance_outcomes(), sampled.utility_sum(), sampled.draw(0), sampled.draw(0)) == (1, None, 0, 1)
    for deals in (0, 1.0, (1 << 24) + 1):
        with refused("deals must be a whole number from 1 to 16,777,216, or None"):
            env.spiel(deals=deals, **KEYS)  # type: ignore[arg-type]


def test_a_player_knows_its_view_and_what_it_did() -> None:
    game: Any = env.spiel(deals=2, **KEYS)
    state = game.new_initial_state()
    with refused("no observation is available before the deal"):
        state.observation_string(0)
    assert str(state) == "before the deal"
    state.apply_action(0)
    other = game.deserialize_state("1")
    for each in (state, other):
        each.apply_action(2)
        each.apply_action(1)
    known = json.loads(state.information_state_string())
    assert (known["player"], known["did"], known["knows"]["own"]) == (0, ["2"], [2])
    assert known["past"] == json.loads(other.information_state_string(0))["past"], "the deal is hidden"
    assert json.loads(state.information_state_string(1))["did"] == ["1"]
    assert state.child(0).information_state_string(0) != state.child(1).information_state_string(0)
    place = list(game.columns).index("all.1")
    assert (state.observation_tensor(0)[place], state.observation_tensor(0).dtype) == (1.0, np.float32)
    assert len(state.information_state_tensor(1)) == game.information_state_tensor_size() == len(game.all_columns)
    assert state.observation_string(0).splitlines()[0] == "own: [2]"
    drawn = state.resample_from_infostate(0, lambda: 0.25)
    assert json.loads(drawn.information_state_string(0)) == known
    with refused("player 1 does not decide here"):
        state.resample_from_infostate(1)
    assert (state.player_return(1), state.rewards()) == (0.0, [0.0, 0.0])
    with refused("seat 2 does not exist"):
        state.player_return(2)
    assert repr(state) == "<wsim.env.SpielState player 0, 3 actions>"


def test_observations_are_scaled_by_the_largest_seen() -> None:
    """The view has the number 99,999, of which observations hold 32,767 at most."""
    single: Any = env.single(seat=0, observations="scaled", **KEYS)
    seen, _ = single.reset()
    named = dict(zip(single.columns, seen.tolist(), strict=True))
    assert (named["big"], named["own.0"], seen.dtype) == (1.0, 0.0, np.float32)
    seen = single.step(2)[0]
    named = dict(zip(single.columns, seen.tolist(), strict=True))
    assert (named["own.0"], named["all.0"]) == (1.0, 0.5), "the most that a seat says, and in all"
    assert (single.observation_space.low.min(), single.observation_space.high.max()) == (-1.0, 1.0)
    with refused("observations must be counts or scaled, not 'scale'"):
        env.single(observations="scale", **KEYS)


def test_vectors_of_gymnasium_give_final_scores() -> None:
    many: Any = env.singles(2, seat=0, **KEYS)
    many.reset(seed=1)
    assert many.action_masks().sum(axis=1).tolist() == [3, 3]
    many.step(np.array([2, 0]))
    _, rewards, ended, cut, infos = many.step(np.array([2, 0]))
    assert (rewards.tolist(), ended.tolist(), cut.tolist()) == ([1.0, 0.0], [True, True], [False, False])
    assert infos["final_info"]["scores"].tolist() == [[4, 2], [0, 2]]
    assert infos["_final_info"].tolist() == [True, True]
    assert infos["action_mask"].sum(axis=1).tolist() == [3, 3]
    with refused("give one seed, not one per game"):
        many.reset(seed=[1, 2])
    many.close()
