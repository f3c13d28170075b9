"""How quickly the workbench shows a large run, in a real browser: ``python -m benchmarks.workbench RUN``.

A server of the run's folder is started, and Chromium opens its pages one after the other. For each page the table has
the first time in this server, the median of the next ones (from the request to the parsed page, in milliseconds), and
how many bytes came over the line the first time. Interactions are timed within the page, from the event to the next
painted frame. The last line is the time of a fixed Python loop, before and after, in the same run: figures of two
machines, or of a busy one, are compared by it.

Needs Chromium and its driver, as the tests marked ``browser`` do. Make a run with ``wsim run --games 1000000``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from tests.report.browser import colours, resize, started
from tests.workbench.browsing import base, soon

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

TURNS = 9
"""Times that a page is loaded and an interaction is made after the first time."""
LOOP = 5_000_000
MOST_PAGE, MOST_INTERACTION = 100, 50
"""Milliseconds that a page and an interaction may take."""
LOADED = """const one = performance.getEntriesByType('navigation')[0];
return [one.domContentLoadedEventEnd - one.requestStart, one.responseEnd - one.requestStart,
    performance.getEntriesByType('resource').reduce((sum, each) => sum + each.transferSize, one.transferSize)]"""
INTERACTION = """const [action, done] = arguments;
const start = performance.now();
new Function(action)();
requestAnimationFrame(() => { const port = new MessageChannel();
    port.port1.onmessage = () => done(performance.now() - start); port.port2.postMessage(0); });"""


class Interaction(NamedTuple):
    """What is done on a page: its name, the address of the page, and the script that does it, ``turn`` by turn."""

    name: str
    page: str
    action: str


def pages_of(run: str) -> dict[str, str]:
    """Return the pages that are timed, by what they show."""
    return {
        "start page": "/",
        "overview of the run": f"/run?run={run}",
        "table of wonders": f"/run?run={run}&table=wonders",
        "table of cards": f"/run?run={run}&table=cards",
        "cards, with charts": f"/run?run={run}&table=cards&charts=1",
        "cards of one age, sorted": f"/run?run={run}&table=cards&filter=age%3D3&sort=score",
        "a card": f"/thing?run={run}&table=cards&name=Palace",
        "gallery of cards": "/cards",
        "form of a what-if": "/ask/whatif",
        "change a card": "/change?at=cards.Palace",
        "see it move": "/move?at=Palace",
        "sit down at a table": "/play",
    }


def interactions_of(run: str) -> list[Interaction]:
    """Return the interactions that are timed."""
    gallery = "document.querySelectorAll('.chips button, .chips a.pick, .chips label input')"
    return [
        Interaction("filter the gallery by a chip", "/cards", f"{gallery}[2].click()"),
        Interaction(
            "search the gallery", "/cards",
            "const one = document.querySelector('input[type=search]'); one.value = one.value ? '' : 'shield';"
            "one.dispatchEvent(new Event('input', {bubbles: true}))",
        ),
        Interaction(
            "point at a mark of a chart", f"/run?run={run}&table=cards&charts=1",
            "document.querySelector('svg [data-tip], svg [tabindex]')"
            "?.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))",
        ),
        Interaction("switch to dark", f"/run?run={run}&table=cards", "document.getElementById('theme').click()"),
        Interaction(
            "open the choice of columns", f"/run?run={run}&table=cards",
            "const one = document.querySelector('details.options'); one.open = !one.open",
        ),
        Interaction(
            "sort the studies", "/", "document.querySelector('table.studies thead button')?.click()",
        ),
        Interaction(
            "move a slider", "/move?at=Palace",
            "const one = document.querySelector('.slider input'); one.value = one.value === '5' ? 6 : 5;"
            "one.dispatchEvent(new Event('input', {bubbles: true}))",
        ),
    ]  # fmt: skip


def loop_seconds() -> float:
    """Return the processor seconds of a fixed loop, by which machines are compared."""
    start, total = time.perf_counter(), 0
    for number in range(LOOP):
        total += number
    return time.perf_counter() - start


def page_times(chrome: Chrome, address: str) -> tuple[float, list[float], list[float], int]:
    """Return the first time until a page is complete, further times of the page and of the server, and its bytes."""
    begun = time.perf_counter()
    chrome.get(address)
    soon(chrome, 300).until(lambda one: not one.find_elements("id", "waiting"))
    first = 1000 * (time.perf_counter() - begun)
    bytes_sent = int(chrome.execute_script(LOADED)[2])
    times, served = [], []
    for _ in range(TURNS):
        chrome.get(address)
        loaded, response, _size = chrome.execute_script(LOADED)
        times.append(loaded)
        served.append(response)
    return first, times, served, bytes_sent


def main() -> None:
    """Time pages and interactions, and print them as tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path, help="folder of a large run")
    given = parser.parse_args()
    folder, run = given.run.resolve().parent, given.run.name
    command = [sys.executable, "-m", "wsim", "open", "--no-browser", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    print(f"loop of {LOOP:,} steps before: {loop_seconds():.2f} s, load {os.getloadavg()[0]:.1f}")
    with (
        subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server,
        TemporaryDirectory(prefix="wsim-bench-", ignore_cleanup_errors=True) as profile,
        started(Path(profile)) as chrome,
    ):
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        resize(chrome, 1280)
        colours(chrome, "light")
        chrome.get(address)
        soon(chrome).until(lambda one: "token" not in one.current_url and "·" in one.title)
        print(f"\n| page | first, ms | again, ms (least) | of these, server | kB at first | under {MOST_PAGE} ms |")
        print("|---|---|---|---|---|---|")
        for name, page in pages_of(run).items():
            first, times, served, size = page_times(chrome, base(address) + page)
            middle, of_server = statistics.median(times), statistics.median(served)
            kept = "yes" if middle < MOST_PAGE else "no"
            print(f"| {name} | {first:.0f} | {middle:.0f} ({min(times):.0f}) | {of_server:.0f} | {size / 1000:.0f} "
                  f"| {kept} |", flush=True)  # fmt: skip
        print(f"\n| interaction | ms (least) | under {MOST_INTERACTION} ms |\n|---|---|---|")
        for name, page, action in interactions_of(run):
            chrome.get(base(address) + page)
            times = [float(chrome.execute_async_script(INTERACTION, action)) for _ in range(TURNS)]
            middle = statistics.median(times)
            kept = "yes" if middle < MOST_INTERACTION else "no"
            print(f"| {name} | {middle:.0f} ({min(times):.0f}) | {kept} |", flush=True)
        server.terminate()
    print(f"\nloop of {LOOP:,} steps after: {loop_seconds():.2f} s, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
