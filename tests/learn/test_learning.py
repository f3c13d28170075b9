"""``wsim learn``: plans, fitting, evaluation, resumed runs, and the same decisions for any number of threads."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.conftest import Command
from tests.learn.lessons import BABEL, SMALL, SMALL_BABEL, WONDERS, harvest
from wsim.errors import UserError
from wsim.jit import JIT
from wsim.lab.execution import Execution
from wsim.learn import judge as judge_module
from wsim.learn import rounds as run_module
from wsim.learn.fitting import _batches
from wsim.learn.fitting_settings import Fitting
from wsim.learn.harvest import Harvest, write_records
from wsim.learn.judge import Judgement, judge
from wsim.learn.learner import learner_of
from wsim.learn.plan import LearningPlan
from wsim.learn.rounds import learn
from wsim.wonders.learning import LEARNER

pytestmark = pytest.mark.skipif(not JIT, reason="needs many playouts")


@pytest.mark.parametrize(("games", "rounds"), [(20, 8), pytest.param(60, 30, marks=pytest.mark.slow)])
def test_fitting_recovers_a_planted_signal(games: int, rounds: int) -> None:
    """A worth that is a function of the inputs is recovered in decisions not used for fitting."""
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
def test_a_run_continues_where_it_stopped_and_learns_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: dict[str, Any]
) -> None:
    plan = LearningPlan.restore(told)
    whole = learn(plan, tmp_path / "whole", execution=Execution(threads=2))
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
            learn(plan, tmp_path / "cut", execution=Execution(threads=1))
    steps: list[tuple[str, int, int]] = []
    again = learn(plan, tmp_path / "cut", execution=Execution(threads=1, progress=lambda *told: steps.append(told)))
    for path in sorted((tmp_path / "whole").rglob("*.parquet")):
        assert (tmp_path / "cut" / path.relative_to(tmp_path / "whole")).read_bytes() == path.read_bytes()
    assert [one.games for one in again] == [one.games for one in whole] == [60]
    assert again[0].share == pytest.approx(whole[0].share, abs=0.05)
    assert steps
    done = learn(plan, tmp_path / "cut", execution=Execution(threads=1))
    assert done == again
    about = learner_of(plan.game).load(str(tmp_path / "cut" / "net.npz")).about
    assert LearningPlan.restore(about["plan"]) == plan
    with pytest.raises(UserError, match="a different plan"):
        learn(LearningPlan.restore({**told, "seed": 4}), tmp_path / "cut")


@pytest.mark.slow
def test_a_round_may_keep_part_of_its_initial_net(tmp_path: Path) -> None:
    first, second = SMALL_BABEL["round"]
    plans = [
        {**SMALL_BABEL, "judge": [], "round": [first, {**second, "rate": 0.05, "blend": part}]} for part in (0, 0.25)
    ]
    for place, plan in enumerate(plans):
        learn(LearningPlan.restore(plan), tmp_path / str(place), execution=Execution(threads=1))
    before, whole, mixed = (
        learner_of(BABEL).load(str(tmp_path / name / "net.npz")).arrays for name in ("0/round-1", "0", "1")
    )
    assert max(np.abs(whole[name] - before[name]).max() for name in mixed) > 0.03
    for name, array in mixed.items():
        assert np.allclose(array, 0.75 * whole[name] + 0.25 * before[name], atol=2e-3)


def test_an_evaluation_counts_each_game_once() -> None:
    keys = {"game": "seven_wonders", "ruleset": "2e-cities-teams", "players": 4, "seed": 5}
    found = judge(keys, "balanced", ("random",), 100, Execution())
    assert (found.games, found.fair) == (100, 0.5)
    assert found.low <= found.share <= found.high
    assert found.share > 0.9


def test_different_opponents_sit_around_the_net_in_every_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six orders of three, in games of their own, as many each; of alike ones there is one, and all games are of it."""
    played: list[tuple[tuple[str, ...], range]] = []

    def made_up(sets: Any, ready: Any, games: range, _: Any) -> Any:
        [[arm]] = [one.arms for one in sets]
        played.append((arm.simulators[0].plan.policies, games))
        return [[[np.full(len(games), games.start % 2), np.ones(len(games))]]]

    monkeypatch.setattr(judge_module, "arm_by_arm", made_up)
    keys = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "seed": 5}
    found = judge(keys, "balanced", ("random", "greedy", "military"), 63, Execution())
    assert {policies for policies, _ in played} == {("balanced", *others) for others in permutations(
        ("random", "greedy", "military"))}  # fmt: skip
    assert [number for _, games in played for number in games] == list(range(63))
    assert {len(games) for _, games in played} == {10, 11}
    assert found.games == 63
    played.clear()
    judge(keys, "balanced", ("random",), 20, Execution())
    assert played == [(("balanced", "random", "random", "random"), range(20))]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"table": []}, "at least one [[table]]"),
        ({"colour": 1}, "unknown key of a file 'colour'"),
        ({"seed": "one"}, "seed must be a whole number, not 'one'"),
        ({"round": [{"decisions": 0}]}, "at least 1 decision"),
        ({"round": [{"decisions": 10}]}, "no net to play with"),
        ({"round": [{"decision": 10}]}, "did you mean 'decisions'"),
        ({"table": [{"ruleset": "1e", "players": 4, "share": -1}]}, "share"),
        ({"table": [{"players": 4}]}, "lacks"),
        ({"table": [{"ruleset": "1e", "players": 4, "share": 0}]}, "round 1 plays no table"),
        ({"round": [{**SMALL["round"][0], "shares": {"1e-4": 1}}]}, "the tables are 1e-3"),
        ({"round": [{**SMALL["round"][0], "shares": {"1e-3": -1}}]}, "must be at least 0, not -1"),
        ({"round": [{**SMALL["round"][0], "shares": {"1e-3": "all"}}]}, "a table of numbers"),
        (
            {"round": [{**SMALL["round"][0], "others": "balanced|round-1"}]},
            "uses 'round-1': that net does not exist yet",
        ),
        ({"round": [{**SMALL["round"][0], "players": "round-0"}]}, "round 1 uses 'round-0'"),
        ({"round": [{**SMALL["round"][0], "start": "round-1"}]}, "uses 'round-1': that net does not exist yet"),
        ({"round": [{**SMALL["round"][0], "start": "mine.npz"}]}, "round 1 must start from net or round-1"),
        ({"round": [{**SMALL["round"][0], "blend": 1}]}, "blend of round 1 must be at least 0 and less than 1"),
        ({"round": [{**SMALL["round"][0], "moves": -1}]}, "moves and rate of round 1 must be at least 0"),
        ({"round": [{**SMALL["round"][0], "moves": 4}]}, "the net in own: 'balanced' is not a net"),
        ({"game": "babel"}, "unknown game 'babel'"),
        ({"fitting": {"rate": 0}}, "more than 0"),
        ({"gap": 1e9}, "from 1 to 1,000"),
        ({"judge": [{"ruleset": "1e", "players": 3, "against": ["greedy"], "games": 1}]}, "at least 2 games"),
        ({"judge": [{"ruleset": "1e", "players": 3, "against": []}]}, "at least one policy"),
    ],
)
def test_an_invalid_learning_plan_is_rejected(change: Any, words: str) -> None:
    with pytest.raises(UserError) as refused:
        LearningPlan.restore({**SMALL, **change})
    assert words in str(refused.value)


