"""Small examples by hand: outcomes of games, sums of a few rows, the columns that a table shows, noise correction."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.stats.data import cards, finish, seats_table
from wsim import stats
from wsim.document import NUMBER, POINTS, SHARE
from wsim.errors import UserError
from wsim.stats.analysis import Analysis, Option
from wsim.stats.columns import kind_of
from wsim.stats.factor_sums import FactorSums
from wsim.stats.moments import Moments
from wsim.stats.outcomes import outcomes
from wsim.stats.owner_tallies import OwnerTallies
from wsim.stats.summary import summarise
from wsim.stats.tables import Table


def test_the_outcomes_of_three_games() -> None:
    """Totals 10, 7, 3 and 9, 9, 1 and 4, 6, 6: leads of 3, 0, 0; ranges of 7, 8, 2; two games have two winners."""
    seats = pl.DataFrame(finish(np.array([[10, 7, 3], [9, 9, 1], [4, 6, 6]]))).drop("team")
    found = outcomes(seats.lazy())
    points = {name: found.figure(name)["points"] for name in ("score", "winner", "last", "margin", "range")}
    assert points == pytest.approx(
        {"score": 55 / 9, "winner": (10 + 9 + 9 + 6 + 6) / 5, "last": 8 / 3, "margin": 1.0, "range": 17 / 3}
    )
    assert found.figure("shared")["share"] == pytest.approx(2 / 3)


def test_outcomes_in_team_games_are_per_team() -> None:
    """Seats 0 and 2 against 1 and 3: 5 + 4 against 3 + 1 points."""
    game = {"game": [0] * 4, "seat": range(4), "team": [0, 1, 0, 1], "rank": [1, 2, 1, 2]}
    seats = pl.DataFrame({**game, "win_share": [1.0, 0, 1, 0], "total": [5, 3, 4, 1]})
    found = outcomes(seats.lazy())
    assert (found.figure("margin")["points"], found.figure("last")["points"]) == (5, 4)
    assert found.figure("shared")["share"] == 0


def test_features_added_together_or_one_by_one_give_the_same_sums() -> None:
    features = np.array([[1.0, 2.0, 0.0], [3.0, 0.0, 5.0]])  # two games
    whole = Moments(1, 3).plus_matrix(features)
    assert whole.totals.tolist() == [[4, 2, 5]]
    assert whole.games.tolist() == [[2, 1, 1]]
    assert whole.products[0].tolist() == [[10, 2, 15], [2, 4, 0], [15, 0, 25]]
    single = Moments(1, 3).plus(*features.T)
    for name in ("totals", "games", "products"):
        assert np.array_equal(getattr(single, name), getattr(whole, name))
    assert np.array_equal(whole.plus_matrix(features).totals, 2 * whole.totals)


def test_a_table_shows_no_main_column_that_is_always_zero() -> None:
    frame = pl.DataFrame(
        {"wonder": ["A", "B"], "side": ["A", "A"], "points_none": [0, 0], "points_some": [0, 2],
         "points_open": [0, None], "other": [1, 1]}
    )  # fmt: skip
    table = Table(frame, "Title", labels=("wonder", "side"), main=("points_*",), first=("other",))
    sheet = table.sheet()
    assert sheet.main == ("wonder", "side", "points_some", "points_open")
    assert sheet.labels == 2, "both names of a row stand in every part of a wide table"
    assert sheet.first == ("wonder", "side", "other")
    assert table.label(frame.row(1, named=True)) == "B A"
    assert Table(frame.drop("side"), "Title", labels=("wonder",)).sheet().labels == 1


def test_an_analysis_accepts_only_its_own_options() -> None:
    given: list[dict[str, Any]] = []

    def make(_source: object, **options: Any) -> Table:
        given.append(options)
        return Table(pl.DataFrame(), "Title")

    analysis = Analysis(make, "about something", options={"raw": Option("as they are", flag=True)})
    analysis.table(cast("Any", None), raw=True)
    assert given == [{"level": 0.95, "raw": True}]
    with pytest.raises(UserError, match=r"no option 'rwa' \(did you mean 'raw'\?\): it has raw"):
        analysis.table(cast("Any", None), rwa=True)
    with pytest.raises(UserError, match="cannot be split by policy: about something"):
        analysis.table(cast("Any", None), ["policy"])


@pytest.mark.parametrize(
    ("column", "kind"),
    [("points_guild", POINTS), ("score", POINTS), ("score_sd", POINTS), ("total", POINTS), ("win_share", SHARE),
     ("win", SHARE), ("coins", NUMBER), ("totals", NUMBER)],
)  # fmt: skip
def test_the_kind_of_a_column_follows_from_its_name(column: str, kind: Any) -> None:
    assert kind_of(column)[0] == kind


RECIPES = (FactorSums(("wonder", "side")), FactorSums(("policy",), ("wonder",)), OwnerTallies("built:"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_summary_has_the_shapes_of_its_recipes(recipe: Any) -> None:
    """Summaries read from a file are checked against these shapes."""
    kept = summarise(seats_table(30, 3, cards=("Altar", "Baths")), [recipe])
    arrays = kept.of(recipe.name)
    assert arrays
    assert {key: array.shape for key, array in arrays.items()} == dict(recipe.shapes(recipe.name, kept.labels))


@pytest.mark.slow
def test_uninformative_levels_have_no_share_of_the_variance() -> None:
    """Forty levels of 800 seats at random explain a twentieth of any outcome by chance, which is taken off."""
    shares = []
    for seed in range(8):
        random = np.random.default_rng(seed)
        names = [f"level {number}" for number in random.integers(40, size=800)]
        seats = seats_table(200, seed=seed).with_columns(noise=pl.Series(names), points=random.normal(0, 1, 800))
        table = stats.variance_shares(seats, {"noise": ["noise"], "policy": ["policy"]}, outcome="points").frame
        shares.append(table.row(by_predicate=pl.col("source") == "noise", named=True)["share"])
    assert float(np.mean(shares)) < 0.02


@pytest.mark.jit_off
def test_tables_from_sums_match_tables_from_rows() -> None:
    """This covers levels of one and of two columns, with and without adjustment, and owners."""
    seats = seats_table(80, 3, cards=("Altar", "Baths"))
    run: Any = SimpleNamespace(summary=summarise(seats, RECIPES))
    for by, within in ((("wonder", "side"), ()), (("policy",), ()), (("policy",), ("wonder",))):
        of_sums, of_rows = (stats.factor(source, by, within=within) for source in (run, seats))
        assert_frame_equal(of_sums.frame, of_rows.frame, check_dtypes=False, rel_tol=1e-9)
        assert (of_sums.note, of_sums.columns) == (of_rows.note, of_rows.columns)
    for raw in (True, False):
        of_sums, of_rows = (cards(source, raw=raw) for source in (run, seats))
        assert_frame_equal(of_sums.frame, of_rows.frame, check_dtypes=False, rel_tol=1e-9)
    for by, words in ((("seat",), "sums by"), (("wonder",), "not by wonder")):
        with pytest.raises(UserError, match=words):
            stats.factor(run, by)
    with pytest.raises(UserError, match="the run keeps no sums of coins"):
        stats.factor(run, ("policy",), measures=["coins"])
    with pytest.raises(UserError, match="not split by policy"):
        cards(run, by="policy")
    with pytest.raises(UserError, match="keeps no sums of taken:NAME"):
        stats.owners(run, prefix="taken:", noun="card", share="share")


@pytest.mark.jit_off
def test_many_items_are_counted_separately() -> None:
    """There are more items than fit into one 64-bit word."""
    seats = seats_table(60, 3)
    rows = {row["card"]: row for row in cards(seats).frame.to_dicts()}
    owned = [name for name in seats.columns if name.startswith("built:")]
    assert len(owned) == len(rows) > 64
    for name in owned:
        own = seats.filter(pl.col(name))
        row = rows[name.removeprefix("built:")]
        assert row["n"] == own.height
        assert row["score"] == pytest.approx(own["total"].mean())
        assert row["win_share"] == pytest.approx(own["win_share"].cast(pl.Float64).mean(), rel=1e-6)
