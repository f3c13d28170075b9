"""User policies: load them from a file, module or package, check them, and make them callable by a jitted engine.

A compiled policy is jitted for the game's signature and never cached on disk, because it may call helpers in other
modules, and a cache would miss edits there. A plain Python policy is called through a C callback that acquires the GIL,
because the engine's threads do not hold it; exceptions are stored for ``UserPolicy.complaint``. Both kinds get copies
of the records in separate memory (``wsim.jit.copies``, ``_copies``): a policy cannot write to the game, and hidden data
is not in memory next to data that it may see.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import inspect
import math
import operator
import os
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from wsim.errors import UserError, nearest
from wsim.jit import (
    JIT,
    NumbaError,
    NumbaWarning,
    checking_indices,
    njit,
    numpy_signature,
    types,
)
from wsim.policies.declare import UNCHECKED, Declaration, declaration_of
from wsim.policies.functions import MODULE as FUNCTIONS
from wsim.policies.interface import TAKEN_BACK
from wsim.policies.isolation import STARTED, TRUSTED, Isolated, is_isolated
from wsim.policies.mistakes import UNSEEDED, mistake_in
from wsim.policies.sources import digest_of_sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wsim.policies.interface import Interface
    from wsim.policies.lineup import Entry

GROUP = "wsim.policies"
"""The entry point group in which installed packages offer policies."""

ARGUMENTS = ("public", "own", "choice", "rules")
VALUED = (*ARGUMENTS, "index")


@dataclass
class UserPolicy:
    """A user policy, ready to play.

    Attributes
    ----------
    where: its file or module, as written.
    digest: the digest of its sources; the module's name if there is no file.
    call: the entry point that the engine calls (``Interface.explored``).
    errors: thread -> exception raised by a plain Python policy.
    isolated: the policy in its separate process, if it is isolated.
    """

    where: str
    declaration: Declaration
    call: Any
    digest: str = ""
    errors: dict[int, BaseException] = field(default_factory=dict)
    isolated: Isolated | None = None

    def complaint(self, label: str, where: str = "") -> UserError | None:
        """Return a UserError for the exception that the policy raised in this thread, or None; re-raise an interrupt.

        ``where`` is appended to its sentence: ``, in game 7``.
        """
        error = self.errors.pop(threading.get_ident(), None)
        if error is None:
            return None
        if isinstance(error, KeyboardInterrupt):
            error.add_note(f"while policy {label!r} was deciding{where}")
            raise error
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
        location = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        text = " ".join(str(error).split())
        complaint = UserError(
            f"policy {label!r} raised {type(error).__name__}{': ' if text else ''}{text}{location}{where}"
        )
        complaint.__cause__ = error
        return complaint


_PLUGGED: dict[tuple[str, str, str, int, bool, bool], UserPolicy] = {}
_LOCK = threading.Lock()


def installed() -> dict[str, EntryPoint]:
    """Return the policies of installed packages by name, without loading them."""
    return _installed_in(tuple((folder, _modified_time(folder)) for folder in sys.path))


@lru_cache(maxsize=4)
def _installed_in(folders: tuple[tuple[str, int], ...]) -> dict[str, EntryPoint]:  # noqa: ARG001
    """Return the installed policies for a module search path; slow, because it reads the metadata of all packages."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=operator.attrgetter("name"))}


def _modified_time(folder: str) -> int:
    """Return the modification time of a folder in nanoseconds; 0 if it does not exist."""
    try:
        return os.stat(folder or ".").st_mtime_ns  # noqa: PTH116 (sys.path has strings)
    except OSError:
        return 0


def installed_module(entry: Entry) -> str | None:
    """Return the installed module that contains an entry's function; None for files and built-in policies."""
    if entry.file is not None or entry.module is not None:
        return entry.module
    point = installed().get(entry.name)
    return point.module if point else None


