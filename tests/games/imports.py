"""The imports between modules of wsim, read from the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WSIM = Path(__file__).parents[2] / "wsim"
MODULES = {path.relative_to(WSIM).with_suffix("").as_posix(): path for path in sorted(WSIM.rglob("*.py"))}


def imports(tree: ast.AST, type_only: bool = False) -> Iterator[str]:
    """Yield the dotted names of the modules that a file imports; ``type_only`` includes imports for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not type_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, ast.unparse(node)  # absolute imports only
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            if node.module != "wsim" and None in map(module_of, names):  # a name in the module, not a module in it
                yield str(node.module)
            yield from names
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):  # an expression imports nothing
            yield from imports(node, type_only)


def module_of(name: str) -> str | None:
    """Return the wsim module behind a dotted name; None if it is not a module of wsim."""
    first, *rest = name.split(".")
    if first != "wsim":
        return None
    inside = "/".join(rest)
    if len(rest) < 2 and inside not in MODULES and f"{inside}/__init__" not in MODULES:
        return "__init__"  # the package itself, or a name in it
    return next((one for one in (inside, f"{inside}/__init__") if one in MODULES), None)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def imported(module: str, type_only: bool = False) -> set[str]:
    """Return the wsim modules that a wsim module imports."""
    names = imports(tree_of(module), type_only)
    return {found for name in names if (found := module_of(name)) is not None} - {module}


@cache
def imported_at_once(module: str) -> set[str]:
    """Return the wsim modules that are loaded when a module is imported, without imports for type checkers."""
    tree = tree_of(module)
    outside = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names = imports(ast.Module(outside, []))
    return {found for name in names if (found := module_of(name)) is not None} - {module}
