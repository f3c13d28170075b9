"""Games stepped together equal games played one by one, and errors are reported in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
from tests.env.plans import BABEL, in_babel_first
from wsim.env import VectorEnv
from wsim.env.game_vector import GameVector
from wsim.errors import UserError
from wsim.jit.modes import JIT

PLANS: dict[str, dict[str, Any]] = {
    "1e": {},
    "babel": BABEL,
    "cities": {"ruleset": "2e-cities", "players": 5},
    "teams": {"ruleset": "2e-cities-teams", "players": 4},
    "duo": {"ruleset": "1e-duo", "players": 2},
    "babel with bluffs": {**BABEL, "set": ["babel.rules.allow_bluff_cards=true"]},
}
FIRST = "import wsim\n\n@wsim.policy\ndef first(public, own, choice, rules):\n    return 0\n"

plans = pytest.mark.parametrize("keys", in_babel_first(PLANS))


def drawn(masks: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Draw a legal action for each row."""
    actions: np.ndarray[Any, Any] = (masks * (1.0 + rng.random(masks.shape))).argmax(axis=1)
    return actions


def past_forced(game: wsim.Game) -> wsim.Game:
    """Step a game to the next decision with a choice."""
    while game.to_move is not None and len(game.legal()) == 1:
        game.step(0)
    return game


@pytest.mark.slow
@plans
def test_each_move_steps_the_game_with_its_index(keys: dict[str, Any]) -> None:
    """The deciding seat, its observation, the number of moves and the outcome agree with ``wsim.Game``."""
    rng = np.random.default_rng(5)
    with VectorEnv(2, actions="moves", seed=11, **keys) as env:
        step = env.reset()
        for number in (0, 2):
            game = past_forced(wsim.Game(number=number, seed=11, rotate=False, **keys))
            while game.to_move is not None:
                assert step.seats[0] == game.to_move
                assert step.masks[0].sum() == len(game.legal())
                assert (step.observations[0] == game.observe().array[: len(env.columns)]).all()
                actions = drawn(step.masks, rng)
                past_forced(game.step(int(actions[0])))
                step = env.step(actions)
                assert step.done[0] == (game.to_move is None)
            assert game.result is not None
            shares = [seat["win_share"] for seat in game.result[: env.players]]
            assert step.rewards[0].tolist() == pytest.approx(shares, abs=1e-5)
            assert env.scores[0].tolist() == [seat["total"] for seat in game.result[: env.players]]


def fixed_name(move: dict[str, Any]) -> str:
    """Return the name of the fixed action for a move of 7 Wonders, except for the once-per-age free build."""
    if move["action"] == "pay":
        return f"pay:{move['coins']}"
    return "decline" if move["action"] == "decline" else f"{move['action']}:{move['card']}"


def paid(move: dict[str, Any]) -> int:
    return int(sum(move.get(key, 0) for key in ("bank", "left", "right")))


OLYMPIA = {"wonders": "Olympia,random,random", "sides": "A", "players": 3}  # one free build in each age (R26)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [OLYMPIA, PLANS["cities"], PLANS["duo"]], ids=["1e", "cities", "duo"])
def test_a_fixed_action_takes_its_cheapest_move(keys: dict[str, Any]) -> None:
    """Exactly the actions of legal moves are legal, and each action makes the cheapest of its moves."""
    rng = np.random.default_rng(3)
    spent = 0
    with VectorEnv(1, seed=4, **keys) as env:
        step = env.reset()
        for number in range(3):
            game = past_forced(wsim.Game(number=number, seed=4, rotate=False, **keys))
            while game.to_move is not None:
                legal = {env.actions[action] for action in np.flatnonzero(step.masks[0])}
                moves = game.legal()
                ordinary = {name for name in legal if not name.startswith("build_free:")}
                freely = {f"build:{name.partition(':')[2]}" for name in legal - ordinary}
                spent += len(freely)
                assert ordinary <= {fixed_name(move) for move in moves} <= ordinary | freely
                stages = [one for one in np.flatnonzero(step.masks[0]) if env.actions[one].startswith("stage:")]
                action = int(stages[0]) if stages else int(drawn(step.masks, rng)[0])
                name = env.actions[action].replace("build_free:", "build:")
                fitting = [move for move in moves if fixed_name(move) == name]
                if env.actions[action] != name or name in freely:  # the build that uses up the free one is told as free
                    free = env.actions[action] != name
                    fitting = [move for move in fitting if (move["how"] == "free") == free]
                past_forced(game.step(min(fitting, key=paid)["index"]))
                step = env.step([action])
                if game.to_move is not None:
                    assert (step.observations[0] == game.observe().array[: len(env.columns)]).all()
    if keys is OLYMPIA:
        assert spent > 0, "no position of this test has the once-per-age build"


