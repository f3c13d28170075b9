"""Comparisons on common deals, checked against effects known by construction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
import wsim.lab.run
from tests.games.medal_game import GAME
from tests.stats.data import paired
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.lab.execution import Execution
from wsim.lab.plan import Plan
from wsim.lab.progress import Interrupted, Progress
from wsim.questions.comparison import FIRST_LOOK, Comparison
from wsim.questions.deals import Arm
from wsim.questions.trial import BLOCK
from wsim.questions.variants import sweep_values
from wsim.questions.whatif.answer import WhatIfAnswer, compare
from wsim.questions.whatif.question import Change

pytestmark = pytest.mark.usefixtures("medal")

PLUS_3: dict[str, Any] = {"change": ["cards.Medal.points=8"]}
SALTED: dict[str, Any] = {"change": ["cards.Medal.salt=1"]}


CHANGES: tuple[dict[str, Any], ...] = ({}, {"set": ["cards.Medal.points=8"]})


def medal(**asked: Any) -> WhatIfAnswer:
    return wsim.whatif(game="medal", threads=1, **asked)


def only(answer: WhatIfAnswer) -> dict[str, Any]:
    [row] = answer.effects.to_dicts()
    return row


def detail(answer: WhatIfAnswer, metric: str) -> dict[str, Any]:
    [row] = answer.details.filter(metric=metric).to_dicts()
    return row


def test_a_planted_effect_is_found_early_with_its_size() -> None:
    answer = medal(**PLUS_3, budget=100_000)
    row = only(answer)
    assert (row["verdict"], answer.stopped) == ("higher", "clear")
    assert FIRST_LOOK <= answer.deals < 10_000
    assert answer.games == 2 * answer.deals
    assert row["effect_low"] < 0.75 < row["effect_high"]  # 3 points for one seat in four
    assert row["effect_low"] < row["effect"] < row["effect_high"]
    owners = detail(answer, "owner:Medal")
    assert owners["effect_low"] > 0
    assert detail(answer, "built:Medal")["effect"] == 0


def test_changes_without_effect_are_not_called_clear() -> None:
    answer = medal(**SALTED, budget=8000)
    row = only(answer)
    assert (row["verdict"], row["decided_at"], answer.stopped, answer.deals) == ("unclear", None, "budget", 8000)
    assert row["effect_low"] < 0 < row["effect_high"]


@pytest.mark.slow
def test_false_alarms_occur_at_most_at_rate_alpha() -> None:
    """At alpha 0.2, 150 comparisons without an effect give 30 false alarms, 45 with a chance below 0.2%."""
    alarms = sum(
        only(medal(**SALTED, budget=FIRST_LOOK, alpha=0.2, seed=seed))["verdict"] != "unclear" for seed in range(150)
    )
    assert 10 <= alarms <= 45


def test_pairing_removes_deal_variance() -> None:
    """The deal gives uniform 0-39 points and the medals (variances 133.25, 4.69), the salt decides on 0-9 (8.25)."""
    row = only(medal(**SALTED, budget=4000))
    assert row["variance_removed"] == pytest.approx(1 - 8.25 / (133.25 + 8.25 + 25 * 3 / 16), abs=0.02)


def test_effect_interval_and_variance_match_paired_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a single look at the whole budget, a what-if is an ordinary paired comparison."""
    monkeypatch.setattr(Comparison, "looks", lambda question: [question.budget])
    answer = medal(**PLUS_3, budget=6000, spending="obrien_fleming")
    runs = [wsim.simulate(game="medal", games=6000, **more) for more in CHANGES]
    assert answer.deals == 6000
    for metric, outcome, by in (
        ("score", "total", ""),
        ("win:Garden", "win_share", "wonder"),
        ("win:shy", "win_share", "policy"),
    ):
        where = pl.col(by).cast(pl.String) == metric.partition(":")[2] if by else pl.lit(True)
        other, mine = paired(runs[0], runs[1], outcome, where), detail(answer, metric)
        for name in ("baseline", "effect", "effect_low", "effect_high", "variance_removed"):
            assert mine[name] == pytest.approx(other[name], abs=2e-3), (metric, name)


