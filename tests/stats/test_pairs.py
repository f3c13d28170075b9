"""Pairs and chains of cards: planted synergies are found, others are not, and intervals cover."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]

from tests.stats import data
from tests.stats.data import CARDS, seats_table
from wsim import stats
from wsim.errors import UserError
from wsim.stats import pairs as pairs_module
from wsim.stats.shrinkage import shrink

FEW = CARDS[:8]


def with_synergy(games: int, seed: int, points: float = 3.0) -> pl.DataFrame:
    """Return seats in which the first two cards are worth some points more together; card 2 is worth 2 by itself."""
    frame = seats_table(games, cards=FEW, card_points=(0, 0, 2.0), seed=seed)
    both = pl.col(f"built:{FEW[0]}") & pl.col(f"built:{FEW[1]}")
    return frame.with_columns(points=pl.col("total") + points * both)


def pair(table: stats.Table, one: str, other: str) -> dict[str, float]:
    return table.frame.filter((pl.col("card") == one) & (pl.col("other") == other)).row(0, named=True)


def test_lift_equals_a_regression_interaction() -> None:
    frame = with_synergy(2000, 1)
    ours = pair(data.card_pairs(frame, outcome="points"), FEW[0], FEW[1])
    one, other = (frame[f"built:{name}"].to_numpy().astype(float) for name in FEW[:2])
    design = np.column_stack([np.ones(len(one)), one, other, one * other])
    fit = sm.OLS(frame["points"].to_numpy(), design).fit(
        cov_type="cluster", cov_kwds={"groups": frame["game"].to_numpy(), "use_correction": False}
    )
    assert ours["lift"] == pytest.approx(fit.params[3], rel=1e-6)
    half = (ours["lift_high"] - ours["lift_low"]) / 2
    assert half == pytest.approx(1.97 * fit.bse[3], rel=0.2)  # the error of 200 blocks varies by some 5 %
    assert ours["n"] == (one * other).sum()
    assert ours["affinity"] == pytest.approx((one * other).mean() / one.mean() / other.mean())


def test_the_planted_pair_is_found_and_no_other() -> None:
    table = data.card_pairs(with_synergy(3000, 2), outcome="points")
    found = table.frame.filter(pl.col("q") < 0.01)
    assert found.select("card", "other").rows() == [(FEW[0], FEW[1])]
    best = table.frame.row(0, named=True)
    assert best["lift_low"] < 3 < best["lift_high"]
    assert 0 < best["shrunk"] < best["lift"]
    assert table.frame.height == 28


@pytest.mark.slow
def test_intervals_of_lifts_cover() -> None:
    covered = total = 0
    for seed in range(40):
        frame = data.card_pairs(with_synergy(400, seed), outcome="points").frame
        truth = pl.when((pl.col("card") == FEW[0]) & (pl.col("other") == FEW[1])).then(3.0).otherwise(0.0)
        inside = frame.select(((pl.col("lift_low") <= truth) & (truth <= pl.col("lift_high"))).sum()).item()
        covered, total = covered + inside, total + frame.height
    assert 0.93 < covered / total < 0.97


def test_pairs_of_selected_cards_do_not_depend_on_row_order() -> None:
    frame = with_synergy(500, 3)
    table = data.card_pairs(frame, outcome="win_share", only=FEW[:3])
    assert table.frame.height == 3
    again = data.card_pairs(frame.sample(fraction=1, shuffle=True, seed=1), outcome="win_share", only=FEW[:3])
    assert again.frame["lift"].to_numpy() == pytest.approx(table.frame["lift"].to_numpy(), abs=1e-6)
    assert again.frame["lift_low"].to_numpy() == pytest.approx(table.frame["lift_low"].to_numpy(), abs=1e-6)


def test_rare_pairs_are_omitted_and_empty_runs_are_tables() -> None:
    frame = with_synergy(50, 4)
    assert data.card_pairs(frame, fewest=10_000).frame.is_empty()
    assert data.card_pairs(frame.head(0)).frame.is_empty()
    one = data.card_pairs(frame.head(4), fewest=1).frame
    assert one["lift_low"].null_count() == one.height
    with pytest.raises(UserError, match=r"no card 'Cart 01'.*did you mean 'Card 01'"):
        data.card_pairs(frame, only=["Cart 01", "Card 02"])
    unowned = frame.with_columns(pl.lit(False).alias("built:Card 02"))
    with pytest.raises(UserError, match=r"^no seat of these games had the card 'Card 02', so it has no partners$"):
        data.card_pairs(unowned, partners_of=["Card 02"])
    assert not data.card_pairs(unowned, partners_of=["Card 01"], fewest=1).frame.is_empty()


def test_finished_chains_are_compared_with_unfinished_ones() -> None:
    frame = with_synergy(4000, 5)
    chains = [FEW[:2], FEW[3:6], FEW[6:8]]
    table = data.card_chains(frame, chains, outcome="points")
    best = table.frame.row(0, named=True)
    assert best["chain"] == "Card 00 -> Card 01"
    assert best["lift_low"] < 3 < best["lift_high"]
    assert best["q"] < 1e-6 < 0.01 < table.frame["q"][1]
    begun = frame.filter(pl.col(f"built:{FEW[3]}"))
    whole = begun.filter(pl.col(f"built:{FEW[4]}") & pl.col(f"built:{FEW[5]}"))
    middle = table.frame.filter(pl.col("chain").str.starts_with(FEW[3])).row(0, named=True)
    assert (middle["begun"], middle["n"]) == (begun.height, whole.height)
    assert middle["finished"] == pytest.approx(whole["points"].mean())
    assert data.card_chains(frame, []).frame.is_empty()
    with pytest.raises(UserError, match="at least two cards"):
        data.card_chains(frame, [FEW[:1]])


def test_shrunk_effects_beat_raw_ones_and_their_intervals_cover() -> None:
    rng = np.random.default_rng(7)
    raw = close = covered = 0.0
    for _ in range(50):
        truth, errors = rng.normal(1, 0.5, 60), rng.uniform(0.3, 1.5, 60)
        seen = truth + errors * rng.normal(size=60)
        shrunk = shrink(seen, errors)
        raw += ((seen - truth) ** 2).mean()
        close += ((shrunk.value - truth) ** 2).mean()
        covered += ((shrunk.low <= truth) & (truth <= shrunk.high)).mean()
    assert close < 0.4 * raw
    assert 0.91 < covered / 50 < 0.97


def test_equal_effects_and_few_effects_are_shrunk() -> None:
    effects = np.array([1.0, 1.1, 0.9, 1.05, 0.95, np.nan])
    shrunk = shrink(effects, np.ones(6))
    assert np.ptp(shrunk.value[:5]) == pytest.approx(0.5 * np.ptp(effects[:5]))  # Morris: (5 - 3) / (5 - 1) of the way
    assert np.isnan([shrunk.value[5], shrunk.low[5]]).all()
    few = shrink(effects[:3], np.ones(3))
    assert few.value.tolist() == [1.0, 1.1, 0.9]
    assert few.high - few.value == pytest.approx([1.96] * 3, abs=1e-3)
    assert np.isnan(shrink(np.zeros(0), np.zeros(0)).value).all()


def test_shrinkage_by_hand() -> None:
    """Two effects of 0 and two of 4, errors 1: Q = 16, so the variance between is (16 - 3) / (4 - 1) = 13 / 3.

    Each weight is 3 / 16. Morris draws by 1 / 3 of that: 1 / 16 of the way to the mean, 2. The square of an error is
    15 / 16, more 1 / 192 for the mean and 1 / 32 for the variance between.
    """
    drawn = shrink(np.array([0.0, 0.0, 4.0, 4.0]), np.ones(4))
    assert drawn.value == pytest.approx([0.125, 0.125, 3.875, 3.875])
    assert drawn.high - drawn.value == pytest.approx([1.959964 * np.sqrt(187 / 192)] * 4)


def test_chains_are_sorted_by_shrunk_lift(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shrunk first, then the lift; unknown ones last."""
    known = {"chain": ["a", "b", "c", "d"], "shrunk": [0.1, 0.3, None, 0.1], "lift": [0.4, 0.2, 0.9, 0.5]}
    monkeypatch.setattr(pairs_module, "_chain_rows", lambda *_given, **_more: pl.DataFrame(known))
    monkeypatch.setattr(pairs_module, "_lift_note", lambda *_given: "")
    frame = data.seats_table(20, 3, cards=("Altar", "Baths"))
    assert data.card_chains(frame, [("Altar", "Baths")]).frame["chain"].to_list() == ["b", "d", "a", "c"]
