"""The screenshots of ``docs/workbench.md``: ``python -m tests.workbench.screens docs/images`` (``nox -s screens``).

Further arguments name the screenshots to take; by default all are taken.

A browser without a window looks at a server of a folder with three runs, an answer and a position; it needs what the
tests marked ``browser`` need.
"""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import wsim
from tests.conftest import ROOT
from tests.report.browser import colours, resize, started
from tests.workbench.browsing import base, soon
from tests.workbench.test_ask_browser import effects, fill
from tests.workbench.test_play_browser import opened
from wsim.lab.plan import Plan
from wsim.lab.run import record

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

POLICIES = ("balanced", "science", "military", "greedy")
WIDE, NARROW = 1280, 390
PATIENCE = 600
"""Seconds in which a page shows what its picture is of, also on a busy machine."""
FINDINGS = 4
"""Pictures of findings: of three runs and an answer."""


def main(target: Path, *names: str) -> None:
    """Write screenshots to a folder: all, or only the named ones."""
    target = target.resolve()
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="wsim-screens-") as scratch:
        folder = Path(scratch) / "games"
        folder.mkdir()
        record(Plan.make(games=4000, seed=7, policies=POLICIES, picks=True), folder / "study")
        record(Plan.make(games=12000, seed=9, policies="balanced", worth=0.42), folder / "worth")
        record(Plan.make(games=4000, seed=8, players=3, policies=POLICIES[:3]), folder / "three")
        change, metric = ["cards.Palace.points=5"], "built:Palace"
        wsim.whatif(set=change, metric=metric, policies="balanced", budget=4000).write(folder / "palace.json")
        game = wsim.Game(ruleset="1e", players=3, seed=7, policies="greedy", rotate=False)
        for _ in range(9):
            game.follow()
        (folder / "ours.json").write_text(game.to_json())
        traced = ["trace", "--players", "3", "--seed", "7", "--first", "2", "-q", "-o", f"{scratch}/game.html"]
        subprocess.run([sys.executable, "-m", "wsim", *traced], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
        serving, browser = _serving(folder), started(Path(scratch) / "profile")
        with contextlib.chdir(scratch), serving as address, browser as chrome:
            colours(chrome, "light")
            chrome.get(address)
            soon(chrome, PATIENCE).until(lambda one: "token" not in one.current_url and "·" in one.title)
            for name in names or SCREENS:
                screen = SCREENS[name]
                resize(chrome, screen.width, screen.height)  # as high as the picture: all of it is drawn
                colours(chrome, screen.scheme)
                screen.show(chrome, base(address))
                (target / f"workbench-{name}.png").write_bytes(_picture(chrome, screen))
                _stop(chrome)


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[str]:
    """Serve a folder and yield the address."""
    command = [sys.executable, "-m", "wsim", "open", "--no-browser", "-q", "--host", "0.0.0.0"]  # codes to scan
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def _picture(chrome: Chrome, screen: Screen) -> bytes:
    """Return a screenshot of the page that begins at an element and ends at most at the end of the page."""
    script = """const [top, end] = [document.querySelector(arguments[0]), document.body].map(one =>
        one.getBoundingClientRect()); return [top.top + scrollY, end.bottom + scrollY]"""
    top, end = chrome.execute_script(script, screen.start)
    first = max(0, top - 12)
    clip = {"x": 0, "y": first, "width": screen.width, "height": min(screen.height, end - first), "scale": 1}
    frames = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))"
    chrome.execute_async_script(frames)  # what comes into view is drawn with the next frame
    asked = {"format": "png", "clip": clip, "captureBeyondViewport": True}
    return base64.b64decode(chrome.execute_cdp_cmd("Page.captureScreenshot", asked)["data"])


def _first(chrome: Chrome, server: str) -> None:
    """Show a run after its first games."""
    chrome.get(f"{server}/")
    chrome.find_element("css selector", ".doors button").click()
    shown = "return !(document.getElementById('so-far')?.hidden ?? true)"
    soon(chrome, PATIENCE).until(lambda one: one.execute_script(shown))


def _studies(chrome: Chrome, server: str) -> None:
    """Show the studies once their findings have been computed."""
    chrome.get(f"{server}/")
    chrome.execute_script("document.querySelector('.where').remove()")  # a temporary folder
    soon(chrome, PATIENCE).until(lambda one: len(one.find_elements("css selector", ".finding svg")) >= FINDINGS)


