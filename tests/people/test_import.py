"""People's games become runs: every form of sheet, all mistakes at once, no formula evaluated, no names stored."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.verify import verify
from wsim.people import reader
from wsim.people.headings import Headings, Names, words
from wsim.people.importing import Imported, import_files
from wsim.people.question import ImportOptions
from wsim.people.template import write_template

ROOT = Path(__file__).parents[2]
RULES = Plan.make(ruleset="1e", players=3)
GOOD = "game,player,wonder,side,total,coins\n1,Ann,Rhodos,A,50,3\n1,Bob,Gizah,B,50,9\n1,Cy,Ephesos,A,41,0\n"

WIDE = (
    "date,Player 1,Wonder 1,Score 1,Player 2,Wonder 2,Score 2,P3 name,P3 wonder,P3 score\n"
    "2024-05-01,Ann,Rhodos A,51,Bob,Gizah B,50,Cy,Ephesos A,41\n"
)
PLAYS = """<plays><play id="1"><item name="7 Wonders" objectid="68448"/><players>
<player name="Ann" color="Rhodos A" score="51" win="1"/>
<player name="Bob" color="Gizah B" score="50" win="0"/>
<player name="Cy" color="Ephesos A" score="41" win="0"/></players></play>
<play id="2"><item name="Azul" objectid="230802"/></play></plays>"""


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(text: str | bytes, name: str = "games.csv", **options: Any) -> Imported:
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    out = f"people {name}" if Path("people").exists() else "people"
    return import_files(ImportOptions(files=(name,), out=out, **options), RULES)


def seats(text: str | bytes, name: str = "games.csv", **options: Any) -> pl.DataFrame:
    (run,) = imported(text, name, **options).runs
    assert verify(run.path) == []
    return run.to_polars()


def workbook(rows: list[list[str]]) -> bytes:
    """Return a workbook with one sheet; a cell that begins with ``=`` is a formula with the value 7."""

    def cell(text: str) -> str:
        if text.startswith("="):
            return f"<c><f>{text[1:]}</f><v>7</v></c>"
        return f"<c><v>{text}</v></c>" if text.isdigit() else f'<c t="inlineStr"><is><t>{text}</t></is></c>'

    space = "http://schemas.openxmlformats.org"
    kind = "application/vnd.openxmlformats-package.relationships+xml"
    relations = f"{space}/officeDocument/2006/relationships"
    sheet = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    files = {
        "[Content_Types].xml": f'<Types xmlns="{space}/package/2006/content-types"><Default Extension="xml" '
        f'ContentType="application/xml"/><Default Extension="rels" ContentType="{kind}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" Type='
        f'"{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{space}/spreadsheetml/2006/main" xmlns:r="{relations}">'
        '<sheets><sheet name="Plays" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship '
        f'Id="r1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{space}/spreadsheetml/2006/main"><sheetData>{sheet}</sheetData>'
        "</worksheet>",
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def test_a_sheet_with_one_row_per_seat_is_imported() -> None:
    table = seats(GOOD)
    assert table["wonder"].to_list() == ["Rhodos", "Gizah", "Ephesos"]
    assert table["rank"].to_list() == [2, 1, 3]  # the treasury decides the tie
    assert table["win_share"].to_list() == [0, 1, 0]
    assert table["policy"].unique().to_list() == ["people"]


def test_a_shared_victory_is_shared() -> None:
    table = seats(GOOD.replace("50,9", "50,3"))
    assert table["win_share"].to_list() == [0.5, 0.5, 0]


@first_quick(
    2,
    ("name", "text"),
    [
        ("a.tsv", GOOD.replace(",", "\t")),
        ("a.csv", "My games\n\n" + GOOD.replace(",", ";")),
        ("a.csv", GOOD.encode("utf-16")),
        ("a.csv", WIDE),
        ("a.json", json.dumps([{"players": [
            {"name": n, "board": b, "score": s} for n, b, s in
            (("Ann", "RHODOS (a)", 51), ("Bob", "gizah b", 50), ("Cy", "Ephesos A", 41))
        ]}])),
        ("a.jsonl", "\n".join(json.dumps({"game": 1, "player": n, "wonder": b, "total": s}) for n, b, s in
                              (("Ann", "Rhódosz A", 51), ("Bob", "Gizeh Nacht", 50), ("Cy", "Éphèse jour", 41)))),
        ("a.bgsplay", json.dumps({
            "games": [{"id": 1, "name": "7 Wonders", "bggId": 68448}, {"id": 2, "name": "Chess", "bggId": 171}],
            "players": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}, {"id": 3, "name": "Cy"}],
            "locations": [{"id": 9, "name": "Home"}],
            "plays": [{"gameRefId": 2, "playerScores": []}, {"gameRefId": 1, "locationRefId": 9, "playerScores": [
                {"playerRefId": 1, "score": "20+31", "winner": True, "role": "Rhodes A"},
                {"playerRefId": 2, "score": "50", "winner": False, "role": "Giza B"},
                {"playerRefId": 3, "score": "41", "winner": False, "role": "Ephesus A"}]}]})),
        ("a.xml", PLAYS),
        ("a.xlsx", workbook([["Wonder", "Side", "Player", "Score", "Game"], ["Rhodos", "A", "Ann", "51", "1"],
                             ["Gizah", "B", "Bob", "50", "1"], ["Ephesos", "A", "Cy", "41", "1"]])),
    ],
)  # fmt: skip
def test_every_file_format_is_imported(name: str, text: str | bytes) -> None:
    table = seats(text, name)
    assert table["wonder"].to_list() == ["Rhodos", "Gizah", "Ephesos"]
    assert table["side"].to_list() == ["A", "B", "A"]
    assert table["rank"].to_list()[2] == 3
    assert table["player"].to_list() == ["P1", "P2", "P3"]


def test_parquet_files_and_traces_are_imported(wsim_command: Command) -> None:
    frame = pl.DataFrame({"game": [1, 1, 1], "wonder": ["Rhodos", "Gizah", "Ephesos"], "total": [3, 2, 1]})
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    assert seats(buffer.getvalue(), "a.parquet")["total"].to_list() == [3, 2, 1]
    trace = wsim_command(
        "trace", "--policies", "random", "--players", "3", "--games", "2", "--seed", "5", "--format", "json", "-q"
    ).out
    Path("games.jsonl").write_text(trace, encoding="utf-8")
    (run,) = import_files(ImportOptions(files=("games.jsonl",), out="traced"), RULES).runs
    played = wsim.simulate(policies="random", players=3, games=2, seed=5)
    same = [name for name in run.to_polars().columns if name in played.columns and name not in ("policy", "team")]
    assert {"built:Altar", "points_science", "coins", "win_share"} <= set(same)
    assert run.to_polars().select(same).cast(pl.String).equals(played.select(same).cast(pl.String))


def test_a_finished_saved_game_is_imported() -> None:
    game = wsim.Game(players=3, policies="random", seed=3)
    with pytest.raises(UserError, match="game 1 is not over"):
        imported(game.to_json(), "a.json")
    while game.to_move is not None:
        game = game.step(0)
    table = seats(game.to_json(), "a.json")
    assert table["total"].to_list() == [score["total"] for score in game.result or ()]


def test_all_problems_of_a_file_are_listed_together() -> None:
    text = (
        "game,wonder,side,total,military,science,players,winner\n"
        "1,Rhodso,A,50,20,30,3,yes\n1,Gizah,Q,40,20,10,3,no\n1,Ephesos,A,41,20,20,3,no\n"
        "2,Gizah,A,x,1,1,4,no\n2,Gizah,B,50,20,30,4,maybe\n2,Zork,A,999,1,1,4,no\n"
        "3,Rhodos,A,40,20,20,3,yes\n3,Gizah,B,50,30,20,3,no\n3,Babylon,A,60,30,30,3,no\n"
    )
    with pytest.raises(UserError) as refused:
        imported(text)
    lines = str(refused.value).splitlines()
    assert lines[0].startswith("6 of 9 rows are invalid, so nothing was imported; --skip-bad")
    for expected in (
        "row 3, side 'Q': it must be a known name: A, B",
        "row 4, total '41': the categories sum to 40",
        "row 5, total 'x': it must be a whole number from -60 to 400",
        "row 5, wonder 'Gizah': two seats in its game have this wonder",
        "row 5, players '4': its game has 3 seats",
        "row 6, winner 'maybe': it must be yes or no",
        "row 7, wonder 'Zork': it must be a known name: Alexandria, Babylon",
        "row 7, total '999': it must be a whole number from -60 to 400",
        "row 8, winner '40': another seat in its game has 60 points",
    ):
        assert any(line.startswith(expected) for line in lines), (expected, lines)
    assert not any("Rhodso" in line for line in lines)  # a misspelling with one near name
    assert not Path("people").exists()


def test_thirty_bad_rows_of_a_thousand_are_reported(wsim_command: Command) -> None:
    rows = [f"{game},{wonder},50" for game in range(334) for wonder in ("Rhodos", "Gizah", "Ephesos")]
    for row in range(0, 300, 10):
        rows[row] = rows[row][:-2] + "many"
    Path("games.csv").write_text("game,wonder,score\n" + "\n".join(rows), encoding="utf-8")
    refused = wsim_command("import", "games.csv", "-o", "people")
    assert refused.code == 2
    assert refused.err.count("it must be a whole number") == 30
    assert not Path("people").exists()
    rest = wsim_command("import", "games.csv", "-o", "people", "--skip-bad", "--json")
    assert rest.code == 0
    assert rest.err.count("left out: games.csv row") == 30
    assert json.loads(rest.out)["runs"][0]["games"] == 304


@pytest.mark.slow
def test_numbers_of_players_and_rule_sets_are_separate_runs() -> None:
    text = (
        "game,wonder,side,total,edition\n1,Rhodos,A,5,1e\n1,Gizah,A,4,1e\n1,Ephesos,A,3,1e\n"
        "2,Rhodos,night,5,2nd edition\n2,Gizah,day,4,2e\n2,Ephesos,b,3,2e\n"
        "3,Rhodos,A,5,\n3,Gizah,A,4,\n3,Ephesos,A,3,\n3,Babylon,A,2,\n"
    )
    runs = imported(text).runs
    assert [(run.path.name, run.games) for run in runs] == [("1e-3p", 1), ("1e-4p", 1), ("2e-3p", 1)]
    assert runs[2].to_polars()["side"].to_list() == ["night", "day", "night"]
    with pytest.raises(UserError, match="ruleset '9th'"):
        imported(text.replace("2nd edition", "9th"), "b.csv")


def test_unrecorded_columns_are_omitted_and_reported() -> None:
    (run,) = imported(GOOD.replace("side", "note").replace("Gizah,B", "Gizah,")).runs
    assert "side" not in run.to_polars().columns
    assert run.table("wonders").frame.columns[:2] == ["wonder", "n"]
    with pytest.raises(UserError, match="people did not record what this table needs"):
        run.cards()
    with pytest.raises(UserError, match="people's games have no decisions"):
        _ = run.picks
    with pytest.raises(UserError, match="cannot be played or replayed"):
        run.game(0)


def test_columns_are_mapped_and_guessed_from_their_content() -> None:
    text = "Runde,Wer,Brett,Wonder,Science,Ergebnis,Place\n" + "".join(
        f"1,{who},{board},3,2,5,Home\n" for who, board in (("Ann", "Rhodos"), ("Bob", "Gizah"), ("Cy", "Ephesos"))
    )
    found = imported(text, columns=("game=Runde", "player=Wer", "wonder=Brett", "total=Ergebnis"))
    assert found.columns["games.csv"] == {
        "Runde": "game", "Wer": "player", "Brett": "wonder", "Ergebnis": "total", "Wonder": "points_wonder",
        "Science": "points_science", "Place": "group",
    }  # fmt: skip
    with pytest.raises(UserError, match=r"there is no column 'Runden' \(did you mean 'Runde'"):
        imported(text, "b.csv", columns=("game=Runden",))
    with pytest.raises(UserError, match="unknown field 'wonde'"):
        imported(text, "c.csv", columns=("wonde=Brett",))


def test_built_cards_may_be_a_list_or_columns() -> None:
    text = "game,wonder,total,cards\n1,Rhodos,5,Oltár; Bäder\n1,Gizah,4,Marché, Altar\n1,Ephesos,3,\n".replace(
        "Marché, Altar", '"Marché, Altar"'
    )
    table = seats(text)
    assert table["built:Altar"].to_list() == [True, True, False]
    assert table["built:Baths"].to_list() == [True, False, False]
    with pytest.raises(UserError, match=r"row 2, built 'Fatelep': it may be Lumber Yard or Timber Yard"):
        imported(text.replace("Oltár", "Fatelep"), "b.csv")


def test_every_translated_item_exists() -> None:
    schema = {name.partition(":")[2] for name in wsim.simulate(games=1, policies="random").columns if ":" in name}
    schema |= {
        name.partition(":")[2] for name in wsim.simulate(games=1, policies="random", ruleset="2e-cities").columns
    }
    boards = {
        "Alexandria",
        "Babylon",
        "Ephesos",
        "Gizah",
        "Halikarnassos",
        "Olympia",
        "Rhodos",
        "Rome",
        "Petra",
        "Byzantium",
    }
    of_game = words()["items"]["seven_wonders"]
    assert set(of_game) <= schema | boards
    names = Names.of("seven_wonders", of_game)
    assert {names.exact(text) for texts in of_game.values() for text in texts if text != "Fatelep"} == set(of_game) & {
        name for name in of_game if of_game[name]
    }


def test_player_names_are_not_stored_in_the_run(tmp_path: Path) -> None:
    (run,) = imported(GOOD.replace("Ann", "=HYPERLINK(1)").replace("Bob", "<script>alert(1)</script>")).runs
    listed = json.loads((run.path / "names.json").read_text(encoding="utf-8"))
    assert listed["player"]["P1"] == "=HYPERLINK(1)"
    sent = [run.path / name for name in json.loads((run.path / "run.json").read_text(encoding="utf-8"))["files"]]
    assert run.path / "names.json" not in sent
    for path in run.path.rglob("*"):
        if path.is_file() and path.name != "names.json":
            assert b"HYPERLINK" not in path.read_bytes(), path
    (hidden,) = import_files(ImportOptions(files=("games.csv",), out="hidden", anonymous=True), RULES).runs
    assert not (hidden.path / "names.json").exists()
    assert hidden.to_polars()["player"].to_list() == ["P1", "P2", "P3"]


@pytest.mark.slow
def test_zip_bombs_and_broken_files_are_rejected_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(3 << 20))
    monkeypatch.setattr(reader, "MAX_BYTES", 2 << 20)
    for number, (content, name, why) in enumerate((
        (bomb.getvalue(), "a.xlsx", "unpacks to 3 MiB, but at most 2 MiB are read"),
        (b"PK\x03\x04 not one", "a.xlsx", "it is not a workbook"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><plays/>", "a.xml", "document type"),
        (b"<plays", "a.xml", "it is not XML"),
        (b"{", "a.json", "cannot read"),
        (b"[" * 100_000, "a.json", "nested"),
        (b"[1, 2]", "a.json", "must be a list of games"),
        (b"\x00\x01\x02", "a.csv", "it is not text"),
        (b"", "a.csv", "empty|no rows"),
        (b"a,b\n1,2\n", "a.csv", "has no column with scores"),
        (b"wonder,score\nRhodos,1\n", "a.csv", "no column identifies the game"),
        (b"not parquet", "a.parquet", "cannot read"),
        (b"x", "a.doc", "its name must end with one of"),
        (bytes(3 << 20), "a.csv", "larger than 2 MiB"),
    )):  # fmt: skip
        with pytest.raises(UserError, match=why) as refused:
            imported(content, f"{number}{name}")
        assert "\n" not in str(refused.value)
        assert not Path("people").exists()


def test_a_workbook_formula_is_read_as_its_stored_value() -> None:
    rows = [["Game", "Wonder", "Score"], ["1", "Rhodos", "=1+1"], ["1", "Gizah", "5"], ["1", "Ephesos", "4"]]
    assert seats(workbook(rows), "a.xlsx")["total"].to_list() == [7, 5, 4]
    with pytest.raises(UserError, match="row 2, total '=1\\+1': it must be a whole number"):
        imported(GOOD.replace("A,50", "A,=1+1"), "b.csv")


def test_terminal_escapes_are_not_printed() -> None:
    with pytest.raises(UserError) as refused:
        imported(GOOD.replace("Rhodos", "\x1b[31mRhodes of red\x1b[0m"))
    assert "\x1b" not in str(refused.value)


def test_the_sheet_to_fill_in_can_be_imported(wsim_command: Command) -> None:
    assert wsim_command("import", "--template", "sheet.csv", "--ruleset", "2e").code == 0
    lines = Path("sheet.csv").read_text(encoding="utf-8").splitlines()
    width = lines[0].count(",")
    place = lines[0].split(",").index
    for row, (wonder, total) in enumerate((("Rhodos", 50), ("Gizah", 40), ("Ephesos", 30), ("Babylon", 20)), 1):
        cells = lines[row].split(",")
        cells[place("wonder")], cells[place("side")], cells[place("total")] = wonder, "day", str(total)
        assert len(cells) == width + 1
        lines[row] = ",".join(cells)
    assert seats("\n".join(lines), "filled.csv")["total"].to_list() == [50, 40, 30, 20]
    write_template(Path("sheet.html"), RULES)
    assert "<th>wonder</th>" in Path("sheet.html").read_text(encoding="utf-8")
    refused = wsim_command("import", "--template", "sheet.csv")
    assert (refused.code, "already exists" in refused.err) == (2, True)


def test_a_folder_is_never_overwritten(wsim_command: Command) -> None:
    imported(GOOD)
    again = wsim_command("import", "games.csv", "-o", "people")
    assert (again.code, "already exists" in again.err) == (2, True)
    assert wsim_command("import").code == 2


def test_headings_of_other_games_are_recognised() -> None:
    babel = Headings("tower_of_babel", ("game", "seat", "policy", "total", "points_wonders", "rank"))
    assert babel.guess(["Name", "Wonders", "Score"], (), {"Wonders", "Score"}) == {
        "Name": ("player", None), "Wonders": ("points_wonders", None), "Score": ("total", None),
    }  # fmt: skip


def test_the_synthetic_playtests_can_be_imported() -> None:
    (run,) = import_files(
        ImportOptions(files=(str(ROOT / "docs" / "data" / "playtests.csv"),), out="people"), RULES
    ).runs
    assert (run.games, run.plan.players) == (48, 4)
    assert run.people is not None
    assert run.people["sums"]
    assert np.isclose(float(run.to_polars()["win_share"].sum()), 48)
    assert run.table("wonders", "player").frame.height == 10


def test_the_python_function_imports_like_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "game,Brett,total\n1,Rhodos,5\n1,Gizah,4\n1,Ephesos,3\n2,Rhodos,5\n2,Rhodos,5\n2,Gizah,1\n"
    )
    with pytest.raises(UserError, match="two seats in its game have this wonder"):
        wsim.import_games(tmp_path / "a.csv", out=tmp_path / "none", columns={"wonder": "Brett"})
    assert not (tmp_path / "none").exists()
    done = wsim.import_games(
        tmp_path / "a.csv", out=tmp_path / "people", columns={"wonder": "Brett"}, skip_bad=True, ruleset="2e"
    )
    (run,) = done.runs
    assert (run.games, run.plan.players, run.plan.ruleset, done.games_left_out) == (1, 3, "2e", 1)
    assert done.problems["row"].to_list() == [5, 6]
    with pytest.raises(UserError, match="boards must be one of chosen, drawn"):
        wsim.import_games(tmp_path / "a.csv", out=tmp_path / "more", boards="dealt")
    with pytest.raises(UserError, match="3e"):
        wsim.import_games(tmp_path / "a.csv", out=tmp_path / "more", ruleset="3e")


TEAMS = """game,seat,wonder,total,coins,team
1,1,Rhodos,50,3,red
1,2,Gizah,40,1,blue
1,3,Babylon,51,2,blue
1,4,Olympia,41,5,red
2,1,Rhodos,30,3,x
2,2,Gizah,40,1,x
2,3,Babylon,20,2,y
2,4,Olympia,25,5,y
"""


@pytest.mark.slow
def test_team_games_keep_their_teams(tmp_path: Path) -> None:
    """R38, R42: partners are seats 0 and 1, 2 and 3; the sum of both decides, then their coins."""

    def read(text: str, name: str) -> pl.DataFrame:
        (tmp_path / f"{name}.csv").write_text(text)
        done = wsim.import_games(tmp_path / f"{name}.csv", out=tmp_path / name, ruleset="2e-cities-teams")
        return done.runs[0].to_polars()

    table = read(TEAMS, "seats")
    assert table["wonder"].to_list()[:4] == ["Olympia", "Rhodos", "Gizah", "Babylon"]  # clockwise, partners together
    assert table["team"].to_list() == [0, 0, 1, 1] * 2
    assert table["rank"].to_list() == [1, 1, 2, 2] * 2  # 91 points each, and 8 coins against 3
    assert table["win_share"].to_list() == [1, 1, 0, 0] * 2
    lines = [line.split(",") for line in TEAMS.splitlines()]
    table = read("\n".join(",".join([cells[0], *cells[2:]]) for cells in lines), "rows")
    assert table["wonder"].to_list()[:4] == ["Rhodos", "Olympia", "Gizah", "Babylon"]
    shared = read(TEAMS.replace(",5,red", ",0,red"), "shared")
    assert shared["win_share"].to_list()[:4] == [0.5] * 4
    for number, (text, why) in enumerate((
        (TEAMS.replace("team", "other"), "played in teams of 2: add a column team, with one name for both partners"),
        (TEAMS.replace("1,2,Gizah,40,1,blue", "1,2,Gizah,40,1,red"), "it has 3 seats in its game, not 2"),
        (TEAMS.replace(",5,red", ",5,blue").replace("51,2,blue", "51,2,red"), "next to each other"),
    )):  # fmt: skip
        with pytest.raises(UserError, match=why):
            read(text, f"wrong {number}")
