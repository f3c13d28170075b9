"""Analysis: move values as in the command, alternative moves, mistakes in one sentence."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import wsim
from tests.conftest import Command
from tests.workbench.client import Caller, Reply
from tests.workbench.test_game_night import until
from tests.workbench.test_play import chosen, link, opened, opened_by_policies
from wsim.positions.as_played import decisions_of, story_of
from wsim.positions.move_text import move_text
from wsim.positions.scenes import by_name
from wsim.positions.why import why_along, why_of
from wsim.workbench import game_analysis
from wsim.workbench.game_analysis import Analyses, Analysis, branch, followed
from wsim.workbench.play_pages import tables_of


@pytest.fixture
def caller(tmp_path: Path) -> Caller:
    return Caller(tmp_path)


def game() -> wsim.Game:
    return wsim.Game(ruleset="1e", players=3, seed=7, policies="greedy", rotate=False)


def evaluate_node(caller: Caller, address: str) -> Reply:
    while True:
        reply = caller.get(address.partition("#")[0])
        if reply.status != 200 or not re.search("Preparing the analysis|Valuing the decisions", reply.text):
            return reply
        time.sleep(0.05)


@pytest.mark.slow
def test_an_unfinished_saved_game_can_be_analysed(caller: Caller, tmp_path: Path) -> None:
    here = game().follow().follow().step(1).follow()
    (tmp_path / "ours.json").write_text(here.to_json())
    page = evaluate_node(caller, "/analyse?file=ours.json&playouts=2")
    assert "The game is not over" in page.text
    assert "wsim trace" not in page.text
    why = why_along(list(decisions_of(here)), 2)
    boards = [seat.name for seat in story_of(here).seats]
    assert len(re.findall(r'<article class="decision', page.text)) == len(why["decisions"]) == 4
    for (before, index), decided in zip(decisions_of(here), why["decisions"], strict=True):
        assert by_name(move_text(before.legal()[index], before), boards) in page.text
        assert f"{decided['moves'][0]['win_share']:.2f}" in page.text
    assert 'href="/analyse?file=ours.json&amp;playouts=2&amp;at=0&amp;move=' in page.text
    assert "ours.json" in caller.get("/analyse").text
    played = caller.post("/analyse/play?file=ours.json&playouts=2", [("step", "2"), ("name", "Ann")])
    table = tables_of(caller.app).of(played.headers["location"].removeprefix("/play/"))
    while not table.ready:
        time.sleep(0.01)
    assert (table.names, table.game().steps) == ({2: "Ann"}, here.steps[:2])


@pytest.mark.slow
def test_the_board_is_shown_before_its_chances(caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ours.json").write_text(game().follow().to_json())
    go, real = Event(), game_analysis._with_chances

    def later(*words: Any) -> Any:
        assert go.wait(60)
        return real(*words)

    monkeypatch.setattr(game_analysis, "_with_chances", later)
    while 'id="ring"' not in (page := caller.get("/analyse?file=ours.json&playouts=2").text):
        time.sleep(0.01)
    assert ("data-reload" in page, "Turning points" in page) == (True, False)
    go.set()
    page = evaluate_node(caller, "/analyse?file=ours.json&playouts=2").text
    assert ("data-reload" in page, "Turning points" in page) == (False, True)


@pytest.mark.slow
def test_a_changed_file_is_analysed_again(caller: Caller, tmp_path: Path) -> None:
    here, file = game().follow(), tmp_path / "ours.json"
    for steps in (1, 2):
        file.write_text(here.to_json())
        os.utime(file, (steps, steps))
        page = evaluate_node(caller, "/analyse?file=ours.json&playouts=2").text
        assert page.count('<article class="decision') == steps
        here = here.follow()


@pytest.mark.slow
def test_a_game_between_policies_can_be_analysed_while_it_is_watched(caller: Caller) -> None:
    table = opened_by_policies(caller)
    while not table.ready:
        time.sleep(0.01)
    table.set_pace(paused=True, pace=0.5, step=True)
    steps = len(table.game().steps)
    page = caller.get(f"/seat/{table.watching}", cookie=None).text
    assert f'href="/analyse?table={table.key}&amp;steps={steps}"' in page
    address = f"/analyse?table={table.key}&playouts=2"
    page = evaluate_node(caller, f"{address}&steps={steps}").text
    assert page.count('<article class="decision') == steps
    assert f"the game has {steps} steps, not 999" in evaluate_node(caller, f"{address}&steps=999").text
    assert "The game is not over" in caller.get(address).text
    table.take_over(0, "Ann")
    assert "The game is not over" in caller.get(f"{address}&steps={steps}").text
    caller.post(f"/play/{table.key}/close")


def test_a_branch_makes_a_different_move_and_the_policies_continue() -> None:
    whole = followed(game())
    other = branch(whole, 4, 2)
    assert other.steps[:5] == [*whole.steps[:4], 2]
    assert other.to_move is None
    expected = game()
    for _ in range(4):
        expected.follow()
    assert followed(expected.step(2)).result == other.result


def test_the_analysis_of_a_game_agrees_with_the_command() -> None:
    whole = game()
    for _ in range(5):
        whole.follow()
    ours = why_along(list(decisions_of(whole)), 2)["decisions"]
    told = why_of(whole.plan, 0, 2, seat=0)["decisions"]
    keys = ("made", "cost", "moves", "win_shares")
    assert [ours[place][key] for place in (0, 3) for key in keys] == [told[at][key] for at in (0, 1) for key in keys]


@pytest.mark.slow
def test_a_game_of_a_run_links_to_its_replay(caller: Caller, tmp_path: Path, wsim_command: Command) -> None:
    words = ["--players", "3", "--seed", "7", "--policies", "greedy", "--games", "2", "--quiet"]
    assert wsim_command("run", *words, "--out", str(tmp_path / "study")).code == 0
    page = evaluate_node(caller, "/analyse?run=study&number=1&playouts=2")
    assert "wsim trace study 1 --playouts 2 --why" in page.text
    assert "Costliest moves" in page.text
    tried = re.search(r"href=\"(/analyse\?run=study[^\"#]*at=30[^\"#]*)", page.text)
    assert tried is not None
    other = evaluate_node(caller, tried[1].replace("&amp;", "&"))
    assert "Result of this branch" in other.text
    assert "the original game" in other.text
    (tmp_path / "whole.json").write_text(followed(game()).to_json())
    page = evaluate_node(caller, "/analyse?file=whole.json&playouts=2")
    assert "wsim trace whole.json --playouts 2 --why" in page.text
    assert "Turning points" in caller.get(tried[1].replace("&amp;", "&").replace("/analyse", "/analyse/replay")).text


@pytest.mark.slow
def test_a_table_can_be_analysed_only_after_the_game(caller: Caller) -> None:
    table = opened(caller, policies="greedy")
    assert "The game is not over" in caller.get(f"/analyse?table={table.key}").text
    while not table.over:
        chosen(caller, link(table))
    page = evaluate_node(caller, f"/analyse?table={table.key}&playouts=2")
    assert "Result of the game" in page.text
    assert re.search(r"Ann \([A-Z]\w+ [AB]\), age 1, turn 1", page.text)
    assert caller.get(f"/analyse?table={table.key}", cookie=None).status == 403


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("playouts=5", "the address does not say which game: give run and number, or file, or table"),
        ("file=no.json", "no.json"),
        ("file=../x.json", "is not in the opened folder"),
        ("file=ours.json&playouts=1", "playouts per move must be between 2 and 2000, not 1"),
        ("file=ours.json&at=3", "every branch needs a number of steps"),
        ("file=ours.json&at=x&move=1", "at must be a whole number of at most 15 digits, not 'x'"),
        ("file=ours.json&at=99&move=1", "the game has 1 steps, not 99"),
        ("file=ours.json&at=0&move=99", "move 99 does not exist"),
        ("file=bad.json", "a position file is a JSON object"),
        ("run=ours.json&number=0", "ours.json"),
        ("table=nothing", "this table no longer exists"),
    ],
)
def test_mistakes(caller: Caller, tmp_path: Path, query: str, sentence: str) -> None:
    (tmp_path / "ours.json").write_text(game().follow().to_json())
    (tmp_path / "bad.json").write_text("{")
    assert sentence in evaluate_node(caller, f"/analyse?{query}").text.replace("&#39;", "'")


def test_the_most_recently_requested_game_is_valued_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who tries a move does not wait for the values of the game that was left."""
    order: list[int | None] = []
    begun, go_on = Event(), Event()

    def steps(analysis: Analysis) -> Iterator[None]:
        for _ in range(3):
            order.append(analysis.playouts)
            begun.set()
            go_on.wait(10)
            yield
        analysis.finished = True

    monkeypatch.setattr(Analysis, "_compute", steps)
    analyses = Analyses()
    left, tried = (
        partial(analyses.of, name, wsim.Game, number, lambda _: []) for number, name in enumerate(("left", "tried"))
    )
    first = left()
    assert begun.wait(10)
    tried()
    go_on.set()
    until(lambda: not first.running)
    assert order == [0, 1, 1, 1, 0, 0]
