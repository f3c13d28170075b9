"""Runs that are killed at random moments and resumed: ``python -m tests.lab.kills FOLDER TIMES SEED``.

Every run is a process, forked before the first game so that hundreds of runs do not take hours. Each is ended by a real
signal at a random moment, every other one again while it is being resumed, and then resumed to the end. A run counts as
lost if it is then not intact, or if its Parquet files differ in any byte from those of an undisturbed run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.games.known import make_known
from wsim.cli.app import main
from wsim.cli.console import INTERRUPTED

SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT")
GAMES = ("--games", "400", "--shard-games", "20", "--pause", "0.0005")
LONGEST = 300.0  # seconds after which a run is taken to hang


def begun(*words: str) -> int:
    """Start the command line in a separate process and return its process ID."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child is where it ends by one
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return child
    code: object = 1
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        main(list(words))
    except SystemExit as left:
        code = left.code
    except KeyboardInterrupt:  # before the command has set its handlers
        code = INTERRUPTED
    finally:
        os._exit(code if isinstance(code, int) else 1)


def ended(child: int) -> int:
    """Wait for a process; return its exit code, or the negative number of the signal that ended it."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise SystemExit("a run hangs")


def going_on(folder: Path) -> Sequence[str]:
    """Return the command-line arguments that continue a run, or start it if it does not exist yet."""
    if (folder / "run.json").exists():
        return ("run", "--resume", str(folder), "--quiet")
    return ("run", *GAMES, "--out", str(folder), "--quiet")


def contents(folder: Path) -> dict[str, bytes]:
    """Return the Parquet files of a run."""
    return {path.name: path.read_bytes() for path in folder.rglob("*.parquet")}


def tried(folder: Path, name: str, times: int, seed: int) -> dict[str, object]:
    """Kill and resume a number of runs with one signal; return the counts of runs and kills, and the lost runs."""
    draw = random.Random(f"{seed} {name}")
    whole = folder / "whole"
    start = time.monotonic()
    assert ended(begun("run", *GAMES, "--out", str(whole), "--quiet")) == 0
    seconds, expected = time.monotonic() - start, contents(whole)
    cut_off, kills, lost = 0, 0, []
    for number in range(times):
        run = folder / f"{number}"
        codes = []
        for _ in range(1 + number % 2):
            child = begun(*going_on(run))
            time.sleep(draw.uniform(0, seconds))
            os.kill(child, getattr(signal, name))
            codes.append(ended(child))
            kills += 1
        cut_off += 0 < len(contents(run)) < len(expected)
        allowed = {0, INTERRUPTED} if name != "SIGKILL" else {0, -signal.SIGKILL}
        allowed |= {-getattr(signal, name)}  # likewise
        finished = ended(begun(*going_on(run)))
        sound = ended(begun("verify", str(run)))
        if not set(codes) <= allowed or finished or sound or contents(run) != expected:
            lost.append({"run": str(run), "codes": codes, "finished": finished, "sound": sound})
    return {"signal": name, "runs": times, "kills": kills, "cut off": cut_off, "lost": lost}


if __name__ == "__main__":
    for module in ("numpy", "wsim.cli.run_command"):  # what a run imports, once; but no Polars before a fork
        import_module(module)
    make_known("toy")
    for signal_name in SIGNALS:
        place = Path(sys.argv[1], signal_name)
        place.mkdir(parents=True)
        print(json.dumps(tried(place, signal_name, int(sys.argv[2]), int(sys.argv[3]))), flush=True)
