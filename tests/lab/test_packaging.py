"""Checks on pyproject.toml and the wheel."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_requirement_appears_once() -> None:
    """The extra for tests refers to the other extras, which list their own requirements."""
    table = project()
    lists = [*table["project"]["optional-dependencies"].values(), *table["dependency-groups"].values()]
    lists = [table["project"]["dependencies"], *lists]
    named = Counter(re.split(r"[\[<>= ]", line, maxsplit=1)[0] for one in lists for line in one)
    assert [name for name, often in named.items() if often > 1 and name != "wsim"] == ["altair"]  # in two extras
    whole = next(line for line in table["project"]["optional-dependencies"]["test"] if line.startswith("wsim["))
    inside = whole.removeprefix("wsim[").removesuffix("]").split(",")
    assert {*inside, "docs", "test"} == set(table["project"]["optional-dependencies"])


def test_the_wheel_contains_the_catalogue() -> None:
    included = project()["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"cards.toml": "wsim/cards.toml"}
    assert (ROOT / "cards.toml").is_file()
    assert project()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["wsim"]  # with its data files
    assert (ROOT / "wsim" / "babel" / "babel.toml").is_file()


@pytest.mark.parametrize("game", ["wonders", "babel"])
def test_the_wheel_contains_the_weight_sets(game: str) -> None:
    """All files in the package are included in the wheel, unless they are excluded or ignored by git."""
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
