"""The sentences of the page: they name what is clear, and claim nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

from tests.stats import data
from tests.stats.data import seats_table
from wsim.document import NAME, SHARE, Column, estimated
from wsim.report.charts import CLEAR
from wsim.report.conclusions import HIGH, LOW, Statement, _extreme, _unmeasured, about_levels, about_worth
from wsim.report.item_conclusion import about_item
from wsim.stats.columns import FAIR, FAIR_SHARE_RATIO, PLAYER_HALF_WIDTH
from wsim.stats.tables import Table


def verdict(difference: float, q: float | None) -> str:
    return "unclear" if q is None or q >= CLEAR else "higher" if difference > 0 else "lower"


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
                "verdict": verdict(value - 1, q),
            }
            for name, value, half, q in rows
        ],
        infer_schema_length=None,
        schema_overrides={"q": pl.Float64, f"{FAIR}_low": pl.Float64, f"{FAIR}_high": pl.Float64},
    )
    return Table(frame, "T", columns=(Column(noun, NAME), FAIR_SHARE_RATIO), form="levels", labels=(noun,))


def said(statements: list[Statement], kind: str) -> str:
    return "\n".join(f"{one.headline} {one.detail}" for one in statements if one.kind == kind)


def test_the_strongest_is_named_with_its_interval_and_the_runner_up() -> None:
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


def test_an_imprecise_level_can_prevent_a_clear_best() -> None:
    """A level that few seats had may be the best, so no other level is clearly the best."""
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


def test_the_better_of_two_levels_is_named() -> None:
    found = about_levels(levels(("a", 1.2, 0.01, 0.0), ("b", 0.8, 0.01, 0.0), noun="policy"), "policies", 1000)
    assert [one.headline for one in found] == ["The strongest policy is a: it wins 1.20 times its fair share."]


def test_one_level_cannot_be_compared() -> None:
    found = about_levels(levels(("random", 1.0, 0.0, 1.0), noun="policy"), "policies", 100)
    assert [one.kind for one in found] == ["caution"]
    assert found[0].headline == "One policy only, random: policies cannot be compared."


def test_without_intervals_nothing_is_reported() -> None:
    table = levels(("a", 2.0, 0.0, None), ("b", 0.0, 0.0, None))
    found = about_levels(table, "wonders", 1)
    assert [one.headline for one in found] == ["Too few games to compare wonders."]


@pytest.fixture(scope="module")
def planted() -> pl.DataFrame:
    """A run in which the first and third card are worth points, and the second to last wonder costs points."""
    return seats_table(3000, card_points=(4, 0, -4), wonder_points=(3, 0, 0, 0, 0, -3))


def test_ownership_of_cards_gets_no_verdict(planted: pl.DataFrame) -> None:
    table = data.cards(planted)
    assert table.form == "owners"
    found = _unmeasured(table, "cards")
    assert found.kind == "caution"
    assert found.headline == "What each card is worth was not measured: this run only shows who has it."


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
        found = about_levels(data.wonders(seats, by="wonder"), "wonders", 1500)
        assert said(found, "clear") == ""
        assert len(found) == 1


def test_a_best_among_most_levels_is_reported_as_open() -> None:
    rows = [{"label": f"w{number}", FAIR: 1.3 - number / 100, LOW: 1.1, HIGH: 1.5} for number in range(8)]
    known = pl.DataFrame([*rows[:5], *({**row, HIGH: 1.05} for row in rows[5:])])
    statement = _extreme(known.head(1), known, "wonder", "wonders", strongest=True)
    assert (statement.kind, statement.headline) == ("open", "Which wonder is the strongest is open: 5 of 8 may be.")
    few = known.with_columns(pl.when(pl.col("label") < "w3").then(pl.col(HIGH)).otherwise(1.05).alias(HIGH))
    assert _extreme(few.head(1), few, "wonder", "wonders", strongest=True).kind == "clear"


def worths(*rows: tuple[str, float, float, float]) -> Table:
    frame = pl.DataFrame(
        [
            {
                "card": name,
                "n": 10,
                "worth": worth,
                "worth_low": worth - half,
                "worth_high": worth + half,
                "q": q,
                "verdict": verdict(worth, q),
            }
            for name, worth, half, q in rows
        ]
    )
    columns = (Column("card", NAME), estimated("worth", SHARE, difference=True))
    return Table(frame, "Cards", columns=columns, form="owners", labels=("card",))


def test_overlapping_intervals_have_no_best() -> None:
    found = about_worth(worths(("a", 0.10, 0.02, 0.0), ("b", 0.09, 0.02, 0.0), ("c", 0.0, 0.02, 0.9)), "cards", 1000)
    assert found[0].headline == "The card worth most is one of 2: a or b."
    assert (
        "Seats that want a win 10.0 percentage points more often with it than with their next best" in found[0].detail
    )
    assert [one.kind for one in found] == ["clear", "open"]
    assert found[1].headline == "1 of 3 cards do not differ clearly from the next best move."
    assert found[1].detail.startswith("2 clearly help the seats that want them, 0 clearly harm them.")


def test_harmful_items_are_named() -> None:
    found = about_worth(worths(("a", 0.10, 0.02, 0.0), ("b", -0.09, 0.02, 0.01)), "cards", 1000)
    assert [one.headline for one in found] == [
        "The card worth most is a.",
        "The card worth least is b.",
        "Of 2 cards, 1 clearly help the seats that want them, 1 clearly harm them.",
    ]
    assert "win 9.0 percentage points less often" in found[1].detail


def test_unclear_worth_makes_no_claim() -> None:
    found = about_worth(worths(("a", 0.02, 0.02, 0.1), ("b", 0.01, 0.02, 0.3)), "cards", 1000)
    assert [one.headline for one in found] == ["No card is clearly worth anything in 1,000 games."]


def test_differences_between_players_widen_the_intervals_of_the_strongest() -> None:
    """Alone, 1.40 +-0.04 times the fair share leaves out the next one, 1.30; with +-0.06 of win share it does not."""
    wonders = levels(("Rhodos", 1.4, 0.04, 0.001), ("Gizah", 1.3, 0.04, 0.001), ("Babylon", 0.8, 0.04, 0.001))
    (first, *_) = about_levels(wonders, "wonders", 10_000)
    assert first.headline.startswith("The strongest wonder is Rhodos: ")
    more = {"win_share": pl.col(FAIR) / 4, PLAYER_HALF_WIDTH: pl.lit(0.06)}
    more["verdict"] = pl.when(pl.col("wonder") == "Babylon").then(pl.lit("unclear")).otherwise("verdict")
    found = about_levels(replace(wonders, frame=wonders.frame.with_columns(**more)), "wonders", 10_000)
    assert found[0].headline == "The strongest wonder is one of 2: Rhodos or Gizah."
    assert not any("weakest" in one.headline for one in found)  # .8 is within .24 of 1


def test_an_item_is_described_by_its_own_row_and_called_clear_only_if_its_verdict_is() -> None:
    table = worths(("a", 0.10, 0.02, 0.0), ("b", -0.05, 0.03, 0.2), ("c", 0.0, 0.0, 0.9))
    first, second, _ = table.frame.iter_slices(1)
    (sentence,) = about_item(table, first)
    assert sentence.startswith("Seats that want a win 10.0 percentage points more often with it than with their next ")
    assert sentence.endswith("best move (95% interval 8.0 to 12.0): a clear difference.")
    (sentence,) = about_item(table, second)
    assert "win 5.0 percentage points less often" in sentence
    assert sentence.endswith("(95% interval 2.0 to 8.0): not a clear difference.")
    unmeasured = first.with_columns(pl.lit(None, pl.Float64).alias("worth"))
    assert about_item(table, unmeasured) == [
        "These games do not show what this card is worth: hardly any seat wanted it."
    ]


def test_a_level_is_described_with_its_fair_share() -> None:
    seats = seats_table(3000, card_points=(4, 0, -4), wonder_points=(3, 0, 0, 0, 0, -3))
    table = data.wonders(seats, by="wonder")
    best = table.frame.filter(pl.col("wonder").cast(pl.String) == "Alexandria")
    (sentence,) = about_item(table, best)
    figures = r"[\d.]+ times its fair share \(95% interval [\d.]+ to [\d.]+\)"
    assert re.fullmatch(rf"Alexandria wins {figures}: clearly more than the fair share\.", sentence)
