"""The source of a user's policy: its file, and what this imports from its own folder or package."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

_LIBRARIES = ("site-packages", "dist-packages")  # folders of modules that are none of each other


def digest_of_sources(file: str | Path, module: str = "") -> str:
    """Return the digest of a policy's sources: of a file alone that of its content. OSError if one cannot be read."""
    first, *others = contents_of(Path(file).resolve(), module).items()
    import hashlib  # not before a file is read: every help that lists keys of a plan comes by here

    whole = hashlib.sha256(first[1])
    for name, content in others:
        whole.update(f"\0{name}\0{hashlib.sha256(content).hexdigest()}".encode())
    return "sha256:" + whole.hexdigest()


def contents_of(file: Path, module: str = "") -> dict[str, bytes]:
    """Return the file of a policy and then, sorted, what it imports from its folder, or its package: path -> content.

    ``module`` is what the file was imported as; its paths begin with the package. What is imported under a name made
    while running, or from elsewhere, is not found. Raises OSError for a file that cannot be read.
    """
    first = file.resolve()
    root = first.parent
    depth = module.count(".") + (first.stem == "__init__") if module else 0
    for _ in range(depth):
        root = root.parent
    within = root / module.partition(".")[0] if depth else first if root.name in _LIBRARIES else root
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in _sources(first, root, within)}
    return found if depth else {file.name: file.read_bytes()} | found


def module_file(module: str) -> Path | None:
    """Return the source of a module that has been imported; None where it is not a file of Python."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if isinstance(file, str) and file.endswith(".py") else None


def _sources(first: Path, root: Path, within: Path) -> list[Path]:
    """Return a file and then, sorted, the files below ``within`` that it imports, those that they import, and so on."""
    found: set[Path] = set()
    waiting = [first]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [one for one in _imported(path, root) if one.is_relative_to(within)]
    return [first, *sorted(found - {first})]


def _imported(path: Path, folder: Path) -> Iterator[Path]:
    """Yield the files that the statements of a file import, from beside it or from ``folder``."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # whoever loads the file says so
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield from _files(folder, one.name)
        elif isinstance(node, ast.ImportFrom):
            start = path.parents[node.level - 1] if node.level else folder
            for one in node.names:  # a module of a package, or a name of a module
                yield from _files(start, f"{node.module}.{one.name}" if node.module else one.name)


def _files(folder: Path, name: str) -> Iterator[Path]:
    """Yield the files that run when the module ``name`` is imported from a folder; none if it does not lie there."""
    for part in name.split("."):
        for path in (folder / f"{part}.py", folder / part / "__init__.py"):
            if path.is_file():
                yield path.resolve()
        folder = folder / part
