"""Find and start a real browser for the tests of pages, and set its width and colours.

Needs Chromium and its driver (Debian: chromium, chromium-driver). Without them the tests are skipped; with
WSIM_REQUIRE_BROWSER=1 they fail instead.
"""

from __future__ import annotations

import os
import shutil
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)


def found_browser() -> tuple[str, str]:
    """Return the paths of browser and driver; if there is none, skip the test, or fail if a browser is required."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "no Chromium" if browser is None else "no chromedriver"
        if os.environ.get("WSIM_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{missing}, and WSIM_REQUIRE_BROWSER=1")
        pytest.skip(f"{missing} on this machine")
    return browser, driver


def started(profile: Path) -> Chrome:
    """Start the browser with a separate profile; it collects the errors of pages."""
    browser, driver = found_browser()
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = browser
    for option in (*OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Chrome(options=options, service=Service(driver))


def resize(chrome: Chrome, width: int, height: int = 844) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def colours(chrome: Chrome, scheme: str) -> None:
    still = {"name": "prefers-reduced-motion", "value": "reduce"}  # no click while the page scrolls
    features = [{"name": "prefers-color-scheme", "value": scheme}, still]
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})


def complaints(chrome: Chrome) -> list[tuple[str, list[str]]]:
    """Run axe-core (WCAG 2.1 AA) on the page and return its complaints: names, roles, headings, contrast of all text.

    It takes colours of cards that are not drawn yet (``content-visibility``) for others, so all are drawn first.
    """
    cards = "document.querySelectorAll('.gallery > li:not([hidden])')"
    chrome.execute_script(f"for (const card of {cards}) card.style.contentVisibility = 'visible';")
    if not chrome.execute_script("return 'axe' in window"):
        chrome.execute_script(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    chrome.set_script_timeout(120)
    asked = "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']}).then(arguments[0])"
    violations = chrome.execute_async_script(asked)["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in violations]