@pytest.mark.slow
@pytest.mark.parametrize("keys", [BABEL, PLANS["babel with bluffs"]], ids=["plain", "bluffs"])
def test_every_move_of_babel_has_a_separate_action(keys: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    decisions = set()
    with VectorEnv(1, seed=4, **keys) as env:
        step = env.reset()
        for number in range(3):
            game = past_forced(wsim.Game(number=number, seed=4, rotate=False, **keys))
            while game.to_move is not None:
                names = [env.actions[action] for action in np.flatnonzero(step.masks[0])]
                assert len(names) == len(game.legal())
                assert {name.partition(":")[0] for name in names} == {game.decision}
                decisions.add(game.decision)
                index = int(rng.integers(len(names)))  # actions stand in the order of the moves
                past_forced(game.step(index))
                step = env.step([int(np.flatnonzero(step.masks[0])[index])])
                if game.to_move is not None:
                    assert (step.observations[0] == game.observe().array).all()
    assert {"turn", "offer", "take", "complete"} <= decisions


@pytest.mark.parametrize("game", [pytest.param("seven_wonders", marks=pytest.mark.slow), "tower_of_babel"])
def test_the_line_up_plays_the_other_seats(game: str, tmp_path: Path) -> None:
    """If the caller plays the moves of a policy, the games equal those of simulate."""
    (tmp_path / "first.py").write_text(FIRST, encoding="utf-8")
    policies = [f"{tmp_path / 'first.py'}:first", "balanced", "random", "random"]
    seats = wsim.simulate(game=game, players=4, games=6, seed=3, policies=policies, rotate=False)
    expected = seats["total"].to_numpy().reshape(6, 4)
    found: dict[int, Sequence[float]] = {}
    with VectorEnv(3, actions="moves", seats=[0], game=game, players=4, seed=3, policies=policies) as env:
        step = env.reset()
        ended = [0, 0, 0]
        while len(found) < 6:
            assert (step.seats == 0).all()
            step = env.step(np.zeros(3, int))
            for place in np.flatnonzero(step.done):
                found.setdefault(int(place) + 3 * ended[place], env.scores[place].tolist())
                ended[place] += 1
    assert [found[number] for number in range(6)] == expected.tolist()


def played(steps: int, **keys: Any) -> list[Any]:
    rng = np.random.default_rng(8)
    with VectorEnv(70, seed=2, **keys) as env:
        step = env.reset()
        told = []
        for _ in range(steps):
            told.append([part.copy() for part in step])
            step = env.step(drawn(step.masks, rng))
    return told


@pytest.mark.parametrize(
    "keys", [pytest.param({}, marks=pytest.mark.slow), {**BABEL, "seats": [1, 2]}], ids=["1e", "babel"]
)
def test_results_do_not_depend_on_threads(keys: dict[str, Any]) -> None:
    one, three = played(80, threads=1, **keys), played(80, threads=3, **keys)
    assert all(
        (a == b).all() for first, second in zip(one, three, strict=True) for a, b in zip(first, second, strict=True)
    )
    assert any(step[4].any() for step in one), "no game ended"


def test_rewards_can_be_points() -> None:
    rng = np.random.default_rng(1)
    with VectorEnv(4, reward="score", seed=2, **BABEL) as env:
        step = env.reset()
        while not step.done.any():
            assert not step.rewards.any()
            step = env.step(drawn(step.masks, rng))
        assert (step.rewards[step.done] == env.scores[step.done]).all()
        assert not step.rewards[~step.done].any()


@pytest.mark.slow
def test_a_reward_is_given_once() -> None:
    """The reward is given in the step in which a game ends; later steps belong to the next game."""
    rng, ended = np.random.default_rng(1), np.zeros(4, int)
    with VectorEnv(4, seed=2, **BABEL) as env:
        step = env.reset()
        while ended.min() < 2:
            step = env.step(drawn(step.masks, rng))
            ended += step.done
            assert step.rewards.sum(axis=1) == pytest.approx(step.done.astype(float))


def test_reset_without_a_seed_starts_new_games() -> None:
    rng = np.random.default_rng(1)
    games = GameVector(wsim.Plan.make(**BABEL), 3, (0, 1, 2, 3), "moves", again=True)
    played: list[int] = []
    for seed, steps in ((5, 300), (None, 0), (None, 300), (None, 300)):
        games.begin(seed)
        now = games.timesteps.number.tolist()
        assert not set(now) & set(played)
        for _ in range(steps):
            games.step(drawn(games.masks, rng))
            now += games.timesteps.number[games.timesteps.over == 1].tolist()
        assert len(now) == len(set(now)) > 3 * (steps > 0)
        played += now
    games.begin(5)
    assert games.timesteps.number.tolist() == [0, 1, 2]


def test_reset_continues_with_new_games_or_restarts_with_a_seed() -> None:
    with VectorEnv(3, seed=2, **BABEL) as env:
        first = env.reset().observations.copy()
        assert (env.reset().observations != first).any()
        assert (env.reset(seed=2).observations == first).all()
        assert (env.reset(seed=3).observations != first).any()
        assert env.plan.seed == 3


def test_arrays_are_reused_between_calls() -> None:
    """Every call fills the same arrays, so memory does not grow."""
    with VectorEnv(3, **BABEL) as env:
        one = env.reset()
        two = env.step(one.masks.argmax(axis=1))
        assert one.observations is two.observations
        assert one.masks is two.masks


# slow where it alone would have these kernels compiled; CI plays it without the JIT, where places are checked as well
of_cities = pytest.param({"ruleset": "2e-cities"}, id="cities", marks=[pytest.mark.slow] * JIT)


@pytest.mark.jit_off
@pytest.mark.boundscheck
@pytest.mark.parametrize("keys", [pytest.param(BABEL, id="babel"), of_cities])
def test_two_games_played_to_the_end(keys: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    with VectorEnv(2, players=3, seats=[0, 2], policies="random", seed=1, **keys) as env:
        step = env.reset()
        ended = np.zeros(2, bool)
        while not ended.all():
            step = env.step(drawn(step.masks, rng))
            ended |= step.done
        assert (env.scores > 0).any()


def failing(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"seats": [4]}, "seat 4 does not exist: seats are numbered 0 to 3"),
        ({"seats": []}, "seats must name at least one seat"),
        ({"actions": "move"}, "actions must be fixed or moves, not 'move' (did you mean 'moves'?)"),
        ({"reward": "points"}, "reward must be win or score, not 'points'"),
        ({"threads": 0}, "threads"),
        ({"player": 3}, "unknown plan key 'player'"),
        ({"policies": "nobody"}, "nobody"),
        ({"ruleset": "1e-duo", "players": 4}, "4 players cannot play rule set 1e-duo"),
    ],
)
def test_an_invalid_argument_is_reported_in_one_sentence(keys: dict[str, Any], sentence: str) -> None:
    assert sentence in failing(lambda: VectorEnv(2, **keys))


