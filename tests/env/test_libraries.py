"""The environments conform to PettingZoo and Gymnasium, checked by the tests of these libraries."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np
import pytest

import wsim.env
from tests.env.plans import BABEL, in_babel_first
from wsim.errors import UserError

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is missing: pip install wsim[env]")
pytest.importorskip("pettingzoo", reason="PettingZoo is missing: pip install wsim[env]")

PLANS: dict[str, dict[str, Any]] = {
    "1e": {},
    "cities": {"ruleset": "2e-cities", "players": 5, "actions": "moves"},
    "duo": {"ruleset": "1e-duo", "players": 2},
    "babel": BABEL,
}
plans = pytest.mark.parametrize("keys", in_babel_first(PLANS))
lenient = pytest.mark.filterwarnings("ignore")  # the libraries' tests remark on observations that are dictionaries


@pytest.mark.slow
@lenient
@plans
def test_the_aec_environment_passes_the_pettingzoo_tests(
    keys: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(wsim.env.aec(**keys), num_cycles=40)
    seed_test(lambda: wsim.env.aec(**keys), num_cycles=40)
    assert "Passed API test" in capsys.readouterr().out


@lenient
@plans
def test_the_parallel_environment_passes_the_pettingzoo_tests(
    keys: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    from pettingzoo.test import parallel_api_test
    from pettingzoo.test.seed_test import parallel_seed_test

    parallel_api_test(wsim.env.parallel(**keys), num_cycles=30)
    parallel_seed_test(lambda: wsim.env.parallel(**keys), num_cycles=30)
    assert "Passed Parallel API test" in capsys.readouterr().out


@lenient
@plans
def test_the_one_seat_environment_passes_the_gymnasium_tests(keys: dict[str, Any]) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(wsim.env.single(policies="random", **keys))


def actions_of(env: Any, seen: dict[str, Any]) -> dict[str, int]:
    """Return the first legal action of every agent that must act."""
    return {agent: int(told["action_mask"].argmax()) for agent, told in seen.items() if told["action_mask"].any()}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
def test_acting_together_equals_acting_in_sequence(name: str) -> None:
    """The same actions lead to the same game, and players who act together do not see each other's actions."""
    keys = PLANS[name]
    together, apart = wsim.env.parallel(seed=6, **keys), wsim.env.aec(seed=6, **keys)
    seen, _ = together.reset()
    apart.reset()
    most = 0
    while together.agents:
        actions = actions_of(together, seen)
        most = max(most, len(actions))
        for _ in actions:
            agent = apart.agent_selection
            told = apart.observe(agent)
            assert (told["observation"] == seen[agent]["observation"]).all()
            assert (told["action_mask"] == seen[agent]["action_mask"]).all()
            apart.step(actions[agent])
        seen, rewards, *_ = together.step(actions)
    assert rewards == apart.rewards
    assert sum(rewards.values()) == pytest.approx(1.0)
    assert most == {"1e": 4, "cities": 5, "duo": 1, "babel": most}[name]


def test_only_the_deciding_player_has_actions() -> None:
    env = wsim.env.aec(seed=6, **BABEL)
    env.reset()
    for _ in range(6):
        able = [agent for agent in env.possible_agents if env.observe(agent)["action_mask"].any()]
        assert able == [env.agent_selection]
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))


@pytest.mark.slow
def test_the_next_game_gives_no_reward_before_its_end() -> None:
    env = wsim.env.parallel(seed=6, **BABEL)
    for _ in range(2):
        seen, _ = env.reset()
        while env.agents:
            seen, rewards, *_ = env.step(actions_of(env, seen))
            assert sum(rewards.values()) == pytest.approx(float(not env.agents))


def test_a_game_of_one_seat_is_reported() -> None:
    env = wsim.env.single(seat=2, policies="random", seed=4, **BABEL)
    seen, info = env.reset()
    assert seen[env.columns.index("seat")] == 2
    over = False
    while not over:
        seen, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert len(info["scores"]) == 4
    assert 0.0 <= reward <= 1.0
    with pytest.raises(UserError, match="the game is over: call reset"):
        env.step(0)


def test_an_illegal_action_ends_the_game_or_is_rejected() -> None:
    env = wsim.env.single(seed=4, **BABEL)
    _, info = env.reset()
    illegal = int(info["action_mask"].argmin())
    *_, reward, over, _, info = env.step(illegal)
    assert (reward, over) == (-1.0, True)
    assert info["illegal"].startswith(f"action {illegal} ({env.actions[illegal]}) is not legal here")
    strict = wsim.env.single(seed=4, illegal="raise", **BABEL)
    strict.reset()
    with pytest.raises(UserError, match="is not legal here"):
        strict.step(illegal)
    for action, sentence in ((10**6, "does not exist"), (-1, "does not exist"), ("a", "a whole number")):
        with pytest.raises(UserError, match=sentence):
            strict.step(action)


