"""The parts of the page of a run or a game, and the record by which it can be repeated, by hand."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from tests.report.test_sentences_by_hand import run_of
from wsim.document import CATEGORY, NAME, POINTS, SHARE, Chart, Column, Sheet, estimated
from wsim.errors import UserError
from wsim.lab.provenance import Provenance
from wsim.report import game_page, material, page, page_record, sections, slices
from wsim.report.charts import Drawing
from wsim.report.game_page import AtTable, Replay
from wsim.report.grids import SEARCHED, Heading, grid, parts_json, plain
from wsim.report.material import Comparison, PageExtras
from wsim.report.page_parts import Figure
from wsim.report.pictures import _colours, as_svg
from wsim.report.theme import ACCENT, SERIES, Palette
from wsim.stats.tables import Table

# --- tables of a page -----------------------------------------------------------------------------------------------


def test_a_narrow_screen_shows_labels_drawn_columns_and_the_two_most_important_ones() -> None:
    columns = (
        Column("name", NAME), Column("a", POINTS, about="points"), Column("b", SHARE, unit="of wins"),
        estimated("c", POINTS, drawn=True), Column("d", CATEGORY), Column("e", POINTS),
    )  # fmt: skip
    rows = [{"name": "x", "a": 1.0, "b": 0.5, "c": 2.0, "c_low": 1.0, "c_high": 3.0, "d": "odd", "e": 4.0}]
    sheet = Sheet("Title", rows, columns, main=("name", "a", "b", "c", "d"), first=("e", "d", "b", "a"))
    made = grid("t", sheet)
    assert made.columns == [
        Heading("Name", numeric=False), Heading("a", minor=True, about="points", unit="points"),
        Heading("b", unit="of wins"),
        Heading("c", wide=True, unit="points"), Heading("d", numeric=False, category=True),
    ]  # fmt: skip
    assert (made.caption, made.search, made.choices, made.sorted_by) == ("Title", False, {}, 3)
    wide = grid("t", sheet, "Caption", wide=True)
    assert [heading.heading for heading in wide.columns] == ["Name", "a", "b", "c", "d", "e"]
    assert [heading.minor for heading in wide.columns] == [False, True, True, False, False, False]
    assert wide.caption == "Caption"
    assert [heading.minor for heading in grid("t", Sheet("T", rows, columns)).columns] == [False] * 6


def test_cells_have_keys_colours_cards_and_intervals() -> None:
    columns = (Column("name", NAME), Column("kind", CATEGORY), estimated("c", POINTS, drawn=True), Column("n", POINTS))
    rows: Any = [{"name": "Altar", "kind": "blue", "c": 2.0, "c_low": 1.0, "c_high": 3.0, "n": None},
            {"name": "Mine", "kind": "odd", "c": None, "c_low": None, "c_high": None, "n": 7}]  # fmt: skip
    made = grid("t", Sheet("T", rows, columns), palette=Palette({"blue": "#00f"}), faces=("Altar",),
                slices={"wonder": {"Gizah": rows[1:]}})  # fmt: skip
    first, second = made.rows
    assert [cell.text for cell in first] == ["Altar", "blue", "2.00", ""]
    assert [cell.key for cell in first] == ["Altar", "blue", 2.0, None]
    assert (first[0].colour, first[0].face, first[2].small) == ("var(--own-blue)", "Altar", "1.00 to 3.00")
    assert first[2].range is not None
    assert (second[0].colour, second[0].face, second[2].range, second[3].key) == ("", "", None, 7)
    assert made.slices["wonder"]["Gizah"] == [second]
    assert json.loads(parts_json(made)) == [[[["Mine"], ["odd"], [""], ["7", 7]]]]
    assert "<" not in parts_json(grid("t", Sheet("T", rows, columns), slices={"w": {"x": [{"name": "<b>"}]}}))
    assert (plain(None).text, plain(3).key) == ("", "3")


def test_long_tables_can_be_searched_and_filtered() -> None:
    columns = (Column("name", NAME), Column("kind", CATEGORY))
    rows = [{"name": str(number), "kind": "b" if number % 2 else None if number % 3 else "a"}
            for number in range(SEARCHED + 1)]  # fmt: skip
    made = grid("t", Sheet("T", rows, columns))
    assert (made.search, made.choices) == (True, {1: ["a", "b"]})
    assert not grid("t", Sheet("T", rows[:SEARCHED], columns)).search


def section_tables(form: Any, rows: int = 1, charts: tuple[Chart, ...] = ()) -> Table:
    frame = pl.DataFrame({"name": [str(number) for number in range(rows)], "n": [number % 2 for number in range(rows)],
                          "x": [1.0] * rows})  # fmt: skip
    columns = (Column("name", NAME), Column("x", POINTS))
    return Table(frame, "Things", "a note", columns, form, ("name",), charts, main=("name",))


def test_sections_fold_tables_behind_their_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = Figure(Drawing("", "", ""), "c")
    monkeypatch.setattr(sections, "drawn_of", lambda sheet, _palette: [figure] if sheet.charts else [])
    chart = (Chart("forest", ("x",), ("name",), "T"),)
    palette = Palette({})
    for form, charts, shown, folded in (
        ("levels", chart, [], ["things-table", "things-every"]), ("owners", chart, ["things-table"], ["things-every"]),
        ("", (), ["things-table"], ["things-every"]),
    ):  # fmt: skip
        made = sections.table_section("things", section_tables(form, 4, charts), palette)
        assert [each.name for each in made.grids] == shown
        assert [each.name for each in made.numbers] == folded
        assert (made.heading, made.intro, len(made.figures)) == ("Things", "a note", len(charts))
        assert len([*made.grids, *made.numbers][0].rows) == 2, "only those that a seat had"
    whole = sections.table_section("things", replace(section_tables("", 2), main=()), palette)
    assert whole.numbers == []
    long = sections.table_section("things", section_tables("", 2 * sections.MOST_ROWS + 2), palette)
    assert (long.grids[0].caption, len(long.grids[0].rows)) == (
        f"Things: the first {sections.MOST_ROWS} of {sections.MOST_ROWS + 1} rows", sections.MOST_ROWS
    )  # fmt: skip
    assert sections.table_section("t", section_tables("", 2 * sections.MOST_ROWS), palette).grids[0].caption == "Things"
    parts = {"wonder": {"Gizah": section_tables("", 4).frame}}
    sliced = sections.table_section("things", section_tables("levels", 4, chart), palette, parts)
    assert len(sliced.numbers[0].slices["wonder"]["Gizah"]) == 2
    assert sections.is_of_policies(cast("Any", SimpleNamespace(labels=("policy", "x"))))
    assert not sections.is_of_policies(cast("Any", SimpleNamespace(labels=("x", "policy"))))


def test_a_second_run_is_compared_in_a_section(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "drawn_of", lambda _sheet, _palette: [])
    made = sections._comparison_section(Comparison(run_of(), {"wonders": section_tables("levels", 2)}), Palette({}))
    assert made.intro.startswith("Differences: this run minus study (1e, 3 players, 4,000 games, net, random).")
    assert [each.name for each in made.numbers] == ["comparison-wonders"]


# --- slices ---------------------------------------------------------------------------------------------------------


class Analysed:
    """An analysis that can be split; its table has two rows for each value of a further column."""

    def __init__(self, by: tuple[str, ...] | None = ("wonder",), rows: int = 2, fits: bool = True) -> None:
        self.by, self.rows, self.fits, self.asked = by, rows, lambda _plan: fits, list[Any]()

    def table(self, run: Any, by: Any = ()) -> Any:
        self.asked.append((run, tuple(by)))
        if run == "refuses" or getattr(run, "refuses", False):
            raise UserError("no")
        frame = pl.DataFrame({"wonder": ["a", "b"] * self.rows, "policy": ["y"] * self.rows + ["x"] * self.rows,
                              "n": range(2 * self.rows)})  # fmt: skip
        return SimpleNamespace(frame=frame, form="levels")


def test_slices_are_tables_for_each_value_of_other_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables, one by wonder and one by policy, each sliced by the other's factor; a third cannot be split."""
    monkeypatch.setattr(slices, "label_runs", lambda runs: ("players", [3, 4, 5][: len(runs)]))
    wonders, policies, whole = Analysed(), Analysed(("policy",)), Analysed(None)
    tables = {name: Analysed().table("run") for name in ("wonders", "policies", "whole", "worth")}
    tables["worth"] = SimpleNamespace(form="", frame=tables["worth"].frame)
    run, other = run_of(), run_of()
    begun: list[str] = []
    analyses: Any = {"wonders": wonders, "policies": policies, "whole": whole, "worth": Analysed()}
    found = slices.slices(run, cast("Any", tables), analyses, [other], begun.append)
    assert begun == ["wonders", "policies"]
    assert {name: {column: list(frames) for column, frames in parts.items()} for name, parts in found.items()} == {
        "wonders": {"policy": ["x", "y"], "players": ["4"]}, "policies": {"wonder": ["a", "b"], "players": ["4"]}
    }  # fmt: skip
    assert found["wonders"]["policy"]["x"].columns == ["wonder", "n"]
    assert found["wonders"]["policy"]["x"]["n"].to_list() == [2, 3]
    assert wonders.asked == [(run, ("wonder", "policy")), (other, ("wonder",))]
    assert "players" not in slices.slices(run, cast("Any", tables), analyses, [], begun.append)["wonders"]


