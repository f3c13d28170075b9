"""Detect code in policies and effects that would make a run irreproducible or end the process.

This finds accidents only. It does not detect code that hides what it does; isolate such code in a separate process.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import inspect
import random
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

UNSEEDED = "uses random numbers that the plan's seed does not control"
_SHARED = (getattr(random.random, "__self__", None), getattr(np.random.random, "__self__", None))
_STREAMS = (random.Random, np.random.RandomState, np.random.Generator)
_MAKERS = (random.Random, np.random.RandomState, np.random.default_rng)
_OF_THE_MACHINE = ("hash", "get_num_threads", "set_num_threads", "get_thread_id")
_NOT_FOLLOWED = (*sys.stdlib_module_names, "numpy", "numba", "wsim")
_BETWEEN = ("PUSH_NULL", "PRECALL", "CACHE")  # instructions between loading a function and its call


def mistake_in(policy: Any, *, compiled: bool = False) -> str | None:
    """Describe the first mistake in a function or in a function that it uses; None if there is no visible mistake.

    ``compiled``: ``policy`` is a compiled numba dispatcher. Attributes of objects (``self.random``) are not checked.
    """
    waiting, visited = [policy], set[int]()
    while waiting:
        target = waiting.pop()
        if compiled and (mistake := _compiled_mistake(target)):
            return mistake
        target = getattr(target, "py_func", target)  # compiled
        if not hasattr(target, "__code__") and not isinstance(target, type):
            target = inspect.getattr_static(type(target), "__call__", target)
        function = getattr(target, "__func__", target)
        if not isinstance(function, FunctionType) or id(function) in visited:
            continue
        visited.add(id(function))
        for value, called_with_nothing in _loaded_values(function):
            if _is_unseeded(value) or (called_with_nothing and any(value is maker for maker in _MAKERS)):
                return UNSEEDED
            if compiled and callable(value) and getattr(value, "__name__", "") in _OF_THE_MACHINE:
                return f"calls {value.__name__}, which is different in another process or on another machine"
            if str(getattr(value, "__module__", "")).partition(".")[0] not in _NOT_FOLLOWED:
                waiting.append(value)
    return None


def _compiled_mistake(target: Any) -> str | None:
    """Describe the mistake in a numba dispatcher; None if there is none."""
    name = getattr(target, "__name__", "")
    if getattr(target, "targetoptions", {}).get("parallel"):
        return f"calls {name}, which has loops that run on several threads: compile it without parallel=True"
    made = [overload.type_annotation.typemap for overload in getattr(target, "overloads", {}).values()]
    if any(type(kind).__name__ == "RecursiveCall" for kinds in made for kind in kinds.values()):
        return f"calls itself ({name}) without a limit on the depth: write a loop"
    return None


def _loaded_values(function: FunctionType) -> Iterator[tuple[Any, bool]]:
    """Yield each global or captured value that a function uses, and whether it is called without arguments."""
    around = {**vars(builtins), **function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # the cell is still empty
            around[name] = cell.cell_contents
    for code in _codes(function.__code__):
        held: dict[str, Any] = {name: value for name, value in around.items() if name not in code.co_varnames}
        value = None
        for step in dis.get_instructions(code):
            if step.opname in _BETWEEN:
                continue
            if step.opname == "IMPORT_FROM":  # the module stays on the stack for the next name
                held[step.argval] = getattr(value, step.argval, None)
                yield held[step.argval], False
            elif step.opname == "IMPORT_NAME" or step.opname.startswith("LOAD_"):
                value = _loaded_by(step, value, held)
                yield value, False
            elif step.opname.startswith("STORE_") and isinstance(step.argval, str):
                if value is not None:
                    held[step.argval] = value
                value = None
            else:
                yield value, step.opname.startswith("CALL") and step.arg == 0
                value = None


def _loaded_by(step: dis.Instruction, value: Any, held: Mapping[str, Any]) -> Any:
    """Return the object that an instruction loads after ``value``; None if it is known only at run time."""
    if step.opname == "IMPORT_NAME":
        with suppress(Exception):
            return importlib.import_module(step.argval)
        return None
    if step.opname.endswith(("ATTR", "METHOD")):
        return vars(value).get(step.argval) if isinstance(value, ModuleType) else None
    name = step.argval[-1] if isinstance(step.argval, tuple) and step.argval else step.argval
    return held.get(name) if isinstance(name, str) and step.opname != "LOAD_CONST" else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects of a function and of all functions nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_unseeded(value: Any) -> bool:
    """Return whether a value is a random stream, a method of a module's shared stream, or ``random.SystemRandom``."""
    shared = callable(value) and any(getattr(value, "__self__", None) is stream for stream in _SHARED)
    return isinstance(value, _STREAMS) or value is random.SystemRandom or (shared and "state" not in value.__name__)