def plug(entry: Entry, interface: Interface, *, copies: bool = True) -> UserPolicy:
    """Load, check and compile the function that a line-up entry names (file, module or entry point).

    ``copies=False``: a compiled policy gets the records themselves, which must not be used elsewhere, and no routine
    runs before it. Raises UserError, in one sentence, if the function cannot be played. A function is compiled once per
    process unless its file changes.
    """
    file, module, name = entry.file, entry.module, entry.function
    if file is None and module is None:
        point = installed()[entry.name]
        module, name = point.module, point.attr
    where = file or str(module)
    file = file and (entry.path or file)
    digest = _digest(file) if file else ""
    free = UNCHECKED.get()
    apart = module != FUNCTIONS and is_isolated(entry)
    key = (str(Path(file).resolve()) if file else where, digest, name, id(interface), free, apart)
    with _LOCK:
        if key not in _PLUGGED and apart:
            alone = Isolated(entry, interface)
            call, digest = alone.entry_point(), digest or where
            _PLUGGED[key] = UserPolicy(where, alone.declaration, call, digest, isolated=alone)
        elif key not in _PLUGGED:
            with checking_indices(unchecked=free):  # also covers functions compiled while loading
                loaded = load_file(file, digest) if file else _load_module(where)
                plugged = _make(function_in(loaded, name, where), entry.name, interface, copies=copies)
            plugged.where, plugged.digest = where, digest or _digest_of(loaded)
            _PLUGGED[key] = plugged
        _PLUGGED[key].errors.clear()
        if (policy := _PLUGGED[key].isolated) is not None:
            STARTED.add(policy)
        elif module != FUNCTIONS:
            TRUSTED.add(str(entry))
        return _PLUGGED[key]


def function_of(entry: Entry) -> Any:
    """Load the function that a line-up entry names in a file or module; raise UserError if there is none."""
    if entry.file is not None:
        file = entry.path or entry.file
        return function_in(load_file(file, _digest(file)), entry.function, entry.file)
    return function_in(_load_module(str(entry.module)), entry.function, str(entry.module))


# --- locating the function ------------------------------------------------------------------------------------------


def _digest(file: str) -> str:
    """Return the digest of a policy file and its imports from its folder; UserError if the file cannot be read."""
    path = Path(file)
    if not path.is_file():
        names = [file.name for file in path.parent.glob("*.py")] if path.parent.is_dir() else []
        how = (
            "; parameters cannot be policies: to search with your own values, write ./FILE.py:NAME"
            if "=" in file
            else ""
        )
        raise UserError(f"the policy file {file!r} does not exist{nearest(path.name, names)}{how}")
    try:
        return digest_of_sources(path)
    except OSError as error:
        raise UserError(f"the policy file {file!r} cannot be read: {error.strerror}") from error


def _digest_of(module: ModuleType) -> str:
    """Return the digest of a module's sources; the module's name if they cannot be read."""
    try:
        return digest_of_sources(str(module.__file__), module.__name__)
    except (AttributeError, OSError):
        return module.__name__


def load_file(file: str, digest: str, noun: str = "policy file") -> ModuleType:
    """Execute a file as a new module and return the module; its folder is importable during loading."""
    path = Path(file).resolve()
    name = f"wsim_user_{path.stem}_{digest[-12:]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _importable(path.parent):
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise UserError(f"the {noun} {file!r} {_why_not_loaded(error, str(path))}") from error
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Put a folder first on the module search path inside this context."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _why_not_loaded(error: BaseException, path: str) -> str:
    if isinstance(error, UserError):
        return f"cannot be loaded: {error}"
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"has a syntax error in line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    location = f" (line {lines[-1]})" if lines else ""
    return f"cannot be loaded: {type(error).__name__}: {' '.join(str(error).split())}{location}"


def _load_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())
        raise UserError(f"the policy module {name!r} cannot be imported: {type(error).__name__}: {text}") from error


