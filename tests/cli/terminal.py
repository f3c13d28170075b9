"""Run the command line on a pseudo-terminal of a given width, in this process or a separate one."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from threading import Thread
from unittest.mock import patch

import pytest

ROOT = Path(__file__).parents[2]


def on_terminal(columns: int, *words: str) -> tuple[int, list[str]]:
    """Call ``wsim`` on a terminal with this many columns; return its exit code and its lines without colours."""
    from wsim.cli.app import main

    def call(terminal: int) -> int:
        with (
            open(terminal, "w", encoding="utf-8", buffering=1) as screen,
            redirect_stdout(screen),
            redirect_stderr(screen),
            patch.dict(os.environ),
        ):
            for name in ("COLUMNS", "NO_COLOR"):
                os.environ.pop(name, None)
            with pytest.raises(SystemExit) as left:
                main(list(words))
        assert isinstance(left.value.code, int)
        return left.value.code

    return _shown(columns, call)


def process_on_terminal(columns: int, *words: str) -> tuple[int, list[str]]:
    """Call ``wsim`` on a terminal in a separate process; return its exit code and its lines without colours."""

    def call(terminal: int) -> int:
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
        environment["PYTHONPATH"] = str(ROOT)
        command = [sys.executable, "-m", "wsim", *words]
        process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
        os.close(terminal)
        return process.wait()

    return _shown(columns, call)


def _shown(columns: int, call: Callable[[int], int]) -> tuple[int, list[str]]:
    """Return the result of a call and the text that it displays on a terminal; the call closes the terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    said: list[bytes] = []

    def read() -> None:
        while True:
            try:
                said.append(os.read(ours, 65536))
            except OSError:  # the other end is closed
                return
            if not said[-1]:
                return

    reader = Thread(target=read)
    reader.start()
    code = call(theirs)
    reader.join()
    os.close(ours)
    text = b"".join(said).decode().replace("\r", "").replace("\033[1m", "").replace("\033[0m", "")
    return code, text.splitlines()
