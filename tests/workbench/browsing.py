"""Shared helpers of the workbench's browser tests: opening pages with the token, waiting, accessibility checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.report.browser import colours, complaints, resize

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.support.ui import WebDriverWait


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


def shown_and_sound(view: Chrome, address: str, page: str, scheme: str, width: int, prepare: str = "") -> None:
    """Open a page; check that axe finds no accessibility problems and that it does not scroll sideways.

    ``prepare``: a script that is run before the engine.
    """
    colours(view, scheme)
    resize(view, width)
    view.get(base(address) + page)
    if prepare:
        view.execute_script(prepare)
    found = complaints(view)
    assert not found, (page, found)
    assert view.execute_script("return document.documentElement.scrollWidth <= innerWidth"), page
