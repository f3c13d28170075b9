"""Measure how fast the workbench displays a large run in a real browser: ``python -m benchmarks.workbench RUN``.

A server of the run's folder is started, and Chromium opens its pages one after the other. For each page the table has
the elapsed time of the first request in this server, then medians of further loads: elapsed from the request to the
parsed page, the processor time of the server and that of the browser's page, which do not depend on what else the
machine does, and the bytes that came over the line the first time. Interactions are timed within the page, from the
event to the next painted frame. The last column of both tables is the processor time of a fixed Python loop at that
moment, because the speed of a shared machine varies, and so that figures of different machines can be compared.

Needs Linux, Chromium and its driver. Make a run with ``wsim run --games 1000000``.
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
"""Number of page loads and interactions after the first."""
LOOP = 5_000_000
CALM, PATIENCE = 0.1, 900
"""The server is at rest if it uses less than this share of a processor; seconds to wait for that, because it prepares
further tables of a run after the first load."""
REST = 2
"""Seconds between the load of a page and the first interaction."""
LOADED = """const one = performance.getEntriesByType('navigation')[0];
return [one.domContentLoadedEventEnd - one.requestStart,
    performance.getEntriesByType('resource').reduce((sum, each) => sum + each.transferSize, one.transferSize)]"""
INTERACTION = """const [action, done] = arguments;
const start = performance.now();
new Function(action)();
requestAnimationFrame(() => { const port = new MessageChannel();
    port.port1.onmessage = () => done(performance.now() - start); port.port2.postMessage(0); });"""


class Interaction(NamedTuple):
    """An action on a page: its name, the address of the page, and the script that performs it."""

    name: str
    page: str
    action: str


def pages_of(run: str) -> dict[str, str]:
    """Return the timed pages by content."""
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
    """Return the timed interactions."""
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
    """Return the processor seconds of a fixed loop, for comparing machines."""
    start, total = time.process_time(), 0
    for number in range(LOOP):
        total += number
    return time.process_time() - start


class Measured(NamedTuple):
    """Measurements of a page: bytes of the first load, milliseconds of first and later loads, and processor time."""

    size: int
    first: float
    again: list[float]
    server: float
    page: list[float]


def server_ms(pid: int) -> float:
    """Return the processor time of the server process, in milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def page_ms(chrome: Chrome) -> float:
    """Return the processor time of the page's main thread."""
    metrics = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return 1000 * next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def at_rest(pid: int) -> None:
    """Wait until the server is at rest."""
    end, before = time.monotonic() + PATIENCE, server_ms(pid)
    while time.monotonic() < end:
        time.sleep(REST)
        now = server_ms(pid)
        if now - before < 1000 * REST * CALM:
            return
        before = now


def measured(chrome: Chrome, pid: int, address: str) -> Measured:
    """Load a page several times and return the measurements."""
    begun = time.perf_counter()
    chrome.get(address)
    soon(chrome, 300).until(lambda one: not one.find_elements("id", "waiting"))
    first, size = 1000 * (time.perf_counter() - begun), int(chrome.execute_script(LOADED)[1])
    at_rest(pid)
    again, of_page, before = [], [], server_ms(pid)
    for _ in range(TURNS):
        at_first = page_ms(chrome)
        chrome.get(address)
        again.append(float(chrome.execute_script(LOADED)[0]))
        after = page_ms(chrome)
        of_page.append(after - at_first if after > at_first else after)
    return Measured(size, first, again, (server_ms(pid) - before) / TURNS, of_page)


def main() -> None:
    """Time pages and interactions, and print them as tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path, help="folder of a large run")
    given = parser.parse_args()
    folder, run = given.run.resolve().parent, given.run.name
    command = [sys.executable, "-m", "wsim", "open", "--no-browser", "-q"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    print(f"load {os.getloadavg()[0]:.1f}; loop of {LOOP:,} steps")
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
        chrome.execute_cdp_cmd("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
        chrome.execute_cdp_cmd("Performance.enable", {})
        print("\n| page | first, ms | again, ms (least) | processor: server | page | kB at first | loop, s |")
        print("|---|---|---|---|---|---|---|")
        for name, page in pages_of(run).items():
            one = measured(chrome, server.pid, base(address) + page)
            again = f"{statistics.median(one.again):.0f} ({min(one.again):.0f})"
            processor = f"{one.server:.0f} | {statistics.median(one.page):.0f}"
            size = f"{one.size / 1000:.0f} | {loop_seconds():.2f}"
            print(f"| {name} | {one.first:.0f} | {again} | {processor} | {size} |", flush=True)
        print("\n| interaction | ms (least) | processor, ms | loop, s |\n|---|---|---|---|")
        for name, page, action in interactions_of(run):
            chrome.get(base(address) + page)
            time.sleep(REST)
            before = page_ms(chrome)
            times = [float(chrome.execute_async_script(INTERACTION, action)) for _ in range(TURNS)]
            taken = (page_ms(chrome) - before) / TURNS
            elapsed = f"{statistics.median(times):.0f} ({min(times):.0f})"
            print(f"| {name} | {elapsed} | {taken:.0f} | {loop_seconds():.2f} |", flush=True)
        server.terminate()
    print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
