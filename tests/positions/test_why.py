"""Games of a run as positions, and the explanations of ``why``."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from wsim.errors import UserError
from wsim.lab.store import Run
from wsim.positions.game_value import Game
from wsim.positions.move_text import ranked_lines
from wsim.positions.values import Values
from wsim.positions.why import SHOWN, why_along, why_of, why_text

pytestmark = pytest.mark.usefixtures("elsewhere")

RUNS = {
    "wonders": ["--policies", "balanced,random,science", "--players", "3"],
    "babel": ["--game", "tower_of_babel", "--policies", "balanced", "--players", "3"],
}


@pytest.fixture(params=[name if name == "wonders" else pytest.param(name, marks=pytest.mark.slow) for name in RUNS])
def run(request: pytest.FixtureRequest, wsim_command: Command) -> Run:
    made = wsim_command("run", *RUNS[request.param], "--games", "5", "--seed", "11", "--out", "study", "--quiet")
    assert made.code == 0, made.err
    return wsim.load_run("study")


def scores(game: wsim.Game) -> list[tuple[int, int]]:
    assert game.result is not None
    return [(one["seat"], one["total"]) for one in game.result]


@pytest.mark.slow
def test_a_game_of_a_run_equals_the_played_game(run: Run) -> None:
    seats = run.seats.collect()
    for number in (0, 3):
        game = run.game(number)
        while game.to_move is not None:
            game.follow()
        played = seats.filter(seats["game"] == number)
        assert scores(game) == [(row["seat"], row["total"]) for row in played.iter_rows(named=True)][: run.plan.players]
        assert game.standing()[: run.plan.players] == [total for _, total in scores(game)]


@pytest.mark.slow
def test_a_moment_of_a_recorded_game_can_be_reached(run: Run) -> None:
    seat = run.game(2).at(turn=2).to_move
    assert seat is not None
    moment = run.game(2).at(turn=2, seat=seat)
    assert moment.to_move == seat
    assert moment.observe()["turn"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [-1, 5, True, "1"])
def test_a_game_outside_the_run_is_rejected(run: Run, number: Any) -> None:
    with pytest.raises(UserError, match=r"there is no game .* in 'study': its games are 0 to 4"):
        run.game(number)


@pytest.mark.slow
def test_why_covers_every_decision_of_the_trace(run: Run) -> None:
    told = why_of(run.plan, 1, 3)
    game = Game(run.plan, number=1)
    for one in told["decisions"]:
        assert (one["seat"], one["decision"]) == (game.to_move, game.decision)
        assert one["hand"] == game.observe()["hand"]
        legal = game.legal()
        assert sorted(row["index"] for row in one["moves"]) == list(range(len(legal)))
        assert one["made"] == game.made()
    assert game.to_move is None
    assert sum(one["costly"] for one in told["decisions"]) <= 3
    for one in told["decisions"]:
        best = one["moves"][0]["index"]
        assert (one["cost"]["win_share"] == 0.0) or one["made"] != best
        assert not one["costly"] or one["cost"]["low"] > 0


@pytest.mark.slow
def test_the_cost_of_a_move_uses_fresh_playouts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The playouts that selected a move overestimate it, so its cost is measured with fresh ones."""
    numbers: list[tuple[int, int, int]] = []
    play = Values.play

    def counted(values: Values, playouts: int) -> None:
        numbers.append((len(values.moves), values.first + values.playouts, playouts))
        play(values, playouts)

    monkeypatch.setattr(Values, "play", counted)
    told = why_of(run.plan, 1, 3, seat=1, threads=1)
    costs = 0
    for one in told["decisions"]:
        assert numbers.pop(0) == (len(one["moves"]), 0, 3)
        if one["made"] != one["moves"][0]["index"]:
            assert numbers.pop(0) == (2, 3, 3)
            costs += 1
    assert costs
    assert not numbers


@pytest.mark.slow
def test_the_values_do_not_depend_on_the_number_of_threads(run: Run) -> None:
    told: list[tuple[str, int, int]] = []
    shared = why_of(run.plan, 1, 3, seat=1, threads=3, progress=lambda *step: told.append(step))
    assert shared == why_of(run.plan, 1, 3, seat=1, threads=1)
    number = len(shared["decisions"])
    assert told == [("decisions", done, number) for done in range(1, number + 1)]


