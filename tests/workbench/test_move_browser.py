"""See it move in a real browser: by keys, with undo, a reload, a stream that goes on, and the goal of a fix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.workbench.browsing import WIDTHS, base, entered, fits, reloaded, soon, sound

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

PALACE = "/move?at=Palace&policies=random&players=3"
POINTS = ".slider[data-path='cards.Palace.points']"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("moving")


def deals(view: Chrome) -> int:
    """Return the number of deals that the page reports; 0 before the first."""
    words = view.find_element("css selector", "#state").text.partition(" deals")
    return int(words[0].replace(",", "")) if words[1] else 0


def test_an_accessibility_engine_has_nothing_to_say(chrome: Chrome, address: str) -> None:
    entered(chrome, address, 1280, "/move")
    sound(chrome)
    chrome.get(f"{base(address)}{PALACE}&change=cards.Palace.points%3D4")
    soon(chrome).until(deals)
    sound(chrome)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_slider_moves_the_figures_and_undo_brings_them_back(
    chrome: Chrome, address: str, folder: Path, width: int
) -> None:
    from selenium.webdriver.common.keys import Keys

    entered(chrome, address, width, PALACE)
    reloaded(chrome)
    slider = chrome.find_element("css selector", f"{POINTS} input")
    slider.send_keys(*[Keys.ARROW_LEFT] * 4)
    soon(chrome).until(lambda view: deals(view) > 500)
    reloaded(chrome, "#drawings figcaption, #then h3")
    slider = chrome.find_element("css selector", f"{POINTS} input")
    soon(chrome).until(lambda view: deals(view) > 500)
    assert "cards.Palace.points%3D4" in chrome.current_url
    assert chrome.find_element("css selector", "#drawings figure:nth-of-type(2)").text.count("4 points")
    named = "return [...document.querySelectorAll('#figures tbody th')].map((head) => head.textContent)"
    assert "Seats that have Palace" in chrome.execute_script(named)
    before = deals(chrome)
    slider.send_keys(Keys.ARROW_LEFT)
    soon(chrome).until(lambda view: "points%3D3" in view.current_url)
    soon(chrome).until(lambda view: deals(view) > 0)
    chrome.find_element("css selector", "#undo").click()
    soon(chrome).until(lambda view: "points%3D4" in view.current_url)
    soon(chrome).until(lambda view: deals(view) >= before)  # it goes on where it was
    assert chrome.find_element("css selector", f"{POINTS} output").text == "4"
    fits(chrome)
    reloaded(chrome, "#drawings figcaption, #then h3")
    soon(chrome).until(lambda view: deals(view) >= before)
    first = chrome.current_window_handle
    chrome.switch_to.new_window("tab")
    chrome.get(f"{base(address)}{PALACE.replace('Palace', 'Theater')}&change=cards.Theater.points%3D4")
    soon(chrome).until(deals)
    figure = "return document.querySelector('#figures tbody').textContent.includes('Seats that have Theater')"
    assert chrome.execute_script(figure)
    chrome.close()
    chrome.switch_to.window(first)
    soon(chrome).until(lambda view: "another page plays" in view.find_element("css selector", "#state").text)
    chrome.refresh()
    soon(chrome).until(lambda view: deals(view) >= 64)
    fix = chrome.find_element("css selector", "#fix")
    soon(chrome).until(lambda _: fix.is_enabled())
    fix.send_keys(Keys.ENTER)
    soon(chrome).until(lambda view: "/ask/balance" in view.current_url)
    goal = chrome.find_element("css selector", "[name=goal]").get_attribute("value")
    assert 'metric = "built:Palace"' in (folder / str(goal)).read_text()
    reloaded(chrome)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_change_is_kept_as_a_patch(chrome: Chrome, address: str, folder: Path, width: int) -> None:
    file = folder / f"patch-{width}.toml"
    entered(chrome, address, width, f"{PALACE}&change=cards.Palace.points%3D5")
    field = chrome.find_element("css selector", "form[action='/change/save'] [name=out]")
    field.clear()
    field.send_keys(file.name)
    chrome.find_element("css selector", "form[action='/change/save'] button").click()
    soon(chrome).until(lambda view: f"saved={file.name}" in view.current_url)
    assert "cards.Palace.points = 5" in file.read_text()
    reloaded(chrome)
    assert base(address) in chrome.current_url
    fits(chrome)
    chrome.back()
    assert chrome.find_element("css selector", f"{POINTS} output").text == "5"
