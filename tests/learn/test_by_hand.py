"""Unit tests of learning: plans at their bounds, parts and games, nets of rounds, the value net, evaluations."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.learn.lessons import SMALL
from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.learn import judge as judge_module
from wsim.learn.fitting_settings import Fitting
from wsim.learn.harvest import Harvest
from wsim.learn.judge import judge
from wsim.learn.plan import LearningPlan, learned_from, round_of, several
from wsim.learn.question import LearnQuestion
from wsim.learn.rounds import Learning, _entry, _Part
from wsim.learn.value import Stages, _slopes, chances

FIRST: dict[str, Any] = SMALL["round"][0]


@pytest.mark.parametrize(
    ("change", "accepted"),
    [
        ({"decisions": 1}, True), ({"playouts": 1}, True), ({"playouts": 0}, False), ({"explore": 0.0}, True),
        ({"explore": 1.0}, True), ({"explore": 1.01}, False), ({"explore": -0.01}, False), ({"passes": -1.0}, False),
        ({"passes": 0.0}, True), ({"blend": 0.0}, True), ({"blend": 0.99}, True), ({"blend": -0.1}, False),
        ({"rate": -0.1}, False), ({"rate": 0.0}, True), ({"moves": 0}, True),
    ],
)  # fmt: skip
def test_round_values_are_accepted_up_to_their_bounds(change: dict[str, Any], accepted: bool) -> None:
    record = {**SMALL, "round": [{**FIRST, **change}]}
    if accepted:
        (entry,) = LearningPlan.restore(record).rounds
        assert {name: getattr(entry, name) for name in change} == change
    else:
        with pytest.raises(UserError, match="round 1"):
            LearningPlan.restore(record)


@pytest.mark.parametrize(
    ("change", "accepted"),
    [({"gap": 1.0}, True), ({"gap": 1000.0}, True), ({"gap": 0.99}, False), ({"gap": 1001.0}, False),
     ({"fitting": {"size": 1}}, True), ({"fitting": {"size": 0}}, False), ({"fitting": {"rounds": 0}}, False),
     ({"start": "shipped", "round": [{"decisions": 10, "players": "round-0"}]}, True),
     ({"round": [FIRST, {"decisions": 10, "players": "round-1 | net"}]}, True),
     ({"round": [FIRST, {"decisions": 10, "players": "round-2"}]}, False),
     ({"judge": [{"ruleset": "1e", "players": 3, "against": ["greedy"], "games": 2}]}, True),
     ({"judge": [{"ruleset": "1e", "players": 3, "against": ["greedy"], "games": 1}]}, False),
     ({"judge": [{"ruleset": "1e", "players": 3, "against": [], "games": 2}]}, False),
     ({"table": [{"ruleset": "1e", "players": 3, "share": 0}, {"ruleset": "1e", "players": 4}]}, True)],
)  # fmt: skip
def test_plan_values_are_accepted_up_to_their_bounds(change: dict[str, Any], accepted: bool) -> None:
    if accepted:
        LearningPlan.restore({**SMALL, **change})
    else:
        with pytest.raises(UserError):
            LearningPlan.restore({**SMALL, **change})


def test_defaults_match_the_documentation() -> None:
    assert vars(Fitting()) == {"rounds": 4.0, "size": 512, "rate": 0.002, "decay": 0.0001}
    plan = LearningPlan.restore({"table": [{"ruleset": "1e", "players": 4}], "round": [{**FIRST, "decisions": 5}]})
    assert (plan.game, plan.seed, plan.start, plan.gap) == ("seven_wonders", 1, "", 12.0)
    (entry,) = plan.rounds
    assert (entry.playouts, entry.moves, entry.explore, entry.keep, entry.start, entry.fresh) == (
        2,
        0,
        0.08,
        1,
        "net",
        False,
    )
    assert (entry.passes, entry.rate, entry.blend) == (0, 0, 0), "those of the plan, and nothing of the net before"
    assert several(" net | round-2|balanced ") == ["net", "round-2", "balanced"]
    assert [round_of(name) for name in ("round-12", "round-0", "round-", "net", "round-1x")] == [
        12,
        0,
        None,
        None,
        None,
    ]
    assert _entry(["net"]) == "net"
    assert _entry(["net", "greedy"]) == ("net", "greedy")
    assert LearnQuestion(seed=5).resolve().seed == 5


def test_the_net_of_a_round_is_named_by_its_file(tmp_path: Path) -> None:
    run = Learning(LearningPlan.restore(SMALL), tmp_path)
    assert run.net_path(0) == tmp_path / "start.npz"
    assert run.net_path(2) == tmp_path / "round-2" / "net.npz"
    assert run._player("net", 3) == f"net:file={run.net_path(2)}"
    assert run._player("round-1", 3) == f"net:file={run.net_path(1)}"
    assert run._player("greedy", 3) == "greedy"
    few = replace(run.plan.rounds[0], decisions=1)
    (part,) = replace(run, plan=replace(run.plan, rounds=(few,))).parts(1, run.plan.tables[0])
    assert part.games == range(1), "one game at least"
    assert (part.states.name, part.moves.name) == ("1e-3-0000.states.parquet", "1e-3-0000.moves.parquet")


def test_training_decisions_are_counted_by_table() -> None:
    """300 and 150 decisions, two thirds of them at 1e with three players."""
    net: Any = SimpleNamespace(about={"plan": SMALL, "round": 2}, digest=bytes(range(16)))
    assert learned_from(net) == {
        "seed": 3, "start": "", "rounds": 2, "decisions": 450,
        "tables": {"1e-3": 300, "2e-cities-teams-4": 150}, "changes": [], "digest": "000102030405",
    }  # fmt: skip
    net.about = {"plan": {**SMALL, "set": ["cards.Altar.points=3"]}, "round": 1}
    assert (learned_from(net)["decisions"], learned_from(net)["changes"]) == (300, ["cards.Altar.points=3"])
    net.about = {"plan": {"odd": 1}}
    assert (learned_from(net)["seed"], learned_from(net)["rounds"]) == (None, 0)


def test_value_net_chances_are_a_softmax_per_position() -> None:
    values = np.array([0.0, math.log(3), 5.0, 5.0], np.float32)
    assert chances(values, 2) == pytest.approx(np.array([[0.25, 0.75], [0.5, 0.5]]))
    batch: Any = SimpleNamespace(moves={"worth": np.array([1.0, 0.0, 0.5, 0.5], np.float32)})
    assert _slopes(values, batch) == pytest.approx(np.array([-0.75, 0.75, 0, 0]) * 2 / 4), "two positions of two seats"
    one: Any = SimpleNamespace(moves={"worth": np.array([0.0, 1.0], np.float32)})
    assert _slopes(values[:2], one) == pytest.approx(np.array([0.25, -0.25]))
    states, moves = np.arange(6).reshape(3, 2), np.arange(10, 16).reshape(3, 2)
    made = Stages(states, moves, "known").batch(np.array([2, 0]))
    assert (made.states.tolist(), made.moves.tolist()) == ([4, 5, 0, 1], [14, 15, 10, 11])
    assert (made.owner.tolist(), made.counts.tolist(), made.known) == ([0, 1, 2, 3], [1, 1, 1, 1], "known")


def test_an_evaluation_divides_its_games_among_opponent_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four seats, opponents b, a, b: their orders are abb, bab and bba; 10 games are 3, 3 and 4."""
    played: list[tuple[Any, ...]] = []

    def arm_by_arm(sets: Any, ready: Any, block: range, _execution: Any) -> Any:
        plan = ready[0][0]
        played.append((plan["policies"], plan["rotate"], block))
        return [[[np.full(len(block), 0.5 + 0.25 * (block.start == 0)), np.full(len(block), 10.0 + block.start)]]]

    monkeypatch.setattr(judge_module, "arm_by_arm", arm_by_arm)
    monkeypatch.setattr(judge_module, "Arms", lambda *given: given)
    monkeypatch.setattr(judge_module, "Plan", SimpleNamespace(make=lambda **keys: _Keys(keys)))
    monkeypatch.setattr(judge_module, "find_game", lambda _game: SimpleNamespace(prepare=lambda plan: plan))
    monkeypatch.setattr(judge_module, "learner_of", lambda _game: SimpleNamespace(mates=lambda _table, seat: (seat,)))
    keys = {"game": "x", "players": 4, "ruleset": "r", "seed": 1}
    found = judge(keys, "net", ["a", "b"], 10, Execution())
    assert played == [
        (["net", "a", "b", "b"], True, range(3)), (["net", "b", "a", "b"], True, range(3, 6)),
        (["net", "b", "b", "a"], True, range(6, 10)),
    ]  # fmt: skip
    assert (found.ruleset, found.players, found.against, found.fair, found.games) == ("r", 4, "a, b", 0.25, 10)
    assert found.share == pytest.approx((3 * 0.75 + 7 * 0.5) / 10)
    assert found.score == pytest.approx((3 * 10 + 3 * 13 + 4 * 16) / 10)
    # standard deviation of three .75 and seven .5: sqrt(10 / 9 * .3 * .7) / 4; t with 9 degrees of freedom: 2.262157
    assert found.high - found.share == pytest.approx(2.262157 * math.sqrt(0.21 * 10 / 9) / 4 / math.sqrt(10), rel=1e-5)
    played.clear()
    monkeypatch.setattr(judge_module, "learner_of", lambda _game: SimpleNamespace(mates=lambda *_given: (0, 1)))
    team = judge(keys, "net", ["a", "b"], 4, Execution())
    assert played == [(["net", "net", "a", "b"], False, range(4))]
    assert (team.fair, team.share, team.high) == (0.5, 0.75, 0.75)