def test_slices_that_are_impossible_or_too_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    one = SimpleNamespace(frame=pl.DataFrame({"wonder": ["a", "a"]}))
    assert not slices._has_several_values(cast("Any", {"t": one}), "wonder")
    assert not slices._has_several_values(cast("Any", {"t": one}), "policy")
    summary, rows = run_of(plan={"keep": "summary"}, refuses=True), run_of(plan={"keep": "rows"}, refuses=True)
    assert slices._table_or_none(summary, cast("Any", Analysed()), ()) is None
    with pytest.raises(UserError, match="no"):
        slices._table_or_none(rows, cast("Any", Analysed()), ())
    assert slices._table_or_none(run_of(), cast("Any", Analysed(fits=False)), ()) is None
    monkeypatch.setattr(slices, "MOST_ROWS", 8)
    assert list(slices._slices_by_column(run_of(), cast("Any", Analysed(rows=4)), (), "policy")) == ["x", "y"]
    assert slices._slices_by_column(run_of(), cast("Any", Analysed(rows=5)), (), "policy") == {}


# --- what a page is made of -----------------------------------------------------------------------------------------


def test_steps_are_reported_by_number() -> None:
    told: list[Any] = []
    steps = material._Steps(["a", "b"], lambda *given: told.append(given))
    steps.begin("b")
    material._Steps(["a"], None).begin("a")
    assert told == [("b", 1, 2)]


