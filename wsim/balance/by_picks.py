"""Measure settings by pick experiments: the causal effect of an action with a card, and how other values change it.

The picks of every game are randomised with a known chance (``wsim.questions.picks``). Points are evaluated on the same
games: an effect is linear in the outcome, so its change is the effect on the change in outcome, with its own error. A
price changes the legal moves, so the experiment is repeated at every other value.
"""

from __future__ import annotations

from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from wsim.balance.cell_evaluator import CellEvaluator
from wsim.balance.cells import Cell
from wsim.balance.goal import MEAN, Goal, Setting, Target
from wsim.balance.knobs import Knob, Option, Patch, patched, tuning_of, values_in
from wsim.balance.measurements import Arrays
from wsim.balance.sampling import Effects, Level, Sampler, no_effects
from wsim.errors import UserError, nearest
from wsim.game import Game, Simulator, find_game
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.limits import GameLimitError
from wsim.questions.deals import sample
from wsim.questions.picks.answer import randomised
from wsim.stats.columns import outcome_column
from wsim.stats.distributions import normal_quantile
from wsim.stats.fewest import ENOUGH

if TYPE_CHECKING:
    import polars as pl

    from wsim.lab.store import Run

_CHANGE = "wsim_change"
_LEVEL = 0.95
Floats = NDArray[np.float64]


