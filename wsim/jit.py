"""The one gateway to numba: the ``kernel`` decorator, its options and its cache directory.

Numba decides whether a cached kernel is stale by the file of the outermost function only: after an edit of a callee in
another module it returns the OLD answer. The cache directory therefore carries a digest of every kernel source, so an
edited kernel can never meet a cache entry of its former self.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import warnings
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import config as _config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.errors import NumbaError
from numba.extending import intrinsic, overload

__all__ = [
    "JIT",
    "NumbaError",
    "cache_directory",
    "cache_is_cold",
    "count_bits",
    "from_dtype",
    "intrinsic",
    "ir",
    "kernel",
    "lowest_bit",
    "njit",
    "overload",
    "reverse_bits",
    "source_digest",
    "types",
]

# Typed stubs of numba know neither all options nor the settings; this file is the only one that uses them.
config: Any = _config
njit: Any = numba.njit

JIT = not config.DISABLE_JIT
PACKAGE = Path(__file__).parent
SHARED_SOURCES = ("jit.py", "rng.py")
KERNEL_PLACES = ("words.py", "kernels", "policies")  # of a game: what its kernels are made of

# Policies reach the engine as first-class functions: 1.2 ns a call, no recompilation for a new line-up.
warnings.filterwarnings("ignore", message="First-class function type feature is experimental")


@lru_cache
def source_digest(package: str) -> str:
    """Return a digest of the sources that a kernel of a package such as "wonders.policies" may call.

    These are the shared ones, the words of its game, and the game's kernels; those of its policies call both.
    """
    digest = hashlib.sha256()
    paths = [PACKAGE / name for name in SHARED_SOURCES]
    game, _, room = package.partition(".")
    for place in KERNEL_PLACES[: KERNEL_PLACES.index(room) + 1]:
        found = PACKAGE / game / place
        paths += sorted(found.glob("*.py")) if found.is_dir() else [found] if found.is_file() else []
    for path in paths:
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """Return the folder of all caches: ``WSIM_CACHE_DIR``, else the user's cache folder, else a temporary one."""
    if named := os.environ.get("WSIM_CACHE_DIR"):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    root = (Path(base) if base else Path.home() / ".cache") / "wsim"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):
        pass
    return Path(tempfile.gettempdir()) / "wsim-cache"


def cache_directory(package: str) -> Path:
    """Return the cache folder of exactly the present kernel sources of a package below wsim."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    checked = "-checked" if config.BOUNDSCHECK else ""
    return _cache_root() / f"{package}-{source_digest(package)}-py{python}-numba{numba.__version__}{checked}"


def cache_is_cold(package: str, name: str) -> bool:
    """Say whether the kernel called ``name`` of a game package has still to be compiled on this machine."""
    return JIT and not any(cache_directory(package).rglob(f"*{name}*.nbi"))


class _InnerLibrary(JITCodeLibrary):
    """Intermediate code that waits for the entry point it is linked into: not optimised, no machine code of its own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


class _InnerCompiler(Compiler):
    """Compile a kernel to intermediate code only.

    Numba makes machine code of every function and optimises it again in each of its callers. Kernels are called from
    kernels alone, so it is enough to do both once, in the entry point: half the compile time for the same code.
    """

    def compile_extra(self, func: Any) -> Any:
        context = self.state.targetctx
        self.state.flags.no_compile = True
        self.state.library = _InnerLibrary(context.codegen(), func.__qualname__)  # type: ignore[no-untyped-call]
        compiled = super().compile_extra(func)  # type: ignore[no-untyped-call]
        # The dispatcher wants a built-in function of its own as key; called from Python, this one raises.
        key: Any = dict[str, str]().__getitem__
        context.insert_user_function(key, compiled.fndesc, [compiled.library])
        return compiled._replace(entry_point=key)


def kernel(signature: Any = None, *, package: str | None = None) -> Any:
    """Compile a function that needs no interpreter lock.

    Plain ``@kernel`` functions are compiled into their callers. With a signature, ``@kernel(signature)``, the function
    is an entry point: compiled at once, for those types only, and kept in the cache directory of its package, which is
    that of its module unless it is named.
    """
    options = {"nogil": True, "error_model": "numpy"}
    if isinstance(signature, FunctionType):
        inner = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _InnerCompiler} if JIT else {}
        return njit(**options, **inner)(signature)

    def compile_entry(function: FunctionType) -> Any:
        if not JIT:
            return njit(**options)(function)
        home = package or function.__module__.removeprefix("wsim.").rpartition(".")[0]
        config.CACHE_DIR = str(cache_directory(home))
        return njit(signature, cache=True, **options)(function)

    return compile_entry


def lowest_bit(word: Any) -> int:
    """Return the index of the lowest set bit of a 64-bit word (undefined for 0)."""
    value = int(word)
    return (value & -value).bit_length() - 1


def count_bits(word: Any) -> int:
    """Return the number of set bits of a 64-bit word."""
    return int(word).bit_count()


def reverse_bits(word: Any) -> Any:
    """Return the 64-bit word with bit i moved to bit 63 - i."""
    return np.uint64(int(f"{int(word):064b}"[::-1], 2))


@intrinsic
def _cttz(_context, _word):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def _ctpop(_context, _word):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@intrinsic
def _bitreverse(_context, _word):  # type: ignore[no-untyped-def]
    def generate(_ctx: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitreverse(args[0])

    return types.uint64(types.uint64), generate


@overload(lowest_bit, inline="always")
def _lowest_bit_overload(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _cttz(word)  # type: ignore[call-arg]


@overload(count_bits, inline="always")
def _count_bits_overload(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _ctpop(word)  # type: ignore[call-arg]


@overload(reverse_bits, inline="always")
def _reverse_bits_overload(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _bitreverse(word)  # type: ignore[call-arg]