def test_answers_must_be_about_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(played: str | None) -> Any:
        return SimpleNamespace(COMMAND="wsim whatif", read=lambda _path: SimpleNamespace(game=lambda: played))

    for played in (None, "mine"):
        assert material.read_answer(kind(played), Path("a.json"), "mine").game() == played
    with pytest.raises(UserError, match=r"the answer of wsim whatif in 'a\.json' is about babel, not mine"):
        material.read_answer(kind("babel"), Path("a.json"), "mine")
    monkeypatch.setattr(material, "stored_in", lambda _path: None)
    with pytest.raises(UserError, match="contains rows, but no answer"):
        material._kind_of(Path("a.json"))
    asked = [SimpleNamespace(section=name, answer_class=SimpleNamespace(files_in=lambda _path, name=name: [name]))
             for name in ("Second", "", "First")]  # fmt: skip
    monkeypatch.setattr(material, "questions", lambda: asked)
    monkeypatch.setattr(material, "read_answer", lambda kind, path, _game: (kind, path))
    extra = SimpleNamespace()
    monkeypatch.setattr(material, "_kind_of", lambda path: asked[0].answer_class if path == "mine" else extra)
    found = PageExtras(files=cast("Any", ("other", "mine"))).answers(run_of())
    assert [path for _, path in cast("Any", found)] == ["Second", "mine", "First", "other"]


