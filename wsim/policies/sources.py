"""Find the source files of a user policy: its file, and its imports from its own folder or package."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

_LIBRARIES = ("site-packages", "dist-packages")  # folders of unrelated modules


def digest_of_sources(file: str | Path, module: str = "") -> str:
    """Compute the digest of a policy's sources (for a single file, of its content); raise OSError if unreadable."""
    first, *imports = contents_of(Path(file).resolve(), module).items()
    import hashlib  # imported late: every help text that lists plan keys imports this module

    digest = hashlib.sha256(first[1])
    for name, content in imports:
        digest.update(f"\0{name}\0{hashlib.sha256(content).hexdigest()}".encode())
    return "sha256:" + digest.hexdigest()


def contents_of(file: Path, module: str = "") -> dict[str, bytes]:
    """Read a policy's source files by path: its own file, then its imports from its folder or package, sorted.

    ``module`` is the name under which the file was imported; the paths then begin with the package. Imports under names
    computed at run time, or from other folders, are not found. Raises OSError for a file that cannot be read.
    """
    first = file.resolve()
    root = first.parent
    depth = module.count(".") + (first.stem == "__init__") if module else 0
    for _ in range(depth):
        root = root.parent
    within = root / module.partition(".")[0] if depth else first if root.name in _LIBRARIES else root
    contents = {path.relative_to(root).as_posix(): path.read_bytes() for path in _sources(first, root, within)}
    return contents if depth else {file.name: file.read_bytes()} | contents


def module_file(module: str) -> Path | None:
    """Return the path of an imported module's source file; None if the module has no Python file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if isinstance(file, str) and file.endswith(".py") else None


def _sources(first: Path, root: Path, within: Path) -> list[Path]:
    """Return the file ``first``, then all files below ``within`` that it imports directly or indirectly, sorted."""
    files: set[Path] = set()
    waiting = [first]
    while waiting:
        path = waiting.pop()
        if path not in files:
            files.add(path)
            waiting += [source for source in _imported(path, root) if source.is_relative_to(within)]
    return [first, *sorted(files - {first})]


def _imported(path: Path, folder: Path) -> Iterator[Path]:
    """Yield the files that the import statements of a file load, from its own folder or from ``folder``."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # reported when the file is loaded
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(folder, alias.name)
        elif isinstance(node, ast.ImportFrom):
            start = path.parents[node.level - 1] if node.level else folder
            for alias in node.names:  # a module of a package, or a name of a module
                yield from _files(start, f"{node.module}.{alias.name}" if node.module else alias.name)


def _files(folder: Path, name: str) -> Iterator[Path]:
    """Yield the files that run when the module ``name`` is imported from a folder that contains it."""
    for part in name.split("."):
        for path in (folder / f"{part}.py", folder / part / "__init__.py"):
            if path.is_file():
                yield path.resolve()
        folder = folder / part
