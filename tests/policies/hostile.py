"""Policies that misbehave, and two that do not (tests/policies/test_isolation.py)."""

import ctypes
import os
import socket
from pathlib import Path
from typing import Any

import wsim


@wsim.policy(name="last", parameters={"back": 1})  # type: ignore[untyped-decorator]
def last(public: Any, own: Any, choice: Any, rules: Any) -> Any:
    return max(choice.count - int(own.parameters[0]), 0)


def plain(public: Any, own: Any, choice: Any, rules: Any) -> int:
    own.memory[0] += 1
    return int(own.memory[0]) % int(choice.count)


def opens(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return len(Path(__file__).read_bytes())


def writes(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return Path(f"{__file__}.txt").write_text("told", encoding="utf-8")


def talks(public: Any, own: Any, choice: Any, rules: Any) -> int:
    socket.socket()
    return 0


def forks(public: Any, own: Any, choice: Any, rules: Any) -> int:
    os.fork()
    return 0


def starts(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return os.posix_spawn("/bin/true", ["true"], {})


def signals(public: Any, own: Any, choice: Any, rules: Any) -> int:
    os.kill(os.getppid(), 9)
    return 0


def eats(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return len(bytearray(1 << 42))


def far(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return 10**6


def ends(public: Any, own: Any, choice: Any, rules: Any) -> int:
    os._exit(3 if choice.count else 4)


def crashes(public: Any, own: Any, choice: Any, rules: Any) -> int:
    return len(ctypes.string_at(0))


def hangs(public: Any, own: Any, choice: Any, rules: Any) -> int:
    while choice.count:
        pass
    return 0
