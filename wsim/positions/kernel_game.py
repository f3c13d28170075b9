"""Base class of games whose rules and policies are kernels. Importing it does not import the compiler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from wsim.game import Game
from wsim.policies.registry import PolicySet, policy_rows, resolve

if TYPE_CHECKING:
    from wsim.lab.plan import Plan
    from wsim.policies.lineup import Entry
    from wsim.policies.numbers import Number
    from wsim.policies.registry import LineUp


_STEPPED = ContextVar("stepped", default=False)
_SUMS = ("wsim.stats.kernels.adding",)
"""Modules whose entry points compute sums over whole games. They are compiled while waiting for other kernels."""


@contextmanager
def compile_stepping() -> Iterator[None]:
    """Make plans prepared in this context compile the kernels that step games, not the kernels for whole games."""
    token = _STEPPED.set(True)
    try:
        yield
    finally:
        _STEPPED.reset(token)


class KernelGame(Game):
    """A game whose rules and policies are kernels.

    Attributes
    ----------
    COMPILE_SECONDS: approximate compile time of the kernel that plays whole games (``kernels.engine``; stepping is
        ``kernels.commands``), and of the policies of the default plan.
    POLICIES: its policy registry.
    """

    COMPILE_SECONDS: tuple[float, float]
    POLICIES: PolicySet

    @property
    def _entry_module(self) -> str:
        """Name of the module with the required entry point, which either plays whole games or steps games."""
        return f"{self.POLICIES.home}.kernels.{'commands' if _STEPPED.get() else 'engine'}"

    def cold(self) -> float:
        from wsim.jit import seconds_to_compile

        return seconds_to_compile(self._entry_module, *self.COMPILE_SECONDS)

    def policies(self) -> Sequence[Mapping[str, Any]]:
        return policy_rows(self.POLICIES)

    def numbers(self, entry: Entry) -> Sequence[Number]:
        from wsim.policies.numbers import numbers_of

        return numbers_of(entry, self.POLICIES)

    def line_up(self, plan: Plan) -> LineUp:
        """Return a plan's policies, ready for the engine, which is compiled in parallel if needed."""
        from wsim.jit import compiled_beside

        with compiled_beside(self._entry_module, () if _STEPPED.get() else _SUMS):
            return resolve(plan.line_up, plan.players, self.POLICIES)
