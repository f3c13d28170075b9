"""Flows that read, wide and narrow: a reload at each step, a second tab, the way back; without motion, and on paper."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.report.browser import colours
from tests.report.test_page import MIXED, WHATIF
from tests.workbench.browsing import entered, soon
from wsim.lab.plan import Plan
from wsim.lab.run import record

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

FLOWS = {
    "study": ("/", "a[href='/run?run=one']", "a[href*='table=cards']", "a.pick[href*='red']", "tbody th a"),
    "answer": ("/", "a[href*='palace.json']"),
    "gallery": ("/cards?color=red", "#cards > li:not([hidden]) a", "a[href^='/change']", "a[href^='/move']"),
    "question": ("/ask", "a[href='/ask/whatif']"),
}
"""An address, and what is clicked on each page after it."""
STATE = """return [location.pathname + location.search, document.querySelectorAll('#cards > li:not([hidden])').length,
    document.querySelectorAll('main tbody tr').length,
    ...[...document.querySelectorAll('h1, main h2')].map(one => one.textContent)]"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flows")
    record(Plan.make(games=120, seed=3, policies=MIXED), folder / "one")
    plan = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "policies": ["net"]}
    (folder / "palace.json").write_text(json.dumps({**WHATIF, "baseline": {"plan": plan}}))
    return folder


def state(view: Chrome) -> list[Any]:
    """Wait for the page; return its address, the numbers of visible cards and rows, and the headings."""
    soon(view).until(lambda one: one.execute_script("return document.readyState") == "complete")
    found: list[Any] = view.execute_script(STATE)
    return found


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", FLOWS)
def test_a_reload_the_way_back_and_another_tab_show_the_same(
    chrome: Chrome, address: str, name: str, width: int
) -> None:
    from selenium.webdriver.common.keys import Keys

    first, *clicks = FLOWS[name]
    entered(chrome, address, width, first)
    seen = [state(chrome)]
    for selector in clicks:
        links = [link for link in chrome.find_elements("css selector", selector) if link.is_displayed()]
        links[0].send_keys(Keys.ENTER)  # a click by a script would take the place of the page in the history
        soon(chrome).until(lambda one, before=seen[-1][0]: not one.current_url.endswith(before))  # type: ignore[misc]
        seen.append(state(chrome))
        chrome.refresh()
        assert state(chrome) == seen[-1]
        assert chrome.execute_script("return document.documentElement.scrollWidth <= innerWidth"), chrome.current_url
    window, here = chrome.current_window_handle, chrome.current_url
    chrome.switch_to.new_window("tab")
    chrome.get(here)
    assert state(chrome) == seen[-1]
    chrome.close()
    chrome.switch_to.window(window)
    for earlier in reversed(seen[:-1]):
        chrome.back()
        assert state(chrome) == earlier


@pytest.fixture
def media(chrome: Chrome) -> Iterator[Chrome]:
    """A browser whose emulated media settings are reset after the test."""
    yield chrome
    colours(chrome, "light")


def test_nothing_moves_where_no_motion_is_wanted(media: Chrome, address: str) -> None:
    entered(media, address, 1280, "/run?run=one")
    for wanted, scrolls in (("reduce", "auto"), ("no-preference", "smooth")):
        features = [{"name": "prefers-reduced-motion", "value": wanted}]
        media.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
        assert media.execute_script("return getComputedStyle(document.documentElement).scrollBehavior") == scrolls
        assert media.execute_script("return document.getAnimations().length") == 0


@pytest.mark.parametrize(
    "page", ["/run?run=one", "/run?run=one&table=cards&charts=1", "/cards", "/answer?file=palace.json"]
)
def test_paper_has_what_is_read_and_nothing_to_press(media: Chrome, address: str, page: str) -> None:
    entered(media, address, 794, page)
    media.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    pressed = "nav, form button, .chips, .doors, summary, input, #theme"
    script = "return [...document.querySelectorAll(arguments[0])].filter(one => one.checkVisibility()).length"
    assert media.execute_script(script, pressed) == 0
    assert media.execute_script(script, "h1, main h2") > 1
    assert media.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert media.execute_script("return document.documentElement.scrollWidth <= innerWidth")
