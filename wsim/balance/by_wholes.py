"""Settings measured by figures of all games together (``wsim.questions.wholes``): levels, and effects by replays.

Such a figure is a function of sums over games. The sums of the arms that are compared are taken together, with their
products, so that a difference on common deals has the error of the difference. Nothing is re-scored: every option is
played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell, Quantity, change_quantities, quantities_of
from wsim.balance.goal import Goal, Setting
from wsim.balance.knobs import Knob, Option, Patch, patched
from wsim.balance.measurements import Arrays
from wsim.balance.sampling import Effects, Level, Sampler, no_effects
from wsim.errors import UserError
from wsim.game import Simulator, find_game
from wsim.lab.plan import Plan
from wsim.limits import GameLimitError
from wsim.questions.deals import Arm
from wsim.questions.metrics import whole_of
from wsim.questions.wholes import Whole, plan_of

Floats = NDArray[np.float64]
SAMPLE = 200  # deals that show how large results are


class WholesEvaluator:
    """A setting whose cells are figures of all games together.

    Attributes
    ----------
    setting: the setting. cells: the numbers bounded by its targets and ``keep`` rows, in order.
    """

    def __init__(self, goal: Goal, setting: Setting, knobs: Sequence[Knob], sampler: Sampler) -> None:
        targets = [target for target in goal.of(setting) if target.card is None and whole_of(target.metric) is not None]
        keeps = [keep for keep in goal.constraints_at(setting) if whole_of(keep.metric) is not None]
        for target in targets:
            if target.of:
                raise UserError(f"the target {target.name!r} is a figure of all seats together: leave out of")
        named = [whole_of(metric) for metric in [row.metric for row in targets] + [row.metric for row in keeps]]
        wholes = tuple(whole for whole in named if whole is not None)
        for whole in wholes:
            setting = replace(setting, plan=plan_of(setting.plan, whole))
        self.setting, self._sampler, self._knobs, self._wholes = setting, sampler, knobs, wholes
        self._quantities: list[Quantity] = []
        if not wholes:
            return
        simulator = self._ready((), sampler.seed("sample", self.name))[1]
        sample = self._arm(simulator).frame(range(SAMPLE))
        self._widths = [len(whole.read(sample, SAMPLE, simulator.seats)) for whole in wholes]
        owned = find_game(goal.game).OWNED
        self._quantities += quantities_of(setting, targets, sample, owned)
        self._quantities += change_quantities(setting, keeps, sample, owned)

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.setting.name}, all games together"

    @property
    def cells(self) -> list[Cell]:
        """The cells, in order."""
        return [quantity.cell for quantity in self._quantities]

    def games(self, wanted: int) -> int:
        """Return the number of deals played when ``wanted`` games are requested: the same."""
        return wanted

    def replays(self, wanted: int) -> int:
        """Return the number of deals played for a step when ``wanted`` are requested: the same."""
        return wanted

    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure a patch."""
        changes = any(quantity.is_change for quantity in self._quantities) and bool(patch)
        sums = self._measured((patch, ()) if changes else (patch,), seed, games)
        less = [quantity.is_change for quantity in self._quantities]
        if not patch:  # a change from the same games is none
            level = self._estimated(sums, [False] * len(less))
            keep = 1.0 - np.array(less, float)
            return Level(level.value * keep, level.error * keep, games)
        return self._estimated(sums, less)

    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure a patch; every effect must be replayed and is left at 0."""
        return self.level(patch, seed, games), no_effects(options, self.cells)

    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:  # noqa: ARG002
        """Play every option separately, without a patch, and the same deals without it."""
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

    def _estimated(self, sums: Arrays, less: Sequence[bool]) -> Level:
        """Return the figures of the first arm, ``less`` those of the second, with standard errors."""
        total, product, games = sums["total"], sums["product"], sums["games"][0]
        *starts, arm = np.cumsum([0, *self._widths])
        values, errors = np.zeros((2, len(self._wholes)))
        for index, whole in enumerate(self._wholes):
            form = np.zeros(len(total))
            for sign, first in ((1, 0), (-1, arm))[: 1 + less[index]]:
                part = slice(first + starts[index], first + starts[index] + self._widths[index])
                value, slope = whole.with_slope(total[part])
                values[index] += sign * value
                form[part] = sign * slope
            errors[index] = np.sqrt(max(form @ product @ form, 0.0) * games / (games - 1))
        return Level(values, errors, int(games))

    # --- games ---------------------------------------------------------------------------------------------------

    def _measured(self, patches: Sequence[Patch], seed: int, games: int) -> Arrays:
        """Return the sums over deals of the features of all arms, and of their products."""

        def measure() -> Arrays:
            ready = [self._ready(patch, seed) for patch in patches]
            make = _Reading(tuple(self._arm(simulator) for _, simulator in ready), self._wholes)
            return self._sampler.added(make, ready, range(games), f"measuring {self.name}")

        of = {"all games": self.name, "patches": list(patches), "seed": seed, "games": games}
        of["figures"] = [whole.name for whole in self._wholes]
        return self._sampler.memory.recall(of, games * len(patches) * self._games_of_deal, measure)

    @property
    def _games_of_deal(self) -> int:
        return self.setting.plan.players if self._seatings else 1

    @property
    def _seatings(self) -> bool:
        return any(whole.seatings for whole in self._wholes)

    def _ready(self, patch: Patch, seed: int) -> tuple[Plan, Simulator]:
        played = patched(self.setting.plan, patch, seed=seed)
        return played, find_game(played.game).prepare(played)

    def _arm(self, simulator: Simulator) -> Arm:
        return Arm("", (simulator,), seatings=self._seatings)


@dataclass(frozen=True)
class _Reading:
    """Plays deals in all arms and sums the features of the figures, arm by arm."""

    arms: tuple[Arm, ...]
    wholes: tuple[Whole, ...]

    def __call__(self, deals: range) -> Arrays:
        """Return the sums over deals."""
        frames = [(arm.frame(deals), arm.simulators[0].seats) for arm in self.arms]
        features = np.concatenate([w.read(frame, len(deals), seats) for frame, seats in frames for w in self.wholes])
        return {
            "total": features.sum(axis=1),
            "product": features @ features.T,
            "games": np.array([float(len(deals))]),
        }
