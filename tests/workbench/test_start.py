"""The start page: three ways to begin, studies with what they found, and runs that are started, stopped and grown."""

from __future__ import annotations

import html
import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import wsim
from tests.report.test_page import WHATIF
from tests.tiers import first_quick
from tests.workbench.client import Caller
from wsim.document import SHARE, Chart, Column, Sheet
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.workbench.findings import Finding, small_picture
from wsim.workbench.folder import Folder, plan_in, plan_words
from wsim.workbench.forms import form_of
from wsim.workbench.run_form import GAMES, games_per_file


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path)


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 240
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_empty_folder_offers_three_ways_to_begin(caller: Caller) -> None:
    text = caller.get("/").text
    assert re.findall(r"<h3>(.*?)</h3>", text) == [
        f"Play {GAMES:,} games now", "Change a card and see", "Sit down at a table",
    ]  # fmt: skip
    for link in re.findall(r'class="doors".*?</ul>', text, re.DOTALL)[0].split('href="')[1:]:
        assert caller.get(link.partition('"')[0]).status == 200


def test_studies_show_their_findings_and_damaged_ones_are_marked(caller: Caller, tmp_path: Path) -> None:
    record(Plan.make(games=40, seed=3, policies="random"), tmp_path / "good")
    record(Plan.make(games=20, seed=3, policies="random"), tmp_path / "bad")
    (tmp_path / "bad" / "run.json").write_text("{}")
    plan = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "policies": ["net"]}
    (tmp_path / "palace.json").write_text(json.dumps({**WHATIF, "baseline": {"plan": plan}}))
    text = caller.get("/").text
    assert text.count("damaged</span>") == 1
    assert text.count('href="/ask/run?continued=') == 1  # the damaged run cannot be continued
    asked = re.findall(r'data-finding="([^"]+)"', text)
    assert asked == ["/finding?name=palace.json", "/finding?name=good"]
    found = caller.get(asked[0]).text
    assert "<strong>Palace, points: 3 of 3 values clearly change the score of a seat.</strong>" in found
    assert '<svg class="small"' in found
    assert found.strip() in caller.get("/").text  # it is stored
    assert "<strong>" in caller.get(asked[1]).text
    assert caller.get("/finding?name=missing").status == 400
    assert caller.get("/finding?name=../x").status == 400


def test_the_plan_of_an_answer_names_the_rules_players_and_games_of_the_whole_answer() -> None:
    """A match plays several tables; the plan that it records first is for one policy at one of them."""
    plan = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "games": 25000, "policies": ["balanced"]}
    match = {"plan": {"game": "seven_wonders", "seed": 1}, "made": {"plan": plan}, "policies": ["balanced", "greedy"]}
    tables = [{"ruleset": "1e", "players": players} for players in (3, 4)]
    words = plan_words(plan_in({**match, "tables": tables, "deals": 10, "games": 80}))
    assert words == "7 Wonders 1e, 3, 4 players, 80 games, balanced, greedy"
    settings = [{"name": "4 players", "plan": {**plan, "games": 1}}]
    assert plan_words(plan_in({"settings": settings, "games": 1})) == "7 Wonders 1e, 4 players, 1 game, balanced"
    assert plan_words(plan_in({"baseline": {"plan": plan}, "deals": 7})) == "7 Wonders 1e, 4 players, balanced"
    rungs = [{"plan": {**plan, "policies": [name]}} for name in ("random", "greedy")]
    assert plan_words(plan_in({"made": rungs, "games": 9})) == "7 Wonders 1e, 4 players, 9 games, random, greedy"
    assert plan_in({"estimand": "x"}) == {}


def test_a_list_shows_whole_clauses_of_the_detail_of_a_finding() -> None:
    assert (
        Finding("", "43 of 204 effects are clear. The next largest: " + "long " * 30).short
        == "43 of 204 effects are clear."
    )
    assert Finding("", "One; two.").short == "One; two."
    assert Finding("", "long " * 40).short == ""


def test_games_of_people_have_a_finding_and_cannot_be_continued(caller: Caller, tmp_path: Path) -> None:
    rows = [
        f"{game},{player},{wonder},A,{50 + (game * 7 + seat * 3) % 11}"
        for game in range(1, 31)
        for seat, (player, wonder) in enumerate(zip("abc", ("Rhodos", "Gizah", "Babylon"), strict=True))
    ]
    (tmp_path / "sheet.csv").write_text("\n".join(["game,player,wonder,side,total", *rows]))
    wsim.import_games(str(tmp_path / "sheet.csv"), out=str(tmp_path / "people"))
    text = caller.get("/").text
    assert "continued=" not in text
    assert "<strong>" in caller.get("/finding?name=people").text
    facts = caller.get("/run?run=people").text.partition('class="facts"')[2].partition("</dl>")[0]
    assert "<dt>Played by</dt><dd>people</dd>" in facts
    assert "Seed" not in facts


