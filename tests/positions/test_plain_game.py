"""The plain Python game of docs/own-game.md: played, searched, stepped by libraries, patched, and invalid versions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wsim
import wsim.env
from tests.conftest import Command
from tests.docs.test_pages import FILE
from wsim.errors import UserError
from wsim.game import GAMES, find_game
from wsim.lab.plan import Plan
from wsim.positions.plain_game import SLOW, numbers_in, stream

PAGE = Path(__file__).parents[2] / "docs" / "own-game.md"


@pytest.fixture(autouse=True)
def market(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of the page, installed as a game."""
    files = dict(FILE.findall(PAGE.read_text(encoding="utf-8")))
    (tmp_path / "market.py").write_text(files["market.py"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(GAMES, "market", "market:GAME")
    monkeypatch.delitem(sys.modules, "market", raising=False)
    yield find_game("market")
    sys.modules.pop("market", None)


def plan_of(**keys: Any) -> Plan:
    return Plan.make(**{"game": "market", "players": 3, "policies": "greedy,high,random", **keys})


def rows_of(plan: Plan, games: int = 12, first: int = 0) -> Any:
    simulator = find_game(plan.game).prepare(plan)
    rows = np.zeros(games * simulator.seats, simulator.row_dtype)
    simulator.play(first, rows)
    return rows


def test_a_game_depends_on_its_seed_and_number_alone() -> None:
    whole = rows_of(plan_of())
    for number in (0, 5, 11):
        assert (rows_of(plan_of(), 1, number) == whole[3 * number : 3 * number + 3]).all()
    assert (rows_of(plan_of(seed=2))["total"] != whole["total"]).any()
    assert whole["win_share"].reshape(-1, 3).sum(axis=1) == pytest.approx(np.ones(12))


def test_rotation_moves_the_line_up_around_the_table() -> None:
    rows = rows_of(plan_of(rotate=True))
    assert rows["policy"].reshape(-1, 3)[:4].tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]
    means = [rows["total"][rows["policy"] == policy].mean() for policy in range(3)]
    assert means[0] > max(means[1:]), "greedy is the best of the three in every seat"


def test_a_trace_agrees_with_the_rows_and_picks() -> None:
    plan = plan_of(rotate=True)
    simulator: Any = find_game("market").prepare(plan)
    rows, picks = np.zeros(3, simulator.row_dtype), np.zeros(simulator.picks_per_game, simulator.pick_dtype)
    count = simulator.play(7, rows, picks)
    trace = simulator.trace(7)
    assert [score["total"] for score in trace["scores"]] == rows["total"].tolist()
    assert [move["seat"] for move in trace["moves"]] == picks["seat"][:count].tolist()
    assert picks["turn"][:count].tolist() == list(range(15))
    assert (picks["choice"] <= picks["moves"])[:count].all()
    assert [seat["policy"] for seat in trace["seats"]] == ["high", "random", "greedy"]


def test_a_redrawn_position_keeps_what_the_seat_knows() -> None:
    position: Any = find_game("market").prepare(plan_of()).begin(3)
    position.follow()
    drawn = position.redrawn(0, seed=5)
    assert drawn.view(0) == position.view(0)
    assert drawn.deck != position.deck
    assert sorted(drawn.deck) == sorted(position.deck)
    assert position.redrawn(0, seed=5).deck == drawn.deck != position.redrawn(0, seed=6).deck


def test_search_chooses_the_move_that_wins_most_playouts(market: Any) -> None:
    """In the last turn nothing is left to chance: it takes the card that scores most, greedy or not."""
    plan = plan_of(policies="search:playouts=3:policy=random,random,random", set=["rounds=1"])
    simulator = market.prepare(plan)
    for number in range(6):
        position = simulator.begin(number)
        position.take(len(position.moves()) - 1)
        position.take(0)
        values = [move["take"] for move in position.moves()]
        best = market.prepare(plan_of(policies="search:playouts=3", set=["rounds=1"]))
        assert position.chosen_by(best, seed=1) == values.index(max(values))
    assert rows_of(plan)["total"].tolist() == rows_of(plan)["total"].tolist()


@pytest.mark.slow
def test_search_beats_the_policy_of_its_playouts(wsim_command: Command) -> None:
    words = ("match", "search:playouts=20:policy=random", "random", "--game", "market", "--budget", "100")
    answer = wsim_command(*words)
    assert answer.code == 0
    assert "the answer is clear" in answer.out


def test_environments_step_the_same_games_as_simulate() -> None:
    """Seat 0 chooses as greedy does: the others must answer as in the run, and the scores are those of the rows."""
    plan = plan_of(policies="greedy,high,random")
    games = wsim.env.VectorEnv(2, plan, seats=[0])
    position: Any = find_game("market").prepare(plan).begin(0)
    step, ended = games.reset(), 0
    assert games.columns == position.columns()
    assert games.actions == tuple(f"take {value}" for value in range(1, 10))
    while ended < 4:
        actions = []
        for table in range(2):
            values = [int(games.actions[action].split()[1]) for action in np.flatnonzero(step.masks[table])]
            seen = dict(zip(games.columns, step.observations[table].tolist(), strict=True))
            assert sorted({seen[f"row.{place}"] for place in range(4)} - {0}) == values
            game = games._vector.states[table]
            chosen = game.simulator.player_of(0).choose(game, stream("any"))
            actions.append(values[chosen] - 1)
        step = games.step(np.array(actions))
        for table in map(int, np.flatnonzero(step.done)):
            number = table + 2 * (ended // 2)
            assert games.scores[table].tolist() == rows_of(plan, 1, number)["total"].tolist()
            ended += 1
    with pytest.raises(UserError, match="is not legal here"):
        games.step(step.masks.argmin(axis=1))


def test_an_observation_contains_every_number_of_a_view() -> None:
    position: Any = find_game("market").prepare(plan_of(seed=9)).begin(3)
    while position.to_move is not None:
        names, seen = position.columns(), position.observation(1, len(position.columns()))
        assert dict(zip(names, seen.tolist(), strict=True)) == dict.fromkeys(names, 0) | numbers_in(position.view(1))
        position.follow()


def test_a_game_without_named_actions_is_stepped_by_move_index(market: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(market), "ACTIONS", ())
    with pytest.raises(UserError, match="market does not name its actions: choose actions='moves'"):
        wsim.env.VectorEnv(1, plan_of())
    step = wsim.env.VectorEnv(3, plan_of(), actions="moves").reset(seed=4)
    assert step.masks.sum(axis=1).tolist() == [len(find_game("market").prepare(plan_of(seed=4)).begin(game).moves())
                                               for game in range(3)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")  # observations are dictionaries
def test_environment_libraries_accept_a_plain_game() -> None:
    gymnasium = pytest.importorskip("gymnasium.utils.env_checker")
    pettingzoo = pytest.importorskip("pettingzoo.test")
    gymnasium.check_env(wsim.env.single(plan_of()), skip_render_check=True)
    pettingzoo.api_test(wsim.env.aec(plan_of()), num_cycles=30)
    pettingzoo.parallel_api_test(wsim.env.parallel(plan_of()), num_cycles=30)
    state = wsim.env.spiel(plan_of(), deals=4).new_initial_state()
    state.apply_action(2)
    while not state.is_terminal():
        other = state.resample_from_infostate(state.current_player())
        assert other.information_state_string() == state.information_state_string()
        state.apply_action(state.legal_actions()[-1])
    assert sum(state.returns()) == pytest.approx(1.0)


def test_the_catalogue_shows_values_and_checks_a_patch(tmp_path: Path, wsim_command: Command) -> None:
    shown = wsim_command("catalog", "--game", "market", "--set", "pair=8")
    assert shown.code == 0
    assert SLOW in shown.out
    assert "pair        8        3" in shown.out
    (tmp_path / "p.toml").write_text("pair = 4\nrounds = 6\n", encoding="utf-8")
    checked = wsim_command("catalog", "--game", "market", "--check", "p.toml")
    assert (checked.code, "no mistakes" in checked.out) == (0, True)
    (tmp_path / "p.toml").write_text("pairs = 4\nrounds = 7\n", encoding="utf-8")
    refused = wsim_command("catalog", "--game", "market", "--check", "p.toml")
    assert refused.code == 2
    assert "unknown value 'pairs' (did you mean 'pair'?)" in refused.err
    assert "rounds must be a whole number from 1 to 6, not 7" in refused.err


def test_a_changed_value_is_a_variant(wsim_command: Command) -> None:
    words = ("whatif", "--game", "market", "--policies", "greedy", "--budget", "40", "--set")
    assert "pair=8" in wsim_command(*words, "pair=8").out
    assert "the baseline already has pair=3" in wsim_command(*words, "pair=3").err


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"players": 6, "policies": "greedy"}, "market is for 2 to 5 players, not 6"),
        (
            {"policies": "gredy"},
            r"unknown policy 'gredy' \(did you mean 'greedy'\?\); accepted: greedy, random",
        ),
        ({"policies": "greedy:playouts=5"}, "policy 'greedy' has no parameter 'playouts': it has none"),
        ({"policies": "high:last=5"}, r"policy 'high' has no parameter 'last' \(did you mean 'least'\?\)"),
        ({"policies": "search:policy=search"}, "policy 'search' cannot play the playouts of search"),
        ({"policies": "search:playouts=0"}, "parameter playouts of policy 'search' must be a whole number from 1"),
        ({"set": ["nonsense=5"]}, "--set nonsense=5: unknown value 'nonsense'; market has pair, rounds"),
        ({"set": ["pair=many"]}, "--set pair=many: pair must be a whole number from 0 to 20, not 'many'"),
        ({"ruleset": "1e"}, "unknown rule set '1e'"),
    ],
)
def test_unplayable_games_are_reported_in_one_sentence(keys: dict[str, Any], sentence: str) -> None:
    plan = plan_of(**keys)
    with pytest.raises(UserError, match=sentence):
        find_game("market").prepare(plan)


