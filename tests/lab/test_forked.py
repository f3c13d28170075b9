"""Workers of every kind after the parent has played: they play the same games or report a remedy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import multiprocessing, sys
import wsim
from tests.games.known import make_known

def work(seed):
    make_known("toy")
    try:
        return int(wsim.simulate(games=300, seed=seed)["total"].sum())
    except wsim.UserError as error:
        return str(error)

if __name__ == "__main__":
    method, first = sys.argv[1:]
    if first == "polars first":
        import polars
    if first == "parent first":
        assert work(0)
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(work, [1, 2]).get(timeout=120)
    print(*found, sep="\\n")
    if first != "parent first" or method != "fork":
        assert found == [work(1), work(2)]
"""


def answered(method: str, first: str, folder: Path) -> list[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(program), method, first]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


@pytest.mark.slow
def test_workers_forked_after_playing_report_a_fix(tmp_path: Path) -> None:
    sentence = (
        "this process was forked from one that had already made tables, so Polars would hang in it: "
        'start workers with multiprocessing.get_context("spawn") or "forkserver", or fork before the first game'
    )
    assert answered("fork", "parent first", tmp_path) == [sentence, sentence]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_started_without_fork_play_after_the_parent(method: str, tmp_path: Path) -> None:
    assert all(total.isdigit() for total in answered(method, "parent first", tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("first", ["workers first", "polars first"])
def test_workers_forked_before_the_first_game_play(first: str, tmp_path: Path) -> None:
    """Polars may already be imported, because it starts its threads only with the first table."""
    assert all(total.isdigit() for total in answered("fork", first, tmp_path))
