"""Playing in a real browser: by keys, from two browsers, with reloads, and what axe says of the pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import wsim
from tests.conftest import ROOT
from tests.report.browser import colours, resize, started
from tests.workbench.browsing import WIDTHS, base, entered, fits, reloaded, soon, sound

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser


LOST = "one => !document.querySelector(one.getAttribute('href'))"
"""A script that says whether the symbol of an icon is missing."""
ANALYSES = ("/analyse", "/analyse?file=ours.json")
LAST = 52
"""Choices before the last three in this game of three."""
COMPILED = 300
"""Seconds in which playouts of a game are compiled, where they were never played."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("playing")
    game = wsim.Game(ruleset="1e", players=3, seed=7, policies="greedy", rotate=False)
    for _ in range(9):
        game.follow()
    (folder / "ours.json").write_text(game.to_json())
    shutil.copy(ROOT / "analysis" / "expansion" / "companions.toml", folder)
    return folder


@pytest.fixture
def view(chrome: Chrome, address: str) -> Chrome:
    """Open the list of tables in a window 390 pixels wide."""
    return entered(chrome, address, 390, "/play")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A second browser with a separate profile and cookies, at desktop width."""
    with started(tmp_path_factory.mktemp("other")) as running:
        colours(running, "light")
        resize(running, 1280)
        yield running


def opened(view: Chrome, *names: str) -> list[str]:
    """Open a table by keyboard; return the addresses of its seats."""
    from selenium.webdriver.common.keys import Keys

    for seat, name in enumerate(names):
        field = view.find_element("id", f"name{seat}")
        field.clear()
        field.send_keys(name)
    view.find_element("id", f"name{len(names) - 1}").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "/play/" in one.current_url and one.find_elements("id", "file"))
    links = view.find_elements("css selector", ".seats a")
    return [str(one.get_attribute("href")) for one in links]


def text(view: Chrome) -> str:
    return str(view.execute_script("return document.querySelector('main').innerText"))


def test_two_people_play_by_keys_in_two_browsers_and_a_page_that_waits_renews_itself(
    view: Chrome, other: Chrome, address: str
) -> None:
    from selenium.webdriver.common.keys import Keys

    ann, bob = opened(view, "Ann", "Bob")
    view.get(ann)
    view.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Still to choose: Bob" in text(one))
    reloaded(view)
    other.get(base(address))
    assert other.title.startswith("Refused")  # without the server's token there is nothing but one's seat
    other.get(bob)
    assert "a person, waits" in text(other)
    reloaded(other)
    fits(other)
    desk = other.current_window_handle
    other.switch_to.new_window("tab")  # the same seat twice: what is chosen here is shown there
    other.get(bob)
    other.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(other).until(lambda one: "Age I, turn 2" in text(one))
    other.close()
    other.switch_to.window(desk)
    for one in (other, view):
        soon(one).until(lambda one: "Age I, turn 2" in text(one))
    fits(view)
    token = f"wsim-{base(address).rpartition(':')[2]}"
    assert [token in {each["name"] for each in one.get_cookies()} for one in (view, other)] == [True, False]
    assert "Choose: your move" in text(view)
    assert "Ann" in view.find_element("css selector", "#ring .node.acts b").text
    page = view.find_element("css selector", "body")
    page.send_keys(Keys.ARROW_LEFT)  # back to the first turn
    assert view.find_element("id", "moment").text.startswith("Age I, turn 1")
    view.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Still to choose: Bob" in text(one))
    assert view.find_element("id", "moment").text.startswith("Age I, turn 2")  # chosen: a new page
    reloaded(view)
    view.find_element("css selector", "form[action$=undo] button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Choose: your move" in text(one))
    reloaded(view)
    view.find_element("css selector", "button[name=hint]").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "hint from the value net" in text(one).lower())
    assert view.find_element("css selector", ".moves button.best b").text.startswith("0.")
    reloaded(view)
    view.back()
    view.back()
    soon(view).until(lambda one: one.find_elements("id", "ring"))


def test_two_people_draft_a_further_deck_in_two_browsers(view: Chrome, other: Chrome) -> None:
    """Each keeps a card and gets the hand that is passed on, also after a reload and the way back (R101)."""
    from selenium.webdriver.common.keys import Keys

    view.find_element("css selector", "form.form summary").click()
    view.find_element("id", "patch").send_keys("companions.toml")
    ann, bob = opened(view, "Ann", "Bob")
    hands = []
    for browser, seat in ((view, ann), (other, bob)):
        browser.get(seat)
        soon(browser).until(lambda one: "a card of companions to keep" in text(one).lower())
        hands.append([one.text for one in browser.find_elements("css selector", ".moves h3")])
        assert len(hands[-1]) == 4
        reloaded(browser)
    sound(view)
    view.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Still to choose: Bob" in text(one))
    reloaded(view)
    other.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: len(one.find_elements("css selector", ".moves h3")) == 3)  # told, without a reload
    soon(other).until(lambda one: len(one.find_elements("css selector", ".moves h3")) == 3)
    assert [one.text for one in other.find_elements("css selector", ".moves h3")] == hands[0][1:]


@pytest.mark.parametrize("width", WIDTHS)
def test_policies_play_live_and_a_seat_is_taken_over(view: Chrome, width: int) -> None:
    from selenium.webdriver.common.keys import Keys

    resize(view, width)
    view.find_element("id", "name0").clear()
    view.find_element("css selector", "form.form .act").send_keys(Keys.ENTER)
    soon(view).until(lambda one: one.find_elements("id", "pause") and one.find_elements("css selector", "#ring .node"))
    watch = view.current_url
    soon(view).until(lambda one: "turn 3" in one.find_element("id", "moment").text)  # the page follows by itself
    view.find_element("id", "pause").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Paused" in text(one))
    moment = view.find_element("id", "moment").text
    sound(view)
    reloaded(view, ".sitting b")
    assert len(view.find_elements("css selector", "#seats .city .card[data-face]")) > 3 * 4  # hands and cities
    icons = "return [...document.querySelectorAll('#seats use')].map(one => one.getAttribute('href'))"
    lost = f"return [...document.querySelectorAll('#seats use')].filter({LOST}).length"
    assert view.execute_script(icons)
    assert view.execute_script(lost) == 0
    assert view.execute_script("return document.getElementById('where').getBoundingClientRect().width") > 120
    view.find_element("id", "step").send_keys(Keys.ENTER)
    soon(view).until(lambda one: one.find_element("id", "moment").text not in ("", moment))
    reloaded(view)
    view.find_element("id", "chances-of").click()
    soon(view).until(lambda one: one.find_elements("css selector", "[data-curve=chances] polyline"))
    view.find_element("id", "try").click()
    soon(view).until(lambda one: one.find_elements("css selector", "#values > article .worths a"))
    fits(view)
    reloaded(view)
    view.get(watch)
    fits(view)
    soon(view).until(lambda one: one.find_elements("id", "take-over"))
    view.find_element("id", "take-over").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Choose:" in text(one))
    assert view.current_url != watch
    reloaded(view)
    view.get(watch)
    assert "Still to choose: Player" in text(view)
    assert not view.find_elements("id", "pause")


@pytest.mark.parametrize("width", [1280, 390])
def test_sitting_down_by_the_invitation_while_somebody_watches(view: Chrome, other: Chrome, width: int) -> None:
    from selenium.webdriver.common.keys import Keys

    resize(view, width)
    opened(view, "One", "Two")
    invitation, watching = (str(view.find_element("id", name).get_attribute("href")) for name in ("invite", "watch"))
    assert view.execute_script("return document.querySelectorAll('.place:not([hidden])').length") == 0
    reloaded(view)
    view.get(invitation)
    sound(view)
    reloaded(view)
    view.find_element("id", "name").send_keys("Gül")
    view.find_element("css selector", ".places button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Gül at" in one.title)
    seat = view.current_url
    reloaded(view)
    assert "Choose: your move" in text(view)
    view.get(invitation)  # scanned again: the browser has a seat
    assert view.current_url == seat
    resize(other, width)
    other.get(watching)
    soon(other).until(lambda one: "Still to choose: Gül, Two" in text(one))
    sound(other)
    reloaded(other)
    view.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    for one in (view, other):
        soon(one).until(lambda one: "Still to choose: Two" in text(one))


@pytest.mark.parametrize("width", WIDTHS)
def test_board_chances_and_decisions_of_an_analysis_are_one(view: Chrome, address: str, width: int) -> None:
    from selenium.webdriver.common.keys import Keys

    resize(view, width)
    view.get(f"{base(address)}/analyse?file=ours.json&finish=1")
    soon(view).until(lambda one: one.find_elements("id", "ring"))
    soon(view).until(lambda one: one.find_elements("id", "cost"))
    shown = "#values > article:not([hidden])"
    assert not view.find_elements("css selector", shown)  # the deal
    view.find_element("css selector", "body").send_keys(Keys.ARROW_RIGHT)
    assert view.current_url.endswith("#1")
    decisions = view.find_elements("css selector", shown)
    assert len(decisions) == 3
    assert all("age 1, turn 1" in decision.text for decision in decisions)
    assert decisions[0].find_elements("css selector", ".face")  # each move beside its card
    fits(view)
    view.execute_script(
        """const field = document.querySelector('[data-curve=chances] .field'), box = field.getBoundingClientRect();
        field.dispatchEvent(new MouseEvent('click', {clientX: box.left + box.width, clientY: box.top + 5}));"""
    )
    assert view.current_url.endswith("#18")
    assert "age 3, turn 6" in view.find_element("css selector", shown).text
    reloaded(view, f"{shown} h3")
    assert view.current_url.endswith("#18")
    view.find_element("css selector", f"{shown} .worths a").click()
    soon(view).until(lambda one: "Result of this branch" in text(one))
    soon(view).until(lambda one: one.find_elements("css selector", shown))
    reloaded(view, f"{shown} h3")
    view.find_element("id", "before").click()
    soon(view).until(lambda one: "Result of the game" in text(one))
    soon(view).until(lambda one: one.find_elements("css selector", shown))
    assert view.current_url.endswith("#18")
    view.back()
    soon(view).until(lambda one: "Result of this branch" in text(one))


@pytest.mark.parametrize("width", [1280, 390])
def test_a_move_of_babel_is_tried_as_soon_as_one_is_valued(
    view: Chrome, address: str, folder: Path, width: int
) -> None:
    game = wsim.Game(game="tower_of_babel", players=3, seed=7, policies="random", rotate=False)
    for _ in range(9):
        game.follow()
    (folder / "tower.json").write_text(game.to_json())
    resize(view, width)
    view.get(f"{base(address)}/analyse?file=tower.json&finish=1&playouts=50")
    soon(view, COMPILED).until(lambda one: one.find_elements("css selector", "#values > article .worths a"))
    sound(view)
    tried = view.find_element("css selector", "#values > article .worths a").get_attribute("href")
    view.get(str(tried))
    soon(view).until(lambda one: "Result of this branch" in text(one))
    soon(view).until(lambda one: one.find_elements("css selector", "#values > article .worths a"))
    reloaded(view)
    assert view.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    view.find_element("id", "before").click()
    soon(view).until(lambda one: "Result of the game" in text(one))


def test_an_accessibility_engine_reports_no_problems(view: Chrome, address: str) -> None:
    sound(view)
    (seat,) = opened(view, "Ann")
    sound(view)
    view.get(f"{base(address)}/play?game=tower_of_babel")
    (builder,) = opened(view, "Bea")
    for place in (f"{seat}?hint=1&chance=1", f"{builder}?chance=1", *ANALYSES):
        view.get(place if place.startswith("http") else base(address) + place)
        soon(view).until(lambda one: not re.search("Preparing the analysis|Valuing the decisions", text(one)))
        sound(view)
        if place.startswith(builder):  # hand and discs are drawn
            assert view.find_elements("css selector", ".city .card.drawn .icon")
            assert len(view.find_elements("css selector", ".space .icon")) == 24


def test_the_end_of_a_game_is_sound_and_survives_a_reload(view: Chrome, folder: Path, address: str) -> None:
    """The last choice, the score sheet, the game on the board with its chances, and the next game."""
    from selenium.webdriver.common.keys import Keys

    game = wsim.Game(ruleset="1e", players=3, seed=7, policies="greedy", rotate=False)
    while len(game.steps) < LAST:
        game.follow()
    (folder / "last.json").write_text(game.to_json())
    view.get(f"{base(address)}/play?file=last.json")
    (seat,) = opened(view, "Ann")
    view.get(seat)
    soon(view).until(lambda one: one.find_elements("css selector", ".moves button"))
    reloaded(view)
    view.find_element("css selector", ".moves button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: one.find_elements("id", "sheet"))
    soon(view, COMPILED).until(lambda one: one.find_elements("css selector", "[data-curve=chances] polyline"))
    sound(view)
    reloaded(view, "#sheet th, #sheet td")
    view.find_element("id", "rematch").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "Choose: your move" in text(one))
    reloaded(view)