def function_in(module: ModuleType, name: str, where: str) -> Any:
    """Return a function of a module; raise UserError, with similar names, if there is none."""
    function: Any = module
    for part in name.split("."):
        function = getattr(function, part, None)
    if function is None:
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        marked = [key for key in names if declaration_of(getattr(module, key)) is not None]
        known = f": it has {', '.join(marked)}" if marked else ""
        raise UserError(f"there is no function {name!r} in {where}{known}{nearest(name, names)}")
    if not callable(function):
        raise UserError(f"{name!r} in {where} is of type {type(function).__name__}, not a function")
    return function


# --- making it callable ---------------------------------------------------------------------------------------------


def _make(function: Any, label: str, interface: Interface, *, copies: bool = True) -> UserPolicy:
    """Check the arguments of a function and make it callable by the engine."""
    source = getattr(function, "py_func", function)
    declaration = declaration_of(function)
    values = declaration is not None and declaration.values
    _check_arguments(source, label, VALUED if values else ARGUMENTS)
    jitted = source is not function if declaration is None else not declaration.python
    declaration = declaration or Declaration(python=not jitted)
    if not jitted or not JIT:
        _refuse_mistakes(source, label)
    if jitted:
        return UserPolicy("", declaration, _compiled(source, label, interface, values=values, copies=copies))
    errors: dict[int, BaseException] = {}
    bridge = _bridged_values if values else _bridged
    return UserPolicy("", declaration, bridge(source, interface, errors), errors=errors)


def _check_arguments(source: Any, label: str, arguments: tuple[str, ...]) -> None:
    needed = ", ".join(arguments)
    expected = "a policy takes four" if arguments == ARGUMENTS else "a function that values moves takes five"
    try:
        signature = inspect.signature(source)
    except (TypeError, ValueError) as error:
        raise UserError(f"policy {label!r} must be a Python function with the arguments ({needed})") from error
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise UserError(
            f"policy {label!r} takes ({', '.join(signature.parameters)}), but {expected} arguments: {needed}"
        ) from error


def _compiled(source: Any, label: str, interface: Interface, *, values: bool, copies: bool) -> Any:
    """Compile a policy for the engine; division by zero raises an exception, as in Python."""
    if not JIT:
        if values:
            return interface.valuing(lambda *given: float(source(*given)))
        return interface.explored(lambda *records: operator.index(source(*records)))
    inner = njit(nogil=True, error_model="python")(source)
    _check_types(inner, label, interface, values=values)
    _refuse_mistakes(inner, label, compiled=True)
    if values:
        return interface.valuing(inner)
    return interface.explored(inner) if copies else interface.uncopied(inner)


def _refuse_mistakes(function: Any, label: str, *, compiled: bool = False) -> None:
    """Raise UserError if a policy's code contains a detectable mistake."""
    if mistake := mistake_in(function, compiled=compiled):
        how = ": draw with below(own, n) or uniform(own)" if mistake == UNSEEDED else ""
        raise UserError(f"policy {label!r} {mistake}{how}")


def _check_types(inner: Any, label: str, interface: Interface, *, values: bool) -> None:
    """Compile a policy for the game's records; raise UserError if its return type is wrong."""
    arguments = tuple(numpy_signature(interface.signature).args[: len(ARGUMENTS)])
    arguments += (types.int64,) if values else ()
    names = [name for record in interface.records for name in record.names]
    returned = compiled_for(inner, arguments, f"policy {label!r}", names)
    if values and not isinstance(returned, types.Integer | types.Boolean | types.Float):
        raise UserError(f"policy {label!r} returns {returned}, but the value of a move must be a number")
    if not values and not isinstance(returned, types.Integer | types.Boolean):
        raise UserError(
            f"policy {label!r} returns {returned}, but a policy must return the index of a move, a whole number"
        )


