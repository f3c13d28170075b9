"""Tiers, processors and fixtures of all tests: the toy game, and the command line called as a function.

``pytest`` alone runs the quick tier, ``pytest -m "slow or browser"`` the rest, ``pytest -m ""`` everything. A run of a
tier uses one process per processor (or ``-n``); these share kernels that are compiled first, each once. A run of some
files or folders stays in one process; a test named by its id runs in any tier.
``--share 2/4`` runs the second of four shares, into which the tests are dealt by their ids.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.games.known import HOMES, make_known
from tests.tiers import LONGEST, in_share, share
from wsim.game import GAMES
from wsim.jit.modes import JIT
from wsim.processors import usable_cpus

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

os.fsync = lambda fd: None  # no test cuts the power; what is flushed in which order is tested where it is made
os.environ.pop("COLUMNS", None)  # commands of the tests print as into a pipe, whatever terminal the tests run in

ROOT = Path(__file__).parents[1]
MOST_PROCESSES = 8  # more would wait for the compiler


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--share", type=share, metavar="K/N", help="run only the K-th of N shares of the tests, dealt by id"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Distribute the tests of a tier, one file at a time, over one process per processor."""
    if hasattr(config, "workerinput"):
        return  # one of those processes, which shares out nothing
    option = config.option
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        if any("::" in word for word in config.args):
            option.markexpr = ""
        return
    if getattr(option, "numprocesses", 0) is None and not option.usepdb and not option.collectonly:
        option.numprocesses = min(usable_cpus(), MOST_PROCESSES)
    if getattr(option, "numprocesses", None) and option.dist == "no":
        option.dist, option.loadscopereorder = "loadfile", False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests of other shares; with several processes, start with the longest files.

    Then no process has one of them at the end.
    """
    if config.option.share:
        dealt = {item: in_share(item.nodeid, *config.option.share) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if not dealt[item]])
        items[:] = [item for item in items if dealt[item]]
    if hasattr(config, "workerinput"):
        order = {ROOT / name: place for place, name in enumerate(LONGEST)}
        items.sort(key=lambda item: order.get(item.path, len(order)))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the shared kernels before the processes start."""
    option = session.config.option
    if JIT and getattr(option, "numprocesses", None) and not hasattr(session.config, "workerinput"):
        slow = [] if option.markexpr.startswith("not slow") else ["slow"]
        words = [sys.executable, "-m", "tests.kernels", str(option.numprocesses), *slow]
        subprocess.run(words, cwd=ROOT, check=False)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """The browser shared by all tests, which takes a second or two to start; tests use ``chrome``."""
    from tests.report.browser import started

    with started(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def chrome(browser: Chrome) -> Chrome:
    """The browser as if newly started: one empty window, no cookies, and an empty log of page errors."""
    first, *others = browser.window_handles
    for window in others:
        browser.switch_to.window(window)
        browser.close()
    browser.switch_to.window(first)
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get_log("browser")  # type: ignore[no-untyped-call]
    return browser


@pytest.fixture(scope="module")
def toy_among_games() -> Iterator[None]:
    """Register the toy game (``--game toy``) as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GAMES, "toy", HOMES["toy"])
        yield


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change to an empty working folder."""
    monkeypatch.chdir(tmp_path)


@dataclass(frozen=True)
class Answer:
    """The output of a command and its exit code."""

    code: int
    out: str
    err: str


Command = Callable[..., Answer]


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the toy game the default game, in an empty working folder."""
    import wsim.game

    monkeypatch.chdir(tmp_path)
    before = make_known("toy")
    yield
    games = wsim.game.GAMES
    games.clear()
    games.update(before)


@pytest.fixture
def medal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the medal game (``--game medal``), in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "medal", HOMES["medal"])


@pytest.fixture
def wsim_command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Call the command line as a function: ``wsim_command("run", "--games", "10")``."""
    from wsim.cli.app import main

    def call(*words: str) -> Answer:
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main(list(words))
        out, err = capfd.readouterr()
        assert isinstance(left.value.code, int)
        return Answer(left.value.code, out, err)

    return call
