"""``wsim doctor``: show what is installed, what is missing, and whether games can be played."""

from __future__ import annotations

import os
import platform
import re
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from typer import Exit

from wsim.cli.console import FAILURE, print_json, write_out
from wsim.errors import UserError
from wsim.options import Options

if TYPE_CHECKING:
    from wsim.cli.groups import Printing

DEVELOPERS = ("docs", "test")  # extras for development only
TRIED = 200
"""The number of test games, which take a fraction of a second once the kernels are compiled."""


@dataclass(frozen=True)
class DoctorOptions(Options):
    """Check the installation: versions, extras, threads, kernel cache, browser, and a few games.

    The exit code is 1 if games cannot be played.
    """


@dataclass(frozen=True)
class Check:
    """The result of checking one item; ``sound`` is False if wsim cannot work."""

    what: str
    found: str
    sound: bool = True


def doctor_command(options: DoctorOptions, printing: Printing) -> None:  # noqa: ARG001 (there are none)
    """Print one line per check; exit with code 1 if any check failed."""
    checks = list(checks_of())
    if printing.as_json:
        print_json({check.what: {"found": check.found, "sound": check.sound} for check in checks})
    else:
        widest = max(len(check.what) for check in checks)
        for check in checks:
            write_out(f"{check.what:{widest}}  {'' if check.sound else 'FAILED: '}{check.found}")
    if not all(check.sound for check in checks):
        raise Exit(FAILURE)


def checks_of() -> Iterator[Check]:
    """Run the checks and yield their results, fast checks first."""
    from wsim.processors import usable_cpus

    yield Check("python", f"{platform.python_version()}, {platform.platform()}")
    for name in ("wsim", "numba", "numpy", "polars"):
        yield Check(name, metadata.version(name))
    yield from _extra_checks()
    yield Check("threads", f"{usable_cpus()} of {os.cpu_count()} processors can be used")
    yield _cache_check()
    yield _browser_check()
    yield _games_check()


def _extra_checks() -> Iterator[Check]:
    """Yield a check for each extra of wsim, with the installed versions or the command that installs it."""
    needs: dict[str, list[str]] = {}
    for line in metadata.requires("wsim") or ():
        if match := re.match(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]", line):
            needs.setdefault(match[2], []).append(match[1])
    for extra, packages in sorted(needs.items()):
        if extra in DEVELOPERS:
            continue
        versions = {name: _version(name) for name in packages if name != "wsim"}
        missing = [name for name, version in versions.items() if not version]
        installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
        install = f"not installed: {', '.join(missing)} (pip install 'wsim[{extra}]')" if missing else ""
        yield Check(f"wsim[{extra}]", install or installed)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _cache_check() -> Check:
    from wsim.game import GAMES, find_game
    from wsim.jit.cache import cache_directory, can_store

    game: Any = find_game(next(iter(GAMES)))
    kernels = f"{game.POLICIES.home.removeprefix('wsim.')}.kernels"
    folder = str(cache_directory(kernels).parent)
    if can_store(kernels):
        return Check("compiled kernels", f"cached in {folder}")
    return Check("compiled kernels", f"{folder} is not writable, so every process compiles again: set WSIM_CACHE_DIR")


def _browser_check() -> Check:
    try:
        return Check("browser", f"{getattr(webbrowser.get(), 'name', '') or 'found'}, for wsim open")
    except webbrowser.Error:
        return Check("browser", "none found: wsim open --no-browser prints the address instead")


def _games_check() -> Check:
    import time

    from wsim.game import find_game
    from wsim.lab.plan import Plan

    plan = Plan.make(games=TRIED)
    game: Any = find_game(plan.game)
    cold = game.cold()
    try:
        begun = time.perf_counter()
        simulator = game.prepare(plan)
        _play(simulator, 1)  # compiles the kernels if needed
        ready = time.perf_counter()
        _play(simulator, TRIED)
    except (UserError, OSError, RuntimeError) as error:
        return Check("games", str(error), sound=False)
    rate = TRIED / (time.perf_counter() - ready)
    compiled = f", after {ready - begun:.0f} s of compiling (once per version of wsim)" if cold else ""
    return Check(
        "games", f"played {TRIED} of {plan.game} {plan.ruleset}, {rate:,.0f} per second on one thread{compiled}"
    )


def _play(simulator: Any, games: int) -> None:
    import numpy as np

    simulator.play(0, np.zeros(games * simulator.seats, simulator.row_dtype))
