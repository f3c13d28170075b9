"""Effects in Python: functions that formulas call, compiled, given copies like policies, and called through slots.

Reading a catalogue assigns a slot to each call (``slot_of``) and executes nothing; ``compile_functions`` fills them
before games are played. A function gets its own table of plain numbers and returns a number: it can reach neither the
game nor anything hidden.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wsim.errors import UserError
from wsim.jit import (
    JIT,
    SLOTS,
    SlotError,
    addresses_of,
    checking_indices,
    failed_slot,
    fill_slot,
    from_dtype,
    kernel,
    njit,
    types,
)
from wsim.jit import call as call_address
from wsim.policies.declare import FOREIGN, ISOLATED, UNCHECKED
from wsim.policies.effect_files import EffectFile
from wsim.policies.mistakes import mistake_in
from wsim.policies.user_policies import compiled_for, function_in, load_file


@dataclass(frozen=True)
class Call:
    """A call of a function in a catalogue.

    Attributes
    ----------
    function: its name. argument_count: the number of arguments passed. least, most: the bounds of its result.
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


@dataclass(frozen=True, eq=False)
class EffectInterface:
    """A game's interface to effect functions; built once per process.

    Attributes
    ----------
    table: dtype of the table that a function gets: 64-bit integers.
    signature: the signature of a slot: ``int64(Public, Rules, own, other, ...)``.
    write: the entry point (public, rules, array) that writes the table.
    """

    table: np.dtype[Any]
    signature: Any
    write: Any


_SLOTS: dict[Call, int] = {}
_ENTRIES: dict[tuple[EffectFile, str, int, bool], Any] = {}
_LOCK = threading.Lock()


def slot_of(call: Call) -> int:
    """Return the slot of a call; it stays the same for the life of the process."""
    with _LOCK:
        if len(_SLOTS) == SLOTS and call not in _SLOTS:
            raise UserError(
                f"a process can make at most {SLOTS} different calls of effect functions: start a new process"
            )
        return _SLOTS.setdefault(call, len(_SLOTS))


def compile_functions(
    files: Collection[EffectFile], slots: Collection[int], interface: EffectInterface, of_others: Collection[Path] = ()
) -> None:
    """Load and compile the functions of these slots; raise UserError, in one sentence, for anything wrong.

    This executes the files, in this process: call it only with the consent of the user. ``of_others``: files that came
    with a run folder, which run only where everything is trusted.
    """
    refused = of_others or ([file.path for file in files] if FOREIGN.get() else ())
    if refused and ISOLATED.get() is not False:
        raise UserError(
            f"Python effects cannot be isolated: if you trust the code in {' and '.join(map(str, refused))}, use wsim "
            "--trusted COMMAND"
        )
    free = UNCHECKED.get()
    with _LOCK:
        for call, slot in _SLOTS.items():
            if slot not in slots:
                continue
            key = call.file, call.function, call.argument_count, free
            if key not in _ENTRIES:
                path = next(file.path for file in files if file == call.file)
                with checking_indices(unchecked=free):
                    module = load_file(str(path), call.file.digest, "file of effects")
                    _ENTRIES[key] = _entry(function_in(module, call.function, call.file.name), call, interface)
            fill_slot(slot, _ENTRIES[key], call.least, call.most)


def failure(error: BaseException, where: str) -> UserError | None:
    """Return the error, as one sentence, of a function that made a kernel raise ``error`` in this thread, or None.

    ``where`` is appended: ``, in game 7``.
    """
    failed = failed_slot()
    if failed is None:
        return None
    slot, returned = failed
    call = next((key for key, number in _SLOTS.items() if number == slot), None)
    if call is None:
        return None
    if returned is not None or isinstance(error, SlotError):  # the lowest int64 means a missing number
        number = "a number of 19 digits" if returned is None else f"{returned:,}"
        return UserError(f"{call} returned {number}, outside its declared range {call.least:,} to {call.most:,}{where}")
    text = " ".join(str(error).split())
    return UserError(f"{call} raised {type(error).__name__}{': ' if text else ''}{text}{where}")


# --- making them callable --------------------------------------------------------------------------------------------


def _entry(function: Any, call: Call, interface: EffectInterface) -> Any:
    """Return the function for a slot: it fills a separate table and calls the effect function."""
    source = getattr(function, "py_func", function)
    label = f"the effect {call.function!r} of {call.file.name}"
    if not JIT:
        _refuse_mistakes(source, label)
        return _plain(source, call.argument_count, interface)
    inner = njit(nogil=True, error_model="python")(source)
    arguments = (from_dtype(interface.table), *[types.int64] * (2 + call.argument_count))
    nested = (interface.table[name].base.names or () for name in interface.table.names or ())
    fields = [*(interface.table.names or ()), *(name for names in nested for name in names)]
    returned = compiled_for(inner, arguments, label, fields)
    _refuse_mistakes(inner, label, compiled=True)
    if not isinstance(returned, types.Integer | types.Boolean):
        kind = "a record" if isinstance(returned, types.Record) else returned
        raise UserError(f"{label} returns {kind}, not a whole number")
    dtype, handing = interface.table, _calling(inner, call.argument_count)
    words, write = dtype.itemsize // 8, np.uint64(addresses_of([interface.write])[0])

    def entry(public: Any, rules: Any, own: Any, other: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        room = np.zeros(3 * words, np.int64)  # the table between two guards of zeros
        call_address(write, public, rules, room[words : 2 * words])
        result = np.int64(handing(room.view(dtype)[1], own, other, a, b, c, d))
        room[0] = 0  # keeps it alive until here
        return result

    return njit(interface.signature, nogil=True, error_model="python")(entry)


def _refuse_mistakes(function: Any, label: str, *, compiled: bool = False) -> None:
    """Raise UserError for a mistake that the code of an effect shows."""
    if mistake := mistake_in(function, compiled=compiled):
        raise UserError(f"{label} {mistake}")


def _calling(inner: Any, argument_count: int) -> Any:
    """Return the kernel that passes a function as many numbers as it takes."""
    if argument_count == 0:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other))  # noqa: ARG005
    if argument_count == 1:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other, a))  # noqa: ARG005
    if argument_count == 2:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other, a, b))  # noqa: ARG005
    if argument_count == 3:
        return kernel(lambda table, own, other, a, b, c, d: inner(table, own, other, a, b, c))  # noqa: ARG005
    return inner


def _plain(source: Any, argument_count: int, interface: EffectInterface) -> Any:
    """Return the function for a slot without the JIT."""
    dtype, words = np.dtype((np.record, interface.table)), interface.table.itemsize // 8

    def entry(public: Any, rules: Any, own: Any, other: Any, *given: Any) -> int:
        room = np.zeros(words, np.int64)
        interface.write(public, rules, room)
        result = source(room.view(dtype)[0], int(own), int(other), *map(int, given[:argument_count]))
        return int(result) if isinstance(result, bool | np.bool_) else operator.index(result)

    return entry
