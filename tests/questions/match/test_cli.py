"""``wsim match``: its output and files, invalid options, and an interrupted match that is continued."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.conftest import Command

ROOT = Path(__file__).parents[3]
LUCK = ("match", "--game", "luck", "--threads", "1", "--luck", "hash")
TWO = ("p:skill=3", "p")
FIGURES = ("pairs", "cells", "ratings")


def test_a_duel_is_reported_in_words_and_figures(wsim_command: Command) -> None:
    answer = wsim_command(*LUCK, *TWO, "--budget", "400")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "Match: one, 4 players (fair share of wins: 0.250)"
    assert lines[1].split() == [
        "policy", "other", "win", "share", "other", "share", "difference", "margin", "verdict", "deals",
    ]  # fmt: skip
    assert lines[3].startswith("p:skill=3  p")
    assert " higher " in lines[3]
    assert "Ratings, and cost per decision" in lines
    assert "Stopped because the answer is clear (budget: 400 deals per table): 400 deals, 3,200 games in " in answer.out


@pytest.mark.slow
def test_a_round_robin_has_a_matrix_and_mixed_tables_have_shares(wsim_command: Command) -> None:
    three = (*LUCK, *TWO, "p:skill=1", "--budget", "200", "--quiet")
    robin = wsim_command(*three, "--round-robin", "--players", "3").out
    assert "Win share of one seat of the row's policy against seats that all play the column's policy" in robin
    assert robin.count("±") > 15
    mixed = wsim_command(*three).out
    assert "Win share of each policy at these tables" in mixed
    assert "Win share of a policy at tables with all other policies, in every arrangement of a deal." in mixed


def test_several_tables_are_printed_below_each_other(wsim_command: Command) -> None:
    words = (*LUCK, *TWO, "--budget", "100", "--rulesets", "one,two", "--players", "2..3,5", "--json")
    record = json.loads(wsim_command(*words).out)
    assert [row["players"] for row in record["pairs"]] == [2, 3, 5, 2, 3, 5]
    assert record["command"].startswith(
        "wsim match p:skill=3 p --game luck --seed 1 --ruleset one,two --players 2,3,5 "
    )


def test_json_contains_the_whole_answer_and_its_command_reproduces_it(wsim_command: Command) -> None:
    words = (*LUCK, *TWO, "--budget", "300", "--margin", "0.01", "--precision", "0.2", "--alpha", "0.1", "--seed", "3")
    record = json.loads(wsim_command(*words, "--spending", "obrien_fleming", "--json").out)
    assert record["format"] == "wsim-match/1"
    assert record["question"] == {
        "round_robin": False,
        "budget": 300, "alpha": 0.1, "margin": 0.01, "spending": "obrien_fleming", "within": 0.2,
    }  # fmt: skip
    again = json.loads(wsim_command(*shlex.split(record["command"])[1:], "--json").out)
    assert {name: again[name] for name in FIGURES} == {name: record[name] for name in FIGURES}
    assert (record["games"], record["deals"]) == (8 * record["deals"], again["deals"])


def test_answers_are_written_to_files(wsim_command: Command) -> None:
    short = (*LUCK, *TWO, "--budget", "100")
    assert wsim_command(*short, "-o", "answer.json").err == "written: answer.json\n"
    record = json.loads(Path("answer.json").read_text())
    wsim_command(*short, "-o", "answer.parquet", "--csv", "pairs.csv", "--parquet", "pairs.parquet")
    for name in ("answer.parquet", "pairs.parquet"):
        assert pl.read_parquet(name).to_dicts() == record["pairs"]
    assert pl.read_csv("pairs.csv", comment_prefix="#")["verdict"].to_list() == ["higher"]
    assert wsim_command(*short, "--csv", "-").out.splitlines()[-1].startswith("one,4,p:skill=3,p,")
    Path("run").mkdir()
    Path("run/run.json").write_text("{}")
    wsim_command(*short, "-o", "run")
    assert [path.name[:6] for path in sorted(Path("run").iterdir())] == ["match-", "run.js"]


def test_a_match_folder_stores_every_side_of_every_game(wsim_command: Command) -> None:
    record = json.loads(wsim_command(*LUCK, *TWO, "--budget", "100", "-o", "kept", "--json").out)
    assert json.loads(Path("kept/match.json").read_text())["pairs"] == record["pairs"]
    rows = pl.read_parquet("kept/deals/*.parquet")
    assert rows.height == 100 * 8 * 4
    alone = rows.filter(pl.len().over("deal", "seating", "policy") == 1)
    share = alone.group_by("policy").agg(pl.col("win_share").mean())
    assert dict(share.iter_rows())["p:skill=3"] == pytest.approx(record["pairs"][0]["win_share"])


@pytest.mark.slow
def test_a_match_resumed_at_any_deal_gives_the_same_answer(wsim_command: Command) -> None:
    words = (*LUCK, *TWO, "--budget", "2000", "--players", "2,4", "--precision", "0.001", "--json")
    record = json.loads(wsim_command(*words, "-o", "kept").out)
    parts = sorted(Path("kept/deals").iterdir())
    assert [path.name for path in parts] == ["one-2-000000000000.parquet", "one-4-000000000000.parquet"]
    for deals in (1, 777, 1999):
        for path in parts:
            frame = pl.read_parquet(path)
            frame.filter(pl.col("deal") < deals).write_parquet(path)
        again = json.loads(wsim_command(*words, "-o", "kept", "--resume").out)
        assert {name: again[name] for name in FIGURES} == {name: record[name] for name in FIGURES}
        for path in set(Path("kept/deals").iterdir()) - set(parts):
            path.unlink()


def test_a_damaged_part_is_a_failure(wsim_command: Command) -> None:
    words = (*LUCK, *TWO, "--budget", "50", "-o", "kept")
    wsim_command(*words)
    [part] = Path("kept/deals").iterdir()
    pl.read_parquet(part).slice(1).write_parquet(part)
    answer = wsim_command(*words, "--resume")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "one-4-000000000000.parquet' is damaged: it has 1599 rows of 50 deals" in answer.err
    part.write_bytes(b"nothing")
    assert wsim_command(*words, "--resume").code == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "a match needs at least two policies, as in: wsim match balanced military"),
        ("p", "a match needs at least two policies, not 'p' alone"),
        ("p p", "'p' is named twice: a policy plays against different ones"),
        ("p q", "unknown policy 'q'"),
        ("p p:skill=1 --players four", "--players takes comma-separated numbers or a range, such as 3,4,5 or 3..7"),
        ("p p:skill=1 --players 3..", "--players takes comma-separated numbers or a range"),
        ("p p:skill=1 --players 0", "players must be at least 1, not 0"),
        ("p p:skill=1 --within 0", "within must be a half width above 0, such as 0.01, not 0.0"),
        ("p p:skill=1 --alpha 2", "alpha, the accepted chance of a false alarm, must be"),
        ("p p:skill=1 --games 5", "match has no option '--games'"),
        ("p p:skill=1 --policies p", "match has no option '--policies'"),
        ("p p:skill=1 --out there/x.json", "cannot write the match to 'there/x.json': there is no folder 'there'"),
        ("p p:skill=1 --resume", "--resume continues the match in a folder: name it with --out FOLDER"),
        ("p p:skill=1 --resume -o kept.json", "--resume continues the match in a folder: name it with --out FOLDER"),
        ("p p:skill=1 --resume -o kept", "there is no match in 'kept' to continue"),
        ("p p:skill=1 --csv there/x.csv", "cannot write 'there/x.csv': there is no folder 'there'"),
    ],
)
def test_mistakes_exit_with_2_and_one_sentence(wsim_command: Command, words: str, sentence: str) -> None:
    answer = wsim_command(*LUCK, *words.split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1
    assert os.listdir() == []


def test_a_folder_with_a_different_match_is_not_resumed(wsim_command: Command) -> None:
    words = (*LUCK, *TWO, "--budget", "50", "-o", "kept")
    wsim_command(*words)
    assert wsim_command(*words).err == (
        "wsim: 'kept' is not an empty folder: continue with --resume, or choose a different folder\n"
    )
    for more, said in (
        (("--seed", "2"), "its digests differ"),
        (("--budget", "40"), "the budget must be at least 50 deals, as before, not 40"),
        (("--alpha", "0.1"), "its question differ"),
        (("p:skill=9",), "its policies and digests differ (p:skill=3, p, not p:skill=3, p, p:skill=9)"),
    ):
        answer = wsim_command(*words, *more, "--resume")
        assert answer.code == 2
        assert said in answer.err
    Path("kept/match.json").write_text("{")
    assert wsim_command(*words, "--resume").err.startswith("wsim: 'kept/match.json' is not a match of wsim")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a process is interrupted by a signal")
def test_ctrl_c_prints_the_results_so_far_and_how_to_continue(wsim_command: Command) -> None:
    words = [*LUCK, "p:noise=9:salt=1", "p:noise=9:salt=2", "--players", "2", "--budget", "3000"]
    slow = [sys.executable, "-m", "tests.games.known", "luck", *words, "--pause", "0.001", "-o", "kept"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(slow, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        started = Path("kept/match.json")
        while not started.exists() and process.poll() is None:
            time.sleep(0.1)
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Interrupted: " in out
    written, said = err.splitlines()
    assert written == "written: kept"
    assert said.startswith("wsim: interrupted; results of the games so far; continue with: wsim match p:noise=9:salt=1")
    assert said.endswith(" --out kept --resume")
    known = json.loads(Path("kept/match.json").read_text())
    assert known["stopped"] == "interrupted"
    assert 0 < known["deals"] < 3000
    command = shlex.split(said.split("continue with: wsim ")[1])
    command[command.index("--pause") + 1] = "0.001"
    record = json.loads(wsim_command(*command, "--threads", "2", "--json").out)
    straight = json.loads(wsim_command(*words, "--pause", "0", "--json").out)
    assert record["looks"]["one, 2 players"] == sorted({known["deals"], *straight["looks"]["one, 2 players"]})
    assert record["question"]["looks_before"] == known["looks"]  # the look at Ctrl-C has spent some of the error
    [pair], [other] = record["pairs"], straight["pairs"]
    assert pair["difference"] == other["difference"]
    assert pair["difference_low"] <= other["difference_low"]


@pytest.mark.slow
def test_a_larger_budget_continues_the_existing_looks(wsim_command: Command) -> None:
    words = (*LUCK, "p:noise=10:salt=1", "p:noise=10:salt=2", "-o", "kept", "--json")
    first = json.loads(wsim_command(*words, "--budget", "200").out)
    again = json.loads(wsim_command(*words, "--budget", "800", "--resume").out)
    assert first["looks"] == {"one, 4 players": [200]}
    assert again["looks"]["one, 4 players"][0] == 200
    assert again["question"] | {"looks_before": {}} == first["question"] | {
        "budget": 800, "first_budget": 200, "looks_before": {},
    }  # fmt: skip
    fresh = json.loads(wsim_command(*words[:-3], "-o", "fresh", "--json", "--budget", "800").out)
    widths = [one["pairs"][0]["difference_high"] - one["pairs"][0]["difference_low"] for one in (first, again, fresh)]
    assert widths[0] > widths[1] > widths[2]
    assert wsim_command("rerun", "kept/match.json").code == 0