class PicksEvaluator(CellEvaluator):
    """An evaluator for cells that are causal effects of an action with a card.

    Attributes
    ----------
    chance: the chance that a pick is randomised.
    """

    def __init__(self, goal: Goal, setting: Setting, chance: float, knobs: Sequence[Knob], sampler: Sampler) -> None:
        super().__init__(setting, knobs, sampler)
        self.chance, self._settings = chance, goal.search
        self._tuning = tuning_of(goal.game)
        game: Game = find_game(goal.game)
        self._plan: Plan = randomised(setting.plan, chance)
        self._base: Simulator = game.prepare(self._plan)
        targets = [target for target in goal.of(setting) if target.card is not None and target.randomise == chance]
        for target in targets:
            assert game.PICKS is not None  # checked by randomised()
            if target.action not in game.PICKS.actions:
                known = ", ".join(game.PICKS.actions)
                raise UserError(
                    f"the target {target.name!r}: unknown action {target.action!r}"
                    f"{nearest(target.action, game.PICKS.actions)}; accepted: {known}"
                )
            columns = sample(self._base).columns
            if outcome_column(target.metric) not in columns:
                raise UserError(
                    f"the target {target.name!r}: unknown outcome {target.metric!r}; accepted: score, win, or a column"
                )
        self.cells = []
        self._effects_wanted: list[tuple[Target, str]] = []
        names = {card for target in targets for card in self._named(target)}
        self._only = names if len(names) == 1 else None
        for target in targets:
            for card in self._cards_with_action(target):
                low, high = target.bounds(0.0)
                name = f"{target.action} {card} against {target.against}"
                over = setting.table if target.players == MEAN else ""
                self.cells.append(Cell(setting.name, name, target.metric, low, high, target.metric == "win", over))
                self._effects_wanted.append((target, card))
        worth, seats = self._tuning.worth, sample(self._base)
        self._free = [worth(self._base, knob.path, seats) is not None for knob in knobs]

    @property
    def name(self) -> str:
        """The name of the evaluator: its setting and the chance of a random pick."""
        return f"{self.setting.name}, picks randomised at {self.chance:g}"

    def games(self, requested: int) -> int:
        """Scale the requested number of games by the proportion given in ``[search]``."""
        return max(1, round(requested * self._settings.picks / self._settings.games))

    def replays(self, requested: int) -> int:
        """Return the number of games per step of a value: at least as many as for an experiment."""
        return max(requested, self._settings.picks)

    def level(self, patch: Patch, seed: int, games: int) -> Level:
        """Measure the cells with a patch."""
        measured = self._measured(patch, seed, games, ())
        return Level(measured["value"], measured["error"], games)

    def linearised(self, patch: Patch, seed: int, games: int, options: Sequence[Option]) -> tuple[Level, Effects]:
        """Measure the cells with a patch and the effect of every point value."""
        indices = [index for index, option in enumerate(options) if self._free[option.knob]]
        measured = self._measured(patch, seed, games, [options[index] for index in indices])
        effects = no_effects(options, self.cells)
        effects.value[indices], effects.error[indices] = measured["effect"], measured["spread"]
        return Level(measured["value"], measured["error"], games), effects

    def replayed(self, seed: int, games: int, options: Sequence[Option], level: Level) -> Effects:
        """Repeat the experiment at every other value, each separately and without a patch."""
        effects = no_effects(options, self.cells)
        for index, option in enumerate(options):
            knob = self._knobs[option.knob]
            if self._free[option.knob] or option.value == knob.base:
                continue
            patch = ((knob.path, option.value),)
            try:
                after = self.level(patch, seed, games)
            except GameLimitError as error:
                self._sampler.refuse(patch, error)
                continue
            effects.value[index] = after.value - level.value
            effects.error[index] = np.hypot(after.error, level.error)  # too large, because both play the same deals
            effects.replayed[index] = True
        return effects

    # --- experiments -----------------------------------------------------------------------------------------------

    def _named(self, target: Target) -> list[str]:
        """Return the cards that a target names; raise UserError for a card that does not exist."""
        kind = self._base.picks_frame(np.zeros(0, self._base.pick_dtype)).schema["card"]
        names = list(cast("pl.Enum", kind).categories)
        if target.card == "*":
            return names
        by_lower = {name.lower(): name for name in names}
        if str(target.card).lower() not in by_lower:
            raise UserError(
                f"the target {target.name!r}: unknown card {target.card!r}{nearest(str(target.card), names)}"
            )
        return [by_lower[str(target.card).lower()]]

    def _cards_with_action(self, target: Target) -> list[str]:
        """Return the target's cards with which the action occurred in sample games; raise UserError if none."""
        named, games = self._named(target), self._settings.picks
        seed = self._sampler.seed("sample", self.name)

        def measure() -> Arrays:
            with TemporaryDirectory(prefix="wsim-balance-") as folder:
                table = self._table(self._recorded((), seed, games, folder), target, None)
            often = dict(table.select("card", "effective").iter_rows())
            return {"effective": np.array([often.get(card) or 0.0 for card in named])}

        of = {"sample": self.name, "target": target.name, "seed": seed, "games": games}
        effective = self._sampler.memory.recall(of, games, measure)["effective"]
        cards = [card for card, often in zip(named, effective, strict=True) if often >= ENOUGH]
        if not cards:
            raise UserError(
                f"the target {target.name!r} refers to an event that hardly ever happened in {games:,} games: play "
                "more (search.picks), or choose another card or action"
            )
        return cards

    def _recorded(self, patch: Patch, seed: int, games: int, folder: str) -> Run:
        plan = patched(self._plan, patch, seed=seed, games=games)
        execution = self._sampler.execution
        how: dict[str, Any] = {"cluster": execution.cluster, "progress": execution.progress}
        return record(plan, f"{folder}/run", threads=execution.threads, **how)

    def _measured(self, patch: Patch, seed: int, games: int, free: Sequence[Option]) -> Arrays:
        """Play the experiment with a patch; return its effects with errors, and how options change them."""
        of = {"picks": self.name, "patch": patch, "seed": seed, "games": games}
        of["options"] = [(option.knob, option.value) for option in free]

        def measure() -> Arrays:
            with TemporaryDirectory(prefix="wsim-balance-") as folder:
                return self._values_in(self._recorded(patch, seed, games, folder), patch, free)

        return self._sampler.memory.recall(of, games, measure)

    def _values_in(self, run: Run, patch: Patch, free: Sequence[Option]) -> Arrays:
        """Estimate every cell from a run, and how options change it."""
        value, error = self._effects(run, None)
        effect, spread = np.zeros((2, len(free), len(self.cells)))
        now = values_in(self._knobs, patch)
        seats = run.seats.collect()
        simulator = find_game(self._plan.game).prepare(run.plan)
        shares = self._tuning.shares(simulator, seats)
        won = seats["win_share"].to_numpy().astype(float)
        for index, option in enumerate(free):
            steps = option.value - now[option.knob]
            counted = self._tuning.worth(simulator, self._knobs[option.knob].path, seats)
            assert counted is not None
            if not steps or not counted.any():
                continue
            extra = counted * steps
            by_game = extra.reshape(-1, simulator.seats)
            changed = shares(np.arange(len(by_game)), by_game).reshape(-1) - won
            effect[index], spread[index] = self._effects(run, {"score": extra.astype(float), "win": changed})
        return {"value": value, "error": error, "effect": effect, "spread": spread}

    def _effects(self, run: Run, change: dict[str, Floats] | None) -> tuple[Floats, Floats]:
        """Estimate the effects on outcomes, or on changes in outcomes, with their errors."""
        value, error = np.zeros((2, len(self.cells)))
        tables: dict[Any, dict[str, tuple[float, float]]] = {}
        z = 2 * normal_quantile((1 + _LEVEL) / 2)
        for index, (target, card) in enumerate(self._effects_wanted):
            if change is not None and target.metric not in change:
                continue
            key = (target.metric, target.action, target.against)
            if key not in tables:
                table = self._table(run, target, None if change is None else change[target.metric])
                rows = table.select("card", "effect", "effect_low", "effect_high").drop_nulls().iter_rows()
                tables[key] = {str(name): (effect, (high - low) / z) for name, effect, low, high in rows}
            value[index], error[index] = tables[key].get(card, (np.nan if change is None else 0.0, np.nan))
        return value, np.nan_to_num(error, nan=np.inf if change is None else 0.0)

    def _table(self, run: Run, target: Target, change: Floats | None) -> pl.DataFrame:
        """Estimate the effects for a target from a run; ``change``: replaces the outcome of the target."""
        import polars as pl

        picks, seats = run.picks, run.seats
        outcome = outcome_column(target.metric)
        if change is not None:
            seats, outcome = seats.select("game", "seat").with_columns(pl.Series(_CHANGE, change)), _CHANGE
        if self._only is not None:
            kind = cast("pl.List", picks.collect_schema()["offered"]).inner
            (card,) = self._only
            picks = picks.filter(pl.col("offered").list.contains(pl.lit(card, dtype=kind)))
        experiment = find_game(self._plan.game).PICKS
        assert experiment is not None
        effects = experiment.effects(picks, seats, target.action, outcome, target.against, _LEVEL)
        return effects.frame.with_columns(pl.col("card").cast(pl.String))
