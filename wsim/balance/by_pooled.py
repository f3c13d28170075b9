"""Measure settings by pooled figures of all games (``wsim.questions.pooled``): levels, and effects by replays.

Such a figure is a function of sums over games. The sums of compared arms are stored together with their products, so
that a difference on common deals gets the error of the difference. Nothing is re-scored: every option is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cell_evaluator import CellEvaluator
from wsim.balance.cells import change_quantities, quantities_of
from wsim.balance.goal import Goal, Setting
from wsim.balance.knobs import Knob, Option, Patch, patched
from wsim.balance.measurements import Arrays
from wsim.balance.sampling import Effects, Level, Sampler, no_effects
from wsim.errors import UserError
from wsim.game import Simulator, find_game
from wsim.lab.plan import Plan
from wsim.limits import GameLimitError
from wsim.questions.deals import Arm
from wsim.questions.metrics import pooled_figure_of
from wsim.questions.pooled import PooledFigure, plan_of

Floats = NDArray[np.float64]
SAMPLE = 200  # deals played to find the size of results


class PooledEvaluator(CellEvaluator):
    """An evaluator for cells that are pooled figures; it plays one deal per requested game."""

    def __init__(self, goal: Goal, setting: Setting, knobs: Sequence[Knob], sampler: Sampler) -> None:
        targets = [
            target for target in goal.of(setting) if target.card is None and pooled_figure_of(target.metric) is not None
        ]
        keeps = [keep for keep in goal.constraints_at(setting) if pooled_figure_of(keep.metric) is not None]
        for target in targets:
            if target.of:
                raise UserError(f"the target {target.name!r} is a figure of all seats together: omit of")
        named = [pooled_figure_of(metric) for metric in [row.metric for row in targets] + [row.metric for row in keeps]]
        figures = tuple(pooled for pooled in named if pooled is not None)
        for pooled in figures:
            setting = replace(setting, plan=plan_of(setting.plan, pooled))
        super().__init__(setting, knobs, sampler)
        self._figures = figures
        self.cells, self._is_change = [], []
        if not figures:
            return
        simulator = self._ready((), sampler.seed("sample", self.name))[1]
        sample = self._arm(simulator).frame(range(SAMPLE))
        self._widths = [len(pooled.read(sample, SAMPLE, simulator.seats)) for pooled in figures]
        owned = find_game(goal.game).OWNED
        quantities = [
            *quantities_of(setting, targets, sample, owned),
            *change_quantities(setting, keeps, sample, owned),
        ]
        self.cells = [quantity.cell for quantity in quantities]
        self._is_change = [quantity.is_change for quantity in quantities]

    @property
    def name(self) -> str:
        """The name of the evaluator."""
        return f"{self.setting.name}, all games together"

    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure the cells with a patch."""
        sums = self._measured((patch, ()) if patch and any(self._is_change) else (patch,), seed, games)
        if patch:
            return self._estimated(sums, self._is_change)
        level = self._estimated(sums, [False] * len(self.cells))
        keep = 1.0 - np.array(self._is_change, float)  # without a patch, every change is 0
        return Level(level.value * keep, level.error * keep, games)

    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure the cells with a patch; every effect needs replays and is left at 0."""
        return self.level(patch, seed, games), no_effects(options, self.cells)

    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:  # noqa: ARG002
        """Play the same deals without a patch and with each option separately."""
        effects = no_effects(options, self.cells)
        for index, option in enumerate(options):
            if option.value == self._knobs[option.knob].base:
                continue
            patch: Patch = ((self._knobs[option.knob].path, option.value),)
            try:
                made = self._estimated(self._measured((patch, ()), seed, games), [True] * len(self.cells))
            except GameLimitError as error:
                self._sampler.refuse(patch, error)
                continue
            effects.value[index], effects.error[index], effects.replayed[index] = made.value, made.error, True
        return effects

    def _estimated(self, sums: Arrays, is_change: Sequence[bool]) -> Level:
        """Estimate the figures of the first arm (where ``is_change``: minus the second arm) with standard errors."""
        total, product, games = sums["total"], sums["product"], sums["games"][0]
        *starts, arm = np.cumsum([0, *self._widths])
        values, errors = np.zeros((2, len(self._figures)))
        for index, pooled in enumerate(self._figures):
            form = np.zeros(len(total))
            for sign, first in ((1, 0), (-1, arm))[: 1 + is_change[index]]:
                part = slice(first + starts[index], first + starts[index] + self._widths[index])
                value, slope = pooled.with_slope(total[part])
                values[index] += sign * value
                form[part] = sign * slope
            errors[index] = np.sqrt(max(form @ product @ form, 0.0) * games / (games - 1))
        return Level(values, errors, int(games))

    # --- games ---------------------------------------------------------------------------------------------------

    def _measured(self, patches: Sequence[Patch], seed: int, games: int) -> Arrays:
        """Play deals with each patch, and return the sums of the features of all arms and of their products."""

        def measure() -> Arrays:
            ready = [self._ready(patch, seed) for patch in patches]
            make = _Reading(tuple(self._arm(simulator) for _, simulator in ready), self._figures)
            return self._sampler.added(make, ready, range(games), f"measuring {self.name}")

        of = {"all games": self.name, "patches": list(patches), "seed": seed, "games": games}
        of["figures"] = [pooled.name for pooled in self._figures]
        return self._sampler.memory.recall(of, games * len(patches) * self._games_of_deal, measure)

    @property
    def _games_of_deal(self) -> int:
        return self.setting.plan.players if self._seatings else 1

    @property
    def _seatings(self) -> bool:
        return any(pooled.seatings for pooled in self._figures)

    def _ready(self, patch: Patch, seed: int) -> tuple[Plan, Simulator]:
        played = patched(self.setting.plan, patch, seed=seed)
        return played, find_game(played.game).prepare(played)

    def _arm(self, simulator: Simulator) -> Arm:
        return Arm("", (simulator,), seatings=self._seatings)


@dataclass(frozen=True)
class _Reading:
    """Plays deals in all arms, and sums the features of the figures arm by arm."""

    arms: tuple[Arm, ...]
    figures: tuple[PooledFigure, ...]

    def __call__(self, deals: range) -> Arrays:
        """Play deals and return their sums."""
        frames = [(arm.frame(deals), arm.simulators[0].seats) for arm in self.arms]
        features = np.concatenate([w.read(frame, len(deals), seats) for frame, seats in frames for w in self.figures])
        return {
            "total": features.sum(axis=1),
            "product": features @ features.T,
            "games": np.array([float(len(deals))]),
        }
