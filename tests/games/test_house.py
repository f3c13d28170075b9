"""The layers of wsim: which package may import which, and that only the gateway imports the compiler.

The packages and their order are those of ``docs/architecture.md``, lowest first. Imports within functions count: they
make the start faster but do not remove a dependency. Imports for type checkers also form circles.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.games.imports import MODULES, imported, imports, tree_of

FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "processors", "document", "version", "facts"),
    ("display", "limits", "paths", "forked", "installed", "options", "files"),
    ("text_tables",),
    ("jit", "position"),
    ("rng",),
    ("kernels",),
    ("stats", "spec"),
    ("game",),
    ("policies",),
    ("lab",),
    ("positions",),
    ("questions",),
    ("people",),
    ("learn",),
    ("balance", "tuning"),
    ("report",),
    ("env",),
    ("workbench",),
    ("wonders", "babel"),
    ("policy",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
"""Packages from the lowest layer up; packages of one layer do not import each other."""

NO_GAME = (
    *("stats", "spec", "game", "policies", "lab", "positions"),
    *("questions", "people", "balance", "tuning", "learn", "report", "env", "workbench", "cli"),
)
GAMES = ("wonders", "babel")
COMPILER = ("numba", "llvmlite")
UPSTAIRS = {
    ("game", "positions/scenes"): "a game without a page of its own is told plainly",
    ("lab/store", "positions/run_games"): "a run gives its games as positions",
}
"""Imports from a lower to a higher layer, each with its reason."""

IN_CIRCLES: set[str] = set()
"""Modules that are still part of a circular import. Resolved ones must be removed here; none may be added."""


def floor_of(module: str) -> int:
    return next(place for place, rooms in enumerate(FLOORS) if room_of(module) in rooms)


def room_of(module: str) -> str:
    return module.split("/")[0]


def circles(arrows: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the import cycles: strongly connected components of two or more modules (Tarjan 1972)."""
    found: list[set[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []

    def follow(module: str) -> None:
        number[module] = lowest[module] = len(number)
        waiting.append(module)
        for other in sorted(arrows[module]):
            if other not in number:
                follow(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in waiting:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            place = waiting.index(module)
            found.append(set(waiting[place:]))
            del waiting[place:]

    for module in arrows:
        if module not in number:
            follow(module)
    return [circle for circle in found if len(circle) > 1]


def test_every_package_has_a_layer() -> None:
    assert sorted(room for rooms in FLOORS for room in rooms) == sorted({room_of(module) for module in MODULES})


def test_imports_point_to_lower_layers() -> None:
    up = [
        f"{module} imports {other}"
        for module in MODULES
        for other in imported(module)
        if room_of(other) != room_of(module) and (module, other) not in UPSTAIRS and floor_of(other) >= floor_of(module)
    ]
    assert up == []


def test_every_exception_is_needed() -> None:
    assert {(module, other) for module, other in UPSTAIRS if other in imported(module)} == set(UPSTAIRS)


def test_no_package_below_the_game_layer_names_a_game() -> None:
    known = [
        f"{module} imports {other}"
        for module in MODULES
        for other in imported(module)
        if room_of(module) in NO_GAME and room_of(other) in GAMES
    ]
    assert known == []


def test_games_do_not_import_each_other() -> None:
    known = [
        f"{module} imports {other}"
        for module in MODULES
        for other in imported(module)
        if room_of(module) in GAMES and room_of(other) in set(GAMES) - {room_of(module)}
    ]
    assert known == []


def test_modules_have_no_circular_imports() -> None:
    """Imports within functions and for type checkers count; parent packages do not, because they are imported first."""
    inside = {module for module in MODULES if not module.endswith("__init__")}
    found = circles({module: imported(module, type_only=True) & inside for module in inside})
    told = "\n".join(", ".join(sorted(circle)) for circle in found)
    assert {module for circle in found for module in circle} == IN_CIRCLES, f"the circles that stand:\n{told}"


def test_a_circular_import_is_detected() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"a", "e"}}
    assert sorted(map(sorted, circles(arrows))) == [["b", "c"], ["e", "f"]]


@pytest.mark.slow
def test_only_the_gateway_names_the_compiler() -> None:
    naming = [
        module
        for module in MODULES
        if room_of(module) != "jit" and {name.split(".")[0] for name in imports(tree_of(module))} & set(COMPILER)
    ]
    assert naming == []
