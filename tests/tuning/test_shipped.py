"""The weight sets shipped with wsim record how they were made, and the recorded command reproduces them."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import wsim
from tests.conftest import Command

pytest.importorskip("cmaes", reason="needs wsim[learn]")

MADE = "Made by: "
GAMES = ("wonders", "babel")
SHORT = ("--generations", "2", "--games", "30", "--held-out", "30", "--judges", "none", "--quiet")


def text_of(game: str) -> str:
    return (Path(wsim.__file__).parent / game / "weights.toml").read_text(encoding="utf-8")


def told(text: str) -> dict[str, str]:
    """Return the comment above each weight set, with its lines joined."""
    found: dict[str, str] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if match := re.fullmatch(r"\[(\w+)\]", line):
            found[match[1]] = " ".join(" ".join(lines).split())
        lines = [*lines, line.removeprefix("#")] if line.startswith("#") else []
    return found


def command_of(text: str) -> list[str]:
    """Return the arguments of the command in the comment above a set."""
    return shlex.split(re.split(r" (?=Searched with )", text.removeprefix(MADE))[0])[1:]


@pytest.mark.parametrize("game", GAMES)
def test_every_shipped_set_records_how_it_was_made(game: str) -> None:
    text = text_of(game)
    assert list(told(text)) == list(tomllib.loads(text))
    for name, said in told(text).items():
        assert said.startswith((MADE, "By hand", "By hill climbing")), name
        if said.startswith(MADE):
            for part in ("--seed ", "--against ", "Searched with ", "Judged on ", "tuned against", "held out"):
                assert part in said, name


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", [said for game in GAMES for said in told(text_of(game)).values() if said.startswith(MADE)]
)
def test_the_recorded_command_reproduces_the_set(
    wsim_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """This runs a shortened command on one thread, and the command recorded in its output on two threads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("wsim.tuning.answer.PROBED", 100)  # games that say which numbers move, most of a short search
    first = wsim_command(*command_of(said), *SHORT, "--threads", "1", "--out", "first")
    assert (first.code, first.err) == (0, "")
    written = Path("first/weights.toml").read_text(encoding="utf-8")
    ((name, head),) = told(written.replace("\n\n[", "\n[")).items()
    assert command_of(said)[command_of(said).index("--name") + 1] == name
    assert wsim_command(*command_of(head), "--quiet", "--threads", "2", "--out", "again").code == 0
    assert Path("again/weights.toml").read_text(encoding="utf-8") == written
    other = wsim_command(*command_of(head), "--quiet", "--seed", "2", "--out", "other")
    assert other.code == 0
    assert tomllib.loads(Path("other/weights.toml").read_text(encoding="utf-8")) != tomllib.loads(written)
