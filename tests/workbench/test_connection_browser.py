"""A slow server, a lost connection, a run that is deleted while it is shown: what somebody at a browser sees."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn

import wsim
from tests.report.browser import colours, resize
from tests.workbench.browsing import soon
from tests.workbench.test_ask_browser import LONG, effects, fill
from tests.workbench.test_move_browser import PALACE, deals
from tests.workbench.test_play_browser import opened, text
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.lab.store import load_run
from wsim.workbench.folder import Folder
from wsim.workbench.guard import Access
from wsim.workbench.play_pages import tables_of
from wsim.workbench.server import KEYED, PAGES, application, listening

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from starlette.applications import Starlette
    from starlette.types import Receive, Scope, Send

    from wsim.workbench.play_table import Table

pytestmark = pytest.mark.browser

LOST = "return [...document.querySelectorAll('.refused[role=status]')].some(one => one.checkVisibility())"
"""A script that says whether a page of a table reports that the connection is lost."""


@dataclass
class Line:
    """A workbench with delayed replies that can be disconnected and reconnected without losing its tables.

    Attributes
    ----------
    delay: seconds before each reply.
    """

    folder: Path
    delay: float = 0.0
    port: int = 0
    app: Starlette = field(init=False)

    def __post_init__(self) -> None:
        with listening("127.0.0.1", 0) as made:
            self.port = int(made.getsockname()[1])
        self.app = application(Folder.of(self.folder), Access("a-token", port=self.port, keyed=KEYED))
        self.reached()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Delay the response to a request."""
        await asyncio.sleep(self.delay)
        await self.app(scope, receive, send)

    def reached(self) -> None:
        """Make the server reachable again, at the same port."""
        config = uvicorn.Config(
            self, port=self.port, log_level="critical", lifespan="off", ws="none", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def cut(self) -> None:
        """Close every connection, and accept no new ones."""
        self._server.should_exit = True
        self._thread.join()

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@pytest.fixture
def line(chrome: Chrome, tmp_path: Path) -> Iterator[Line]:
    """Start a workbench for an empty folder, and open its address in the browser."""
    made = Line(tmp_path)
    resize(chrome, 390)
    colours(chrome, "light")
    chrome.get(made.address("/?token=a-token"))
    soon(chrome).until(lambda one: "token" not in one.current_url and "·" in one.title)
    yield made
    made.cut()
    for module in PAGES:
        getattr(module, "end", lambda _: None)(made.app)


def table_of(line: Line) -> Table:
    tables: list[Table] = list(tables_of(line.app))
    return tables[0]


def test_pressing_twice_at_a_slow_server_moves_once(chrome: Chrome, line: Line) -> None:
    from selenium.webdriver.common.keys import Keys

    chrome.get(line.address("/play"))
    (ann,) = opened(chrome, "Ann")
    chrome.get(ann)
    line.delay = 0.7
    before = len(table_of(line).game().steps)
    button = chrome.find_element("css selector", ".moves button")
    chrome.execute_script(
        "setTimeout(() => arguments[0].click(), 0); setTimeout(() => arguments[0].click(), 200);", button
    )
    soon(chrome).until(lambda one: "moved on since" in text(one) or "Age I, turn 2" in text(one))
    chrome.get(ann)
    assert "Age I, turn 2" in text(chrome)
    assert len(table_of(line).game().steps) == before + 3  # one of each seat
    chrome.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(chrome).until(lambda one: "Age I, turn 3" in text(one))


def test_a_seat_whose_connection_is_lost_continues_when_it_is_back(chrome: Chrome, line: Line) -> None:
    from selenium.webdriver.common.keys import Keys

    chrome.get(line.address("/play"))
    ann, _ = opened(chrome, "Ann", "Bob")
    chrome.get(ann)
    chrome.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(chrome).until(lambda one: "Still to choose: Bob" in text(one))
    line.cut()
    soon(chrome).until(lambda one: one.execute_script(LOST))
    assert "Still to choose: Bob" in text(chrome)
    decision = table_of(line).decision(1)
    assert decision is not None
    table_of(line).choose(1, decision.stamp, 0)
    line.delay = 0.5
    line.reached()
    soon(chrome).until(lambda one: "Age I, turn 2" in text(one))
    assert not chrome.execute_script(LOST)
    assert "Choose: your move" in text(chrome)
    tables_of(line.app).close(table_of(line).key)
    soon(chrome).until(lambda one: "the table was closed" in text(one))


def test_a_question_at_a_slow_server_continues_when_a_lost_connection_is_back(chrome: Chrome, line: Line) -> None:
    from selenium.webdriver.common.keys import Keys

    line.delay = 0.5
    chrome.get(line.address("/ask"))
    fill(chrome, "match", {**LONG, "out": "long.json"})
    soon(chrome).until(effects)
    line.cut()
    soon(chrome).until(lambda one: one.find_element("id", "lost").is_displayed())
    before = chrome.find_element("id", "deals").text
    line.reached()
    soon(chrome).until(lambda one: not one.find_element("id", "lost").is_displayed())
    soon(chrome).until(lambda one: one.find_element("id", "deals").text != before)
    chrome.find_element("css selector", "form button").send_keys(Keys.ENTER)
    soon(chrome).until(lambda one: "See the answer" in one.page_source)
    assert (line.folder / "long.json").is_file()


def test_a_run_that_plays_is_followed_again_when_a_lost_connection_is_back(chrome: Chrome, line: Line) -> None:
    line.delay = 0.3
    chrome.get(line.address("/ask/run?policies=random&games=2m&out=long"))
    chrome.find_element("css selector", ".go button").click()
    soon(chrome).until(lambda one: one.find_element("id", "count").text)
    line.cut()
    soon(chrome).until(lambda one: one.find_element("id", "lost").is_displayed())
    before = chrome.find_element("id", "count").text
    line.reached()
    soon(chrome).until(lambda one: not one.find_element("id", "lost").is_displayed())
    soon(chrome).until(lambda one: one.find_element("id", "count").text != before)
    chrome.find_element("css selector", "#asked form button").click()
    soon(chrome).until(lambda one: one.execute_script("return document.getElementById('asked').dataset.over === '1'"))
    assert 0 < load_run(line.folder / "long").games < 2_000_000


def test_a_watched_game_goes_on_when_a_lost_connection_is_back(chrome: Chrome, line: Line) -> None:
    line.delay = 0.3
    chrome.get(line.address("/play"))
    chrome.find_element("id", "name0").clear()
    chrome.find_element("css selector", "form.form .act").click()
    soon(chrome).until(lambda one: one.find_elements("id", "pause") and one.find_element("id", "moment").text)
    line.cut()
    soon(chrome).until(lambda one: one.execute_script(LOST))
    before = chrome.find_element("id", "moment").text
    line.reached()
    soon(chrome).until(lambda one: one.find_element("id", "moment").text not in ("", before))
    assert not chrome.execute_script(LOST)
    chrome.find_element("id", "pause").click()
    soon(chrome).until(lambda one: "Paused" in text(one))
    assert table_of(line).paused


def test_a_game_night_shows_who_sits_down_when_a_lost_connection_is_back(chrome: Chrome, line: Line) -> None:
    """The page with the invitation, while a phone sits down."""
    line.delay = 0.3
    chrome.get(line.address("/play"))
    opened(chrome, "One", "Two")
    invitation, host = str(chrome.find_element("id", "invite").get_attribute("href")), chrome.current_window_handle
    assert "Free: One, Two." in text(chrome)
    line.cut()
    soon(chrome).until(lambda one: one.execute_script(LOST))
    line.reached()
    chrome.switch_to.new_window("tab")
    resize(chrome, 390)
    chrome.get(invitation)
    chrome.find_element("id", "name").send_keys("Gül")
    chrome.find_element("css selector", ".places button").click()
    soon(chrome).until(lambda one: "Gül at" in one.title)
    chrome.close()
    chrome.switch_to.window(host)
    soon(chrome).until(lambda one: "Free: Two." in text(one))
    assert not chrome.execute_script(LOST)


def test_figures_that_move_continue_when_a_lost_connection_is_back(chrome: Chrome, line: Line) -> None:
    line.delay = 0.3
    chrome.get(line.address(f"{PALACE}&change=cards.Palace.points%3D4"))
    soon(chrome).until(deals)
    line.cut()
    soon(chrome).until(lambda one: "connection is lost" in one.find_element("id", "state").text)
    line.reached()
    soon(chrome).until(lambda one: deals(one) > 500)


def test_an_analysis_is_filled_in_after_a_lost_connection(chrome: Chrome, line: Line) -> None:
    game = wsim.Game(ruleset="1e", players=3, seed=7, policies="greedy", rotate=False)
    for _ in range(9):
        game.follow()
    (line.folder / "ours.json").write_text(game.to_json())
    line.delay = 0.3
    chrome.get(line.address("/analyse?file=ours.json"))  # without playouts, which are compiled first
    soon(chrome).until(lambda one: one.find_elements("css selector", "#ring .node"))
    line.cut()
    line.reached()
    soon(chrome).until(lambda one: one.find_elements("id", "cost"))
    soon(chrome).until(lambda one: one.find_elements("css selector", "[data-curve=chances] polyline"))


def test_a_run_that_is_deleted_while_it_is_shown_is_refused_in_one_sentence_and_leaves_the_list(
    chrome: Chrome, line: Line
) -> None:
    record(Plan.make(games=40, seed=3), line.folder / "gone")
    line.delay = 0.3
    chrome.get(line.address("/run?run=gone"))
    chrome.find_element("css selector", "a[href*='table=wonders']").click()
    soon(chrome).until(lambda one: one.find_elements("css selector", "thead a"))
    shutil.rmtree(line.folder / "gone")
    chrome.find_element("css selector", "thead a").click()
    soon(chrome).until(lambda one: "does not exist" in text(one))
    chrome.find_element("css selector", "nav a").click()
    soon(chrome).until(lambda one: one.current_url.endswith("/"))
    assert "gone" not in text(chrome)
