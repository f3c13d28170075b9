"""The sentences of the page: they name what is clear, and claim nothing else."""

from __future__ import annotations

import polars as pl
import pytest

from tests.stats import data
from tests.stats.data import CARDS, seats_table
from wsim.document import NAME, SHARE, Column, estimated
from wsim.report.conclusions import Statement, about_levels, about_owners
from wsim.stats.columns import FAIR, FAIR_SHARE_RATIO
from wsim.stats.tables import Table


def levels(*rows: tuple[str, float, float, float | None], noun: str = "wonder") -> Table:
    """Return a table of levels: name, fair share ratio, half the interval (0: none), q."""
    frame = pl.DataFrame(
        [
            {
                noun: name,
                "n": 10,
                FAIR: value,
                f"{FAIR}_low": value - half if q is not None else None,
                f"{FAIR}_high": value + half if q is not None else None,
                "q": q,
            }
            for name, value, half, q in rows
        ],
        infer_schema_length=None,
        schema_overrides={"q": pl.Float64, f"{FAIR}_low": pl.Float64, f"{FAIR}_high": pl.Float64},
    )
    return Table(frame, "T", columns=(Column(noun, NAME), FAIR_SHARE_RATIO), form="levels", labels=(noun,))


def said(statements: list[Statement], kind: str) -> str:
    return "\n".join(f"{one.headline} {one.detail}" for one in statements if one.kind == kind)


def test_the_strongest_is_named_with_its_interval_and_the_next() -> None:
    table = levels(("Rhodos B", 1.64, 0.05, 0.0), ("Olympia B", 1.45, 0.05, 0.0), ("Gizah A", 0.8, 0.05, 0.0))
    clear = said(about_levels(table, "wonders", 20_000), "clear")
    assert "The strongest wonder is Rhodos B: it wins 1.64 times its fair share." in clear
    assert "95% interval 1.59 to 1.69. Next is Olympia B with 1.45, and the intervals do not overlap." in clear
    assert "The weakest wonder is Gizah A: it wins 0.80 times its fair share." in clear
    assert "All 3 wonders differ from average: 2 win more and 1 wins less than their fair share." in clear


def test_overlapping_intervals_name_no_single_best() -> None:
    table = levels(("a", 1.30, 0.10, 0.0), ("b", 1.25, 0.10, 0.0), ("c", 0.5, 0.1, 0.0), noun="policy")
    clear = said(about_levels(table, "policies", 1000), "clear")
    assert "The strongest policy is one of 2: a or b." in clear
    assert "a has the highest estimate, 1.30 times its fair share (95% interval 1.20 to 1.40)" in clear
    assert "The strongest policy is a" not in clear


def test_a_rival_may_be_unclear_itself() -> None:
    """A level that hardly anybody had may be the best one, for all that is known."""
    table = levels(("a", 1.30, 0.05, 0.0), ("rare", 1.20, 0.60, 0.5), ("c", 0.5, 0.1, 0.0))
    assert "one of 2: a or rare" in said(about_levels(table, "wonders", 1000), "clear")


def test_high_q_values_make_no_claim() -> None:
    found = about_levels(levels(("a", 1.02, 0.03, 0.3), ("b", 0.98, 0.03, 0.3), noun="policy"), "policies", 20_000)
    assert said(found, "clear") == ""
    assert said(found, "open") == (
        "No policy can be distinguished from average in 20,000 games. "
        "The estimates go from 0.98 to 1.02 times the fair share, each give or take 0.03."
    )


def test_a_clear_difference_may_be_small() -> None:
    table = levels(("a", 1.02, 0.005, 0.0), ("b", 1.0, 0.005, 0.9), ("c", 0.98, 0.005, 0.0))
    found = about_levels(table, "policies", 10**6)
    assert said(found, "clear").count("A real but small difference.") == 2


def test_of_two_one_is_named() -> None:
    found = about_levels(levels(("a", 1.2, 0.01, 0.0), ("b", 0.8, 0.01, 0.0), noun="policy"), "policies", 1000)
    assert [one.headline for one in found] == ["The strongest policy is a: it wins 1.20 times its fair share."]


def test_one_level_cannot_be_compared() -> None:
    found = about_levels(levels(("random", 1.0, 0.0, 1.0), noun="policy"), "policies", 100)
    assert [one.kind for one in found] == ["caution"]
    assert found[0].headline == "One policy only, random: policies cannot be compared."


def test_without_intervals_nothing_is_said() -> None:
    table = levels(("a", 2.0, 0.0, None), ("b", 0.0, 0.0, None))
    found = about_levels(table, "wonders", 1)
    assert [one.headline for one in found] == ["Too few games to compare wonders."]


@pytest.fixture(scope="module")
def planted() -> pl.DataFrame:
    """Two cards are worth points, the first and the third; the last wonder but one costs some."""
    return seats_table(3000, card_points=(4, 0, -4), wonder_points=(3, 0, 0, 0, 0, -3))


def test_a_planted_card_is_named_and_called_observational(planted: pl.DataFrame) -> None:
    table = data.cards(planted)
    assert table.form == "owners"
    found = about_owners(table, "cards", 3000)
    best, worst = found[0], found[1]
    assert best.headline == f"The card most associated with winning is {CARDS[0]}."
    assert worst.headline == f"The card most associated with losing is {CARDS[2]}."
    row = table.frame.row(by_predicate=pl.col("card") == CARDS[0], named=True)
    assert f"win {row[FAIR]:.2f} times their fair share" in best.detail
    assert f"{100 * row['win_difference']:.1f} percentage points more often" in best.detail
    assert "more often than seats without it" in best.detail
    within = about_owners(table, "cards", 3000, within=" of the same policy")
    assert any("more often than seats of the same policy without it" in one.detail for one in within)
    assert all("bservational" in one.detail for one in found)


def test_planted_wonders_are_named(planted: pl.DataFrame) -> None:
    table = data.wonders(planted, by="wonder")
    assert table.form == "levels"
    clear = said(about_levels(table, "wonders", 3000), "clear")
    assert "The strongest wonder is Alexandria" in clear
    assert "The weakest wonder is Olympia" in clear


def test_without_effects_nothing_is_claimed() -> None:
    """The q-values allow a false claim in one of twenty such runs; these seeds have none."""
    for seed in (2, 3, 4):
        seats = seats_table(1500, seed=seed)
        cards, wonders = data.cards(seats), data.wonders(seats, by="wonder")
        found = about_owners(cards, "cards", 1500)
        found += about_levels(wonders, "wonders", 1500)
        assert said(found, "clear") == ""
        assert len(found) == 2


def test_what_overlaps_is_not_called_best() -> None:
    def row(name: str, difference: float, half: float, q: float) -> dict[str, object]:
        ends = {"win_difference_low": difference - half, "win_difference_high": difference + half}
        points = {FAIR: 1.2, f"{FAIR}_low": 1.1, f"{FAIR}_high": 1.3}
        return {"card": name, "n": 10, "win_difference": difference, **ends, **points, "win_q": q}

    frame = pl.DataFrame([row("a", 0.10, 0.02, 0.0), row("b", 0.09, 0.02, 0.0), row("c", 0.0, 0.02, 0.9)])
    columns = (Column("card", NAME), FAIR_SHARE_RATIO, estimated("win_difference", SHARE, difference=True))
    found = about_owners(Table(frame, "Cards", columns=columns, form="owners", labels=("card",)), "cards", 1000)
    assert found[0].headline == "The card most associated with winning is one of 2: a or b."
    assert found[1].kind == "open"
    assert found[1].headline == "1 of 3 cards not clearly correlated with winning or losing."
