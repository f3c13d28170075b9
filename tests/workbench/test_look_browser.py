"""Looking in a real browser: by keys, light and dark, wide and narrow; nothing is loaded from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.report.browser import colours, resize
from tests.report.test_page import MIXED, WHATIF
from tests.workbench.browsing import base, reloaded, soon, sound
from tests.workbench.conftest import Serve
from wsim.lab.plan import Plan
from wsim.lab.run import record

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

PAGES = (
    "/", "/run?run=one", "/cards", "/cards?name=Gizah&color=red", "/cards?game=tower_of_babel",
    "/run?run=one&run=three&table=cards&beside=1&charts=1&top=9", "/run?run=one&table=wonders&charts=1",
    "/run?run=one&table=cards&by=wonder&top=9",
    "/thing?run=one&table=cards&name=Palace&show=games",
    "/thing?run=one&run=three&table=cards&name=Palace&show=by:seat", "/answer?file=palace.json", "/run?run=nowhere",
    "/change?at=cards.Palace&change=cards.Palace.points%3D5", "/change?at=cards.Palace&change=cards.Palace.points%3Dx",
)  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, serve: Serve) -> str:
    """The address of a server, with the token."""
    folder = tmp_path_factory.mktemp("browse")
    record(Plan.make(games=120, seed=3, policies=MIXED), folder / "one")
    record(Plan.make(games=60, seed=4, players=3, policies=MIXED[:3]), folder / "three")
    plan = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "policies": ["net"]}
    (folder / "palace.json").write_text(json.dumps({**WHATIF, "baseline": {"plan": plan}}))
    return serve(folder)[1]


@pytest.fixture
def view(chrome: Chrome, address: str) -> Iterator[Chrome]:
    """Open the first page at 1280 pixels in light colours; fail if a page leaves an error in the console."""
    from selenium.webdriver.support.ui import WebDriverWait

    resize(chrome, 1280)
    colours(chrome, "light")
    chrome.get(address)
    WebDriverWait(chrome, 30).until(
        lambda one: "token" not in one.current_url and one.find_elements("css selector", "#found")
    )
    yield chrome
    said = [one for one in chrome.get_log("browser") if one["level"] != "DEBUG"]  # type: ignore[no-untyped-call]
    said = [one for one in said if "400 (Bad Request)" not in one["message"]]
    assert said == []


def test_an_accessibility_engine_reports_no_problems(view: Chrome, address: str) -> None:
    """Of any page, wide and narrow, in light and dark; none loads anything from elsewhere."""
    alike = "tbody tr:nth-child(n+9), .gallery > li:nth-child(n+25)"  # the first rows and cards are enough
    fewer = f"for (const one of document.querySelectorAll('{alike}')) one.remove();"
    for page in PAGES:
        view.get(base(address) + page)
        view.execute_script(fewer)
        sound(view)
        loaded = view.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
        assert [one for one in loaded if not one.startswith((base(address), "data:"))] == [], page


def test_a_run_is_found_filtered_and_sorted_by_keys_alone(view: Chrome) -> None:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    def follow(part: str) -> None:
        """Press Enter, and wait for the next page."""
        view.switch_to.active_element.send_keys(Keys.ENTER)
        loaded = "return location.href.includes(arguments[0]) && document.readyState === 'complete'"
        WebDriverWait(view, 60).until(lambda one: one.execute_script(loaded, part))

    def to(selector: str) -> None:
        """Press the Tab key until an element has the focus."""
        for _ in range(80):
            view.switch_to.active_element.send_keys(Keys.TAB)
            if view.execute_script("return document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(f"no key leads to {selector}")

    to("a[href='/run?run=one']")
    follow("/run?run=one")
    to("a[href*='table=cards']")
    follow("table=cards")
    to(".options > summary")
    view.switch_to.active_element.send_keys(Keys.ENTER)
    to("input[name=filter]")
    view.switch_to.active_element.send_keys("age=3")
    follow("filter=age%3D3")
    to("thead a[href*='sort=n']")
    follow("sort=n")
    assert "filter=age%3D3" in view.current_url
    ages = view.execute_script(
        "return [...document.querySelectorAll('tbody tr')].map(row => row.cells[2].textContent.trim())"
    )
    assert set(ages) == {"3"}
    shown = view.find_element("css selector", "main").text
    view.refresh()
    assert view.find_element("css selector", "main").text == shown


@pytest.mark.parametrize("width", [1280, 390])
def test_the_gallery_filters_at_once_and_its_address_keeps_it(view: Chrome, address: str, width: int) -> None:
    resize(view, width)
    view.get(base(address) + "/cards")
    names = "return [...document.querySelectorAll('#cards > li:not([hidden]) .face-name')].map(one => one.textContent)"
    assert len(view.execute_script(names)) == 75
    for value in ("red", "1"):
        view.find_element("css selector", f"label.pick:has([value='{value}'])").click()
    assert view.execute_script(names) == ["Barracks", "Guard Tower", "Stockade"]
    assert view.find_element("css selector", "#filter output").text == "3 of 75 cards"
    assert not view.find_element("id", "boards").is_displayed()  # they have neither age nor colour
    reloaded(view)
    assert view.execute_script(names) == ["Barracks", "Guard Tower", "Stockade"]
    view.find_element("css selector", "[name=q]").send_keys("guard")
    assert view.execute_script(names) == ["Guard Tower"]
    reloaded(view)
    gone = view.execute_script("return document.querySelector('#cards > li[hidden] a').checkVisibility()")
    view.execute_script("document.querySelector('#cards > li[hidden] a').focus()")
    assert (gone, view.execute_script("return document.activeElement.tagName")) == (False, "BODY")  # kept, not drawn
    view.find_element("css selector", "#clear").click()
    assert len(view.execute_script(names)) == 75
    soon(view).until(lambda one: "color" not in one.current_url)
    view.find_element("css selector", "[name=q]").send_keys("gizah")
    assert view.find_element("css selector", "#filter output").text == "0 of 75 cards, 1 of 7 boards"
    reloaded(view, "#boards li:not([hidden]) .face-name")


def test_pointing_at_a_name_shows_its_card_and_escape_hides_it(view: Chrome, address: str) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    view.get(base(address) + "/run?run=one&table=cards&filter=card%3DPalace")
    link = view.find_element("css selector", "th[data-face=Palace] a")
    view.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    ActionChains(view).move_to_element(link).pause(0.2).move_by_offset(2, 0).perform()
    tip = view.find_element("css selector", "#face-tip")
    soon(view).until(lambda _: tip.is_displayed())
    assert "8 points" in tip.text
    assert view.execute_script("const box = arguments[0].getBoundingClientRect(); return box.right <= innerWidth", tip)
    ActionChains(view).send_keys(Keys.ESCAPE).perform()
    assert not tip.is_displayed()


def test_a_mark_of_a_chart_shows_its_card_and_leads_to_its_row(view: Chrome, address: str) -> None:
    view.get(base(address) + "/run?run=one&table=cards&charts=1")
    mark = "document.querySelector('.for-wide [aria-label^=\"Palace:\"][aria-roledescription=point]')"
    view.execute_script(f"{mark}.scrollIntoView({{block: 'center'}})")

    def dispatch(event: str) -> str:
        view.execute_script(f"{mark}.dispatchEvent(new MouseEvent('{event}', {{bubbles: true}}))")
        return view.find_element("css selector", "#tip").text

    soon(view).until(lambda _: "8 points" in dispatch("pointermove"))  # a page that scrolls hides it
    dispatch("click")
    row = view.find_element("css selector", "tr.found")
    assert row.find_element("css selector", "th").text.strip() == "Palace"
    assert row.find_element("css selector", "[name=pick]").is_selected()


def test_two_runs_are_chosen_and_are_side_by_side(view: Chrome) -> None:
    for one in view.find_elements("css selector", "input[name=run]"):
        one.click()
    view.find_element("css selector", "#beside button").click()
    soon(view).until(lambda one: "run=one" in one.current_url)
    assert "run=three" in view.current_url
    assert "wsim table" in view.find_element("css selector", "pre").text
