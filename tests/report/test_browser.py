"""The page in a real browser: it opens without errors, draws, sorts, searches, turns dark, fits a phone, prints.

Its requirements are listed in tests/report/browser.py.
"""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.report.browser import colours, complaints, resize
from tests.report.test_page import MIXED, WHATIF
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.report import write_report

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

CHARTS = 14
"""Forests and stacks of wonders and policies, two of cards, matchups, scores, ranks, winners, seats, what-if, two of
calibration."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page on disk."""
    folder = tmp_path_factory.mktemp("browser")
    run = record(Plan.make(games=1500, seed=4, policies=MIXED), folder / "run")
    (run.path / "whatif-palace.json").write_text(json.dumps(WHATIF), encoding="utf-8")
    return write_report(run, folder / "page.html").as_uri()


@pytest.fixture
def still(chrome: Chrome, page: str) -> Iterator[Chrome]:
    """The page at 1200 pixels in light colours, shared by tests that change only width and colours.

    No test may leave a complaint in the console.
    """
    resize(chrome, 1200)
    colours(chrome, "light")
    if chrome.current_url != page:
        chrome.get(page)
        wait_until_read(chrome)
    yield chrome
    assert chrome.get_log("browser") == []  # type: ignore[no-untyped-call]


@pytest.fixture
def view(still: Chrome, page: str) -> Iterator[Chrome]:
    """The page, freshly opened at 1200 pixels in light colours, for a test that may change anything."""
    still.refresh()
    wait_until_read(still)
    yield still
    still.execute_script("localStorage.clear()")
    still.get("about:blank")


def wait_until_read(chrome: Chrome) -> None:
    """Wait until the page is complete, because on a slow machine a reload returns once the old page is gone."""
    from selenium.webdriver.support.ui import WebDriverWait

    end = "return document.readyState === 'complete' && document.querySelectorAll('.chart .for-wide svg').length"
    WebDriverWait(chrome, 60).until(lambda driver: driver.execute_script(end) == CHARTS)


def sizes(view: Chrome, selector: str) -> list[list[float]]:
    """Return the width, height and number of marks of every element."""
    script = """
        return [...document.querySelectorAll(arguments[0])].map(one => {
            const box = one.getBoundingClientRect();
            return [box.width, box.height, one.querySelectorAll('[role="graphics-symbol"]').length];
        })"""
    found: list[list[float]] = view.execute_script(script, selector)
    return found


def column(view: Chrome, place: int) -> list[str]:
    """Return the text of a column for all visible cards."""
    script = """
        const rows = [...document.querySelectorAll('#cards-table tbody tr')].filter(row => row.offsetParent !== null);
        const cells = rows.map(row => row.cells[arguments[0]]);
        return cells.map(cell => cell.firstChild.textContent.trim())"""
    texts: list[str] = view.execute_script(script, place)
    return [text.strip() for text in texts]


def heading(view: Chrome, name: str) -> Any:
    from selenium.webdriver.common.by import By

    path = f"//div[@id='cards-table']//thead//button[normalize-space()='{name}']"
    return view.find_element(By.XPATH, path)


def background(view: Chrome) -> str:
    colour: str = view.execute_script("return getComputedStyle(document.body).backgroundColor")
    return colour


def test_every_chart_is_drawn(still: Chrome) -> None:
    drawn = sizes(still, ".chart .for-wide svg")
    assert len(drawn) == CHARTS
    assert all(width > 900 and height > 60 and marks > 3 for width, height, marks in drawn)
    assert {tuple(size[:2]) for size in sizes(still, ".chart .for-narrow svg")} == {(0, 0)}


def test_chart_marks_use_the_style_sheet_colours(still: Chrome) -> None:
    script = """
        const bars = [...document.querySelectorAll('#wonders .for-wide [aria-roledescription="bar"]')];
        return [...new Set(bars.map(bar => getComputedStyle(bar).fill))]"""
    assert len(still.execute_script(script)) == 7  # categories of points of the first edition
    assert "rgb(200, 69, 47)" in still.execute_script(script)  # --military


