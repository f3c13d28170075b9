"""The search finds the known optimum, is evaluated fairly, and can be resumed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats  # type: ignore[import-untyped]

import wsim
from tests.tuning import aiming_game
from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted
from wsim.tuning import judging
from wsim.tuning.answer import TuneAnswer, begin, question_of, resume
from wsim.tuning.contests import MARGIN, SHARE, Contest, play_contests
from wsim.tuning.generations import RECORD, Generation, History, read_history
from wsim.tuning.question import HELD_OUT, TuneQuestion

pytestmark = pytest.mark.usefixtures("aiming")

pytest.importorskip("cmaes", reason="needs wsim[learn]")

SMALL: dict[str, Any] = {"game": "aiming", "against": "stone", "games": 200, "held_out": 2000}


def found(tuned: TuneAnswer) -> dict[str, float]:
    """Return the tuned numbers in a result."""
    entry = Plan.make(game="aiming", policies=[tuned.policy, "stone", "stone"]).line_up[0]
    return {name: float(entry.parameters.get(name, 0.0)) for name in aiming_game.NUMBERS}


@pytest.mark.slow
def test_tuning_recovers_the_best_parameters() -> None:
    tuned = wsim.tune("archer", **SMALL, generations=30, out="run")
    for name, best in aiming_game.BEST.items():
        assert found(tuned)[name] == pytest.approx(best, abs=0.25)
    rows = tuned.judged.to_dicts()
    assert [(row["opponents"], row["met"]) for row in rows] == [("2 stone", judging.MET), ("2 brick", judging.UNMET)]
    for row in rows:
        assert row["verdict"] == "higher"
        assert row["win_share_low"] > row["start"]
        assert row["margin"] == pytest.approx(200, abs=10)  # 80 * (1.5² + 0.5²) points
    assert tuned.games == 30 * 20 * 200


@pytest.mark.slow
def test_a_single_number_can_be_tuned() -> None:
    tuned = wsim.tune("archer:left=1.0:right=-0.5", **SMALL, generations=12, only="left", judges=(), out="run")
    assert found(tuned)["left"] == pytest.approx(1.5, abs=0.3)
    assert found(tuned)["right"] == -0.5
    assert tuned.judged["opponents"].to_list() == ["2 stone"]


def test_parameters_without_effect_stay_and_are_not_searched() -> None:
    tuned = wsim.tune("archer", **SMALL, generations=2, out="run")
    assert len(tuned.history.moved) == 3
    assert found(tuned)["idle"] == 0.0
    with pytest.raises(UserError, match="none of the tuned numbers of 'archer' changes any of 400 games"):
        wsim.tune("archer", **SMALL, only="idle", out="other")
    assert not Path("other").exists()


@pytest.mark.slow
def test_a_search_over_pure_noise_gets_no_verdict() -> None:
    """`salt` changes only the luck: one of twenty seeds gets a wrong verdict, so three of six are very unlikely."""
    verdicts = []
    for seed in range(6):
        tuned = wsim.tune("archer", **SMALL, generations=3, only="salt", seed=seed, out=f"run-{seed}", judges="brick")
        verdicts.append(set(tuned.judged["verdict"]) == {"unclear"})
    assert sum(verdicts) >= 4


def test_evaluation_deals_differ_from_search_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: dict[str, set[int]] = {"": set(), "judged": set()}
    doing = ""
    arm = Contest.arm

    def watched(self: Contest, entry: str) -> Any:
        played = arm(self, entry)
        simulator: Any = played.simulators[0]
        seeds[doing].add(simulator.plan.seed)
        return played

    def judged(*arguments: Any) -> Any:
        nonlocal doing
        doing = "judged"
        return judging.judge(*arguments)

    monkeypatch.setattr(Contest, "arm", watched)
    monkeypatch.setattr("wsim.tuning.answer.judge", judged)
    wsim.tune("archer", **SMALL, generations=1, seed=5, out="run")
    assert seeds == {"": {5}, "judged": {5 ^ HELD_OUT}}
    assert 5 ^ HELD_OUT == 5 + 2**40


@pytest.mark.slow
def test_candidates_share_deals_within_a_generation_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[range] = []

    def watched(contests: Any, entries: Any, games: range, execution: Execution) -> Any:
        asked.append(games)
        return play_contests(contests, entries, games, execution)

    monkeypatch.setattr("wsim.tuning.answer.play_contests", watched)
    wsim.tune("archer", **SMALL, generations=3, out="run")
    assert asked == [range(200), range(200, 400), range(400, 600)]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_results_do_not_depend_on_threads(threads: int) -> None:
    results = [wsim.tune("archer", **SMALL, generations=3, threads=count, out=f"run-{count}") for count in (2, threads)]
    records = [Path(f"run-{count}", RECORD).read_text() for count in (2, threads)]
    assert records[0] == records[1]
    assert results[0].judged.equals(results[1].judged)


@pytest.mark.slow
@pytest.mark.parametrize("left_at", [1, 4])
def test_an_interrupted_search_resumes_to_the_same_result(left_at: int) -> None:
    whole = wsim.tune("archer", **SMALL, generations=6, out="whole")

    def stop(doing: str, done: int, total: int) -> None:
        if doing == "generations" and done == left_at:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as left:
        wsim.tune("archer", **SMALL, generations=6, out="run", progress=stop)
    assert "wsim tune --resume run" in left.value.hint
    assert len(read_history(Path("run")).generations) == left_at
    again = resume("run").run()
    assert again.judged.equals(whole.judged)
    assert Path("run", RECORD).read_text() == Path("whole", RECORD).read_text()


@pytest.mark.slow
def test_a_search_interrupted_during_evaluation_can_be_extended() -> None:
    def stop(doing: str, done: int, total: int) -> None:
        if doing == "judged tables":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        wsim.tune("archer", **SMALL, generations=2, out="run", progress=stop)
    longer = resume("run", generations=5).run()
    whole = wsim.tune("archer", **SMALL, generations=5, out="whole")
    assert longer.judged.equals(whole.judged)
    assert longer.history.command == whole.history.command


@pytest.mark.slow
def test_several_tables_have_equal_weight() -> None:
    plan = Plan.make(game="aiming")
    asked = TuneQuestion("archer", against=("stone", "brick,stone"), games=60, generations=1, judges=())
    question = question_of(asked, plan)
    search = begin(plan, question, "run")
    assert [table.plan.policies[1:] for table in search.contests] == [("stone", "stone"), ("brick", "stone")]
    tuned = search.run()
    assert tuned.judged["opponents"].to_list() == ["2 stone", "brick, stone"]
    outcomes = play_contests(search.contests, ["archer:left=1"], range(30), Execution(1))
    assert [np.shape(one) for one in outcomes] == [(1, 2, 30)] * 2


def test_only_the_seat_of_the_candidate_is_counted() -> None:
    plan = Plan.make(game="aiming", players=3, policies="archer:left=1.5:right=-0.5,stone,stone", rotate=True)
    contest = Contest.of(plan)
    shares, margins = contest.read(contest.arm(plan.policies[0]).frame(range(7, 67)), range(7, 67))
    frame = wsim.simulate(plan.replace(games=67)).filter(wsim_seat()).sort("game")
    assert np.allclose(shares, frame["win_share"].to_numpy()[7:])
    assert margins.mean() == pytest.approx(200, abs=40)
    assert (SHARE, MARGIN) == (0, 1)


def wsim_seat() -> Any:
    import polars as pl

    return pl.col("seat") == (3 - pl.col("game") % 3) % 3


@pytest.mark.slow
def test_a_plan_is_written_for_a_policy_with_parameters() -> None:
    tuned = wsim.tune("archer", **SMALL, generations=3, out="run")
    plan = Plan.from_toml(tuned.file)
    assert plan.policies == (tuned.policy, "stone", "stone")
    head = tuned.file.read_text().splitlines()[0]
    assert head.startswith("# Made by: wsim tune archer --against stone --judges brick --generations 3")


@pytest.mark.slow
def test_the_record_describes_the_search() -> None:
    record = wsim.tune("archer", **SMALL, generations=2, out="run").record()
    assert json.loads(json.dumps(record)) == record
    assert record["moved"] == 3
    assert [set(one) for one in record["generations"]] == [{"share", "margin", "spread"}] * 2


@pytest.mark.slow
def test_a_written_weight_set_plays_as_evaluated() -> None:
    asked: dict[str, Any] = {
        "only": ("war", "shield"),
        "games": 60,
        "held_out": 300,
        "judges": "greedy",
        "name": "mine",
    }
    tuned = wsim.tune("weighted", generations=2, start="military", out="run", threads=1, seed=3, **asked)
    assert tuned.policy == "weighted:file=run/weights.toml"
    written = tomllib.loads(tuned.file.read_text())
    assert list(written) == ["mine"]
    row = tuned.judged.row(0, named=True)
    rows = wsim.simulate(
        policies=[tuned.policy, "balanced", "balanced", "balanced"], games=300, seed=3 ^ HELD_OUT, rotate=True
    )
    mine = rows.filter(rows["policy"] == tuned.policy)
    assert mine["win_share"].mean() == pytest.approx(row["win_share"], abs=1e-6)
    before = wsim.simulate(policies="military,balanced,balanced,balanced", games=300, seed=3 ^ HELD_OUT, rotate=True)
    assert before.filter(before["policy"] == "military")["win_share"].mean() == pytest.approx(row["start"], abs=1e-6)
    only = {"war", "shield"}
    shipped = tomllib.loads((Path(wsim.__file__).parent / "wonders/weights.toml").read_text())["balanced"]
    for name, values in written["mine"].items():
        if name not in {*only, "lead"}:
            each = shipped[name] if isinstance(shipped[name], list) else [shipped[name]] * 3
            assert values == pytest.approx(each), name


OWN = """
import wsim

