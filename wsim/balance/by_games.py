"""Settings measured by games: levels, effects of points at no extra play, effects of everything else by replays.

From the games that measure a patch anyway, every value of points is judged by giving its owners the points and ranking
anew, decisions held fixed. What players see before they decide is played for: the same deals with the value changed,
at tables where it can matter (``wsim.game.Tuning.focus``). Errors are those of sums over games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cells import Cell, Quantity, change_quantities, quantities_of
from wsim.balance.goal import Goal, Setting
from wsim.balance.knobs import Knob, Option, Patch, patched, tuning_of, values_in
from wsim.balance.measurements import Arrays
from wsim.balance.sampling import Effects, Level, Sampler, no_effects
from wsim.experiments.contrasts import MetricReading
from wsim.experiments.deals import Arm, Arms
from wsim.experiments.metrics import SeatsReader
from wsim.game import Game, Simulator, find_game
from wsim.lab.plan import Plan
from wsim.stats.moments import Moments

if TYPE_CHECKING:
    import polars as pl

    from wsim.game import Tuning

VALUE, WEIGHT = 0, 1  # features of a game: what is averaged, and what it is divided by
SAMPLE = 2_000  # games that show which names occur
Floats = NDArray[np.float64]


class GamesEvaluator:
    """A setting whose cells are read off games.

    Attributes
    ----------
    setting: which. cells: what its targets and what must stay bound, in order.
    first_policy: how tables call the first of its line-up.
    """

    def __init__(self, goal: Goal, setting: Setting, knobs: Sequence[Knob], sampler: Sampler) -> None:
        game: Game = find_game(goal.game)
        self.setting, self._sampler, self._knobs = setting, sampler, knobs
        self._tuning: Tuning = tuning_of(goal.game)
        self._base: Simulator = game.prepare(setting.plan)
        plan = setting.plan.replace(seed=sampler.seed("sample", setting.name))
        sample = Arm("sample", (game.prepare(plan),)).frame(range(SAMPLE))
        policies = cast("pl.Enum", sample.schema["policy"]).categories
        self.first_policy = str(policies[0])
        targets = [target for target in goal.of(setting) if target.card is None]
        self._quantities: list[Quantity] = [
            *quantities_of(setting, targets, sample, game.OWNED),
            *change_quantities(setting, goal.keeps_at(setting), sample, game.OWNED),
        ]
        self._metrics = tuple(one.metric for one in self._quantities)
        self._is_change = np.array([one.is_change for one in self._quantities], bool)
        worth = self._tuning.worth
        self._free = [worth(self._base, knob.path, sample) is not None for knob in knobs]
        self._foci = [
            None if free else self._tuning.focus(self._base, knob.path)
            for knob, free in zip(knobs, self._free, strict=True)
        ]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.setting.name

    @property
    def cells(self) -> list[Cell]:
        """The cells, in order."""
        return [one.cell for one in self._quantities]

    def games(self, wanted: int) -> int:
        """Return how many games it plays where ``wanted`` are asked for: as many."""
        return wanted

    def replays(self, wanted: int) -> int:
        """Return how many games it plays for a step where ``wanted`` are asked for: as many."""
        return wanted

    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure a patch."""
        return _level(self._measured(patch, seed, games, ()))

    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure a patch and what every option would do to it; options of what must be played are left at 0."""
        free = [option for option in options if self._free[option.knob]]
        sums = self._measured(patch, seed, games, free)
        level = _level(sums)
        effects = no_effects(options, self.cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = sums["effect"] / sums["total"][:, 1]
            spread = np.sqrt(np.maximum(sums["square"] - sums["effect"] ** 2 / games, 0)) / sums["total"][:, 1]
        places = [place for place, option in enumerate(options) if self._free[option.knob]]
        effects.value[places], effects.error[places] = np.nan_to_num(value), np.nan_to_num(spread)
        return level, effects

    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:
        """Play for what options do that no points can tell, each alone, next to no patch at all."""
        effects = no_effects(options, self.cells)
        base = self._measured((), seed, games, ())
        part = base["total"][:, 1] / base["games"][0]  # rows a game, by cell
        jobs = list(self._jobs(options))
        foci = [focus for focus, _ in jobs if focus is not None]
        shares = dict(zip(map(str, foci), self._presences(foci, seed, games), strict=True)) if foci else {}
        for focus, places in jobs:
            sums = self._replay(focus, [options[place] for place in places], seed, games)
            share = 1.0 if focus is None else shares[str(focus)]
            with np.errstate(divide="ignore", invalid="ignore"):
                mean = sums["number"] / games - level.value * sums["count"] / games
                spread = np.sqrt(np.maximum(sums["square"] / games - (sums["number"] / games) ** 2, 0) / games)
                effects.value[places] = np.nan_to_num(share * mean / part)
                effects.error[places] = np.nan_to_num(share * spread / part)
            effects.replayed[places] = True
        return effects

    # --- games ---------------------------------------------------------------------------------------------------

    def _measured(self, patch: Patch, seed: int, games: int, free: Sequence[Option]) -> Arrays:
        """Return the sums of some games with a patch: totals, products, and those of the effects of options."""
        of = {"level": self.setting.name, "patch": patch, "seed": seed, "games": games}
        of["options"] = [(option.knob, option.value) for option in free]

        def measure() -> Arrays:
            simulator, everyone = self._prepared(self.setting.plan, patch, seed), np.ones(self._base.seats, bool)
            arm = Arm("patched", (simulator,))
            before = [self._arm(self.setting.plan, (), seed)] if self._is_change.any() else []
            unpatched = Arms(tuple(before), MetricReading(self._metrics, everyone))
            now = values_in(self._knobs, patch)

            def make(part: range) -> Arrays:
                frame = arm.frame(part)
                reader = SeatsReader(frame, np.tile(everyone, len(part)))
                value, weight, _ = np.ascontiguousarray(reader.sums(self._metrics, simulator.seats).transpose(2, 1, 0))
                for base, *_ in unpatched.play(part):
                    value[self._is_change] -= base[self._is_change]
                moments = Moments(len(self.cells), 2).plus(value, weight)
                effect, square = self._rescored(simulator, frame, reader, free, now)
                return {
                    "total": moments.totals,
                    "product": moments.products,
                    "games": np.array([float(len(part))]),
                    "effect": effect,
                    "square": square,
                }

            return self._sampler.added(make, range(games), f"measuring {self.setting.name}")

        count = games * (2 if self._is_change.any() and patch else 1)
        return self._sampler.memory.recall(of, count, measure)

    def _rescored(
        self, simulator: Simulator, frame: pl.DataFrame, reader: SeatsReader, free: Sequence[Option], now: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Return the sums over games of what options change, and of the squares; shape (options, cells)."""
        total, square = np.zeros((2, len(free), len(self._quantities)))
        if not free:
            return total, square
        seats = simulator.seats
        shares = self._tuning.shares(simulator, frame)
        won = frame["win_share"].to_numpy().astype(float).reshape(-1, seats)
        weights = np.stack([reader.counted(metric).reshape(-1, seats) for metric in self._metrics])
        columns = [metric.column for metric in self._metrics]
        of_wins, of_points = (np.array([one == name for one in columns]) for name in ("win_share", "total"))
        worth: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
        for place, option in enumerate(free):
            if option.knob not in worth:
                counted = self._tuning.worth(simulator, self._knobs[option.knob].path, frame)
                assert counted is not None
                by_game = counted.reshape(-1, seats)
                hit = np.flatnonzero(by_game.any(axis=1))
                worth[option.knob] = hit, by_game[hit]
            hit, counts = worth[option.knob]
            extra = counts * (option.value - now[option.knob])
            if not extra.any():
                continue
            change = shares(hit, extra) - won[hit]
            moved = np.flatnonzero(change.any(axis=1))
            for chosen, games, of_game in ((of_wins, hit[moved], change[moved]), (of_points, hit, extra)):
                if chosen.any():
                    by_cell = (weights[chosen][:, games] * of_game).sum(axis=2)
                    total[place, chosen], square[place, chosen] = by_cell.sum(axis=1), (by_cell**2).sum(axis=1)
        return total, square

    def _jobs(self, options: Sequence[Option]) -> Iterator[tuple[Plan | None, list[int]]]:
        """Yield the plans with which options are replayed (None: the setting's own) and the places of the options."""
        jobs: dict[str, tuple[Plan | None, list[int]]] = {}
        for place, option in enumerate(options):
            if self._free[option.knob] or option.value == self._knobs[option.knob].base:
                continue
            focus = self._foci[option.knob]
            plan = None if focus is None else focus[0]
            key = "" if plan is None else str(sorted(plan.options.items()))
            jobs.setdefault(key, (plan, []))[1].append(place)
        yield from jobs.values()

    def _replay(self, focus: Plan | None, options: Sequence[Option], seed: int, games: int) -> Arrays:
        """Return the sums of what options change in games that are played with and without."""
        plan = self.setting.plan if focus is None else focus
        of = {"replay": self.setting.name, "plan": plan.as_dict(), "seed": seed, "games": games}
        of["options"] = [(option.knob, option.value) for option in options]

        def measure() -> Arrays:
            patches = [(), *(((self._knobs[option.knob].path, option.value),) for option in options)]
            arms = tuple(self._arm(plan, patch, seed) for patch in patches)
            played = Arms(arms, MetricReading(self._metrics, np.ones(arms[0].simulators[0].seats, bool)))

            def make(part: range) -> Arrays:
                base, *changed = played.play(part)
                number, count = (np.stack([arm[place] - base[place] for arm in changed]) for place in (VALUE, WEIGHT))
                return {
                    "number": number.sum(axis=2),
                    "square": (number**2).sum(axis=2),
                    "count": count.sum(axis=2),
                }

            names = ", ".join(dict.fromkeys(self._knobs[option.knob].name for option in options[:1]))
            return self._sampler.added(make, range(games), f"replaying {names}")

        return self._sampler.memory.recall(of, games * (len(options) + 1), measure)

    def _presences(self, foci: Sequence[Plan], seed: int, games: int) -> Floats:
        """Return at which part of the tables the things that foci are about are in play."""
        known = [one for one in self._foci if one is not None]
        present = [next(there for plan, there in known if plan == focus) for focus in foci]
        arm = self._arm(self.setting.plan, (), seed)

        def measure() -> Arrays:
            def make(part: range) -> Arrays:
                frame = arm.frame(part)
                there = [of(frame).reshape(len(part), -1).any(axis=1).sum() for of in present]
                return {"present": np.array(there, float)}

            return self._sampler.added(make, range(games), f"measuring {self.setting.name}")

        of = {"presence": self.setting.name, "plans": [one.as_dict() for one in foci], "seed": seed, "games": games}
        return self._sampler.memory.recall(of, games, measure)["present"] / games

    def _arm(self, plan: Plan, patch: Patch, seed: int) -> Arm:
        return Arm(" ".join(map(str, patch)), (self._prepared(plan, patch, seed),))

    def _prepared(self, plan: Plan, patch: Patch, seed: int) -> Simulator:
        return find_game(plan.game).prepare(patched(plan, patch, seed=seed))


def _level(sums: Arrays) -> Level:
    """Return ratios of sums with their errors, clustered by game."""
    moments = Moments(*sums["total"].shape)
    moments.totals, moments.products = sums["total"], sums["product"]
    moments.games[:] = sums["games"][0]  # a game in which nothing counts is one of those that speak
    found = moments.ratio(VALUE, WEIGHT)
    return Level(found.value, found.error, int(sums["games"][0]))
