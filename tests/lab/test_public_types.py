"""The types that editors and mypy see for ``import wsim``: ``wsim/__init__.pyi``, generated from the functions.

python -m tests.lab.test_public_types    # writes it anew
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import wsim
from tests.cli.test_commands import fresh

STUB = Path(wsim.__file__).with_suffix(".pyi")
HEAD = '"""Made of the package by tests/lab/test_public_types.py."""\n'


def names_in(annotation: str) -> set[str]:
    """Return the names used in an annotation."""
    nodes = ast.walk(ast.parse(annotation, mode="eval"))
    return {node.id for node in nodes if isinstance(node, ast.Name)} - set(dir(builtins))


def imports_of(module: ModuleType) -> dict[str, tuple[str, str]]:
    """Return the origin of each name that a module imports, including imports for type checkers."""
    found = {"os": ("os", ""), "Sequence": ("collections.abc", "Sequence"), "Callable": ("collections.abc", "Callable")}
    found |= {"Plan": ("wsim.lab.plan", "Plan"), "Progress": ("wsim.lab.progress", "Progress")}
    found |= {name: ("wsim.balance.goal", name) for name in ("Goal", "GoalSource")}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {one.asname or one.name: (node.module, one.name) for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.asname or one.name: (one.name, "") for one in node.names}
    return found


def shown(parameter: inspect.Parameter) -> str:
    """Format a parameter with its type, and its default if the default is a plain value of this type."""
    star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
    text = f"{star}{parameter.name}: {parameter.annotation}"
    if parameter.default is inspect.Parameter.empty:
        return text
    plain = isinstance(parameter.default, str | int | float) or (parameter.default is None and "None" in text)
    return f"{text} = {parameter.default!r}".replace("'", '"') if plain else f"{text} = ..."


def lines_of(name: str, function: Callable[..., Any]) -> Iterator[str]:
    """Yield the lines of a function's stub, one per parameter."""
    signature = inspect.signature(function)
    yield f"def {name}("
    if next(iter(signature.parameters.values())).kind is inspect.Parameter.KEYWORD_ONLY:
        yield "    *,"
    kinds = [one.kind for one in signature.parameters.values()]
    for kind, following, parameter in zip(kinds, [*kinds[1:], None], signature.parameters.values(), strict=True):
        yield f"    {shown(parameter)},"
        if kind is inspect.Parameter.POSITIONAL_ONLY and following is not kind:
            yield "    /,"
        if following is inspect.Parameter.KEYWORD_ONLY and kind < inspect.Parameter.VAR_POSITIONAL:
            yield "    *,"
    yield f") -> {signature.return_annotation}: ..."


def stub() -> str:
    """Return the text of the stub file: functions with their keywords, and imports of all other names."""
    functions: list[str] = []
    imported: dict[str, set[str]] = defaultdict(set)
    for name in (name for name in wsim.__all__ if name != "__version__"):
        value = getattr(wsim, name)
        module = value if inspect.ismodule(value) else import_module(value.__module__)
        if not inspect.isfunction(value):
            home, _, own = module.__name__.rpartition(".") if inspect.ismodule(value) else (module.__name__, "", name)
            imported[home].add(own)
            continue
        functions += lines_of(name, value)
        signature = inspect.signature(value)
        for annotation in (*(one.annotation for one in signature.parameters.values()), signature.return_annotation):
            for needed in names_in(annotation):
                home, own = imports_of(module).get(needed, (module.__name__, needed))
                imported[home if own else f"{home} as {needed}"].add(own)
    public = [f"    {name!r},".replace("'", '"') for name in wsim.__all__]
    return "\n".join(
        [HEAD, *imports(imported), "", "__all__ = [", *public, "]", "", "__version__: str", "", *functions, ""]
    )


def imports(names: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield import lines in the linter's order: standard library, third-party packages, wsim."""

    def rank(home: str) -> tuple[bool, bool, bool, str]:
        module = home.partition(" ")[0].partition(".")[0]
        return module == "wsim", module not in sys.stdlib_module_names, "" not in names[home], home

    before: tuple[bool, bool] | None = None
    for home in sorted(names, key=rank):
        if before is not None and before != rank(home)[:2]:
            yield ""
        before = rank(home)[:2]
        module, _, alias = home.partition(" as ")
        if "" in names[home]:
            yield f"import {module}" if module == alias else f"import {module} as {alias}"
        else:
            yield f"from {home} import {', '.join(sorted(names[home]))}"


def test_the_stub_matches_the_functions() -> None:
    """The stub is generated in a separate process, because games installed by other tests would add keywords."""
    made = fresh("from tests.lab.test_public_types import stub; print(stub(), end='')")
    assert STUB.read_text(encoding="utf-8") == made, "python -m tests.lab.test_public_types writes it anew"


def test_mypy_also_reports_unknown_keywords() -> None:
    """If the keywords were untyped, mypy would report unused ignore comments."""
    with pytest.raises(wsim.UserError, match="did you mean 'games'"):
        wsim.simulate(gmaes=3)  # type: ignore[call-arg]
    with pytest.raises(wsim.UserError, match="add a change"):
        wsim.whatif(chnage=["cards.Altar.points=3"])  # type: ignore[call-arg]
    with pytest.raises(wsim.UserError, match="budget"):
        wsim.match("random", "first", budget="x")  # type: ignore[arg-type]


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