@wsim.policy(parameters={"back": 1, "eager": 0.5})
def bold(public, own, choice, rules):
    return max(choice.count - 1 - int(own.parameters[0]), 0) if own.parameters[1] > 0 else 0
"""


@pytest.mark.slow
def test_a_user_policy_can_be_tuned(tmp_path: Path) -> None:
    Path("mine.py").write_text(OWN)
    asked: dict[str, Any] = {
        "games": 40,
        "held_out": 100,
        "judges": (),
        "against": "random",
        "out": "run",
        "threads": 1,
    }
    tuned = wsim.tune("./mine.py:bold", generations=2, candidates=4, **asked)
    assert tuned.policy.startswith("./mine.py:bold:back=")
    value = Plan.from_toml(tuned.file).line_up[0].parameters["back"]
    assert isinstance(value, int)
    assert Plan.from_toml(tuned.file).files == {"./mine.py": str(tuned.file.parent / "../mine.py")}
    with pytest.raises(UserError, match=r"resuming 'run' would run its policy code, ./mine.py:bold: .* add --trust"):
        resume("run", generations=3)
    assert resume("run", generations=2, trust=True).run().policy == tuned.policy
    Path("mine.py").write_text(OWN.replace("count - 1", "count - 2"))
    with pytest.raises(UserError, match=r"'run' contains a different search: .* name another --out"):
        resume("run", trust=True)


def test_evaluation_verdicts_allow_for_all_rows() -> None:
    """Of three tables one differs with p = 0.04: by Benjamini-Hochberg that is q = 0.12, and nothing is said."""
    games = 50
    spread = np.tile([-1.0, 1.0], games // 2)
    apart = spread + scipy.stats.t.ppf(0.98, games - 1) * spread.std(ddof=1) / np.sqrt(games)
    none = np.zeros(games)
    plan = Plan.make(game="aiming", policies=["stone"] * 3)
    differences = (apart, spread, spread)
    frame = judging._table([(plan, "met")] * 3, [[[none, none], [one, 2 * one]] for one in differences])
    assert frame["q"][0] == pytest.approx(0.12)
    assert frame["verdict"].to_list() == ["unclear"] * 3
    clear = judging._table([(plan, "met")], [[[none, none], [apart, 2 * apart]]])
    assert clear["q"][0] == pytest.approx(0.04)
    assert clear["verdict"].to_list() == ["higher"]
    assert clear["difference"][0] == pytest.approx(apart.mean())
    assert clear["margin"][0] == pytest.approx(2 * apart.mean())


def test_a_continued_search_is_evaluated_again() -> None:
    """Evaluations after fewer generations do not apply to later generations."""
    begun = History({}, {}, "stone", "wsim tune stone", {}, {}, (0,), judged=({"met": "held out"},))
    grown = begun.grown(generation := Generation("0", (1.0,), 0.5, 0.0, 0.1))
    assert (grown.generations, grown.judged) == ((generation,), ())
