"""The first minute in a real browser: a run is started, followed through a reload, stopped, continued, and found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.workbench.browsing import WIDTHS, base, entered, fits, reloaded, soon, sound
from wsim.lab.store import load_run

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

FIGURES = "return !(document.getElementById('so-far')?.hidden ?? true)"
DRAWN = "return document.querySelector('#so-far [data-games]')?.dataset.games"
OVER = "return document.getElementById('asked')?.dataset.over === '1'"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("beginning")


def test_an_empty_folder_offers_three_actions(chrome: Chrome, address: str) -> None:
    entered(chrome, address, 1280, "/")
    sound(chrome)
    assert len(chrome.find_elements("css selector", ".doors > li")) == 3
    assert len(chrome.find_elements("css selector", ".doors :is(button, a.button)")) == 3


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_is_followed_while_it_plays_from_another_page_and_back(
    chrome: Chrome, address: str, folder: Path, width: int
) -> None:
    entered(chrome, address, width, f"/ask/run?policies=random&games=2m&out=run-{width}")
    reloaded(chrome)
    chrome.find_element("css selector", ".go button").click()
    soon(chrome).until(lambda one: one.execute_script(FIGURES))
    drawn = int(chrome.execute_script(DRAWN))
    soon(chrome).until(lambda one: int(one.execute_script(DRAWN)) > drawn)  # drawn again as games come in
    assert chrome.execute_script("return document.querySelectorAll('#so-far svg').length") >= 1
    assert "of 2,000,000" in chrome.find_element("id", "count").text
    sound(chrome)
    reloaded(chrome)
    asked = chrome.current_url
    chrome.find_element("css selector", "nav a").click()
    soon(chrome).until(lambda one: one.find_elements("partial link text", "Play games"))
    assert "of 2,000,000" in chrome.find_element("css selector", "main").text
    chrome.back()
    assert chrome.current_url == asked
    soon(chrome).until(lambda one: int(one.execute_script(DRAWN) or 0) > drawn)
    window = chrome.current_window_handle
    chrome.switch_to.new_window("tab")
    chrome.get(asked)
    soon(chrome).until(lambda one: one.execute_script(FIGURES))
    chrome.find_element("css selector", "#asked form button").click()
    for tab in (chrome.current_window_handle, window):
        chrome.switch_to.window(tab)
        soon(chrome).until(lambda one: one.execute_script(OVER))
        if tab != window:
            chrome.close()
    assert 0 < load_run(folder / f"run-{width}").games < 2_000_000


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_is_followed_stopped_and_continued(chrome: Chrome, address: str, folder: Path, width: int) -> None:
    study = folder / f"study-{width}"
    entered(chrome, address, width, f"/ask/run?policies=random&games=150k&out={study.name}")
    chrome.find_element("css selector", ".go button").click()
    soon(chrome).until(lambda one: one.execute_script(FIGURES))
    assert "games. A dot is the estimate" in chrome.find_element("css selector", "#so-far").text
    chrome.refresh()
    soon(chrome).until(lambda one: "left" in one.find_element("css selector", "#left").text)
    chrome.find_element("css selector", "#asked form button").click()
    soon(chrome).until(lambda one: one.execute_script(OVER))
    reloaded(chrome)
    games = load_run(study).games
    assert 0 < games < 150_000
    chrome.get(base(address))
    row = f"//tr[.//a[contains(@href, 'run={study.name}')]]"
    soon(chrome).until(lambda one: one.find_elements("xpath", f"{row}//*[local-name()='svg']"))
    assert "not finished" in chrome.find_element("xpath", row).text
    sound(chrome)
    chrome.find_element("xpath", f"{row}//a[text()='Continue']").click()
    reloaded(chrome)
    assert chrome.find_element("css selector", "input[name=games]").get_attribute("value") == "150000"
    chrome.find_element("css selector", ".go button").click()
    soon(chrome).until(lambda one: "left" in one.find_element("css selector", "#left").text)
    soon(chrome).until(lambda _: load_run(study).games > games)
    chrome.find_element("css selector", "#asked form button").click()
    soon(chrome).until(lambda one: one.execute_script(OVER))
    assert games < load_run(study).games < 150_000


@pytest.mark.parametrize("width", WIDTHS)
def test_a_small_run_is_played_to_its_end_and_grown(chrome: Chrome, address: str, width: int) -> None:
    from selenium.webdriver.common.keys import Keys

    entered(chrome, address, width, f"/ask/run?policies=random&players=3&games=400&out=small-{width}")
    chrome.find_element("css selector", ".go button").send_keys(Keys.ENTER)
    soon(chrome).until(lambda one: one.execute_script(OVER) and one.execute_script(DRAWN))
    assert "7 Wonders 1e, 3 players, 400 games, random" in chrome.find_element("css selector", ".made").text
    sound(chrome)
    reloaded(chrome)
    soon(chrome).until(lambda one: one.execute_script(DRAWN) == "400")
    chrome.find_element("link text", "Play more games").send_keys(Keys.ENTER)
    soon(chrome).until(lambda one: "continued" in one.current_url)
    assert chrome.find_element("css selector", "input[name=games]").get_attribute("value") == "800"
    reloaded(chrome)
    fits(chrome)
    chrome.back()
    soon(chrome).until(lambda one: one.execute_script(DRAWN) == "400")
    chrome.find_element("css selector", "a.big").send_keys(Keys.ENTER)
    soon(chrome).until(lambda one: one.find_elements("css selector", ".sentences"))
    assert "400 games" in chrome.find_element("css selector", ".sentences").text
    reloaded(chrome, ".sentences li")
    fits(chrome)
