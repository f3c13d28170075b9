"""The page of a game in a real browser: keys, clicks and swipes step, hands can be hidden, and no errors occur.

Its requirements are listed in tests/report/browser.py.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.report.browser import colours, resize
from tests.report.test_replay import PLANS, replay
from wsim.report.game_page import write_replay

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

CONTRAST = """
    const parts = (colour) => {
        const found = colour.match(/[\\d.]+/g).map(Number);
        return colour.startsWith("color(") ? [...found.slice(0, 3).map((one) => 255 * one), found[3] ?? 1] : found;
    };
    const light = (colour) => parts(colour).slice(0, 3)
        .map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
        .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
    const behind = (one) => {
        for (let at = one; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if ((parts(colour)[3] ?? 1) === 1) return colour;
        }
        return "rgb(255, 255, 255)";
    };
    const found = [];
    for (const one of document.querySelectorAll("body *")) {
        const text = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!text || one.closest("script, noscript, style, :disabled") || !one.getClientRects().length) continue;
        const style = getComputedStyle(one);
        const drawn = one instanceof SVGElement ? style.fill : style.color;
        const [low, high] = [light(drawn), light(behind(one))].sort((a, b) => a - b);
        const name = `${one.tagName}.${one.getAttribute("class")}: ${one.textContent}`;
        if ((high + 0.05) / (low + 0.05) < 4.5) found.push(name);
    }
    return found"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder with a replay page for every plan."""
    folder = tmp_path_factory.mktemp("replays")
    for name in PLANS:
        write_replay(replay(name), folder / f"{name}.html")
    return folder


class View:
    """A page in the browser."""

    def __init__(self, chrome: Chrome, folder: Path) -> None:
        self.chrome, self.folder = chrome, folder

    def open(self, name: str, width: int = 1200, place: str = "") -> View:
        resize(self.chrome, width)
        colours(self.chrome, "light")
        self.chrome.get("about:blank")
        self.chrome.get((self.folder / f"{name}.html").as_uri() + place)
        from selenium.webdriver.support.ui import WebDriverWait

        ready = "return document.readyState === 'complete' && document.querySelectorAll('#ring .node').length > 0"
        WebDriverWait(self.chrome, 60).until(lambda driver: driver.execute_script(ready))
        return self

    def ask(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def moment(self) -> str:
        return str(self.ask("return document.getElementById('moment').textContent"))

    def press(self, key: str) -> str:
        for kind in ("keyDown", "keyUp"):
            self.chrome.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": key})
        return self.moment()

    def click(self, name: str) -> str:
        self.chrome.find_element("id", name).click()
        return self.moment()

    def swipe(self, start: int, end: int) -> str:
        y = int(self.ask("const box = document.getElementById('ring').getBoundingClientRect(); return box.top + 60"))
        for kind, points in (
            ("touchStart", [{"x": start, "y": y}]),
            ("touchMove", [{"x": end, "y": y}]),
            ("touchEnd", []),
        ):
            self.chrome.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        return self.moment()

    def choose(self, hands: str) -> None:
        script = (
            "const v = document.getElementById('view'); v.value = arguments[0]; v.dispatchEvent(new Event('change'))"
        )
        self.ask(script, hands)

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.ask(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)", selector
        )
        return found


@pytest.fixture
def view(chrome: Chrome, pages: Path) -> Iterator[View]:
    """Open a page; fail if a test leaves an error in the console or makes a network request."""
    one = View(chrome, pages)
    yield one
    assert chrome.get_log("browser") == []  # type: ignore[no-untyped-call]
    assert one.ask("return performance.getEntriesByType('resource').length") == 0


def test_arrow_keys_step_through_the_game(view: View) -> None:
    view.open("four")
    assert view.moment() == "The deal"
    assert view.press("ArrowLeft") == "The deal"
    assert [view.press("ArrowRight") for _ in range(2)] == ["Age I, turn 1", "Age I, turn 2"]
    assert view.press("ArrowLeft") == "Age I, turn 1"
    assert view.press("PageDown") == "Age II, turn 1"
    assert view.press("PageUp") == "The deal"
    assert view.press("End") == "Age III, turn 6"
    assert view.press("ArrowRight") == "Age III, turn 6"
    assert view.press("Home") == "The deal"


def test_buttons_and_slider_step_through_the_game(view: View) -> None:
    view.open("four")
    assert [view.click("on"), view.click("on"), view.click("back")] == [
        "Age I, turn 1",
        "Age I, turn 2",
        "Age I, turn 1",
    ]
    assert view.click("last") == "Age III, turn 6"
    assert view.ask("return [...document.querySelectorAll('.buttons :disabled')].map(one => one.id)") == ["on", "last"]
    assert view.click("first") == "The deal"
    view.ask("const w = document.getElementById('where'); w.value = 9; w.dispatchEvent(new Event('input'))")
    assert view.moment() == "Age II, turn 3"
    assert view.ask("return document.getElementById('where').getAttribute('aria-valuetext')") == "Age II, turn 3"


def test_swiping_steps_through_the_game(view: View) -> None:
    view.open("four", 390)
    assert view.swipe(300, 100) == "Age I, turn 1"
    assert view.swipe(300, 100) == "Age I, turn 2"
    assert view.swipe(100, 300) == "Age I, turn 1"
    assert view.swipe(200, 180) == "Age I, turn 1"  # that was no swipe


