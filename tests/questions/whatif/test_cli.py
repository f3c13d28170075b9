"""``wsim whatif``: printed output, JSON, mistakes, and an interrupt in a real process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.games.medal_game import MARK
from wsim.cli.presenter import CHART, Characters, chart_lines
from wsim.document import NUMBER, Chart, Sheet, estimated
from wsim.questions.whatif.question import Change

pytestmark = pytest.mark.usefixtures("medal")

ROOT = Path(__file__).parents[3]
MEDAL = ("whatif", "--game", "medal", "--threads", "1")


def test_an_answer_is_reported_in_words_and_figures(wsim_command: Command) -> None:
    answer = wsim_command(*MEDAL, "--set", "cards.Medal.points=8")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == (
        "What if cards.Medal.points=8. Mean score of all seats: variant minus baseline, on the same deals and seats."
    )
    assert lines[1].split()[:4] == ["baseline", "variant", "effect", "verdict"]
    assert " higher " in lines[3]
    assert any(line.startswith("Other metrics: shares; each interval is valid on its own") for line in lines)
    assert "The interval is valid for all looks jointly, with 95% confidence." in lines
    assert "Stopped because the answer is clear (budget 100,000 deals): 1,563 deals, 3,126 games in " in answer.out
    assert "Pairing removed " in lines[-1]


@pytest.mark.slow
def test_a_sweep_is_drawn(wsim_command: Command) -> None:
    answer = wsim_command(*MEDAL, "--sweep", "cards.Medal.points=1..9..2", "--quiet")
    assert answer.code == 0
    assert answer.out.startswith("Sweep over cards.Medal.points. Mean score of all seats")
    drawn = answer.out.split("Effect on score, with its interval:\n")[1].splitlines()[:5]
    points = [line.index("●") for line in drawn]
    assert points == sorted(points)
    assert [line.split()[0] for line in drawn] == ["1", "3", "5", "7", "9"]
    assert "shares;" not in answer.out
    assert "shares;" in wsim_command(*MEDAL, "--sweep", "cards.Medal.points=1..9..2", "--details").out


def test_a_chart_shows_zero_and_every_interval() -> None:
    rows = [
        {"variant": "a", "effect": 1.0, "effect_low": 0.5, "effect_high": 1.5},
        {"variant": "long", "effect": -0.5, "effect_low": None, "effect_high": None},
    ]
    chart = Chart("forest", ("effect",), ("variant",), "Effects")
    sheet = Sheet("Effects", rows, [estimated("effect", NUMBER, difference=True)])
    first, second = chart_lines(chart, sheet, Characters("-", "o", "|"))
    assert first.startswith("   a    +1.000  ")
    assert first.count("o") == first.count("|") == 1
    assert 20 < first.count("-") < CHART
    assert second.startswith("long    -0.500  o")


def test_json_contains_the_whole_answer(wsim_command: Command) -> None:
    record = json.loads(wsim_command(*MEDAL, "--ban", "medal", "--seat", "1", "--json").out)
    assert record["format"] == "wsim-whatif/2"
    assert record["question"] == {
        "metric": "score", "seat": 1, "budget": 100_000, "alpha": 0.05, "margin": None, "spending": "pocock",
        "within": None,
    }  # fmt: skip
    [row] = record["effects"]
    assert (row["variant"], row["verdict"]) == ("no medal", "lower")
    assert {"effect", "effect_low", "effect_high", "variance_removed", "n_baseline", "decided_at"} <= set(row)
    assert record["stopped"] == "clear"
    assert record["games"] == 2 * record["deals"]
    assert record["variants"][0]["plans"][0]["ban"] == "1=medal"
    assert record["details"][0]["metric"] == "score"
    assert [look["deals"] for look in record["looks"]] == [record["deals"]]


def test_base_changes_apply_to_both_arms(wsim_command: Command) -> None:
    words = (*MEDAL, "--base-set", "cards.Medal.points=10", "--set", "cards.Medal.points=12", "--json")
    record = json.loads(wsim_command(*words).out)
    assert record["baseline"]["plan"]["set"] == ["cards.Medal.points=10"]
    assert record["variants"][0]["plans"][0]["set"] == ["cards.Medal.points=10", "cards.Medal.points=12"]
    assert record["effects"][0]["effect"] == pytest.approx(0.5, abs=0.05)


def test_answers_are_written_to_files(wsim_command: Command) -> None:
    answer = wsim_command(*MEDAL, "--set", "cards.Medal.points=8", "-o", "answer.json")
    assert (answer.code, answer.err) == (0, "written: answer.json\n")
    assert json.loads(Path("answer.json").read_text())["effects"][0]["verdict"] == "higher"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "nothing to compare: add a change (--set, --patch), a --sweep or a --ban"),
        ("--set cards.Medal.points=8 --metric socre", "unknown metric 'socre'"),
        ("--set cards.Medal.points=8 --alpha 2", "alpha, the accepted chance of a false alarm, must be"),
        ("--set cards.Medal.points=8 --budget many", "Invalid value for '--budget': 'many' is not a whole number"),
        ("--set cards.Medal.points=8 --spending all", "unknown spending function 'all'"),
        ("--set cards.Medal.points=8 -o answer.txt", "a what-if is written as FILE.json or FILE.parquet"),
        ("--set cards.Medal.points=8 --games 5", "whatif has no option '--games'"),
        ("--sweep cards.Medal.points=9..5", "the sweep 'cards.Medal.points=9..5' must run from small to large"),
        ("--set cards.Medal.points=8 extra", "whatif takes no argument 'extra'"),
        ("--set cards.Medal.points=8 --patch nowhere.toml", "cannot read 'nowhere.toml': No such file or directory"),
    ],
)
def test_mistakes_exit_with_2_and_one_sentence(wsim_command: Command, words: str, sentence: str) -> None:
    answer = wsim_command(*MEDAL, *words.split())
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"wsim: {sentence}")
    assert answer.err.count("\n") == 1
    assert os.listdir() == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a process is interrupted by a signal")
def test_ctrl_c_prints_the_results_so_far_and_exits_with_130(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "tests.games.known",
        "medal",
        *MEDAL[:3],
        "--set",
        "cards.Medal.salt=1",
        "--budget",
        "10000000",
    ]
    pipe = subprocess.PIPE
    mark = tmp_path / "under_way"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), MARK: str(mark)}
    with subprocess.Popen(words, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        while not mark.exists() and process.poll() is None:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted: " in out
    assert err == "wsim: interrupted; results of the games so far\n"


def test_a_question_without_a_change_is_rejected() -> None:
    with pytest.raises(ValueError, match="nothing to compare"):
        Change()
