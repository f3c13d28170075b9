"""Compile effects written in Python, so that formulas can call them through slots.

Reading a catalogue assigns a slot to each call (``slot_of``) and executes nothing; ``compile_functions`` fills the
slots before games are played. A function gets its own table of plain numbers, a copy of the data, and returns a number.
It runs in this process or, if it is other people's code, in a separate process (``isolated_effects``).
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsim.errors import UserError
from wsim.jit import (
    JIT,
    SLOTS,
    SlotError,
    checking_indices,
    failed_slot,
    fill_slot,
    from_dtype,
    kernel,
    njit,
    types,
)
from wsim.policies.declare import UNCHECKED, runs_isolated
from wsim.policies.effect_files import EffectFile
from wsim.policies.effect_interface import EffectInterface
from wsim.policies.isolated_effects import IsolatedEffects, taken_reason
from wsim.policies.isolation import STARTED, TRUSTED
from wsim.policies.mistakes import mistake_in
from wsim.policies.sources import digest_of_sources
from wsim.policies.user_policies import compiled_for, function_in, load_file


@dataclass(frozen=True)
class Call:
    """A call of a function in a catalogue.

    Attributes
    ----------
    function: its name. argument_count: the number of arguments passed. least, most: the declared range of its result.
    site: the card or stage with the effect, such as ``Tribute``.
    """

    file: EffectFile
    function: str
    argument_count: int
    least: int
    most: int
    site: str

    def __str__(self) -> str:
        return f"{self.function!r} of {self.file.name}, which {self.site} calls,"


_SLOTS: dict[Call, int] = {}
_ENTRIES: dict[tuple[EffectFile, str, int, bool], Any] = {}
_PROCESSES: dict[tuple[EffectFile, bool], IsolatedEffects] = {}
_LOCK = threading.Lock()


def slot_of(call: Call) -> int:
    """Return the slot of a call, which never changes within a process."""
    with _LOCK:
        if len(_SLOTS) == SLOTS and call not in _SLOTS:
            raise UserError(
                f"a process supports at most {SLOTS} different calls of effect functions: start a new process"
            )
        return _SLOTS.setdefault(call, len(_SLOTS))


def compile_functions(
    files: Collection[EffectFile], slots: Collection[int], interface: EffectInterface, of_others: Collection[Path] = ()
) -> list[str]:
    """Load and compile the functions of these slots; raise UserError, in one sentence, if that fails.

    Returns the names of the files that run in separate processes: as requested or, by default, other people's, such as
    ``of_others``, which came with a run folder. The other files are executed in this process: call this function only
    with the user's consent.
    """
    free, apart = UNCHECKED.get(), runs_isolated(bool(of_others))
    paths = [*of_others, *(file.path for file in files)]
    with _LOCK:
        calls = [call for call, slot in _SLOTS.items() if slot in slots]
        for call in calls:
            entry = _isolated_entry if apart else _trusted_entry
            fill_slot(_SLOTS[call], entry(call, calls, paths, interface, free), call.least, call.most)
    names = sorted({call.file.name for call in calls})
    TRUSTED.update(() if apart else names)
    return names if apart else []


def isolated_processes() -> list[IsolatedEffects]:
    """Return the processes of all isolated effect files."""
    return list(_PROCESSES.values())


def _path_of(file: EffectFile, paths: Sequence[Path]) -> Path:
    """Return the first path of the file whose content still matches the digest; otherwise the last path."""
    known = [path for path in paths if path.name == file.name]
    return next((path for path in known if path.is_file() and digest_of_sources(path) == file.digest), known[-1])


def _trusted_entry(
    call: Call, _calls: Sequence[Call], paths: Sequence[Path], interface: EffectInterface, free: bool
) -> Any:
    """Load the effect function for a slot into this process; ``free`` disables bounds checks."""
    key = call.file, call.function, call.argument_count, free
    if key not in _ENTRIES:
        with checking_indices(unchecked=free):
            module = load_file(str(_path_of(call.file, paths)), call.file.digest, "effect file")
            function = function_in(module, call.function, call.file.name)
            label = f"the effect {call.function!r} of {call.file.name}"
            _ENTRIES[key] = interface.entry(room_function(function, label, call.argument_count, interface.table))
    return _ENTRIES[key]


def _isolated_entry(
    call: Call, calls: Sequence[Call], paths: Sequence[Path], interface: EffectInterface, free: bool
) -> Any:
    """Return the function for a slot that a separate process computes, which serves all calls of the file."""
    function = call.function, call.argument_count
    process = _PROCESSES.get((call.file, free))
    if process is None or not process.serves(function):
        wanted = sorted({(one.function, one.argument_count) for one in calls if one.file == call.file})
        process = _PROCESSES[call.file, free] = IsolatedEffects(
            _path_of(call.file, paths), call.file, wanted, interface
        )
    STARTED.add(process)
    return process.entry(function)


def failure(error: BaseException, where: str) -> UserError | None:
    """Return a UserError if ``error``, raised by a kernel in this thread, comes from an effect function, else None.

    ``where`` is appended to its sentence: ``, in game 7``.
    """
    failed = failed_slot()
    if failed is None:
        return None
    slot, returned = failed
    call, reason = next((key for key, number in _SLOTS.items() if number == slot), None), taken_reason()
    if call is None:
        return None
    if reason:
        return UserError(f"{call} {reason}{where}")
    if returned is not None or isinstance(error, SlotError):  # the lowest int64 means a missing number
        number = "a 19-digit number" if returned is None else f"{returned:,}"
        return UserError(f"{call} returned {number}, outside its declared range {call.least:,} to {call.most:,}{where}")
    text = " ".join(str(error).split())
    return UserError(f"{call} raised {type(error).__name__}{': ' if text else ''}{text}{where}")


# --- making them callable --------------------------------------------------------------------------------------------


def room_function(function: Any, label: str, argument_count: int, table: np.dtype[Any]) -> Any:
    """Wrap an effect function to take seven arguments: the table as 64-bit words, and six numbers."""
    if not JIT:
        source, record = _source(function, label), np.dtype((np.record, table))
        return lambda room, own, other, *given: _number(
            source(room.view(record)[0], own, other, *given[:argument_count])
        )
    handing = _with_argument_count(_compiled(function, label, argument_count, table), argument_count)

    def entry(room: Any, own: Any, other: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        return np.int64(handing(room.view(table)[0], own, other, a, b, c, d))

    return njit(types.int64(types.int64[::1], *[types.int64] * 6), nogil=True, error_model="python")(entry)


def _compiled(function: Any, label: str, argument_count: int, table: np.dtype[Any]) -> Any:
    """Compile an effect function; raise UserError if it does not compile or does not return a whole number."""
    inner = njit(nogil=True, error_model="python")(getattr(function, "py_func", function))
    arguments = (from_dtype(table), *[types.int64] * (2 + argument_count))
    nested = (table[name].base.names or () for name in table.names or ())
    fields = [*(table.names or ()), *(name for names in nested for name in names)]
    returned = compiled_for(inner, arguments, label, fields)
    _refuse_mistakes(inner, label, compiled=True)
    if not isinstance(returned, types.Integer | types.Boolean):
        kind = "a record" if isinstance(returned, types.Record) else returned
        raise UserError(f"{label} returns {kind}, not a whole number")
    return inner


def _source(function: Any, label: str) -> Any:
    """Return the plain Python version of an effect function; raise UserError if it contains a detectable mistake."""
    source = getattr(function, "py_func", function)
    _refuse_mistakes(source, label)
    return source


def _refuse_mistakes(function: Any, label: str, *, compiled: bool = False) -> None:
    """Raise UserError if an effect's code contains a detectable mistake."""
    if mistake := mistake_in(function, compiled=compiled):
        raise UserError(f"{label} {mistake}")


def _with_argument_count(inner: Any, argument_count: int) -> Any:
    """Return a kernel that takes four numbers and passes as many of them to the function as it accepts."""
    if argument_count == 0:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other))  # noqa: ARG005
    if argument_count == 1:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other, a))  # noqa: ARG005
    if argument_count == 2:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other, a, b))  # noqa: ARG005
    if argument_count == 3:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other, a, b, c))  # noqa: ARG005
    return inner


def _number(result: Any) -> int:
    """Convert a result to an integer; raise TypeError if it is not a whole number."""
    return int(result) if isinstance(result, bool | np.bool_) else operator.index(result)
