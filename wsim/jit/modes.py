"""How kernels are compiled: not at all, in numba's standard way, or with the shortcuts of ``inner`` and ``records``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from numba.core import config as _config

# Typed stubs of numba do not know the settings.
config: Any = _config

# Private names of numba that the shortcuts use (tested with 0.68), by module and class.
_SHORT_CUTS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("numba.core.codegen", "JITCodeLibrary"): (
        "add_linking_library",
        "finalize",
        "_finalize_dynamic_globals",
        "_optimize_final_module",
        "_optimize_functions",
        "get_function",
    ),
    ("numba.core.codegen", "JITCPUCodegen"): ("_module_pass_manager",),
    ("numba.core.compiler", "Compiler"): ("compile_extra",),
    ("numba.core.dispatcher", "Dispatcher"): ("get_call_template",),
    ("numba.core.registry", "CPUTarget"): ("typing_context",),
    ("numba.core.typing.context", "Context"): ("resolve_function_type", "resolve_getattr"),
    ("numba.core.typeconv", "Conversion"): ("safe",),
    ("numba.core.types", "Record"): ("can_convert_from", "typeof", "offset"),
    ("numba.core.datamodel.models", "RecordModel"): (),
    ("numba.core.datamodel.models", "PrimitiveModel"): (),
}


# Likewise for caching kernels on disk.
_STORING: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("numba.core.bytecode", "FunctionIdentity"): ("_unique_ids",),
    ("numba.core.compiler", "CompileResult"): ("_reduce", "_rebuild"),
    ("numba.core.runtime", "rtsys"): ("initialize",),
    ("numba.core.serialize", "dumps"): (),
    ("numba.core.dispatcher", "Dispatcher"): ("compile", "disable_compile", "enable_caching"),
}


def _known(wanted: Mapping[tuple[str, str], tuple[str, ...]]) -> bool:
    """Return whether this numba has all of these names."""
    try:
        modules = {getattr(import_module(module), name): names for (module, name), names in wanted.items()}
    except (ImportError, AttributeError):
        return False
    return all(hasattr(module, name) for module, names in modules.items() for name in names)


JIT = not config.DISABLE_JIT
"""Whether kernels are compiled (``NUMBA_DISABLE_JIT=1``: they are not)."""

CHECKED = bool(config.BOUNDSCHECK)
"""Whether kernels check their indices (``NUMBA_BOUNDSCHECK=1``)."""

PLAIN = os.environ.get("WSIM_PLAIN_JIT", "0") not in ("", "0") or not _known(_SHORT_CUTS)
"""Whether kernels are compiled in numba's ordinary way: by choice (``WSIM_PLAIN_JIT=1``), or because this numba lacks
names that the shortcuts use. It takes longer, and the kernels are a little slower; the games are the same.
"""

STORES = _known(_STORING)
"""Whether compiled kernels are stored on disk; with a numba that lacks the names, every process compiles them."""
