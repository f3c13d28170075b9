"""Files written by wsim 0.1.0 (46e67a1) can be read: runs, answers, nets, weights, searches, positions, games.

The files are in ``tests/data/reading``. What refuses one of them from now on names the remedy, and this test says so.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.tiers import first_quick

KEPT = Path(__file__).parents[1] / "data" / "reading"


@pytest.fixture(autouse=True)
def _copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a working folder with copies of the files."""
    shutil.copytree(KEPT, tmp_path / "reading")
    monkeypatch.chdir(tmp_path / "reading")


@first_quick(2, "name", ["run-babel", "whatif.json", "match.parquet", "match-folder", "skill.json"])
def test_games_with_older_random_streams_are_not_repeated(wsim_command: Command, name: str) -> None:
    answer = wsim_command("rerun", name)
    assert (answer.code, answer.out) == (2, "")
    assert "were dealt by version 1 of the random streams, and this wsim deals by version 2" in answer.err


@pytest.mark.slow
def test_a_stored_run_verifies_and_its_page_shows_answers(wsim_command: Command) -> None:
    assert wsim_command("verify", "run-babel").code == 0
    answers = (
        "--whatif",
        "whatif.json",
        "--match",
        "match.parquet",
        "--skill",
        "skill.json",
        "--balance",
        "patch.json",
    )
    answer = wsim_command("report", str(KEPT.parent / "run_2"), *answers, "-o", "page.html")
    assert (answer.code, Path("page.html").stat().st_size > 100_000) == (0, True), answer.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    [
        ("--game", "tower_of_babel", "--policies", "net:file=net.npz"),
        ("--policies", "weighted:file=tune/weights.toml"),
        ("--policies", "balanced", "--patch", "patch.toml"),
    ],
)
def test_nets_weights_and_patches_play(wsim_command: Command, plan: tuple[str, ...]) -> None:
    answer = wsim_command("run", "--games", "20", "--players", "3", *plan, "--json")
    assert (answer.code, json.loads(answer.out)["played"]) == (0, 20)


def test_a_position_without_steps_is_read(wsim_command: Command) -> None:
    answer = wsim_command("advise", "position-seen.json", "--playouts", "5", "--json")
    assert (answer.code, len(json.loads(answer.out)["moves"]) > 1) == (0, True), answer.err


@pytest.mark.parametrize("words", ["advise position.json", "advise position-babel.json", "play --load play.json"])
def test_steps_with_older_random_streams_are_not_replayed(wsim_command: Command, words: str) -> None:
    answer = wsim_command(*words.split())
    assert (answer.code, answer.out) == (2, "")
    assert "this wsim deals by version 2" in answer.err


def test_a_stored_weight_search_continues_or_says_what_to_do(wsim_command: Command) -> None:
    pytest.importorskip("cmaes", reason="needs wsim[learn]")
    answer = wsim_command("tune", "--resume", "tune", "--json")
    if answer.code == 0:
        assert json.loads(answer.out)["games"] == 2 * 4 * 120
    else:
        assert (answer.code, "this wsim deals by version 2" in answer.err) == (2, True)


@pytest.mark.slow
def test_a_stored_patch_search_continues_or_says_what_to_do(wsim_command: Command) -> None:
    answer = wsim_command("balance", "sides.toml", "--seed", "5", "-o", "interrupted.toml", "--resume", "--quiet")
    assert answer.code in (0, 3) or "remove it to start again" in answer.err
