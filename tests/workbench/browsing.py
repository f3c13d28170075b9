"""Shared helpers of the workbench's browser tests: opening pages, waiting, reloading, accessibility checks."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tests.report.browser import colours, complaints, resize

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.support.ui import WebDriverWait

WIDTHS = (1280, 390)
LOOKS = tuple((scheme, width) for scheme in ("light", "dark") for width in WIDTHS)
STATE = """return [location.pathname + location.search + location.hash,
    ...[...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility() && one.name !== 'trust')
        .map((one) => one.type === 'checkbox' ? one.checked : one.value || one.textContent.trim())]"""
LASTING = """h1, main h2, #moment, .moves button, .sitting b, .seats a, .chips [aria-current], .slider output,
    .places button, form.question :is(input:not([type=search]), textarea, select),
    #cards > li:not([hidden]) .face-name"""
"""What a reload must not change, on any page."""

SETTLED = 0.5
"""Seconds in which a page that is told of news does not change."""


def base(address: str) -> str:
    """Return the address of a server without its token."""
    return address.partition("/?")[0]


def soon(chrome: Chrome, seconds: float = 90) -> WebDriverWait[Chrome]:
    """Return a waiter for a condition that tolerates pages which refresh themselves meanwhile."""
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(chrome, seconds, ignored_exceptions=[StaleElementReferenceException])


def entered(chrome: Chrome, address: str, width: int, page: str = "") -> Chrome:
    """Open a workbench in light colours at its address with the token, then one of its pages."""
    resize(chrome, width)
    colours(chrome, "light")
    chrome.get(address)
    soon(chrome).until(lambda one: "token" not in one.current_url and one.title.endswith("wsim") and "·" in one.title)
    if page:
        chrome.get(base(address) + page)
    return chrome


def fits(view: Chrome) -> None:
    """Check that the page does not scroll sideways at phone and desktop width, and restore its width."""
    width = int(view.execute_script("return innerWidth"))
    for other in (1280, 390):
        resize(view, other)
        assert view.execute_script("return document.documentElement.scrollWidth <= innerWidth"), view.current_url
    resize(view, width)


def sound(view: Chrome) -> None:
    """Check the page wide and narrow, in light and dark: axe finds no problem, and nothing scrolls sideways."""
    before = int(view.execute_script("return innerWidth"))
    for scheme, width in LOOKS:
        colours(view, scheme)
        resize(view, width)
        found = complaints(view)
        assert not found, (view.current_url, scheme, width, found)
        whole = "return document.documentElement.scrollWidth <= innerWidth"
        assert view.execute_script(whole), (view.current_url, width)
    colours(view, "light")
    resize(view, before)


def state(view: Chrome, more: str = "") -> list[Any]:
    """Return the address and what a reload must not change; ``more``: a selector of further elements of this page."""
    soon(view).until(lambda one: one.execute_script("return document.readyState") == "complete")
    found: list[Any] = view.execute_script(STATE, f"{LASTING}, {more}" if more else LASTING)
    return found


def reloaded(view: Chrome, more: str = "") -> None:
    """Reload the page, and check that it shows all that it showed before, in the same order; see ``state``.

    It may show more: on some pages parts arrive later.
    """
    from selenium.common.exceptions import TimeoutException

    soon(view).until(lambda one: is_settled(one, more))
    before = state(view, more)
    view.refresh()
    with suppress(TimeoutException):
        soon(view, 60).until(lambda one: not lost(before, state(one, more)))
    assert not lost(before, state(view, more))


def is_settled(view: Chrome, more: str) -> bool:
    """Return whether what a reload must not change stays the same for a moment."""
    before = state(view, more)
    time.sleep(SETTLED)
    return state(view, more) == before


def lost(before: list[Any], after: list[Any]) -> list[Any]:
    """Return what comes before a reload but not, in the same order, after it."""
    left = iter(after)
    return [one for one in before if one not in left]
