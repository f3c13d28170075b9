"""``wsim report``: the content of the page, which is self-contained, and invalid options."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.conftest import Command
from tests.stats.data import clustered_difference
from tests.tiers import first_quick
from wsim.document import POINTS, PROBABILITY, SHARE, Column, Sheet, estimated
from wsim.errors import UserError
from wsim.game import analyses_of, find_analysis, find_game
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.store import Run
from wsim.questions.whatif.answer import WhatIfAnswer
from wsim.report import page, slices, write_report
from wsim.report.grids import grid
from wsim.report.material import PageExtras
from wsim.stats.outcomes import outcomes, rank_means, score_counts
from wsim.wonders import analysis

VOID = {"meta", "link", "input", "br", "hr", "img", "path", "line", "rect", "circle", "use"}
MIXED = ("balanced", "military", "science", "civilian")
WHATIF = {
    "format": "wsim-whatif/2",
    "estimand": "Mean score of all seats: variant minus baseline, on the same deals and seats.",
    "question": {"metric": "score"},
    "deals": 4096,
    "baseline": {"plan": {"ruleset": "1e", "players": 4}},
    "effects": [
        {
            "variant": f"cards.Palace.points={value}",
            "value": str(value),
            "baseline": 47.0,
            "changed": 47.0 + (value - 8) / 4,
            "effect": (value - 8) / 4,
            "effect_low": (value - 8) / 4 - 0.1,
            "effect_high": (value - 8) / 4 + 0.1,
            "verdict": "lower" if value < 8 else "higher",
            "variance_removed": 0.4,
        }
        for value in (6, 7, 9)
    ],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Play a small run of the first edition."""
    folder = tmp_path_factory.mktemp("report") / "run"
    return record(Plan.make(games=1200, seed=3, policies=MIXED), folder)


@pytest.fixture(scope="module")
def html(run: Run) -> str:
    """The page of the run, including a what-if."""
    (run.path / "whatif-palace.json").write_text(json.dumps(WHATIF), encoding="utf-8")
    return write_report(run, run.path.parent / "page.html").read_text(encoding="utf-8")


class Reader(HTMLParser):
    """Reads tables (by id) and checks that every element is closed by its own end tag."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tables: dict[str, list[list[tuple[str, str]]]] = {}
        self.headings: dict[str, list[str]] = {}
        self._grid = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.append(given["id"])
        if "grid" in given.get("class", "").split():
            self._grid = given["id"]
            self.tables[self._grid], self.headings[self._grid] = [], []
        if tag == "tr" and "tbody" in self.open:
            self.tables[self._grid].append([])
        if tag in ("td", "th") and "tbody" in self.open:
            self.tables[self._grid][-1].append((given["data-key"], ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle a self-closing element, which leaves nothing open."""

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        if "thead" in self.open and self.open[-1] == "button":
            self.headings[self._grid].append(data)
        if "tbody" in self.open and self.open[-1] not in ("tr", "tbody"):
            cells = self.tables[self._grid][-1]
            key, text = cells[-1]
            cells[-1] = (key, text + data)


@pytest.fixture(scope="module")
def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def test_a_small_probability_is_never_shown_as_0() -> None:
    rows: list[dict[str, Any]] = [{"card": "a", "q": 0.0}, {"card": "b", "q": 0.0123}, {"card": "c", "q": None}]
    made = grid("t", Sheet("T", rows, [Column("q", PROBABILITY)]))
    assert [row[1].text for row in made.rows] == ["<0.001", "0.012", ""]
    assert [row[1].key for row in made.rows] == [0.0, 0.0123, None]
    other = grid("t", Sheet("T", [{"card": "a", "share": 0.0}], [Column("share", SHARE)]))
    assert other.rows[0][1].text == "0.0%"


@pytest.mark.slow
def test_every_id_is_unique(read: Reader) -> None:
    assert len(read.ids) == len(set(read.ids))
    expected = {"conclusions", "wonders", "cards", "policies", "scores", "winners", "seats", "whatif", "calibration"}
    assert expected | {"provenance"} <= set(read.ids)


@pytest.mark.slow
def test_every_link_leads_somewhere(html: str, read: Reader) -> None:
    links = re.findall(r'href="#([^"]+)"', html)
    assert len(links) > 10
    assert set(links) <= set(read.ids)


@pytest.mark.slow
def test_the_page_needs_no_network(html: str) -> None:
    assert not re.findall(r"https?:|//[a-z]+\.|@import|url\(", html)
    assert re.findall(r"(?:src|href)=\"(?!#|data:,\")[^\"]*", html) == []
    assert "default-src 'none'" in html
    assert len(html.encode()) < 3_000_000


