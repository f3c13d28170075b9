"""A third-party game with kernels: searched, trained, stepped and reported without an edit to wsim."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.test_installed import command, install
from wsim.env import VectorEnv
from wsim.errors import UserError
from wsim.game import GAMES, Simulator, find_game
from wsim.jit import JIT
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.learn.learner import learner_of
from wsim.learn.plan import LearningPlan
from wsim.learn.rounds import learn

LADDER = Path(__file__).with_name("ladder_game")
WITHIN = {  # about so many lines of Python
    "the game": (450, ("__init__", "registry", "simulator", "kernels", "policies/simple", "policies/features")),
    "its search": (40, ("policies/search",)),
    "its net": (70, ("policies/net", "policies/net_describe", "learning")),
}

pytestmark = pytest.mark.skipif(not JIT, reason="needs many playouts")


@pytest.fixture(scope="module", autouse=True)
def _ladder_is_installed() -> Iterator[None]:
    """Import the game's package under its own name, as if installed, so that its kernels are cached by its sources."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(LADDER.parent)
        patch.setitem(GAMES, "ladder", "ladder_game:GAME")
        yield


def ready(*policies: str, **keys: Any) -> Simulator:
    return find_game("ladder").prepare(Plan.make(game="ladder", policies=policies, **keys))


def share(simulator: Simulator, games: int = 600) -> float:
    """Return the win share of the first entry of the line-up."""
    rows = np.zeros(games * simulator.seats, simulator.row_dtype)
    simulator.play(0, rows)
    return float(rows["win_share"][rows["policy"] == 0].mean())


@pytest.mark.slow
def test_policies_of_an_installed_game_search() -> None:
    """A search with playouts against the actual opponents beats the weights that it starts from."""
    by_weights, by_playouts = (
        share(ready(first, "random", "random"), 1500)
        for first in ("balanced", "search:playouts=60:pool=random:prior=2")
    )
    assert by_weights > 0.5
    assert by_playouts > by_weights + 0.03


@pytest.mark.slow
def test_positions_of_an_installed_game_can_be_stepped_redrawn_and_played_out() -> None:
    simulator = ready("balanced")
    position = simulator.begin(5)
    for _ in range(4):
        position.follow()
    seat = position.to_move
    assert seat is not None
    drawn = [position.redrawn(seat, 1, number) for number in range(5)]
    assert len({str(one.view(None)) for one in drawn}) == 5
    assert {str(one.view(seat)) for one in drawn} == {str(position.view(seat))}
    outcomes = position.compare(simulator, [0, 1], 20, seat, 7)
    assert outcomes.shape == (20, 2, 3, 2)
    assert outcomes[..., 1].sum(axis=-1) == pytest.approx(1)
    rows = np.zeros(3, simulator.row_dtype)
    simulator.play(5, rows)
    assert [one["total"] for one in simulator.trace(5)["scores"]] == rows["total"].tolist()


@pytest.mark.slow
def test_many_installed_games_can_be_stepped_together() -> None:
    rng, ended = np.random.default_rng(1), 0
    with VectorEnv(4, game="ladder", players=3) as env:
        step = env.reset()
        for _ in range(20):
            step = env.step((step.masks * (1.0 + rng.random(step.masks.shape))).argmax(axis=1))
            ended += int(step.done.sum())
            assert step.rewards[step.done].sum(axis=1) == pytest.approx(1)
    assert ended == 4


@pytest.mark.slow
def test_a_net_for_an_installed_game_is_trained_and_plays(tmp_path: Path) -> None:
    told = {
        "game": "ladder", "gap": 3, "table": [{"ruleset": "2024", "players": 3}],
        "round": [
            {"decisions": 1200, "players": "balanced", "own": "balanced", "others": "balanced", "explore": 0.3}
        ],
        "fitting": {"rounds": 10, "size": 64, "rate": 0.01},
        "judge": [{"ruleset": "2024", "players": 3, "against": ["balanced"], "games": 900}],
    }  # fmt: skip
    [judged] = learn(LearningPlan.restore(told), tmp_path / "run", execution=Execution(threads=1))
    assert judged.low > judged.fair
    net = f"net:file={tmp_path / 'run' / 'net.npz'}"
    assert share(ready(net, "balanced", "balanced"), 300) > 0.34
    assert learner_of("ladder").load(str(tmp_path / "run" / "net.npz")).about["plan"]["game"] == "ladder"


@pytest.mark.slow
def test_a_game_without_a_net_says_so() -> None:
    with pytest.raises(UserError, match="searchers of this game cannot infer their rivals' policies: use all instead"):
        ready("search:pool=inferred", "random", "random")
    with pytest.raises(UserError, match="ladder has no built-in net: name a file written by wsim learn"):
        ready("net")
    with pytest.raises(UserError, match="'net' is not one of random, balanced"):
        ready("search:pool=net")


def test_the_ladder_game_has_the_documented_size() -> None:
    """The line counts in docs/architecture.md are correct."""
    for most, names in WITHIN.values():
        lines = [
            len(path.read_text(encoding="utf-8").splitlines())
            for name in names
            for form in (f"{name}.py", f"{name}/*.py")
            for path in LADDER.glob(form)
        ]
        assert len(lines) >= len(names)
        assert most - 40 < sum(lines) <= most


@pytest.mark.slow
def test_the_commands_accept_the_game(tmp_path: Path) -> None:
    import shutil

    site, folder = tmp_path / "site", tmp_path / "work"
    shutil.copytree(LADDER, site / "ladder_game", ignore=shutil.ignore_patterns("__pycache__"))
    install(site, "ladder-game", ladder="ladder_game:GAME")
    folder.mkdir()
    run = ("run", "--game", "ladder", "--games", "400", "--picks", "--out", "run", "--json")
    assert json.loads(command(site, folder, *run))["played"] == 400
    command(site, folder, "report", "run", "-o", "page.html")
    assert "<h1>Ladder</h1>" in (folder / "page.html").read_text(encoding="utf-8")
    match = command(site, folder, "match", "search:playouts=40", "random", "--game", "ladder", "--budget", "400")
    assert "the answer is clear" in match
    told = json.loads(command(site, folder, "learn", "--game", "ladder", "--seed", "2", "-o", "mine", "--json"))
    assert told["judgements"][0]["low"] > told["judgements"][0]["fair_share"]
    command(site, folder, "run", "--game", "ladder", "--games", "50", "--policies", "net:file=mine/net.npz", "-q")
    assert "card" in command(site, folder, "advise", "run", "2", "--playouts", "20", "--play-on", "balanced")
    assert command(site, folder, "trace", "run", "--games", "1", "--format", "text").startswith("Game 0: seat 0")
