"""Asking: forms offer the options of the commands; questions are queued, can be stopped, and write the same files."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.workbench.client import Caller
from tests.workbench.conftest import Serve
from wsim.errors import UserError
from wsim.options import options_of
from wsim.policies.declare import isolated, isolated_by_default
from wsim.policies.isolation import is_isolated
from wsim.policies.lineup import parse_entry
from wsim.questions.registry import OUTPUTS
from wsim.workbench import queue_of_questions
from wsim.workbench.ask_page import without_command, words_of
from wsim.workbench.folder import Folder
from wsim.workbench.forms import form_of, forms
from wsim.workbench.queue_of_questions import MAX_WAITING, Questions, QueuedQuestion

ANSWERS = """
import json, pathlib, signal, sys, time
asked = json.loads(sys.stdin.readline())
def stop(*_):
    if asked["texts"].get("metric") == ["wait for ever"]:
        return
    pathlib.Path(asked["out"]).write_text("so far")
    print(json.dumps({"written": [True, asked["out"]]}), flush=True)
    sys.exit()
signal.signal(signal.SIGINT, stop)
print(json.dumps({"progress": ["deals", 5, 10]}), flush=True)
print(json.dumps({"look": [5, ["too few games"]]}), flush=True)
waits = "wait" in asked["texts"].get("metric", [""])[0] or asked["texts"].get("seed") == ["77"]
while waits and not pathlib.Path("go").exists():
    time.sleep(0.02)
if asked["texts"].get("metric") == ["break"]:
    sys.exit("it broke")