def test_tables_that_cannot_be_computed_are_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    analyses: Any = {name: SimpleNamespace(shown=shown, fits=lambda _plan, fits=fits: fits,
 table=lambda _run, name=name: name)
                     for name, shown, fits in (("a", "page", True), ("b", "asked", True), ("c", "run", True),
                                               ("d", "page", False))}  # fmt: skip

    def refuse(_run: Any) -> Any:
        raise UserError("no picks")

    analyses["c"].table = refuse
    monkeypatch.setattr(material, "analyses_of", lambda _game: analyses)
    begun: list[str] = []
    shown: Any = material.shown_tables(run_of(), begun.append)
    assert shown == ({"a": "a"}, {"c": "no picks"})
    assert begun == ["a", "c"]
    other = run_of(plan={"game": "babel"})
    with pytest.raises(UserError, match="only runs of the same game can be compared, not seven_wonders and babel"):
        material._comparison_of(run_of(), other, {})
    monkeypatch.setattr(material, "minus", lambda first, second: None if second == "c" else (first, second))
    analyses["c"].table = lambda _run: "c"
    tables: Any = {
        name: SimpleNamespace(form=form) for name, form in (("a", "levels"), ("c", "owners"), ("x", "levels"))
    }
    assert list(material._comparison_of(run_of(), run_of(), tables).tables) == ["a"]
    tables["a"].form = "humans"
    assert material._comparison_of(run_of(), run_of(), tables).tables == {}


def test_a_page_states_the_provenance_of_its_run() -> None:
    rules = {
        "catalogue": "cards.toml",
        "catalogue_digest": "ab",
        "engine": "cd",
        "switches": {"x": True},
        "changes": ["y"],
    }
    provenance = SimpleNamespace(
        identity={"rules": rules}, plan={"players": 3, "patch": [], "cards": None, "rotate": False},
        software={"wsim": "1", "numpy": "2"}, digest="ef",
    )  # fmt: skip
    assert page._provenance(run_of(provenance=provenance)) == [
        ("run", "study"), ("digest of the data", "ef"), ("plan: players", "3"), ("plan: rotate", "no"),
        ("catalogue", "cards.toml"), ("catalogue digest", "ab"), ("engine", "cd"), ("changes to the catalogue", "y"),
        ("rules", "x: yes"), ("software", "wsim 1, numpy 2"),
    ]  # fmt: skip
    provenance.identity = {}
    assert [name for name, _ in page._provenance(run_of(provenance=provenance))[2:]] == [
        "plan: players", "plan: rotate", "software"
    ]  # fmt: skip


def test_a_page_is_written_to_a_file_in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder: name the file, such as"):
        page.check_target(tmp_path)
    with pytest.raises(UserError, match=r"the folder .* does not exist"):
        page.check_target(tmp_path / "none" / "page.html")
    with pytest.raises(UserError, match=r"wsim report needs the extra: pip install 'wsim\[report\]'"):
        page.check_extra(("json", "no_such_package"))
    page.check_extra(("json",))
    monkeypatch.setattr(page, "render", lambda given: f"<p>{given}</p>")
    monkeypatch.setattr(material, "collect", lambda run, besides, _progress: f"{run} {besides.others}")
    told: list[Any] = []
    target = tmp_path / "page.html"
    assert page.write_report(cast("Any", "run"), target, None, lambda *given: told.append(given)) == target
    assert target.read_text() == "<p>run ()</p>"
    assert told == [("page", 1, 1)]


# --- the record of a page -------------------------------------------------------------------------------------------


def test_digests_depend_on_nine_digits_of_the_values() -> None:
    def digest(**columns: Any) -> str:
        return page_record._digests(cast("Any", {"t": SimpleNamespace(frame=pl.DataFrame(columns))}))["t"]

    assert len(digest(x=[1.0])) == 16
    assert digest(x=[1.0]) == digest(x=[1.0 + 1e-10]) != digest(x=[1.0 + 1e-8])
    assert digest(x=[1.0], player_half_width=[0.5]) == digest(x=[1.0])
    assert digest(x=["a"]) != digest(x=["b"])