@first_quick(1, "threads", [2, 5])
def test_answers_do_not_depend_on_threads(threads: int) -> None:
    one = medal(**PLUS_3, budget=20_000)
    many = wsim.whatif(game="medal", threads=threads, **PLUS_3, budget=20_000)
    assert many.details.equals(one.details)
    assert many.looks.equals(one.looks)


def test_a_sweep_is_a_curve() -> None:
    answer = medal(sweep="cards.Medal.points=1..9..2", budget=4000)
    assert answer.effects["value"].to_list() == ["1", "3", "5", "7", "9"]
    assert answer.effects["verdict"].to_list() == ["lower", "lower", "identical", "higher", "higher"]
    assert answer.effects["effect"].is_sorted()
    assert answer.effects["effect"][2] == 0
    assert answer.games == 5 * answer.deals  # the baseline and four values: the fifth is the baseline's own


def test_several_variants_share_the_confidence_level() -> None:
    one = only(medal(change=["cards.Medal.salt=3"], budget=1000))
    three = medal(sweep="cards.Medal.salt=1..3", budget=1000).effects.to_dicts()[-1]
    assert three["effect"] == pytest.approx(one["effect"])
    assert three["effect_high"] - three["effect_low"] > 1.1 * (one["effect_high"] - one["effect_low"])


def test_clearly_small_effects_are_equivalent() -> None:
    answer = medal(**SALTED, budget=64_000, margin=0.5)
    assert (only(answer)["verdict"], answer.stopped) == ("equivalent", "clear")
    assert answer.deals < 10_000


def test_a_restriction_is_applied_to_each_seat_in_turn() -> None:
    answer = medal(ban=["medal"], budget=4000)
    [plans] = [variant.plans for variant in answer.variants]
    assert [plan.options["ban"] for plan in plans] == ["0=medal", "1=medal", "2=medal", "3=medal"]
    assert answer.games == 5 * answer.deals
    assert only(answer)["effect"] == pytest.approx(-1.25, abs=0.1)  # 5 points in a quarter of the games
    assert {"score:bold", "win:bold", "win"} <= set(answer.details["metric"])


def test_a_restriction_can_name_one_seat() -> None:
    answer = medal(ban=["medal"], seat=2, budget=4000)
    row = only(answer)
    assert row["n_baseline"] == answer.deals
    assert row["effect"] == pytest.approx(-1.25, abs=0.2)
    assert answer.games == 2 * answer.deals
    assert "seat 2" in answer.estimand


def test_the_rows_of_a_restricted_seat_come_from_its_own_table() -> None:
    plain = Plan.make(game="medal")
    tables = tuple(GAME.prepare(plain.replace(ban=f"{seat}=medal")) for seat in range(4))
    rows = Arm("no medal", tables, (0, 1, 2, 3)).rows(range(50)).reshape(50, 4)
    for seat in range(4):
        alone = Arm("one", (tables[seat],)).rows(range(50)).reshape(50, 4)
        assert np.array_equal(rows[:, seat], alone[:, seat])
    assert not rows["medal"].any()


def test_looks_grow_and_end_with_the_budget() -> None:
    assert Comparison(budget=100_000).looks() == [1563, 3125, 6250, 12500, 25000, 50000, 100_000]
    assert Comparison(budget=500).looks() == [500]
    answer = medal(**SALTED, budget=5000)
    assert answer.looks["deals"].to_list() == [1250, 2500, 5000]
    assert answer.looks.columns == ["variant", "value", "deals", "effect", "effect_low", "effect_high"]


def stop_after(blocks: int) -> Progress:
    calls = iter(range(blocks))

    def progress(doing: str, done: int, budget: int) -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt

    return progress


