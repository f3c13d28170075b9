"""The adapter conforms to the interface of OpenSpiel games, checked by playthroughs as in OpenSpiel's own tests."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import wsim
from tests.env.plans import BABEL, in_babel_first
from wsim.env.states import CHANCE, TERMINAL, SpielState
from wsim.errors import UserError

PLANS: dict[str, dict[str, Any]] = {
    "1e": {"players": 3},
    "duo": {"ruleset": "1e-duo", "players": 2},
    "babel": {**BABEL, "players": 3},
}
TEAMS = {"ruleset": "2e-cities-teams", "players": 4}
plans = pytest.mark.parametrize("keys", in_babel_first(PLANS))
plans_and_teams = pytest.mark.parametrize("keys", in_babel_first({**PLANS, "teams": TEAMS}))
games = pytest.mark.parametrize("keys", in_babel_first({name: PLANS[name] for name in ("1e", "babel")}))


def dealt(state: SpielState, outcome: int = 0) -> SpielState:
    state.apply_action(outcome)
    return state


@pytest.mark.slow
@plans_and_teams
def test_a_random_playthrough_is_consistent(keys: dict[str, Any]) -> None:
    """All methods of a state agree with each other, from the deal to the end."""
    game = wsim.env.spiel(deals=3, seed=5, **keys)
    dice, state = random.Random(4), game.new_initial_state()
    assert state.current_player() == CHANCE
    assert state.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
    assert state.legal_actions() == [0, 1, 2]
    dealt(state, 2)
    decided = 0
    while not state.is_terminal():
        player, legal = state.current_player(), state.legal_actions()
        assert len(legal) > 1
        assert legal == state.legal_actions(player) == list(np.flatnonzero(state.legal_actions_mask()))
        assert [state.legal_actions(other) for other in range(game.num_players()) if other != player] == [[]] * (
            game.num_players() - 1
        )
        assert state.returns() == [0.0] * game.num_players()
        action = dice.choice(legal)
        assert state.action_to_string(player, action) == game.actions[action]
        assert 0 <= action < game.num_distinct_actions()
        if decided % 12 == 0:
            before = state.information_state_string(player), state.history(), state.legal_actions()
            child = state.child(action)
            assert child.history() == [*before[1], action]
            assert before == (state.information_state_string(player), state.history(), state.legal_actions())
            assert child.information_state_string(player) != before[0]
            assert state.information_state_tensor().shape == tuple(game.information_state_tensor_shape())
            assert state.observation_tensor().shape == tuple(game.observation_tensor_shape())
            again = game.deserialize_state(state.serialize())
            assert again.information_state_string(player) == before[0]
        state.apply_action(action)
        decided += 1
    assert state.current_player() == TERMINAL
    assert state.legal_actions() == []
    assert decided == state.move_number() - 1 <= game.max_game_length()
    assert sum(state.returns()) == pytest.approx(game.utility_sum())
    assert all(game.min_utility() <= one <= game.max_utility() for one in state.returns())
    assert len(state.full_history()) == state.move_number()
    with pytest.raises(UserError, match="the game is over"):
        state.apply_action(0)


@plans
def test_the_information_state_reveals_nothing_hidden(keys: dict[str, Any]) -> None:
    """After resampling all hidden information, the player's own view is the same, but other views change."""
    game = wsim.env.spiel(seed=9, **keys)
    dice, state, differ = random.Random(1), dealt(game.new_initial_state()), 0
    for step in range(24):
        player = state.current_player()
        if step % 4 == 3:
            other = state.resample_from_infostate(player, dice.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert (other.information_state_tensor(player) == state.information_state_tensor(player)).all()
            assert (other.observation_tensor(player) == state.observation_tensor(player)).all()
            assert other.legal_actions() == state.legal_actions()
            rivals = [seat for seat in range(game.num_players()) if seat != player]
            differ += any(
                other.information_state_string(seat) != state.information_state_string(seat) for seat in rivals
            )
        state.apply_action(dice.choice(state.legal_actions()))
    assert differ > 3


@games
def test_the_information_state_has_perfect_recall(keys: dict[str, Any]) -> None:
    """Two ways to the same table are different information states only for the player who chose between them."""
    start = dealt(wsim.env.spiel(seed=2, **keys).new_initial_state())
    who = start.current_player()
    first, second = (start.child(action) for action in start.legal_actions()[:2])
    assert first.information_state_string(who) != second.information_state_string(who)
    if keys is PLANS["1e"]:  # nobody saw it yet
        for seat in (1, 2):
            assert first.information_state_string(seat) == second.information_state_string(seat)
    assert json.loads(first.information_state_string(who))["did"] == [first.action_to_string(who, first.history()[1])]


@games
def test_sampled_deals_follow_the_games_of_the_seed(keys: dict[str, Any]) -> None:
    game = wsim.env.spiel(seed=2, **keys)
    states = [game.new_initial_state() for _ in range(2)]
    assert [state.chance_outcomes() for state in states] == [[(0, 1.0)]] * 2
    hands = [dealt(state).observation_string(0) for state in states]
    fixed = wsim.env.spiel(seed=2, deals=2, **keys)
    assert hands == [fixed.new_initial_state().child(outcome).observation_string(0) for outcome in (0, 1)]
    assert (str(game.get_type().chance_mode), str(fixed.get_type().chance_mode)) == (
        "SAMPLED_STOCHASTIC",
        "EXPLICIT_STOCHASTIC",
    )


def test_misuse_is_reported_in_one_sentence() -> None:
    game = wsim.env.spiel(deals=2, **PLANS["babel"])
    state = game.new_initial_state()
    with pytest.raises(UserError, match="chance outcome 2 does not exist: outcomes are numbered 0 to 1"):
        state.apply_action(2)
    with pytest.raises(UserError, match="before the deal"):
        state.information_state_string(0)
    dealt(state)
    illegal = state.legal_actions_mask().index(0)
    idle = (state.current_player() + 1) % game.num_players()
    with pytest.raises(UserError, match="is not legal here"):
        state.apply_action(illegal)
    with pytest.raises(UserError, match="chance does not decide here"):
        state.chance_outcomes()
    with pytest.raises(UserError, match=f"player {idle} does not decide here"):
        state.resample_from_infostate(idle)
    with pytest.raises(UserError, match="seat 7 does not exist"):
        state.observation_string(7)
    with pytest.raises(UserError, match="deals must be a whole number"):
        wsim.env.spiel(deals=0)
    with pytest.raises(UserError, match="is not a state"):
        game.deserialize_state("deal 3")


@pytest.mark.slow
def test_openspiel_algorithms_accept_the_game() -> None:
    """OpenSpiel's own counterfactual regret sampling and information-set tree search run on the game."""
    ismcts, mcts, outcome_sampling_mccfr = (
        pytest.importorskip(
            f"open_spiel.python.algorithms.{name}", reason="OpenSpiel is missing: pip install open_spiel"
        )
        for name in ("ismcts", "mcts", "outcome_sampling_mccfr")
    )
    game = wsim.env.spiel(ruleset="1e-duo", players=2, seed=3, deals=4)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    for _ in range(3):
        solver.iteration()
    state = dealt(game.new_initial_state())
    policy = solver.average_policy().action_probabilities(state, state.current_player())
    assert set(policy) == set(state.legal_actions())
    assert sum(policy.values()) == pytest.approx(1.0)
    bot = ismcts.ISMCTSBot(
        game=game, uct_c=1.4, max_simulations=20, evaluator=mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)),
        random_state=np.random.RandomState(1),
    )  # fmt: skip
    assert bot.step(state) in state.legal_actions()
