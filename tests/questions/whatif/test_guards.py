"""When a comparison may give a verdict: enough differing deals, the look that decided, no self-selected seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import Command
from wsim.lab.cluster import chunk_runner
from wsim.lab.provenance import Provenance
from wsim.questions.comparison import Comparison
from wsim.questions.contrasts import Contrasts
from wsim.questions.deals import Arm, in_blocks
from wsim.questions.metrics import Metric
from wsim.questions.trial import IDENTICAL, Trial, blocks_of
from wsim.questions.variants import Variant
from wsim.questions.whatif.answer import WhatIfAnswer, answer_of
from wsim.stats.fewest import DIFFERING

SCORE = Metric("score", "total", False)
OWNER = Metric("owner:X", "win_share", True, item="X", owned="built:X")


class Made:
    """Arms with synthetic games: sums of shape (arms, metrics, 3, games)."""

    def __init__(self, sums: NDArray[np.float64], metrics: tuple[Metric, ...] = (SCORE,)) -> None:
        self.sums, self.metrics = sums, metrics

    def play(self, games: range) -> list[list[NDArray[np.float64]]]:
        return [list(arm[..., games.start : games.stop].transpose(1, 0, 2)) for arm in self.sums]


def made(differences: NDArray[np.float64], spread: float = 10.0, seed: int = 0) -> Made:
    """Return one-seat games in which variants differ by the given amounts, shape (variants, games)."""
    base = np.random.default_rng([seed, 5]).normal(50, spread, differences.shape[1])
    sums = np.ones((1 + len(differences), 1, 3, differences.shape[1]))
    sums[0, 0, 0] = base
    sums[1:, 0, 0] = base + differences
    return Made(sums)


def tried(arms: Made, **question: Any) -> Trial[Contrasts]:
    asked = Comparison(**question)
    trial = Trial(Contrasts(len(arms.sums) - 1, len(arms.metrics)), asked)
    with chunk_runner(None, [], 1) as chunks_of:
        trial.play(in_blocks(arms.play, blocks_of(asked.looks()), chunks_of))
    return trial


def answered(trial: Trial[Contrasts], metrics: tuple[Metric, ...] = (SCORE,)) -> WhatIfAnswer:
    variants = [Variant(f"v{number}", None, (), ()) for number in range(trial.sums.variants)]
    arms = [Arm("made", ())] * (1 + len(variants))
    return answer_of(trial, arms, metrics, Provenance({}, {}, "", "", {}), variants, "Mean.")


def rare(rng: np.random.Generator, deals: int, share: float) -> NDArray[np.float64]:
    """Return differences with mean 0 that affect a ``share`` of the deals: 19 in one of twenty, -1 in the others."""
    differs = rng.random(deals) < share
    return np.where(differs, np.where(rng.random(deals) < 0.05, 19.0, -1.0), 0.0)[None, :]


@pytest.mark.slow
@pytest.mark.parametrize(("deals", "share"), [(1000, 0.01), (1000, 0.02), (8000, 0.02)])
def test_rare_and_skewed_differences_give_no_false_alarms(deals: int, share: float) -> None:
    """Without the guard, more than half of the verdicts are "lower", because the rare large differences are unseen."""
    rng = np.random.default_rng(4)
    alarms = 0
    for seed in range(150):
        trial = tried(made(rare(rng, deals, share), seed=seed), budget=deals, spending="obrien_fleming")
        alarms += 0 in trial.decided
    assert alarms <= 18  # of 7.5 expected at 5 %


@pytest.mark.slow
def test_common_differences_are_decided_as_before() -> None:
    rng = np.random.default_rng(2)
    found = [tried(made(rng.normal(0.2, 2, (1, 1000)), seed=seed), budget=1000) for seed in range(100)]
    power = sum(0 in trial.decided for trial in found)
    assert 75 <= power <= 100  # 3.2 standard errors
    null = [tried(made(rng.normal(0, 2, (1, 1000)), seed=seed), budget=1000) for seed in range(200)]
    assert sum(0 in trial.decided for trial in null) <= 21  # 0.999 of a binomial with 5 %


def test_after_ctrl_c_the_last_look_uses_all_played_deals() -> None:
    arms, asked = made(np.random.default_rng(2).normal(0, 2, (1, 9000))), Comparison(budget=9000)
    trial = Trial(Contrasts(1, 1), asked)

    def stop(_doing: str, done: int, _budget: int) -> None:
        if done not in asked.looks():
            raise KeyboardInterrupt

    with chunk_runner(None, [], 1) as chunks_of, pytest.raises(KeyboardInterrupt):
        trial.play(in_blocks(arms.play, blocks_of(asked.looks()), chunks_of), stop)
    assert trial.stopped == "interrupted"
    assert trial.sums.deals not in asked.looks()
    assert trial.looks[-1].effects.value.tolist() == trial.sums.effects().value.tolist()


def test_the_deals_needed_by_hand() -> None:
    differences = np.zeros((2, 100))
    differences[0, :4] = 3.0  # alike: four
    differences[1, :4] = (1.0, -1.0, 1.0, 5.0)  # (1 + 1 + 1 + 25)**2 / (1 + 1 + 1 + 625)
    known = Contrasts(2, 1).plus(made(differences).play(range(100)))
    assert known.differing.tolist() == [4, 4]
    assert known.effective_deals() == pytest.approx([4, 28**2 / 628])
    more = known.plus(made(differences).play(range(100)))
    assert more.effective_deals() == pytest.approx([8, 56**2 / 1256])


@pytest.mark.parametrize("variants", [1, 2, 5])
def test_variants_share_alpha_equally(variants: int) -> None:
    """Each variant has the same interval and verdicts as it would alone at its share of alpha."""
    noise = np.random.default_rng(8).normal(0, 1, 1000)
    differences = 30 * (1.8 / 1000**0.5 + (noise - noise.mean()) / noise.std())  # 1.8 standard errors above 0
    [alone] = tried(made(differences[None, :]), budget=1000, alpha=0.1 / variants).looks
    [among] = tried(made(np.tile(differences, (variants, 1))), budget=1000, alpha=0.1).looks
    assert among.boundary == pytest.approx(alone.boundary)
    for variant in range(variants):
        assert (among.low[variant], among.high[variant]) == pytest.approx((alone.low[0], alone.high[0]))
        assert among.verdict(variant) == alone.verdict(0)
    assert alone.verdict(0) == ("higher" if variants == 1 else "unclear")


def test_few_differing_deals_give_a_note_instead_of_an_interval() -> None:
    differences = np.zeros((1, 1000))
    differences[0, : DIFFERING - 1] = 1.0
    answer = answered(tried(made(differences), budget=1000))
    [row] = answer.effects.to_dicts()
    assert (row["verdict"], row["effect_low"], row["effect_high"]) == ("unclear", None, None)
    assert row["differing"] == DIFFERING - 1
    assert any(one.startswith(f"Only {DIFFERING - 1} of 1,000 deals differed in score") for one in answer.remarks)


def test_one_dominant_deal_gives_no_interval() -> None:
    differences = np.zeros((1, 1000))
    differences[0, :300], differences[0, 300] = -1.0, 100.0
    trial = tried(made(differences), budget=1000)
    [row] = answered(trial).effects.to_dicts()
    assert (row["verdict"], row["effect_low"], row["differing"]) == ("unclear", None, 301)


def test_a_change_without_effect_ends_early_and_says_so() -> None:
    trial = tried(made(np.zeros((1, 40_000))), budget=40_000)
    answer = answered(trial)
    assert (answer.stopped, answer.deals) == ("clear", IDENTICAL)
    [row] = answer.effects.to_dicts()
    assert (row["verdict"], row["effect"], row["effect_low"]) == ("identical", 0.0, None)
    assert answer.remarks[0].startswith("None of 10,000 deals differed in any metric: at most 0.0003")


def test_verdict_and_interval_come_from_the_same_look() -> None:
    """The first variant is clear at the first look and then fades, while the second variant requires more games."""
    budget = 8000
    rng = np.random.default_rng(3)
    differences = rng.normal(0, 2, (2, budget))
    differences[0, :1000] += 1.0
    differences[0, 1000:] -= 0.25
    trial = tried(made(differences), budget=budget)
    first, second = answered(trial).effects.to_dicts()
    assert (first["verdict"], first["decided_at"], second["verdict"]) == ("higher", 1000, "unclear")
    assert first["effect_low"] > 0
    assert first["effect"] == pytest.approx(differences[0, :1000].mean())
    assert first["n_baseline"] == 1000
    assert second["n_baseline"] == budget
    assert trial.sums.effects().value[0] < 0  # what the last look would have said


@pytest.mark.slow
def test_a_remark_warns_of_early_stopping() -> None:
    """Comparisons that stop early overestimate on average, so the remark appears exactly when one stops early."""
    rng = np.random.default_rng(6)
    early, late = [], 0
    for seed in range(60):
        answer = answered(tried(made(rng.normal(0.1, 2, (1, 4000)), seed=seed), budget=4000))
        [row] = answer.effects.to_dicts()
        plain = any(one.startswith("An effect is the mean at the deciding look") for one in answer.remarks)
        assert plain == (row["decided_at"] is not None and row["decided_at"] < 4000)
        if plain:
            early.append(row["effect"])
        else:
            late += 1
    assert len(early) >= 10 <= late + 10
    assert np.mean(early) > 1.2 * 0.1


def owners(moved: int, games: int = 1000) -> Made:
    """Return games in which owners of an item win half the time, and fewer seats own it in the variant."""
    rng = np.random.default_rng(1)
    sums = np.ones((2, 1, 3, games))
    sums[:, 0, 0] = rng.integers(0, 2, games)
    sums[1, 0, 0, :400] = 1.0
    sums[1, 0, 1, games - moved :] = 0.0
    sums[1, 0, 0, games - moved :] = 0.0
    return Made(sums, (OWNER,))


def test_changed_owners_in_equal_number_get_no_verdict() -> None:
    """Every deal has one owner of a card, but in some deals it is a different seat than in the baseline."""
    verdicts = []
    for elsewhere in (10, 100):
        arms = owners(0)
        arms.sums[1, 0, 2, :elsewhere] = 2.0
        trial = tried(arms, budget=1000)
        assert trial.sums.moved.tolist() == [elsewhere]
        assert trial.sums.differing.tolist() == owners_that_win_otherwise()
        verdicts += answered(trial, (OWNER,)).effects["verdict"].to_list()
    assert verdicts == ["higher", None]


def owners_that_win_otherwise() -> list[int]:
    sums = owners(0).sums
    return [int((sums[0, 0, 0] != sums[1, 0, 0]).sum())]


def test_a_metric_of_self_selected_seats_gets_no_verdict() -> None:
    usual, chosen = (answered(tried(owners(moved), budget=1000), (OWNER,)) for moved in (10, 100))
    assert usual.effects["verdict"].to_list() == ["higher"]
    [row] = chosen.effects.to_dicts()
    assert (row["verdict"], row["decided_at"]) == (None, None)
    assert row["effect_low"] > 0
    [remark] = chosen.remarks
    assert remark.startswith("The change itself selects the seats of owner:X")
    assert "winner:X" in remark
    assert "experiment picks" in remark


def test_the_command_gives_a_more_expensive_card_no_verdict(wsim_command: Command) -> None:
    answer = wsim_command(
        *("whatif", "--policies", "random", "--set", "cards.Altar.cost.coins=6", "--metric", "owner:Altar"),
        *("--budget", "1000", "--quiet", "--threads", "1"),
    )
    assert answer.code == 0
    assert not {"higher", "lower", "equivalent", "unclear"} & set(answer.out.splitlines()[3].split())
    assert "The change itself selects the seats of owner:Altar" in answer.out