@pytest.mark.slow
def test_cards_on_the_page_equal_the_table(run: Run, read: Reader) -> None:
    table = find_analysis(find_game("seven_wonders"), "cards").table(run).frame.filter(pl.col("n") > 0)
    shown = {row[0][0]: row for row in read.tables["cards-table"]}
    assert set(shown) == set(table["card"])
    for row in table.to_dicts():
        cells = dict(zip(read.headings["cards-table"], shown[row["card"]], strict=True))
        assert cells["Colour"][0] == row["color"]
        assert int(cells["n"][0]) == row["n"]
        assert float(cells["Built share"][0]) == row["built_share"]
        assert cells["Built share"][1].startswith(f"{100 * row['built_share']:.1f}%")
        assert float(cells["Owners"][0]) == row["win_difference"]
        assert "Verdict" not in cells


def sliced(html: str, grid: str) -> tuple[list[str], list[list[list[Any]]]]:
    """Return the slices of a table on the page by name, each with its rows."""
    part = html.partition(f'<div class="grid" id="{grid}">')[2]
    options = re.findall(r"<option>([^<]*)</option>", part.partition('class="slice"')[2].partition("</select>")[0])
    return options, json.loads(re.findall(r'class="parts">(.*?)</script>', part)[0])


@pytest.mark.slow
def test_slices_on_the_page_equal_tables_of_the_filtered_seats(run: Run, html: str, read: Reader) -> None:
    names, parts = sliced(html, "cards-table")
    cards = find_analysis(find_game("seven_wonders"), "cards")
    rows = [(one, row) for one in ("wonder", "policy") for row in cards.table(run, (one,)).frame.to_dicts() if row["n"]]
    assert set(names) == {f"{one} {row[one]}" for one, row in rows}
    for one, row in rows:
        (cells,) = [cells for cells in parts[names.index(f"{one} {row[one]}")] if cells[0][0] == row["card"]]
        headings = read.headings["cards-table"]
        assert cells[headings.index("n")] == [f"{row['n']:,}", row["n"]]
        share = cells[headings.index("Built share")]
        assert share[:2] == [f"{100 * row['built_share']:.1f}%", pytest.approx(row["built_share"])]
    assert {name.split()[0] for name in sliced(html, "wonders-table")[0]} == {"policy"}


@pytest.mark.slow
def test_an_overlong_table_is_not_sliced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wonders = analyses_of(find_game(run.plan.game))["wonders"]
    sliced = slices._slices_by_column(run, wonders, ("wonder", "side"), "policy")
    rows = sum(map(len, sliced.values()))
    assert rows > 1
    for most, found in ((rows, len(sliced)), (rows - 1, 0)):
        monkeypatch.setattr(slices, "MOST_ROWS", most)
        assert len(slices._slices_by_column(run, wonders, ("wonder", "side"), "policy")) == found


@pytest.mark.slow
def test_numbers_have_their_units(html: str) -> None:
    units = re.findall(r'<button type="button"[^>]*>([^<]*)</button><small class="unit">([^<]*)</small>', html)
    assert {
        "Score": "points",
        "Win difference": "percentage points",
        "Effect": "points",
    }.items() <= dict(units).items()
    made = grid("t", Sheet("T", [{"effect": 0.5}], [Column("effect", POINTS)]))
    assert made.columns[0].unit == "points"


@pytest.mark.slow
def test_wonders_on_the_page_equal_the_table(run: Run, read: Reader) -> None:
    table = analysis.wonders(run).frame
    headings, shown = read.headings["wonders-table"], read.tables["wonders-table"]
    assert [(row[0][0], row[1][0]) for row in shown] == [(row["wonder"], row["side"]) for row in table.to_dicts()]
    for heading, column in (("x fair share", "fair_share_ratio"), ("Score", "score")):
        assert [float(row[headings.index(heading)][0]) for row in shown] == table[column].to_list()


@pytest.mark.slow
def test_calibration_on_the_page_equals_the_table(run: Run, read: Reader) -> None:
    table = analysis.calibrate(run).frame
    shown = read.tables["calibration-table"]
    assert len(shown) == len(table)
    assert [cells[-1][1] for cells in shown] == [verdict or "" for verdict in table["verdict"]]


@pytest.mark.slow
def test_charts_are_drawn_for_wide_and_narrow_screens_with_alternative_text(html: str) -> None:
    charts = html.count('<div class="chart" role="img" aria-label="')
    assert charts >= 10
    assert len(re.findall(r'<div class="for-(?:wide|narrow)"><svg ', html)) == 2 * charts
    assert html.count('aria-label="Rhodos A: ') == 4  # interval and mark, wide and narrow
    assert 'aria-label="Palace, points 9: +0.25 (+0.15 to +0.35)"' in html


