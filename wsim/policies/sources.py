"""The source of a user's policy: its file, and what this imports from its own folder."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

__all__ = ["digest_of_sources", "sources"]


def digest_of_sources(file: str | Path) -> str:
    """Return the digest of a policy's sources: of a file alone that of its content. OSError if one cannot be read."""
    first = Path(file).resolve()
    contents = [(path.relative_to(first.parent).as_posix(), path.read_bytes()) for path in sources(first)]
    whole = hashlib.sha256(contents[0][1])
    for name, content in contents[1:]:
        whole.update(f"\0{name}\0{hashlib.sha256(content).hexdigest()}".encode())
    return "sha256:" + whole.hexdigest()


def sources(file: Path) -> list[Path]:
    """Return a file and then, sorted, the modules below its folder that it imports, those that they import, and so on.

    What is imported under a name made while running, or from elsewhere, is not found.
    """
    first = file.resolve()
    found: set[Path] = set()
    waiting = [first]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [one for one in _imported(path, first.parent) if one.is_relative_to(first.parent)]
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
