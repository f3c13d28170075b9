"""Within policies: fixed effects by hand and by statsmodels; cards of a weak policy are not blamed for its results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats  # type: ignore[import-untyped]
import statsmodels.api as sm  # type: ignore[import-untyped]
from numpy.typing import NDArray

from tests.conftest import Command
from tests.stats.data import CARDS, finish, seats_table
from wsim import stats
from wsim.stats import Table
from wsim.wonders.analysis import wonders

FEW = CARDS[:4]
STRONG = (4.0, 0.0, 0.0, -12.0, 2.0)  # points of the policies; the fourth, random, is weak


def simpson(games: int, seed: int, worth: float = 0.0) -> pl.DataFrame:
    """Return a run in which Card 00, worth some points, is built mostly by seats of the weak policy."""
    frame = seats_table(games, cards=FEW, card_points=(worth,), policy_points=STRONG, seed=seed)
    weak = (frame["policy"].cast(pl.String) == "random").to_numpy()
    also = weak & (np.random.default_rng(seed).random(frame.height) < 0.9) & ~frame["built:Card 00"].to_numpy()
    total = frame["total"].to_numpy() + np.rint(worth * also).astype(np.int16)
    return frame.with_columns(
        pl.Series("total", total), pl.Series("built:Card 00", also | frame["built:Card 00"].to_numpy())
    )


def owners(frame: pl.DataFrame, **options: object) -> Table:
    return stats.owners(frame, "built:", noun="card", **options)  # type: ignore[arg-type]


def first(table: Table) -> dict[str, float]:
    return table.frame.filter(pl.col("card") == "Card 00").row(0, named=True)


def dummies(column: pl.Series) -> NDArray[np.float64]:
    return column.cast(pl.String).to_frame().to_dummies().to_numpy().astype(float)


def test_within_policy_differences_by_hand() -> None:
    """Two policies, one 10 points better; within each, having the thing is worth 2 and then 4 points.

    Owners and others are 1 and 3 of the one, 2 and 2 of the other: the policies weigh 1 * 3 / 4 and 2 * 2 / 4.
    """
    frame = pl.DataFrame(
        {
            "game": [0, 0, 1, 1, 2, 2, 3, 3],
            "seat": [0, 1] * 4,
            "policy": ["a", "b"] * 4,
            "total": [22, 14, 20, 14, 20, 10, 20, 10],
            "win_share": [1.0, 0.0] * 4,
            "built:X": [True, True, False, True, False, False, False, False],
        }
    )
    ours = stats.owners(frame, "built:", noun="card").frame.row(0, named=True)
    effect = (0.75 * 2 + 1.0 * 4) / 1.75
    assert ours["score_difference"] == pytest.approx(effect)
    assert ours["score"] == pytest.approx(16.25 + effect * 5 / 8)  # of 8 seats 3 have it, their mean is 16.25
    assert ours["score_not"] == pytest.approx(16.25 - effect * 3 / 8)
    assert ours["win_difference"] == 0
    raw = stats.owners(frame, "built:", noun="card", raw=True).frame.row(0, named=True)
    assert raw["score_difference"] == pytest.approx(50 / 3 - 80 / 5)


def test_owners_agree_with_a_regression_with_policy_effects() -> None:
    frame = simpson(1500, 3, worth=1.0)
    ours, has = first(owners(frame)), frame["built:Card 00"].to_numpy().astype(float)
    design = np.column_stack([has, dummies(frame["policy"])])
    for outcome, name in (("total", "score"), ("win_share", "win")):
        fit = sm.OLS(frame[outcome].to_numpy().astype(float), design).fit(
            cov_type="cluster", cov_kwds={"groups": frame["game"].to_numpy(), "use_correction": False}
        )
        width = ours[f"{name}_difference_high"] - ours[f"{name}_difference_low"]
        assert ours[f"{name}_difference"] == pytest.approx(fit.params[0], rel=1e-6)
        assert width == pytest.approx(2 * 1.962 * fit.bse[0], rel=3e-3)
    assert ours["win_share"] - ours["win_share_not"] == pytest.approx(ours["win_difference"])
    assert ours["fair_share_ratio"] == pytest.approx(4 * ours["win_share"])


@pytest.mark.slow
@pytest.mark.parametrize("worth", [0.0, 2.0])
def test_a_weak_policy_is_not_blamed_on_its_cards(worth: float) -> None:
    covered = means = 0
    for seed in range(100):
        frame = simpson(60, seed, worth)
        ours, score = first(owners(frame)), frame["total"].cast(pl.Float64)
        covered += ours["score_difference_low"] <= worth <= ours["score_difference_high"]
        without = score - worth * frame["built:Card 00"]
        mean = float(without.to_numpy().mean()) + worth
        means += ours["score_low"] <= mean <= ours["score_high"]
    assert 88 <= covered <= 100  # 0.999 of a binomial with 0.95
    assert means >= 88
    raw = first(owners(simpson(400, 1, worth), raw=True))
    assert raw["score_difference_high"] < worth - 3


def test_items_that_never_vary_within_a_policy_carry_no_information() -> None:
    frame = seats_table(200, cards=FEW)
    frame = frame.with_columns((pl.col("policy").cast(pl.String) == "random").alias("built:Card 00"))
    ours = first(owners(frame))
    assert all(ours[name] is None for name in ("score_difference", "win_q", "win_share"))
    assert ours["n"] > 100


def test_degrees_of_freedom_count_seats_that_differ_from_their_policy() -> None:
    """One policy always has the thing but for 3 seats, the other never: 2 degrees of freedom, however many games."""
    rng, games = np.random.default_rng(5), 60
    has = np.tile([True, False], (games, 1))
    has[:3, 0] = False
    frame = pl.DataFrame(
        {
            **finish(np.rint(rng.normal(50, 9, (games, 2))).astype(np.int64)),
            "policy": ["a", "b"] * games,
            "built:Card 00": has.reshape(-1),
        }
    )
    ours = first(owners(frame))
    design = np.column_stack([has.reshape(-1), dummies(frame["policy"])]).astype(float)
    fit = sm.OLS(frame["total"].to_numpy().astype(float), design).fit(
        cov_type="cluster", cov_kwds={"groups": frame["game"].to_numpy(), "use_correction": False}
    )
    assert ours["score_difference"] == pytest.approx(fit.params[0])
    half = ours["score_difference_high"] - ours["score_difference"]
    assert half == pytest.approx(4.30265 * fit.bse[0] * np.sqrt(3 / 2), rel=1e-4)


def test_splits_by_policy_and_one_policy_are_not_adjusted() -> None:
    frame = simpson(400, 5)
    by = owners(frame, by="policy")
    one = owners(frame.filter(pl.col("policy") == "science"))
    ours, same = (first(Table(t.frame.filter(pl.col("n") > 0), "")) for t in (one, one))
    split = by.frame.filter((pl.col("policy") == "science") & (pl.col("card") == "Card 00")).row(0, named=True)
    assert split["score_difference"] == pytest.approx(ours["score_difference"])
    assert ours == same
    assert "policies" not in one.note
    assert "policies" not in by.note
    assert "Compared within policies" in owners(frame).note
    nameless, raw = owners(frame.drop("policy")), owners(frame, raw=True)
    assert first(nameless) == first(raw)
    assert "policies" not in nameless.note
    assert (raw.title, "Raw: several" in raw.note) == ("Cards, raw", True)


def pair_table(seed: int, lift: float) -> pl.DataFrame:
    """Return a run in which the weak policy has both or neither of two cards that are worth ``lift`` more together."""
    frame = seats_table(400, cards=FEW, policy_points=STRONG, seed=seed)
    weak, rng = (frame["policy"].cast(pl.String) == "random").to_numpy(), np.random.default_rng(seed)
    likes = weak & (rng.random(frame.height) < 0.8)
    has = [frame[f"built:{card}"].to_numpy() | likes for card in FEW[:2]]
    total = frame["total"].to_numpy() + np.rint(lift * (has[0] & has[1])).astype(np.int16)
    columns = [pl.Series(f"built:{card}", flag) for card, flag in zip(FEW[:2], has, strict=True)]
    return frame.with_columns(pl.Series("total", total), *columns)


def first_pair(frame: pl.DataFrame, **options: object) -> dict[str, float]:
    table = stats.owner_pairs(frame, "built:", noun="card", only=FEW[:2], **options)  # type: ignore[arg-type]
    return table.frame.row(0, named=True)


@pytest.mark.slow
@pytest.mark.parametrize("lift", [0.0, 4.0])
def test_card_pairs_of_a_weak_policy_are_not_synergies(lift: float) -> None:
    found = [first_pair(pair_table(seed, lift)) for seed in range(60)]
    covered = sum(one["lift_low"] <= lift <= one["lift_high"] for one in found)
    assert 51 <= covered <= 60
    raw = first_pair(pair_table(1, lift), raw=True)
    assert abs(raw["lift"] - lift) > 1
    assert raw["affinity"] > 1.5


def test_pairs_by_policy_average_to_the_lift_within_policies() -> None:
    frame = pair_table(3, 4.0)
    split = stats.owner_pairs(frame, "built:", noun="card", only=FEW[:2], by="policy", fewest=1).frame
    weights, parts = [], []
    for row in split.iter_rows(named=True):
        seats = frame.filter(pl.col("policy") == row["policy"])
        cells = seats.group_by(*(f"built:{card}" for card in FEW[:2])).agg(pl.len(), pl.col("total").mean())
        mean = {key[:2]: key[3] for key in cells.iter_rows()}
        naive = mean[True, True] - mean[True, False] - mean[False, True] + mean[False, False]
        assert row["lift"] == pytest.approx(naive, rel=1e-5)
        weights.append(float(1 / (1 / cells["len"].to_numpy()).sum()))
        parts.append(naive)
    ours = first_pair(frame, fewest=1)
    assert split.height == 5
    assert ours["lift"] == pytest.approx(np.average(parts, weights=weights), rel=1e-5)
    assert ours["n"] == split["n"].sum()


def test_chains_are_compared_within_policies() -> None:
    frame = pair_table(4, 4.0)
    chains = [FEW[:2]]
    ours = stats.owner_chains(frame, chains, "built:", noun="card").frame.row(0, named=True)
    begun = frame.filter(pl.col("built:Card 00"))
    done = begun["built:Card 01"].to_numpy().astype(float)
    fit = sm.OLS(begun["total"].to_numpy().astype(float), np.column_stack([done, dummies(begun["policy"])])).fit(
        cov_type="cluster", cov_kwds={"groups": begun["game"].to_numpy()}
    )
    assert ours["lift"] == pytest.approx(fit.params[0])
    assert ours["finished"] - ours["unfinished"] == pytest.approx(ours["lift"])
    assert ours["lift_high"] - ours["lift"] == pytest.approx(1.97 * fit.bse[0], rel=0.15)  # blocks of two games
    raw = stats.owner_chains(frame, chains, "built:", noun="card", raw=True).frame.row(0, named=True)
    assert raw["lift"] < ours["lift"] - 1


def test_boards_of_good_policies_are_adjusted() -> None:
    """A board that the weak policy gets three times as often as the others do."""
    frame = seats_table(1200, cards=(), wonder_points=(3.0,), policy_points=STRONG, seed=8)
    weak, giza = pl.col("policy").cast(pl.String) == "random", pl.col("wonder").cast(pl.String) == "Giza"
    frame = frame.filter(weak | ~giza | (pl.col("game") % 3 == 0))
    ours = wonders(frame, by="wonder").frame.sort("wonder")
    names, boards = ours["wonder"].cast(pl.String).to_list(), dummies(frame["wonder"])
    policies = dummies(frame["policy"])
    mix = policies.mean(axis=0)
    design = np.column_stack([boards, policies - mix[None, :]])[:, :-1]  # its coefficients are the adjusted means
    fit = sm.OLS(frame["total"].to_numpy().astype(float), design).fit(
        cov_type="cluster", cov_kwds={"groups": frame["game"].to_numpy(), "use_correction": False}
    )
    assert sorted(names) == names
    assert ours["score"].to_numpy() == pytest.approx(fit.params[: len(names)])
    width = (ours["score_high"] - ours["score_low"]).to_numpy() / (2 * 1.963 * fit.bse[: len(names)])
    assert ((width > 1) & (width < 1.1)).all()  # the regression takes the mix of policies as given; it varies, too
    raw = wonders(frame, by="wonder", raw=True)
    assert raw.title == "Wonders, raw"
    plain = raw.frame.filter(pl.col("wonder") == "Giza")["score"].item()
    assert plain < ours.filter(pl.col("wonder") == "Giza")["score"].item() - 1


def test_the_error_of_an_adjusted_mean_follows_from_its_influence_function() -> None:
    """Effects of boards and all policies but the last; the mix of policies is an estimate of these games, too."""
    frame = seats_table(30, cards=(), wonder_points=(3.0,), policy_points=STRONG, seed=8)
    ours = wonders(frame, by="wonder").frame.sort("wonder")
    boards, policies = dummies(frame["wonder"]), dummies(frame["policy"])[:, :-1]
    design, mix = np.column_stack([boards, policies]), policies.mean(axis=0)
    total = frame["total"].to_numpy().astype(float)
    inverse = np.linalg.inv(design.T @ design)
    effects = inverse @ design.T @ total
    left = total - design @ effects
    games = frame["game"].to_numpy()
    for place, row in enumerate(ours.iter_rows(named=True)):
        wanted = np.concatenate([np.arange(7) == place, mix])
        each = (design @ inverse @ wanted) * left + (policies - mix) @ effects[7:] / len(total)
        by_game = np.bincount(games, each)
        seen = len(np.unique(games[boards[:, place] > 0]))
        error = np.sqrt((by_game**2).sum() * seen / (seen - 1))
        assert row["score"] == pytest.approx(wanted @ effects)
        assert row["score_high"] - row["score"] == pytest.approx(scipy.stats.t.ppf(0.975, seen - 1) * error, rel=1e-6)


def test_boards_confounded_with_policies_are_not_adjusted() -> None:
    frame = seats_table(100, cards=(), policy_points=STRONG)
    frame = frame.with_columns(wonder=pl.col("policy").cast(pl.String))
    table = wonders(frame, by="wonder")
    assert table.note.startswith("Raw: in these games the levels cannot be separated from policy")
    means = dict(frame.group_by("wonder").agg(pl.col("total").mean()).iter_rows())
    assert dict(table.frame.select("wonder", "score").iter_rows()) == pytest.approx(means)


@pytest.mark.slow
def test_the_command_compares_within_policies_by_default(wsim_command: Command, tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    played = wsim_command(
        *("run", "--games", "300", "--players", "3", "--policies", "balanced,greedy,random", "--out", run, "--quiet")
    )
    assert played.code == 0
    for name in ("cards", "wonders", "synergies"):
        adjusted, raw = (json.loads(wsim_command(name, run, "--json", *more).out) for more in ((), ("--raw",)))
        assert adjusted != raw
    printed = wsim_command("cards", run, "--raw").out
    assert printed.startswith("Cards, raw, 300 games")
    assert "Compared within policies" in wsim_command("table", run, "chains", "--top", "1").out
    refused = wsim_command("table", run, "cards", "--raw=3")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("wsim: the option '--raw' takes no value, not '3'")
