"""Measure settings from games: levels, effects of points (without extra games), and all other effects (by replays).

The games that measure a patch also evaluate every other value of points: the owners get the points and the games are
ranked again, with decisions held fixed. Values that players see before they decide are replayed: the same deals are
played with the changed value, at tables where it can matter (``wsim.game.Tuning.focus``). For cells about the behaviour
of players, every value is replayed. Errors are computed from sums over games.

A cell is a ratio of two sums over games. A worth is the difference between two such ratios, its *arms*, for followed
and for overruled wishes. It is measured in separate games, in which policies are sometimes overruled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cell_evaluator import CellEvaluator
from wsim.balance.cells import Quantity, change_quantities, quantities_of
from wsim.balance.goal import Goal, Setting
from wsim.balance.knobs import Knob, Option, Patch, patched, tuning_of, values_in
from wsim.balance.measurements import Arrays
from wsim.balance.sampling import Effects, Level, Sampler, no_effects
from wsim.game import Game, Simulator, find_game
from wsim.lab.plan import Plan
from wsim.limits import GameLimitError
from wsim.policies.chances import CHARACTER
from wsim.questions.deals import Arm
from wsim.questions.metrics import (
    FOLLOWED,
    OVERRULED,
    Metric,
    SeatsReader,
    is_of_results,
    is_of_worth,
    overruled_for,
    pooled_figure_of,
    wished_items,
)
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Tuning

VALUE, WEIGHT = 0, 1  # features of a game: numerator and denominator of a cell
ARM = 2  # number of features per arm
SIGNS = (1, -1)  # signs of the arms: followed, overruled
RESULTS, WORTH, COUNTS, POOLED = "results", "worth", "counts", "all games together"
"""Kinds of cells: win shares and scores, which can be re-scored with decisions held fixed; worth; behaviour (what
players own and want, how games unfold), which needs new games; and pooled figures of all games.
"""
SAMPLE = 2_000  # games played to find which names occur
Floats = NDArray[np.float64]


def kind_of(metric: str) -> str:
    """Return the kind of the cells of a metric, given its name."""
    if is_of_worth(metric):
        return WORTH
    if pooled_figure_of(metric) is not None:
        return POOLED
    return RESULTS if is_of_results(metric) else COUNTS


class GamesEvaluator(CellEvaluator):
    """An evaluator for cells that are computed from the games of a setting.

    Attributes
    ----------
    first_policy: the label of the first policy in tables.
    """

    def __init__(
        self, goal: Goal, setting: Setting, knobs: Sequence[Knob], sampler: Sampler, kind: str = RESULTS
    ) -> None:
        """Prepare the cells of a kind: ``RESULTS``, ``WORTH`` or ``COUNTS``."""
        game: Game = find_game(goal.game)
        targets = [target for target in goal.of(setting) if target.card is None and kind_of(target.metric) == kind]
        keeps = [keep for keep in goal.constraints_at(setting) if kind_of(keep.metric) == kind]
        wished = kind == WORTH
        metrics = [target.metric for target in targets] + [keep.metric for keep in keeps]
        plan = setting.plan
        if kind == RESULTS and CHARACTER in plan.options:
            plan = plan.replace(**{CHARACTER: None})  # its games are not followed
        setting = replace(setting, plan=overruled_for(plan, metrics))
        super().__init__(setting, knobs, sampler)
        self._kind, self._wished = kind, wished
        self._tuning: Tuning = tuning_of(goal.game)
        self._base: Simulator = game.prepare(setting.plan)
        self._items = wished_items(self._base, metrics)
        plan = setting.plan.replace(seed=sampler.seed("sample", self.name))
        sample = Arm("sample", (game.prepare(plan),), items=self._items).frame(range(SAMPLE))
        policies = cast("pl.Enum", sample.schema["policy"]).categories
        self.first_policy = str(policies[0])
        quantities: list[Quantity] = [
            *quantities_of(setting, targets, sample, game.OWNED),
            *change_quantities(setting, keeps, sample, game.OWNED),
        ]
        self.cells = [quantity.cell for quantity in quantities]
        self._metrics = tuple(quantity.metric for quantity in quantities)
        self._is_change = np.array([quantity.is_change for quantity in quantities], bool)
        worth = self._tuning.worth
        self._free = [kind != COUNTS and worth(self._base, knob.path, sample) is not None for knob in knobs]
        self._foci = [
            None if free else self._tuning.focus(self._base, knob.path)
            for knob, free in zip(knobs, self._free, strict=True)
        ]

    @property
    def name(self) -> str:
        """The name of the evaluator."""
        return self.setting.name if self._kind == RESULTS else f"{self.setting.name}, {self._kind}"

    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure the cells with a patch."""
        return _level(self._measured(patch, seed, games, ()))

    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure the cells with a patch and the effects of options; effects that need replays are left at 0."""
        free = [option for option in options if self._free[option.knob]]
        sums = self._measured(patch, seed, games, free)
        level = _level(sums)
        effects = no_effects(options, self.cells)
        arms, rows = _arm_weights(sums["total"]), sums["total"][:, WEIGHT]
        effect = np.einsum("ac,aoc->oc", arms, sums["effect"])
        square = np.einsum("ac,bc,aboc->oc", arms, arms, sums["square"])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = effect / rows
            spread = np.sqrt(np.maximum(square - effect**2 / games, 0)) / rows
        indices = [index for index, option in enumerate(options) if self._free[option.knob]]
        effects.value[indices], effects.error[indices] = np.nan_to_num(value), np.nan_to_num(spread)
        return level, effects

    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:
        """Replay the options whose effects cannot be re-scored, one at a time and without a patch."""
        effects = no_effects(options, self.cells)
        base = self._measured((), seed, games, ())
        part = base["total"][:, WEIGHT] / base["games"][0]  # rows per game, by cell
        jobs = list(self._playable(self._jobs(options), options, seed, games, base["total"]))
        foci = [focus for focus, _ in jobs if focus is not None]
        shares = dict(zip(map(str, foci), self._presences(foci, seed, games), strict=True)) if foci else {}
        for focus, indices in jobs:
            sums = self._replay(focus, [options[index] for index in indices], seed, games, base["total"])
            share = 1.0 if focus is None else shares[str(focus)]
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = sums["number"] / games - (0 if self._wished else level.value * sums["count"] / games)
                spread = np.sqrt(np.maximum(sums["square"] / games - (sums["number"] / games) ** 2, 0) / games)
                effects.value[indices] = np.nan_to_num(share * mean / part)
                effects.error[indices] = np.nan_to_num(share * spread / part)
            effects.replayed[indices] = True
        return effects

    # --- games ---------------------------------------------------------------------------------------------------

    def _measured(self, patch: Patch, seed: int, games: int, free: Sequence[Option]) -> Arrays:
        """Play games with a patch and return their sums: totals, products, and effects of the options."""
        of = {"level": self.name, "patch": patch, "seed": seed, "games": games}
        of["options"] = [(option.knob, option.value) for option in free]

        def measure() -> Arrays:
            now = values_in(self._knobs, patch)
            steps = tuple((self._knobs[option.knob].path, option.value - now[option.knob]) for option in free)
            ready = [self._ready(self.setting.plan, applied, seed) for applied in ([patch, ()] if changes else [patch])]
            arm, *before = (self._arm(simulator) for _, simulator in ready)
            reader = _Reading(self._metrics, self._wished)
            make = _Measuring(arm, tuple(before), reader, self._is_change, self.setting.plan.game, steps)
            return self._sampler.added(make, ready, range(games), f"measuring {self.name}")

        changes = bool(self._is_change.any())
        return self._sampler.memory.recall(of, games * (2 if changes and patch else 1), measure)

    def _jobs(self, options: Sequence[Option]) -> Iterator[tuple[Plan | None, list[int]]]:
        """Group options by the plan that replays them (None: the setting's plan); yield plans and option indices."""
        jobs: dict[str, tuple[Plan | None, list[int]]] = {}
        for index, option in enumerate(options):
            if self._free[option.knob] or option.value == self._knobs[option.knob].base:
                continue
            focus = self._foci[option.knob]
            plan = None if focus is None else focus[0]
            key = "" if plan is None else str(sorted(plan.options.items()))
            jobs.setdefault(key, (plan, []))[1].append(index)
        yield from jobs.values()

    def _playable(
        self,
        jobs: Iterable[tuple[Plan | None, list[int]]],
        options: Sequence[Option],
        seed: int,
        games: int,
        base: Floats,
    ) -> Iterator[tuple[Plan | None, list[int]]]:
        """Yield the jobs without options that break a game limit, which are found by playing options separately."""
        for focus, indices in jobs:
            try:
                self._replay(focus, [options[index] for index in indices], seed, games, base)
            except GameLimitError:
                kept = []
                for index in indices:
                    patch = ((self._knobs[options[index].knob].path, options[index].value),)
                    try:
                        self._replay(focus, [options[index]], seed, games, base)
                        kept.append(index)
                    except GameLimitError as error:
                        self._sampler.refuse(patch, error)
                if kept:
                    yield focus, kept
            else:
                yield focus, indices

    def _replay(self, focus: Plan | None, options: Sequence[Option], seed: int, games: int, base: Floats) -> Arrays:
        """Play the same games with and without each option, and return the sums of their effects.

        ``base``: the totals without the options, shape (cells, features).
        """
        plan = self.setting.plan if focus is None else focus
        of = {"replay": self.name, "plan": plan.as_dict(), "seed": seed, "games": games}
        of["options"] = [(option.knob, option.value) for option in options]

        def measure() -> Arrays:
            patches = [(), *(((self._knobs[option.knob].path, option.value),) for option in options)]
            ready = [self._ready(plan, patch, seed) for patch in patches]
            make = _Replaying(tuple(map(self._arm, [simulator for _, simulator in ready])),
                _Reading(self._metrics, self._wished), base)  # fmt: skip
            return self._sampler.added(make, ready, range(games), f"replaying {self._knobs[options[0].knob].name}")

        return self._sampler.memory.recall(of, games * (len(options) + 1), measure)

    def _presences(self, foci: Sequence[Plan], seed: int, games: int) -> Floats:
        """Estimate, for each focus plan, the fraction of tables at which its item is in play."""
        known = [(knob.path, focus) for knob, focus in zip(self._knobs, self._foci, strict=True) if focus is not None]
        paths = tuple(next(path for path, (plan, _) in known if plan == focus) for focus in foci)

        def measure() -> Arrays:
            ready = self._ready(self.setting.plan, (), seed)
            return self._sampler.added(
                _Presences(Arm("", (ready[1],)), self.setting.plan.game, paths), [ready], range(games),
                f"measuring {self.setting.name}",
            )  # fmt: skip

        of = {"presence": self.name, "plans": [plan.as_dict() for plan in foci], "seed": seed, "games": games}
        return self._sampler.memory.recall(of, games, measure)["present"] / games

    def _ready(self, plan: Plan, patch: Patch, seed: int) -> tuple[Plan, Simulator]:
        played = patched(plan, patch, seed=seed)
        return played, find_game(plan.game).prepare(played)

    def _arm(self, simulator: Simulator) -> Arm:
        return Arm("", (simulator,), items=self._items)


@dataclass(frozen=True)
class _Reading:
    """Reads the features of cells from games: value and weight for each arm, shape (features, cells, games)."""

    metrics: tuple[Metric, ...]
    wished: bool

    def __call__(self, reader: SeatsReader, seats: int) -> Floats:
        """Compute the features of games; ``seats``: the number of seats in a game."""
        sums = np.ascontiguousarray(reader.sums(self.metrics, seats).transpose(2, 1, 0))
        return sums[[0, 1, 3, 4]] if self.wished else sums[:ARM]

    def counted(self, reader: SeatsReader, seats: int) -> Floats:
        """Return how many times each seat counts, shape (arms, cells, games, seats)."""
        arms = (FOLLOWED, OVERRULED) if self.wished else (FOLLOWED,)
        return np.array([[reader.counted(metric, arm).reshape(-1, seats) for metric in self.metrics] for arm in arms])


def _reader(frame: pl.DataFrame) -> SeatsReader:
    return SeatsReader(frame, np.ones(frame.height, bool))


@dataclass(frozen=True)
class _Measuring:
    """Plays games with a patch, and sums the cells and the effects of other point values in the same games.

    Attributes
    ----------
    arm: the arm with the patch. before: an arm without the patch, if any cell is a change from it.
    read: reads the cells. is_change: whether each cell is a change.
    steps: pairs of a points value's path and its change, in the order of the summed effects.
    """

    arm: Arm
    before: tuple[Arm, ...]
    read: _Reading
    is_change: NDArray[np.bool_]
    game: str
    steps: tuple[tuple[tuple[str, ...], int], ...]

    def __call__(self, games: range) -> Arrays:
        """Play games and return their sums."""
        simulator, frame = self.arm.simulators[0], self.arm.frame(games)
        reader = _reader(frame)
        features = self.read(reader, simulator.seats)
        for before in self.before:
            base = self.read(_reader(before.frame(games)), simulator.seats)
            if self.read.wished:  # then come the arms without the patch, for cells that are changes
                base[VALUE::ARM, ~self.is_change], base[WEIGHT::ARM, ~self.is_change] = 0.0, 1.0
                features = np.concatenate([features, base])
            else:
                features[VALUE, self.is_change] -= base[VALUE, self.is_change]
        moments = Moments(features.shape[1], len(features)).plus(*features)
        effect, square = self._rescored(simulator, frame, reader)
        return {
            "total": moments.totals,
            "product": moments.products,
            "games": np.array([float(len(games))]),
            "effect": effect,
            "square": square,
        }

    def _rescored(self, simulator: Simulator, frame: pl.DataFrame, reader: SeatsReader) -> tuple[Floats, Floats]:
        """Re-score the games with each step; return sums over games of the effects on the arms and their products.

        The shapes are (arms, steps, cells) and (arms, arms, steps, cells).
        """
        seats, metrics = simulator.seats, self.read.metrics
        weights = self.read.counted(reader, seats)
        arms = len(weights)
        total = np.zeros((arms, len(self.steps), len(metrics)))
        square = np.zeros((arms, *total.shape))
        if not self.steps:
            return total, square
        tuning = tuning_of(self.game)
        shares = tuning.shares(simulator, frame)
        won = frame["win_share"].to_numpy().astype(float).reshape(-1, seats)
        columns = [metric.column for metric in metrics]
        of_wins, of_points = (np.array([column == name for column in columns]) for name in ("win_share", "total"))
        worth: dict[tuple[str, ...], tuple[NDArray[Any], NDArray[Any]]] = {}
        for row, (path, step) in enumerate(self.steps):
            if path not in worth:
                counted = tuning.worth(simulator, path, frame)
                assert counted is not None
                by_game = counted.reshape(-1, seats)
                hit = np.flatnonzero(by_game.any(axis=1))
                worth[path] = hit, by_game[hit]
            hit, counts = worth[path]
            extra = counts * step
            if not extra.any():
                continue
            change = shares(hit, extra) - won[hit]
            moved = np.flatnonzero(change.any(axis=1))
            for chosen, games, of_game in ((of_wins, hit[moved], change[moved]), (of_points, hit, extra)):
                if chosen.any():
                    by_cell = (weights[:, chosen][:, :, games] * of_game).sum(axis=3)
                    total[:, row, chosen] = by_cell.sum(axis=2)
                    square[:, :, row, chosen] = (by_cell[:, None] * by_cell).sum(axis=3)
        return total, square


@dataclass(frozen=True)
class _Replaying:
    """Plays the same games without a change and with each of several values, and sums the differences.

    Attributes
    ----------
    arms: the arm without a change, then one arm per value. base: the totals without a change (``Moments.totals``).
    """

    arms: tuple[Arm, ...]
    read: _Reading
    base: Floats

    def __call__(self, games: range) -> Arrays:
        """Play games and return the sums of the differences in values and weights.

        For worth, the difference in values is a weighted sum over both arms of the deviations from the means without
        the change, relative to the number of followed wishes.
        """
        seats = self.arms[0].simulators[0].seats
        without, *changed = (self.read(_reader(arm.frame(games)), seats) for arm in self.arms)
        number, count = (
            np.stack([features[which] - without[which] for features in changed]) for which in (VALUE, WEIGHT)
        )
        if self.read.wished:
            with np.errstate(divide="ignore", invalid="ignore"):
                means = np.nan_to_num(self.base[:, VALUE : 2 * ARM : ARM] / self.base[:, WEIGHT : 2 * ARM : ARM]).T
            weights = _arm_weights(self.base)
            apart = np.stack(changed) - without
            away = apart[:, VALUE::ARM] - means[..., None] * apart[:, WEIGHT::ARM]
            number = np.einsum("ac,oacg->ocg", weights, away)
        return {"number": number.sum(axis=2), "square": (number**2).sum(axis=2), "count": count.sum(axis=2)}


@dataclass(frozen=True)
class _Presences:
    """Plays games and counts those in which the item of each path is in play."""

    arm: Arm
    game: str
    paths: tuple[tuple[str, ...], ...]

    def __call__(self, games: range) -> Arrays:
        """Play games and count those in which each item is in play."""
        frame, simulator = self.arm.frame(games), self.arm.simulators[0]
        foci = [tuning_of(self.game).focus(simulator, path) for path in self.paths]
        counts = [present(frame).reshape(len(games), -1).any(axis=1).sum() for _, present in filter(None, foci)]
        return {"present": np.array(counts, float)}


def _arm_weights(totals: Floats) -> Floats:
    """Return the weights that scale the sums of each arm to the rows of the first arm, shape (arms, cells)."""
    counts = totals[:, WEIGHT : 2 * ARM : ARM].T
    with np.errstate(divide="ignore", invalid="ignore"):
        weights: Floats = np.array(SIGNS)[: len(counts), None] * counts[0] / counts
    return np.nan_to_num(weights, posinf=0.0, neginf=0.0)


def _level(sums: Arrays) -> Level:
    """Compute the values of the cells from sums, with standard errors clustered by game."""
    moments = Moments(*sums["total"].shape)
    moments.totals, moments.products = sums["total"], sums["product"]
    moments.games[:] = sums["games"][0]  # a game in which nothing counts is also informative
    if moments.totals.shape[1] == ARM:
        level = moments.ratio(VALUE, WEIGHT)
    else:  # followed minus overruled, minus the same without the patch
        signs = (*SIGNS, *(-sign for sign in SIGNS))
        firsts = range(0, moments.totals.shape[1], ARM)
        level = moments.contrast(*[(sign, first, first + 1) for sign, first in zip(signs, firsts, strict=False)])
    return Level(level.value, level.error, int(sums["games"][0]))