def _answer(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/answer?file=palace.json")


def _questions(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/ask")


def _stop(chrome: Chrome) -> None:
    """Stop the games in progress, so that they do not slow down the next screenshot."""
    for button in chrome.find_elements("css selector", "#asked form button"):
        button.click()


def _look(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/run?run=study&table=wonders&filter=n%3E%3D100&sort=fair_share_ratio&charts=1")


def _run(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/run?run=worth")


def _gallery(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/cards?color=red&color=purple&color=yellow&age=3")
    chrome.execute_script(
        "for (const card of document.querySelectorAll('.gallery > li')) card.style.contentVisibility = 'visible'"
    )  # else cards are drawn only once they are seen


def _beside(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/run?run=study&run=three&table=cards&beside=1&charts=1&filter=age%3D3")


def _card(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/thing?run=study&table=cards&name=Palace&show=drafting:turn")


def _form(chrome: Chrome, server: str) -> None:
    """Show a form with a change described in words, and a mistake next to its field."""
    chrome.get(f"{server}/ask/whatif?change=cards.Palace.points%3D5&metric=built%3APalace")
    soon(chrome, PATIENCE).until(lambda one: one.find_element("css selector", "#preview").is_displayed())
    picker = chrome.find_element("css selector", "details.picker[data-picker=value]")
    picker.find_element("css selector", "summary").click()
    search = picker.find_element("css selector", "input")
    search.send_keys("palace")
    chrome.find_element("css selector", "input[name=budget]").send_keys("ten")
    soon(chrome, PATIENCE).until(lambda one: one.find_element("css selector", "#wrong-budget").text)


def _ask(chrome: Chrome, server: str) -> None:
    """Ask a question with a narrow interval that takes minutes, and show its page after a few thousand deals."""
    chrome.get(f"{server}/ask")
    fill(chrome, "match", {"policies": "military,science", "within": "0.0005", "budget": "400k", "out": "rivals.json"})
    soon(chrome, PATIENCE).until(effects)


def _change(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/change?at=cards.Palace&change=cards.Palace.points%3D6")


def _move(chrome: Chrome, server: str) -> None:
    """Move a slider, and show the page after a few thousand deals."""
    chrome.get(f"{server}/move?at=Palace&change=cards.Palace.points%3D4")
    enough = "return Number(document.getElementById('state').textContent.split(' ')[0].replace(',', '')) >= 2000"
    soon(chrome, PATIENCE).until(lambda one: one.execute_script(enough))


def _play(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/play")
    (seat,) = opened(chrome, "Ann")
    for _ in range(4):
        chrome.get(seat)
        soon(chrome, PATIENCE).until(lambda one: one.find_elements("css selector", ".moves button"))
        chrome.find_element("css selector", ".moves button").click()
    soon(chrome, PATIENCE).until(lambda one: one.find_elements("css selector", ".moves button"))  # else no hint
    chrome.get(f"{seat}?hint=1&chance=1")
    soon(chrome, PATIENCE).until(lambda one: one.find_elements("css selector", "#ring .node"))


def _watch(chrome: Chrome, server: str) -> None:
    """Show a game between policies after some turns."""
    chrome.get(f"{server}/play")
    chrome.find_element("id", "name0").clear()
    chrome.find_element("css selector", "form.form .act").click()
    soon(chrome, PATIENCE).until(lambda one: one.find_elements("id", "chances-of"))
    chrome.find_element("id", "chances-of").click()
    soon(chrome, PATIENCE).until(lambda one: "Age II, turn 3" in one.find_element("id", "moment").text)
    chrome.find_element("id", "pause").click()
    soon(chrome, PATIENCE).until(lambda one: "Paused" in one.page_source)


def _table(chrome: Chrome, server: str) -> None:
    """Show the form for a new table."""
    chrome.get(f"{server}/play")
    chrome.find_element("css selector", "form.form details").click()


def _invited(chrome: Chrome, server: str) -> None:
    """Show the page that a phone opens after scanning a table's QR code."""
    chrome.get(f"{server}/play")
    opened(chrome, "Ann", "Bob", "Cleo")
    invitation = str(chrome.find_element("id", "invite").get_attribute("href"))
    chrome.get(f"{server}/seat/{invitation.rpartition('/seat/')[2]}")
    soon(chrome).until(lambda one: one.find_elements("css selector", ".places button"))


def _rows(chrome: Chrome, server: str) -> None:
    """Show the cards of the third age as a table."""
    chrome.get(f"{server}/run?run=worth&table=cards&filter=age%3D3")


def _replay(chrome: Chrome, server: str) -> None:
    """Show a replay file in the middle of its second age."""
    chrome.get(f"{Path('game.html').resolve().as_uri()}#10")


def _night(chrome: Chrome, server: str) -> None:
    """Show a table at the address that phones use."""
    chrome.get(f"{server}/play")
    opened(chrome, "Ann", "Bob", "Cleo")


def _analyse(chrome: Chrome, server: str) -> None:
    chrome.get(f"{server}/analyse?file=ours.json&finish=1&playouts=50#4")
    soon(chrome, PATIENCE).until(lambda one: one.find_elements("id", "cost"))


class Screen(NamedTuple):
    """A picture: the width of the browser and the largest height in pixels, the element that it begins with, what leads
    there, and the colours."""

    width: int
    height: int
    start: str
    show: Callable[[Chrome, str], None]
    scheme: str = "light"


SCREENS: dict[str, Screen] = {
    "studies": Screen(WIDE, 900, "body", _studies),
    "first": Screen(WIDE, 1000, "body", _first),
    "look": Screen(WIDE, 1200, "body", _look),
    "run": Screen(WIDE, 1800, "body", _run),
    "run-dark": Screen(WIDE, 1800, "body", _run, "dark"),
    "run-narrow": Screen(NARROW, 1300, "body", _run),
    "cards": Screen(WIDE, 1100, "body", _gallery),
    "cards-narrow": Screen(NARROW, 1300, "body", _gallery, "dark"),
    "rows-dark": Screen(WIDE, 1150, "body", _rows, "dark"),
    "beside": Screen(WIDE, 1600, "main section:nth-of-type(2)", _beside),
    "card": Screen(WIDE, 620, "#more", _card),
    "answer": Screen(WIDE, 1000, "body", _answer),
    "questions": Screen(WIDE, 1250, "body", _questions),
    "form": Screen(WIDE, 900, "body", _form),
    "ask": Screen(WIDE, 520, "body", _ask),
    "change": Screen(WIDE, 760, "#at", _change),
    "move": Screen(WIDE, 1500, "body", _move),
    "play": Screen(NARROW, 1000, "body", _play),
    "watch": Screen(WIDE, 1150, "#choose", _watch),
    "table": Screen(WIDE, 1150, "body", _table),
    "night": Screen(WIDE, 760, "body", _night),
    "invited": Screen(NARROW, 700, "body", _invited),
    "analyse": Screen(WIDE, 1250, ".stepper", _analyse),
    "replay": Screen(WIDE, 1150, "body", _replay),
}
"""By the name of the picture."""

if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
