"""The start of a process for other people's code, before it runs any of it (``wsim.policies.confined``).

The process reads one JSON line (what to load), confines itself, reports the missing restrictions (one line), loads the
code, and describes it, or reports why it cannot be loaded (one line).
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from wsim.errors import UserError
from wsim.policies.confined import TEXT
from wsim.policies.confinement import confine
from wsim.policies.sources import contents_of


def begin() -> tuple[dict[str, Any], int]:
    """Read the load request and return it with the answer descriptor; redirect standard streams to the null device."""
    answers, requests = os.dup(1), os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    return json.loads(_line(requests)), answers


def confine_first(spec: dict[str, Any], answers: int) -> None:
    """Confine this process and report the missing restrictions, before any of other people's code runs."""
    _listed(spec)
    say(confine(_readable(spec), spec["memory"]), answers)


def say(made: Any, answers: int) -> None:
    """Write an object as one line of JSON to the descriptor ``answers``."""
    os.write(answers, json.dumps(made).encode() + b"\n")


def refuse(error: BaseException, answers: int) -> None:
    """Report why the code cannot be loaded."""
    text = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
    say({"error": text[:TEXT]}, answers)


def end_with_parent() -> None:
    """Start a thread that ends this process once wsim has ended; otherwise code that hangs would run for ever."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()  # confined like this one


def _readable(spec: dict[str, Any]) -> list[Path]:
    """Return the paths that the process may read: interpreter, packages, wsim, and the code's own files."""
    import numpy

    from wsim.jit import cache_directory

    folders = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[1], Path(numpy.__file__).parents[1]]
    folders.append(cache_directory("wonders.kernels").parent)
    folders += [Path(text) for text in ("/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/dev/null")]
    folders += [Path(text) for text in ("/dev/urandom", "/etc/ld.so.cache", "/proc/self", "/sys/devices/system/cpu")]
    if spec["file"]:
        path = Path(spec["file"]).resolve()
        folders += [path.parent / name for name in contents_of(path)]  # itself and its imports, but not rivals' files
        folders += [data for data in path.parent.glob(f"{path.stem}[._-]*") if data.suffix != ".py"]
    return folders


def _listed(spec: dict[str, Any]) -> None:
    """Cache the file names in the code's folder for the importer, because a confined process cannot list folders."""
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


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def _line(descriptor: int) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        piece = os.read(descriptor, 1)
        if not piece:
            raise SystemExit
        text += piece
    return text
