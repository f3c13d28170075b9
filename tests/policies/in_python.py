"""Load kernel modules as plain Python, for tests of single steps."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import wsim.jit


def slots(*numbers: int) -> np.uint64:
    """Return a word with these bits set, such as the copies in a hand or the cards in a set."""
    return np.uint64(sum(1 << number for number in numbers))


def in_python(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a fresh, uncompiled copy of a kernel module."""

    def kernel(function: Any = None, **_: Any) -> Any:
        return kernel if function is None else function

    def stack_room(_name: str, dtype: Any, *shape: int) -> Any:
        return lambda: np.zeros(shape, dtype)

    monkeypatch.setattr(wsim.jit, "kernel", kernel)
    monkeypatch.setattr(wsim.jit, "stack_room", stack_room)
    spec = spec_from_file_location(f"{module.__name__.rpartition('.')[2]}_in_python", module.__file__)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, made)
    spec.loader.exec_module(made)
    return made


def linked(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> Any:
    """Return the last of some kernel modules as ``in_python`` does; functions imported from the other modules are
    Python, too."""
    names: dict[str, Any] = {}
    for module in modules:
        made = in_python(module, monkeypatch)
        for name, function in names.items():
            if name in vars(made) and vars(made)[name].__module__ != made.__name__:  # imported, not its own
                setattr(made, name, function)
        names |= {name: made for name, made in vars(made).items() if callable(made) and not name.startswith("_")}
    return made
