"""The evaluator of a goal, which measures every cell at all settings and the effects of every option."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wsim.balance.by_games import COUNTS, POOLED, RESULTS, WORTH, GamesEvaluator, kind_of
from wsim.balance.by_picks import PicksEvaluator
from wsim.balance.by_pooled import PooledEvaluator
from wsim.balance.cell_evaluator import CellEvaluator
from wsim.balance.cells import Cell
from wsim.balance.goal import Goal
from wsim.balance.knobs import Knob, Option, Patch, knobs_of, options_of, values_in
from wsim.balance.measurements import Memory
from wsim.balance.sampling import Effects, Floats, Level, Sampler, no_effects, unplayable_level
from wsim.errors import UserError
from wsim.game import Game, find_game
from wsim.lab.execution import Execution
from wsim.lab.plan import digest_of
from wsim.lab.provenance import Provenance
from wsim.limits import GameLimitError


def averaged(parts: Sequence[Sequence[Cell]]) -> tuple[list[Cell], Floats | None]:
    """Return the bounded cells, given the cells of each part: unchanged, or averaged over the players of a table.

    For each player, a separate part measures the cells of a table, on separate deals. Also returns the weights of the
    parts' cells, shape (cells, cells of the parts); None if the cells are the same.
    """
    every = [cell for cells in parts for cell in cells]
    if not any(cell.over for cell in every):
        return every, None
    means: dict[object, tuple[Cell, list[int]]] = {}
    for index, cell in enumerate(every):
        key: object = (cell.over, cell.name, cell.metric, round(cell.reach, 9)) if cell.over else index
        mean = replace(cell, setting=f"{cell.over}, mean of players") if cell.over else cell
        means.setdefault(key, (mean, []))[1].append(index)
    weights = np.zeros((len(means), len(every)))
    for row, (_, indices) in enumerate(means.values()):
        weights[row, indices] = 1 / len(indices)
    return [cell for cell, _ in means.values()], weights


class Evaluator:
    """Measures patches at all settings of a goal.

    Attributes
    ----------
    goal: the goal. knobs, options: the possible changes. memory: the stored measurements. cells: the bounded numbers,
        for one player, or as means over several players at the same table. provenance: the provenance of the rules at
        the first setting.
    """

    def __init__(self, goal: Goal, memory: Memory, seed: int, execution: Execution = Execution()) -> None:
        """Prepare every setting of a goal; raise UserError for an unplayable setting or a target that never occurs."""
        self.goal, self.memory, self.seed = goal, memory, seed
        self.sampler = Sampler(memory, (goal.digest, seed), execution)
        game: Game = find_game(goal.game)
        plan = goal.settings[0].plan
        simulator = game.prepare(plan)
        self.provenance = Provenance.of(plan, simulator)
        self.knobs: tuple[Knob, ...] = knobs_of(goal, simulator)
        self.options: tuple[Option, ...] = options_of(self.knobs)
        self._parts: list[CellEvaluator] = []
        for setting in (setting for setting in goal.settings if not setting.report):
            chances = dict.fromkeys(target.randomise for target in goal.of(setting) if target.card is not None)
            metrics = [row.metric for rows in (goal.of(setting), goal.constraints_at(setting)) for row in rows]
            kinds = {RESULTS, *map(kind_of, metrics)}
            self._parts += [
                GamesEvaluator(goal, setting, self.knobs, self.sampler, kind)
                for kind in (RESULTS, WORTH, COUNTS)
                if kind in kinds
            ]
            if POOLED in kinds:
                self._parts.append(PooledEvaluator(goal, setting, self.knobs, self.sampler))
            self._parts += [PicksEvaluator(goal, setting, chance, self.knobs, self.sampler) for chance in chances]
        self._parts = [part for part in self._parts if part.cells]
        self.cells, self._weights = averaged([part.cells for part in self._parts])
        self._replays: dict[str, Effects] = {}

    @property
    def identity(self) -> str:
        """The identity of a search: goal, seed, rules and version of wsim."""
        return digest_of([self.goal.digest, self.seed, self.provenance.identity])

    def level(self, patch: Patch, purpose: str, games: int) -> Level:
        """Measure a patch on the deals reserved for a purpose, which are the same for all patches."""
        try:
            parts = [part.level(patch, self._seed(purpose, part), part.games(games)) for part in self._parts]
        except GameLimitError as error:
            self.sampler.refuse(patch, error)
            return unplayable_level(self.cells, games)
        return self._level(parts, games)

    def linearised(self, patch: Patch, purpose: str, games: int, replays: int) -> tuple[Level, Effects]:
        """Measure a patch and the effects of the options; options that cannot be played have no effect.

        Options that cannot be re-scored are replayed once, without a patch, and assumed to have the same effect with
        every patch.
        """
        try:
            return self._linearised(patch, purpose, games, replays)
        except GameLimitError as error:
            self.sampler.refuse(patch, error)
            return unplayable_level(self.cells, games), no_effects(self.options, self.cells)

    def _linearised(self, patch: Patch, purpose: str, games: int, replays: int) -> tuple[Level, Effects]:
        levels: list[Level] = []
        columns: list[Effects] = []
        now = values_in(self.knobs, patch)
        for part in self._parts:
            level, effects = part.linearised(patch, self._seed(purpose, part), part.games(games), self.options)
            replayed = self._replayed(part, replays)
            index_of = {(option.knob, option.value): number for number, option in enumerate(self.options)}
            current = [index_of[option.knob, now[option.knob]] for option in self.options]
            again = replayed.replayed | replayed.replayed[current]
            value = np.where(again, replayed.value - replayed.value[current], effects.value)
            error = np.where(again, np.hypot(replayed.error, replayed.error[current]), effects.error)
            levels.append(level)
            columns.append(Effects(value, error, again))
        value, error = self._averaged(
            np.concatenate([effect.value for effect in columns], axis=1),
            np.concatenate([effect.error for effect in columns], axis=1),
        )
        again = np.concatenate([effect.replayed for effect in columns], axis=1)
        again = again if self._weights is None else again @ (self._weights > 0).T
        return self._level(levels, games), Effects(value, error, again)

    def _level(self, parts: Sequence[Level], games: int) -> Level:
        value, error = self._averaged(
            np.concatenate([part.value for part in parts]), np.concatenate([part.error for part in parts])
        )
        return Level(value, error, games)

    def _averaged(self, value: Floats, error: Floats) -> tuple[Floats, Floats]:
        """Average the parts' measurements, made on separate deals, to the bounded cells; cells are the last axis."""
        if self._weights is None:
            return value, error
        return value @ self._weights.T, np.sqrt(error**2 @ (self._weights**2).T)

    def check_knobs(self, effects: Effects) -> list[str]:
        """Return the names of knobs without any effect; raise UserError if all knobs of a row are without effect."""
        moved = np.abs(effects.value).max(axis=1) + effects.error.max(axis=1) > 0
        working = {option.knob for option, moves in zip(self.options, moved, strict=True) if moves}
        rows = {self.knobs[knob].row for knob in working}
        idle = [repr(row.path) for index, row in enumerate(self.goal.knobs) if index not in rows]
        if len(idle) == 1:
            raise UserError(f"the knob {idle[0]} has no effect on any target in these games: remove it")
        if idle:
            raise UserError(f"the knobs {', '.join(idle)} have no effect on any target in these games: remove them")
        return [knob.name for index, knob in enumerate(self.knobs) if index not in working]

    def _replayed(self, part: CellEvaluator, games: int) -> Effects:
        """Return the effects of options that need replays; the replays are played only once."""
        key = f"{part.name} {games}"
        if key not in self._replays:
            seed, games = self._seed("replays", part), part.replays(games)
            self._replays[key] = part.replayed(seed, games, self.options, part.level((), seed, games))
        return self._replays[key]

    def deals_of(self, games: int) -> dict[str, int]:
        """Return the number of deals that each part plays when ``games`` are requested, by name.

        Card effects use fewer games than sides, in the proportion of the goal's ``picks`` and ``games``.
        """
        return {part.name: part.games(games) for part in self._parts}

    def seeds_of(self, purpose: str) -> list[tuple[str, int]]:
        """Return the seeds of the deals for a purpose, by part."""
        return [(part.name, self._seed(purpose, part)) for part in self._parts]

    def _seed(self, purpose: str, part: CellEvaluator) -> int:
        return self.sampler.seed(purpose, part.name)