@pytest.mark.slow
def test_provenance_is_on_the_page(run: Run, html: str) -> None:
    assert run.provenance.command in html.replace("&#39;", "'")
    assert run.provenance.digest in html
    assert run.provenance.software["numba"] in html


def test_outcomes_equal_plain_polars(run: Run) -> None:
    seats = run.seats.collect()
    found = outcomes(run.seats)
    games = seats.group_by("game", maintain_order=True).agg(
        pl.col("total").sort(descending=True).alias("totals"), (pl.col("rank") == 1).sum().alias("winners")
    )
    totals = games["totals"].list
    truth = {
        "score": seats["total"].mean(),
        "winner": seats.filter(pl.col("rank") == 1)["total"].mean(),
        "last": totals.get(3).mean(),
        "margin": (totals.get(0) - totals.get(1)).mean(),
        "range": (totals.get(0) - totals.get(3)).mean(),
        "shared": (games["winners"] > 1).mean(),
    }
    for name, value in truth.items():
        assert found.figure(name)["share" if name == "shared" else "points"] == pytest.approx(value), name
    winners, others = (seats.filter((pl.col("rank") == 1) == won) for won in (True, False))
    row = found.measures.frame.row(by_predicate=pl.col("measure") == "points of military", named=True)
    assert row["winners"] == pytest.approx(winners["points_military"].mean())
    assert row["others"] == pytest.approx(others["points_military"].mean())
    truth_interval = clustered_difference(seats["points_military"], seats["rank"] == 1, seats["game"])
    assert row["difference_low"] == pytest.approx(truth_interval.low[0])


def test_scores_and_ranks_count_every_seat(run: Run) -> None:
    counts = score_counts(run.seats)
    assert counts["n"].sum() == 4800
    assert set(counts["policy"]) == set(run.plan.policies)
    ranks = rank_means(run.seats).frame
    assert ranks["n"].sum() == 4800
    assert ranks["score"].is_sorted(descending=True)


@pytest.mark.slow
def test_a_second_run_is_shown_next_to_it(run: Run, tmp_path: Path) -> None:
    other = record(Plan.make(games=600, seed=9, players=3, policies=MIXED[:3]), tmp_path / "other")
    text = write_report(run, tmp_path / "page.html", PageExtras(compare=other, others=[other])).read_text(
        encoding="utf-8"
    )
    reader = Reader()
    reader.feed(text)
    assert "other (1e, 3 players, 600 games" in text
    here, there = (analysis.wonders(one).frame for one in (run, other))
    both = here.join(there, on=["wonder", "side"], suffix="_there")
    column = [row[0] for row in reader.tables["comparison-wonders"]]
    assert len(column) == len(both) == 14
    assert {key for key, _ in column} == set(both["wonder"].cast(pl.String))
    names, parts = sliced(text, "wonders-table")
    assert names[-1] == "players 3"
    n = reader.headings["wonders-table"].index("n")
    assert [row[n][1] for row in parts[-1]] == there["n"].to_list()
    with pytest.raises(UserError, match="is given twice"):
        write_report(run, tmp_path / "again.html", PageExtras(others=[run]))


@pytest.mark.slow
def test_the_command_writes_the_page_and_says_where(run: Run, wsim_command: Command, tmp_path: Path) -> None:
    answer = wsim_command("report", str(run.path), "-o", str(tmp_path / "r.html"))
    assert (answer.code, answer.out, answer.err) == (0, f"{tmp_path / 'r.html'}\n", "")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_the_default_location_is_the_run_folder(wsim_command: Command, toy: None) -> None:
    wsim_command("run", "--games", "400", "--out", "run")
    assert wsim_command("report", "run").code == 0
    text = Path("run/report.html").read_text(encoding="utf-8")
    assert "<h1>Toy</h1>" in text
    assert "mean_total" not in text
    assert 'id="wonders-table"' in text