def page_file(folder: Path, **record: Any) -> Path:
    path = folder / "page.html"
    text = json.dumps({"format": page_record.FORMAT, "complete": True} | record)
    path.write_text(f'<p></p><script type="application/json" id="record">{text}</script>')
    return path


def test_only_pages_of_finished_runs_are_read(tmp_path: Path) -> None:
    assert page_record.PageFile.read(page_file(tmp_path, games=7)).record["games"] == 7
    with pytest.raises(UserError, match="shows an unfinished run, so it cannot be repeated"):
        page_record.PageFile.read(page_file(tmp_path, complete=False))
    with pytest.raises(UserError, match="does not record how it was made"):
        page_record.PageFile.read(page_file(tmp_path, format="other/1"))
    for text, said in (("<p></p>", "does not record how it was made"), ("[]", "does not record"), ("{", "is damaged")):
        path = tmp_path / "other.html"
        path.write_text(text if "<" in text else f'<script type="application/json" id="record">{text}</script>')
        with pytest.raises(UserError, match=said):
            page_record.PageFile.read(path)
    with pytest.raises(UserError, match="cannot read"):
        page_record.PageFile.read(tmp_path / "none.html")
    with pytest.raises(UserError, match="the record in the page is damaged"):
        page_record.PageFile.read(page_file(tmp_path)).plan()


def test_a_repeated_page_lists_the_tables_that_differ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[Any] = []

    @contextmanager
    def repeated(plan: Any, _how: Any, **parts: Any) -> Any:
        asked.append((plan, parts["shard"], str(parts["part"])))
        yield SimpleNamespace(games=30, provenance="after")

    monkeypatch.setattr(page_record, "repeated_run", repeated)
    monkeypatch.setattr(page_record, "refuse_old_streams", lambda _identity, _path: None)
    monkeypatch.setattr(page_record, "unlike", lambda before, after: [before.identity, after])
    monkeypatch.setattr(Provenance, "from_record", lambda record: SimpleNamespace(identity=record))
    monkeypatch.setattr(page_record, "_table_digests", lambda _run: {"a": "1", "b": "2", "d": "4"})
    monkeypatch.setattr(page_record.PageFile, "plan", lambda _page: "plan")
    how: Any = SimpleNamespace(plan=lambda plan: f"{plan}!")
    written = page_record.PageFile.read(page_file(
        tmp_path, provenance="before", shard_games=10, part="2/3", tables={"a": "1", "b": "x", "c": "3"}))  # fmt: skip
    again = written.again(how)
    assert asked == [("plan!", 10, "2/3")]
    assert again.differences == [
        "the table b is not the same", "the table c is not there", "the table d was not on the page"
    ]  # fmt: skip
    assert "30 games, 3 tables" in vars(again).values()
    assert ["before", "after"] in vars(again).values()


# --- the page of a game ---------------------------------------------------------------------------------------------


def replay_of(**more: Any) -> Replay:
    from wsim.positions.scenes import Card, City, Event, Row, Scene, Seat

    cities = [City({}, [Card("Mine", "brown")], [3]), City({}, [], [12], [Card("Altar", "blue"), Card("x")])]
    board = [Row("row", [None, Card("Ship", "sea", face="4 ships")], [])]
    scenes = [
        Scene("Age I", "The deal", cities),
        Scene("Age I", "turn 1; 3 cards", cities, [Event("a", 1)], board=board),
    ]
    story = SimpleNamespace(
        seats=[Seat("Gizah", "net", 0), Seat("Seat 1", "random", 1)], scenes=scenes, named=False,
        colours={"sea": "#00f"}, cards="built", hands="hand", flows="coins",
    )  # fmt: skip
    shares = np.array([[0.25, 0.75], [0.66666, 0.33334]])
    chances = SimpleNamespace(share=shares, low=shares - 0.1, high=shares + 0.1, outside=shares, playouts=200)
    plan = SimpleNamespace(game="seven_wonders", seed=3)
    given: dict[str, Any] = {"plan": plan, "number": 4, "story": story, "chances": chances, "command": "c"}
    return Replay(**cast("Any", given | more))


