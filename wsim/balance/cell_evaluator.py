"""What the evaluators of a setting have in common, however they measure its cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wsim.balance.cells import Cell
from wsim.balance.goal import Setting
from wsim.balance.knobs import Knob, Option, Patch
from wsim.balance.sampling import Effects, Level, Sampler


class CellEvaluator(ABC):
    """The evaluator of some cells of a setting.

    Attributes
    ----------
    setting: the setting. cells: the numbers bounded by its targets and ``keep`` rows, in order.
    """

    cells: list[Cell]

    def __init__(self, setting: Setting, knobs: Sequence[Knob], sampler: Sampler) -> None:
        self.setting, self._knobs, self._sampler = setting, knobs, sampler

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name; evaluators with different names use different deals."""

    def games(self, requested: int) -> int:
        """Return the number of games played when some are requested: by default the same."""
        return requested

    def replays(self, requested: int) -> int:
        """Return the number of games played for one step of a value when some are requested: by default the same."""
        return requested

    @abstractmethod
    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure a patch."""

    @abstractmethod
    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure a patch and the effect of every option that needs no further games; other effects are left at 0."""

    @abstractmethod
    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:
        """Play the remaining options, each separately, without a patch."""
