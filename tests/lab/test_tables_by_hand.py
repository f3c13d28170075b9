"""Rows and sums of shards, differences between repeated games, tables of runs, archives and commands, by hand."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from wsim.document import NAME, Column, estimated
from wsim.errors import UserError
from wsim.files import content_digest
from wsim.lab import archive, contents, growth, merge, repetition, tasks
from wsim.lab.archive import Archive, damaged_files
from wsim.lab.cluster import Cluster, check_cluster
from wsim.lab.contents import MAX_SEATS, _same_seats, _wrong_columns, _wrong_rows, _wrong_sums, _wrong_worth
from wsim.lab.ledger import Shard, shard_name
from wsim.lab.merge import _checked_parts, _copy_shards
from wsim.lab.parts import Part
from wsim.lab.plan import OWN_CARDS
from wsim.lab.repetition import SHOWN, Rerun, counted, rows_that_differ, sound, unlike
from wsim.lab.run_tables import RunTable, WonBy, _option_value, fair_share, option_names
from wsim.lab.table_options import RowOptions, TableOptions, table_command
from wsim.lab.verify import _first_gap, _totals_add_up
from wsim.stats.analysis import Option
from wsim.stats.columns import FAIR, SCORE, WIN_SHARE
from wsim.stats.summary import Summary
from wsim.stats.tables import Table

# --- rows of shards -------------------------------------------------------------------------------------------------


def shard(table: str = "seats", first: int = 10, games: int = 2) -> Shard:
    return Shard(table, first, games, 0, "")


def rows(**changed: Any) -> pl.DataFrame:
    """Return valid rows of games 10 and 11 with two seats each, some columns changed."""
    columns: dict[str, Any] = {
        "game": [10, 10, 11, 11], "seat": [0, 1, 0, 1], "rank": [1, 2, 1, 1], "win_share": [1.0, 0.0, 0.5, 0.5],
        "total": [9, 8, 7, 7], "policy": pl.Series(["net"] * 4, dtype=pl.Enum(["net"])),
    }  # fmt: skip
    return pl.DataFrame(columns | changed)


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, []), ({"win_share": [1.001, 0, 0.5, 0.5]}, []), ({"total": [2.0**53 - 2, -8, 7, 7]}, []),
        ({"seat": [0, None, 0, 1]}, ["has rows without seat"]),
        ({"game": [10, 11, 10, 11]}, ["does not contain the games from 10 to 11 in order"]),
        ({"game": [10, 10, 10, 11]}, ["has games with different numbers of rows"]),
        ({"game": [10, 10, 12, 12]}, ["does not contain exactly the games from 10 to 11"]),
        ({"game": [9, 9, 11, 11]}, ["does not contain exactly the games from 10 to 11"]),
        ({"seat": [0, 1, 1, 0]}, ["does not contain the seats of each game in order"]),
        ({"seat": [1, 2, 1, 2]}, ["does not contain the seats of each game in order"]),
        ({"win_share": [1.1, 0, 0.5, 0.5]}, ["has win shares that are not between 0 and 1"]),
        ({"win_share": [1.0, -0.1, 0.5, 0.5]}, ["has win shares that are not between 0 and 1"]),
        ({"total": [2.0**53, 8, 7, 7]}, ["has impossible scores"]),
        ({"total": [-(2.0**53), 8, 7, 7]}, ["has impossible scores"]),
        ({"rank": [2, 2, 1, 1]}, ["has impossible ranks"]), ({"rank": [1, 3, 1, 1]}, ["has impossible ranks"]),
        ({"rank": [1, -1, 1, 1]}, ["has impossible ranks"]), ({"rank": [1, 0, 1, 2]}, []),
    ],
)  # fmt: skip
def test_rows_of_seats_are_checked(changed: dict[str, Any], wrong: list[str]) -> None:
    assert [*_wrong_rows(rows(**changed), shard())][: max(1, len(wrong))] == wrong


def test_rows_of_picks_need_only_games_and_seats() -> None:
    picks = pl.DataFrame({"game": [10, 10, 10, 11], "seat": [0, 0, MAX_SEATS, 1]})
    assert [*_wrong_rows(picks, shard("picks"))] == []
    for seat in (-1, MAX_SEATS + 1):
        bad = picks.with_columns(seat=pl.Series([0, seat, 0, 0]))
        assert [*_wrong_rows(bad, shard("picks"))] == ["has invalid seat numbers"]
    assert [*_wrong_rows(picks.head(0), shard("picks"))] == ["does not contain the games from 10 to 11 in order"]
    one = pl.DataFrame({"game": [10, 11], "seat": [0, 0], "win_share": [1.0, 1.0], "total": [1, 2]})
    assert [*_wrong_rows(one, shard())] == [], "people may not have recorded ranks"


def test_columns_of_tables_are_checked() -> None:
    names = pl.Enum(["net"])
    schema: dict[str, Any] = {"game": pl.UInt64(), "seat": pl.UInt8(), "policy": names, "total": pl.Int16(),
                              "win_share": pl.Float32(), "built:Altar": pl.Boolean(), "points_x": pl.Int16(),
                              "wonder": names, "note": pl.String()}  # fmt: skip
    assert [*_wrong_columns(schema, "seats")] == []
    for name in ("game", "seat", "policy", "total", "win_share"):
        assert f"has no column {name!r}" in [*_wrong_columns({k: v for k, v in schema.items() if k != name}, "seats")]
    for name, kind, wanted in (
        ("game", pl.Float64(), "whole numbers"), ("rank", pl.String(), "whole numbers"),
        ("policy", pl.String(), "names"),
        ("total", pl.String(), "numbers"), ("built:Altar", pl.String(), "numbers"), ("points_x", names, "numbers"),
        ("note", pl.List(pl.String()), "numbers or names"), ("total", pl.Decimal(9, 2), "numbers"),
        ("note", pl.Date(), "numbers or names"),
    ):  # fmt: skip
        (said,) = _wrong_columns(schema | {name: kind}, "seats")
        assert said.startswith(f"has a column {name!r} of type ")
        assert said.endswith(f"instead of {wanted}")
    picks: dict[str, Any] = {"game": pl.UInt64(), "seat": pl.UInt8(), "offered": pl.List(names), "built:x": pl.String()}
    assert [*_wrong_columns(picks, "picks")] == []
    assert contents._columns_to_check(picks | schema, "picks") == ["game", "seat"]
    assert contents._columns_to_check(schema, "seats") == ["game", "seat", "policy", "total", "win_share", "wonder"]


def summary(*, labels: dict[str, Any] | None = None, **arrays: Any) -> pl.DataFrame:
    given = {"games": np.array([2.0]), "seats by wonder": np.array([0.0, 3.0, 3.0])} | arrays
    names = {"seats": ("3",), "sides": ("3",), "parts": ("1",), "categories wonder": ("a", "b")} | (labels or {})
    return Summary({name: value for name, value in given.items() if value is not None}, names).frame()


def test_sums_are_checked() -> None:
    assert _wrong_sums(summary(), shard("sums")) is None
    for frame, said in (
        (summary(games=np.array([3.0])), "has sums over 3 games instead of 2"),
        (summary(labels={"seats": ("0",)}), "has sums of impossible games"),
        (summary(labels={"parts": (str(2**53),)}), "has sums of impossible games"),
        (summary(labels={"categories wonder": ("a", "b", "c")}), "has no sums 'seats by wonder' of the required shape"),
        (summary(labels={"categories side": ("A",)}), "has no sums 'seats by side' of the required shape"),
        (summary(labels={"categories wonder": ("a", "a")}), "has duplicate labels"),
        (summary(games=np.array([1e60])), "has sums that are not numbers or are too large"),
        (summary(games=np.array([np.nan])), "has sums that are not numbers or are too large"),
    ):
        assert _wrong_sums(frame, shard("sums")) == said
    two = summary(labels={"categories side": ("A", "B")}, **{"seats by side": np.array([0.0, 3.0, 2.0])})
    assert _wrong_sums(two, shard("sums")) == "has sums over different seats in different tables"
    assert _same_seats({"x/cells": np.array([[1.0, 2.0], [9.0, 9.0]]), "seats by y": np.array([3.0])})
    assert not _same_seats({"x/cells": np.array([[1.0, 2.0], [9.0, 9.0]]), "seats by y": np.array([4.0])})
    assert _same_seats({"x/own_totals": np.zeros(8)})
    assert not _same_seats({"x/own_totals": np.full(8, -1.0)})
    assert _wrong_worth(summary(games=np.array([0.0]))) is None
    with pytest.raises(ValueError, match="the number of games is missing"):
        _wrong_worth(Summary().frame())


# --- repetition -----------------------------------------------------------------------------------------------------


def test_differences_between_tables_are_described() -> None:
    assert rows_that_differ(rows(), rows()) is None
    assert rows_that_differ(rows(), rows().head(2)) == "has 4 rows, and 2 when played again"
    assert rows_that_differ(rows(), rows(total=[9, 8, 6, 7], rank=[1, 2, 1, 2])) == (
        "has different values in 2 rows, first in game 11: rank, total"
    )
    assert rows_that_differ(rows(), rows().rename({"total": "points"})) == "has different columns: total, points"
    halves = rows(total=[9.5, 8.0, 7.0, 7.0])
    assert rows_that_differ(rows(), halves) == "has different columns: total"
    wide = rows().with_columns(**{f"x{number}": pl.lit(1) for number in range(SHOWN + 1)})
    other = rows().with_columns(**{f"x{number}": pl.lit(2) for number in range(SHOWN + 1)})
    assert (rows_that_differ(wide, other) or "").endswith("x6, x7 ...")
    assert (rows_that_differ(rows(), other) or "").endswith("x6, x7 ...")
    sums = pl.DataFrame({"name": ["a", "b"], "value": [1.0, None]})
    changed = sums.with_columns(value=pl.Series([1.0, 2.0]))
    assert rows_that_differ(sums, changed) == "has different sums in 1 rows: b ..."


def test_other_provenance_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    def provenance(**identity: Any) -> Any:
        return SimpleNamespace(identity=identity, software={"wsim": "1"})

    assert unlike(provenance(a=1), provenance(a=1)) == []
    assert unlike(provenance(a=1), provenance(a="x" * 90)) == [f"a was 1 and is '{'x' * 76}..."]
    many = unlike(
        provenance(**{f"k{n}": n for n in range(SHOWN + 2)}), provenance(**{f"k{n}": -1 for n in range(SHOWN + 2)})
    )
    assert len(many) == SHOWN + 1
    assert many[-1] == "2 more values differ"
    assert [counted(count, "row") for count in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert Rerun("", [], ["x"]).identical
    assert not Rerun("", ["x"], []).identical
    assert sound(lambda: 3) == 3
    with pytest.raises(UserError, match=r"^the page is damaged: KeyError: 'x'$"):
        sound(lambda: dict[str, int]()["x"], "the page is damaged")
    for error, said in ((UserError("own"), "^own$"), (OSError("other"), "^other$")):

        def fail(error: Exception = error) -> None:
            raise error

        with pytest.raises(type(error), match=said):
            sound(fail)


def test_repeated_shards_are_compared_table_by_table() -> None:
    def run(*frames: pl.DataFrame) -> Any:
        shards = [SimpleNamespace(first=first) for first in range(0, 2 * len(frames), 2)]
        return SimpleNamespace(
            shards={"seats": shards}, path=Path("study"), read=lambda _table, one: frames[one.first // 2]
        )

    same, other = rows(), rows(total=[1, 8, 7, 7])
    count, differences = repetition._compare_table(run(same, same), run(same, other), "seats")
    assert count == 8
    assert differences == [f"{shard_name('seats', 2)} has different values in 1 rows, first in game 10: total"]
    many = [same] * (SHOWN + 2), [other] * (SHOWN + 2)
    _, differences = repetition._compare_table(run(*many[0]), run(*many[1]), "seats")
    assert len(differences) == SHOWN + 1
    assert differences[-1] == "2 more shards differ"
    with pytest.raises(UserError, match="the run 'study' has no finished shard"):
        repetition._compare_table(run(), run(), "seats")


def test_gaps_and_sums_of_points() -> None:
    shards = [shard(first=0, games=5), shard(first=5, games=5), shard(first=20, games=5)]
    assert [_first_gap(shards[:count], 0) for count in range(4)] == [0, 5, 10, 10]
    points = pl.DataFrame({"total": [5, 3], "points_a": [2, 3], "points_b": [3, 0]})
    assert points.select(_totals_add_up(["points_a", "points_b"])).item()
    assert not points.select(_totals_add_up(["points_a"])).item()


# --- parts ----------------------------------------------------------------------------------------------------------


def part(number: int, of: int = 3, games: int = 5, **more: Any) -> Any:
    identity = {"plan.seed": 1} | more
    return SimpleNamespace(part=Part(number, of), games=games, wanted=range(5), path=Path(f"p{number}"), shard_games=4,
                           provenance=SimpleNamespace(identity=identity))  # fmt: skip


def test_all_parts_of_one_run_are_needed() -> None:
    assert [one.part.number for one in _checked_parts([part(2), part(3), part(1)])] == [1, 2, 3]
    for given, said in (
        ([part(1), part(3)], "part 2/3 of the run is missing"),
        ([part(1)], "parts 2/3, 3/3 of the run are missing"),
        ([part(1), part(1)], "part 1/3 is given twice: 'p1' and 'p1'"),
        ([part(1, games=4)], "'p1' contains 4 of the 5 games of part 1/3"),
        ([part(1), part(2, of=4)], "parts is 3 and 4"),
        ([part(1), part(2, **{"plan.seed": 2})], r"'p1' and 'p2' are parts of different runs: plan\.seed is 1 and 2"),
        ([part(1, of=11)], "9/11 and 2 more of the run are missing"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=said):
            _checked_parts(given)
    other = part(2)
    other.shard_games = 8
    with pytest.raises(UserError, match="shard_games is 4 and 8"):
        _checked_parts([part(1), other])
    whole = part(1, of=1)
    with pytest.raises(UserError, match="'p1' is a whole run, not a part of one"):
        _checked_parts([whole])
    with pytest.raises(UserError, match="no parts to merge"):
        merge.merge([], "out")


def test_missing_shards_are_copied_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten games in shards of four; the first part has the games to eight, of which the first shard is there."""
    monkeypatch.setattr(merge, "tables_of", lambda _plan: ["seats"])
    adopted, told = list[Any](), list[Any]()
    writer: Any = SimpleNamespace(
        shard_games=4, plan=SimpleNamespace(games=10), missing=lambda: [range(4, 8), range(8, 10)],
        adopt=lambda games, path, shards: adopted.append((games, path, shards)),
    )  # fmt: skip
    parts: Any = [
        SimpleNamespace(plan=None, wanted=games, path=name,
                        shards={"seats": [SimpleNamespace(first=first) for first in firsts]})
        for games, name, firsts in ((range(8), "p1", (0, 4)), (range(8, 10), "p2", (8,)))
    ]  # fmt: skip
    _copy_shards(writer, parts, lambda *given: told.append(given))
    assert [(games, path, shards["seats"].first) for games, path, shards in adopted] == [
        (range(4, 8), "p1", 4), (range(8, 10), "p2", 8)
    ]  # fmt: skip
    assert told == [("shards", 2, 3), ("shards", 3, 3)]


