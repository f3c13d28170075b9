"""The page in a real browser: it opens without a complaint, draws, sorts, searches, turns dark, fits a phone, prints.

What it needs is told in tests/report/browser.py.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.report.browser import colours, resize
from tests.report.test_page import WHATIF
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.report import write_report

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

CHARTS = 12
"""Forests and stacks of wonders and policies, matchups, scores, ranks, winners, seats, what-if, calibration (two)."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page on the disk."""
    folder = tmp_path_factory.mktemp("browser")
    run = record(Plan.make(games=1500, seed=4), folder / "run").run
    (run.path / "whatif-palace.json").write_text(json.dumps(WHATIF), encoding="utf-8")
    return write_report(run, folder / "page.html").as_uri()


@pytest.fixture
def view(chrome: Chrome, page: str) -> Iterator[Chrome]:
    """The page, freshly opened at 1200 pixels, light; no test may leave a complaint in the console."""
    resize(chrome, 1200)
    colours(chrome, "light")
    chrome.get(page)
    chrome.execute_script("try { localStorage.clear() } catch {}")
    chrome.get(page)
    wait_until_read(chrome)
    yield chrome
    assert chrome.get_log("browser") == []  # type: ignore[no-untyped-call]


def wait_until_read(chrome: Chrome) -> None:
    """Wait for the end of the page: reloading a page returns as soon as the old one is gone on a slow machine."""
    from selenium.webdriver.support.ui import WebDriverWait

    end = "return document.readyState === 'complete' && document.querySelectorAll('.chart .for-wide svg').length"
    WebDriverWait(chrome, 60).until(lambda driver: driver.execute_script(end) == CHARTS)


def sizes(view: Chrome, selector: str) -> list[list[float]]:
    """Return width and height of every element, and how many marks it holds."""
    script = """
        return [...document.querySelectorAll(arguments[0])].map(one => {
            const box = one.getBoundingClientRect();
            return [box.width, box.height, one.querySelectorAll('[role="graphics-symbol"]').length];
        })"""
    found: list[list[float]] = view.execute_script(script, selector)
    return found


def column(view: Chrome, place: int) -> list[str]:
    """Return the texts of a column of the cards that are shown."""
    script = """
        const rows = [...document.querySelectorAll('#cards-table tbody tr')].filter(row => row.offsetParent !== null);
        const cells = rows.map(row => row.cells[arguments[0]]);
        return cells.map(cell => (cell.querySelector('.value') ?? cell).textContent)"""
    texts: list[str] = view.execute_script(script, place)
    return [text.strip() for text in texts]


def heading(view: Chrome, name: str) -> Any:
    from selenium.webdriver.common.by import By

    path = f"//div[@id='cards-table']//thead//button[normalize-space()='{name}']"
    return view.find_element(By.XPATH, path)


def background(view: Chrome) -> str:
    colour: str = view.execute_script("return getComputedStyle(document.body).backgroundColor")
    return colour


def test_every_chart_is_drawn(view: Chrome) -> None:
    drawn = sizes(view, ".chart .for-wide svg")
    assert len(drawn) == CHARTS
    assert all(width > 900 and height > 60 and marks > 3 for width, height, marks in drawn)
    assert {tuple(size[:2]) for size in sizes(view, ".chart .for-narrow svg")} == {(0, 0)}


def test_marks_have_the_colours_of_the_style_sheet(view: Chrome) -> None:
    script = """
        const bars = [...document.querySelectorAll('#wonders .for-wide [aria-roledescription="bar"]')];
        return [...new Set(bars.map(bar => getComputedStyle(bar).fill))]"""
    assert len(view.execute_script(script)) == 7  # categories of points of the first edition
    assert "rgb(200, 69, 47)" in view.execute_script(script)  # --military


