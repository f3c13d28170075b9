"""A user's own policy: a function of a file (``./mine.py:bold``) or an installed module (``package.module:bold``)."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from numba import njit
from numba.core.errors import NumbaError

from wsim.babel.layout import POLICY
from wsim.errors import UserError, nearest
from wsim.jit import JIT
from wsim.lab.lineup import Entry

__all__ = ["compile_policy", "load_policy"]

_SIGNATURE = "policy(public, own, choice, tables)"


def load_policy(entry: Entry) -> Any:
    """Load and compile the function that a line-up entry names; raise UserError for what cannot be played."""
    module = _load_file(entry.file) if entry.file is not None else _load_module(str(entry.module))
    function = getattr(module, entry.function, None)
    if not callable(function):
        names = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        guess = nearest(entry.function, names)
        raise UserError(f"there is no function {entry.function!r} in {entry.file or entry.module}{guess}")
    return compile_policy(function, entry.name)


def _load_file(name: str) -> ModuleType:
    path = Path(name)
    if not path.is_file():
        raise UserError(f"the policy file {name!r} does not exist")
    spec = importlib.util.spec_from_file_location(f"wsim_policy_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"the policy file {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _load_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(f"the policy module {name!r} cannot be imported: {error}") from error


def compile_policy(function: Any, name: str) -> Any:
    """Return a function as a compiled policy (as it is without the JIT); raise UserError if it cannot be one."""
    python = getattr(function, "py_func", function)
    try:
        parameters = len(inspect.signature(python).parameters)
    except (TypeError, ValueError):
        parameters = -1
    if parameters != 4:
        raise UserError(f"the policy {name!r} has not the signature {_SIGNATURE}")
    if not JIT:
        return python
    try:
        return njit(POLICY, nogil=True, error_model="numpy")(python)
    except Exception as error:  # whatever numba meets in it, the KeyError of an unknown field included
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = (
            " ".join(lines[1:3])
            if isinstance(error, NumbaError) and len(lines) > 1
            else f"{type(error).__name__} {error}"
        )
        raise UserError(f"the policy {name!r} cannot be compiled: {why}") from error