def test_clicking_a_heading_sorts_and_reverses(view: Chrome) -> None:
    names = column(view, 0)
    heading(view, "Card").click()
    assert column(view, 0) == sorted(names)
    heading(view, "Card").click()
    assert column(view, 0) == sorted(names, reverse=True)
    heading(view, "n").click()
    seats = [int(text.replace(",", "")) for text in column(view, 3)]
    assert seats == sorted(seats, reverse=True)
    assert view.execute_script("return document.querySelectorAll('#cards-table [aria-sort]').length") == 1


def test_the_keyboard_sorts(view: Chrome) -> None:
    from selenium.webdriver.common.keys import Keys

    heading(view, "Owners").send_keys(Keys.ENTER)
    differences = [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(view, 5) if text]
    assert differences == sorted(differences, reverse=True)
    heading(view, "Owners").send_keys(Keys.SPACE)
    assert [float(text.replace("\N{MINUS SIGN}", "-")) for text in column(view, 5) if text] == sorted(differences)


def test_search_and_choices_filter_rows(view: Chrome) -> None:
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


def test_a_slice_replaces_the_whole_table_and_restores_it(view: Chrome) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    def state() -> list[list[str]]:
        return [column(view, place) for place in (0, 3, 4, 5)]

    whole = state()
    caption = view.find_element(By.CSS_SELECTOR, "#cards-table caption")
    choice = Select(view.find_element(By.CSS_SELECTOR, "#cards-table select.slice"))
    assert choice.first_selected_option.text == "all seats of this run"
    choice.select_by_visible_text("policy military")
    assert caption.text.endswith("Only policy military.")
    part = state()
    assert part != whole
    seats = {name: int(count.replace(",", "")) for name, count in zip(*part[:2], strict=True)}
    everybody = {name: int(count.replace(",", "")) for name, count in zip(*whole[:2], strict=True)}
    assert all(count <= everybody[name] for name, count in seats.items())
    colours_of = """return [...document.querySelectorAll('#cards-table tbody th')].every(
        one => one.style.getPropertyValue('--kind'))"""
    assert view.execute_script(colours_of)
    Select(view.find_elements(By.CSS_SELECTOR, "#cards-table select[data-column]")[0]).select_by_visible_text("red")
    assert set(column(view, 1)) == {"red"}
    choice.select_by_index(0)
    assert set(column(view, 1)) == {"red"}
    Select(view.find_elements(By.CSS_SELECTOR, "#cards-table select[data-column]")[0]).select_by_index(0)
    assert state() == whole
    assert "Only" not in caption.text


def test_dark_mode_follows_the_system_and_the_button(view: Chrome) -> None:
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


def test_the_page_never_scrolls_sideways_at_any_width(view: Chrome) -> None:
    """This also holds if all tables are expanded."""
    for _ in ("folded", "unfolded"):
        for width in (320, 390, 640, 700, 1000):
            resize(view, width)
            widths = view.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
            assert widths == [width, width]
            shape = "narrow" if width <= 640 else "wide"
            drawn = sizes(view, f".chart .for-{shape} svg")
            assert len(drawn) == CHARTS
            assert all(0 < size[0] <= width and size[1] > 60 for size in drawn)
        open_all(view)


def test_a_wide_screen_links_to_every_section(still: Chrome) -> None:
    resize(still, 1280)
    places = "return [...document.querySelectorAll('nav a')].map((link) => link.getBoundingClientRect().right)"
    assert 0 < max(still.execute_script(places)) <= 1280


def test_hovering_a_mark_shows_its_numbers(view: Chrome) -> None:
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


def test_the_page_prints_in_light_colours_with_charts(view: Chrome) -> None:
    colours(view, "dark")
    view.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert background(view) == "rgb(255, 255, 255)"
    assert len(sizes(view, ".chart .for-wide svg")) == CHARTS
    assert not view.execute_script("return document.querySelector('nav').offsetParent")
    printed = view.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


