"""What pyproject.toml promises."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_tests_need_the_same_whoever_installs_them() -> None:
    """An old pip knows extras only, newer tools prefer dependency groups."""
    table = project()
    assert table["project"]["optional-dependencies"]["test"] == table["dependency-groups"]["test"]


def test_the_wheel_carries_the_catalogue() -> None:
    included = project()["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"cards.toml": "wsim/cards.toml"}
    assert (ROOT / "cards.toml").is_file()
    assert project()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["wsim"]  # with its data files
    assert (ROOT / "wsim" / "babel" / "babel.toml").is_file()


@pytest.mark.parametrize("game", ["wonders", "babel"])
def test_the_wheel_carries_the_weight_sets(game: str) -> None:
    """Whatever lies in the package goes into the wheel, unless it is left out or git ignores it."""
    wheel = project()["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["wsim"]
    assert "exclude" not in wheel
    assert (ROOT / "wsim" / game / "weights.toml").is_file()
    assert "toml" not in (ROOT / ".gitignore").read_text(encoding="utf-8")


def test_every_dependency_is_imported() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "wsim").rglob("*.py"))
    for requirement in project()["project"]["dependencies"]:
        name = requirement.partition(">=")[0]
        assert f"import {name}" in code or f"from {name}" in code, name
