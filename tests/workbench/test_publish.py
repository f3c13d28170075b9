"""Publishing: every page of a site works from disk, and the site contains nothing private."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

import wsim
from tests.conftest import Command
from tests.report.browser import colours, complaints, resize
from wsim.errors import UserError
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.workbench.publish import MARK, publish

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

REFERENCE = re.compile(r'\b(?:href|src)="([^"]*)"')


def folder_with(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "not-over.json").write_text(wsim.Game(players=3, seed=7, policies="random").to_json())
    game = wsim.Game(players=3, seed=7, policies="random")
    while game.to_move is not None:
        game.follow()
    (folder / "over.json").write_text(game.to_json())
    found = wsim.whatif(set=["cards.Palace.points=5"], policies="random", budget=64, players=3)
    found.write(folder / "palace.json")
    return folder


def broken(site: Path) -> list[tuple[str, str]]:
    """Return all links on pages that do not lead to a file of the site."""
    found = []
    for page in site.glob("*.html"):
        for to in map(unescape, REFERENCE.findall(page.read_text())):
            target = unquote(to.partition("#")[0])
            if not to.startswith(("#", "data:")) and not (site / target).is_file():
                found.append((page.name, to))
    return found


@pytest.mark.slow
def test_a_site_of_answers_and_games_is_self_contained(tmp_path: Path) -> None:
    folder, site = folder_with(tmp_path), tmp_path / "site"
    made = publish(folder, site)
    kinds = {page.kind for page in made.pages}
    assert {"answer", "game"} <= kinds
    assert broken(site) == []
    start = (site / "index.html").read_text()
    assert "palace.json" in start
    assert "All pages" in start
    for text in (page.read_text() for page in site.glob("*.html")):
        assert str(tmp_path) not in text
        assert "/static/" not in text
        assert not re.search(r'<form[^>]*method="post"', text)
        assert not re.search(r'(?:href|src|action)="https?:', text)
    assert not [page for page in site.glob("*.html") if "not-over" in page.name]  # its page would show every hand
    assert "not-over" in " ".join(made.left_out)


@pytest.mark.slow
def test_publishing_again_overwrites_only_a_site(tmp_path: Path, wsim_command: Command) -> None:
    folder, site = folder_with(tmp_path), tmp_path / "site"
    (folder / "over.json").unlink()
    publish(folder, site)
    before = {path.name: path.read_bytes() for path in site.glob("*.html")}
    (site / "stale.html").write_text("")
    publish(folder, site)
    assert {path.name: path.read_bytes() for path in site.glob("*.html")} == before
    (site / MARK).unlink()
    with pytest.raises(UserError, match="already exists and is not a site"):
        publish(folder, site)
    with pytest.raises(UserError, match="cannot be written into the folder"):
        publish(folder, folder)
    for words, sentence in (
        (["publish", "nowhere"], "'nowhere' does not exist"),
        (["publish", str(folder), "-o", str(site)], "not a site"),
    ):
        refused = wsim_command(*words)
        assert refused.code == 2
        assert sentence in refused.err


@pytest.mark.slow
def test_the_site_of_a_run_has_its_tables_cards_and_close_games(tmp_path: Path) -> None:
    folder, site = tmp_path / "study", tmp_path / "site"
    record(Plan.make(games=400, seed=3, players=3, policies="random"), folder / "r")
    made = publish(folder, site)
    assert broken(site) == []
    kinds = [page.kind for page in made.pages]
    assert {"run", "table", "card", "wonder", "cards", "game"} <= set(kinds)
    assert kinds.count("game") == 3
    table = (site / "run-r-wonders.html").read_text()
    assert "<svg" in table
    assert "Split, filter" not in table
    assert 'href="thing-r-wonders-Gizah.html"' in table
    assert made.size < 12e6


@pytest.mark.browser
def test_a_site_can_be_searched_from_disk(chrome: Chrome, tmp_path: Path) -> None:
    publish(folder_with(tmp_path), tmp_path / "site")
    for width, scheme in ((1280, "light"), (390, "dark")):
        resize(chrome, width)
        colours(chrome, scheme)
        for page in ("index", "answer-palace.json"):
            chrome.get((tmp_path / "site" / f"{page}.html").as_uri())
            assert complaints(chrome) == [], page
            assert chrome.execute_script("return document.documentElement.scrollWidth <= innerWidth"), page
    chrome.get((tmp_path / "site" / "index.html").as_uri())
    chrome.find_element("css selector", "#pages input").send_keys("palace")
    assert chrome.find_element("css selector", "#pages output").text == "1 row"
    chrome.find_element("css selector", "#pages tbody tr:not([hidden]) a").click()
    assert chrome.title.startswith("palace.json")
    assert chrome.get_log("browser") == []  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def site_of_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    record(Plan.make(games=60, seed=3, players=3, policies="random"), folder / "study" / "r")
    publish(folder / "study", folder / "site")
    return folder / "site"


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_a_published_run_can_be_read_from_disk(chrome: Chrome, site_of_a_run: Path, width: int) -> None:
    site = site_of_a_run
    resize(chrome, width)
    colours(chrome, "light")
    chrome.get((site / "index.html").as_uri())
    chrome.find_element("css selector", "#found tbody a").click()
    assert chrome.current_url.endswith("/run-r.html")
    chrome.find_element("css selector", "a[href^='run-r-cards']").click()
    first = "return document.querySelector('main tbody tr:not([hidden]) th').textContent"
    heading = "//table//th[contains(., 'Card')]//button"
    chrome.find_element("xpath", heading).click()
    names = [chrome.execute_script(first)]
    chrome.find_element("xpath", heading).click()
    names.append(chrome.execute_script(first))
    assert names[0] != names[1]  # the browser sorts
    assert complaints(chrome) == []
    chrome.find_element("css selector", "main tbody th a").click()
    assert "/thing-r-cards-" in chrome.current_url
    assert chrome.find_elements("css selector", ".face .icon")
    chrome.back()
    assert chrome.current_url.endswith("/run-r-cards.html")
    chrome.refresh()
    chrome.find_element("css selector", "nav a:last-of-type").click()  # the gallery
    cards = "return document.querySelectorAll('#cards > li:not([hidden])').length"
    every = chrome.execute_script(cards)
    chrome.execute_script("document.querySelector('main .chips .pick, main .chips button').click()")
    assert 0 < chrome.execute_script(cards) < every
    game = next(site.glob("analyse-r-*.html"))
    chrome.get(game.as_uri())
    before = chrome.execute_script("return document.getElementById('moment').textContent")
    chrome.find_element("css selector", "body").send_keys("\ue014")  # the right arrow
    assert chrome.execute_script("return document.getElementById('moment').textContent") != before
    assert chrome.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert chrome.get_log("browser") == []  # type: ignore[no-untyped-call]