def test_a_heading_sorts_and_sorts_back(view: Chrome) -> None:
    names = column(view, 0)
    heading(view, "Card").click()
    assert column(view, 0) == sorted(names)
    heading(view, "Card").click()
    assert column(view, 0) == sorted(names, reverse=True)
    heading(view, "Seats").click()
    seats = [int(text.replace(",", "")) for text in column(view, 3)]
    assert seats == sorted(seats, reverse=True)
    assert view.execute_script("return document.querySelectorAll('#cards-table [aria-sort]').length") == 1


def test_the_keyboard_sorts(view: Chrome) -> None:
    from selenium.webdriver.common.keys import Keys

    heading(view, "Win points").send_keys(Keys.ENTER)
    points = [float(text) for text in column(view, 5) if text]
    assert points == sorted(points)
    heading(view, "Win points").send_keys(Keys.SPACE)
    assert [float(text) for text in column(view, 5) if text] == sorted(points, reverse=True)


def test_the_search_and_the_choices_filter(view: Chrome) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select

    box = view.find_element(By.CSS_SELECTOR, "#cards-table input[type=search]")
    everything = column(view, 0)
    box.send_keys("GUILD")
    guilds = column(view, 0)
    assert guilds == [name for name in everything if "Guild" in name]
    assert guilds
    shown = view.find_element(By.CSS_SELECTOR, "#cards-table output").text
    assert shown == f"{len(guilds)} rows"
    box.send_keys(Keys.BACKSPACE * len("GUILD"))
    assert column(view, 0) == everything
    choices = view.find_elements(By.CSS_SELECTOR, "#cards-table select")
    Select(choices[0]).select_by_visible_text("blue")
    assert set(column(view, 1)) == {"blue"}
    Select(choices[1]).select_by_visible_text("3")
    assert set(column(view, 2)) == {"3"}


def test_dark_by_the_system_and_by_the_button(view: Chrome) -> None:
    from selenium.webdriver.common.by import By

    light = background(view)
    text = "return getComputedStyle(document.querySelector('.for-wide svg text')).fill"
    ink = view.execute_script(text)
    colours(view, "dark")
    dark = background(view)
    assert dark != light
    assert view.execute_script(text) != ink
    button = view.find_element(By.ID, "theme")
    assert button.text == "Light"
    button.click()
    assert background(view) == light
    view.refresh()
    assert background(view) == light
    colours(view, "light")
    view.find_element(By.ID, "theme").click()
    assert background(view) == dark


@pytest.mark.parametrize("width", [320, 390, 640, 700, 1000])
def test_no_width_scrolls_sideways(view: Chrome, width: int) -> None:
    resize(view, width)
    for details in ("", "for (const one of document.querySelectorAll('details')) one.open = true;"):
        widths = view.execute_script(f"{details} return [document.documentElement.scrollWidth, innerWidth]")
        assert widths == [width, width]
    shape = "narrow" if width <= 640 else "wide"
    drawn = sizes(view, f".chart .for-{shape} svg")
    assert len(drawn) == CHARTS
    assert all(0 < size[0] <= width and size[1] > 60 for size in drawn)


def test_a_mark_tells_its_numbers(view: Chrome) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    mark = view.find_element(By.CSS_SELECTOR, '#wonders .for-wide [aria-roledescription="point"]')
    view.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", mark)
    view.execute_async_script(
        "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
    )  # scrolling hides tips
    ActionChains(view).move_to_element(mark).perform()
    tip = view.find_element(By.ID, "tip")
    assert tip.is_displayed()
    assert tip.text == mark.get_attribute("aria-label")


def test_it_prints_light_with_its_charts(view: Chrome) -> None:
    colours(view, "dark")
    view.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert background(view) == "rgb(255, 255, 255)"
    assert len(sizes(view, ".chart .for-wide svg")) == CHARTS
    assert not view.execute_script("return document.querySelector('nav').offsetParent")
    printed = view.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


def test_nothing_is_asked_of_the_network(view: Chrome) -> None:
    assert view.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_the_file_is_small(page: str) -> None:
    assert Path(page.removeprefix("file://")).stat().st_size < 1_500_000
