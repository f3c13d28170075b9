"""Comparisons of two runs, paired where they share deals and independent otherwise, checked against the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.conftest import Command
from tests.stats.data import paired
from tests.tiers import first_quick
from wsim import Plan, UserError
from wsim.files import StoreError
from wsim.lab.parts import Part
from wsim.lab.run import record
from wsim.lab.store import Run
from wsim.questions.compare.answer import compare_runs

pytestmark = pytest.mark.usefixtures("toy")


def run(name: str, **keys: Any) -> Run:
    part = keys.pop("part", None)
    return record(Plan.make(**{"games": 1000, "rotate": True} | keys), name, shard=90, part=part)


def row(frame: pl.DataFrame, metric: str) -> dict[str, Any]:
    return frame.row(by_predicate=pl.col("metric") == metric, named=True)


def per_game(one: Run, column: str = "total") -> np.ndarray[Any, Any]:
    means = one.seats.group_by("game", maintain_order=True).agg(pl.col(column).cast(pl.Float64).mean())
    return means.sort("game").collect()[column].to_numpy()


@pytest.mark.slow
def test_runs_with_equal_seeds_are_paired_game_by_game() -> None:
    first, second = run("a"), run("b", policies="shy,shy,random,bold")
    found = compare_runs(first, second)
    assert found.paired
    assert found.how == "Paired game by game: both have seed 1, so the same deals"
    assert found.differs == {"plan.policies": (["bold", "shy", "random", "bold"], ["shy", "shy", "random", "bold"])}
    change = per_game(second) - per_game(first)
    score = row(found.metrics, "score")
    reach = (score["difference_high"] - score["difference_low"]) / 2
    error = change.std(ddof=1) / np.sqrt(len(change))
    assert score["difference"] == pytest.approx(change.mean())
    assert reach == pytest.approx(1.962 * error, rel=1e-3)
    assert score["differing"] == np.count_nonzero(change)
    table = paired(first.seats.collect(), second.seats.collect(), "total")
    assert (score["difference"], score["n_first"]) == (pytest.approx(table["effect"]), table["n"])
    assert score["difference_low"] == pytest.approx(table["effect_low"])
    assert score["variance_removed"] == pytest.approx(table["variance_removed"])


@pytest.mark.slow
def test_runs_with_different_seeds_are_independent() -> None:
    first, second = run("a"), run("b", seed=2, games=700)
    found = compare_runs(first, second)
    assert not found.paired
    assert found.how == "Unpaired: their seeds are 1 and 2, so the runs are independent"
    assert found.games == (1000, 700)
    one, other = per_game(first), per_game(second)
    score = row(found.metrics, "score")
    error = np.hypot(one.std(ddof=1) / np.sqrt(1000), other.std(ddof=1) / np.sqrt(700))
    assert score["difference"] == pytest.approx(other.mean() - one.mean())
    assert (score["difference_high"] - score["difference_low"]) / 2 == pytest.approx(1.9634 * error, rel=1e-3)
    assert "differing" not in found.metrics.columns


@pytest.mark.slow
def test_only_common_games_are_paired() -> None:
    first, second = run("a", part=Part(1, 2)), run("b", policies="shy")
    found = compare_runs(first, second)
    assert (found.paired, found.games) == (True, (540, 540))
    assert found.how.endswith("so the same deals; 460 games in only one run are not counted")
    change = (per_game(second)[:540] - per_game(first)).mean()
    assert row(found.metrics, "score")["difference"] == pytest.approx(change)


@pytest.mark.slow
def test_parts_without_a_common_game_are_independent() -> None:
    found = compare_runs(run("a", part=Part(1, 2)), run("b", part=Part(2, 2)))
    assert not found.paired
    assert found.how == "Unpaired: they have no games in common, so the runs are independent"


@pytest.mark.slow
def test_different_rules_may_change_the_deal() -> None:
    found = compare_runs(run("a"), run("b", ruleset="toy-2e"), ["score"])
    assert found.how == "Paired game by game: both have seed 1, so the same deals where the rules allow it"


@pytest.mark.slow
def test_metrics_cover_the_names_of_both_runs() -> None:
    found = compare_runs(run("a", policies="bold"), run("b", policies="shy,random,shy,random")).metrics
    assert row(found, "win:shy")["first"] is None
    assert row(found, "win:shy")["second"] is not None
    assert row(found, "score:shy")["difference"] is None


def test_a_run_does_not_differ_from_itself(wsim_command: Command) -> None:
    run("a")
    answer = wsim_command("compare", "a", "a")
    assert answer.code == 0
    assert answer.out.endswith("Both runs have the same plan, rules and version, so they contain the same games.\n")
    found = json.loads(wsim_command("compare", "a", "a", "--json").out)
    assert {metric["difference"] for metric in found["metrics"]} == {0.0}
    assert {metric["difference_high"] for metric in found["metrics"]} == {0.0}


@pytest.mark.slow
def test_a_few_differing_games_have_no_interval() -> None:
    first = run("a")
    second = run("b", games=30, policies="shy")
    score = row(compare_runs(first, second).metrics, "score")
    assert 0 < score["differing"] <= 30
    assert (score["difference_low"], score["q"]) == (None, None)


@pytest.mark.slow
def test_the_command_names_the_differences(wsim_command: Command) -> None:
    run("a")
    run("b", seed=3)
    answer = wsim_command("compare", "a", "b", "--sort", "-difference", "--top", "3")
    lines = answer.out.splitlines()
    assert lines[0] == "What differs"
    assert lines[3].split() == ["plan.seed", "1", "3"]
    assert "1,000 games each; 95% intervals, clustered by game." in answer.out
    told = json.loads(wsim_command("compare", "a", "b", "--metric", "has:pearl", "--json", "--level", "0.9").out)
    assert [metric["metric"] for metric in told["metrics"]] == ["has:pearl"]
    assert (told["format"], told["paired"], told["level"], told["differs"]) == (
        "wsim-compare/1", False, 0.9, {"plan.seed": [1, 3]},
    )  # fmt: skip


@first_quick(
    3,
    ("other", "words", "sentence"),
    [
        ("five", (), "'a' and 'five' cannot be compared: they have 4 and 5 players"),
        ("babel", (), "'a' and 'babel' cannot be compared: they are runs of toy and of tower_of_babel"),
        ("none", (), "'none' does not exist"),
        ("b", ("--metric", "scor"), "unknown metric 'scor'; accepted: "),
        ("b", ("--level", "95"), "a confidence level must be between 0 and 1, not 95.0"),
        ("b", ("--top", "0"), "top must be at least 1, not 0"),
    ],
)
def test_incomparable_runs_are_rejected(
    wsim_command: Command, other: str, words: tuple[str, ...], sentence: str
) -> None:
    run("a", games=10)
    run("b", games=10, seed=2)
    run("five", games=10, players=5, policies="bold")
    if other == "babel":
        record(Plan.make(game="tower_of_babel", games=10, policies="random"), "babel")
    answer = wsim_command("compare", "a", other, *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1


@pytest.mark.slow
def test_a_damaged_run_is_not_compared() -> None:
    first, second = run("a"), run("b", seed=2)
    shard = Path("b/seats/part-00000000000090.parquet")
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(StoreError, match="the run 'b' is damaged"):
        compare_runs(first, second)


@pytest.mark.slow
def test_a_run_without_games_is_rejected() -> None:
    first, second = run("a"), run("b", seed=2)
    Path("b/shards.jsonl").unlink()
    with pytest.raises(UserError, match="the run 'b' has no finished shard"):
        compare_runs(first, second)


def test_babel_runs_can_be_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [Plan.make(game="tower_of_babel", games=60, policies=line_up) for line_up in ("balanced", "random")]
    first, second = (record(plan, name) for plan, name in zip(plans, "ab", strict=True))
    found = compare_runs(first, second)
    score = row(found.metrics, "score")
    assert found.paired
    assert score["difference"] == pytest.approx(per_game(second).mean() - per_game(first).mean())