@pytest.mark.slow
def test_assumptions_are_listed(wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.games.toy_game.simulator import ToySimulator

    told = {"catalogue": "toy", "assumptions": ["all <scores> are made up"]}
    monkeypatch.setattr(ToySimulator, "provenance", lambda self: told)
    wsim_command("run", "--games", "50", "--out", "run")
    assert wsim_command("report", "run").code == 0
    assert "<li>all &lt;scores&gt; are made up</li>" in Path("run/report.html").read_text(encoding="utf-8")


@first_quick(
    2,
    ("words", "sentence"),
    [
        (("nothing",), "'nothing' does not exist"),
        (("empty",), "'empty' contains no wsim run (no run.json)"),
        (("run", "-o", "empty"), "'empty' is a folder: name the file, such as 'empty/report.html'"),
        (("run", "-o", "no/where.html"), "the folder 'no' does not exist"),
        (("run", "--whatif", "no.json"), "cannot read 'no.json': No such file or directory"),
        (("run", "--whatif", "run/plan.toml"), "'run/plan.toml' is not an answer of wsim: "),
        (("run", "--whatif", "run/run.json"), "'run/run.json' is not an answer of wsim: its format is 'wsim-run/2'"),
        (("run", "--compare", "empty"), "'empty' contains no wsim run (no run.json)"),
    ],
)
def test_mistakes_are_reported_in_one_sentence(
    wsim_command: Command, toy: None, words: tuple[str, ...], sentence: str
) -> None:
    wsim_command("run", "--games", "20", "--out", "run")
    Path("empty").mkdir()
    answer = wsim_command("report", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1
    assert not Path("run/report.html").exists()


def test_a_missing_extra_is_named(wsim_command: Command, toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    wsim_command("run", "--games", "20", "--out", "run")
    monkeypatch.setattr(page, "find_spec", lambda name: None if name == "vl_convert" else name)
    answer = wsim_command("report", "run")
    assert (answer.code, answer.err) == (2, "wsim: wsim report needs the extra: pip install 'wsim[report]'\n")


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_an_unfinished_run_is_shown_as_unfinished(wsim_command: Command) -> None:
    wsim_command("run", "--games", "40", "--shard-games", "20", "--out", "run")
    next(Path("run/seats").glob("*20.parquet")).unlink()
    answer = wsim_command("report", "run")
    assert answer.code == 0
    assert answer.err == "wsim: run contains 20 of 40 games\n"
    assert "The run is not finished: 20 of 40 games." in Path("run/report.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_page_is_written_atomically(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    wsim_command("run", "--games", "20", "--out", "run")
    target = Path("run/report.html")
    target.write_text("the old page", encoding="utf-8")

    def full(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        answer = wsim_command("report", "run")
    assert answer.code == 1
    assert "No space left on device" in answer.err
    assert target.read_text(encoding="utf-8") == "the old page"
    assert [path.name for path in target.parent.glob("*report*")] == ["report.html"]


Change = Callable[[dict[str, object]], object]


@pytest.mark.parametrize("change", [lambda record: record.pop("effects"), lambda record: record.update(question=3)])
def test_a_damaged_whatif_answer_is_reported(tmp_path: Path, change: Change) -> None:
    damaged = json.loads(json.dumps(WHATIF))
    change(damaged)
    (tmp_path / "w.json").write_text(json.dumps(damaged), encoding="utf-8")
    with pytest.raises(UserError, match="is damaged"):
        WhatIfAnswer.read(tmp_path / "w.json")


def test_a_whatif_answer_in_parquet_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "w.parquet"
    pl.DataFrame({"x": [1]}).write_parquet(path, metadata={"wsim": json.dumps(WHATIF)})
    assert WhatIfAnswer.read(path).table("effects")["effect"].to_list() == [-0.5, -0.25, 0.25]


@pytest.mark.slow
def test_names_are_escaped(run: Run, tmp_path: Path) -> None:
    """Card names come from users, so they may contain markup."""
    evil = json.loads(json.dumps(WHATIF))
    evil["effects"][0]["variant"] = "<script>alert(1)</script>"
    (tmp_path / "w.json").write_text(json.dumps(evil), encoding="utf-8")
    text = write_report(run, tmp_path / "p.html", PageExtras(files=(tmp_path / "w.json",))).read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_team_mates_are_shown_together() -> None:
    """With two teams of two, margins and ties are computed per team."""
    seats = pl.DataFrame(
        {
            "game": [0] * 4 + [1] * 4,
            "seat": [0, 1, 2, 3] * 2,
            "team": [0, 0, 1, 1] * 2,
            "rank": [1, 1, 2, 2, 1, 1, 1, 1],
            "win_share": [1.0, 1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5],
            "total": [60, 40, 50, 45, 30, 40, 35, 35],
        }
    )
    found = outcomes(seats.lazy())
    assert {
        name: found.figure(name)["share" if name == "shared" else "points"]
        for name in ("last", "margin", "range", "shared")
    } == {
        "last": (95 + 70) / 2,
        "margin": 2.5,
        "range": 2.5,
        "shared": 0.5,
    }
    alone = outcomes(seats.with_columns(team=pl.col("seat")).lazy())
    assert alone.figure("margin")["points"] == (10 + 5) / 2
    assert alone.figure("shared")["share"] == 1


def test_an_interval_has_as_many_decimals_as_its_value() -> None:
    """A share of 0.251 that is known to 0.002 is not shown as 25.1 % with "25 to 25"."""
    row = {"card": "Altar", "share": 0.251, "share_low": 0.249, "share_high": 0.253}
    (cells,) = grid("shares", Sheet("Shares", [row], [estimated("share", SHARE)])).rows
    assert (cells[1].text, cells[1].small) == ("25.1%", "24.9 to 25.3")
