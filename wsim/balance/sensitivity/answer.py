"""Tables of the effect that each step of each knob has on each target."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from wsim.balance.answer import idle_note
from wsim.balance.cells import target_columns
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import Goal
from wsim.balance.knobs import changes_of
from wsim.balance.measurements import Memory
from wsim.balance.sampling import Effects
from wsim.balance.sensitivity.question import SensitivityQuestion
from wsim.document import Column, Conclusion, Document, Sheet
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import Stored, View, whole
from wsim.lab.execution import Execution
from wsim.questions.asked import AskedAnswer
from wsim.questions.largest import Largest, Row
from wsim.questions.words import Words
from wsim.spec.values import name_in_words
from wsim.stats.intervals import Interval

LARGEST_EFFECT = "the target that it moves most"
EFFECTS = "effects with 95% intervals; reach: in units of half the accepted width"
FOUND = (
    "re-scored: the seats that have the item get the points, with decisions held fixed, and the games are ranked "
    "again. Players who see the points may decide differently and gain less from them, so the interval extends a "
    "quarter of the effect further towards 0. replayed: the same deals are played with the changed value."
)
_ACCEPTED = ("times the accepted half width, upwards", "times the accepted half width, downwards")
HELD = 0.25
"""Fraction of a re-scored effect that changed decisions may take away: from nothing (`net`) to 0.29 (`balanced`) in 12
steps that were played, with errors of 0.1.
"""


@dataclass(frozen=True, repr=False)
class SensitivityAnswer(AskedAnswer):
    """The answer to a sensitivity question: the effects of all steps on all targets.

    Attributes
    ----------
    goal: the goal. seed: the seed of the deals.
    effects: one row per cell and value of a knob, except its current value: knob, now, to, setting, of, metric, effect
        with effect_low and effect_high (95%), reach (the effect divided by half the accepted width), found
        (``re-scored`` or ``replayed``).
    levels: one row per cell: setting, of, metric, value with value_low and value_high, low and high (accepted).
    idle: knobs without any effect on a target.
    games, seconds: the number of games and the time that the analysis took.
    """

    FORMAT: ClassVar[str] = "wsim-sensitivity/1"
    COMMAND: ClassVar[str] = "wsim sensitivity"
    TITLE: ClassVar[str] = "a sensitivity analysis"
    VOLATILE: ClassVar[tuple[str, ...]] = ("goal",)
    TABLES: ClassVar[tuple[str, ...]] = ("effects", "levels")

    goal: Goal
    seed: int
    effects: pl.DataFrame
    levels: pl.DataFrame
    idle: list[str]
    games: int
    seconds: float

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:
        return dict.fromkeys(cls.TABLES, target_columns(record["levels"]))

    @property
    def title(self) -> str:
        return f"Effect of each step on {LARGEST_EFFECT}: {EFFECTS}"

    @property
    def main(self) -> pl.DataFrame:
        """The effects table reduced to the target that each step moves most."""
        return self.strongest()

    def strongest(self) -> pl.DataFrame:
        """Return one row per value of a knob: the cell that it moves most relative to the accepted range."""
        most = self.effects.with_columns(pl.col("reach").abs().alias("most")).sort(
            "most", descending=True, nulls_last=True, maintain_order=True
        )
        return most.unique(["knob", "to"], keep="first", maintain_order=True).drop("most")

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion | None:
        """State which step moves a target most."""

        def words(row: Row) -> Words:
            step = f"{name_in_words(row['knob'])} {row['now']} to {row['to']}"
            return Words("", f"{step} moves {row['of']} by", _ACCEPTED, share=False)

        def clear(row: Row) -> bool:
            return row["effect_low"] is not None and bool(row["effect_low"] * row["effect_high"] > 0)

        steps = Largest("reach", 0.95, words, clear)
        return steps.conclusion(stored.record["effects"], "No step clearly moves a target.", "effects of steps")

    def display(self, view: View = whole, *, every: bool = False) -> Document:
        shown = view(self.effects if every else self.strongest())
        hidden = [name for name in ("setting", "metric") if self.levels[name].n_unique() == 1]
        title = f"Effect of each step on {'every target' if every else LARGEST_EFFECT}: {EFFECTS}"
        rows = shown.drop(hidden).to_dicts()
        notes = [FOUND, *idle_note(self.idle), f"{self.games:,} games in {self.seconds:.1f} s."]
        declared = target_columns(self.levels.to_dicts())
        tables = [Sheet(title, rows, declared, first=("knob", "now", "to", "of", "effect", "reach"))]
        return Document(rows=shown, named="effects", tables=tables, notes=notes)

    def record(self) -> dict[str, Any]:
        return {
            "format": self.FORMAT,
            "asked": dict(self.asked),
            "goal": self.goal.source,
            "digest": self.goal.digest,
            "seed": self.seed,
            "games": self.games,
            "seconds": round(self.seconds, 3),
            "idle": self.idle,
            "levels": self.levels.to_dicts(),
            "effects": self.effects.to_dicts(),
        }


def ask(question: SensitivityQuestion, execution: Execution = Execution()) -> SensitivityAnswer:
    """Measure the effects of the knobs of a goal; raise UserError for a value that cannot be played."""
    start, goal, seed = time.perf_counter(), question.read(), question.seed
    with execution.connected(find_game(goal.game).prepare(goal.settings[0].plan)) as connected:
        evaluator = Evaluator(goal, Memory(), seed, connected)
        level, effects = evaluator.linearised((), "sensitivity", goal.search.games, goal.search.replays)
    for patch, sentence in evaluator.sampler.refused.items():
        raise UserError(f"the knob {changes_of(patch)[0]} cannot be played: {sentence}")
    idle = evaluator.check_knobs(effects)
    shown = Interval.normal(level.value, level.error)
    rows = [
        {
            "setting": cell.setting,
            "of": cell.name,
            "metric": cell.metric,
            **shown.at(index, "value"),
            "low": cell.low if np.isfinite(cell.low) else None,
            "high": cell.high if np.isfinite(cell.high) else None,
        }
        for index, cell in enumerate(evaluator.cells)
    ]
    return SensitivityAnswer(
        goal=goal,
        seed=seed,
        effects=_effects_frame(evaluator, effects),
        levels=pl.DataFrame(rows, infer_schema_length=None),
        idle=idle,
        games=evaluator.memory.played,
        seconds=time.perf_counter() - start,
    )


def _effects_frame(evaluator: Evaluator, effects: Effects) -> pl.DataFrame:
    shown = Interval.normal(effects.value, effects.error)
    taken = np.where(effects.replayed, 0.0, HELD * effects.value)
    shown = replace(shown, low=shown.low - np.maximum(taken, 0), high=shown.high - np.minimum(taken, 0))
    rows = []
    for index, option in enumerate(evaluator.options):
        knob = evaluator.knobs[option.knob]
        if option.value == knob.base:
            continue
        for column, cell in enumerate(evaluator.cells):
            rows.append(
                {
                    "knob": knob.name,
                    "now": knob.base,
                    "to": option.value,
                    "setting": cell.setting,
                    "of": cell.name,
                    "metric": cell.metric,
                    **shown.at((index, column), "effect"),
                    "reach": float(effects.value[index, column]) / cell.reach,
                    "found": "replayed" if effects.replayed[index, column] else "re-scored",
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)