def compiled_for(inner: Any, arguments: tuple[Any, ...], label: str, fields: Collection[str]) -> Any:
    """Compile a user's function (a numba dispatcher) for some argument types; return its return type.

    Raises UserError with the first useful line of numba's message, or, for an unknown field, the most similar name in
    ``fields``.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # the causes are rejected below, or are harmless
            inner.compile(arguments)
    except KeyError as error:  # numba's error for an unknown field of a record
        guess = nearest(str(error.args[0]), fields)
        raise UserError(f"{label} cannot be compiled: no record has the field {error}{guess}") from error
    except NumbaError as error:
        raise UserError(f"{label} cannot be compiled: {_first_useful(str(error))}") from error
    except Exception as error:  # any other failure of numba
        raise UserError(f"{label} cannot be compiled: {type(error).__name__}: {_first_useful(str(error))}") from error
    return inner.overloads[arguments].signature.return_type


_COLORS = r"\x1b\[[0-9;]*m"
"""Numba colours its messages where colorama is installed."""


def _first_useful(text: str) -> str:
    """Extract the line of a numba message that names the problem, with its location in the file."""
    plain = re.sub(_COLORS, "", text)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    useful = [line for line in lines if not line.startswith(("Failed in", "During:", "There are", "- Of which"))]
    first = (useful or ["numba gives no reason"])[0]
    if first.endswith("found for signature:") and len(useful) > 1:
        first = f"{first.removesuffix(' found for signature:')} for {useful[1].removeprefix('>>> ')}"
    places = [line for line in lines if line.startswith("File ") and "line" in line]
    location = f" ({places[-1].rstrip(':')})" if places else ""
    return f"{first[:200]}{location}"


def _bridged(source: Any, interface: Interface, errors: dict[int, BaseException]) -> Any:
    """Make a plain Python policy callable by the engine."""
    if not JIT:
        return interface.explored(lambda *records: _asked(source, records, errors))
    offsets = {name: interface.records[1].fields[name][1] for name in TAKEN_BACK}
    records = [np.dtype((np.record, record)) for record in interface.records]  # fields as attributes

    def ask(*addresses: int) -> int:
        copies = _copies(addresses, records)
        index = _asked(source, copies, errors)
        for name, at in offsets.items():
            octets = copies[1][name].tobytes()
            ctypes.memmove(addresses[1] + at, octets, len(octets))
        return index

    return interface.calling_back(ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_uint64] * 4)(ask))


def _bridged_values(source: Any, interface: Interface, errors: dict[int, BaseException]) -> Any:
    """Make a plain Python function that values moves callable by a searcher."""
    if not JIT:
        return interface.valuing(lambda *given: _valued(source, given[:-1], given[-1], errors))
    records = [np.dtype((np.record, record)) for record in interface.records]

    def value(index: int, *addresses: int) -> float:
        return _valued(source, _copies(addresses, records), index, errors)

    return interface.valuing_back(ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, *[ctypes.c_uint64] * 4)(value))


def _copies(addresses: Sequence[int], records: Sequence[np.dtype[Any]]) -> list[Any]:
    """Copy the records at these addresses, without leftover moves from earlier decisions."""
    copies = [
        np.frombuffer(bytearray(ctypes.string_at(address, record.itemsize)), record)[0]
        for address, record in zip(addresses, records, strict=True)
    ]
    choice = copies[2]
    choice["moves"][choice["count"] :] = 0
    return copies


def _valued(source: Callable[..., Any], copies: Any, index: int, errors: dict[int, BaseException]) -> float:
    """Value a move with a plain Python function; if it raises, store the exception and return infinity."""
    try:
        value = float(source(*copies, index))
    except BaseException as error:
        errors.setdefault(threading.get_ident(), error)
        return math.inf
    return value if math.isfinite(value) else math.nan


def _asked(source: Callable[..., Any], copies: Any, errors: dict[int, BaseException]) -> int:
    """Call a plain Python policy; if it raises, store the exception and return -1, which is never a legal index."""
    try:
        index = source(*copies)
        try:
            number = operator.index(index)
        except TypeError:
            raise TypeError(f"it returned {index!r}, not the index of a move") from None
        return number if -(2**63) <= number < 2**63 else -1
    except BaseException as error:
        errors.setdefault(threading.get_ident(), error)
        return -1