def test_misuse_of_the_aec_environment_is_reported_in_one_sentence() -> None:
    env = wsim.env.aec(**BABEL)
    with pytest.raises(UserError, match="no game has begun"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(UserError, match="there is no agent 'player_7'"):
        env.observe("player_7")
    illegal = int(env.observe(env.agent_selection)["action_mask"].argmin())
    with pytest.raises(UserError, match=rf"{env.agent_selection}: action {illegal} .* is not legal here"):
        env.step(illegal)
    while env.agents:
        told, _, over, _, _ = env.last()
        env.step(None if over else int(told["action_mask"].argmax()))
    with pytest.raises(UserError, match="the game is over"):
        env.step(0)
    with pytest.raises(UserError, match="seed must be at least 0"):
        env.reset(seed=-1)
    env.close()
    with pytest.raises(UserError, match="the environment is closed"):
        env.reset()


@pytest.mark.slow
def test_misuse_of_the_parallel_environment_is_reported_in_one_sentence() -> None:
    env = wsim.env.parallel(seed=1)
    with pytest.raises(UserError, match="no game has begun"):
        env.step({})
    seen, _ = env.reset()
    actions = actions_of(env, seen)
    for wrong, sentence in (
        ({**actions, "player_9": 0}, "there is no agent 'player_9'"),
        ({"player_0": actions["player_0"]}, "player_1 must act, but no action was given"),
        ({**actions, "player_2": int(seen["player_2"]["action_mask"].argmin())}, "player_2: action"),
        (3, "a mapping of agents"),
    ):
        with pytest.raises(UserError, match=sentence):
            env.step(wrong)  # type: ignore[arg-type]
    again = env.step(actions)[0]
    assert (again["player_0"]["observation"] != seen["player_0"]["observation"]).any()
    env.close()
    with pytest.raises(UserError, match="the environment is closed"):
        env.step(actions)


def test_invalid_arguments_are_reported_in_one_sentence() -> None:
    with pytest.raises(UserError, match="seat 4 does not exist"):
        wsim.env.single(seat=4)
    with pytest.raises(UserError, match="illegal must be end or raise, not 'stop'"):
        wsim.env.single(illegal="stop")
    with pytest.raises(UserError, match="reward must be win or score"):
        wsim.env.aec(reward="rank")


@pytest.mark.parametrize(
    ("call", "module", "library"),
    [("aec", "zoo", "PettingZoo"), ("parallel", "zoo", "PettingZoo"), ("single", "gym", "Gymnasium")],
)
def test_a_missing_library_names_the_extra(
    call: str, module: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] in ("gymnasium", "pettingzoo"):
            raise ModuleNotFoundError(name=name)
        return there(name, *rest, **more)

    for name in [name for name in sys.modules if name in (f"wsim.env.{module}", "wsim.env.spaces")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UserError) as caught:
        getattr(wsim.env, call)()
    assert str(caught.value) == (f'wsim.env.{call} needs {library}, which is not installed: pip install "wsim[env]"')


@pytest.mark.slow
def test_spaces_sample_legal_actions() -> None:
    env = wsim.env.aec(seed=3)
    env.reset()
    space = env.action_space("player_0")
    space.seed(1)
    mask = env.observe("player_0")["action_mask"]
    assert all(mask[space.sample()] for _ in range(50))
    assert env.observation_space("player_0").contains(env.observe("player_0"))
    assert np.asarray(space.sample(mask)).dtype == np.int64


def test_vectorised_games_match_single_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same moves, game i of ``singles`` equals game i of ``single``: observations, masks, rewards and ends."""
    keys: dict[str, Any] = {"policies": "greedy", "players": 3, "seed": 7, **BABEL}
    many = wsim.env.singles(4, seat=1, observations="counts", threads=1, **keys)
    seen, info = many.reset(seed=7)
    alone = [wsim.env.single(seat=1, illegal="raise", **keys) for _ in range(4)]
    single: list[Any] = []
    for number, env in enumerate(alone):
        env.reset(seed=7)
        single.append(env.reset() if number else env.reset(seed=7))
        for _ in range(number - 1):
            single[-1] = env.reset()
    ended = 0
    while not ended:
        masks = info["action_mask"]
        assert (many.action_masks() == masks.astype(bool)).all()
        for place, env in enumerate(alone):
            assert (single[place][0] == seen[place]).all()
            assert (env.action_masks() == masks[place].astype(bool)).all()
        moves = masks.argmax(axis=1)
        seen, rewards, ends, cut, info = many.step(moves)
        for place, env in enumerate(alone):
            told = env.step(moves[place])
            assert (told[1], told[2], told[3]) == (rewards[place], ends[place], cut[place])
            single[place] = told[:2]
            if ends[place]:
                assert (info["final_info"]["scores"][place] == told[4]["scores"]).all()
        ended = int(ends.sum())
        assert ("final_info" in info) == bool(ended)
    assert many.observation_space.shape == (4, len(many.columns))
    assert isinstance(many, gymnasium.vector.VectorEnv)
    many.close()


@pytest.mark.slow
def test_scaled_observations_fit_their_space_and_are_fractions_of_the_largest_count() -> None:
    counts = wsim.env.single(policies="random", players=3, seed=3)
    scaled = wsim.env.single(policies="balanced", players=3, seed=3, observations="scaled")
    other = wsim.env.single(policies="random", players=3, seed=9, observations="scaled")
    assert (scaled._observations.scales == other._observations.scales).all()  # whatever line-up and seed
    raw, small = counts.reset()[0], scaled.reset()[0]
    assert small.dtype == np.float32
    assert scaled.observation_space.contains(small)
    assert np.allclose(small, np.clip(raw / scaled._observations.scales, -1, 1))
    assert 0.9 < np.abs(small).max() <= 1
    with pytest.raises(UserError, match="observations must be counts or scaled, not 'scald'"):
        wsim.env.single(observations="scald")


def test_the_attributes_that_maskable_ppo_needs_exist() -> None:
    env = wsim.env.single(policies="random", players=3, **BABEL)
    _, info = env.reset()
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == bool
    assert (masks == info["action_mask"].astype(bool)).all()
