"""A published site and the queue of questions, by hand: links, file names, headings; states, forecasts, messages."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wsim.errors import UserError
from wsim.workbench import publish as site
from wsim.workbench import queue_of_questions as queue
from wsim.workbench.publish import PageFile, publish
from wsim.workbench.questions import TRUST
from wsim.workbench.queue_of_questions import Questions, QueuedQuestion, lines_of

ADDRESSES = {"/run": {"run": "needed", "table": "", "wide": "any"}, "/cards": {"game": "", "ruleset": ""}}
"""Pages that are published, with the parts of their addresses."""


def refused(sentence: str) -> Any:
    return pytest.raises(UserError, match=sentence)


# --- a site ---------------------------------------------------------------------------------------------------------


def test_links_are_normalised_or_left_out() -> None:
    for link, page in (
        ("/", "/"), ("/?a=1", None), ("/ask", None), ("/run", None), ("/run?table=cards", None),
        ("/run?run=a", "/run?run=a"), ("/run?table=cards&run=a", "/run?run=a&table=cards"),
        ("/run?run=a&wide=1", "/run?run=a"), ("/run?run=a#top", "/run?run=a"), ("/run?run=a&run=b", None),
        ("/run?run=a&other=1", None), ("/run?run=", "/run?run="), ("/cards?", "/cards?"),
        ("/cards?ruleset=r+s", "/cards?ruleset=r+s"), ("/cards?ruleset=a&game=g", "/cards?game=g&ruleset=a"),
    ):  # fmt: skip
        assert site._published(link, ADDRESSES) == page, link


def test_pages_get_readable_unused_names() -> None:
    assert site._name("/run?run=few&table=cards", set()) == "run-few-cards.html"
    assert site._name("/run?run=few", {"run-few.html"}) == "run-few-2.html"
    assert site._name("/run?run=few", {"RUN-few.html", "run-few-2.html"}) == "run-few-3.html", "in any case"
    assert site._name("/file?file=../a%20b", set()) == "file-..-a-b.html"
    assert site._name("/", set()) == "page.html"
    assert site._name("/?a=%C3%A9", set()) == "page.html"
    assert site._name("/a?b=" + "x" * 200, set()) == "a-" + "x" * 118 + ".html"


@pytest.mark.parametrize(
    ("address", "text", "page"),
    [
        ("/run?run=a", "<h1>Run <b>a</b> &amp; b</h1><h1>c</h1>", ("Run a & b", "run", "a")),
        ("/run?run=a&table=cards", "<h1>x</h1>", ("cards of a", "table", "a")),
        ("/thing?run=a&table=cards&name=Altar", "<h1>Altar</h1>", ("Altar", "card", "a")),
        ("/analyse?run=a&game=3", "<h1>\nGame 3</h1>", ("\nGame 3", "game", "a")),
        ("/answer?file=a.json", "no heading", ("/answer?file=a.json", "answer", "a.json")),
        ("/cards?game=g&ruleset=r", "<h1>Cards</h1>", ("Cards", "cards", "r")), ("/x", "<h1>X</h1>", ("X", "x", "")),
    ],
)  # fmt: skip
def test_a_page_is_described_by_its_heading_and_address(address: str, text: str, page: tuple[str, str, str]) -> None:
    assert site._described(address, "f.html", text) == PageFile("f.html", *page)


def test_links_lead_to_files_of_the_site() -> None:
    """Links to pages of the site name their files, others vanish; scripts and styles come from assets."""
    names = {"/run?run=a": "run-a b.html", "/": "index.html"}
    text = (
        '<a class="x" href="/run?wide=1&amp;run=a#top" id="i">A</a><a href="/ask">B</a>'
        '<a href="/run?run=b">C</a><a href="/">D</a><a href="https://e.org/">E</a><link href="/static/page.css?abc1">'
        '<img src="/static/a-b.svg?v2">'
        '<script src="/static/play.js?f00" type="module"></script>'
    )
    assert site._linked(text, ADDRESSES, names) == (
        '<a class="x" href="run-a%20b.html#top" id="i">A</a><a>B</a><a>C</a>'
        '<a href="index.html">D</a><a href="https://e.org/">E</a><link href="assets/page.css">'
        '<img src="assets/a-b.svg">'
        '<script src="assets/play.js" defer></script>'
    )


def test_the_message_of_an_error_page() -> None:
    assert (
        site._sentence("<p>menu</p><main><h1>No</h1><p class='m'>a <b>b</b>\n &lt;c&gt;</p><p>d</p></main>")
        == "a b <c>"
    )
    assert site._sentence("plain   text") == "plain text"
    assert len(site._sentence("x" * 400)) == 300


def test_a_site_is_written_only_over_a_site(tmp_path: Path) -> None:
    source, target = tmp_path / "studies", tmp_path / "site"
    source.mkdir()
    with refused("the site cannot be written into the folder that it shows"):
        publish(source, source)
    target.mkdir()
    (target / "mine.txt").write_text("mine", encoding="utf-8")
    with refused("already exists and is not a site of wsim publish"):
        publish(source, target)
    with refused("already exists and is not a site of wsim publish"):
        publish(source, target / "mine.txt")
    (target / site.MARK).touch()
    (target / "assets").mkdir()
    for name in ("old.html", "assets/old.css"):
        (target / name).touch()
    site._clear(target)
    assert sorted(path.name for path in target.iterdir()) == sorted([site.MARK, "assets", "mine.txt"])
    assert list((target / "assets").iterdir()) == []
    assert site._write(target / "a.html", "é\n \n\n  b\n") == len("é\n  b\n".encode())
    assert (target / "a.html").read_text(encoding="utf-8") == "é\n  b\n"


# --- the queue of questions -----------------------------------------------------------------------------------------


class Kind:
    """A form whose questions need no file."""

    name, suffixes = "match", (".json",)

    def answer(self, path: Path) -> Path:
        return path

    def named_files(self, _texts: Any) -> list[str]:
        return []

    def read(self, texts: Any) -> None:
        if "bad" in texts:
            raise UserError("bad is not accepted")

    def target(self, _folder: Any, _texts: Any, out: str) -> str:
        return out

    def words(self, _texts: Any, out: str) -> str:
        return f"wsim match -o {out}"


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A queue that plays nothing: its thread never starts."""
    idle = SimpleNamespace(start=lambda: None, join=lambda _seconds: None)
    monkeypatch.setattr(queue, "threading", SimpleNamespace(Thread=lambda **_how: idle, Lock=threading.Lock))
    monkeypatch.setattr(queue, "code_in", lambda _kind, texts: texts.get("code", []))
    folder: Any = SimpleNamespace(root=tmp_path, inside=lambda name: tmp_path / name)
    return Questions(folder)


