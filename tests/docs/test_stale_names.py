"""Docstrings and comments refer only to existing files, modules and names."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

import wsim
from tests.games.imports import MODULES, tree_of

HOUSE = Path(wsim.__file__).parent
GAMES = ("wonders", "babel")
PATH = re.compile(r"(?<![\w./*{])((?:\w+/)*[a-z]\w*\.py)\b")
FOLDER = re.compile(r"``([a-z_]+(?:/[a-z_]+)+)``")
DOTTED = re.compile(r"\bwsim((?:\.\w+)+)")
CONSTANT = re.compile(r"``([a-z_]+)\.([A-Z][A-Z_]+)``")
NO_MODULES = {".games"}
"""The group of entry points by which games are found."""


def prose_of(path: Path) -> str:
    """Return the docstrings (all triple-quoted strings) and comments of a source file."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return "\n".join(
        one.string
        for one in tokens
        if one.type == tokenize.COMMENT or (one.type == tokenize.STRING and '"""' in one.string)
    )


def named_in(module: str) -> set[str]:
    """Return the names that a module defines or imports, and the fields of its records and classes."""
    found: set[str] = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def is_there(path: Path, name: str) -> bool:
    """Return whether a file or folder exists next to the file that names it, in its package, in a game, or in the
    repository.
    """
    room = path.relative_to(HOUSE).parts[0]
    homes = (path.parent, HOUSE / room, HOUSE, HOUSE.parent, *(HOUSE / game for game in GAMES))
    if any((home / name).exists() or (home / f"{name}.py").exists() for home in homes):
        return True
    return "/" not in name and any(module.split("/")[-1] == name.removesuffix(".py") for module in MODULES)


def resolves(dotted: str) -> bool:
    """Return whether ``.room.module.name`` is a package, a module, or a name defined in one of them."""
    parts, module = dotted.split(".")[1:], ""
    while parts and (HOUSE / module / parts[0]).is_dir():
        module = f"{module}/{parts.pop(0)}".strip("/")
    if parts and f"{module}/{parts[0]}".strip("/") in MODULES:
        module = f"{module}/{parts.pop(0)}".strip("/")
    elif parts:
        module = f"{module}/__init__".strip("/")
    return not parts or parts[0] in named_in(module) or (module == "__init__" and parts[0] in dir(wsim))


@pytest.mark.slow
def test_names_in_docstrings_and_comments_exist() -> None:
    stale = []
    for module, path in MODULES.items():
        prose = prose_of(path)
        stale += [
            f"{module}: {name}" for name in {*PATH.findall(prose), *FOLDER.findall(prose)} if not is_there(path, name)
        ]
        dotted = set(DOTTED.findall(prose)) - NO_MODULES
        stale += [f"{module}: wsim{name}" for name in dotted if not resolves(name)]
        for other, name in set(CONSTANT.findall(prose)):
            beside = module.rpartition("/")[0] + f"/{other}"
            if beside in MODULES and name not in named_in(beside):
                stale.append(f"{module}: {other}.{name}")
    assert sorted(stale) == []


def test_a_stale_name_is_detected() -> None:
    here = HOUSE / "stats" / "tables.py"
    assert is_there(here, "moments.py")
    assert is_there(here, "kernels/layout.py")
    assert not is_there(here, "kernels/desks.py")
    assert resolves(".stats.tables.factor")
    assert not resolves(".stats.laying")
    assert not resolves(".stats.tables.laying")
