"""Displayed tables: signs, units and references of columns, the ends of long tables, differences of two runs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from tests.stats.data import card_chains, card_pairs, cards, seats_table, wonders
from wsim import stats
from wsim.errors import UserError
from wsim.stats.analysis import Analysis
from wsim.stats.brief import ends
from wsim.stats.columns import BETWEEN_PLAYER_SD, FAIR, OTHER_PLAYERS, PLAYER_HALF_WIDTH, pick_columns
from wsim.stats.combined import minus
from wsim.stats.item_charts import item_charts
from wsim.stats.tables import Table, level_charts
from wsim.stats.worth import worth_columns


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    seats = seats_table(60, 3, cards=("Altar", "Baths"))
    chain = {"chains": [("Altar", "Baths")]}
    made: dict[str, Table] = {
        "wonders": wonders(seats),
        "cards": cards(seats),
        "pairs": card_pairs(seats, outcome="win_share", fewest=1),
        "chains": card_chains(seats, **chain),
        "matchups": stats.matchups(seats),
        "crowding": stats.crowding(seats),
        "strengths": stats.strengths(seats, "side"),
    }
    return made


def test_differences_are_signed_and_some_intervals_are_drawn(tables: dict[str, Table]) -> None:
    columns = {(name, column.name): column for name, table in tables.items() for column in table.columns}
    columns |= {("worth", column.name): column for column in worth_columns()}
    columns |= {("picks", column.name): column for column in pick_columns("win")}
    differences = {key for key, column in columns.items() if column.difference}
    assert differences == {
        *(("cards", name) for name in ("win_difference", "score_difference")),
        *((table, name) for table in ("pairs", "chains") for name in ("lift", "shrunk")),
        *(("matchups", name) for name in ("score_difference", "win_difference")),
        *(("worth", name) for name in ("worth", "points")),
        ("picks", "effect"),
    }
    drawn = {key for key, column in columns.items() if column.drawn}
    assert drawn == {("wonders", FAIR), ("cards", FAIR), ("crowding", FAIR), ("worth", "worth")}
    references = {key[1]: column.reference for key, column in columns.items() if not column.difference}
    assert {name: value for name, value in references.items() if value is not None} == {
        FAIR: 1.0,
        "ahead": 0.5,
        "strength": 1.0,
    }
    assert all(columns[key].reference == 0 for key in differences)
    assert BETWEEN_PLAYER_SD.spread
    assert OTHER_PLAYERS.spread
    assert columns["pairs", "lift"].unit == "of wins"
    assert columns["chains", "lift"].unit == "points"


def test_every_table_column_is_declared_and_labels_come_first(tables: dict[str, Table]) -> None:
    for name, table in tables.items():
        declared = {column.name for column in table.columns}
        declared |= {end for column in table.columns for end in column.ends or ()}
        assert set(table.frame.columns) <= declared, name
        assert table.frame.columns[: len(table.labels)] == list(table.labels), name
        assert {chart.labels for chart in table.charts} <= {table.labels}, name


def rows_of(count: int, known: int, figure: str = "win_share", **more: Any) -> Table:
    """Return a table of ``count`` rows numbered from 0, of which the first ``known`` have a figure."""
    values = [1.0 - row / count if row < known else None for row in range(count)]
    seats = [1 if row < known else 0 for row in range(count)]
    return Table(
        pl.DataFrame({"card": [str(row) for row in range(count)], figure: values, "n": seats}), "Cards", **more
    )


@pytest.mark.parametrize("form", ["levels", "owners"])
def test_long_tables_show_the_ten_best_and_five_worst_rows(form: Any) -> None:
    whole = rows_of(30, 20, form=form)
    assert ends(whole) == (whole.title, whole.frame)
    title, frame = ends(rows_of(33, 30, form=form))
    assert (title, frame.height) == ("Cards", 30), "rows without a figure are left out, and the rest is short enough"
    title, frame = ends(rows_of(40, 31, form=form))
    words = "best and 5 worst" if form == "levels" else "highest and 5 lowest"
    assert title == f"Cards: the 10 {words} of 31 by win share" + " of their owners" * (form == "owners")
    assert frame["card"].to_list() == [str(row) for row in (*range(10), *range(26, 31))]
    title, frame = ends(rows_of(40, 31, "worth", form=form))
    assert title == "Cards: the 10 best and 5 worst of 31 by worth"
    assert frame["card"].to_list() == [str(row) for row in (*range(10), *range(26, 31))]
    free = rows_of(40, 40)
    assert ends(free) == ("Cards", free.frame), "rows of no form have no ends"


@pytest.mark.parametrize(("cards", "shown"), [(15, 15), (16, 15)])
def test_worth_shows_the_extreme_cards_and_all_short_kinds(cards: int, shown: int) -> None:
    kinds = ["build"] * cards + ["bury"] * 17 + ["sell"] * 2
    frame = pl.DataFrame({"what": kinds, "name": [str(row) for row in range(len(kinds))], "worth": 0.0})
    title, rows = ends(Table(frame, "Worth"))
    if cards == shown:
        assert (title, rows.height) == ("Worth", len(kinds))
    else:
        assert title == "Worth: the 10 best and 5 worst of 16 to build"
        assert rows["name"].to_list() == [str(row) for row in (*range(10), *range(11, 16), 33, 34)]


def test_item_charts_are_sorted_by_item_facts_last_first() -> None:
    scatter, forest = item_charts("worth", "wanted", "card", ["age"], ["age_of_card", "color"])
    assert (scatter.shape, scatter.values, scatter.labels) == ("scatter", ("worth", "wanted"), ("card", "age"))
    assert scatter.title == "What each card is worth, against how often it is wanted"
    assert (forest.shape, forest.values, forest.by) == ("forest", ("worth",), ("color", "age_of_card"))
    assert forest.title == "What each card is worth, by colour and age_of_card, with intervals"
    assert forest.judged
    scatter, forest = item_charts("win_difference", "built_share", "card", [], [])
    assert not forest.judged, "who owns an item is not what it is worth"
    assert scatter.title == "Win share of the owners of each card minus the others', against built share"
    assert forest.title == "Win share of the owners of each card minus the others', with intervals"


def figures(names: list[str], ratio: list[float], score: list[float], half: float, n: int = 9) -> Table:
    """Return a table of levels with these figures and a half width for all intervals (doubled for scores)."""
    frame = pl.DataFrame({"policy": names, "n": [n] * len(names)}).with_columns(
        **{FAIR: pl.Series(ratio), "score": pl.Series(score)}
    )
    for name, width in ((FAIR, half), ("score", 2 * half)):
        frame = frame.with_columns(**{f"{name}_low": pl.col(name) - width, f"{name}_high": pl.col(name) + width})
    columns = tuple(column for column in stats.factor(seats_table(2, 3), "policy").columns if column.name != "policy")
    return Table(frame, "Policies", columns=columns, form="levels", labels=("policy",))


def test_the_difference_between_two_tables_by_hand() -> None:
    """Half widths of 0.3 and 0.4 combine to 0.5, because the errors of the runs are independent."""
    found = minus(figures(["a", "b", "c"], [1.0, 1.5, 1.2], [50, 60, 55], 0.3),
                  figures(["b", "a", "d"], [1.0, 1.2, 1.0], [58, 51, 50], 0.4))  # fmt: skip
    assert found is not None
    assert found.frame["policy"].to_list() == ["b", "a"], "the largest difference first, only rows of both"
    first = found.frame.row(0, named=True)
    expected = {f"{FAIR}_here": 1.5, f"{FAIR}_there": 1.0, f"{FAIR}_difference": 0.5, "score_difference": 2.0}
    expected |= {f"{FAIR}_difference_low": 0.0, f"{FAIR}_difference_high": 1.0}
    expected |= {"score_difference_low": 1.0, "score_difference_high": 3.0}
    assert {name: first[name] for name in expected} == pytest.approx(expected)
    assert found.title == "Policies: x fair share, this run minus the other"
    assert found.column("score_difference").difference
    (chart,) = found.charts
    assert (chart.shape, chart.values) == ("forest", (f"{FAIR}_difference",))
    nobody = figures(["a"], [1.0], [50], 0.3, n=0)
    assert minus(figures(["a"], [1.0], [50], 0.3), nobody) is None, "a row that nobody had is in no table"


def test_only_item_facts_sort_item_charts() -> None:
    seats = seats_table(40, 3, cards=("Altar", "Baths"))
    about = {name: {"age": 1, "color": "blue"} for name in ("Altar", "Baths")}
    table = cards(seats, about=about, by="policy")
    assert table.frame.columns[:4] == ["card", "age", "color", "policy"]
    assert {chart.by for chart in table.charts} == {("color", "age")}
    assert {chart.labels for chart in table.charts} == {("card", "policy")}
    assert {chart.by for chart in cards(seats, by="policy").charts} == {()}


def test_a_table_without_row_names_has_one_leading_column() -> None:
    assert Table(pl.DataFrame({"x": [1]}), "Title").sheet().labels == 1
    assert Table(pl.DataFrame({"x": [1], "a": ["b"]}), "Title", labels=("a",)).sheet().labels == 2


def test_sources_of_the_variance_need_more_rows_than_levels() -> None:
    """Two games of three seats with seven boards, and with two."""
    seats = seats_table(2, 3, cards=("Altar",))
    few = stats.variance_shares(seats.with_columns(board=pl.Series(list("abcdef"))), {"board": ["board"]}).frame
    assert few["share"].to_list() == [None] * 3
    enough = stats.variance_shares(seats.with_columns(board=pl.Series(list("ababab"))), {"board": ["board"]}).frame
    assert enough["share"].null_count() == 0
    assert enough["share"].sum() == pytest.approx(1)


def test_a_sheet_takes_the_given_title_and_rows() -> None:
    table = Table(pl.DataFrame({"wonder": ["a", "b"], "n": [3, 4]}), "Usual", labels=("wonder",))
    assert (table.sheet().title, table.sheet(title="Other").title) == ("Usual", "Other")
    assert [row["n"] for row in table.sheet(table.frame[1:]).rows] == [4]
    assert table.sheet().labels == 1


class _Run:
    """A run with known tables, played by given policies."""

    people: Any = None

    def __init__(self, between: Any = None) -> None:
        self.plan = SimpleNamespace(policies=["net", "greedy", "net"])
        self._between = between

    def recorded(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        return columns

    def between(self, _analysis: Any, figure: str) -> Any:
        return self._between and SimpleNamespace(
            with_players=lambda table, name, _level: replace(
                table, frame=table.frame.with_columns(pl.lit(0.1).alias(PLAYER_HALF_WIDTH)), note=f"{figure} {name}"
            )
        )


def _verdicts(labels: tuple[str, ...] = ("wonder",)) -> Analysis:
    frame = pl.DataFrame({labels[0]: ["a"], "verdict": ["higher"]})
    return Analysis(
        lambda _run, by, level: Table(frame, "T", labels=labels, note=f"{by} {level}."), "", by=labels, moves="x",
    )  # fmt: skip


def test_a_table_of_verdicts_names_the_players_they_apply_to() -> None:
    """Tables of policies, of people and without verdicts do not; for a split of one's own, others are unknown."""
    said = "Verdicts are for net, greedy; what other good players would find is not known here."
    run: Any = _Run()
    assert _verdicts().table(run, level=0.9).note == f"('wonder',) 0.9. {said}"
    known: Any = _Run(between=True)
    assert _verdicts().table(known).note == "x x"
    assert _verdicts().table(known, ["side"]).note == f"('side',) 0.95. {said}"
    assert _verdicts(("policy",)).table(run).note == "('policy',) 0.95."
    people: Any = _Run()
    people.people = {"boards": "chosen"}
    assert _verdicts().table(people).note == "('wonder',) 0.95."
    assert replace(_verdicts(), moves="").table(run).note == "('wonder',) 0.95."
    plain = replace(_verdicts(), make=lambda _run, by, level: Table(pl.DataFrame({"wonder": by}), "T", labels=("w",)))
    assert plain.table(run).note == ""
    with pytest.raises(UserError, match="has no option 'rwa'"):
        _verdicts().table(run, rwa=True)
    with pytest.raises(UserError, match="cannot be split by side"):
        replace(_verdicts(), by=None).table(run, ["side"])


def test_levels_are_drawn_as_intervals_and_points_as_stacked_bars() -> None:
    wins, points = level_charts(("wonder", "board_side"), ("points_guild",))
    assert (wins.shape, wins.values, wins.labels, wins.judged) == ("forest", (FAIR,), ("wonder", "board_side"), True)
    assert wins.title == "Wins by wonder and board side (x fair share, with intervals)"
    assert (points.shape, points.values) == ("stacked", ("score", "points_guild"))
    assert len(level_charts(("wonder",), ())) == 1
