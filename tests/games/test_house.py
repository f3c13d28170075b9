"""The house: which room may import which, that no room is too large, and that only the gateway names the compiler.

The rooms and their order are those of ``docs/architecture.md``; lower ones come first. Imports within functions count:
they make a start lighter, not a house smaller. Imports for type checkers do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

WSIM = Path(__file__).parents[2] / "wsim"
MOST_LINES = 500

FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "processors"),
    ("paths", "forked", "installed", "options"),
    ("jit", "position"),
    ("rng",),
    ("stats", "spec"),
    ("game",),
    ("policies",),
    ("lab",),
    ("positions",),
    ("experiments",),
    ("balance", "tuning", "learn"),
    ("report",),
    ("env",),
    ("wonders", "babel"),
    ("policy",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
"""Rooms from the ground up; those on one floor do not import each other."""

NO_GAME = (
    *("stats", "spec", "game", "policies", "lab", "positions"),
    *("experiments", "balance", "tuning", "learn", "report", "env"),
)
GAMES = ("wonders", "babel")
COMPILER = ("numba", "llvmlite")
UPSTAIRS = {
    ("game", "positions/scenes"): "a game without a page of its own is told plainly",
    ("lab/provenance", "__init__"): "the version of wsim",
    ("lab/store", "positions/of_run"): "a run gives its games as positions",
}
"""Imports that go up, each with its reason."""

MODULES = {path.relative_to(WSIM).with_suffix("").as_posix(): path for path in sorted(WSIM.rglob("*.py"))}


def floor_of(module: str) -> int:
    room = module.split("/")[0]
    return next(place for place, rooms in enumerate(FLOORS) if room in rooms)


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that a file imports, with dots, but for those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, ast.unparse(node)  # absolute imports only
            if node.module != "wsim":  # of whose submodules some are named so
                yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from imports(node)


def module_of(name: str) -> str | None:
    """Return the module of wsim behind a dotted name; None for what is none, or not of wsim."""
    first, *rest = name.split(".")
    if first != "wsim":
        return None
    inside = "/".join(rest)
    if len(rest) < 2 and inside not in MODULES and f"{inside}/__init__" not in MODULES:
        return "__init__"  # the package itself, or a name in it
    return next((one for one in (inside, f"{inside}/__init__") if one in MODULES), None)


@cache
def imported(module: str) -> set[str]:
    """Return the modules of wsim that a module of it imports."""
    names = imports(ast.parse(MODULES[module].read_text(encoding="utf-8")))
    return {found for name in names if (found := module_of(name)) is not None} - {module}


def test_every_room_has_its_floor() -> None:
    assert sorted(room for rooms in FLOORS for room in rooms) == sorted({module.split("/")[0] for module in MODULES})


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down(module: str) -> None:
    for other in imported(module):
        if (module, other) in UPSTAIRS or other.split("/")[0] == module.split("/")[0]:
            continue
        assert floor_of(other) < floor_of(module), f"{module} imports {other}"


def test_every_exception_is_needed() -> None:
    assert {(module, other) for module, other in UPSTAIRS if other in imported(module)} == set(UPSTAIRS)


@pytest.mark.parametrize("room", NO_GAME)
def test_no_room_below_the_games_knows_one(room: str) -> None:
    for module in MODULES:
        if module.split("/")[0] == room:
            assert not [other for other in imported(module) if other.split("/")[0] in GAMES], module


def test_no_game_knows_another() -> None:
    for module in MODULES:
        room = module.split("/")[0]
        if room in GAMES:
            assert not [
                other for other in imported(module) if other.split("/")[0] in GAMES and other.split("/")[0] != room
            ]


def test_no_two_modules_import_each_other() -> None:
    """Follow the imports of the module level from every module; none leads back."""
    arrows = {module: at_once(module) for module in MODULES}
    done: set[str] = set()

    def follow(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done:
            for other in sorted(arrows[module]):
                follow(other, (*path, module))
            done.add(module)

    for module in MODULES:
        follow(module, ())


def at_once(module: str) -> set[str]:
    """Return what is imported when the module is, packages of the module's own left out: they are imported first."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    found = {other for name in imports(tree) if (other := module_of(name)) is not None}
    return {other for other in found if not other.endswith("__init__")} - {module}


@pytest.mark.parametrize("module", MODULES)
def test_a_file_is_small(module: str) -> None:
    assert len(MODULES[module].read_text(encoding="utf-8").splitlines()) < MOST_LINES


@pytest.mark.parametrize("module", MODULES)
def test_only_the_gateway_names_the_compiler(module: str) -> None:
    if not module.split("/")[0].startswith("jit"):
        names = {name.split(".")[0] for name in imports(ast.parse(MODULES[module].read_text(encoding="utf-8")))}
        assert not names & set(COMPILER)