def test_a_thumbnail_has_a_mark_for_each_interval() -> None:
    column = Column("share", SHARE, ends=("low", "high"), reference=0.5)
    rows = [{"name": "a", "share": 0.7, "low": 0.6, "high": 0.8}, {"name": "b", "share": 0.4, "low": 0.3, "high": 0.6}]
    rows.append({"name": "c", "share": None, "low": None, "high": None})
    picture = small_picture(Chart("forest", ("share",), ("name",), "Shares"), Sheet("", rows, (column,)))
    assert picture.count("<circle") == 2
    assert picture.count('class="clear"') == 1  # only a's interval excludes the reference
    assert small_picture(Chart("forest", ("other",), ("name",), "Shares"), Sheet("", rows, (column,))) == ""


def test_first_figures_appear_while_a_run_is_played() -> None:
    assert games_per_file(Plan.make(games=GAMES)) * 20 == GAMES
    assert games_per_file(Plan.make(games=300)) == 250
    assert games_per_file(Plan.make(games=10**9)) * 4 == 250_000  # no smaller than usual


@first_quick(
    2,
    ("texts", "out", "sentence"),
    [
        ({}, "../a", "is not in the opened folder"),
        ({}, "", "a run must be a new folder"),
        ({}, "there", "'there' already exists"),
        ({"continued": ["there"]}, "", "contains no wsim run"),
        ({"continued": ["run"], "players": ["5"]}, "", "keeps its plan: leave players empty"),
        ({"continued": ["run"], "games": ["10"]}, "", "already has 20 games"),
    ],
)
def test_an_unplayable_run_is_rejected(
    caller: Caller, tmp_path: Path, texts: dict[str, list[str]], out: str, sentence: str
) -> None:
    (tmp_path / "there").mkdir()
    record(Plan.make(games=20, seed=3, policies="random"), tmp_path / "run")
    with pytest.raises(UserError, match=re.escape(sentence)):
        caller.app.state.questions.ask(form_of("run"), texts, out)
    assert caller.app.state.questions.listed() == []


def test_a_continued_run_runs_no_code_without_consent(caller: Caller, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def bold(public, own, choice, rules):\n    return 0\n")
    record(Plan.make(games=2, seed=3, policies="./mine.py:bold"), tmp_path / "run")
    with pytest.raises(UserError, match="is code that this question would run"):
        caller.app.state.questions.ask(form_of("run"), {"continued": ["run"], "games": ["4"]}, "")


def test_the_shown_command_reproduces_the_run() -> None:
    form = form_of("run")
    assert form.words({"players": ["3"]}, "r") == "wsim run --players 3 --games 10000 -o r --shard-games 500"
    assert form.words({"continued": ["r"], "games": ["20k"]}, "") == "wsim run --resume r --games 20k"


@pytest.mark.slow
def test_a_run_can_be_started_followed_stopped_continued_and_extended(caller: Caller, tmp_path: Path) -> None:
    """By a real worker, which is held while it is looked at; what comes out is what one command plays."""
    questions = caller.app.state.questions
    texts = {"policies": ["random"], "players": ["3"], "games": ["40k"]}
    queued = questions.ask(form_of("run"), texts, "r")
    assert caller.get("/asked/1/so-far").status == 204
    shards = tmp_path / "r" / "shards.jsonl"
    until(lambda: shards.exists() and shards.stat().st_size and queued.record()["left"] is not None)
    questions._process.send_signal(signal.SIGSTOP)
    part = caller.get("/asked/1/so-far").text
    assert re.search(r"The first [\d,]+ of 40,000 games", part)
    assert "<svg" in part
    caller.post("/asked/1/stop")
    questions._process.send_signal(signal.SIGCONT)
    until(lambda: queued.over)
    assert queued.state == "stopped"
    done = load_run(tmp_path / "r").games
    assert 0 < done < 40_000
    form = html.unescape(caller.get("/ask/run?continued=r").text)
    assert 'name="games" value="40000"' in form
    assert 'name="players"' not in form
    assert "not finished" in caller.get("/").text
    again = questions.ask(form_of("run"), {"continued": ["r"], "games": ["41k"]}, "")
    until(lambda: again.over)
    assert (again.state, again.sentence) == ("answered", "")
    until(lambda: caller.app.state.tables._drawn)  # its overview is drawn before somebody looks
    assert "See all tables" in caller.get("/asked/2").text
    run = load_run(tmp_path / "r")
    assert (run.complete, run.games) == (True, 41_000)
    whole = record(Plan.make(games=41_000, players=3, policies="random"), tmp_path / "whole")
    assert run.seats.collect().equals(whole.seats.collect())
    questions.close()


def test_a_folder_entry_can_be_looked_up(tmp_path: Path) -> None:
    record(Plan.make(games=2, seed=3, policies="random"), tmp_path / "run")
    folder = Folder.of(tmp_path)
    assert folder.entry("run") == folder.found()[0]
    assert folder.entry("other") is None
