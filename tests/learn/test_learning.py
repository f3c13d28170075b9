"""``wsim learn``: plans, harvests, fitting, runs that go on, and the same decisions for any number of threads."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.conftest import Command
from wsim.errors import UserError
from wsim.game import find_game
from wsim.jit import JIT
from wsim.lab.plan import Plan
from wsim.learn import judge as judge_module
from wsim.learn import rounds as run_module
from wsim.learn.fitting_settings import Fitting
from wsim.learn.harvest import Harvest, anchored, harvest_of
from wsim.learn.harvest_files import read_records, write_records
from wsim.learn.judge import Judgement, judge
from wsim.learn.learner import learner_of
from wsim.learn.learning_plan import LearningPlan
from wsim.learn.rounds import learn
from wsim.wonders.learning import LEARNER

pytestmark = pytest.mark.skipif(not JIT, reason="needs many playouts")
WONDERS, BABEL = "seven_wonders", "tower_of_babel"
GAMES_AT = [(WONDERS, "1e", 4), (BABEL, "2005", 4)]

SMALL: dict[str, Any] = {
    "seed": 3,
    "table": [{"ruleset": "1e", "players": 3}, {"ruleset": "2e-cities-teams", "players": 4, "share": 0.5}],
    "round": [
        {"decisions": 300, "players": "balanced", "own": "balanced", "others": "balanced"},
        {"decisions": 150, "playouts": 1},
    ],
    "fitting": {"rounds": 2, "size": 64},
    "judge": [{"ruleset": "1e", "players": 3, "against": ["greedy", "balanced"], "games": 60}],
}


SMALL_BABEL: dict[str, Any] = {
    **SMALL,
    "game": BABEL,
    "table": [{"ruleset": "2005", "players": 3}, {"ruleset": "2005", "players": 5, "share": 0.5}],
    "judge": [{"ruleset": "2005", "players": 3, "against": ["greedy", "balanced"], "games": 60}],
}


def harvest(
    ruleset: str, players: int, explore: float = 0.0, playouts: int = 2, gap: float = 12, game: str = WONDERS
) -> Harvest:
    line_up = [f"balanced:explore={explore}"] * players
    keys = {"game": game, "ruleset": ruleset, "players": players}
    return harvest_of(keys, line_up, ("balanced", "balanced"), (playouts, gap, 7, 0))[0]


@pytest.mark.parametrize(("game", "ruleset", "players"), GAMES_AT)
def test_a_harvest_is_a_function_of_table_part_and_seed(game: str, ruleset: str, players: int) -> None:
    make, same = (harvest(ruleset, players, explore=0.2, game=game) for _ in range(2))
    (states, moves), (again, others) = make(range(12, 16)), same(range(12, 16))
    assert states.tobytes() == again.tobytes()
    assert moves.tobytes() == others.tobytes()
    assert make(range(16, 20))[0].tobytes() != states.tobytes()
    assert states["moves"].sum() == len(moves)


@pytest.mark.parametrize(("game", "ruleset", "players"), GAMES_AT)
def test_the_worth_of_moves_is_told_apart_within_each_decision(game: str, ruleset: str, players: int) -> None:
    states, moves = harvest(ruleset, players, playouts=3, game=game)(range(5))
    ends = np.cumsum(states["moves"])
    sums = [moves["worth"][end - count : end].sum() for end, count in zip(ends, states["moves"], strict=True)]
    assert np.allclose(sums, 0, atol=1e-4)
    assert moves["worth"].std() > 0.02


@pytest.mark.parametrize(("ruleset", "players"), [("1e", 4), ("2e-cities-teams", 6), ("1e-duo", 2)])
def test_what_an_outcome_is_worth(ruleset: str, players: int) -> None:
    simulator = find_game("seven_wonders").prepare(Plan.make(ruleset=ruleset, players=players, policies="balanced"))
    outcomes = np.zeros((1, simulator.seats, 2))
    outcomes[0, 0] = 60, 1
    if players == 6:  # the team of seats 0 and 1 has 60 + 40 points, the best other one 2 * 45
        outcomes[0, :, 0] = 60, 40, 45, 45, 10, 10
        outcomes[0, :, 1] = 1, 1, 0, 0, 0, 0
        assert LEARNER.worth(simulator, outcomes, 1) == pytest.approx(0.5 + 0.03 * 5)
        assert LEARNER.mates(simulator, 5) == (4, 5)
        return
    outcomes[0, 1] = 50, 0
    assert LEARNER.worth(simulator, outcomes, 0) == pytest.approx(0.5 + 0.03 * 10)
    assert LEARNER.worth(simulator, outcomes, 1) == pytest.approx(-0.03 * 10)


def test_what_an_outcome_of_babel_is_worth() -> None:
    simulator = find_game(BABEL).prepare(Plan.make(game=BABEL, players=3, policies="balanced"))
    outcomes = np.array([[[50, 0.5], [50, 0.5], [41, 0]]])
    learner = learner_of(BABEL)
    assert learner.worth(simulator, outcomes, 0) == pytest.approx(0.25)
    assert learner.worth(simulator, outcomes, 2) == pytest.approx(-0.03 * 9)
    assert learner.mates(simulator, 2) == (2,)


@pytest.mark.parametrize(("game", "ruleset", "players"), [*GAMES_AT, (BABEL, "2005", 3), (BABEL, "2005", 5)])
def test_a_game_is_about_as_long_as_the_learner_says(game: str, ruleset: str, players: int) -> None:
    """Parts have as many decisions as a plan asks for, about."""
    simulator = harvest(ruleset, players, game=game).tables[0][0]
    decisions = 0
    for number in range(20):
        position: Any = simulator.begin(number)
        while position.to_move is not None:
            decisions += 1
            position.follow()
    assert decisions / 20 == pytest.approx(learner_of(game).length(players), rel=0.25)


@pytest.mark.parametrize(("game", "ruleset", "players"), [(WONDERS, "2e", 3), (BABEL, "2005", 5)])
def test_records_survive_the_disk(tmp_path: Path, game: str, ruleset: str, players: int) -> None:
    learner = learner_of(game)
    for records, dtype in zip(
        harvest(ruleset, players, game=game)(range(3)), (learner.state, learner.move), strict=True
    ):
        write_records(tmp_path / "x.parquet", records)
        assert read_records(tmp_path / "x.parquet", dtype).tobytes() == records.tobytes()


@pytest.mark.parametrize(("games", "rounds"), [(20, 8), pytest.param(60, 30, marks=pytest.mark.slow)])
def test_fitting_learns_what_is_there_to_learn(games: int, rounds: int) -> None:
    """A worth that is a function of the inputs is found again, in decisions that it was not fitted to."""
    make = harvest("1e", 4, explore=0.3, playouts=1, gap=4)
    states, moves = make(range(games))
    simulator = make.tables[0][0]
    every = LEARNER.decisions(simulator, states, moves)
    teacher = dict(LEARNER.fresh(99).arrays)
    teacher["last"] *= 3
    moves["worth"] = LEARNER.values_of(teacher, every, np.arange(len(states)))[0]
    half = len(states) // 2
    cut = int(states["moves"][:half].sum())
    known = LEARNER.decisions(simulator, states[:half], moves[:cut])
    unseen = LEARNER.decisions(simulator, states[half:], moves[cut:])

    def error(net: Any) -> float:
        values, batch = LEARNER.values_of(net.arrays, unseen, np.arange(len(unseen.states)))
        starts = np.cumsum(batch.counts) - batch.counts
        apart = values - batch.moves["worth"]
        apart -= (np.add.reduceat(apart, starts) / batch.counts)[batch.owner]
        return float((apart**2).mean())

    before = LEARNER.fresh(1)
    after = LEARNER.fit(before, [known], Fitting(rounds=rounds, size=64, rate=3e-3), 1, None)
    assert error(after) < 0.5 * error(before)


@pytest.mark.slow
@pytest.mark.parametrize("told", [SMALL, SMALL_BABEL], ids=[WONDERS, BABEL])
def test_a_run_goes_on_where_it_stopped_and_learns_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: dict[str, Any]
) -> None:
    plan = LearningPlan.restore(told)
    whole = learn(plan, tmp_path / "whole", threads=2)
    calls = []

    def stops(part: Any, found: Any) -> None:
        calls.append(part)
        if len(calls) == 2:
            raise KeyboardInterrupt
        write(part, found)

    write = run_module._Part.write
    with monkeypatch.context() as patch:
        patch.setattr(run_module._Part, "write", stops)
        with pytest.raises(KeyboardInterrupt):
            learn(plan, tmp_path / "cut", threads=1)
    steps: list[tuple[str, int, int]] = []
    again = learn(plan, tmp_path / "cut", threads=1, progress=lambda *told: steps.append(told))
    for path in sorted((tmp_path / "whole").rglob("*.parquet")):
        assert (tmp_path / "cut" / path.relative_to(tmp_path / "whole")).read_bytes() == path.read_bytes()
    assert [one.games for one in again] == [one.games for one in whole] == [60]
    assert again[0].share == pytest.approx(whole[0].share, abs=0.05)
    assert steps
    done = learn(plan, tmp_path / "cut", threads=1)
    assert done == again
    about = learner_of(plan.game).load(str(tmp_path / "cut" / "net.npz")).about
    assert LearningPlan.restore(about["plan"]) == plan
    with pytest.raises(UserError, match="another plan"):
        learn(LearningPlan.restore({**told, "seed": 4}), tmp_path / "cut")


def test_a_judgement_counts_each_game_once() -> None:
    keys = {"game": "seven_wonders", "ruleset": "2e-cities-teams", "players": 4, "seed": 5}
    found = judge(keys, "balanced", ("random",), 100, None)
    assert (found.games, found.fair) == (100, 0.5)
    assert found.low <= found.share <= found.high
    assert found.share > 0.9


def test_opponents_that_differ_sit_around_the_net_in_every_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six orders of three, in games of their own, as many each; of alike ones there is one, and all games are of it."""
    played: list[tuple[tuple[str, ...], range]] = []

    def made_up(sets: Any, games: range, _: Any) -> Any:
        [[arm]] = [one.arms for one in sets]
        played.append((arm.simulators[0].plan.policies, games))
        return [[[np.full(len(games), games.start % 2), np.ones(len(games))]]]

    monkeypatch.setattr(judge_module, "arm_by_arm", made_up)
    keys = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "seed": 5}
    found = judge(keys, "balanced", ("random", "greedy", "military"), 63, None)
    assert {policies for policies, _ in played} == {("balanced", *others) for others in permutations(
        ("random", "greedy", "military"))}  # fmt: skip
    assert [number for _, games in played for number in games] == list(range(63))
    assert {len(games) for _, games in played} == {10, 11}
    assert found.games == 63
    played.clear()
    judge(keys, "balanced", ("random",), 20, None)
    assert played == [(("balanced", "random", "random", "random"), range(20))]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"table": []}, "at least one [[table]]"),
        ({"colour": 1}, "unknown key of a file 'colour'"),
        ({"seed": "one"}, "seed must be a whole number, not 'one'"),
        ({"round": [{"decisions": 0}]}, "at least 1 decision"),
        ({"round": [{"decisions": 10}]}, "no net to play by"),
        ({"round": [{"decision": 10}]}, "did you mean 'decisions'"),
        ({"table": [{"ruleset": "1e", "players": 4, "share": -1}]}, "share"),
        ({"table": [{"players": 4}]}, "lacks"),
        ({"table": [{"ruleset": "1e", "players": 4, "share": 0}]}, "round 1 plays no table"),
        ({"round": [{**SMALL["round"][0], "shares": {"1e-4": 1}}]}, "the tables are 1e-3"),
        ({"round": [{**SMALL["round"][0], "shares": {"1e-3": -1}}]}, "at least 0, not -1"),
        ({"round": [{**SMALL["round"][0], "shares": {"1e-3": "all"}}]}, "a table of numbers"),
        ({"round": [{**SMALL["round"][0], "others": "balanced|round-1"}]}, "plays by 'round-1': there is no net of it"),
        ({"round": [{**SMALL["round"][0], "players": "round-0"}]}, "round 1 plays by 'round-0'"),
        ({"round": [{**SMALL["round"][0], "start": "round-1"}]}, "by 'round-1': there is no net of it yet"),
        ({"round": [{**SMALL["round"][0], "start": "mine.npz"}]}, "round 1 starts from net or round-1"),
        ({"round": [{**SMALL["round"][0], "moves": -1}]}, "moves and rate of round 1 are at least 0"),
        ({"round": [{**SMALL["round"][0], "moves": 4}]}, "the best moves by the net of the own seat: no 'balanced'"),
        ({"game": "babel"}, "unknown game 'babel'"),
        ({"fitting": {"rate": 0}}, "more than 0"),
        ({"gap": 1e9}, "from 1 to 1,000"),
        ({"judge": [{"ruleset": "1e", "players": 3, "against": ["greedy"], "games": 1}]}, "at least 2 games"),
        ({"judge": [{"ruleset": "1e", "players": 3, "against": []}]}, "at least one policy"),
    ],
)
def test_a_plan_that_cannot_be_learned_from_is_refused(change: Any, words: str) -> None:
    with pytest.raises(UserError) as refused:
        LearningPlan.restore({**SMALL, **change})
    assert words in str(refused.value)


