"""The digest that names the cache folder of a package covers all sources of its kernels.

A changed kernel must not load the compiled code of its former version. So every module that a kernel module imports,
directly or indirectly, is either among the sources of the digest or contains nothing that is compiled.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.games.imports import MODULES, WSIM, imported_at_once, tree_of
from tests.tiers import first_quick
from wsim.jit import cache as places
from wsim.jit.cache import source_digest

PACKAGES = sorted({module.rpartition("/")[0].replace("/", ".") for module in MODULES if "/kernels/" in module})
PACKAGES += [package.replace("kernels", "policies") for package in PACKAGES if package != "stats.kernels"]
NOT_COMPILED = {
    "errors": "exceptions",
    "processors": "how many processors there are",
}
"""Modules that kernels' modules import for Python, each with what it holds."""


def covered(package: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the modules whose source is covered by the digest of a package such as "wonders.policies"."""
    read: list[Path] = []
    files = places._files

    def listed(place: Path) -> list[Path]:
        found = files(place)
        read.extend(found)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(places, "_files", listed)
        source_digest.__wrapped__(package)
    return {path.relative_to(WSIM).with_suffix("").as_posix() for path in read}


def own_of(package: str) -> set[str]:
    return {module for module in MODULES if module.startswith(f"{package.replace('.', '/')}/")}


def closure(start: set[str]) -> set[str]:
    """Return modules and all their imports; the package ``wsim`` itself does not import kernels."""
    seen: set[str] = set()
    waiting = sorted(start)
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += imported_at_once(module) - {"__init__"}
    return seen


def makes_kernels(module: str) -> bool:
    """Return whether a module defines or creates compiled functions that are cached (``njit`` alone does not cache)."""
    marks = [
        ast.unparse(mark)
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
    ]
    return any(re.match(r"(kernel|intrinsic)\b|overload\(", mark) for mark in marks)


def uncovered(package: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the modules that a package's kernels import although its digest does not cover them."""
    own = own_of(package)
    assert own
    return (own | closure(own)) - covered(package, monkeypatch) - set(NOT_COMPILED)


@first_quick(1, "package", PACKAGES)
def test_the_digest_covers_every_module_that_kernels_import(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert uncovered(package, monkeypatch) == set()


def test_every_module_that_makes_kernels_is_in_a_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere = set().union(*(covered(package, monkeypatch) for package in PACKAGES))
    found = {module for module in MODULES if makes_kernels(module)}
    assert found
    assert found - everywhere == set()
    assert found & set(NOT_COMPILED) == set()


def test_every_exception_is_needed() -> None:
    assert set(NOT_COMPILED) <= set().union(*(closure(own_of(package)) for package in PACKAGES))


def test_an_omitted_source_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "SHARED_SOURCES", tuple(set(places.SHARED_SOURCES) - {"rng.py"}))
    assert uncovered("wonders.policies", monkeypatch) == {"rng"}