class _Keys(dict[str, Any]):
    """A stand-in for a plan, with only its keys."""

    game = "x"


def test_played_out_moves_are_the_best_and_one_other() -> None:
    values, random = np.array([1, 5, 3, 4, 2], np.float32), np.random.default_rng(1)
    harvest = Harvest("seven_wonders", (), 2, 12.0, 7, 3)
    drawn = [harvest._picked(values, random).tolist() for _ in range(30)]
    assert {tuple(picked[:3]) for picked in drawn} == {(1, 3, 2)}
    assert {picked[3] for picked in drawn} == {0, 4}
    for moves in (0, 5, 6):
        assert replace(harvest, moves=moves)._picked(values, random).tolist() == [0, 1, 2, 3, 4]
    assert replace(harvest, moves=4)._picked(values, random).tolist() == [1, 3, 2, 4, 0]


def test_a_net_and_its_answer_are_written_to_their_default_paths() -> None:
    """An answer may be named instead of a folder; then the net goes to the folder of the default name."""
    cases = {None: ("learned", None), "mine": ("mine", None), "told.json": ("learned", "told.json"),
             "told.parquet": ("learned", "told.parquet")}  # fmt: skip
    for out, (home, file) in cases.items():
        question = LearnQuestion(out=out)
        assert (str(question.home), None if question.file is None else str(question.file)) == (home, file)