def test_a_round_shares_its_decisions_out_in_its_own_way(tmp_path: Path) -> None:
    first = {**SMALL["round"][0], "decisions": 9000}
    more = {"ruleset": "1e", "players": 5, "share": 0}
    shares = {"1e-5": 2.5, "2e-cities-teams-4": 0}
    told = {**SMALL, "table": [*SMALL["table"], more], "round": [first, {**first, "shares": shares}]}
    plan = LearningPlan.restore(told)
    run = run_module.Learning(plan, tmp_path)
    assert [len(run.parts(1, seats)) for seats in plan.tables] == [3, 2, 0]  # 6,000 and 3,000 decisions, 2,000 a part
    assert [len(run.parts(2, seats)) for seats in plan.tables] == [1, 0, 3]
    parts = run.parts(1, plan.tables[0])
    games = round(2000 * plan.gap / LEARNER.length(3))  # one decision in so many is taken
    assert [part.games for part in parts] == [range(games * number, games * (number + 1)) for number in range(3)]
    assert LearningPlan.restore(plan.record()) == plan


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": BABEL}, "unknown rule set '2e-cities-teams'"),
        ({"judge": [{"ruleset": "1e", "players": 3, "against": ["greedily"]}]}, "did you mean 'greedy'"),
        ({"round": [{**SMALL["round"][0], "others": "balance"}]}, "did you mean 'balanced'"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_learned(tmp_path: Path, change: Any, words: str) -> None:
    with pytest.raises(UserError) as refused:
        learn(LearningPlan.restore({**SMALL, **change}), tmp_path / "none")
    assert words in str(refused.value)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("game", [WONDERS, BABEL])
def test_the_shipped_plan_is_one(game: str) -> None:
    learner = learner_of(game)
    plan = LearningPlan.from_toml(str(learner.plan))
    assert plan.game == game
    assert LearningPlan.restore(plan.record()) == plan
    assert learner.load("").about["plan"] == json.loads(json.dumps(plan.record()))


@pytest.mark.usefixtures("toy")
def test_a_game_without_a_policy_that_learns_is_named() -> None:
    with pytest.raises(UserError, match="toy has no policy that learns: seven_wonders, tower_of_babel have one"):
        learner_of("toy")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "change"), [(WONDERS, "cards.Altar.points=9"), (BABEL, "babel.effects.draw_three=4")])
