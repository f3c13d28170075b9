"""Kernels compiled once, as intermediate code, in the entry point they end up in: a third of the compile time.

This depends on names that numba may change; in the plain mode (``modes.PLAIN``) the module is not imported.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _EntryLibrary(JITCodeLibrary):
    """Machine code of an entry point, optimised once, as a whole.

    Numba optimises every function first and then the whole again, to remove reference counts that cancel out; kernels
    have no reference counts.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001 (modes.PLAIN)

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False)  # noqa: SLF001 (modes.PLAIN)
        passes.run(self._final_module, builder)


class _EntryCompiler(Compiler):
    def compile_extra(self, func: Any) -> Any:
        self.state.library = _EntryLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _InnerLibrary(_EntryLibrary):
    """Intermediate code that is linked later into an entry point; until then it is neither optimised nor linked.

    Numba links into every function all that it calls, directly or not: in a chain of three functions the last one is
    copied three times. Here only the entry point is linked to its callees, each of them once.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.callees: dict[Any, None] = {}

    def add_linking_library(self, library: Any) -> None:
        self.callees[library] = None

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _InnerCompiler(Compiler):
    """Compile a kernel to intermediate code only.

    Numba makes machine code of every function and optimises it again in each of its callers. Kernels are only called
    from kernels, so it is enough to do both once, in the entry point.
    """

    def compile_extra(self, func: Any) -> Any:
        context = self.state.targetctx
        self.state.flags.no_compile = True
        self.state.library = _InnerLibrary(context.codegen(), func.__qualname__)
        compiled = super().compile_extra(func)
        # The dispatcher needs a distinct built-in function as key; called from Python, this one raises.
        key: Any = dict[str, str]().__getitem__
        # Callers also receive its callees, and so on: the callees of inner code are complete by now.
        context.insert_user_function(key, compiled.fndesc, [compiled.library, *compiled.library.callees])
        return compiled._replace(entry_point=key)


class _RareCompiler(_InnerCompiler):
    """Compile a kernel that stays a separate function, apart from frequently executed code."""

    def compile_extra(self, func: Any) -> Any:
        compiled = super().compile_extra(func)
        code = compiled.library.get_function(compiled.fndesc.llvm_func_name)
        for attribute in ("noinline", "cold", "optsize"):
            code.add_function_attribute(attribute)
        return compiled


ENTRY = {"pipeline_class": _EntryCompiler}
"""Options of numba for an entry point."""
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _InnerCompiler}
"""Options of numba for a kernel that only kernels call."""
RARE = {**INNER, "pipeline_class": _RareCompiler}
"""Options of numba for a kernel that other kernels rarely call."""


def with_plain_types(kernel: Any) -> Any:
    """Compile a kernel once for all literals and integer sizes, instead of once per combination."""
    kernel.get_call_template = partial(_call_template, kernel.get_call_template)
    return kernel


def _call_template(get_call_template: Any, args: Any, kws: Any) -> Any:
    return get_call_template(tuple(map(_plain, args)), {name: _plain(kind) for name, kind in kws.items()})


def _plain(kind: Any) -> Any:
    """Return the type that a kernel is compiled for in place of a literal or of a short integer."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.bitwidth < 64 else kind  # type: ignore[attr-defined]