def test_questions_are_numbered_listed_and_found(questions: Any, tmp_path: Path) -> None:
    kind: Any = Kind()
    assert questions.next_name(kind) == "match-1.json"
    first = questions.ask(kind, {"a": ["1"]}, "match-1.json")
    (tmp_path / "match-2.json").touch()
    assert questions.next_name(kind) == "match-3.json", "one is asked, one exists"
    second = questions.ask(kind, {}, "b.json")
    assert (first.number, second.number, second.command) == (1, 2, "wsim match -o b.json")
    assert questions.listed() == [second, first]
    assert questions.find("2") is second
    for number in ("3", "0", "x", ""):
        with refused("since the server started"):
            questions.find(number)
    with refused("another question writes to 'b.json'"):
        questions.ask(kind, {}, "b.json")
    with refused("bad is not accepted"):
        questions.ask(kind, {"bad": ["1"]}, "c.json")
    with refused("mine.py is code that this question would run: tick the box"):
        questions.ask(kind, {"code": ["mine.py"]}, "c.json")
    trusted = questions.ask(kind, {"code": ["mine.py"], TRUST: ["on"]}, "c.json")
    assert trusted.texts == {"code": ["mine.py"]}
    second.state = "answered"
    assert questions.ask(kind, {}, "b.json").number == 4, "it is over"


