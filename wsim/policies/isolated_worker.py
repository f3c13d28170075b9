"""The process of an isolated policy, ``python -m wsim.policies.isolated_worker`` (see ``wsim.policies.isolation``).

It reads one JSON line (what to load), confines itself, says what the system does not deny it (one line), loads the
policy, says what it is (one line), and then decides: for each request of 8 bytes it reads so many decisions from shared
memory, writes the choices there and answers a byte.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.policies.confinement import confine, confine_files
from wsim.policies.isolation import TEXT, Slots, serve

if TYPE_CHECKING:
    from wsim.policies.user_policies import Plugged


def _readable(spec: dict[str, Any]) -> list[Path]:
    """Return what the process may read: interpreter, packages, wsim, and the policy's own files."""
    import numpy

    from wsim.jit import cache_directory

    folders = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[1], Path(numpy.__file__).parents[1]]
    folders.append(cache_directory("wonders.kernels").parent)
    folders += [Path(text) for text in ("/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/dev/null")]
    folders += [Path(text) for text in ("/dev/urandom", "/etc/ld.so.cache", "/proc/self", "/sys/devices/system/cpu")]
    if spec["file"]:
        path = Path(spec["file"]).resolve()
        stem = path.stem
        folders += [*path.parent.glob("*.py"), *path.parent.glob("*/*.py"), *path.parent.glob(f"{stem}*")]
        folders.append(path)
    return folders


def _listed(spec: dict[str, Any]) -> None:
    """Remember the names in the policy's folder: they can be listed, but other files there cannot be read."""
    if spec["file"]:
        import importlib.machinery

        folder = str(Path(spec["file"]).resolve().parent)
        finder = importlib.machinery.FileFinder(
            folder, (importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES)
        )
        finder.find_spec("wsim_fills_the_cache_of_names")
        finder.invalidate_caches = lambda: None  # type: ignore[method-assign]
        vars(finder)["_path_mtime"] = Path(folder).stat().st_mtime
        sys.path_importer_cache[folder] = finder


def _load(spec: dict[str, Any], answers: int) -> tuple[Plugged, Any]:
    from wsim.policies.declare import isolated, unchecked
    from wsim.policies.lineup import parse_entry
    from wsim.policies.user_policies import plug

    interface = import_module(spec["registry"]).POLICIES.interface()
    _listed(spec)
    missing = confine(_readable(spec), spec["memory"])
    os.write(answers, json.dumps(missing).encode() + b"\n")  # before any code of others runs
    entry = parse_entry(spec["entry"])
    if spec["file"]:
        entry = replace(entry, place=spec["file"])
    with isolated(False), unchecked() if spec["unchecked"] else nullcontext():
        return plug(entry, interface), interface


def main() -> None:
    """Load a policy and decide until there are no more requests."""
    answers, requests = os.dup(1), os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    spec = json.loads(_line(requests))
    memory = mmap.mmap(spec["shared"], spec["size"])
    os.close(spec["shared"])
    try:
        plugged, interface = _load(spec, answers)
    except BaseException as error:
        text = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        os.write(answers, json.dumps({"error": text[:TEXT]}).encode() + b"\n")
        return
    declared = plugged.declaration
    made = {
        "name": declared.name, "parameters": dict(declared.parameters), "idea": declared.idea,
        "python": declared.python, "values": declared.values,
    }  # fmt: skip
    slots = Slots(memory, interface)
    last = slots.lookahead(interface) if declared.values else slots.records[3]
    _decide(plugged, slots, last, 0)  # compiles
    confine_files()
    os.write(answers, json.dumps(made).encode() + b"\n")
    while request := os.read(requests, 8):
        slots.header[0] = 0
        _decide(plugged, slots, last, int.from_bytes(request, "little"))
        if declared.values:
            slots.values[:] = last["values"][0]
        os.write(answers, b".")


def _decide(plugged: Plugged, slots: Slots, last: Any, count: int) -> None:
    """Decide ``count`` times; a decision that raises gets the index -1 and its text. ``last``: the fifth record."""
    from wsim.jit import addresses_of

    address, start = addresses_of([plugged.call])[0], 0
    while True:
        try:
            serve(address, *slots.records, last, slots.index, slots.header, start, count)
        except Exception as error:
            start = int(slots.header[0])
            if start >= count:
                break
            slots.index[start], slots.header[0] = -1, start + 1
            slots.tell(f"{type(error).__name__}: {' '.join(str(error).split())}")
            start += 1
        else:
            break
    if (complaint := plugged.complaint("")) is not None:
        slots.tell(str(complaint).removeprefix("policy '' raised "))


def _line(descriptor: int) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        piece = os.read(descriptor, 1)
        if not piece:
            raise SystemExit
        text += piece
    return text


if __name__ == "__main__":
    main()
