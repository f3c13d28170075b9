"""A real terminal of a given width: a pseudo-terminal on which the command line runs in a process of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

__all__ = ["on_terminal"]

ROOT = Path(__file__).parents[2]


def on_terminal(columns: int, *words: str) -> tuple[int, list[str]]:
    """Run ``wsim`` on a terminal of so many columns; return its exit code and the lines, without their colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    environment["PYTHONPATH"] = str(ROOT)
    process = subprocess.Popen(
        [sys.executable, "-m", "wsim", *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    text = said.decode().replace("\r", "").replace("\033[1m", "").replace("\033[0m", "")
    return process.wait(), text.splitlines()