def test_the_command_fits_the_net_to_changed_cards(
    wsim_command: Command, tmp_path: Path, game: str, change: str
) -> None:
    folder = tmp_path / "mine"
    options = ["--game", game, "--set", change, "--decisions", "300", "-o", str(folder), "--json"]
    done = wsim_command("learn", *options)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["net"] == str(folder / "net.npz")
    assert [row["against"] for row in told["judgements"]] == ["net", "balanced"]
    again = wsim_command("learn", *options[:-1])
    assert "learned from 300 decisions: a net needs tens of thousands" in again.err
    played = wsim_command("run", "--game", game, "--games", "20", "--policies", f"net:file={folder / 'net.npz'}", "-q")
    assert played.code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["missing.toml"], "cannot read the learning plan"),
        (["--players", "four", "--decisions", "5"], "--players"),
        (["--start", "missing.npz"], "cannot read the net"),
        (["--game", "babel"], "unknown game 'babel'"),
        (["--game", BABEL, str(learner_of(WONDERS).plan)], "a plan of seven_wonders"),
        (["--game", BABEL, "--start", str(learner_of(WONDERS).plan.with_name("net.npz"))], "is one of seven_wonders"),
    ],
)
def test_bad_input_is_one_sentence(wsim_command: Command, tmp_path: Path, options: list[str], words: str) -> None:
    done = wsim_command("learn", *options, "-o", str(tmp_path / "x"))
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_a_cluster_takes_the_same_decisions(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra cluster")
    plan = LearningPlan.restore({**SMALL, "round": SMALL["round"][:1], "judge": []})
    learn(plan, tmp_path / "here", threads=1)
    learn(plan, tmp_path / "there", cluster="local:2")
    paths = sorted((tmp_path / "here").rglob("*.parquet"))
    assert paths
    for path in paths:
        assert (tmp_path / "there" / path.relative_to(tmp_path / "here")).read_bytes() == path.read_bytes()


def test_a_round_without_a_decision_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seldom = {**SMALL, "judge": [], "round": [{**SMALL["round"][0], "decisions": 1}]}
    monkeypatch.setattr(run_module, "read_records", lambda _, dtype: np.zeros(0, dtype))
    with pytest.raises(UserError, match="took no decision"):
        learn(LearningPlan.restore(seldom), tmp_path / "none", threads=1)


def test_a_judgement_that_was_never_lost_has_an_interval() -> None:
    keys = {"game": "seven_wonders", "ruleset": "1e", "players": 3, "seed": 5}
    found = judge(keys, "balanced", ("random",), 20, None)
    assert found.share == 1.0
    assert 0.7 < found.low < 0.95


def test_a_decision_is_worth_what_it_is_worth_to_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Playouts that are made up: the first move wins for the seat that decides, and for nobody else.

    So its worth is above the mean of k moves by 0.5 * (1 - 1/k), whichever seat decides; the seat's own policy plays on
    for it, and no two decisions share a playout.
    """
    calls: list[tuple[Any, ...]] = []

    def compare(position: Any, rest: Any, places: Any, playouts: int, seat: int, seed: int, first: int) -> Any:
        assert seat == position.to_move
        calls.append((rest.plan.policies, seat, playouts, seed, first))
        outcomes = np.zeros((playouts, len(places), 4, 2))
        outcomes[:, 0, seat, 1] = 1
        return outcomes

    make = harvest_of({"ruleset": "1e", "players": 4}, ["balanced"] * 4, ("military", "greedy"), (3, 6, 7, 0))[0]
    monkeypatch.setattr(type(make.tables[0][0].begin(0)), "compare", compare)
    parts = [make(range(4)), make(range(4, 8))]
    states, moves = (np.concatenate([part[which] for part in parts]) for which in (0, 1))
    counts, ends = states["moves"], np.cumsum(states["moves"])
    assert moves["worth"][ends - counts] == pytest.approx(0.5 * (1 - 1 / counts))
    assert moves["worth"][ends - 1] == pytest.approx(-0.5 / counts)
    assert {seat for _, seat, *_ in calls} == {0, 1, 2, 3}
    for policies, seat, playouts, seed, _ in calls:
        assert policies == tuple("military" if one == seat else "greedy" for one in range(4))
        assert (playouts, seed) == (3, 7)
    numbers = [first for *_, first in calls]
    assert len(set(numbers)) == len(numbers) == len(states)
    assert len(parts[0][0]) != len(parts[1][0]) or (parts[0][0]["numbers"] != parts[1][0]["numbers"]).any()


def test_moves_that_are_not_played_out_stay_as_far_from_the_others_as_the_net_says() -> None:
    """By hand: the net says 3 and 1 of the two that are played out, whose playouts say 0.6 and 0.2, mean 0.4 for 2."""
    said, found = np.array([3, 0, 1, 4], np.float32), np.array([0.6, 0.2])
    apart = anchored(said, np.array([0, 2]), found)
    assert apart == pytest.approx(np.array([0.6, -1.6, 0.2, 2.4]) - 0.4)
    assert anchored(said, np.arange(4), 2 * said.astype(float)) == pytest.approx(said * 2 - 4)


def test_the_best_moves_by_the_net_and_one_more_are_played_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the playouts, which are made up, the first move that is tried wins: it is the one that the net would make."""
    tried: list[list[int]] = []
    keys, chosen = {"ruleset": "1e", "players": 4}, []
    make, ready = harvest_of(keys, ["balanced"] * 4, ("net", "balanced"), (1, 6, 7, 3))

    def compare(position: Any, rest: Any, places: list[int], *_: Any) -> Any:
        tried.append(places)
        chosen.append(position.chosen_by(rest, 5))
        outcomes = np.zeros((1, len(places), 4, 2))
        outcomes[:, 0, position.to_move, 1] = 1
        return outcomes

    monkeypatch.setattr(type(make.tables[0][0].begin(0)), "compare", compare)
    states, moves = make(range(3))
    assert [places[0] for places in tried] == chosen
    drawn, counts, ends = set(), states["moves"], np.cumsum(states["moves"])
    for places, count, end in zip(tried, counts, ends, strict=True):
        assert len(set(places)) == len(places) == min(count, 4)
        worth = np.sort(moves["worth"][end - count : end].astype(float))
        assert worth.sum() == pytest.approx(0, abs=1e-5)
        if count > 4:  # 0.5 between the first move and the three others that were played out
            assert (np.isclose(np.subtract.outer(worth, worth), 0.5, atol=1e-5).sum(axis=1) >= 3).any()
            drawn.add(places[3])
    assert len(drawn) > 3
    plan = LearningPlan.restore({**SMALL, "start": "shipped", "round": [{"decisions": 9, "moves": 4, "rate": 1e-3}]})
    assert plan.record()["round"][0] | {"moves": 4, "rate": 1e-3} == plan.record()["round"][0]
    assert not {"moves", "rate"} & {*LearningPlan.restore(SMALL).record()["round"][1]}
    assert [one.policies for one, _ in ready[1:]] == [
        tuple("net" if seat == own else "balanced" for seat in range(4)) for own in range(4)
    ]


def test_where_several_are_named_each_seat_draws_one() -> None:
    """Four draws for a table, each with who plays and, for every seat that decides, who plays on; parts take turns."""
    keys, pool = {"ruleset": "1e", "players": 4}, ("greedy", "military", "random")
    make, ready = harvest_of(keys, [pool] * 4, ("balanced", pool), (1, 60, 7, 0))
    assert len(make.tables) == 4
    assert len(ready) == 4 * 5
    for simulator, rest in make.tables:
        assert {*simulator.plan.policies} <= {*pool}
        for seat, one in enumerate(rest):
            assert [place for place, name in enumerate(one.plan.policies) if name == "balanced"] == [seat]
    assert len({simulator.plan.policies for simulator, _ in make.tables}) > 1
    assert len({one.plan.policies for _, rest in make.tables for one in rest}) > 8
    again = harvest_of(keys, [pool] * 4, ("balanced", pool), (1, 60, 7, 0))[1]
    assert [one.policies for one, _ in again] == [one.policies for one, _ in ready]
    begun: list[Any] = []
    tables: Any = tuple((_Begins(place, begun), rest) for place, (_, rest) in enumerate(make.tables))
    for part in range(6):
        with pytest.raises(KeyboardInterrupt):
            replace(make, tables=tables)(range(2 * part, 2 * part + 2))
    assert begun == [0, 1, 2, 3, 0, 1]


class _Begins:
    """A simulator that notes which one it is where a game is begun."""

    def __init__(self, place: int, begun: list[int]) -> None:
        self.place, self.begun = place, begun
        self.machine = harvest("1e", 4).tables[0][0].machine  # type: ignore[attr-defined]

    def begin(self, _: int) -> None:
        self.begun.append(self.place)
        raise KeyboardInterrupt


def test_a_round_plays_by_nets_of_earlier_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last = {"decisions": 9, "players": "net | round-1", "others": "round-0|net|balanced", "explore": 0.5}
    plan = LearningPlan.restore({**SMALL, "start": "shipped", "round": [SMALL["round"][0], SMALL["round"][0], last]})
    run = run_module.Learning(plan, tmp_path)
    monkeypatch.setattr(run_module, "harvest_of", lambda _, players, rest, how: (players, rest))
    found: Any = run._harvest_of(3, plan.tables[0])
    start, first, second = (
        f"net:file={tmp_path / place}" for place in ("start.npz", "round-1/net.npz", "round-2/net.npz")
    )
    assert found == ([(f"{second}:explore=0.5", f"{first}:explore=0.5")] * 3, (second, (start, second, "balanced")))
    assert LearningPlan.restore(plan.record()) == plan


@pytest.mark.parametrize("fresh", [False, True])
def test_a_round_goes_on_from_the_net_before_or_begins_anew(
    fresh: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = LearningPlan.restore({**SMALL, "round": [SMALL["round"][0], {**SMALL["round"][1], "fresh": fresh}]})
    run = run_module.Learning(plan, tmp_path)
    run.net_path(1).parent.mkdir(parents=True)
    run.net_path(1).touch()
    begun: list[Any] = []
    learner = SimpleNamespace(
        fresh=lambda seed: ("anew", seed), load=lambda path: ("from", path), fit=lambda net, *_: begun.append(net),
        save=lambda *_: None, decisions=lambda *_: SimpleNamespace(states=[1]), state=None, move=None,
    )  # fmt: skip
    monkeypatch.setattr(run_module, "learner_of", lambda _: learner)
    monkeypatch.setattr(run_module, "read_records", lambda *_: np.ones(1))
    monkeypatch.setattr(run_module, "find_game", lambda _: SimpleNamespace(prepare=lambda _: None))
    monkeypatch.setattr(run_module.Learning, "parts", lambda *_: [SimpleNamespace(states=None, moves=None)])
    run.fit(2, None)
    assert begun == [("anew", plan.seed) if fresh else ("from", str(run.net_path(1)))]


def test_nets_are_judged_in_games_that_nothing_was_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seeds of rounds and of judging are all different, and far enough apart for a hundred thousand rounds."""
    rounds = [{**SMALL["round"][0], "own": "net"}] * 3
    plan = LearningPlan.restore({**SMALL, "start": "shipped", "round": rounds})
    run, judged = run_module.Learning(plan, tmp_path), []

    def judging(keys: Any, net: str, against: Any, games: int, threads: Any) -> Judgement:
        judged.append((keys["seed"], keys["ruleset"], keys["players"], net, against, games, threads))
        return Judgement("1e", 3, "x", 0.0, 0.0, 0.0, 0.0, 0.0, 1)

    nets = []

    def harvested(keys: Any, players: Any, rest: Any, how: Any) -> Any:
        assert keys["seed"] == how[2]
        nets.append(rest[0])
        return how[2]

    monkeypatch.setattr(run_module, "judge", judging)
    monkeypatch.setattr(run_module, "harvest_of", harvested)
    seeds: list[Any] = [run._harvest_of(number, plan.tables[0]) for number in (1, 2, 3)]
    assert seeds == [4, 5, 6]
    assert nets == [f"net:file={tmp_path / place}" for place in ("start.npz", "round-1/net.npz", "round-2/net.npz")]
    run.judgements(None)
    ((seed, *others),) = judged
    assert others == ["1e", 3, f"net:file={tmp_path / 'net.npz'}", ("greedy", "balanced"), 60, None]
    assert min(abs(seed - one) for one in (3, *seeds)) > 100_000


def test_a_part_that_was_cut_off_between_its_files_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a part there are decisions, then moves: it is there when both are; what is learned from is what was kept."""
    plan = LearningPlan.restore({**SMALL, "table": SMALL["table"][:1], "round": [{**SMALL["round"][0], "keep": 1}] * 3})
    run, made = run_module.Learning(plan, tmp_path), []

    def found(_: Any, games: range) -> Any:
        made.append(games)
        return np.zeros(1, LEARNER.state), np.zeros(2, LEARNER.move)

    def cut(path: Path, records: Any) -> None:
        if path.name.endswith(".moves.parquet"):
            raise KeyboardInterrupt
        write_records(path, records)

    monkeypatch.setattr(Harvest, "__call__", found)
    with monkeypatch.context() as patch:
        patch.setattr(run_module, "write_records", cut)
        with pytest.raises(KeyboardInterrupt):
            run.harvest(1, None)
    (part,) = run.parts(1, plan.tables[0])
    assert (part.states.exists(), part.moves.exists()) == (True, False)
    run.harvest(1, None)
    run.harvest(1, None)
    assert made == [part.games] * 2
    assert (part.states.exists(), part.moves.exists()) == (True, True)
    read: list[str] = []

    def none(path: Path, dtype: Any) -> Any:
        read.append(path.parent.name)
        return np.zeros(0, dtype)

    monkeypatch.setattr(run_module, "read_records", none)
    with pytest.raises(UserError, match="took no decision"):
        run.fit(3, None)
    assert read == ["round-2", "round-3"] * 2


def test_a_fitting_begins_from_the_net_that_the_round_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one before, or an earlier one; with the passes and the rate of the round, or of the plan."""
    rounds = [SMALL["round"][0]] * 3 + [{**SMALL["round"][0], "start": "round-1", "passes": 3, "rate": 4e-4}]
    plan = LearningPlan.restore({**SMALL, "table": SMALL["table"][:1], "round": rounds})
    run, begun = run_module.Learning(plan, tmp_path), []
    learner = type(LEARNER)
    for number in (1, 2, 3):
        run.net_path(number).parent.mkdir()
        run.net_path(number).touch()
    run.net_path(4).parent.mkdir()

    def fit(_: Any, net: str, tables: Any, how: Fitting, *more: Any) -> str:
        begun.append((Path(net).parent.name, how.rounds, how.rate))
        return net

    monkeypatch.setattr(learner, "load", lambda _, file: file)
    monkeypatch.setattr(learner, "fit", fit)
    monkeypatch.setattr(learner, "save", lambda *_: None)
    monkeypatch.setattr(run_module, "read_records", lambda _, dtype: np.zeros(1, dtype))
    run.fit(4, None)
    run.net_path(3).unlink()
    run.fit(3, None)
    assert begun == [("round-1", 3, 4e-4), ("round-2", plan.fitting.rounds, plan.fitting.rate)]
