"""The parts of the workbench without a server: folders, facets, thumbnails, access and caches, by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from wsim.document import NAME, POINTS, Chart, Column, Sheet, estimated
from wsim.errors import UserError
from wsim.report.theme import Palette
from wsim.workbench import evening, findings, folder, guard, kept_tables, overview, pickers
from wsim.workbench.evening import Played, Score, standings
from wsim.workbench.facets import Choice, Facet, facets_of
from wsim.workbench.findings import EDGE, HEIGHT, MAX_MARKS, WIDTH, Finding, Findings, small_picture
from wsim.workbench.folder import Folder
from wsim.workbench.guard import MAX_BYTES, Access, Guard, origin_of
from wsim.workbench.rendering import MAX_DIGITS, shortened, size_words, whole

# --- evenings and facets --------------------------------------------------------------------------------------------


def game(file: str, *scores: tuple[str, float, float], people: bool = True) -> Played:
    return Played(file, [Score(name, total, share, people) for name, total, share in scores])


def test_standings_are_sorted_by_victories_then_by_mean_points() -> None:
    """Ann and Bob share two victories; Cy has more points on average, but none."""
    played = [
        game("a", ("Ann", 50, 0.5), ("Bob", 50, 0.5), ("Cy", 49, 0.0)), game("b", ("Ann", 40, 0.5), ("Bob", 44, 0.5)),
    ]  # fmt: skip
    assert standings(played) == [("Bob", 2, 1.0, 47.0), ("Ann", 2, 1.0, 45.0), ("Cy", 1, 0.0, 49.0)]
    assert standings([]) == []


def test_an_evening_of_people_replaces_the_former_import(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from wsim.people import importing

    asked: list[Any] = []

    def import_files(options: Any, plan: Any) -> None:
        asked.append((options, plan))
        assert not out.exists(), "the former run is out of the way"
        out.mkdir()
        if options.files == (relpath(tmp_path / "bad"),):
            raise UserError("no")

    monkeypatch.setattr(importing, "import_files", import_files)
    out, former = tmp_path / "evening-k", tmp_path / ".evening-k"
    plan: Any = SimpleNamespace(patch=(), cards=None, replace=lambda **keys: keys)
    mixed = Played("mixed", [Score("Ann", 1, 1, True), Score("net", 0, 0, False)])
    evening.keep([mixed], plan, tmp_path, "k")
    assert asked == []
    evening.keep([game("one", ("Ann", 1, 1)), mixed, game("two", ("Bob", 1, 1))], plan, tmp_path, "k")
    options, rules = asked.pop()
    assert options.files == (relpath(tmp_path / "one"), relpath(tmp_path / "two"))
    assert (options.out, options.boards) == (relpath(out), "drawn")
    assert rules == {"policies": ("random",), "games": 1, "rotate": False, "seed": 0}
    (out / "kept").touch()
    with pytest.raises(UserError, match="no"):
        evening.keep([game("bad", ("Ann", 1, 1))], plan, tmp_path, "k")
    assert (out / "kept").exists(), "a failure leaves the former run"
    assert not former.exists()
    evening.keep([game("one", ("Ann", 1, 1))], plan, tmp_path, "k")
    assert not (out / "kept").exists()
    assert not former.exists()
    for changed in ({"patch": ("p",)}, {"cards": "c"}):
        with pytest.raises(UserError, match="games with a patch or a custom card file are not imported"):
            evening.keep([game("one", ("Ann", 1, 1))], SimpleNamespace(**vars(plan) | changed), tmp_path, "k")  # type: ignore[arg-type]


def test_facets_list_each_value_once_in_the_order_of_the_palette() -> None:
    found = facets_of({"color": ["red", "odd", "blue", "red"], "age": ["2", "1"]}, {"color": ["red"]},
                      Palette({"blue": "#00f", "red": "#f00"}))  # fmt: skip
    assert found == [
        Facet("color", "Colour", [Choice("odd", "", False), Choice("blue", "var(--own-blue)", False),
                                  Choice("red", "var(--own-red)", True)]),
        Facet("age", "Age", [Choice("2", "", False), Choice("1", "", False)]),
    ]  # fmt: skip


# --- thumbnails and findings ----------------------------------------------------------------------------------------


def sheet_of(*rows: tuple[float | None, float | None, float | None]) -> Sheet:
    made = [{"name": "x", "v": value, "v_low": low, "v_high": high} for value, low, high in rows]
    return Sheet("T", made, (Column("name", NAME), estimated("v", POINTS, reference=0.0)))


CHART = Chart("forest", ("v",), ("name",), "T")


def test_a_thumbnail_is_drawn_from_bottom_to_top() -> None:
    """From -10 to 10 in 40 pixels: two for each unit; sorted, in two columns of 76 pixels."""
    assert (WIDTH, HEIGHT, EDGE) == (160, 48, 4)
    svg = small_picture(CHART, sheet_of((5.0, 1.0, 10.0), (None, 1.0, 2.0), (-5.0, -10.0, 0.0), (1.0, None, None)))
    assert svg == (
        '<svg class="small" viewBox="0 0 160 48" aria-hidden="true"><path class="ref" d="M0 24.0H160"/>'
        '<g><path d="M42.0 44.0V24.0"/><circle cx="42.0" cy="34.0" r="2"/></g>'
        '<g class="clear"><path d="M118.0 22.0V4.0"/><circle cx="118.0" cy="14.0" r="2"/></g></svg>'
    )
    assert small_picture(CHART, sheet_of((None, 1.0, 2.0))) == ""
    assert small_picture(Chart("forest", ("w",), ("name",), "T"), sheet_of((1.0, 0.0, 2.0))) == ""
    free = Sheet("T", sheet_of((1.0, 1.0, 1.0)).rows, (estimated("v", POINTS),))
    assert small_picture(CHART, free).count("<path") == 1, "no line without a reference"
    assert "clear" not in small_picture(CHART, free)
    moved = small_picture(Chart("forest", ("v",), ("name",), "T", reference=1.0), sheet_of((2.0, 1.5, 3.0)))
    assert 'd="M0 44.0H160"' in moved
    many = sheet_of(*((float(number), number - 0.5, number + 0.5) for number in range(MAX_MARKS + 2)))
    assert small_picture(CHART, many).count("<g") == MAX_MARKS
    few = sheet_of(*((float(number), number - 0.5, number + 0.5) for number in range(MAX_MARKS)))
    assert small_picture(CHART, few).count("<g") == MAX_MARKS


def entry(name: str, size: int = 1, kind: str = "match") -> Any:
    return SimpleNamespace(name=name, when=datetime(2026, 1, 1, tzinfo=UTC), size=size, kind=kind)


def test_findings_are_kept_while_files_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def finding(path: str, run: Any) -> Finding:
        asked.append((path, run))
        if path == "broken":
            raise KeyError(path)
        return Finding(f"{path} {len(asked)}")

    monkeypatch.setattr(findings, "_finding", finding)
    monkeypatch.setattr(findings, "MAX_STORED", 2)
    found = Findings(cast("Any", SimpleNamespace(inside=lambda name: name)), lambda name: cast("Any", f"run {name}"))
    assert found.known(entry("a")) is None
    assert found.of(entry("a")) == found.of(entry("a")) == found.known(entry("a")) == Finding("a 1")
    assert found.of(entry("a", size=2)) == Finding("a 2"), "a changed file"
    assert found.of(entry("b", kind="run")) == Finding("b 3")
    assert asked == [("a", None), ("a", None), ("b", "run b")]
    assert found.known(entry("a")) is None, "the oldest is forgotten"
    assert found.known(entry("a", size=2)) is not None
    assert found.of(entry("broken")) == Finding("")


def table_of(form: str, labels: tuple[str, ...], height: int = 2, worth: bool = False) -> Any:
    frame = pl.DataFrame({labels[0]: ["x"] * height, **({"worth": [0.0] * height} if worth else {})})
    return SimpleNamespace(form=form, labels=labels, frame=frame)


def test_the_main_tables_of_a_run_come_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    from wsim.lab import run_tables
    from wsim.report import conclusions

    made = {"policies": table_of("levels", ("policy",)), "cards": table_of("owners", ("card",)),
            "wonders": table_of("levels", ("wonder",)), "alone": table_of("levels", ("policy",), 1),
            "other": table_of("", ("x",)), "page": table_of("levels", ("y",)),
            "unfit": table_of("levels", ("z",))}  # fmt: skip
    analyses = {name: SimpleNamespace(shown="page" if name == "page" else "run", about=f"about {name}",
                                      fits=lambda _plan, name=name: name != "unfit",
                                      table=lambda _run, name=name: made[name])
                for name in made}  # fmt: skip
    monkeypatch.setattr(run_tables, "tables_of_run", lambda _run: analyses)
    shown = list(findings.main_tables(cast("Any", SimpleNamespace(plan=None))))
    assert [(name, about) for name, about, _ in shown] == [
        ("wonders", "about wonders"), ("cards", "about cards"), ("policies", "about policies")
    ]  # fmt: skip
    kinds = [SimpleNamespace(kind=kind) for kind in ("open", "caution", "clear")]
    monkeypatch.setattr(conclusions, "about_levels", lambda *_given: kinds)
    monkeypatch.setattr(conclusions, "about_worth", lambda *_given: kinds[:1])
    assert [said.kind for said in findings.about("wonders", made["wonders"], 9)] == ["clear", "open"]
    assert findings.about("cards", made["cards"], 9) == []
    assert [said.kind for said in findings.about("cards", table_of("owners", ("card",), worth=True), 9)] == ["open"]


# --- overviews ------------------------------------------------------------------------------------------------------


def run_of(seats: pl.DataFrame | None = None, **plan: Any) -> Any:
    given = {"policies": ("net", "random", "net"), "rotate": True, "game": "seven_wonders", "ruleset": "1e",
             "players": 3, "keep": "rows"}  # fmt: skip
    frame = pl.DataFrame() if seats is None else seats
    return SimpleNamespace(plan=SimpleNamespace(**given | plan), people=None, games=1200, complete=True,
                           wanted=range(5000), seats=frame.lazy())  # fmt: skip


def test_what_was_played_in_one_sentence() -> None:
    assert overview.played(run_of()) == (
        "1,200 games of 7 Wonders (1e) with 3 players, played by net and random, seats rotating."
    )
    assert overview.played(run_of(rotate=False)).endswith("played by net and random.")
    assert overview.played(run_of(policies=("net",))).endswith("played by net.")
    part = run_of()
    part.complete, part.people = False, {}
    assert overview.played(part) == "1,200 of 5,000 games of 7 Wonders (1e) with 3 players, played by people."


def test_the_closest_games_of_sides() -> None:
    """Leads of 10, 0, 3 and 1 points; of teams, 50 to 40 and 33 to 33."""
    totals = [50, 40, 30, 20, 20, 5, 13, 9, 10, 7, 8, 2]
    seats = pl.DataFrame({"game": [4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7], "total": totals})
    assert overview.close_games(run_of(seats)) == [(5, "20 to 20"), (7, "8 to 7"), (6, "13 to 10")]
    teams = pl.DataFrame({"game": [1] * 4 + [2] * 4, "team": [0, 0, 1, 1] * 2, "total": [30, 20, 30, 10, 3, 30, 30, 3]})
    assert overview.close_games(run_of(teams)) == [(2, "33 to 33"), (1, "50 to 40")]
    alone = pl.DataFrame({"game": [1, 2], "total": [3, 4]})
    for run in (run_of(alone), run_of(seats.head(0)), run_of(seats.drop("total")), run_of(seats, keep="summary")):
        assert overview.close_games(run) == []
    people = run_of(seats)
    people.people = {}
    assert overview.close_games(people) == []


# --- access ---------------------------------------------------------------------------------------------------------


def test_only_names_of_the_server_are_accepted() -> None:
    local, every = Access("t", port=8000), Access("t", host="0.0.0.0", port=80)
    hosts = {"localhost:8000": (True, False), "LOCALHOST:8000": (True, False), "127.0.0.1:8000": (True, False),
             "[::1]:8000": (True, False), "localhost": (False, True), "10.0.0.7": (False, True),
             "10.0.0.7:8000": (False, False), "evil.org": (False, False), "localhost:": (False, False),
             "localhost:80": (False, True), "local host": (False, False), "": (False, False)}  # fmt: skip
    assert {name: (local.is_host(name), every.is_host(name)) for name in hosts} == hosts
    assert Access("t", host="Box", port=80).is_host("box")
    assert Access("a/b", port=8000).address() == "http://127.0.0.1:8000/?token=a/b"
    assert every.address("/x?y=1") == "http://127.0.0.1:80/x?y=1&token=t"
    assert origin_of("::1", 8000) == "http://[::1]:8000"
    assert (local.knows("t"), local.knows("T"), local.knows("")) == (True, False, False)
    assert (local.cookie, every.cookie) == ("wsim-8000", "wsim-80")


def refusals(
    method: str = "GET", path: str = "/", query: str = "", keyed: tuple[str, ...] = (), **headers: str
) -> list[int]:
    given = {"host": "localhost:8000", "cookie": "x; wsim-8000=t"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    scope: Any = {
        "type": "http", "method": method, "path": path, "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value],
    }  # fmt: skip
    return [int(status) for status, _ in Guard(cast("Any", None), Access("t", port=8000, keyed=keyed))._refusals(scope)]


OWN, OTHER = "http://localhost:8000", "http://evil.org"


@pytest.mark.parametrize(
    ("request_", "statuses"),
    [
        ({}, []), ({"host": "evil.org:8000"}, [403]), ({"host": ""}, [403]), ({"origin": OWN}, []),
        ({"origin": OTHER}, [403]), ({"sec_fetch_site": "cross-site"}, []),
        ({"method": "POST", "origin": OWN}, []), ({"method": "POST", "origin": OTHER}, [403]),
        ({"method": "POST"}, [403]), ({"method": "POST", "sec_fetch_site": "same-origin"}, []),
        ({"method": "POST", "sec_fetch_site": "none"}, []), ({"method": "POST", "sec_fetch_site": "same-site"}, [403]),
        ({"method": "HEAD"}, []), ({"content_length": str(MAX_BYTES)}, []),
        ({"content_length": str(MAX_BYTES + 1)}, [413]),
        ({"content_length": "-1"}, [413]), ({"content_length": "0" * 15}, []), ({"content_length": "0" * 16}, [413]),
        ({"cookie": ""}, [403]), ({"cookie": "wsim-8001=t"}, [403]), ({"cookie": "wsim-8000=u"}, [403]),
        ({"cookie": "", "query": "token=t"}, []), ({"cookie": "", "query": "token=u"}, [403]),
        ({"query": "token=u"}, [403]), ({"method": "POST", "origin": OWN, "cookie": "", "query": "token=t"}, [403]),
        ({"cookie": "", "path": "/seat/x", "keyed": ("/seat/",)}, []),
        ({"cookie": "", "path": "/", "keyed": ("/seat/",)}, [403]),
    ],
)  # fmt: skip
def test_requests_from_elsewhere_are_refused(request_: Any, statuses: list[int]) -> None:
    assert refusals(**request_) == statuses


def test_the_welcome_page_keeps_the_rest_of_the_address() -> None:
    keeper = Guard(cast("Any", None), Access("t", port=8000))
    reply = keeper._welcome(cast("Any", {"path": "//evil.org/a b", "query_string": b"x=1&token=t&y=%22"}))
    assert 'content="0;url=/evil.org/a%20b?x=1&amp;y=%22"' in bytes(reply.body).decode()
    cookie = reply.headers["set-cookie"]
    assert cookie.startswith("wsim-8000=t; HttpOnly; Path=/; SameSite=strict")
    assert 'url=/"' in bytes(keeper._welcome(cast("Any", {"path": "/", "query_string": b"token=t"})).body).decode()
    refused = guard._refused(403, "<b> & you")
    assert refused.status_code == 403
    assert "&lt;b&gt; &amp; you" in bytes(refused.body).decode()


def test_bodies_are_read_up_to_their_limit() -> None:
    import asyncio

    def body(*messages: Mapping[str, Any]) -> bytes | None:
        waiting = iter(messages)

        async def receive() -> Any:
            return next(waiting)

        return asyncio.run(guard._body(receive))

    assert (
        body({"type": "http.request", "body": b"ab", "more_body": True}, {"type": "http.request", "body": b"c"})
        == b"abc"
    )
    assert body({"type": "http.request", "body": b"ab", "more_body": True}, {"type": "http.disconnect"}) == b"ab"
    assert body({"type": "http.request"}) == b""
    assert body({"type": "http.request", "body": b"x" * MAX_BYTES}) == b"x" * MAX_BYTES
    assert body({"type": "http.request", "body": b"x" * (MAX_BYTES + 1)}) is None


# --- numbers, names and files ---------------------------------------------------------------------------------------


def test_numbers_in_addresses() -> None:
    assert [whole("n", text) for text in ("0", "007", "9" * MAX_DIGITS)] == [0, 7, int("9" * MAX_DIGITS)]
    for text in ("", "-1", "1.5", "x", "\N{ARABIC-INDIC DIGIT ONE}", "9" * (MAX_DIGITS + 1)):
        with pytest.raises(UserError, match="n must be a whole number of at most 15 digits, not"):
            whole("n", text)
    assert (shortened("a" * 40), shortened("a" * 41)) == (f"'{'a' * 40}'", f"'{'a' * 40}...'")
    sizes = {0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 1_450_000: "1.4 MB", 2 * 10**9: "2.0 GB",
             3 * 10**12: "3.0 TB", 4 * 10**15: "4000.0 TB"}  # fmt: skip
    assert {size: size_words(size) for size in sizes} == sizes


def test_plans_in_words() -> None:
    plan = {
        "game": "seven_wonders",
        "ruleset": "1e",
        "players": 4,
        "games": 10_000,
        "policies": ["net", "net", "random"],
    }
    assert folder.plan_words(plan) == "7 Wonders 1e, 4 players, 10,000 games, net, random"
    assert folder.plan_words({"game": "unknown", "games": "many", "policies": "net"}) == "unknown"
    assert folder.plan_words({}) == ""
    records: list[tuple[Any, Any]] = [
        ({"baseline": [{"plan": {"players": 3}}]}, {"players": 3}), ({"plan": {"players": 4}}, {"players": 4}),
        ({"plan": [], "made": {"plan": 5}}, {}), ({"game": "x"}, {}),
        ({"settings": {"a": 1}, "game": {"b": 1}}, {"a": 1}),
    ]  # fmt: skip
    for record, expected in records:
        assert folder.plan_in(record) == expected


def test_files_of_the_folder_are_found_down_to_a_depth(tmp_path: Path) -> None:
    opened = Folder.of(tmp_path)
    text = json.dumps(
        {"format": "wsim-match/1", "estimand": "Who wins", "plan": {"players": 3}, "deals": 9, "games": 60}
    )
    deep = tmp_path
    for _ in range(folder.MAX_DEPTH):
        deep = deep / "sub"
        deep.mkdir()
    (deep / "below").mkdir()
    for path in (tmp_path / "a.json", deep / "b.json", deep / "below" / "c.json", tmp_path / ".d.json"):
        path.write_text(text)
    (tmp_path / "other.json").write_text('{"format": "wsim-unknown/1"}')
    (tmp_path / "plain.json").write_text("{}")
    (tmp_path / "bad.json").write_text('{"format": "wsim-match/1", "x"')
    (tmp_path / "link.json").symlink_to(tmp_path / "a.json")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{")
    (tmp_path / "run" / "sub").mkdir()
    (tmp_path / "run" / "sub" / "e.json").write_text(text)
    entries = {each.name: each for each in opened.found()}
    assert set(entries) == {"a.json", "sub/sub/sub/sub/b.json", "bad.json", "run"}
    first = entries["a.json"]
    assert (first.title, first.plan, first.kind, first.damaged) == (
        "Who wins", "7 Wonders, 3 players, 60 games", "match", False
    )  # fmt: skip
    assert entries["bad.json"].damaged
    assert "bad.json cannot be read" in entries["bad.json"].title
    assert (entries["run"].kind, entries["run"].damaged) == ("run", True)
    assert opened.entry("a.json") == first
    assert opened.entry("none.json") is opened.entry("plain.json") is opened.entry("sub") is None
    for name in ("../x", "/etc/passwd", "a\0b"):
        with pytest.raises(UserError, match=r"is not in the opened folder|is not a valid file name"):
            opened.inside(name)
    with pytest.raises(UserError, match="does not exist"):
        Folder.of(tmp_path / "none")
    with pytest.raises(UserError, match="is not a folder"):
        Folder.of(tmp_path / "a.json")
    (tmp_path / "latin").write_bytes(b"\xe1")
    with pytest.raises(UserError, match="cannot read 'latin': it is not UTF-8 text"):
        opened.text("latin")


def test_the_list_of_tables_is_private_and_removed_with_the_last_table(tmp_path: Path) -> None:
    path = tmp_path / kept_tables.FILE
    kept_tables.write(tmp_path, [{"key": "\xe4"}])
    assert kept_tables.read(tmp_path) == [{"key": "\xe4"}]
    assert path.stat().st_mode & 0o777 == 0o600
    kept_tables.write(tmp_path, [])
    assert not path.exists()
    kept_tables.write(tmp_path, [])
    for text in ("{}", "[", "\xff"):
        path.write_bytes(text.encode("latin-1"))
        assert kept_tables.read(tmp_path) == []


def test_a_card_is_recognised_in_a_value() -> None:
    faces = {"Palace", "Gizah"}
    for value, card in (("cards.Palace.points=8", "Palace"), ("built:Palace", "Palace"), ("Palace", "Palace"),
                        ("win:Gizah", "Gizah"), ("rulesets.1e.settings.start_coins=3", ""), ("score", "")):  # fmt: skip
        assert pickers._card(value, faces) == card
