"""Asking in a real browser: by keys, with a reload in the middle, in two tabs, when the server is gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.report.browser import complaints, resize
from tests.workbench.browsing import WIDTHS, base, entered, fits, reloaded, soon, sound
from tests.workbench.conftest import Serve
from wsim.workbench.forms import forms

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.browser

LONG = {"policies": "random,greedy", "within": "0.0001", "budget": "400k", "players": "3"}
"""A match of a minute and more, unless somebody stops it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asking")


@pytest.fixture
def view(chrome: Chrome, address: str) -> Chrome:
    """Open the list of questions in a window 390 pixels wide."""
    return entered(chrome, address, 390, "/ask")


def fill(view: Chrome, kind: str, fields: dict[str, str]) -> None:
    """Fill in and submit the form of a question, using only the keyboard."""
    from selenium.webdriver.common.keys import Keys

    view.find_element("css selector", f"a[href='/ask/{kind}']").send_keys(Keys.ENTER)
    for summary in view.find_elements("css selector", "form.question > details:not([open]) > summary"):
        summary.send_keys(Keys.ENTER)
    missing = dict(fields)
    for _ in range(200):
        view.switch_to.active_element.send_keys(Keys.TAB)
        name = view.execute_script("return document.activeElement.name")
        if name in missing:
            view.switch_to.active_element.send_keys(Keys.CONTROL, "a")
            view.switch_to.active_element.send_keys(missing.pop(name))
        if not missing:
            break
    view.find_element("css selector", ".go button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "/asked/" in one.current_url)


def effects(view: Chrome) -> str:
    script = "return document.querySelector('#effects:not([hidden]) ul')?.textContent ?? ''"
    return str(view.execute_script(script))


@pytest.mark.parametrize("page", ["/ask", "/ask/goal", *(f"/ask/{form.name}" for form in forms())])
def test_an_accessibility_engine_reports_no_problems(view: Chrome, address: str, page: str) -> None:
    view.get(base(address) + page)
    sound(view)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_question_is_followed_reloaded_found_in_another_tab_and_stopped(
    view: Chrome, address: str, folder: Path, width: int
) -> None:
    from selenium.webdriver.common.keys import Keys

    resize(view, width)
    long, short = (folder / f"{name}-{width}.json" for name in ("long", "short"))
    fill(view, "match", {**LONG, "out": long.name})
    soon(view).until(effects)
    sound(view)
    asked = view.current_url
    reloaded(view)
    soon(view).until(effects)
    view.switch_to.new_window("tab")
    view.get(f"{base(address)}/ask")
    fill(view, "whatif", {"ban": "Palace", "policies": "random", "budget": "40", "out": short.name})
    assert "waiting" in view.find_element("css selector", "#doing").text
    second = view.current_url
    view.get(asked)
    view.find_element("css selector", "form button").send_keys(Keys.ENTER)
    soon(view).until(lambda one: "See the answer" in one.page_source)
    assert json.loads(long.read_text())["stopped"] == "interrupted"
    view.get(second)
    soon(view).until(lambda one: "See the answer" in one.page_source)
    view.find_element("css selector", "a.big").click()
    soon(view).until(lambda one: f"wsim rerun {short.name}" in one.page_source)
    sound(view)
    reloaded(view, "tbody th")
    view.back()
    soon(view).until(lambda one: "See the answer" in one.page_source)
    view.close()
    view.switch_to.window(view.window_handles[0])
    soon(view).until(lambda one: "See the answer" in one.page_source)  # the first tab was told, too


@pytest.mark.parametrize("width", WIDTHS)
def test_mistakes_appear_while_typing_and_a_value_is_chosen_from_the_list(view: Chrome, width: int) -> None:
    """What is filled in survives a reload, except the consent to run code."""
    from selenium.webdriver.common.keys import Keys

    resize(view, width)
    view.get(view.current_url.replace("/ask", "/ask/whatif"))
    policies = view.find_element("css selector", "input[name=policies]")
    view.execute_script("arguments[0].closest('details').open = true", policies)
    policies.send_keys("randon")
    view.find_element("css selector", "[data-picker=value] summary").send_keys(Keys.ENTER)
    search = view.find_element("css selector", "[data-picker=value] input")
    soon(view).until(lambda one: one.find_elements("css selector", "[data-picker=value] li"))
    search.send_keys("palace points", Keys.ENTER)
    view.switch_to.active_element.send_keys("5")  # the printed value is selected
    assert view.find_element("css selector", "textarea[name=change]").get_property("value") == "cards.Palace.points=5"
    wrong = view.find_element("css selector", "#wrong-policies")
    soon(view).until(lambda _: "did you mean 'random'" in wrong.text)
    assert complaints(view) == []
    fits(view)
    policies.send_keys(Keys.BACKSPACE, "m")
    soon(view).until(lambda one: "on this machine" in one.find_element("css selector", "#forecast").text)
    assert wrong.text == ""
    assert view.find_element("css selector", "#preview li").text == "Palace, points: 8 to 5"
    fits(view)
    view.execute_script("document.querySelector('[name=trust]').click()")
    soon(view).until(lambda one: "policies=random" in one.current_url)
    reloaded(view, "#preview li")
    assert not view.find_element("css selector", "[name=trust]").is_selected()
    view.get(view.current_url.partition("/ask/")[0] + "/ask")


def test_a_mistake_is_read_out(view: Chrome) -> None:
    view.get(view.current_url.replace("/ask", "/ask/whatif?budget=ten"))
    view.find_element("css selector", "form.question button").click()
    soon(view).until(lambda one: one.find_elements("css selector", "[role=alert]"))
    assert "'ten' is not a whole number" in view.find_element("css selector", "[role=alert]").text
    assert view.find_element("css selector", "input[name=budget]").get_attribute("value") == "ten"
    assert complaints(view) == []


def test_a_lost_connection_is_shown(chrome: Chrome, serve: Serve, tmp_path: Path) -> None:
    process, address = serve(tmp_path)
    chrome.get(address)
    soon(chrome).until(lambda one: "·" in one.title)
    chrome.get(f"{base(address)}/ask")
    fill(chrome, "match", {**LONG, "out": "lost.json"})
    soon(chrome).until(effects)
    process.terminate()
    soon(chrome).until(lambda one: one.find_element("css selector", "#lost").is_displayed())
    assert process.wait(60) == 130
    assert json.loads((tmp_path / "lost.json").read_text())["stopped"] == "interrupted"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_designer_without_a_goal_file_gets_one_from_the_form(
    view: Chrome, address: str, folder: Path, width: int
) -> None:
    from selenium.webdriver.common.keys import Keys

    resize(view, width)
    view.get(f"{base(address)}/ask/balance")
    view.find_element("link text", "Write a new goal").click()
    soon(view).until(lambda one: one.current_url.endswith("/ask/goal"))
    view.find_element("name", "figure").send_keys("win:Rhodos")
    view.find_element("name", "accepted").send_keys("30..20")
    soon(view).until(lambda one: "accepted must be a range" in one.find_element("id", "wrong-accepted").text)
    view.find_element("name", "accepted").send_keys(Keys.CONTROL, "a")
    view.find_element("name", "accepted").send_keys("20%..30%")
    picker = view.find_element("css selector", "details.picker[data-picker=number]")
    picker.find_element("css selector", "summary").click()
    picker.find_element("css selector", "input").send_keys("palace points")
    soon(view).until(lambda one: len(picker.find_elements("css selector", "li button")) == 1)
    picker.find_element("css selector", "input").send_keys(Keys.ENTER)
    preview = "May change: Palace, points (by -3 to 3)"
    soon(view).until(lambda one: preview in one.find_element("id", "preview").text)
    fits(view)
    before = set(folder.glob("goal-*.toml"))
    view.find_element("css selector", ".go button").click()
    soon(view).until(lambda one: "/ask/balance?goal=goal-" in one.current_url)
    soon(view).until(lambda one: preview in one.find_element("id", "preview").text)
    assert len(set(folder.glob("goal-*.toml")) - before) == 1
