"""Normalisation of plans, plan files, digests, commands."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wsim
from wsim import Plan, UserError
from wsim.policies.sources import contents_of

pytestmark = pytest.mark.usefixtures("toy")


def test_defaults_come_from_the_game() -> None:
    plan = Plan.make()
    assert (plan.game, plan.ruleset, plan.players, plan.games, plan.seed) == ("toy", "toy-1e", 4, 100_000, 1)
    assert plan.policies == ("bold", "shy", "random", "bold")
    assert plan.options == {"wonders": "random"}


def test_the_default_line_up_fits_any_number_of_players() -> None:
    assert Plan.make(players=3).policies == ("bold", "shy", "random")
    assert Plan.make(players=6).policies == ("bold", "shy", "random", "bold", "bold", "shy")


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"games": -5}, "games must be at least 1, not -5"),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"games": 2**44}, "games must be less than 17592186044416, not 17592186044416"),
        ({"games": 2.0}, "games must be a whole number, not 2.0"),
        ({"games": True}, "games must be a whole number, not True"),
        ({"games": "10"}, "games must be a whole number, not '10'"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"seed": 2**64}, "seed must be less than 18446744073709551616"),
        ({"players": 0}, "players must be at least 1, not 0"),
        ({"rotate": 1}, "rotate must be true or false, not 1"),
        ({"ruleset": 2}, "ruleset must be a name, not 2"),
        ({"ruleset": " "}, "ruleset must be a name, not ' '"),
        ({"policies": ["bold", 3]}, "policies must be a name, not 3"),
        ({"policies": 3}, "policies must be a list, not 3"),
        ({"policies": "bold,shy,bold"}, "3 policies for 4 players: give one for all seats or one per seat"),
        ({"cards": 3}, "cards must be a file, not 3"),
        ({"patch": {"a": 1}}, "patch must be a list"),
        ({"set": "cards.Palace.points"}, "set must be path=value, such as cards.Palace.points=6"),
        ({"game": "toi"}, r"unknown game 'toi' \(did you mean 'toy'\?\): wsim plays"),
        ({"polices": "bold"}, r"unknown plan key 'polices': .*did you mean 'policies'\?"),
        ({"wonder": "bold"}, r"unknown plan key 'wonder': .*did you mean 'wonders'\?"),
        ({"wonders": {"a": 1}}, "wonders must be a string, a number or a list of these"),
    ],
)
def test_invalid_input_is_rejected_in_one_sentence(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence) as refusal:
        Plan.make(**keys)
    assert "\n" not in str(refusal.value)


def test_plan_values_are_normalised() -> None:
    plan = Plan.make(games=np.int32(7), policies="bold", patch=Path("a.toml"), wonders=["Gizah", "random"], pause=1)
    assert plan == Plan.make(games=7, policies=["bold"], patch=["a.toml"], wonders="Gizah,random", pause="1")
    assert type(plan.games) is int


def test_a_plan_is_hashable_and_frozen() -> None:
    assert len({Plan.make(games=3), Plan.make(games=3), Plan.make(games=4)}) == 2
    with pytest.raises(AttributeError):
        Plan.make().games = 3  # type: ignore[misc]


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(
    lambda text: text.strip() == text
)


@pytest.mark.slow
@given(seed=st.integers(0, 2**63 - 1), rotate=st.booleans(), cards=names, wonders=names, path=names)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plan_survives_writing_and_reading(seed: int, rotate: bool, cards: str, wonders: str, path: str) -> None:
    plan = Plan.make(seed=seed, rotate=rotate, cards=cards, wonders=wonders, patch=[path, "b"], set=f"x={path}")
    Path("plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    assert Plan.from_toml("plan.toml") == plan
    assert Plan.restore(plan.as_dict()) == plan


def test_options_override_a_plan_file() -> None:
    Path("plan.toml").write_text('games = 5\nseed = 9\npolicies = "shy"\n')
    assert Plan.from_toml("plan.toml", games=6) == Plan.make(games=6, seed=9, policies="shy")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"games = ", "plan.toml, line 1: not valid TOML"),
        (b"games = 5\ncolour = 'red'", "unknown plan key 'colour'"),
        (b"\xff", "plan.toml is not a text file in UTF-8"),
        (None, "cannot read the plan 'plan.toml': No such file or directory"),
    ],
)
def test_an_invalid_plan_file_is_rejected(content: bytes | None, sentence: str) -> None:
    if content is not None:
        Path("plan.toml").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        Plan.from_toml("plan.toml")


def test_the_digest_depends_on_everything_that_determines_the_data() -> None:
    digests = {
        plan.digest
        for plan in (
            Plan.make(),
            Plan.make(games=5),
            Plan.make(seed=5),
            Plan.make(policies="bold"),
            Plan.make(rotate=True),
            Plan.make(wonders="Gizah"),
            Plan.make(set="x=1"),
            Plan.make(picks=True),
        )
    }
    assert len(digests) == 8


def test_the_digest_depends_on_file_contents_not_paths() -> None:
    for folder, points in (("a", 1), ("b", 1), ("c", 2)):
        Path(folder).mkdir()
        Path(folder, "cards.toml").write_text(f"points = {points}")
        Path(folder, "mine.py").write_text(f"bold = {points}")
    for kind in ("cards", "patch", "policies"):
        keys: list[dict[str, Any]] = [
            {kind: f"{folder}/mine.py:bold" if kind == "policies" else f"{folder}/cards.toml"} for folder in "abc"
        ]
        first, same, other = (Plan.make(**key).digest for key in keys)
        assert first == same != other


def test_the_digest_covers_modules_that_a_policy_imports_from_its_folder() -> None:
    Path("pack").mkdir()
    files = {
        "mine.py": "import json\nimport beside\nfrom pack import inner, nothing\n",
        "beside.py": "import mine\nfrom pack.deep import x\n",  # in a circle
        "pack/__init__.py": "",
        "pack/inner.py": "from . import sibling\nfrom .deep import x\n",
        "pack/sibling.py": "",
        "pack/deep.py": "x = 1\n",
        "json.txt": "",
        "stranger.py": "",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    found = list(contents_of(Path("mine.py")))
    assert found == ["mine.py", "beside.py", "pack/__init__.py", "pack/deep.py", "pack/inner.py", "pack/sibling.py"]
    before = Plan.make(policies="mine.py:bold").digest
    Path("stranger.py").write_text("y = 2\n")
    assert Plan.make(policies="mine.py:bold").digest == before
    for name in found:
        Path(name).write_text(files[name] + "# edited\n")
        assert Plan.make(policies="mine.py:bold").digest != before
        Path(name).write_text(files[name])
    assert Plan.make(policies="mine.py:bold").digest == before


def test_a_policy_file_need_not_be_python_source() -> None:
    Path("mine.py").write_text("def bold(:\n")
    assert contents_of(Path("mine.py")) == {"mine.py": b"def bold(:\n"}


def test_a_missing_file_is_named() -> None:
    with pytest.raises(UserError, match=r"cannot read 'mine\.toml': No such file or directory"):
        _ = Plan.make(cards="mine.toml").digest
    with pytest.raises(UserError, match=r"cannot read 'mine\.py': No such file or directory"):
        _ = Plan.make(policies="mine.py:bold").digest


def test_the_command_reproduces_the_plan(wsim_command: Any) -> None:
    plan = Plan.make(games=20, seed=3, policies="bold:nerve=2", rotate=True, picks=True, pause=0, set=["a.b=1", "c=2"])
    words = shlex.split(plan.command())
    assert words[:2] == ["wsim", "run"]
    answer = wsim_command(*words[1:], "--out", "again")
    assert answer.code == 0, answer.err
    assert wsim.load_run("again").plan == plan


def test_the_digest_depends_on_the_content_of_a_weights_file() -> None:
    Path("w.toml").write_text("coin = 1")
    plan = Plan.make(policies="bold:file=w.toml")
    first = plan.digest
    assert Plan.make(policies="bold:file=w.toml").digest == first
    Path("w.toml").write_text("coin = 2")
    assert plan.digest != first
    assert Plan.make(policies="bold:file=w.toml").digest == plan.digest