# --- archives and tasks ---------------------------------------------------------------------------------------------


def test_damaged_and_missing_files_are_written_again(tmp_path: Path) -> None:
    made = Archive({"a/b/x": b"new", "y": b"y"}, {"x": "a/b/x", "y": "y"})
    digests = made.digests
    assert digests["y"] == content_digest(b"y")
    assert damaged_files(tmp_path, digests) == ["a/b/x", "y"]
    made.write(tmp_path, digests)
    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"new"
    assert damaged_files(tmp_path, digests) == []
    (tmp_path / "y").write_bytes(b"z")
    assert damaged_files(tmp_path, digests | {"../y": "", "/y": digests["y"]}) == ["y", "../y", "/y"]
    over = Archive({"a/b/x": b"other", "y": b"mine", "z": b"z"}, {"x": "elsewhere", "w": "w"}).over(
        tmp_path, digests, {"x": "a/b/x", "gone": "none"}
    )
    assert over.contents == {"a/b/x": b"new", "y": b"mine", "z": b"z"}, "intact files of the folder stay"
    assert over.paths == {"x": "a/b/x", "w": "w"}


def test_every_file_of_a_plan_is_archived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("cards.toml", "patch.toml", "mine.py", "helper.py", "effects.py"):
        (tmp_path / name).write_text(name)
    (tmp_path / "mine.py").write_text("import helper")
    files = {name: str(tmp_path / name) for name in ("patch.toml", "mine.py")}
    plan: Any = SimpleNamespace(
        files=files, cards=None, named_files=lambda *_kinds: ["patch.toml", "mine.py"],
        line_up=[SimpleNamespace(file="mine.py")], effects={"patch.toml": tmp_path / "effects.py"},
    )  # fmt: skip
    simulator: Any = SimpleNamespace(resolved=lambda: {"cards": 1}, own_cards=tmp_path / "cards.toml")
    monkeypatch.setattr(archive, "_installed_modules", lambda _plan: iter([{"pkg/__init__.py": b"x"}]))
    made = Archive.of(plan, simulator)
    assert set(made.contents) == {
        "catalogue.json", "files/0/cards.toml", "files/1/patch.toml", "files/1/effects.py", "files/2/mine.py",
        "files/2/helper.py", "files/3/pkg/__init__.py",
    }  # fmt: skip
    assert made.paths == {OWN_CARDS: "files/0/cards.toml", "patch.toml": "files/1/patch.toml",
                          "mine.py": "files/2/mine.py"}  # fmt: skip
    assert made.contents["catalogue.json"] == b'{\n "cards": 1\n}\n'
    files["patch.toml"] = str(tmp_path / "none.toml")
    with pytest.raises(UserError, match=r"cannot read 'patch.toml': No such file"):
        Archive.of(plan, simulator)
    job = tasks.Job.of(cast("Any", "provenance"), made)
    assert "files/3/pkg/__init__.py" not in job.contents
    assert "catalogue.json" not in job.contents
    assert "files/2/helper.py" in job.contents


