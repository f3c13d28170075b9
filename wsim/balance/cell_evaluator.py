"""The common interface of the evaluators of a setting, regardless of how they measure its cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wsim.balance.cells import Cell
from wsim.balance.goal import Setting
from wsim.balance.knobs import Knob, Option, Patch
from wsim.balance.sampling import Effects, Level, Sampler


class CellEvaluator(ABC):
    """An evaluator of some of the cells of a setting.

    Attributes
    ----------
    setting: the setting. cells: the numbers bounded by the setting's targets and ``keep`` rows, in order.
    """

    cells: list[Cell]

    def __init__(self, setting: Setting, knobs: Sequence[Knob], sampler: Sampler) -> None:
        self.setting, self._knobs, self._sampler = setting, knobs, sampler

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the evaluator; evaluators with different names use different deals."""

    def games(self, requested: int) -> int:
        """Return the number of games to play for a requested number; by default, these are equal."""
        return requested

    def replays(self, requested: int) -> int:
        """Return the number of games to play per step of a value; by default, the requested number."""
        return requested

    @abstractmethod
    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure the cells with a patch."""

    @abstractmethod
    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure the cells with a patch and the effects that need no further games; other effects are left at 0."""

    @abstractmethod
    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:
        """Measure the effects of the remaining options by playing each one separately, without a patch."""
