"""The process of an isolated effect file, ``python -m wsim.policies.effect_worker`` (see ``isolated_effects``).

It loads the file, compiles the functions that are called, and answers requests on a socket. A request contains the
number of a function, its arguments and the table of public numbers; the answer is a number or an error message.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from wsim.policies.confined import TEXT
from wsim.policies.confined_start import begin, confine_first, end_with_parent, refuse, say
from wsim.policies.confinement import confine_files


def main() -> None:
    """Load an effect file and answer requests until the socket is closed."""
    spec, answers = begin()
    try:
        functions, table = _load(spec, answers)
    except BaseException as error:
        refuse(error, answers)
        return
    confine_files()
    say({}, answers)
    end_with_parent()
    _answer(functions, table.itemsize, spec["channels"][0])


def _load(spec: dict[str, Any], answers: int) -> tuple[list[Any], np.dtype[Any]]:
    """Load and compile the functions; return them, indexed as in requests, and the table's dtype."""
    from wsim.jit import checking_indices
    from wsim.policies.declare import unchecked
    from wsim.policies.effect_calls import room_function
    from wsim.policies.user_policies import function_in, load_file

    table = import_module(spec["layout"]).TABLE
    confine_first(spec, answers)
    name, free = Path(spec["file"]).name, bool(spec["unchecked"])
    with unchecked() if free else nullcontext(), checking_indices(unchecked=free):
        module = load_file(spec["file"], spec["digest"], "effect file")
        functions = [
            room_function(function_in(module, called, name), f"the effect {called!r} of {name}", count, table)
            for called, count in spec["functions"]
        ]
    return functions, table


def _result(function: Any, room: Any, arguments: list[int]) -> tuple[int, str]:
    """Call a function; return its result and "", or 0 and the error message if it raises."""
    try:
        return int(function(room, *arguments)), ""
    except Exception as error:
        text = " ".join(str(error).split())
        return 0, f"{type(error).__name__}{': ' if text else ''}{text}"


def _answer(functions: list[Any], size: int, descriptor: int) -> None:
    """Answer requests until the socket is closed (``isolated_effects`` describes them)."""
    from wsim.policies.isolated_effects import ANSWER, REQUEST

    while len(request := _read(descriptor, REQUEST.size + size)) == REQUEST.size + size:
        number, *arguments = REQUEST.unpack_from(request)
        room = np.frombuffer(request, np.int64, offset=REQUEST.size).copy()
        result, text = _result(functions[number], room, arguments)
        octets = text.encode()[:TEXT]
        os.write(descriptor, ANSWER.pack(result, len(octets)) + octets)


def _read(descriptor: int, size: int) -> bytes:
    """Read ``size`` bytes from a socket; return fewer bytes if it is closed."""
    text = b""
    while len(text) < size and (piece := os.read(descriptor, size - len(text))):
        text += piece
    return text


if __name__ == "__main__":
    main()
