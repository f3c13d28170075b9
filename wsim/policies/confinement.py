"""The restrictions that a process imposes on itself before it runs other people's code.

Linux: no new privileges, no capabilities, Landlock (read-only access to the interpreter, its packages and the policy's
folder), seccomp (no sockets, processes, signals, access to other processes' memory, or changes to files; after loading,
no files at all) and limits on memory and file sizes. On other systems, only the limits that the system supports.
``confine`` returns descriptions of the missing restrictions.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _DENY, _NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38  # EPERM, ENOSYS
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446  # Landlock, the same number everywhere
_EXECUTE, _READ_FILE, _READ_FOLDER = 1, 4, 8
_RIGHTS = (13, 14, 15, 15, 16, 16)  # bits of file rights by ABI version from 1
_THREAD = 0x10000  # CLONE_THREAD
_CAPABILITIES = 0x20080522  # version 3 of capset

# Numbers of system calls on (x86_64, aarch64); -1: the architecture does not have the call.
_ALWAYS = {
    "socket": (41, 198), "connect": (42, 203), "socketpair": (53, 199), "bind": (49, 200), "sendto": (44, 206),
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281), "kill": (62, 129),
    "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "process_madvise": (440, 440), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438),
    "io_uring_setup": (425, 425), "bpf": (321, 280), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "memfd_create": (319, 279), "keyctl": (250, 219), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "setrlimit": (160, 164), "prlimit64": (302, 261), "sched_setaffinity": (203, 122), "setpriority": (141, 140),
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
    "ioprio_set": (251, 30), "inotify_init1": (294, 26), "truncate": (76, 45), "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "unlink": (87, -1), "unlinkat": (263, 35), "rename": (82, -1), "renameat": (264, 38), "renameat2": (316, 276),
    "mkdir": (83, -1), "mkdirat": (258, 34), "rmdir": (84, -1), "mknod": (133, -1), "mknodat": (259, 33),
    "link": (86, -1), "linkat": (265, 37), "symlink": (88, -1), "symlinkat": (266, 36), "chmod": (90, -1),
    "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, -1), "fchown": (93, 55),
    "lchown": (94, -1), "fchownat": (260, 54), "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1),
    "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "open_by_handle_at": (304, 265),
}  # fmt: skip
_AFTER_LOADING = {
    "open": (2, -1), "openat": (257, 56), "openat2": (437, 437), "creat": (85, -1), "getdents64": (217, 61),
    "chdir": (80, 49),
}  # fmt: skip
_SIGNALS_ASKED_FOR = {
    (72, 25): (8, 10, 15),  # fcntl: F_SETOWN, F_SETSIG, F_SETOWN_EX
    (16, 29): (0x8901, 0x8902),  # ioctl: FIOSETOWN, SIOCSPGRP
}
"""System calls that would make the kernel send signals to other processes, with the forbidden second arguments."""
_CLONE, _CLONE3 = (56, 220), (435, 435)


def _filter(numbers: Iterable[int], machine: str) -> bytes:
    """Return a seccomp program that denies these calls, calls of a different architecture, and new processes."""
    audit, index = _ARCHITECTURES[machine]
    code: list[tuple[int, int, int, int]] = [
        (0x20, 0, 0, 4), (0x15, 1, 0, audit), (0x06, 0, 0, _DENY), (0x20, 0, 0, 0),
    ]  # fmt: skip
    if machine == "x86_64":
        code += [(0x35, 0, 1, 0x40000000), (0x06, 0, 0, _DENY)]  # the x32 numbers
    for number in numbers:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, _DENY)]
    for numbers_of_call, forbidden in _SIGNALS_ASKED_FOR.items():
        code += [(0x15, 0, len(forbidden) + 3, numbers_of_call[index]), (0x20, 0, 0, 24)]
        code += [(0x15, len(forbidden) - place, 0, value) for place, value in enumerate(forbidden)]
        code += [(0x06, 0, 0, _ALLOW), (0x06, 0, 0, _DENY)]
    code += [(0x15, 0, 1, _CLONE3[index]), (0x06, 0, 0, _NO_SUCH_CALL)]  # its flags are not readable: use clone
    code += [(0x15, 0, 3, _CLONE[index]), (0x20, 0, 0, 16), (0x45, 1, 0, _THREAD), (0x06, 0, 0, _DENY)]
    code += [(0x06, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in code)


def _deny(calls: dict[str, tuple[int, int]]) -> bool:
    """Block system calls of this process from now on; return whether the system supports it."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _ARCHITECTURES:
        return False
    index, libc = _ARCHITECTURES[machine][1], ctypes.CDLL(None, use_errno=True)
    program = _filter((numbers[index] for numbers in calls.values() if numbers[index] >= 0), machine)
    room = ctypes.create_string_buffer(program)
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(room))
    holder = ctypes.create_string_buffer(head)
    zero = ctypes.c_ulong(0)
    if libc.prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), zero, zero, zero):
        return False
    return bool(libc.prctl(_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.c_ulong(ctypes.addressof(holder))) == 0)


def _drop_capabilities() -> None:
    """Drop the capabilities of a process that runs as root."""
    if sys.platform == "linux":
        head, none = struct.pack("Ii", _CAPABILITIES, 0), bytes(24)
        ctypes.CDLL(None).capset(head, none)


def _only_read(folders: Iterable[Path]) -> bool:
    """Restrict this process to reading files in these folders; return whether the system supports it."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if version < 1:
        return False
    handled = (1 << _RIGHTS[min(version, len(_RIGHTS)) - 1]) - 1
    attributes = struct.pack("QQ", handled, 3) if version >= 4 else struct.pack("Q", handled)  # 3: TCP bind, connect
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if rules < 0:
        return False
    try:
        for folder in folders:
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
                try:
                    rights = _EXECUTE | _READ_FILE | (_READ_FOLDER if folder.is_dir() else 0)
                    rule = struct.pack("=Qi", rights, descriptor)
                    libc.syscall(_ADD_RULE, rules, ctypes.c_int(1), rule, ctypes.c_uint(0))
                finally:
                    os.close(descriptor)
        zero = ctypes.c_ulong(0)
        libc.prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), zero, zero, zero)
        return bool(libc.syscall(_RESTRICT, rules, ctypes.c_uint(0)) == 0)
    finally:
        os.close(rules)


def _limit(memory: int) -> list[str]:
    """Limit memory and file sizes; return descriptions of the limits that the system does not support."""
    try:
        import resource
    except ImportError:
        return ["no memory limit"]
    missing = []
    used = 0
    with suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    for what, most in (("RLIMIT_AS", used + memory), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)):
        try:
            resource.setrlimit(getattr(resource, what), (most, most))
        except (AttributeError, OSError, ValueError):
            missing.append({"RLIMIT_AS": "no memory limit"}.get(what, ""))
    return [sentence for sentence in missing if sentence]


def confine(folders: Iterable[Path], memory: int) -> list[str]:
    """Confine this process before it runs other people's code; return descriptions of unsupported restrictions.

    Parameters
    ----------
    folders: the folders that it may read. memory: bytes that it may use in addition to its current memory.
    """
    missing = _limit(memory)
    if not _only_read(folders):
        missing.append("files can be read while the policy is loaded")
    _drop_capabilities()
    if not _deny(_ALWAYS):
        missing.append("network access and new processes are not denied")
    return missing


def confine_files() -> None:
    """Stop this process from opening any more files, where the system supports it."""
    _deny(_AFTER_LOADING)
