"""The process of an isolated policy, ``python -m wsim.policies.isolated_worker`` (see ``wsim.policies.isolation``).

It reads one JSON line (what to load), confines itself, says what the system does not deny it (one line), loads the
policy, says what it is (one line), and then decides, one thread a channel: for each request (first decision, end) it
reads these decisions from shared memory, writes the choices there and answers a byte.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wsim.errors import UserError
from wsim.policies.confinement import confine, confine_files
from wsim.policies.isolation import TEXT, Slots, serve
from wsim.policies.sources import contents_of

if TYPE_CHECKING:
    from wsim.policies.user_policies import UserPolicy


def _readable(spec: dict[str, Any]) -> list[Path]:
    """Return the paths that the process may read: interpreter, packages, wsim, and the policy's own files."""
    import numpy

    from wsim.jit import cache_directory

    folders = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[1], Path(numpy.__file__).parents[1]]
    folders.append(cache_directory("wonders.kernels").parent)
    folders += [Path(text) for text in ("/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/dev/null")]
    folders += [Path(text) for text in ("/dev/urandom", "/etc/ld.so.cache", "/proc/self", "/sys/devices/system/cpu")]
    if spec["file"]:
        path = Path(spec["file"]).resolve()
        folders += [path.parent / name for name in contents_of(path)]  # itself and its imports, not those of rivals
        folders += [data for data in path.parent.glob(f"{path.stem}[._-]*") if data.suffix != ".py"]
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


def _load(spec: dict[str, Any], answers: int) -> tuple[UserPolicy, Any]:
    from wsim.policies.declare import isolated, unchecked
    from wsim.policies.lineup import parse_entry
    from wsim.policies.user_policies import plug

    interface = import_module(spec["registry"]).POLICIES.interface()
    _listed(spec)
    missing = confine(_readable(spec), spec["memory"])
    os.write(answers, json.dumps(missing).encode() + b"\n")  # before any code of others runs
    entry = parse_entry(spec["entry"])
    if spec["file"]:
        entry = replace(entry, path=spec["file"])
    with isolated(False), unchecked() if spec["unchecked"] else nullcontext():
        return plug(entry, interface, copies=False), interface


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
    step = Slots(None, interface).size
    channels = [Slots(memory, interface, step * number) for number in range(len(spec["channels"]))]
    lasts = [slots.lookahead(interface) if declared.values else slots.records[3] for slots in channels]
    _decide(plugged, channels[0], lasts[0], 0, 0)  # compiles
    confine_files()
    os.write(answers, json.dumps(made).encode() + b"\n")
    threads = [
        threading.Thread(target=_serve, args=(plugged, *channel), daemon=True)
        for channel in zip(channels, lasts, spec["channels"], strict=True)
    ]
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()  # confined like this one
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _end_with(parent: int) -> None:
    """End this process once wsim has ended: a policy that hangs would otherwise run for ever."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def _serve(plugged: UserPolicy, slots: Slots, last: Any, descriptor: int) -> None:
    """Answer the requests of a channel until it is closed."""
    while len(request := os.read(descriptor, 16)) == 16:
        _decide(plugged, slots, last, *(int.from_bytes(request[at : at + 8], "little") for at in (0, 8)))
        if plugged.declaration.values:
            slots.values[:] = last["values"][0]
        os.write(descriptor, b".")


def _decide(plugged: UserPolicy, slots: Slots, last: Any, start: int, count: int) -> None:
    """Make decisions ``start`` to ``count``; one that raises gets the index -1 and its text. ``last``: the fifth
    record."""
    from wsim.jit import addresses_of

    address = addresses_of([plugged.call])[0]
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