def test_only_so_many_questions_wait(questions: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MAX_WAITING", 2)
    monkeypatch.setattr(queue, "MAX_LISTED", 1)
    kind: Any = Kind()
    asked = [questions.ask(kind, {}, name) for name in ("a", "b")]
    with refused("2 questions are waiting: stop one or try later"):
        questions.ask(kind, {}, "c")
    for question in asked:
        questions.stop(question)
        assert (question.state, question.over, question.version) == ("stopped", True, 1)
    questions.ask(kind, {}, "c")
    assert [question.number for question in questions.listed()] == [3, 2], "of those that are over, the newest"


def test_a_running_question_is_stopped_gently_then_at_once(questions: Any) -> None:
    kind: Any = Kind()
    question = questions.ask(kind, {}, "a")
    signals: list[Any] = []
    questions._waiting.clear()
    questions._playing = question
    questions._process = SimpleNamespace(kill=lambda: signals.append("kill"), send_signal=signals.append)
    questions.stop(question)
    assert (question.stopping, question.state, signals) == (True, "waiting", [signal.SIGINT])
    questions.stop(question)
    assert signals == [signal.SIGINT, "kill", signal.SIGINT]
    other = QueuedQuestion(9, kind, {}, "b", "")
    questions.stop(other)
    assert (other.stopping, other.version) == (False, 0)


def test_messages_of_a_worker_update_a_question(questions: Any) -> None:
    kind: Any = Kind()
    question: Any = QueuedQuestion(1, kind, {}, "a", "", state="playing")
    empty = question.record()
    assert (empty["state"], empty["deals"], empty["said"], empty["left"]) == ("playing", None, [], None)
    questions._take(question, {"progress": ["games", 0, 0]})
    assert not question.clock, "a task of unknown size"
    questions._take(question, {"progress": ["games", 10, 110]})
    clock: Any = question.clock
    assert (clock[1], question.doing, question.done, question.total) == (10, "games", 10, 110)
    assert question.version == 2
    start = clock[0]
    assert question.forecast(start + 5) is None, "the pace is unknown"
    questions._take(question, {"progress": ["games", 60, 110]})
    assert question.clock == (start, 10)
    assert question.forecast(start + 5) == 5, "fifty in five seconds, and fifty are left"
    questions._take(question, {"progress": ["tables", 1, 2]})
    assert question.clock[1] == 1, "another task has its own pace"
    questions._take(question, {"look": [20, ["ahead"]]})
    questions._take(question, {"look": [40, ["clear"]]})
    record = question.record()
    assert (record["deals"], record["said"], record["over"]) == (40, ["clear"], False)
    questions._take(question, {"other": 1})
    questions._take(question, {"written": [False, "a.json"]})
    assert (question.state, question.out, question.over) == ("answered", "a.json", True)
    assert question.forecast(time.monotonic()) is None
    for line, state, sentence in (
        ({"written": [True, "a.json"]}, "stopped", ""), ({"refused": "no such run"}, "refused", "no such run"),
    ):  # fmt: skip
        other = QueuedQuestion(1, kind, {}, "a", "", state="playing")
        questions._take(other, line)
        assert (other.state, other.sentence, other.over) == (state, sentence, True)


def test_a_worker_that_fails_is_told(questions: Any) -> None:
    """Lines that are no messages are skipped; the last line on standard error is the reason."""

    class Process:
        """A worker that has already written everything."""

        def __init__(self, lines: list[str], errors: list[str]) -> None:
            self.stdin = SimpleNamespace(write=lambda _text: 1, close=lambda: None)
            self.stdout, self.stderr, self.returncode = lines, errors, 3

        def __enter__(self) -> Process:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    kind: Any = Kind()

    def follow(lines: list[str], *, stopping: bool = False) -> tuple[str, str]:
        question = QueuedQuestion(1, kind, {}, "a", "", state="playing", stopping=stopping)
        process: Any = Process(lines, [])
        questions._follow(question, process)
        return question.state, question.sentence

    assert follow(["noise\n", '{"written": [false, "a"]}\n']) == ("answered", "")
    assert follow([]) == ("refused", "the worker failed: exit code 3")
    assert follow([], stopping=True) == ("stopped", "stopped before there was a result")


def test_fields_of_a_form_become_lines() -> None:
    assert lines_of([("a", " 1 \n\n2"), ("b", "  "), ("a", "3")]) == {"a": ["1", "2", "3"]}
