"""What is the same of every game whose rules and policies are kernels; it imports no compiler."""

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
"""What whole games are added up by: entry points that are compiled while others are waited for."""


@contextmanager
def to_be_stepped() -> Iterator[None]:
    """Compile, for plans that are prepared meanwhile, what steps games: what plays whole ones is not needed."""
    before = _STEPPED.set(True)
    try:
        yield
    finally:
        _STEPPED.reset(before)


class KernelGame(Game):
    """A game whose rules and policies are kernels.

    Attributes
    ----------
    COMPILE_SECONDS: about how long the kernel that plays whole games compiles (``kernels.engine``; what steps them is
        ``kernels.commands``); and about how long the policies of the default plan do.
    POLICIES: its registry.
    """

    COMPILE_SECONDS: tuple[float, float]
    POLICIES: PolicySet

    @property
    def _entry_module(self) -> str:
        """The module of the large kernel that is needed: it plays games, or steps them."""
        return f"{self.POLICIES.home}.kernels.{'commands' if _STEPPED.get() else 'engine'}"

    def cold(self) -> float:
        """Return about how many seconds the kernels take to compile, 0 where they are compiled already."""
        from wsim.jit import seconds_to_compile

        return seconds_to_compile(self._entry_module, *self.COMPILE_SECONDS)

    def policies(self) -> Sequence[Mapping[str, Any]]:
        """Return the registry of policies as rows (``wsim policies``)."""
        return policy_rows(self.POLICIES)

    def numbers(self, entry: Entry) -> Sequence[Number]:
        """Return the numbers that a line-up entry may set: weights, parameters."""
        from wsim.policies.numbers import numbers_of

        return numbers_of(entry, self.POLICIES)

    def line_up(self, plan: Plan) -> LineUp:
        """Return the policies of a plan, ready for the engine, which is compiled meanwhile where it is not yet."""
        from wsim.jit import compiled_beside

        with compiled_beside(self._entry_module, () if _STEPPED.get() else _SUMS):
            return resolve(plan.line_up, plan.players, self.POLICIES)