def test_options_change_a_given_plan_or_create_one(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(
        'game = "seven_wonders"\nset = ["cards.Palace.points=7"]\nseed = 4\n[[table]]\nruleset = "1e"\nplayers = 3\n'
        '[[round]]\ndecisions = 300\nplayers = "balanced"\nown = "balanced"\nothers = "balanced"\n',
        encoding="utf-8",
    )
    named = LearnQuestion(plan=str(file))
    assert (named.resolve().set, named.resolve().seed, named.is_short) == (("cards.Palace.points=7",), 4, False)
    changed = replace(named, change=("cards.Palace.points=9",), seed=5, start="shipped").resolve()
    assert (changed.set, changed.seed, changed.start) == (("cards.Palace.points=9",), 5, "shipped")
    first, second = (tmp_path / name for name in ("first.toml", "second.toml"))
    for patch in (first, second):
        patch.write_text("[cards.Palace]\npoints = 7\n", encoding="utf-8")
    file.write_text(f"patch = ['{first}']\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    assert named.resolve().patch == (str(first),)
    assert replace(named, patch=(str(second),)).resolve().patch == (str(second),)
    misplaced: list[dict[str, Any]] = [{"players": "3"}, {"ruleset": "1e"}, {"decisions": 9}]
    for given in misplaced:
        with pytest.raises(UserError, match=f"--{next(iter(given))} needs --start, --patch or --set"):
            replace(named, **given).resolve()
    short: list[dict[str, Any]] = [{"players": "4"}, {"change": ("x=1",)}, {"decisions": 9}, {"start": "shipped"}]
    assert all(LearnQuestion(**given).is_short for given in short)
    assert not LearnQuestion(seed=2).is_short


def test_existing_parts_count_as_played(tmp_path: Path) -> None:
    """Of two tables with two parts each, one part exists: it is reported as done and not played again."""
    parts = {
        name: [_Part(tmp_path / f"{name}{number}", range(number, number + 1)) for number in range(2)] for name in "ab"
    }
    parts["a"][1].moves.write_bytes(b"")
    said: list[tuple[int, int]] = []
    written: list[Path] = []

    class Harvests(Learning):
        def parts(self, number: int, seats: Any) -> list[_Part]:
            assert number == 1
            return parts[seats]

        def _harvest_of(self, number: int, seats: Any) -> Any:
            return seats, []

        def _played_parts(self, make: Any, ready: Any, games: list[range]) -> Any:
            return [(each, f"{make} {each.start}") for each in games]

    execution = Execution(progress=lambda _words, done, whole: said.append((done, whole)))
    learning = Harvests(SimpleNamespace(tables=["a", "b"]), tmp_path, execution)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Part, "write", lambda part, _records: written.append(part.moves))
        learning.harvest(1)
    assert said == [(2, 4), (3, 4), (4, 4)]
    assert written == [part.moves for part in (parts["a"][0], *parts["b"])]
