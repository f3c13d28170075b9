"""Kernels on disk: if their files or folder are damaged, they are compiled again and never loaded incorrectly."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.tiers import first_quick
from wsim.jit import JIT, cache, cache_directory, kernel, kernel_files, types

pytestmark = pytest.mark.skipif(not JIT, reason="what numba does")
ROOT = Path(__file__).parents[2]
HOME = "babel.kernels"


def _plus(number):  # type: ignore[no-untyped-def]
    return number + 1


def _minus(number):  # type: ignore[no-untyped-def]
    return number - 1


def compiled(function: Any = _plus) -> tuple[int, bool]:
    """Compile or load an entry point; return its result for 1 and whether it was found on disk."""
    entry = kernel(types.int64(types.int64), package=HOME)(function)
    return int(entry(1)), bool(sum(entry.stats.cache_hits.values()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty cache folder, and clear earlier messages."""
    monkeypatch.setenv("WSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_files, "_reported", [])
    return cache_directory(HOME)


@pytest.fixture
def file(folder: Path) -> Path:
    """The cache file of one kernel."""
    assert compiled() == (2, False)
    assert compiled() == (2, True)
    (found,) = folder.iterdir()
    return found


def flipped(place: float) -> Callable[[bytes], bytes]:
    """Return a function that damages a file by flipping one bit in a part of it."""

    def fault(content: bytes) -> bytes:
        at = int(place * (len(content) - 1))
        return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]

    return fault


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda _: b"",
    "one byte": lambda content: content[:1],
    "head only": lambda content: content[:14],
    "digest only": lambda content: content[:46],
    "truncated": lambda content: content[: len(content) // 2],
    "last byte lost": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "garbage": lambda content: bytes(range(256)) * (len(content) // 256 + 1),
    "zeros": lambda content: bytes(len(content)),
    "a block of zeros": lambda content: content[:1000] + bytes(512) + content[1512:],
    "text": lambda _: "straße\n".encode(),
    "of another form": lambda content: content.replace(b"wsim-kernel/1", b"wsim-kernel/0"),
} | {f"a bit at {place}": flipped(place) for place in (0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 1.0)}


@first_quick(1, "fault", FAULTS)
def test_a_damaged_file_is_compiled_again_and_replaced(
    fault: str, file: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sound = file.read_bytes()
    file.write_bytes(FAULTS[fault](sound))
    assert file.read_bytes() != sound
    assert compiled() == (2, False)
    assert compiled() == (2, True)
    assert list(folder.iterdir()) == [file]
    assert capfd.readouterr().err == ""


def test_a_missing_file_is_written_again(file: Path) -> None:
    file.unlink()
    assert (compiled(), compiled()) == ((2, False), (2, True))


def test_the_file_of_a_different_kernel_is_not_used(file: Path, folder: Path) -> None:
    assert compiled(_minus) == (0, False)
    (other,) = set(folder.iterdir()) - {file}
    shutil.copy(other, file)
    assert (compiled(), compiled()) == ((2, False), (2, True))


def test_unusable_kernel_files_are_compiled_again(file: Path) -> None:
    """This includes intact but incompatible files, such as those from a different build of the same numba."""
    import pickle

    file.write_bytes(kernel_files._sealed(file, pickle.dumps(("no", "kernel"))))
    assert (compiled(), compiled()) == ((2, False), (2, True))


def test_a_full_disk_while_writing_is_handled(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert compiled() == (2, False)
    assert compiled() == (2, False)
    assert list(folder.iterdir()) == []
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "cannot be kept in the cache folder (No space left on device), so every command compiles them again" in said


def test_an_old_file_stays_while_a_new_one_is_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"damaged")

    def killed(_: int) -> None:
        assert file.read_bytes() == b"damaged"
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        compiled()
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@first_quick(1, "what", ["file", "/proc/nowhere", "folder in place of the kernel"])
def test_a_folder_that_cannot_be_used_is_reported_in_one_sentence(
    what: str, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if what == "folder in place of the kernel":
        file.unlink()
        (file / "inside").mkdir(parents=True)
        where = file
    else:
        where = tmp_path / what
        if what == "file":
            where.touch()
        monkeypatch.setenv("WSIM_CACHE_DIR", str(where))
    for _ in range(2):
        assert compiled() == (2, False)
    said = capfd.readouterr().err
    assert said.startswith(f"wsim: compiled kernels cannot be kept in '{where}")
    assert said.endswith("set WSIM_CACHE_DIR to a folder that can be written\n")
    assert said.count("\n") == 1


# --- the folder of users without a home ------------------------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate a user without a writable home; the cache is in an empty folder for temporary files."""
    (tmp_path / "no-home").touch()
    for name in ("WSIM_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(kernel_files, "_reported", [])
    return cache._temporary_root()


@pytest.mark.skipif(os.name != "posix", reason="owners as POSIX has them")
def test_the_temporary_cache_belongs_to_one_user(temporary: Path) -> None:
    assert (compiled(), compiled()) == ((2, False), (2, True))
    assert temporary.name == f"wsim-cache-{os.getuid()}"
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="owners as POSIX has them")
@pytest.mark.parametrize("trap", ["open to all", "of somebody else", "a link"])
def test_a_cache_folder_created_by_another_user_is_not_read(
    trap: str, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert compiled() == (2, False)
    if trap == "open to all":
        temporary.chmod(0o777)
    elif trap == "of somebody else":
        owner = os.getuid()
        monkeypatch.setattr(cache, "_temporary_root", lambda: temporary)
        monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    else:
        temporary.rename(tmp_path / "moved")
        temporary.symlink_to(tmp_path / "moved")
    assert compiled() == (2, False)
    assert "(not a folder of this user alone), so every command compiles them again" in capfd.readouterr().err


# --- whole processes --------------------------------------------------------------------------------------------------

PROGRAM = "from wsim.wonders.kernels.entry_points import science_entry; print(int(science_entry(1, 1, 1, 0)))"


def process(cache_folder: Path) -> tuple[int, str, str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "WSIM_CACHE_DIR": str(cache_folder),
        "PYTHONWARNINGS": "error",
    }
    environment |= {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_other_processes_repair_a_damaged_cache(tmp_path: Path) -> None:
    """What ended every later command, or crashed it: an index without content, machine code with a bit flipped."""
    assert process(tmp_path) == (0, "10\n", "")
    files = sorted(tmp_path.rglob("*.kernel"))
    sound = [path.read_bytes() for path in files]
    assert len(files) >= 2
    faults = cycle(("emptied", "a bit at 0.9"))  # each costs compiling; the others are tested in one process
    for path, content in zip(files, sound, strict=True):
        path.write_bytes(FAULTS[next(faults)](content))
    assert process(tmp_path) == (0, "10\n", "")
    assert all(len(path.read_bytes()) > 1000 for path in files)


@pytest.mark.slow
def test_nothing_is_cached_next_to_the_sources(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, out, error = process(tmp_path / "file")
    assert (code, out) == (0, "10\n")
    assert error.count("\n") == 1
    assert error.startswith("wsim: compiled kernels cannot be kept in ")
    assert not list((ROOT / "wsim").rglob("*.nbi"))


# --- functions of one name -------------------------------------------------------------------------------------------

TWO = """
import sys
from types import FunctionType

from wsim.jit import kernel, types

# too much to be inlined
LINES = "".join(f"    total += (x ^ {line}) * number + total % {line + 3}\\n" for line in range(80))


def around(number):
    space = {"__name__": __name__, "number": number}
    exec("def inner(x):\\n    total = 0\\n" + LINES + "    return total\\n", space)
    return kernel(space["inner"])


def template(x):
    return inner(x) + inner(x + 1)


def entry(name):
    function = FunctionType(template.__code__, {"inner": around(len(name)), "__name__": __name__}, name)
    function.__qualname__ = name
    return kernel(types.int64(types.int64), package="babel.kernels")(function)


entries = [entry(name) for name in sys.argv[1:]]
print(*(one(5) for one in entries), *(sum(one.stats.cache_hits.values()) for one in entries))
"""


@pytest.mark.slow
def test_inner_functions_with_equal_names_are_cached_separately(tmp_path: Path, folder: Path) -> None:
    """As closures around policies are: entry points kept by two processes call their own in a third."""
    program = tmp_path / "two.py"
    program.write_text(TWO, encoding="utf-8")

    def told(*names: str) -> list[str]:
        words = [sys.executable, str(program), *names]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(words, env=environment, text=True, capture_output=True, check=True).stdout.split()

    (one, found), (other, there) = told("a"), told("bb")
    assert (found, there) == ("0", "0")
    assert one != other
    assert len(list(folder.iterdir())) == 2
    assert told("a", "bb") == [one, other, "1", "1"]
    assert told("bb", "a") == [other, one, "1", "1"]