@pytest.mark.parametrize("games", [0, -1, 2.5, "ten", 10**9])
def test_an_invalid_number_of_games_is_reported_in_one_sentence(games: Any) -> None:
    assert "games must be" in failing(lambda: VectorEnv(games))


def test_invalid_actions_change_nothing() -> None:
    with VectorEnv(3, **BABEL) as env:
        assert "call reset() first" in failing(lambda: env.step([0, 0, 0]))
        step = env.reset()
        before = step.observations.copy()
        right = step.masks.argmax(axis=1)
        wrong = right.copy()
        wrong[1] = int((~step.masks[1]).argmax())
        told = failing(lambda: env.step(wrong))
        assert told.startswith(f"game 1: action {wrong[1]} ({env.actions[wrong[1]]}) is not legal here")
        wrong[1] = len(env.actions)
        assert f"game 1: action {len(env.actions)} does not exist" in failing(lambda: env.step(wrong))
        for bad in ([0, 0], 0, [0.0, 0.0, 0.0], ["a", "b", "c"]):
            assert "actions must be 3 whole numbers" in failing(lambda bad=bad: env.step(bad))  # type: ignore[misc]
        assert (env.step(right).observations != before).any()
    assert failing(env.reset) == failing(lambda: env.step(right)) == "the environment is closed"


@pytest.mark.slow
def test_a_failing_policy_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(FIRST.replace("return 0", "return -5"), encoding="utf-8")
    policies = ["random", f"{tmp_path / 'bad.py'}:first", "random", "random"]
    with VectorEnv(2, seats=[0], policies=policies, **BABEL) as env:
        # seat 1 decides before seat 0 in some of the games
        assert "returned -5 in seat 1" in failing(lambda: env.step(env.reset().masks.argmax(axis=1)))
