"""Questions that cannot be tuned are rejected in one sentence, and nothing is written."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.errors import UserError
from wsim.tuning.generations import RECORD

pytestmark = pytest.mark.usefixtures("aiming")

pytest.importorskip("cmaes", reason="needs wsim[learn]")

ROOT = Path(__file__).parents[2]


AIM = ("--game", "aiming", "--against", "stone", "--games", "60", "--held-out", "60", "--out", "run")
MISTAKES = [
    ((), "tune needs a policy, as in wsim tune weighted --start balanced"),
    (("archer", "stone"), "tune takes one policy: unexpected argument 'stone'"),
    (("random",), "'random' has no numbers to tune: weights, or numbers among its parameters, are needed"),
    (("balanced",), "the field is 'balanced' alone, the policy that is tuned: name a different opponent with "),
    (("weighted", "--only", "warr"), "'weighted' has no number 'warr' to tune (did you mean 'war'?): it has point"),
    (("weighted", "--only", "warr"), "(did you mean 'war'?)"),
    (("weighted", "--generations", "0"), "generations must be a whole number, at least 1, not 0"),
    (("weighted", "--games", "1"), "games must be a whole number, at least 30, not 1"),
    (("weighted", "--candidates", "2"), "candidates must be a whole number, at least 4, not 2"),
    (("weighted", "--start", "bal"), "unknown weight set 'bal'; accepted: balanced"),
    (("weighted:set=guilds", "--start", "balanced"), "already names its set: omit --start balanced or set="),
    (("greedy", "--start", "balanced"), "--start is the weight set that weighted starts from"),
    (("weighted", "--against", "nobody"), "unknown policy 'nobody'"),
    (("weighted", "--against", "greedy,random"), "the field 'greedy,random' has 2 policies for the 3 other seats of 4"),
    (("weighted", "--judges", "nobody"), "unknown policy 'nobody'"),
    (("weighted", "--players", "1"), "players must be a whole number, at least 2, not 1"),
    (("weighted", "--players", "9"), "9 players cannot play rule set 1e"),
    (("weighted", "--players", "x"), "'x' is not a whole number"),
    (("weighted", "--ruleset", "3e"), "unknown rule set '3e'"),
    (("weighted", "--margin", "2"), "margin must be the value of a point in wins, from 0 to less than 1, not 2.0"),
    (("weighted", "--name", "a.b"), "the name of a set may contain letters, digits, _ and -, not 'a.b'"),
    (("weighted", "--action-cards", "no"), "tune has no option '--action-cards'"),
    (("--resume", "nowhere"), "'nowhere' contains no search of wsim tune (no tune.json)"),
    (("--resume", "nowhere", "--games", "30"), "'nowhere' determines the search: omit --games with --resume"),
    (("weighted", "--resume", "nowhere"), "'nowhere' determines the search: omit 'weighted' with --resume"),
]


@first_quick(14, ("words", "said"), MISTAKES, ids=[" ".join(words) + said[:12] for words, said in MISTAKES])
def test_a_mistake_is_reported_in_one_sentence(wsim_command: Command, words: tuple[str, ...], said: str) -> None:
    answer = wsim_command("tune", *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("policy", [5, [], object()])
def test_a_policy_of_a_different_type_is_reported_in_one_sentence(policy: Any) -> None:
    with pytest.raises(UserError, match=r"^policy must be a string, not "):
        wsim.tune(policy)


def test_a_folder_contains_one_search(wsim_command: Command) -> None:
    assert wsim_command("tune", "archer", *AIM, "--generations", "1").code == 0
    before = Path("run", RECORD).read_text()
    answer = wsim_command("tune", "archer", *AIM, "--generations", "2")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith("continue with wsim tune --resume run, or name another --out\n")
    assert Path("run", RECORD).read_text() == before
    longer = wsim_command("tune", "--resume", "run", "--generations", "2")
    assert longer.code == 0, longer.err
    assert wsim_command("tune", "--resume", "run", "--generations", "1").err.endswith(
        "'run' has 2 generations already, more than 1\n"
    )


def test_a_damaged_folder_is_rejected(wsim_command: Command) -> None:
    assert wsim_command("tune", "archer", *AIM, "--generations", "1").code == 0
    record = Path("run", RECORD)
    content = json.loads(record.read_text())
    content["generations"][0]["values"][0] += 1
    for text in ("", "[" * 100_000, "{}", json.dumps(content)):
        record.write_text(text)
        answer = wsim_command("tune", "--resume", "run")
        assert (answer.code, answer.out) == (2, "")
        assert len(answer.err.splitlines()) == 1, answer.err


def test_without_the_extra_a_sentence_names_it(wsim_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "cmaes":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    answer = wsim_command("tune", "archer", *AIM)
    assert answer.err == 'wsim: tuning needs cmaes, which is not installed: pip install "wsim[learn]"\n'
    assert answer.code == 2
    assert list(Path().iterdir()) == []


@pytest.mark.slow
def test_printed_results(wsim_command: Command) -> None:
    words = ("tune", "archer", *AIM, "--generations", "2")
    answer = wsim_command(*words, "--csv", "judged.csv", "--parquet", "judged.parquet")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "One archer as tuned, against all others; a fair share of wins is 0.333"
    assert lines[3].startswith("2 stone")
    assert answer.err == "written: judged.csv, judged.parquet\nwritten: run/answer.json\n"
    Path("run", RECORD).unlink()
    told = json.loads(wsim_command(*words, "--json", "--quiet").out)
    assert [row["opponents"] for row in told["judged"]] == ["2 stone", "2 brick"]
    assert told["command"].startswith("wsim tune archer --against stone")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_says_how_to_continue(wsim_command: Command) -> None:
    words = ("tune", "archer", *AIM, "--pause", "0.0005", "--generations", "8")
    run = subprocess.Popen(
        [sys.executable, "-m", "tests.games.known", "aiming", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (Path("run", RECORD).exists() and json.loads(Path("run", RECORD).read_text())["generations"]):
        assert time.monotonic() < end
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, error = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    assert error.splitlines()[-1] == "wsim tune --resume run"
    assert "of 8 generations are stored" in error
    assert wsim_command("tune", "--resume", "run").code == 0
    interrupted = Path("run", RECORD).read_text()
    assert wsim_command(*(word if word != "run" else "whole" for word in words)).code == 0
    assert interrupted == Path("whole", RECORD).read_text()
