"""Whether a patch carries over to reported settings, to other players, and to each side's best playing style.

A patch is found for certain players at certain tables. Different players play a different game, so the same targets are
measured with other players, with and without the patch; these measurements do not influence the patch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import polars as pl

from wsim.balance.by_games import COUNTS, POOLED, RESULTS, WORTH, GamesEvaluator, kind_of
from wsim.balance.by_pooled import PooledEvaluator
from wsim.balance.cells import target_columns
from wsim.balance.evaluator import Evaluator
from wsim.balance.goal import EACH, Goal, Setting
from wsim.balance.knobs import Patch
from wsim.balance.proof import middle_of
from wsim.balance.sampling import Level
from wsim.balance.transfer.conclusion import conclusion_of
from wsim.document import Column, Conclusion, Document, Sheet
from wsim.errors import UserError
from wsim.game import find_game
from wsim.lab.answer import Stored, View, whole
from wsim.lab.plan import Plan
from wsim.questions.asked import AskedAnswer
from wsim.questions.metrics import needs_seatings

if TYPE_CHECKING:
    from wsim.balance.cells import Cell


@dataclass(frozen=True)
class Relearner:
    """A player that relearns a game.

    Attributes
    ----------
    policy: the line-up entry before relearning.
    learned: called with a patch (empty: the unchanged game) and the number of the training, from 1, which determines
        its seed; learns the game and returns the line-up entry that plays it.
    times: how often each of the two games is learned, because two trainings can differ by as much as a small patch
        changes.
    """

    policy: str
    learned: Callable[[Patch, int], str]
    times: int = 2


@dataclass(frozen=True)
class TransferSettings:
    """Additional players and styles with which a patch is measured.

    Attributes
    ----------
    players: line-up entries that take all seats of every setting, one after the other.
    styles: line-up entries from which a side may choose the best, while the others play as in the setting.
    games: the number of games per measurement.
    relearner: a player that also takes all seats of every setting, in the game without and with the patch: before
        relearning, after learning the game without the patch, and after learning the game with it. Training without the
        patch is the control: only an additional gain is adaptation.
    """

    players: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    games: int = 20_000
    relearner: Relearner | None = None


@dataclass(repr=False)
class TransferAnswer(AskedAnswer):
    """The measurements with other players so far.

    Attributes
    ----------
    rows: one row per setting and player: setting, policies, targeted, cells, spread_before, spread_after (root mean
        square deviation from the middle of the accepted range, including noise), largest_before, largest_after (the
        largest deviation), of_before, of_after (the item with this deviation), error (standard error of a cell), games.
    best: one row per setting and side in its best style: setting, of, style_before, best_before, style_after,
        best_after (shares), error.
    """

    FORMAT: ClassVar[str] = "wsim-transfer/1"
    FORMER_FORMATS: ClassVar[tuple[str, ...]] = ("wsim-carry/1",)
    COMMAND: ClassVar[str] = "wsim transfer"
    TITLE: ClassVar[str] = "a transfer of a patch"
    TABLES: ClassVar[tuple[str, ...]] = ("carried", "responses")
    ROWS: ClassVar[Mapping[str, str]] = {"carried": "transfer", "responses": "best response"}

    rows: list[dict[str, Any]] = field(default_factory=list)
    best: list[dict[str, Any]] = field(default_factory=list)

    @property
    def carried(self) -> pl.DataFrame:
        """The rows as a frame."""
        return pl.DataFrame(self.rows, infer_schema_length=None)

    @property
    def responses(self) -> pl.DataFrame | None:
        """The best styles as a frame; None if they were not requested."""
        return pl.DataFrame(self.best, infer_schema_length=None) if self.best else None

    def record(self) -> dict[str, Any]:
        return {"format": self.FORMAT, "asked": dict(self.asked), "carried": self.rows, "responses": self.best or None}

    @classmethod
    def columns(cls, record: Mapping[str, Any]) -> Mapping[str, Sequence[Column]]:  # noqa: ARG003
        return dict.fromkeys(cls.TABLES, target_columns(()))

    @classmethod
    def conclusion(cls, stored: Stored) -> Conclusion:
        """State whether the patch carries over."""
        return conclusion_of(stored)

    @property
    def title(self) -> str:
        return CARRIED

    def display(self, view: View = whole) -> Document:
        shown = view(self.carried)
        return Document(rows=shown, named="carried", tables=elsewhere_tables(shown, self.responses))


RESPONSES = "Each side in its best style, the others as in the setting"
CARRIED = "Other players: deviations from the middle of the accepted range, before and after"


def elsewhere_tables(carried: pl.DataFrame | None, responses: pl.DataFrame | None) -> list[Sheet]:
    """Return the tables of measurements with other players, if there are any."""
    of = ("setting", "policies", "largest_before", "largest_after", "spread_before", "spread_after")
    best = ("of", "best_before", "best_after", "error", "style_before", "style_after")
    tables = ((carried, CARRIED, of), (responses, RESPONSES, best))
    filled = [(table, title, first) for table, title, first in tables if table is not None and len(table)]
    return [Sheet(title, table.to_dicts(), target_columns(()), first=first) for table, title, first in filled]


@dataclass(frozen=True)
class _Seated:
    """The players at a setting, without and with the patch.

    Attributes
    ----------
    label: their displayed name. entry: the line-up entry; None: as in the setting.
    deals: determines the deals, so that compared measurements share them.
    """

    label: str | None
    entry: str | None
    deals: str | None


def check_elsewhere(goal: Goal, where: TransferSettings) -> None:
    """Raise UserError for players and styles that cannot play at a setting; called before the search starts."""
    if where.games < 1:
        raise UserError(f"the games of a measurement with other players must be at least 1, not {where.games}")
    prepare = find_game(goal.game).prepare
    for setting in goal.settings:
        for player in where.players:
            prepare(setting.plan.replace(policies=player))
        for style in where.styles if not setting.report else ():
            prepare(_with_style(setting.plan, style))


def measure_transfer(evaluator: Evaluator, patch: Patch, where: TransferSettings, answer: TransferAnswer) -> None:
    """Measure the targets of a goal with other players, before and after a patch; add each result to ``answer``."""
    first = evaluator.goal.tables
    for setting in evaluator.goal.settings:
        others = where.players if setting in first else ()
        for player in (None, *others):
            answer.rows += _row_of(evaluator, setting, patch, _Seated(player, player, player), where.games)
    for setting in evaluator.goal.settings if where.styles else ():  # with the others as in the setting
        if not setting.report:
            answer.best += _best_responses(evaluator, setting, patch, where)
    anew = where.relearner
    if anew is not None:
        players = [_Seated(anew.policy, anew.policy, anew.policy)] if anew.policy not in where.players else []
        for number in range(1, anew.times + 1):
            for words, learned in (("without", ()), ("with", patch)):
                label = f"{anew.policy}, learned {words} the patch, {number}"
                players.append(_Seated(label, anew.learned(learned, number), anew.policy))
        for setting in first:
            for seated in players:
                answer.rows += _row_of(evaluator, setting, patch, seated, where.games)


def _row_of(
    evaluator: Evaluator, setting: Setting, patch: Patch, seated: _Seated, games: int
) -> Iterator[dict[str, Any]]:
    """Yield one row per kind of target for a setting and player; no rows if no target there is about tables."""
    seed = evaluator.sampler.seed("elsewhere", setting.name, seated.deals)
    plan = setting.plan if seated.entry is None else setting.plan.replace(policies=seated.entry)
    for kind in (RESULTS, WORTH, COUNTS, POOLED):
        elsewhere = replace(setting, plan=plan, name=f"{setting.name}, by {seated.entry}")
        table = _table(evaluator, elsewhere, setting.name, kind=kind)
        if table is None:
            continue
        before, after = (table.level(applied, seed, games) for applied in ((), patch))
        policies = table.setting.plan.policies
        yield {
            "setting": setting.name if kind == RESULTS else f"{setting.name}, {kind}",
            "policies": seated.label or ", ".join(dict.fromkeys(policies)),
            "targeted": seated.entry is None and not setting.report,
            "cells": len(table.cells),
            **_deviations(table.cells, before, "before"),
            **_deviations(table.cells, after, "after"),
            "error": float(np.mean(after.error)),
            "games": games,
        }


def _deviations(cells: Sequence[Cell], level: Level, when: str) -> dict[str, Any]:
    off = level.value - np.array([middle_of(cell) for cell in cells])
    most = int(np.argmax(np.abs(off)))
    return {
        f"spread_{when}": float(np.sqrt(np.mean(off**2))),
        f"largest_{when}": float(off[most]),
        f"of_{when}": cells[most].name,
    }


def _table(
    evaluator: Evaluator, setting: Setting, name: str, of: tuple[str, ...] = (), *, kind: str = RESULTS
) -> GamesEvaluator | PooledEvaluator | None:
    """Prepare an evaluator of a setting's table targets at a different setting; return None if there are none.

    Parameters
    ----------
    name: the name of the setting whose targets are measured. of: columns that split the targets further. kind: the kind
        of the targets (``wsim.balance.by_games.kind_of``).
    """
    goal: Goal = evaluator.goal
    table = next(known.table for known in goal.settings if known.name == name)
    about = [
        target
        for target in goal.targets
        if target.card is None and (not target.settings or table in target.settings) and kind_of(target.metric) == kind
    ]
    if of:
        about = [
            replace(target, of=(*of, *target.of), only=())
            for target in about
            if target.of and not set(of) & set(target.of)
        ]
    if len(set(setting.plan.policies)) < 2:  # with a single policy, skill explains nothing
        about = [target for target in about if not needs_seatings(target.metric)]
    if not about:
        return None
    targets = tuple(replace(target, settings=(), players=EACH) for target in about)
    elsewhere = replace(goal, settings=(replace(setting, report=False),), targets=targets, keep=())
    made = elsewhere, elsewhere.settings[0], evaluator.knobs, evaluator.sampler
    return PooledEvaluator(*made) if kind == POOLED else GamesEvaluator(*made, kind)


def _with_style(plan: Plan, style: str) -> Plan:
    """Return a plan in which each seat in turn plays the given style, while the others play as before."""
    return plan.replace(policies=[style, *(plan.policies * plan.players)[1 : plan.players]], rotate=True)


def _best_responses(
    evaluator: Evaluator, setting: Setting, patch: Patch, where: TransferSettings
) -> Iterator[dict[str, Any]]:
    """Measure each side in its best style before and after a patch, while the others play as in the setting.

    The style is chosen on one half of the games and measured on the other half, and vice versa.
    """
    before, after = (_responses(evaluator, setting, side_before, where) for side_before in ((), patch))
    for side_before, side_after in zip(before, after, strict=True):
        yield {
            "setting": setting.name,
            "of": side_before["of"],
            "style_before": side_before["style"],
            "best_before": side_before["best"],
            "style_after": side_after["style"],
            "best_after": side_after["best"],
            "error": side_after["error"],
        }


def _responses(evaluator: Evaluator, setting: Setting, patch: Patch, where: TransferSettings) -> list[dict[str, Any]]:
    """Return the best style of each side, and its result in games that did not select it."""
    names: list[str] = []
    halves: list[list[Level]] = []
    cells_of_style: list[list[int]] = []
    for style in where.styles:
        plan = _with_style(setting.plan, style)
        table = _table(
            evaluator, replace(setting, plan=plan, name=f"{setting.name}, {style}"), setting.name, ("policy",)
        )
        if table is None:
            return []
        label = cast("GamesEvaluator", table).first_policy
        own_cells = [index for index, cell in enumerate(table.cells) if cell.name.startswith(f"{label} ")]
        names = [table.cells[index].name.removeprefix(f"{label} ") for index in own_cells]
        cells_of_style.append(own_cells)
        halves.append(
            [
                table.level(patch, evaluator.sampler.seed("style", setting.name, half), where.games // 2)
                for half in (0, 1)
            ]
        )
    value = np.array(
        [[half.value[own_cells] for half in both] for both, own_cells in zip(halves, cells_of_style, strict=True)]
    )
    error = np.array(
        [[half.error[own_cells] for half in both] for both, own_cells in zip(halves, cells_of_style, strict=True)]
    )
    rows = []
    for side, name in enumerate(names):
        chosen = [int(value[:, half, side].argmax()) for half in (0, 1)]
        best = (value[chosen[0], 1, side] + value[chosen[1], 0, side]) / 2
        spread = float(np.hypot(error[chosen[0], 1, side], error[chosen[1], 0, side]) / 2)
        rows.append({"of": name, "style": where.styles[chosen[0]], "best": float(best), "error": spread})
    return rows