def test_a_round_can_set_its_own_shares_of_decisions(tmp_path: Path) -> None:
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
def test_unplayable_plans_are_rejected_before_training(tmp_path: Path, change: Any, words: str) -> None:
    with pytest.raises(UserError) as refused:
        learn(LearningPlan.restore({**SMALL, **change}), tmp_path / "none")
    assert words in str(refused.value)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("game", [WONDERS, BABEL])
def test_the_shipped_plan_is_valid(game: str) -> None:
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
@pytest.mark.parametrize(
    ("game", "change"),
    [
        (WONDERS, "cards.Altar.points=9"),
        (WONDERS, "cards.Altar.when=[{event='card_built', by='neighbor', each='trigger', take='1 + age'}]"),
        (BABEL, "babel.effects.draw_three=4"),
        (BABEL, "babel.effects.five_points='min(9, discs)'"),
    ],
)
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
    assert "300 decisions are too few to learn from: the net hardly differs" in " ".join(again.out.split())
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
        (["--game", BABEL, "--start", str(learner_of(WONDERS).plan.with_name("net.npz"))], "is for seven_wonders"),
    ],
)
def test_invalid_input_is_reported_in_one_sentence(
    wsim_command: Command, tmp_path: Path, options: list[str], words: str
) -> None:
    done = wsim_command("learn", *options, "-o", str(tmp_path / "x"))
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_a_cluster_collects_the_same_decisions(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra cluster")
    plan = LearningPlan.restore({**SMALL, "round": SMALL["round"][:1], "judge": []})
    learn(plan, tmp_path / "here", execution=Execution(threads=1))
    learn(plan, tmp_path / "there", execution=Execution(cluster="local:2"))
    paths = sorted((tmp_path / "here").rglob("*.parquet"))
    assert paths
    for path in paths:
        assert (tmp_path / "there" / path.relative_to(tmp_path / "here")).read_bytes() == path.read_bytes()


def test_a_round_without_a_decision_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seldom = {**SMALL, "judge": [], "round": [{**SMALL["round"][0], "decisions": 1}]}
    monkeypatch.setattr(run_module, "read_records", lambda _, dtype: np.zeros(0, dtype))
    with pytest.raises(UserError, match="sampled no decision"):
        learn(LearningPlan.restore(seldom), tmp_path / "none", execution=Execution(threads=1))


def test_an_evaluation_without_losses_has_an_interval() -> None:
    keys = {"game": "seven_wonders", "ruleset": "1e", "players": 3, "seed": 5}
    found = judge(keys, "balanced", ("random",), 20, Execution())
    assert found.share == 1.0
    assert 0.7 < found.low < 0.95


def test_a_round_can_play_with_nets_of_earlier_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_a_round_continues_from_the_previous_net_or_starts_from_scratch(
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
    run.fit(2)
    assert begun == [("anew", plan.seed) if fresh else ("from", str(run.net_path(1)))]


def test_nets_are_evaluated_on_games_not_used_for_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All seeds of rounds and evaluations are different, and far enough apart for a hundred thousand rounds."""
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
    run.judgements()
    ((seed, *others),) = judged
    assert others == ["1e", 3, f"net:file={tmp_path / 'net.npz'}", ("greedy", "balanced"), 60, Execution()]
    assert min(abs(seed - one) for one in (3, *seeds)) > 100_000


def test_a_part_interrupted_between_its_files_is_regenerated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part is complete once its files of decisions and then of moves exist; the net is fitted to the stored parts."""
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
            run.harvest(1)
    (part,) = run.parts(1, plan.tables[0])
    assert (part.states.exists(), part.moves.exists()) == (True, False)
    run.harvest(1)
    run.harvest(1)
    assert made == [part.games] * 2
    assert (part.states.exists(), part.moves.exists()) == (True, True)
    read: list[str] = []

    def none(path: Path, dtype: Any) -> Any:
        read.append(path.parent.name)
        return np.zeros(0, dtype)

    monkeypatch.setattr(run_module, "read_records", none)
    with pytest.raises(UserError, match="sampled no decision"):
        run.fit(3)
    assert read == ["round-2", "round-3"] * 2


def test_fitting_starts_from_the_net_named_by_the_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fitting starts from the previous or an earlier net, with the passes and rate of the round or of the plan."""
    rounds = [SMALL["round"][0]] * 3 + [{**SMALL["round"][0], "start": "round-1", "passes": 3, "rate": 4e-4}]
    plan = LearningPlan.restore({**SMALL, "table": SMALL["table"][:1], "round": rounds})
    run, begun, seeds = run_module.Learning(plan, tmp_path), [], list[int]()
    learner = type(LEARNER)
    for number in (1, 2, 3):
        run.net_path(number).parent.mkdir()
        run.net_path(number).touch()
    run.net_path(4).parent.mkdir()

    def fit(_: Any, net: str, tables: Any, how: Fitting, seed: int, *more: Any) -> str:
        begun.append((Path(net).parent.name, how.rounds, how.rate))
        seeds.append(seed)
        return net

    monkeypatch.setattr(learner, "load", lambda _, file: file)
    monkeypatch.setattr(learner, "fit", fit)
    monkeypatch.setattr(learner, "save", lambda *_: None)
    monkeypatch.setattr(run_module, "read_records", lambda _, dtype: np.zeros(1, dtype))
    run.fit(4)
    run.net_path(3).unlink()
    run.fit(3)
    assert begun == [("round-1", 3, 4e-4), ("round-2", plan.fitting.rounds, plan.fitting.rate)]
    assert seeds[0] != seeds[1], "every round is fitted with random numbers of its own"


def test_decisions_of_a_table_are_shuffled_by_seed() -> None:
    batches = {seed: list(_batches([100, 10], 10, np.random.default_rng(seed))) for seed in (1, 2)}
    for found in batches.values():
        assert sorted((table, place) for table, part in found for place in part) == [
            (table, place) for table, count in enumerate((100, 10)) for place in range(count)
        ]
        first = [part for table, part in found if table == 0]
        assert any((np.diff(part) != 1).any() for part in first)
        assert len(first) == 10
    assert [part.tolist() for _, part in batches[1]] != [part.tolist() for _, part in batches[2]]