pathlib.Path(asked["out"]).write_text("answer")
print(json.dumps({"look": [10, ["a < b, clearly"]]}), flush=True)
print(json.dumps({"written": [False, asked["out"]]}), flush=True)
"""
"""A worker that plays nothing: it waits for the file ``go`` if it is to, and writes."""
BAN = {"ban": ["Palace"]}


@pytest.fixture
def plays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(self: Questions) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-S", "-c", ANSWERS], cwd=self._folder.root, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    monkeypatch.setattr(Questions, "_worker", begun)


@pytest.fixture
def questions(tmp_path: Path, plays_nothing: None) -> Iterator[Questions]:
    found = Questions(Folder.of(tmp_path))
    yield found
    found.close()


@pytest.fixture
def caller(tmp_path: Path, plays_nothing: None) -> Iterator[Caller]:
    found = Caller(tmp_path)
    yield found
    found.app.state.questions.close()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def waiting(metric: str = "wait") -> dict[str, list[str]]:
    return {**BAN, "metric": [metric]}


@pytest.mark.parametrize("name", [form.name for form in forms()])
def test_a_form_has_every_option_of_the_question_with_its_help(caller: Caller, name: str) -> None:
    """As the command table has them, without words about commands: what is added to a question is in its form."""
    question = form_of(name).question
    text = html.unescape(caller.get(f"/ask/{name}").text)
    for group in question.option_groups:
        for field, (_, said) in options_of(group).items():
            if field not in (*OUTPUTS, *question.only_command):
                assert f'name="{field}"' in text
                assert without_command(said.sentence) in text
    assert "(repeatable" not in text


def test_an_address_fills_a_form_without_asking_the_question(caller: Caller) -> None:
    text = caller.get("/ask/whatif?ban=Palace&metric=%22%3E%3Cscript%3E&trust=1").text
    assert ">Palace</textarea>" in text
    assert "<script>" not in text.partition("<main>")[2]
    assert 'name="trust" value="1" aria' in text  # nobody but a person ticks it
    assert caller.app.state.questions.listed() == []


@pytest.mark.slow
def test_a_question_is_asked_followed_and_listed(caller: Caller, tmp_path: Path) -> None:
    reply = caller.post("/ask/whatif", [("ban", "Palace\nsell"), ("seed", "77"), ("out", "a.json")])
    assert (reply.status, reply.headers["location"]) == (303, "/asked/1")
    page = caller.get("/asked/1").text
    assert "Being answered" in page
    assert "wsim whatif --ban Palace --ban sell --seed 77 -o a.json" in html.unescape(page)
    (tmp_path / "go").touch()
    said = [json.loads(line[6:]) for line in caller.get("/asked/1/events").text.splitlines() if line]
    assert said[-1]["state"] == "answered"
    assert said[-1]["said"] == ["a < b, clearly"]
    assert (tmp_path / "a.json").read_text() == "answer"
    assert "/answer?file=a.json" in caller.get("/asked/1").text
    assert "What if 1" in caller.get("/ask").text


def test_what_was_asked_is_told_in_the_words_of_the_form() -> None:
    told = {}
    for name, texts in {
        "whatif": {"change": ["cards.Palace.points=5"], "budget": ["2k"]},
        "run": {"players": ["3"], "seed": ["1"]},
    }.items():
        told[name] = words_of(form_of(name), texts)
    assert told["whatif"] == {"What do you want to change": "cards.Palace.points=5", "How many deals at most": "2k"}
    assert told["run"] == {
        "What is played": "7 Wonders 1e, 3 players, 10,000 games, net", "How many players": "3",
        "Seed of the random numbers": "1",
    }  # fmt: skip


def test_mistakes_are_shown_in_the_form_next_to_the_input(caller: Caller) -> None:
    reply = caller.post("/ask/whatif", [("metric", "x<y"), ("budget", "ten"), ("alpha", "2"), ("players", "no")])
    text = html.unescape(reply.text)
    assert reply.status == 400
    assert 'value="x<y"' in text
    for sentence in ("'ten' is not a whole number", "nothing to compare", "alpha, the accepted chance"):
        assert sentence in text
    assert caller.app.state.questions.listed() == []


@pytest.mark.parametrize(
    ("texts", "out", "sentence"),
    [
        (BAN, "../a.json", "is not in the opened folder"),
        ({**BAN, "patch": ["../p.toml"]}, "a.json", "'../p.toml' is not in the opened folder"),
        (BAN, "a.txt", "FILE.json or FILE.parquet"),
        (BAN, "", "FILE.json or FILE.parquet"),
        (BAN, "there.json", "the file 'there.json' already exists"),
        ({**BAN, "policies": ["./mine.py:bold"]}, "a.json", "is code that this question would run"),
        ({**BAN, "ruleset": ["1e"], "players": ["four"]}, "a.json", "'four' is not a whole number"),
        ({**BAN, "polices": ["net"]}, "a.json", "did you mean 'policies'"),
    ],
)
def test_invalid_questions_are_rejected(
    questions: Questions, tmp_path: Path, texts: dict[str, list[str]], out: str, sentence: str
) -> None:
    (tmp_path / "there.json").touch()
    with pytest.raises(UserError, match=re.escape(sentence)):
        questions.ask(form_of("whatif"), texts, out)
    assert questions.listed() == []


def test_questions_are_queued_and_none_is_lost(questions: Questions, tmp_path: Path) -> None:
    asked = [questions.ask(form_of("whatif"), waiting(), f"{number}.json") for number in range(3)]
    until(lambda: asked[0].state == "playing")
    assert [one.state for one in asked[1:]] == ["waiting", "waiting"]
    with pytest.raises(UserError, match="another question writes to"):
        questions.ask(form_of("whatif"), BAN, "1.json")
    (tmp_path / "go").touch()
    until(lambda: all(one.over for one in asked))
    assert [one.state for one in asked] == ["answered"] * 3
    assert questions.next_name(form_of("whatif")) == "whatif-1.json"


def test_too_many_questions_are_rejected(questions: Questions) -> None:
    first = questions.ask(form_of("whatif"), waiting(), "first.json")
    until(lambda: first.state == "playing")
    for number in range(MAX_WAITING):
        questions.ask(form_of("whatif"), BAN, f"{number}.json")
    with pytest.raises(UserError, match=f"{MAX_WAITING} questions are waiting"):
        questions.ask(form_of("whatif"), BAN, "more.json")


@pytest.mark.slow
def test_a_question_can_be_stopped(caller: Caller, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        caller.post("/ask/whatif", [("ban", "Palace"), ("seed", "77"), ("out", name)])
    second, first = caller.app.state.questions.listed()
    until(lambda: first.looks)
    assert caller.post("/asked/2/stop").status == 303
    assert caller.post("/asked/1/stop").status == 303
    until(lambda: first.over)
    assert (first.state, second.state) == ("stopped", "stopped")
    assert (tmp_path / "a.json").read_text() == "so far"
    assert not (tmp_path / "b.json").exists()
    assert "the results up to the point where you stopped" in caller.get("/asked/1").text
    assert "stopped before it started" in caller.get("/asked/2").text
    assert caller.get("/asked/3").status == 400
    assert caller.post("/asked/1/stop", origin="http://evil.example").status == 403


def test_a_worker_that_does_not_stop_is_killed_on_the_second_request(questions: Questions) -> None:
    asked = questions.ask(form_of("whatif"), waiting("wait for ever"), "a.json")
    until(lambda: asked.looks)
    questions.stop(asked)
    assert not asked.over
    questions.stop(asked)
    until(lambda: asked.over)
    assert asked.state == "stopped"


@pytest.mark.parametrize(("asked_for", "apart"), [(None, True), (True, True), (False, False)])
def test_code_is_isolated_in_a_worker_unless_the_workbench_is_trusted(
    asked_for: bool | None, apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with isolated(asked_for), isolated_by_default():
        questions = Questions(Folder.of(tmp_path))
    with questions._worker() as process:
        process.kill()
    words: Any = process.args

    def in_worker() -> bool:
        monkeypatch.setattr(sys, "argv", list(words))
        queue_of_questions.begin_worker()
        return is_isolated(parse_entry("./mine.py:bold"))

    assert copy_context().run(in_worker) is apart


def test_a_failing_worker_is_reported_in_one_sentence(questions: Questions) -> None:
    asked = questions.ask(form_of("whatif"), waiting("break"), "a.json")
    until(lambda: asked.over)
    assert (asked.state, asked.sentence) == ("refused", "the worker failed: it broke")


def test_running_questions_are_saved_when_the_server_stops(questions: Questions, tmp_path: Path) -> None:
    asked = questions.ask(form_of("whatif"), waiting(), "a.json")
    questions.ask(form_of("whatif"), waiting(), "b.json")
    until(lambda: asked.looks)
    questions.close()
    assert (tmp_path / "a.json").read_text() == "so far"
    assert asked.state == "stopped"


def test_only_the_latest_finished_questions_are_kept(questions: Questions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_of_questions, "MAX_LISTED", 2)
    for number in range(5):
        asked = questions.ask(form_of("whatif"), BAN, f"{number}.json")
        until(lambda asked=asked: asked.over)  # type: ignore[misc]
    assert [one.number for one in questions.listed()] == [5, 4, 3]


ASKED: dict[str, dict[str, list[str]]] = {
    "whatif": {"change": ["cards.Palace.points=5"], "budget": ["60"], "policies": ["random"], "seed": ["3"]},
    "match": {"policies": ["random, greedy"], "budget": ["40"], "players": ["3"]},
    "skill": {"ladder": ["random,greedy"], "games": ["60"]},
    "robustness": {"policies": ["random,greedy"], "games": ["60"]},
    "picks": {"games": ["60"], "policies": ["random"], "randomise": ["0.5"], "min_effective_n": ["5"]},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_an_answer_equals_the_file_written_by_the_command(
    tmp_path: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """By real workers; ``wsim rerun`` repeats it."""
    monkeypatch.chdir(tmp_path)
    questions = Questions(Folder.of(tmp_path))
    asked: QueuedQuestion = questions.ask(form_of(name), ASKED[name], "asked.json")
    until(lambda: asked.over)
    assert (asked.state, asked.sentence) == ("answered", "")
    assert asked.done > 0
    words = shlex.split(asked.command.replace("asked.json", "command.json"))
    said = wsim_command(*words[1 : words.index(">") if ">" in words else None])
    assert said.code == 0, said.err
    here: dict[str, Any] = json.loads(Path("asked.json").read_text())
    there = json.loads(said.out if ">" in words else Path("command.json").read_text())
    for changing in ("seconds", "costs"):
        here.pop(changing, None), there.pop(changing, None)
    assert here == {key: one for key, one in there.items() if key in here}
    assert wsim_command("rerun", "asked.json", "-q").code == 0
    assert Caller(tmp_path).get("/answer?file=asked.json").status == 200


GOAL = """
[plan]
policies = "random"
players = 3