class Playing:
    """A function with a simulator, as it is sent to workers."""

    def __init__(self, simulator: Any) -> None:
        self.simulator = simulator

    def __call__(self, games: range) -> Any:
        return [(self.simulator, game) for game in games]


def test_simulators_are_replaced_in_functions_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    simulators = [SimpleNamespace(name=name) for name in "ab"]
    monkeypatch.setattr(tasks.Job, "of", lambda provenance, archive: (provenance, archive))
    monkeypatch.setattr(tasks, "Provenance", SimpleNamespace(of=lambda plan, simulator: (plan, simulator.name)))
    monkeypatch.setattr(tasks, "Archive", SimpleNamespace(of=lambda plan, simulator: f"{plan}{simulator.name}"))
    ready: Any = [("p", simulators[0]), ("q", simulators[1])]
    content = tasks.packed(Playing(simulators[1]), ready)
    jobs, body = pickle.loads(content)
    assert jobs == [(("p", "a"), "pa"), (("q", "b"), "qb")]
    again = tasks._Unpacker(__import__("io").BytesIO(body), cast("Any", ["first", "second"])).load()
    assert again(range(2)) == [("second", 0), ("second", 1)]
    unpacked: list[bytes] = []

    def unpack(content: bytes) -> Playing:
        unpacked.append(content)
        return Playing(content)

    monkeypatch.setattr(tasks, "unpacked", unpack)
    monkeypatch.setattr(tasks, "_tasks", {})
    for name in (b"1", b"2", b"1", b"3", b"4", b"5", b"1"):
        assert tasks.made(name, range(1))[1] == [(name, 0)]
    assert unpacked == [b"1", b"2", b"3", b"4", b"5", b"1"], "the oldest of four was forgotten"


