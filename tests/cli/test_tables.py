"""``wsim table`` and its short forms: every table of a run, its options and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim import stats
from wsim.game import find_game
from wsim.lab.plan import Plan
from wsim.lab.run import record


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("analysis") / "run"
    record(Plan.make(policies="random,first,random,first", games=600), folder, threads=1)
    return str(folder)


COLUMNS = {
    "table RUN policies": {"policy", "n", "win_share", "points_guild"},
    "table RUN crowding": {"policy", "others", "n", "win_share"},
    "table RUN strengths --by seat": {"seat", "strength", "win_share"},
    "table RUN synergies --card Altar --card Baths --outcome win_share": {"card", "other", "lift"},
    "calibrate": {"figure", "simulated", "human", "difference", "verdict"},
    "matchups": {"policy", "opponent_policy", "games", "score_difference", "ahead", "q"},
    "matchups --crowding": {"policy", "others", "n", "win_share"},
    "strengths": {"wonder", "side", "n", "strength", "strength_low", "q"},
    "strengths --by policy": {"policy", "strength", "win_share"},
    "synergies": {"card", "other", "n", "lift", "lift_low", "shrunk", "q"},
    "synergies --chains": {"chain", "begun", "n", "finished", "unfinished", "lift", "shrunk"},
    "variance": {"source", "share", "share_low", "variance"},
}


@first_quick(2, "words", COLUMNS)
def test_each_analysis_prints_json_and_a_table(wsim_command: Command, run: str, words: str) -> None:
    name, *options = words.split()
    command = [
        run if word == "RUN" else word for word in ([name, *options] if "RUN" in words else [name, "RUN", *options])
    ]
    rows = json.loads(wsim_command(*command, "--json").out)["rows"]
    assert rows
    assert COLUMNS[words] <= set(rows[0])
    shown = wsim_command(*command, "--top", "2")
    assert (shown.code, shown.err) == (0, "")
    title, _, line, *body = shown.out.splitlines()
    assert ", 600 games" in title
    assert set(line) == {"─"}
    after = body[min(2, len(rows))]  # then the note
    assert after == "" or after.endswith("--wide")
    assert len(body[-1]) > 40


def test_printed_figures_match_the_library(wsim_command: Command, run: str) -> None:
    rows = json.loads(wsim_command("strengths", run, "--by", "policy", "--json").out)["rows"]
    expected = stats.strengths(wsim.load_run(run), ["policy"]).frame
    assert [row["policy"] for row in rows] == expected["policy"].cast(str).to_list()
    assert [row["strength"] for row in rows] == pytest.approx(expected["strength"].to_list())


def test_the_tables_of_a_run_are_listed_with_their_options(wsim_command: Command, run: str) -> None:
    rows = json.loads(wsim_command("table", run, "--json").out)
    game = find_game("seven_wonders")
    told = [name for name in game.ANALYSES if name != "worth"]  # of runs with games that overrule policies
    assert [row["table"] for row in rows] == told
    by_name = {row["table"]: row for row in rows}
    assert by_name["strengths"]["by"] == "wonder,side"
    assert by_name["synergies"]["options"] == "--by --card --outcome --raw"
    assert by_name["calibration"]["options"] == "--against --tolerance"
    lines = wsim_command("table", run).out.splitlines()
    assert lines[0] == f"Tables of 7 Wonders: wsim table {run} NAME"
    assert [line.split()[0] for line in lines[3:]] == told


def test_observational_tables_say_so_and_point_to_the_experiments(wsim_command: Command, run: str) -> None:
    note = wsim_command("synergies", run, "--top", "1").out.splitlines()[-1]
    assert note.startswith("Observational: ")
    assert "wsim experiment picks" in note
    assert "wsim whatif" in note


@pytest.mark.slow
def test_a_game_without_pick_experiments_does_not_mention_them(wsim_command: Command, tmp_path: Path) -> None:
    folder = str(tmp_path / "babel")
    said = wsim_command("run", "--game", "tower_of_babel", "--games", "60", "--out", folder, "--quiet").out
    said += wsim_command("synergies", folder).out
    assert said.count("Observational: ") == 2
    assert "this shows who has it, not what it is worth" in said
    assert "wsim whatif" in said
    assert "experiment picks" not in said


def test_tables_can_be_sorted_shortened_and_filtered(wsim_command: Command, run: str) -> None:
    words = ("calibrate", run, "--filter", "group=all", "--sort", "-difference_sd", "--top", "3", "--json")
    rows = json.loads(wsim_command(*words).out)["rows"]
    assert len(rows) == 3
    assert {row["group"] for row in rows} == {"all"}
    assert [row["difference_sd"] for row in rows] == sorted(row["difference_sd"] for row in rows)


@pytest.mark.slow
def test_synergies_of_a_card_are_its_partners(wsim_command: Command, run: str) -> None:
    rows = json.loads(wsim_command("synergies", run, "--card", "Baths", "--json").out)["rows"]
    every = json.loads(wsim_command("synergies", run, "--json").out)["rows"]
    assert {row["card"] for row in rows} == {"Baths"}
    with_baths = {row["card"] if row["other"] == "Baths" else row["other"] for row in every if "Baths" in row.values()}
    assert {row["other"] for row in rows} == with_baths
    assert len(with_baths) > 5
    lifts = {frozenset((row["card"], row["other"])): row["lift"] for row in every}
    assert all(row["lift"] == lifts[frozenset((row["card"], row["other"]))] for row in rows)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("calibrate nothing", "'nothing' does not exist"),
        ("calibrate RUN --tolerance 0", "the tolerance must be larger than 0, not 0.0"),
        ("matchups RUN --by polcy", "the table has no column 'polcy'"),
        ("strengths RUN --sort strenght", "the table has no column 'strenght'"),
        ("synergies RUN --card Alter", "the table has no card 'Alter' (did you mean 'Altar'?)"),
        ("variance RUN --outcome totl", "the table has no column 'totl'"),
        ("calibrate RUN --tolerance wide", "--tolerance cannot be 'wide': human standard deviations within which"),
        ("calibrate RUN --by policy", "this table cannot be split by policy: a run of the first edition compared"),
        (
            "table RUN card",
            "seven_wonders has no table of card (did you mean 'cards'?): it has policies, wonders, worth, cards",
        ),
        ("table RUN variance --outcom total", "the table variance has no option '--outcom': it has --outcome (did you"),
        ("table RUN matchups --outcome total", "the table matchups has no option '--outcome': it has --by"),
        ("table RUN variance --outcome", "the option '--outcome' needs a value: score, win, or a numeric column"),
        ("table RUN variance --outcome a --outcome b", "--outcome may be given only once, not 2 times: a, b"),
        ("table RUN --outcome total", "name the table before its options: table RUN NAME --outcome ..."),
        ("table RUN variance more", "table takes no argument 'more'"),
        ("table nothing", "'nothing' does not exist"),
    ],
)
def test_mistakes_exit_with_2(wsim_command: Command, run: str, words: str, sentence: str, tmp_path: Path) -> None:
    answer = wsim_command(*(run if word == "RUN" else word for word in words.split()))
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1


@pytest.mark.slow
def test_cards_and_wonders_can_be_split_and_describe_the_split(wsim_command: Command, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    line_up = "balanced,military,science,civilian"
    assert wsim_command("run", "--policies", line_up, "--games", "200", "--out", folder, "--quiet").code == 0
    split = json.loads(wsim_command("cards", folder, "--by", "policy", "--filter", "card=Palace", "--json").out)["rows"]
    assert {row["policy"] for row in split} == {"balanced", "military", "science", "civilian"}
    whole = json.loads(wsim_command("cards", folder, "--filter", "card=Palace", "--json").out)["rows"]
    assert sum(row["n"] for row in split) == whole[0]["n"]
    beside = json.loads(wsim_command("wonders", folder, "--by", "wonder,wonder_left", "--json").out)["rows"]
    assert sum(row["n"] for row in beside) == 800
    assert all(row["wonder"] != row["wonder_left"] for row in beside)
    assert "this shows who has it, not what it is worth" in " ".join(wsim_command("cards", folder).out.split())
    refused = wsim_command("cards", folder, "--by", "polcy")
    assert refused.code == 2
    assert "polcy" in refused.err


def test_a_filter_on_a_missing_seats_column_suggests_by(wsim_command: Command, run: str) -> None:
    answer = wsim_command("matchups", run, "--filter", "side=B")
    assert answer.code == 2
    assert answer.err.startswith("wsim: the table has no column 'side', which --by policy,side adds: it has policy, ")
    shown = wsim_command("table", run, "policies", "--by", "policy,side", "--filter", "side=B", "--json")
    assert {row["side"] for row in json.loads(shown.out)["rows"]} == {"B"}