[[target]]
metric = "win"
of = "wonder,side"
within = 0.5

[[knob]]
path = "cards.Palace.points"
range = "0..9"

[search]
games = 200
proof_games = 400
"""


def test_a_goal_is_required_and_its_code_needs_consent(
    questions: Questions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goal.toml").write_text(GOAL.replace("random", "./mine.py:bold"))
    for texts, out, sentence in (
        ({}, "p.toml", "balance needs goal"),
        ({"goal": ["/etc/passwd"]}, "p.toml", "is not in the opened folder"),
        ({"goal": ["goal.toml"], "trust": ["1"]}, "p.txt", "FILE.toml"),
        ({"goal": ["goal.toml"]}, "p.toml", "is code that this question would run"),
        ({"goal": ["goal.toml"], "players": ["mine:bold"]}, "p.toml", "is code that this question would run"),
    ):
        with pytest.raises(UserError, match=re.escape(sentence)):
            questions.ask(form_of("balance"), texts, out)
    assert questions.listed() == []


@pytest.mark.slow
def test_a_patch_equals_the_file_written_by_the_command(
    tmp_path: Path, wsim_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("goal.toml").write_text(GOAL)
    questions = Questions(Folder.of(tmp_path))
    asked = questions.ask(form_of("balance"), {"goal": ["goal.toml"], "seed": ["3"]}, "p.toml")
    assert asked.command == "wsim balance goal.toml --seed 3 -o p.toml"
    until(lambda: asked.over)
    assert (asked.state, asked.sentence) == ("answered", "")
    said = wsim_command(*shlex.split(asked.command.replace("p.toml", "q.toml"))[1:], "-q")
    assert said.code in (0, 3), said.err
    assert Path("q.toml").read_text().splitlines()[1:] == Path("p.toml").read_text().splitlines()[1:]
    here, there = (json.loads(Path(name).read_text()) for name in ("p.json", "q.json"))
    assert {key for key in here if here[key] != there[key]} <= {"seconds", "costs", "command"}
    assert Caller(tmp_path).get("/answer?file=p.json").status == 200


@pytest.mark.slow
def test_ctrl_c_keeps_the_results_so_far(tmp_path: Path, serve: Serve) -> None:
    """A server that ends stops its worker in order: the answer so far is a whole file."""
    import signal
    import urllib.request

    process, address = serve(tmp_path)
    base, _, token = address.partition("/?token=")
    cookie = f"wsim-{base.rpartition(':')[2]}={token}"
    same = {"Cookie": cookie, "Origin": base}
    body = b"policies=random,greedy&within=0.0001&budget=400k&players=3&out=a.json"  # a minute and more
    urllib.request.urlopen(urllib.request.Request(f"{base}/ask/match", body, same))
    with urllib.request.urlopen(urllib.request.Request(f"{base}/asked/1/events", headers=same)) as events:
        while b'"deals": null' in (line := events.readline()) or not line.startswith(b"data"):
            pass
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["stopped"] == "interrupted"
    assert found["deals"] > 0