@pytest.mark.slow
def test_trace_with_why_works_for_one_game_of_a_run(run: Run, wsim_command: Command) -> None:
    words = ["trace", "study", "4", "--why", "1", "--playouts", "2"]
    done = wsim_command(*words)
    assert done.code == 0, done.err
    trace = json.loads(done.out)
    plain = json.loads(wsim_command("trace", "study", "4").out)
    assert {key: value for key, value in trace.items() if key != "why"} == plain
    assert plain["index"] == 4
    assert {one["seat"] for one in trace["why"]["decisions"]} == {1}
    assert wsim_command(*words).out == done.out
    one = run.plan.policies == ("balanced",)
    players = "balanced in every seat" if one else "random, science, balanced in their seats"  # game 4 of three seats
    assert trace["why"]["policies"] == ("balanced" if one else "random,science,balanced")
    text = wsim_command(*words, "--format", "text")
    assert text.code == 0
    assert f"\nWhy: each move by 2 playouts with {players}" in text.out
    assert text.out.count("\n  > ") == len(trace["why"]["decisions"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["study", "9"], "there is no game 9 in 'study': its games are 0 to 4"),
        (["study", "x"], "the game must be a number, not 'x'"),
        (["study", "-1"], "the first game must be at least 0, not -1"),
        (["study", "1", "2"], "trace takes a run and the number of a game: unexpected argument '2'"),
        (["study", "1", "--first", "2"], "the game is given twice"),
        (["study", "1", "--why", "7"], "seat 7 does not exist: seats are numbered 0 to 2"),
        (["study", "1", "--why=x"], "--why takes a seat number, not 'x'"),
        (["study", "1", "--playouts", "9"], "--playouts has no effect on json"),
        (["study", "1", "--why", "--playouts", "1"], "--playouts must be at least 2, or 0 for the value net, not 1"),
    ],
)
def test_mistakes_in_why_are_reported(wsim_command: Command, words: list[str], sentence: str) -> None:
    wsim_command("run", *RUNS["wonders"], "--games", "5", "--out", "study", "--quiet")
    done = wsim_command("trace", *words)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_run_code_is_not_executed_without_consent(wsim_command: Command) -> None:
    Path("mine.py").write_text("def last(public, own, choice, rules):\n    return choice.count - 1\n")
    made = wsim_command("run", "--players", "3", "--policies", "./mine.py:last", "--games", "1", "--out", "r", "-q")
    assert made.code == 0, made.err
    run = wsim.load_run("r")
    with pytest.raises(UserError, match="would run its policy code"):
        run.game(0)
    assert run.game(0, trust=True).to_move == 0


def test_the_three_costliest_mistakes_are_marked_costly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of seven decisions, one whose cost may be none and one without cost; the dearest are in the middle."""
    costs = [(0.01, 0.005), (0.3, 0.1), (0.02, 0.01), (0.2, 0.1), (0.4, 0.3), (0.5, -0.1), (0.0, 0.0)]
    made = iter([{"win_share": cost, "low": low} for cost, low in costs])
    monkeypatch.setattr("wsim.positions.why._cost", lambda *_: next(made))
    game: Any = SimpleNamespace(
        to_move=0, decision="turn", observe=lambda: SimpleNamespace(record={"hand": []}), standing=list,
        values=lambda **_: [{"index": 0, "win_shares": []}], plan=SimpleNamespace(seed=1), comparison=lambda *_: None,
    )  # fmt: skip
    valued = why_along([(game, 0)] * len(costs), 3, policies="random", threads=1)
    assert [decision["costly"] for decision in valued["decisions"]] == [False, True, False, True, True, False, False]


def row(index: int, win_share: float) -> dict[str, Any]:
    interval = {"low": win_share - 0.1, "high": win_share + 0.1, "score": 40.0, "score_low": None, "score_high": None}
    loss = {"loss": 0.5 - win_share, "loss_low": None, "loss_high": None}
    return {"index": index, "move": {"card": f"Card {index}"}, "win_share": win_share, **interval, **loss}


SPEAKER: Any = SimpleNamespace(phrase=lambda move: f"build {move['card']}", payments=lambda _: {"bank": 2})


def test_the_best_moves_and_the_played_move_are_listed() -> None:
    moves = [row(index, 0.5 - 0.02 * index) for index in range(SHOWN + 3)]
    cost = {"win_share": 0.12, "low": 0.1, "high": 0.14}
    told = {
        "age": 2, "turn": 5, "seat": 1, "decision": "last_card", "scores": [20, 31], "win_shares": [0.4, 0.6],
        "hand": ["Altar"], "moves": moves, "made": SHOWN + 1, "costly": True, "cost": cost,
    }  # fmt: skip
    text = why_text({"policies": "net", "playouts": 40, "decisions": [told]}, SPEAKER).splitlines()
    assert text[2] == "age 2, turn 5, seat 1 (last card): points 20 31, win chance 0.40 0.60"
    listed = [line for line in text if "build Card" in line]
    assert [int(line.split("Card ")[1].split()[0]) for line in listed] == [*range(SHOWN), SHOWN + 1]
    assert [line.startswith("  >") for line in listed] == [False] * SHOWN + [True]
    assert listed[0].endswith("build Card 0 (2 to bank)  win 0.500 ±0.100  score 40.0")
    assert text[-2].strip() == "and 2 more"
    assert "0.120 ±0.020 of the victory" in text[-1]


def test_a_ranking_shows_the_loss_of_every_move_but_the_best() -> None:
    head, best, second = ranked_lines([row(0, 0.5), row(1, 0.4)], SPEAKER, [4, 7])
    assert head.split() == ["win", "share", "score", "less", "by", "move"]
    assert best.split() == ["4", "0.500", "±0.100", "40.0", *["build", "Card", "0", "(2", "to", "bank)"]]
    assert second.split() == ["7", "0.400", "±0.100", "40.0", "0.100", *["build", "Card", "1", "(2", "to", "bank)"]]