def test_a_failing_policy_is_named_with_its_game(market: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong, sentence in (
        (lambda view, moves, random: 99, "policy 'greedy' chose move 99 in game 4: moves are numbered 0 to"),
        (lambda view, moves, random: True, "policy 'greedy' chose move True"),
        (lambda view, moves, random: [][1], "policy 'greedy' raised IndexError: list index out of range, in game 4"),
    ):
        monkeypatch.setattr(type(market), "POLICIES", {**market.POLICIES, "greedy": wrong})
        with pytest.raises(UserError, match=sentence):
            rows_of(plan_of(), 1, 4)


def test_an_endless_game_is_stopped(market: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(market), "DECISIONS", 14)
    with pytest.raises(UserError, match="game 0 is not over after 14 decisions"):
        rows_of(plan_of(), 1)


@pytest.mark.slow
def test_advice_and_play_work_with_a_plain_game(wsim_command: Command) -> None:
    wsim_command("run", "--game", "market", "--games", "4", "--policies", "search:playouts=2,greedy", "--out", "run")
    advice = wsim_command("advise", "run", "2", "--playouts", "8")
    assert advice.code == 0
    assert "take" in advice.out
    game = wsim.Game(plan_of(), number=2)
    assert {move["take"] for move in game.legal()} == set(game.observe(0)["row"])
    assert wsim.Game.from_json(game.step(0).to_json()).steps == [0]


def test_numbers_in_a_view_are_named_by_their_path() -> None:
    view = {"seat": 1, "row": [4, 7], "hand": {"gold": 2, "name": "x"}, "open": True, "none": None}
    assert numbers_in(view) == {"seat": 1, "row.0": 4, "row.1": 7, "hand.gold": 2, "open": 1}


def test_the_documented_python_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"^```python\n(import wsim\.env\n.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    exec(block, {})
    assert capsys.readouterr().out == "take 1 (64, 20)\n"
