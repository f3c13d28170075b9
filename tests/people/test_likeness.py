"""Which policy plays like people: simulated people are most like their own policy, and their skill is recovered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wsim
from tests.conftest import Command
from tests.tiers import first_quick
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.people.importing import import_files
from wsim.people.question import ImportOptions


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("likeness")
    for policy in ("random", "greedy", "balanced"):
        record(Plan.make(games=800, policies=policy), folder / policy)
    sheet = wsim.simulate(policies="greedy", games=150, seed=5)
    columns = ["game", "wonder", "side", "total", *[name for name in sheet.columns if name.startswith("points_")]]
    sheet.select(columns).write_csv(folder / "games.csv")
    import_files(ImportOptions(files=(str(folder / "games.csv"),), out=str(folder / "people")), Plan.make())
    return folder


@pytest.mark.slow
def test_simulated_people_are_most_like_their_own_policy(
    runs: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command
) -> None:
    monkeypatch.chdir(runs)
    answer = wsim.most_like("people", "random", "greedy", "balanced")
    assert answer.runs["run"][0] == "greedy"
    distances = answer.runs["distance"].to_numpy()
    assert distances[0] < 0.15
    assert (np.diff(distances) > 0.1).all()
    assert answer.runs["distance_low"][0] == 0
    assert "it does not differ clearly from that of greedy" in answer.skill
    assert answer.again().identical
    shown = wsim_command("people", "like", "people", "random", "balanced")
    assert shown.code == 0
    assert "between those of random and balanced" in shown.out


@first_quick(
    1,
    ("words", "why"),
    [
        (("people",), "name people's games and the runs"),
        (("random", "greedy"), "people's games come from wsim import"),
        (("people", "people"), "was played by people"),
        (("people", "nowhere"), "does not exist"),
    ],
)
def test_invalid_questions_are_rejected(
    runs: Path, monkeypatch: pytest.MonkeyPatch, wsim_command: Command, words: tuple[str, ...], why: str
) -> None:
    monkeypatch.chdir(runs)
    refused = wsim_command("people", "like", *words)
    assert (refused.code, why in refused.err) == (2, True), refused.err