def test_an_interrupt_keeps_the_results_so_far() -> None:
    plan, change = Plan.make(game="medal"), Change(change=("cards.Medal.salt=1",))
    with pytest.raises(Interrupted) as stopped:
        compare(plan, change, Comparison(budget=50_000), execution=Execution(threads=1, progress=stop_after(3)))
    answer = stopped.value.result
    assert answer is not None
    assert answer.stopped == "interrupted"
    assert 0 < answer.deals <= 4 * BLOCK
    assert answer.effects["effect_low"].is_not_null().all()


def test_answers_are_written_atomically(tmp_path: Path) -> None:
    answer = medal(sweep="cards.Medal.points=4..6", budget=1000)
    record = json.loads(answer.write("curve.json").read_text())
    assert record["format"] == "wsim-whatif/2"
    assert [row["value"] for row in record["effects"]] == ["4", "5", "6"]
    assert record["baseline"]["plan"]["game"] == "medal"
    assert answer.write("curve.parquet").stat().st_size > 0
    assert pl.read_parquet("curve.parquet").equals(answer.details)
    assert json.loads(pl.read_parquet_metadata("curve.parquet")["wsim"]) == record
    wsim.lab.run.record(Plan.make(game="medal", games=10), "run")
    written = answer.write("run")
    assert written.parent.name == "run"
    assert written.name.startswith("whatif-")
    assert wsim.load_run("run").complete
    with pytest.raises(UserError, match=r"written as FILE\.json or FILE\.parquet, or into a run folder, not 'curve'"):
        answer.write("curve")


def test_sweeps_are_parsed() -> None:
    assert sweep_values("a.b=5..9") == ("a.b", ["5", "6", "7", "8", "9"])
    assert sweep_values("a.b=5..9..3") == ("a.b", ["5", "8"])
    assert sweep_values("a.b=-0.5..0.5..0.5") == ("a.b", ["-0.5", "0.0", "0.5"])
    assert sweep_values("a.b = 5, 7 ,7,9") == ("a.b", ["5", "7", "9"])
    assert sweep_values("a.b=[1, 2],[2, 3]") == ("a.b", ["[1, 2]", "[2, 3]"])


MISTAKES = [
    ({}, "nothing to compare: add a change (--set, --patch), a --sweep or a --ban"),
    (
        {"change": ["cards.Medal.points=5"]},
        "nothing to compare: the baseline already has cards.Medal.points=5, or medal does not read it",
    ),
    ({**PLUS_3, "ban": ["medal"]}, "--ban cannot be combined with a change"),
    ({**PLUS_3, "metric": "win"}, "the win shares of a game sum to 1: name a"),
    ({**PLUS_3, "metric": "socre"}, "unknown metric 'socre'"),
    ({**PLUS_3, "seat": 4}, "the seat must be from 0 to 3, not 4"),
    ({**PLUS_3, "budget": 1}, "the budget must be a whole number of games, at least 2, not 1"),
    ({**PLUS_3, "alpha": 0.95}, "alpha, the accepted chance of a false alarm, must be"),
    ({**PLUS_3, "margin": -1}, "the margin must be larger than 0, not -1"),
    ({"sweep": "cards.Medal.points"}, "'cards.Medal.points' is not a sweep"),
    ({"sweep": "cards.Medal.points=9..5"}, "the sweep 'cards.Medal.points=9..5' must run from small to large"),
    ({"sweep": "cards.Medal.points=1..1000"}, "the sweep 'cards.Medal.points=1..1000' has 1000 values"),
    ({"sweep": "cards.Medal.points=a..b"}, "'a..b' in the sweep 'cards.Medal.points=a..b' is not a range of numbers"),
    ({"sweep": "cards.Medal.points=5"}, "the sweep 'cards.Medal.points=5' has 1 values"),
    ({"sweep": "cards.Medal.points=5,,6"}, "the sweep 'cards.Medal.points=5,,6' has an empty value"),
    ({"ban": ["sword"]}, "a seat can be denied the medal, not 'sword'"),
    ({"change": ["cards.Medal.size=5"]}, "the medal has no 'size'"),
]


@pytest.mark.parametrize(("asked", "sentence"), MISTAKES)
def test_mistakes_are_reported_in_one_sentence(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        medal(**asked)
    assert str(refused.value).startswith(sentence)