def test_the_page_makes_no_network_requests(still: Chrome) -> None:
    assert still.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_the_file_is_small(page: str) -> None:
    assert Path(page.removeprefix("file://")).stat().st_size < 1_650_000  # of it 300 kB cards and their charts


# --- for everybody ----------------------------------------------------------------------------------------------------


def open_all(view: Chrome) -> None:
    view.execute_script("for (const one of document.querySelectorAll('details')) one.open = true;")


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1200)])
def test_an_accessibility_engine_reports_no_problems(view: Chrome, scheme: str, width: int) -> None:
    """This includes collapsed tables."""
    colours(view, scheme)
    resize(view, width)
    open_all(view)
    # the rows of a table are alike: the first of each are enough
    view.execute_script("for (const row of document.querySelectorAll('tbody tr:nth-child(n+9)')) row.remove();")
    assert complaints(view) == []


def test_numbers_on_coloured_cells_are_legible(still: Chrome) -> None:
    """Accessibility engines skip drawings, so this checks the contrast in match-up cells, blended as by the browser."""
    script = """
        const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        const rgb = (layers) => {
            paint.globalAlpha = 1;
            for (const [colour, alpha] of layers) {
                paint.globalAlpha = alpha; paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1);
            }
            return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const part = (one) => (one /= 255) <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
        const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        const paper = getComputedStyle(document.querySelector('section')).backgroundColor;
        const number = document.querySelector('#matchups .for-wide .mark-text text');
        const ink = light(rgb([[getComputedStyle(number).fill, 1]]));
        return [...document.querySelectorAll('#matchups .for-wide .mark-rect path')].map(cell => {
            const style = getComputedStyle(cell);
            const ground = light(rgb([[paper, 1], [style.fill, Number(style.opacity) * Number(style.fillOpacity)]]));
            return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        });"""
    for scheme in ("light", "dark"):
        colours(still, scheme)
        contrasts = still.execute_script(script)
        assert len(contrasts) == 12
        assert min(contrasts) >= 4.5, scheme


def test_no_axis_of_a_share_goes_below_0(still: Chrome) -> None:
    script = """
        const axes = ['#policies', '#wonders'].map(one => `${one} .for-wide .role-axis-label text`).join(', ');
        const texts = [...document.querySelectorAll(axes)].map(one => one.textContent);
        return texts.filter(text => /^[^a-z]+$/i.test(text))"""
    labels = [float(text.replace("\N{MINUS SIGN}", "-")) for text in still.execute_script(script)]
    assert len(labels) > 8
    assert min(labels) >= 0


def test_a_wide_table_shows_where_it_continues(view: Chrome) -> None:
    cue = """
        return [...document.querySelectorAll('.grid')].map(one => [
            one.hasAttribute('data-more'),
            one.querySelector('.scroll').scrollWidth > one.querySelector('.scroll').clientWidth + 1,
            one.querySelector('.more').offsetParent !== null,
        ])"""
    resize(view, 390)
    open_all(view)
    view.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    told = view.execute_script(cue)
    assert all(said == goes_on == shown for said, goes_on, shown in told)
    assert any(said for said, _, _ in told)
    assert not all(said for said, _, _ in told)


def test_every_table_can_be_downloaded(still: Chrome) -> None:
    text = still.execute_script("return csvOf(document.querySelector('#cards-table table'))")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][:4] == ["Card", "Colour", "Age", "n"]
    assert "Built share [of seats]: 95% interval" in rows[0]
    assert "Owners [percentage points]" in rows[0]
    assert len(rows) == 1 + len(column(still, 0))
    assert {len(row) for row in rows} == {len(rows[0])}
    points = rows[0].index("Built share [of seats]")
    assert all(float(row[points]) >= 0 for row in rows[1:] if row[points])
    assert len(rows[1][points]) > 5  # the figure itself, not what was rounded for reading
    buttons = still.execute_script("return [...document.querySelectorAll('.download')].map(one => one.hidden)")
    grids = still.execute_script("return document.querySelectorAll('.grid').length")
    assert len(buttons) == grids
    assert not any(buttons)
