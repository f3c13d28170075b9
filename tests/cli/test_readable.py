"""Tables on terminals of any width, filters, several runs in one table, written files."""

from __future__ import annotations

import io
import json
import re
from itertools import takewhile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wsim
from tests.cli.terminal import on_terminal
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.cli.app import main
from wsim.document import NUMBER, PROBABILITY, SHARE, Column, Sheet, estimated
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.stats.filters import filtered, viewed
from wsim.text_tables import TextColumn, all_as_text, as_text, text_columns
from wsim.wonders.analysis import cards

LONG = 200  # columns at which nothing is broken


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Play two runs, with three and four players, and a run of Tower of Babel."""
    folder = tmp_path_factory.mktemp("readable")
    plans = {
        "p3": Plan.make(players=3, policies="balanced", games=300),
        "p4": Plan.make(policies="balanced,science,military,greedy", games=300, picks=True),
        "more": Plan.make(policies="balanced", games=200),
        "babel": Plan.make(game="tower_of_babel", games=200),
    }
    return {name: str(record(plan, folder / name, threads=1).path) for name, plan in plans.items()}


@pytest.fixture(autouse=True)
def _no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


# --- terminals --------------------------------------------------------------------------------------------------------

SHOWN = (
    ("wonders", "p4"),
    ("cards", "p4"),
    ("cards", "p4", "--wide"),
    ("cards", "p4", "--by", "policy", "--top", "12"),
    ("matchups", "p4"),
    ("strengths", "p4"),
    ("table", "p4"),
    ("wonders", "p3", "p4"),
    ("table", "babel", "discs"),
    ("policies",),
    ("policies", "--game", "tower_of_babel"),
    ("catalog",),
    ("catalog", "--game", "tower_of_babel", "--wide"),
    ("catalog", "--rulesets"),
)
TOKEN = re.compile(r"[^\s]+")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100, 120])
@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_numbers_and_names_are_never_broken(
    wsim_command: Command, runs: dict[str, str], words: tuple[str, ...], columns: int
) -> None:
    """Every line fits, and every word in it is a word of the unwrapped table: no word was cut."""
    command = [runs.get(word, word) for word in words]
    code, lines = on_terminal(columns, *command)
    assert code == 0
    assert [line for line in lines if len(line) > columns and " " in line.strip()] == []
    words_there = set(TOKEN.findall("\n".join(lines)))
    piped = [*command, *(["--wide"] if "--wide" not in command else [])]
    known = set(TOKEN.findall(wsim_command(*piped).out)) | {"more", "columns:", "column:", "--wide"}
    assert {word for word in words_there - known if not re.fullmatch(r"─+|\d+", word)} == set()


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100, 120])
def test_fair_share_and_verdict_are_always_shown(runs: dict[str, str], columns: int) -> None:
    for words in (("wonders", runs["p3"]), ("table", runs["p3"], "policies"), ("table", runs["babel"], "policies")):
        lines = on_terminal(columns, *words)[1]
        players = 3 if words[1] == runs["p3"] else 4
        assert f"a fair share of wins is {1 / players:.3f}" in lines[0]
        head = "\n".join(takewhile(lambda line: "──" not in line, lines[1:]))  # titles and names of columns are broken
        assert "verdict" in head
        assert "win" in head
        assert "share" in head
    head = "\n".join(on_terminal(columns, "cards", runs["p4"])[1][:4])
    assert "owners" in head  # without games that measure worth there is no verdict
    assert "a fair share of wins is 0.250" in head


@pytest.mark.slow
def test_omitted_columns_are_counted_and_shown_with_wide(runs: dict[str, str]) -> None:
    some = on_terminal(80, "cards", runs["p4"], "--top", "1")[1]
    [said] = [line for line in some if line.endswith("more columns: --wide")]
    parts = on_terminal(80, "cards", runs["p4"], "--top", "1", "--wide")[1]
    names = {column.name for column in _cards(runs["p4"]).columns}
    shown = len(names) - int(said.split()[0])
    assert 3 < shown < len(names)
    card = next(line.split()[0] for line in some[3:] if not line.startswith(("─", " ", "card")))
    assert sum(line.startswith(card) for line in parts) > 3  # it stands in each part
    assert not any("more column" in line for line in parts)


def _cards(run: str) -> Sheet:
    table = cards(wsim.load_run(run), about={"Altar": {"color": 1, "age": 1}})
    return table.sheet()


def columns_of(rows: list[dict[str, Any]], *declared: Column) -> list[TextColumn]:
    return text_columns(Sheet("T", rows, declared).columns, rows)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 20, 40])
def test_a_narrow_terminal_shows_rows_line_by_line_or_the_columns_that_fit(runs: dict[str, str], columns: int) -> None:
    code, lines = on_terminal(columns, "wonders", runs["p4"], "--top", "2")
    assert code == 0
    assert any(re.search(r"\d\.\d{3} ±\d\.\d{3}$", line) for line in lines)
    assert "Traceback" not in "".join(lines)
    assert on_terminal(columns, "run", "--help")[0] == 0


@pytest.mark.slow
def test_output_to_a_pipe_is_unlimited_unless_columns_is_set(
    wsim_command: Command, runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_table = wsim_command("wonders", runs["p4"], "--wide").out
    assert max(map(len, whole_table.splitlines())) > 150
    monkeypatch.setenv("COLUMNS", "70")
    assert max(map(len, wsim_command("wonders", runs["p4"]).out.splitlines())) <= 70
    for nonsense in ("0", "-5", "wide", ""):
        monkeypatch.setenv("COLUMNS", nonsense)
        assert wsim_command("wonders", runs["p4"], "--wide").out == whole_table


def test_the_most_important_columns_are_kept_in_their_order() -> None:
    rows = [{"name": "Scientists Guild", "a": 1, "b": 2.5, "b_low": 2.0, "b_high": 3.0, "c": "lower", "q": 0.0001}]
    columns = columns_of(rows, estimated("b", NUMBER), Column("q", PROBABILITY))
    assert [column.name for column in columns] == ["name", "a", "b", "c", "q"]
    text = as_text(columns, 38, ("c", "b"))
    assert text.lines[0].split() == ["name", "b", "c"]
    assert text.lines[2].split("  ")[0] == "Scientists Guild"
    assert text.hidden == ("a", "q")
    assert "2.500 ±0.500" in text.lines[2]
    assert as_text(columns, None).lines[2].endswith("<0.001")
    one_by_one = as_text(columns, 12, ("c", "b"))
    assert one_by_one.lines == ("name:", "  Scientists Guild", "a: 1", "b:", "  2.500 ±0.500", "c: lower", "q: <0.001")
    parts = all_as_text(columns, 31, 1)
    assert [part.lines[0].split() for part in parts] == [["name", "a"], ["name", "b"], ["name", "c", "q"]]


def test_long_headings_wrap_instead_of_being_cut() -> None:
    columns = columns_of([{"card": "Altar", "score_difference": 1.5, "built_share": 0.25}])
    text = as_text(columns, 24, ())
    assert text.lines[0].split() == ["score", "built"]
    assert text.lines[1].split() == ["card", "difference", "share"]


def test_only_sentences_wrap_and_only_between_words() -> None:
    idea = "a little of everything: the strongest all-round set"
    columns = columns_of([{"name": "balanced", "idea": idea, "n": 12345}])
    text = as_text(columns, 45, ())
    assert max(map(len, text.lines)) <= 45
    said = " ".join(line[len("balanced") :].replace("12,345", "").strip() for line in text.lines[2:])
    assert said == idea


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "<0.001"), (0.0009, "<0.001"), (0.001, "0.001"), (0.0496, "0.050"), (None, "")]
)
def test_a_small_chance_is_never_shown_as_0(value: float | None, shown: str) -> None:
    assert columns_of([{"q": value}], Column("q", PROBABILITY))[0].cells == (shown,)
    assert columns_of([{"share": 0.0}], Column("share", SHARE))[0].cells == ("0.000",)
    small = {"share": 0.25, "share_low": 0.2499, "share_high": 0.2501}
    assert columns_of([small], estimated("share", SHARE))[0].cells == (
        "0.250 ±<0.001",
    )  # a width that is small is not written as none


@pytest.mark.slow
def test_an_ascii_only_terminal_gets_ascii(runs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(out, encoding="ascii", write_through=True))
    with pytest.raises(SystemExit, match="0"):
        main(["wonders", runs["p4"], "--top", "1"])
    said = out.getvalue().decode("ascii")
    assert "+-0.0" in said
    assert "-----" in said
    assert "?" not in said


# --- filters ----------------------------------------------------------------------------------------------------------

FRAME = pl.DataFrame(
    {"card": ["Altar", "Baths", "Pawnshop", "Foo, Bar"], "n": [1, 20, 300, 4000], "win_share": [0.1, 0.25, None, 0.3]}
)


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        (["n>=20"], ["Baths", "Pawnshop", "Foo, Bar"]),
        (["n > 20", "n < 4000"], ["Pawnshop"]),
        (["n<=1"], ["Altar"]),
        (["n=1,300"], ["Altar", "Pawnshop"]),
        (["n!=1,300"], ["Baths", "Foo, Bar"]),
        (["card=altar, BATHS"], ["Altar", "Baths"]),
        (["card!=Altar,Baths"], ["Pawnshop", "Foo, Bar"]),
        (["card=Foo, Bar"], ["Foo, Bar"]),
        (["win share>=0.25"], ["Baths", "Foo, Bar"]),
        (["n=1e3,4e3"], ["Foo, Bar"]),
    ],
)
def test_filters_support_comparison_operators(conditions: list[str], kept: list[str]) -> None:
    assert filtered(FRAME, conditions)[0]["card"].to_list() == kept


def test_colour_is_an_alias_of_color() -> None:
    table = FRAME.with_columns(color=pl.Series(["red", "blue", "red", "blue"][: FRAME.height]))
    assert filtered(table, ["colour=red"])[0].equals(filtered(table, ["color=red"])[0])
    assert viewed(table, "-colour", None, [])[0].equals(viewed(table, "-color", None, [])[0])


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("card", "a filter is COLUMN=VALUE, "),
        ("=3", "a filter is COLUMN=VALUE, "),
        ("n>=", "a filter is COLUMN=VALUE, "),
        ("crad=Altar", "the table has no column 'crad' (did you mean 'card'?): it has card, n, win_share"),
        ("card>=Altar", "the column 'card' contains names, which can be compared with = or !=, not with >="),
        ("n>=1,2", ">= compares with one number, not with '1,2'"),
        ("n<many", "the column 'n' contains numbers, not 'many'"),
    ],
)
def test_an_impossible_filter_is_reported_in_one_sentence(condition: str, sentence: str) -> None:
    with pytest.raises(wsim.UserError) as refused:
        filtered(FRAME, [condition])
    assert str(refused.value).startswith(sentence)


def test_a_name_that_no_row_has_is_reported(wsim_command: Command, runs: dict[str, str]) -> None:
    answer = wsim_command("cards", runs["p4"], "--filter", "card=Palce")
    assert answer.code == 0
    assert answer.err == "wsim: no row has the card 'Palce' (did you mean 'Palace'?)\n"
    assert "(no rows)" in answer.out


# --- several runs -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_several_runs_share_a_table_by_number_of_players(wsim_command: Command, runs: dict[str, str]) -> None:
    record = json.loads(wsim_command("wonders", runs["p3"], runs["p4"], "--json").out)
    rows = record["rows"]
    assert [run["plan"]["players"] for run in record["runs"]] == [3, 4]
    assert [row["players"] for row in rows[:4]] == [3, 4, 3, 4]
    assert (rows[0]["wonder"], rows[0]["side"]) == (rows[1]["wonder"], rows[1]["side"])
    for players, name in ((3, "p3"), (4, "p4")):
        alone = json.loads(wsim_command("wonders", runs[name], "--json").out)["rows"]
        mine = [row for row in rows if row["players"] == players]
        # a table of both has the column of other players if one of the runs has it
        left_out = {"players", "player_half_width"}
        mine, alone = (
            [str({key: row[key] for key in row if key not in left_out}) for row in part] for part in (mine, alone)
        )
        assert sorted(mine) == sorted(alone)
    shown = wsim_command("wonders", runs["p3"], runs["p4"]).out.splitlines()
    assert shown[0] == "Wonders, 300 and 300 games"  # the fair share differs: no single one is named
    assert shown[1].split()[:3] == ["wonder", "side", "players"]


def test_runs_with_equal_player_counts_are_labelled_by_folder(wsim_command: Command, runs: dict[str, str]) -> None:
    rows = json.loads(wsim_command("table", runs["p4"], runs["more"], "policies", "--json").out)["rows"]
    assert {row["run"] for row in rows} == {runs["p4"], runs["more"]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("wonders", "p4", "babel"), "runs in one table must be of the same game, not "),
        (("wonders", "p4", "p4"), "'{p4}' is given twice: a table takes each run once"),
        (("wonders", "p4", "nothing"), "'nothing' does not exist"),
        (("table", "p4", "wonders", "p3"), "table takes no argument '{p3}'"),
    ],
)
def test_runs_that_cannot_share_a_table_are_reported(
    wsim_command: Command, runs: dict[str, str], words: tuple[str, ...], sentence: str
) -> None:
    answer = wsim_command(*(runs.get(word, word) for word in words))
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wsim: " + sentence.format(**runs))
    assert answer.err.count("\n") == 1


# --- what is written --------------------------------------------------------------------------------------------------

WRITERS = (
    ("wonders", "p4"),
    ("cards", "p4", "--by", "policy"),
    ("table", "p4", "variance"),
    ("synergies", "p4"),
    ("wonders", "p3", "p4"),
    ("table", "babel", "discs"),
)


@first_quick(1, "words", WRITERS, ids=" ".join)
def test_an_analysis_is_written_with_its_run(
    wsim_command: Command, runs: dict[str, str], words: tuple[str, ...], tmp_path: Path
) -> None:
    command = [runs.get(word, word) for word in words]
    csv, parquet = tmp_path / "x.csv", tmp_path / "x.parquet"
    answer = wsim_command(*command, "--json", "--level", "0.9", "--csv", str(csv), "--parquet", str(parquet))
    assert answer.code == 0
    assert answer.err == f"written: {csv}, {parquet}\n"
    record = json.loads(answer.out)
    rows = record.pop("rows")
    assert record["level"] == 0.9
    assert record["note"]
    assert [run["folder"] for run in record["runs"]] == [runs[word] for word in words if word in runs]
    assert all(len(run["digest"]) == 16 and run["plan"]["policies"] for run in record["runs"])
    head = [json.loads(line[2:]) for line in csv.read_text().splitlines() if line.startswith("# ")]
    assert {key: value for one in head for key, value in one.items()} == record
    assert json.loads(pl.read_parquet_metadata(parquet)["wsim"]) == record
    assert pl.read_csv(csv, comment_prefix="#", infer_schema_length=None).height == len(rows)
    assert pl.read_parquet(parquet).columns == list(rows[0])
    wider = json.loads(wsim_command(*command, "--json", "--level", "0.99").out)["rows"][0]
    ends = [name.removesuffix("_low") for name in rows[0] if name.endswith("_low") and rows[0][name] is not None]
    assert ends
    assert all(wider[f"{name}_low"] <= rows[0][f"{name}_low"] for name in ends if wider[f"{name}_low"] is not None)


def test_csv_replaces_the_printed_table(wsim_command: Command, runs: dict[str, str]) -> None:
    out = wsim_command("wonders", runs["p4"], "--csv", "-", "--top", "2").out
    lines = [line for line in out.splitlines() if not line.startswith("#")]
    assert lines[0].startswith("wonder,side,n,win_share,win_share_low")
    assert len(lines) == 3


@pytest.mark.parametrize("option", ["--csv", "--parquet"])
def test_a_missing_folder_is_rejected_before_any_work(wsim_command: Command, runs: dict[str, str], option: str) -> None:
    for command in (
        ("wonders", runs["p4"]),
        ("whatif", "--set", "cards.Altar.points=3", "--budget", "10"),
        ("experiment", "picks", "--games", "10"),
    ):
        answer = wsim_command(*command, option, "nowhere/x")
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == "wsim: cannot write 'nowhere/x': there is no folder 'nowhere'\n"


@pytest.mark.slow
def test_comparisons_can_be_written_to_a_file(wsim_command: Command, tmp_path: Path) -> None:
    answers = {
        "effects": ("whatif", "--set", "cards.Altar.points=9", "--budget", "1000", "--policies", "random"),
        "picks": ("experiment", "picks", "--games", "100", "--policies", "random", "--randomise", "1", "--fewest", "2"),
    }
    for name, words in answers.items():
        csv, parquet = tmp_path / f"{name}.csv", tmp_path / f"{name}.parquet"
        answer = wsim_command(*words, "--csv", str(csv), "--parquet", str(parquet), "--quiet", "--threads", "1")
        assert answer.code == 0
        frame = pl.read_parquet(parquet)
        assert {"effect", "effect_low", "effect_high"} <= set(frame.columns)
        record = json.loads(pl.read_parquet_metadata(parquet)["wsim"])
        assert record["estimand"]
        assert record["question"]
        assert pl.read_csv(csv, comment_prefix="#", infer_schema_length=None).height == frame.height


def test_an_invalid_level_is_rejected(wsim_command: Command, runs: dict[str, str]) -> None:
    answer = wsim_command("wonders", runs["p4"], "--level", "95")
    assert (answer.code, answer.err) == (2, "wsim: a confidence level must be between 0 and 1, not 95.0\n")