def test_curve_turning_point_and_story_link_to_their_step(view: View) -> None:
    view.open("four")
    step = view.ask("const one = document.querySelector('.swings .jump'); one.click(); return Number(one.dataset.step)")
    assert view.ask("return Number(document.getElementById('where').value)") == step
    view.ask("document.querySelectorAll('.story .jump')[13].click()")
    assert view.moment() == "Age III, turn 1"
    assert (
        view.ask("return document.querySelector('.story [aria-current=step] .jump').textContent") == "Age III, turn 1"
    )
    view.ask("""
        const field = document.querySelector('.field'), box = field.getBoundingClientRect();
        field.dispatchEvent(new MouseEvent('click', {clientX: box.left + box.width / 3, clientY: box.top + 5}))""")
    assert view.moment() == "Age I, turn 6"
    assert (
        view.ask("return [...document.querySelectorAll('.cursor')].map(one => parseFloat(one.style.left))")
        == [pytest.approx(100 / 3, abs=0.01)] * 3
    )


@pytest.mark.parametrize("name", PLANS)
def test_every_step_shows_its_scene(view: View, name: str) -> None:
    story = replay(name).story
    view.open(name)
    for place in (0, 5, len(story.scenes) - 1):
        view.ask("show(arguments[0])", place)
        scene = story.scenes[place]
        assert len(view.texts("#events li")) == len(scene.events)
        assert len(view.texts("#seats .city")) == len(view.texts("#ring .node")) == len(story.seats)
        assert [int(text) for text in view.texts("#standing .total")] == [sum(city.points) for city in scene.cities]
        assert len(view.texts("#ring .flow")) == len(scene.flows)
        assert len(view.texts("#ring .clash")) == len(scene.clashes)
        built = sum(len(city.cards) for city in scene.cities)
        held = sum(len(city.hand) for city in scene.cities)
        assert len(view.texts("#seats .card")) == built + held
        assert len(view.texts("#rows > li")) == len(scene.board)


def test_a_seat_sees_its_own_hand_but_no_other(view: View) -> None:
    view.open("four")
    veiled = [event for scene in replay("four").story.scenes for event in scene.events if event.veiled is not None]
    secret = next(event for event in veiled if event.seat == 0)
    place = next(place for place, scene in enumerate(replay("four").story.scenes) if secret in scene.events)
    view.ask("show(arguments[0])", place)
    for hands, known in (("open", True), ("0", True), ("1", False), ("none", False)):
        view.choose(hands)
        shown = "\n".join(view.texts("#events li, .story li, .swings li"))
        assert (secret.text in shown) == known
        assert known or str(secret.veiled) in shown
        closed = sum("closed" in text for text in view.texts("#seats .nothing"))
        assert closed == {"open": 0, "none": 4}.get(hands, 3)


def test_chances_add_up_where_all_hands_are_open(view: View) -> None:
    view.open("four", place="#9")
    for hands, chances in (("open", replay("four").chances.outside[9]), ("1", replay("four").chances.share[9])):
        view.choose(hands)
        shown = [int(re.findall(r"(\d+)%", text)[0]) for text in view.texts("#ring .node")]
        assert shown == pytest.approx((100 * chances).tolist(), abs=1)
        assert hands != "open" or sum(shown) == 100


def test_mates_see_each_others_hands(view: View) -> None:
    view.open("teams", place="#3")
    view.choose("2")
    assert sum("closed" in text for text in view.texts("#seats .nothing")) == 4


def test_the_address_keeps_the_step(view: View) -> None:
    view.open("three", place="#7")
    assert view.moment() == "Age II, turn 1"
    view.press("ArrowRight")
    assert view.ask("return location.hash") == "#8"
    view.ask("location.hash = '#nonsense'")
    assert view.moment() in ("The deal", "Age II, turn 2")  # once the browser has told the page


@pytest.mark.parametrize("name", PLANS)
def test_the_page_never_scrolls_sideways(view: View, name: str) -> None:
    view.open(name, 320, "#12")
    for width in (320, 390, 700):
        resize(view.chrome, width)
        assert view.ask("return [document.documentElement.scrollWidth, innerWidth]") == [width, width]


@pytest.mark.parametrize("name", ["seven", "babel"])
def test_all_text_is_legible(view: View, name: str) -> None:
    """Every text has a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3)."""
    view.open(name, place="#12")
    for scheme in ("light", "dark"):
        colours(view.chrome, scheme)
        assert view.ask(CONTRAST) == [], scheme


def test_every_control_has_a_name(view: View) -> None:
    view.open("four")
    unnamed = """
        const unnamed = (one) => !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim());
        return [...document.querySelectorAll('button, input, select')].filter(unnamed).map(one => one.outerHTML)"""
    assert view.ask(unnamed) == []
    assert view.ask("return document.getElementById('moment').getAttribute('aria-live')") == "polite"
    assert view.ask("return document.getElementById('ring').getAttribute('aria-label')").startswith(
        "Points: Halikarnassos A 1"
    )


def test_the_page_prints_the_step_and_the_whole_game(view: View) -> None:
    view.open("four", place="#6")
    view.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    assert not view.ask("return document.querySelector('.stepper').offsetParent")
    assert view.ask("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(view.texts(".story > li")) == 19
    printed = view.chrome.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    view.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