def test_chunks_of_a_cluster_are_yielded_in_order() -> None:
    """Parts of five and three games in chunks of two; results arrive last first."""
    cluster: Any = object.__new__(Cluster)
    cluster.workers = 2

    def made(make: Any, _ready: Any, parts: Any) -> Any:
        chunks = list(parts)
        asked.append(chunks)
        for chunk in reversed(chunks):
            yield chunk, 0.1, make(chunk)

    asked: list[Any] = []
    cluster.made = made
    found = list(cluster.in_chunks(list, [], [range(5), range(10, 13)], 2))
    assert asked == [[range(2), range(2, 4), range(4, 5), range(10, 12), range(12, 13)]]
    assert found == [[0, 1], [2, 3], [4], [10, 11], [12]]
    for address in ("local:4", "tcp://host:8786", None):
        check_cluster(address)
    for address in ("local:0", "local:", "host:8786", "tcp://host", "udp://host:1"):
        with pytest.raises(UserError, match="cluster must be local:4"):
            check_cluster(address)
    with pytest.raises(UserError, match="use only one of them"):
        check_cluster("local:2", 3)


# --- tables of runs -------------------------------------------------------------------------------------------------


def test_games_can_be_selected_by_how_clearly_they_were_won() -> None:
    """Leads of 5, 3 (by a shared victory) and 7 points; the last game was won by all."""
    seats = pl.DataFrame({
        "game": [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3, "seat": [0, 1, 2] * 4,
        "total": [20, 15, 3, 10, 10, 7, 1, 2, 9, 5, 5, 5],
        "win_share": [1.0, 0, 0, 0.5, 0.5, 0, 0, 0, 1, 1 / 3, 1 / 3, 1 / 3],
        "team": [0, 1, 2] * 4, "rank": [1, 2, 3, 1, 1, 3, 3, 2, 1, 1, 1, 1],
    })  # fmt: skip
    picks = pl.DataFrame({"game": [1, 2, 3, 4], "x": [1, 2, 3, 4]})
    run: Any = SimpleNamespace(seats=seats.lazy(), picks=picks.lazy(), games=4)
    for points, games in ((3, [1, 2, 3]), (4, [1, 3]), (5, [1, 3]), (6, [3]), (8, [])):
        won = WonBy(run, points)
        assert won.seats.collect()["game"].unique(maintain_order=True).to_list() == games
        assert won.picks.collect()["game"].to_list() == games
    assert (won.games, won.summed(None)) == (4, won)
    with pytest.raises(UserError, match="worth is measured in separate games"):
        _ = won.wishes
    run.seats = seats.with_columns(team=pl.col("seat") // 2).lazy()
    with pytest.raises(UserError, match="games of teams cannot be selected by points"):
        WonBy(run, 1)


def test_the_fair_share_of_a_table() -> None:
    def table(*rows: tuple[float | None, float | None], score: bool = False) -> Table:
        frame = pl.DataFrame({
            "win_share": [share for share, _ in rows], FAIR: [ratio for _, ratio in rows],
            "win_share_low": [None] * len(rows),
            "win_share_high": [None] * len(rows), "score": [50.0] * len(rows),
            "score_low": [49.0 if score else None] * len(rows), "score_high": [51.0 if score else None] * len(rows),
        })  # fmt: skip
        return Table(frame, "T", columns=(WIN_SHARE, SCORE))

    assert fair_share(table((0.25, 1.0), (0.5, 2.0), (None, None), (0.0, 0.0))) == "; a fair share of wins is 0.250"
    assert fair_share(table((0.25, 1.0), (0.5, 1.5))) == ""
    assert fair_share(table((None, None))) == ""
    assert fair_share(table((0.25, 1.0), score=True)).endswith(
        ", by construction that of a policy that plays every seat"
    )
    assert fair_share(Table(pl.DataFrame({"x": [1]}), "T")) == ""


def test_titles_and_records_of_tables() -> None:
    runs: Any = [SimpleNamespace(games=1200, path=Path("a"), complete=True,
                                 plan=SimpleNamespace(as_dict=lambda: {"p": 1}),
                                 provenance=SimpleNamespace(digest="d")), SimpleNamespace(games=5)]  # fmt: skip
    frame = pl.DataFrame({"card": ["A"], "worth": [1.0], "worth_low": [0.0], "worth_high": [2.0]})
    columns = (Column("card", NAME), estimated("worth", SCORE.kind))
    analysis: Any = SimpleNamespace(by=("card",))
    shown = RunTable("cards", runs[:1], analysis, (), 0.9, Table(frame, "Cards", "note", columns), won_by=3)
    assert shown.title == "Cards, 1,200 games, only those won by at least 3 points"
    assert RunTable("cards", runs, analysis, (), 0.9, Table(frame, "Cards")).title == "Cards, 1,200 and 5 games"
    assert (shown.split, RunTable("cards", runs, analysis, ("x",), 0.9, shown.table).split) == (("card",), ("x",))
    record = shown.record({"action": ["sell"]}, ["n>1"], "-n", 5)
    assert record["runs"] == [{"folder": "a", "digest": "d", "games": 1200, "complete": True, "plan": {"p": 1}}]
    assert [record[key] for key in ("table", "level", "by", "options", "filter", "sort", "top", "won_by")] == [
        "cards", 0.9, ["card"], {"action": ["sell"]}, ["n>1"], "-n", 5, 3
    ]  # fmt: skip
    run = SimpleNamespace(plan=SimpleNamespace(keep="rows"), shards={"seats": [1]},
                          seats=pl.LazyFrame({"game": [1], "wonder": [1], "built:A": [1]}))  # fmt: skip
    split = RunTable("cards", cast("Any", [run]), analysis, (), 0.9, shown.table)
    assert split.splits == {"game": "--by card,game", "wonder": "--by card,wonder"}
    run.plan.keep = "summary"
    assert RunTable("cards", cast("Any", [run]), analysis, (), 0.9, shown.table).splits == {}
    with pytest.raises(UserError, match="--beside needs two or more runs"):
        RunTable.beside([shown])


def test_options_of_tables_are_read_from_texts() -> None:
    options = {"action": Option("which"), "raw": Option("pool", flag=True), "card": Option("some", repeatable=True),
               "size": Option("how many", int)}  # fmt: skip
    analysis: Any = SimpleNamespace(by=(), options=options)
    assert option_names(analysis) == ["--by", "--action", "--raw", "--card", "--size"]
    values: list[tuple[str, list[str | None], object]] = [
        ("action", ["sell"], "sell"), ("raw", [None], True), ("card", ["a", "b"], ("a", "b")), ("size", ["3"], 3),
    ]  # fmt: skip
    for key, texts, value in values:
        assert _option_value("cards", analysis, key, texts) == value
    wrong: list[tuple[str, list[str | None], str]] = [
        ("actoin", ["x"], r"the table cards has no option '--actoin': it has --by, .*did you mean '--action'"),
        ("raw", ["x"], "the option '--raw' takes no value, not 'x': pool"), ("action", [None], "needs a value: which"),
        ("action", ["a", "b"], "--action may be given only once, not 2 times: a, b"),
        ("size", ["x"], "--size cannot be 'x'"),
    ]  # fmt: skip
    for key, texts, said in wrong:
        with pytest.raises(UserError, match=said):
            _option_value("cards", analysis, key, texts)
    with pytest.raises(UserError, match="it has none"):
        _option_value("x", cast("Any", SimpleNamespace(by=None, options={})), "a", ["b"])


def test_the_command_of_a_table() -> None:
    table = TableOptions(("a run", "b"), by=("wonder", "side"), level=0.9, won_by=3, beside=True)
    rows_ = RowOptions(wide=True, sort="-n", top=5, only=("card=Altar", "n>=1"))
    assert table_command("cards", table, rows_, {"action": ["sell"], "raw": [None]}) == (
        "wsim table 'a run' b cards --by wonder,side --level 0.9 --won-by 3 --beside --wide --sort=-n --top 5 "
        "--filter card=Altar --filter 'n>=1' --action sell --raw"
    )
    assert table_command("cards", TableOptions(("a",)), RowOptions(), {}) == "wsim table a cards"


def test_a_run_grows_until_a_table_is_precise(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {
        "wonders": SimpleNamespace(possible=lambda _plan: True),
        "cards": SimpleNamespace(possible=lambda _plan: False),
    }
    monkeypatch.setattr(growth, "analyses_of", lambda _game: known)
    plan: Any = SimpleNamespace(game="seven_wonders")
    growth.check_table(plan, "")
    growth.check_table(plan, "wonders")
    for name in ("cards", "wonder"):
        with pytest.raises(UserError, match=f"a run has no table '{name}'.*accepted: wonders"):
            growth.check_table(plan, name)