def test_the_script_of_a_game_gets_scenes_chances_and_kinds() -> None:
    palette = Palette({"brown": "#840", "sea": "#00f"})
    data = game_page._script_data(replay_of(), palette, None, 1)
    assert [seat["label"] for seat in data["seats"]] == ["0 Gizah", "Seat 1"]
    assert list(data["kinds"]) == ["brown", "blue", "sea"]
    assert (data["kinds"]["brown"], data["kinds"]["blue"]) == ("var(--own-brown)", SERIES[1])
    assert data["shares"] == [[0.25, 0.75], [0.667, 0.333]]
    assert data["outside"] == [[25, 75], [67, 33]]
    assert (data["home"], "live" in data) == (1, False)
    live = game_page._script_data(replay_of(), palette, AtTable(1, (0,)), 0)
    assert (live["home"], live["live"], live["me"], live["acting"]) == (1, True, 1, [0])
    assert [card.name for card in game_page._cards_shown(replay_of().story.scenes[1])] == ["Mine", "Altar", "x", "Ship"]


def test_points_are_drawn_from_zero_with_round_ticks() -> None:
    curves = game_page._curves(replay_of(), game_page._sides(replay_of()))
    assert [curve["name"] for curve in curves] == ["points", "chances", "outside"]
    assert curves[0]["lines"][0]["line"] == "0.00,75.00 100.00,75.00", "3 of 12"
    assert curves[0]["ticks"] == [(pytest.approx(100 - 100 * height / 12), str(height)) for height in (0, 5, 10)]


def test_a_replay_has_a_command_and_chances_for_those_that_can_win(monkeypatch: pytest.MonkeyPatch) -> None:
    from wsim.positions import chances

    asked: list[Any] = []

    def estimate(*given: Any) -> Any:
        asked.append(given)
        return SimpleNamespace(share=[1])

    monkeypatch.setattr(chances, "line_up_of", lambda plan, number: (plan, number))
    monkeypatch.setattr(chances, "playouts_of", lambda _playing, playouts: playouts + 1)
    monkeypatch.setattr(chances, "chances", estimate)
    seats = [SimpleNamespace(side=side) for side in (0, 1, -1)]
    story: Any = SimpleNamespace(seats=seats, positions=["p"])
    plan: Any = SimpleNamespace(seed=9)
    made = game_page._replay(plan, 4, story, None, "command", None)
    assert asked.pop() == (["p"], (plan, 4), game_page.PLAYOUTS + 1, 9, [0, 1], None)
    assert (made.command, made.has_chances) == ("command", True)
    game_page._replay(plan, 4, story, 7, "", None)
    assert asked.pop()[2] == 7
    assert not replay_of(chances=SimpleNamespace(share=[])).has_chances
    short: Any = SimpleNamespace(replace=lambda **keys: SimpleNamespace(command=lambda: f"wsim run {keys} wsim run"))
    assert game_page._command(short, 3, None) == (
        "wsim trace {'games': 1, 'picks': False} wsim run --first 3 --format html"
    )  # fmt: skip
    assert game_page._command(short, 3, 50).endswith(" --first 3 --format html --playouts 50")


def test_pictures_have_the_colours_of_paper() -> None:
    drawing = Drawing('<svg x="1"><p fill="var(--own-blue)" stroke="var(--none)"/></svg><svg/>', "", "")
    svg = as_svg(drawing, {"blue": "light-dark(#3f74b8, #6b9bd8)", "red": "rgb(1, 2, 3)"})
    assert svg == (
        '<svg xmlns="http://www.w3.org/2000/svg" x="1"><p fill="#3f74b8" stroke="#000"/></svg><svg/>'
    )  # fmt: skip
    assert as_svg(Drawing("var(--own-red)", "", ""), {"red": "light-dark(rgb(1, 2, 3), #fff)"}) == "rgb(1, 2, 3)"
    assert ACCENT.removeprefix("var(").removesuffix(")") in _colours("")
